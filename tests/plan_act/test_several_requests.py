"""Several requests in one goal, each of which is planned by itself where a call is a whole step."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from support.plan_act import Invoke, Played, act, done, last_words, planned, play, replanned, with_call
from support.scripted import ScriptedModel
from thoughtgraph import create_plan_act_graph
from thoughtgraph.nodes.plan_act.checks.planned.parts import parts_of
from thoughtgraph.tools.agenda import Agenda, schedule_tool, todo_tool

BOTH = "Need to order 25 kilos of rye flour by friday, and the oven engineer is coming thursday at 2pm"
FLOUR, OVEN = BOTH.split(", and ")


def now() -> datetime:
    """A Wednesday."""
    return datetime(2026, 3, 11, 9, 0)


def run(invoke: Invoke, goal: str, replies: list[Any], *setup: str, **options: Any) -> tuple[Played, Agenda]:
    agenda = Agenda(":memory:", clock=now)
    for line in setup:
        agenda.run(line)
    tools = [todo_tool(agenda), schedule_tool(agenda)]
    return play(invoke, replies, tools, goal={"goal": goal}, clock=now, **options), agenda


def one_step(step: str, tool: str, command: str, said: str) -> list[Any]:
    """The replies to a request that one call meets."""
    return [with_call(planned(step), tool, command), done(said)]


ORDERED = one_step("add flour", "todo", "/todo add order 25 kilos of rye flour --due friday", "I added the flour.")
CALLED = one_step("schedule oven", "schedule", "/schedule add oven engineer --at thursday 14:00", "Oven is booked.")


def test_each_is_planned_by_itself_and_answered_in_turn(invoke: Invoke) -> None:
    (result, model, _), agenda = run(invoke, BOTH, [*ORDERED, *CALLED])
    assert [str(todo.text) for todo in agenda.todos()] == ["order 25 kilos of rye flour"]
    assert [one.text for one in agenda.appointments()] == ["oven engineer"]
    assert result["response"] == "I added the flour.\nOven is booked."
    assert result["stop_reason"]["kind"] == "goal_met"
    assert [item["step"] for item in result["plan"]] == ["add flour", "schedule oven"]
    first, second = str(model.requests[0][-1].content), str(model.requests[2][-1].content)
    assert FLOUR in first
    assert "oven" not in first
    assert OVEN in second
    assert "flour" not in second, "it needs nothing of the first"


def test_the_run_is_told_whole(invoke: Invoke) -> None:
    (result, _, _), _ = run(invoke, BOTH, [*ORDERED, *CALLED])
    begun, ended = result["events"][0]["data"], result["events"][-1]["data"]
    assert begun["task"] == BOTH
    assert ended["response"] == result["response"]


def test_what_fails_of_one_stops_no_other(invoke: Invoke) -> None:
    # The first answer after a call that failed goes back.
    failing = [with_call(planned("delete it"), "todo", "/todo rm 9"), done("No."), done("There is no todo 9.")]
    replies = [*failing, replanned(response="There is no todo 9."), *CALLED]
    (result, _, _), agenda = run(invoke, f"Delete todo 9 from my list. {OVEN}", replies, "/todo add polish")
    assert result["stop_reason"]["kind"] == "partly_done"
    assert "Oven is booked." in result["response"]
    assert [one.text for one in agenda.appointments()] == ["oven engineer"]


def test_a_question_pauses_the_one_and_the_next_comes_after_the_answer(invoke: Invoke) -> None:
    asking = [with_call(planned("schedule vet"), "schedule", "/schedule add vet --at friday")]
    replies = [*asking, done("Vet."), *ORDERED]
    goal = "Put the vet in my calendar for friday. And add to my list to order 25 kilos of rye flour by friday"
    (result, _, shown), agenda = run(invoke, goal, replies, answers=["at 10"])
    assert len(shown) == 1
    assert [f"{one.start:%d %H:%M}" for one in agenda.appointments()] == ["13 10:00"]
    assert [todo.text for todo in agenda.todos()] == ["order 25 kilos of rye flour"]
    assert result["response"].endswith("I added the flour.")


def test_what_a_limit_leaves_undone_is_said(invoke: Invoke) -> None:
    (result, _, _), _ = run(invoke, BOTH, [*ORDERED[:1], "best"], max_steps=1, interactive=False)
    assert result["stop_reason"]["kind"] == "max_iterations"
    assert OVEN in result["response"]


def test_the_next_run_is_told_of_the_whole_goal(invoke: Invoke) -> None:
    with Agenda(":memory:", clock=now) as agenda:
        model = ScriptedModel(replies=[*ORDERED, *CALLED, planned(response="Hm.")])
        tools = [todo_tool(agenda), schedule_tool(agenda)]
        graph = create_plan_act_graph(model, tools, clock=now, checkpointer=InMemorySaver())
        thread: Any = {"configurable": {"thread_id": "1"}}
        assert invoke(graph, {"goal": BOTH}, thread)["response"]
        invoke(graph, {"goal": "what did I just say?"}, thread)
    told = last_words(model)
    assert BOTH in told
    assert "rye flour" in told
    assert "oven engineer" in told


def test_a_run_that_is_taken_up_again_goes_on_with_the_next(invoke: Invoke) -> None:
    with Agenda(":memory:", clock=now) as agenda:
        model = ScriptedModel(replies=[*ORDERED, *CALLED])
        tools = [todo_tool(agenda), schedule_tool(agenda)]
        graph = create_plan_act_graph(
            model, tools, clock=now, checkpointer=InMemorySaver(), interrupt_before=["next_part"]
        )
        thread: Any = {"configurable": {"thread_id": "1"}}
        invoke(graph, {"goal": BOTH}, thread)
        assert not agenda.appointments()
        assert invoke(graph, None, thread)["response"].endswith("Oven is booked.")


@pytest.mark.parametrize("effects", [True, False])
def test_tools_of_which_a_call_is_no_step_get_the_goal_whole(invoke: Invoke, effects: bool) -> None:
    def order(thing: str) -> str:
        """Order something."""
        return f"Ordered {thing}."

    tool = StructuredTool.from_function(order)
    tool.metadata = {"effects": effects}
    replies = [
        planned("order both"),
        act("order", {"thing": "flour"}),
        done("Ordered."),
        replanned(response="Ordered."),
    ]
    played = play(invoke, replies, [tool], goal={"goal": "Order the flour, and order the salt"})
    assert "Order the flour, and order the salt" in str(played.model.requests[0][-1].content)


@pytest.mark.parametrize(
    ("goal", "parts"),
    [
        (BOTH, [FLOUR, OVEN]),
        ("the van is paid so tick that off, and i need to order couplers, add that", 2),
        ("Please cancel choir tomorrow, and move the guitar lesson to 4.30.", 2),
        ("记一下要买两斤排骨，还有明天下午三点陪我爸去配眼镜", 2),
        ("Push the florist call to 4 and drop the balloon order, client hates balloons", 2),
        ("Find a flight and book it", 1),
        ("Buy 3 kilos of flour, 2 dozen eggs and one vanilla pod by tomorrow noon", 1),
        ("The walking group meets this Sunday at 9.30, put that in please", 1),
        ("Cancel yoga tomorrow. Thanks!", 1),
        ("Is there a way to go home and change my shirt before the supper?", 1),
        ("", 1),
        (" . ", 1),
    ],
)
def test_a_request_begins_where_something_else_is_wanted(goal: str, parts: int | list[str]) -> None:
    found = parts_of(goal)
    assert (found if isinstance(parts, list) else len(found)) == parts


@pytest.mark.parametrize(
    ("goal", "thing"),
    [
        # What only says why is no request, where nothing that is there is meant.
        ("The shop shuts at 5pm tomorrow. Add valves to my list", "valves"),
        ("Two lambs born at four this morning. Add milk powder to my list", "milk powder"),
        ("My sister is done with her exams. Add flowers to my list", "flowers"),
    ],
)
def test_what_only_says_why_goes_with_what_is_wanted(invoke: Invoke, goal: str, thing: str) -> None:
    replies = one_step("add it", "todo", f"/todo add {thing}", f"I added {thing}.")
    (result, model, _), _ = run(invoke, goal, replies)
    assert goal.rstrip(".") in str(model.requests[0][-1].content)
    assert result["stop_reason"]["kind"] == "goal_met"


def test_news_of_what_is_there_is_a_request(invoke: Invoke) -> None:
    replies = one_step("mark as done", "todo", "/todo done 1", "Done.")
    replies += one_step("add soap", "todo", "/todo add soap", "I added soap.")
    goal = "I fetched the parcel from the shop. Add soap to my list"
    (result, _, _), agenda = run(invoke, goal, replies, "/todo add fetch the parcel from the shop")
    assert {todo.text: todo.done for todo in agenda.todos("all")} == {
        "fetch the parcel from the shop": True,
        "soap": False,
    }
    assert result["response"] == "Done.\nI added soap."
