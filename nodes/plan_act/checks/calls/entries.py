"""Whether a call means another entry of a list than the one that the user names.

A tool has shown both, and a small model takes the first, or the one beside it. Nothing but the list and the user's
words tell so: the entry of the call shares no word with them that it has alone, and another one does. In doubt the call
is right: where the user sets something apart ("not the first", "all but Dune", "the cheapest"), any entry may be meant.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import date, datetime
from difflib import get_close_matches
from typing import Any, cast

from .....tools.calls.grounding import is_consent
from .....tools.dates.found import SOME_DAY, read_from
from .....tools.likeness import marks
from ..clauses import JOINTS

_FLAGS = re.IGNORECASE
_MOST_ENTRIES = 60
_LONGEST_NAME = 60
_LONGEST_ANSWER = 30
_HALF = 0.5
_ALIKE = 0.8
_FIELDS = re.compile(r"[:：,，;；|()（）\[\]{}\"“”«»]|\s[-–—]\s|\s{2,}|\t")
_HEAD = 2
"""Fields of an entry, from its first, that may name it: the id, and the name."""
_NAMING = re.compile(r"(?:\w+_)?(?:id|name|title|number|no|nr|code|key)", _FLAGS)
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
_OR = re.compile(r"[,，、;；\n]|\b(?:or|oder|ou|o)\b|还是|或者?|と(?=.*どちら)|それとも", _FLAGS)
_NUMBERED = re.compile(r"(?<![\w.-])(\d+)[.):：]\s*(.+?)(?=[,;，；]?\s*(?<![\w.-])\d+[.):：]\s|[?？]|\n|$)")
_NUMBER = re.compile(r"\W*(?:(?:the|number|no|nr|option|nummer|número|numéro)\b\W*)*(\d{1,4})\W*", _FLAGS)
_PLACES = [
    re.compile(words, _FLAGS)
    for words in (
        r"\b(?:first|1st|former|erste\w?|primer[oa]?|premi[eè]re?)\b|第一|一番目|最初|前者",
        r"\b(?:second|2nd|zweite\w?|segund[oa]|deuxi[eè]me|seconde)\b|第二|二番目",
        r"\b(?:third|3rd|dritte\w?|tercer[oa]?|troisi[eè]me)\b|第三|三番目",
    )
]
_LAST = re.compile(r"\b(?:last|latter|letzte\w?|últim[oa]|derni[eè]re?)\b|最后|最後|后者|後者", _FLAGS)
_BY_TIME = (
    (re.compile(r"\b(?:later|later one)\b|晚的|晚一点", _FLAGS), max),
    (re.compile(r"\bearlier\b|早的", _FLAGS), min),
)


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
    if not value or len(value) > _LONGEST_NAME or _has(said, value) or _APART.search(said):
        return None
    of_call = frozenset[str]().union(*map(marks, call))
    named = marks(said) - of_call
    clauses = [{word for word in marks(one) - of_call if not word.isdigit()} for one in JOINTS.split(told[0]) if one]
    found: tuple[str, str] | None = None
    days = read_from(said, now).dates
    for result in shown:
        entries = list(_entries(result))
        chosen = [entry for entry in entries if entry.is_named(value)]
        if len(chosen) != 1 or not 1 < len(entries) <= _MOST_ENTRIES:
            continue
        in_call = [one for one in entries if any(map(one.is_named, call[1:]))]
        words = named.difference(*(one.words for one in in_call))
        others = [one for one in entries if one is not chosen[0] and one not in in_call]
        rivals = [one for one in others if not any(map(one.is_named, done))]
        # Where the call has another value that the user named, this one may be what goes along with it.
        least = 1.0 if any(marks(one) & marks(said) for one in call[1:]) else _HALF
        beside = [one for one in rivals if one.is_told(words, chosen[0], least)]
        listed = frozenset[str]().union(*(one.words for one in entries))
        if len(list(filter(None, clauses))) > 1 and any(one and not one & listed for one in clauses):
            return None
        if any(chosen[0].is_meant(words, one) or chosen[0].days(now) & days for one in beside):
            return None
        if len(beside) == 1:
            found = found or (chosen[0].text, beside[0].text)
    return found


class _Entry:
    """An entry of a list, as a tool has shown it."""

    def __init__(self, text: str, fields: Sequence[str], heads: Sequence[str]) -> None:
        self.text = text
        self.fields = [marks(field) for field in fields]
        self.words = frozenset[str]().union(*self.fields)
        self.heads = heads

    def is_named(self, value: str) -> bool:
        """Whether a value of a call names this entry."""
        return any(value.casefold() == head.casefold() or _has_id(head, value) for head in self.heads)

    def is_meant(self, words: Collection[str], other: _Entry) -> bool:
        """Whether words have one of the entry's that the other has not, or nearly."""
        own = self.words - other.words
        return any(len(word) > _HEAD and get_close_matches(word, words, 1, _ALIKE) for word in own) or bool(
            own.intersection(words)
        )

    def days(self, now: datetime) -> frozenset[date]:
        """The dates in the entry."""
        return read_from(self.text, now).dates

    def is_told(self, words: Collection[str], other: _Entry, least: float) -> bool:
        """Whether words have at least this share of one of the entry's fields, and something that the other has not."""
        for field in self.fields:
            letters = {word for word in field if not any(map(str.isdigit, word))}
            told = letters.intersection(words)
            if told - other.words and len(told) >= least * len(letters):
                return True
        return False


def _entries(result: str) -> Iterator[_Entry]:
    try:
        given = json.loads(result)
    except ValueError:
        lines = [line for line in result.splitlines() if line.strip()]
        for line in lines if len(lines) > 1 else re.split("[;；]", result):
            bare = line.strip(" -*•\t")
            fields = [field.strip() for field in _FIELDS.split(bare) if field.strip()]
            yield _Entry(bare, fields, fields[:_HEAD])
        return
    yield from _objects(given)


def _objects(given: Any) -> Iterator[_Entry]:
    """The innermost objects of a JSON value, and texts in a list."""
    if isinstance(given, Mapping):
        fields = cast("Mapping[str, Any]", given)
        inside: list[Any] = [one for one in fields.values() if isinstance(one, (dict, list))]
        if not inside:
            plain = {name: str(value) for name, value in fields.items()}
            heads = [value for name, value in plain.items() if _NAMING.fullmatch(name)]
            yield _Entry(", ".join(plain.values()), list(plain.values()), heads)
        for one in inside:
            yield from _objects(one)
    elif isinstance(given, list):
        for one in cast("list[Any]", given):
            if isinstance(one, str):
                yield _Entry(one, _FIELDS.split(one), [one])
            else:
                yield from _objects(one)


def _has(text: str, value: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, _FLAGS))


def _has_id(head: str, value: str) -> bool:
    """Whether the head of an entry, such as "todo 2" or "9f8e7d Fix typo", has its id at one end."""
    id_ = re.escape(value)
    return any(map(str.isdigit, value)) and bool(re.search(rf"\s#?{id_}$|^#?{id_}\s", head, _FLAGS))


def as_chosen(question: str, answer: str, now: datetime) -> str:
    """What the answer to a question says, with the option in it that it names by its place, or by its time.

    Example:
        >>> from datetime import datetime
        >>> as_chosen("Dune or Emma?", "the second", datetime(2026, 1, 5))
        'Emma'
        >>> as_chosen("Dune or Emma?", "Emma", datetime(2026, 1, 5))
        'Emma'
    """
    asked = re.split(r"[:：](?!\d)\s*(?=\D)", question.strip().rstrip("?？ "), maxsplit=1)[-1]
    numbered = {number: option.strip() for number, option in _NUMBERED.findall(question)}
    options = list(numbered.values()) if len(numbered) > 1 else [one.strip() for one in _OR.split(asked) if one.strip()]
    if len(options) > 1 and len(answer) <= _LONGEST_ANSWER:
        place = _NUMBER.fullmatch(answer)
        if place:
            by_place = dict(zip(map(str, range(1, len(options) + 1)), options, strict=True))
            return (numbered if len(numbered) > 1 else by_place).get(place[1], answer)
        for place, words in enumerate(_PLACES[: len(options)]):
            if words.search(answer):
                return options[place]
        if _LAST.search(answer):
            return options[-1]
        for words, most in _BY_TIME:
            moments = [_moment(option, now) for option in options]
            if words.search(answer) and all(moments) and len(set(moments)) == len(moments):
                return options[moments.index(cast("Callable[..., Any]", most)(moments))]
    return f"{question} {answer}" if is_consent(answer) else answer


def _moment(option: str, now: datetime) -> tuple[Any, ...]:
    read = read_from(option, now)
    return (*sorted(read.dates)[:1], *sorted(read.times)[:1])
