"""Results put together by the ids that they share: visits have the number of a pet, and another tool its name.

A small model cannot follow a name over two lists, and the checks would not know whose visit an entry is. As a left join
of two tables does, an entry gets the names of what its ids stand for, whichever tool was called first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple, cast

from ....._internal.strict_json import dumps, loads_or
from .....tools.calls.names import is_key, spelled

_PASSES = 2
"""A visit has a pet, and the pet an owner."""
_MOST_NAMES, _LONGEST_NAME = 3, 60
_MOST_LINKED, _LONGEST_RESULT = 200, 50_000
_DEEPEST = 20
_CODE = re.compile(r"(?=.*[A-Za-z])(?=.*\d)[\w#/-]{2,20}")
"""An id that is told from any other by its form: "V31"."""
_NUMBER = re.compile(r"#?\d{1,12}")
_OF_A_KEY = re.compile(r"_?(?:[A-Z]?[a-z]+|[A-Z]+)$")
"""The end of a field's name by which it takes an id: `pet_id`, `petId`."""
_NAMES_IT = re.compile(r"(?:\w+_)?(?:name|title|label)", re.IGNORECASE)
_CUT_AT = re.compile(r"[:：,，;；|()（）\[\]{}\"]|\s[-–—]\s|\s{2,}|\t")
_ID_IN_LINE = re.compile(
    r"\b(?P<thing>[A-Za-z]+)?[ _]?(?:\b(?:id|no|nr|number)\b\.?|#)\W{0,2}(?P<id>[\w-]*\d[\w-]*)", re.IGNORECASE
)


class Result(NamedTuple):
    """What a tool returned.

    Attributes:
        named: the words of the tool's name.
        about: these, and those of the first sentence of its description.
        text: the result.
    """

    named: frozenset[str]
    about: frozenset[str]
    text: str


@dataclass
class _Entry:
    """An entry of a result: an object of its JSON, or a line.

    Attributes:
        given: the object; of a line "" stands for the whole.
        own: its own id, with the name of the field, "" where it has none.
        names: the texts that tell what it is, by their fields.
        sure: whether the id is its own, and not that of what it belongs to: a bill may have no other than a member's.
    """

    place: int
    given: dict[str, Any]
    own: tuple[str, str] = ("", "")
    names: dict[str, str] = field(default_factory=dict[str, str])
    sure: bool = True


@lru_cache(maxsize=64)
def joined(results: tuple[Result, ...]) -> tuple[str, ...]:
    """The texts of results, in which entries have the names of what their ids stand for in other ones.

    Example:
        >>> pets = Result(frozenset({"find", "pet"}), frozenset({"find", "pet"}), '[{"pet_id": 7, "name": "Milo"}]')
        >>> visits = Result(frozenset({"visit"}), frozenset({"visit"}), '[{"visit_id": "V31", "pet_id": 7}]')
        >>> joined((pets, visits))[1]
        '[{"visit_id": "V31", "pet_id": 7, "pet_name": "Milo"}]'
    """
    texts = [one.text for one in results]
    # Each pass reads what the one before has written: the owner's name reaches the visit with the pet's.
    for _ in range(_PASSES):
        values = [_value(text) for text in texts]
        entries = [one for place, value in enumerate(values) for one in _entries(value, place, results[place])]
        known = [one for one in entries if one.own[1] and one.names]
        if len(values) < 2 or len(known) > _MOST_LINKED:
            return tuple(texts)
        by_id: dict[str, list[_Entry]] = {}
        for one in known:
            by_id.setdefault(one.own[1], []).append(one)
        if not sum([_link(one, by_id, results) for one in entries]):
            break
        texts = [_text(value, text) for value, text in zip(values, texts, strict=True)]
    return tuple(texts)


def told_more(old: str, new: str, result: Result) -> list[str]:
    """The entries of a text that have more names than they had."""
    if old == new:
        return []
    pairs = zip(*(_entries(_value(text), 0, result) for text in (old, new)), strict=True)
    return [
        one.given[""] if isinstance(one.given, _Line) else dumps(one.given, ensure_ascii=False)
        for had, one in pairs
        if had.given != one.given
    ]


class _Line(dict[str, Any]):
    """A line of a text, under "", which can be changed as an object can."""


def _value(text: str) -> Any:
    """A result's JSON, or its lines; None for what is too long to be looked through, and for JSON that was cut."""
    given: Any = loads_or(text, None, json.loads) if len(text) <= _LONGEST_RESULT else None
    if isinstance(given, (dict, list)):
        return cast(Any, given)
    is_text = len(text) <= _LONGEST_RESULT and not text.lstrip().startswith(("{", "["))
    return [_Line({"": line}) for line in text.splitlines()] if is_text else None


def _text(value: Any, text: str) -> str:
    if value is None:
        return text
    if isinstance(given := loads_or(text, None, json.loads), (dict, list)):
        return text if value == given else dumps(value, ensure_ascii=False)
    return "\n".join(line[""] for line in value)


def _entries(value: Any, place: int, result: Result, key: str = "", deepest: int = _DEEPEST) -> Iterator[_Entry]:
    """The objects of a value, and its lines; none that lie deeper. `key` is the name that an object has in one of
    several: its id."""
    if isinstance(value, _Line):
        yield _line(place, value, result)
    elif isinstance(value, dict) and deepest:
        given = cast("dict[str, Any]", value)
        if own := _own_id(given, result, key):
            sure = not is_key(own[0]) or _is_of(own[0], result)
            yield _Entry(place, given, own, _names(given), sure)
        elif any(not isinstance(one, dict | list) for one in given.values()):
            yield _Entry(place, given)
        for name, one in given.items():
            yield from _entries(one, place, result, name, deepest - 1)
    elif isinstance(value, list) and deepest:
        for one in cast("list[Any]", value):
            yield from _entries(one, place, result, deepest=deepest - 1)


def _own_id(given: Mapping[str, Any], result: Result, key: str) -> tuple[str, str] | None:
    """The id of an object, with the name of its field: `id`, or the one that is about what its tool tells, or the
    first."""
    ids = {name: str(one) for name, one in given.items() if is_key(name) and _is_id(one)}
    of_tool = [name for name in ids if _is_of(name, result)]
    if found := next(iter([*of_tool, *ids]), ""):
        return found, ids[found]
    if _is_id(key):
        return "", key
    # The `room` of `get_rooms`, or a code.
    named = [name for name, one in given.items() if {*spelled(name)[-1:]} & result.named and _is_id(one)]
    coded = [name for name, one in given.items() if isinstance(one, str) and _CODE.fullmatch(one)]
    return next(((name, str(given[name])) for name in (*named, *coded)), None)


def _is_of(name: str, result: Result) -> bool:
    """Whether a field has the id of what its tool tells of: `id`, and the `visit_id` of `list_visits`."""
    return len(spelled(name)) == 1 or bool({*spelled(name)[:-1]} & result.named)


def _is_id(value: Any) -> bool:
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return is_whole or (isinstance(value, str) and bool(_CODE.fullmatch(value) or _NUMBER.fullmatch(value)))


def _names(given: Mapping[str, Any]) -> dict[str, str]:
    """The texts of an object that tell what it is: its name first, and none with a number or a date."""
    texts = {name: one for name, one in given.items() if isinstance(one, str) and _may_name(one)}
    first = sorted(texts, key=lambda name: not _NAMES_IT.fullmatch(name))
    return {name: texts[name] for name in first[:_MOST_NAMES]}


def _may_name(text: str) -> bool:
    return bool(text.strip()) and len(text) <= _LONGEST_NAME and not any(map(str.isdigit, text))


def _line(place: int, given: dict[str, Any], result: Result) -> _Entry:
    """A line, with the id that it begins with, or the one that it calls so: "7: Milo", "Milo (id 7)"."""
    parts = [one.strip(" -*•.\"'") for one in _CUT_AT.split(given[""])]
    parts = [one for one in parts if one]
    names = [one.rpartition("=")[2].strip() for one in parts if _may_name(one)]
    named = {"name": names[0]} if names else {}
    first = parts[0].rpartition(" ") if parts else ("", "", "")
    is_of_tool = not first[0] or {*spelled(first[0])} & result.named
    if is_of_tool and _is_id(first[2]):
        return _Entry(place, given, (first[0], first[2].lstrip("#")), named)
    ids = [one for one in _ID_IN_LINE.finditer(given[""]) if not one["thing"] or one["thing"].lower() in result.named]
    own = ("", ids[0]["id"]) if len(ids) == 1 else ("", "")
    return _Entry(place, given, own, named)


def _link(one: _Entry, by_id: Mapping[str, Sequence[_Entry]], results: Sequence[Result]) -> bool:
    """Give an entry the names of what its ids stand for; whether any was new."""
    if isinstance(one.given, _Line):
        return _link_line(one, by_id, results)
    found: dict[str, Any] = {}
    for name, value in one.given.items():
        found[name] = value
        values = cast("list[Any]", value) if isinstance(value, list) else [value]
        if (name == one.own[0] and one.sure) or not values or not all(map(_is_id, values)):
            continue
        told = [_meant(name, str(each), one, by_id, results) for each in values]
        if all(told):
            thing = (_OF_A_KEY.sub("", name) if is_key(name) else name) or name
            for about in told[0] or {}:
                new = about if about.startswith(f"{thing}_") else f"{thing}_{about}"
                if new not in one.given and (texts := [each[about] for each in told if each and about in each]):
                    found[new] = ", ".join(texts)
    is_new = len(found) > len(one.given)
    if is_new:
        one.given.clear()
        one.given.update(found)
    return is_new


def _meant(
    name: str, value: str, of: _Entry, by_id: Mapping[str, Sequence[_Entry]], results: Sequence[Result]
) -> dict[str, str] | None:
    """The names of the one entry of another result for which an id in a field stands; None if it may be another one's
    id, and if several entries have it that are not the same."""
    fits = [
        one
        for one in by_id.get(value, ())
        if one.place != of.place and _refers(name, value, one.own[0], results[one.place])
    ]
    fits = [one.names for one in fits if one.sure] or [one.names for one in fits if name != of.own[0]]
    return fits[0] if fits and all(one == fits[0] for one in fits) else None


def _refers(name: str, value: str, own: str, result: Result) -> bool:
    if _CODE.fullmatch(value) or (name == own and (len(spelled(name)) > 1 or not is_key(name))):
        return True
    # Of `id`, and of an id without a name, the tool says what it is the id of.
    is_plain = len(spelled(own)) < 2 or not is_key(own)
    return is_key(name) and is_plain and bool({*spelled(name)[:-1]} & result.about)


def _link_line(one: _Entry, by_id: Mapping[str, Sequence[_Entry]], results: Sequence[Result]) -> bool:
    """Write the name behind an id in a line: "V31: pet 7 = Milo"."""
    line: str = one.given[""]
    for value, entries in by_id.items():
        others = [each for each in entries if each.place != one.place]
        if (
            value not in line
            or value == one.own[1]
            or not others
            or any(each.names != others[0].names for each in others)
        ):
            continue
        things = "" if _CODE.fullmatch(value) else "|".join(map(re.escape, sorted(results[others[0].place].named)))
        before = rf"\b(?:{things})(?:[_ ](?:id|no|nr|number))?\W{{0,2}}" if things else r"(?<![\w-])"
        name = next(iter(others[0].names.values()))
        line = re.sub(rf"{before}{re.escape(value)}(?![\w-]|\.\d)(?! = )", rf"\g<0> = {_escaped(name)}", line, count=1)
    is_new = line != one.given[""]
    one.given[""] = line
    return is_new


def _escaped(name: str) -> str:
    return name.replace("\\", r"\\")
