"""A call that failed twice is not shown again, and in place of a third failure the user is asked."""

from __future__ import annotations

from langchain_core.tools import BaseTool, tool
from support.plan_act import (
    Invoke,
    act,
    acts,
    done,
    last_words,
    parallel,
    plan_step,
    planned,
    play,
    replanned,
)
from support.texts import text

WRONG = act("book", {"seat": "7"})
RIGHT = [act("book", {"seat": "8"}), done("Seat 8 is booked."), replanned(response="Seat 8 is booked.")]


def booking() -> BaseTool:
    """A tool that has no seat 7."""

    def book(seat: str) -> str:
        """Book a seat."""
        if seat.startswith("7"):
            raise ValueError("the seat is taken")
        return f"booked {seat}"

    made = tool(book)
    made.metadata = {"required": ["seat"], "effects": True}
    return made


def test_what_failed_twice_is_out_of_sight_but_not_its_error(invoke: Invoke) -> None:
    played = play(invoke, [planned("book a seat"), WRONG, WRONG, *RIGHT], [booking()])
    second, third = played.model.requests[2], played.model.requests[3]
    call = '"input": "7"'
    assert call in str(second[-2].content)
    assert not any(call in str(message.content) for message in third)
    assert "book a seat" in str(third[-1].content)
    assert "the seat is taken" in str(third[-1].content)
    # What was tried is in the conversation still, and in the trace.
    assert [seen["ok"] for seen in played.result["observations"]] == [False, False, True]
    assert any(call in str(message.content) for message in played.model.requests[4])


def test_of_several_steps_none_is_named_as_if_it_were_alone(invoke: Invoke) -> None:
    def look(at: str) -> str:
        """Look at something."""
        if at == "7":
            raise ValueError("there is nothing to see")
        return f"looked at {at}"

    steps = [plan_step(step, tool="look") for step in ("see the sea", "see the sun")]
    wrong, right = acts(("look", "7", 1)), acts(("look", "8", 1), ("look", "9", 2))
    replies = [planned(*steps), wrong, wrong, right, done("seen"), replanned(response="end")]
    third = play(invoke, replies, [parallel(look)]).model.requests[3]
    assert not any('"input": "7"' in str(message.content) for message in third)
    assert "these need nothing of each other" in str(third[-1].content)
    assert "Step 1 of 2" not in str(third[-1].content)


def test_the_third_time_the_user_is_asked(invoke: Invoke) -> None:
    replies = [planned("book a seat"), WRONG, WRONG, WRONG, replanned("book a seat"), *RIGHT]
    played = play(invoke, replies, [booking()], answers=["Take seat 8"])
    [question] = played.shown
    assert question == f"Please confirm: {text('en', 'ask.failed', error='ValueError: the seat is taken')}"
    assert "Take seat 8" in last_words(played.model, 4)
    assert played.result["observations"][-1]["ok"]


def test_three_calls_with_one_error_are_asked_about_too(invoke: Invoke) -> None:
    others = [act("book", {"seat": seat}) for seat in ("7a", "7b", "7c")]
    replies = [planned("book a seat"), *others, WRONG, replanned("book a seat"), *RIGHT]
    played = play(invoke, replies, [booking()], answers=["Take seat 8"])
    assert played.shown == [f"Please confirm: {text('en', 'ask.failed', error='ValueError: the seat is taken')}"]
    assert played.result["observations"][-1]["ok"]


def test_with_nobody_to_ask_the_run_ends_as_it_did(invoke: Invoke) -> None:
    replies = [planned("book a seat"), *[WRONG] * 5, "It could not be done."]
    played = play(invoke, replies, [booking()], interactive=False)
    assert played.result["stop_reason"]["kind"] == "duplicate_tool_calls"
