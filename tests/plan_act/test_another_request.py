"""Another request in place of an answer: the step that waits is left, and the other request is planned as a goal."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from support.plan_act import Invoke, act, done, last_words, planned, play, replanned
from support.scripted import ScriptedModel
from support.texts import text
from thoughtgraph import create_plan_act_graph
from thoughtgraph.nodes.plan_act.checks.another import is_another, may_be_answer, parted
from thoughtgraph.tools.agenda import Agenda
from thoughtgraph.tools.agenda.tools import schedule_tool, todo_tool
from thoughtgraph.traces.shapes import UPDATE_STATE

WAITING = "dentist\nat what time?\n/schedule add dentist --at friday 10:00"
DENTIST = act("schedule", "/schedule add dentist --at 2026-03-13")
ARCHITECT = act("schedule", "/schedule add the architect --at 2026-03-30 9:00")


def now() -> datetime:
    """A Wednesday."""
    return datetime(2026, 3, 11, 9, 0)


@pytest.mark.parametrize(
    ("answer", "another"),
    [
        ("Pencil the architect in for the 30th at nine", True),
        ("oh, and can you also remind me to phone Eva", True),
        ("Add batteries to my list", True),
        ("cancel the rehearsal", True),
        ("另外帮我记一下买牛奶", True),
        ("取消周五的会议", True),
        ("what do I have on monday?", True),
        ("how many todos are open", True),
        ("周一有什么安排？", True),
        ("what have I got this week?", True),
        ("which of my todos has a date?", True),
        ("are there any open tasks?", True),
        ("which appointments are there?", True),
        ("which of my todos do you mean?", False),
        ("which appointment is that?", False),
        ("which tasks?", False),
        ("cancel everything", False),
        ("cancel the whole thing", False),
        ("delete the old entry", False),
        ("add a separate one", False),
        ("mark as finished", False),
        ("set up weekly", False),
        ("add Anna as well", False),
        ("what do you mean?", False),
        ("do I have to decide now?", False),
        ("how many slots are left?", False),
        ("没有什么特别的，下午六点吧", False),
        ("when is that?", False),
        ("what is it for?", False),
        ("when's the dentist free?", False),
        ("at ten", False),
        ("put it at ten", False),
        ("put me down for the morning", False),
        ("book the dentist for ten", False),
        ("book the early slot", False),
        ("add it anyway", False),
        ("yes, add another one", False),
        ("add both", False),
        ("cancel the second one", False),
        ("no, cancel the rehearsal", False),
        ("the rehearsal is at eight", False),
        ("安排在周五下午三点", False),
        ("取消第一个", False),
    ],
)
def test_an_order_of_something_else_is_told_from_an_answer(answer: str, another: bool) -> None:
    assert is_another(answer, WAITING, now()) is another


def run(invoke: Invoke, replies: list[str], answer: str, goal: str) -> tuple[Any, list[str]]:
    """A run that asks once, and the entries that it leaves."""
    with Agenda(":memory:", clock=now) as agenda:
        tools = [todo_tool(agenda), schedule_tool(agenda)]
        played = play(invoke, replies, tools, goal={"goal": goal}, clock=now, answers=[answer])
        kept = [f"{one.text} {one.start:%d %H:%M}" for one in agenda.appointments()]
        return played, kept + [todo.text for todo in agenda.todos()]


ANOTHER = "Pencil the architect in for the 30th at nine"
TAKEN_UP = [planned("book the architect for the 30th at nine"), ARCHITECT, done("The architect is in.")]


LEFT = [planned("book the dentist"), DENTIST, *TAKEN_UP, replanned(response="The architect is in.")]


def test_another_request_is_planned_in_place_of_the_old_goal(invoke: Invoke) -> None:
    played, kept = run(invoke, LEFT, ANOTHER, "the dentist on friday")
    assert kept == ["the architect 30 09:00"]
    [question] = played.shown
    asked = str(played.model.requests[2][-1].content)
    assert asked.endswith(text("en", "turn.plan", goal=ANOTHER))
    assert "the dentist on friday" in asked
    assert played.model.requests[2][-2].type == "ai", "the conversation about the old goal is over"
    assert [item["status"] for item in played.result["plan"]] == ["failed", "done"]
    assert played.result["stop_reason"]["kind"] == "partly_done"
    assert "The architect is in." in played.result["response"]
    assert question.removeprefix("Please confirm: ") in played.result["response"]


def turned_to(result: Any) -> list[str]:
    """The goals that took the place of the first one."""
    return [event["data"]["result"] for event in result["events"] if event["data"].get("tool") == UPDATE_STATE]


def test_a_question_about_another_entry_is_one(invoke: Invoke) -> None:
    replies = [
        planned("move the gym"),
        act("schedule", "/schedule edit gym --at 2026-03-12"),
        planned(response="The report is due on 31 March."),
    ]
    setup = ["/schedule add gym --at monday 7:00", "/schedule add gym --at tuesday 7:00", "/todo add finish the report"]
    for answer, taken_up in (("when is the report due?", True), ("when are they?", False), ("which gym?", False)):
        with Agenda(":memory:", clock=now) as agenda:
            for line in setup:
                agenda.run(line)
            model = ScriptedModel(replies=[*replies, *[replanned(response="I see.")] * 9])
            tools = [todo_tool(agenda), schedule_tool(agenda)]
            graph = create_plan_act_graph(model, tools, clock=now, checkpointer=InMemorySaver())
            config: Any = {"configurable": {"thread_id": "1"}}
            assert "which" in str(invoke(graph, {"goal": "move the gym"}, config)["__interrupt__"][0].value)
            state = invoke(graph, Command(resume=answer), config)
            assert (answer in turned_to(state)) is taken_up


def test_words_that_name_another_entry_and_say_what_becomes_of_it_are_no_answer(invoke: Invoke) -> None:
    taken = {"lose the library books, Tom will take them": True, "the library is open until eight": True}
    for answer, taken_up in (taken | {"no, I meant the library": False, "the second one": False}).items():
        with Agenda(":memory:", clock=now) as agenda:
            agenda.run("/todo add return the books to the library")
            replies = [planned("book the dentist"), DENTIST, *[replanned(response="I see.")] * 9]
            tools = [todo_tool(agenda), schedule_tool(agenda)]
            graph = create_plan_act_graph(
                ScriptedModel(replies=replies), tools, clock=now, checkpointer=InMemorySaver()
            )
            config: Any = {"configurable": {"thread_id": "1"}}
            invoke(graph, {"goal": "the dentist on friday"}, config)
            assert (answer in turned_to(invoke(graph, Command(resume=answer), config))) is taken_up, answer


def test_what_tells_of_something_else_is_no_answer_to_what_shall_be_done_about_a_failure(invoke: Invoke) -> None:
    fails = act("schedule", "/schedule edit 1 --at eightish")
    dinner = "Dinner with Paul and Lisa on Saturday at 19:30 at Luigi's"
    taken_up = [planned("book the dinner"), act("schedule", "/schedule add dinner --at 2026-03-14 19:30"), done("In.")]
    with Agenda(":memory:", clock=now) as agenda:
        agenda.run("/schedule add gym --at friday 7:00")
        model = ScriptedModel(
            replies=[planned("move the gym"), *[fails] * 3, *taken_up, *[replanned(response="In.")] * 9]
        )
        tools = [todo_tool(agenda), schedule_tool(agenda)]
        graph = create_plan_act_graph(model, tools, clock=now, checkpointer=InMemorySaver())
        config: Any = {"configurable": {"thread_id": "1"}}
        run = invoke(graph, {"goal": "Can you move Friday's gym to eightish?"}, config)
        assert "eightish" in str(run["__interrupt__"][0].value)
        state = invoke(graph, Command(resume=dinner), config)
        assert turned_to(state) == [dinner]
        assert [one.text for one in agenda.appointments()][1:] == ["dinner"]


def test_the_trace_tells_that_the_goal_was_changed_and_the_run_keeps_the_one_it_was_given(invoke: Invoke) -> None:
    result = run(invoke, LEFT, ANOTHER, "the dentist on friday")[0].result
    changes = [event["data"] for event in result["events"] if event["data"].get("tool") == UPDATE_STATE]
    assert [(one["input"], one["result"]) for one in changes] == [
        ({"field": "goal", "before": "the dentist on friday"}, ANOTHER)
    ]
    assert [event["kind"] for event in result["events"]].count("goal") == 1
    assert [plan["data"]["phase"] for plan in result["events"] if plan["kind"] == "plan"][:2] == ["plan", "plan"]


def test_an_order_answers_a_question_of_the_models_own(invoke: Invoke) -> None:
    asks = json.dumps({"status": "ask_user", "question": "What shall I do?"})
    milk = act("todo", "/todo add milk")
    replies = [
        planned("see what is wanted"),
        asks,
        replanned("add milk"),
        milk,
        done("Added."),
        replanned(response="In."),
    ]
    played, kept = run(invoke, replies, "Add milk to my list", "do something for me")
    assert kept == ["milk"]
    assert played.result["stop_reason"]["kind"] == "goal_met"


@pytest.mark.parametrize(
    ("answer", "question", "may_be"),
    [
        ("Add milk to my list", "What shall I do?", True),
        ("Add milk to my list", "How can I help you?", True),
        ("Add eggs", "What should I put on the shopping list?", True),
        ("Remind me to phone Eva", "What would you like me to remember?", True),
        ("记一下买牛奶", "您要我记什么？", True),
        ("dentist on friday at 10", "Which appointment do you mean?", True),
        ("dentist on friday at 10", "What is it called?", True),
        ("dentist on friday at 10", "Which one, or when?", True),
        ("Remind me to phone Eva", "What is the due date of the report?", False),
        ("Add milk to my list", "When is the report due?", False),
        ("Book flights", "What is the text of the first one?", True),
        ("Add milk to my list", "Who wants the report?", False),
        ("Mark Miller", "Who wants the report?", True),
        ("book club meeting", "What kind of appointment is it?", True),
        ("Mark the report as done", "Who wants the report?", False),
        ("mark dentist done", "Who wants the report?", False),
        ("book haircut tomorrow", "Who wants the report?", False),
        ("show calendar", "Who wants the report?", False),
        ("book flights", "When is the report due?", False),
        ("Add milk to my list", "Do you want the report to be removed?", False),
        ("dentist on friday at 10", "What time is the rehearsal?", False),
        ("dentist on friday at 10", "Is the rehearsal over?", False),
        ("添加买牛奶", "报告几号到期？", False),
    ],
)
def test_what_an_order_or_news_may_answer(answer: str, question: str, may_be: bool) -> None:
    assert may_be_answer(answer, question) is may_be


OWN = [planned("look the report up"), json.dumps({"status": "ask_user", "question": "What is the report's due date?"})]


def test_another_request_answers_no_question_of_the_models_own(invoke: Invoke) -> None:
    milk = [planned("add milk"), act("todo", "/todo add milk"), done("Added."), replanned(response="Milk is in.")]
    played, kept = run(invoke, OWN + milk, "Add milk to my list", "how long until the report is due?")
    assert kept == ["milk"]
    assert turned_to(played.result) == ["Add milk to my list"]
    assert [item["status"] for item in played.result["plan"]] == ["failed", "done"]
    assert played.result["stop_reason"]["kind"] == "partly_done"


@pytest.mark.parametrize(
    "answer", ["Grandma visits us on Saturday", "the 31st", "put it on the 31st", "I don't know", "what do you mean?"]
)
def test_an_answer_to_a_question_of_the_models_own_is_one(answer: str, invoke: Invoke) -> None:
    played = run(invoke, [*OWN, replanned(response="I see.")], answer, "how long until the report is due?")[0]
    assert turned_to(played.result) == []
    assert answer in last_words(played.model)


def test_what_was_assumed_for_the_user_is_no_other_request(invoke: Invoke) -> None:
    with Agenda(":memory:", clock=now) as agenda:
        model = ScriptedModel(replies=[*OWN, replanned(response="I see.")])
        graph = create_plan_act_graph(model, [todo_tool(agenda)], clock=now, interactive=False)
        result = invoke(graph, {"goal": "how long until the report is due?"}, {})
    assert [one["assumed"] for one in result["clarifications"]] == [True]
    assert turned_to(result) == []


def test_what_remains_of_the_plan_goes_on_behind_another_request(invoke: Invoke) -> None:
    goal = "the dentist on friday, and milk on my list"
    milk = act("todo", "/todo add milk")
    both = [planned("book the architect for the 30th at nine", "add milk"), ARCHITECT, done("The architect is in.")]
    replies = [planned("book the dentist", "add milk to my list"), DENTIST, *both, replanned("add milk"), milk]
    played, kept = run(invoke, [*replies, done("Added."), replanned(response="Both are in.")], ANOTHER, goal)
    assert kept == ["the architect 30 09:00", "milk"]
    wanted = f"{ANOTHER}\nadd milk to my list"
    assert str(played.model.requests[2][-1].content).endswith(text("en", "turn.plan", goal=wanted))


def test_the_question_that_was_left_may_be_put_again_for_another_request(invoke: Invoke) -> None:
    no_time = act("schedule", "/schedule add the architect --at 2026-03-30")
    replies = [planned("book the dentist"), DENTIST, planned("book the architect for the 30th"), no_time]
    replies += [done("The architect is in."), replanned(response="The architect is in.")]
    with Agenda(":memory:", clock=now) as agenda:
        played = play(
            invoke,
            replies,
            [schedule_tool(agenda)],
            goal={"goal": "the dentist on friday"},
            clock=now,
            answers=["Pencil the architect in for the 30th", "at nine"],
        )
        assert [f"{one.text} {one.start:%d %H:%M}" for one in agenda.appointments()] == ["the architect 30 09:00"]
    assert len(played.shown) == 2


def test_a_run_whose_steps_are_spent_begins_no_other_request(invoke: Invoke) -> None:
    replies = [planned("book the dentist"), DENTIST, "I could not do it."]
    with Agenda(":memory:", clock=now) as agenda:
        played = play(
            invoke,
            replies,
            [schedule_tool(agenda)],
            goal={"goal": "the dentist on friday"},
            clock=now,
            answers=[ANOTHER],
            max_steps=1,
        )
    assert played.result["stop_reason"]["kind"] == "max_iterations"


@pytest.mark.parametrize("given", ["messages", "goal"])
def test_a_later_run_of_the_thread_is_told_what_came_of_both(given: str) -> None:
    model = ScriptedModel(replies=[*LEFT, planned(response="You are welcome.")])

    def asks(words: str) -> Any:
        return {"messages": [HumanMessage(words)]} if given == "messages" else {"goal": words}

    with Agenda(":memory:", clock=now) as agenda:
        graph = create_plan_act_graph(model, [schedule_tool(agenda)], clock=now, checkpointer=InMemorySaver())
        config: RunnableConfig = {"configurable": {"thread_id": "1"}}
        graph.invoke(asks("the dentist on friday"), config)
        graph.invoke(Command(resume=ANOTHER), config)
        state = graph.get_state(config).values
        assert state["goal"] == "the dentist on friday"
        assert graph.invoke(asks("thanks a lot!"), config)["response"] == "You are welcome."
    if given == "messages":
        assert [message.type for message in state["messages"]] == ["human", "ai"]
    else:
        assert [one["said"] for one in state["exchanges"]] == ["the dentist on friday", ANOTHER]
    assert "The architect is in." in str(model.requests[-1][-1].content)


def test_an_order_in_answer_to_a_failure_is_no_other_request(invoke: Invoke) -> None:
    def book(seat: str) -> str:
        """Book a seat."""
        if seat != "the aisle":
            raise ValueError("the seat is taken")
        return "booked"

    made = tool(book)
    made.metadata = {"required": ["seat"], "effects": True}
    window, aisle = act("book", {"seat": "the window"}), act("book", {"seat": "the aisle"})
    order = "book the aisle"
    replies = [planned("book the window"), window, window, window, replanned("book the aisle"), aisle, done("Booked.")]
    replies.append(replanned(response="Booked."))
    played = play(invoke, replies, [made], goal={"goal": "the window, please"}, answers=[order])
    assert [item["status"] for item in played.result["plan"]] == ["done"]
    assert order in last_words(played.model, 4)


def test_an_order_that_answers_completes_the_call(invoke: Invoke) -> None:
    replies = [planned("book the dentist"), DENTIST, done("The dentist is in."), replanned(response="It is in.")]
    _, kept = run(invoke, replies, "book the dentist for 10:00", "the dentist on friday")
    assert kept == ["dentist 13 10:00"]


def test_an_order_may_be_what_the_call_waits_for(invoke: Invoke) -> None:
    something = act("todo", "/todo add something")
    replies = [planned("add something"), something, something, done("Added."), replanned(response="Added.")]
    _, kept = run(invoke, replies, "add batteries", "put something on my list, will you")
    assert kept == ["batteries"]


@pytest.mark.parametrize(
    ("answer", "parts"),
    [
        ("at ten, and add milk to my list", ("at ten", "add milk to my list")),
        ("Ten! Also remind me to phone Eva, tomorrow at 9", ("Ten", "remind me to phone Eva, tomorrow at 9")),
        ("上午十点，另外帮我记一下买牛奶", ("上午十点", "另外帮我记一下买牛奶")),
        ("Pencil the architect in for the 30th, at nine", ("", "Pencil the architect in for the 30th, at nine")),
        ("at ten, and put it on my list", ("at ten, and put it on my list", "")),
        ("ten, and the dentist is at noon", ("ten, and the dentist is at noon", "")),
        ("", ("", "")),
    ],
)
def test_an_answer_is_parted_from_another_request_behind_it(answer: str, parts: tuple[str, str]) -> None:
    assert parted(answer, WAITING, now()) == parts


def test_another_request_behind_an_answer_becomes_a_step(invoke: Invoke) -> None:
    milk = act("todo", "/todo add milk")
    replies = [planned("book the dentist"), DENTIST, replanned("add milk to my list"), milk]
    replies += [done("Milk is on it."), replanned(response="Both are there.")]
    played, kept = run(invoke, replies, "at 10:00, and add milk to my list", "the dentist on friday")
    assert kept == ["dentist 13 10:00", "milk"]
    assert [item["status"] for item in played.result["plan"]] == ["done", "done"]
    assert "add milk to my list" in last_words(played.model, 2)


def test_an_empty_answer_is_no_other_request(invoke: Invoke) -> None:
    replies = [planned("book the dentist"), DENTIST, replanned(response="Without a time I cannot book it.")]
    played, kept = run(invoke, replies, "", "the dentist on friday")
    assert (kept, played.result["plan"]) == ([], [])
