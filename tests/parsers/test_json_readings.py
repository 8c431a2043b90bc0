"""JSON that fits its type once it is out of its wrapper, or has its names as the type spells them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict
from support.scripted import ScriptedModel
from thoughtgraph import json_parser, think_with_retry


class Note(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str
    score: float
    tags: list[str] = []


class Node(BaseModel):
    value: int
    child: Node | None = None


class Group(BaseModel):
    group_name: str
    notes: list[Note]
    by_key: dict[str, int] = {}


WANTED = {"name": "Ann", "score": 3.0, "tags": ["a", "b"]}
WRITTEN = '{"name": "Ann", "score": 3, "tags": ["a", "b"]}'


def read(reply: str, schema: Any = Note, **options: Any) -> Any:
    return json_parser(reply, schema, **options)


@pytest.mark.parametrize(
    "reply",
    [
        '{"response": %s}',
        '{"result": {"output": %s}}',
        "[%s]",
        '{"items": [%s]}',
        '{"type": "object", "properties": %s}',
        '{"name": "Note", "arguments": %s}',
        '<tool_call>{"name": "Note", "parameters": %s}</tool_call>',
        '{"type": "function", "function": {"name": "Note", "arguments": %s}}',
        "{%s}",
        "\\boxed{%s}",
        "Here:\n```json\n{%s}\n```",
        '```json\n{"response": %s',
    ],
)
def test_a_value_in_a_wrapper_is_taken_out(reply: str) -> None:
    assert read(reply % WRITTEN)["content"].model_dump() == WANTED


@pytest.mark.parametrize(
    "reply",
    [
        json.dumps(WRITTEN),
        json.dumps({"response": WRITTEN}),
        json.dumps({"name": "Note", "arguments": WRITTEN}),
        WRITTEN.replace('"', '\\"'),
        WRITTEN.replace(", ", ",\\n ").replace("{", "{\\n"),
        f"Sure:\n{json.dumps(WRITTEN)[1:-1]}",
    ],
)
def test_a_value_that_is_escaped_once_more_is_read(reply: str) -> None:
    assert read(reply)["content"].model_dump() == WANTED


def test_an_object_in_parts_is_put_together() -> None:
    assert read('{"name": "Ann"}\n{"score": 3, "tags": ["a", "b"]}')["content"].model_dump() == WANTED
    assert read('[{"name": "Ann"}, {"score": 3}, {"tags": ["a", "b"]}]')["content"].model_dump() == WANTED


def test_of_parts_that_contradict_each_other_none_is_guessed() -> None:
    refused = read('{"name": "Ann", "tags": []}\n{"name": "Bob"}')
    assert "`score`: this field is missing" in refused["feedback"]


@pytest.mark.parametrize(
    "reply",
    [
        '{"Name": "Ann", "Score": 3, "Tags": ["a", "b"]}',
        '{"NAME": "Ann", "SCORE": 3, "TAGS": ["a", "b"]}',
        '{"na\u200bme": "Ann", "**score**": 3, "_tags": ["a", "b"]}',
        '{"Response": {"Name": "Ann", "Score": 3, "Tags": ["a", "b"]}}',
    ],
)
def test_names_in_another_spelling_are_those_of_the_type(reply: str) -> None:
    assert read(reply)["content"].model_dump() == WANTED


def test_names_are_spelled_at_any_depth_and_keys_of_a_dict_are_left_alone() -> None:
    reply = '{"groupName": "g", "Notes": [{"Name": "Ann", "Score": 3}], "By Key": {"Name": 1, "groupName": 2}}'
    content = read(reply, Group)["content"]
    assert (content.group_name, content.notes[0].name) == ("g", "Ann")
    assert content.by_key == {"Name": 1, "groupName": 2}


@pytest.mark.parametrize(
    ("reply", "schema"),
    [
        # A field of the type's own is no wrapper.
        ('{"child": {"value": 3}}', Node),
        # There is more beside it, which would be lost.
        (f'{{"response": {WRITTEN}, "other": 1}}', Note),
        (f"[{WRITTEN}, {WRITTEN}]", Note),
        (f'{{"name": "Note", "arguments": {WRITTEN}, "why": "x"}}', Note),
        # The type's schema, with nothing filled in.
        ('{"type": "object", "properties": {"name": {"type": "string"}, "score": {"type": "number"}}}', Note),
        # Both spellings.
        ('{"name": "Ann", "Name": "Bob", "score": 3}', Note),
        ('{"answer": 42}', int),
    ],
)
def test_what_may_mean_something_else_is_refused(reply: str, schema: Any) -> None:
    assert read(reply, schema)["status"] == "error"


def test_without_a_type_and_where_it_fits_a_wrapper_is_part_of_the_value() -> None:
    assert read('{"response": {"a": 1}}', None)["content"] == {"response": {"a": 1}}
    assert read('{"Response": [1]}', dict[str, list[int]])["content"] == {"Response": [1]}


def test_what_is_wrong_inside_of_a_wrapper_is_said_of_the_value_itself() -> None:
    refused = read('{"name": "Note", "arguments": {"name": "Ann", "score": "high", "tags": ["a"]}}')
    assert "`score`: write a number" in refused["feedback"]
    assert refused["kept"] == {"name": "Ann", "score": "high", "tags": ["a"]}


def test_a_call_in_place_of_the_value_keeps_no_name_of_the_call() -> None:
    """The name of the call was kept as that of the note, and the next reply put into it."""
    first = '{"name": "Note", "arguments": {"name": "Ann", "score": "high"}}'
    model = ScriptedModel(replies=[first, '{"score": 3}'])
    assert think_with_retry(model, "A note?", json_parser, schema=Note).name == "Ann"


def test_a_second_reply_in_a_wrapper_goes_into_what_was_kept() -> None:
    model = ScriptedModel(replies=['{"name": "Ann", "score": "high"}', '{"response": {"Score": 3}}'])
    assert think_with_retry(model, "A note?", json_parser, schema=Note).score == 3


@settings(deadline=None, max_examples=150)
@given(
    st.recursive(
        st.none() | st.integers(0, 3) | st.sampled_from(["name", "{", '{"name": 1}', "[1]"]),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["name", "Name", "score", "response", "arguments", "properties", "type"]),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_any_value_is_answered_and_what_fits_is_in_it(value: Any) -> None:
    written = json.dumps(value)
    for schema in (Note, Node, Group, Note | Node, list[int]):
        result = read(written, schema)
        if result["status"] == "error":
            assert result["feedback"]
        elif isinstance(result["content"], Note):
            assert result["content"].name in written


@pytest.mark.parametrize("unit", ["[", '{"a":', '{"response": ', "{{", '{\\"', '\\"{', "{\\n"])
def test_wrappers_without_end_are_refused_at_once(unit: str) -> None:
    assert read(unit * 20_000)["status"] == "error"


@pytest.mark.parametrize("schema", [Note, None])
def test_an_example_of_what_is_wrong_is_no_answer(schema: Any) -> None:
    other = WRITTEN.replace("Ann", "Bob")
    reply = f"```json\n{WRITTEN}\n```\nFor comparison, this would not be valid:\n```json\n{other}\n```"
    for text in (reply, f"Invalid:\n```json\n{WRITTEN}\n```\nSo nothing else."):
        found = json_parser(text, schema)["content"]
        assert (found if schema is None else found.model_dump()) == WANTED
