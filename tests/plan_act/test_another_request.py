"""Another request in place of an answer: the step that waits is left, and the other request is the next step."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from support.plan_act import TWINS, Invoke, act, done, last_words, planned, play, replanned, twin
from support.texts import text
from thoughtgraph.nodes.plan_act.checks.another import is_another, parted
from thoughtgraph.tools.agenda import Agenda
from thoughtgraph.tools.agenda.tools import schedule_tool, todo_tool

WAITING = "dentist\nat what time?\n/schedule add dentist --at friday 10:00"
DENTIST = act("schedule", "/schedule add dentist --at 2026-03-13")
ARCHITECT = act("schedule", "/schedule add the architect --at 2026-03-30 9:00")


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Invoke:
    """Invoke a graph by either twin."""
    return twin(request.param)


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


def test_another_request_takes_the_place_of_the_step_that_waits(invoke: Invoke) -> None:
    another = "Pencil the architect in for the 30th at nine"
    replies = [planned("book the dentist"), DENTIST, replanned(another), ARCHITECT, done("The architect is in.")]
    played, kept = run(invoke, [*replies, replanned(response="The architect is in.")], another, "the dentist on friday")
    assert kept == ["the architect 30 09:00"]
    [question] = played.shown
    assert text("en", "note.another", question="", answer=another).split("\n")[1] in last_words(played.model, 2)
    assert [item["status"] for item in played.result["plan"]] == ["failed", "done"]
    assert played.result["stop_reason"]["kind"] == "partly_done"
    assert "The architect is in." in played.result["response"]
    assert question.removeprefix("Please confirm: ") in played.result["response"]


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
    replies = [planned("book the dentist"), DENTIST, done("The dentist is in."), replanned("add milk to my list"), milk]
    replies += [done("Milk is on it."), replanned(response="Both are there.")]
    played, kept = run(invoke, replies, "at 10:00, and add milk to my list", "the dentist on friday")
    assert kept == ["dentist 13 10:00", "milk"]
    assert [item["status"] for item in played.result["plan"]] == ["done", "done"]
    assert "add milk to my list" in last_words(played.model, 3)


def test_an_empty_answer_is_no_other_request(invoke: Invoke) -> None:
    replies = [planned("book the dentist"), DENTIST, replanned(response="Without a time I cannot book it.")]
    played, kept = run(invoke, replies, "", "the dentist on friday")
    assert (kept, played.result["plan"]) == ([], [])
