"""The user as a verifier: asked once for each attempt, in every mode, also after a restart."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from support.modes import RIGHT, TASK, THREAD, Mode, all_modes
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph, create_reflection_graph, open_checkpoints
from thoughtgraph.tools.verifiers import HumanVerifier

ANSWERS = ["wrong 0.0", "wrong 0.1", RIGHT]


@pytest.fixture(params=["sync", "async"])
def how(request: pytest.FixtureRequest) -> str:
    """Invoke a graph by either twin."""
    return request.param


def resumed(how: str, graph: Any, given: Any) -> dict[str, Any]:
    """What a graph returns on its thread."""
    return graph.invoke(given, THREAD) if how == "sync" else asyncio.run(graph.ainvoke(given, THREAD))


@all_modes
def test_each_attempt_is_asked_about_once(how: str, mode: Mode) -> None:
    script = mode.script(ANSWERS, verifier=HumanVerifier(question="Well?"))
    graph = script.graph(checkpointer=InMemorySaver())
    asked: list[Any] = []
    result = resumed(how, graph, dict(TASK))
    for said in ("Too loud.", {"passed": False, "feedback": "Too soft.", "score": 0.5}, True):
        [pause] = result["__interrupt__"]
        asked.append(pause.value)
        result = resumed(how, graph, Command(resume=said))
    assert asked == [{"task": TASK["task"], "answer": answer, "question": "Well?"} for answer in ANSWERS]
    json.dumps(asked)
    assert [attempt["verdict"] for attempt in result["attempts"]] == ["failed", "failed", "passed"]
    assert [attempt["feedback"] for attempt in result["attempts"][:2]] == ["Too loud.", "Too soft."]
    assert (result["verdict"], result["attempts"][1]["score"]) == ("passed", 0.5)
    assert len(script.actor.requests) == len(script.actor.replies)
    kinds = [event["kind"] for event in result["events"]]
    assert (kinds.count("attempt"), kinds.count("verdict")) == (3, 3)
    assert ContextGraph.from_run(result).why_stopped().kind == "passed"


@all_modes
def test_the_question_outlives_the_process(tmp_path: Path, mode: Mode) -> None:
    script = mode.script(["wrong 0.0", RIGHT], verifier=HumanVerifier())
    with open_checkpoints(tmp_path / "runs.sqlite") as checkpointer:
        paused = script.graph(checkpointer=checkpointer).invoke(dict(TASK), THREAD)
    assert paused["__interrupt__"][0].value["answer"] == "wrong 0.0"
    for said, left in (("No good.", True), ("yes", False)):
        with open_checkpoints(tmp_path / "runs.sqlite") as checkpointer:
            result = script.graph(checkpointer=checkpointer).invoke(Command(resume=said), THREAD)
        assert ("__interrupt__" in result) == left
    assert [attempt["verdict"] for attempt in result["attempts"]] == ["failed", "passed"]
    assert [event["seq"] for event in result["events"]] == list(range(len(result["events"])))
    assert len(script.actor.requests) == len(script.actor.replies)


@pytest.mark.parametrize(
    ("said", "verdict", "feedback"),
    [
        (True, "passed", ""),
        (False, "failed", "The answer failed its check."),
        ("Yes.", "passed", ""),
        ("OK!", "passed", ""),
        ("是的。", "passed", ""),
        ("no", "failed", "The answer failed its check."),
        ("yes, but shorter", "failed", "yes, but shorter"),
        (" Shorter. ", "failed", "Shorter."),
        ({"passed": True, "feedback": "Nice."}, "passed", "Nice."),
    ],
)
def test_the_users_word_is_the_verdict(how: str, said: Any, verdict: str, feedback: str) -> None:
    model = ScriptedModel(replies=["an answer"])
    graph = create_reflection_graph(actor=model, verifier=HumanVerifier(), max_attempts=1, checkpointer=InMemorySaver())
    resumed(how, graph, dict(TASK))
    result = resumed(how, graph, Command(resume=said))
    assert (result["verdict"], result["attempts"][0]["feedback"]) == (verdict, feedback)


@pytest.mark.parametrize(
    "odd", [1, "", "  ", [], {"passed": "yes"}, {"feedback": "Nice."}, {"passed": True, "score": 7}]
)
def test_what_says_neither_is_asked_again(how: str, odd: Any) -> None:
    model = ScriptedModel(replies=["an answer"])
    graph = create_reflection_graph(actor=model, verifier=HumanVerifier(), checkpointer=InMemorySaver())
    first = resumed(how, graph, dict(TASK))["__interrupt__"][0].value
    again = resumed(how, graph, Command(resume=odd))["__interrupt__"][0].value
    assert again == {**first, "problem": again["problem"]}
    assert "passed" in again["problem"]
    result = resumed(how, graph, Command(resume=True))
    assert (result["verdict"], len(result["attempts"])) == ("passed", 1)
