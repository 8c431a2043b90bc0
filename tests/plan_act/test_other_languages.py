"""What the checks of calls make of goals in languages that they do not read: days and times in words are in doubt."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

import pytest
from langchain_core.tools import StructuredTool
from support.plan_act import Invoke, act, ask, done, planned, play, replanned

LATER = f"{datetime.now().date() + timedelta(days=9)}"
CALL = act("book_room", {"room": "Oak", "day": LATER, "start": "10:00"})


def book_room(room: str, day: date, start: str) -> str:
    """Book a room."""
    return f"{room} {day} {start}"


def booked(invoke: Invoke, goal: str, asked_about: list[str], metadata: dict[str, Any]) -> list[Any]:
    """What was booked, by a model that makes the call again where it is sent back."""
    rest = asked_about or [done("Seen to."), replanned(response="Seen to.")]
    tool = StructuredTool.from_function(book_room, metadata=metadata)
    played = play(
        invoke, [planned("do it"), CALL, *rest], [tool], goal={"goal": goal}, answers=["no"] * bool(asked_about)
    )
    return [seen["result"] for seen in played.result["observations"] if seen["ok"] and seen["tool"] == "book_room"]


@pytest.mark.parametrize("grounded", [False, True])
@pytest.mark.parametrize(
    "goal",
    [
        "Buche nächste Woche um zehn den Raum Oak",
        "Reserva la sala Oak el viernes a las diez",
        "Réserve la salle Oak dans neuf jours à dix heures",
        "来週の火曜日の10時にOakを予約して",
        "Забронируй зал Oak на вторник в десять",
        "احجز قاعة Oak يوم الثلاثاء الساعة العاشرة",
    ],
)
def test_a_day_in_words_that_are_not_read_is_taken_as_given(invoke: Invoke, goal: str, *, grounded: bool) -> None:
    given = {"effects": True, "grounded": ["day", "start"]} if grounded else {}
    assert booked(invoke, goal, [], given) == [f"Oak {LATER} 10:00"]


@pytest.mark.parametrize("grounded", [False, True])
@pytest.mark.parametrize(
    "goal",
    ["Book the room Oak", "Oak room: Zoë, Chloé, José", "Oak room 10 am", "Zoë's farewell in the Oak room"],
)
def test_a_day_that_nobody_gave_is_still_asked_about(invoke: Invoke, goal: str, *, grounded: bool) -> None:
    given = {"effects": True, "grounded": ["day", "start"]} if grounded else {}
    asked_about = [CALL, replanned(response="Not done.")]
    assert booked(invoke, goal, asked_about, given) == []


def test_a_name_as_an_answer_tells_no_language(invoke: Invoke) -> None:
    tool = StructuredTool.from_function(book_room, metadata={"effects": True, "grounded": ["day", "start"]})
    replies = [planned("do it"), ask("In which house is the room Oak?"), CALL, CALL, replanned(response="Not done.")]
    goal = {"goal": "Book the room Oak"}
    played = play(invoke, replies, [tool], goal=goal, answers=["La Piazza", "no"])
    assert not [seen for seen in played.result["observations"] if seen["ok"] and seen["tool"] == "book_room"]
