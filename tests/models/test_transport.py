"""Transport errors are waited out and never reach a prompt; every other error is passed on as it is (row T9)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from json import JSONDecodeError
from typing import Any

import httpx
import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_openai import ChatOpenAI
from langgraph.errors import GraphInterrupt
from pydantic import SecretStr
from support.openai_server import OpenAIServer, Reply
from support.scripted import ScriptedModel
from thoughtgraph import (
    ThoughtGraphError,
    astream_think,
    athink,
    athink_with_retry,
    create_reflection_graph,
    stream_think,
    think,
    think_with_retry,
)
from thoughtgraph.errors import ModelUnavailableError, ParserContractError
from thoughtgraph.models import Backoff, Thought

pytestmark = pytest.mark.slow

QUICK = Backoff(max_attempts=3, initial_interval=0.01, max_interval=0.05)
WAYS = ["think", "athink", "stream", "astream"]
TWINS = ["sync", "async"]


def chat(server: OpenAIServer, **options: Any) -> ChatOpenAI:
    """A client that leaves all retrying to thoughtgraph."""
    return ChatOpenAI(
        base_url=server.base_url,
        api_key=SecretStr("none"),
        model="scripted",
        max_retries=0,
        default_headers={"Connection": "close"},  # or the client's idle connections outlive the event loop
        **options,
    )


async def thought_by(way: str, model: Any, backoff: Backoff = QUICK) -> Thought:
    """One thought, asked for in one of the four ways."""
    if way == "think":
        return think(model, "Say fine.", backoff=backoff)
    if way == "athink":
        return await athink(model, "Say fine.", backoff=backoff)
    if way == "stream":
        pieces = list(stream_think(model, "Say fine.", backoff=backoff))
    else:
        pieces = [piece async for piece in astream_think(model, "Say fine.", backoff=backoff)]
    assert pieces[-1].thought is not None
    return pieces[-1].thought


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits between calls, recorded instead of slept through."""
    seconds: list[float] = []

    async def nap(delay: float, *_: object) -> None:
        seconds.extend([delay] if delay else [])

    monkeypatch.setattr(time, "sleep", seconds.append)
    monkeypatch.setattr(asyncio, "sleep", nap)
    return seconds


FAULTS = {
    "429 with Retry-After": Reply("slow down, please", status=429, retry_after=0.02),
    "500": Reply("internal trouble", status=500),
    "503": Reply("overloaded", status=503),
    "reset": Reply(reset=True),
    "time-out": Reply("too late", delay=5.0),  # given up by the client, abandoned by the server
    "not JSON": Reply(raw_body="<html>bad gateway</html>", status=502, content_type="text/html"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
async def test_a_fault_is_answered_with_the_very_same_request(way: str, fault: Reply) -> None:
    with OpenAIServer([fault, Reply("fine")]) as server:
        thought = await thought_by(way, chat(server, timeout=0.3))
        assert thought.reply == "fine"
        first, second = (request.body for request in server.requests)
    assert first["messages"] == [{"role": "user", "content": "Say fine."}]
    assert second == first


@pytest.mark.parametrize("way", ["think", "athink"])
@pytest.mark.parametrize("body", [Reply("hello hello", cut_after=1), Reply(raw_body='{"id": "x", "cho')], ids=repr)
async def test_half_a_body_is_a_fault_of_transport(way: str, body: Reply) -> None:
    with OpenAIServer([body, Reply("fine")]) as server:
        assert (await thought_by(way, chat(server))).reply == "fine"
        assert server.requests[1].body == server.requests[0].body


@pytest.mark.parametrize("way", ["stream", "astream"])
async def test_a_stream_that_breaks_before_its_first_piece_is_opened_again(way: str) -> None:
    """A first chunk that holds only the role has shown the caller nothing yet."""
    with OpenAIServer([Reply("never seen", cut_after=0), Reply("fine")]) as server:
        assert (await thought_by(way, chat(server))).reply == "fine"
        assert len(server.requests) == 2


@pytest.mark.parametrize("twin", TWINS)
@pytest.mark.parametrize("fault", [FAULTS["429 with Retry-After"], FAULTS["reset"]], ids=["429", "reset"])
async def test_a_fault_between_two_attempts_stays_out_of_the_conversation(twin: str, fault: Reply) -> None:
    def parser(raw_reply: str) -> Any:
        right = raw_reply == "right"
        return {"status": "success", "content": raw_reply} if right else {"status": "error", "feedback": "Say right."}

    with OpenAIServer([fault, Reply("wrong"), fault, Reply("right")]) as server:
        if twin == "sync":
            content = think_with_retry(chat(server), "Go.", parser, max_retries=2, backoff=QUICK)
        else:
            content = await athink_with_retry(chat(server), "Go.", parser, max_retries=2, backoff=QUICK)
        assert content == "right"
        sent = [[turn["content"] for turn in request.body["messages"]] for request in server.requests]
    assert sent == [["Go."]] * 2 + [["Go.", "wrong", "Say right."]] * 2


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, openai.BadRequestError), (401, openai.AuthenticationError), (404, openai.NotFoundError)],
)
async def test_what_another_call_cannot_mend_is_raised_at_once(way: str, status: int, kind: type[Exception]) -> None:
    with OpenAIServer(lambda body, index: Reply("no such luck", status=status)) as server:
        with pytest.raises(kind, match="no such luck"):
            await thought_by(way, chat(server))
        # Some servers refuse a stream because its usage is asked for, and do not name that.
        without_usage = status == 400 and way.endswith("stream")
        assert ["stream_options" in request.body for request in server.requests][1:] == [False] * without_usage


@pytest.mark.parametrize("way", ["think", "athink"])
@pytest.mark.parametrize("error", [KeyError("a bug"), ValueError("no"), GraphInterrupt()], ids=str)
async def test_other_errors_are_passed_on_unchanged(way: str, error: Exception) -> None:
    model = ScriptedModel(replies=[error])
    with pytest.raises(type(error)) as caught:
        await thought_by(way, model)
    assert caught.value is error
    assert len(model.requests) == 1


class StatusError(Exception):
    """What a provider outside LangChain's error tree may raise."""

    def __init__(self, **fields: object) -> None:
        super().__init__("provider trouble")
        self.__dict__.update(fields)


class ServiceUnavailable(Exception):  # noqa: N818 - Google's name for it
    """Known by its name alone."""


@pytest.mark.parametrize(
    "error",
    [
        *(pytest.param(StatusError(status_code=code), id=f"status {code}") for code in (408, 429, 500, 503, 504, 524)),
        pytest.param(StatusError(code=503), id="code 503"),
        pytest.param(StatusError(code="503"), id="code 503 as a text"),
        pytest.param(ServiceUnavailable(), id="by name"),
        pytest.param(TimeoutError("time-out"), id="TimeoutError"),
        pytest.param(ConnectionResetError("reset"), id="ConnectionResetError"),
        pytest.param(JSONDecodeError("half a body", "{", 1), id="JSONDecodeError"),
        pytest.param(httpx.ReadTimeout("slow"), id="httpx time-out"),
        pytest.param(httpx.RemoteProtocolError("peer left"), id="httpx protocol"),
    ],
)
def test_transport_errors_of_any_provider_are_known(error: Exception, waits: list[float]) -> None:
    assert think(ScriptedModel(replies=[error, "fine"]), "Say fine.").reply == "fine"
    assert len(waits) == 1


@pytest.mark.parametrize("fields", [{"status_code": 400}, {"status_code": 403}, {"code": "invalid_prompt"}])
def test_refusals_of_any_provider_are_not_repeated(fields: dict[str, object], waits: list[float]) -> None:
    model = ScriptedModel(replies=[StatusError(**fields), "fine"])
    with pytest.raises(StatusError):
        think(model, "Say fine.")
    assert (len(model.requests), waits) == (1, [])


@pytest.mark.parametrize("way", WAYS)
async def test_exhaustion_is_one_error_that_counts_the_calls(way: str) -> None:
    with OpenAIServer([Reply("overloaded", status=503)] * 3) as server:
        with pytest.raises(ModelUnavailableError) as caught:
            await thought_by(way, chat(server))
        assert len(server.requests) == 3
    assert (caught.value.attempts, caught.value.partial) == (3, "")
    assert isinstance(caught.value, ThoughtGraphError) and isinstance(caught.value, ConnectionError)
    assert isinstance(caught.value.__cause__, openai.InternalServerError)
    assert "overloaded" in str(caught.value)


@pytest.mark.parametrize("way", WAYS)
async def test_a_server_that_is_gone_is_unavailable(way: str) -> None:
    with OpenAIServer([]) as server:
        pass
    with pytest.raises(ModelUnavailableError) as caught:
        await thought_by(way, chat(server))
    assert caught.value.attempts == 3


def test_exhaustion_inside_a_model_is_not_multiplied_by_the_outer_one() -> None:
    """A model that itself waits things out with thoughtgraph has had its attempts."""
    inner = ModelUnavailableError(TimeoutError(), attempts=5)
    model = ScriptedModel(replies=[inner])
    with pytest.raises(ModelUnavailableError) as caught:
        think(model, "Say fine.", backoff=QUICK)
    assert caught.value is inner


@pytest.mark.parametrize("way", ["think", "athink"])
async def test_waits_double_up_to_the_maximum(way: str, waits: list[float]) -> None:
    faults = [ConnectionResetError() for _ in range(5)]
    backoff = Backoff(max_attempts=6, initial_interval=0.5, max_interval=3.0, jitter=False)
    await thought_by(way, ScriptedModel(replies=[*faults, "fine"]), backoff)
    assert waits == [0.5, 1.0, 2.0, 3.0, 3.0]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("asked", "waited"), [(0.7, 0.7), (60.0, 2.0), (0.0, 0.0)], ids=["as asked", "capped", "zero"])
async def test_retry_after_is_honoured_up_to_the_maximum(
    way: str, asked: float, waited: float, waits: list[float]
) -> None:
    with OpenAIServer([Reply(status=429, retry_after=asked), Reply("fine")]) as server:
        await thought_by(way, chat(server), Backoff(max_attempts=2, initial_interval=1.0, max_interval=2.0))
    assert [wait for wait in waits if wait] == [wait for wait in [waited] if wait]


@pytest.mark.parametrize("way", WAYS)
async def test_retry_after_may_be_a_date(way: str, waits: list[float]) -> None:
    backoff = Backoff(max_attempts=4, initial_interval=1.0, max_interval=90.0)
    soon, past, far = (format_datetime(datetime.now(UTC) + timedelta(seconds=left), True) for left in (60, -60, 3_000))
    replies = [Reply(status=503, retry_after=date) for date in (soon, past, far)]
    with OpenAIServer([*replies, Reply("fine")]) as server:
        await thought_by(way, chat(server), backoff)
    first, last = [wait for wait in waits if wait]
    assert 40 < first <= 60
    assert last == 90.0


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("asked", "longest", "calls"), [(86_400, 30.0, 1), (3_601, 30.0, 1), (3_600, 30.0, 2), (86_400, 90_000.0, 2)]
)
async def test_what_a_server_puts_off_for_longer_than_an_hour_is_given_up_at_once(
    way: str, asked: int, longest: float, calls: int, waits: list[float]
) -> None:
    backoff = Backoff(max_attempts=2, max_interval=longest)
    with OpenAIServer(lambda request, index: Reply(status=429, retry_after=asked)) as server:
        with pytest.raises(ModelUnavailableError, match=f"not before {asked:,} seconds have passed") as lost:
            await thought_by(way, chat(server), backoff)
        assert (len(server.requests), lost.value.attempts, lost.value.retry_after) == (calls, calls, asked)
    assert sum(waits) == (min(asked, longest) if calls > 1 else 0)


@pytest.mark.parametrize("odd", ["soon", "", "Wed, 99 Oct 2099 07:28:00 GMT", "Wed, 21 Oct 2099 07:28:00 +99999999"])
def test_a_retry_after_that_says_nothing_is_passed_over(odd: str, waits: list[float]) -> None:
    backoff = Backoff(max_attempts=2, initial_interval=1.0, jitter=False)
    with OpenAIServer([Reply(status=429, retry_after=odd), Reply("fine")]) as server:
        think(chat(server), "Say fine.", backoff=backoff)
    assert waits == [1.0]


def test_a_date_without_a_zone_is_in_universal_time() -> None:
    """One of the forms of a date in HTTP, `Sun Nov  6 08:49:37 1994`, has none."""
    error = StatusError(
        response=httpx.Response(503, headers={"Retry-After": time.asctime(time.gmtime(time.time() + 60))})
    )
    assert 40 < Backoff(max_interval=90_000.0).seconds(1, error) <= 60


INTERVALS = st.floats(0.001, 1_000)


@given(initial=INTERVALS, longest=INTERVALS, attempt=st.integers(1, 5_000))
def test_with_jitter_a_wait_lies_between_once_and_twice_its_interval_and_under_the_cap(
    initial: float, longest: float, attempt: int
) -> None:
    backoff = Backoff(initial_interval=initial, max_interval=longest)
    interval = replace(backoff, jitter=False).seconds(attempt)
    assert interval <= longest
    assert min(interval, longest / 2) <= backoff.seconds(attempt) <= min(2 * interval, longest)


@pytest.mark.parametrize("attempt", [1, 3, 50], ids=["first", "third", "at the cap"])
def test_calls_that_failed_together_do_not_come_back_together(attempt: int) -> None:
    backoff = Backoff(initial_interval=1.0, max_interval=30.0)
    waits = [backoff.seconds(attempt) for _ in range(50)]
    assert max(waits) - min(waits) > 0.2 * max(waits)


class Breaking(ScriptedModel):
    """Streams two chunks, then raises."""

    error: Any

    def _stream(self, messages: list[BaseMessage], *_: Any, **__: Any) -> Iterator[ChatGenerationChunk]:
        for text in ("half an ", "answer"):
            yield ChatGenerationChunk(message=AIMessageChunk(text))
        raise self.error

    async def _astream(self, messages: list[BaseMessage], *_: Any, **__: Any) -> AsyncIterator[ChatGenerationChunk]:
        for text in ("half an ", "answer"):
            yield ChatGenerationChunk(message=AIMessageChunk(text))
        raise self.error


@pytest.mark.parametrize("way", ["stream", "astream"])
async def test_a_bug_in_the_middle_of_a_stream_is_passed_on_unchanged(way: str) -> None:
    """An error that is its own cause would send everything that walks the chain of causes in circles."""
    error = KeyError("a bug")
    with pytest.raises(KeyError) as caught:
        await thought_by(way, Breaking(replies=[], error=error))
    assert caught.value is error
    assert caught.value.__cause__ is not error


@pytest.mark.parametrize("way", ["stream", "astream"])
@pytest.mark.parametrize("make", [ConnectionResetError, TimeoutError, lambda: StatusError(status_code=500)])
async def test_a_broken_stream_carries_what_had_come(way: str, make: Callable[[], Exception]) -> None:
    error = make()
    with pytest.raises(ModelUnavailableError) as caught:
        await thought_by(way, Breaking(replies=[], error=error))
    assert (caught.value.partial, caught.value.attempts) == ("half an answer", 1)
    assert caught.value.__cause__ is error


SILENT: list[Exception] = [TimeoutError(), httpx.ReadTimeout(""), ConnectionResetError(" ")]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("error", SILENT, ids=repr)
async def test_an_error_without_a_message_is_said_to_have_none(error: Exception, way: str) -> None:
    with pytest.raises(ModelUnavailableError, match=rf": {type(error).__name__}: no message\. Check"):
        await thought_by(way, ScriptedModel(replies=[error]), Backoff(max_attempts=1))


def test_an_error_of_the_users_code_without_a_message_is_said_to_have_none() -> None:
    def refuses(*given: Any) -> Any:
        raise ValueError

    graph = create_reflection_graph(actor=ScriptedModel(replies=["x"]), verifier=refuses, max_attempts=1)
    feedback = graph.invoke({"task": "t"})["attempts"][0]["feedback"]
    assert feedback == "What checks the answer could not read it: ValueError: no message"
    with pytest.raises(ParserContractError, match=r"raised ValueError: no message\."):
        think_with_retry(ScriptedModel(replies=["x"]), "x", refuses)
