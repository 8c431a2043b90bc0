"""Days and times that nobody named, in calls of tools that do not say what is held to what was said."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from langchain_core.tools import StructuredTool
from support.plan_act import Invoke, act, done, last_words, planned, play, replanned
from support.texts import text


def now() -> datetime:
    """A Saturday."""
    return datetime(2026, 11, 28, 14, 30)


def book_slot(day: str, time: str = "") -> str:
    """Book a time at the garage."""
    return f"Booked {day} {time}."


def list_slots(day: str) -> str:
    """List the free times of a day."""
    return "09:00, 15:00"


def calls(invoke: Invoke, goal: str, *inputs: dict[str, str], tool: Any = book_slot, **more: Any) -> tuple[Any, Any]:
    """A run in which the model makes these calls in turn, and the inputs that were called."""
    script = [planned("book it"), *(act("book_slot", given) for given in inputs), done("Seen to."), replanned()]
    played = play(invoke, script, [tool, list_slots], goal={"goal": goal}, clock=now, **more)
    return played, [seen["input"] for seen in played.result["observations"] if seen["ok"]]


FRIDAY = {"day": "2026-12-04", "time": "11:30"}


@pytest.mark.parametrize("wrong", ["2026-11-28", "2026-12-03", "2026-12-05T11:30"])
def test_a_day_that_is_not_the_one_named_goes_back_with_the_one_that_is(invoke: Invoke, wrong: str) -> None:
    played, called = calls(invoke, "Book Friday at 11:30", {**FRIDAY, "day": wrong}, FRIDAY)
    assert called == [FRIDAY]
    assert "2026-12-04 11:30" in last_words(played.model, 2)


def test_a_time_that_nobody_named_goes_back_to_be_looked_up(invoke: Invoke) -> None:
    noon, day_alone = {"day": "2026-11-30", "time": "12:00"}, {"day": "2026-11-30"}
    played, called = calls(invoke, "Book an oil change on Monday", noon, day_alone)
    assert called in ([day_alone], ["2026-11-30"])
    assert text("en", "note.look_up", readers="list_slots") in last_words(played.model, 2)


@pytest.mark.parametrize(
    ("goal", "given"),
    [
        ("Book Friday at 11:30", FRIDAY),
        ("周五上午十一点半预订", FRIDAY),
        ("Book from Friday on, for three days", {"day": "2026-12-04", "time": "2026-12-06"}),
        ("Book Friday or Saturday", {"day": "2026-12-05"}),
        ("Book the first quarter", {"day": "2027-01-01"}),
        ("Book a table for two", {"day": "2026-11-28", "time": "19:00"}),
        ("Book Friday evening", {"day": "2026-12-04", "time": "19:00"}),
        ("Book Friday after breakfast", {"day": "2026-12-04", "time": "10:00"}),
        ("Book Friday, any time", {"day": "2026-12-04", "time": "09:00"}),
        ("Book Friday", {"day": "Friday"}),
        ("I was there on Friday, book it", {"day": "2026-11-27"}),
        ("It was the 3rd, book it", {"day": "2026-11-03"}),
        ("Buche einen Termin am Freitag", {"day": "2026-12-04"}),
        ("Réserve pour vendredi", {"day": "2026-12-04"}),
        ("Забронируй на пятницу", {"day": "2026-12-04"}),
        ("Book a table for Thanksgiving", {"day": "2027-11-25"}),
    ],
)
def test_a_call_that_may_be_right_is_made(invoke: Invoke, goal: str, given: dict[str, str]) -> None:
    _, called = calls(invoke, goal, given)
    assert len(called) == 1


def test_a_time_that_the_tool_itself_names_and_a_length_are_no_inventions(invoke: Invoke) -> None:
    def book_slot(day: str, time: str = "08:15", pace: str = "") -> str:
        """Book a run."""
        return "booked"

    given = {"day": "2026-11-30", "time": "08:15", "pace": "05:10"}
    assert calls(invoke, "Book Monday", given, tool=book_slot)[1] == [given]


@pytest.mark.parametrize("metadata", [{"grounded": []}, {"effects": False}], ids=["let", "reads"])
def test_a_tool_may_say_that_it_is_not_held_to_it(invoke: Invoke, metadata: dict[str, Any]) -> None:
    tool = StructuredTool.from_function(book_slot, metadata=metadata)
    _, called = calls(invoke, "Book Friday at 11:30", {"day": "2026-12-03", "time": "11:30"}, tool=tool)
    assert len(called) == 1


def test_a_time_that_a_tool_has_shown_is_no_invention(invoke: Invoke) -> None:
    looks, books = act("list_slots", "2026-11-30"), act("book_slot", {"day": "2026-11-30", "time": "15:00"})
    script = [planned("book it"), looks, books, done("Seen to."), replanned()]
    played = play(invoke, script, [book_slot, list_slots], goal={"goal": "Book Monday"}, clock=now)
    assert [seen["tool"] for seen in played.result["observations"]] == ["list_slots", "book_slot"]


def test_the_second_time_the_user_is_asked(invoke: Invoke) -> None:
    noon = act("book_slot", {"day": "2026-11-30", "time": "12:00"})
    script = [planned("book it"), noon, noon, replanned("book it"), noon, done("Seen to."), replanned()]
    played = play(invoke, script, [book_slot], goal={"goal": "Book Monday"}, clock=now, answers=["yes"])
    assert "12:00" in str(played.shown)
    assert [seen["ok"] for seen in played.result["observations"]] == [True]


def cancel_slot(day: str) -> str:
    """Cancel what is booked on a day."""
    return f"Cancelled {day}."


@pytest.mark.parametrize(
    ("goal", "tool", "day"),
    [
        ("Please cancel my booking", cancel_slot, "2026-11-28"),
        ("Please cancel my booking", cancel_slot, "2026-12-05"),
        ("Book me two weeks", book_slot, "2026-12-05"),
        ("I need 21 to 23 December", book_slot, "2026-11-21"),
    ],
)
def test_a_day_that_nobody_named_goes_back(invoke: Invoke, goal: str, tool: Any, day: str) -> None:
    given = {"day": day}
    script = [planned("do it"), act(tool.__name__, given), done("I do not know the day."), replanned()]
    played = play(invoke, script, [tool, list_slots], goal={"goal": goal}, clock=now)
    assert f"{day} appears nowhere" in last_words(played.model, 2)
    assert "336h" not in last_words(played.model, 2), "a length is no day"


@pytest.mark.parametrize(
    ("goal", "tool", "day"),
    [
        ("Book me two weeks", book_slot, "2026-11-28"),
        ("Book me two weeks", book_slot, "2026-12-12"),
        ("Book the weekend", book_slot, "2026-11-29"),
        ("Book Christmas", book_slot, "2026-12-25"),
        ("Cancel what I have on 5 December", cancel_slot, "2026-12-05"),
        ("Cancel what I have this month", cancel_slot, "2026-11-30"),
        ("I need 21 to 23 December", book_slot, "2026-12-22"),
        ("I need 3 days from 21 December", book_slot, "2026-12-23"),
    ],
)
def test_a_day_that_may_have_been_named_does_not(invoke: Invoke, goal: str, tool: Any, day: str) -> None:
    script = [planned("do it"), act(tool.__name__, {"day": day}), done("Seen to."), replanned()]
    played = play(invoke, script, [tool, list_slots], goal={"goal": goal}, clock=now)
    assert [seen["ok"] for seen in played.result["observations"]] == [True]


def test_a_result_that_counts_days_names_none(invoke: Invoke) -> None:
    def days_left() -> str:
        """Tell how many days are left."""
        return "12 days left this year"

    given = {"day": "2026-12-05"}
    script = [planned("do it"), act("days_left", {}), act("book_slot", given), done("I cannot know."), replanned()]
    played = play(invoke, script, [book_slot, days_left], goal={"goal": "Book me two weeks"}, clock=now)
    assert "2026-12-05 appears nowhere" in last_words(played.model, 3)
