"""What breaks a schema in an answer, and how pydantic tells it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError

from ..._internal.strict_json import dumps
from ...parsers.json.words import problems_of, written_path


class Violation(NamedTuple):
    """Something in an answer that breaks the schema.

    Attributes:
        path: where, as a JSONPath.
        message: what is wrong.
        whole: the whole value is of a wrong type.
        ruled: a rule of the model's own, such as a sum of fields, is broken: that is about what an answer says.
        places: of what has to be written again, in the value; () where all of it may have to.
        gone: of the fields that have to go.
    """

    path: str
    message: str
    whole: bool
    ruled: bool = False
    places: tuple[Place, ...] = ((),)
    gone: tuple[Place, ...] = ()


Place = tuple[int | str, ...]
Violations = Callable[[object], Iterable[Violation]]
_WHOLE_BELOW = 2.0**53
"""Up to here every whole number is a float of its own."""


def by_pydantic(adapter: TypeAdapter[Any]) -> tuple[Violations, dict[str, Any]]:
    """What tells the violations of a type that pydantic validates, and the type's JSON schema."""

    def violations(value: object) -> Iterable[Violation]:
        if (invalid := _invalid(adapter, value)) is None:
            return
        for found in problems_of(invalid, value):
            # What has to go at the top is not asked for again.
            asked = tuple(place for place in found.places if place not in found.gone or len(place) > 1)
            # Which of the names at the top was meant, only the whole can tell.
            asked = tuple(() if place in found.misnamed and len(place) == 1 else place for place in asked)
            path = f"${written_path(found.path)}"
            yield Violation(path, found.words, found.whole, found.ruled, asked, found.gone)

    return violations, adapter.json_schema()


def _invalid(adapter: TypeAdapter[Any], value: object) -> ValidationError | None:
    """What is wrong with a value as JSON, in which a date is a text; None for nothing.

    Strict, because else a text would be a number, and 1 would be true. But behind a validator of the type's own, which
    gives Python's values, pydantic's strictness would refuse every text for a date: there only what it refuses anyway
    counts.
    """
    written = dumps(json.loads(dumps(value), parse_float=_number))
    strict, lax = _refused(adapter, written, strict=True), None
    if strict is not None:
        lax = _refused(adapter, written, strict=False)
    anyway = {(item["loc"], item["type"]) for item in lax.errors(include_url=False)} if lax else set[Any]()
    errors = strict.errors(include_url=False) if strict else []
    trusted = all((item["loc"], item["type"]) in anyway or _is_of_json(item) for item in errors)
    return strict if trusted else lax


def _refused(adapter: TypeAdapter[Any], written: str, *, strict: bool) -> ValidationError | None:
    try:
        adapter.validate_json(written, strict=strict)
    except ValidationError as invalid:
        return invalid
    return None


def _is_of_json(item: Any) -> bool:
    """Whether an error says that a value is of another of JSON's own types."""
    given = item["input"]
    return (
        isinstance(given, (int, float))
        if item["type"] in _WRITTEN
        else item["type"] in _TYPES and isinstance(given, (str, int, float))
    )


_TYPES = ("int_type", "float_type", "bool_type", "string_type")
_WRITTEN = ("date_type", "datetime_type", "time_type", "time_delta_type")
"""Of what JSON has as a text."""


def _number(digits: str) -> int | float:
    """A number as JSON has it, for which 3.0 is a whole number."""
    number = float(digits)
    return int(number) if number.is_integer() and abs(number) < _WHOLE_BELOW else number
