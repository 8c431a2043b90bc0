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
        # As JSON, in which a date is a text; strict, because else a text would be a number, and 1 would be true.
        written = dumps(json.loads(dumps(value), parse_float=_number))
        try:
            adapter.validate_json(written, strict=True)
        except ValidationError as invalid:
            for found in problems_of(invalid, value):
                # What has to go at the top is not asked for again.
                asked = tuple(place for place in found.places if place not in found.gone or len(place) > 1)
                # Which of the names at the top was meant, only the whole can tell.
                asked = tuple(() if place in found.misnamed and len(place) == 1 else place for place in asked)
                path = f"${written_path(found.path)}"
                yield Violation(path, found.words, found.whole, found.ruled, asked, found.gone)

    return violations, adapter.json_schema()


def _number(digits: str) -> int | float:
    """A number as JSON has it, for which 3.0 is a whole number."""
    number = float(digits)
    return int(number) if number.is_integer() and abs(number) < _WHOLE_BELOW else number
