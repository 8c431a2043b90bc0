"""Worked examples of every payload, with the tools that a run has (row T10)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, Field
from support.plan_act import done, planned, play, replanned, twin
from thoughtgraph.nodes.plan_act.plans.payloads import PayloadParser, Phase
from thoughtgraph.nodes.plan_act.prompts.examples import demonstration
from thoughtgraph.tools.calls.action_check import action_check


class Place(BaseModel):
    """Where."""

    city: str
    postcode: Annotated[str, Field(min_length=8, max_length=8)]


def weather(city: str, day: str = "today") -> str:
    """Tell the weather."""
    return "sunny"


def book(place: Place, nights: Annotated[int, Field(ge=5, lt=9)], room: Literal["single", "double"]) -> str:
    """Book a room."""
    return "booked"


def convert(amount: float, currencies: list[str], on: date) -> str:
    """Convert money."""
    return "1"


def ping() -> str:
    """Ping the server."""
    return "pong"


def search(query: str) -> str:
    """Search."""
    return "nothing"


INPUTS: dict[str, tuple[Any, Any]] = {
    "text": (search, "red"),
    "optional field": (weather, "Berlin"),
    "no field": (ping, {}),
    "nested": (book, {"place": {"city": "Berlin", "postcode": "red post"}, "nights": 5, "room": "single"}),
    "list": (convert, {"amount": 2.5, "currencies": ["EUR"], "on": "Friday"}),
}
PHASES: tuple[Phase, ...] = ("plan", "replan", "thought")
BUNDLED = ("todo", "schedule", "internet_search")


def shown(tools: Sequence[Any], **options: Any) -> list[Any]:
    """The example turns of a run, between the system message and the goal."""
    script = [planned("a"), done("A"), replanned()]
    return play(twin("sync"), script, tools, **options).model.requests[0][1:-1]


def payloads(turns: Sequence[Any]) -> list[dict[str, Any]]:
    """What the assistant says in the examples, each of which is a payload."""
    found: list[dict[str, Any]] = []
    for turn in turns:
        if turn.type == "ai":
            read: list[Any] = [PayloadParser(phase)(str(turn.content)) for phase in PHASES]
            assert [result["status"] for result in read].count("success") == 1, turn.content
            found.append(json.loads(str(turn.content)))
    return found


def kinds(turns: Sequence[Any]) -> set[tuple[str, bool]]:
    """The statuses that the examples show, and whether with steps left."""
    return {(payload["status"], bool(payload.get("plan"))) for payload in payloads(turns)}


WITHOUT_A_CALL = {("planned", False), ("planned", True), ("ask_user", False), ("done", False)} | {
    ("replanned", True),
    ("replanned", False),
}


@pytest.mark.parametrize(("function", "given"), INPUTS.values(), ids=INPUTS)
def test_a_tool_without_examples_is_shown_in_every_payload_with_a_call_that_fits_it(function: Any, given: Any) -> None:
    turns = shown([function])
    assert kinds(turns) == WITHOUT_A_CALL | {("continue", False)}
    calls = [payload["next_action"] for payload in payloads(turns) if payload["status"] == "continue"]
    assert calls == [{"tool": function.__name__, "input": given}]
    assert not any(name in str(turns) for name in BUNDLED)


def test_a_run_without_tools_is_shown_every_payload_but_a_call() -> None:
    turns = shown([])
    assert kinds(turns) == WITHOUT_A_CALL
    assert not any(name in str(turns) for name in BUNDLED)


def test_a_tool_whose_examples_ask_nothing_gets_one_that_does() -> None:
    tool = StructuredTool.from_function(
        search,
        metadata={
            "examples": [
                {"goal": "how high is it?", "step": "search it", "input": "height", "result": "9", "response": "Nine."}
            ]
        },
    )
    turns = shown([tool, ping])
    assert kinds(turns) == WITHOUT_A_CALL | {("continue", False)}
    assert {call["next_action"]["tool"] for call in payloads(turns) if call["status"] == "continue"} == {"search"}
    assert "how high is it?" in str(turns)


def test_examples_that_ask_are_left_as_they_are() -> None:
    asks = {"question": "Which city?", "answer": "Oslo"}
    example = {"goal": "weather", "step": "look", "input": "Oslo", "result": "rain", "response": "Rain.", **asks}
    tool = StructuredTool.from_function(weather, metadata={"examples": [example]})
    questions = [one["question"] for one in payloads(shown([tool, ping])) if one["status"] == "ask_user"]
    assert questions == ["Which city?"]


def test_an_example_speaks_as_people_do_and_asks_nothing_about_the_tools() -> None:
    def add_to_cart(product: str, count: int) -> str:
        """Add."""
        return "added"

    turns = [str(turn.content) for turn in shown([add_to_cart])]
    assert any("goal: Add to cart: red product, count 3" in words for words in turns)
    assert any('"response": "Done: Add to cart, red product, count 3."' in words for words in turns)
    [asked] = [words for words in turns if "ask_user" in words]
    assert "cart" not in asked


def test_the_first_two_tools_that_can_be_filled_in_are_shown_and_none_where_none_can() -> None:
    def coded(code: Annotated[str, Field(pattern=r"^[A-Z]{9}$")]) -> str:
        """Look a code up."""
        return code

    def called(*tools: Any) -> list[str]:
        return [one["next_action"]["tool"] for one in payloads(shown(tools)) if one["status"] == "continue"]

    assert called(coded, ping) == ["ping"]
    assert called(ping, book, convert) == ["book", "convert"]
    # A question that a look-up answers is one of the two.
    assert called(ping, search, weather, convert) == ["search", "ping"]
    assert shown([coded]) == []


def test_examples_that_would_take_more_than_half_of_the_context_are_left_out() -> None:
    assert shown([search], context_tokens=1_000) == []


SCHEMAS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just({"$ref": "#/$defs/a"}),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("type", "properties", "required", "items", "anyOf", "enum", "examples", "minItems", "minLength"),
                    *("minimum", "exclusiveMaximum", "maxLength", "default", "const", "a", "b"),
                ]
            ),
            inner | st.sampled_from(["object", "array", "integer", "number", "string", 10**12]),
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(deadline=None, max_examples=200)
@given(field=SCHEMAS, definition=SCHEMAS)
def test_a_schema_from_elsewhere_gives_an_example_that_fits_or_none(field: Any, definition: Any) -> None:
    schema = {
        "type": "object",
        "title": "far",
        "description": "Far away.",
        "properties": {"a": field if isinstance(field, dict) else {}},
        "required": ["a"],
        "$defs": {"a": definition if isinstance(definition, dict) else {}},
    }
    tool = StructuredTool(name="far", description="Far away.", args_schema=schema, func=lambda **_: "x")
    tools: dict[str, BaseTool] = {"far": tool}
    try:
        check = action_check(tools)
        check({"tool": "far", "input": {"a": 1}})
    except (AttributeError, RecursionError, TypeError, ValueError):
        return  # no run can be built over such a schema, with an example or without
    for turn in demonstration(tools, "en"):
        assert len(turn["words"]) < 10_000
        if turn["words"].startswith('{"status": "continue"'):
            assert isinstance(check(json.loads(turn["words"])["next_action"]), dict)


def test_a_type_that_needs_itself_ends() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}, "required": ["next"]}
    schema = {**node, "properties": {"next": {"$ref": "#/$defs/Node"}}, "$defs": {"Node": node}}
    tool = StructuredTool(name="far", description="Far.", args_schema=schema, func=lambda **_: "x")
    assert sum(len(turn["words"]) for turn in demonstration({"far": tool}, "en")) < 10_000


def find_member(name: str) -> str:
    """Find a member."""
    return "none"


def timetable(day: str | None = None) -> str:
    """The classes of a day or a week."""
    return "none"


def book_class(member_no: int, class_code: str) -> str:
    """Book a place in a class."""
    return "booked"


def update_order(order_no: str, note: str = "-", due: date | None = None) -> str:
    """Change when an order is due."""
    return "changed"


def move_stock(
    from_bin: Annotated[str, Field(description="code like A-01")],
    to_bin: Annotated[str, Field(description="code like A-01")],
) -> str:
    """Move stock."""
    return "moved"


def list_books() -> str:
    """List the books with their numbers."""
    return "3: Dune"


def reserve_book(number: int, reader: str) -> str:
    """Reserve a book."""
    return "reserved"


def find_tickets(words: str) -> str:
    """Find tickets."""
    return "none"


def close_ticket(ticket_id: str, reason: str = "") -> str:
    """Close a ticket."""
    return "closed"


def send_email(to: str, subject: str) -> str:
    """Send an e-mail to an address."""
    return "sent"


def find_contact(name: str) -> str:
    """Find the e-mail address of a person."""
    return "none"


def list_mails(folder: str) -> str:
    """List the e-mails of a folder."""
    return "none"


def move_to(to: str) -> str:
    """Move to a place."""
    return "moved"


@pytest.mark.parametrize(
    ("tools", "goal", "calls", "listed"),
    [
        (
            [send_email, find_contact, list_mails],
            "Send email: Eva Lind, subject Weekly report",
            [("find_contact", "Eva Lind"), ("send_email", {"to": "eva@example.com", "subject": "Weekly report"})],
            {"to": "eva@example.com", "name": "Eva Lind"},
        ),
        (
            [reserve_book, list_books],
            "Reserve book: red book, reader Eva Lind",
            [("list_books", {}), ("reserve_book", {"number": 42, "reader": "Eva Lind"})],
            {"number": 42, "name": "red book"},
        ),
        (
            [ping, close_ticket, find_tickets],
            "Close ticket: red ticket",
            [("find_tickets", "red ticket"), ("close_ticket", "T42")],
            {"ticket_id": "T42", "name": "red ticket"},
        ),
        (
            [book_class, find_member, timetable],
            "Book class: Eva Lind, red class",
            [("find_member", "Eva Lind"), ("timetable", {}), ("book_class", {"member_no": 42, "class_code": "C42"})],
            {"class_code": "C42", "name": "red class"},
        ),
    ],
    ids=["an address", "a list", "a search", "two ids"],
)
def test_a_tool_that_needs_ids_is_shown_after_those_that_tell_them(
    tools: Any, goal: str, calls: Any, listed: dict[str, Any]
) -> None:
    turns = shown(tools)
    seen = [one["next_action"] for one in payloads(turns) if one.get("next_action")]
    made = [(call["tool"], call["input"]) for call in seen]
    place = made.index(calls[0]) if calls[0] not in made[1:] else made.index(calls[0], 1)
    assert made[place : place + len(calls)] == calls
    texts = [str(turn.content) for turn in turns]
    assert any(f"The user's goal: {goal}\n" in words and "Phase PLAN" in words for words in texts)
    assert any(json.dumps(listed) in words for words in texts)


@pytest.mark.parametrize(
    ("reader", "goal", "response"),
    [
        (find_member, "What is noted about Eva Lind?", "The note on Eva Lind says: to be checked."),
        (
            list_books,
            "List the books with their numbers: what is there now?",
            "There are two: green book, and red book, to be checked.",
        ),
    ],
    ids=["by name", "all"],
)
def test_a_question_is_answered_in_words_from_what_was_looked_up(reader: Any, goal: str, response: str) -> None:
    turns = [str(turn.content) for turn in shown([reader, book_class])]
    place = next(at for at, words in enumerate(turns) if f"The user's goal: {goal}\n" in words)
    answers = [json.loads(words).get("response") for words in turns[place:] if words.startswith("{")]
    assert next(filter(None, answers)) == response


def test_a_change_of_an_entry_is_shown_with_what_is_changed() -> None:
    plans = [one for one in payloads(shown([update_order, list_books])) if one.get("next_action")]
    inputs = [one["next_action"]["input"] for one in plans if one["next_action"]["tool"] == "update_order"]
    assert inputs and all(one == {"order_no": "red order", "due": "Friday"} for one in inputs)


def test_a_value_that_a_description_gives_is_taken_and_another_one_beside_it() -> None:
    inputs = [one["next_action"]["input"] for one in payloads(shown([move_stock])) if one.get("next_action")]
    assert inputs and all(one == {"from_bin": "A-01", "to_bin": "A-02"} for one in inputs)


def find_rooms(city: str) -> str:
    """Find rooms."""
    return "none"


def reserve_room(room_id: int) -> str:
    """Reserve a room."""
    return "reserved"


def list_rooms(city: str, day: str) -> str:
    """List rooms."""
    return "none"


def test_a_field_of_a_search_that_has_a_plausible_value_keeps_it() -> None:
    calls = [one["next_action"] for one in payloads(shown([find_rooms, reserve_room])) if one.get("next_action")]
    assert ("find_rooms", "Berlin") in [(call["tool"], call["input"]) for call in calls]
    assert calls[2]["input"] == {"room_id": 42}


def test_a_search_that_needs_more_than_one_field_is_no_example_of_looking_up() -> None:
    assert not any("green" in str(turn.content) for turn in shown([list_rooms, reserve_room]))


def test_in_chinese_the_thing_that_is_looked_up_has_a_chinese_name() -> None:
    texts = [str(turn.content) for turn in shown([reserve_book, list_books], language="zh")]
    assert any("Reserve book: 红色 book, reader Eva Lind" in words for words in texts)


@pytest.mark.parametrize(
    "tools",
    [
        *([reserve_book, find_tickets], [reserve_book, ping], [list_books, find_tickets], [close_ticket, reserve_book]),
        *([send_email, list_mails], [move_to, find_contact]),
    ],
    ids=[
        *("of something else", "no reader", "readers alone", "two that need one", "mails alone", "no address needed"),
    ],
)
def test_tools_that_do_not_go_together_are_shown_each_alone(tools: Any) -> None:
    calls = [one["next_action"]["tool"] for one in payloads(shown(tools)) if one["status"] == "continue"]
    assert len(calls) == len({*calls}) <= 2
    replanned = [one for one in payloads(shown(tools)) if one["status"] == "replanned" and not one["plan"]]
    assert len(replanned) == len(calls) + 1
