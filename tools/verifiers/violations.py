"""What breaks a schema in an answer, and how pydantic tells it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from copy import deepcopy
from datetime import date, datetime, time, timedelta
from functools import cache, reduce
from operator import getitem
from types import NoneType
from typing import Any, NamedTuple, cast, get_args

from langgraph.errors import GraphBubbleUp
from pydantic import TypeAdapter, ValidationError
from pydantic_core import SchemaValidator
from pydantic_core.core_schema import ErrorType

from ..._internal.strict_json import dumps
from ...parsers.json.leaves import json_number
from ...parsers.json.merging import known_parts, place_of
from ...parsers.json.plain import plain_validator, raised_words
from ...parsers.json.words import KEY, problems_of, written_path


class Violation(NamedTuple):
    """Something in an answer that breaks the schema.

    Attributes:
        path: where, as a JSONPath.
        message: what is wrong.
        whole: the whole value is of a wrong type.
        ruled: a rule of the type's own is broken, such as one for a sum of fields; that is no error of form.
        places: the places in the value that have to be written again; () stands for the whole value.
        gone: the places of the fields that have to go.
        raised: a validator raised something other than a refusal, so that nothing is known of the value.
    """

    path: str
    message: str
    whole: bool
    ruled: bool = False
    places: tuple[Place, ...] = ((),)
    gone: tuple[Place, ...] = ()
    raised: bool = False


Place = tuple[int | str, ...]
Violations = Callable[[object], Iterable[Violation]]
_Adapter = TypeAdapter[Any] | SchemaValidator


def by_pydantic(kind: Any) -> tuple[Violations, dict[str, Any]]:
    """What tells the violations of a type that pydantic validates, and the type's JSON schema."""
    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    schema = adapter.json_schema()
    listed = frozenset(_listed(schema))

    def violations(value: object) -> Iterable[Violation]:
        try:
            wrong = _wrong(adapter, value, listed)
        except GraphBubbleUp:
            raise
        except Exception as problem:  # noqa: BLE001 - a validator of the type's own may raise anything
            wrong = _wrong(plain_validator(adapter), value, ())
            if not wrong:
                words = f"The answer could not be held to {raised_words(kind, problem, value)}"
                yield Violation("$", words, whole=False, raised=True)
        for found in problems_of(wrong, value):
            # A field at the top that has to go is not asked for again.
            asked = tuple(place for place in found.places if place not in found.gone or len(place) > 1)
            # A misnamed field at the top needs the whole value: only that shows which field was meant.
            asked = tuple(() if place in found.misnamed and len(place) == 1 else place for place in asked)
            path = f"${written_path(found.path)}"
            yield Violation(path, found.words, found.whole, found.ruled, asked, found.gone)

    return violations, schema


def _wrong(adapter: _Adapter, value: object, listed: Collection[type]) -> list[Any]:
    """Pydantic's errors of a value as JSON, in which a date is a text."""
    neat = json.loads(dumps(value), parse_float=json_number)
    strict = _refused(adapter, neat, strict=True)
    found = _told_apart(strict, _refused(adapter, neat, strict=False), neat) if strict else []
    wrong = {*map(id, found)}
    lists = [place_of(neat, item["loc"]) for item in strict if item["type"] in _OF_ITEMS and id(item) not in wrong]
    return [*found, *_items_taken(adapter, neat, lists), *_taken_for_another(adapter, neat, listed)]


def _refused(adapter: _Adapter, value: object, *, strict: bool) -> list[Any]:
    try:
        adapter.validate_json(dumps(value), strict=strict)
    except ValidationError as invalid:
        return list(invalid.errors(include_url=False))
    return []


def _told_apart(strict: Sequence[Any], lax: Sequence[Any], value: Any) -> list[Any]:
    """What is wrong with a value, by the errors of pydantic's strict mode and of its lax one.

    Strict, because else a text would be a number, and 1 would be true. But behind a validator of the type's own, which
    gives Python's values, pydantic's strictness would refuse every text for a date: what only that refuses is right.
    """
    anyway = {(item["loc"], item["type"]) for item in lax}
    below = {item["loc"][:end] for item in lax for end in range(len(item["loc"]))}
    only_strict = [item for item in strict if (item["loc"], item["type"]) not in anyway]
    right = {id(item) for item in only_strict if _is_right_as_json(item) or _is_made(item, value)}
    unions: dict[Place, list[Any]] = {}
    for item in strict:
        for end in _names_of_types(item, value):
            unions.setdefault(item["loc"][:end], []).append(item)
    for at in sorted(unions, key=len, reverse=True):
        names = {item["loc"][len(at)] for item in unions[at]}
        wrong = {item["loc"][len(at)] for item in unions[at] if id(item) not in right}
        if at not in below and wrong < names:
            # It is right as one of several types.
            right.update(map(id, unions[at]))
    found = [item for item in strict if id(item) not in right]
    places = {item["loc"] for item in found}
    around = {place[:end] for place in places for end in range(len(place) + 1)}

    def is_beside(place: Place) -> bool:
        return place not in around and not any(place[:end] in places for end in range(len(place)))

    # What lax mode refuses beside these is wrong, too; a rule above them is told of values that are not the answer's.
    return [*found, *(item for item in lax if is_beside(item["loc"]))]


def _names_of_types(item: Any, value: Any) -> Iterator[int]:
    """Where in an error's path the names of one of several types stand, which are no part of the value."""
    path: Place = item["loc"]
    end = len(path) - (item["type"] == "missing" or path[-1:] == (KEY,))
    at = 0
    while (known := known_parts(value, path[at:end])) < end - at:
        value = reduce(getitem, path[at : at + known], value)
        yield at + known
        at += known + 1


_KINDS = frozenset(get_args(ErrorType))
"""Pydantic's own kinds of errors; a validator may name others."""
_OF_VALIDATORS = ("value_error", "assertion_error", "is_instance_of")
_LAX: dict[str, tuple[Any, type | tuple[type, ...]]] = {
    "date_type": (date, str),
    "date_parsing": (date, str),
    "datetime_type": (datetime, str),
    "datetime_parsing": (datetime, str),
    "time_type": (time, str),
    "time_delta_type": (timedelta, str),
    "bytes_type": (bytes, str),
    "complex_str_parsing": (complex, (str, int, float)),
    "set_type": (set, list),
    "frozen_set_type": (frozenset, list),
    "tuple_type": (tuple, list),
}
"""What pydantic's lax mode makes of one of JSON's values, by the error of the strict one."""


def _is_right_as_json(item: Any) -> bool:
    """Whether strict mode may have refused something for being JSON's, or for being Python's behind a validator."""
    kind: str = item["type"]
    given: object = item["input"]
    # Of a validator, or of what it has made. A key is a text in JSON, whatever it stands for.
    if kind in _OF_VALIDATORS or kind not in _KINDS or not isinstance(given, (str, int, float, list, dict, NoneType)):
        return True
    if item["loc"][-1:] == (KEY,) and kind.endswith("_type"):
        return True
    made, written = _LAX.get(kind, (None, ()))
    if not isinstance(given, written):
        return False
    # The items of a list may be Python's, too.
    with suppress(ValidationError):
        _lax(made).validate_python(given)
        return True
    return False


def _is_made(item: Any, value: Any) -> bool:
    """Whether a validator has made what was refused of something else: "1,000" without its comma is still a text."""
    made, given = item["input"], reduce(getitem, place_of(value, item["loc"]), value)
    return not isinstance(given, (dict, list)) and (type(made), made) != (type(given), given)


@cache
def _lax(made: Any) -> TypeAdapter[Any]:
    return TypeAdapter(made)


_OF_ITEMS = frozenset({"set_type", "frozen_set_type", "tuple_type"})
_READ_AS: dict[str, tuple[str, tuple[type, ...]]] = {
    "int_parsing": ("int_type", (int,)),
    "float_parsing": ("float_type", (int, float)),
    "bool_parsing": ("bool_type", (bool,)),
}
"""What pydantic's lax mode tells of a text that is none of a type, with the strict mode's word and the type."""


def _items_taken(adapter: _Adapter, value: Any, lists: Collection[Place]) -> Iterator[Any]:
    """Errors for the items of lists that only lax mode takes, which it may have taken for another type: 1 for "1".

    The type that they should have, it tells of a text that is no number.
    """
    probed = [deepcopy(value)] if lists else []
    for place in lists:
        *above, last = 0, *place
        around = reduce(getitem, above, cast(Any, probed))
        around[last] = _probed(around[last])
    by_place: dict[Place, list[Any]] = {}
    # A validator of the type's own may raise anything for the probe.
    with suppress(Exception):
        for item in _refused(adapter, probed[0], strict=False) if lists else ():
            if item["input"] == _NO_NUMBER:
                by_place.setdefault(place_of(value, item["loc"]), []).append(item)
    for place, found in by_place.items():
        given = reduce(getitem, place, value)
        wanted = [_READ_AS.get(item["type"]) for item in found]
        if wanted[0] and all(one and type(given) not in one[1] for one in wanted):
            yield {**found[0], "type": wanted[0][0], "input": given}


_NO_NUMBER = "no number"


def _probed(value: Any) -> Any:
    """A value with a text that is no number for each number, truth value, and text that reads as one."""
    if isinstance(value, dict):
        return {name: _probed(field) for name, field in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_probed(item) for item in cast("list[Any]", value)]
    with suppress(ValidationError):
        _lax(bool | float).validate_python(value)
        return _NO_NUMBER
    return value


def _listed(schema: object) -> Iterator[type]:
    """Of which types the zeros and ones are that a JSON schema lists: `bool` for false and true."""
    if isinstance(schema, list):
        for part in cast("list[object]", schema):
            yield from _listed(part)
    if isinstance(schema, dict):
        named = cast("dict[str, Any]", schema)
        values = cast("list[Any]", named["enum"]) if isinstance(named.get("enum"), list) else [named.get("const")]
        yield from (type(value) for value in values if value in (0, 1))
        yield from _listed(list(named.values()))


_PROBE = 7_340_033
"""A number that no type lists."""
_LISTS = ("literal_error", "enum")
_EXPECTED = re.compile(r", | or ")
_MEMBER = re.compile(r"<.*: (.*)>")
"""How a member of an enumeration is told."""


def _taken_for_another(adapter: _Adapter, value: object, listed: Collection[type]) -> Iterator[Any]:
    """Errors for true and false where a literal or an enumeration has 1 and 0 alone, and the other way round.

    They are equal in Python, so that pydantic refuses neither. What it expects there, it tells for another value.
    """
    reported: set[Place] = set()
    for kind, other, probe in ((bool, int, _PROBE), (bool, int, str(_PROBE)), (int, bool, _PROBE)):
        probed = _replaced(value, kind, probe) if other in listed else value
        if probed == value:
            continue
        items: dict[Place, list[Any]] = {}
        # A validator of the type's own may raise anything for the probe.
        with suppress(Exception):
            for item in _refused(adapter, probed, strict=True):
                if item["input"] == probe:
                    items.setdefault(place_of(value, item["loc"]), []).append(item)
        for place, found in items.items():
            given = reduce(getitem, place, cast(Any, value))
            if type(given) is not kind:
                # A validator has put it elsewhere.
                continue
            lists = [item for item in found if item["type"] in _LISTS]
            expected = {_MEMBER.sub(r"\1", one) for item in lists for one in _EXPECTED.split(item["ctx"]["expected"])}
            others = {item["type"] for item in found} - set(_LISTS)
            taken = repr(given) in expected or f"{kind.__name__}_type" in others
            if place in reported or taken or repr(other(given)) not in expected:
                continue
            if all(one.endswith("_type") for one in others):
                reported.add(place)
                yield {**lists[0], "input": given}


def _replaced(value: Any, kind: type, probe: object) -> Any:
    """A value with something else for each zero and one of a type."""
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        return {name: _replaced(field, kind, probe) for name, field in fields.items()}
    if isinstance(value, list):
        return [_replaced(item, kind, probe) for item in cast("list[Any]", value)]
    return probe if type(value) is kind and value in (0, 1) else value
