"""Classes of the user's own that do what LangChain's never do: no reply is lost, and no token is counted twice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import RunnableGenerator, RunnableLambda
from pydantic import Field
from support.scripted import ScriptedModel
from thoughtgraph import (
    Verdict,
    athink,
    create_reflection_graph,
    stream_think,
    think,
)
from thoughtgraph.errors import ModelUnavailableError
from thoughtgraph.models import Backoff, Thought, astream_think
from thoughtgraph.traces.events import recording

WAYS = ("think", "athink", "stream", "astream")
ONCE = Backoff(max_attempts=1)
SPENT: Any = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}


def never(task: str, answer: str) -> Verdict:
    """Passes nothing."""
    return Verdict("failed", "no")


async def thought_by(way: str, model: Any, backoff: Backoff | None = None) -> Thought:
    """A model's thought, in one of the four ways to ask for it."""
    if way == "think":
        return think(model, "Count.", backoff=backoff)
    if way == "athink":
        return await athink(model, "Count.", backoff=backoff)
    if way == "stream":
        pieces = list(stream_think(model, "Count.", backoff=backoff))
    else:
        pieces = [piece async for piece in astream_think(model, "Count.", backoff=backoff)]
    thought = next(piece.thought for piece in pieces if piece.thought)
    assert "".join(piece.text for piece in pieces if piece.kind == "reply") == thought.reply
    return thought


class Writes(ScriptedModel):
    """A stream of the user's own, of anything."""

    replies: list[Any] = Field(default_factory=list[Any])
    streaming: bool = True
    written: list[Any]

    def stream(self, *args: Any, **kwargs: Any) -> Iterator[Any]:
        """What is written."""
        yield from self.written

    async def astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        """The same."""
        for one in self.written:
            yield one


@pytest.mark.parametrize("way", WAYS)
async def test_a_stream_of_whole_messages_is_one_reply(way: str) -> None:
    said = [AIMessage("one "), AIMessageChunk("two "), AIMessage("three", usage_metadata=SPENT)]
    writes = Writes(written=said)
    generates = RunnableGenerator(writes.stream, writes.astream)
    for model in (writes, generates, generates.with_retry(), RunnableLambda(lambda given: given) | generates):
        thought = await thought_by(way, model)
        assert (thought.reply, thought.usage["total_tokens"]) == ("one two three", 15)


@pytest.mark.parametrize("way", WAYS)
async def test_nothing_in_the_middle_of_a_stream_does_not_pass_for_its_end(way: str) -> None:
    with pytest.raises(TypeError, match="returned NoneType"):
        await thought_by(way, Writes(written=[AIMessageChunk("one "), None, AIMessageChunk("two")]))


class Closes(Writes):
    """Notes down that its stream was closed."""

    closed: list[str] = Field(default_factory=list[str])

    def stream(self, *args: Any, **kwargs: Any) -> Iterator[Any]:
        """What is written."""
        try:
            yield from self.written
        finally:
            self.closed.append("sync")

    async def astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        """The same."""
        try:
            for one in self.written:
                yield one
        finally:
            self.closed.append("async")


BROKEN_OFF = AIMessageChunk("", response_metadata={"finish_reason": "error"})


@pytest.mark.parametrize("before", [[], [AIMessageChunk("one ")]], ids=["its beginning", "its middle"])
@pytest.mark.parametrize("way", WAYS)
async def test_a_stream_that_is_no_reply_is_closed(way: str, before: list[AIMessageChunk]) -> None:
    model = Closes(written=[*before, BROKEN_OFF, AIMessageChunk("two")])
    # The error holds what was called, so that nothing of it is cleared up.
    with pytest.raises(ModelUnavailableError) as lost:
        await thought_by(way, model, ONCE)
    assert model.closed == ["async" if way.startswith("a") else "sync"]
    assert lost.value.partial == ("one " if before and "stream" in way else "")


async def test_a_stream_that_nobody_reads_to_its_end_is_closed() -> None:
    model = Closes(written=[AIMessageChunk("one "), AIMessageChunk("two")])
    pieces: Any = stream_think(model, "Count.")
    assert next(pieces).text == "one "
    pieces.close()
    apieces: Any = astream_think(model, "Count.")
    assert (await anext(apieces)).text == "one "
    await apieces.aclose()
    assert model.closed == ["sync", "async"]


@pytest.mark.parametrize("way", WAYS)
async def test_a_stream_that_is_read_to_its_end_is_closed_once(way: str) -> None:
    model = Closes(written=[AIMessageChunk("one "), AIMessageChunk("two")])
    assert (await thought_by(way, model)).reply == "one two"
    assert len(model.closed) == 1


class Begins(Writes):
    """Has one stream after the other."""

    written: Any

    def stream(self, *args: Any, **kwargs: Any) -> Iterator[Any]:
        """The next one."""
        yield from self.written.pop(0)

    async def astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        """The same."""
        for one in self.written.pop(0):
            yield one


TWICE = Backoff(max_attempts=2, initial_interval=0.001)
CALL: Any = {"name": "look", "args": "{}", "id": "1", "index": 0, "type": "tool_call_chunk"}
NOTHING = {
    "empty": [AIMessageChunk(""), AIMessageChunk("")],
    "named": [AIMessageChunk("", response_metadata={"model_name": "m"}, additional_kwargs={"citations": None})],
    "without counts": [AIMessageChunk("", usage_metadata={"input_tokens": 0, "output_tokens": 0, "total_tokens": 0})],
}
EMPTY = {
    "ended": [AIMessageChunk(""), AIMessageChunk("", response_metadata={"finish_reason": "stop"})],
    "counted": [AIMessageChunk("", usage_metadata=SPENT)],
    "counted by its provider": [AIMessageChunk("", response_metadata={"usage": {"input_tokens": 1}})],
    "a call": [AIMessageChunk("", tool_call_chunks=[CALL])],
    "an image": [AIMessageChunk([{"type": "image", "url": "http://localhost/i.png"}])],
    "a whole message": [AIMessage("")],
    "a text": [""],
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("said", NOTHING.values(), ids=NOTHING)
async def test_a_stream_in_which_nothing_is_said_is_opened_again(said: list[Any], way: str) -> None:
    model = Begins(written=[said, [AIMessageChunk("fine")]])
    assert (await thought_by(way, model, TWICE)).reply == "fine"
    with pytest.raises(ModelUnavailableError, match="the server's stream holds no reply"):
        await thought_by(way, Begins(written=[said]), ONCE)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("said", EMPTY.values(), ids=EMPTY)
async def test_a_reply_that_is_empty_is_one(said: list[Any], way: str) -> None:
    assert (await thought_by(way, Begins(written=[said]), ONCE)).reply == ""


class Breaks(ScriptedModel):
    """Blames the turns of the request in the middle of its reply."""

    def _stream(self, *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        yield ChatGenerationChunk(message=AIMessageChunk("one "))
        raise ValueError("roles must alternate")


@pytest.mark.parametrize("way", ["stream", "astream"])
async def test_an_error_in_the_middle_of_a_stream_is_the_models_own(way: str) -> None:
    with pytest.raises(ValueError, match="roles must alternate"):
        await thought_by(way, Breaks(replies=[]))


@pytest.mark.parametrize("way", WAYS)
async def test_of_what_chunks_say_of_the_whole_reply_the_last_counts(way: str) -> None:
    said = [
        AIMessageChunk(
            word,
            response_metadata={
                "token_usage": {"prompt_tokens": 10, "completion_tokens": place + 1},
                "seconds": place / 10,
                "done": place == 2,
                "logprobs": {"content": [{"logprob": 0.0}]},
            },
        )
        for place, word in enumerate(("one ", "two ", "three"))
    ]
    thought = await thought_by(way, Writes(written=said))
    assert (thought.reply, thought.usage["total_tokens"]) == ("one two three", 13)
    assert thought.message is not None
    metadata = thought.message.response_metadata
    assert (metadata["seconds"], metadata["done"], len(metadata["logprobs"]["content"])) == (0.2, True, 3)


@pytest.mark.parametrize("way", WAYS)
async def test_a_usage_stands_that_a_later_chunk_names_without_its_counts(way: str) -> None:
    counts = {"prompt_tokens": 10, "completion_tokens": 3}
    said = [
        AIMessageChunk("one", response_metadata={"token_usage": one}) for one in (counts, {}, {"prompt_tokens": None})
    ]
    assert (await thought_by(way, Writes(written=said))).usage["total_tokens"] == 13


class Asks(ScriptedModel):
    """Asks another model, and passes on its reply."""

    replies: list[Any] = Field(default_factory=list[Any])
    other: ScriptedModel
    tells: bool
    breaks: bool = False

    def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> ChatResult:
        thought = think(self.other, messages)
        if self.breaks:
            self.breaks = False
            raise ConnectionResetError("the server is gone")
        spent: Any = {name: count for name, count in thought.usage.items() if name != "cached_tokens"}
        self.replies.append(AIMessage(thought.reply, usage_metadata=spent if self.tells else None))
        return super()._generate(messages, *args, **kwargs)


@pytest.mark.parametrize("tells", [True, False])
@pytest.mark.parametrize("twin", ["sync", "async"])
def test_what_a_model_asks_another_for_counts_once(twin: str, tells: bool) -> None:
    graph = create_reflection_graph(
        actor=Asks(other=ScriptedModel(replies=["1", "2"]), tells=tells), verifier=never, max_attempts=2
    )
    run = graph.invoke({"task": "Count."}) if twin == "sync" else asyncio.run(graph.ainvoke({"task": "Count."}))
    assert run["usage"]["total_tokens"] == 30
    assert [attempt["usage"]["total_tokens"] for attempt in run["attempts"]] == [15, 15]
    assert [event["kind"] for event in run["events"]].count("thought") == 2


def test_what_a_model_had_asked_for_before_it_failed_counts() -> None:
    with recording() as recorder:
        think(Asks(other=ScriptedModel(replies=["1", "2"]), tells=True, breaks=True), "Count.")
    assert [event["data"]["usage"]["total_tokens"] for event in recorder.events if event["kind"] == "thought"] == [
        15,
        15,
    ]


THINKS = [{"type": "thinking", "thinking": "H", "index": 0}, {"type": "thinking", "thinking": "m.", "index": 0}]
SAYS = [{"type": "text", "text": "It is ", "index": 0}, {"type": "text", "text": "42.", "index": 0}]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("blocks", [THINKS + SAYS, SAYS + THINKS, [THINKS[0], SAYS[0], THINKS[1], SAYS[1]]])
async def test_blocks_of_one_number_keep_reasoning_and_reply_apart(blocks: list[Any], way: str) -> None:
    thought = await thought_by(way, Writes(written=[AIMessageChunk([block]) for block in blocks]))
    assert (thought.reasoning, thought.reply) == ("Hm.", "It is 42.")


@pytest.mark.parametrize("way", WAYS)
async def test_blocks_of_one_kind_and_number_stay_one(way: str) -> None:
    signed = {"type": "thinking", "signature": "sealed", "index": 0}
    said = [{**block, "index": 1} for block in SAYS]
    thought = await thought_by(way, Writes(written=[AIMessageChunk([block]) for block in [*THINKS, signed, *said]]))
    assert thought.message is not None
    assert thought.message.content == [
        {"type": "thinking", "thinking": "Hm.", "signature": "sealed", "index": 0},
        {"type": "text", "text": "It is 42.", "index": 1},
    ]
