"""Texts that are only the order itself, and things that are for the calendar: "write that in for me"."""

import pytest
from support.commands import becomes

FORGETS = "Could you set me a reminder for Friday, before it goes clean out of my head"


@pytest.mark.parametrize(
    ("said", "call"),
    [
        (FORGETS, "/todo add set a reminder for Friday --due Friday"),
        (FORGETS, "/todo add reminder --due Friday"),
        (FORGETS, "/todo add put on my to do list --due friday"),
        ("set a reminder for friday please", "/todo add set a reminder --due friday"),
        ("I need a reminder on friday at 3, else I'll forget", "/todo add need a reminder --due friday"),
        ("make me a reminder for friday or it'll slip my mind", "/todo add make me a reminder --due friday"),
        ("can you put something on my to do list for Friday", "/todo add something on my to do list --due friday"),
        ("add a task for the 24th, or I'll forget", "/todo add add a task --due 24th"),
    ],
)
def test_an_order_that_names_nothing_leads_to_a_question_at_once(said: str, call: str) -> None:
    missing = becomes(said, call)[1]
    assert missing is not None
    assert missing.question == "what should be on the todo list?"
    assert missing.at_once


def test_the_answer_is_the_text() -> None:
    missing = becomes(FORGETS, "/todo add set a reminder for Friday --due Friday")[1]
    assert missing is not None
    assert missing.completed("Collect the dry cleaning.") == "/todo add Collect the dry cleaning --due Friday"


@pytest.mark.parametrize(
    ("said", "call", "text"),
    [
        ("set a reminder to ring mum", "set a reminder to ring mum", "ring mum"),
        ("set me a reminder for the gas bill", "set a reminder for the gas bill", "gas bill"),
        ("add a task: descale kettle", "add a task: descale kettle", "descale kettle"),
        ("create a todo to call Bo", "create a todo to call Bo", "call Bo"),
        (
            "remind me to set a reminder on mum's phone",
            "set a reminder on mum's phone",
            "set a reminder on mum's phone",
        ),
        ("send a reminder to the tenants", "send a reminder to the tenants", "send a reminder to the tenants"),
        ("I must put the tasks in order", "put the tasks in order", "put the tasks in order"),
        ("note: write a note for the milkman", "write a note for the milkman", "write a note for the milkman"),
        (
            "make a reminder card for the class",
            "make a reminder card for the class",
            "make a reminder card for the class",
        ),
    ],
)
def test_the_text_is_what_the_order_is_about(said: str, call: str, text: str) -> None:
    assert becomes(said, f"/todo add {call}") == (f"/todo add {text}", None)


@pytest.mark.parametrize(
    ("said", "call", "entry"),
    [
        (
            "The hearing clinic at Wexcombe rang, they want me on the 24th at ten to three. Write that in for me?",
            "write the appointment for the hearing clinic --at the 24th 10:30",
            "hearing clinic --at 2026-03-24 14:50 --place Wexcombe",
        ),
        ("the plumber can do the 24th at 15:00, pop it in", "plumber --due 24th 15:00", "plumber --at 24th 15:00"),
        (
            "Boiler service 24th 9am. Can you stick that in?",
            "boiler service --due 24th 9am",
            "boiler service --at 24th 9am",
        ),
    ],
)
def test_what_is_written_in_at_its_moment_is_an_appointment(said: str, call: str, entry: str) -> None:
    assert becomes(said, f"/todo add {call}") == (f"/schedule add {entry}", None)


@pytest.mark.parametrize(
    ("said", "call"),
    [
        ("we're out of eggs, pop it in for me", "buy eggs"),
        ("recycling goes on the 24th at 9, put it in the bin", "recycling --due 24th 9am"),
        ("remind me on the 24th at 9 to ring Bo, put it in", "ring Bo --due 24th 9am"),
        ("essay due on friday at 5, hand it in", "hand in essay --due friday 17:00"),
    ],
)
def test_another_one_stays_a_todo(said: str, call: str) -> None:
    assert becomes(said, f"/todo add {call}")[0].startswith(f"/todo add {call.partition(' --')[0]}")
