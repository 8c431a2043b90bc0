"""What a tool hands over beside its result, and what anybody reports as usage, ends no run and refunds no budget."""

from __future__ import annotations

import asyncio
import copy
import math
from collections.abc import AsyncIterator, Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGenerationChunk
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from support.agent_model import calls
from support.plan_act import THREAD, TWINS, act, done, planned, replanned, twin
from support.scripted import ScriptedModel
from thoughtgraph import (
    ContextGraph,
    astream_think,
    create_plan_act_graph,
    create_reflection_graph,
    stream_think,
    think,
)
from thoughtgraph.graphs.middleware.counters import REFUSED, SECONDS, fresh_counters, with_results
from thoughtgraph.models.messages import add_usage, read_usage
from thoughtgraph.nodes.plan_act.guards import Guards, Limits


@cache
def trace() -> list[Any]:
    """The events of a run inside a run."""
    return create_reflection_graph(actor=ScriptedModel(replies=["42"])).invoke({"task": "Compute."})["events"]


def with_artifact(artifact: object) -> BaseTool:
    """A tool with something for the program beside what it says to the model."""

    def probe(text: str) -> tuple[str, object]:
        """Probe something."""
        return "seen", artifact

    return StructuredTool.from_function(probe, name="probe", response_format="content_and_artifact")


def run(artifact: object, form: str = "sync") -> dict[str, Any]:
    """A whole run whose tool hands this over, checkpoints included."""
    model = ScriptedModel(replies=[planned("Probe it"), act("probe", "x"), done("Seen."), replanned(response="Fine.")])
    graph = create_plan_act_graph(model, [with_artifact(artifact)], interactive=False, checkpointer=InMemorySaver())
    return twin(form)(graph, {"goal": "Probe it"}, THREAD)


def ignored(result: dict[str, Any]) -> str:
    """What the observation says of a trace that was left out; "" where none was."""
    seen = next(event for event in result["events"] if event["kind"] == "observation")
    return str(seen["data"].get("ignored", ""))


def assert_whole(result: dict[str, Any]) -> None:
    """The run ended well, and can be read in every way."""
    assert (result["response"], result["stop_reason"]["kind"]) == ("Fine.", "goal_met")
    graph = ContextGraph.from_run(result)
    for view in ("to_json", "to_html", "to_graphml", "to_mermaid", "to_prov", "why_stopped", "failures", "cost"):
        getattr(graph, view)()
    assert all(isinstance(count, int) and count >= 0 for count in result["usage"].values())
    assert result["usage"]["total_tokens"] >= 4 * 15, "the tool took tokens back"


class Odd:
    """Raises whatever it is asked."""

    def __eq__(self, other: object) -> bool:
        raise ValueError("ambiguous")

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> bool:
        raise ValueError("ambiguous")


class OddDict(dict[str, Any]):
    """A dict that does not let itself be read."""

    def __getitem__(self, key: str) -> Any:
        raise RuntimeError("no")


def deep() -> Any:
    """Lists in lists, deeper than Python follows."""
    inner: list[Any] = []
    for _ in range(5_000):
        inner = [inner]
    return inner


def changed(**fields: Any) -> list[Any]:
    """The trace with other fields in its second event."""
    events = copy.deepcopy(trace())
    events[1].update(fields)
    return events


BROKEN: dict[str, Any] = {
    "number": 3,
    "null": None,
    "text": "goal",
    "object": {"count": 2},
    "calendar": [{"title": "Lunch", "kind": "goal", "id": "1"}],
    "no object": [1],
    "links null": changed(links=None),
    "link without source": changed(links=[{"relation": "led_to"}]),
    "link no object": changed(links=["a"]),
    "source number": changed(links=[{"source": 1, "relation": "led_to"}]),
    "data null": changed(data=None),
    "data list": changed(data=[1]),
    "kind number": changed(kind=1),
    "id list": changed(id=[]),
    "seq text": changed(seq="1"),
    "newer version": changed(version=99),
    "two runs": changed(run_id="other"),
    "deep": changed(data={"x": deep()}),
    "object of a class": changed(data={"x": Odd()}),
    "set": changed(data={"x": {1}}),
    "bytes": changed(data={"x": b"x"}),
    "no goal": trace()[1:],
    "huge": changed(data={"x": "y" * 20_000_000}),
}


@pytest.mark.parametrize(("name", "form"), [*((name, "sync") for name in BROKEN), ("huge", "async")])
def test_a_broken_trace_is_ignored_and_the_observation_says_so(name: str, form: str) -> None:
    result = run({"events": BROKEN[name]}, form)
    assert_whole(result)
    assert ignored(result).startswith("events in the artifact: ")
    assert [event["kind"] for event in result["events"]].count("goal") == 1


@pytest.mark.parametrize("artifact", [None, [], 3, "events", {"rows": [1]}, Odd(), {"events": []}, OddDict(events=[1])])
def test_an_artifact_of_any_other_kind_ends_no_run(artifact: object) -> None:
    result = run(artifact)
    assert_whole(result)
    assert bool(ignored(result)) == isinstance(artifact, (Odd, OddDict))


@pytest.mark.parametrize("form", TWINS)
def test_a_whole_trace_is_taken_over(form: str) -> None:
    result = run({"events": trace()}, form)
    assert_whole(result)
    assert ignored(result) == ""
    assert result["usage"]["total_tokens"] == 4 * 15 + 15


garbage = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["goal", "outcome"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from(["version", "id", "run_id", "seq", "kind", "time", "links", "data"])


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), FIELDS, garbage), max_size=3), st.booleans())
@example([(4, "data", {"usage": {"total_tokens": -(10**9)}})], False)
@example([(4, "data", {"usage": [1]})], False)
@example([(4, "data", {"usage": {"total_tokens": math.nan, "input_tokens": True, "output_tokens": "9"}})], False)
@example([(1, "data", {"kind": "x", "links": 1, "self": 2})], False)
@example([(4, "data", {"\ud800": "\udfff"})], False)
@example([(4, "data", {"x": math.inf, "y": -math.inf, "z": math.nan})], False)
@example([(4, "data", {"x": [10**30, -(10**30), 2**64, 10**5_000]})], False)
@example([(4, "seq", 10**30)], False)
def test_no_field_of_a_trace_ends_a_run_or_refunds_its_budget(edits: list[Any], missing: bool) -> None:
    events = copy.deepcopy(trace())
    for place, field, value in edits:
        if missing:
            events[place].pop(field, None)
        else:
            events[place][field] = value
    assert_whole(run({"events": events}))


@settings(max_examples=15, deadline=None)
@given(garbage)
def test_no_artifact_ends_a_run(artifact: Any) -> None:
    assert_whole(run(artifact))
    assert_whole(run({"events": artifact}))


COUNTS = [-1, -(10**30), math.nan, math.inf, -math.inf, True, "7", None, [1], {"a": 1}, 10**30, 2.5]


@pytest.mark.parametrize("count", COUNTS, ids=repr)
def test_whatever_is_reported_as_usage_adds_nothing_below_zero(count: Any) -> None:
    usage = read_usage({"input_tokens": count, "output_tokens": 5, "total_tokens": count, "cached_tokens": count})
    assert all(type(number) is int and 0 <= number <= 10**13 for number in usage.values())
    assert usage["total_tokens"] >= usage["input_tokens"] + 5
    before = read_usage({"input_tokens": 1, "output_tokens": 1, "total_tokens": 2})
    assert add_usage(before, usage)["total_tokens"] >= 2 + 5


@pytest.mark.parametrize("reported", [None, 3, "x", [], {}, {"total_tokens": 3}, {"input_token_details": [1]}])
def test_a_usage_of_another_shape_is_read_as_far_as_it_goes(reported: Any) -> None:
    message = AIMessage("x")
    message.usage_metadata = reported
    thought = think(ScriptedModel(replies=[message]), "hi")
    assert (thought.usage["total_tokens"], thought.estimated) == (3 if reported == {"total_tokens": 3} else 2, True)


@pytest.mark.parametrize("count", COUNTS, ids=repr)
def test_a_budget_is_met_whatever_the_model_reports(count: Any) -> None:
    replies: list[Any] = []
    for reply in [planned("a"), *[act("probe", str(number)) for number in range(30)]]:
        message = AIMessage(reply)
        usage: Any = {"input_tokens": 10, "output_tokens": 5, "total_tokens": count if replies else 15}
        message.usage_metadata = usage
        replies.append(message)
    graph = create_plan_act_graph(
        ScriptedModel(replies=replies),
        [with_artifact(None)],
        interactive=False,
        guards=Guards(max_tokens=45),
        max_steps=12,
    )
    result = graph.invoke({"goal": "Probe it"})
    assert result["stop_reason"]["kind"] == "token_budget"


class Chunked(ScriptedModel):
    """Streams a reply whose chunks report these usages."""

    usages: list[Any]

    def _chunks(self) -> Iterator[ChatGenerationChunk]:
        for usage in self.usages:
            chunk = AIMessageChunk("x")
            chunk.usage_metadata = usage
            yield ChatGenerationChunk(message=chunk)

    def _stream(self, *_: Any, **__: Any) -> Iterator[ChatGenerationChunk]:
        yield from self._chunks()

    async def _astream(self, *_: Any, **__: Any) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in self._chunks():
            yield chunk


@pytest.mark.parametrize("form", TWINS)
@pytest.mark.parametrize("count", [-1_000, math.nan, "7", None], ids=repr)
def test_a_chunk_of_a_stream_takes_nothing_back(count: Any, form: str) -> None:
    odd: Any = {"input_tokens": count, "output_tokens": count, "total_tokens": count}
    model = Chunked(replies=[], usages=[{"input_tokens": 9, "output_tokens": 1, "total_tokens": 10}, odd])

    async def streamed() -> list[Any]:
        return [piece async for piece in astream_think(model, "hi")]

    pieces = list(stream_think(model, "hi")) if form == "sync" else asyncio.run(streamed())
    assert pieces[-1].thought is not None
    assert pieces[-1].thought.usage["total_tokens"] == 10


@pytest.mark.parametrize(
    ("artifact", "seconds"),
    [
        (Odd(), -1e9),
        ({"refused": Odd()}, "soon"),
        (OddDict(refused=1), math.nan),
        ({"refused": [1]}, None),
        (None, True),
    ],
    ids=lambda value: type(value).__name__,
)
def test_no_artifact_and_no_metadata_of_a_tool_disturbs_a_guard(artifact: Any, seconds: Any) -> None:
    call = calls(("probe", {"x": 1}))
    result = ToolMessage("seen", tool_call_id=call.tool_calls[0]["id"], response_metadata={SECONDS: seconds})
    result.artifact = artifact
    counters = with_results(fresh_counters([]), [HumanMessage("hi"), call, result], Limits())
    assert (counters["calls"], counters["seconds"]) == (1, 0.0)
    result.artifact = dict(REFUSED)
    assert with_results(fresh_counters([]), [HumanMessage("hi"), call, result], Limits())["calls"] == 0
