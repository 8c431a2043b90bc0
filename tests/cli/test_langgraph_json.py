"""Shape checks at build, deployment through langgraph.json, and the Context Graph's reading of runs."""

from __future__ import annotations

import asyncio
import importlib.util
import json
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command
from support.openai_server import OpenAIServer, Reply
from support.paths import ROOT
from thoughtgraph import ContextGraph
from thoughtgraph._internal.steps import Call, Steps, arun
from thoughtgraph.errors import GraphShapeError, RunFileError
from thoughtgraph.graphs.shape import check_shape
from thoughtgraph.traces import recording
from thoughtgraph.traces.events import record


class State(TypedDict):
    value: int


def nothing(state: State) -> dict[str, Any]:
    return {}


def built(edges: list[tuple[str, str]], loop: bool = False) -> Any:
    graph = StateGraph(State)
    for name in ("one", "two"):
        graph.add_node(name, nothing)
    for source, target in edges:
        graph.add_edge(source, target)
    if loop:
        graph.add_conditional_edges("two", lambda state: "one", {"one": "one"})
    return graph.compile()


def test_a_sound_graph_is_accepted() -> None:
    check_shape(built([(START, "one"), ("one", "two"), ("two", END)]))


def test_a_node_that_nothing_leads_to_is_named() -> None:
    with pytest.raises(GraphShapeError, match=r"no path leads to \['two'\]"):
        check_shape(built([(START, "one"), ("one", END), ("two", END)]))


def test_nodes_that_never_reach_the_end_are_named() -> None:
    graph = StateGraph(State)
    for name in ("one", "two", "three"):
        graph.add_node(name, nothing)
    graph.add_edge(START, "one")
    graph.add_conditional_edges("one", lambda state: "two", {"two": "two", "end": END})
    graph.add_conditional_edges("two", lambda state: "three", {"three": "three"})
    graph.add_conditional_edges("three", lambda state: "two", {"two": "two"})
    with pytest.raises(GraphShapeError, match=r"no path leads from \['three', 'two'\] to the end"):
        check_shape(graph.compile())


def served(name: str) -> Any:
    """A graph, loaded as LangGraph's server loads it: by the path of its factory."""
    path, function = json.loads((ROOT / "langgraph.json").read_text())["graphs"][name].split(":")
    spec = importlib.util.spec_from_file_location("served_graph", ROOT / path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return asyncio.run(getattr(module, function)())


def test_the_reflection_graph_of_langgraph_json_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    with OpenAIServer([Reply("It is 4.")]) as server:
        monkeypatch.setenv("THOUGHTGRAPH_MODEL", server.base_url)
        graph = served("external_loop")
        assert isinstance(graph, CompiledStateGraph)
        assert graph.invoke({"task": "What is 2 + 2?"})["answer"] == "It is 4."


def test_the_plan_act_graph_of_langgraph_json_asks_and_answers_with_the_servers_checkpointer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    replies = [
        {"status": "planned", "plan": ["go"]},
        {"status": "ask_user", "question": "Which?"},
        {"status": "replanned", "plan": [], "response": "This it is."},
    ]
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with OpenAIServer([Reply(json.dumps(reply)) for reply in replies]) as server:
        monkeypatch.setenv("THOUGHTGRAPH_MODEL", server.base_url)
        graph = served("plan_act").copy(update={"checkpointer": InMemorySaver()})
        config: Any = {"configurable": {"thread_id": "1"}}
        assert graph.invoke({"goal": "go"}, config)["__interrupt__"]
        assert graph.invoke(Command(resume="this"), config)["response"] == "This it is."


def test_events_outside_of_a_recording_cost_nothing_and_leave_nothing() -> None:
    assert record("goal", task="x") is None
    with recording() as outer:
        record("goal", task="x")
        with recording("inner", seq=5) as inner:
            record("plan", steps=[])
    assert [event["id"] for event in outer.events] == [f"{outer.run_id}:0"]
    assert [event["id"] for event in inner.events] == ["inner:5"]


def test_an_event_that_comes_twice_counts_once_and_order_does_not_matter() -> None:
    with recording() as recorder:
        for number in range(3):
            record(
                "action", [{"source": f"{recorder.run_id}:0", "relation": "led_to"}] if number else [], number=number
            )
    events = recorder.events
    graph = ContextGraph([events[2], *events, events[0]])
    assert graph.events == events
    assert graph.nx.number_of_nodes() == 3
    assert graph.nx.number_of_edges() == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "cannot read"),
        ('{"kind": "goal"}', "not an event"),
        ('{"version": 99, "id": "a", "seq": 0}', "newer than"),
    ],
    ids=["no-json", "no-event", "from-the-future"],
)
def test_a_run_file_that_cannot_be_read_says_why(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(content + "\n")
    with pytest.raises(RunFileError, match=message):
        ContextGraph.from_run(path)


def test_a_result_without_events_is_refused() -> None:
    with pytest.raises(RunFileError, match="the run has no events"):
        ContextGraph.from_run({"answer": "4"})
    with pytest.raises(RunFileError, match="cannot read the run"):
        ContextGraph.from_run("/nowhere/run.jsonl")


async def test_a_cancelled_run_closes_what_it_had_opened() -> None:
    closed: list[str] = []

    def steps() -> Steps[None]:
        with recording():
            try:
                yield Call(lambda: None, lambda: asyncio.sleep(30))
            finally:
                closed.append("closed")

    task = asyncio.create_task(arun(steps()))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert closed == ["closed"]
