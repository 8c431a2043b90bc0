"""Patterns of ECMA-262, as JSON schemas have them, for Python's `re`."""

from __future__ import annotations

import re

_TOKENS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\$", re.DOTALL)
_ASCII = {"d": "0-9", "w": "A-Za-z0-9_"}


def in_python(pattern: str) -> str:
    """A pattern with the meaning that ECMA-262 gives it.

    `$` does not match before a last line break; `\\d` and `\\w` are ASCII's. Unicode classes such as `\\p{L}` have no
    counterpart in Python.
    """
    return _TOKENS.sub(_translated, pattern)


def _translated(token: re.Match[str]) -> str:
    """An escape, a class, or the end of a pattern."""
    found = token[0]
    if found == "$":
        return r"\Z"
    if found[0] == "[":
        return re.sub(r"\\(.)", lambda each: _ASCII.get(each[1], each[0]), found, flags=re.DOTALL)
    inside = _ASCII.get(found[1].lower())
    return f"[{'^' if found[1].isupper() else ''}{inside}]" if inside else found
