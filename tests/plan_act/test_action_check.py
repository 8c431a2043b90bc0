"""What a thought's action is held to: the tools there are, their arguments, and words that say what is wrong."""

from __future__ import annotations

import json
import math
from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from langchain_core.tools import BaseTool, InjectedToolArg, StructuredTool, tool
from pydantic import BaseModel, Field, create_model
from thoughtgraph.tools.agenda import Agenda, schedule_tool, todo_tool
from thoughtgraph.tools.calls import ToolExecutor
from thoughtgraph.tools.calls.action_check import action_check, arguments, text_argument


class Query(BaseModel):
    """What to look for."""

    words: str
    top: int = 3


class Unit(StrEnum):
    """A unit of temperature."""

    CELSIUS = "C"
    KELVIN = "K"


@tool
def echo(text: str) -> str:
    """Say a text."""
    return text


@tool
def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


@tool
def search(query: str, top_k: Annotated[int, Field(le=10)] = 3) -> str:
    """Search."""
    return f"{query} {top_k}"


@tool
def lookup(query: Query) -> str:
    """Look something up."""
    return query.words


@tool
def seek(query: str | Query) -> str:
    """Look something up, in words or by fields."""
    return str(query)


@tool
def rename(old: str, new: str) -> str:
    """Rename something."""
    return f"{old} {new}"


@tool
def label(names: list[str] | None) -> str:
    """Label something."""
    return ",".join(names or [])


@tool
def convert(unit: Unit) -> str:
    """Convert to a unit."""
    return unit.value


@tool
def light(state: Literal["on", "off"]) -> str:
    """Switch the light."""
    return state


@tool
def now() -> str:
    """Tell the time."""
    return "12:00"


@tool
def recent(count: int = 5) -> str:
    """List what is recent."""
    return str(count)


@tool
def greet(name: str | None = None, *, user: Annotated[str, InjectedToolArg] = "nobody") -> str:
    """Greet somebody."""
    return f"{name} {user}"


remote = StructuredTool(
    name="remote",
    description="A tool that describes itself by a JSON schema, as servers do.",
    args_schema={"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    func=lambda city: city,
)

TOOLS: dict[str, BaseTool] = {
    one.name: one
    for one in (echo, add, search, lookup, seek, rename, label, convert, light, now, recent, greet, remote)
}
CHECK = action_check(TOOLS)


TAKEN: dict[str, Any] = {
    "a string": ({"tool": "echo", "input": " hi "}, "echo", "hi"),
    "the string in its field": ({"tool": "echo", "input": {"text": "hi"}}, "echo", "hi"),
    "the only required one as a string": ({"tool": "search", "input": "milk"}, "search", "milk"),
    "fields": ({"tool": "search", "input": {"query": "milk", "top_k": 2}}, "search", {"query": "milk", "top_k": 2}),
    "an object": ({"tool": "add", "input": {"a": 1, "b": 2}}, "add", {"a": 1, "b": 2}),
    "a large fraction": ({"tool": "add", "input": {"a": 1, "more": 1e300}}, "add", {"a": 1, "more": 1e300}),
    "the largest number that is kept": ({"tool": "add", "input": {"a": 2**64 - 1}}, "add", {"a": 2**64 - 1}),
    "an object as JSON text": ({"tool": "add", "input": '{"a": 1}'}, "add", {"a": 1}),
    "args": ({"tool": "add", "args": {"a": 1}}, "add", {"a": 1}),
    "arguments": ({"tool": "add", "arguments": {"a": 1}}, "add", {"a": 1}),
    "another case": ({"tool": "Echo", "input": "hi"}, "echo", "hi"),
    "a leading slash": ({"tool": " /echo", "input": "hi"}, "echo", "hi"),
    "JSON text that is meant as text": ({"tool": "echo", "input": '{"a": 1}'}, "echo", '{"a": 1}'),
    "the string in its field, as JSON text": ({"tool": "echo", "arguments": '{"text": "hi"}'}, "echo", "hi"),
    "fields as JSON text": (
        {"tool": "search", "input": ' {"query": "milk", "top_k": 2}'},
        "search",
        {"query": "milk", "top_k": 2},
    ),
    "JSON text with a field that the tool lacks": (
        {"tool": "search", "input": '{"query": "milk", "page": 2}'},
        "search",
        '{"query": "milk", "page": 2}',
    ),
    "JSON text that is no object": ({"tool": "echo", "input": '{"text"'}, "echo", '{"text"'),
    "JSON text in its field": (
        {"tool": "echo", "input": {"text": '{"text": "hi"}'}},
        "echo",
        '{"text": "hi"}',
    ),
    "an object inside": ({"tool": "lookup", "input": {"query": {"words": "x"}}}, "lookup", {"query": {"words": "x"}}),
    "text or an object, as text": ({"tool": "seek", "input": {"query": "x"}}, "seek", "x"),
    "text or an object": ({"tool": "seek", "input": {"query": {"words": "x"}}}, "seek", {"query": {"words": "x"}}),
    "a list inside": ({"tool": "label", "input": {"names": ["a"]}}, "label", {"names": ["a"]}),
    "an enumeration": ({"tool": "convert", "input": "K"}, "convert", "K"),
    "no arguments": ({"tool": "now", "input": {}}, "now", {}),
    "no arguments, left out": ({"tool": "now"}, "now", {}),
    "no arguments, null": ({"tool": "now", "input": None}, "now", {}),
    "no arguments, empty": ({"tool": "now", "input": ""}, "now", {}),
    "nothing required, left out": ({"tool": "recent"}, "recent", {}),
    "nothing required, no object": ({"tool": "greet", "input": {}}, "greet", {}),
    "an optional string": ({"tool": "greet", "input": "Ada"}, "greet", "Ada"),
    "a JSON schema": ({"tool": "remote", "input": "Rome"}, "remote", "Rome"),
}


@pytest.mark.parametrize(("action", "name", "value"), TAKEN.values(), ids=TAKEN)
def test_an_action_that_can_be_carried_out_is_taken_in_every_usual_spelling(
    action: dict[str, Any], name: str, value: Any
) -> None:
    taken = CHECK(action)
    assert taken == {"tool": name, "input": value}
    assert ToolExecutor(TOOLS).execute(taken, "run:1").ok


NAMES = "echo, add, search, lookup, seek, rename, label, convert, light, now, recent, greet, remote, ask_user"
NOT_KEPT = "The `input` of add holds a number that is too large, or NaN, or is nested too deep."


def nested(depth: int) -> Any:
    """An object inside of an object, and so on."""
    value: Any = 1
    for _ in range(depth):
        value = {"in": value}
    return value


REFUSED: dict[str, Any] = {
    "unknown tool": ({"tool": "fly", "input": "home"}, f"There is no tool 'fly'. The tools are: {NAMES}."),
    "no tool": ({"input": "home"}, f"There is no tool ''. The tools are: {NAMES}."),
    "a long name": ({"tool": "x" * 500}, f"There is no tool '{'x' * 80}'. The tools are: {NAMES}."),
    "an empty string": ({"tool": "echo", "input": " "}, "The `input` of echo is empty."),
    "no string": ({"tool": "echo"}, "The `input` of echo must be a string."),
    "text for an object": ({"tool": "add", "input": "1 and 2"}, "The `input` of add must be an object with a, b."),
    "a list for an object": ({"tool": "add", "input": [1, 2]}, "The `input` of add must be an object with a, b."),
    "a list for nothing": ({"tool": "now", "input": [1]}, "The `input` of now must be an object with no fields."),
    "a number in the string's field": (
        {"tool": "echo", "input": {"text": 5}},
        "The `input` of echo does not fit: `text`: Input should be a valid string.",
    ),
    "a missing field of a JSON schema": (
        {"tool": "remote", "input": {}},
        "The `input` of remote does not fit: `city`: Field required.",
    ),
    "what is no number": ({"tool": "add", "input": {"a": 1, "more": [math.nan]}}, NOT_KEPT),
    "a number without an end": ({"tool": "add", "input": {"a": 1, "more": -math.inf}}, NOT_KEPT),
    "a number beyond 64 bits": ({"tool": "add", "input": {"a": 2**64}}, NOT_KEPT),
    "a number far below zero": ({"tool": "add", "input": {"a": 1, "more": [-(2**63) - 1]}}, NOT_KEPT),
    "a deep object": ({"tool": "add", "input": {"a": 1, "b": nested(500)}}, NOT_KEPT),
    "a missing field": ({"tool": "add", "input": {"b": 2}}, "The `input` of add does not fit: `a`: Field required."),
    "wrong fields": (
        {"tool": "search", "input": {"query": 3, "top_k": 11}},
        "The `input` of search does not fit: `query`: Input should be a valid string; "
        "`top_k`: Input should be less than or equal to 10.",
    ),
    "a wrong field inside": (
        {"tool": "lookup", "input": {"query": {"top": "many"}}},
        "The `input` of lookup does not fit: `query.words`: Field required; "
        "`query.top`: Input should be a valid integer, unable to parse string as an integer.",
    ),
    "a word that is no choice": (
        {"tool": "light", "input": "dim"},
        "The `input` of light does not fit: `state`: Input should be 'on' or 'off'.",
    ),
}


@pytest.mark.parametrize(("action", "feedback"), REFUSED.values(), ids=REFUSED)
def test_an_action_that_cannot_is_refused_with_the_exact_reason(action: dict[str, Any], feedback: str) -> None:
    assert CHECK(action) == feedback


def test_feedback_on_many_wrong_fields_stays_short() -> None:
    schema: Any = create_model("Wide", **{f"field_{number}": (int, ...) for number in range(100)})
    wide = StructuredTool(name="wide", description="Wide.", args_schema=schema, func=lambda **fields: "ok")
    feedback = action_check({"wide": wide})({"tool": "wide", "input": {}})
    assert "`field_0`: Field required" in feedback
    assert len(feedback) < 700


def test_a_part_of_a_name_is_enough_where_one_tool_alone_has_it() -> None:
    names = ("internet_search", "web_lookup", "book_lookup")
    check = action_check({name: echo.model_copy(update={"name": name}) for name in names})
    assert check({"tool": "Search", "input": "milk"}) == {"tool": "internet_search", "input": "milk"}
    assert check({"tool": "web", "input": "milk"}) == {"tool": "web_lookup", "input": "milk"}
    assert check({"tool": "lookup", "input": "milk"}).startswith("There is no tool 'lookup'.")


def test_another_name_that_a_tool_gives_for_itself_is_enough() -> None:
    with Agenda(":memory:") as agenda:
        check = action_check({one.name: one for one in (todo_tool(agenda), schedule_tool(agenda))})
    assert [check({"tool": name, "input": "x"}) for name in ("diary", "Calendar", "task")] == [
        {"tool": name, "input": "x"} for name in ("schedule", "schedule", "todo")
    ]
    assert "There is no tool 'fridge'" in str(check({"tool": "fridge", "input": "x"}))


def test_a_name_given_exactly_is_taken_whatever_others_look_like_it() -> None:
    check = action_check({name: echo.model_copy(update={"name": name}) for name in ("Echo", "echo")})
    assert [check({"tool": name, "input": "hi"})["tool"] for name in ("echo", "Echo")] == ["echo", "Echo"]


@pytest.mark.parametrize(
    "text",
    [("[" * 100_000), ('{"a":' * 100_000), "9" * 10_000],
    ids=["list", "object", "number"],
)
def test_hostile_json_text_is_refused_like_any_other(text: str) -> None:
    assert CHECK({"tool": "add", "input": text}) == "The `input` of add must be an object with a, b."


def test_fields_that_the_model_must_not_give_are_left_out_of_the_feedback() -> None:
    assert text_argument(greet) == "name"
    assert "user" not in CHECK({"tool": "greet", "input": 5})


@pytest.mark.parametrize(
    ("one", "name"),
    [
        *((echo, "text"), (search, "query"), (convert, "unit"), (light, "state"), (greet, "name"), (remote, "city")),
        *(
            (seek, "query"),
            (rename, None),
            (add, None),
            (lookup, None),
            (label, None),
            (now, None),
            (recent, None),
        ),
    ],
    ids=lambda value: value.name if isinstance(value, BaseTool) else "",
)
def test_a_plain_string_stands_for_the_one_text_that_a_call_must_give(one: BaseTool, name: str | None) -> None:
    assert text_argument(one) == name
    assert arguments(one, "go") == ({name: "go"} if name else {})


@pytest.mark.parametrize("one", [echo, add], ids=lambda one: one.name)
def test_arguments_by_name_are_a_copy(one: BaseTool) -> None:
    given_fields = {"a": 1}
    taken = arguments(one, given_fields)
    taken["b"] = 2
    assert given_fields == {"a": 1}


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
fields = st.dictionaries(st.sampled_from(["a", "b", "text", "query", "top_k", "names", "words"]), anything, max_size=3)
inputs = anything | fields | fields.map(json.dumps)
keys = st.sampled_from(["tool", "input", "args", "arguments"])
actions = st.dictionaries(keys | st.text(max_size=5), inputs) | st.fixed_dictionaries(
    {"tool": st.sampled_from(list(TOOLS)), "input": inputs}
)


@given(actions)
def test_whatever_a_model_gives_comes_out_as_an_action_or_as_words(action: dict[str, Any]) -> None:
    checked = CHECK(action)
    if isinstance(checked, str):
        assert checked
    else:
        assert set(checked) == {"tool", "input"}
        assert checked["tool"] in TOOLS
        assert CHECK(checked) == checked


@given(st.sampled_from(list(TOOLS)), inputs)
@example("light", "dim")
def test_an_action_that_was_taken_has_the_arguments_that_its_tool_wants(name: str, value: Any) -> None:
    checked = CHECK({"tool": name, "input": value})
    if not isinstance(checked, str):
        result = ToolExecutor(TOOLS).execute(checked, "run:1")
        assert result.ok, result.result


def test_a_type_that_holds_itself_takes_no_text_of_its_own() -> None:
    def remote(**fields: Any) -> str:
        return "ok"

    def schema(*others: dict[str, Any]) -> dict[str, Any]:
        node = {"anyOf": [{"$ref": "#/$defs/Node"}, *others]}
        return {"type": "object", "properties": {"node": {"$ref": "#/$defs/Node"}}, "$defs": {"Node": node}}

    endless = StructuredTool.from_function(remote, name="endless", description="Far.", args_schema=schema())
    assert text_argument(endless) is None
    either = {"args_schema": schema({"type": "string"}), "name": "either"}
    assert text_argument(endless.model_copy(update=either)) == "node"
