"""What "undo that" does to what the request before it did, whatever change the model makes of it."""

from datetime import datetime
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from support.plan_act import act, done, planned, replanned
from support.scripted import ScriptedModel
from thoughtgraph import create_plan_act_graph
from thoughtgraph._internal.texts import Language
from thoughtgraph.tools.agenda import Agenda, schedule_tool, todo_tool

NOW = datetime(2026, 3, 11, 9)
SETUP = (
    "/todo add buy milk --due friday 15:00 --priority high --tag home",
    "/todo add water the plants",
    "/todo add post the letter",
    "/todo done 3",
    "/schedule add team meeting --at tomorrow 10:00-11:30 --place room 4",
    "/schedule add night shift --at friday 22:00 --for 9h",
    "/schedule add camp --at 2026-04-03 10:00 --for 50h",
)


def shown(agenda: Agenda) -> list[Any]:
    """The entries without their ids."""
    todos = [(one.text, one.due, one.due_has_time, one.priority, one.tags, one.done) for one in agenda.todos()]
    return sorted(map(str, [*todos, *((one.text, one.start, one.end, one.place) for one in agenda.appointments())]))


def states(call: str, said: str, made: str, language: Language = "en") -> list[list[Any]]:
    """The agenda at first, after the call, and after a request for which the model makes another call."""
    with Agenda(":memory:", language=language, clock=lambda: NOW) as agenda:
        for command in SETUP:
            agenda.run(command)
        seen = [shown(agenda)]
        saver = InMemorySaver()
        for goal, line in (("please", call), (said, made)):
            tool = "schedule" if line.startswith("/schedule") else "todo"
            replies = [planned("do it"), act(tool, line), done("OK."), *[replanned(response="OK.")] * 9]
            graph = create_plan_act_graph(
                ScriptedModel(replies=replies),
                [todo_tool(agenda), schedule_tool(agenda)],
                language=language,
                clock=lambda: NOW,
                checkpointer=saver,
            )
            graph.invoke({"goal": goal if goal == said else line}, {"configurable": {"thread_id": "1"}})
            seen.append(shown(agenda))
        return seen


@pytest.mark.parametrize(
    "said", ["undo that", "Oops, please undo that!", "no, put it back", "can you revert it please?"]
)
@pytest.mark.parametrize(
    "call",
    [
        "/todo add call Eva --due monday",
        "/todo rm buy milk",
        "/todo rm 2",
        "/todo done water the plants",
        "/todo undo post the letter",
        "/schedule add lunch with Eva --at friday 12:00",
        "/schedule rm team meeting",
        "/schedule rm night shift",
    ],
)
def test_what_was_changed_is_as_it_was(call: str, said: str) -> None:
    at_first, changed, after = states(call, said, "/todo rm water the plants")
    assert changed != at_first
    assert after == at_first


@pytest.mark.parametrize(("call", "said"), [("/todo rm 1", "撤销刚才的操作"), ("/schedule rm 1", "请撤销")])
def test_the_same_in_chinese(call: str, said: str) -> None:
    at_first, _, after = states(call, said, "/todo rm 2", "zh")
    assert after == at_first


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("/todo rm 1", "undo the plants"),
        ("/todo rm 3", "undo that"),
        ("/schedule rm camp", "undo that"),
        ("/todo edit 2 --due friday", "undo that"),
        ("/todo list", "undo that"),
    ],
)
def test_another_request_and_another_change_are_left_to_the_model(call: str, said: str) -> None:
    _, changed, after = states(call, said, "/todo add call Eva")
    assert after == changed or any("call Eva" in one for one in after)
