"""An answer to "which one?" that is a no, or leaves all as it is: no entry goes that the model happened to choose."""

from __future__ import annotations

from typing import Literal

import pytest
from support.waits import no_waits

from benchmarks.assistant.dataset import Call, Request
from benchmarks.assistant.player import player
from benchmarks.assistant.run import Row, solve

BO, AL = "1 'dentist Bo' 2026-03-12 10:00-11:00", "2 'dentist Al' 2026-03-13 10:00-11:00"
SETUP = ["/schedule add dentist Bo --at 2026-03-12 10:00", "/schedule add dentist Al --at 2026-03-13 10:00"]
SETUP_ZH = ["/schedule add 看牙 --at 2026-03-12 10:00", "/schedule add 看牙 --at 2026-03-13 10:00"]


def answered(said: str, setup: list[str], answer: str, language: Literal["en", "zh"] = "en") -> Row:
    """What becomes of two entries of which the model chooses the first, with the user's answer to which it is."""
    request = Request(
        id="x", kind="lacking", language=language, said=said, setup=setup, reply=answer, calls=[], answer="OK."
    )
    with no_waits():
        row = solve(player([Call(tool="schedule", input="/schedule rm 1")], "OK."), request)
    assert len(row.asked) == 1
    return row


@pytest.mark.parametrize(
    "answer",
    [
        "leave both",
        "keep them all",
        "both stay",
        "nothing, keep both",
        "neither, thanks",
        "none",
        "no, leave them",
        "nope, changed my mind",
        "don't remove any",
        "never mind",
        "no idea",
        "I don't know",
        "yes please",
        "what?",
        "which ones are there?",
    ],
)
def test_nothing_goes_where_the_answer_leaves_all_as_it_is(answer: str) -> None:
    row = answered("cancel the dentist", SETUP, answer)
    assert row.agenda == [BO, AL]
    assert row.stop != "goal_met"


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ("Al's", [BO]),
        ("not Al's", [AL]),
        ("leave Al's", [AL]),
        ("no, the friday one", [BO]),
        ("both", []),
        ("both of them please, no need for either", []),
    ],
)
def test_an_answer_that_names_one_settles_it(answer: str, left: list[str]) -> None:
    assert answered("cancel the dentist", SETUP, answer).agenda == left


@pytest.mark.parametrize("answer", ["都留着", "都不要动", "算了", "不知道"])
def test_nothing_goes_where_a_chinese_answer_leaves_all_as_it_is(answer: str) -> None:
    assert len(answered("取消看牙", SETUP_ZH, answer, "zh").agenda) == 2
