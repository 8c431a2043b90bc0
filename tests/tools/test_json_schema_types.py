"""The types of a pydantic schema are those of JSON, whatever else the type has, and whatever Python has for equal."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    RootModel,
    WrapValidator,
    create_model,
    model_validator,
)
from support.scripted import ScriptedModel
from support.verifiers import judged
from thoughtgraph import create_reflection_graph
from thoughtgraph.tools.verifiers import JSONSchemaVerifier
from typing_extensions import TypedDict


class Size(IntEnum):
    """Numbers with names."""

    SMALL = 1
    LARGE = 2


class Color(Enum):
    """Texts with names."""

    RED = "red"


class Lenient(IntEnum):
    """Numbers that a text may stand for."""

    ONE = 1

    @classmethod
    def _missing_(cls, value: object) -> Lenient | None:
        return cls.ONE if value == "one" else None


class Before(BaseModel):
    """All of it goes through Python."""

    n: int
    day: date
    pair: tuple[int, str]
    by_number: dict[int, str] = {}
    on: bool = False

    @model_validator(mode="before")
    @classmethod
    def _copied(cls, value: Any) -> Any:
        return dict(value) if isinstance(value, dict) else value


class After(BaseModel):
    """A rule across its fields."""

    n: int
    day: date

    @model_validator(mode="after")
    def _small(self) -> After:
        if self.n > 10:
            raise ValueError("n is above 10")
        return self


class Cat(BaseModel):
    """One of two types."""

    kind: Literal["cat"]
    lives: int
    born: date


class Dog(BaseModel):
    """The other one."""

    kind: Literal["dog"]
    good: bool


class First(BaseModel):
    """A version that is a number."""

    version: Literal[1]
    flag: Literal[0, 1]


class Second(BaseModel):
    """A later one."""

    version: Literal[2]
    text: str


class Named(BaseModel):
    """A field of another name."""

    model_config = ConfigDict(strict=True, populate_by_name=True)

    number: int = Field(alias="theNumber")
    day: date


class Numbers(RootModel[list[int]]):
    """A list."""


@dataclass
class Point:
    """No model."""

    n: int
    day: date


class Row(TypedDict):
    """Neither."""

    n: int
    day: date


def same(value: Any) -> Any:
    """What it gets."""
    return value


def wrapped(value: Any, inner: Callable[[Any], Any]) -> Any:
    """What the type makes of it."""
    return inner(value)


MIDNIGHT = "2024-01-31T00:00:00"
DAY = "2024-01-31"
ID = "123e4567-e89b-12d3-a456-426614174000"
RIGHT: list[tuple[Any, Any]] = [
    (date, DAY),
    (date, MIDNIGHT),
    (datetime, "2024-01-31T10:00:00Z"),
    (datetime, DAY),
    (time, "10:00"),
    (timedelta, "PT5M"),
    (Decimal, "1.5"),
    (Decimal, 1.5),
    (UUID, ID),
    (bytes, "x"),
    (set[int], [1]),
    (frozenset[str], ["a"]),
    (tuple[int, str], [1, "a"]),
    (complex, "1+2j"),
    (dict[int, str], {"1": "a"}),
    (dict[date, int], {DAY: 1}),
    (Color, "red"),
    (Size, 1),
    (Lenient, "one"),
    (Literal[0, 1, "x"], 1),
    (Literal[Size.SMALL], 1),
    (Literal[True], True),
    (bool | int, 1),
    (bool | int, True),
    (int | Literal[True], 1),
    (int | Literal[True], True),
    (Literal[1] | bool, True),
    (Size | bool, True),
    (date | int, DAY),
    (date | int, MIDNIGHT),
    (date | int, 3),
    (Decimal | list[int], "1.5"),
    (set[int] | int, [1]),
    (Any, True),
    (Point, {"n": 1, "day": DAY}),
    (Row, {"n": 1, "day": MIDNIGHT}),
    (Numbers, [1]),
    (Named, {"theNumber": 1, "day": DAY}),
    (Before, {"n": 1, "day": DAY, "pair": [1, "a"], "by_number": {"1": "a"}}),
    (After, {"n": 1, "day": MIDNIGHT}),
    (Cat | Dog, {"kind": "cat", "lives": 1, "born": MIDNIGHT}),
    (Annotated[Cat | Dog, Field(discriminator="kind")], {"kind": "dog", "good": True}),
    (Annotated[First | Second, Field(discriminator="version")], {"version": 1, "flag": 0}),
]
VALIDATORS = [BeforeValidator(same), AfterValidator(same), WrapValidator(wrapped)]


@pytest.mark.parametrize(("kind", "value"), RIGHT)
def test_what_is_right_as_json_is_right_beside_what_is_wrong_and_behind_validators(kind: Any, value: Any) -> None:
    for validator in (None, *VALIDATORS):
        odd = kind if validator is None else Annotated[kind, validator]
        verify = JSONSchemaVerifier(create_model("Both", n=(int, ...), x=(odd, ...)))
        assert judged(verify, json.dumps({"n": 3, "x": value})).status == "passed"
        for n in ("3", True):
            verdict = judged(verify, json.dumps({"n": n, "x": value}))
            assert [one["path"] for one in verdict.details["violations"]] == ["$.n"]
            assert verdict.feedback.endswith(f"- $.n: write a whole number, not {json.dumps(n)}")


WRONG: list[tuple[Any, Any, str]] = [
    (int | list[int], True, ""),
    (int | list[int], "3", ""),
    (int | list[int], ["3"], "[0]"),
    (int | list[int], [True], "[0]"),
    (int | dict[str, int] | None, {"a": True}, ".a"),
    (list[int | list[int]], [1, "2"], "[1]"),
    (date | int, "3", ""),
    (date | bool, "yes", ""),
    (UUID | int, True, ""),
    (set[int] | int, ["1"], "[0]"),
    (Annotated[int, Field(gt=5)] | bool, 1, ""),
    (Literal[0, 1], True, ""),
    (Literal[0, 1], False, ""),
    (Literal[True], 1, ""),
    (Literal[None, 1], True, ""),
    (Literal[Size.SMALL], True, ""),
    (Literal[0, 1] | list[int], True, ""),
    (Literal[0, 1] | str, False, ""),
    (list[Literal[0, 1]], [0, True, 1], "[1]"),
    (Size, True, ""),
    (Size, "1", ""),
    (Lenient, True, ""),
    (Size | bool, "1", ""),
    (Before, {"n": "3", "day": DAY, "pair": [1, "a"]}, ".n"),
    (Before, {"n": 3, "day": DAY, "pair": [1, "a"], "on": "yes"}, ".on"),
    (Point, {"n": "3", "day": MIDNIGHT}, ".n"),
    (Row, {"n": True, "day": MIDNIGHT}, ".n"),
    (Named, {"theNumber": "3", "day": MIDNIGHT}, ".theNumber"),
    (Cat | Dog, {"kind": "cat", "lives": "9", "born": MIDNIGHT}, ".lives"),
    (Cat | Dog, {"kind": "dog", "good": "yes"}, ".good"),
    (Annotated[First | Second, Field(discriminator="version")], {"version": 1, "flag": True}, ".flag"),
    (First | Second, {"version": True, "flag": 1}, ".version"),
]


@pytest.mark.parametrize(("kind", "value", "path"), WRONG)
def test_no_text_is_a_number_and_no_number_is_true(kind: Any, value: Any, path: str) -> None:
    verify = JSONSchemaVerifier(create_model("Both", day=(date, ...), x=(kind, ...)))
    for day in (DAY, MIDNIGHT):
        verdict = judged(verify, json.dumps({"day": day, "x": value}))
        assert {one["path"] for one in verdict.details["violations"]} == {f"$.x{path}"}
    verdict = judged(verify, json.dumps({"day": "soon", "x": value}))
    assert {one["path"] for one in verdict.details["violations"]} == {"$.day", f"$.x{path}"}


def test_each_field_is_held_to_its_type_beside_one_that_only_lax_mode_takes() -> None:
    verify = JSONSchemaVerifier(create_model("All", n=(int, ...), b=(bool, ...), d=(date, ...), e=(Size, ...)))
    verdict = judged(verify, json.dumps({"n": True, "b": "yes", "d": MIDNIGHT, "e": "1"}))
    assert verdict.feedback.splitlines()[1:] == [
        "- $.n: write a whole number, not true",
        '- $.b: write true or false, not "yes"',
        '- $.e: write one of 1 or 2, not "1"',
    ]


def test_a_rule_of_the_model_says_nothing_of_a_value_that_is_not_the_answers() -> None:
    verify = JSONSchemaVerifier(After)
    assert judged(verify, json.dumps({"n": 30, "day": MIDNIGHT})).feedback.splitlines()[1:] == ["- $: n is above 10"]
    said = judged(verify, json.dumps({"n": "30", "day": MIDNIGHT})).feedback.splitlines()[1:]
    assert said == ['- $.n: write a whole number, not "30"']


def test_a_validator_that_makes_something_else_of_a_value_is_heard() -> None:
    lenient = BeforeValidator(lambda value: value in (1, "yes", True))
    kind = create_model("Made", n=(Annotated[int, BeforeValidator(int)], ...), on=(Annotated[bool, lenient], ...))
    verify = JSONSchemaVerifier(kind)
    for n, on in (("3", 1), (True, "yes"), (3, True)):
        assert judged(verify, json.dumps({"n": n, "on": on})).status == "passed"


def split(value: Any) -> Any:
    """A list of Python's values for a text."""
    return [date.fromisoformat(day) for day in value.split()] if isinstance(value, str) else value


def renamed(value: Any) -> Any:
    """An object with another name for its field."""
    return {"flag": value.get("f")} if isinstance(value, dict) else value


class Flag(BaseModel):
    """What has another name in the answer."""

    flag: Literal[0, 1]


def test_what_a_validator_makes_or_moves_is_held_to_the_type_as_it_is() -> None:
    kinds = {"days": (Annotated[tuple[date, ...], BeforeValidator(split)], ...)}
    verify = JSONSchemaVerifier(create_model("Days", n=(int, ...), **kinds))
    assert judged(verify, json.dumps({"n": 1, "days": f"{DAY} {DAY}"})).status == "passed"
    said = judged(verify, json.dumps({"n": "1", "days": f"{DAY} {DAY}"})).feedback.splitlines()[1:]
    assert said == ['- $.n: write a whole number, not "1"']
    moved = JSONSchemaVerifier(create_model("Moved", x=(Annotated[Flag, BeforeValidator(renamed)], ...)))
    assert judged(moved, json.dumps({"x": {"f": 1}})).status == "passed"
    assert judged(moved, json.dumps({"x": {"f": 2}})).status == "failed"
    # Where the validator put it, nobody knows.
    assert judged(moved, json.dumps({"x": {"f": True}})).status in ("passed", "failed")


def test_a_validator_that_a_number_does_not_suit_decides_nothing_of_other_fields() -> None:
    kind = create_model("Text", s=(Annotated[str, BeforeValidator(str.strip)], ...), f=(Literal[0, 1], ...))
    verify = JSONSchemaVerifier(kind)
    assert judged(verify, json.dumps({"s": "x", "f": 1})).status == "passed"
    assert judged(verify, json.dumps({"s": "x", "f": True})).status == "failed"


def split_numbers(value: Any) -> Any:
    """Texts of numbers for a text."""
    return value.replace(" ", "").split(";") if isinstance(value, str) else value


def without_commas(value: Any) -> Any:
    """A number as other programs read it."""
    return value.replace(",", "") if isinstance(value, str) else value


def test_a_number_that_a_validator_reads_out_of_a_text_is_one() -> None:
    kinds = {
        "n": (Annotated[int, BeforeValidator(without_commas)], ...),
        "x": (Annotated[list[float], BeforeValidator(split_numbers)], ...),
    }
    verify = JSONSchemaVerifier(create_model("Made", **kinds))
    assert judged(verify, '{"n": "1,000", "x": "1; 2.5"}').status == "passed"
    assert judged(verify, '{"n": 1000, "x": [1, 2.5]}').status == "passed"
    for n in ('"1000"', "true"):
        verdict = judged(verify, f'{{"n": {n}, "x": ["3"]}}')
        assert [one["path"] for one in verdict.details["violations"]] == ["$.n", "$.x[0]"]
    assert judged(verify, '{"n": "ten", "x": [1]}').status == "failed"


@pytest.mark.parametrize(
    ("kind", "value", "wrong"),
    [
        (set[int], [1, "2", True, 3], [1, 2]),
        (frozenset[float], [1, 2.5, "3.5"], [2]),
        (tuple[int, ...], ["3", 4], [0]),
        (set[bool], [True, "yes", 1], [1, 2]),
        (tuple[set[int], bool], [[1], "no"], [1]),
        (tuple[int, str], [1, "2"], []),
        (set[str], ["1", "true"], []),
        (set[int | str], ["1", 2], []),
        (set[Literal["1"]], ["1"], []),
        (frozenset[Decimal], ["1.5", 2], []),
    ],
)
def test_items_are_held_to_their_types_behind_validators(kind: Any, value: list[Any], wrong: list[int]) -> None:
    for validator in VALIDATORS:
        verify = JSONSchemaVerifier(create_model("Items", x=(Annotated[kind, validator], ...)))
        verdict = judged(verify, json.dumps({"x": value}))
        found = [one["path"] for one in (verdict.details or {}).get("violations", ())]
        assert found == [f"$.x[{place}]" for place in wrong]
        assert verdict.status == ("failed" if wrong else "passed")


class Span(BaseModel):
    """Its validators raise what pydantic takes for no refusal."""

    a: int
    b: int
    more: list[Span] | None = None
    note: str | int = ""

    @model_validator(mode="before")
    @classmethod
    def ordered(cls, given: Any) -> Any:
        return given if given["b"] != 7 else given.nothing

    @model_validator(mode="after")
    def divided(self) -> Span:
        assert self.a / self.b
        return self


BROKEN: list[tuple[Any, str, list[str]]] = [
    (Span, '{"a": 1}', ["$.b: this field is missing"]),
    (Span, "[1]", ["$: write an object in { }, not [1]"]),
    (Span, '{"a": "x", "b": 7}', ['$.a: write a whole number, not "x"']),
    (Span, '{"a": 1, "b": 2, "more": [{"a": true, "b": 0}]}', ["$.more[0].a: write a whole number, not true"]),
    (list[Span], '[{"b": 7}]', ["$[0].a: this field is missing"]),
    (dict[str, Span], '{"k": {"a": 1, "more": 2}}', ["$.k.b: this field is missing", "$.k.more: write a list"]),
    (create_model("Closed", __base__=Span, c=(bool, ...)), '{"a": 1, "b": 7}', ["$.c: this field"]),
    (create_model("Few", spans=(dict[str, Span] | list[Span], ...)), '{"spans": {"x": {"b": 1}}}', ["$.spans.x.a"]),
]
RAISED: list[tuple[Any, str, str]] = [
    (Span, '{"a": 1, "b": 0}', 'Span: a validator raised ZeroDivisionError: division by zero for {"a": 1, "b": 0}'),
    (Span, '{"a": 1, "b": 7}', "Span: a validator raised AttributeError: 'dict' object has no attribute 'nothing'"),
    (list[Span], '[{"a": 1, "b": 0}]', "Span]: a validator raised ZeroDivisionError"),
    (Span, '{"a": 1, "b": 2, "more": [{"a": 1, "b": 0, "note": "x"}]}', "Span: a validator raised ZeroDivisionError"),
]


@pytest.mark.parametrize(("kind", "answer", "said"), BROKEN)
def test_a_validator_that_breaks_hides_no_missing_field_and_no_wrong_type(
    kind: Any, answer: str, said: list[str]
) -> None:
    verdict = judged(JSONSchemaVerifier(kind), answer)
    assert (verdict.status, verdict.failed_on) == ("failed", "form")
    lines = verdict.feedback.splitlines()[1:]
    assert len(lines) == len(said)
    assert all(words in line for words, line in zip(said, lines, strict=True)), verdict.feedback


@pytest.mark.parametrize(("kind", "answer", "said"), RAISED)
def test_where_a_validator_breaks_on_a_right_form_nothing_is_known(kind: Any, answer: str, said: str) -> None:
    verdict = judged(JSONSchemaVerifier(kind), answer)
    assert (verdict.status, verdict.kind) == ("unverified", "verifier_error")
    assert said in verdict.feedback


def test_a_validator_that_breaks_costs_no_run_its_answers() -> None:
    replies = ['{"a": 1}', '{"b": 0}']
    graph = create_reflection_graph(actor=ScriptedModel(replies=replies), verifier=JSONSchemaVerifier(Span))
    run = graph.invoke({"task": "Give a span."})
    assert [one["verdict"] for one in run["attempts"]] == ["failed", "unverified"]
    assert run["stop_reason"]["kind"] == "unverified"
    assert 'ZeroDivisionError: division by zero for {"a": 1, "b": 0}' in run["stop_reason"]["value"]


def test_the_choices_of_a_literal_are_told_as_json_has_them() -> None:
    verify = JSONSchemaVerifier(dict[str, Literal["None", True, None]])
    verdict = verify("task", '{"a": "x"}')
    assert verdict.feedback.splitlines()[-1] == "- $.a: write one of 'None', true or null, not \"x\""
    assert verify("task", '{"a": "None", "b": true, "c": null}').status == "passed"
