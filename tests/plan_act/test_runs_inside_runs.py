"""A run inside a run: what its outer run reports of it, and what it must not take for its own."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langchain_core.tools import BaseTool, tool
from support.plan_act import TWINS, act, acts, done, planned, play, replanned, twin
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph, Guards, Verdict, create_reflection_graph, think_with_retry
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


def summarizer(**metadata: Any) -> BaseTool:
    """A tool that asks a model itself, whose first reply is refused."""

    def parser(reply: str) -> dict[str, Any]:
        right = reply == "short"
        return {"status": "success" if right else "error", "content": reply, "feedback": "" if right else "shorter"}

    @tool
    def summarize(text: str) -> str:
        """Summarize a text."""
        return str(think_with_retry(ScriptedModel(replies=["long", "short"]), text, parser))

    summarize.metadata = metadata
    return summarize


@pytest.mark.parametrize("way", TWINS)
@pytest.mark.parametrize("at_once", [False, True], ids=["one", "at once"])
def test_what_a_tool_asks_a_model_for_is_counted(way: str, at_once: bool) -> None:
    call = acts(("summarize", "one"), ("summarize", "two")) if at_once else act("summarize", "one")
    replies = [planned("sum up"), call, done("short"), replanned(response="short")]
    result = play(twin(way), replies, [summarizer(parallel=True)]).result
    thoughts = sum(event["kind"] == "thought" for event in result["events"])
    assert thoughts == 4 + (4 if at_once else 2)
    assert result["usage"]["total_tokens"] == 15 * thoughts
    graph = ContextGraph.from_run(result)
    assert graph.cost().total.input_tokens + graph.cost().total.output_tokens == 15 * thoughts
    assert graph.metrics().tokens == 15 * thoughts


def test_the_budget_of_tokens_sees_what_a_tool_has_spent() -> None:
    replies = [planned("sum up"), act("summarize", "one"), "It is short."]
    result = play(twin("sync"), replies, [summarizer()], guards=Guards(max_tokens=55)).result
    assert result["stop_reason"] == {"kind": "token_budget", "value": 60, "limit": 55}
