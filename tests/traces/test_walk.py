"""The way of a run through its loop's graph: what a node recorded tells it, and no edge is told that was not taken."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command
from pydantic import BaseModel
from support.modes import MODES, RIGHT, TASK, THREAD, Judge, Mode, wrong
from support.page_runs import planned_run
from support.paths import TESTS
from support.plan_act import GOAL, act, acts, ask, done, echo_tool, parallel, planned, replanned
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph, create_plan_act_graph, create_reflection_graph
from thoughtgraph.graphs.building import LoopGraph, ReflectionLoop, after_verify, framed, verify
from thoughtgraph.memory import FailureMemory
from thoughtgraph.tools import solver_tool
from thoughtgraph.traces import recording
from thoughtgraph.traces.reading.walk import Walk


def ran(graph: Any, given: Any, twin: str = "sync") -> tuple[list[str], Any]:
    """The nodes that ran, as LangGraph itself reports them, and the trace."""

    async def updates() -> list[dict[str, Any]]:
        return [update async for update in graph.astream(given, stream_mode="updates")]

    with recording() as recorder:
        found = asyncio.run(updates()) if twin == "async" else list(graph.stream(given, stream_mode="updates"))
    return [node for update in found for node in update], recorder


def walked(run: Any) -> Walk:
    """The one way of a run."""
    (walk,) = ContextGraph.from_run(run).loop_drawing().walks
    return walk


def names(walk: Walk) -> list[str]:
    """The nodes it visited, in their order."""
    return [visit.node for visit in walk.visits]


def taken(walk: Walk) -> dict[tuple[str, str], int]:
    """The edges it took, and how often."""
    return {(edge.source, edge.target): edge.taken for edge in walk.edges if edge.taken}


def drawn(graph: Any) -> set[tuple[str, str]]:
    """The edges of LangGraph's own drawing."""
    return {(edge.source, edge.target) for edge in graph.get_graph().edges}


def test_a_run_visits_the_nodes_that_recorded_and_those_that_were_silent() -> None:
    loop = create_reflection_graph(actor=ScriptedModel(replies=[wrong(), RIGHT]), verifier=Judge())
    walk = walked(loop.invoke(TASK))
    way = ["__start__", "begin", "attempt", "verify", "fresh", "attempt", "verify", "outcome", "__end__"]
    assert names(walk) == way
    assert [visit.came_from for visit in walk.visits] == ["", *way[:-1]]
    assert walk.nodes == {
        "__start__": 1,
        "begin": 1,
        "attempt": 2,
        "outcome": 1,
        "fresh": 1,
        "repair_form": 0,
        "verify": 2,
        "__end__": 1,
    }
    assert taken(walk)[("attempt", "verify")] == 2
    assert ("attempt", "outcome") not in taken(walk)
    assert [event["kind"] for event in walk.visits[2].events] == ["thought", "attempt"]


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
@pytest.mark.parametrize("twin", ["sync", "async"])
def test_every_mode_tells_the_very_nodes_that_ran(mode: Mode, twin: str) -> None:
    graph = mode.script([wrong(0.1), wrong(0.2), RIGHT]).graph()
    nodes, run = ran(graph, TASK, twin)
    walk = walked(run)
    # Samples that are drawn at once are one visit, like calls that are made at once.
    visited = [one for one, other in pairwise([*nodes, ""]) if not one == other == "sample"]
    assert names(walk)[1:-1] == visited
    assert {(edge.source, edge.target) for edge in walk.edges} == drawn(graph)
    assert set(taken(walk)) <= drawn(graph)
    assert sum(taken(walk).values()) == len(walk.visits) - 1


def test_a_plan_act_run_tells_the_very_nodes_that_ran() -> None:
    replies = [planned("look"), act("echo", "x"), "{", done("x"), replanned("more"), done("y"), replanned(response="z")]

    def echo(text: str) -> str:
        """Repeat."""
        return text

    graph = create_plan_act_graph(ScriptedModel(replies=replies), [echo], interactive=False)
    nodes, run = ran(graph, dict(GOAL))
    walk = walked(run)
    assert names(walk)[1:-1] == nodes
    assert {(edge.source, edge.target) for edge in walk.edges} == drawn(graph)
    assert sum(taken(walk).values()) == len(walk.visits) - 1


def test_a_saved_run_is_enough(tmp_path: Path) -> None:
    graph = ContextGraph(planned_run())
    again = ContextGraph.from_run(graph.save(tmp_path / "run.jsonl"))
    assert again.loop_drawing().walks == graph.loop_drawing().walks
    assert ContextGraph.from_run(graph.to_json()).loop_drawing().walks == graph.loop_drawing().walks


def test_a_paused_run_ends_where_it_waits_and_goes_on_from_there() -> None:
    replies = [planned("ask"), ask("Which?"), planned("tell"), done("told"), replanned(response="over")]
    graph = create_plan_act_graph(ScriptedModel(replies=replies), [], checkpointer=InMemorySaver())
    graph.invoke(dict(GOAL), THREAD)
    waiting = walked(graph.get_state(THREAD))
    assert names(waiting)[-1] == "thought"
    assert waiting.nodes["ask_user"] == 0
    after = walked(graph.invoke(cast(Any, Command(resume="that")), THREAD))
    assert ("thought", "ask_user") in taken(after)
    assert sum(taken(after).values()) == len(after.visits) - 1


def test_a_run_that_broke_and_was_resumed_has_each_visit_once() -> None:
    answers: list[Any] = [wrong(), RIGHT]

    def judge(task: str, answer: str) -> Any:
        if answer == RIGHT and not broken:
            broken.append(answer)
            raise KeyboardInterrupt
        return Judge()(task, answer)

    broken: list[str] = []
    graph = create_reflection_graph(actor=ScriptedModel(replies=answers), verifier=judge, checkpointer=InMemorySaver())
    with pytest.raises(KeyboardInterrupt):
        graph.invoke(TASK, THREAD)
    walk = walked(graph.invoke(None, THREAD))
    assert names(walk)[1:-1] == ["begin", "attempt", "verify", "fresh", "attempt", "verify", "outcome"]
    assert sum(taken(walk).values()) == len(walk.visits) - 1


def test_a_thread_that_is_used_again_starts_a_new_way() -> None:
    loop = create_reflection_graph(
        actor=ScriptedModel(replies=[wrong(), RIGHT, RIGHT]),
        verifier=Judge(),
        memory=FailureMemory(InMemoryStore()),
        checkpointer=InMemorySaver(),
    )
    loop.invoke(TASK, THREAD)
    walk = walked(loop.invoke(TASK, THREAD))
    assert names(walk)[:3] == ["__start__", "begin", "recall"]
    assert walk.nodes["attempt"] == 1


def test_what_a_node_after_the_outcome_does_is_not_told() -> None:
    loop = create_reflection_graph(
        actor=ScriptedModel(replies=[RIGHT]), verifier=Judge(), memory=FailureMemory(InMemoryStore())
    )
    walk = walked(loop.invoke(TASK))
    # `remember` records nothing, so nobody knows whether it came to its end.
    assert names(walk)[-2:] == ["outcome", "remember"]
    assert ("remember", "__end__") not in taken(walk)


def test_after_a_change_from_outside_no_edge_is_made_up() -> None:
    replies = [planned("ask"), ask("Which?"), planned("tell"), done("told"), replanned(response="over")]
    graph = create_plan_act_graph(ScriptedModel(replies=replies), [], checkpointer=InMemorySaver())
    graph.invoke(dict(GOAL), THREAD)
    graph.update_state(THREAD, {"now": "later"}, as_node="thought")
    walk = walked(graph.invoke(cast(Any, Command(resume="that")), THREAD))
    unknown = [visit.node for visit in walk.visits[1:] if not visit.came_from]
    assert unknown == ["ask_user"]
    assert ("thought", "ask_user") not in taken(walk)


def forked(loop: Any) -> Any:
    """A mode with two nodes that are no steps of the loop, of which one runs."""

    def choose(state: Any) -> str:
        return "one" if state["attempts"] else "other"

    graph = framed(loop)
    graph.add_step("verify", verify)
    for name in ("one", "other"):
        graph.add_node(name, lambda state: {"seconds": state["seconds"]})
        graph.add_edge(name, "verify")
    graph.add_conditional_edges("attempt", choose, ["one", "other"])
    graph.add_route("verify", after_verify, *loop.strategies, "outcome")
    return graph


def test_where_two_ways_are_possible_neither_is_made_up() -> None:
    model = ScriptedModel(replies=[RIGHT])
    # Not registered: another test counts the modes that there are.
    graph: Any = forked(ReflectionLoop("forked", actor=model, critic=model, verifier=Judge())).compile()
    walk = walked(graph.invoke(TASK))
    assert names(walk) == ["__start__", "begin", "attempt", "verify", "outcome", "__end__"]
    assert {target for _, target in taken(walk)} == {"begin", "attempt", "outcome", "__end__"}
    assert walk.visits[3].came_from == ""


def test_a_graph_with_a_state_of_another_kind_runs_as_ever() -> None:
    class Count(BaseModel):
        number: int = 0

    graph: Any = LoopGraph(None, Count, Count, Count)
    graph.add_step("up", lambda state, loop: {"number": state.number + 1})
    graph.add_edge("__start__", "up")
    graph.add_edge("up", "__end__")
    assert graph.compile().invoke({"number": 1}) == {"number": 2}


def test_a_run_inside_a_tool_has_a_way_of_its_own() -> None:
    inner = create_reflection_graph(actor=ScriptedModel(replies=[wrong(), RIGHT]), verifier=Judge())
    replies = [planned("solve"), act("solve", "Say it."), done("solved"), replanned(response="over")]
    tool = solver_tool(inner, name="solve", description="Solves.")
    outer = create_plan_act_graph(ScriptedModel(replies=replies), [tool], interactive=False)
    own, inside = ContextGraph.from_run(outer.invoke(dict(GOAL))).loop_drawing().walks
    assert (own.mode, inside.mode) == ("plan_act", "external_loop")
    assert names(own).count("act") == 1
    assert names(inside)[-4:] == ["attempt", "verify", "outcome", "__end__"]


def test_a_recording_around_graphs_keeps_their_ways() -> None:
    def solve() -> None:
        create_reflection_graph(actor=ScriptedModel(replies=[RIGHT]), verifier=Judge()).invoke(TASK)

    with recording() as recorder:
        solve()
        solve()
    first, second = ContextGraph.from_run(recorder).loop_drawing().walks
    assert names(first) == names(second)


@pytest.mark.parametrize("path", sorted((TESTS / "fixtures" / "events").glob("v1_*.jsonl")), ids=lambda path: path.stem)
def test_a_run_of_an_older_version_tells_no_way(path: Path) -> None:
    drawing = ContextGraph.from_run(path).loop_drawing()
    assert drawing.walks == ()
    assert "no graph" in str(drawing)


def test_a_file_that_names_endless_silent_nodes_is_read() -> None:
    loop = create_reflection_graph(actor=ScriptedModel(replies=[RIGHT]), verifier=Judge())
    events: list[Any] = [dict(event) for event in loop.invoke(TASK)["events"]]
    events[-1] |= {"after": ["verify"] * 5_000, "step": events[-1]["step"] + 5_000}
    walk = walked({"events": events})
    assert walk.nodes["verify"] == 5_001
    assert ("verify", "outcome") not in taken(walk)


def test_a_way_reads_as_text() -> None:
    loop = create_reflection_graph(actor=ScriptedModel(replies=[RIGHT]), verifier=Judge())
    text = str(ContextGraph.from_run(loop.invoke(TASK)).loop_drawing())
    assert text.splitlines() == [
        "external_loop: Say the right thing.",
        "  0. start",
        "  1. begin, from start: goal",
        "  2. attempt, from begin: thought, attempt 1",
        "  3. verify, from attempt: verdict passed",
        "  4. outcome, from verify: outcome passed",
        "  5. end, from outcome",
    ]


def test_calls_at_once_are_one_visit_of_their_node_and_lead_to_one_observation() -> None:
    model = ScriptedModel(
        replies=[planned("a"), acts(("echo", "a"), ("echo", "b")), done("both"), replanned(response="end")]
    )
    graph = create_plan_act_graph(model, [parallel(echo_tool())], interactive=False)
    (walk,) = ContextGraph.from_run(graph.invoke(dict(GOAL))).loop_drawing().walks
    names = [visit.node for visit in walk.visits]
    at = names.index("act_at_once")
    assert names[at - 1 : at + 2] == ["thought", "act_at_once", "observe"]
    taken = {(edge.source, edge.target): edge.taken for edge in walk.edges}
    assert taken["thought", "act_at_once"] == taken["act_at_once", "observe"] == 1
