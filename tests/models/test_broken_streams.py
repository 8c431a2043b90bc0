"""Streams whose connection drops: behind the whole reply, and before its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk
from support.scripted import ScriptedModel
from thoughtgraph import astream_think, athink, stream_think, think
from thoughtgraph.errors import ModelUnavailableError
from thoughtgraph.models import Backoff, Thought

ONCE = Backoff(max_attempts=1)


class Dropping(ScriptedModel):
    """Streams a reply and then raises."""

    reason: str | None
    error: Exception
    streaming: bool = True

    def _stream(self, *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        usage: Any = {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}
        ending = {"finish_reason": self.reason} if self.reason else {}
        for word in ("It is ", "42."):
            yield ChatGenerationChunk(message=AIMessageChunk(content=word))
        yield ChatGenerationChunk(message=AIMessageChunk(content="", response_metadata=ending, usage_metadata=usage))
        raise self.error


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
@pytest.mark.parametrize("reason", [None, "not_finished"])
def test_a_reply_that_nobody_has_ended_is_broken(way: str, reason: str | None) -> None:
    with pytest.raises(ModelUnavailableError):
        WAYS[way](Dropping(replies=[], reason=reason, error=ConnectionResetError("gone")))


@pytest.mark.parametrize("way", WAYS)
def test_a_mistake_of_the_program_behind_the_reply_is_passed_on(way: str) -> None:
    with pytest.raises(KeyError):
        WAYS[way](Dropping(replies=[], reason="stop", error=KeyError("x")))
