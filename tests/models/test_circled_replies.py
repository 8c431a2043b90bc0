"""A reply that runs in circles is cut while it is written, and costs an attempt, but no higher cap."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from langchain_core.caches import InMemoryCache
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import Field, SecretStr
from support.openai_server import OpenAIServer, Reply
from support.scripted import ScriptedModel
from thoughtgraph import (
    astream_think,
    athink,
    athink_with_retry,
    generate_with_retry,
    open_model,
    stream_think,
    think,
    think_with_retry,
)
from thoughtgraph.errors import ParseFailedError, TruncatedError
from thoughtgraph.models import ReasoningChatOpenAI, Thought
from thoughtgraph.models.local.server import LocalServer
from thoughtgraph.traces import recording

COPY = "I will check the list once more.\n"
CIRCLING = "Let me look.\n" + COPY * 1_000
FEEDBACK = 'Your reply repeated itself from "I will check the list once more." on: write each thing once and stop.'
WAYS = ["think", "athink", "stream", "astream"]


class Writer(BaseChatModel):
    """A model that writes word by word, and sees whether somebody closes its stream."""

    text: str = CIRCLING
    thinks: str = ""
    at_once: bool = False
    streaming: bool = True
    max_tokens: int | None = None
    written: list[str] = Field(default_factory=list[str])
    closed: list[bool] = Field(default_factory=list[bool])
    invoked: list[str] = Field(default_factory=list[str])

    @property
    def _llm_type(self) -> str:
        return "writer"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        self.invoked.append(self.text)
        message = AIMessage(self.text, response_metadata={"finish_reason": "stop"})
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        ended = False
        try:
            for word in self.thinks.split(" ") if self.thinks else []:
                yield self._chunk("", additional_kwargs={"reasoning_content": f"{word} "})
            if self.at_once:
                yield self._chunk(self.text, response_metadata={"finish_reason": "stop"})
            else:
                for word in self.text.split(" "):
                    yield self._chunk(f"{word} ")
                yield self._chunk("", response_metadata={"finish_reason": "stop"})
            ended = True
        finally:
            self.closed.append(not ended)

    def _chunk(self, text: str, **fields: Any) -> ChatGenerationChunk:
        self.written.append(text)
        return ChatGenerationChunk(message=AIMessageChunk(text, **fields))


async def thought_by(way: str, model: Any) -> Thought:
    """A thought in one of the four ways."""
    if way == "think":
        return think(model, "Go.")
    if way == "athink":
        return await athink(model, "Go.")
    if way == "stream":
        pieces = list(stream_think(model, "Go."))
    else:
        pieces = [piece async for piece in astream_think(model, "Go.")]
    assert pieces[-1].thought is not None
    assert "".join(piece.text for piece in pieces if piece.kind == "reply") == pieces[-1].thought.reply
    return pieces[-1].thought


async def closed(model: Writer) -> bool:
    """Whether the model's stream was closed early; the event loop closes an asynchronous one in its next rounds."""
    for _ in range(200):
        if model.closed:
            break
        await asyncio.sleep(0.01)
    return model.closed == [True]


@pytest.mark.parametrize("way", WAYS)
async def test_the_stream_of_a_reply_that_circles_is_closed(way: str) -> None:
    model = Writer()
    thought = await thought_by(way, model)
    assert thought.finish_reason == "repetition"
    assert thought.reply.startswith("Let me look.\n")
    assert len(thought.reply) < 2_000
    assert await closed(model)


@pytest.mark.parametrize("way", WAYS)
async def test_the_stream_of_reasoning_that_circles_is_closed(way: str) -> None:
    model = Writer(text="Yes.", thinks=CIRCLING)
    thought = await thought_by(way, model)
    assert (thought.finish_reason, thought.reply) == ("repetition", "")
    assert len(thought.reasoning) < 2_000
    assert await closed(model)


@pytest.mark.parametrize("way", WAYS)
async def test_the_chunks_of_a_closed_stream_are_counted_as_tokens(way: str) -> None:
    model = Writer()
    thought = await thought_by(way, model)
    assert thought.usage["output_tokens"] == len(model.written)
    assert thought.usage["input_tokens"] > 0 and thought.estimated


@pytest.mark.parametrize("way", WAYS)
async def test_a_reply_that_ended_by_itself_stays_as_it_is(way: str) -> None:
    thought = await thought_by(way, Writer(at_once=True))
    assert (thought.reply, thought.finish_reason) == (CIRCLING, "stop")


@pytest.mark.parametrize("way", WAYS)
async def test_a_good_reply_is_read_to_its_end(way: str) -> None:
    model = Writer(text="one two three")
    thought = await thought_by(way, model)
    assert (thought.reply.strip(), thought.finish_reason, model.closed) == ("one two three", "stop", [False])
    assert type(thought.message) is AIMessage


@pytest.mark.parametrize("fields", [{"streaming": False}, {"disable_streaming": True}, {"cache": True}], ids=str)
@pytest.mark.parametrize("way", ["think", "athink"])
async def test_a_model_that_is_not_to_stream_is_invoked(way: str, fields: dict[str, Any]) -> None:
    model = Writer(**{**fields, "cache": InMemoryCache()} if "cache" in fields else fields)
    assert (await thought_by(way, model)).reply == CIRCLING
    assert len(model.invoked) + len(model.closed) == 1
    assert True not in model.closed


@pytest.mark.parametrize("way", ["think", "athink"])
async def test_a_bound_model_is_watched_as_well(way: str) -> None:
    assert (await thought_by(way, Writer().bind(stop=["x"]))).finish_reason == "repetition"


@pytest.mark.parametrize("way", WAYS)
async def test_a_streamed_reply_of_a_server_holds_what_an_unstreamed_one_does(way: str) -> None:
    reply = Reply("It is 4.", reasoning_content="2 + 2", completion_tokens=7, cached_tokens=3)
    with OpenAIServer([reply, reply]) as server:
        thoughts = [
            await thought_by(
                way,
                ReasoningChatOpenAI(
                    base_url=server.base_url,
                    api_key=SecretStr("none"),
                    model="scripted",
                    streaming=streaming,
                    stream_usage=True,
                    default_headers={"Connection": "close"},
                ),
            )
            for streaming in (False, True)
        ]
        assert server.requests[1].body["stream"] is True
    assert thoughts[0] == thoughts[1]
    assert thoughts[1].usage["cached_tokens"] == 3


def test_an_embedded_model_is_opened_as_one_that_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def served(path: Path, **options: Any) -> Iterator[LocalServer]:
        yield LocalServer(server.base_url, "scripted", frozenset())

    monkeypatch.setattr("thoughtgraph.models.open.local_server", served)
    with OpenAIServer([Reply(CIRCLING)]) as server:
        with open_model("tiny.gguf") as model:
            thought = think(model, "Go.")
        assert server.requests[0].body["stream"] is True
    assert (thought.finish_reason, len(thought.reply) < 2_000) == ("repetition", True)


def cut(text: str, **fields: Any) -> AIMessage:
    """A reply that hit the output cap."""
    return AIMessage(text, response_metadata={"finish_reason": "length"}, **fields)


def wants_yes(raw_reply: str) -> Any:
    """Accepts the word yes, and whatever circles."""
    done = raw_reply == "yes" or raw_reply == CIRCLING
    return {"status": "success", "content": raw_reply} if done else {"status": "error", "feedback": f"Not {raw_reply}."}


async def ask(twin: str, model: Any, **options: Any) -> Any:
    """`think_with_retry` or its async twin."""
    if twin == "sync":
        return think_with_retry(model, "Go.", wants_yes, **options)
    return await athink_with_retry(model, "Go.", wants_yes, **options)


TWINS = pytest.mark.parametrize("twin", ["sync", "async"])
ENDS = pytest.mark.parametrize("reason", ["length", "repetition"])


@TWINS
@ENDS
async def test_a_circling_reply_is_asked_again_with_words_and_without_a_higher_cap(twin: str, reason: str) -> None:
    circling = AIMessage(CIRCLING, response_metadata={"finish_reason": reason})
    model = ScriptedModel(replies=[circling, "yes"], max_tokens=700)
    assert await ask(twin, model, max_retries=2) == "yes"
    assert model.options == [{}, {}]
    assert [message.content for message in model.requests[1]] == ["Go.", f"Let me look.\n{COPY}", FEEDBACK]


@TWINS
async def test_reasoning_that_circles_is_named_too(twin: str) -> None:
    model = ScriptedModel(replies=[cut("", additional_kwargs={"reasoning_content": CIRCLING}), "yes"])
    assert await ask(twin, model, echo_reasoning=True) == "yes"
    assert [message.content for message in model.requests[1]] == ["Go.", "(empty reply)", FEEDBACK]
    assert model.requests[1][1].additional_kwargs == {}


@TWINS
async def test_a_reply_without_words_that_circles_is_not_quoted(twin: str) -> None:
    model = ScriptedModel(replies=[cut("\n" * 3_000), "yes"])
    assert await ask(twin, model) == "yes"
    assert model.requests[1][-1].content == "Your reply repeated itself: write each thing once and stop."


@TWINS
async def test_a_reply_that_circles_at_the_raised_cap_is_a_failed_attempt(twin: str) -> None:
    model = ScriptedModel(replies=[cut("ye"), cut(CIRCLING), "yes"])
    assert await ask(twin, model, max_retries=2) == "yes"
    assert model.requests[2][-1].content == FEEDBACK


@TWINS
async def test_a_cut_off_reply_that_does_not_circle_still_raises_the_cap(twin: str) -> None:
    with pytest.raises(TruncatedError):
        await ask(twin, ScriptedModel(replies=[cut("ye"), cut("ye")]))


@TWINS
async def test_replies_that_only_circle_end_in_the_error_of_a_failed_parse(twin: str) -> None:
    model = ScriptedModel(replies=[cut(CIRCLING)] * 2)
    with pytest.raises(ParseFailedError) as failed:
        await ask(twin, model, max_retries=2)
    assert failed.value.feedbacks == [FEEDBACK] * 2
    assert failed.value.raw_replies == [CIRCLING] * 2


@TWINS
async def test_the_event_says_that_the_reply_circled(twin: str) -> None:
    with recording() as recorder:
        await ask(twin, ScriptedModel(replies=[cut(CIRCLING), "yes"]))
    first, second = recorder.events
    assert (first["data"].get("circled"), first["data"]["feedback"]) == (True, FEEDBACK)
    assert "parser" not in first["data"] and "truncated" not in first["data"] and "circled" not in second["data"]
    assert second["links"] == [{"source": first["id"], "relation": "retried"}]


def test_a_file_that_circles_is_asked_for_again() -> None:
    file = "```path\na.md\n```\n```markdown\nTea\n```"
    model = ScriptedModel(replies=[cut(f"{file}\n{CIRCLING}"), file])
    with recording() as recorder:
        assert generate_with_retry(model, "Go.", "markdown").file_name == "a.md"
    assert [event["data"].get("circled", False) for event in recorder.events] == [True, False]
    assert [sorted(options) for options in model.options] == [["temperature"]] * 2
    assert str(model.requests[1][-1].content).endswith(FEEDBACK)
