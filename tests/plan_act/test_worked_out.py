"""Answers that follow from a result without having a word of it."""

from __future__ import annotations

import pytest
from langchain_core.tools import StructuredTool
from support.plan_act import Invoke, act, done, planned, play, replanned

LISTED = '[{"room": "Oak", "people": 6}, {"room": "Elm", "people": 12}]'


def get_bookings() -> str:
    """List the bookings."""
    return LISTED


def answered(invoke: Invoke, goal: str, answer: str) -> str:
    """What the user is told."""
    tool = StructuredTool.from_function(get_bookings, metadata={"effects": False})
    replies = [planned("look it up"), act("get_bookings", {}), done(answer), replanned(response=answer)]
    return str(play(invoke, replies, [tool], goal={"goal": goal}).result["response"])


@pytest.mark.parametrize(
    ("goal", "answer"),
    [
        ("How many people are coming to both bookings together?", "Eighteen."),
        ("Which of the bookings is the larger one?", "The second one."),
        ("一共来多少人？", "十八个人。"),
        ("¿Cuántas personas vienen en total?", "Dieciocho."),
        ("Welche ist um zehn, und für wie viele Personen?", "Die zweite, für ein Dutzend."),
        ("全部で何人来ますか？", "18人です。"),
    ],
)
def test_an_answer_that_may_be_worked_out_stands_alone(invoke: Invoke, goal: str, answer: str) -> None:
    assert answered(invoke, goal, answer) == answer


@pytest.mark.parametrize("goal", ["What are my bookings?", "How many bookings are there?"])
def test_an_answer_that_tells_nothing_is_still_followed_by_the_result(invoke: Invoke, goal: str) -> None:
    assert LISTED in answered(invoke, goal, "Here they are.")
    assert LISTED in answered(invoke, goal, "Here they are, for 2026-03-13.")
