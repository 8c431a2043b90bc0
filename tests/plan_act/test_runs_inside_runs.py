"""A run inside a run: what its outer run reports of it, and what it must not take for its own."""

from __future__ import annotations

import json
from typing import Any

from support.plan_act import play, twin
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph, Verdict, create_reflection_graph
from thoughtgraph.tools import solver_tool
from thoughtgraph.traces import Event


def solved_inside() -> tuple[dict[str, Any], list[Event]]:
    """A plan-act run whose one step is solved by a reflection loop."""

    def judge(task: str, answer: str) -> Verdict:
        return Verdict("passed") if answer == "right" else Verdict("failed", "no")

    inner = ScriptedModel(replies=["wrong", "right"])
    tool = solver_tool(create_reflection_graph(actor=inner, verifier=judge), name="solve")
    script = [
        {"status": "planned", "plan": ["solve it"]},
        {"status": "continue", "next_action": {"tool": "solve", "input": "say the right thing"}},
        {"status": "done", "response": "right"},
        {"status": "replanned", "plan": [], "response": "right"},
    ]
    result = play(twin("sync"), list(map(json.dumps, script)), [tool]).result
    return result, result["events"]


def test_the_outer_run_counts_the_tokens_of_the_run_inside_once() -> None:
    result, events = solved_inside()
    calls = sum(event["kind"] == "thought" for event in events)
    assert result["usage"]["total_tokens"] == 15 * calls
    graph = ContextGraph(events)
    assert graph.cost().total.input_tokens + graph.cost().total.output_tokens == 15 * calls
    assert graph.metrics().tokens == 15 * calls


def test_a_finished_run_is_told_by_its_own_goal_and_outcome() -> None:
    _, events = solved_inside()
    metrics = ContextGraph(events).metrics()
    assert (metrics.mode, metrics.verdict, metrics.stop_kind) == ("plan_act", "", "goal_met")


def test_the_outcome_inside_is_not_the_end_of_an_unfinished_run() -> None:
    _, events = solved_inside()
    inner_end = next(event["seq"] for event in events if event["kind"] == "outcome")
    graph = ContextGraph(events[: inner_end + 1])
    metrics = graph.metrics()
    assert (metrics.mode, metrics.finished, metrics.verdict) == ("plan_act", False, "")
    assert graph.why_stopped().kind == "interrupted"
