"""Whether a call means another entry of a list than the one that the user names.

A tool has shown both, and a small model takes the first, or the one beside it. Nothing but the list and the user's
words tell so: the entry of the call shares no word with them that it has alone, and another one does. In doubt the call
is right: where the user sets something apart ("not the first", "all but Dune", "the cheapest"), any entry may be meant.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, datetime
from difflib import get_close_matches
from typing import Any, cast

from ....._internal.strict_json import loads_or
from .....tools.dates.found import SOME_DAY, read_from
from .....tools.dates.numbers import numbers_in
from .....tools.likeness import is_chinese, marks
from ..clauses import JOINTS

_FLAGS = re.IGNORECASE
_MOST_ENTRIES = 60
_LONGEST_NAME = 60
_DEEPEST = 20
_HALF = 0.5
_ALIKE = 0.8
_FIELDS = re.compile(r"[:：,，;；|()（）\[\]{}\"“”«»]|\s[-–—]\s|\s{2,}|\t")
_HEAD = 2
"""Fields of an entry, from its first, that may name it: the id, and the name."""
_ID = re.compile(r"(?:[a-z]+ )?#?[\w./-]*\d[\w./-]*", _FLAGS)
_NAMING = re.compile(r"(?:\w+_)?(?:id|name|title|number|no|nr|code|key)", _FLAGS)
_CODE = re.compile(r"(?=[a-z\d]{8,40}$)(?=.*[a-z])(?=(?:.*\d){6}).*", _FLAGS)
"""What stands for an entry as its id does, such as the number of an account."""
_APART = re.compile(
    r"\b(?:not|no|never|but|except|without|others?|another|else|instead|rather|similar|than|all|every\w*|both|each"
    r"|any\w*|whole|most|least|last|first|next|swap|replace|exchange|switch|\w+est"
    r"|(?<!would )(?<!['’]d )(?<!i )(?<!we )like"
    r"|ohne|nicht|kein\w*|außer|ander\w+|statt\w*|alle\w*|beide\w*|ähnlich\w*|wie|\w{3,}ste[nrsm]?"
    r"|sauf|pas|autres?|tous|toute?s?|comme|plus|moins|derni\w+|premi\w+"
    r"|sin|salvo|excepto|menos|otr[oa]s?|tod[oa]s?|como|parecid\w+|más|últim\w+|primer\w*|sino)\b|n['’]t\b"
    r"|[不别没另其全所都最每类像似]|(?<![删削])除|以外|他の|ない|より",
    _FLAGS,
)
"""By which words set entries apart, compare them or take many: any of them may be meant then."""
_POINTS = re.compile(r"\b(?:it|that|this|them|those|these|es|ihn|lo|la misma)\b|它|那个|这个|それ|これ", _FLAGS)
"""Words for an entry that was named before."""
_BESIDE = (
    r"(?:\b(?:before|after|so|because|since|for|to|in|as|with|vor|nach|damit|weil|für|mit|als|antes de|después de"
    r"|para|con|como|avant|après|pour|avec|comme)\W+(?:\w+\W+){0,2}?|[在给跟和为]\W*)"
)
"""What stands in front of a word that tells when, why, where or for whom something is done, and not of what."""


def another_meant(
    value: str,
    call: Sequence[str],
    told: Sequence[str],
    shown: Sequence[str],
    done: Collection[str],
    now: datetime = SOME_DAY,
) -> tuple[str, str] | None:
    """The entry that a value of a call names, and the one that the user's words name instead; None in any doubt.

    Args:
        value: of the call.
        call: what its tool does, and its other values, whose words say nothing of which entry is meant.
        told: the user's words: the goal, and answers. Of a goal with several clauses, of which one names no entry of
            the list, any entry may be the one that is meant there: "the mushroom pizza, and a tiramisu".
        shown: what tools returned.
        done: values of earlier calls that changed something; an entry among them has had its call.
        now: what relative dates count from.

    Example:
        >>> another_meant("2", ["cancel"], ["Cancel the gym"], ["1: Rent\\n2: Music school\\n3: Gym"], [])
        ('2: Music school', '3: Gym')
        >>> another_meant("3", ["cancel"], ["Cancel the gym"], ["1: Rent\\n2: Music school\\n3: Gym"], [])
    """
    said = "\n".join(told)
    if not value or len(value) > _LONGEST_NAME or _APART.search(said) or _POINTS.search(said):
        return None
    if re.search(rf"(?<!\w){re.escape(value)}(?!\w)", said, _FLAGS):
        return None
    of_call = _words_of(call)
    named = marks(said) - of_call
    days = read_from(said, now).dates
    # Where the call has another value that the user named, this one may be what goes along with it.
    least = 1.0 if any(marks(one) & marks(said) for one in call[1:]) else _HALF
    found: tuple[str, str] | None = None
    for own, entries in _lists_with(value, shown):
        in_call = [one for one in entries if any(map(one.is_named, call[1:]))]
        words = named.difference(*(one.words for one in in_call))
        rivals = [one for one in entries if one not in (own, *in_call) and not any(map(one.is_named, done))]
        beside = {one: told_by for one in rivals if (told_by := one.told_by(words, own, least))}
        if (
            _has_clause_of_none(told[0], of_call, entries)
            or any(own.is_meant(words, one) or own.days(now) & days for one in beside)
            or any(_only_beside(word, said) for told_by in beside.values() for word in told_by)
        ):
            return None
        if len(beside) == 1:
            found = found or (own.text, next(iter(beside)).text)
    return found


def unnamed_entry(value: str, said: str, known: str, shown: Sequence[str], now: datetime = SOME_DAY) -> str:
    """The entry that an id in a call stands for, where it is one of several and nothing names it: neither a word nor a
    day, a time or a number of it was said. "" in any doubt.

    Args:
        value: the id.
        said: the user's words.
        known: what was said before, and what the call says beside.
        shown: what tools returned.
        now: what relative dates count from.

    Example:
        >>> listed = ["p1: Harbour Housing\\np2: Marta Lindqvist"]
        >>> unnamed_entry("p2", "pay my sister", "", listed), unnamed_entry("p2", "pay Marta", "", listed)
        ('p2: Marta Lindqvist', '')
    """
    if _APART.search(said) or _POINTS.search(said) or re.search(rf"(?<!\w){re.escape(value)}(?!\w)", said, _FLAGS):
        return ""
    words, spoken = marks(f"{said}\n{known}"), read_from(said, now)
    found = ""
    for own, _ in _lists_with(value, shown):
        listed, about = read_from(own.text, now), own.text.replace(value, " ")
        if (
            own.has_any_of(words, f"{said}\n{known}")
            or is_chinese(about) != is_chinese(said)
            or listed.dates & spoken.dates
            or listed.times & spoken.times
            or numbers_in(about) & numbers_in(said)
        ):
            return ""
        found = own.text
    return found


def entry_answered(value: str, answer: str, shown: Sequence[str]) -> str:
    """The id, in place of one that a call has, of the one other entry of its list that an answer names; "" in doubt.

    Example:
        >>> entry_answered("p1", "She is called Ines Duarte.", ["p1: Harbour Housing\\np4: Ines Duarte"])
        'p4'
    """
    words = marks(answer)
    for own, entries in _lists_with(value, shown):
        shared = {one: len(words & (one.words - own.words)) for one in entries if one is not own}
        most = max(shared.values(), default=0)
        best = [one for one, number in shared.items() if number == most]
        if most and len(best) == 1 and not words & (own.words - best[0].words):
            place = own.heads.index(value) if value in own.heads else len(best[0].heads)
            return best[0].heads[place] if place < len(best[0].heads) else ""
    return ""


def _lists_with(value: str, shown: Sequence[str]) -> Iterator[tuple[_Entry, list[_Entry]]]:
    """The one entry of each list that a value names, with the list; none of a list of one entry, or of very many."""
    for result in shown:
        entries = list(_entries(result))
        chosen = [entry for entry in entries if entry.is_named(value)]
        if len(chosen) == 1 and 1 < len(entries) <= _MOST_ENTRIES:
            yield chosen[0], entries


def _has_clause_of_none(goal: str, of_call: frozenset[str], entries: Sequence[_Entry]) -> bool:
    """Whether one of several clauses of a goal names none of these entries."""
    listed = frozenset[str]().union(*(one.words for one in entries))
    clauses = [{word for word in marks(one) - of_call if not word.isdigit()} for one in JOINTS.split(goal) if one]
    clauses = list(filter(None, clauses))
    return len(clauses) > 1 and not all(one & listed for one in clauses)


def _words_of(texts: Sequence[str]) -> frozenset[str]:
    return frozenset[str]().union(*map(marks, texts))


class _Entry:
    """An entry of a list, as a tool has shown it."""

    def __init__(self, text: str, fields: Sequence[str], heads: Sequence[str], names: Sequence[str]) -> None:
        self.text = text
        self.words = _words_of(fields)
        self.heads = heads
        self.names = [marks(name) for name in names]

    def is_named(self, value: str) -> bool:
        """Whether a value of a call names this entry."""
        return any(value.casefold() == head.casefold() or _has_id(head, value) for head in self.heads)

    def has_any_of(self, words: Collection[str], said: str) -> bool:
        """Whether the entry has one of these words, nearly, or in the middle of a longer one."""
        alike = any(len(word) > _HEAD and get_close_matches(word, words, 1, _ALIKE) for word in self.words)
        return alike or any(word in said.casefold() for word in self.words if len(word) > _HEAD)

    def is_meant(self, words: Collection[str], other: _Entry) -> bool:
        """Whether words have one of the entry's that the other has not, or nearly."""
        own = self.words - other.words
        return any(len(word) > _HEAD and get_close_matches(word, words, 1, _ALIKE) for word in own) or bool(
            own.intersection(words)
        )

    def days(self, now: datetime) -> frozenset[date]:
        """The dates in the entry."""
        return read_from(self.text, now).dates

    def told_by(self, words: Collection[str], other: _Entry, least: float) -> frozenset[str]:
        """The words that name this entry and not the other one, if they are at least this share of one of its names; an
        owner, a place or a status is no name."""
        for name in self.names:
            letters = frozenset(word for word in name if not any(map(str.isdigit, word)))
            told = letters.intersection(words)
            if told - other.words and len(told) >= least * len(letters):
                return told - other.words
        return frozenset()


def _only_beside(word: str, said: str) -> bool:
    """Whether a word stands only where it tells when, why, where or for whom: "Move the doctor to after the gym"."""
    start = re.escape(word)
    everywhere = re.findall(rf"({_BESIDE})?(?<![^\W\u3040-\u9fff]){start}", said, _FLAGS)
    return bool(everywhere) and all(everywhere)


def _entries(result: str) -> Iterator[_Entry]:
    given: Any = loads_or(result, None, json.loads)
    if given is None:
        lines = [line for line in result.splitlines() if line.strip()]
        for line in lines if len(lines) > 1 else re.split("[;；]", result):
            bare = line.strip(" -*•\t")
            fields = [field.strip() for field in _FIELDS.split(bare) if field.strip()]
            yield _Entry(bare, fields, fields[:_HEAD], _names(fields))
        return
    yield from _objects(given, _DEEPEST)


def _names(fields: Sequence[str]) -> Sequence[str]:
    """The first of fields, and the next after an id."""
    return fields[: _HEAD if fields and _ID.fullmatch(fields[0]) else 1]


def _objects(given: Any, deepest: int) -> Iterator[_Entry]:
    """The innermost objects of a JSON value, and texts in a list; none that lie deeper."""
    if not deepest:
        return
    if isinstance(given, Mapping):
        fields = cast("Mapping[str, Any]", given)
        inside: list[Any] = [one for one in fields.values() if isinstance(one, (dict, list))]
        if not inside:
            plain = {name: str(value) for name, value in fields.items()}
            names = [value for name, value in plain.items() if _NAMING.fullmatch(name)]
            codes = filter(_CODE.fullmatch, plain.values())
            yield _Entry(", ".join(plain.values()), list(plain.values()), [*names, *codes], names)
        for one in inside:
            yield from _objects(one, deepest - 1)
    elif isinstance(given, list):
        for one in cast("list[Any]", given):
            if isinstance(one, str):
                fields_of = _FIELDS.split(one)
                yield _Entry(one, fields_of, [one], _names(fields_of))
            else:
                yield from _objects(one, deepest - 1)


def _has_id(head: str, value: str) -> bool:
    """Whether the head of an entry, such as "todo 2" or "9f8e7d Fix typo", has its id at one end."""
    id_ = re.escape(value)
    return any(map(str.isdigit, value)) and bool(re.search(rf"\s#?{id_}$|^#?{id_}\s", head, _FLAGS))
