"""Runs whose last words say more than their calls did: a flight that was only looked up, a refund that failed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from support.plan_act import THREAD, Invoke, act, done, last_words, planned, play, replanned
from support.scripted import ScriptedModel
from support.texts import text
from thoughtgraph import create_plan_act_graph
from thoughtgraph.nodes.plan_act.checks.claims import claims_by_name

FOUND = "1: Rome 9:00, 80 EUR; 2: Rome 12:00, 120 EUR"
LIE = "I found and booked the cheapest flight to Rome."
LOOKED_UP = act("search_flights", "Rome")
BOOKED = act("book_flight", {"number": 1})


def search_flights(city: str) -> str:
    """Search flights to a city."""
    return FOUND


def book_flight(number: int) -> str:
    """Book a flight by its number."""
    return f"ticket {number}"


def open_report(name: str) -> str:
    """Open a report."""
    return f"{name}: 12 pages"


def telling(function: Callable[..., str], effects: bool) -> BaseTool:
    """A tool that says whether it has effects."""
    return StructuredTool.from_function(function, metadata={"effects": effects})


TELLING = [telling(search_flights, False), telling(book_flight, True)]
SILENT = [search_flights, book_flight]


@pytest.mark.parametrize(
    "answer",
    [
        LIE,
        "I went ahead and booked the 9:00 flight.",
        "I searched Rome and then booked it.",
        "I was able to book the 9:00 flight.",
        "I managed to book it.",
        "Your flight is booked.",
        "It's now booked!",
        "You're booked on the 9:00 flight.",
        "The 9:00 flight was booked for you.",
    ],
)
def test_the_forms_in_which_a_call_is_claimed(answer: str) -> None:
    assert claims_by_name(answer, [("book", "flight")], "Book the cheapest flight", FOUND) == answer


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        ("Your flight is already booked.", FOUND),
        ("Flights to Rome can be booked until noon.", FOUND),
        ("It was booked by Al.", FOUND),
        ("I found the open and booked flights.", FOUND),
        ("It is booked.", "1: is_booked"),
        ("The flight was cancelled.", "1: Canceled"),
    ],
)
def test_what_was_so_before_or_was_shown_claims_no_call(answer: str, shown: str) -> None:
    effects = [("book", "flight"), ("cancel", "flight")]
    assert not claims_by_name(answer, effects, "See to the flight to Rome", shown)


@pytest.mark.parametrize("tools", [TELLING, SILENT], ids=["telling", "silent"])
@pytest.mark.parametrize(
    "goal",
    [
        "Book the cheapest flight to Rome",
        "Find flights to Rome and book the cheapest",
        "Check flights to Rome, then book the cheapest one",
        "Which flights go to Rome? Book the cheapest.",
        "Great, book the cheapest to Rome",
        "Do the booking of the cheapest flight to Rome",
    ],
)
def test_an_order_is_not_met_by_what_was_looked_up_for_it(invoke: Invoke, tools: list[Any], goal: str) -> None:
    lie = "I've booked the cheapest flight to Rome."
    replies = [planned("see to it"), LOOKED_UP, done(lie), BOOKED, done(lie), replanned(response=lie)]
    played = play(invoke, replies, tools, goal={"goal": goal})
    assert text("en", "note.unfounded", claim=lie) in last_words(played.model, 3)
    assert played.result["stop_reason"]["kind"] == "goal_met" and played.result["response"].startswith(lie)


def test_an_order_that_no_call_has_met_is_said_not_to_be(invoke: Invoke) -> None:
    told = "The cheapest one is at 9:00."
    replies = [planned("see to it"), LOOKED_UP, done(told), done(told), replanned(response=told)]
    played = play(invoke, replies, TELLING, goal={"goal": "Book the cheapest flight to Rome"})
    sent = last_words(played.model, 3)
    assert "book_flight" in sent and "search_flights" not in sent
    assert played.result["stop_reason"]["kind"] == "answered"


@pytest.mark.parametrize(
    ("goal", "told"),
    [
        ("Find flights to Rome", "There are two, at 9:00 and at 12:00."),
        ("Which flights to Rome have I booked?", "The 9:00 flight to Rome is booked."),
        ("ok thanks, do we have flights to Rome?", "Two: 9:00 and 12:00."),
        ("Book the cheapest flight to Rome", "I could not book it."),
    ],
)
def test_a_question_is_answered_by_what_was_looked_up(invoke: Invoke, goal: str, told: str) -> None:
    replies = [planned("see to it"), LOOKED_UP, done(told), replanned(response=told)]
    played = play(invoke, replies, TELLING, goal={"goal": goal})
    assert played.result["response"].startswith(told)


@pytest.mark.parametrize("goal", ["Open the sales report", "Turn the sales report into a list"])
def test_a_call_without_effects_may_be_what_was_ordered(invoke: Invoke, goal: str) -> None:
    told = "It has 12 pages."
    replies = [planned("see to it"), act("open_report", "sales"), done(told), replanned(response=told)]
    tools = [telling(open_report, False), telling(book_flight, True)]
    played = play(invoke, replies, tools, goal={"goal": goal})
    assert (played.result["stop_reason"]["kind"], len(played.model.requests)) == ("goal_met", 4)


def failing(name: str) -> BaseTool:
    """A tool of this name that always fails."""

    def run(about: str) -> str:
        raise RuntimeError("the service says no")

    return StructuredTool.from_function(run, name=name, description="See to it.")


def working(name: str) -> BaseTool:
    """A tool of this name that works."""

    def run(about: str) -> str:
        return "ok"

    return StructuredTool.from_function(run, name=name, description="See to it.")


REFUND: Any = {"goal": "Refund order A-100 and tell the customer"}


def half_failed(first: str, second: str, *answers: str) -> list[str]:
    """The replies of a run whose first call fails and whose second one works."""
    # A failed call may be made again, so the first "done" goes back.
    begin = [planned("refund", "tell"), act(first, "A-100"), done("It failed."), done("It failed."), replanned("tell")]
    return [*begin, act(second, "A-100"), done("Told."), *(replanned(response=answer) for answer in answers)]


@pytest.mark.parametrize("tool", ["refund", "refund_order"])
@pytest.mark.parametrize(
    "lie",
    ["I refunded A-100 and told the customer.", "A-100 has been refunded.", "Your order A-100 is refunded."],
)
def test_what_a_call_has_failed_to_do_is_not_claimed_beside_what_worked(invoke: Invoke, tool: str, lie: str) -> None:
    tools = [failing(tool), working("notify_customer")]
    truth = "The refund failed; the customer knows."
    played = play(invoke, half_failed(tool, "notify_customer", lie, truth), tools, goal=REFUND)
    assert text("en", "note.unfounded", claim=lie) in last_words(played.model, -1)
    assert played.result["stop_reason"]["kind"] == "partly_done" and played.result["response"].startswith(truth)
    insisting = play(invoke, half_failed(tool, "notify_customer", lie, lie), tools, goal=REFUND)
    assert insisting.result["stop_reason"]["kind"] == "steps_failed"
    assert insisting.result["response"].startswith("Done:\n- tell: Told.")


@pytest.mark.parametrize(
    ("failed", "worked", "told"),
    [
        ("refund_order", "notify_customer", "The order was not refunded."),
        ("refund_order", "refund_voucher", "I refunded A-100 by a voucher."),
        ("send_mail", "notify_customer", "I sent the customer a note."),
        ("refund_order", "notify_customer", "I notified the customer."),
    ],
)
def test_what_another_call_may_have_done_is_told(invoke: Invoke, failed: str, worked: str, told: str) -> None:
    played = play(invoke, half_failed(failed, worked, told), [failing(failed), working(worked)], goal=REFUND)
    assert played.result["stop_reason"]["kind"] == "partly_done" and played.result["response"].startswith(told)


def test_a_claim_of_what_a_person_has_rejected_is_not_sent_back_for_another_call(invoke: Invoke) -> None:
    lie, truth = "I refunded A-100 and told the customer.", "You rejected the refund; the customer knows."
    model = ScriptedModel(replies=half_failed("refund", "notify_customer", lie, truth))
    tools = [working("refund"), working("notify_customer")]
    graph = create_plan_act_graph(model, tools, interrupt_on={"refund": True}, checkpointer=InMemorySaver())
    invoke(graph, REFUND, THREAD)
    result = invoke(graph, Command(resume={"decisions": [{"type": "reject"}]}), THREAD)
    assert text("en", "note.unfounded_rejected", claim=lie) in last_words(model, -1)
    assert "Make the call" not in last_words(model, -1)
    assert result["response"].startswith(truth)
