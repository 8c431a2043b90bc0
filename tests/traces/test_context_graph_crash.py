"""G2: a run that is killed, paused or resumed leaves every event once, and its trace grows with the run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command, interrupt
from support.paths import python_path
from support.plan_act import GOAL, THREAD, act, ask, done, echo_tool, planned, replanned
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph, Verdict, create_plan_act_graph, create_reflection_graph

pytestmark = pytest.mark.slow

TASK: Any = {"task": "Say four."}
KILLED = pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
KINDS = ["goal", *["thought", "attempt", "verdict"] * 3, "outcome"]
FIRST_PROCESS = """
import os, signal, sys
from langgraph.checkpoint.sqlite import SqliteSaver
from support.plan_act import THREAD
from support.scripted import ScriptedModel
from test_context_graph_crash import TASK, is_four
from thoughtgraph import create_reflection_graph

class DyingModel(ScriptedModel):
    def _generate(self, *args, **options):
        if sys.argv[1] == "attempt" and len(self.requests) == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return super()._generate(*args, **options)

def verifier(task, answer):
    if sys.argv[1] == "verify" and answer == "two":
        os.kill(os.getpid(), signal.SIGKILL)
    return is_four(task, answer)

with SqliteSaver.from_conn_string("runs.sqlite") as saver:
    model = DyingModel(replies=["one", "two", "four"])
    graph = create_reflection_graph(actor=model, verifier=verifier, checkpointer=saver)
    graph.invoke(TASK, THREAD, durability="sync")
"""


def is_four(task: str, answer: str) -> Verdict:
    """Passes the word four."""
    return Verdict("passed") if answer == "four" else Verdict("failed", f"{answer} is not four")


def assert_whole(events: Any) -> None:
    """No event is lost or doubled, and each hangs together with one before it."""
    assert [event["seq"] for event in events] == list(range(len(events)))
    assert len({event["id"] for event in events}) == len(events)
    assert len({event["run_id"] for event in events}) == 1
    known: set[str] = set()
    for event in events:
        assert {link["source"] for link in event["links"]} <= known
        assert bool(event["links"]) == bool(known)
        known.add(event["id"])


@KILLED
@pytest.mark.parametrize(
    ("where", "before", "replies"),
    [("attempt", 4, ["two", "four"]), ("verify", 6, ["four"])],
    ids=["while-it-answers", "while-it-is-checked"],
)
def test_a_killed_reflection_run_is_readable_and_resumes_with_every_event_once(
    tmp_path: Path, where: str, before: int, replies: list[str]
) -> None:
    child = subprocess.run(
        [sys.executable, "-c", FIRST_PROCESS, where],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": python_path(__file__),
            "PYTHONIOENCODING": "utf-8",
        },
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert child.returncode == -signal.SIGKILL, child.stderr
    model = ScriptedModel(replies=replies)
    with SqliteSaver.from_conn_string(str(tmp_path / "runs.sqlite")) as saver:
        graph = create_reflection_graph(actor=model, verifier=is_four, checkpointer=saver)
        left = ContextGraph.from_run(graph.get_state(THREAD))
        result = graph.invoke(None, THREAD, durability="sync")
    assert [event["kind"] for event in left.events] == KINDS[:before]
    assert left.why_stopped().kind == "interrupted"
    assert left.events == result["events"][:before]
    assert [event["kind"] for event in result["events"]] == KINDS
    assert len(model.requests) == len(replies)
    assert_whole(result["events"])


def test_a_run_that_was_resumed_after_a_question_has_every_event_once() -> None:
    replies = [planned("a"), act("echo", "x"), ask("Which?"), replanned("a"), done("A"), replanned()]
    graph = create_plan_act_graph(ScriptedModel(replies=replies), [echo_tool()], checkpointer=InMemorySaver())
    paused = graph.invoke(dict(GOAL), THREAD)
    result = graph.invoke(Command(resume="this"), THREAD)
    assert result["events"][: len(paused["events"])] == paused["events"]
    assert_whole(result["events"])
    merged = ContextGraph([*paused["events"], *result["events"]])
    assert merged.events == result["events"]
    assert merged.cost() == ContextGraph.from_run(result).cost()


def test_a_verifier_that_asks_the_user_leaves_no_event_twice() -> None:
    def asked(task: str, answer: str) -> Verdict:
        return Verdict("passed") if interrupt(answer) == "yes" else Verdict("failed", "no")

    model = ScriptedModel(replies=["one", "two"])
    graph = create_reflection_graph(actor=model, verifier=asked, checkpointer=InMemorySaver())
    graph.invoke(TASK, THREAD)
    assert ContextGraph.from_run(graph.get_state(THREAD)).why_stopped().kind == "interrupted"
    for answer in ("no", "yes"):
        result = graph.invoke(Command(resume=answer), THREAD)
    assert [event["kind"] for event in result["events"]] == [*KINDS[:7], "outcome"]
    assert len(model.requests) == 2
    assert_whole(result["events"])


def test_a_thread_that_is_used_again_has_the_events_of_its_last_run() -> None:
    graph = create_reflection_graph(
        actor=ScriptedModel(replies=["four"] * 2), verifier=is_four, checkpointer=InMemorySaver()
    )
    first, second = (graph.invoke(TASK, THREAD) for _ in range(2))
    assert ContextGraph.from_run(first).run_id != ContextGraph.from_run(second).run_id
    assert_whole(second["events"])


@pytest.mark.parametrize("strategy", ["repair", "fresh", "lesson"])
def test_a_trace_grows_with_the_attempts_and_not_with_their_square(strategy: Any) -> None:
    sizes: list[int] = []
    for attempts in (8, 16, 32):
        model = ScriptedModel(replies=[f"answer {number:03}" for number in range(attempts)])
        options: Any = {"max_attempts": attempts, "patience": 99, "strategies": [strategy]}
        graph = create_reflection_graph(actor=model, verifier=is_four, **options)
        sizes.append(len(json.dumps(graph.invoke(TASK)["events"])))
    assert sizes[2] - sizes[1] < 2.1 * (sizes[1] - sizes[0])
