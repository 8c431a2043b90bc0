"""JSON that every reader takes.

Python writes and reads NaN, Infinity and -Infinity, which JSON does not have. They are written as strings of these
names, which say more than a null, and read as such, also where an older file has them bare: what is written and read
again is the same from then on. In ASCII, the default, half a surrogate pair is escaped and can be written anywhere.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any, TypeVar, cast

T = TypeVar("T")


def dumps(value: object, *, default: Callable[[Any], Any] | None = None, ensure_ascii: bool = True) -> str:
    """As `json.dumps`, but always JSON.

    Raises:
        TypeError: a value is none of JSON's, and there is no `default`.

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
    """As `json.loads`; what is no finite number is read as its name.

    Raises:
        ValueError: it is not JSON.
    """
    return json.loads(text, parse_constant=str, parse_float=_number)


def finite(value: T) -> T:
    """A value of JSON as it is read again once it has been written; itself where that is the same.

    What is no JSON stays as it is.
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


def _number(digits: str) -> float | str:
    number = float(digits)
    if math.isfinite(number):
        return number
    return "Infinity" if number > 0 else "-Infinity"


def deeper_than(levels: int, value: object) -> bool:
    """Whether lists and objects are nested in more than so many levels.

    Example:
        >>> deeper_than(2, {"a": [1]}), deeper_than(1, {"a": [1]})
        (False, True)
    """
    # Level by level: a function that called itself would meet the very limit that it is here to keep others from.
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
