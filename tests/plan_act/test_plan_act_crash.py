"""A plan-act run outlives its process: killed in a pause or in a tool, it goes on in another one, on the same file."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command
from support.paths import python_path
from support.plan_act import THREAD, act, done, planned, replanned
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph, create_plan_act_graph
from thoughtgraph.tools.calls.idempotency import idempotency_key

pytestmark = [pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL"), pytest.mark.slow]

FIRST_PROCESS = """
import os, signal, sys
from langgraph.checkpoint.sqlite import SqliteSaver
from support.plan_act import GOAL, THREAD, act, ask, planned
from support.scripted import ScriptedModel
from test_plan_act_crash import booking
from thoughtgraph import create_plan_act_graph

where, effects = sys.argv[1:]
replies = [planned("a"), act("book", "table"), ask("Which?")]
with SqliteSaver.from_conn_string("runs.sqlite") as saver:
    tools = [booking(effects, dies=where == "tool")]
    graph = create_plan_act_graph(ScriptedModel(replies=replies), tools, checkpointer=saver)
    paused = graph.invoke(dict(GOAL), THREAD, durability="sync")
    print(paused["__interrupt__"][0].value, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def booking(path: str, *, dies: bool = False) -> Any:
    """A tool with an effect that is applied once a key, and which may die between the effect and its answer."""

    def book(text: str) -> str:
        """Book something."""
        with sqlite3.connect(path) as store:
            store.execute("CREATE TABLE IF NOT EXISTS effects (key TEXT PRIMARY KEY, text TEXT)")
            store.execute("CREATE TABLE IF NOT EXISTS calls (key TEXT)")
            store.execute("INSERT OR IGNORE INTO effects VALUES (?, ?)", (idempotency_key(), text))
            store.execute("INSERT INTO calls VALUES (?)", (idempotency_key(),))
        store.close()
        if dies:
            os.kill(os.getpid(), signal.SIGKILL)
        return f"booked {text}"

    return book


def killed(where: str, folder: Path) -> str:
    """Run the first process until it dies; returns what it printed."""
    child = subprocess.run(
        [sys.executable, "-c", FIRST_PROCESS, where, "effects.sqlite"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": python_path(__file__), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert child.returncode == -signal.SIGKILL, child.stderr
    return child.stdout.strip()


def rows(folder: Path, table: str) -> list[Any]:
    """What the tool left behind."""
    with sqlite3.connect(folder / "effects.sqlite") as store:
        found = [row[0] for row in store.execute(f"SELECT key FROM {table}")]
    store.close()
    return found


def resumed(folder: Path, replies: list[str], given: Any) -> tuple[dict[str, Any], ScriptedModel]:
    """Go on in this process with what the first one left on disk."""
    model = ScriptedModel(replies=replies)
    with SqliteSaver.from_conn_string(str(folder / "runs.sqlite")) as saver:
        graph = create_plan_act_graph(model, [booking(str(folder / "effects.sqlite"))], checkpointer=saver)
        result = graph.invoke(given, THREAD, durability="sync")
    assert len(model.requests) == len(replies)
    return result, model


def assert_whole(result: dict[str, Any]) -> None:
    """No event is lost or doubled, and all of them hang together."""
    assert [event["seq"] for event in result["events"]] == list(range(len(result["events"])))
    assert len({event["run_id"] for event in result["events"]}) == 1
    assert ContextGraph.from_run(result).nx.number_of_nodes() == len(result["events"])


def test_a_pause_outlives_its_process_and_no_call_is_repeated(tmp_path: Path) -> None:
    assert killed("pause", tmp_path) == "Please confirm: Which?"
    replies = [replanned("a"), done("A"), replanned(response="end")]
    result, model = resumed(tmp_path, replies, Command(resume="the red one"))
    assert result["response"] == "end"
    assert result["clarifications"] == [{"question": "Which?", "answer": "the red one", "assumed": False}]
    assert [seen["result"] for seen in result["observations"]] == ["booked table"]
    assert "the red one" in str(model.requests[0][-1].content)
    assert len(rows(tmp_path, "calls")) == 1
    assert_whole(result)


def test_a_tool_killed_behind_its_effect_is_run_again_and_its_effect_stays_one(tmp_path: Path) -> None:
    assert killed("tool", tmp_path) == ""
    assert len(rows(tmp_path, "calls")) == 1, "the tool died before its effect"
    result, _ = resumed(tmp_path, [done("A"), replanned(response="end")], None)
    assert result["response"] == "end"
    assert [seen["result"] for seen in result["observations"]] == ["booked table"]
    calls = rows(tmp_path, "calls")
    assert len(calls) == 2
    assert rows(tmp_path, "effects") == [calls[0]] == [calls[1]]
    assert result["steps"] == 4
    assert_whole(result)


def test_the_same_call_made_twice_on_purpose_has_two_keys_and_two_effects(tmp_path: Path) -> None:
    path = str(tmp_path / "effects.sqlite")
    replies = [planned("a"), act("book", "table"), act("book", "table"), done("A"), replanned()]
    graph = create_plan_act_graph(ScriptedModel(replies=replies * 2), [booking(path)], interactive=False)
    graph.invoke({"goal": "Book twice"})
    assert len(set(rows(tmp_path, "effects"))) == 2
    graph.invoke({"goal": "Book twice"})
    assert len(set(rows(tmp_path, "effects"))) == 4, "two runs share a key"
    assert idempotency_key() is None
