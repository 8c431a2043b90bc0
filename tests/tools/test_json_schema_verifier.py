"""A JSON answer is held to a schema, and every violation is named with its path."""

from __future__ import annotations

import json
import sys
from datetime import date
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AliasChoices, BaseModel, ConfigDict, Field
from support.raw_server import JSON, RawServer, whole
from support.scripted import ScriptedModel
from support.verifiers import judged
from thoughtgraph import create_reflection_graph
from thoughtgraph.errors import MissingLibraryError
from thoughtgraph.tools.verifiers import JSONSchemaVerifier


class City(BaseModel):
    """What is asked for."""

    name: str
    people: int = Field(ge=0)
    founded: date | None = None


CITY = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "people": {"type": "integer", "minimum": 0},
        "founded": {"type": "string", "format": "date"},
        "parts": {"type": "array", "items": {"$ref": "#/$defs/part"}},
    },
    "required": ["name", "people"],
    "$defs": {"part": {"type": "object", "required": ["name"]}},
}


@pytest.mark.parametrize("schema", [City, CITY], ids=["pydantic", "dict"])
def test_what_fits_passes_and_every_violation_is_named(schema: Any) -> None:
    verify = JSONSchemaVerifier(schema)
    assert (
        judged(verify, '```json\n{"name": "Oslo", "people": 709000, "founded": "1048-01-01"}\n```').status == "passed"
    )
    verdict = judged(verify, '{"name": 1, "people": -1, "founded": "long ago"}')
    assert (verdict.status, verdict.kind) == ("failed", "schema")
    assert [line.split(":")[0] for line in verdict.feedback.splitlines()[1:]] == [
        "- $.name",
        "- $.people",
        "- $.founded",
    ]
    assert [item["path"] for item in verdict.details["violations"]] == ["$.name", "$.people", "$.founded"]


OSLO = {"name": "Oslo", "people": 709000}


@pytest.mark.parametrize("schema", [City, CITY], ids=["pydantic", "dict"])
@pytest.mark.parametrize(
    ("answer", "around"),
    [
        ({"result": OSLO}, '{"result": …}'),
        ([OSLO], "[…]"),
        ({"data": {"city": OSLO}}, '{"data": {"city": …}}'),
        ({"cities": [OSLO]}, '{"cities": […]}'),
        ({"json": json.dumps(OSLO)}, '{"json": "…"}'),
        ({"status": "ok", "data": OSLO}, '{"data": …}'),
    ],
)
def test_what_is_around_the_right_object_is_named(schema: Any, answer: Any, around: str) -> None:
    verify = JSONSchemaVerifier(schema)
    verdict = judged(verify, f"```json\n{json.dumps(answer)}\n```")
    said = f"The JSON does not fit the schema:\n- $: write what is in {around} by itself"
    assert (verdict.status, verdict.feedback, verdict.failed_on) == ("failed", said, "form")
    # What is written again takes the place of the whole.
    assert verify.patch_words(json.dumps(answer)) == ""


def test_what_is_wrong_inside_of_a_wrapper_is_told_as_well() -> None:
    verdict = judged(JSONSchemaVerifier(City), '{"result": {"name": "Oslo", "people": "many"}}')
    assert verdict.feedback.splitlines()[1:] == [
        '- $: write what is in {"result": …} by itself',
        '- $.people: write a whole number, not "many"',
    ]


@pytest.mark.parametrize(
    ("schema", "answer", "said"),
    [
        (dict[str, int], {"cats": {"count": 2}}, '- $.cats: write a whole number, not {"count": 2}'),
        (City, [OSLO, OSLO], "- $: write an object in { }"),
        (City, [{"sku": 1}], "- $: write an object in { }"),
        (City, {"parts": {"name": "Oslo"}}, '- $: write what is in {"parts": …} by itself'),
        (list[int], {"total": 1, "numbers": [1]}, '- $: write what is in {"numbers": …} by itself'),
        (list[int], [["a"]], '- $[0]: write a whole number, not ["a"]'),
    ],
)
def test_what_is_no_wrapper_is_told_apart_from_one(schema: Any, answer: Any, said: str) -> None:
    assert judged(JSONSchemaVerifier(schema), json.dumps(answer)).feedback.splitlines()[1].startswith(said)


@pytest.mark.parametrize("schema", [City, CITY], ids=["pydantic", "dict"])
def test_fewer_violations_score_higher_and_another_type_is_worst(schema: Any) -> None:
    verify = JSONSchemaVerifier(schema)
    points = [
        judged(verify, answer).points
        for answer in ('{"name": "O", "people": -1}', '{"name": 1, "people": -1}', "[1]", "no")
    ]
    assert points == sorted(points, reverse=True)
    assert points[0] < 1
    assert points[2:] == [0, 0]


def test_a_path_leads_into_lists() -> None:
    verdict = judged(JSONSchemaVerifier(CITY), '{"name": "O", "people": 1, "parts": [{"name": "a"}, {}]}')
    assert "- $.parts[1]: 'name' is a required property" in verdict.feedback
    assert (
        "- $.a[1].name: "
        in judged(
            JSONSchemaVerifier(dict[str, list[City]]), '{"a": [{"name": "O", "people": 1}, {"people": 1}]}'
        ).feedback
    )


def test_no_json_fails_with_the_parsers_feedback() -> None:
    verdict = judged(JSONSchemaVerifier(City), "Oslo has many people.")
    assert (verdict.kind, verdict.feedback.startswith("There is no JSON")) == ("no_json", True)


def test_a_strict_model_reads_dates_from_texts() -> None:
    class Strict(City):
        model_config = ConfigDict(strict=True)

    verify = JSONSchemaVerifier(Strict)
    assert judged(verify, '{"name": "O", "people": 1, "founded": "1048-01-01"}').status == "passed"
    assert judged(verify, '{"name": "O", "people": "1"}').status == "failed"


def test_a_million_violations_are_not_listed() -> None:
    verdict = judged(JSONSchemaVerifier({"items": {"type": "string"}}), json.dumps([1] * 10_000))
    assert verdict.feedback.count("\n- $[") == 50
    assert verdict.feedback.endswith("- and more")


def test_the_actor_is_shown_the_schema() -> None:
    assert '"people"' in JSONSchemaVerifier(City).criteria
    assert '"people"' in JSONSchemaVerifier(CITY).criteria


def test_what_is_no_schema_is_refused() -> None:
    with pytest.raises(ValueError, match="not a valid JSON schema"):
        JSONSchemaVerifier({"type": "objekt"})


def test_a_reference_elsewhere_is_not_fetched() -> None:
    with RawServer(lambda client: client.send(whole(b"{}", JSON))) as server:
        with pytest.raises(ValueError, match=r"127\.0\.0\.1.* leads nowhere in it"):
            JSONSchemaVerifier({"$ref": f"{server.url}/schema.json"})
        assert server.requests == []


@pytest.mark.parametrize("schema", [{"$ref": "#/$defs/x"}, {"properties": {"a": {"$ref": "#/no"}}}, {"$ref": "#"}])
def test_a_reference_that_leads_nowhere_is_refused(schema: Any) -> None:
    with pytest.raises(ValueError, match="leads nowhere in it"):
        JSONSchemaVerifier(schema)


def test_a_schema_may_refer_to_itself() -> None:
    schema = {"$defs": {"n": {"properties": {"next": {"$ref": "#/$defs/n"}, "v": {"type": "integer"}}}}}
    verify = JSONSchemaVerifier({**schema, "$ref": "#/$defs/n"})
    assert verify("", '{"v": 1, "next": {"v": 2}}').status == "passed"
    assert "$.next.v" in verify("", '{"v": 1, "next": {"v": "x"}}').feedback


@pytest.mark.parametrize("price", ["19.99", "0.29", "4.35", "33.33", "0.07", "5", "1e300"])
def test_a_multiple_is_one_in_decimal_digits(price: str) -> None:
    verify = JSONSchemaVerifier({"properties": {"p": {"type": "number", "multipleOf": 0.01}}})
    assert verify("", f'{{"p": {price}}}').status == "passed"
    assert "0.005 is not a multiple of 0.01" in verify("", '{"p": 0.005}').feedback


def test_of_a_choice_what_is_wrong_with_the_form_that_was_meant_is_named() -> None:
    class Address(BaseModel):
        zip: str
        street: str

    class Person(BaseModel):
        address: Address | None = None
        others: list[Address] | None = None

    verify = JSONSchemaVerifier(Person.model_json_schema())
    assert "- $.address: 'zip' is a required property" in verify("", '{"address": {"street": "A"}}').feedback
    assert "- $.others[0].zip: 1 is not of" in verify("", '{"others": [{"zip": 1, "street": "A"}]}').feedback
    assert "- $.address: 5 is not of type object or null" in verify("", '{"address": 5}').feedback


def test_what_a_model_thinks_is_no_answer() -> None:
    thought = '<think>try {"people": 1}</think>\nI give up: {"people": "x"}'
    assert JSONSchemaVerifier({"properties": {"people": {"type": "integer"}}})("", thought).status == "failed"


def test_without_the_library_a_pydantic_model_still_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    with pytest.raises(MissingLibraryError, match=r"thoughtgraph\[jsonschema\]"):
        JSONSchemaVerifier(CITY)
    assert judged(JSONSchemaVerifier(City), '{"name": "O", "people": 1}').status == "passed"


@given(st.text())
def test_any_text_gets_a_verdict(answer: str) -> None:
    for schema in (City, CITY):
        verdict = JSONSchemaVerifier(schema)("", answer)
        assert verdict.status in ("passed", "failed")
        assert bool(verdict.feedback) == (verdict.status == "failed")


TOLD = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 3}}, "required": ["n"]}
MORE = [
    {"minProperties": 2},
    {"properties": {"n": {"type": "integer", "multipleOf": 5}}},
    {"required": ["n", "m"]},
    {"anyOf": [{"required": ["n"]}]},
    {"properties": {"n": {"items": {"type": "string"}}}},
    {"properties": {"n": {"$ref": "#/$defs/n", "minimum": 3}}, "$defs": {"n": {"type": "integer"}}},
]


def test_a_form_is_shown_in_a_notation_that_is_no_value() -> None:
    assert JSONSchemaVerifier(dict[str, int]).criteria.endswith("\n\n{[name]: integer}")
    assert JSONSchemaVerifier(TOLD).criteria.endswith('\n\n{"n": integer (at least 3)}')
    assert '"founded"?: string (date) | null' in JSONSchemaVerifier(City).criteria


@pytest.mark.parametrize("more", MORE)
def test_a_schema_that_asks_for_more_than_the_notation_can_say_is_shown_itself(more: dict[str, Any]) -> None:
    assert json.dumps({**TOLD, **more}) in JSONSchemaVerifier({**TOLD, **more}).criteria


FORBIDS = {
    "type": "object",
    "properties": {"name": {"type": "string"}},
    "required": ["name"],
    "patternProperties": {"^x-": {"type": "string"}},
    "additionalProperties": False,
}


class Person(BaseModel):
    """A field of two names, and none beside."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    full_name: str = Field(alias="fullName")
    age: int


class Titled(BaseModel):
    """A field of either name."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(validation_alias=AliasChoices("name", "title"))
    size: int


class Tree(BaseModel):
    """A type that holds itself."""

    model_config = ConfigDict(extra="forbid")

    name: str
    size: int
    parts: list[Tree] = []


class Home(BaseModel):
    """A part with a field that may be left out."""

    street: str = ""
    zip: int


class Owner(BaseModel):
    """What has that part."""

    name: str
    home: Home


class Bird(BaseModel):
    """One of two types."""

    kind: Literal["bird"]
    wings: int


class Fish(BaseModel):
    """The other."""

    kind: Literal["fish"]
    fins: int


PATCHES: dict[str, tuple[Any, dict[str, Any], str, dict[str, Any], dict[str, Any]]] = {
    "a-pattern-of-fields": (FORBIDS, {"name": 5, "x-a": "b"}, '"name"', {"name": "E"}, {"name": "E", "x-a": "b"}),
    "a-field-by-pattern": (FORBIDS, {"name": "E", "x-a": 7}, '"x-a"', {"x-a": "b"}, {"name": "E", "x-a": "b"}),
    "no-such-field": (FORBIDS, {"name": 5, "x-a": "b", "y": 1}, '"name"', {"name": "E"}, {"name": "E", "x-a": "b"}),
    "by-its-name": (Person, {"full_name": "E", "age": "?"}, '"age"', {"age": 5}, {"full_name": "E", "age": 5}),
    "by-either-name": (Titled, {"title": "E", "size": "?"}, '"size"', {"size": 5}, {"title": "E", "size": 5}),
    "a-type-that-holds-itself": (
        Tree, {"name": "E", "size": "?", "color": "red"}, '"size"', {"size": 5}, {"name": "E", "size": 5}
    ),
    "no-such-field-below": (
        Tree,
        {"name": "E", "size": 5, "parts": [{"name": "F", "size": 1, "color": "red"}]},
        '"parts"',
        {"parts": [{"name": "F", "size": 1}]},
        {"name": "E", "size": 5, "parts": [{"name": "F", "size": 1}]},
    ),
    "below": (
        Owner,
        {"name": "E", "home": {"street": "A", "zip": "?"}},
        '"home"',
        {"home": {"zip": 5}},
        {"name": "E", "home": {"street": "A", "zip": 5}},
    ),
    "told-apart": (
        Annotated[Bird | Fish, Field(discriminator="kind")],
        {"kind": "bird", "wings": "two"},
        '"wings"',
        {"wings": 2},
        {"kind": "bird", "wings": 2},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PATCHES)
def test_what_is_asked_for_again_exists_and_all_else_stays(name: str) -> None:
    schema, wrong, asked, reply, right = PATCHES[name]
    verify = JSONSchemaVerifier(schema)
    words = verify.patch_words(json.dumps(wrong))
    assert f"Write one JSON object with {asked} alone." in words
    patched = verify.patch(json.dumps(wrong), json.dumps(reply)).get("content")
    assert patched == right
    assert judged(verify, json.dumps(patched)).status == "passed"


@pytest.mark.parametrize(
    ("schema", "wrong"),
    [
        (Bird | Fish, {"wings": 2}),
        (dict[Literal["red", "blue"], int], {"red": 1, "blu": 2}),
        (FORBIDS, {"name": 5}),
    ],
    ids=["either-of-two-types", "a-wrong-key-alone", "all-of-it"],
)
def test_where_no_field_can_be_named_the_whole_is_asked_for(schema: Any, wrong: dict[str, Any]) -> None:
    assert JSONSchemaVerifier(schema).patch_words(json.dumps(wrong)) == ""


class Pet(BaseModel):
    name: str
    age: int


FITS = '{"name": "Tom", "age": 3}'
AROUND = {
    "a note behind": FITS + "\nSee note [1].",
    "a list behind": f"```json\n{FITS}\n```\nA list would be [1, 2].",
    "an example before": 'In the form {"example": 1}: ' + FITS,
    "an example behind": FITS + '\nNot {"name": "Tom"}.',
    "a first try": 'First {"name": "Tom"}, then ' + FITS + ', and the old one was {"x": 1}',
}


@pytest.mark.parametrize("way", AROUND)
@pytest.mark.parametrize("schema", [Pet, Pet.model_json_schema()], ids=["pydantic", "dict"])
def test_of_several_values_the_one_that_fits_is_the_answer(way: str, schema: Any) -> None:
    verify = JSONSchemaVerifier(schema)
    assert verify.parse(AROUND[way]).get("content") == {"name": "Tom", "age": 3}
    assert verify("t", AROUND[way]).status == "passed"


def test_where_none_fits_the_closest_is_the_answer() -> None:
    reply = '{"name": "Tom", "age": "three"}\nOr [1].'
    assert JSONSchemaVerifier(Pet).parse(reply).get("content") == {"name": "Tom", "age": "three"}
    assert "$.age" in JSONSchemaVerifier(Pet)("t", reply).feedback


@pytest.mark.parametrize(
    ("schema", "right", "wrong"),
    [
        (int, "42", '"many"'),
        (bool, "```json\ntrue\n```", "2"),
        (Literal["yes", "no"], '"yes"', '"perhaps"'),
        (int | None, "null", '"none"'),
        (str, '"two words"', "7"),
        ({"type": "integer"}, "42", "4.5"),
        ({"type": "string"}, '"x"', "7"),
    ],
)
def test_an_answer_may_be_a_single_value(schema: Any, right: str, wrong: str) -> None:
    verify = JSONSchemaVerifier(schema)
    assert judged(verify, right).status == "passed"
    assert judged(verify, wrong).status == "failed"
    graph = create_reflection_graph(actor=ScriptedModel(replies=[wrong, right]), verifier=verify, max_attempts=2)
    ended = graph.invoke({"task": "t"})
    assert ended["verdict"] == "passed"
    assert json.loads(ended["answer"]) == json.loads(right.removeprefix("```json").removesuffix("```"))


def test_an_answer_that_passes_fits_as_it_stands() -> None:
    """A name with a space before it counts as meant, and the answer has it as it was meant."""

    class Stay(BaseModel):
        model_config = ConfigDict(extra="forbid")
        nights: int

    model = ScriptedModel(replies=['```json\n{" nights": 3}\n```'])
    run = create_reflection_graph(actor=model, verifier=JSONSchemaVerifier(Stay)).invoke({"task": "How long?"})
    assert run["verdict"] == "passed"
    assert Stay.model_validate_json(run["answer"]).nights == 3


@pytest.mark.parametrize("wrong", ["City", 3, object()])
def test_what_is_no_type_is_refused(wrong: object) -> None:
    with pytest.raises(ValueError, match="schema is a type that pydantic knows"):
        JSONSchemaVerifier(wrong)


@pytest.mark.parametrize(
    ("pattern", "value", "fits"),
    [
        ("^[0-9]{3}$", "123", True),
        ("^[0-9]{3}$", "123\n", False),
        (r"^\d+$", "12", True),
        (r"^\d+$", "١٢", False),
        (r"^\D+$", "٣", True),
        (r"^[\d-]+$", "1-2", True),
        (r"^[\\d]+$", "d\\", True),
        (r"^[\\d]+$", "5", False),
        (r"^\w+$", "é", False),
        ("^[$]5", "$5", True),
        (r"^\$5$", "$5", True),
        ("[]$]", "a]", True),
        (r"^\s+$", "\u00a0", True),
        ("(?i)^é$", "É", True),
        (r"^[\w-\.]+@[\w-]+$", "a-b.c@d", True),
        (r"^[\w-\.]+$", "a,b", False),
        (r"^[+-\d]+$", "+1-2", True),
        (r"^[^\W\d]+$", "é", False),
        (r"^(?<year>\d{4})-\k<year>$", "2024-2024", True),
        (r"^(?<year>\d{4})-\k<year>$", "2024-2025", False),
        (r"(?<=a)b(?<!c)", "ab", True),
        (r"^\<[a-z]\>$", "<b>", True),
        (r"^[[a]$", "[", True),
        ("^[a&&b]+$", "&", True),
        ("^.$", "\ud800", True),
        (r"^(\w)\1$", "aa", True),
        ("^(a+)+$", "a" * 60 + "b", False),
        ("^(a+)+$", "a" * 60 + "\ud800", False),
        (r"^(\w+\s?)*$", "word " * 20 + "!", False),
    ],
)
def test_a_pattern_means_what_it_means_in_a_json_schema(pattern: str, value: str, fits: bool) -> None:
    verify = JSONSchemaVerifier({"type": "object", "properties": {"id": {"type": "string", "pattern": pattern}}})
    assert (verify("Give it.", json.dumps({"id": value})).status == "passed") is fits
