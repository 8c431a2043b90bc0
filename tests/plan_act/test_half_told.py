"""An answer about entries has their times, and the day and the place that are asked for."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from langchain_core.tools import StructuredTool
from support.plan_act import Invoke, act, done, planned, play, replanned
from thoughtgraph.tools.agenda import Agenda, schedule_tool, todo_tool

pytestmark = pytest.mark.slow

TASTING = "1: Tasting, Thu 2026-03-12 19:00-20:00, at Harbor Cellar"
DENTIST = "2: Dentist, Tue 2026-03-17 17:15-18:15"
CONCERT = "4: Choir concert, Sat 2026-03-14 18:30-19:30"
SETUP = [
    "/schedule add Tasting --at 2026-03-12 19:00 --place Harbor Cellar",
    "/schedule add Dentist --at 2026-03-17 17:15",
    "/schedule add Choir rehearsal --at 2026-03-13 18:30",
    "/schedule add Choir concert --at 2026-03-14 18:30",
    "/todo add return the books --due 2026-03-20",
]


def answer(invoke: Invoke, goal: str, said: str, *commands: str, language: Any = "en") -> str:
    """The run's answer after these commands."""
    with Agenda(":memory:", clock=lambda: datetime(2026, 3, 11, 9, 0), language=language) as agenda:
        for line in SETUP:
            agenda.run(line)
        calls = [act(command[1:].split()[0].replace("view", "todo"), command) for command in commands]
        tools = [todo_tool(agenda), schedule_tool(agenda)]
        played = play(
            invoke,
            [planned("look it up"), *calls, done(said), replanned(response=said)],
            tools,
            goal={"goal": goal},
            clock=lambda: datetime(2026, 3, 11, 9, 0),
            language=language,
        )
    return str(played.result["response"])


@pytest.mark.parametrize(
    ("goal", "said", "added"),
    [
        ("when is the tasting and where?", "The tasting is on Thursday, 12 March, at 19:00.", TASTING),
        ("where is the tasting?", "The tasting is at 19:00.", TASTING),
        ("where is the tasting?", "It is at the Harbor Cellar, at seven in the evening: the tasting.", ""),
        ("what time is the tasting?", "The tasting is on Thursday at 7 pm.", ""),
        ("what's on on thursday?", "You have the tasting.", TASTING),
        ("what's on on thursday?", "You have the tasting at 19:00.", ""),
        ("am I seeing the dentist next week?", "Yes, you see the dentist.", DENTIST),
        ("when is the dentist?", "The dentist is at quarter past five.", DENTIST),
        ("when is the dentist?", "The dentist is on 17 March at quarter past five.", ""),
        ("when is the dentist on Tuesday?", "The dentist is at 5:15.", ""),
        ("what have I got?", "Tasting and the dentist, and a rehearsal, and a concert.", "ALL"),
        ("when do I have choir?", "You have choir at 10:00.", ""),
        ("Is there a todo about books?", "Yes, return the books.", ""),
        ("did I ever note the books?", "I found the todo about the books.", "1: return the books (due Fri 2026-03-20)"),
        ("what do I have due?", "The todos that are due are listed.", "LIST"),
        ("when are the books due?", "The books are due soon.", "1: return the books (due Fri 2026-03-20)"),
    ],
)
def test_what_an_answer_leaves_out_of_an_entry_that_it_names_is_told(
    invoke: Invoke, goal: str, said: str, added: str
) -> None:
    look = "/todo list" if "books" in goal or added == "LIST" else "/schedule list"
    every = [TASTING, DENTIST, "3: Choir rehearsal, Fri 2026-03-13 18:30-19:30", CONCERT]
    wanted = [TASTING, DENTIST, every[2], CONCERT] if added == "ALL" else [added]
    wanted = ["Open todos (1):", "1: return the books (due Fri 2026-03-20)"] if added == "LIST" else wanted
    told, *more = answer(invoke, goal, said, look).splitlines()
    assert (told, sorted(more)) == (said, sorted(filter(None, wanted)))


def test_what_another_call_found_is_told_beside_it(invoke: Invoke) -> None:
    goal, said = "what time is the tasting, and what is on my todo list?", "The tasting is at seven in the evening."
    found = answer(invoke, goal, said, "/schedule list", "/todo list").splitlines()
    assert found == [said, "Open todos (1):", "1: return the books (due Fri 2026-03-20)"]


@pytest.mark.parametrize(
    ("goal", "said", "added"),
    [
        ("品酒是什么时候？", "Tasting 在周四。", "1: Tasting，2026-03-12 周四 19:00-20:00，地点：Harbor Cellar"),
        ("品酒几点？", "Tasting 周四晚上七点。", ""),
        ("Tasting 在哪里？", "Tasting 周四晚上七点。", "1: Tasting，2026-03-12 周四 19:00-20:00，地点：Harbor Cellar"),
    ],
)
def test_so_it_is_in_chinese(invoke: Invoke, goal: str, said: str, added: str) -> None:
    found = answer(invoke, goal, said, "/schedule list", language="zh")
    assert found == "\n".join(filter(None, [said, added]))


@pytest.mark.parametrize(
    ("goal", "said", "stays"),
    [
        ("what have I got?", "The tasting on Thursday, 19:00, and the books on Friday, 11:30.", False),
        ("when is the dentist?", "The dentist is on Tuesday at 8:15.", False),
        ("when is the dentist?", "The dentist is on Tuesday, 17 March, at 5:15 am.", False),
        ("when is the dentist?", "The dentist is on Tuesday, 17 March, 5:15 to 6:15 pm.", True),
        ("is the dentist at 9?", "No, the dentist is not at 9:00 but at 5:15 on 17 March.", True),
        ("am I free on Tuesday until the dentist?", "You are free from 8:00 until the dentist at 17:15.", True),
    ],
)
def test_a_time_that_no_entry_of_an_answer_has_gives_way_to_the_entries(
    invoke: Invoke, goal: str, said: str, stays: bool
) -> None:
    told = answer(invoke, goal, said, "/schedule list", "/todo list")
    assert told.startswith(said) is stays
    assert stays or told.startswith(("1: ", "2: "))


def test_after_a_change_nothing_is_added(invoke: Invoke) -> None:
    said = "The tasting and the concert are there, and the dentist is off."
    commands = ("/schedule list", "/schedule rm 2")
    assert answer(invoke, "is the dentist off? if not, cancel the dentist", said, *commands) == said


def test_a_tool_that_does_not_say_what_it_changes_is_left_alone(invoke: Invoke) -> None:
    tool = StructuredTool.from_function(lambda: "1: Tasting, 19:00", name="look", description="Look.")
    said = "You have the tasting."
    replies = [planned("look"), act("look", {}), done(said), replanned(response=said)]
    played = play(invoke, replies, [tool], goal={"goal": "what is on?"})
    assert played.result["response"] == said


def test_an_answer_of_one_list_alone_gives_way_to_what_the_other_has(invoke: Invoke) -> None:
    found = answer(invoke, "anything on on Thursday?", "No todos are due.", "/view 2026-03-12")
    assert TASTING in found
