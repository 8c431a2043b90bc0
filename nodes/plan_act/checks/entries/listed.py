"""The entries of the lists that tools have shown, with the words, names and ids of each."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, datetime
from difflib import get_close_matches
from typing import Any, cast

from ....._internal.strict_json import loads_or
from .....tools.calls.names import spelled
from .....tools.dates.found import read_from
from .....tools.likeness import marks

_FLAGS = re.IGNORECASE
_MOST_ENTRIES = 60
_DEEPEST = 20
_ALIKE = 0.8
_FIELDS = re.compile(r"[:：,，;；|()（）\[\]{}\"“”«»]|\s[-–—]\s|\s{2,}|\t")
_HEAD = 2
"""Fields of an entry, from its first, that may name it: the id, and the name."""
ID = re.compile(r"(?:[a-z]+ )?#?[\w./-]*\d[\w./-]*", _FLAGS)
_NAMING = re.compile(r"(?:\w+_)?(?:id|name|title|number|no|nr|code|key)", _FLAGS)
_CODE = re.compile(r"(?=[a-z\d]{8,40}$)(?=.*[a-z])(?=(?:.*\d){6}).*", _FLAGS)
"""What stands for an entry as its id does, such as the number of an account."""


def lists_with(value: str, shown: Sequence[str]) -> Iterator[tuple[Entry, list[Entry]]]:
    """The one entry of each list that a value names, with the list; none of a list of one entry, or of very many."""
    for result in shown:
        entries = list(entries_in(result))
        chosen = [entry for entry in entries if entry.is_named(value)]
        if len(chosen) == 1 and 1 < len(entries) <= _MOST_ENTRIES:
            yield chosen[0], entries


class Entry:
    """An entry of a list, as a tool has shown it."""

    def __init__(
        self,
        text: str,
        fields: Sequence[str],
        heads: Sequence[str],
        names: Sequence[str],
        ids: Mapping[str, str] | None = None,
    ) -> None:
        self.text = text
        self.ids = ids or {}
        self.fields = [field.strip() for field in fields]
        self.words = words_of(fields)
        self.heads = heads
        self.names = [marks(name) for name in names]

    def id_for(self, argument: str) -> str:
        """The id in this entry that an argument takes: that of its name, or the only one; "" if there is none."""
        named = [id_ for name, id_ in self.ids.items() if spelled(name) == spelled(argument)]
        alone = [head for head in self.heads if ID.fullmatch(head)]
        # "106: sun 10:00" has one.
        alone = [head for head in alone if " " not in head] or alone
        return (named or (alone if len(alone) == 1 else [self.ids.get("", self.ids.get("id", ""))]))[0]

    def is_named(self, value: str) -> bool:
        """Whether a value of a call names this entry."""
        return any(value.casefold() == head.casefold() or _has_id(head, value) for head in self.heads)

    def has_any_of(self, words: Collection[str], said: str) -> bool:
        """Whether the entry has one of these words, nearly, or in the middle of a longer one."""
        alike = any(len(word) > _HEAD and get_close_matches(word, words, 1, _ALIKE) for word in self.words)
        return alike or any(word in said.casefold() for word in self.words if len(word) > _HEAD)

    def is_meant(self, words: Collection[str], other: Entry) -> bool:
        """Whether words have one of the entry's that the other has not, or nearly."""
        own = self.words - other.words
        return any(len(word) > _HEAD and get_close_matches(word, words, 1, _ALIKE) for word in own) or bool(
            own.intersection(words)
        )

    def days(self, now: datetime) -> frozenset[date]:
        """The dates in the entry."""
        return read_from(self.text, now).dates

    def told_by(self, words: Collection[str], other: Entry, least: float) -> frozenset[str]:
        """The words that name this entry and not the other one, if they are at least this share of one of its names; an
        owner, a place or a status is no name."""
        for name in self.names:
            letters = frozenset(word for word in name if not any(map(str.isdigit, word)))
            told = letters.intersection(words)
            if told - other.words and len(told) >= least * len(letters):
                return told - other.words
        return frozenset()


def words_of(texts: Sequence[str]) -> frozenset[str]:
    return frozenset[str]().union(*map(marks, texts))


def entries_in(result: str) -> Iterator[Entry]:
    """The entries that a result lists: its lines, or the objects and texts of its JSON."""
    given: Any = loads_or(result, None, json.loads)
    if given is None:
        lines = [line for line in result.splitlines() if line.strip()]
        for line in lines if len(lines) > 1 else re.split("[;；]", result):
            bare = line.strip(" -*•\t")
            fields = [field.strip() for field in _FIELDS.split(bare) if field.strip()]
            yield Entry(bare, fields, fields[:_HEAD], _names(fields))
        return
    yield from _objects(given, _DEEPEST)


def _names(fields: Sequence[str]) -> Sequence[str]:
    """The first of fields, and the next after an id."""
    return fields[: _HEAD if fields and ID.fullmatch(fields[0]) else 1]


def _objects(given: Any, deepest: int, key: str = "") -> Iterator[Entry]:
    """The innermost objects of a JSON value, and texts in a list; none that lie deeper. `key` is the name that the
    object has in one of several objects: its id."""
    if not deepest:
        return
    if isinstance(given, Mapping):
        fields = cast("Mapping[str, Any]", given)
        inside: dict[str, Any] = {name: one for name, one in fields.items() if isinstance(one, (dict, list))}
        names = [str(one) for name, one in fields.items() if name not in inside and _NAMING.fullmatch(name)]
        # The labels of a message are no entries.
        is_record = names and not any(isinstance(one, dict) or _has_objects(one) for one in inside.values())
        if is_record or not inside:
            plain = [key, *map(_as_text, fields.values())] if key else list(map(_as_text, fields.values()))
            heads = [*([key] if key else []), *names, *filter(_CODE.fullmatch, plain)]
            ids = {name: str(one) for name, one in fields.items() if ID.fullmatch(str(one))}
            ids |= {"": key} if key else {}
            yield Entry(", ".join(plain), plain, heads, names, ids)
            return
        by_id = all(isinstance(one, dict) for one in fields.values())
        for name, one in inside.items():
            yield from _objects(one, deepest - 1, name if by_id else "")
    elif isinstance(given, list):
        for one in cast("list[Any]", given):
            if isinstance(one, str):
                fields_of = _FIELDS.split(one)
                yield Entry(one, fields_of, [one], _names(fields_of))
            else:
                yield from _objects(one, deepest - 1)


def _has_objects(given: Any) -> bool:
    return any(isinstance(one, (dict, list)) for one in cast("list[Any]", given))


def _as_text(value: Any) -> str:
    return ", ".join(map(str, cast("list[Any]", value))) if isinstance(value, list) else str(value)


def _has_id(head: str, value: str) -> bool:
    """Whether the head of an entry, such as "todo 2" or "9f8e7d Fix typo", has its id at one end."""
    id_ = re.escape(value)
    return any(map(str.isdigit, value)) and bool(re.search(rf"\s#?{id_}$|^#?{id_}\s", head, _FLAGS))
