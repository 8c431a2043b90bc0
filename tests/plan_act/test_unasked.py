"""What nobody asked for is left out of a call: priorities, dates and lengths that a model adds by itself."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from langchain_core.tools import StructuredTool
from support.plan_act import Invoke, act, done, planned, play, replanned, with_call
from thoughtgraph.tools.agenda import Agenda, schedule_tool, todo_tool
from thoughtgraph.tools.metadata import Told

pytestmark = pytest.mark.slow

END = [done("D"), replanned(response="E")]


def now() -> datetime:
    """A Wednesday."""
    return datetime(2026, 3, 11, 9, 0)


@pytest.mark.parametrize(
    ("said", "given", "made"),
    [
        ("cat food, nearly out", "/todo add cat food --priority high", "cat food"),
        ("cat food, nearly out", "/todo add cat food --due friday --priority high", "cat food"),
        ("cat food, it is urgent", "/todo add cat food --priority high", "cat food (high priority)"),
        ("cat food by friday", "/todo add cat food --due friday", "cat food (due Fri 2026-03-13)"),
        ("cat food by friday", "/todo add cat food --by friday", "cat food (due Fri 2026-03-13)"),
        ("cat food by the 20th, then", "/todo add cat food --deadline 20th, then", "cat food (due Fri 2026-03-20)"),
        ("cat food, has to be here by friday", "/todo add cat food --due friday", "cat food (due Fri 2026-03-13)"),
        ("cat food, and lunch with Eva on friday", "/todo add cat food --due friday", "cat food"),
        ("cat food by friday, soon", "/todo add cat food --due friday --tag urgent", "cat food (due Fri 2026-03-13)"),
        ("cat food, for the cat", "/todo add cat food --tag cat", "cat food (#cat)"),
        ("cat food, tag it pets", "/todo add cat food --tag animals", "cat food (#animals)"),
        ("猫粮快没了", "/todo add 猫粮 --priority high", "猫粮"),
        ("猫粮快没了，很急", "/todo add 猫粮 --priority high", "猫粮 (high priority)"),
    ],
)
@pytest.mark.parametrize("with_plan", [False, True], ids=["in-a-thought", "with-the-plan"])
def test_a_todo_gets_what_was_asked_for(invoke: Invoke, said: str, given: str, made: str, with_plan: bool) -> None:
    with Agenda(":memory:", clock=now) as agenda:
        first = [with_call(planned("a"), "todo", given)] if with_plan else [planned("a"), act("todo", given)]
        end = END[:1] if with_plan else END
        result, _, _ = play(invoke, [*first, *end], [todo_tool(agenda)], goal={"goal": said}, clock=now)
    assert [seen["result"] for seen in result["observations"]] == [f"Added todo 1: {made}."]


@pytest.mark.parametrize(
    ("said", "length"), [("Eva friday at 10", 60), ("Eva friday from 10 to 12", 120), ("Eva friday at 10, 2h", 120)]
)
def test_an_appointment_gets_a_length_only_if_one_was_said(invoke: Invoke, said: str, length: int) -> None:
    with Agenda(":memory:", clock=now) as agenda:
        call = act("schedule", "/schedule add Eva --on friday 10:00 --duration 2h")
        play(invoke, [planned("a"), call, *END], [schedule_tool(agenda)], goal={"goal": said}, clock=now)
        [made] = agenda.appointments()
    assert (made.end - made.start).total_seconds() == length * 60


def test_any_tool_can_leave_out_what_nobody_asked_for(invoke: Invoke) -> None:
    seen: list[tuple[str, str]] = []

    def send(to: str, note: str = "") -> str:
        """Send a note."""
        seen.append((to, note))
        return "sent"

    def as_told(given: Any, told: Told) -> dict[str, Any]:
        return given if "note" in told.request[0] else {"to": given["to"]}

    tool = StructuredTool.from_function(send, metadata={"as_told": as_told})
    for goal in ("write to Eva", "a note to Eva"):
        play(invoke, [planned("a"), act("send", {"to": "Eva", "note": "Hi"}), *END], [tool], goal={"goal": goal})
    assert seen == [("Eva", ""), ("Eva", "Hi")]


@pytest.mark.parametrize("copied", ["/todo add TEXT --due WHEN", "/todo add buy milk [--due WHEN]", "/todo rm ID…"])
def test_a_copied_placeholder_is_no_command(copied: str) -> None:
    with Agenda(":memory:", clock=now) as agenda:
        agenda.run("/todo add ID card")
        with pytest.raises(ValueError, match="only stands for what the user said"):
            todo_tool(agenda).invoke(copied)
        assert [todo.text for todo in agenda.todos()] == ["ID card"]


def test_a_tool_does_not_show_a_template_that_a_model_would_copy() -> None:
    with Agenda(":memory:", clock=now) as agenda:
        with pytest.raises(ValueError, match="is not a date") as refused:
            todo_tool(agenda).invoke("/todo add milk --due someday")
        assert "[--" not in str(refused.value)
        with pytest.raises(ValueError, match=r"\[--due WHEN\]"):
            agenda.run("/todo add milk --due someday")


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("the 20th", "2026-03-20 00:00"),
        ("by the 5th", "2026-04-05 00:00"),
        ("the 30th 8am", "2026-03-30 08:00"),
        ("on the 11th", "2026-03-11 00:00"),
    ],
)
def test_a_day_of_the_month_alone_is_the_next_one(words: str, meant: str) -> None:
    with Agenda(":memory:", clock=now) as agenda:
        agenda.run(f"/todo add rent --due {words}")
        [todo] = agenda.todos()
    assert f"{todo.due:%Y-%m-%d %H:%M}" == meant


def test_a_number_in_a_title_is_no_date() -> None:
    with Agenda(":memory:", clock=now) as agenda:
        agenda.run("/todo add finish the 2nd draft")
        [todo] = agenda.todos()
    assert (todo.text, todo.due) == ("finish the 2nd draft", None)


@pytest.mark.parametrize(("given", "start"), [("--at sunday 16:40 --platform", 16), ("--at sunday 16:40 --x --y", 16)])
def test_an_option_without_a_value_that_there_is_not_is_left_out(given: str, start: int) -> None:
    with Agenda(":memory:", clock=now) as agenda:
        schedule_tool(agenda).invoke(f"/schedule add train {given}")
        [made] = agenda.appointments()
        with pytest.raises(ValueError, match="--platform"):
            schedule_tool(agenda).invoke("/schedule add train --at monday 16:40 --platform 9")
    assert (made.text, made.start.hour) == ("train", start)


@pytest.mark.parametrize(("answer", "count"), [("yes", 2), ("no, the same", 1)])
def test_a_todo_that_is_on_the_list_is_not_added_again_without_a_question(
    invoke: Invoke, answer: str, count: int
) -> None:
    with Agenda(":memory:", clock=now) as agenda:
        agenda.run("/todo add Take the tyres off")
        call = act("todo", "/todo add take the tyres off")
        replies = [planned("a"), call, call, *([replanned(response="It is.")] if count == 1 else END)]
        goal = {"goal": "take the tyres off, please note that"}
        result, _, asked = play(invoke, replies, [todo_tool(agenda)], answers=[answer], goal=goal, clock=now)
        assert len(agenda.todos()) == count
    assert "“1: Take the tyres off” is on the list already. Is this another one?" in asked[0]
    assert result["stop_reason"]["kind"] == "goal_met"


@pytest.mark.parametrize(
    ("said", "given", "known", "asks"),
    [
        ("水电费昨晚已经交了", "/todo add 水电费", "交水电费", True),
        ("Got a message, Greta has the keys now", "/todo add keys", "give Greta the keys", True),
        ("put keys on my list", "/todo add keys", "give Greta the keys", False),
    ],
)
def test_news_of_a_todo_does_not_become_another_one(
    invoke: Invoke, said: str, given: str, known: str, asks: bool
) -> None:
    with Agenda(":memory:", clock=now) as agenda:
        agenda.run(f"/todo add {known}")
        replies = [planned("a"), act("todo", given), *([act("todo", "/todo done 1")] if asks else []), *END]
        play(invoke, replies, [todo_tool(agenda)], goal={"goal": said}, clock=now)
        assert [(todo.text, todo.done) for todo in agenda.todos()][:1] == [(known, asks)]
        assert len(agenda.todos()) == (1 if asks else 2)


def test_an_order_that_takes_no_option_leaves_it_out() -> None:
    with Agenda(":memory:", clock=now) as agenda:
        agenda.run("/todo add pay the bill")
        assert "Done" in todo_tool(agenda).invoke("/todo done pay the bill --number 9")


@pytest.mark.parametrize("at", ["by Monday", "monday 23:00"])
def test_an_appointment_without_a_time_but_with_a_deadline_is_the_todo_that_it_is(invoke: Invoke, at: str) -> None:
    with Agenda(":memory:", clock=now) as agenda:
        wrong = act("schedule", f"/schedule add get the meter reading --at {at}")
        goal = {"goal": "The landlord wants the meter reading from me by Monday."}
        tools = [schedule_tool(agenda), todo_tool(agenda)]
        result, _, asked = play(invoke, [planned("a"), wrong, *END], tools, goal=goal, clock=now)
        [todo] = agenda.todos()
    assert asked == []
    assert result["observations"][0]["tool"] == "todo"
    assert f"{todo.due:%Y-%m-%d}" == "2026-03-16"


def test_without_the_tool_for_it_the_todo_is_named(invoke: Invoke) -> None:
    with Agenda(":memory:", clock=now) as agenda:
        wrong = act("schedule", "/schedule add get the meter reading --at by Monday")
        goal = {"goal": "The landlord wants the meter reading from me by Monday."}
        replies = [planned("a"), wrong, *[done("D")] * 2, *END, *END[-1:]]
        result, _, _ = play(invoke, replies, [schedule_tool(agenda)], goal=goal, clock=now)
        assert agenda.appointments() == []
    assert "is a todo: /todo add get the meter reading --due 2026-03-16" in result["observations"][0]["result"]


@pytest.mark.parametrize(("answer", "done"), [("yes", True), ("no", False)])
def test_an_entry_that_nobody_named_is_asked_about(invoke: Invoke, answer: str, done: bool) -> None:
    with Agenda(":memory:", clock=now) as agenda:
        agenda.run("/todo add call the bank")
        call = act("todo", "/todo done call the bank")
        end = END if done else [replanned(response="There is no such todo.")]
        goal = {"goal": "Mark 'fly to the moon' as done"}
        _, _, asked = play(invoke, [planned("a"), call, call, *end], [todo_tool(agenda)], answers=[answer], goal=goal)
        assert [todo.done for todo in agenda.todos()] == [done]
    assert "do you mean this? You did not name it.\n1: call the bank" in asked[0]


@pytest.mark.parametrize(
    ("goal", "before"),
    [
        ("The bank was called", ""),
        ("the one on friday is done", ""),
        ("number 1 is done", ""),
        ("the first one is done", ""),
        ("that is done", "User: the bank"),
        ("银行的电话打完了", ""),
    ],
)
def test_an_entry_that_was_named_somehow_is_not_asked_about(invoke: Invoke, goal: str, before: str) -> None:
    with Agenda(":memory:", clock=now) as agenda:
        agenda.run("/todo add call the bank --due friday")
        replies = [planned("a"), act("todo", "/todo done call the bank"), *END]
        given = {"goal": goal, "background": before}
        _, _, asked = play(invoke, replies, [todo_tool(agenda)], goal=given, clock=now)
        assert [todo.done for todo in agenda.todos("all")] == [True]
    assert asked == []


def test_an_end_given_as_an_option_is_the_end_of_the_span() -> None:
    with Agenda(":memory:", clock=now) as agenda:
        schedule_tool(agenda).invoke(
            "/schedule add pottery --at tomorrow 19:00 --until 21:00 --place the community centre"
        )
        [made] = agenda.appointments()
    assert (made.start.hour, made.end.hour, made.place) == (19, 21, "the community centre")


def test_an_entry_is_found_by_its_main_words() -> None:
    with Agenda(":memory:", clock=now) as agenda:
        for name in ("borrow a tent from Kofi", "wash the curtains", "wash the car"):
            agenda.run(f"/todo add {name}")
        assert "borrow a tent" in agenda.run("/todo rm the tent thing")
        with pytest.raises(ValueError, match="2: wash the curtains; 3: wash the car"):
            agenda.run("/todo rm this wash")
        with pytest.raises(ValueError, match="No todo"):
            agenda.run("/todo rm -1 tent")
        with pytest.raises(ValueError, match="No todo"):
            agenda.run("/todo rm the big tent")


def test_a_length_in_the_place_of_a_time_is_a_length() -> None:
    with Agenda(":memory:", clock=now) as agenda:
        agenda.run("/schedule add choir --at tomorrow 18:30")
        schedule_tool(agenda).invoke("/schedule edit choir --at 1h30m")
        [made] = agenda.appointments()
    assert (made.end - made.start).total_seconds() == 90 * 60
