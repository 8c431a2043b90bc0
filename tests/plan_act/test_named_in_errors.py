"""What an error says is not there is looked up; which of two like entries is meant is asked; and what the model was
told of its reply is no answer."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from langchain_core.tools import BaseTool, ToolException, tool
from pydantic import BaseModel
from support.plan_act import Invoke, act, ask, done, last_words, planned, play, replanned
from support.texts import text

END = [done("Seen to."), replanned(response="Seen to.")]
PEOPLE = {"Ruth Adler": "ruth@example.org", "Omar Haddad": "omar@example.net"}


class Line(BaseModel):
    dish: str
    count: int = 1


@tool
def show_menu() -> list[str]:
    """The dishes of today."""
    return ["Pumpkin soup", "Trout", "House white", "House red"]


@tool
def take_order(table: int, lines: list[Line]) -> str:
    """Take an order of a table."""
    menu = show_menu.invoke({})
    for line in lines:
        if line.dish not in menu:
            raise ToolException(f"{line.dish!r} is not on the menu.")
    return f"ordered for {table}: " + ", ".join(f"{line.count} {line.dish}" for line in lines)


@tool
def find_contact(name: str) -> str:
    """Find people in the address book."""
    found = [f"{one} <{at}>" for one, at in PEOPLE.items() if name.casefold() in one.casefold()]
    return "\n".join(found) or "Nobody."


@tool
def send_mail(to: list[str], body: str) -> str:
    """Send a mail."""
    wrong = [one for one in to if "@" not in one]
    return f"Error: {wrong[0]!r} is not an e-mail address" if wrong else f"Sent to {', '.join(to)}"


@tool
def find_bookings(customer: str = "") -> list[dict[str, Any]]:
    """Find bookings by customer."""
    bookings = [
        {"booking_id": 504, "customer": "Leon Hoffmann", "car": "KL-310", "from": "2026-03-17"},
        {"booking_id": 505, "customer": "Leon Hoffmann", "car": "ES-77", "from": "2026-04-02"},
        {"booking_id": 506, "customer": "Ada Berg", "car": "ES-77", "from": "2026-05-04"},
    ]
    return [one for one in bookings if customer in one["customer"]]


@tool
def cancel_booking(booking_id: int) -> str:
    """Cancel a booking."""
    return f"Booking {booking_id} cancelled"


KITCHEN: list[BaseTool] = [show_menu, take_order]
MAIL: list[BaseTool] = [find_contact, send_mail]
CARS: list[BaseTool] = [find_bookings, cancel_booking]


def inputs(played: Any) -> list[Any]:
    """The inputs of the calls that were made, in order."""
    return [seen["input"] for seen in played.result["observations"]]


def order(dish: str) -> Any:
    return act("take_order", {"table": 7, "lines": [{"dish": dish, "count": 2}, {"dish": "Trout"}]})


def test_what_an_error_names_in_a_list_is_looked_up(invoke: Invoke) -> None:
    goal = {"goal": "Table seven: two pumpkin soups and a trout"}
    replies = [planned("order"), order("two pumpkin soups"), order("Pumpkin soup"), *END]
    played = play(invoke, replies, KITCHEN, goal=goal)
    assert [seen["tool"] for seen in played.result["observations"]] == ["take_order", "show_menu", "take_order"]
    told = last_words(played.model, 2)
    assert '"dish": "Pumpkin soup", "count": 2' in told and '"dish": "Trout"' in told and "House red" in told
    unclear = play(invoke, [planned("order"), order("house wine"), order("House red"), *END], KITCHEN, goal=goal)
    assert '"dish": "…", "count": 2' in last_words(unclear.model, 2)
    assert played.result["stop_reason"]["kind"] == "goal_met"


def test_each_name_in_an_error_is_looked_up(invoke: Invoke) -> None:
    def mail(*to: str) -> Any:
        return act("send_mail", {"to": list(to), "body": "Lunch tomorrow?"})

    ruth, omar = PEOPLE.values()
    replies = [planned("mail"), mail("Ruth", "Omar"), mail(ruth, "Omar"), mail(ruth, omar), *END]
    played = play(invoke, replies, MAIL, goal={"goal": "Ask Ruth and Omar by mail: lunch tomorrow?"})
    assert [one for one in inputs(played) if isinstance(one, str)] == ["Ruth", "Omar"]
    assert played.result["observations"][-1]["result"] == f"Sent to {ruth}, {omar}"


def test_what_several_entries_may_be_is_asked_where_the_model_names_it_again(invoke: Invoke) -> None:
    replies = [planned("order"), order("house wine"), order("house wine"), replanned("order"), order("House red")]
    goal = {"goal": "And two glasses of the house wine and a trout for table 7"}
    played = play(invoke, [*replies, *END], KITCHEN, goal=goal, answers=["red"])
    assert "House white\nHouse red" in played.shown[0] and "Pumpkin" not in played.shown[0]
    assert played.result["observations"][-1]["result"] == "ordered for 7: 2 House red, 1 Trout"


@pytest.mark.parametrize(
    "problem",
    [
        ToolException("At most 8 guests can sit at one table."),
        TimeoutError("no answer for 'Trout' in time"),
        ConnectionError("the menu of 'Trout' is out of reach"),
    ],
)
def test_other_errors_lead_to_no_look_up(invoke: Invoke, problem: Exception) -> None:
    @tool
    def reserve(dish: str, guests: int) -> str:
        """Reserve a dish."""
        raise problem

    call = act("reserve", {"dish": "Trout", "guests": 12})
    no = "It cannot be reserved."
    replies = [planned("reserve"), call, done(no), done(no), replanned(response=no)]
    played = play(invoke, replies, [show_menu, reserve], goal={"goal": "Reserve the Trout for 12"})
    assert [seen["tool"] for seen in played.result["observations"]] == ["reserve"]


def cancel(number: int) -> Any:
    return act("cancel_booking", {"booking_id": number})


LOOK = act("find_bookings", {"customer": "Leon Hoffmann"})


@pytest.mark.parametrize(("answer", "cancelled"), [("the one of April, ES-77", 505), ("505", 505)])
def test_which_of_two_like_entries_is_meant_is_asked(invoke: Invoke, answer: str, cancelled: int) -> None:
    replies = [planned("cancel"), LOOK, cancel(504), *END]
    goal = {"goal": "Please cancel Leon Hoffmann's booking, he phoned this morning."}
    played = play(invoke, replies, CARS, goal=goal, answers=[answer])
    assert len(played.shown) == 1 and "KL-310" in played.shown[0] and "ES-77" in played.shown[0]
    assert "Ada Berg" not in played.shown[0]
    assert inputs(played)[-1] == {"booking_id": cancelled}


@pytest.mark.parametrize(
    "goal",
    [
        "Cancel Leon Hoffmann's booking of the KL-310",
        "Cancel the booking of Leon Hoffmann on 17 March",
        "Cancel booking 504 of Leon Hoffmann",
        "Cancel all that Leon Hoffmann has booked",
        "Cancel Leon Hoffmann's bookings",
        "Cancel the first booking of Leon Hoffmann",
    ],
)
def test_an_entry_that_the_words_set_apart_is_not_asked_about(invoke: Invoke, goal: str) -> None:
    played = play(invoke, [planned("cancel"), LOOK, cancel(504), *END], CARS, goal={"goal": goal})
    assert not played.shown and {"booking_id": 504} in inputs(played)


def test_one_of_many_for_who_takes_any_is_not_asked_about(invoke: Invoke) -> None:
    @tool
    def free_rooms() -> str:
        """The free rooms."""
        return "11: single, sea\n12: single, sea\n13: double, sea"

    @tool
    def book_room(room_id: int) -> str:
        """Book a room."""
        return f"booked {room_id}"

    call = act("book_room", {"room_id": 11})
    script = [planned("book"), act("free_rooms", {}), call, *END]
    rooms: list[BaseTool] = [free_rooms, book_room]
    assert not play(invoke, script, rooms, goal={"goal": "Book me a single by the sea"}).shown
    asked = play(invoke, script, rooms, goal={"goal": "They want the single by the sea, book it in"}, answers=["11"])
    assert "12: single, sea" in asked.shown[0]


def test_the_user_is_asked_only_once_which_is_meant(invoke: Invoke) -> None:
    replies = [planned("cancel"), LOOK, cancel(504), replanned("cancel"), cancel(504), *END]
    goal = {"goal": "Cancel Leon Hoffmann's booking"}
    played = play(invoke, replies, CARS, goal=goal, answers=["I have told you all there is."])
    assert len(played.shown) == 1 and {"booking_id": 504} in inputs(played)


def test_a_run_whose_only_acting_call_failed_has_not_met_its_goal(invoke: Invoke) -> None:
    @tool
    def move_booking(booking_id: int, end: str) -> str:
        """Move the end of a booking."""
        raise ToolException("The end is before the start.")

    call = act("move_booking", {"booking_id": 506, "end": "2026-05-03"})
    why = "The end is before the start."
    replies = [planned("move"), act("find_bookings", {}), call, done(why), replanned(response=why)]
    goal = {"goal": "Ada Berg keeps the car until 2026-05-03"}
    played = play(invoke, replies, [find_bookings, move_booking], goal=goal)
    assert played.result["stop_reason"]["kind"] == "answered"
    assert why in played.result["response"]


def test_a_run_whose_only_call_fitted_no_tool_has_not_met_its_goal(invoke: Invoke) -> None:
    said = "That is seen to, as you said it."
    replies = [
        planned("see to it"),
        act("cancel_booking", {"booking_id": "many"}),
        done(said),
        replanned(response=said),
    ]
    played = play(invoke, replies, CARS, goal={"goal": "Der Wagen von Ada Berg soll weg"})
    assert played.result["stop_reason"]["kind"] != "goal_met"


@pytest.mark.parametrize(
    ("goal", "goes_back"),
    [
        ("Leon Hoffmann would like his car two days longer", True),
        ("Ada Berg just rang, the KL-310 for her pls", True),
        ("The bookings of Leon Hoffmann please", False),
        ("I need his bookings", False),
        ("My boss needs the bookings of Leon Hoffmann", False),
        ("Which cars would Leon Hoffmann like?", False),
        ("Leon Hoffmann wants to know what he has booked", False),
        ("Bookings of Leon Hoffmann", False),
    ],
)
def test_a_wish_does_not_end_with_what_was_read(invoke: Invoke, goal: str, goes_back: bool) -> None:
    said = done("The result: 504, Leon Hoffmann")
    script = [planned("see to it"), LOOK, said, *([said] if goes_back else []), replanned(response="504")]
    played = play(invoke, script, CARS, goal={"goal": goal})
    told = [str(one.content) for request in played.model.requests for one in request]
    assert any("no tool was called that acts" in one for one in told) == goes_back
    assert (played.result["stop_reason"]["kind"] == "goal_met") != goes_back


def test_what_the_model_was_told_of_its_reply_is_no_answer(invoke: Invoke) -> None:
    echo = "Write the whole corrected JSON again in a ```json block."
    replies = [planned("look"), '{"response": "nothing"}', done(echo), LOOK, *END]
    played = play(invoke, replies, CARS, goal={"goal": "Which bookings has Leon Hoffmann?"})
    assert echo in last_words(played.model, 2), "the test has other words than the loop"
    assert text("en", "reply.feedback") in last_words(played.model, 3)
    assert echo not in played.result["response"]


def test_a_reply_that_repeats_the_request_is_told_which_tools_act(invoke: Invoke) -> None:
    goal = "ok the booking of Ada Berg can go"
    replies = [planned("see to it"), done("The booking of Ada Berg can go."), act("find_bookings", {}), cancel(506)]
    played = play(invoke, [*replies, *END], CARS, goal={"goal": goal})
    told = last_words(played.model, 2)
    assert "- cancel_booking" in told and "- find_bookings" not in told
    assert text("en", "note.to_look_up", named="booking_id (find_bookings)") in told
    assert played.result["stop_reason"]["kind"] == "goal_met"


def test_the_user_is_not_asked_to_write_the_mail(invoke: Invoke) -> None:
    goal = "Send Ruth Adler a line, I'll be ten minutes late for our lunch tomorrow"
    sent = act("send_mail", {"to": ["ruth@example.org"], "body": "I will be ten minutes late for our lunch."})
    look = act("find_contact", "Ruth")
    replies = [planned("mail"), look, ask("What is the body of the message?"), sent, *END]
    played = play(invoke, replies, MAIL, goal={"goal": goal})
    assert not played.shown
    assert text("en", "note.own_words", goal=goal) in last_words(played.model, 3)
    again = [*replies[:3], replanned("mail"), sent, *END]
    short = play(invoke, again, MAIL, goal={"goal": "Send Ruth a mail"}, answers=["Ten minutes late for lunch."])
    assert len(short.shown) == 1


@pytest.mark.parametrize(("goal", "sent"), [("Send Eva the list", True), ("Write Eva, but don't send it yet", False)])
def test_a_flag_that_the_user_orders_is_set(invoke: Invoke, goal: str, sent: bool) -> None:
    @tool
    def compose(to: str, send: bool = False) -> str:
        """Write a message. It is kept as a draft unless send is true."""
        return "sent" if send else "draft"

    draft, right = act("compose", {"to": "Eva"}), act("compose", {"to": "Eva", "send": True})
    script = [planned("write"), draft, *([right] if sent else []), *END]
    played = play(invoke, script, [compose], goal={"goal": goal})
    assert [seen["result"] for seen in played.result["observations"]] == ["sent" if sent else "draft"]


def test_what_the_user_only_answered_is_not_sent_to_others(invoke: Invoke) -> None:
    said = "I have told you all there is."
    goal = "Mail Ruth that lunch is at noon tomorrow"

    def mail(body: str) -> Any:
        return act("send_mail", {"to": ["ruth@example.org"], "body": body})

    look = act("find_contact", "Ruth")
    replies = [planned("mail"), look, ask("Which lunch?"), replanned("mail"), mail(said), mail("At noon."), *END]
    played = play(invoke, replies, MAIL, goal={"goal": goal}, answers=[said])
    assert [one["body"] for one in inputs(played) if isinstance(one, dict)] == ["At noon."]


def test_the_only_list_there_is_tells_an_id(invoke: Invoke) -> None:
    @tool
    def search_messages(text: str = "", folder: str = "") -> str:
        """Search messages, in all folders or in one."""
        return "7: to the plumber, draft\n8: to Omar, sent"

    @tool
    def send_draft(draft_id: str) -> str:
        """Send a draft that is there already."""
        return f"sent {draft_id}"

    first, right = (act("send_draft", {"draft_id": number}) for number in ("42", "7"))
    replies = [planned("send it"), first, right, *END]
    tools: list[BaseTool] = [search_messages, send_draft]
    played = play(invoke, replies, tools, goal={"goal": "the draft to the plumber can go out now"})
    assert inputs(played) == [{}, "7"]
    assert '"draft_id": "7"' in last_words(played.model, 2)


@tool
def mark_absent(pupil: str, first: str, last: str = "") -> str:
    """Record that a pupil was absent on a day, or from a day to another."""
    return f"{pupil} absent on {first} {last}"


def absent(first: str, last: str = "") -> Any:
    return act("mark_absent", {"pupil": "Amelie", "first": first, "last": last})


CLOCK: dict[str, Any] = {"clock": lambda: datetime(2026, 3, 11, 9)}


@pytest.mark.parametrize(
    ("goal", "calls", "goes_back"),
    [
        ("Amelie wasn't there on Monday and Tuesday", [absent("2026-03-09")], True),
        ("Amelie wasn't there on Monday and Tuesday", [absent("2026-03-09"), absent("2026-03-10")], False),
        ("Amelie was ill on Monday, Tuesday and Wednesday", [absent("2026-03-09", "2026-03-11")], False),
        ("Amelie was ill from Monday to Tuesday", [absent("2026-03-09", "2026-03-10")], False),
        ("艾米丽周一和周二没来", [absent("2026-03-09")], True),
    ],
)
def test_each_day_that_the_user_names_has_its_call(
    invoke: Invoke, goal: str, calls: list[Any], goes_back: bool
) -> None:
    script = [planned("record it"), *calls, *END[:1], *(END[:1] if goes_back else []), *END[1:]]
    played = play(invoke, script, [mark_absent], goal={"goal": goal}, **CLOCK)
    told = [str(one.content) for request in played.model.requests for one in request]
    assert any("no call was made for Tuesday" in one or "no call was made for 周二" in one for one in told) == goes_back


def test_a_call_for_both_of_two_like_entries_is_no_question(invoke: Invoke) -> None:
    @tool
    def search_messages(text: str = "") -> list[dict[str, Any]]:
        """Search messages."""
        return [
            {"id": str(number), "subject": subject, "labels": ["new", "inbox"]}
            for number, subject in ((11, "Heating"), (12, "Newsletter, garden"), (13, "Newsletter, films"))
        ]

    @tool
    def move_messages(ids: list[str], folder: str) -> str:
        """Move messages to a folder."""
        return f"moved {', '.join(ids)} to {folder}"

    def move(*ids: str) -> Any:
        return act("move_messages", {"ids": list(ids), "folder": "archive"})

    tools: list[BaseTool] = [search_messages, move_messages]
    goal = {"goal": "The newsletter things go to the archive, please move"}
    script = [planned("move"), act("search_messages", {}), move("12", "13"), *END]
    assert not play(invoke, script, tools, goal=goal).shown
    one = [planned("move"), act("search_messages", {}), move("12"), replanned("move"), move("13"), *END]
    asked = play(invoke, one, tools, goal=goal, answers=["the one of the films, I said it badly"])
    assert "films" in asked.shown[0] and "Heating" not in asked.shown[0]


def test_what_a_tool_lists_by_its_ids_is_looked_up_for_a_question(invoke: Invoke) -> None:
    @tool
    def list_books() -> dict[str, dict[str, Any]]:
        """All books by id, with their titles."""
        return {"b1": {"title": "Dune", "lent": True}, "b2": {"title": "Emma", "lent": False}}

    @tool
    def return_book(book_id: str) -> str:
        """Return a book."""
        return f"{book_id} is back"

    tools: list[BaseTool] = [list_books, return_book]
    replies = [planned("return it"), ask("What is the title of the book that came back?")]
    replies += [act("return_book", {"book_id": "b1"}), *END]
    played = play(invoke, replies, tools, goal={"goal": "Dune came back, return it"})
    assert not played.shown and inputs(played) == [{}, "b1"]
    made_up = [planned("return it"), act("return_book", {"book_id": "42"}), act("return_book", {"book_id": "b1"}), *END]
    again = play(invoke, made_up, tools, goal={"goal": "Dune came back, return it"})
    assert '"book_id": "b1"' in last_words(again.model, 2)


def test_an_address_that_nobody_gave_is_looked_up(invoke: Invoke) -> None:
    wrong = act("send_mail", {"to": ["ruth.adler@example.com"], "body": "Lunch?"})
    right = act("send_mail", {"to": ["ruth@example.org"], "body": "Lunch?"})
    goal = {"goal": "Write Ruth Adler: lunch?"}
    played = play(invoke, [planned("mail"), wrong, right, *END], MAIL, goal=goal)
    assert inputs(played)[0] == "Ruth Adler" and not played.shown
    assert '"to": ["ruth@example.org"]' in last_words(played.model, 2)


def test_a_yes_makes_the_call_that_was_asked_about(invoke: Invoke) -> None:
    call = act("send_mail", {"to": ["ruth.adler@example.com"], "body": "Lunch?"})
    goal = {"goal": "Write Ruth Adler: lunch?"}
    agreed = play(invoke, [planned("mail"), call, call, *END], [send_mail], goal=goal, answers=["yes"])
    assert "ruth.adler@example.com right?" in agreed.shown[0]
    assert agreed.result["observations"][-1]["result"] == "Sent to ruth.adler@example.com"
    no = [planned("mail"), call, call, replanned(response="Nothing was sent.")]
    refused = play(invoke, no, [send_mail], goal=goal, answers=["no, she has another one"])
    assert "send_mail" not in [seen["tool"] for seen in refused.result["observations"]]
