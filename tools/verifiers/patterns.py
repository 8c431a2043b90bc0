"""Patterns of ECMA-262, as JSON schemas have them."""

from __future__ import annotations

import re
from functools import lru_cache

from pydantic_core import SchemaError, SchemaValidator
from pydantic_core.core_schema import str_schema

_TOKENS = re.compile(r"\\k<\w+>|\\.|\(\?<(?![=!])|\[\^?\]?(?:\\.|[^\]\\])*\]|\$", re.DOTALL)
_ASCII = {"d": "0-9", "w": "A-Za-z0-9_", "D": r"\x00-/:-\U0010ffff", "W": r"\x00-/:-@\[-\^`{-\U0010ffff"}
"""What stands for a class of characters inside of another."""
_IN_CLASS = re.compile(r"\\(?P<kind>[dDwWsS])(?P<dash>-?)|(?P<before>-)(?=\\[dDwWsS])|(?P<sign>[\[&~])|\\.")
_OTHERWISE = re.compile(r"\\[<>]|--")
"""What Rust's engine takes for something else: the edges of words, and a difference of classes."""
_HALF = re.compile("[\ud800-\udfff]")
"""Half of a pair of surrogates, which is no text for Rust."""


def is_found(pattern: str, text: str) -> bool:
    """Whether a pattern is found in a text.

    Rust's engine, which pydantic has its patterns from, takes time in proportion to the text. With Python's, an answer
    may keep `^(a+)+$` busy forever, so it runs only what Rust's cannot, such as a look around, a reference back, or a
    count of thousands.
    """
    in_rust = _in_rust(pattern)
    if in_rust is None:
        return re.search(in_python(pattern), text) is not None
    return in_rust.isinstance_python(_HALF.sub("\ufffd", text))


@lru_cache(maxsize=256)
def _in_rust(pattern: str) -> SchemaValidator | None:
    written = _TOKENS.sub(lambda token: token[0] if token[0] == "$" else _translated(token), pattern)
    if _OTHERWISE.search(written):
        return None
    try:
        return SchemaValidator(str_schema(pattern=written, regex_engine="rust-regex"))
    except SchemaError:
        return None


def in_python(pattern: str) -> str:
    """A pattern with the meaning that ECMA-262 gives it, for Python's `re`.

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
        return found[0] + _IN_CLASS.sub(_of_class, found[1:])
    inside = _ASCII.get(found[1].lower())
    return f"[{'^' if found[1].isupper() else ''}{inside}]" if inside else found


def _of_class(token: re.Match[str]) -> str:
    """A class of characters inside of another, the hyphen before it, which begins no range, or a sign that is one of
    its characters here and elsewhere may be an operator."""
    if token["before"] or token["sign"]:
        return f"\\{token[0]}"
    if not token["kind"]:
        return token[0]
    return _ASCII.get(token["kind"], token[0][:2]) + (r"\-" if token["dash"] else "")
