"""A server whose answer never ends holds no run for ever, and one that redirects elsewhere gets nothing there."""

from __future__ import annotations

import asyncio
import gc
import gzip
import tracemalloc
import zlib
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from langchain_openai import ChatOpenAI
from pydantic import SecretStr
from support import raw_server
from support.openai_server import OpenAIServer, Reply
from support.plan_act import TWINS
from support.raw_server import JSON, RawServer, completion, whole
from support.search_server import CERTIFICATE, SearchServer
from thoughtgraph import ThoughtGraphError, astream_think, athink, open_model, stream_think, think
from thoughtgraph.errors import ModelUnavailableError, RedirectRefusedError
from thoughtgraph.models import Backoff
from thoughtgraph.models.servers import bounded as bounded_module
from thoughtgraph.models.servers.bounded import bounded_clients, bounded_transport

pytestmark = pytest.mark.slow

ONCE = Backoff(max_attempts=1)


def bounded(base_url: str, **limits: Any) -> ChatOpenAI:
    """A model as `open_model` makes one, with other limits."""
    options: Any = {**bounded_clients(**limits), "max_retries": 0}
    return ChatOpenAI(base_url=base_url, model="m", api_key=SecretStr("sk-very-secret"), **options)


def said(model: Any, form: str, *, stream: bool = False, words: str = "Hello") -> str:
    """What a model says, by either twin, streamed or not."""
    if not stream:
        if form == "sync":
            return think(model, words, backoff=ONCE).reply
        return asyncio.run(athink(model, words, backoff=ONCE)).reply

    async def streamed() -> str:
        return "".join([piece.text async for piece in astream_think(model, words, backoff=ONCE)])

    if form == "sync":
        return "".join(piece.text for piece in stream_think(model, words, backoff=ONCE))
    return asyncio.run(streamed())


def words(count: int) -> str:
    """A text of some length that does not run in circles, which would be cut for that."""
    return " ".join(f"word {number}" for number in range(count))


@pytest.mark.parametrize("form", TWINS)
def test_an_answer_that_trickles_is_given_up_after_its_time(form: str) -> None:
    with OpenAIServer([Reply(words(2_000), chunk_delay=0.01)]) as server:
        with pytest.raises(ModelUnavailableError, match="timed out") as lost:
            said(bounded(server.base_url, max_seconds=0.2), form, stream=True)
        assert lost.value.partial.startswith("word ")


@pytest.mark.parametrize("form", TWINS)
@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_without_end_is_given_up_after_its_size(form: str, stream: bool) -> None:
    with OpenAIServer([Reply(words(20_000))]) as server, pytest.raises(ModelUnavailableError):
        said(bounded(server.base_url, max_bytes=10_000), form, stream=stream)


@pytest.mark.parametrize("form", TWINS)
@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_within_its_bounds_is_whole(form: str, stream: bool) -> None:
    with OpenAIServer([Reply(words(200))]) as server:
        model = bounded(server.base_url, max_bytes=1_000_000)
        assert said(model, form, stream=stream).strip() == words(200)


@pytest.mark.parametrize("form", TWINS)
@pytest.mark.parametrize("drip", raw_server.DRIPS, ids=lambda drip: drip.__name__)
def test_no_part_of_an_answer_outlasts_the_deadline(drip: raw_server.Answer, form: str) -> None:
    with RawServer(drip) as server, pytest.raises(ModelUnavailableError):
        said(bounded(server.url, max_seconds=0.2), form)
    with RawServer(drip) as server:
        assert said(bounded(server.url, max_seconds=30), form) == "hello"


@pytest.mark.parametrize("form", TWINS)
def test_a_server_that_reads_a_long_prompt_slowly_is_given_up(form: str) -> None:
    with raw_server.SlowReader() as server, pytest.raises(ModelUnavailableError, match="timed out"):
        said(bounded(server.url, max_seconds=0.3), form, words="x" * 30_000_000)


@pytest.mark.parametrize("form", TWINS)
def test_interim_responses_count_into_the_size(form: str) -> None:
    with RawServer(raw_server.flood_of_100s) as server, pytest.raises(ModelUnavailableError):
        said(bounded(server.url, max_bytes=200_000), form)


@pytest.mark.parametrize("form", TWINS)
@pytest.mark.parametrize("bomb", raw_server.bombs(), ids=lambda bomb: bomb.__name__)
def test_an_answer_that_unfolds_beyond_its_size_is_given_up_before_it_fills_the_memory(
    bomb: raw_server.Answer, form: str
) -> None:
    with RawServer(bomb) as server:
        model = bounded(server.url, max_bytes=1_000_000)
        tracemalloc.start()
        try:
            with pytest.raises(ModelUnavailableError):
                said(model, form)
            assert tracemalloc.get_traced_memory()[1] < 20_000_000
        finally:
            tracemalloc.stop()


def _raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize("form", TWINS)
@pytest.mark.parametrize(
    ("encoding", "pack"),
    [(b"gzip", gzip.compress), (b"x-gzip", gzip.compress), (b"deflate", zlib.compress), (b"Deflate", _raw_deflate)],
    ids=["gzip", "x-gzip", "deflate", "raw deflate"],
)
def test_a_compressed_answer_within_its_bounds_is_read(encoding: bytes, pack: Any, form: str) -> None:
    answer = whole(pack(completion("é" * 5_000)), JSON, b"Content-Encoding: " + encoding)
    with RawServer(lambda client: client.send(answer)) as server:
        assert said(bounded(server.url), form) == "é" * 5_000
        assert b"accept-encoding: identity" in server.requests[0].lower()


@pytest.mark.parametrize("form", TWINS)
@pytest.mark.parametrize("encoding", [b"br", b"gzip, gzip", b"gzip"])
def test_what_cannot_be_unfolded_in_bounds_is_refused(encoding: bytes, form: str) -> None:
    answer = whole(b"\x0b\x02\x80hello\x03", JSON, b"Content-Encoding: " + encoding)
    with RawServer(lambda client: client.send(answer)) as server, pytest.raises(ModelUnavailableError):
        said(bounded(server.url), form)


@pytest.mark.parametrize("form", TWINS)
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    "status", [b"301 Moved", b"302 Found", b"303 See", b"307 Temporary", b"308 Permanent"], ids=lambda s: s[:3].decode()
)
def test_no_prompt_and_no_key_follow_a_redirect_to_another_origin(status: bytes, stream: bool, form: str) -> None:
    with RawServer(lambda client: client.send(whole(completion(), JSON))) as other:
        away = raw_server.redirect(f"{other.url}/chat/completions", status)
        with RawServer(away) as server, pytest.raises(RedirectRefusedError, match=r"redirects to .*use that address"):
            said(bounded(server.url), form, stream=stream)
        assert other.requests == []
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    "location", ["//127.0.0.2:{port}/x", "https://127.0.0.1:{port}/x", "http://localhost:{port}/x"]
)
def test_another_host_or_scheme_is_another_origin(location: str) -> None:
    server = RawServer(lambda client: raw_server.redirect(location.format(port=server.port))(client))
    with server, pytest.raises(RedirectRefusedError) as refused:
        said(bounded(server.url), "sync")
    assert refused.value.location.endswith(location.format(port=server.port))
    assert refused.value.url.startswith(server.url)


@settings(max_examples=60, deadline=None)
@given(location=st.text(st.characters(max_codepoint=255, exclude_categories=["Cc"]), max_size=30))
@example("http://[::1")
@example("//x:port/")
@example("http://" + "a" * 70 + ".test/")
def test_a_redirect_to_anything_odd_ends_in_an_error_of_ours(location: str) -> None:
    def answer(client: raw_server.Connection) -> None:
        raw_server.redirect(location)(client) if len(server.requests) < 3 else client.send(whole(b"{}", JSON))

    server = RawServer(answer)
    with server, pytest.raises(ThoughtGraphError):
        said(bounded(server.url), "sync")


@pytest.mark.parametrize("form", TWINS)
def test_a_redirect_within_the_origin_is_followed_with_prompt_and_key(form: str) -> None:
    def answer(client: raw_server.Connection) -> None:
        there = b"POST /moved" in server.requests[-1]
        client.send(whole(completion(), JSON)) if there else raw_server.redirect("/moved")(client)

    server = RawServer(answer)
    with server:
        assert said(bounded(server.url), form) == "hello"
    assert all(b"Bearer sk-very-secret" in request and b"Hello" in request for request in server.requests)


@pytest.mark.parametrize("form", TWINS)
def test_one_deadline_holds_for_all_redirects_together(form: str) -> None:
    def answer(client: raw_server.Connection) -> None:
        client.drip(b"" for _ in range(5))
        raw_server.redirect(f"/{len(server.requests)}")(client)

    server = RawServer(answer)
    with server, pytest.raises(ModelUnavailableError, match="timed out"):
        said(bounded(server.url, max_seconds=0.3), form)


@pytest.mark.parametrize("form", TWINS)
@pytest.mark.parametrize("spec", ["{url}#m", "openai:m"])
def test_whatever_open_model_opens_by_address_or_for_openai_is_bounded(
    spec: str, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded_module, "MAX_SECONDS", 0.3)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openais-own")
    with RawServer(raw_server.dripped_headers) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        with open_model(spec.format(url=server.url)) as model, pytest.raises(ModelUnavailableError):
            said(model, form)


@pytest.mark.parametrize("form", TWINS)
def test_the_bounds_hold_over_tls(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))

    def fetched(server: SearchServer, seconds: float) -> str:
        transport = bounded_transport(max_seconds=seconds)
        asked: Any = {"extensions": {"sni_hostname": "search.test"}, "timeout": None}
        url = f"https://127.0.0.1:{server.port}/search?q=owls"

        async def afetched() -> str:
            async with httpx.AsyncClient(transport=transport) as client:
                return (await client.get(url, **asked)).text

        if form == "async":
            return asyncio.run(afetched())
        with httpx.Client(transport=transport) as client:
            return client.get(url, **asked).text

    with SearchServer(tls=True) as server:
        assert "Owls" in fetched(server, 30)
    with SearchServer(tls=True, mode="slow_drip") as server, pytest.raises(httpx.ReadTimeout):
        fetched(server, 0.3)
    monkeypatch.delenv("SSL_CERT_FILE")
    with SearchServer(tls=True) as server, pytest.raises(httpx.ConnectError, match=r"(?i)certificate"):
        fetched(server, 30)


@pytest.mark.parametrize("form", TWINS)
@pytest.mark.parametrize("bypass", ["", "127.0.0.1"])
def test_a_proxy_of_the_environment_is_asked_unless_it_is_to_be_left_out(
    bypass: str, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        RawServer(lambda client: client.send(whole(completion("direct"), JSON))) as server,
        RawServer(lambda client: client.send(whole(completion("by proxy"), JSON))) as proxy,
    ):
        monkeypatch.setenv("http_proxy", proxy.url.replace("//", "//me:pass@"))
        monkeypatch.setenv("no_proxy", bypass)
        assert said(bounded(server.url), form) == ("direct" if bypass else "by proxy")
        if not bypass:
            assert proxy.requests[0].startswith(b"POST " + server.url.encode())
            assert b"Proxy-Authorization: Basic bWU6cGFzcw==" in proxy.requests[0]


@pytest.fixture
def little_to_collect() -> Iterator[None]:
    """A collection need not look through what is there already."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("little_to_collect")
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_request_that_is_canceled_at_any_moment_leaves_no_connection_open(
    stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    left_open: list[object] = []
    monkeypatch.setattr("sys.unraisablehook", lambda raised: left_open.append(raised.exc_value))

    async def canceled_after(turns: int, model: ChatOpenAI) -> bool:
        """Whether the request was over before."""
        task = asyncio.ensure_future(model.ainvoke("Hello", stream=stream))
        for _ in range(turns):
            await asyncio.sleep(0)
        over = task.done()
        task.cancel()
        await asyncio.wait({task})
        return over

    with OpenAIServer(lambda body, index: Reply("Hi")) as server:
        for turns in range(10_000):
            over = asyncio.run(canceled_after(turns, bounded(server.base_url)))
            gc.collect()
            assert left_open == [], f"canceled after {turns} turns of the event loop"
            if over:
                break
        assert over
        assert turns > 10, "it was canceled while it connected, wrote and read"
