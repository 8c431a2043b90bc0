"""Single values of JSON, as models write them."""

from __future__ import annotations

import json
import math
import re

_NUMBER = re.compile(r"[+-]?(?:\d{1,3}(?:_\d{3})+|0|[1-9]\d*|(?=\.\d))(?:\.\d*)?(?:[eE][+-]?\d+)?")
# A form feed or a backspace before a letter is the beginning of a word, as of `\frac` and `\beta`.
_ESCAPE = re.compile(r"""\\u[0-9a-fA-F]{4}|\\["\\/nrt]|\\[bf](?![a-zA-Z])|\\'|[\\"]""")


def is_number(word: str) -> bool:
    """Whether a word is written as a number, be it an endless one."""
    return bool(_NUMBER.fullmatch(word))


def number_of(word: str) -> int | float | None:
    """The number that a word is as a whole; None if it is none, or an endless one."""
    if not is_number(word):
        return None
    try:
        return int(word)
    except ValueError:
        value = float(word) if len(word) < 400 else math.inf
    return value if math.isfinite(value) else None


def text_of(written: str) -> str:
    """The text that is written between quotes; a backslash that escapes nothing is itself."""
    return json.loads(f'"{_ESCAPE.sub(_escaped, written)}"', strict=False)


def _escaped(found: re.Match[str]) -> str:
    mark = found[0]
    return "'" if mark == "\\'" else f"\\{mark}" if len(mark) == 1 else mark


_WHOLE_BELOW = 2.0**53
"""Up to here every whole number is a float of its own."""


def json_number(digits: str) -> int | float:
    """A number as JSON has it, for which 3.0 is a whole number."""
    number = float(digits)
    return int(number) if number.is_integer() and abs(number) < _WHOLE_BELOW else number
