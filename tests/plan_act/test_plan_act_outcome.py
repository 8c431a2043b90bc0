"""What a finished plan-act run claims: the goal is met only where nothing that was tried has failed for good."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.tools import tool
from support.plan_act import Invoke, act, ask, broken_tool, done, echo_tool, planned, play, replanned, twin
from support.texts import text
from thoughtgraph import ContextGraph

GIVEN_UP = [act("broken", "x"), done("Done!"), done("Done!")]
WORKED = [act("echo", "y"), done("echo y")]
LIE = replanned(response="All is done!")
TOOLS = [broken_tool(), echo_tool()]


FAILED = {
    "its only step": [planned("a"), *GIVEN_UP, LIE],
    "no answer": [planned("a"), *GIVEN_UP, replanned()],
    "every step": [planned("a", "b"), *GIVEN_UP, replanned("b"), act("broken", "z"), done("B"), done("B"), LIE],
    "planned again": [planned("a"), *GIVEN_UP, replanned("a"), act("broken", "y"), done("A"), done("A"), LIE],
    "the others need no tool": [planned("a", "b"), *GIVEN_UP, replanned("b"), done("B"), LIE],
    "only finished steps planned": [planned("b", "a"), done("B"), replanned("a"), *GIVEN_UP, replanned("b")],
}
ASKED = {
    "dropped behind a question": [planned("a"), act("broken", "x"), ask("Which?"), LIE],
    "another step behind a question": [planned("a"), act("broken", "x"), ask("Which?"), replanned("b"), done("B"), LIE],
}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("replies", [*FAILED.values(), *ASKED.values()], ids=[*FAILED, *ASKED])
def test_a_run_of_which_no_tool_call_worked_has_failed(invoke: Invoke, replies: list[str], language: Any) -> None:
    answers = ["this one"] if replies in ASKED.values() else []
    result, _, _ = play(invoke, replies, TOOLS, answers=answers, language=language)
    stop = result["stop_reason"]
    assert (stop["kind"], stop["limit"]) == ("steps_failed", None)
    assert "this cannot work" in stop["value"]
    response = result["response"]
    for part in ("end.done", "end.failed", "end.why", "end.next", "end.advice_failed"):
        assert text(language, part) in response
    assert text(language, "why.steps_failed", value=stop["value"]) in response
    if LIE in replies:
        assert response.endswith(text(language, "end.words", answer="All is done!"))
    else:
        assert text(language, "end.finished") not in response
    outcome = result["events"][-1]
    assert outcome["data"]["stop_reason"] == stop
    assert outcome["data"]["plan"] == result["plan"]


def test_a_call_that_worked_is_not_told_among_what_did_not(invoke: Invoke) -> None:
    @tool
    def send(to: str) -> str:
        """Send."""
        return f"sent to {to}"

    send.metadata = {"effects": True}
    claim = replanned(response="I have sent it.")
    result, _, _ = play(invoke, [planned("a"), act("broken", "x"), *WORKED, claim, claim], [*TOOLS, send])
    assert result["stop_reason"]["kind"] == "steps_failed"
    assert [item["status"] for item in result["plan"]] == ["done"]
    assert text("en", "end.failed") not in result["response"]


PARTLY = {
    "first done": [planned("a", "b"), *WORKED, replanned("b"), *GIVEN_UP, LIE],
    "first failed": [planned("b", "a"), *GIVEN_UP, replanned("a"), *WORKED, LIE],
    "only finished steps planned": [planned("a", "b"), *WORKED, replanned("b"), *GIVEN_UP, replanned("a")],
    "another way": [planned("b"), *GIVEN_UP, replanned("c"), *WORKED, LIE],
}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("replies", PARTLY.values(), ids=PARTLY)
def test_a_run_of_which_a_part_failed_does_not_claim_its_goal(
    invoke: Invoke, replies: list[str], language: Any
) -> None:
    result, _, _ = play(invoke, replies, TOOLS, language=language)
    assert result["stop_reason"] == {"kind": "partly_done", "value": 1, "limit": None}
    response = result["response"]
    assert response.startswith("All is done!" if LIE in replies else "echo y")
    failed = response.partition(text(language, "end.failed"))[2]
    assert "\n- b: " in failed and "this cannot work" in failed
    assert failed.endswith(f"{text(language, 'end.next')} {text(language, 'end.advice_failed')}")


MET = {
    "nothing failed": [planned("a"), *WORKED, LIE],
    "no tool was needed": [planned("a"), done("A"), LIE],
    "failed, then worked": [planned("a"), act("broken", "x"), *WORKED, LIE],
    "worked, then failed": [planned("a"), act("echo", "y"), act("broken", "x"), done("echo y"), LIE],
    "made good": [planned("a"), *GIVEN_UP, replanned("a"), *WORKED, LIE],
    "made good in other marks": [planned("Buy a"), *GIVEN_UP, replanned("**buy**  a."), *WORKED, LIE],
    "made good, then failed, then made good": [
        planned("a"),
        *GIVEN_UP,
        replanned("a"),
        *GIVEN_UP,
        replanned("a"),
        *WORKED,
        LIE,
    ],
}
MET_ASKED = {
    "worked, asked, failed": [
        planned("a"),
        act("echo", "y"),
        ask("Which?"),
        replanned("a"),
        act("broken", "x"),
        done("echo y"),
        LIE,
    ],
    "failed, asked, worked": [planned("a"), act("broken", "x"), ask("Which?"), replanned("a"), *WORKED, LIE],
    "failed, asked, worked as another": [planned("a"), act("broken", "x"), ask("Which?"), replanned("b"), *WORKED, LIE],
    "asked, and that was all": [planned("a"), ask("Which?"), LIE],
}


@pytest.mark.parametrize("replies", [*MET.values(), *MET_ASKED.values()], ids=[*MET, *MET_ASKED])
def test_a_failure_that_was_made_good_is_none(invoke: Invoke, replies: list[str]) -> None:
    answers = ["this one"] if replies in MET_ASKED.values() else []
    result, _, _ = play(invoke, replies, TOOLS, answers=answers)
    assert result["stop_reason"] == {"kind": "goal_met", "value": result["steps"], "limit": None}
    assert result["response"] == "All is done!"


def test_a_failed_call_of_a_step_is_not_held_against_another_step_behind_a_question(invoke: Invoke) -> None:
    replies = [planned("a"), act("broken", "x"), ask("Which?"), replanned("b"), done("B"), replanned()]
    result, _, _ = play(invoke, replies, TOOLS, answers=["neither"])
    assert [(item["step"], item["status"]) for item in result["plan"]] == [("b", "done")]


def test_a_plan_that_is_refused_makes_no_call_forgotten(invoke: Invoke) -> None:
    """The step goes on behind a question, and the plan that says so has to be written twice."""
    unsound = replanned("a", {"step": "b", "requires": [7]})
    replies = [planned("a", "b"), act("echo", "y"), ask("Which?"), unsound, replanned("a", "b"), act("broken", "x")]
    rest = [done("echo y"), replanned("b"), done("B"), LIE]
    result, _, _ = play(invoke, [*replies, *rest], TOOLS, answers=["this one"])
    assert [item["status"] for item in result["plan"]] == ["done", "done"]


def test_a_lone_failed_call_is_thought_over_behind_a_question_too(invoke: Invoke) -> None:
    replies = [planned("a"), act("broken", "x"), ask("Which?"), replanned("a"), done("Done!"), *WORKED, LIE]
    result, _, _ = play(invoke, replies, TOOLS, answers=["this one"])
    assert result["stop_reason"]["kind"] == "goal_met"


@pytest.mark.parametrize(
    ("replies", "sentence", "shown"),
    [
        (FAILED["its only step"], "because what was tried failed", 1),
        (FAILED["every step"], "because what was tried failed", 2),
        (PARTLY["first done"], "because 1 of the steps failed", 1),
    ],
    ids=["one", "two", "partly"],
)
def test_the_trace_says_that_it_failed_and_shows_the_calls(replies: list[str], sentence: str, shown: int) -> None:
    run = ContextGraph.from_run(play(twin("sync"), replies, TOOLS).result)
    stop = run.why_stopped()
    assert sentence in stop.sentence
    assert [event["data"]["tool"] for event in stop.evidence] == ["broken"] * shown
    assert run.metrics().stop_kind == stop.kind


@pytest.mark.parametrize(
    ("last", "kind"),
    [
        ([replanned(), replanned()], "steps_failed"),
        ([replanned(), replanned(response="As you like.")], "goal_met"),
        ([replanned(response="As you like.")], "goal_met"),
    ],
)
def test_a_plan_that_is_emptied_without_a_word_has_not_met_the_goal(last: list[str], kind: str) -> None:
    script = [planned("schedule lunch"), ask("When?"), *last]
    played = play(twin("sync"), script, [echo_tool()], goal={"goal": "lunch with Priya"}, answers=["some day"])
    assert played.result["stop_reason"]["kind"] == kind
    assert len(played.model.requests) == len(script)
    assert ("All steps" in played.result["response"]) is False
