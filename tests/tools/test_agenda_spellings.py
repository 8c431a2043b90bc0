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


@pytest.mark.parametrize(
    ("said", "command", "made"),
    [
        (JOBS, "/todo add descale the kettle", "/todo add descale the kettle"),
        (JOBS, "/todo add descale the kettle --priority high", "/todo add descale the kettle"),
        (JOBS, "/todo add bleed the radiators", "/todo add bleed the radiators --priority high"),
        ("call the bank, it's really important", "/todo add call the bank --priority high", None),
        ("urgent: call the bank", "/todo add call the bank", "/todo add call the bank --priority high"),
        ("最重要：还花呗", "/todo add 还花呗 --priority high", None),
    ],
)
def test_a_priority_is_of_the_thing_that_it_is_said_of(said: str, command: str, made: str | None) -> None:
    assert becomes(said, command)[0] == (made or command)


@pytest.mark.parametrize(
    ("said", "command", "made"),
    [
        # One of two has the place.
        (
            "Chapel at 10 on Sunday; roast at Mam's after, 1 o'clock",
            "/schedule add Chapel --at sunday 10:00",
            "/schedule add Chapel --at sunday 10:00",
        ),
        (
            "The fair is on Sunday, 10 till 4, at the Corn Exchange",
            "/schedule add Fair --at sunday 10:00-16:00",
            "/schedule add Fair --at sunday 10:00-16:00 --place the Corn Exchange",
        ),
        # The half of the day is the command's where the words leave it open.
        (
            "leaving do at the Anchor, this Friday from half seven",
            "/schedule add leaving do --at friday 19:00 --place the Anchor",
            "/schedule add leaving do --at 2026-03-13 19:30 --place the Anchor",
        ),
        (
            "run on Friday from half seven in the morning",
            "/schedule add run --at friday 19:00",
            "/schedule add run --at 2026-03-13 07:30",
        ),
        (
            "the drone shoot is on Thursday at first light, 6:20",
            "/schedule add Drone shoot --at thursday 6:20",
            "/schedule add Drone shoot --at thursday 6:20",
        ),
    ],
)
def test_a_place_and_half_of_the_day_are_those_of_the_entry(said: str, command: str, made: str) -> None:
    assert becomes(said, command)[0] == made


@pytest.mark.parametrize(
    ("said", "command", "setup", "made"),
    [
        (
            "Nope, that's wrong: the kennels are booked from the 27th, not the 26th",
            "/schedule edit 1 --at 2026-03-27 09:00",
            ["/schedule add Take the dogs to the kennels --at 2026-03-26 10:00"],
            "/schedule edit 1 --at 2026-03-27",
        ),
        (
            "Nope, that's wrong: the kennels are booked from the 27th at nine",
            "/schedule edit 1 --at 2026-03-27 09:00",
            ["/schedule add Kennels --at 2026-03-26 10:00"],
            "/schedule edit 1 --at 2026-03-27 09:00",
        ),
        (
            "Have the Airbnb guests leave one day later",
            "/schedule edit 1 --at 2026-03-16 10:00",
            GUESTS,
            "/schedule edit 1 --at 2026-03-16 10:00",
        ),
        # What is no name tells an end.
        (
            "We leave the workshop an hour later",
            "/schedule edit 1 --for 5h",
            POTTERY,
            "/schedule edit 1 --at 2026-03-14 13:00-18:00",
        ),
        (
            "孩子的家长会挪到了三楼阶梯教室",
            "/schedule edit 1 --place 三楼阶梯教室",
            ["/schedule add 家长会 --at 2026-03-13 18:30 --place 操场"],
            "/schedule edit 1 --place 三楼阶梯教室",
        ),
        ('take "wax the car" back off the done ones', "/todo undo 1", CARS, "/todo undo 1"),
        ("the car is washed, tick that off", "/todo undo 2", CARS, "/todo done 2"),
        (
            "no football on Sunday and no gym tomorrow",
            "/schedule rm 1",
            ["/schedule add Football --at 2026-03-15 11:00", "/schedule add Gym --at 2026-03-12 07:00"],
            "/schedule rm 1",
        ),
        ("花呗忘还了，今晚八点前必须还上", "/todo add 还花呗 --due 今天20:00", [], "/todo add 还花呗 --due 今天20:00"),
    ],
)
def test_a_right_command_keeps_its_entry_and_its_time(said: str, command: str, setup: list[str], made: str) -> None:
    assert becomes(said, command, *setup) == (made, None)


def test_where_something_is_now_moves_nothing_to_today() -> None:
    setup = ["/schedule add Rehearsal --at 2026-03-12 19:30", "/schedule add Lunch --at 2026-03-15 12:00 --place hall"]
    said = "The rehearsal is now in the hall rather than the church"
    assert "--at" not in becomes(said, "/schedule edit 2 --place church", *setup)[0]
    said = "The lunch in the hall is on Monday now"
    assert "2026-03-16" in becomes(said, "/schedule edit 2 --place church", *setup)[0]


@pytest.mark.parametrize(
    ("said", "command", "setup"),
    [
        ("Extend Saturday's workshop till 6", "/schedule edit 1 --at 2026-03-14 13:00-18:00", [*POTTERY, GLAZING]),
        ("The exam is an hour earlier than I told you", "/schedule edit 1 --at 2026-03-19 09:00", EXAM),
        ("I'd rather do the accounts on Sunday than on Saturday", "/todo edit 1 --due 2026-03-15", ACCOUNTS),
        ("Give the scout leader's gift low priority and no deadline", "/todo edit 1 --due none --priority low", GIFT),
        (
            "Next Wednesday there are interviews at nine and at two",
            "/schedule add Interviews --at 2026-03-18 14:00",
            ["/schedule add Interviews --at 2026-03-18 09:00"],
        ),
    ],
)
def test_nothing_is_asked_about_what_the_words_leave_no_doubt_about(said: str, command: str, setup: list[str]) -> None:
    assert becomes(said, command, *setup)[1] is None


@pytest.mark.parametrize(
    ("said", "command", "setup"),
    [
        ("Extend the workshop till 6", "/schedule edit 1 --at 2026-03-14 13:00-18:00", [*POTTERY, GLAZING]),
        ("The lunch after the exam is an hour earlier", "/schedule edit 1 --at 2026-03-19 09:00", EXAM),
        ("I'd rather see to the accounts on Sunday", "/todo edit 1 --due 2026-03-15", ACCOUNTS),
        (
            "Interviews at nine next Wednesday",
            "/schedule add Interviews --at 2026-03-18 09:00",
            ["/schedule add Interviews --at 2026-03-18 09:00"],
        ),
    ],
)
def test_what_the_words_leave_open_is_asked_about(said: str, command: str, setup: list[str]) -> None:
    assert becomes(said, command, *setup)[1] is not None
