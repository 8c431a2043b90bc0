"""What is wrong with a JSON value, in words that a small model can take over: what to write, and what it wrote."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from .merging import Path, known_parts, place_of

EACH = "*"
"""Stands in a path for the number of an item, where several items of a list have the same problem."""

_FORMS = {
    "date": "write a date as YYYY-MM-DD",
    "date_from_datetime": "write a date as YYYY-MM-DD",
    "datetime": "write a date and a time as YYYY-MM-DDTHH:MM:SS",
    "datetime_from_date": "write a date and a time as YYYY-MM-DDTHH:MM:SS",
    "time": "write a time as HH:MM",
    "int": "write a whole number",
    "int_from": "write a whole number",
    "float": "write a number",
    "bool": "write true or false",
    "string": "write a text in quotes",
    "list": "write a list in [ ]",
    "dict": "write an object in { }",
    "model_attributes": "write an object in { }",
    "model": "write an object in { }",
}
"""What a value has to be, by the beginning of pydantic's type of error."""
_DATED = {
    "date": "date",
    "date_from_datetime": "date",
    "datetime": "date-time",
    "datetime_from_date": "date-time",
    "time": "time",
}
"""The formats of JSON schemas that pydantic's types of errors are about."""
_ENDINGS = ("_type", "_parsing", "_float", "_inexact")
_LONGEST = 80
KEY = "[key]"
"""Ends the path of what is wrong with a key, and not with its value."""
_RULES = ("value_error", "assertion_error")
"""What pydantic reports of a validator of the model's own."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is wrong.

    Attributes:
        path: where.
        words: what to do about it.
        whole: the whole value is of a wrong type.
        ruled: a rule of the type's own is broken, such as a sum of fields: that is about what the value says.
        places: where in the value; of several items of a list that have the same problem, all of them.
        gone: of these, those of fields that have to go.
        misnamed: of these, those of fields whose name is wrong.
    """

    path: Path
    words: str
    whole: bool = False
    ruled: bool = False
    places: tuple[Path, ...] = ()
    gone: tuple[Path, ...] = ()
    misnamed: tuple[Path, ...] = ()


def problems_of(errors: Sequence[Any], value: Any = None) -> list[Problem]:
    """Every problem of a value once, by pydantic's errors, also where several items of a list have the same."""
    found: dict[tuple[Path, str], list[Problem]] = {}
    items = _of_what_was_meant(errors, value)
    renamed = _renamed(items)
    types = _types(items, value)
    for item in items:
        path: Path = item["loc"]
        words = f'there is no such field, rename it to "{renamed[path][-1]}"' if path in renamed else _words(item)
        whole = not path and str(item["type"]).endswith("_type")
        place = place_of(value, path, missing=item["type"] == "missing")
        beginnings = (path[:end] for end in range(len(path))) if types else ()
        one_of_several = next((at for at in beginnings if len(types.get(at, ())) > 1), None)
        if one_of_several is not None:
            # Which of the types was meant, nobody knows.
            words = f"{words} (as {path[len(one_of_several)]})"
            path, place = place, place_of(value, one_of_several)
        elif value is not None:
            path = place
        alike = tuple(EACH if isinstance(part, int) else part for part in path)
        gone = (place,) if place and item["type"] == "extra_forbidden" else ()
        misnamed = (place,) if place and item["loc"][-1] == KEY else ()
        problem = Problem(path, words, whole, item["type"] in _RULES, (place,), gone, misnamed)
        found.setdefault((alike, words), []).append(problem)
    return [_together(alike, path) for (path, _), alike in found.items()]


def _form(item: Any, value: Any) -> Path:
    """Of an error of one of several types, where its value stands and the type's name, which is no part of it."""
    path: Path = item["loc"]
    known = len(path) if value is None else known_parts(value, path)
    missing = item["type"] == "missing" and known == len(path) - 1
    return () if known == len(path) or path[known] == KEY or missing else path[: known + 1]


def _types(items: Sequence[Any], value: Any) -> dict[Path, set[int | str]]:
    """The names of the types that a value in a value may have and that errors tell of, by where it stands."""
    found: dict[Path, set[int | str]] = {}
    for form in filter(None, (_form(item, value) for item in items)):
        found.setdefault(form[:-1], set()).add(form[-1])
    return found


def _of_what_was_meant(items: Sequence[Any], value: Any) -> list[Any]:
    """The errors without those of types that a value cannot be meant as, where it is clear which one is meant."""
    of_form: dict[Path, list[Any]] = {}
    for item in items:
        if form := _form(item, value):
            of_form.setdefault(form, []).append(item)
    possible: dict[Path, set[Path]] = {}
    for form, found in of_form.items():
        if not any(_is_of_another(item, len(form)) for item in found):
            possible.setdefault(form[:-1], set()).add(form)
    clear = {at: forms for at, forms in possible.items() if len(forms) == 1}
    left = [item for item in items if not (form := _form(item, value)) or form in clear.get(form[:-1], {form})]
    if not clear:
        return left
    # Inside of the type that was meant there may be a choice of types again.
    forms = [(item, _form(item, value)) for item in left]
    inner = [
        {**item, "loc": (*form[:-1], *item["loc"][len(form) :])} if form and form[:-1] in clear else item
        for item, form in forms
    ]
    return _of_what_was_meant(inner, value)


TAGS = frozenset(
    [
        "type",
        "typename",
        "kind",
        "tag",
        "class",
        "op",
        "operation",
        "action",
        "event",
        "shape",
        "variant",
        "object",
        "role",
        "method",
        "t",
    ]
)
"""Fields that say which of several forms an object has; another field with a few values may be wrong itself."""


def _is_of_another(item: Any, deep: int) -> bool:
    """Whether an error tells that another type was meant: of the value as a whole, or a field that names the type."""
    beyond, kind = len(item["loc"]) - deep, str(item["type"])
    if beyond == 0:
        return kind.endswith("_type") or kind in ("literal_error", "enum")
    return beyond == 1 and kind in ("literal_error", "enum") and str(item["loc"][-1]).strip("_@").casefold() in TAGS


def _together(alike: Sequence[Problem], path: Path) -> Problem:
    """The same problem of several items as one."""
    if len(alike) == 1:
        return alike[0]
    places = tuple(place for one in alike for place in one.places)
    gone = tuple(place for one in alike for place in one.gone)
    misnamed = tuple(place for one in alike for place in one.misnamed)
    return replace(alike[0], path=path, places=places, gone=gone, misnamed=misnamed)


def _renamed(items: Sequence[Any]) -> dict[Path, Path]:
    """The one field of an object that has no place, and the one that it lacks: it may have been given another name."""
    lacking: dict[Path, list[Path]] = {}
    extra: dict[Path, list[Path]] = {}
    for item in items:
        kind = {"missing": lacking, "extra_forbidden": extra}.get(item["type"])
        if kind is not None and item["loc"]:
            kind.setdefault(item["loc"][:-1], []).append(item["loc"])
    return {
        extra[parent][0]: paths[0]
        for parent, paths in lacking.items()
        if len(paths) == 1 and len(extra.get(parent, ())) == 1
    }


_CHOICE = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|\w+""")
_IN_JSON = {"None": "null", "True": "true", "False": "false"}


def _words(item: Any) -> str:
    kind: str = item["type"]
    if kind == "missing":
        return "this field is missing"
    if kind == "extra_forbidden":
        return "there is no such field, leave it out"
    if kind == "union_tag_not_found":
        return f"the field {item['ctx']['discriminator']}, which says what it is, is missing"
    if kind == "union_tag_invalid":
        expected, tag = item["ctx"]["expected_tags"], shown(item["ctx"]["tag"], _LONGEST)
        return f"write one of {expected} as its field {item['ctx']['discriminator']}, not {tag}"
    # Its number is behind that; the value itself follows.
    said = str(item["msg"]).partition(" after validation, not")[0].replace("Input should", "it should", 1)
    if kind in _RULES:
        # Pydantic puts the kind of the error in front.
        return said.partition(", ")[2] or said
    if kind in ("literal_error", "enum"):
        expected = _CHOICE.sub(lambda found: _IN_JSON.get(found[0], found[0]), item["ctx"]["expected"])
        said = f"write one of {expected}"
    else:
        beginning = next((kind.removesuffix(end) for end in _ENDINGS if kind.endswith(end)), kind)
        said = none_such(_DATED.get(beginning, ""), item["input"]) or _FORMS.get(beginning, said)
    return f"{said}, not {shown(item['input'], _LONGEST)}"


_DAY = re.compile(r"(\d{4}-\d\d-\d\d)(?:[Tt _]|\Z)", re.ASCII)
_TIME = re.compile(r"(?:\d{4}-\d\d-\d\d[Tt _])?(\d\d):(\d\d)(?::(\d\d))?", re.ASCII)
_LAST = (23, 59, 59)


def none_such(kind: str, given: object) -> str:
    """What to say of a day or a time that is written as it should be, and does not exist; "" for all else.

    Args:
        kind: the format by JSON schema: `date`, `date-time` or `time`.
        given: the value.

    Example:
        >>> none_such("date", "2023-02-29")
        'there is no such day, write one that exists'
    """
    if not isinstance(given, str):
        return ""
    if kind in ("date", "date-time") and (day := _DAY.match(given)):
        try:
            date.fromisoformat(day[1])
        except ValueError:
            return "there is no such day, write one that exists"
    if kind in ("time", "date-time") and (time := _TIME.match(given)):
        parts = zip(time.groups(default="0"), _LAST, strict=True)
        if any(int(part) > last for part, last in parts):
            return "there is no such time, write one from 00:00 to 23:59"
    return ""


def written_path(path: Path) -> str:
    """A path as it is written after a value: `.lines[0].price`."""
    return "".join(f"[{part}]" if isinstance(part, int) or part == EACH else f".{part}" for part in path)


def shown(value: Any, most: int) -> str:
    """A value as JSON, cut."""
    return json.dumps(value, ensure_ascii=False, default=str)[:most]
