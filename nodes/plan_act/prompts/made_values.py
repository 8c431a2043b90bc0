"""Plausible arguments for a tool, made of its schema."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from langchain_core.tools import BaseTool

from ....tools.calls.action_check import action_check
from ....tools.calls.effects import about, tells
from ....tools.calls.names import is_key, spelled
from ....tools.dates.found import SOME_DAY
from ....tools.schemas import input_schema
from ....traces.shapes import Action
from ..checks.calls.as_dates import with_iso_dates

PERSON, MAIL, RED = "Eva Lind", "eva@example.com", "red"
_FORMATS = {
    "date": "2024-05-10",
    "date-time": "2024-05-10T12:00:00",
    "time": "12:00:00",
    "duration": "PT1H",
    "email": MAIL,
    "uri": "https://example.com/",
    "uuid": "3f0d5a52-4c1f-4f7e-9a54-2f6e1c0b7d11",
    "ipv4": "192.0.2.1",
}
_IN_WORDS = {"date": "Friday", "date-time": "Friday 9:30", "time": "9:30"}
"""The loop reads them, and of a date in figures a small model writes a copy."""
_WHO = (
    "attendee author client contact customer driver employee guest member owner participant passenger patient person"
    " reader receiver recipient sender student tenant trainer user visitor"
)
# By the words of a field's name; the first that fits counts.
_NAMED: tuple[tuple[str, str], ...] = (
    ("date day deadline due", "2024-05-10"),
    ("time hour", "12:00"),
    ("email mail", MAIL),
    ("url uri link website", "https://example.com/"),
    ("city location place town destination", "Berlin"),
    ("country", "France"),
    ("address street", "1 Main Street, Berlin"),
    ("language lang locale", "en"),
    ("currency", "EUR"),
    ("color colour", "blue"),
    ("file filename path folder directory", "notes.txt"),
    ("sql", "SELECT 1"),
    ("expression formula", "2 + 3"),
    ("title subject", "Weekly report"),
    ("body comment content message note text", "Good morning"),
)
_ANYTHING = "arg input keyword name q query question search term tool topic value what word"
_PEOPLE, _FREE = frozenset(_WHO.split()), frozenset(_ANYTHING.split())
EXAMPLE_VALUE = re.compile(
    r"(?:\be\.g\.,?|\bfor example,?|\blike|\bsuch as|\bz\. ?B\.|如|例如|比如)"
    r"[\s:：]*[\"'`“]?([\w/.-]*\d[\w/-]*|[A-Z]+-[\w-]+)"
)
"""A value that a field's description gives: "code like A-01"."""
_MAX_DEPTH, _MAX_VALUES, _MAX_ITEMS, _MAX_TEXT = 4, 100, 5, 200
"""Limits on what is made of a schema, which may come from elsewhere."""
KEY = 42
"""The number that stands for an id."""
STANDS_FOR = re.compile(rf"{RED}\b.*|{PERSON}|{re.escape(MAIL)}|[A-Z]?{KEY}", re.DOTALL)
"""The values that stand for a name or an id of the user's."""


def named_thing(words: Collection[str], color: str) -> str:
    """A name of something of which a field's or a tool's name tells what it is: a person's, or "red article"."""
    nouns = [word for word in words if word not in _FREE]
    return PERSON if _PEOPLE & set(nouns) else " ".join([color, *nouns])


def filled(tool: BaseTool) -> dict[str, Any]:
    """Arguments for a tool: those that it needs, or its first one, with dates in words where the loop reads those."""
    in_words = _sampled(tool, _FORMATS | _IN_WORDS)
    return in_words if call_of(tool.name, in_words, {tool.name: tool}) else _sampled(tool, _FORMATS)


def call_of(name: str, given: Mapping[str, Any], tools: Mapping[str, BaseTool]) -> Action | None:
    """A call with these arguments, if its tool takes them; dates are in words."""
    action = action_check(tools)(with_iso_dates({"tool": name, "input": given}, tools, SOME_DAY))
    if isinstance(action, str) or isinstance(action["input"], str):
        return None if isinstance(action, str) else action
    shown = {field: given.get(field, value) for field, value in action["input"].items()}
    return {**action, "input": shown}


def _sampled(tool: BaseTool, formats: Mapping[str, str]) -> dict[str, Any]:
    schema = input_schema(tool)
    try:
        return _Sampler(schema.get("$defs", {}), formats, about(tool)).object_of(schema, 0, changes=not tells(tool))
    except (AttributeError, LookupError, TypeError, ValueError):
        # A schema from elsewhere may be none.
        return {}


class _Sampler:
    """Makes plausible values for JSON schemas; what it cannot make, the check of the call refuses."""

    def __init__(self, definitions: Mapping[str, Any], formats: Mapping[str, str], noun: Sequence[str]) -> None:
        self._definitions = definitions
        self._noun = noun
        self._formats = formats
        self._left = _MAX_VALUES
        self._chosen = Counter[str]()

    def object_of(self, schema: Mapping[str, Any], depth: int, *, changes: bool = False) -> dict[str, Any]:
        """An object with the fields that it needs, or with its first one; where these only name what `changes`, with
        the first of what may be changed in it, too."""
        fields: dict[str, Any] = schema.get("properties", {})
        wanted: list[str] = schema.get("required") or list(fields)[:1]
        if changes and all(map(is_key, wanted)):
            wanted = [*wanted, *(one for one in fields if one not in wanted and fields[one].get("default") is None)][
                : len(wanted) + 1
            ]
        return {name: self._value(fields.get(name, {}), name, depth + 1) for name in wanted}

    def _value(self, schema: Mapping[str, Any], name: str, depth: int, told: str = "") -> Any:
        self._left -= 1
        if depth > _MAX_DEPTH or self._left < 0:
            return None
        told = str(schema.get("description", told))
        if "$ref" in schema:
            schema = self._definitions.get(str(schema["$ref"]).rpartition("/")[2], {})
        for key in ("examples", "enum"):
            if choices := schema.get(key):
                # From one account to another.
                self._chosen[str(choices)] += 1
                return choices[(self._chosen[str(choices)] - 1) % len(choices)]
        if "const" in schema or schema.get("default") is not None:
            return schema.get("const", schema.get("default"))
        for key in ("anyOf", "oneOf", "allOf"):
            for one in schema.get(key, ()):
                if one.get("type") != "null":
                    return self._value(one, name, depth + 1, told)
        kind = schema.get("type", "string")
        if kind in ("integer", "number"):
            usual = KEY if is_key(name) else 3
            return _number(schema, usual if kind == "integer" or usual == KEY else 2.5)
        if kind == "array":
            count = min(max(1, schema.get("minItems", 1)), _MAX_ITEMS)
            return [self._value(schema.get("items", {}), name, depth + 1, told) for _ in range(count)]
        if kind == "object":
            return self.object_of(schema, depth)
        return True if kind == "boolean" else self._text(schema, name, told)

    def _text(self, schema: Mapping[str, Any], name: str, told: str) -> str:
        words = spelled(name)
        value = self._formats.get(str(schema.get("format")), "")
        if not value and is_key(name):
            # By the words that the model writes there, the loop finds the id; one that it makes up tells nothing.
            value = named_thing(words[:-1] or self._noun, RED)
        elif not value and (shown := EXAMPLE_VALUE.search(told)):
            value = self._another(shown[1])
        value = value or next((one for names, one in _NAMED if set(words) & set(names.split())), "")
        # What is looked for by any words is a thing of those that the tool is for.
        value = value or named_thing(self._noun if set(words) <= _FREE else words, RED)
        shortest, longest = min(schema.get("minLength", 0), _MAX_TEXT), schema.get("maxLength", _MAX_TEXT)
        return (value if len(value) >= shortest else value * (1 + shortest // len(value)))[:longest]

    def _another(self, value: str) -> str:
        """A value, with another last digit each time: from A-01 to A-02."""
        self._chosen[value] += 1
        count = self._chosen[value] - 1
        if count == 0 or not value[-1].isdigit():
            return value
        return f"{value[:-1]}{(int(value[-1]) + count) % 10}"


def _number(schema: Mapping[str, Any], usual: float) -> float:
    low = schema.get("minimum", schema.get("exclusiveMinimum", usual - 1) + 1)
    high = schema.get("maximum", schema.get("exclusiveMaximum", usual + 1) - 1)
    return max(low, min(high, usual))
