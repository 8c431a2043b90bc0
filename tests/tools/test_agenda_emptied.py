"""Changes that leave an entry as it is, though the user says what becomes of it, and those that say something."""

from __future__ import annotations

import pytest
from support.commands import becomes

SETUP = (
    "/schedule add Choir --at 2026-03-17 19:00 --place St Mark's",
    "/schedule add Book club --at 2026-03-13 18:00 --place Library",
    "/schedule add Governors' meeting --at 2026-03-18 17:00 --place Library",
    "/todo add clear the gutters",
    "/todo add mend the fence",
)


@pytest.mark.parametrize(
    ("said", "command", "made"),
    [
        (
            "the governors thing is pushed back to half six, same day same place",
            "/schedule edit Governors' meeting --place the same place",
            "/schedule edit 3 --at 18:30",
        ),
        (
            "governors is now at half six, usual room",
            "/schedule edit 3 --at 18:30 --place usual",
            "/schedule edit 3 --at 18:30",
        ),
        ("choir is earlier, half six", "/schedule edit 1 --at same day", "/schedule edit 1 --at 18:30"),
        ("governors moved to 18:30", "/schedule edit 3", "/schedule edit 3 --at 18:30"),
        ("choir 改到 18:30，地点不变", "/schedule edit 1 --place 地点不变", "/schedule edit 1 --at 18:30"),
        ("合唱团 choir 改到 18:30，老地方", "/schedule edit 1 --place 老地方", "/schedule edit 1 --at 18:30"),
    ],
)
def test_the_same_place_or_day_is_no_change_and_the_time_that_the_user_gives_is(
    said: str, command: str, made: str
) -> None:
    assert becomes(said, command, *SETUP) == (made, None)


@pytest.mark.parametrize(
    ("said", "command", "place"),
    [
        ("Choir's in the school hall now, not St Mark's", "/schedule edit Choir --place St Mark's", "the school hall"),
        ("choir has moved to the school hall", "/schedule edit choir", "the school hall"),
        ("the choir meets at the Guildhall instead", "/schedule edit 1 --place same place", "the Guildhall"),
        ("Choir at the Guildhall rather than St Mark's", "/schedule edit 1 --place St Mark's", "the Guildhall"),
        ("choir is in the annexe from now on", "/schedule edit 1", "the annexe"),
    ],
)
def test_the_new_place_is_put_in_where_the_command_has_none_or_the_old_one(said: str, command: str, place: str) -> None:
    assert becomes(said, command, *SETUP) == (f"/schedule edit 1 --place {place}", None)


@pytest.mark.parametrize(
    "said",
    [
        "book club to the same time next week, and cancel nothing else",
        "book club moves to the week after, same time",
        "shift book club to next week, same time same place",
        "same day next week for book club please",
        "could book club be at the same time the following week",
    ],
)
@pytest.mark.parametrize("at", ["2026-03-13 18:00", "next week", "same time next week"])
def test_the_same_time_next_week_is_a_week_on(said: str, at: str) -> None:
    made = becomes(said, f"/schedule edit 2 --at {at}", *SETUP)[0]
    assert made in ("/schedule edit 2 --at 2026-03-20 18:00", "/schedule edit 2 --at 2026-03-20")


def test_next_week_alone_leaves_the_day_open() -> None:
    asked = becomes("move book club to next week", "/schedule edit 2 --at next week", *SETUP)[1]
    assert asked is not None
    assert asked.question.startswith("to when should this be moved")


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("Finally got all that muck out of the gutters, what a filthy job", "/todo edit 1"),
        ("Finally got all that muck out of the gutters", "/schedule edit clear the gutters --place the ladder"),
        ("the gutters are done", "/todo edit clear the gutters"),
    ],
)
def test_a_todo_that_is_told_to_be_done_is_marked_so_where_the_command_changes_nothing(said: str, command: str) -> None:
    assert becomes(said, command, *SETUP) == ("/todo done 1", None)


@pytest.mark.parametrize(
    "said",
    [
        "change the gutters todo",
        "we settled on new gutters, fix my todo",
        "I still have to get the gutters done",
        "are the gutters done?",
        "rename the gutters",
    ],
)
def test_a_change_of_which_nothing_is_known_ticks_nothing_off(said: str) -> None:
    made, asked = becomes(said, "/todo edit 1", *SETUP)
    assert made == "/todo edit 1"
    assert asked is not None


@pytest.mark.parametrize(
    ("said", "command", "made"),
    [
        # What is new is no answer for the place that an entry keeps.
        (
            "put drinks in, tonight at 8, the usual place",
            "/schedule add drinks --at tonight 20:00 --place the usual place",
            None,
        ),
        (
            "choir is in the Same Old Inn now",
            "/schedule edit 1 --place Same Old Inn",
            "/schedule edit 1 --place the Same Old Inn",
        ),
        ("choir 在一号楼", "/schedule edit 1 --place 一号楼", None),
        ("choir 改到一楼大厅", "/schedule edit 1 --place 一楼大厅", None),
        ("choir is at eight, not at seven", "/schedule edit 1 --at 20:00", None),
        ("is choir in the hall now?", "/schedule edit 1", None),
    ],
)
def test_a_place_or_time_that_is_said_stays(said: str, command: str, made: str | None) -> None:
    assert becomes(said, command, *SETUP)[0] == (made or command)
