"""Actor-Critic: its edges in both directions, what the critic is told, and what the actor learns of it."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.exceptions import ModelInvalidRequestError
from support.modes import ACTOR_CRITIC, RIGHT, Judge, always, critique, opinion, unless_right, wrong
from support.plan_act import TWINS, last_words, no_waiting, twin
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph, Verdict, create_reflection_graph

TASK = {"task": "Say the right thing."}
GONE = [ConnectionError("gone")] * 5
FIRST = wrong(0.2)
UNREADABLE = ["hm"] * 3


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Any:
    """Invoke a graph by either twin."""
    return twin(request.param)


def critiques(result: dict[str, Any]) -> list[dict[str, Any]]:
    """The data of a run's critiques."""
    return [event["data"] for event in result["events"] if event["kind"] == "critique"]


@pytest.mark.parametrize("strategy", ["repair", "lesson"])
@pytest.mark.parametrize("verified", [True, False], ids=["verifier", "critic-alone"])
def test_what_the_critic_says_reaches_the_actor(invoke: Any, verified: bool, strategy: str) -> None:
    script = ACTOR_CRITIC.script([FIRST, RIGHT], verified=verified)
    result = script.run(invoke, strategies=[strategy])
    said = last_words(script.actor)
    assert f"The critic has seen <{FIRST}>." in said
    assert (f"<{FIRST}> is wrong" in said) is verified
    assert critiques(result)[0] == {
        "accepted": False,
        "score": 0.2,
        "feedback": f"The critic has seen <{FIRST}>.",
        "by": "critic",
        "attempt": 1,
    }


def test_the_actor_revises_in_the_conversation_that_shows_its_answer(invoke: Any) -> None:
    script = ACTOR_CRITIC.script([FIRST, RIGHT])
    script.run(invoke)
    first, second = script.actor.requests
    assert second[:2] == first
    assert second[2].content == FIRST


@pytest.mark.parametrize(
    ("said", "kind", "accepted"),
    [
        ([critique(True, 0.9)], "accepted", True),
        ([critique(False, 0.9)], "max_iterations", False),
        (UNREADABLE, "unreadable_critique", None),
    ],
    ids=["accept", "revise", "unreadable"],
)
def test_without_a_verifier_the_critic_judges(invoke: Any, said: list[str], kind: str, accepted: bool | None) -> None:
    script = ACTOR_CRITIC.script([FIRST], verified=False)
    script.critic.replies = list(said)
    result = script.run(invoke, max_attempts=1)
    (attempt,) = result["attempts"]
    assert (result["stop_reason"]["kind"], attempt["accepted"]) == (kind, accepted)
    assert (result["answer"], result["verdict"]) == (FIRST, "unverified")
    assert [about["accepted"] for about in critiques(result)] == [accepted]


def test_an_unreadable_critique_has_an_edge_of_its_own() -> None:
    script = ACTOR_CRITIC.script([FIRST], verified=False)
    script.critic.replies = list(UNREADABLE)
    nodes = [next(iter(update)) for update in script.graph().stream(dict(TASK), stream_mode="updates")]
    assert nodes == ["begin", "attempt", "verify", "critique", "unreadable", "outcome"]


def test_an_unreadable_critique_is_neither_for_nor_against_and_says_so(invoke: Any) -> None:
    script = ACTOR_CRITIC.script([FIRST], verified=False)
    script.critic.replies = list(UNREADABLE)
    result = script.run(invoke)
    (attempt,) = result["attempts"]
    assert (attempt["accepted"], attempt["kind"], attempt["verdict"]) == (None, "unreadable_critique", "unverified")
    assert result["stop_reason"]["value"].endswith("The critic was asked 3 times, and said at last: hm")
    assert "Write each header" not in f"{attempt} {result['stop_reason']}", "what a model is told is not for the user"
    assert ContextGraph.from_run(result).why_stopped().kind == "unreadable_critique"
    assert "could not be read" in ContextGraph.from_run(result).why_stopped().sentence


def test_an_unreadable_critique_of_a_failed_answer_goes_on_with_the_verifiers_words(invoke: Any) -> None:
    script = ACTOR_CRITIC.script([FIRST, RIGHT])
    script.critic.replies = list(UNREADABLE)
    result = script.run(invoke)
    assert (result["verdict"], len(result["attempts"])) == ("passed", 2)
    assert f"<{FIRST}> is wrong" in last_words(script.actor)
    assert "hm" not in last_words(script.actor)
    assert (result["attempts"][0]["verdict"], result["attempts"][0]["accepted"]) == ("failed", None)


def test_what_the_verifier_passes_the_critic_is_not_asked_about(invoke: Any) -> None:
    script = ACTOR_CRITIC.script([RIGHT])
    assert script.run(invoke)["verdict"] == "passed"
    assert script.critic.requests == []


def test_the_critic_of_a_failed_answer_is_told_why_and_cannot_accept_it(invoke: Any) -> None:
    script = ACTOR_CRITIC.script([FIRST, RIGHT])
    script.critic.replies = [critique(True, 1.0), critique(False, 0.9, "It is the word order.")]
    result = script.run(invoke)
    assert f"<{FIRST}> is wrong" in last_words(script.critic, 0)
    assert "REVISE" in last_words(script.critic, 1)
    attempt = result["attempts"][0]
    assert (attempt["verdict"], attempt["accepted"], attempt["score"]) == ("failed", False, 0.2)
    assert "It is the word order." in last_words(script.actor)


def test_a_critic_that_accepts_what_failed_changes_nothing(invoke: Any) -> None:
    script = ACTOR_CRITIC.script([FIRST])
    script.critic.replies = [critique(True, 1.0)] * 3
    result = script.run(invoke, max_attempts=1)
    assert (result["verdict"], result["stop_reason"]["kind"]) == ("failed", "max_iterations")
    assert "accepted" not in {event["data"].get("stop_reason", {}).get("kind") for event in result["events"]}


def test_a_failure_without_a_reason_is_told_to_the_critic_as_a_failure(invoke: Any) -> None:
    script = ACTOR_CRITIC.script([FIRST, RIGHT], verifier=unless_right(Verdict("failed")))
    script.critic.replies = [critique(True, 1.0, "All is well."), opinion(FIRST)]
    result = script.run(invoke)
    assert "failed" in last_words(script.critic, 0)
    assert [about["accepted"] for about in critiques(result)] == [False]
    assert "All is well." not in last_words(script.actor)


def test_the_critique_reaches_the_actor_however_much_the_verifier_says(invoke: Any) -> None:
    script = ACTOR_CRITIC.script([FIRST, RIGHT], verifier=unless_right(Verdict("failed", "noise " * 2_000)))
    script.run(invoke)
    assert f"The critic has seen <{FIRST}>." in last_words(script.actor)


def test_the_critic_is_not_asked_when_no_attempt_can_follow(invoke: Any) -> None:
    script = ACTOR_CRITIC.script([FIRST, wrong(0.1)])
    result = script.run(invoke, max_attempts=2)
    assert result["stop_reason"]["kind"] == "max_iterations"
    assert [about["attempt"] for about in critiques(result)] == [1]


def test_the_critic_sees_the_task_its_criteria_and_the_answer(invoke: Any) -> None:
    script = ACTOR_CRITIC.script([FIRST, RIGHT])
    script.run(invoke)
    said = last_words(script.critic, 0)
    assert "Say the right thing.\n\nOnly the right answer counts." in said
    assert FIRST in said


def test_where_the_verifier_cannot_judge_the_critic_does(invoke: Any) -> None:
    script = ACTOR_CRITIC.script([FIRST, RIGHT], verified=False, verifier=always(Verdict("unverified", "no tool")))
    result = script.run(invoke)
    assert (result["answer"], result["verdict"]) == (RIGHT, "unverified")
    assert result["stop_reason"]["kind"] == "accepted"


def test_the_critic_may_be_another_model_or_the_actor_itself(invoke: Any) -> None:
    script = ACTOR_CRITIC.script([FIRST, RIGHT], verified=False)
    two = script.run(invoke)
    assert (len(script.actor.requests), len(script.critic.requests)) == (2, 2)
    alone = ScriptedModel(replies=[FIRST, opinion(FIRST), RIGHT, opinion(RIGHT)])
    one = invoke(create_reflection_graph("actor_critic", actor=alone), dict(TASK))
    assert one["usage"] == two["usage"]
    assert one["answer"] == two["answer"]


def test_the_options_of_an_attempt_are_not_the_critics(invoke: Any) -> None:
    script = ACTOR_CRITIC.script([FIRST, wrong(0.3), RIGHT])
    script.run(invoke)
    assert script.critic.options == [{}, {}]
    assert script.actor.options[1]["temperature"] == 0.8


class RefusedError(ModelInvalidRequestError):
    """A provider's word for a request that it will never take."""


@pytest.mark.parametrize("lost", [GONE, [RefusedError("too long")]], ids=["transport", "refused"])
@pytest.mark.parametrize("verified", [True, False], ids=["verifier", "critic-alone"])
def test_a_critic_that_goes_away_keeps_the_answer(
    invoke: Any, verified: bool, lost: list[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    no_waiting(monkeypatch)
    script = ACTOR_CRITIC.script([FIRST], verified=verified)
    script.critic.replies = list[Any](lost)
    result = script.run(invoke)
    assert (result["answer"], result["stop_reason"]["kind"]) == (FIRST, "model_unavailable")
    assert result["verdict"] == ("failed" if verified else "unverified")
    assert result["attempts"][0]["accepted"] is None
    assert len(result["attempts"]) == 1
    # The actor has answered.
    why = str(ContextGraph.from_run(result).why_stopped())
    assert why.startswith("It stopped because the model gave no answer: the critic, ScriptedModel: ")


def test_a_lost_actor_is_not_called_the_critic(invoke: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    no_waiting(monkeypatch)
    script = ACTOR_CRITIC.script([FIRST, RIGHT])
    script.actor.replies[1:] = GONE
    result = script.run(invoke)
    assert result["stop_reason"]["kind"] == "model_unavailable"
    assert "critic" not in result["stop_reason"]["value"]


def test_a_critic_that_goes_away_later_keeps_the_best_answer(invoke: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    no_waiting(monkeypatch)
    script = ACTOR_CRITIC.script([wrong(0.6), wrong(0.1)], verified=False)
    script.critic.replies[1:] = GONE
    result = script.run(invoke)
    assert (result["answer"], len(result["attempts"])) == (wrong(0.6), 2)


@pytest.mark.parametrize("again", [None, FIRST], ids=["unreadable", "repeated"])
def test_an_answer_that_tells_nothing_new_is_not_shown_to_the_critic(invoke: Any, again: str | None) -> None:
    script = ACTOR_CRITIC.script([FIRST, again, RIGHT], verifier=Judge())
    assert script.run(invoke)["verdict"] == "passed"
    assert len(script.critic.requests) == 1


def test_a_critique_that_brings_nothing_changes_the_strategy(invoke: Any) -> None:
    result = ACTOR_CRITIC.script([wrong(0.3), wrong(0.5), wrong(0.1), RIGHT], verified=False).run(invoke)
    assert [attempt["strategy"] for attempt in result["attempts"]] == ["first", "repair", "repair", "lesson"]


def test_tokens_of_refused_critiques_are_counted(invoke: Any) -> None:
    script = ACTOR_CRITIC.script([FIRST, RIGHT])
    script.critic.replies.insert(0, "hm")
    assert script.run(invoke)["usage"]["total_tokens"] == 4 * 15
