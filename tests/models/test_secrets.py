"""Keys, passwords and tokens never get out by an error: not into a state, a trace, a page, a log or a terminal."""

from __future__ import annotations

import asyncio
import time
import traceback
from base64 import b64encode
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from langchain_core.runnables import RunnableLambda
from support.hostile_secrets import (
    HEADER,
    IN_QUERY,
    KEY,
    PASSWORD,
    SECRETS,
    VARIABLES,
    chat_model,
    errors,
    leaks,
    memory_run,
    model_runs,
    quoting_server,
    tool_run,
    verifier_run,
)
from support.scripted import ScriptedModel
from thoughtgraph import Assistant, astream_think, athink, create_reflection_graph
from thoughtgraph._internal.redact import redact_error, redacted, redacting, secrets_of
from thoughtgraph.cli.main import app
from thoughtgraph.errors import MemoryStoreError, ModelSetupError, SearchError
from thoughtgraph.models.open import open_model
from thoughtgraph.models.transport import Backoff
from typer.testing import CliRunner

pytestmark = pytest.mark.slow

SHAPES = {
    "openai": ("key sk-proj-0123456789abc is wrong", "key [redacted] is wrong"),
    "openai-old": ("sk-0123456789abcdef", "[redacted]"),
    "stripe": ("sk_live_0123456789abcdef", "[redacted]"),
    "github": ("ghp_0123456789abcdefghij!", "[redacted]!"),
    "google": ("AIzaSyA0123456789abcdefghijklmnopqrstuv", "[redacted]"),
    "amazon": ("AKIAIOSFODNN7EXAMPLE", "[redacted]"),
    "web-token": ("eyJhbGciOiJI.eyJzdWIiOiIx.abc-_1", "[redacted]"),
    "bearer": ("Authorization: Bearer abc123def456", "Authorization: Bearer [redacted]"),
    "bearer-alone": ("sent bearer abc123def456, refused", "sent bearer [redacted], refused"),
    "header": ("{'authorization': 'abcdefgh'}", "{'authorization': '[redacted]'}"),
    "address": ("GET https://me:pa55@host/x failed", "GET https://[redacted]@host/x failed"),
    "dsn": ("postgresql://me:pa55@db:5432/x", "postgresql://[redacted]@db:5432/x"),
    "dsn-words": ("host=db password=pa55 user=me", "host=db password=[redacted] user=me"),
    "query": ("/v1?q=owl&api_key=12345&n=2", "/v1?q=owl&api_key=[redacted]&n=2"),
    "said": ("Incorrect API key provided: short. Ask", "Incorrect API key provided: [redacted]. Ask"),
    "json": ('{"api_key": "12345", "n": 2}', '{"api_key": "[redacted]", "n": 2}'),
}
HARMLESS = (
    "HTTP 401: authentication required",
    "Basic authentication failed; bearer token expired",
    "task-management-system and risk-assessment-report are words",
    "max_tokens must be at least 1, and temperature below 2",
    "unexpected keyword argument 'password'",
    "KeyError: 'secret'",
    "see https://docs.example/keys?page=2#token for details",
    "'utf-8' codec can't decode byte 0xff in position 0",
)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_secret_is_known_by_its_shape(shape: str) -> None:
    said, shown = SHAPES[shape]
    assert redacted(said) == shown
    assert redacted(shown) == shown


@pytest.mark.parametrize("said", HARMLESS)
def test_what_is_no_secret_is_left(said: str) -> None:
    assert redacted(said) == said


def test_a_secret_of_the_environment_is_known_by_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_SERVICE_TOKEN", "no shape at all/here")
    monkeypatch.setenv("MAX_TOKENS", "1000000000")
    monkeypatch.setenv("TOKEN_FILE", "/run/secrets/token")
    assert redacted("got no shape at all/here and no%20shape%20at%20all%2Fhere") == "got [redacted] and [redacted]"
    assert redacted("1000000000 in /run/secrets/token") == "1000000000 in /run/secrets/token"


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "-",
        "_a",
        "../",
        "sk-",
        "eyJa.",
        "://",
        "a://",
        "?key",
        "&a",
        "api_key",
        "bearer ",
        "authorization: ",
        "id_",
        "token=",
    ],
)
def test_reading_a_long_error_takes_time_in_proportion(piece: str) -> None:
    """In processor time: four times the text may take no sixteen times as long."""

    def seconds(length: int) -> float:
        text = piece * (length // len(piece))
        started = time.process_time()
        redacted(text)
        return time.process_time() - started

    assert seconds(120_000) < 10 * seconds(30_000) + 0.1


@pytest.mark.parametrize("named", [False, True], ids=["key", "user and password"])
@pytest.mark.parametrize("status", [400, 401, 429, 500])
def test_no_secret_leaves_a_call_of_a_model(status: int, named: bool) -> None:
    basic = b64encode(f"user:{unquote(PASSWORD)}".encode()).decode()
    with quoting_server(status) as server:
        runs = model_runs(chat_model(server.base_url, named=named))
        assert {name: found for name, run in runs.items() if (found := leaks(run, [*SECRETS, basic]))} == {}
        assert server.requests[0].headers["authorization"] == (f"Basic {basic}" if named else f"Bearer {KEY}")
        assert server.requests[0].headers["x-api-key"] == HEADER


@pytest.mark.parametrize("padding", range(120, 290, 17))
def test_half_a_secret_is_not_left_where_a_long_error_is_cut(padding: int) -> None:
    with quoting_server(500, padding) as server:
        model = chat_model(server.base_url)
        secrets = [secret[:12] for secret in SECRETS]
        assert leaks(model_runs(model)["plan_act"], secrets) == []


def test_no_secret_leaves_an_async_call() -> None:
    async def stream(model: Any) -> None:
        async for _ in astream_think(model, "hi", backoff=Backoff(max_attempts=1)):
            pass

    with quoting_server(401) as server:
        model = chat_model(server.base_url)
        assert leaks(lambda: asyncio.run(athink(model, "hi"))) == []
        assert leaks(lambda: asyncio.run(stream(model))) == []


@pytest.mark.parametrize("run", [tool_run, verifier_run, memory_run], ids=lambda run: run.__name__)
@pytest.mark.parametrize("number", range(len(errors())))
def test_no_secret_leaves_what_a_loop_works_with(run: Any, number: int) -> None:
    assert leaks(partial(run, errors()[number])) == []


def test_an_error_keeps_its_class_and_loses_its_secrets_with_all_it_came_from() -> None:
    for error in errors():
        redact_error(error, SECRETS)
        shown = "".join(traceback.format_exception(error))
        assert [secret for secret in SECRETS if secret in shown or secret in repr(error)] == []
    kept = OSError(5, "no such thing", "/tmp/x")
    redact_error(kept, SECRETS)
    assert (kept.errno, kept.strerror, kept.filename) == (5, "no such thing", "/tmp/x")


class Address:
    """As a client's class for addresses says what it holds."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


class AnswerError(Exception):
    """As aiohttp's: it says the address of the request that it holds."""

    status = 401

    def __init__(self, address: Address) -> None:
        super().__init__(address)
        self.address = address

    def __str__(self) -> str:
        return f"401, url={self.address}"


@pytest.mark.parametrize(
    "kind", [AnswerError, ValueError, lambda address: BaseExceptionGroup("", [AnswerError(address)])]
)
def test_no_secret_of_an_object_that_an_error_holds_is_said(kind: Any) -> None:
    def fails(address: str) -> BaseException:
        with pytest.raises(BaseException) as raised, redacting(None):
            raise kind(Address(address))
        return raised.value

    assert leaks_in(fails(f"https://host/?api_key={IN_QUERY}")) == []
    assert type(fails("https://host/?page=2")) is type(kind(Address("")))
    told = fails(f"https://host/?api_key={IN_QUERY}")
    assert isinstance(told, type(kind(Address(""))))
    assert type(told).__name__ == type(kind(Address(""))).__name__


def leaks_in(error: BaseException) -> list[str]:
    """The secrets that an error shows."""
    shown = repr(error) + "".join(traceback.format_exception(error))
    return [secret for secret in SECRETS if secret in shown]


def test_a_critics_refused_key_in_an_address_is_not_in_the_reason_of_a_run() -> None:
    refused = AnswerError(Address(f"https://host/?api_key={IN_QUERY}"))
    critic = ScriptedModel(replies=[refused])
    graph = create_reflection_graph("actor_critic", actor=ScriptedModel(replies=["42"]), critic=critic)
    run = graph.invoke({"task": "x"})
    assert run["stop_reason"]["value"] == "the critic, ScriptedModel: 401, url=https://host/?api_key=[redacted]"
    assert IN_QUERY not in repr(run)


def test_a_model_s_secrets_are_found_through_what_it_is_wrapped_in() -> None:
    model = chat_model("http://127.0.0.1:1/v1", named=True)
    wrapped = RunnableLambda(lambda x: x) | model.bind(stop=["x"]).with_config(tags=["y"]).with_fallbacks([model])
    assert {KEY, HEADER, PASSWORD} <= secrets_of(wrapped)
    assert "127.0.0.1" not in "".join(secrets_of(wrapped))


def test_the_library_s_own_errors_hold_no_secret() -> None:
    address = f"https://me:{PASSWORD}@host/?api_key={IN_QUERY}"
    shown = [
        ModelSetupError(address),
        SearchError("network", "bing", "q", address),
        MemoryStoreError("open", OSError(address)),
    ]
    assert all(PASSWORD not in str(error) and IN_QUERY not in str(error) for error in shown)


@pytest.mark.parametrize(
    "address", [f"http://me:{PASSWORD}@127.0.0.1:9/v1?api_key={IN_QUERY}", f"http://me:{PASSWORD}@h:9 9/v1"]
)
def test_an_address_that_cannot_be_asked_is_named_without_its_password(address: str) -> None:
    with pytest.raises(ModelSetupError) as caught, open_model(address):
        pass
    shown = "".join(traceback.format_exception(caught.value))
    assert PASSWORD not in str(caught.value)
    assert IN_QUERY not in str(caught.value)
    assert "[redacted]" in shown


def test_the_command_line_shows_no_secret(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in {**VARIABLES, "THOUGHTGRAPH_API_KEY": KEY}.items():
        monkeypatch.setenv(name, value)
    with quoting_server(401) as server:
        address = server.base_url.replace("http://", f"http://me:{PASSWORD}@")
        run = tmp_path / "run.jsonl"
        result = CliRunner().invoke(app, ["solve", "hi", "--model", f"{address}#m", "--save", str(run)])
    assert result.exit_code == 4
    shown = result.output + (run.read_text() if run.exists() else "")
    assert [secret for secret in SECRETS if secret in shown] == []


def test_the_assistant_names_its_model_without_its_password(tmp_path: Path) -> None:
    with Assistant(f"http://me:{PASSWORD}@127.0.0.1:9/v1#m", folder=tmp_path, language="en") as assistant:
        assert assistant.model_name == "http://[redacted]@127.0.0.1:9/v1#m"
        assert PASSWORD not in assistant.handle("/model")
