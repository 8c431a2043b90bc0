"""Mends JSON with the usual slips, in time that grows with its length alone, whatever it is."""

from __future__ import annotations

import json
import re
from typing import SupportsIndex

_MAX_REPAIRED = 20_000
"""Longest text that is mended: mending is for slips in a reply of usual size, not for a megabyte of noise."""
_LOOKS, _LOOKS_AT_LEAST = 8, 2_000
"""How often each character is looked at: below four times in real replies, thousands of times in hostile ones."""


def mended(text: str) -> object:
    """The object or array in a text, mended by json-repair; None where there is none, or too much is wrong."""
    from json_repair import repair_json

    if len(text) > _MAX_REPAIRED or not re.search(r"[{\[｛［]", text):
        return None
    watched = _Watched(text)
    watched.left = [_LOOKS * len(text) + _LOOKS_AT_LEAST]
    try:
        value: object = repair_json(watched, return_objects=True)
        # What was cut out of the text still counts; a copy does not.
        return json.loads(json.dumps(value)) if isinstance(value, (dict, list)) else None
    except Exception:  # noqa: BLE001 - the library trips over some texts, by assertions of its own too
        return None


class _TooManyLooksError(Exception):
    """Mending goes round in circles."""


class _Watched(str):
    """A text that can be looked at so often and no more: json-repair may look ahead to the end for every character."""

    __slots__ = ("left",)
    left: list[int]
    """Looks that are left; shared by all that is cut out of the text or added to it."""

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
