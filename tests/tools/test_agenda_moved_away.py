"""An appointment that is to be moved, and no word of to when: the user is asked. Names of numbers are no times."""

from datetime import datetime

import pytest
from support.commands import NOW, becomes
from thoughtgraph.tools.dates.found import read_from
from thoughtgraph.tools.dates.told import told_times

SETUP = (
    "/schedule add One-to-one with Ingeborg --at 2026-03-12 10:00 --for 30m",
    "/schedule add Auditors --at 2026-03-12 09:00 --for 3h",
    "/todo add write Ingeborg's reference",
)
ASKED = "to when should this be moved: 1: One-to-one with Ingeborg, Thu 2026-03-12 10:00?"


@pytest.mark.parametrize(
    "said",
    [
        "I won't manage the one-to-one with Ingeborg tomorrow after all, the auditors are in. Please move it.",
        "can't do Ingeborg tomorrow, can you shift it",
        "the one-to-one with Ingeborg has to move, I'm off tomorrow",
        "please reschedule tomorrow's one-to-one with Ingeborg",
    ],
)
@pytest.mark.parametrize(
    "call", ["edit One-to-one with Ingeborg --place auditors", "edit 1 --at tomorrow", "edit 1 --at 2026-03-13 10:00"]
)
def test_the_user_is_asked_to_when(said: str, call: str) -> None:
    missing = becomes(said, f"/schedule {call}", *SETUP)[1]
    assert missing is not None
    assert missing.question.startswith(ASKED)
    assert missing.at_once
    assert missing.completed("Friday at quarter past two") == "/schedule edit 1 --at 2026-03-13 14:15"


@pytest.mark.parametrize(
    "said",
    [
        "I won't manage the one-to-one with Ingeborg tomorrow, the auditors are in. Please move it.",
        "can't do Ingeborg tomorrow, can you shift it",
    ],
)
def test_what_is_to_be_moved_is_not_removed(said: str) -> None:
    missing = becomes(said, "/schedule rm 1", *SETUP)[1]
    assert missing is not None
    assert missing.question.startswith(ASKED)


@pytest.mark.parametrize(
    ("said", "call"),
    [
        ("move tomorrow's one-to-one with Ingeborg to Friday", "edit 1 --at 2026-03-13"),
        ("can't do Ingeborg tomorrow, move it to three", "edit 1 --at 2026-03-12 15:00"),
        ("can't do Ingeborg tomorrow, cancel it", "rm 1"),
        ("can't do Ingeborg tomorrow, move it by an hour", "edit 1 --at 2026-03-12 11:00"),
    ],
)
def test_what_says_to_when_is_done(said: str, call: str) -> None:
    assert becomes(said, f"/schedule {call}", *SETUP)[1] is None


@pytest.mark.parametrize(
    "said",
    ["the one-to-one with Bo", "one to one with Bo", "my 1:1 with Bo", "a 1-2-1 with Bo", "my 1-1", "a 3-for-2 deal"],
)
def test_a_name_of_numbers_is_no_time(said: str) -> None:
    assert not told_times(said, NOW)
    assert not read_from(said, NOW).times


@pytest.mark.parametrize(
    ("said", "at"),
    [
        ("the one at one", 13),
        ("from one to one thirty", 13),
        ("free at one", 13),
        ("1:15", 13),
        ("the one-to-one at 2", 14),
    ],
)
def test_an_hour_beside_one_is_a_time(said: str, at: int) -> None:
    assert any(one.hour == at for one in read_from(said, datetime(2026, 3, 11, 9)).times)
