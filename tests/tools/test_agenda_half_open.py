"""An hour that the user says may be of the morning or of the evening, and work that begins at one."""

from __future__ import annotations

import pytest

from tests.support.commands import becomes

ON_DUTY = "they've put me on in A&E on friday, starting 7. i do days AND nights so get it in right lol"


@pytest.mark.parametrize(
    ("said", "command"),
    [
        (ON_DUTY, "/schedule add A&E shift --at 2026-03-13 07:00"),
        ("shift on friday at 7, i do days and nights", "/schedule add shift --at 2026-03-13 07:00"),
        ("dentist on friday at 4, morning or afternoon i forget", "/schedule add dentist --at 2026-03-13 16:00"),
        ("physio friday at 7, am or pm i can't remember", "/schedule add physio --at 2026-03-13 19:00"),
        ("周五七点值班，白班夜班都有，帮我记上", "/schedule add 值班 --at 2026-03-13 07:00"),
    ],
)
def test_an_hour_in_either_half_of_the_day_is_asked_about(said: str, command: str) -> None:
    asked = becomes(said, command)[1]

    assert asked is not None and asked.at_once
    assert "at what time is" in asked.question or "几点" in asked.question


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("nurse on friday at 7 in the evening. i do days and nights", "/schedule add nurse --at 2026-03-13 19:00"),
        ("nurse on friday at 7pm, morning or evening doesn't matter", "/schedule add nurse --at 2026-03-13 19:00"),
        ("tablets friday at 7, mornings and evenings", "/schedule add tablets --at 2026-03-13 07:00"),
        ([ON_DUTY, "at seven in the evening"], "/schedule add A&E shift --at 2026-03-13 19:00"),
    ],
)
def test_an_hour_of_one_half_is_not(said: str | list[str], command: str) -> None:
    assert becomes(said, command)[1] is None


@pytest.mark.parametrize(
    ("answer", "time"), [("nights", "19:00"), ("days", "07:00"), ("7pm", "19:00"), ("the night one", "19:00")]
)
def test_the_answer_may_name_the_half_alone(answer: str, time: str) -> None:
    asked = becomes(ON_DUTY, "/schedule add A&E shift --at 2026-03-13 07:00")[1]

    assert asked is not None
    assert asked.completed(answer) == f"/schedule add A&E shift --at 2026-03-13 {time}"


@pytest.mark.parametrize(
    ("said", "command"),
    [
        (ON_DUTY, "/todo add get in A&E --due 2026-03-13"),
        ("they've got me on shift friday from 7 at the depot", "/todo add shift at the depot --due friday"),
        ("my shift on friday starts at 7am", "/todo add shift --due friday"),
    ],
)
def test_work_from_an_hour_on_is_an_appointment(said: str, command: str) -> None:
    assert becomes(said, command)[0].startswith("/schedule add ")


@pytest.mark.parametrize(
    ("said", "command"),
    [
        (
            "they've put me on antibiotics, pick up the prescription by friday at 5",
            "/todo add pick up the prescription --due friday 17:00",
        ),
        ("they've put me on call friday from 9, ring the sitter", "/todo add ring the sitter"),
        ("swap my shift on friday at 7 with Zuri", "/todo add swap shift with Zuri --due friday"),
        ("i'm on the train friday at 9, remind me to call mum", "/todo add call mum"),
    ],
)
def test_what_is_to_be_done_beside_work_stays_a_todo(said: str, command: str) -> None:
    assert becomes(said, command)[0].startswith("/todo add ")
