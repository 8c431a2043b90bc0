"""Patterns of ECMA-262, as JSON schemas have them, for Python's `re`."""

from __future__ import annotations

import re

_TOKENS = re.compile(r"\\k<\w+>|\\.|\(\?<(?![=!])|\[\^?\]?(?:\\.|[^\]\\])*\]|\$", re.DOTALL)
_ASCII = {"d": "0-9", "w": "A-Za-z0-9_", "D": r"\x00-/:-\U0010ffff", "W": r"\x00-/:-@\[-\^`{-\U0010ffff"}
"""What stands for a class of characters inside of another."""
_IN_CLASS = re.compile(r"\\(?P<kind>[dDwWsS])(?P<dash>-?)|(?P<before>-)(?=\\[dDwWsS])|\\.", re.DOTALL)


def in_python(pattern: str) -> str:
    """A pattern with the meaning that ECMA-262 gives it.

    `$` does not match before a last line break; `\\d` and `\\w` are ASCII's; a hyphen beside such a class is one;
    `(?<name>…)` is a named group. Unicode classes such as `\\p{L}` have no counterpart in Python.
    """
    return _TOKENS.sub(_translated, pattern)


def _translated(token: re.Match[str]) -> str:
    """An escape, a class, the beginning of a named group, or the end of a pattern."""
    found = token[0]
    if found == "$":
        return r"\Z"
    if found == "(?<":
        return "(?P<"
    if found.startswith(r"\k<"):
        return f"(?P={found[3:-1]})"
    if found[0] == "[":
        return _IN_CLASS.sub(_of_class, found)
    inside = _ASCII.get(found[1].lower())
    return f"[{'^' if found[1].isupper() else ''}{inside}]" if inside else found


def _of_class(token: re.Match[str]) -> str:
    """A class of characters inside of another, or the hyphen before it, which begins no range."""
    if token["before"]:
        return r"\-"
    if not token["kind"]:
        return token[0]
    return _ASCII.get(token["kind"], token[0][:2]) + (r"\-" if token["dash"] else "")
