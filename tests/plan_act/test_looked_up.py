"""What was looked up is the answer: no order to look is a step of its own, no remark beside it is news, and nothing is
denied that a list has."""

from __future__ import annotations

from datetime import datetime

import pytest
from langchain_core.tools import BaseTool, tool
from support.plan_act import Invoke, act, done, planned, play, replanned
from thoughtgraph.nodes.plan_act.checks.covered import left_out
from thoughtgraph.nodes.plan_act.checks.questions import asks_nothing
from thoughtgraph.tools.agenda import Agenda, schedule_tool, todo_tool

SETUP = [
    "/schedule add Swimming gala --at 2026-03-14 08:30",
    "/schedule add Dinner with the Okonjos --at 2026-03-14 19:15",
    "/schedule add Car boot sale --at 2026-03-15 07:00",
    "/todo add clear out the shed",
]
FOUND = "The tip takes no paint tins: bring them to the depot in Kelby Road."


@tool
def web_search(query: str) -> str:
    """Search the web."""
    return FOUND


web_search.metadata = {"effects": False}


def answer(invoke: Invoke, goal: str, said: str, *calls: tuple[str, str]) -> tuple[str, Agenda]:
    """The run's answer after these calls, and the agenda."""
    agenda = Agenda(":memory:", clock=lambda: datetime(2026, 3, 11, 9, 0))
    for line in SETUP:
        agenda.run(line)
    tools: list[BaseTool] = [todo_tool(agenda), schedule_tool(agenda), web_search]
    replies = [planned("look it up"), *(act(*call) for call in calls), done(said), replanned(response=said)]
    played = play(invoke, replies, tools, goal={"goal": goal}, clock=lambda: datetime(2026, 3, 11, 9, 0))
    return str(played.result["response"]), agenda


@pytest.mark.parametrize(
    ("goal", "said", "shown"),
    [
        ("whats on saturday besides the swimming gala?", "There are no others on Saturday but the gala.", True),
        ("anything else on saturday, apart from the gala?", "No, there is nothing else on Saturday.", True),
        ("whats on saturday besides the swimming gala?", "Dinner with the Okonjos at 19:15, and no more.", False),
        ("is the gala on saturday?", "Yes, at 8:30, and no later.", False),
    ],
)
def test_others_are_not_denied_that_a_list_has(invoke: Invoke, goal: str, said: str, shown: bool) -> None:
    response, agenda = answer(invoke, goal, said, ("schedule", "/schedule list saturday"))
    agenda.close()
    assert (response == "2: Dinner with the Okonjos, Sat 2026-03-14 19:15-20:15") == shown
    assert "Car boot" not in response


def test_a_remark_beside_what_was_looked_up_ticks_nothing_off(invoke: Invoke) -> None:
    said = "I found the tip and its times. I will search for paint tins again."
    goal = "can u find out if the Dunmarrow tip takes old paint tins ive got a shed full"
    response, agenda = answer(invoke, goal, said, ("web_search", "Dunmarrow tip paint tins"))
    assert not agenda.todos("done")
    agenda.close()
    # A promise to search is no answer.
    assert FOUND in response


def test_no_order_to_look_is_a_step_of_its_own() -> None:
    plan = "search the internet for 'last ferry Skarholm'"
    assert not left_out("When is the last ferry from Skarholm, could you look for me?", plan)
    assert not left_out("When is the last ferry from Skarholm? Can you google it, please", plan)
    assert left_out("When is the last ferry from Skarholm, and could you look for a hotel?", plan)


@pytest.mark.parametrize(
    ("question", "nothing"),
    [
        ("Is there anything else I can help you with?", True),
        ("Is there anything else you would like me to do?", True),
        ("What else needs to be done?", True),
        ("Is there anything else you want on the list for Friday?", False),
        ("What else needs to be done before the party?", False),
    ],
)
def test_a_question_that_asks_nothing(question: str, nothing: bool) -> None:
    assert asks_nothing(question) == nothing
