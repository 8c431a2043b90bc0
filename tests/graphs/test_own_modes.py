"""Modes of a user's own: fields and rules that no other mode has."""

from __future__ import annotations

import asyncio
import operator
from collections.abc import Iterator
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from support.modes import RIGHT, TASK, THREAD, Judge, wrong
from support.plan_act import TWINS, twin
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph, create_reflection_graph, register_reflection_mode
from thoughtgraph.errors import GraphShapeError, ThreadStateError
from thoughtgraph.graphs.building import (
    ReflectionBuilder,
    ReflectionLoop,
    ReflectionState,
    StopReason,
    after_attempt,
    after_verify,
    framed,
    verify,
)
from thoughtgraph.graphs.reflection import create

RULE = StopReason(kind="rule", value="two notes are enough", limit=None)


class Noted(ReflectionState):
    notes: Annotated[list[int], operator.add]


def note(state: Noted, loop: ReflectionLoop) -> dict[str, Any]:
    """Note an attempt; end the run after two of them."""
    update: dict[str, Any] = {"notes": [state["attempts"][-1]["number"]]}
    return {**update, "stop_reason": RULE} if len(state["notes"]) == 1 else update


def noted(loop: ReflectionLoop) -> ReflectionBuilder:
    """A mode with a field, a node and a stop rule of its own."""
    graph = framed(loop, Noted)
    graph.add_step("verify", verify)
    graph.add_step("note", note)
    graph.add_route("attempt", after_attempt, *loop.ways, "outcome", new="verify")
    graph.add_edge("verify", "note")
    graph.add_route("note", after_verify, *loop.ways, "outcome")
    return graph


class Thing:
    """What pydantic knows nothing of."""


class Remark(TypedDict):
    """What pydantic refuses on Python 3.11, where it wants that of `typing_extensions`."""

    text: str


class Held(ReflectionState):
    thing: Thing
    noted: Remark


def with_node(node: Any, schema: Any = ReflectionState) -> Any:
    """A mode with a node of its own behind the verifier's."""

    def mode(loop: ReflectionLoop) -> ReflectionBuilder:
        built = framed(loop, schema)
        built.add_step("verify", verify)
        built.add_step("own", node)
        built.add_route("attempt", after_attempt, *loop.ways, "outcome", new="verify")
        built.add_edge("verify", "own")
        built.add_route("own", after_verify, *loop.ways, "outcome")
        return built

    register_reflection_mode("with_node", mode)
    return create_reflection_graph("with_node", actor=ScriptedModel(replies=[wrong(0.1), RIGHT]), verifier=Judge())


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The mode, for one test."""
    monkeypatch.setattr(create, "_MODES", dict(vars(create)["_MODES"]))
    register_reflection_mode("noted", noted)
    yield


def graph(*answers: str) -> Any:
    """The mode over scripted answers."""
    actor = ScriptedModel(replies=list(answers))
    return create_reflection_graph("noted", actor=actor, verifier=Judge(), checkpointer=InMemorySaver())


@pytest.mark.parametrize("invoke", [twin(name) for name in TWINS], ids=TWINS)
def test_a_mode_of_ones_own_keeps_its_fields_and_ends_by_its_rule(invoke: Any) -> None:
    loop = graph(wrong(0.1), wrong(0.2), RIGHT)
    run = invoke(loop, TASK, THREAD)
    assert (run["stop_reason"], run["verdict"], len(run["attempts"])) == (RULE, "failed", 2)
    assert loop.get_state(THREAD).values["notes"] == [1, 2]
    assert ContextGraph.from_run(run).why_stopped().sentence == "It stopped because two notes are enough."


@pytest.mark.parametrize("thread", [{}, THREAD], ids=["no thread", "a thread"])
def test_an_edge_that_returns_no_target_is_named_with_its_targets(thread: Any) -> None:
    def astray(loop: ReflectionLoop) -> ReflectionBuilder:
        built = framed(loop)
        built.add_step("verify", verify)
        built.add_route("attempt", after_attempt, *loop.ways, "outcome", new="verify")
        built.add_route("verify", nowhere, *loop.ways, "outcome")
        return built

    def nowhere(state: ReflectionState, loop: ReflectionLoop) -> str:
        return "nowhere"

    register_reflection_mode("astray", astray)
    actor, saver = ScriptedModel(replies=[RIGHT]), InMemorySaver() if thread else None
    built = create_reflection_graph("astray", actor=actor, verifier=Judge(), checkpointer=saver)
    with pytest.raises(
        ThreadStateError, match="its edge nowhere returned 'nowhere', and leads only to fresh"
    ) as caught:
        built.invoke(TASK, thread)
    assert str(caught.value).startswith("thread " if thread else "the run cannot continue with verify")
    assert ("update_state" in str(caught.value)) == bool(thread)


def test_a_passed_answer_goes_before_a_rule() -> None:
    run = graph(wrong(0.1), RIGHT).invoke(TASK, THREAD)
    assert (run["stop_reason"]["kind"], run["verdict"]) == ("passed", "passed")


def test_a_further_run_on_the_thread_is_not_ended_by_the_rule_of_the_last() -> None:
    loop = graph(wrong(0.1), wrong(0.2), RIGHT)
    assert loop.invoke(TASK, THREAD)["stop_reason"] == RULE
    assert loop.invoke(TASK, THREAD)["verdict"] == "passed"


def test_a_conditional_edge_without_its_map_is_named() -> None:
    def open_ended(loop: ReflectionLoop) -> ReflectionBuilder:
        built = framed(loop)
        built.add_step("verify", verify)

        def way(state: ReflectionState) -> str:
            return after_attempt(state, loop)

        built.add_conditional_edges("attempt", way)
        return built

    register_reflection_mode("open_ended", open_ended)
    with pytest.raises(GraphShapeError, match=r"conditional edge from \['attempt'\] .*: give it its path map"):
        create_reflection_graph("open_ended", actor=ScriptedModel(replies=[]))


@pytest.mark.parametrize("invoke", [twin(name) for name in TWINS], ids=TWINS)
def test_a_node_of_ones_own_may_be_async(invoke: Any) -> None:
    async def stop(state: ReflectionState, loop: ReflectionLoop) -> dict[str, Any]:
        await asyncio.sleep(0)
        return {"stop_reason": RULE}

    assert invoke(with_node(stop), TASK)["stop_reason"] == RULE


@pytest.mark.parametrize("invoke", [twin(name) for name in TWINS], ids=TWINS)
def test_the_error_of_a_node_stays_what_it_is_whatever_the_types_of_its_state(invoke: Any) -> None:
    def broken(state: Held, loop: ReflectionLoop) -> dict[str, Any]:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        invoke(with_node(broken, Held), TASK)


@pytest.mark.parametrize("schema", [dict, None, "state", Thing], ids=str)
def test_a_state_that_is_not_derived_from_that_of_every_mode_is_refused(schema: Any) -> None:
    with pytest.raises(ValueError, match="a TypedDict derived from ReflectionState"):
        with_node(note, schema)
