"""Reflexion: its edges in both directions, its memory of reflections, and what it costs."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.store.memory import InMemoryStore
from support.modes import REFLEXION, RIGHT, always, critique, opinion, reflection, unless_right, wrong
from support.plan_act import TWINS, last_words, no_waiting, twin
from support.scripted import ScriptedModel
from thoughtgraph import Verdict, create_reflection_graph
from thoughtgraph.memory import FailureMemory

TASK = {"task": "Say the right thing."}
GONE = [ConnectionError("gone")] * 5
FIRST = wrong(0.2)


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Any:
    """Invoke a graph by either twin."""
    return twin(request.param)


def kinds(result: dict[str, Any]) -> list[str]:
    """The kinds of a run's events, thoughts left out."""
    return [event["kind"] for event in result["events"] if event["kind"] != "thought"]


def notes(result: dict[str, Any]) -> list[dict[str, Any]]:
    """The data of a run's reflections."""
    return [event["data"] for event in result["events"] if event["kind"] == "reflection"]


def test_a_failed_answer_is_reflected_on_and_the_reflection_reaches_the_actor(invoke: Any) -> None:
    script = REFLEXION.script([FIRST, RIGHT])
    result = script.run(invoke)
    assert kinds(result) == ["goal", "attempt", "verdict", "reflection", "attempt", "verdict", "outcome"]
    assert notes(result) == [{"reflection": "Mistake 1. → Do it like 1.", "attempt": 1}]
    asked, again = last_words(script.actor, 1), last_words(script.actor, 2)
    assert FIRST in asked
    assert f"<{FIRST}> is wrong" in asked
    assert "Mistake 1. → Do it like 1." in again
    assert f"<{FIRST}> is wrong" in again


def test_the_next_attempt_does_not_see_the_failed_reply_itself(invoke: Any) -> None:
    script = REFLEXION.script(["wrong 0.2 secret words", RIGHT])
    script.verifier = unless_right(Verdict("failed", "not that"))
    script.run(invoke)
    assert len(script.actor.requests[2]) == 2
    assert "secret words" not in last_words(script.actor, 2)


def test_the_latest_three_reflections_are_shown_oldest_first(invoke: Any) -> None:
    script = REFLEXION.script([*(wrong(0.1, f"#{number}") for number in range(5)), RIGHT])
    result = script.run(invoke)
    said = last_words(script.actor)
    assert "\n1. Mistake 3." in said
    assert said.index("Mistake 3.") < said.index("Mistake 4.") < said.index("Mistake 5.")
    assert "Mistake 2." not in said
    assert "<wrong 0.1 #4> is wrong" in said
    assert "<wrong 0.1 #3> is wrong" not in said
    assert [note["attempt"] for note in notes(result)] == [1, 2, 3, 4, 5]


def test_the_last_attempt_is_not_reflected_on(invoke: Any) -> None:
    result = REFLEXION.script([FIRST, wrong(0.1)]).run(invoke, max_attempts=2)
    assert [note["attempt"] for note in notes(result)] == [1]


@pytest.mark.parametrize(
    ("said", "kind", "accepted"),
    [
        ([critique(True, 0.9)], "accepted", True),
        ([critique(False, 0.9)], "max_iterations", False),
        (["hm", "hm", "hm"], "unreadable_critique", None),
    ],
    ids=["accept", "revise", "unreadable"],
)
def test_without_a_verifier_a_model_evaluates(invoke: Any, said: list[str], kind: str, accepted: bool | None) -> None:
    script = REFLEXION.script([FIRST], verified=False)
    script.critic.replies = said
    result = script.run(invoke, max_attempts=1)
    (attempt,) = result["attempts"]
    assert (result["stop_reason"]["kind"], attempt["accepted"]) == (kind, accepted)
    assert (result["answer"], result["verdict"]) == (FIRST, "unverified")
    (event,) = [event["data"] for event in result["events"] if event["kind"] == "critique"]
    assert (event["accepted"], event["by"], event["attempt"]) == (accepted, "evaluator", 1)
    assert len(script.critic.requests) == len(said)


def test_what_the_evaluator_says_is_reflected_on(invoke: Any) -> None:
    script = REFLEXION.script([FIRST, RIGHT], verified=False)
    result = script.run(invoke)
    assert f"The critic has seen <{FIRST}>." in last_words(script.actor, 1)
    assert f"The critic has seen <{FIRST}>." in last_words(script.actor, 2)
    assert result["stop_reason"]["kind"] == "accepted"


def test_an_unreadable_evaluation_has_an_edge_of_its_own_and_keeps_the_best_answer(invoke: Any) -> None:
    script = REFLEXION.script([wrong(0.6), wrong(0.9)], verified=False)
    script.critic.replies = [opinion(wrong(0.6)), "?", "?", "?"]
    graph = script.graph()
    nodes = [next(iter(update)) for update in graph.stream(dict(TASK), stream_mode="updates")]
    assert nodes[-3:] == ["evaluate", "unreadable", "outcome"]
    script = REFLEXION.script([wrong(0.6), wrong(0.9)], verified=False)
    script.critic.replies = [opinion(wrong(0.6)), "?", "?", "?"]
    result = script.run(invoke)
    assert result["answer"] == wrong(0.6)
    assert result["attempts"][1]["kind"] == "unreadable_critique"
    assert "could not be read" in result["stop_reason"]["value"]


@pytest.mark.parametrize("status", ["passed", "failed"])
def test_a_verifier_that_can_judge_leaves_nothing_to_the_evaluator(invoke: Any, status: Any) -> None:
    script = REFLEXION.script([FIRST], verifier=always(Verdict(status, "so it is")))
    assert script.run(invoke, max_attempts=1)["verdict"] == status
    assert script.critic.requests == []


def test_where_the_verifier_cannot_judge_the_evaluator_does(invoke: Any) -> None:
    script = REFLEXION.script([FIRST, RIGHT], verified=False, verifier=always(Verdict("unverified", "no tool")))
    result = script.run(invoke)
    assert (result["verdict"], result["stop_reason"]["kind"]) == ("unverified", "accepted")
    assert kinds(result)[1:5] == ["attempt", "verdict", "critique", "reflection"]


def test_an_unreadable_reflection_goes_on_with_the_feedback_alone(invoke: Any) -> None:
    script = REFLEXION.script([FIRST, RIGHT])
    script.actor.replies[1:2] = ["I do not know."] * 3
    result = script.run(invoke)
    assert result["verdict"] == "passed"
    assert notes(result) == [{"reflection": "", "attempt": 1}]
    said = last_words(script.actor)
    assert f"<{FIRST}> is wrong" in said
    assert "noted about your failures" not in said
    assert "I do not know." not in said


def test_a_cut_off_reflection_goes_on_with_the_feedback_alone(invoke: Any) -> None:
    cut = AIMessage("[Mistake]\nI", response_metadata={"finish_reason": "length"})
    script = REFLEXION.script([FIRST, RIGHT])
    script.actor.replies[1:2] = [cut, cut]
    assert script.run(invoke)["verdict"] == "passed"
    assert "noted about your failures" not in last_words(script.actor)


def test_an_unreadable_reflection_keeps_the_earlier_ones(invoke: Any) -> None:
    script = REFLEXION.script([FIRST, wrong(0.3), RIGHT])
    script.actor.replies[script.actor.replies.index(reflection(2))] = ""
    script.actor.replies[4:4] = ["", ""]
    assert script.run(invoke)["verdict"] == "passed"
    said = last_words(script.actor)
    assert "1. Mistake 1." in said
    assert "<wrong 0.3> is wrong" in said


@pytest.mark.parametrize("verified", [True, False], ids=["verifier", "evaluator"])
def test_a_model_that_is_lost_over_the_reflection_keeps_the_answer(
    invoke: Any, verified: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_waiting(monkeypatch)
    script = REFLEXION.script([FIRST, RIGHT], verified=verified)
    script.actor.replies[1:] = GONE
    result = script.run(invoke)
    assert (result["answer"], result["stop_reason"]["kind"]) == (FIRST, "model_unavailable")
    assert result["verdict"] == ("failed" if verified else "unverified")
    assert notes(result) == []


def test_a_model_that_is_lost_over_the_evaluation_keeps_the_answer(
    invoke: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_waiting(monkeypatch)
    script = REFLEXION.script([FIRST], verified=False)
    script.critic.replies = list[Any](GONE)
    result = script.run(invoke)
    assert (result["answer"], result["verdict"]) == (FIRST, "unverified")
    assert result["stop_reason"]["kind"] == "model_unavailable"
    assert result["stop_reason"]["value"].startswith("the evaluator, ScriptedModel: ")


@pytest.mark.parametrize("answers", [[FIRST, FIRST, RIGHT], [FIRST, None, RIGHT]], ids=["a-repeated", "an-unreadable"])
def test_an_answer_that_tells_nothing_new_is_not_reflected_on(invoke: Any, answers: list[str | None]) -> None:
    script = REFLEXION.script(answers)
    result = script.run(invoke)
    assert [note["attempt"] for note in notes(result)] == [1]
    assert "Mistake 1." in last_words(script.actor)


def test_a_budget_that_a_reflection_spends_ends_the_run_before_the_next_attempt(invoke: Any) -> None:
    script = REFLEXION.script([FIRST, RIGHT])
    del script.actor.replies[2:]
    result = script.run(invoke, max_tokens=30)
    assert result["stop_reason"] == {"kind": "token_budget", "value": 30, "limit": 30}
    assert len(result["attempts"]) == 1


def test_a_budget_that_is_spent_leaves_nothing_for_a_reflection(invoke: Any) -> None:
    script = REFLEXION.script([FIRST])
    assert script.run(invoke, max_tokens=15)["stop_reason"]["kind"] == "token_budget"


def test_an_attempt_says_which_reflection_it_learned_from(invoke: Any) -> None:
    result = REFLEXION.script([FIRST, RIGHT]).run(invoke)
    by_id = {event["id"]: event for event in result["events"]}
    learned = [
        (by_id[link["source"]]["kind"], event["kind"])
        for event in result["events"]
        for link in event["links"]
        if link["relation"] == "learned_from"
    ]
    assert learned == [("reflection", "thought")]


def test_the_actor_evaluates_itself_where_no_critic_is_given(invoke: Any) -> None:
    actor = ScriptedModel(replies=[FIRST, opinion(FIRST), reflection(1), RIGHT, opinion(RIGHT)])
    result = invoke(create_reflection_graph("reflexion", actor=actor), dict(TASK))
    assert (result["answer"], result["stop_reason"]["kind"]) == (RIGHT, "accepted")
    assert result["usage"]["total_tokens"] == 5 * 15


@pytest.mark.parametrize("mode", ["reflexion", "actor_critic"])
def test_no_note_is_paid_for_that_no_fresh_sample_would_read(invoke: Any, mode: Any) -> None:
    model = ScriptedModel(replies=[FIRST, wrong(0.1), RIGHT])
    judge = unless_right(Verdict("failed", "not that"))
    graph = create_reflection_graph(mode, actor=model, verifier=judge, strategies=["fresh"])
    result = invoke(graph, dict(TASK))
    assert (len(model.requests), result["verdict"]) == (3, "passed")
    assert ("reflect" in graph.get_graph().nodes) is False
    # A memory keeps what was noted for other tasks.
    told = ScriptedModel(replies=[FIRST, reflection(1) if mode == "reflexion" else critique(False, 0.1), RIGHT])
    memory = FailureMemory(InMemoryStore())
    kept = create_reflection_graph(mode, actor=told, verifier=judge, strategies=["fresh"], memory=memory)
    invoke(kept, dict(TASK))
    assert len(told.requests) == 3


def test_without_a_verifier_a_model_evaluates_fresh_samples_and_none_is_reflected_on(invoke: Any) -> None:
    model = ScriptedModel(replies=[FIRST, critique(False, 0.2), RIGHT, critique(True, 0.9)])
    graph = create_reflection_graph("reflexion", actor=model, strategies=["fresh"])
    result = invoke(graph, dict(TASK))
    assert (len(model.requests), notes(result)) == (4, [])
    assert result["stop_reason"]["kind"] == "accepted"
