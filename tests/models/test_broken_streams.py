"""Replies whose connection drops, behind the whole reply and before its end, and those that a server breaks off."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import openai
import pytest
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk
from langchain_openai import ChatOpenAI
from pydantic import SecretStr
from support.modes import always
from support.openai_server import OpenAIServer, Reply
from support.plan_act import no_waiting
from support.scripted import ScriptedModel
from support.wires.responses import Responses
from support.wires.server import Said, WireServer
from thoughtgraph import astream_think, athink, create_reflection_graph, stream_think, think
from thoughtgraph.errors import ModelUnavailableError
from thoughtgraph.models import Backoff, Thought
from thoughtgraph.models.streams import whole_answers
from thoughtgraph.tools import Verdict

pytestmark = pytest.mark.slow

ONCE = Backoff(max_attempts=1)


class Dropping(ScriptedModel):
    """Streams a reply and then raises."""

    reason: str | None
    error: Exception
    named: str = "finish_reason"
    streaming: bool = True

    def _stream(self, *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        usage: Any = {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}
        ending = {self.named: self.reason} if self.reason else {}
        for word in ("It is ", "42."):
            yield ChatGenerationChunk(message=AIMessageChunk(content=word))
        yield ChatGenerationChunk(message=AIMessageChunk(content="", response_metadata=ending, usage_metadata=usage))
        raise self.error


def client(server: OpenAIServer | WireServer, **options: Any) -> ChatOpenAI:
    """A plain client of a server."""
    base_url = server.base_url if isinstance(server, OpenAIServer) else f"{server.url}/v1"
    return ChatOpenAI(base_url=base_url, api_key=SecretStr("none"), model="m", max_retries=0, **options)


async def athought(model: Any) -> Thought | None:
    """The last piece of the async stream."""
    return [piece async for piece in astream_think(model, "x", backoff=ONCE)][-1].thought


WAYS: dict[str, Callable[[Any], Thought | None]] = {
    "think": lambda model: think(model, "x", backoff=ONCE),
    "athink": lambda model: asyncio.run(athink(model, "x", backoff=ONCE)),
    "stream": lambda model: list(stream_think(model, "x", backoff=ONCE))[-1].thought,
    "astream": lambda model: asyncio.run(athought(model)),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("reason", ["stop", "length"])
def test_a_connection_that_drops_behind_the_whole_reply_costs_nothing(way: str, reason: str) -> None:
    thought = WAYS[way](Dropping(replies=[], reason=reason, error=ConnectionResetError("gone")))
    assert thought is not None
    assert (thought.reply, thought.finish_reason, thought.usage["total_tokens"]) == ("It is 42.", reason, 3)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("named", "reason"),
    [
        ("stop_reason", "end_turn"),
        ("stopReason", "stop_sequence"),
        ("status", "completed"),
        ("finish_reason", "COMPLETE"),
    ],
)
def test_a_connection_that_drops_behind_another_providers_whole_reply_costs_nothing(
    way: str, named: str, reason: str
) -> None:
    thought = WAYS[way](Dropping(replies=[], reason=reason, error=ConnectionResetError("gone"), named=named))
    assert thought is not None
    assert (thought.reply, thought.usage["total_tokens"]) == ("It is 42.", 3)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("reason", [None, "not_finished", "STOP"])
def test_a_reply_that_nobody_has_ended_is_broken(way: str, reason: str | None) -> None:
    with pytest.raises(ModelUnavailableError):
        WAYS[way](Dropping(replies=[], reason=reason, error=ConnectionResetError("gone")))


@pytest.mark.parametrize("way", WAYS)
def test_a_mistake_of_the_program_behind_the_reply_is_passed_on(way: str) -> None:
    with pytest.raises(KeyError):
        WAYS[way](Dropping(replies=[], reason="stop", error=KeyError("x")))


BROKEN_OFF = ["error", "abort", "insufficient_system_resource", "TIMEOUT", "time_limit"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("reason", BROKEN_OFF)
def test_what_a_server_has_broken_off_is_no_reply(way: str, reason: str) -> None:
    with pytest.raises(ModelUnavailableError, match=reason) as caught:
        WAYS[way](Dropping(replies=[], reason=reason, error=KeyError("not reached")))
    assert caught.value.partial == ("It is 42." if "stream" in way else "")


@pytest.mark.parametrize("reason", BROKEN_OFF)
def test_a_reply_that_its_server_broke_off_is_asked_for_again(reason: str) -> None:
    half = AIMessage("It is", response_metadata={"finish_reason": reason})
    model = ScriptedModel(replies=[half, "It is 42."])
    assert think(model, "x", backoff=Backoff(initial_interval=0.001)).reply == "It is 42."


def event(said: dict[str, Any]) -> str:
    """An event of a stream."""
    return f"data: {json.dumps(said)}\n\n"


HALF = event({"id": "1", "choices": [{"index": 0, "delta": {"content": "It is"}, "finish_reason": None}]})
FAULTS = [
    {"object": "error", "message": "out of memory", "code": 500},
    {"object": "error", "message": "out of memory", "code": 400},
    {"detail": "out of memory"},
    {"error": {"message": "out of memory", "code": 402}},
]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_an_error_inside_of_a_stream_is_no_end_of_a_reply(fault: dict[str, Any]) -> None:
    broken = Reply(raw_body=f"{HALF}{event(fault)}data: [DONE]\n\n", content_type="text/event-stream")
    with OpenAIServer([broken]) as server, pytest.raises(ModelUnavailableError, match="out of memory") as caught:
        list(stream_think(client(server), "x", backoff=ONCE))
    assert caught.value.partial == "It is"


ANSWERS: dict[str, tuple[bool, Callable[[Any], Reply]]] = {
    "whole": (False, lambda body: Reply(raw_body=json.dumps(body))),
    "streamed": (True, lambda body: Reply(raw_body=event(body), content_type="text/event-stream")),
    "whole, for a stream": (True, lambda body: Reply(raw_body=json.dumps(body))),
    "in lines, for a stream": (
        True,
        lambda body: Reply(raw_body=json.dumps(body, indent=1), content_type="text/plain"),
    ),
}


@pytest.mark.parametrize("way", ["think", "athink"])
@pytest.mark.parametrize(("streaming", "said"), ANSWERS.values(), ids=ANSWERS)
@pytest.mark.parametrize(("code", "asked"), [(402, 1), (404, 1), (503, 3)])
def test_an_error_under_a_success_counts_by_its_own_code(
    code: int, asked: int, streaming: bool, said: Callable[[Any], Reply], way: str
) -> None:
    answer = said({"error": {"message": "no such luck", "code": code}})
    waits: Any = {"backoff": Backoff(max_attempts=3, initial_interval=0.001)}
    with OpenAIServer(lambda body, index: answer) as server:
        model = client(server, streaming=streaming)
        with pytest.raises(Exception, match="no such luck") as caught:
            think(model, "x", **waits) if way == "think" else asyncio.run(athink(model, "x", **waits))
        assert len(server.requests) == asked
    assert isinstance(caught.value, ModelUnavailableError) == (code != 404)


@pytest.mark.parametrize("body", ['{"error": "out of memory"}', '{"detail": "out of memory"}'])
def test_a_loop_says_what_a_server_answered_in_place_of_a_stream(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    no_waiting(monkeypatch)
    with OpenAIServer(lambda request, index: Reply(raw_body=body) if index else Reply("Rome")) as server:
        actor = client(server, streaming=True)
        lost = create_reflection_graph("external_loop", actor=actor, verifier=always(Verdict("failed"))).invoke(
            {"task": "x"}
        )
        assert lost["stop_reason"]["kind"] == "model_unavailable"
        assert "out of memory" in lost["stop_reason"]["value"]
        assert (lost["answer"], lost["usage"]["total_tokens"]) == ("Rome", 11)


@pytest.mark.parametrize("body", ['{"choices": [{"message": {"content": "whole"}}]}', "{}", "{", ""])
def test_an_answer_in_whole_without_an_error_is_no_stream(body: str) -> None:
    refused = pytest.raises(ModelUnavailableError, match="stream holds no reply")
    with OpenAIServer([Reply(raw_body=body)]) as server, refused:
        think(client(server, streaming=True), "x", backoff=ONCE)


PAGES = ["<html><body>Log in</body></html>", "upstream is gone", '"upstream is gone"', "\n  <p>data: none</p>"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("page", PAGES)
def test_a_page_in_place_of_a_stream_is_told(page: str, way: str) -> None:
    with OpenAIServer([Reply(raw_body=page)]) as server:
        model = client(server, streaming=True)
        with pytest.raises(ModelUnavailableError, match="no chat completion") as caught:
            WAYS[way](model)
    assert page.strip(' "\n') in str(caught.value)


BEFORE = [": waiting\n\n", "\n\n", "nothing\n\n", "\r\n"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("before", BEFORE, ids=ascii)
def test_what_stands_before_a_stream_is_no_page(before: str, way: str) -> None:
    end = event({"id": "1", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    body = f"{before}{HALF}{end}data: [DONE]\n\n"
    with OpenAIServer([Reply(raw_body=body, content_type="text/event-stream")]) as server:
        thought = WAYS[way](client(server, streaming=True))
    assert thought is not None
    assert (thought.reply, thought.finish_reason) == ("It is", "stop")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("said", "reason"), [("", "ReadError"), ("[Errno 104] reset", r"\[Errno 104\] reset")])
def test_a_dropped_connection_has_a_reason(said: str, reason: str, way: str) -> None:
    dropped = openai.APIConnectionError(request=httpx.Request("POST", "http://x"))
    dropped.__cause__ = httpx.ReadError(said)
    with pytest.raises(ModelUnavailableError, match=rf"Connection error: {reason}\."):
        WAYS[way](ScriptedModel(replies=[dropped]))


@pytest.mark.parametrize("way", WAYS)
def test_a_stream_that_ends_before_the_reply_does_is_broken(way: str) -> None:
    with OpenAIServer([Reply(raw_body=HALF, content_type="text/event-stream")]) as server:
        model = client(server, streaming=True)
        with pytest.raises(ModelUnavailableError, match="ended before the reply did") as caught:
            WAYS[way](model)
    assert "stream" not in way or caught.value.partial == "It is"


ENDS = [
    'data: {"id": "1", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\n',
    'data:{"choices":[{"delta":{},"finish_reason":"stop"}]}\r\n\r\n',
    "data: [DONE]\n\n",
    "data:[DONE]",
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("end", ENDS)
def test_a_reason_or_the_mark_is_the_end_of_a_stream(end: str, way: str) -> None:
    with OpenAIServer([Reply(raw_body=f"{HALF}{end}", content_type="text/event-stream")]) as server:
        thought = WAYS[way](client(server, streaming=True))
    assert thought is not None and thought.reply == "It is"


def test_what_a_reply_says_of_the_end_is_no_end() -> None:
    words = 'data: [DONE"finish_reason": "stop"'
    half = event({"id": "1", "choices": [{"index": 0, "delta": {"content": words}, "finish_reason": None}]})
    broken = pytest.raises(ModelUnavailableError, match="ended before the reply did")
    with OpenAIServer([Reply(raw_body=half, content_type="text/event-stream")]) as server, broken:
        think(client(server, streaming=True), "x", backoff=ONCE)


@pytest.mark.parametrize("parts", [1, 7, 1000])
def test_the_end_may_come_in_pieces(parts: int) -> None:
    body = f"{HALF}data: [DONE]\n\n".encode()
    read = whole_answers._read(body[place : place + parts] for place in range(0, len(body), parts))
    assert b"".join(read) == body


class WithoutEnd(Responses):
    """All but the event that says that the reply is whole."""

    def streamed(self, said: Said) -> Iterator[bytes]:
        return iter([*super().streamed(said)][:-1])


@pytest.mark.parametrize("way", WAYS)
def test_a_stream_of_the_responses_api_that_ends_before_the_reply_does_is_broken(way: str) -> None:
    with WireServer(WithoutEnd(), [Said("It is")]) as server:
        model = client(server, streaming=True, use_responses_api=True)
        with pytest.raises(ModelUnavailableError, match="ended before the reply did") as caught:
            WAYS[way](model)
    assert "stream" not in way or caught.value.partial == "It is"
