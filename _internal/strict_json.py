"""JSON that every reader accepts.

Python writes and reads NaN, Infinity and -Infinity, which JSON does not have. This module writes them as strings with
these names, which say more than null. It also reads the bare values in older files as strings, so that writing and
reading again changes nothing more. In ASCII, the default, a lone surrogate is escaped and can be written anywhere.
`mapping`, `entries` and `objects` read a value of which nobody knows whether it has the right type.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

T = TypeVar("T")


def dumps(value: object, *, default: Callable[[Any], Any] | None = None, ensure_ascii: bool = True) -> str:
    """Like `json.dumps`, but the output is always valid JSON.

    Raises:
        TypeError: a value is not a JSON type, and there is no `default`.

    Example:
        >>> dumps({"score": float("nan")})
        '{"score": "NaN"}'
    """
    try:
        return json.dumps(value, default=default, ensure_ascii=ensure_ascii, allow_nan=False)
    except ValueError:
        named = loads(json.dumps(value, default=default))
        return json.dumps(named, ensure_ascii=ensure_ascii, allow_nan=False)


def loads(text: str | bytes) -> Any:
    """Like `json.loads`, but a number that is not finite is read as a string with its name.

    Raises:
        ValueError: it is not JSON.
    """
    return json.loads(text, parse_constant=str, parse_float=_number)


def loads_or(text: str | bytes, otherwise: object, read: Callable[[str | bytes], Any] = loads) -> Any:
    """A JSON value, or `otherwise` for what is no JSON, or is nested too deeply to be read.

    Args:
        text: that may be JSON.
        otherwise: what stands for a text that is none.
        read: `json.loads`, where numbers that are not finite stay as they are.
    """
    try:
        return read(text)
    except (ValueError, RecursionError):
        return otherwise


def map_texts(value: Any, change: Callable[[str], str], *, keys: bool = False) -> Any:
    """A JSON value with every text in it changed, and with `keys` the names in its objects, too."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [map_texts(item, change, keys=keys) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        held = cast("dict[str, Any]", value).items()
        return {map_texts(name, change) if keys else name: map_texts(item, change, keys=keys) for name, item in held}
    return value


def finite(value: T) -> T:
    """A JSON value as it would be after writing and reading; the same object if nothing changes.

    A value that is not JSON is returned unchanged.
    """
    try:
        json.dumps(value, allow_nan=False)
    except TypeError:
        return value
    except ValueError:
        try:
            return loads(json.dumps(value))
        except ValueError:
            return value
    return value


def storable(value: object) -> Any:
    """A JSON value that every checkpoint keeps: an integer of more than 64 bits becomes a text with its digits.

    Raises:
        TypeError: a value is not a JSON type.
    """
    return json.loads(dumps(value), parse_int=_integer)


def _integer(digits: str) -> int | str:
    return int(digits) if fits_a_checkpoint(digits) else digits


def fits_a_checkpoint(digits: str) -> bool:
    """Whether every checkpoint keeps an integer with these digits, which has 64 bits."""
    # Python refuses to read one of very many digits at all.
    return len(digits) <= _MOST_DIGITS and -(2**63) <= int(digits) < 2**64


_MOST_DIGITS = 20


def _number(digits: str) -> float | str:
    number = float(digits)
    if math.isfinite(number):
        return number
    return "Infinity" if number > 0 else "-Infinity"


def mapping(value: object) -> Mapping[str, Any]:
    """A JSON object; an empty one for any other value."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def entries(value: object) -> list[Any]:
    """A JSON array; an empty one for any other value."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def objects(value: object) -> list[dict[str, Any]]:
    """The objects in a JSON array; none for any other value."""
    return [entry for entry in entries(value) if isinstance(entry, dict)]


def deeper_than(levels: int, value: object) -> bool:
    """Whether lists and objects are nested more than `levels` deep.

    Example:
        >>> deeper_than(2, {"a": [1]}), deeper_than(1, {"a": [1]})
        (False, True)
    """
    # Level by level: a recursive function would hit the recursion limit that this check protects from.
    level: list[Any] = [value] if isinstance(value, (dict, list)) else []
    for _ in range(levels):
        if not level:
            return False
        level = [
            item
            for held in level
            for item in (cast("dict[str, Any]", held).values() if isinstance(held, dict) else cast("list[Any]", held))
            if isinstance(item, (dict, list))
        ]
    return bool(level)
