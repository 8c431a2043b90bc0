"""Models that stream inside of whatever LangChain wraps around them: their replies are read as those of bare ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from langchain_core.messages import AIMessageChunk
from langchain_core.output_parsers import StrOutputParser
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.runnables import ConfigurableField, RunnableBranch, RunnablePassthrough
from pydantic import Field
from support.scripted import ScriptedModel
from thoughtgraph import Verdict, athink, create_reflection_graph, think
from thoughtgraph.models import Thought

COPY = "I will check the list once more.\n"


class Telling(ScriptedModel):
    """Streams a text word by word, and tells with every word what the whole reply has cost so far."""

    text: str
    streaming: bool = False
    breaks: bool = False
    written: list[str] = Field(default_factory=list[str])

    def _stream(self, *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        for place, word in enumerate(self.text.split(" ")):
            spent: Any = {"input_tokens": 10, "output_tokens": place + 1, "total_tokens": place + 11}
            self.written.append(word)
            yield ChatGenerationChunk(message=AIMessageChunk(word if not place else f" {word}", usage_metadata=spent))
            if self.breaks:
                raise ConnectionResetError("the server is gone")


def telling(text: str, **fields: Any) -> Telling:
    """With fields of its own, as LangChain looks for those that were set."""
    return Telling(replies=[text], text=text, **{"streaming": True, **fields})


WRAPPINGS: dict[str, Callable[[Any], Any]] = {
    "none": lambda model: model,
    "unless it has tools": lambda model: model.model_copy(update={"disable_streaming": "tool_calling"}),
    "fallbacks": lambda model: model.bind(stop=["x"]).with_fallbacks([ScriptedModel(replies=[])]),
    "retries": lambda model: model.with_retry(stop_after_attempt=2),
    "retries of fallbacks": lambda model: model.with_fallbacks([ScriptedModel(replies=[])]).with_retry(),
    "a branch": lambda model: RunnableBranch((lambda asked: False, ScriptedModel(replies=[])), model),
    "a configurable field": lambda model: model.configurable_fields(text=ConfigurableField(id="text")),
    "a chain": lambda model: RunnablePassthrough() | model.with_retry(),
}


async def thought_by(twin: str, model: Any) -> Thought:
    """A thought, by `think` or `athink`."""
    return think(model, "x") if twin == "think" else await athink(model, "x")


@pytest.mark.parametrize("twin", ["think", "athink"])
@pytest.mark.parametrize("wrapping", WRAPPINGS)
async def test_a_wrapped_stream_is_read_like_a_bare_one(wrapping: str, twin: str) -> None:
    wrap = WRAPPINGS[wrapping]
    thought = await thought_by(twin, wrap(telling("one two three")))
    assert (thought.reply, thought.usage["total_tokens"]) == ("one two three", 13)
    circling = telling(COPY * 300)
    thought = await thought_by(twin, wrap(circling))
    assert thought.finish_reason == "repetition"
    assert len(circling.written) < 600
    assert thought.usage["output_tokens"] == len(circling.written)


@pytest.mark.parametrize("wrapping", WRAPPINGS)
def test_a_budget_holds_for_a_wrapped_model_of_which_the_messages_are_watched(wrapping: str) -> None:
    model = WRAPPINGS[wrapping](Telling(replies=[], text="one two three"))
    graph = create_reflection_graph(actor=model, verifier=lambda task, answer: Verdict("passed"))
    *_, (_, run) = graph.stream({"task": "Count."}, stream_mode=["messages", "values"])
    assert run["usage"]["total_tokens"] == 13


@pytest.mark.parametrize("twin", ["think", "athink"])
async def test_a_stream_that_breaks_in_its_middle_has_its_fallback(twin: str) -> None:
    broken, whole = telling("one two three", breaks=True), telling("four five")
    thought = await thought_by(twin, broken.with_fallbacks([whole]))
    assert (thought.reply, broken.written) == ("four five", ["one"])
    assert (await thought_by(twin, telling("one two").with_fallbacks([whole]))).reply == "one two"


@pytest.mark.parametrize("twin", ["think", "athink"])
async def test_a_stream_before_a_parser_is_read_up_to_where_it_runs_in_circles(twin: str) -> None:
    circling = telling(COPY * 300)
    assert (await thought_by(twin, circling | StrOutputParser())).reply.startswith(COPY)
    assert len(circling.written) < 600


@pytest.mark.parametrize("fields", [{"disable_streaming": True}, {"streaming": False}], ids=str)
@pytest.mark.parametrize("wrapping", ["none", "fallbacks", "retries"])
def test_a_wrapped_model_that_is_not_to_stream_does_not(wrapping: str, fields: dict[str, Any]) -> None:
    model = telling("one two three", **fields)
    assert think(WRAPPINGS[wrapping](model), "x").reply == "one two three"
    assert not model.written
