"""What every reflection mode promises, a registered one included: its result, its limits, its best answer."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.modes import (
    ACTOR_CRITIC,
    BEST_OF_N,
    EXTERNAL_LOOP,
    MODES,
    OWN,
    REFLEXION,
    RIGHT,
    TASK,
    Clock,
    Judge,
    Mode,
    all_modes,
    always,
    comparable,
    critic_for,
    critique,
    judged_runs,
    judging_modes,
    opinion,
    reflection,
    retrying_modes,
    retrying_runs,
    second_thoughts,
    unless_right,
    wrong,
)
from support.plan_act import TWINS, twin
from support.scripted import ScriptedModel
from thoughtgraph import Verdict, create_reflection_graph, reflection_modes, register_reflection_mode
from thoughtgraph.graphs.reflection import create
from thoughtgraph.nodes.reflection.state import ReflectionOutput
from thoughtgraph.traces import Attempt

VERIFIED = pytest.mark.parametrize("verified", [True, False], ids=["verifier", "critic-alone"])


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Any:
    """Invoke a graph by either twin."""
    return twin(request.param)


def failing(count: int) -> list[str]:
    """Answers that all fail, none like another, none better than another."""
    return [wrong(0.0, f"#{number}") for number in range(count)]


def hopeless(mode: Mode, verified: bool, count: int) -> list[str]:
    """As many failing answers as the mode tries; without a verifier some modes have nothing to go on."""
    return failing(count if verified or mode.judges or mode.samples else 1)


def test_the_suite_covers_every_mode() -> None:
    assert {mode.name for mode in MODES} == set(reflection_modes())


@all_modes
@VERIFIED
def test_a_model_that_never_succeeds_meets_the_limit_of_attempts_and_no_other(
    invoke: Any, mode: Mode, verified: bool
) -> None:
    answers = hopeless(mode, verified, 30)
    result = mode.script(answers, verified=verified).run(invoke, max_attempts=30)
    assert [attempt["answer"] for attempt in result["attempts"]] == answers
    assert result["answer"] == answers[0]
    if verified or mode.judges or mode.samples:
        assert result["stop_reason"] == {"kind": "max_iterations", "value": 30, "limit": 30}


@all_modes
@VERIFIED
def test_replies_without_an_answer_end_at_the_limit(invoke: Any, mode: Mode, verified: bool) -> None:
    result = mode.script([None, None], verified=verified).run(invoke, max_attempts=2)
    assert (result["answer"], result["verdict"], result["stop_reason"]["kind"]) == ("", "failed", "max_iterations")
    assert [attempt["kind"] for attempt in result["attempts"]] == ["no_answer", "no_answer"]


@retrying_runs
def test_answers_that_only_repeat_end_the_run_and_are_judged_once(invoke: Any, mode: Mode, verified: bool) -> None:
    script = mode.script([wrong()] * 3, verified=verified)
    result = script.run(invoke)
    assert result["stop_reason"] == {"kind": "repeated_answer", "value": 2, "limit": 2}
    assert len(script.critic.requests) <= 1
    assert not verified or script.verifier.seen == [wrong()]


@all_modes
def test_a_verifier_that_always_raises_costs_neither_the_run_nor_its_end(invoke: Any, mode: Mode) -> None:
    def broken(task: str, answer: str) -> Verdict:
        raise RuntimeError("out of order")

    answers = failing(4 if mode.judges else 1)
    result = mode.script(answers, verified=False, verifier=broken).run(invoke, max_attempts=4)
    assert (result["answer"], result["verdict"]) == (answers[0], "unverified")
    assert len(result["attempts"]) == len(answers)
    told = [event["data"]["feedback"] for event in result["events"] if event["kind"] == "verdict"]
    assert all("RuntimeError: out of order" in feedback for feedback in told)


@retrying_runs
def test_attempts_without_a_better_score_end_the_run(invoke: Any, mode: Mode, verified: bool) -> None:
    result = mode.script([wrong(0.5), *failing(3)], verified=verified).run(invoke, patience=3)
    assert result["stop_reason"] == {"kind": "no_improvement", "value": 3, "limit": 3}
    assert result["answer"] == wrong(0.5)


@retrying_runs
def test_attempts_that_promise_nothing_end_the_run(invoke: Any, mode: Mode, verified: bool) -> None:
    result = mode.script([wrong(0.4), wrong(0.1)], verified=verified).run(invoke, min_score=0.5)
    assert result["stop_reason"] == {"kind": "low_score", "value": 0.4, "limit": 0.5}
    assert (result["answer"], len(result["attempts"])) == (wrong(0.4), 2)


@all_modes
@pytest.mark.parametrize("scores", [(0.0, 0.5), (0.5, 0.0)], ids=str)
def test_one_of_the_first_attempts_has_to_reach_the_least_score(
    invoke: Any, mode: Mode, scores: tuple[float, float]
) -> None:
    answers = [*(wrong(score, str(number)) for number, score in enumerate(scores)), wrong(0.1), RIGHT]
    assert mode.script(answers).run(invoke, min_score=0.5)["verdict"] == "passed"


@all_modes
def test_an_improvement_renews_the_patience(invoke: Any, mode: Mode) -> None:
    answers = [wrong(0.1), wrong(0.0, "a"), wrong(0.2), wrong(0.0, "b"), RIGHT]
    assert mode.script(answers).run(invoke, patience=2)["verdict"] == "passed"


@retrying_modes
def test_an_answer_that_failed_without_a_word_is_told_to_have_failed(invoke: Any, mode: Mode) -> None:
    script = mode.script([wrong(), RIGHT], verifier=unless_right(Verdict("failed")))
    result = script.run(invoke, strategies=["repair"])
    assert result["attempts"][0]["feedback"].strip()
    assert not str(script.actor.requests[-1][-1].content).startswith("\n")


@all_modes
def test_spent_tokens_end_the_run(invoke: Any, mode: Mode) -> None:
    # A reply costs 15 tokens, whoever gives it.
    answers = [wrong(0.4), wrong(0.3), wrong(0.2)][: 2 if mode.reflects or mode.explains else 3]
    result = mode.script(answers).run(invoke, max_tokens=45)
    stop = result["stop_reason"]
    assert (stop["kind"], stop["limit"], stop["value"]) == ("token_budget", 45, result["usage"]["total_tokens"])
    assert result["answer"] == wrong(0.4)


@all_modes
def test_spent_time_ends_the_run(invoke: Any, mode: Mode, monkeypatch: pytest.MonkeyPatch) -> None:
    Clock(monkeypatch)
    result = mode.script([wrong(0.4), wrong(0.3)]).run(invoke, max_seconds=3.5)
    stop = result["stop_reason"]
    spent = 4 + (1 if mode.reflects else 0)
    assert (stop["kind"], stop["limit"]) == ("time_budget", 3.5)
    assert stop["value"] >= spent
    assert result["answer"] == wrong(0.4)


@judging_modes
def test_what_a_critic_takes_counts_as_time(mode: Mode, invoke: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    Clock(monkeypatch)
    result = mode.script([wrong(0.4)], verified=False).run(invoke, max_seconds=1.5)
    assert result["stop_reason"] == {"kind": "time_budget", "value": 2.0, "limit": 1.5}


@judged_runs
@given(scores=st.lists(st.sampled_from([0.0, 0.2, 0.5, 0.9]), min_size=1, max_size=5))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_best_answer_is_returned_and_of_equal_ones_the_earliest(
    mode: Mode, verified: bool, scores: list[float]
) -> None:
    answers = [wrong(score, f"#{number}") for number, score in enumerate(scores)]
    result = mode.script(answers, verified=verified).run(twin("sync"), max_attempts=len(answers))
    assert result["answer"] == answers[scores.index(max(scores))]
    assert result["events"][-1]["data"]["best"] == 1 + scores.index(max(scores))


@all_modes
@pytest.mark.parametrize("failures", [0, 1, 3], ids=["at-once", "second", "fourth"])
def test_an_answer_that_passes_ends_the_run_at_once(invoke: Any, mode: Mode, failures: int) -> None:
    script = mode.script([*failing(failures), RIGHT])
    result = script.run(invoke)
    assert (result["answer"], result["verdict"]) == (RIGHT, "passed")
    assert result["stop_reason"] == {"kind": "passed", "value": failures + 1, "limit": None}
    assert len(script.critic.requests) == len(script.critic.replies)
    assert script.verifier.seen == [*failing(failures), RIGHT]


@judging_modes
def test_an_accepted_answer_ends_the_run_unverified(invoke: Any, mode: Mode) -> None:
    script = mode.script([wrong(0.3), RIGHT], verified=False)
    result = script.run(invoke)
    assert (result["answer"], result["verdict"]) == (RIGHT, "unverified")
    assert result["stop_reason"] == {"kind": "accepted", "value": 2, "limit": None}
    assert [attempt["accepted"] for attempt in result["attempts"]] == [False, True]
    assert len(script.critic.requests) == 2


@all_modes
@pytest.mark.parametrize("judge", [None, always(Verdict("unverified", "no tool"))], ids=["none", "unable"])
@pytest.mark.parametrize("said", [critique(True, 1.0), critique(False), "?"], ids=["accept", "revise", "unreadable"])
def test_without_a_verification_nothing_is_ever_passed(invoke: Any, mode: Mode, judge: Any, said: str) -> None:
    actor = ScriptedModel(replies=["42", reflection(1), "43"] if mode.reflects else ["42", "43"])
    critic = critic_for(mode.name, ScriptedModel(replies=[said] * 6))
    graph = create_reflection_graph(mode.name, actor=actor, critic=critic, verifier=judge, max_attempts=2)
    result = invoke(graph, dict(TASK))
    assert result["verdict"] == "unverified"
    assert result["stop_reason"]["kind"] != "passed"
    assert {attempt["verdict"] for attempt in result["attempts"]} == {"unverified"}
    assert "passed" not in {event["data"].get("status") for event in result["events"]}


@all_modes
@VERIFIED
def test_the_output_has_the_same_keys_and_types_in_every_mode(invoke: Any, mode: Mode, verified: bool) -> None:
    answers = [wrong(0.3), None, RIGHT] if verified or mode.judges or mode.samples else [wrong(0.3)]
    result = mode.script(answers, verified=verified).run(invoke)
    assert set(result) == set(ReflectionOutput.__annotations__)
    assert set(result["stop_reason"]) == {"kind", "value", "limit"}
    assert [type(result[key]) for key in ("answer", "verdict", "attempts", "events", "usage")] == [
        str,
        str,
        list,
        list,
        dict,
    ]
    for attempt in result["attempts"]:
        unread = attempt["answer"] is None
        assert set(attempt) == set(Attempt.__annotations__) - (set() if unread else {"failed_on"})
        assert type(attempt["score"]) is float
        assert attempt["verdict"] in ("passed", "failed", "unverified")
    json.dumps(result)


@all_modes
@VERIFIED
def test_both_twins_leave_the_same_result_and_trace(mode: Mode, verified: bool) -> None:
    answers = [wrong(0.3), None, wrong(0.1), wrong(0.3), RIGHT] if verified or mode.judges else [None, RIGHT]
    one, other = (mode.script(answers, verified=verified) for _ in TWINS)
    assert comparable(one.run(twin("sync"))) == comparable(other.run(twin("async")))
    assert one.actor.requests == other.actor.requests
    assert one.critic.requests == other.critic.requests
    assert one.actor.options == other.actor.options


@retrying_modes
def test_what_a_run_is_given_is_left_as_it_was(invoke: Any, mode: Mode) -> None:
    script = mode.script([wrong(0.3), RIGHT], verifier=Judge())
    given: dict[str, Any] = {"task": "Say the right thing."}
    strategies = ["repair", "lesson"]
    before = copy.deepcopy((given, strategies, script.actor.model_dump(), script.critic.model_dump()))
    graph = script.graph(strategies=strategies)
    invoke(graph, given)
    assert (given, strategies, script.actor.model_dump(), script.critic.model_dump()) == before
    assert script.verifier == Judge(seen=[wrong(0.3), RIGHT])


@all_modes
def test_a_graph_that_is_used_again_remembers_nothing_of_the_run_before(invoke: Any, mode: Mode) -> None:
    script = mode.script([wrong(0.3), RIGHT])
    script.actor.replies *= 2
    script.critic.replies *= 2
    graph = script.graph()
    first, second = invoke(graph, dict(TASK)), invoke(graph, dict(TASK))
    assert comparable(first) == comparable(second)
    half = len(script.actor.requests) // 2
    assert script.actor.requests[:half] == script.actor.requests[half:]


@pytest.mark.parametrize("critic", [True, False], ids=["own-critic", "actor-is-critic"])
def test_modes_are_swapped_by_one_argument(invoke: Any, critic: bool) -> None:
    results: list[dict[str, Any]] = []
    for mode in MODES:
        script = mode.script([RIGHT])
        other = critic_for(mode.name, script.critic) if critic else None
        graph = create_reflection_graph(mode.name, actor=script.actor, critic=other, verifier=script.verifier)
        results.append(invoke(graph, dict(TASK)))
    shown = [{key: value for key, value in comparable(result).items() if key != "e"} for result in results]
    assert all(result == shown[0] for result in shown)


def test_the_default_is_the_external_loop() -> None:
    assert create_reflection_graph(actor=ScriptedModel(replies=[])).get_name() == "external_loop"


@judging_modes
def test_without_a_critic_the_actor_judges_itself(invoke: Any, mode: Mode) -> None:
    actor = ScriptedModel(replies=[RIGHT, opinion(RIGHT)])
    result = invoke(create_reflection_graph(mode.name, actor=actor), dict(TASK))
    assert (result["verdict"], result["stop_reason"]["kind"]) == ("unverified", "accepted")


@pytest.mark.parametrize("mode", [EXTERNAL_LOOP, BEST_OF_N, OWN], ids=lambda mode: mode.name)
def test_a_mode_without_opinions_never_asks_the_critic(invoke: Any, mode: Mode) -> None:
    script = mode.script([*failing(2), RIGHT])
    script.run(invoke)
    assert script.critic.requests == []


@pytest.mark.parametrize(
    ("mode", "strategies"),
    [
        (EXTERNAL_LOOP, ["fresh", "fresh"]),
        (REFLEXION, ["lesson", "lesson"]),
        (ACTOR_CRITIC, ["repair", "lesson"]),
        (BEST_OF_N, ["fresh", "fresh"]),
    ],
    ids=["external_loop", "reflexion", "actor_critic", "best_of_n"],
)
def test_each_mode_tries_again_in_its_own_way(invoke: Any, mode: Mode, strategies: list[str]) -> None:
    result = mode.script([*failing(2), RIGHT]).run(invoke)
    assert [attempt["strategy"] for attempt in result["attempts"]] == ["first", *strategies]


@retrying_modes
@pytest.mark.parametrize(
    ("answers", "strategies", "second"),
    [
        ([None, RIGHT], ["repair", "fresh"], "fresh"),
        ([None, RIGHT], ["lesson", "repair"], "lesson"),
        ([None, RIGHT], ["repair"], "repair"),
        ([wrong(), None, RIGHT], ["lesson", "repair"], "lesson"),
    ],
    ids=["repair-first", "repair-second", "repair-only", "later"],
)
def test_a_conversation_without_an_answer_is_continued_only_where_nothing_else_is_allowed(
    mode: Mode, answers: list[str | None], strategies: list[str], second: str
) -> None:
    result = mode.script(answers).run(twin("sync"), strategies=strategies)
    assert result["attempts"][-1]["strategy"] == second


@pytest.mark.parametrize("name", ["", "  ", "reflexion"], ids=["empty", "blank", "taken"])
def test_a_mode_under_a_name_that_cannot_be_its_own_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"needs a name|choose another name"):
        register_reflection_mode(name, second_thoughts)
    assert second_thoughts.__name__ in reflection_modes()


def test_a_mode_that_cannot_be_called_is_refused() -> None:
    with pytest.raises(ValueError, match="a function of a ReflectionLoop"):
        register_reflection_mode("three", 3)  # pyright: ignore[reportArgumentType]
    assert "three" not in reflection_modes()


@pytest.mark.parametrize("returned", [None, create_reflection_graph(actor=ScriptedModel(replies=[]))], ids=type)
def test_a_mode_that_assembles_no_loop_is_refused_when_it_is_built(
    returned: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(create, "_MODES", dict(vars(create)["_MODES"]))
    register_reflection_mode("mistaken", lambda loop: returned)
    with pytest.raises(ValueError, match=r"the mode 'mistaken' returns has to be framed\(loop\).*not compiled"):
        create_reflection_graph("mistaken", actor=ScriptedModel(replies=[]))


def test_a_mode_registered_twice_is_one_mode() -> None:
    register_reflection_mode("second_thoughts", second_thoughts)
    assert reflection_modes().count("second_thoughts") == 1
