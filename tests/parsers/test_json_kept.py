"""Fields of a refused JSON object that were right are kept, and only the others are asked for."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from support.scripted import ScriptedModel
from thoughtgraph import json_parser, think_with_retry
from thoughtgraph.errors import ParseFailedError
from thoughtgraph.parsers import pipe
from thoughtgraph.parsers.contract import error, success
from thoughtgraph.parsers.json.readings import trimmed


class Booking(BaseModel):
    """A type with a rule for every field, and one across two."""

    model_config = ConfigDict(extra="forbid")
    guest: str = Field(min_length=1)
    people: int = Field(ge=1)
    kind: Literal["hut", "tent"] = "tent"
    beds: int | None = None

    @model_validator(mode="after")
    def check(self) -> Booking:
        """There is a bed for each."""
        if self.beds is not None and self.beds < self.people:
            raise ValueError(f"beds is {self.beds}, but there are {self.people} people")
        return self


class Table(BaseModel):
    """A type with the same fields."""

    guest: str
    people: int


def booked(*replies: str, **settings: Any) -> tuple[Any, list[str]]:
    """The value, and what the model was told after each refused reply."""
    model = ScriptedModel(replies=list(replies))
    value = think_with_retry(model, "Book.", json_parser, schema=Booking, **settings)
    return value, [str(request[-1].content) for request in model.requests[1:]]


def test_only_the_wrong_fields_are_asked_for() -> None:
    value, told = booked('{"guest": "Eva", "people": "two", "kind": "hut"}', '{"people": 2}')
    assert value == Booking(guest="Eva", people=2, kind="hut")
    assert '`people`: write a whole number, not "two"' in told[0]
    assert told[0].endswith(
        "Write the corrected JSON in a ```json block.\n"
        "Write only the parts that are missing or have to change, each of them whole; the rest of your reply is kept."
    )


def test_fields_are_kept_over_several_replies() -> None:
    replies = ('{"guest": "Eva", "kind": "cave"}', '{"people": 0}', '{"people": 2}', '{"kind": "hut"}')
    value, told = booked(*replies, max_retries=4)
    assert value == Booking(guest="Eva", people=2, kind="hut")
    assert ["`people`" in text and "`kind`" in text for text in told] == [True, True, False]
    assert "`kind`: write one of" in told[2]


@pytest.mark.parametrize(
    ("second", "value"),
    [
        ('{"guest": "Ida", "people": 3}', Booking(guest="Ida", people=3, kind="hut")),
        ('{"guest": "", "people": 3}', Booking(guest="Eva", people=3, kind="hut")),
        ('{" people": 3}', Booking(guest="Eva", people=3, kind="hut")),
    ],
    ids=["written-again", "spoilt", "spaces"],
)
def test_a_field_that_is_written_again_counts_unless_it_is_wrong_now(second: str, value: Booking) -> None:
    assert booked('{"guest": "Eva", "people": "two", "kind": "hut"}', second)[0] == value


def test_fields_that_do_not_exist_are_not_kept() -> None:
    value, told = booked('{"guest": "Eva", "people": "two", "dog": true}', '{"people": 2}')
    assert value == Booking(guest="Eva", people=2)
    assert "`people`: write a whole number" in told[0]


def test_of_a_broken_rule_across_fields_only_the_change_is_asked_for() -> None:
    value, told = booked('{"guest": "Eva", "people": 3, "beds": 2}', '{"beds": 3}')
    assert value == Booking(guest="Eva", people=3, beds=3)
    assert told[0].startswith("The JSON does not fit: `the whole value`: beds is 2, but there are 3 people")
    assert "each of them whole; the rest of your reply is kept" in told[0]


def test_a_rule_that_is_broken_by_what_was_kept_is_told_with_the_object() -> None:
    first, second = '{"guest": "Eva", "people": "many", "beds": 2}', '{"people": 3}'
    value, told = booked(first, second, '{"guest": "Eva", "people": 3, "beds": 3}')
    assert value == Booking(guest="Eva", people=3, beds=3)
    assert told[1].startswith('With what was kept the JSON is {"guest": "Eva", "people": 3, "beds": 2}. The JSON')


@pytest.mark.parametrize(
    ("schema", "reply"),
    [
        (Booking, '{"guest": "Eva", "people": 3, "dog": 1}'),
        (list[int], '[1, "x"]'),
        (Booking | Table, '{"guest": "Eva", "people": "x"}'),
        (Booking, '{"guest": "", "people": 0}'),
        (Booking, "None."),
    ],
    ids=["extra", "list", "union", "all-wrong", "no-json"],
)
def test_where_no_field_can_be_told_right_the_whole_is_asked_for(schema: Any, reply: str) -> None:
    refused = json_parser(reply, schema)
    assert "kept" not in refused


def test_of_a_type_that_alone_can_be_meant_the_wrong_field_is_asked_for() -> None:
    refused: Any = json_parser('{"guest": "Eva", "people": "x"}', Booking | list[int])
    assert "`people`: write a whole number" in refused["feedback"]
    assert json_parser('{"people": 2}', Booking | list[int], kept=refused["kept"]) == success(
        Booking(guest="Eva", people=2)
    )


def test_wrong_keys_of_a_mapping_are_asked_for_alone() -> None:
    refused: Any = json_parser('{"a": 1, "b": "x"}', dict[str, int])
    assert refused["kept"] == {"a": 1, "b": "x"}
    assert json_parser('{"b": 2}', dict[str, int], kept=refused["kept"]) == success({"a": 1, "b": 2})


def test_a_check_behind_the_parser_sees_the_whole() -> None:
    def few(value: Booking) -> Any:
        return success(value) if value.people < 5 else error("At most four people.")

    model = ScriptedModel(replies=['{"guest": "Eva", "people": "x"}', '{"people": 9}', '{"people": 4}'])
    assert think_with_retry(model, "Book.", pipe(json_parser, few), schema=Booking) == Booking(guest="Eva", people=4)


def test_what_never_fits_fails_with_every_feedback() -> None:
    with pytest.raises(ParseFailedError) as failed:
        booked('{"guest": "Eva"}', '{"people": 0}', '{"people": -1}')
    assert len(failed.value.feedbacks) == 3


anything = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=5,
)
objects = st.dictionaries(st.sampled_from(["guest", "people", "kind", "beds", "dog"]), anything, max_size=5)


@given(objects, objects)
def test_two_replies_are_accepted_only_with_a_value_that_fits(first: dict[str, Any], second: dict[str, Any]) -> None:
    refused: Any = json_parser(json.dumps(first), Booking)
    kept = refused.get("kept", {})
    # The names of fields are read without the blanks around them.
    assert kept.items() <= trimmed(first).items()
    result: Any = json_parser(json.dumps(second), Booking, kept=kept)
    if result["status"] == "success":
        assert isinstance(result["content"], Booking)
    else:
        with pytest.raises(ValidationError):
            Booking.model_validate({**kept, **second})


def test_a_function_around_the_parser_is_asked_for_the_whole() -> None:
    model = ScriptedModel(replies=['{"guest": "Eva", "people": "x"}', '{"guest": "Eva", "people": 2}'])
    assert think_with_retry(model, "Book.", lambda reply: json_parser(reply, Booking)) == Booking(guest="Eva", people=2)
    assert "kept" not in str(model.requests[1][-1].content)
