"""An entry that is moved to the day after its own, or before: the program works out which day that is."""

import pytest
from support.commands import becomes

SETUP = (
    "/schedule add Fire drill --at 2026-03-12 11:00",
    "/schedule add Stock take --at 2026-03-12 20:00 --for 2h",
    "/todo add count the kegs --due 2026-03-17",
)


@pytest.mark.parametrize(
    ("said", "call", "there"),
    [
        (
            "shove Thursday's stock take to the day after, half are off",
            "stocktake --at next day",
            "13 20:00",
        ),
        ("move the stock take to the following day please", "2 --date next day", "13 20:00"),
        ("can the stock take be the day before?", "2 --at thursday", "11 20:00"),
        ("stock take on thursday needs to move to the next day at 7pm", "stock take --at next day", "13 19:00"),
        ("stock take: next day instead please", "2 --at the day after", "13 20:00"),
        ("could the stock take go one day on?", "2 --at thursday 20:00", "13 20:00"),
        ("move the stock take to the week after, same time", "2 --at next week", "19 20:00"),
    ],
)
def test_the_day_after_its_own_is_worked_out(said: str, call: str, there: str) -> None:
    assert becomes(said, f"/schedule edit {call}", *SETUP) == (f"/schedule edit 2 --at 2026-03-{there}", None)


def test_a_todo_has_such_a_day_too() -> None:
    said = "put counting the kegs back to the following day"
    assert becomes(said, "/todo edit count the kegs --due following day", *SETUP)[0] == "/todo edit 1 --due 2026-03-18"


def test_it_may_have_been_spoken_of_before() -> None:
    before = "User: when is the stock take?\nAssistant: Stock take is on Thursday at 20:00."
    said, call = "can we push it to the day after", "/schedule edit 2 --at next day"
    assert becomes(said, call, *SETUP, before=before)[0] == "/schedule edit 2 --at 2026-03-13 20:00"


@pytest.mark.parametrize(
    ("said", "call"),
    [
        ("shove the stock take to the day after", "2 --at friday"),
        ("shove the stock take to the day after", "2 --at 2026-03-13 19:00"),
        ("move the stock take to the day after tomorrow", "2 --at day after tomorrow"),
        ("move the stock take to the day after the drayman comes", "2 --at 2026-03-20"),
        ("the stock take is the day after the fire drill", "2 --at 2026-03-16"),
        ("the fire drill to the next day", "2 --at 2026-03-17"),
        ("move the stock take to monday, I have the next day off", "2 --at monday"),
    ],
)
def test_another_day_stays(said: str, call: str) -> None:
    assert becomes(said, f"/schedule edit {call}", *SETUP)[0] == f"/schedule edit {call}"


def test_it_is_moved_once() -> None:
    done = ["Changed appointment 2: Stock take, Thu 2026-03-12 20:00-22:00."]
    call = "/schedule edit 2 --at next day"
    assert becomes("move the stock take to the next day", call, *SETUP, done=done)[0] == call
