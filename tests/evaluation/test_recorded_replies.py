"""Replies that the benchmark of solving keeps: no request is made twice, and what comes back is what came."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk
from support.paths import ROOT
from support.scripted import ScriptedModel
from thoughtgraph import athink
from thoughtgraph.errors import ModelUnavailableError, RunFileError

sys.path.insert(0, str(ROOT))

from benchmarks.solving.recorded import RecordedModel, Replies

CIRCLES = "I will check it again. " * 200


class Streaming(ScriptedModel):
    """Streams its replies word by word, with their usage at the end."""

    streaming: bool = True

    async def _astream(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        message = self._generate(messages, **kwargs).generations[0].message
        for word in str(message.content).split(" "):
            yield ChatGenerationChunk(message=AIMessageChunk(f"{word} "))
        usage: Any = {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10}
        end = AIMessageChunk("", response_metadata={"finish_reason": "stop"}, usage_metadata=usage)
        yield ChatGenerationChunk(message=end)


def recorded(folder: Path, inner: Any) -> RecordedModel:
    return RecordedModel(model_name="local:small-0.5b", replies=Replies(folder, "local:small-0.5b"), asked=inner)


def never() -> Any:
    raise AssertionError("asked")


async def test_a_request_is_made_once(tmp_path: Path) -> None:
    inner = Streaming(replies=["One.", "Two."])
    model = recorded(tmp_path, lambda: inner)
    first = await athink(model, "Count.")
    again = await athink(model, "Count.")
    other = await athink(model, "Count on.")
    assert [first.reply.strip(), again.reply.strip(), other.reply.strip()] == ["One.", "One.", "Two."]
    assert len(inner.requests) == 2


async def test_what_comes_back_is_what_came(tmp_path: Path) -> None:
    first = await athink(recorded(tmp_path, lambda: Streaming(replies=["Seven  words\n in two lines, ünd so."])), "Hi.")
    again = await athink(recorded(tmp_path, never), "Hi.")
    assert (again.reply, again.usage, again.finish_reason) == (first.reply, first.usage, first.finish_reason)
    assert again.usage["total_tokens"] == 10
    assert again.message is not None
    assert again.message.response_metadata["model_name"] == "local:small-0.5b"


@pytest.mark.parametrize(
    ("one", "other", "asked"),
    [
        ({"seed": 1}, {"seed": 2}, 1),  # at temperature 0 the seed makes no difference
        ({"seed": 1, "temperature": 0.8}, {"seed": 2, "temperature": 0.8}, 2),
        ({"seed": 1, "temperature": 0.8}, {"seed": 1, "temperature": 0.8}, 1),
        ({"temperature": 0.8}, {"temperature": 1.0}, 2),
        ({"max_tokens": 100}, {"max_tokens": 200}, 2),
    ],
)
async def test_options_make_another_request(
    tmp_path: Path, one: dict[str, Any], other: dict[str, Any], asked: int
) -> None:
    inner = Streaming(replies=["One.", "Two."])
    model = recorded(tmp_path, lambda: inner)
    await athink(model, "Count.", **one)
    await athink(model, "Count.", **other)
    assert len(inner.requests) == asked


async def test_the_model_is_asked_with_the_options(tmp_path: Path) -> None:
    inner = Streaming(replies=["One."])
    await athink(recorded(tmp_path, lambda: inner), "Count.", temperature=0.8, seed=3, max_tokens=50)
    assert inner.options == [{"temperature": 0.8, "seed": 3, "max_tokens": 50}]


async def test_a_reply_that_was_cut_comes_back_cut(tmp_path: Path) -> None:
    first = await athink(recorded(tmp_path, lambda: Streaming(replies=[CIRCLES])), "Go on.")
    # LangChain leaves a stream that nobody reads to the event loop, which closes it in its next rounds.
    while not list(tmp_path.iterdir()):
        await asyncio.sleep(0)
    again = await athink(recorded(tmp_path, never), "Go on.")
    assert first.finish_reason == again.finish_reason == "repetition"
    assert again.reply == first.reply
    assert 0 < again.usage["output_tokens"] == first.usage["output_tokens"] < len(CIRCLES.split(" "))


async def test_a_lost_reply_is_not_kept(tmp_path: Path) -> None:
    broken = recorded(tmp_path, lambda: Streaming(replies=[ModelUnavailableError(ConnectionError("gone"), attempts=1)]))
    with pytest.raises(ModelUnavailableError):
        await athink(broken, "Hi.")
    after = await athink(recorded(tmp_path, lambda: Streaming(replies=["Here."])), "Hi.")
    assert after.reply.strip() == "Here."


async def test_a_line_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    await athink(recorded(tmp_path, lambda: Streaming(replies=["One."])), "Count.")
    (path,) = tmp_path.iterdir()
    path.write_text("no JSON\n" + path.read_text())
    with pytest.raises(RunFileError, match="line 1"):
        Replies(tmp_path, "local:small-0.5b")


class Uncounted(Streaming):
    """A server that tells no usage."""

    async def _astream(
        self, messages: list[BaseMessage], stop: list[str] | None = None, run_manager: Any = None, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        text = str(self._generate(messages, **kwargs).generations[0].message.content)
        yield ChatGenerationChunk(message=AIMessageChunk(text, response_metadata={"finish_reason": "stop"}))


async def test_a_reply_that_nobody_counted_comes_back_whole(tmp_path: Path) -> None:
    await athink(recorded(tmp_path, lambda: Uncounted(replies=["Seven words."])), "Hi.")
    assert (await athink(recorded(tmp_path, never), "Hi.")).reply == "Seven words."
