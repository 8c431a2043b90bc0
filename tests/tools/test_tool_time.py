"""The time of a tool: told by its observation, and counted once where the tool was a run of its own."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langchain_core.tools import tool
from support.paths import TESTS
from support.plan_act import play, twin
from thoughtgraph import ContextGraph
from thoughtgraph.traces import Event

SOLVED_BY_A_TOOL = TESTS / "fixtures" / "events" / "v1_plan_act_solver.jsonl"


def timed(event: Event, seconds: dict[str, float]) -> Event:
    told = {"seconds": seconds[event["kind"]]} if event["kind"] in seconds else {}
    kept = {name: value for name, value in event["data"].items() if name != "seconds"}
    return {**event, "data": {**kept, **told}}


def test_an_observation_tells_how_long_its_tool_took(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter(range(100_000))
    monkeypatch.setattr("time.monotonic", lambda: float(next(ticks)))

    @tool
    def look(where: str) -> str:
        """Look somewhere."""
        return "nothing there"

    script: list[Any] = [
        {"status": "planned", "plan": ["look"]},
        {"status": "continue", "next_action": {"tool": "look", "input": {"where": "here"}}},
        {"status": "done", "response": "nothing"},
        {"status": "replanned", "plan": [], "response": "nothing"},
    ]
    events = play(twin("sync"), list(map(json.dumps, script)), [look]).result["events"]
    (seen,) = [event for event in events if event["kind"] == "observation"]
    assert seen["data"]["seconds"] >= 1.0
    assert ContextGraph(events).metrics().tool_seconds == seen["data"]["seconds"]


def test_the_time_of_a_run_inside_a_tool_is_counted_once() -> None:
    saved = ContextGraph.from_run(SOLVED_BY_A_TOOL).events
    thoughts = sum(event["kind"] == "thought" for event in saved)
    inner = saved[5:13]
    assert (inner[0]["kind"], inner[-1]["kind"]) == ("goal", "outcome")
    events = [timed(event, {"thought": 1.0, "observation": 5.0}) for event in saved]
    within = sum(event["kind"] == "thought" for event in inner)
    assert ContextGraph(events).cost().total.seconds == thoughts + 5.0 - within
