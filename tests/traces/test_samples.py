"""Samples that were drawn at once, as every reader of a trace shows them: side by side, and not as a chain."""

from __future__ import annotations

import pytest
from support.sampled import run_in_vain as in_vain
from support.sampled import sampled_run as run
from thoughtgraph import ContextGraph
from thoughtgraph.traces.metrics.run import run_metrics
from thoughtgraph.traces.page.layout import drawn_walks

pytestmark = pytest.mark.slow


def test_the_samples_of_a_batch_follow_from_the_same_event_and_from_none_of_each_other() -> None:
    events = in_vain()["events"]
    thoughts = [event for event in events if event["kind"] == "thought"]
    causes = [[link["source"] for link in thought["links"]] for thought in thoughts]
    assert causes[2] == causes[3]
    assert causes[4] == causes[5] == causes[6] == causes[7]
    assert len({cause for (cause,) in causes}) == 4
    own = [[link["source"] for link in event["links"]] for event in events if event["kind"] == "attempt"]
    assert own == [[thought["id"]] for thought in thoughts[:6]]
    assert {(event["node"], event["step"]) for event in thoughts[4:]} == {("sample", thoughts[4]["step"])}


def test_the_way_through_the_graph_is_known_at_every_step() -> None:
    for result in (in_vain(), run(*"abcabcaa", verified=False)):
        (walk,) = drawn_walks(result["events"])
        start, *visits = walk["visits"]
        assert start["from"] is None
        assert all(visit["from"] is not None for visit in visits)


def test_every_sample_costs_what_it_cost_and_none_is_counted_twice() -> None:
    report = ContextGraph.from_run(in_vain()).cost()
    attempts = {cost.branch: cost.output_tokens for cost in report.branches if cost.kind == "attempt"}
    # Those that were never judged come after the last attempt.
    assert attempts == {**{f"attempt {number}": 5 for number in range(1, 7)}, "no attempt": 10}
    assert report.total.output_tokens == 8 * 5


def test_metrics_count_what_was_judged_and_what_was_paid() -> None:
    metrics = run_metrics(in_vain()["events"])
    assert (metrics.mode, metrics.attempts, metrics.iterations_to_success, metrics.model_calls) == (
        "best_of_n",
        6,
        6,
        8,
    )
    assert metrics.tokens == 8 * 15


def test_the_end_is_shown_by_the_attempt_that_passed_and_its_verdict() -> None:
    graph = ContextGraph.from_run(in_vain())
    told = graph.why_stopped()
    assert [event["kind"] for event in told.evidence] == ["attempt", "verdict"]
    path = graph.path_to_outcome()
    assert [event["kind"] for event in path][-4:] == ["thought", "attempt", "verdict", "outcome"]
    assert path[-3]["data"].get("number") == 6


def test_an_agreement_is_shown_by_its_first_sample_and_the_last_count() -> None:
    graph = ContextGraph.from_run(run(*"abbb", verified=False, limit=4))
    told = graph.why_stopped()
    assert told.sentence == "It stopped because 3 of 4 samples agree on the answer, which is no check."
    attempt, verdict = told.evidence
    assert (attempt["data"].get("number"), verdict["data"].get("details")) == (2, {"agreed": 3, "samples": 4})
    assert [link["source"] for link in verdict["links"]] == [
        event["id"] for event in graph.events if event["kind"] == "attempt" and event["data"].get("answer") == "b"
    ]
    assert run_metrics(graph.events).failure_kinds == {}


def test_in_a_log_of_inspect_every_sample_has_a_span_with_its_own_call() -> None:
    pytest.importorskip("inspect_ai")
    from thoughtgraph.traces.exports.inspect_log import inspect_log

    log = inspect_log([ContextGraph.from_run(in_vain())])
    assert log.samples is not None
    events = log.samples[0].events
    spans = {event.id: event.name for event in events if event.event == "span_begin" and event.type == "attempt"}
    calls = [spans.get(str(event.span_id)) for event in events if event.event == "model"]
    assert calls == [*(f"attempt {number}" for number in range(1, 7)), None, None]
