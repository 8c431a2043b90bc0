"""Ids that nobody gave, in calls of tools that do not say what is held to what was said."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from langchain_core.tools import BaseTool, StructuredTool
from pydantic import Field
from support.plan_act import Invoke, act, done, last_words, planned, play, replanned

RESERVED = {"number": 3, "member": "Anna"}
DUNE = {"goal": "Reserve Dune for Anna"}


def reserve_book(number: int, member: str) -> str:
    """Reserve a book by its catalog number."""
    return f"Reserved book {number} for {member}."


def find_books(title: str) -> str:
    """Find books."""
    return "3: Dune"


def ship(order_id: str) -> str:
    """Ship an order. Order A-17 is a test."""
    return "shipped"


def print_page(page_number: int, copies: int) -> str:
    """Print a page."""
    return "printed"


def get_book(number: int) -> str:
    """Get a book by its number."""
    return "Dune"


def run_python(python_id: str) -> str:
    """Run a program."""
    return "42"


def create_order(customer_id: str) -> str:
    """Create an order."""
    return "created"


def move_to(project_id: Literal["p-1", "p-2"], account_id: Annotated[int, Field(description="usually 12")] = 7) -> str:
    """Move."""
    return "moved"


def multiply(value: float, number: float) -> str:
    """Multiply a value by a number."""
    return "1"


def made(function: Any, **more: Any) -> BaseTool:
    return StructuredTool.from_function(function, **more)


def calls(invoke: Invoke, tools: list[Any], *replies: str, goal: dict[str, Any] = DUNE) -> tuple[Any, list[str]]:
    """A run, and the tools that were called."""
    script = [planned("do it"), *replies, done("It is seen to."), replanned(response="It is seen to.")]
    played = play(invoke, script, tools, goal=goal)
    return played, [seen["tool"] for seen in played.result["observations"]]


def test_a_number_that_nobody_gave_is_looked_up(invoke: Invoke) -> None:
    wrong = act("reserve_book", {**RESERVED, "number": 1})
    played, called = calls(invoke, [reserve_book, find_books], wrong, act("reserve_book", RESERVED))
    assert '"number": 3' in last_words(played.model, 2)
    assert called == ["find_books", "reserve_book"]
    assert played.result["observations"][-1]["result"] == "Reserved book 3 for Anna."


@pytest.mark.parametrize(
    ("tools", "call", "goal"),
    [
        ([reserve_book, find_books], act("reserve_book", RESERVED), "Reserve number 3 for Anna"),
        ([reserve_book, find_books], act("reserve_book", RESERVED), "Reserve number three for Anna"),
        ([reserve_book], act("reserve_book", RESERVED), DUNE["goal"]),
        ([made(reserve_book, metadata={"grounded": []}), find_books], act("reserve_book", RESERVED), DUNE["goal"]),
        ([made(reserve_book, metadata={"effects": False}), find_books], act("reserve_book", RESERVED), DUNE["goal"]),
        ([get_book, find_books], act("get_book", {"number": 3}), DUNE["goal"]),
        ([print_page, find_books], act("print_page", {"page_number": 1, "copies": 1}), "Print the first page"),
        ([ship, find_books], act("ship", "A-17"), "Ship the test order"),
        ([ship, find_books], act("ship", "latest"), "Ship my order"),
        ([run_python, find_books], act("run_python", "print(sum(range(100001)))"), "Sum them up"),
        ([create_order, find_books], act("create_order", "c-9"), "Create an order"),
        ([move_to, find_books], act("move_to", {"project_id": "p-2", "account_id": 7}), "Move it"),
        ([move_to, find_books], act("move_to", {"project_id": "p-1", "account_id": 12}), "Move it"),
        ([multiply, find_books], act("multiply", {"value": 80, "number": 1.2}), "Add twenty percent to 80"),
    ],
    ids=[
        *("said", "in-words", "no-reader", "let", "reads", "reads-by-name", "no-id", "described", "no-digit"),
        *("program", "made-up", "choice-and-default", "told-of-the-argument", "factor"),
    ],
)
def test_a_call_that_may_be_right_is_made(invoke: Invoke, tools: list[Any], call: str, goal: str) -> None:
    _, called = calls(invoke, tools, call, goal={"goal": goal})
    assert len(called) == 1


def test_an_id_that_the_program_tells_is_given(invoke: Invoke) -> None:
    replies = [planned("ship it"), act("ship", "B-4"), done("It is seen to."), replanned(response="It is seen to.")]
    played = play(invoke, replies, [ship, find_books], goal={"goal": "Ship it"}, system_prompt="The order is B-4.")
    assert [seen["tool"] for seen in played.result["observations"]] == ["ship"]


def test_once_something_was_looked_up_the_model_may_know(invoke: Invoke) -> None:
    replies = [act("find_books", "Dune"), act("reserve_book", {**RESERVED, "number": 9})]
    _, called = calls(invoke, [reserve_book, find_books], *replies)
    assert called == ["find_books", "reserve_book"]


def test_the_second_time_the_user_is_asked(invoke: Invoke) -> None:
    wrong = act("ship", "B-4")
    script = [
        planned("ship it"),
        wrong,
        wrong,
        replanned("ship it"),
        wrong,
        done("It is seen to."),
        replanned(response="It is seen to."),
    ]
    played = play(invoke, script, [ship, find_books], goal={"goal": "Ship my order"}, answers=["yes"])
    assert "B-4" in str(played.shown) and played.result["observations"][-1]["result"] == "shipped"


def test_a_tool_that_lists_numbers_makes_a_number_one_that_can_be_looked_up(invoke: Invoke) -> None:
    def borrow(number: int) -> str:
        """Borrow a book."""
        return "borrowed"

    def list_books() -> str:
        """List the books with their numbers."""
        return "3: Dune"

    replies = [act("borrow", {"number": 1}), act("borrow", {"number": 3})]
    _, called = calls(invoke, [borrow, list_books], *replies, goal={"goal": "Borrow Dune"})
    assert called == ["list_books", "borrow"]


def list_repairs() -> str:
    """List the repairs."""
    return '[{"repair_id": "R-201", "what": "window"}, {"repair_id": "R-204", "what": "pipe"}]'


def schedule_visit(repair_id: Annotated[str, Field(description="Id of the repair, for example R-201")]) -> str:
    """Schedule a visit."""
    return "scheduled"


def record_payment(tenant_id: str, payment_id: str = "") -> str:
    """Record a payment."""
    return "recorded"


def find_tenants(name: str) -> str:
    """Find tenants."""
    return '[{"tenant_id": "T-02", "name": "Grace Okafor"}]'


def test_an_example_in_a_description_is_no_id_that_was_given(invoke: Invoke) -> None:
    first, second = act("schedule_visit", "R-201"), act("schedule_visit", "R-204")
    goal = {"goal": "Have the leaking pipe seen to"}
    played, called = calls(invoke, [list_repairs, schedule_visit], first, second, goal=goal)
    assert called == ["list_repairs", "schedule_visit"]
    assert '"tool": "schedule_visit", "input": {"repair_id": "R-204"}' in last_words(played.model, 2)


def test_what_is_made_may_have_any_id_but_that_of_another_thing_is_looked_up(invoke: Invoke) -> None:
    goal = {"goal": "Grace Okafor has paid her rent"}
    tools = [find_tenants, record_payment]
    wrong, right = (act("record_payment", {"tenant_id": one, "payment_id": "P9"}) for one in ("T-01", "T-02"))
    played, called = calls(invoke, tools, wrong, right, goal=goal)
    assert called == ["find_tenants", "record_payment"]
    assert played.result["observations"][-1]["input"]["payment_id"] == "P9"
