"""The model is told everything that a tool's schema says about its input, and what is left out when room is short."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.tools import StructuredTool, tool
from pydantic import BaseModel, Field
from support.plan_act import planned, play, twin
from thoughtgraph.nodes.plan_act.prompts.tool_list import tool_list


class Address(BaseModel):
    street: str = Field(description="street and number, as they stand on the door")
    code: str | None = None


class Part(BaseModel):
    name: str
    count: int = Field(1, ge=1, le=20)
    parts: list[Part] = []


@tool
def order(
    items: list[Part],
    address: Address,
    kind: Literal["home", "work"] = "home",
    prices: dict[str, float] | None = None,
    when: Annotated[str, Field(pattern="^[0-9]+$")] = "1",
) -> str:
    """Place an order."""
    return "placed"


@tool
def look_up(query: Annotated[str, "a name, or a part of one"]) -> str:
    """Look a name up."""
    return query


@tool
def echo(said: str) -> str:
    """Say it again."""
    return said


def remote_call(**fields: Any) -> str:
    return "ok"


def told(tools: list[Any], context_tokens: int = 16_000) -> str:
    """The tools as the model is told of them."""
    played = play(twin("sync"), [planned(response="Done.")], tools, interactive=False, context_tokens=context_tokens)
    system = str(played.model.requests[0][0].content)
    return system[system.index("# Tools") :]


@pytest.mark.parametrize(
    "shown",
    [
        '"items": {"name": string, "count"?: integer = 1 (at least 1 and at most 20), "parts"?: Part[] = []}[]',
        '"address": {"street": string (street and number, as they stand on the door), "code"?: string | null}',
        '"kind"?: "home" | "work" = "home"',
        '"prices"?: {[name]: number} | null',
        '"when"?: string = "1" (pattern ^[0-9]+$)',
    ],
)
def test_every_field_is_told_with_its_type_default_and_meaning(shown: str) -> None:
    assert shown in told([order])


def test_a_single_text_is_told_with_its_meaning() -> None:
    assert "- look_up: Look a name up. INPUT: string (a name, or a part of one)" in told([look_up])


def test_a_text_of_which_nothing_is_known_needs_no_more_than_the_tools_description() -> None:
    assert "- echo: Say it again.\n" in told([echo]) + "\n"


def test_with_little_room_the_list_leaves_out_what_fields_mean_and_says_so() -> None:
    wide = [order.model_copy(update={"name": f"order_{number}"}) for number in range(4)]
    full = told(wide)
    shorter = {told(wide, context_tokens) for context_tokens in range(1_000, 3_000, 50)} - {full}
    assert len(shorter) == 3
    for listed in shorter:
        assert listed.rstrip().endswith("left out here, for lack of room.)")
        assert all(f"- order_{number}: Place an order." in listed for number in range(4))
    assert "left out" not in full


def test_a_schema_from_elsewhere_is_told_as_well() -> None:
    schema = {
        "type": "object",
        "properties": {
            "node": {"$ref": "#/$defs/Node"},
            "size": {"type": ["integer", "null"], "exclusiveMinimum": 0},
            "point": {"type": "array", "prefixItems": [{"type": "number"}, {"type": "number"}]},
            "both": {"allOf": [{"type": "object", "properties": {"a": {"const": 1}}}, {"$ref": "#/$defs/Missing"}]},
            "closed": {"type": "object", "additionalProperties": False},
        },
        "required": ["node"],
        "$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}},
    }
    remote = StructuredTool.from_function(remote_call, name="remote", description="", args_schema=schema)
    line = '- remote: INPUT: {"node": {"next"?: Node}, "size"?: integer | null (more than 0), '
    line += '"point"?: [number, number], "both"?: {"a"?: 1} & Missing, "closed"?: {}}'
    assert line in told([remote])


_KEYS = st.sampled_from(
    [
        "type",
        "properties",
        "items",
        "anyOf",
        "enum",
        "$ref",
        "required",
        "additionalProperties",
        "default",
        "prefixItems",
    ]
)
_JSON = st.recursive(
    st.sampled_from(["object", "array", "string", "#/$defs/A"])
    | st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS | st.text(max_size=3), inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.text(max_size=3), st.dictionaries(_KEYS, _JSON, max_size=4), max_size=3), _JSON)
def test_whatever_a_schema_holds_the_tool_is_told_in_one_line(properties: dict[str, Any], definition: Any) -> None:
    schema = {"type": "object", "properties": properties, "$defs": {"A": definition}}
    remote = StructuredTool.from_function(remote_call, name="remote", description="Far.", args_schema=schema)
    assert tool_list({"remote": remote}, 10**9).splitlines()[1:] == []
