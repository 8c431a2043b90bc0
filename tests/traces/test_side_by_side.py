"""A recording around several runs: each stands for itself, and the figures of the whole are those of all."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from support.paths import TESTS
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph, Verdict, create_reflection_graph, multi_section_parser, think, think_with_retry
from thoughtgraph.traces import recording


def judge(task: str, answer: str) -> Verdict:
    """Passes one answer."""
    return Verdict("passed") if answer == "ok" else Verdict("failed", "no")


def loop(*replies: str) -> Any:
    """A loop that has an attempt for each reply."""
    actor = ScriptedModel(replies=list(replies))
    return create_reflection_graph(actor=actor, verifier=judge, max_attempts=len(replies))


def two(how: str) -> ContextGraph:
    """One run that passes at once, and one that fails twice."""
    first, second = loop("ok"), loop("no", "bad")
    with recording() as recorder:
        if how == "in turn":
            first.invoke({"task": "A"})
            second.invoke({"task": "B"})
        else:

            async def both() -> None:
                await asyncio.gather(first.ainvoke({"task": "A"}), second.ainvoke({"task": "B"}))

            asyncio.run(both())
    return ContextGraph.from_run(recorder)


@pytest.mark.parametrize("how", ["in turn", "at once"])
def test_runs_side_by_side_are_told_apart_and_added_up(how: str, tmp_path: Path) -> None:
    graph = two(how)
    runs = sorted(graph.runs, key=lambda run: str(run.events[0]["data"].get("task")))
    assert [run.metrics().verdict for run in runs] == ["passed", "failed"]
    assert [run.metrics().attempts for run in runs] == [1, 2]
    metrics, cost = graph.metrics(), graph.cost()
    assert (metrics.verdict, metrics.finished, metrics.attempts, metrics.model_calls) == ("failed", True, 3, 3)
    assert metrics.tokens == sum(run.metrics().tokens for run in runs) == 45
    assert cost.total.input_tokens + cost.total.output_tokens == 45
    assert sorted(branch.branch for branch in cost.branches if branch.kind == "attempt") in (
        ["run 1, attempt 1", "run 2, attempt 1", "run 2, attempt 2"],
        ["run 1, attempt 1", "run 1, attempt 2", "run 2, attempt 1"],
    )
    why = graph.why_stopped()
    assert why.kind == "max_iterations"
    assert "attempt 1 passed its check" in why.sentence
    assert "the limit of 2 attempts was reached" in why.sentence
    assert ContextGraph.from_run(graph.save(tmp_path / "run.jsonl")).metrics() == metrics


def test_revisions_are_those_of_each_run_and_of_no_two() -> None:
    with recording() as recorder:
        loop("no", "ok").invoke({"task": "A"})
        loop("bad", "worse", "ok").invoke({"task": "B"})
    graph = ContextGraph.from_run(recorder)
    assert [difference.names for difference in graph.revisions().differences] == [
        ("run 1, attempt 1 (failed)", "run 1, attempt 2 (passed)"),
        ("run 2, attempt 1 (failed)", "run 2, attempt 2 (failed)"),
        ("run 2, attempt 2 (failed)", "run 2, attempt 3 (passed)"),
    ]
    assert graph.runs[0].revisions().differences[0].names == ("attempt 1 (failed)", "attempt 2 (passed)")


def test_no_run_follows_from_the_one_before() -> None:
    goals = [event for event in two("in turn").events if event["kind"] == "goal"]
    assert [event["links"] for event in goals] == [[], []]


def test_a_run_alone_is_its_only_one() -> None:
    graph = ContextGraph.from_run(loop("ok").invoke({"task": "A"}))
    assert [run.events for run in graph.runs] == [graph.events]
    assert ContextGraph(()).runs == []
    assert ContextGraph(()).metrics().attempts == 0


def test_what_is_recorded_after_a_run_belongs_to_none_of_its_attempts() -> None:
    model = ScriptedModel(replies=["[Plan]\nx"])
    with recording() as recorder:
        loop("ok").invoke({"task": "A"})
        think_with_retry(model, "plan", multi_section_parser, section_headers=["[Plan]"])
    branches = {branch.branch: branch.input_tokens for branch in ContextGraph.from_run(recorder).cost().branches}
    assert branches == {"run": 10, "attempt 1": 10}


@pytest.mark.parametrize("order", ["AtB", "tAtB", "AttBtA"])
def test_a_reply_between_two_runs_does_not_put_one_into_the_other(order: str) -> None:
    loops = {"A": ("ok",), "B": ("no", "bad")}
    with recording() as recorder:
        for what in order:
            if what == "t":
                think(ScriptedModel(replies=["Hello."]), "Say hello.")
            else:
                loop(*loops[what]).invoke({"task": what})
    graph = ContextGraph.from_run(recorder)
    metrics, total = graph.metrics(), graph.cost().total
    made = sum(event["kind"] == "attempt" for event in graph.events)
    assert [run.events[-1]["data"].get("verdict") for run in graph.runs][1] == "failed"
    assert (len(graph.runs), metrics.attempts, metrics.verdict) == (order.count("A") + 1, made, "failed")
    assert (metrics.input_tokens, metrics.output_tokens) == (total.input_tokens, total.output_tokens)
    assert metrics.tokens == 15 * metrics.model_calls == 15 * (made + order.count("t"))


def judged_by_a_loop() -> ContextGraph:
    """A run whose verifier is a loop of its own."""

    def verifier(task: str, answer: str) -> Verdict:
        loop("no", "ok").invoke({"task": f"judge {answer}"})
        return Verdict("passed")

    graph = create_reflection_graph(actor=ScriptedModel(replies=["x"]), verifier=verifier)
    return ContextGraph.from_run(graph.invoke({"task": "A"}))


def saved_plan_with_a_solver() -> ContextGraph:
    """A plan-act run of an older version, whose outcome leaves out the tokens of the loop in a tool."""
    return ContextGraph.from_run(TESTS / "fixtures" / "events" / "v1_plan_act_solver.jsonl")


@pytest.mark.parametrize(
    "made",
    [lambda: two("in turn"), lambda: two("at once"), judged_by_a_loop, saved_plan_with_a_solver],
    ids=["in turn", "at once", "a loop judges", "a loop in a tool"],
)
def test_the_page_has_the_figures_of_the_metrics_and_of_the_costs(made: Any) -> None:
    graph: ContextGraph = made()
    data = graph.to_html().partition('type="application/json">')[2].partition("</script>")[0]
    shown, metrics, total = json.loads(data)["totals"], graph.metrics(), graph.cost().total
    figures = ("attempts", "tool_calls", "input_tokens", "output_tokens", "cached_tokens", "seconds")
    assert shown == {name: getattr(metrics, name) for name in figures}
    tokens = figures[2:5]
    assert [shown[name] for name in tokens] == [getattr(total, name) for name in tokens]
