"""Which JSON of a reply is held to the schema, what JSON's types and formats are, and what is said of each."""

from __future__ import annotations

import json
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import BaseModel, BeforeValidator, Field
from thoughtgraph import json_parser
from thoughtgraph.tools.verifiers import JSONSchemaVerifier


class Item(BaseModel):
    """All may be left out."""

    n: int | None = None
    name: str | None = None


def block(text: str, tag: str = "json") -> str:
    return f"```{tag}\n{text}\n```"


ID = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
LATER: dict[str, tuple[Any, str, Any]] = {
    "a source": (list[int], "As shown in [1], the names are:\n" + block('["x"]'), ["x"]),
    "a source in prose": (list[int], 'As shown in [1], the names are ["x"].', ["x"]),
    "an empty list": (list[int], "It is never [] here:\n" + block('["x"]'), ["x"]),
    "an empty object": (Item, "Defaults are {}.\n" + block('{"n": "many"}'), {"n": "many"}),
    "the form": (ID, 'The format is {"id": 1}. Answer:\n' + block('{"id": "A7"}'), {"id": "A7"}),
    "the form, without a block": (ID, 'The format is {"id": 1}. Answer:\n{"id": "A7"}', {"id": "A7"}),
    "a link": (list[int], "[2](http://x) says\n" + block('["a"]'), ["a"]),
    "a worse correction": (Item, block('{"n": 1}') + "\nNo:\n" + block('{"n": "one"}'), {"n": "one"}),
    "a worse correction in order": (list[int], block("[1]") + "\nNo:\n" + block('[1, "x",]'), [1, "x"]),
    "a worse correction without blocks": (Item, '{"n": 1}\nNo:\n{"n": "one"}', {"n": "one"}),
    "a block without a tag": (list[int], "See [1]:\n" + block('["x"]', ""), ["x"]),
    "a link behind": (list[str], block('["x", 3]') + '\nSee ["docs"].', ["x", 3]),
    "a worse correction in the same block": (Item, block('{"n": 1}\n{"n": "one"}'), {"n": "one"}),
    "a block that is cut off": (Item, 'So {"n": 1}:\n```json\n{"n": "x", "name": "To', {"n": "x", "name": "To"}),
}
ANSWERS: dict[str, tuple[Any, str, Any]] = {
    "a better correction": (Item, block('{"n": "one"}') + "\nNo:\n" + block('{"n": 1}'), {"n": 1}),
    "a correction in the same block": (ID, block('{"id": 1}\n\n// wait, that is wrong:\n{"id": 2}'), {"id": 2}),
    "two values in a block": (ID, block('{"id": 1}\n{"id": 2}'), {"id": 2}),
    "two values in a block without a tag": (ID, block('{"id": 1}\nNo:\n{"id": 2,}', ""), {"id": 2}),
    "lines in a block": (list[Item], block('{"n": 1}\n{"n": 2}'), [{"n": 1}, {"n": 2}]),
    "the schema behind": (ID, block('{"id": 1}') + "\nIt fits:\n" + block(json.dumps(ID)), {"id": 1}),
    "other JSON behind": (ID, block('{"id": 1}') + "\nIt prints:\n" + block("[1, 2]", ""), {"id": 1}),
    "what a command prints behind": (ID, block('{"id": 1}') + "\nRun:\n" + block("curl -g [::1]", ""), {"id": 1}),
    "a block for something else": (ID, 'It is\n{"id": 1}\nRun:\n' + block("echo [1]", ""), {"id": 1}),
    "an invalid example behind": (ID, block('{"id": 1}') + "\nAn invalid example:\n" + block('{"id": "1"}'), {"id": 1}),
    "a counter-example behind": (ID, block('{"id": 1}') + "\n**Counter-example:**\n" + block('{"id": 2}'), {"id": 1}),
    "what is not valid behind": (ID, block('{"id": 1}') + "\nNot valid:\n\n" + block('{"id": 2}', ""), {"id": 1}),
    "a counter-example alone": (ID, "Counter-example:\n" + block('{"id": 2}'), {"id": 2}),
    "an example before": (ID, "As in\n" + block('{"id": "x"}') + "\n" + block('{"id": 1}'), {"id": 1}),
    "an empty list alone": (list[int], "The list is [].", []),
    "one number in prose": (list[int], "The list is [7].", [7]),
    "JSON in another block": (ID, block('{"id": 1}', "javascript"), {"id": 1}),
    "lines": (list[Item], '{"n": 1}\n{"n": 2}', [{"n": 1}, {"n": 2}]),
    "inline code": (ID, 'As {"x": 1}:\n`{"id": 1}`', {"id": 1}),
    "mended": (ID, "See [1].\n" + block("{id: 1,}"), {"id": 1}),
}


@pytest.mark.parametrize("way", [*LATER, *ANSWERS])
def test_line_ends_and_the_marks_of_a_quote_change_no_answer(way: str) -> None:
    schema, reply, _ = {**LATER, **ANSWERS}[way]
    verify = JSONSchemaVerifier(schema)
    quoted = "\n".join(f"> {line}".rstrip() for line in reply.split("\n"))
    for said in (quoted, reply.replace("\n", "\r\n"), quoted.replace("\n", "\r\n")):
        assert verify.parse(said) == verify.parse(reply)
        assert verify("", said) == verify("", reply)


def test_a_reply_that_is_quoted_as_a_whole_is_read_as_the_parser_reads_it() -> None:
    verify = JSONSchemaVerifier(ID)
    for reply in ('> {\n>  "id": 1,\n>  "y": 2\n> }\n', '> ```json\r\n> {"id": 1,\r\n>  "y": 2}\r\n> ```'):
        assert verify.parse(reply)["content"] == json_parser(reply)["content"] == {"id": 1, "y": 2}
        assert verify("", reply).status == "passed"
    assert verify.parse('{"id": "> 1"}')["content"] == {"id": "> 1"}
    # Of a mail only a part is quoted.
    assert verify.parse('> {"id": 1}\nNo, {"id": 2}')["content"] == {"id": 2}


@pytest.mark.parametrize("way", LATER)
def test_what_fits_beside_the_answer_is_not_taken_for_it(way: str) -> None:
    schema, reply, answer = LATER[way]
    verify = JSONSchemaVerifier(schema)
    assert verify.parse(reply).get("content") == answer
    assert verify("t", reply).status == "failed"


@pytest.mark.parametrize("way", ANSWERS)
def test_an_answer_is_found_beside_other_json(way: str) -> None:
    schema, reply, answer = ANSWERS[way]
    verify = JSONSchemaVerifier(schema)
    assert verify.parse(reply).get("content") == answer
    assert verify("t", reply).status == "passed"


def test_of_a_block_that_cannot_be_read_prose_does_not_take_the_place() -> None:
    verdict = JSONSchemaVerifier(list[int])("t", "See [1].\n" + block("n: 1"))
    assert (verdict.kind, verdict.feedback.startswith("The block holds no JSON")) == ("no_json", True)


class Color(Enum):
    """An enumeration of texts."""

    RED = "red"


@pytest.mark.parametrize(
    ("schema", "answer", "fits"),
    [
        (dict[str, int], '{"a": true}', False),
        (dict[str, int], '{"a": "3"}', False),
        (dict[str, int], '{"a": 3.0}', True),
        (dict[str, int], '{"a": 3.5}', False),
        (dict[str, float], '{"a": 3}', True),
        (dict[str, float], '{"a": "3"}', False),
        (dict[str, float], '{"a": 1e300}', True),
        (dict[str, bool], '{"a": 1}', False),
        (dict[str, bool], '{"a": "yes"}', False),
        (dict[str, str], '{"a": 3}', False),
        (list[datetime], "[1700000000]", False),
        (list[datetime], '["2024-01-01T10:00:00Z"]', True),
        (tuple[date, timedelta, UUID], f'["2024-01-02", "P3D", "{UUID(int=1)}"]', True),
        (dict[int, Color], '{"1": "red"}', True),
        (tuple[set[int], Decimal], '[[1], "1.25"]', True),
        (list[Annotated[int, BeforeValidator(int)]], '["3"]', True),
    ],
    ids=str,
)
def test_types_are_those_of_json(schema: Any, answer: str, fits: bool) -> None:
    assert (JSONSchemaVerifier(schema)("t", answer).status == "passed") is fits


@pytest.mark.parametrize("schema", [dict[str, float], {"additionalProperties": {"type": "number"}}], ids=str)
def test_an_endless_number_is_named(schema: Any) -> None:
    verdict = JSONSchemaVerifier(schema)("t", '{"a": 1e999}')
    assert (verdict.status, "`1e999}`" in verdict.feedback) == ("failed", True)


FORMATS = {
    "date-time": (
        ["2024-02-29T10:00:00Z", "2024-02-29t10:00:00.5+02:00"],
        ["next tuesday", "2024-02-29", "2023-02-29T10:00:00Z", "2024-02-29T25:00:00Z", "20240229T10:00:00Z"],
    ),
    "date": (["2024-02-29"], ["2023-02-29", "20240229"]),
    "time": (["10:00:00Z", "10:00:00.25-03:00"], ["noon", "25:00:00Z", "10:00"]),
    "duration": (["P3DT4H", "P2W", "PT0.5S"], ["3 days", "P", "PT", "P1H"]),
    "email": (["a.b+c@d.org", "a@b"], ["@", "a@", "a b@c.d", "a@b c", "ab.co", "a@-b.c"]),
    "hostname": (["a.example.com", "localhost"], ["a b", "-bad-.com", "a..b", "x" * 64]),
    "uri": (
        ["https://a.b/c?d=e#f", "mailto:a@b.c", "urn:x:y", "http://[::1]:80/"],
        ["not a uri", "//x", "https://", "http://a:b/"],
    ),
    "uri-reference": (["/a/b", "#x", "https://a.b"], ["a b", "/%zz"]),
    "ipv4": (["1.2.3.4"], ["256.1.1.1"]),
    "regex": ([r"^(?<a>[\w-\.]+)$"], ["^(a"]),
    "another": (["anything"], []),
}


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_checked(name: str) -> None:
    verify = JSONSchemaVerifier({"type": "object", "properties": {"x": {"format": name}}})
    good, bad = FORMATS[name]
    assert [value for value in good if verify("t", json.dumps({"x": value})).status != "passed"] == []
    said = {value: verify("t", json.dumps({"x": value})).feedback for value in bad}
    assert [value for value in bad if f"- $.x: {json.dumps(value)} is no {name}" not in said[value]] == []
    assert verify("t", '{"x": 3}').status == "passed"


def test_a_pattern_of_names_means_what_it_means_in_a_json_schema() -> None:
    schema = {"type": "object", "patternProperties": {r"^[\w-\.]+$": {"type": "integer"}}}
    for more in ({"additionalProperties": False}, {"unevaluatedProperties": False}):
        verify = JSONSchemaVerifier({**schema, **more})
        assert verify("t", '{"a-b.c": 1}').status == "passed"
        assert [verify("t", one).status for one in ('{"é": 1}', '{"a": "x"}')] == ["failed"] * 2


@pytest.mark.parametrize("schema", [{"pattern": r"^\p{L}+$"}, {"patternProperties": {r"^\p{L}+$": {}}}], ids=str)
def test_a_pattern_that_python_cannot_run_is_refused_as_that(schema: Any) -> None:
    with pytest.raises(ValueError, match=r"cannot run a pattern .*: \^\\p\{L\}\+\$: bad escape \\p"):
        JSONSchemaVerifier(schema)


def tagged(kind: str, field: str, tag: str = "const") -> dict[str, Any]:
    name = {"const": kind} if tag == "const" else {"enum": [kind]}
    return {"type": "object", "properties": {"type": name, field: {"type": "number"}}, "required": ["type", field]}


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int = Field(ge=0, le=9)


class Dog(BaseModel):
    kind: Literal["dog"]
    bark: str


SHAPES = {"oneOf": [tagged("circle", "r"), tagged("square", "w")]}
SAID = {
    "a form by its const": (SHAPES, {"type": "circle", "r": "2"}, '- $.r: "2" is not of type number'),
    "a form by its enum": (
        {"anyOf": [tagged("circle", "r", "enum"), tagged("square", "w", "enum")]},
        {"type": "square", "w": "2"},
        '- $.w: "2" is not of type number',
    ),
    "no form at all": (
        SHAPES,
        {"type": "x"},
        '- $: {"type": "x"} fits none of the forms: type: "circle" was expected, not "x"; '
        'or type: "square" was expected, not "x"',
    ),
    "none of several fields": (
        {"anyOf": [{"required": ["a"]}, {"required": ["b"], "properties": {"b": {"type": "integer"}}}]},
        {"b": "x"},
        """- $: {"b": "x"} fits none of the forms: 'a' is a required property; or b: "x" is not of type integer""",
    ),
    "none of several types": (
        {"anyOf": [{"type": "integer"}, {"type": "null"}, {"type": ["integer", "object"]}]},
        ["x"],
        '- $: ["x"] is not of type integer or null or object',
    ),
    "too many forms": (
        {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
        {"a": 1, "b": None},
        '- $: {"a": 1, "b": null} fits more than one of [{"required": ["a"]}, {"required": ["b"]}], '
        "and has to fit one alone",
    ),
    "a type by its field": (dict[str, Cat | Dog], {"x": {"kind": "dog"}}, "- $.x.bark: this field is missing"),
    "no type at all": (
        dict[str, Cat | Dog],
        {"x": {"kind": "cow", "lives": 3}},
        "- $.x.kind: write one of 'cat', not \"cow\" (as Cat)",
    ),
    "a field that may not be there": (
        {"properties": {"old": False}}, {"old": 1}, "- $.old: this field is not allowed, leave it out"
    ),
    "a field too many": (
        {"properties": {"a": {}}, "additionalProperties": False}, {"b": 1}, '- $: there is no field "b", leave it out'
    ),
    "too short": ({"items": {"minLength": 3}}, ["ab"], '- $[0]: "ab" is too short: write at least 3 characters'),
    "too long": ({"maxItems": 1}, [1, 2], "- $: [1, 2] is too long: write at most 1 item"),
    "null and true": (
        {"items": {"type": ["string", "null"]}}, [True], "- $[0]: true is not of type string or null"
    ),
    "a pattern": ({"items": {"pattern": r"^\d$"}}, ["\\"], r'- $[0]: "\\" does not match the pattern ^\d$'),
    "one of": ({"items": {"enum": ["a", None]}}, [False], '- $[0]: false is not one of ["a", null]'),
    "an empty list": (Annotated[list[int], Field(min_length=1)], [], "- $: List should have at least 1 item, not []"),
}  # fmt: skip


@pytest.mark.parametrize("case", SAID)
def test_what_is_wrong_is_said_in_terms_of_json(case: str) -> None:
    schema, value, line = SAID[case]
    lines = JSONSchemaVerifier(schema)("t", json.dumps(value)).feedback.splitlines()
    assert line in lines


def test_a_field_that_may_not_be_there_goes_with_the_patch() -> None:
    verify = JSONSchemaVerifier({"properties": {"a": {"properties": {"old": False}}}})
    answer = '{"a": {"old": 1, "b": 2}, "n": 1}'
    assert 'Write one JSON object with "a" alone' in verify.patch_words(answer)
    assert verify.patch(answer, '{"a": {"b": 2}}').get("content") == {"a": {"b": 2}, "n": 1}


class Spoken(BaseModel):
    """What validators of its own see first."""

    day: Annotated[date, BeforeValidator(lambda value: value)]
    pair: Annotated[tuple[int, int], BeforeValidator(lambda value: value)] = (0, 0)


@pytest.mark.parametrize(
    ("schema", "reply", "content"),
    [
        (Spoken, '{"day": "2024-01-01", "pair": [1, 2]}', {"day": "2024-01-01", "pair": [1, 2]}),
        (Item, 'Input:\n{"x": 1}\n\nAnswer: {"name": "a"}', {"name": "a"}),
        (Item, 'Answer: {"name": "a"}\n{"note": 1}', {"name": "a"}),
        (ID, block('{"type": "object"}') + '\n**Answer:** {"id": 1}', {"id": 1}),
        (list[int], 'The result is [5] for the input {"a": 1}', [5]),
        (list[int], "For [3, 1, 2] the index of the largest is [0].", [0]),
    ],
)
def test_what_a_reply_calls_its_answer_is_judged(schema: Any, reply: str, content: Any) -> None:
    verify = JSONSchemaVerifier(schema)
    assert (verify("t", reply).status, verify.parse(reply).get("content")) == ("passed", content)


def test_a_choice_that_tells_no_form_is_told_itself() -> None:
    class Circle(BaseModel):
        color: Literal["red", "blue"]
        r: int

    class Square(BaseModel):
        side: int

    class Shape(BaseModel):
        s: Circle | Square

    feedback = JSONSchemaVerifier(Shape)("t", '{"s": {"color": "purple", "r": 1}}').feedback
    assert "'red' or 'blue'" in feedback


@pytest.mark.parametrize("way", [{"allOf": [{"$ref": "#/$defs/base"}]}, {"$ref": "#/$defs/base"}], ids=str)
def test_what_is_wrong_in_a_part_does_not_make_its_fields_too_many(way: dict[str, Any]) -> None:
    base = {"properties": {"a": {"type": "integer"}, "b": {}}, "required": ["b"]}
    inner = {**way, "unevaluatedProperties": False}
    verify = JSONSchemaVerifier({"$defs": {"base": base}, "properties": {"x": inner, "y": inner}})
    told = {
        '{"x": {"a": "1", "b": 2}}': ['- $.x.a: "1" is not of type integer'],
        '{"x": {"a": 1}}': ["- $.x: 'b' is a required property"],
        '{"x": {"a": "1", "b": 2}, "y": {"b": 2, "c": 3}}': [
            '- $.x.a: "1" is not of type integer',
            "- $.y: Unevaluated properties are not allowed ('c' was unexpected)",
        ],
    }
    for answer, lines in told.items():
        assert verify("t", answer).feedback.splitlines()[1:] == lines
