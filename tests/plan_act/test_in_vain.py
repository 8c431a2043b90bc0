"""Answers that call done what no call did, in words that no list of verbs has: "the booking is complete"."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.tools import BaseTool
from plan_act.test_told_failures import giving, is_met, run
from support.plan_act import Invoke, act, done, last_words, planned, play, replanned
from support.texts import text

FULL = "Error: the restaurant is full"
BOOK = act("book_table", {"place": "Roma"})
GOAL = "Book a table at Roma"
CLAIMS = [
    "The booking is complete.",
    "Your reservation is confirmed.",
    "No problem, your table is waiting! Don't hesitate to ask for more.",
    "订好了。",
    "Die Buchung ist abgeschlossen.",
]
NOT_ACTED = text("en", "end.not_acted")


def booking(result: str) -> BaseTool:
    return giving("book_table", "Book a table.", result, place="string")


def failing() -> Callable[..., str]:
    def book_table(place: str) -> str:
        """Book a table."""
        raise ValueError("the restaurant is full")

    return book_table


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_claim_in_any_words_goes_back_where_the_call_says_that_it_did_nothing(invoke: Invoke, claim: str) -> None:
    played = run(invoke, GOAL, [booking(FULL)], [BOOK], claim, claim)
    assert text("en", "note.in_vain", result=FULL) in last_words(played.model, 3)
    assert played.result["stop_reason"]["kind"] == "steps_failed"
    assert FULL in played.result["response"]


def test_so_does_one_where_the_call_failed_and_another_tool_was_read(invoke: Invoke) -> None:
    find = giving("find_tables", "Find tables.", "Roma", city="string")
    calls = [act("find_tables", {"city": "Rome"}), BOOK]
    played = run(invoke, GOAL, [find, failing()], calls, "The booking is complete.", "The booking is complete.")
    assert played.result["stop_reason"]["kind"] == "steps_failed"


def test_a_call_that_then_does_it_meets_the_goal(invoke: Invoke) -> None:
    results = iter([FULL, "booked"])

    def book_table(place: str) -> str:
        """Book a table."""
        return next(results)

    claim = "The booking is complete."
    replies = [planned("do it"), BOOK, done(claim), BOOK, done(claim), replanned(response=claim)]
    assert is_met(play(invoke, replies, [book_table], goal={"goal": GOAL}))


@pytest.mark.parametrize(
    ("result", "told"),
    [
        (FULL, "The table could not be booked."),
        (FULL, "Leider geht das heute so."),
        (FULL, "They are full on that day."),
        (json.dumps({"status": "failed", "reason": "only 3 seats left"}), "Only 3 seats are left."),
    ],
)
def test_an_answer_that_tells_that_nothing_was_done_stands_and_meets_no_goal(
    invoke: Invoke, result: str, told: str
) -> None:
    played = run(invoke, GOAL, [booking(result)], [BOOK], told)
    assert len(played.model.requests) == 4
    assert played.result["response"].startswith(told)
    assert played.result["stop_reason"]["kind"] == "answered"


def test_what_a_tool_for_anything_finds_out_is_no_call_in_vain(invoke: Invoke) -> None:
    tests = giving("run_tests", "Run the tests.", "3 failed, 2 passed", folder="string")
    told = "Two of the five pass."
    assert is_met(run(invoke, "Run the tests in app", [tests], [act("run_tests", {"folder": "app"})], told))


@pytest.mark.parametrize("claim", CLAIMS)
def test_an_answer_that_insists_without_a_call_is_followed_by_the_truth(invoke: Invoke, claim: str) -> None:
    played = run(invoke, GOAL, [booking("booked")], [], claim, claim)
    assert played.result["stop_reason"]["kind"] == "answered"
    assert played.result["response"] == f"{claim}\n{NOT_ACTED}"


def test_so_is_one_in_the_place_of_a_plan(invoke: Invoke) -> None:
    claim = "Your reservation is confirmed."
    played = play(invoke, [planned(response=claim)], [booking("booked")], goal={"goal": GOAL})
    assert played.result["response"] == f"{claim}\n{NOT_ACTED}"


@pytest.mark.parametrize(
    ("goal", "told"),
    [
        (GOAL, "I cannot book at Roma."),
        (GOAL, "For how many people?"),
        ("Explain how to book a table", "Call them, and tell them when."),
        ("Put my thoughts in order: tea, sleep", "First tea, then sleep."),
        ("What is 3 and 4?", "That is seven."),
    ],
)
def test_no_other_answer_is(invoke: Invoke, goal: str, told: str) -> None:
    played = play(invoke, [planned(response=told)], [booking("booked")], goal={"goal": goal})
    assert played.result["response"] == told


@pytest.mark.parametrize("goal", ["ローマを予約して", "Забронируй столик", "Book a table for 4"])
@pytest.mark.parametrize("description", ["レストランを予約する。", "식당을 예약합니다", "Заказать столик"])
def test_a_tool_without_a_latin_letter_is_called(invoke: Invoke, goal: str, description: str) -> None:
    tool = giving("予約", description, "OK", 店="string")
    calls: list[Any] = [act("予約", {"店": "ローマ"})]
    played = run(invoke, goal, [tool], calls, "OK")
    assert [seen["result"] for seen in played.result["observations"]] == ["OK"]
