"""What a request wants done that a small model only looks up, and what it lists until an appointment."""

from __future__ import annotations

import pytest
from support.commands import becomes

ADJUSTER = (
    "/schedule add Loss adjuster about the kitchen --at 2026-03-17 9:00",
    "/schedule add Plumber about the kitchen --at 2026-03-17 13:00",
)
FLIGHT = (
    "/schedule add Flight to Gdynia --at 2026-03-19 6:50",
    "/todo add prune the quince --due 2026-03-27",
    "/todo add renew the insurance --due 2026-03-17",
)


@pytest.mark.parametrize("command", ["/schedule find Loss adjuster about the kitchen", "/schedule show 1"])
@pytest.mark.parametrize(
    ("said", "at"),
    [
        ("The loss adjuster, could you make it an hour later? I can't be back by then.", "2026-03-17 10:00"),
        ("look up the loss adjuster and move it to friday", "2026-03-13"),
    ],
)
def test_an_entry_that_is_to_move_is_moved(said: str, at: str, command: str) -> None:
    assert becomes(said, command, *ADJUSTER) == (f"/schedule edit 1 --at {at}", None)


@pytest.mark.parametrize(
    "said",
    [
        "when is the loss adjuster?",
        "did they move the loss adjuster to 10?",
        "Is the loss adjuster still at 9 or has she moved it to 10?",
        "find the loss adjuster for me, I may have to move it to 10",
        "what's the loss adjuster's time, I want to move the plumber to 10",
    ],
)
def test_an_entry_that_is_asked_about_is_looked_up(said: str) -> None:
    command = "/schedule find Loss adjuster about the kitchen"
    assert becomes(said, command, *ADJUSTER)[0] == command


@pytest.mark.parametrize("given", ["--due by Thursday", "--due thursday", "until thursday"])
def test_todos_before_an_appointment_are_those_until_its_day(given: str) -> None:
    said = "What is on my list that has to be finished before I fly to Gdynia?"
    assert becomes(said, f"/todo list {given}", *FLIGHT)[0] == "/todo list --due until 2026-03-19"


@pytest.mark.parametrize(
    ("said", "command", "made"),
    [
        # All of them; a day that the user names; no appointment.
        ("What is on my list before I fly to Gdynia?", "/todo list", "/todo list"),
        ("what is due before friday, when I pack for Gdynia?", "/todo list --due friday", "/todo list --due friday"),
        ("What has to be finished before I paint?", "/todo list --due thursday", "/todo list"),
    ],
)
def test_other_lists_stay_as_they_are(said: str, command: str, made: str) -> None:
    assert becomes(said, command, *FLIGHT)[0] == made


@pytest.mark.parametrize(
    ("said", "command", "made"),
    [
        (
            "阳台那盆君子兰该换土了，你先给我记上，下周日弄",
            "/todo done 阳台那盆君子兰该换土",
            "/todo add 阳台那盆君子兰该换土",
        ),
        ("the gutters are overgrown, note that", "/todo done the gutters", "/todo done the gutters"),
        ("pay the brewery, put that on my list", "/todo done pay the brewery", "/todo add pay the brewery"),
        ("I paid the brewery, put that in the records", "/todo done paid the brewery", "/todo done paid the brewery"),
    ],
)
def test_what_is_to_be_noted_and_is_not_there_is_added(said: str, command: str, made: str) -> None:
    assert becomes(said, command, "/todo add 给阳台的花浇水")[0] == made


@pytest.mark.parametrize(
    ("said", "at"),
    [
        ("bell ringing tomorrow at half past seven in the evening at saint Osyths", "saint Osyths tomorrow 19:30"),
        ("bell ringing tomorrow at 19:30 at Greenway hall", "Greenway hall tomorrow 19:30"),
    ],
)
def test_a_place_before_the_time_is_no_part_of_it(said: str, at: str) -> None:
    made, against = becomes(said, f"/schedule add bell ringing --at {at}")
    assert made == f"/schedule add bell ringing --at tomorrow 19:30 --place {at.partition(' tomorrow')[0]}"
    assert against is None


def test_a_place_after_a_second_wish_is_that_of_the_first() -> None:
    said = "快递我取回来了。周五晚上七点跟戚姐她们聚餐，在椒园，帮我排上，再记一个明天订蛋糕"
    command = "/schedule add 跟戚姐她们聚餐 --at 2026-03-13 19:00"
    assert becomes(said, command, "/todo add 取快递") == (f"{command} --place 椒园", None)


@pytest.mark.parametrize(
    ("said", "held"),
    [
        ("Finally cleared the gutters. Ladder's still round at Osric's mind", True),
        ("Finally cleared the gutters. Ladder's back from Osric's, too", False),
    ],
)
def test_what_is_still_somewhere_is_not_done(said: str, held: bool) -> None:
    setup = ("/todo add fetch the ladder back from Osric", "/todo add clear the gutters")
    assert (becomes(said, "/todo done 1", *setup)[1] is not None) is held
