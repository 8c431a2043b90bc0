"""Calls that a user's words do not want: what the model is told in place of them."""

from __future__ import annotations

import pytest
from thoughtgraph.tests.support.commands import becomes

_CAT = "/todo add worm the cat"
_PRESENT = "/todo add wrap Sylvester's present"
_TILER = ("/schedule add Tiler --at 2026-03-13 08:00", "/schedule add Window fitter --at 2026-03-17 14:00")


def hint_of(said: str, command: str, *setup: str, before: str = "") -> str:
    """What the model is told in place of a call; "" where the call is made."""
    against = becomes(said, command, *setup, before=before)[1]
    return against.hint or against.question if against else ""


@pytest.mark.parametrize(
    ("said", "command", "setup"),
    [
        ("today I shall just sit in the sun with the cat. no orders", "/todo done worm the cat", _CAT),
        ("today I shall just sit in the sun with the cat. no orders", "/todo rm worm the cat", _CAT),
        ("a quiet day with the cat, so no requests from me", "/todo done worm the cat", _CAT),
        ("Don't put anything in for Friday just yet. Sylvester hasn't answered", "/todo done 1", _PRESENT),
        ("please don't book anything for Sylvester yet", "/todo rm wrap Sylvester's present", _PRESENT),
        ("Hold off on booking anything for Sylvester's birthday", "/todo done 1", _PRESENT),
    ],
)
def test_nothing_is_done_for_who_wants_nothing(said: str, command: str, setup: str) -> None:
    assert "nothing is to be done" in hint_of(said, command, setup)


@pytest.mark.parametrize(
    ("said", "command", "setup"),
    [
        ("I just wormed the cat", "/todo done worm the cat", _CAT),
        ("just wormed the cat, phew", "/todo done worm the cat", _CAT),
        ("Don't put anything in for Friday, and cancel Sylvester's present", "/todo rm 1", _PRESENT),
        ("drop Sylvester's present from my list. don't book anything", "/todo rm 1", _PRESENT),
        ("the vet moved the cat to 4, so don't book anything then", "/schedule edit cat --at 16:00",
         "/schedule add cat to the vet --at 2026-03-13 15:00"),
        ("the wormer takes no orders, scrap the cat thing", "/todo rm worm the cat", _CAT),
    ],
)  # fmt: skip
def test_news_and_orders_beside_such_words_are_carried_out(said: str, command: str, setup: str) -> None:
    assert not hint_of(said, command, setup)


@pytest.mark.parametrize(
    "said",
    [
        "Skip's been picked up. Shove the tiler to Tuesday same time",
        "bump the tiler to tuesday would you",
        "can you nudge the tiler along to tuesday",
    ],
)
def test_an_appointment_that_is_shoved_to_a_day_is_moved(said: str) -> None:
    assert "/schedule edit 1 --at 2026-03-17" in hint_of(said, "/schedule rm Tiler", *_TILER)


@pytest.mark.parametrize(
    "said", ["nudge the tiler to send the quote on tuesday", "shove a reminder about the tiler on for tuesday"]
)
def test_who_is_nudged_to_do_something_is_not_moved(said: str) -> None:
    assert "--at" not in hint_of(said, "/schedule rm Tiler", *_TILER)


def test_the_words_that_shove_an_appointment_are_no_todo() -> None:
    said = "Shove the tiler to Tuesday same time, oh and we're out of grout"
    assert "/schedule edit 1" in hint_of(said, "/todo add shove the tiler to Tuesday same time", *_TILER)
    for duty in ("nudge the tiler about the grout", "nudge the tiler to send the quote"):
        assert not hint_of(f"todo: {duty}", f"/todo add {duty}", *_TILER)
