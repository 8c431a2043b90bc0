"""What an application's tools say of their effects, and what the checks make of it: a library of music, a bank."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import pytest
from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel
from support.plan_act import Invoke, act, ask, done, last_words, planned, play, replanned
from support.texts import text
from thoughtgraph.nodes.plan_act.checks.clauses import is_all_questions

LISTED = "p1: Dinner, 14 tracks\np2: Running, 40 tracks\np3: Sleep, 9 tracks"


def list_playlists() -> str:
    """List the playlists with their ids."""
    return LISTED


def delete_playlist(playlist_id: str) -> str:
    """Delete a playlist."""
    return f"deleted {playlist_id}"


def block_card(last_digits: str, fee: float) -> str:
    """Block a card."""
    return f"blocked {last_digits} for {fee:g}"


def transfer(amount: float, to: str) -> str:
    """Transfer money."""
    return f"transferred {amount:g} to {to}"


def telling(function: Callable[..., str], effects: bool) -> BaseTool:
    """A tool that says whether it has effects."""
    return StructuredTool.from_function(function, metadata={"effects": effects})


MUSIC = [telling(list_playlists, False), telling(delete_playlist, True)]
BANK = [telling(block_card, True), telling(transfer, True)]
SLEEP = act("delete_playlist", {"playlist_id": "p3"})


def called(played: Any) -> list[Any]:
    """The results of the calls that worked."""
    return [seen["result"] for seen in played.result["observations"] if seen["ok"]]


def test_what_was_looked_up_for_a_change_does_not_follow_its_answer(invoke: Invoke) -> None:
    answer = "I deleted the playlist Sleep."
    replies = [planned("delete it"), act("list_playlists", {}), SLEEP, done(answer), replanned(response=answer)]
    played = play(invoke, replies, MUSIC, goal={"goal": "Get rid of the Sleep playlist"})
    assert played.result["response"] == answer


def test_what_was_read_after_a_change_follows_an_answer_without_it(invoke: Invoke) -> None:
    answer = "Here you are."
    replies = [planned("do it"), SLEEP, act("list_playlists", {}), done(answer), replanned(response=answer)]
    played = play(invoke, replies, MUSIC, goal={"goal": "Delete p3, then the list of the others please"})
    assert LISTED in played.result["response"]


def test_a_number_that_nobody_gave_a_tool_with_effects_goes_back(invoke: Invoke) -> None:
    block = {"last_digits": "4471"}
    replies = [act("block_card", block | {"fee": 35}), act("block_card", block | {"fee": 20})]
    script = [planned("block it"), *replies, done("Seen to."), replanned(response="Seen to.")]
    played = play(invoke, script, BANK, goal={"goal": "Block card 4471 at a fee of 20"})
    assert "35 appears nowhere" in last_words(played.model, 2)
    assert called(played) == ["blocked 4471 for 20"]


def test_an_id_is_looked_up_by_a_tool_that_says_it_has_no_effects(invoke: Invoke) -> None:
    def close(ticket_id: int) -> str:
        """Close a ticket."""
        return f"closed {ticket_id}"

    def tickets() -> str:
        """The tickets."""
        return "17: printer"

    wrong, right = (act("close", {"ticket_id": number}) for number in (3, 17))
    script = [planned("close it"), wrong, right, done("Seen to."), replanned(response="Seen to.")]
    played = play(invoke, script, [close, telling(tickets, False)], goal={"goal": "Close the printer ticket"})
    assert text("en", "note.look_up", readers="tickets") in str(played.model.requests[2][-3].content)
    assert called(played) == ["17: printer", "closed 17"]


BOTH = {"goal": "Transfer 300 to the savings and block card 4471, it was stolen"}
PAID = act("transfer", {"amount": 300, "to": "savings"})
BLOCKED = act("block_card", {"last_digits": "4471", "fee": 300})


@pytest.mark.parametrize("lie", ["300 is in the savings and I blocked card 4471.", "I blocked the card for 3.50."])
def test_the_other_half_of_two_wishes_needs_its_own_call(invoke: Invoke, lie: str) -> None:
    replies = [planned("transfer 300, block card 4471"), PAID, done(lie), BLOCKED, done(lie), replanned(response=lie)]
    played = play(invoke, replies, [transfer, block_card], goal=BOTH)
    assert f"No tool call has done this: {lie.rstrip('.')}" in last_words(played.model, 3)
    assert played.result["stop_reason"]["kind"] == "goal_met" and len(called(played)) == 2


def test_what_another_tool_did_may_be_told_in_the_words_of_one(invoke: Invoke) -> None:
    def set_status(about: str, status: str) -> str:
        """Set a status."""
        return f"{about}: {status}"

    told = "300 is in the savings and I blocked card 4471."
    call = act("set_status", {"about": "card 4471", "status": "off"})
    replies = [planned("transfer 300, block card 4471"), PAID, call, done(told), replanned(response=told)]
    played = play(invoke, replies, [transfer, set_status, block_card], goal=BOTH)
    assert played.result["response"] == told


def test_a_claim_of_what_a_tool_with_effects_does_by_its_name_goes_back(invoke: Invoke) -> None:
    lie = "Card 4471 has been blocked."
    replies = [planned("block card 4471"), done(lie), BLOCKED, done(lie), replanned(response=lie)]
    played = play(invoke, replies, BANK, goal={"goal": "Block card 4471, the fee is 300"})
    assert text("en", "note.unfounded", claim=lie) in last_words(played.model, 2)
    assert played.result["stop_reason"]["kind"] == "goal_met"


@pytest.mark.parametrize("first", [[], [act("list_playlists", {})]], ids=["unread", "read"])
def test_an_id_with_letters_that_was_not_shown_goes_back(invoke: Invoke, first: list[str]) -> None:
    wrong = act("delete_playlist", {"playlist_id": "p7"})
    replies = [planned("delete it"), *first, wrong, SLEEP, done("Seen to."), replanned(response="Seen to.")]
    played = play(invoke, replies, [list_playlists, delete_playlist], goal={"goal": "Get rid of the Sleep playlist"})
    assert called(played) == [LISTED, "deleted p3"]


def test_an_id_within_a_span_that_was_shown_is_known(invoke: Invoke) -> None:
    def free_seats() -> str:
        """List the free seats."""
        return "free seats: A1-A30"

    def reserve_seat(seat_id: str) -> str:
        """Reserve a seat."""
        return f"reserved {seat_id}"

    reserve, look = act("reserve_seat", {"seat_id": "A12"}), act("free_seats", {})
    replies = [planned("reserve it"), look, reserve, done("Seen to."), replanned(response="Seen to.")]
    played = play(invoke, replies, [free_seats, reserve_seat], goal={"goal": "Reserve a seat somewhere in the middle"})
    assert called(played)[-1] == "reserved A12"


def test_a_list_that_was_asked_for_follows_though_something_was_changed_after_it(invoke: Invoke) -> None:
    answer = "All done."
    replies = [planned("do it"), act("list_playlists", {}), SLEEP, done(answer), replanned(response=answer)]
    played = play(invoke, replies, MUSIC, goal={"goal": "List my playlists, then delete p3"})
    assert LISTED in played.result["response"]


@pytest.mark.parametrize("goal", ["Delete p3", "Delete playlist 3", "Delete the third playlist"])
def test_an_id_with_letters_may_be_told_by_its_number(invoke: Invoke, goal: str) -> None:
    replies = [planned("delete it"), SLEEP, done("Seen to."), replanned(response="Seen to.")]
    played = play(invoke, replies, [list_playlists, delete_playlist], goal={"goal": goal})
    assert called(played) == ["deleted p3"]


class Line(BaseModel):
    """What has arrived."""

    sku: str
    quantity: int
    unit: Literal["box", "pallet"] = "box"


def test_a_number_inside_a_list_of_objects_goes_back(invoke: Invoke) -> None:
    def record_delivery(note: str, lines: list[Line]) -> str:
        """Book in what has arrived."""
        return f"booked in {lines[0].quantity}"

    wrong, right = ({"note": "DN-5521", "lines": [{"sku": "G-11", "quantity": number}]} for number in (32, 3))
    replies = [act("record_delivery", wrong), act("record_delivery", right)]
    script = [planned("book it in"), *replies, done("Seen to."), replanned(response="Seen to.")]
    played = play(invoke, script, [record_delivery], goal={"goal": "3 boxes of G-11 have come, on DN-5521"})
    assert "32 appears nowhere" in last_words(played.model, 2)
    assert called(played) == ["booked in 3"]


class Reminder(BaseModel):
    """When to be reminded."""

    minutes: int


def test_a_number_inside_an_object_that_may_be_left_out_is_free(invoke: Invoke) -> None:
    def create_event(title: str, reminder: Reminder | None = None) -> str:
        """Create an event."""
        return f"{title}, {reminder.minutes if reminder else 0}"

    call = act("create_event", {"title": "gym", "reminder": {"minutes": 15}})
    replies = [planned("create it"), call, done("Seen to."), replanned(response="Seen to.")]
    assert called(play(invoke, replies, [create_event], goal={"goal": "Create an event for the gym"})) == ["gym, 15"]


def test_an_answer_in_a_word_lets_no_amount_pass(invoke: Invoke) -> None:
    pay = act("transfer", {"amount": 777, "to": "savings"})
    replies = [planned("transfer it"), ask("To which account?"), replanned("transfer it"), pay, done("Seen to.")]
    replies += [replanned(response="Seen to.")]
    goal = {"goal": "Transfer money to my account"}
    assert not called(play(invoke, replies, [transfer], goal=goal, answers=["Savings"]))[1:]


@pytest.mark.parametrize(
    ("goal", "made"),
    [
        ("Überweise fünfhundert Euro aufs Sparkonto", 1),
        ("Überweise fünfhundert Euro an Marie", 1),
        ("Envoie cinquante euros à Marie", 1),
        ("Überweise 5 Euro aufs Sparkonto", 0),
        ("Transfer fifty to Marie", 0),
    ],
)
def test_numbers_in_words_of_another_language_are_not_missed(invoke: Invoke, goal: str, made: int) -> None:
    pay = act("transfer", {"amount": 777, "to": "savings"})
    replies = [planned("transfer it"), pay, done("Seen to."), replanned(response="Seen to.")]
    played = play(invoke, replies, [transfer], goal={"goal": goal})
    assert len(called(played)) == made


@pytest.mark.parametrize(
    ("goal", "asked"),
    [
        ("Give me my list of things to do", True),
        ("Give me the number to call", True),
        ("TELL ME WHAT IS ON FRIDAY", True),
        ("Tell Jo that I am late", False),
        ("Give the keys to Bo", False),
    ],
)
def test_who_wants_to_be_told_asks(goal: str, asked: bool) -> None:
    assert is_all_questions(goal) is asked


def test_an_order_to_give_somebody_something_is_no_question(invoke: Invoke) -> None:
    lie = "I have blocked the card."
    replies = [planned(response=lie), planned("block it"), BLOCKED, done(lie), replanned(response=lie)]
    goal = {"goal": "Give the 300 to Bo, and card 4471 has to be off"}
    played = play(invoke, replies, [block_card], goal=goal)
    assert played.result["stop_reason"]["kind"] == "goal_met" and len(called(played)) == 1
