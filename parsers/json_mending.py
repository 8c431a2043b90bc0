"""Repairs JSON with common mistakes, in time linear in its length for any input."""

from __future__ import annotations

import json
import re
from typing import SupportsIndex

_MAX_REPAIRED = 20_000
"""Longest text to repair, in characters: repair is for mistakes in a normal reply, not for a megabyte of noise."""
_LOOKS, _LOOKS_AT_LEAST = 8, 2_000
"""Limit on how often each character is read: fewer than four times in real replies, thousands in hostile ones."""


def mended(text: str) -> object:
    """The object or array in a text, repaired by json-repair; None if there is none or too much is wrong."""
    from json_repair import repair_json

    if len(text) > _MAX_REPAIRED or not re.search(r"[{\[｛［]", text):
        return None
    watched = _Watched(text)
    watched.left = [_LOOKS * len(text) + _LOOKS_AT_LEAST]
    try:
        value: object = repair_json(watched, return_objects=True)
        # Strings cut from the text still count reads; copies of them do not.
        return json.loads(json.dumps(value)) if isinstance(value, (dict, list)) else None
    except Exception:  # noqa: BLE001 - the library fails on some texts, with its own assertions too
        return None


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
