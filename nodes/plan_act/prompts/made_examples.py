"""Worked examples for tools that bring none: a call that fits the tool's schema, with plausible values."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from langchain_core.tools import BaseTool

from ...._internal.texts import Language
from ....tools.calls.action_check import action_check
from ....tools.calls.effects import only_reads
from ....tools.dates.found import SOME_DAY
from ....tools.examples import PlanExample, ToolExample
from ....tools.schemas import input_schema
from ....traces.shapes import Action
from ..checks.calls.as_dates import with_iso_dates
from .texts import text

_PERSON, _MAIL = "Eva", "eva@example.com"
_FORMATS = {
    "date": "2024-05-10",
    "date-time": "2024-05-10T12:00:00",
    "time": "12:00:00",
    "duration": "PT1H",
    "email": _MAIL,
    "uri": "https://example.com/",
    "uuid": "3f0d5a52-4c1f-4f7e-9a54-2f6e1c0b7d11",
    "ipv4": "192.0.2.1",
}
_IN_WORDS = {"date": "Friday", "date-time": "Friday 9:30", "time": "9:30"}
"""The loop reads them, and of a date in figures a small model writes a copy."""
# By the words of a field's name; the first that fits counts.
_NAMED: tuple[tuple[str, str], ...] = (
    ("date day deadline due", "2024-05-10"),
    ("time hour", "12:00"),
    ("email mail recipient", _MAIL),
    ("url uri link website", "https://example.com/"),
    ("city location place town destination", "Berlin"),
    ("country", "France"),
    ("address street", "1 Main Street, Berlin"),
    ("language lang locale", "en"),
    ("currency", "EUR"),
    ("color colour", "blue"),
    ("file filename path folder directory", "notes.txt"),
    ("id key number code", "42"),
    ("sql", "SELECT 1"),
    ("expression formula", "2 + 3"),
    ("query search question keyword keywords q topic", "height of the Eiffel Tower"),
    ("person user author customer contact name reader guest patient member student client", "Eva"),
    ("title subject", "Weekly report"),
    ("task todo item product", "milk"),
)
_TEXT = "Good morning"
_ANY = (_TEXT, "height of the Eiffel Tower")
"""Texts for fields that may hold any."""
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_MAX_DEPTH, _MAX_VALUES, _MAX_ITEMS, _MAX_TEXT = 4, 100, 5, 200
"""Limits on what is made of a schema, which may come from elsewhere."""
_MAX_TOLD = 200
_MOST = 2
_KEY = re.compile(r"(?:\w+_)?(?:id|number|no|nr)")
_ADDRESS = re.compile(r"to|recipient|address|(?:to_|recipient_)?e?_?mail(?:_address)?|to_address")
_OF_MAIL = re.compile(r"e?-?mails?\b", re.IGNORECASE)
_OF_PEOPLE = re.compile(r"e?-?mail address|contact|(?:address|phone) ?book|person|people", re.IGNORECASE)
_PLACE = 2
"""Of the thing that is looked up, in the list."""


def made_examples(tools: Mapping[str, BaseTool], language: Language) -> list[tuple[str, ToolExample]]:
    """Examples of two tools whose schemas can be filled in, those that take something first, each with its tool's name.

    The results are made up, too, and say no more than that the call worked.
    """
    actions = (_call(name, _input(tool), tools) for name, tool in sorted(tools.items()))
    found = sorted((one for one in actions if one is not None), key=lambda one: not one["input"])
    return [(one["tool"], _example(one["tool"], one["input"], language)) for one in found[:_MOST]]


def made_plans(tools: Mapping[str, BaseTool], language: Language) -> list[tuple[str, PlanExample]]:
    """A plan for each tool, of one step that comes with its call, in the words in which the tool is described."""
    found: list[tuple[str, PlanExample]] = []
    for name, tool in sorted(tools.items()):
        action = _call(name, _input(tool), tools)
        if action is None:
            continue
        given = action["input"]
        about = " ".join(tool.description.split()).partition(". ")[0].rstrip(".。") or name
        told = _told({"": given} if isinstance(given, str) else given, language)
        goal = f"{about[:_MAX_TOLD]}: {told}" if told else about[:_MAX_TOLD]
        found.append((name, PlanExample(goal=goal, steps=[goal], input=given)))
    return found


class _LookUp(NamedTuple):
    """What a tool needs that another one tells: the field, who tells it of what thing, the value, how it is told, and
    the word before the thing in a request."""

    field: str
    reader: str
    thing: str
    value: Any
    result: str
    said_as: str = ""


def looked_up_example(tools: Mapping[str, BaseTool], language: Language) -> list[tuple[str, ToolExample]]:
    """An example in two steps, of which the first looks up the id or the e-mail address that the second needs; empty if
    no tools go together so. A small model that has not seen it takes the first number that comes to mind, or a name.
    """
    for name in sorted(tools):
        fields = _input(tools[name])
        found = _looked_up(name, fields, tools, language)
        if found is None:
            continue
        needed = input_schema(tools[found.reader]).get("required", ())
        sought = {field: value for field, value in _input(tools[found.reader]).items() if field in needed}
        about = {field: found.thing if value in _ANY else value for field, value in sought.items()}
        asked = _call(found.reader, about, tools)
        call = _call(name, {**fields, found.field: found.value}, tools)
        if asked is None or call is None or len(needed) > 1:
            continue
        # People call a thing by its name.
        others = {field: value for field, value in fields.items() if field != found.field}
        said = {found.said_as: found.thing, **others}
        first = _example(found.reader, asked["input"], language, result=found.result)
        return [(found.reader, {**first, "goal": ""}), (name, _example(name, call["input"], language, said))]
    return []


def _looked_up(
    name: str, fields: Mapping[str, Any], tools: Mapping[str, BaseTool], language: Language
) -> _LookUp | None:
    """What a tool that acts needs and another one may tell; None for nothing."""
    readers = [one for one in sorted(tools) if only_reads(tools[one])]
    if name in readers:
        return None
    keys = [field for field in fields if _KEY.fullmatch(field) and str(fields[field]).isdigit()]
    reader = next((one for one in readers if _about(one) & _about(name)), "")
    if len(keys) == 1 and reader:
        thing, shown = text(language, "example.made.thing"), text(language, "example.made.list")
        return _LookUp(keys[0], reader, thing, type(fields[keys[0]])(_PLACE), shown)
    keys = [
        field for field in fields if _ADDRESS.fullmatch(field) and _OF_MAIL.search(f"{name} {tools[name].description}")
    ]
    reader = next(
        (one for one in readers if _OF_PEOPLE.search(f"{one} {tools[one].description}") and _input(tools[one])), ""
    )
    if len(keys) == 1 and reader:
        return _LookUp(keys[0], reader, _PERSON, _MAIL, f"{_PERSON} <{_MAIL}>", "to")
    return None


def _about(name: str) -> set[str]:
    """The words of a tool's name but the first, which says what it does."""
    return {word.lower().removesuffix("s") for word in _WORDS.findall(name)[1:]}


def _call(name: str, given: Mapping[str, Any], tools: Mapping[str, BaseTool]) -> Action | None:
    """A call with these arguments, if its tool takes them; dates are in words."""
    action = action_check(tools)(with_iso_dates({"tool": name, "input": given}, tools, SOME_DAY))
    if isinstance(action, str) or isinstance(action["input"], str):
        return None if isinstance(action, str) else action
    shown = {field: given.get(field, value) for field, value in action["input"].items()}
    return {**action, "input": shown}


def _example(
    name: str,
    given: str | Mapping[str, Any],
    language: Language,
    said: Mapping[str, Any] | None = None,
    result: str = "",
) -> ToolExample:
    # A goal in the words of people: what a small model reads as code, it copies.
    words = [word.lower() for word in _WORDS.findall(name)]
    asked = text(language, "example.made.step", name=name) if len(words) < 2 else " ".join(words)
    values = {"": given} if isinstance(given, str) else given
    told, result = _told(said or values, language), result or ", ".join(filter(None, ("ok", _told(values, language))))
    step = f"{asked}: {told}" if told else asked
    return ToolExample(
        goal=text(language, "example.made.goal", step=step),
        step=step,
        input=given if isinstance(given, str) else dict(given),
        result=result,
        response=text(language, "example.made.response", result=result),
    )


def _told(values: Mapping[str, Any], language: Language) -> str:
    arguments = ", ".join(
        f"{' '.join(_WORDS.findall(field))} {_plain(value)}".strip() for field, value in values.items()
    )
    if len(arguments) > _MAX_TOLD:
        return text(language, "example.made.given", fields=", ".join(values)[:_MAX_TOLD])
    return arguments


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _input(tool: BaseTool) -> dict[str, Any]:
    """Arguments for a tool, with dates in words where the loop reads those."""
    in_words = _sampled(tool, _FORMATS | _IN_WORDS)
    return in_words if _call(tool.name, in_words, {tool.name: tool}) else _sampled(tool, _FORMATS)


def _sampled(tool: BaseTool, formats: Mapping[str, str]) -> dict[str, Any]:
    schema = input_schema(tool)
    try:
        return _Sampler(schema.get("$defs", {}), formats).object_of(schema, 0)
    except (AttributeError, LookupError, TypeError, ValueError):
        # A schema from elsewhere may be none.
        return {}


class _Sampler:
    """Makes plausible values for JSON schemas; what it cannot make, the check of the call refuses."""

    def __init__(self, definitions: Mapping[str, Any], formats: Mapping[str, str]) -> None:
        self._definitions = definitions
        self._formats = formats
        self._left = _MAX_VALUES
        self._chosen = Counter[str]()

    def object_of(self, about: Mapping[str, Any], depth: int) -> dict[str, Any]:
        """An object with the fields that it needs, or with its first one."""
        fields: dict[str, Any] = about.get("properties", {})
        wanted: list[str] = about.get("required") or list(fields)[:1]
        return {name: self._value(fields.get(name, {}), name, depth + 1) for name in wanted}

    def _value(self, about: Mapping[str, Any], name: str, depth: int) -> Any:
        self._left -= 1
        if depth > _MAX_DEPTH or self._left < 0:
            return None
        if "$ref" in about:
            about = self._definitions.get(str(about["$ref"]).rpartition("/")[2], {})
        for key in ("examples", "enum"):
            if choices := about.get(key):
                # From one account to another.
                self._chosen[str(choices)] += 1
                return choices[(self._chosen[str(choices)] - 1) % len(choices)]
        if "const" in about or about.get("default") is not None:
            return about.get("const", about.get("default"))
        for key in ("anyOf", "oneOf", "allOf"):
            for one in about.get(key, ()):
                if one.get("type") != "null":
                    return self._value(one, name, depth + 1)
        kind = about.get("type", "string")
        if kind in ("integer", "number"):
            return _number(about, 3 if kind == "integer" else 2.5)
        if kind == "array":
            count = min(max(1, about.get("minItems", 1)), _MAX_ITEMS)
            return [self._value(about.get("items", {}), name, depth + 1) for _ in range(count)]
        if kind == "object":
            return self.object_of(about, depth)
        return True if kind == "boolean" else self._text(about, name)

    def _text(self, about: Mapping[str, Any], name: str) -> str:
        spelled = {word.lower() for word in _WORDS.findall(name)}
        words = spelled | {re.sub("ies$", "y", word).removesuffix("s") for word in spelled}
        named = next((value for names, value in _NAMED if words & set(names.split())), _TEXT)
        value = self._formats.get(str(about.get("format")), named)
        shortest, longest = min(about.get("minLength", 0), _MAX_TEXT), about.get("maxLength", _MAX_TEXT)
        return (value if len(value) >= shortest else value * (1 + shortest // len(value)))[:longest]


def _number(about: Mapping[str, Any], usual: float) -> float:
    low = about.get("minimum", about.get("exclusiveMinimum", usual - 1) + 1)
    high = about.get("maximum", about.get("exclusiveMaximum", usual + 1) - 1)
    return max(low, min(high, usual))
