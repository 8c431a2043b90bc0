"""Several models as the actor: the drawing, and what is refused when the graph is built."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore
from support.cascades import cascade, small
from support.modes import EXTERNAL_LOOP, RIGHT, TASK, Judge, Mode, all_modes, wrong
from support.paths import TESTS
from thoughtgraph import create_reflection_graph
from thoughtgraph.errors import GraphShapeError
from thoughtgraph.evaluation import Task, asolve_many
from thoughtgraph.graphs.building import ReflectionBuilder, ReflectionLoop, after_attempt, after_verify, framed, verify
from thoughtgraph.memory import FailureMemory

ESCALATING = {
    "external_loop": {"attempt", "verify"},
    "reflexion": {"attempt", "verify", "evaluate", "reflect"},
    "actor_critic": {"attempt", "verify", "critique"},
    "best_of_n": {"attempt", "verify"},
    "second_thoughts": {"attempt", "ponder"},
}


@all_modes
def test_the_drawing_shows_the_way_to_the_next_model_where_there_is_one(mode: Mode) -> None:
    drawn = cascade([small()], mode.script([])).get_graph()
    ways = {(edge.source, edge.conditional) for edge in drawn.edges if edge.target == "escalate"}
    assert ways == {(source, True) for source in ESCALATING[mode.name]}
    assert {(edge.target, edge.conditional) for edge in drawn.edges if edge.source == "escalate"} == {
        (mode.asks, False)
    }
    assert "escalate" not in mode.script([]).graph().get_graph().nodes


@all_modes
def test_a_memory_is_asked_before_the_next_model(mode: Mode) -> None:
    memory: Any = FailureMemory(InMemoryStore())
    drawn = cascade([small()], mode.script([]), memory=memory).get_graph()
    assert {edge.target for edge in drawn.edges if edge.source == "escalate"} == {"recall"}
    result = cascade([small(wrong(0.1))], mode.script([RIGHT]), memory=memory).invoke(TASK)
    assert result["verdict"] == "passed"
    (lesson,) = memory.recall(TASK["task"])
    assert lesson["fix"] == RIGHT


def test_the_drawing_of_a_cascade_is_the_one_on_record() -> None:
    shown = cascade([small()], EXTERNAL_LOOP.script([]), form_repairs=None).get_graph().draw_mermaid()
    path = TESTS / "snapshots" / "cascade.mmd"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.write_text(shown, encoding="utf-8")
    assert shown == path.read_text(encoding="utf-8"), "if the change is meant: UPDATE_SNAPSHOTS=1 pytest"


@pytest.mark.parametrize(
    ("actor", "message"),
    [
        ([], "actor is empty"),
        ([small(), 3], "actor has to be a LangChain chat model"),
        ([twice := small(), small(), twice], "actor has a model twice"),
        ([small(), small(), small(), small()], "4 models need at least 4 attempts, got max_attempts=3"),
    ],
    ids=["empty", "no-model", "twice", "more-than-attempts"],
)
def test_what_is_no_cascade_is_refused(actor: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        create_reflection_graph(actor=actor)


def test_a_sequence_of_one_is_a_model_like_any_other() -> None:
    result = create_reflection_graph(actor=(small(RIGHT),), verifier=Judge()).invoke(TASK)
    assert (result["verdict"], result["attempts"][0]["model"]) == ("passed", "small")


def test_a_mode_of_ones_own_without_a_way_to_the_next_model_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(loop: ReflectionLoop) -> ReflectionBuilder:
        graph = framed(loop)
        graph.add_step("verify", verify)
        graph.add_route("attempt", after_attempt, *loop.strategies, "outcome", new="verify")
        graph.add_route("verify", after_verify, *loop.strategies, "outcome")
        return graph

    monkeypatch.setattr("thoughtgraph.graphs.reflection.create._MODES", {"lost": lost})
    with pytest.raises(GraphShapeError, match=r"no path leads to \['escalate'\]"):
        create_reflection_graph("lost", actor=[small(), small()])


async def test_a_batch_with_what_is_no_cascade_ends_before_its_first_task(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="2 models need at least 2 attempts"):
        await asolve_many([small(), small()], [Task("1", "Say it.", "", "", "")], save=tmp_path, max_attempts=1)
    assert list(tmp_path.iterdir()) == []
