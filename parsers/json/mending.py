"""Repairs JSON with common mistakes, in time linear in its length for any input."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import SupportsIndex

_MAX_REPAIRED = 20_000
"""Longest text to repair, in characters: repair is for mistakes in a normal reply, not for a megabyte of noise."""
_LOOKS, _LOOKS_AT_LEAST = 8, 2_000
"""Limit on how often each character is read: fewer than four times in real replies, thousands in hostile ones."""


def mended(text: str) -> object:
    """The object or array in a text, repaired by json-repair; None if there is none or too much is wrong.

    A sum in the place of a number, `2 * 45`, is worked out: json-repair would keep the 2 alone.
    """
    from json_repair import repair_json

    if len(text) > _MAX_REPAIRED or not re.search(r"[{\[｛［]", text):
        return None
    text = _computed(text)
    watched = _Watched(text)
    watched.left = [_LOOKS * len(text) + _LOOKS_AT_LEAST]
    try:
        value: object = repair_json(watched, return_objects=True)
        # Strings cut from the text still count reads; copies of them do not.
        return json.loads(json.dumps(value)) if isinstance(value, (dict, list)) else None
    except Exception:  # noqa: BLE001 - the library fails on some texts, with its own assertions too
        return None


_NUMBER = r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?"
_SUM = re.compile(
    # Texts are read, so that nothing inside of them counts. Without spaces it may be a date or a fraction.
    r"""\"(?:[^\"\\]|\\.)*\"|(?<=[:\[,{\s])'(?:[^'\\\n]|\\.)*'(?=\s{0,20}[:,}\]])|"""
    rf"(?P<before>[:\[,]\s{{0,20}})(?P<sum>{_NUMBER}(?: [-+*/] {_NUMBER}){{1,20}})"
    rf"(?: = (?P<total>{_NUMBER}))?(?=\s{{0,20}}[,}}\]])"
)


def _computed(text: str) -> str:
    return _SUM.sub(lambda found: found[0] if found["sum"] is None else found["before"] + _value(found), text)


def _value(found: re.Match[str]) -> str:
    """The value of a sum; of one with a wrong total, the sum as it stands, for then nobody knows what is meant."""
    numbers = [Fraction(found["sum"].split()[0])]
    words = found["sum"].split()[1:]
    for operator, word in zip(words[::2], words[1::2], strict=True):
        number = Fraction(word)
        if operator in "*/":
            if operator == "/" and not number:
                return found[0].removeprefix(found["before"])
            numbers[-1] = numbers[-1] * number if operator == "*" else numbers[-1] / number
        else:
            numbers.append(number if operator == "+" else -number)
    value = sum(numbers)
    if value < 0 and words[0] == "-" and numbers[0] >= 0:
        # "10 - 12" are pages, or years.
        return found[0].removeprefix(found["before"])
    if found["total"] and Fraction(found["total"]) != value:
        return found[0].removeprefix(found["before"])
    return str(value.numerator) if value.denominator == 1 else repr(float(value))


class _TooManyLooksError(Exception):
    """The repair takes too many steps."""


class _Watched(str):
    """A text with a limited number of reads: json-repair may scan ahead to the end for every character."""

    __slots__ = ("left",)
    left: list[int]
    """Reads that are left; shared by all strings that are cut from the text or added to it."""

    def __getitem__(self, key: SupportsIndex | slice, /) -> str:
        self.left[0] -= 1
        if self.left[0] < 0:
            raise _TooManyLooksError
        found = super().__getitem__(key)
        return self._with(found) if isinstance(key, slice) else found

    def __add__(self, other: str, /) -> str:
        return self._with(super().__add__(other))

    def _with(self, text: str) -> _Watched:
        watched = _Watched(text)
        watched.left = self.left
        return watched
