"""What an entry is held to that a request has one word of by chance, and days that are told by an entry's own."""

from __future__ import annotations

import pytest
from support.commands import becomes

SWEEP = "/schedule add Chimney sweep --at 2026-03-17 9:00"
GALA = (
    "/schedule add Swimming gala --at 2026-03-14 9:30 --place Baths",
    "/schedule add Swimming lesson --at 2026-03-17 16:30",
)
NIGHTS = "/schedule add Night shift --at 2026-03-13 22:00 --for 8h"
BULB = "before I forget again, the heat lamp in Bartholomew's tank needs a new bulb, stick it on the list will you."
PARKING = "停车费我刚交了。另外下周二晚上七点业委会碰头，在三号楼架空层，别让我忘了，记日历上"


@pytest.mark.parametrize(
    ("said", "command", "setup"),
    [
        (BULB, "/todo done scrub Bartholomew's water dish", "/todo add scrub Bartholomew's water dish"),
        (PARKING, "/schedule edit 三号楼看房 --at 下周二 19:00", "/schedule add 三号楼看房 --at 2026-03-15 10:00"),
        (PARKING, "/schedule add 三号楼看房 --at 下周二 19:00", "/schedule add 三号楼看房 --at 2026-03-15 10:00"),
        # Another thing with the same word before it; the 1 of its time is no id.
        (
            "can u put my driving theory in, its 1.20pm at the Stannery Road test centre",
            "/schedule edit Driving lesson --at 1.20pm",
            "/schedule add Driving lesson --at 2026-03-14 10:00",
        ),
    ],
)
def test_an_entry_of_which_a_word_is_said_by_chance_is_not_changed(said: str, command: str, setup: str) -> None:
    assert becomes(said, command, setup)[1] is not None


@pytest.mark.parametrize(
    ("said", "command", "setup"),
    [
        (
            "Bartholomew's dish is scrubbed",
            "/todo done scrub Bartholomew's water dish",
            "/todo add scrub Bartholomew's water dish",
        ),
        (
            "can u put my driving lesson on for 1.20pm instead",
            "/schedule edit Driving lesson --at 1.20pm",
            "/schedule add Driving lesson --at 2026-03-14 10:00",
        ),
        ("The jars are all done now. Took ages", "/todo done label the jam jars", "/todo add label the jam jars"),
        (
            "the till rolls came so that's that sorted",
            "/todo done chase up the till rolls",
            "/todo add chase up the till rolls",
        ),
        (
            "三号楼的看房改到下周二晚上七点",
            "/schedule edit 三号楼看房 --at 下周二 19:00",
            "/schedule add 三号楼看房 --at 2026-03-15 10:00",
        ),
    ],
)
def test_an_entry_that_is_meant_is_changed(said: str, command: str, setup: str) -> None:
    assert becomes(said, command, setup)[1] is None


@pytest.mark.parametrize(
    ("said", "at", "made"),
    [
        ("the sweep is coming the following thursday", "thursday", "2026-03-19 09:00"),
        ("The sweep's coming the Tuesday after that, same time", "tuesday", "2026-03-24 09:00"),
        ("the sweep is coming on thursday", "thursday", "thursday"),
        ("the sweep comes the tuesday after next", "2026-03-24", "2026-03-24"),
    ],
)
def test_a_day_of_the_week_after_its_own_is_worked_out(said: str, at: str, made: str) -> None:
    assert becomes(said, f"/schedule edit 1 --at {at}", SWEEP)[0] == f"/schedule edit 1 --at {made}"


def test_what_is_called_off_goes_where_a_made_up_place_is_all_that_is_changed() -> None:
    command = "/schedule edit swimming gala --place the swimming gala's original location"
    said = "swimming gala's been called off btw, they couldn't get enough timekeepers"
    assert becomes(said, command, *GALA) == ("/schedule rm 1", None)
    moved = "the gala is in the swimming pool in Leek now"
    command = "/schedule edit swimming gala --place the swimming pool in Leek"
    assert becomes(moved, command, *GALA) == (command, None)


def test_where_an_appointment_still_ends_is_no_new_start_of_it() -> None:
    said = "swapped with tendai so im on nights thurs not fri this week, still 10pm till 6. change it pls"
    found = becomes(said, "/schedule edit 1 --at 22:00", NIGHTS)[1]
    assert found is not None and "/schedule edit 1 --at 2026-03-12 22:00" in found.hint


@pytest.mark.parametrize(
    ("said", "at"),
    [
        ("bell ringing a fortnight tomorrow at 19:30", "2026-03-26 19:30"),
        ("bell ringing a fortnight on friday at 19:30", "2026-03-27 19:30"),
        ("bell ringing two weeks tomorrow at 19:30", "2026-03-26 19:30"),
        ("bell ringing tomorrow at 19:30", "tomorrow 19:30"),
    ],
)
def test_a_fortnight_from_a_day_is_that_day_two_weeks_on(said: str, at: str) -> None:
    assert becomes(said, "/schedule add bell ringing --at tomorrow 19:30")[0] == f"/schedule add bell ringing --at {at}"


SPOKEN = (
    "User: bulbs for the shed\nAssistant: Done.\n"
    "(What was done: /todo add buy screw bulbs → Added todo 2: buy screw bulbs.)"
)


@pytest.mark.parametrize("asked", [False, True])
def test_a_correction_goes_on_about_what_was_just_put_in(asked: bool) -> None:
    said = "wait no just checked the fitting its bayonet ones not screw, can u fix that"
    setup = ("/todo add put a screw in the shed hinge", "/todo add buy screw bulbs")
    found = becomes(said, "/todo edit 2 buy bayonet bulbs", *setup, before="" if asked else SPOKEN)[1]
    assert (found is not None) is asked


@pytest.mark.parametrize(
    ("said", "command", "made"),
    [
        ("im on nights thurs not fri, still 10pm till 6", "--at 2026-03-12 22:00 --for 1h", "--at 2026-03-12 22:00"),
        (
            "my night shift is 9 to 10 on thursday now",
            "--at 2026-03-12 21:00 --for 1h",
            "--at 2026-03-12 21:00 --for 1h",
        ),
        (
            "my night shift is an hour on thursday at 10pm",
            "--at 2026-03-12 22:00 --for 1h",
            "--at 2026-03-12 22:00 --for 1h",
        ),
    ],
)
def test_what_is_moved_keeps_its_length_unless_the_user_gives_another(said: str, command: str, made: str) -> None:
    assert becomes(said, f"/schedule edit 1 {command}", NIGHTS)[0] == f"/schedule edit 1 {made}"
