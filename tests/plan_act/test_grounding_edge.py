"""A call that states what nobody gave: sent back once, then a question to the user."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from support.plan_act import (
    THREAD,
    Invoke,
    act,
    acts,
    ask,
    done,
    last_words,
    planned,
    play,
    replanned,
)
from support.scripted import ScriptedModel
from support.texts import text
from thoughtgraph import create_plan_act_graph
from thoughtgraph.nodes.plan_act.guards import Guards
from thoughtgraph.tools.agenda import Agenda
from thoughtgraph.tools.agenda.tools import schedule_tool, todo_tool

GOAL = {"goal": "Add the dentist on Friday to my calendar"}
GUESS = act("schedule", "/schedule add Dentist --at friday 18:30")
END = [done("A"), replanned(response="end")]


def now() -> datetime:
    """A Wednesday."""
    return datetime(2026, 3, 11, 9, 0)


def as_written(tool: BaseTool) -> BaseTool:
    """A tool whose calls are not put as the user's words have them."""
    tool.metadata = {**(tool.metadata or {}), "as_told": None}
    return tool


def without_questions(tool: BaseTool) -> BaseTool:
    """A tool that requires nothing, so that its calls are held to their grounds alone."""
    tool.metadata = {**(tool.metadata or {}), "required": None}
    return tool


def run(invoke: Invoke, replies: list[str], **options: Any) -> tuple[Any, list[str]]:
    """A run over an agenda of its own, and the agenda's appointments in the end."""
    with Agenda(":memory:", clock=now) as agenda:
        tools = [without_questions(schedule_tool(agenda)), todo_tool(agenda)]
        options.setdefault("goal", GOAL)
        played = play(invoke, replies, tools, clock=now, **options)
        return played, [f"{one.start:%m-%d %H:%M} {one.text}" for one in agenda.appointments()]


def test_an_invented_time_goes_back_to_the_model_with_its_name(invoke: Invoke) -> None:
    played, kept = run(invoke, [planned("a"), GUESS, done("B"), replanned(response="end")])
    assert "18:30 appears nowhere in what the user said" in last_words(played.model, 2)
    assert (kept, played.result["observations"], played.shown) == ([], [], [])
    [seen] = [event["data"] for event in played.result["events"] if event["kind"] == "observation"]
    assert (seen["kind_of_failure"], seen["ok"], seen["tool"]) == ("ungrounded", False, "schedule")


def test_the_second_time_in_a_step_the_user_is_asked_and_a_yes_is_enough(invoke: Invoke) -> None:
    played, kept = run(invoke, [planned("a"), GUESS, GUESS, *END], answers=["yes"])
    assert len(played.shown) == 1
    assert "18:30" in played.shown[0] and "friday 18:30" in played.shown[0]
    assert kept == ["03-13 18:30 Dentist"]
    assert played.result["clarifications"][0]["answer"] == "yes"


def test_another_time_in_the_answer_is_the_one_that_counts(invoke: Invoke) -> None:
    _, kept = run(invoke, [planned("a"), GUESS, GUESS, *END], answers=["No, at quarter past nine"])
    assert kept == ["03-13 09:15 Dentist"]


def test_a_guess_that_comes_again_after_the_answer_gives_way_to_it(invoke: Invoke) -> None:
    _, kept = run(invoke, [planned("a"), GUESS, GUESS, replanned("a"), GUESS, *END], answers=["Friday, 9:15"])
    assert kept == ["03-13 09:15 Dentist"]


def test_what_the_user_denied_is_not_done(invoke: Invoke) -> None:
    replies = [planned("a"), GUESS, GUESS, replanned("a"), GUESS, ask("When?"), replanned(response="end")]
    played, kept = run(invoke, replies, answers=["no", "neither"])
    assert kept == []
    assert "18:30 appears nowhere" in last_words(played.model, 5)


def test_a_model_that_asks_by_itself_is_not_asked_about_it_again(invoke: Invoke) -> None:
    right = act("schedule", "/schedule add Dentist --at friday 18:30")
    replies = [planned("a"), GUESS, ask("When?"), replanned("a"), right, *END]
    played, kept = run(invoke, replies, answers=["half past six in the evening"])
    assert (played.shown, kept) == (["Please confirm: When?"], ["03-13 18:30 Dentist"])


def test_each_step_has_a_second_chance_of_its_own(invoke: Invoke) -> None:
    replies = [planned("a", "b"), GUESS, done("A"), replanned("b"), GUESS, done("B"), replanned(response="end")]
    played, kept = run(invoke, replies)
    assert (played.shown, kept) == ([], [])


def test_a_step_in_place_of_one_that_was_taken_out_has_its_second_chance_as_well(invoke: Invoke) -> None:
    @tool
    def pay(amount: int) -> str:
        """Pay."""
        return f"paid {amount}"

    pay.metadata = {"grounded": True}
    guess = act("pay", {"amount": 77})
    model = ScriptedModel(
        replies=[planned("pay"), guess, replanned("settle it"), guess, done("B"), replanned(response="end")]
    )
    saver = InMemorySaver()
    graph = create_plan_act_graph(model, [pay], checkpointer=saver, interrupt_before=["thought"])
    invoke(graph, {"goal": "Pay Bo"}, THREAD)
    invoke(graph, None, THREAD)
    graph.update_state(THREAD, {"plan": []})
    # Planned anew, sent back, and done.
    result = [invoke(graph, None, THREAD) for _ in range(3)][-1]
    assert (result["response"].splitlines()[0], result["clarifications"]) == ("end", [])


def test_nobody_to_ask_is_a_recorded_assumption(invoke: Invoke) -> None:
    replies = [planned("a"), GUESS, GUESS, replanned("a"), GUESS, *END]
    played, kept = run(invoke, replies, interactive=False)
    [assumed] = played.result["clarifications"]
    assert assumed["assumed"] and "18:30" in assumed["question"]
    assert kept == ["03-13 18:30 Dentist"]


def test_no_question_beyond_the_limit(invoke: Invoke) -> None:
    played, kept = run(invoke, [planned("a"), GUESS, GUESS], guards=Guards(max_questions=0))
    assert played.result["stop_reason"] == {"kind": "too_many_questions", "value": 0, "limit": 0}
    assert kept == []


@pytest.mark.parametrize(
    ("goal", "call"),
    [
        ({"goal": "Dentist on Friday at half past six"}, "Dentist --at 2026-03-13 18:30"),
        ({"goal": "Add it", "background": "User: dentist, friday 18:30?"}, "Dentist --at friday 18:30"),
        ({"goal": "明天晚上七点看牙医"}, "看牙医 --at 2026-03-12 19:00"),
    ],
    ids=["words", "background", "Chinese"],
)
def test_what_the_user_said_in_any_form_is_carried_out_at_once(invoke: Invoke, goal: dict[str, Any], call: str) -> None:
    played, kept = run(invoke, [planned("a"), act("schedule", f"/schedule add {call}"), *END], goal=goal)
    assert (len(kept), played.shown) == (1, [])


def test_an_id_counts_once_a_result_has_shown_it(invoke: Invoke) -> None:
    replies = [
        planned("a"),
        act("todo", "/todo add feed the cat"),
        act("todo", "/todo done 1"),
        *END,
    ]
    played, _ = run(invoke, replies, goal={"goal": "Feed the cat: add it and check it off"})
    assert [seen["ok"] for seen in played.result["observations"]] == [True, True]


def test_a_pause_over_an_invention_resumes_from_disk_alone(invoke: Invoke) -> None:
    saver = InMemorySaver()
    with Agenda(":memory:", clock=now) as agenda:
        given: Any = {"tools": [schedule_tool(agenda)], "checkpointer": saver, "clock": now}
        graph = create_plan_act_graph(ScriptedModel(replies=[planned("a"), GUESS, GUESS]), **given)
        invoke(graph, dict(GOAL), THREAD)
        assert graph.get_state(THREAD).next == ("ask_user",)


def test_of_several_calls_at_once_none_is_made_if_one_is_invented(invoke: Invoke) -> None:
    paid: list[str] = []

    @tool
    def pay(to: str, amount: int) -> str:
        """Pay someone."""
        paid.append(f"{to} {amount}")
        return "paid"

    pay.metadata = {"parallel": True, "grounded": True}
    calls = acts(("pay", {"to": "Eva", "amount": 20}), ("pay", {"to": "Bob", "amount": 20}))
    replies = [planned("a"), calls, acts(("pay", {"to": "Eva", "amount": 20})), *END]
    played = play(invoke, replies, [pay], goal={"goal": "Pay Eva 20 euros"})
    assert paid == ["Eva 20"]
    assert "Bob" not in str(played.result["observations"])


def test_an_unknown_argument_in_the_declaration_fails_at_the_build() -> None:
    @tool
    def pay(to: str) -> str:
        """Pay someone."""
        return to

    pay.metadata = {"grounded": ["whom"]}
    with pytest.raises(ValueError, match="'whom'"):
        create_plan_act_graph(ScriptedModel(replies=[]), [pay], interactive=False)


def test_the_note_is_told_in_the_language_of_the_loop(invoke: Invoke) -> None:
    with Agenda(":memory:", clock=now, language="zh") as agenda:
        replies = [planned("a"), act("schedule", "/schedule add 体检 --at 明天 14:00"), *END]
        goal = {"goal": "明天安排一次体检"}
        tools = [without_questions(schedule_tool(agenda))]
        played = play(invoke, replies, tools, goal=goal, clock=now, language="zh")
    mend = text("zh", "note.told", times=str((now() + timedelta(days=1)).date()))
    assert text("zh", "note.ungrounded", tool="schedule", claims="14:00", mend=mend) in last_words(played.model, 2)


def test_a_call_with_another_time_than_the_users_is_sent_back_with_the_users_times(invoke: Invoke) -> None:
    with Agenda(":memory:", clock=now) as agenda:
        right = act("schedule", "/schedule add budget review --at 2026-03-20 10:00 --for 2h")
        replies = [planned("a"), act("schedule", "/schedule add budget review --at thursday 20:00"), right, *END]
        goal = {"goal": "Block two hours for the budget review on March 20 at 10:00."}
        played = play(invoke, replies, [as_written(schedule_tool(agenda))], goal=goal, clock=now)
        [made] = agenda.appointments()
    assert "What the user said means 2026-03-20 10:00, 2h." in last_words(played.model, 2)
    assert (made.start, made.end) == (datetime(2026, 3, 20, 10), datetime(2026, 3, 20, 12))


@pytest.mark.parametrize(("answer", "made"), [("yes", 1), ("I have told you all there is, please go by that.", 0)])
def test_a_time_that_the_user_does_not_confirm_is_not_used(invoke: Invoke, answer: str, made: int) -> None:
    call = act("schedule", "/schedule add checkup --at friday 14:00")
    again = [] if made else [replanned("a"), call]
    with Agenda(":memory:", clock=now) as agenda:
        tools = [without_questions(schedule_tool(agenda))]
        graph = create_plan_act_graph(
            ScriptedModel(replies=[planned("a"), call, call, *again, done("D"), replanned(response="E")]),
            tools,
            checkpointer=InMemorySaver(),
            clock=now,
            max_steps=5,
        )
        asked = invoke(graph, {"goal": "A checkup on friday"}, THREAD)
        assert "is 14:00 right?" in asked["__interrupt__"][0].value
        invoke(graph, Command(resume=answer), THREAD)
        assert len(agenda.appointments()) == made


def test_of_several_steps_each_is_left_to_judge_which_time_is_its_own(invoke: Invoke) -> None:
    with Agenda(":memory:", clock=now) as agenda:
        wrong, right = act("todo", "/todo add water the plants --due today"), act("todo", "/todo add water the plants")
        lunch = act("schedule", "/schedule add lunch --at friday 12:00")
        replies = [planned("a", "b"), wrong, right, done("A"), replanned("b"), lunch, *END]
        goal = {"goal": "Remind me to water the plants, schedule lunch on Friday at 12:00"}
        tools = [as_written(todo_tool(agenda)), schedule_tool(agenda)]
        played = play(invoke, replies, tools, goal=goal, clock=now)
        assert [todo.due for todo in agenda.todos()] == [None]
    told = last_words(played.model, 2)
    assert "for this very step; of those, the user only said 2026-03-13 12:00." in told


@pytest.mark.parametrize(
    ("answer", "made"),
    [
        ("The checkup is at 3 in the afternoon.", ["13 15:00"]),
        ("No, half past two", ["13 14:30"]),
        ("at 3", ["13 15:00"]),
        ("the usual time", []),
        ("no", []),
        ("3 or 4", []),
    ],
)
def test_a_time_in_the_answer_takes_the_place_of_the_one_that_was_asked_about(
    invoke: Invoke, answer: str, made: list[str]
) -> None:
    call = act("schedule", "/schedule add checkup --at friday 10:00")
    with Agenda(":memory:", clock=now) as agenda:
        tools = [without_questions(schedule_tool(agenda))]
        ending = [done("D"), replanned(response="E")] if made else [replanned("a"), call, call, call]
        model = ScriptedModel(replies=[planned("a"), call, call, *ending])
        graph = create_plan_act_graph(model, tools, checkpointer=InMemorySaver(), clock=now, max_steps=5)
        asked = invoke(graph, {"goal": "A checkup on friday"}, THREAD)
        assert "is 10:00 right?" in asked["__interrupt__"][0].value
        invoke(graph, Command(resume=answer), THREAD)
        assert [f"{one.start:%d %H:%M}" for one in agenda.appointments()] == made
