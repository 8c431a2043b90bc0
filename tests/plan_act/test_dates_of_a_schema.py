"""Dates and times in words, in calls of tools whose schema wants them in ISO 8601."""

from __future__ import annotations

from datetime import date, datetime, time
from typing import Any

import pytest
from support.plan_act import Invoke, act, done, last_words, planned, play


def now() -> datetime:
    """A Wednesday."""
    return datetime(2026, 3, 11, 9)


def book(day: date, at: time | None = None, note: str = "") -> str:
    """Book a visit."""
    return f"Booked {day} {at or ''}: {note}."


def remind(when: datetime) -> str:
    """Remind the patient."""
    return f"Reminder at {when}."


def booked(invoke: Invoke, goal: str, tool: Any, *inputs: dict[str, str]) -> tuple[Any, Any]:
    """A run in which the model makes these calls in turn, and the inputs that were called."""
    replies = [planned("see to it"), *(act(tool.__name__, given) for given in inputs), done("Seen to.")]
    replies.append('{"status": "replanned", "plan": [], "response": "Seen to."}')
    played = play(invoke, replies, [tool], goal={"goal": goal}, clock=now)
    inputs_made = [seen["input"] for seen in played.result["observations"] if seen["ok"]]
    # A text stands for the one argument that a tool needs.
    only = "when" if tool is remind else "day"
    return played, [{only: made} if isinstance(made, str) else made for made in inputs_made]


@pytest.mark.parametrize(
    ("goal", "tool", "given", "called"),
    [
        ("Book Monday", book, {"day": "Monday"}, {"day": "2026-03-16"}),
        # The day of what was is the last of its name.
        ("She was there on Monday", book, {"day": "Monday"}, {"day": "2026-03-09"}),
        ("She was there, book her next Monday", book, {"day": "Monday"}, {"day": "2026-03-16"}),
        (
            "Book next Tuesday at nine",
            book,
            {"day": "next Tuesday", "at": "9 am"},
            {"day": "2026-03-17", "at": "09:00:00"},
        ),
        (
            "Book Thursday at 14:00",
            book,
            {"day": "Thu 2026-03-12", "at": "14:00"},
            {"day": "2026-03-12", "at": "14:00"},
        ),
        # Half past three is in the afternoon, unless somebody says otherwise.
        *(
            (
                "Book Friday at half past three",
                book,
                {"day": "Friday", "at": at},
                {"day": "2026-03-13", "at": "15:30:00"},
            )
            for at in ("half past three", "3:30:00Z", "3:30")
        ),
        (
            "Book Friday at 3:30 in the morning",
            book,
            {"day": "Friday", "at": "3:30 am"},
            {"day": "2026-03-13", "at": "03:30:00"},
        ),
        ("Book Friday at 7:30", book, {"day": "Friday", "at": "7:30"}, {"day": "2026-03-13", "at": "07:30:00"}),
        ("下周一预约", book, {"day": "下周一"}, {"day": "2026-03-16"}),
        ("Remind her tomorrow at 3 pm", remind, {"when": "tomorrow 3pm"}, {"when": "2026-03-12T15:00:00"}),
        ("Book 2026-03-20", book, {"day": "2026-03-20"}, {"day": "2026-03-20"}),
        (
            "Book Monday, note: Monday",
            book,
            {"day": "Monday", "note": "Monday"},
            {"day": "2026-03-16", "note": "Monday"},
        ),
    ],
)
def test_words_that_can_be_read_are_written_as_the_schema_wants_them(
    invoke: Invoke, goal: str, tool: Any, given: dict[str, str], called: dict[str, str]
) -> None:
    assert booked(invoke, goal, tool, given)[1] == [called]


@pytest.mark.parametrize("wrong", ["some day", "Monday at nine", "2026-02-30"])
def test_words_that_tell_less_or_more_go_back(invoke: Invoke, wrong: str) -> None:
    played, called = booked(invoke, "Book Monday", book, {"day": wrong}, {"day": "2026-03-16"})
    assert called == [{"day": "2026-03-16"}]
    assert "`day`" in last_words(played.model, 2)
