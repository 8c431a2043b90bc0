"""Several models as the actor, the cheapest first: when the next one is asked, and what a run keeps of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.exceptions import ModelAuthenticationError, ModelInvalidRequestError
from langgraph.checkpoint.memory import InMemorySaver
from support.cascades import Named, cascade, small, used_up
from support.modes import (
    ACTOR_CRITIC,
    REFLEXION,
    RIGHT,
    TASK,
    THREAD,
    Clock,
    Mode,
    Script,
    all_modes,
    comparable,
    judging_modes,
    opinion,
    retrying_modes,
    wrong,
)
from support.plan_act import TWINS, no_waiting, twin
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph, create_reflection_graph

GONE = [ConnectionError("gone")] * 5


class RefusedError(ModelInvalidRequestError):
    """A provider's word for a request that it will never take."""


class KeyRefusedError(ModelAuthenticationError):
    """A provider's word for a wrong key."""


class NotThereError(Exception):
    """A client's own word for a model that its server has not got."""

    status_code = 404


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Any:
    """Invoke a graph by either twin."""
    return twin(request.param)


@all_modes
def test_a_failed_answer_is_followed_by_the_next_model_from_scratch(invoke: Any, mode: Mode) -> None:
    first, last = small(wrong(0.2)), mode.script([RIGHT])
    result = invoke(cascade([first], last), dict(TASK))
    assert (result["answer"], result["stop_reason"]) == (RIGHT, {"kind": "passed", "value": 2, "limit": None})
    shown = [(attempt["model"], attempt["strategy"], attempt["verdict"]) for attempt in result["attempts"]]
    assert shown == [("small", "first", "failed"), ("ScriptedModel", "escalate", "passed")]
    # The task alone, as the small model got it, and with the model's own options.
    assert last.actor.requests == first.requests
    assert last.actor.options == first.options
    assert used_up(first, last.actor, last.critic)


@all_modes
def test_the_trace_names_the_models(mode: Mode) -> None:
    result = cascade([small(wrong())], mode.script([RIGHT])).invoke(dict(TASK))
    events = ContextGraph.from_run(result).events
    assert [event["data"]["model"] for event in events if event["kind"] == "attempt"] == ["small", "ScriptedModel"]


@all_modes
def test_a_model_that_passes_leaves_the_larger_ones_unasked(invoke: Any, mode: Mode) -> None:
    first, last = small(RIGHT), mode.script([])
    assert invoke(cascade([first], last), dict(TASK))["verdict"] == "passed"
    assert last.actor.requests == []


@all_modes
def test_a_reply_that_cannot_be_read_is_followed_by_the_next_model(invoke: Any, mode: Mode) -> None:
    first, last = small("", ""), mode.script([RIGHT])
    result = invoke(cascade([first], last), dict(TASK))
    assert [(attempt["kind"], attempt["strategy"]) for attempt in result["attempts"]] == [
        ("no_answer", "first"),
        ("", "escalate"),
    ]
    assert used_up(first, last.actor)


@all_modes
def test_a_model_that_is_gone_is_followed_by_the_next(invoke: Any, mode: Mode, monkeypatch: pytest.MonkeyPatch) -> None:
    no_waiting(monkeypatch)
    last = mode.script([wrong(0.1), RIGHT])
    result = invoke(cascade([small(*GONE)], last, max_attempts=2), dict(TASK))
    # A model that gave no reply used up no attempt.
    assert [(attempt["model"], attempt["number"]) for attempt in result["attempts"]] == [
        ("ScriptedModel", 1),
        ("ScriptedModel", 2),
    ]
    assert (result["verdict"], result["attempts"][0]["strategy"]) == ("passed", "escalate")
    told = [event["data"].get("gone", "") for event in result["events"] if event["kind"] == "attempt"]
    assert ["gone" in text for text in told] == [True, False]


@all_modes
@pytest.mark.parametrize("refusal", [KeyRefusedError("bad key"), NotThereError("no such model")], ids=["key", "name"])
def test_a_model_that_refuses_every_request_is_followed_by_the_next_which_says_so(
    invoke: Any, mode: Mode, refusal: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    result = invoke(cascade([small(refusal)], mode.script([RIGHT])), dict(TASK))
    assert (result["verdict"], [attempt["model"] for attempt in result["attempts"]]) == ("passed", ["ScriptedModel"])
    (told,) = [event["data"]["gone"] for event in result["events"] if event["kind"] == "attempt"]
    assert told == str(refusal)
    assert f"small gives no reply: {refusal}" in caplog.text
    # There is nobody left to ask, and nothing to lose.
    for first in ([], [small(refusal)]):
        last = mode.script([])
        last.actor.replies[:] = [refusal]
        with pytest.raises(type(refusal)):
            invoke(cascade(first, last), dict(TASK))


@all_modes
def test_a_last_model_that_is_gone_ends_the_run_with_what_was_achieved(
    invoke: Any, mode: Mode, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_waiting(monkeypatch)
    last = mode.script([])
    last.actor.replies[:] = GONE
    result = invoke(cascade([small(wrong(0.4))], last), dict(TASK))
    assert (result["answer"], result["verdict"]) == (wrong(0.4), "failed")
    assert result["stop_reason"]["kind"] == "model_unavailable"


@all_modes
def test_a_cascade_of_which_nothing_is_there_says_so_of_every_model(
    invoke: Any, mode: Mode, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_waiting(monkeypatch)
    last = mode.script([])
    last.actor.replies[:] = [ConnectionError("dark")] * 5
    result = invoke(cascade([small(*GONE)], last), dict(TASK))
    assert (result["answer"], result["attempts"], result["verdict"]) == ("", [], "failed")
    assert "gone" in result["stop_reason"]["value"]
    assert "dark" in result["stop_reason"]["value"]


@all_modes
def test_a_refused_request_escalates_once_there_is_something_to_lose(invoke: Any, mode: Mode) -> None:
    with pytest.raises(RefusedError):
        invoke(cascade([small(RefusedError("bad key"))], mode.script([RIGHT])), dict(TASK))
    between = small(RefusedError("too long"), name="between")
    result = invoke(cascade([small(wrong(0.4)), between], mode.script([RIGHT])), dict(TASK))
    assert [attempt["model"] for attempt in result["attempts"]] == ["small", "ScriptedModel"]
    assert result["verdict"] == "passed"


@retrying_modes
def test_the_last_model_has_the_attempts_that_remain_with_the_loops_strategies(invoke: Any, mode: Mode) -> None:
    last = mode.script([wrong(0.1, "a"), wrong(0.1, "b"), wrong(0.1, "c")])
    strategies = ["fresh", "lesson"]
    result = invoke(cascade([small(wrong(0.5))], last, max_attempts=4, strategies=strategies), dict(TASK))
    assert [attempt["strategy"] for attempt in result["attempts"]] == ["first", "escalate", "fresh", "lesson"]
    assert result["stop_reason"] == {"kind": "max_iterations", "value": 4, "limit": 4}
    assert result["answer"] == wrong(0.5), "the best answer is the small model's"
    assert last.actor.options[-1]["temperature"] == 0.8


@all_modes
def test_neither_patience_nor_a_repeated_answer_ends_a_run_before_the_largest_model(invoke: Any, mode: Mode) -> None:
    models = [small(wrong(), name=str(number)) for number in range(4)]
    last = mode.script([RIGHT])
    assert invoke(cascade(models, last, patience=1), dict(TASK))["verdict"] == "passed"
    assert last.verifier.seen == [wrong(), RIGHT]


@retrying_modes
@pytest.mark.parametrize("score", [0.0, 0.9])
def test_the_last_model_reaches_the_least_score_by_its_own_attempts(invoke: Any, mode: Mode, score: float) -> None:
    models = [small(wrong(score)), small(wrong(score, "b"), name="middle")]
    assert invoke(cascade(models, mode.script([wrong(0.1), RIGHT]), min_score=0.5), dict(TASK))["verdict"] == "passed"
    given = [wrong(0.2), wrong(0.1)]
    result = invoke(cascade([small(wrong(score))], mode.script(given), min_score=0.5), dict(TASK))
    assert result["stop_reason"] == {"kind": "low_score", "value": 0.2, "limit": 0.5}
    assert result["answer"] == (wrong(0.9) if score else given[0])


@all_modes
def test_tokens_of_all_models_count(invoke: Any, mode: Mode, monkeypatch: pytest.MonkeyPatch) -> None:
    # A reply costs 15 tokens, whoever gives it.
    result = invoke(cascade([small(wrong(0.1))], mode.script([]), max_tokens=15), dict(TASK))
    assert result["stop_reason"] == {"kind": "token_budget", "value": 15, "limit": 15}
    no_waiting(monkeypatch)
    result = invoke(cascade([small("", *GONE)], mode.script([]), max_tokens=15), dict(TASK))
    assert result["stop_reason"] == {"kind": "token_budget", "value": 15, "limit": 15}
    assert (result["answer"], result["attempts"]) == ("", [])


@all_modes
def test_time_of_all_models_counts(invoke: Any, mode: Mode, monkeypatch: pytest.MonkeyPatch) -> None:
    Clock(monkeypatch)
    models = [small(wrong(0.1)), small(wrong(0.2), name="between")]
    result = invoke(cascade(models, mode.script([]), max_seconds=3.5), dict(TASK))
    assert result["stop_reason"] == {"kind": "time_budget", "value": 4.0, "limit": 3.5}


@pytest.mark.parametrize("mode", [REFLEXION, ACTOR_CRITIC], ids=lambda mode: mode.name)
def test_nobody_explains_a_failure_that_no_model_will_read_of(invoke: Any, mode: Mode) -> None:
    first, last = small(wrong(0.1)), mode.script([wrong(0.2), RIGHT])
    result = invoke(cascade([first], last), dict(TASK))
    about = [event["data"]["attempt"] for event in result["events"] if event["kind"] in ("reflection", "critique")]
    assert about == [2]
    assert used_up(first, last.actor, last.critic)


@judging_modes
def test_without_a_verifier_the_last_model_judges_the_smaller_ones(invoke: Any, mode: Mode) -> None:
    first = small(wrong(0.3))
    last = ScriptedModel(replies=[opinion(wrong(0.3)), RIGHT, opinion(RIGHT)])
    result = invoke(create_reflection_graph(mode.name, actor=[first, last]), dict(TASK))
    assert (result["answer"], result["stop_reason"]["kind"]) == (RIGHT, "accepted")
    assert [attempt["accepted"] for attempt in result["attempts"]] == [False, True]
    assert used_up(first, last)


def crash_in_the_first(models: list[Named], last: Script) -> None:
    models[0].replies.insert(0, KeyboardInterrupt())


def crash_in_the_second(models: list[Named], last: Script) -> None:
    models[1].replies.insert(0, KeyboardInterrupt())


def crash_in_the_last(models: list[Named], last: Script) -> None:
    last.actor.replies.insert(0, KeyboardInterrupt())


@all_modes
@pytest.mark.parametrize("crash", [crash_in_the_first, crash_in_the_second, crash_in_the_last])
def test_a_crashed_cascade_goes_on_with_the_model_whose_turn_it_was(
    mode: Mode, crash: Callable[[list[Named], Script], None]
) -> None:
    def parts() -> tuple[list[Named], Script]:
        return [small(wrong(0.2)), small(wrong(0.1), name="between")], mode.script([wrong(0.4), RIGHT])

    expected = cascade(*parts()).invoke(dict(TASK))
    models, last = parts()
    crash(models, last)
    saved = InMemorySaver()
    with pytest.raises(KeyboardInterrupt):
        cascade(models, last, checkpointer=saved).invoke(dict(TASK), THREAD)
    result = cascade(models, last, checkpointer=saved).invoke(None, THREAD)
    assert comparable(result) == comparable(expected)
    assert used_up(*models, last.actor, last.critic)


@all_modes
def test_a_thread_that_is_used_again_starts_with_the_first_model(invoke: Any, mode: Mode) -> None:
    first, last = small(wrong(0.2), RIGHT), mode.script([RIGHT])
    graph = cascade([first], last, checkpointer=InMemorySaver())
    invoke(graph, dict(TASK), THREAD)
    result = invoke(graph, dict(TASK), THREAD)
    assert [attempt["model"] for attempt in result["attempts"]] == ["small"]


@all_modes
def test_both_twins_leave_the_same_result_and_trace(mode: Mode) -> None:
    one, other = (
        twin(name)(cascade([small(wrong(0.3)), small("", "", name="between")], mode.script([wrong(0.1), RIGHT])), TASK)
        for name in TWINS
    )
    assert comparable(one) == comparable(other)
