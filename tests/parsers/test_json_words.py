"""What is wrong with a JSON value is said in words that tell what to write."""

from __future__ import annotations

import json
from datetime import date, datetime, time
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator
from thoughtgraph import json_parser
from thoughtgraph.tools.verifiers import JSONSchemaVerifier


class Option(BaseModel):
    """An item of a list."""

    model_config = ConfigDict(extra="forbid")
    name: str
    votes: int = 0


class Poll(BaseModel):
    """Fields of many types."""

    title: str = "Which day?"
    day: date = date(2026, 1, 1)
    start: time = time(9)
    made: datetime = datetime(2026, 1, 1)
    share: Annotated[float, Field(gt=0)] = 1.0
    open: bool = True
    kind: Literal["secret", "public"] = "public"
    options: list[Option] = Field(default_factory=list[Option])
    best: Option | None = None
    counts: dict[str, int] = Field(default_factory=dict[str, int])

    @model_validator(mode="after")
    def check(self) -> Poll:
        """A rule across fields."""
        if not self.open and self.share == 1:
            raise ValueError("share is 1, but the poll is closed")
        return self


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"title": 3}, "`title`: write a text in quotes, not 3"),
        ({"day": "14 May"}, '`day`: write a date as YYYY-MM-DD, not "14 May"'),
        ({"day": "2026-05-14T10:00:00"}, '`day`: write a date as YYYY-MM-DD, not "2026-05-14T10:00:00"'),
        ({"start": "noon"}, '`start`: write a time as HH:MM, not "noon"'),
        ({"made": "now"}, '`made`: write a date and a time as YYYY-MM-DDTHH:MM:SS, not "now"'),
        ({"share": "all"}, '`share`: write a number, not "all"'),
        ({"share": -1}, "`share`: it should be greater than 0, not -1"),
        ({"open": "maybe"}, '`open`: write true or false, not "maybe"'),
        ({"kind": "odd"}, "`kind`: write one of 'secret' or 'public', not \"odd\""),
        ({"options": 1}, "`options`: write a list in [ ], not 1"),
        ({"options": [{"name": "a", "votes": 2.5}]}, "`options[0].votes`: write a whole number, not 2.5"),
        ({"options": [{"votes": 1}]}, "`options[0].name`: this field is missing"),
        ({"options": [{"name": "a", "x": 1, "y": 2}]}, "`options[0].x`: there is no such field, leave it out"),
        ({"best": "a"}, '`best`: write an object in { }, not "a"'),
        ({"counts": []}, "`counts`: write an object in { }, not []"),
        ({"open": False}, "`the whole value`: share is 1, but the poll is closed"),
    ],
)
def test_the_words_tell_what_to_write(value: dict[str, Any], said: str) -> None:
    assert said in said_of(value)


NO_DAY = "there is no such day, write one that exists"
NO_TIME = "there is no such time, write one from 00:00 to 23:59"


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("day", "2023-02-29", NO_DAY),
        ("day", "2024-13-01", NO_DAY),
        ("day", "2024-04-31", NO_DAY),
        ("day", "0000-01-01", NO_DAY),
        ("day", "2024-02-30T00:00:00", NO_DAY),
        ("day", "2024-01-31T25:00:00", "write a date as YYYY-MM-DD"),
        ("day", "2024-1-5", "write a date as YYYY-MM-DD"),
        ("day", "29.02.2023", "write a date as YYYY-MM-DD"),
        ("day", "25:00", "write a date as YYYY-MM-DD"),
        ("made", "2024-02-30T10:00:00", NO_DAY),
        ("made", "2024-02-30 10:00", NO_DAY),
        ("made", "2024-02-30", NO_DAY),
        ("made", "2024-01-31T25:00:00Z", NO_TIME),
        ("made", "2024-01-31T10:61", NO_TIME),
        ("made", "2024-01-31T10", "write a date and a time as YYYY-MM-DDTHH:MM:SS"),
        ("start", "25:00", NO_TIME),
        ("start", "24:00", NO_TIME),
        ("start", "10:00:60", NO_TIME),
        ("start", "1:00", "write a time as HH:MM"),
        ("start", "10am", "write a time as HH:MM"),
        ("title", 20230229, "write a text in quotes"),
    ],
)
def test_a_day_that_does_not_exist_is_not_called_a_wrong_form(field: str, value: Any, words: str) -> None:
    said = f"{words}, not {json.dumps(value)}"
    assert f"`{field}`: {said}. " in said_of({field: value})
    verdict = JSONSchemaVerifier(Poll)("", json.dumps({field: value}))
    assert verdict.feedback.splitlines()[1:] == [f"- $.{field}: {said}"]


@pytest.mark.parametrize(
    ("form", "value", "said"),
    [
        ("date", "2023-02-29", f'"2023-02-29" is no date: {NO_DAY}'),
        ("date", "29.02.2023", '"29.02.2023" is no date: write it as in 2024-01-31'),
        ("date-time", "2024-02-30T10:00:00Z", f'"2024-02-30T10:00:00Z" is no date-time: {NO_DAY}'),
        ("date-time", "2024-01-31T25:00:00Z", f'"2024-01-31T25:00:00Z" is no date-time: {NO_TIME}'),
        ("date-time", "2024-01-31T23:00", '"2024-01-31T23:00" is no date-time: write it as in 2024-01-31T10:00:00Z'),
        ("time", "25:00:00Z", f'"25:00:00Z" is no time: {NO_TIME}'),
        ("time", "10:00", '"10:00" is no time: write it as in 10:00:00Z'),
        ("uuid", "2023-02-29", '"2023-02-29" is no uuid: write it as in 123e4567-e89b-12d3-a456-426614174000'),
    ],
)
def test_of_a_schema_as_a_dict_neither(form: str, value: str, said: str) -> None:
    verify = JSONSchemaVerifier({"properties": {"x": {"type": "string", "format": form}}})
    assert verify("", json.dumps({"x": value})).feedback.splitlines()[1:] == [f"- $.x: {said}"]


def test_a_field_under_another_name_is_to_be_renamed() -> None:
    said = said_of({"options": [{"text": "a"}]})
    assert '`options[0].text`: there is no such field, rename it to "name"' in said
    assert "`options[0].name`: this field is missing" in said


def test_what_is_wrong_with_several_items_is_said_once() -> None:
    said = said_of({"options": [{"votes": 1}, {"name": "b"}, {"votes": 2}]})
    assert said.count("this field is missing") == 1
    assert "`options[*].name`: this field is missing" in said
    two = said_of({"options": [{"name": "a", "votes": "x"}, {"name": "b", "votes": "y"}]})
    assert 'options[0].votes`: write a whole number, not "x"' in two
    assert 'options[1].votes`: write a whole number, not "y"' in two


def said_of(value: Any) -> str:
    """What the parser says of a value."""
    return str(json_parser(json.dumps(value), Poll).get("feedback"))


class Strict(BaseModel):
    """What only JSON can be read into."""

    model_config = ConfigDict(strict=True)
    count: int
    when: date
    who: UUID


def test_of_a_strict_model_only_what_is_wrong_as_json_is_named() -> None:
    reply = '{"count": "1", "when": "2024-01-02", "who": "12345678-1234-5678-1234-567812345678"}'
    feedback = str(json_parser(reply, Strict).get("feedback"))
    assert "`count`" in feedback
    assert "`when`" not in feedback
    assert "`who`" not in feedback


class Near(BaseModel):
    """One of several, in several."""

    n: int


class Far(BaseModel):
    """What says of which type it is."""

    kind: Literal["far"]


class Farther(BaseModel):
    """The other one."""

    kind: Literal["farther"]


@pytest.mark.parametrize(
    ("kind", "value", "said"),
    [
        (list[Near | int] | Near, [1, {"n": "2"}], ['- $.x[1].n: write a whole number, not "2"']),
        (dict[str, list[Near | int]] | list[int], {"a": [{}]}, ["- $.x.a[0].n: this field is missing"]),
        (
            list[Near | int] | Near,
            ["x"],
            [
                '- $.x[0]: write an object in { }, not "x" (as Near)',
                '- $.x[0]: write a whole number, not "x" (as int)',
            ],
        ),
        (
            Annotated[Far | Farther, Field(discriminator="kind")],
            {"kind": "near"},
            ["- $.x: write one of 'far', 'farther' as its field 'kind', not \"near\""],
        ),
        (
            list[Annotated[Far | Farther, Field(discriminator="kind")]],
            [{"n": 1}],
            ["- $.x[0]: the field 'kind', which says what it is, is missing"],
        ),
    ],
)
def test_of_several_types_what_was_meant_is_told(kind: Any, value: Any, said: list[str]) -> None:
    verdict = JSONSchemaVerifier(create_model("Holds", x=(kind, ...)))("t", json.dumps({"x": value}))
    assert verdict.feedback.splitlines()[1:] == said
