"""A day that is the latest for a todo, and one to which a todo that is there is moved."""

from datetime import datetime

import pytest
from thoughtgraph._internal.texts import Language
from thoughtgraph.tools.agenda import Agenda, schedule_tool, todo_tool
from thoughtgraph.tools.calls.required import as_told, meant_for, missing
from thoughtgraph.tools.metadata import Told
from thoughtgraph.traces.shapes import Action

NOW = datetime(2026, 3, 11, 9)


def as_made(said: str, command: str, *setup: str, language: Language = "en") -> str:
    """A command as it is meant, by the user's words."""
    with Agenda(":memory:", language=language, clock=lambda: NOW) as agenda:
        for line in setup:
            agenda.run(line)
        tools = {"todo": todo_tool(agenda), "schedule": schedule_tool(agenda)}
        told = Told([said], "", (), NOW)
        called = Action(tool=command.split()[0].lstrip("/"), input=command)
        meant = meant_for(tools, called, told)
        return str(as_told(tools[meant["tool"]], meant, told)["input"])


@pytest.mark.parametrize(
    ("said", "text", "due"),
    [
        ("remind me to pay the electricity bill by Friday", "pay the electricity bill", " --due 2026-03-13"),
        ("need to finish the report by the end of the month", "finish the report", " --due 2026-03-31"),
        ("call mum by 6pm tomorrow", "call mum", " --due 2026-03-12 18:00"),
        ("pay the rent before the 1st, and lunch with Eva friday at noon", "pay the rent", " --due 2026-04-01"),
        ("pay the rent before the 1st, and water the plants", "water the plants", ""),
        ("buy a present for Lisa before the party on Saturday", "buy a present for Lisa", ""),
        ("book a table for Saturday", "book a table", ""),
        ("the taxi comes by 5, remind me to pack", "pack", ""),
    ],
)
def test_a_new_todo_gets_the_latest_day_that_the_user_gave(said: str, text: str, due: str) -> None:
    assert as_made(said, f"/todo add {text}") == f"/todo add {text}{due}"


def test_the_same_in_chinese() -> None:
    said = "对了，再提醒我今天之内把物业费交了"
    assert as_made(said, "/todo add 交物业费", language="zh") == "/todo add 交物业费 --due 2026-03-11"


@pytest.mark.parametrize(
    ("said", "command", "made"),
    [
        (
            "make the insurance thing tomorrow",
            "ring the insurance people --at tomorrow",
            "/todo edit 1 --due 2026-03-12",
        ),
        ("insurance call tomorrow at 3", "ring the insurance people --at tomorrow 15:00", None),
        ("put the insurance call in my calendar for tomorrow", "ring the insurance people --at tomorrow", None),
        ("make the bank thing tomorrow", "ring the bank --at tomorrow", None),
    ],
)
def test_a_todo_that_is_there_gets_another_day_and_no_appointment(said: str, command: str, made: str | None) -> None:
    there = "/todo add ring the insurance people"
    assert as_made(said, f"/schedule add {command}", there).startswith(made or "/schedule add")


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("they brought the interview forward to Thursday at 10am", "en"),
        ("the interview is delayed until Thursday at 10am", "en"),
        ("人事通知interview提前到周四上午十点了", "zh"),
    ],
)
def test_an_appointment_that_others_have_moved_is_changed_and_not_added_again(said: str, language: Language) -> None:
    with Agenda(":memory:", language=language, clock=lambda: NOW) as agenda:
        agenda.run("/schedule add interview --at 2026-03-13 14:00")
        tool = schedule_tool(agenda)
        action = Action(tool="schedule", input="/schedule add interview --at 2026-03-12 10:00")
        found = missing(tool, action, Told([said], "", (), NOW), language)
    assert found is not None and "/schedule edit 1 --at 2026-03-12 10:00" in found.hint
