"""Right commands in the spellings of models, and the words of a user beside which they stay as they are."""

from __future__ import annotations

import pytest
from support.commands import NOW
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
