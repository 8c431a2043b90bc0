"""Metrics: what a run's events come to in numbers, whatever loop left them, and many runs summed up."""

from __future__ import annotations

import time
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage
from support.paths import ROOT
from support.plan_act import act, ask, broken_tool, done, echo_tool, planned, play, replanned, twin
from support.scripted import ScriptedModel, code
from thoughtgraph import ContextGraph, PythonTests, Verdict, create_reflection_graph
from thoughtgraph.tools import solver_tool
from thoughtgraph.traces.metrics.run import RunMetrics, run_metrics, summarize
from thoughtgraph.traces.metrics.share import Share, sign_test

TASK: Any = {"task": "Write `double(x)`."}
TESTS = PythonTests("assert double(2) == 4\nassert double(3) == 6")
GOOD = code("def double(x):\n    return x * 2")
BAD = code("def double(x):\n    return x - 9")
WORSE = code("def double(x):\n    return 1")
REFLECTION = "[Mistake]\nI subtracted nine.\n[Next time]\nMultiply by two."
ACCEPT = "[Critique]\nRight.\n[Score]\n9\n[Verdict]\nACCEPT"
REVISE = "[Critique]\nWrong.\n[Score]\n2\n[Verdict]\nREVISE"


def solved(replies: list[Any], mode: str = "external_loop", **options: Any) -> RunMetrics:
    """The metrics of a run over scripted replies."""
    options = {"verifier": TESTS, **options}
    model = ScriptedModel(replies=replies)
    result = create_reflection_graph(mode, actor=model, **options).invoke(TASK)
    assert len(model.requests) == len(replies), "the loop asked for fewer replies than scripted"
    return run_metrics(result["events"])


def event(kind: str, data: Any = None, **fields: Any) -> Any:
    """An event with nothing but what is given."""
    return {"kind": kind, "data": {} if data is None else data, **fields}


def test_a_run_in_place_of_its_events_is_refused() -> None:
    run: Any = create_reflection_graph(actor=ScriptedModel(replies=["a"])).invoke({"task": "t"})
    for wrong in (run, "run.jsonl", None):
        with pytest.raises(ValueError, match=r"give run\[\"events\"\]"):
            run_metrics(wrong)
        with pytest.raises(ValueError, match=r"give run\[\"events\"\]"):
            ContextGraph(wrong)
    assert run_metrics(iter(run["events"])) == run_metrics(run["events"])


def test_a_run_that_passes_at_once_is_solved_first_try() -> None:
    metrics = solved([GOOD])
    assert (metrics.mode, metrics.verdict, metrics.stop_kind) == ("external_loop", "passed", "passed")
    assert (metrics.attempts, metrics.solved_first_try, metrics.failed_first) == (1, True, False)
    assert (metrics.iterations_to_success, metrics.failure_kinds) == (1, {})
    assert (metrics.model_calls, metrics.input_tokens, metrics.output_tokens) == (1, 10, 5)


def test_a_run_that_passes_later_tells_when_and_what_failed_before() -> None:
    metrics = solved(["I cannot.", "Sorry.", BAD, GOOD])
    assert (metrics.solved_first_try, metrics.failed_first, metrics.iterations_to_success) == (False, True, 3)
    assert metrics.failure_kinds == {"no_answer": 1, "failed": 1}
    assert metrics.unreadable_replies == 2
    assert (metrics.model_calls, metrics.tokens) == (4, 60)


def test_a_repeated_answer_and_a_cut_off_reply_are_counted() -> None:
    cut = AIMessage("def do", response_metadata={"finish_reason": "length"})
    metrics = solved([BAD, BAD, cut, cut], max_attempts=3)
    assert (metrics.repeats, metrics.unreadable_replies) == (1, 2)
    assert metrics.failure_kinds == {"failed": 1, "repeated": 1, "truncated": 1}
    assert (metrics.verdict, metrics.stop_kind, metrics.iterations_to_success) == ("failed", "max_iterations", None)


def test_reflections_are_counted() -> None:
    metrics = solved([BAD, REFLECTION, GOOD], "reflexion")
    assert (metrics.mode, metrics.reflections, metrics.iterations_to_success) == ("reflexion", 1, 2)


def test_success_after_a_reflection_is_told_from_success_after_a_critique_or_a_repair() -> None:
    runs = {
        "reflection": solved([BAD, REFLECTION, GOOD], "reflexion"),
        "reflection in vain": solved([BAD, REFLECTION, WORSE], "reflexion", max_attempts=2),
        "reflection, not read": solved([BAD, REFLECTION, GOOD], "reflexion", strategies=["fresh"]),
        "reflection, unreadable": solved([BAD, "Hm.", "Hm.", "Hm.", GOOD], "reflexion"),
        "at once": solved([GOOD], "reflexion"),
        "critique": solved([BAD, REVISE, GOOD], "actor_critic"),
        "repair": solved([BAD, GOOD], strategies=["repair"]),
    }
    told = {name: (run.attempts_after_reflection, run.passed_after_reflection) for name, run in runs.items()}
    assert {name: of for name, of in told.items() if of != (0, False)} == {
        "reflection": (1, True),
        "reflection in vain": (1, False),
    }
    summary = summarize(runs.values())
    assert (summary.after_reflection, summary.after_failure) == (Share(1, 2), Share(5, 6))
    assert "after a reflection            1/2" in str(summary)


def test_a_reflection_of_a_run_inside_a_run_is_not_one_of_the_run_around_it() -> None:
    events = [
        event("goal", id="outer"),
        event("goal", id="inner"),
        event("reflection", {"reflection": "hm"}, id="noted", links=[{"source": "inner"}]),
        event("attempt", id="own", links=[{"source": "outer"}]),
        event("attempt", id="other", links=[{"source": "noted"}]),
    ]
    metrics = run_metrics(events)
    assert (metrics.attempts, metrics.attempts_after_reflection) == (1, 0)
    assert run_metrics([*events[1:3], events[4]]).attempts_after_reflection == 1


def test_an_answer_that_only_a_critic_accepted_is_accepted_unverified() -> None:
    metrics = solved([BAD, REVISE, GOOD, ACCEPT], "actor_critic", verifier=None)
    assert (metrics.mode, metrics.verdict, metrics.stop_kind) == ("actor_critic", "unverified", "accepted")
    assert (metrics.critiques, metrics.rejections, metrics.accepted_unverified) == (2, 1, True)
    assert (metrics.solved_first_try, metrics.failed_first, metrics.iterations_to_success) == (False, False, None)


def test_a_plan_act_run_is_counted_by_its_calls() -> None:
    replies = [
        planned("look", "ask"),
        act("broken", {"text": "a"}),
        act("echo", {"text": "a"}),
        done("looked"),
        replanned("ask"),
        ask("Which one?"),
        replanned(response="finished"),
    ]
    played = play(twin("sync"), replies, [echo_tool(), broken_tool()], answers=["the red one"])
    metrics = run_metrics(played.result["events"])
    assert (metrics.mode, metrics.verdict, metrics.attempts) == ("plan_act", "", 0)
    assert (metrics.tool_calls, metrics.failed_calls, metrics.questions, metrics.replans) == (2, 1, 1, 2)
    assert metrics.steps == played.result["events"][-1]["data"]["steps"] > 0
    assert sum(metrics.failure_kinds.values()) == 1
    assert (metrics.stop_kind, metrics.model_calls) == ("goal_met", 7)


def test_a_call_that_was_tried_again_is_one_call() -> None:
    events = [
        event("action", {"tool": "t"}),
        event("observation", {"tool": "t", "ok": False, "attempt": 1}),
        event("observation", {"tool": "t", "ok": False, "kind_of_failure": "timeout"}),
    ]
    metrics = run_metrics(events)
    assert (metrics.tool_calls, metrics.failed_calls, metrics.failure_kinds) == (1, 1, {"timeout": 1})


def test_an_interrupted_run_is_counted_as_far_as_it_got() -> None:
    result = create_reflection_graph(actor=ScriptedModel(replies=[BAD, GOOD]), verifier=TESTS).invoke(TASK)
    metrics = run_metrics(result["events"][:-1])
    assert (metrics.finished, metrics.verdict, metrics.stop_kind) == (False, "", "")
    assert (metrics.attempts, metrics.failed_first, metrics.iterations_to_success) == (2, True, None)
    assert (metrics.input_tokens, metrics.output_tokens) == (20, 10), "tokens of replies were lost with the outcome"


def test_an_event_that_comes_twice_counts_once() -> None:
    events = create_reflection_graph(actor=ScriptedModel(replies=[BAD, GOOD]), verifier=TESTS).invoke(TASK)["events"]
    assert run_metrics([*events, *events]) == run_metrics(events)


def test_a_verdict_belongs_to_the_attempt_it_links_to() -> None:
    events = [
        event("attempt", {"number": 1}, id="a"),
        event("attempt", {"number": 2}, id="b"),
        event("verdict", {"status": "failed", "kind": "timeout"}, id="c", links=[{"source": "a"}]),
        event("verdict", {"status": "passed"}, id="d", links=[{"source": "b"}]),
        event("outcome", {"verdict": "passed"}, id="e"),
    ]
    metrics = run_metrics(events)
    assert (metrics.failed_first, metrics.iterations_to_success, metrics.failure_kinds) == (True, 2, {"timeout": 1})


@pytest.mark.parametrize(
    ("events", "mode"),
    [
        ([event("goal", {"mode": "own"}), event("attempt")], "own"),
        ([event("attempt"), event("critique", {"by": "critic"})], "actor_critic"),
        ([event("attempt"), event("critique", {"by": "evaluator"})], "reflexion"),
        ([event("attempt"), event("reflection", {"reflection": "hm"})], "reflexion"),
        ([event("reflection", {"source": "memory", "lessons": ["a", "b"]}), event("attempt")], "external_loop"),
        ([event("goal"), event("plan")], "plan_act"),
        ([event("thought")], ""),
    ],
    ids=["named", "critic", "evaluator", "reflection", "memory", "plan", "none"],
)
def test_the_mode_is_what_the_events_tell(events: list[Any], mode: str) -> None:
    assert run_metrics(events).mode == mode


def test_a_loop_in_a_tool_or_a_verifier_does_not_tell_the_mode() -> None:
    plan = ContextGraph.from_run(ROOT / "tests/fixtures/events/v1_plan_act_solver.jsonl").metrics()
    assert (plan.mode, plan.attempts) == ("plan_act", 2)
    assert summarize([plan]).passed == Share(0, 0)

    def judged(task: str, answer: str) -> Verdict:
        create_reflection_graph("reflexion", actor=ScriptedModel(replies=["x", ACCEPT])).invoke({"task": "Judge it."})
        return Verdict("passed")

    events = create_reflection_graph(actor=ScriptedModel(replies=["y"]), verifier=judged).invoke(TASK)["events"]
    # As older versions saved it.
    older: Any = [{**one, "data": {name: of for name, of in one["data"].items() if name != "mode"}} for one in events]
    assert {one["kind"] for one in events} >= {"critique"}
    assert run_metrics(older).mode == run_metrics(events).mode == "external_loop"


def test_recalled_lessons_are_no_reflections_of_the_run() -> None:
    metrics = run_metrics([event("reflection", {"source": "memory", "lessons": ["a", "b"]}), event("reflection")])
    assert (metrics.recalled, metrics.reflections) == (2, 1)


def test_seconds_are_told_apart_and_unknown_where_no_event_has_them() -> None:
    events = [
        event("thought", {"seconds": 1.5}, time="2026-01-01T10:00:00.000+00:00"),
        event("thought", {"seconds": 0.5}, time="2026-01-01T10:00:02.000+00:00"),
        event("verdict", {"details": {"seconds": 0.25}}, time="2026-01-01T10:00:02.500+00:00"),
    ]
    metrics = run_metrics(events)
    assert (metrics.seconds, metrics.model_seconds, metrics.verifier_seconds) == (2.5, 2.0, 0.25)
    assert metrics.tool_seconds is None
    assert run_metrics([event("thought")]).seconds is None


def test_the_time_of_a_verifier_inside_of_a_verifier_counts_once() -> None:
    def slow(task: str, answer: str) -> Verdict:
        time.sleep(0.1)
        return Verdict("passed")

    inner = create_reflection_graph(actor=ScriptedModel(replies=["x"]), verifier=slow)

    def asking(task: str, answer: str) -> Verdict:
        return Verdict(inner.invoke({"task": answer})["verdict"])

    run = create_reflection_graph(actor=ScriptedModel(replies=["x"]), verifier=asking).invoke(TASK)
    metrics = run_metrics(run["events"])
    assert metrics.verifier_seconds is not None and metrics.seconds is not None
    assert 0.1 <= metrics.verifier_seconds <= metrics.seconds


def test_the_time_of_a_tool_inside_of_a_tool_counts_once_and_that_of_a_verifier_there_is_told() -> None:
    events = [
        event("goal", id="0"),
        event("action", id="1", links=[{"source": "0"}]),
        event("goal", id="2", links=[{"source": "1"}]),
        event("action", id="3", links=[{"source": "2"}]),
        event("observation", {"seconds": 2.0}, id="4", links=[{"source": "3"}]),
        event("attempt", id="5", links=[{"source": "4"}]),
        event("verdict", {"seconds": 1.0}, id="6", links=[{"source": "5"}]),
        event("observation", {"seconds": 4.0}, id="7", links=[{"source": "1"}]),
        event("observation", {"seconds": 0.5}, id="8", links=[{"source": "7"}]),
    ]
    metrics = run_metrics(events)
    assert (metrics.tool_seconds, metrics.verifier_seconds) == (4.5, 1.0)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
FIELDS = (
    "verdict",
    "stop_reason",
    "usage",
    "kind",
    "seconds",
    "lessons",
    "repeats",
    "accepted",
    "status",
    "tool",
    "ok",
)
KINDS = ("goal", "plan", "thought", "action", "observation", "attempt", "verdict", "critique", "reflection", "outcome")
EVENTS = st.lists(
    st.fixed_dictionaries(
        {"kind": st.sampled_from([*KINDS, "unheard-of"])},
        optional={
            "data": st.dictionaries(st.sampled_from(FIELDS), ANYTHING, max_size=5) | ANYTHING,
            "links": ANYTHING,
            "id": st.text(max_size=2),
            "time": ANYTHING,
        },
    ),
    max_size=12,
)


@given(EVENTS)
def test_no_event_is_too_odd_to_be_counted(events: list[Any]) -> None:
    metrics = run_metrics(events)
    assert metrics.attempts <= len(events)
    assert metrics.input_tokens >= 0
    assert str(metrics)
    assert str(summarize([metrics]))


def test_many_runs_are_summed_up() -> None:
    runs = [
        solved([GOOD]),
        solved([BAD, GOOD]),
        solved([BAD, WORSE, GOOD]),
        solved([BAD], max_attempts=1),
        solved(["It is 4."], verifier=None),
    ]
    summary = summarize(runs)
    assert (summary.runs, summary.passed, summary.first_try) == (5, Share(3, 5), Share(1, 5))
    assert (summary.after_failure, summary.unverified) == (Share(2, 3), Share(1, 5))
    assert summary.after_reflection == Share(0, 0), "these runs only tried again"
    assert (summary.mean_iterations, summary.median_iterations) == (2.0, 2)
    assert summary.failure_kinds == {"failed": 4}
    assert (summary.attempts, summary.model_calls) == (8, 8)
    assert summary.tokens_per_passed == pytest.approx(8 * 15 / 3)
    assert "3/5, 60%" in str(summary)
    assert "failed 4" in str(summary)


def test_nothing_and_nothing_passed_have_no_averages() -> None:
    for summary in (summarize([]), summarize([RunMetrics(), RunMetrics(verdict="failed")])):
        assert (summary.mean_iterations, summary.median_iterations, summary.tokens_per_passed) == (None, None, None)
        assert summary.passed.count == 0
        assert "–" in str(summary)


def test_only_metrics_of_runs_are_summed_up() -> None:
    with pytest.raises(ValueError, match="each of metrics has to be one of a run"):
        summarize([cast(Any, {"verdict": "passed"})])


def test_plan_act_runs_do_not_water_down_the_share_that_passed() -> None:
    assert summarize([RunMetrics(verdict="passed"), RunMetrics(mode="plan_act")]).passed == Share(1, 1)


def test_the_commonest_failure_comes_first() -> None:
    runs = [RunMetrics(failure_kinds={"timeout": 1}), RunMetrics(failure_kinds={"failed": 3, "timeout": 1})]
    assert list(summarize(runs).failure_kinds.items()) == [("failed", 3), ("timeout", 2)]


@pytest.mark.parametrize(
    ("share", "low", "high"),
    [(Share(0, 10), 0.0, 0.2775), (Share(10, 10), 0.7225, 1.0), (Share(18, 44), 0.2769, 0.5567), (Share(0, 0), 0, 1)],
    ids=["none", "all", "some", "nothing"],
)
def test_intervals_are_wilsons(share: Share, low: float, high: float) -> None:
    assert share.interval == (pytest.approx(low, abs=2e-3), pytest.approx(high, abs=2e-3))


@given(st.integers(0, 50), st.integers(0, 50))
def test_an_interval_holds_its_share_and_the_sign_test_is_symmetric(one: int, other: int) -> None:
    low, high = Share(one, one + other).interval
    assert 0 <= low <= Share(one, one + other).value + 1e-9
    assert Share(one, one + other).value - 1e-9 <= high <= 1
    assert 0 < sign_test(one, other) == sign_test(other, one) <= 1


def test_the_sign_test_is_exact() -> None:
    assert (sign_test(6, 0), sign_test(0, 0), sign_test(2, 2)) == (0.03125, 1.0, 1.0)
    assert sign_test(9, 1) == pytest.approx(22 / 1024)


def test_failed_attempts_of_a_solver_inside_a_plan_are_no_failed_plans() -> None:
    inner = create_reflection_graph(actor=ScriptedModel(replies=[BAD, GOOD]), verifier=TESTS)
    replies = [planned("solve it"), act("solve", "double"), done("d"), replanned(response="f")]
    played = play(twin("sync"), replies, [solver_tool(inner)])
    assert run_metrics(played.result["events"]).failure_kinds == {"failed": 1}


def test_what_are_no_metrics_is_refused_in_words() -> None:
    run = create_reflection_graph(actor=ScriptedModel(replies=["a"])).invoke({"task": "x"})
    wrong: list[Any] = [run, [run], [run["events"]], [ContextGraph.from_run(run)]]
    for one in wrong:
        with pytest.raises(ValueError, match=r"metrics has to be one of a run, as .*\.metrics\(\) gives it"):
            summarize(one)
