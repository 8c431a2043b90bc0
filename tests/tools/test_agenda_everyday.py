"""Requests as people make them in a day, and the calls that a small model makes of them: what is carried out."""

import pytest
from support.commands import becomes

PLUMBER = "/todo add plumber is coming --due thursday 8:00"
COFFEE = "/schedule add coffee with Nadia --at 2026-03-17 16:00"
NADIA = (
    "User: tuesday at 4\nAssistant: It is in.\n(What was done: /schedule add coffee with Nadia --at 2026-03-17 16:00 "
    "→ Added appointment 1: coffee with Nadia, Tue 2026-03-17 16:00-17:00.)"
)
SHIFT = "User: shift tomorrow\nAssistant: It is in.\n(What was done: /schedule add shift --at tomorrow 18:30 → Added.)"


@pytest.mark.parametrize(
    ("said", "call", "carried_out"),
    [
        (
            "the plumber is coming thursday between 8 and 10, jot that down",
            "/todo add plumber is coming --due thursday 8:00-10:00",
            "/schedule add plumber is coming --at thursday 8:00-10:00",
        ),
        (
            "pay the plumber between the 8th and the 10th",
            "/todo add pay the plumber --due 2026-04-08",
            "/todo add pay the plumber --due 2026-04-08",
        ),
        (
            "I still have to ring the insurance about the leak, preferably today",
            "/todo add ring the insurance --due today",
            "/todo add ring the insurance --due today",
        ),
        (
            "order 5 bags of pellets and 2 of corn, today if possible",
            "/schedule add order pellets --at today 12:00",
            "/schedule add order pellets --at today 12:00",
        ),
        (
            "swimming lessons start on the 18th at 5, half an hour each",
            "/schedule add swimming lessons --at 18:30 --for 30m",
            "/schedule add swimming lessons --at 2026-03-18 17:00 --for 30m",
        ),
    ],
)
def test_what_is_new_is_put_down_as_it_was_said(said: str, call: str, carried_out: str) -> None:
    # What was said before has a time of its own.
    assert becomes(said, call, before=SHIFT)[0] == carried_out


@pytest.mark.parametrize(
    ("said", "call", "carried_out"),
    [
        (
            "plumber can't make thursday, he's coming friday instead, same time",
            "/todo edit 1 --due friday 12:00",
            "/todo edit 1 --due 2026-03-13",
        ),
        ("the plumber comes on friday instead", "/todo edit 1 --due friday 12:00", "/todo edit 1 --due 2026-03-13"),
        ("the plumber comes on friday at 12", "/todo edit 1 --due friday 12:00", "/todo edit 1 --due friday 12:00"),
        (
            "the dentist is on friday after lunch",
            "/schedule edit 1 --at friday 12:00",
            "/schedule edit 1 --at friday 12:00",
        ),
        (
            "the plumber comes on friday, same time as the dentist",
            "/todo edit 1 --due friday 12:00",
            "/todo edit 1 --due friday 12:00",
        ),
    ],
)
def test_who_moves_an_entry_to_another_day_keeps_its_time(said: str, call: str, carried_out: str) -> None:
    assert becomes(said, call, PLUMBER, "/schedule add dentist --at thursday 9:00")[0] == carried_out


@pytest.mark.parametrize(
    ("said", "call", "carried_out"),
    [
        ("lose the library books, Tom will take them", "/todo undo return the library books", "/todo rm 1"),
        ("the library books are back", "/todo undo return the library books", "/todo done 1"),
    ],
)
def test_what_is_open_cannot_be_opened_again(said: str, call: str, carried_out: str) -> None:
    assert becomes(said, call, "/todo add return the library books")[0] == carried_out


def test_a_word_in_common_makes_no_date_of_another_thing_ones_own() -> None:
    said = "return the library books, and book a table at Nonna's on the 21st"
    call = "/todo add return the library books --due monday"
    assert becomes(said, call)[0] == "/todo add return the library books"
    said = "the report has to be typed. It is the report that is due by Friday"
    assert becomes(said, "/todo add type the report --due friday")[0] == "/todo add type the report --due friday"


def test_a_time_told_by_another_one_is_not_put_back_to_that() -> None:
    said, step = (
        "remind me an hour before that to bring her book back",
        "schedule 'bring her book back' 1 hour before 2026-03-17 16:00",
    )
    call = "/schedule add bring her book back --at 2026-03-17 15:00"
    assert becomes(said, call, COFFEE, before=NADIA, step=step)[0] == call


@pytest.mark.parametrize(
    ("said", "entry", "is_done"),
    [
        ("the bins are out", "take the bins out", True),
        ("grandma's done, and the bins are already out", "take the bins out", True),
        ("the washing's up", "hang the washing up", True),
        ("winter tyres are on now", "put the winter tyres on", True),
        ("take the bins out, forget it", "take the bins out", False),
        ("the bins are not out yet", "take the bins out", False),
        ("the cat is out", "take the bins out", False),
        ("the bins are in", "take the bins out", False),
    ],
)
def test_where_a_thing_is_may_say_that_it_is_done(said: str, entry: str, is_done: bool) -> None:
    held = becomes(said, "/todo rm 1", f"/todo add {entry}")[1]
    assert bool(held and "To mark it: /todo done 1" in held.hint) is is_done
