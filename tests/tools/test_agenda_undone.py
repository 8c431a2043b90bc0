"""What "undo that" does to what the request before it did, whatever change the model makes of it."""

from datetime import datetime
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from support.commands import becomes
from support.plan_act import act, done, planned, replanned
from support.scripted import ScriptedModel
from thoughtgraph import create_plan_act_graph
from thoughtgraph._internal.texts import Language
from thoughtgraph.tools.agenda import Agenda, schedule_tool, todo_tool
from thoughtgraph.tools.metadata import Told, metadata_of

pytestmark = pytest.mark.slow

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


@pytest.mark.parametrize("said", ["Oops, please undo that!", "no, put it back", "can you revert it please?"])
def test_in_other_words_it_is_undone_as_well(said: str) -> None:
    at_first, changed, after = states("/todo rm 2", said, "/todo rm water the plants")
    assert changed != at_first
    assert after == at_first


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
        "/schedule edit team meeting --at friday 15:00 --place the barn",
        "/schedule edit 2 day shift --at saturday 6:00 --for 4h",
        "/todo edit buy milk --due monday",
        "/todo edit water the plants --due friday --tag home",
    ],
)
def test_what_was_changed_is_as_it_was(call: str) -> None:
    at_first, changed, after = states(call, "undo that", "/todo rm water the plants")
    assert changed != at_first
    assert after == at_first


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("/todo rm 1", "撤销刚才的操作"),
        ("/schedule rm 1", "请撤销"),
        ("/schedule edit 1 --at 明天 15:00", "撤销"),
    ],
)
def test_the_same_in_chinese(call: str, said: str) -> None:
    at_first, _, after = states(call, said, "/todo rm 2", "zh")
    assert after == at_first


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("/todo rm 1", "undo the plants"),
        ("/todo rm 3", "undo that"),
        ("/schedule rm camp", "undo that"),
        ("/schedule edit camp --at 2026-04-04 10:00", "undo that"),
        ("/todo list", "undo that"),
    ],
)
def test_another_request_and_another_change_are_left_to_the_model(call: str, said: str) -> None:
    _, changed, after = states(call, said, "/todo add call Eva")
    assert after == changed or any("call Eva" in one for one in after)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("and when was it originally?", True),
        ("undo that", True),
        ("when is the next one?", False),
        ("put the old chairs out", False),
    ],
)
def test_what_an_entry_was_is_told_where_that_is_asked_for(said: str, shown: bool) -> None:
    before = "User: move it\n(What was done: /schedule edit 1 --at friday 15:00 → Changed appointment 1: team meeting.)"
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        for command in (SETUP[4], "/schedule edit 1 --at friday 15:00"):
            agenda.run(command)
        context = metadata_of(schedule_tool(agenda)).get("context")
        assert context is not None
        told = context(Told([said], before, (), NOW))
    was = "before the last change it was 1: team meeting, Thu 2026-03-12 10:00-11:30, at room 4"
    assert (was in told) is shown


def test_what_was_never_edited_was_nothing_else() -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        agenda.run("/todo add buy milk")
        assert agenda.former("todo", 1) is None
        agenda.run("/todo edit 1 buy oat milk --due friday")
        assert agenda.former("todo", 1) == (
            "1: buy milk",
            "/todo edit 1 buy milk --due none --priority normal --tag none",
        )
        agenda.run("/todo edit 1 buy milk --due none --priority normal --tag none")
        assert [(one.text, one.due) for one in agenda.todos()] == [("buy milk", None)]


@pytest.mark.parametrize("between", ["User: when was it?\nAssistant: On Thursday.", ""])
def test_a_question_between_does_not_hide_the_change(between: str) -> None:
    done = "(What was done: /todo add buy milk → Added todo 1: buy milk.)"
    made, against = becomes(
        "undo that", "/todo rm buy tea", "/todo add buy milk", "/todo add buy tea", before=f"{done}\n{between}"
    )
    assert (made, against) == ("/todo rm 1", None)


@pytest.mark.parametrize(
    "words",
    ["lunch at 5", "call mum tomorrow", "walk for 2h", "1 2", "3: foo", "paint as done", "none", "x -> y", "明天的会"],
)
def test_a_former_entry_comes_back_as_it_was_whatever_it_says(words: str) -> None:
    with Agenda(":memory:", clock=lambda: NOW) as agenda:
        for command in (f'/todo add "{words}" --due friday --tag a,b', f'/schedule add "{words}" --at friday 10:00'):
            agenda.run(command)
        at_first = shown(agenda)
        agenda.run("/todo edit 1 another --due none --tag none --priority high")
        agenda.run("/schedule edit 1 another --at monday 9:00 --for 2h --place the barn")
        for kind in ("todo", "schedule"):
            former = agenda.former(kind, 1)
            assert former is not None
            agenda.run(former[1])
        assert shown(agenda) == at_first


def test_a_kind_that_there_is_not_is_refused() -> None:
    unknown: Any = "todos"
    with Agenda(":memory:") as agenda, pytest.raises(ValueError, match="choose from"):
        agenda.former(unknown, 1)
