"""What the checks of calls make of goals in languages that they do not read: days and times in words are in doubt."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

import pytest
from langchain_core.tools import StructuredTool
from support.plan_act import Invoke, act, done, planned, play, replanned

LATER = f"{datetime.now().date() + timedelta(days=9)}"


def book_room(room: str, day: date, start: str) -> str:
    """Book a room."""
    return f"{room} {day} {start}"


def booked(invoke: Invoke, goal: str, given: dict[str, Any], tool: Any = book_room) -> list[Any]:
    """The results of the calls that worked."""
    replies = [planned("do it"), act("book_room", given), done("Seen to."), replanned(response="Seen to.")]
    if goal == ENGLISH:
        replies[2:2] = [act("book_room", given), replanned(response="Not done.")]
        replies[-2:] = []
        played = play(invoke, replies, [tool], goal={"goal": goal}, answers=["no"])
    else:
        played = play(invoke, replies, [tool], goal={"goal": goal})
    return [seen["result"] for seen in played.result["observations"] if seen["ok"] and seen["tool"] == "book_room"]


ENGLISH = "Book the room Oak"


@pytest.mark.parametrize("grounded", [False, True])
@pytest.mark.parametrize(
    ("goal", "made"),
    [
        ("Buche nächste Woche um zehn den Raum Oak", 1),
        ("Reserva la sala Oak el viernes a las diez", 1),
        ("Réserve la salle Oak dans neuf jours à dix heures", 1),
        ("来週の火曜日の10時にOakを予約して", 1),
        ("Забронируй зал Oak на вторник в десять", 1),
        ("احجز قاعة Oak يوم الثلاثاء الساعة العاشرة", 1),
        (ENGLISH, 0),
    ],
)
def test_a_day_in_words_that_are_not_read_is_taken_as_given(
    invoke: Invoke, goal: str, made: int, *, grounded: bool
) -> None:
    given = {"effects": True, "grounded": ["day", "start"]} if grounded else {}
    tool = StructuredTool.from_function(book_room, metadata=given)
    assert len(booked(invoke, goal, {"room": "Oak", "day": LATER, "start": "10:00"}, tool)) == made
