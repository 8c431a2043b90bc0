"""Right commands in the spellings of models, and the words of a user beside which they stay as they are."""

from __future__ import annotations

import pytest
from support.commands import NOW, becomes
from thoughtgraph.tools.dates.told import told_moments, told_times

POTTERY = ["/schedule add Pottery workshop --at 2026-03-14 13:00-17:00"]
GLAZING = "/schedule add Glazing workshop --at 2026-03-21 13:00-17:00"
EXAM = [
    "/schedule add Chemistry exam --at 2026-03-19 10:00",
    "/schedule add Lunch after the exam --at 2026-03-19 13:00",
]
ACCOUNTS = ["/todo add do the accounts --due 2026-03-14", "/todo add send accounts to Ray --due 2026-03-14"]
GUESTS = ["/schedule add Airbnb guests leave --at 2026-03-15 10:00"]
GIFT = ["/todo add buy the scout leader's gift --due 2026-03-14 --priority high"]
CARS = ["/todo add wax the car", "/todo done 1", "/todo add wash the car"]
JOBS = "Add these: descale the kettle, bleed the radiators (urgent), and change the smoke alarm batteries by Sunday"


@pytest.mark.parametrize(
    ("said", "command", "made"),
    [
        (
            "Parents' evening, Thursday week, ten to six, about 20 minutes",
            '/schedule add "Parents\' evening" --for 20min --at "2026-03-19 17:50"',
            '/schedule add "Parents\' evening" --for 20min --at 2026-03-19 17:50',
        ),
        (
            "Nurse visit for Dad on Wed 18th between 10 and 10.30",
            '/schedule add "Nurse visit for Dad" --at 2026-03-18T10:00 --for 30m',
            '/schedule add "Nurse visit for Dad" --at 2026-03-18 10:00-10:30',
        ),
        (
            "I fly to Lisbon on the 30th. Online check-in has to be done the day before",
            '/todo add do the online check-in --due "29 march"',
            "/todo add do the online check-in --due 29 march",
        ),
        (
            "low prio: repaint the garden gate",
            '/todo add --priority low "repaint the garden gate"',
            '/todo add "repaint the garden gate" --priority low',
        ),
        # Quotes inside a value are its own.
        (
            "see \"Dune\" on Friday at 8 pm in room 'B' or 'C'",
            "/schedule add see Dune --at friday 20:00 --place room 'B' or 'C'",
            "/schedule add see Dune --at friday 20:00 --place room 'B' or 'C'",
        ),
    ],
)
def test_a_value_in_quotes_is_read_as_one_without(said: str, command: str, made: str) -> None:
    assert becomes(said, command) == (made, None)


@pytest.mark.parametrize(
    ("said", "times"),
    [
        ("the 3 o'clock with Priya is off", []),
        ("the 3 with Priya", ["2026-04-03"]),
        ("book the MOT before the 27th, and see the bank on Tuesday at 2", ["2026-03-17", "2026-03-27"]),
        ("Sunday at three, the 15th", ["2026-03-15"]),
        ("a call on Thursday at 2.30pm, half hour", ["2026-03-12 14:30", "30m"]),
        ("a half-hour call", ["30m"]),
        ("an hour and a half", ["1h30m"]),
        ("half past two", ["14:30"]),
    ],
)
def test_what_words_tell_of_times(said: str, times: list[str]) -> None:
    assert told_times(said, NOW) == times


def test_an_hour_with_oclock_names_no_day() -> None:
    said = "Bring the 2 o'clock on Monday forward to half past twelve"
    assert told_moments([said], NOW) == ["2026-03-16 12:30"]
