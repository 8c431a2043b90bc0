"""A time that somebody else knows: after what is in no list, at the usual time and place, or on a day that was said in
another talk."""

from __future__ import annotations

import pytest

from tests.support.commands import becomes

GUILD = ("/schedule add Flower guild --at 2026-03-12 10:30", "/schedule add Rosalind's recital --at 2026-03-21 19:30")
COFFEE = "Coffee with Rosalind, straight after the notary. Would you enter that, dear?"
FARRIER = "/schedule add farrier for Clover --at 14:15"


@pytest.mark.parametrize(
    "command",
    ["/schedule add Coffee with Rosalind", "/schedule add Coffee with Rosalind --at 2026-03-11 11:00"],
)
def test_a_time_after_what_nobody_knows_is_asked_about(command: str) -> None:
    asked = becomes(COFFEE, command, *GUILD)[1]

    assert asked is not None and asked.at_once
    assert asked.question.startswith("when is “Coffee with Rosalind”?")


@pytest.mark.parametrize(
    ("answer", "at"),
    [
        ("He sees me on Monday at ten, and I shall be out by 11.20.", "2026-03-16 11:20"),
        ("Monday at 11:20", "2026-03-16 11:20"),
        ("He has not told me yet", None),
    ],
)
def test_the_answer_may_tell_when_the_other_thing_is_over(answer: str, at: str | None) -> None:
    asked = becomes(COFFEE, "/schedule add Coffee with Rosalind --at 2026-03-11 11:00", *GUILD)[1]

    assert asked is not None
    assert asked.completed(answer) == (f"/schedule add Coffee with Rosalind --at {at}" if at else None)


@pytest.mark.parametrize(
    ("said", "at"),
    [
        ("Coffee with Rosalind after the meeting", "2026-03-12 11:30"),
        ("Coffee with Rosalind after lunch tomorrow", "2026-03-12 13:00"),
        ("Coffee with Rosalind after the flower guild", "2026-03-12 11:30"),
        ("Coffee with Rosalind after the school run tomorrow", "2026-03-12 09:30"),
        ("Coffee with Rosalind at 11 after the notary on friday", "2026-03-13 11:00"),
    ],
)
def test_a_time_after_what_is_known_is_left_to_the_model(said: str, at: str) -> None:
    assert becomes(said, f"/schedule add Coffee with Rosalind --at {at}", *GUILD)[1] is None


@pytest.mark.parametrize(
    ("said", "command", "mend"),
    [
        (COFFEE, "/schedule find Coffee with Rosalind", "/schedule add Coffee with Rosalind"),
        ("note down: water the ferns", "/todo find water the ferns", "/todo add water the ferns"),
        ("周五和老王喝咖啡，帮我记上", "/schedule find 和老王喝咖啡", "/schedule add 和老王喝咖啡"),
    ],
)
def test_what_is_to_be_entered_is_not_looked_for(said: str, command: str, mend: str) -> None:
    held = becomes(said, command, *GUILD)[1]

    assert held is not None and not held.question
    assert mend in held.hint


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("find coffee with Rosalind", "/schedule find coffee with Rosalind"),
        ("when is coffee with Rosalind?", "/schedule find coffee with Rosalind"),
        ("add the coffee with Rosalind to the trip, find it first", "/schedule find coffee with Rosalind"),
        ("move coffee with Rosalind to friday, put it at 10", "/schedule find coffee with Rosalind"),
        ("put Rosalind's recital at 8", "/schedule find Rosalind's recital"),
        ("is the flower guild booked in?", "/schedule find flower guild tour"),
    ],
)
def test_what_may_be_looked_for_is(said: str, command: str) -> None:
    assert becomes(said, command, *GUILD)[1] is None


@pytest.mark.parametrize(
    "said",
    [
        "farrier reckons he can fit Clover in at quarter past two, get that down for me",
        "the farrier says he could squeeze Clover in at quarter past two",
    ],
)
def test_the_day_of_a_time_that_somebody_offers_is_asked_about(said: str) -> None:
    asked = becomes(said, FARRIER)[1]

    assert asked is not None and asked.at_once
    assert asked.completed("tuesday") == "/schedule add farrier for Clover --at 2026-03-17 14:15"


@pytest.mark.parametrize(
    "said",
    [
        "farrier at quarter past two for Clover",
        "Bob says hi, farrier for Clover at 2:15",
        "farrier reckons he can fit Clover in today at 2:15",
        "farrier reckons he can fit Clover in on tuesday at 2:15",
        "farrier says he can fit Clover in later at 2:15",
    ],
)
def test_the_day_of_a_time_that_nobody_offers_or_that_is_said_is_not(said: str) -> None:
    assert becomes(said, FARRIER)[1] is None


@pytest.mark.parametrize(
    ("said", "answer", "completed"),
    [
        (
            "周五跟老周下棋，老时间老地方，给我记上",
            "下午三点，人民公园",
            "和老周下棋 --at 2026-03-13 15:00 --place 人民公园",
        ),
        ("周五跟老周下棋，老时间老地方，给我记上", "下午三点，谢谢", "和老周下棋 --at 2026-03-13 15:00"),
        ("周五跟老周下棋，老时间，给我记上", "下午三点，人民公园", "和老周下棋 --at 2026-03-13 15:00"),
    ],
)
def test_the_answer_may_give_the_usual_place_too(said: str, answer: str, completed: str) -> None:
    asked = becomes(said, "/schedule add 和老周下棋 --at 周五 19:00-21:00")[1]

    assert asked is not None
    assert asked.completed(answer) == f"/schedule add {completed}"


@pytest.mark.parametrize(
    ("answer", "completed"),
    [
        ("3pm, the park", "chess with Bob --at 2026-03-13 15:00 --place the park"),
        ("3pm, thanks", "chess with Bob --at 2026-03-13 15:00"),
        ("3pm, if he can", "chess with Bob --at 2026-03-13 15:00"),
    ],
)
def test_the_usual_place_in_english(answer: str, completed: str) -> None:
    asked = becomes(
        "chess with Bob on friday, usual time, usual place", "/schedule add chess with Bob --at friday 15:00"
    )[1]

    assert asked is not None
    assert asked.completed(answer) == f"/schedule add {completed}"


@pytest.mark.parametrize(
    ("said", "list_"),
    [
        ("block me out tomorrow from 2 pm to 5 pm, stocktake", "schedule"),
        ("block off the afternoon of the 20th for the stocktake", "schedule"),
        ("remind me to block off the drain", "todo"),
        ("block the drain tomorrow", "todo"),
    ],
)
def test_who_is_blocked_out_wants_it_in_the_calendar(said: str, list_: str) -> None:
    about = "stocktake" if "stocktake" in said else "block the drain"

    assert becomes(said, f"/todo add {about}")[0].startswith(f"/{list_} add ")
