"""The look-up of a server's first model ends in time and in bounds, and its key goes to that server alone."""

from __future__ import annotations

import traceback
from collections.abc import Iterator

import pytest
from support import raw_server
from support.raw_server import JSON, RawServer, completion, whole
from thoughtgraph import open_model
from thoughtgraph.errors import ModelSetupError
from thoughtgraph.models.servers import openai_api

KEY = "correct-horse-battery-staple"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every look-up has a key to lose."""
    monkeypatch.setenv("THOUGHTGRAPH_API_KEY", KEY)
    yield


def looked_up(url: str) -> str:
    """The name of the server's first model."""
    with open_model(url) as model:
        return str(model.model_name)  # type: ignore[attr-defined]


@pytest.mark.slow
@pytest.mark.parametrize("drip", raw_server.DRIPS, ids=lambda drip: drip.__name__)
def test_a_server_that_drips_is_given_up(drip: raw_server.Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_api, "_LOOK_UP_SECONDS", 0.3)
    with RawServer(drip) as server, pytest.raises(ModelSetupError, match=r"timed out|took more than"):
        looked_up(server.url)


@pytest.mark.parametrize("answer", [raw_server.flood_of_100s, *raw_server.bombs()], ids=lambda answer: answer.__name__)
def test_a_server_that_floods_is_given_up(answer: raw_server.Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_api, "_LOOK_UP_BYTES", 200_000)
    with RawServer(answer) as server, pytest.raises(ModelSetupError, match="more than 200000 bytes"):
        looked_up(server.url)


@pytest.mark.parametrize(
    "answer",
    [
        b"[" * 200_000,
        b"{}",
        b"[]",
        b'{"data": [1]}',
        b"\xff",
        b'{"data": {"0": {}}}',
        b"",
        b'{"data": [{"id": 1}]}',
        b'{"data": [{"id": "%b"}]}' % (b"m" * 2_000),
    ],
    ids=lambda answer: repr(answer[:20]),
)
def test_an_answer_that_names_no_model_says_so(answer: bytes) -> None:
    with (
        RawServer(lambda client: client.send(whole(answer, JSON))) as server,
        pytest.raises(ModelSetupError, match="names no model"),
    ):
        looked_up(server.url)


@pytest.mark.parametrize("body", [b'{"data": [{"id": "m"}]}', b'[{"id": "m"}]'], ids=["in an object", "alone"])
def test_a_list_of_models_may_come_alone(body: bytes) -> None:
    with RawServer(lambda client: client.send(whole(body, JSON))) as server:
        assert looked_up(server.url) == "m"


REFUSALS = [
    (b"{}", b"200 OK", "names no model (it lists none): check the address"),
    (b'{"data": []}', b"200 OK", "names no model (it lists none): check the address"),
    (b"{}", b"404 Not Found", "/models'): check the address"),
    (b"{}", b"401 Unauthorized", "wants a key: put the right one into THOUGHTGRAPH_API_KEY"),
    (b"{}", b"403 Forbidden", "wants a key: put the right one into THOUGHTGRAPH_API_KEY"),
]


@pytest.mark.parametrize(("body", "status", "said"), REFUSALS)
def test_a_look_up_that_fails_says_in_a_line_what_to_do(body: bytes, status: bytes, said: str) -> None:
    answer = whole(body, JSON, status=status)
    with RawServer(lambda client: client.send(answer)) as server, pytest.raises(ModelSetupError) as refused:
        looked_up(server.url)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("status", [b"301 M", b"302 F", b"303 S", b"307 T", b"308 P"], ids=lambda s: s[:3].decode())
def test_the_key_follows_no_redirect_to_another_origin(status: bytes) -> None:
    with RawServer(lambda client: client.send(whole(completion(), JSON))) as other:
        away = raw_server.redirect(f"{other.url}/v1/models", status)
        with RawServer(away) as server, pytest.raises(ModelSetupError, match="another origin") as refused:
            looked_up(server.url)
        assert KEY.encode() in server.requests[0]
        assert other.requests == []
    assert KEY not in "".join(traceback.format_exception(refused.value))


def test_a_redirect_within_the_origin_is_followed() -> None:
    def answer(client: raw_server.Connection) -> None:
        there = b"GET /v2/models" in server.requests[-1]
        client.send(whole(completion(), JSON)) if there else raw_server.redirect("/v2/models")(client)

    server = RawServer(answer)
    with server:
        assert looked_up(server.url) == "m"
    assert all(KEY.encode() in request for request in server.requests)


def test_a_redirect_without_end_is_given_up() -> None:
    with RawServer(raw_server.redirect("/again")) as server, pytest.raises(ModelSetupError, match="redirects"):
        looked_up(server.url)
