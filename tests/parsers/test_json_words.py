"""What is wrong with a JSON value is said in words that tell what to write."""

from __future__ import annotations

import json
from datetime import date, datetime, time
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import BaseModel, ConfigDict, Field, model_validator
from thoughtgraph import json_parser


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
