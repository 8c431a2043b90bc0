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

from ....._internal.strict_json import loads_or
from .....tools.calls.grounding import is_consent
from .....tools.dates.found import SOME_DAY, read_from
from .....tools.likeness import marks
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
_OR = re.compile(r"\b(?:or|oder|ou|o)\b|还是|或者?|それとも", _FLAGS)
_ASKS = re.compile(
    r"\b(?:which|what|who|whom|when|where|how|welche\w*|wann|wer|was|cuál\w*|qué|quel\w*|qui)\b|哪|什么|谁|どれ|どちら",
    _FLAGS,
)
_NUMBERED = re.compile(r"(?<![\w.-])(\d+)[.):：]\s*(.+?)(?=[,;，；]?\s*(?<![\w.-])\d+[.):：]\s|[?？]|\n|$)")
_NUMBER = re.compile(r"\W*(?:(?:the|number|no|nr|option|nummer|número|numéro)\b\W*)*(\d{1,4})\W*", _FLAGS)


def _answer(words: str) -> re.Pattern[str]:
    """An answer that is nothing but these words: "not the second" and "give me a second" are none."""
    return re.compile(
        rf"\W*(?:(?:the|den|die|das|der|el|la|le)\W+)?(?:{words})(?:\W*(?:one|please|bitte|por favor|个|個|の))*\W*",
        _FLAGS,
    )


_PLACES = [
    _answer(words)
    for words in (
        r"first|1st|former|erste\w?|primer[oa]?|premi[eè]re?|第一|一番目|最初|前者",
        r"second|2nd|zweite\w?|segund[oa]|deuxi[eè]me|seconde|第二|二番目",
        r"third|3rd|dritte\w?|tercer[oa]?|troisi[eè]me|第三|三番目",
    )
]
_LAST = _answer(r"last|latter|letzte\w?|últim[oa]|derni[eè]re?|最后|最後|后者|後者")
_BY_TIME = (
    (_answer(r"(?<=the )later|later(?= one)|晚的"), max),
    (_answer(r"(?<=the )earlier|earlier(?= one)|早的"), min),
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
    for result in shown:
        entries = list(_entries(result))
        chosen = [entry for entry in entries if entry.is_named(value)]
        if len(chosen) != 1 or not 1 < len(entries) <= _MOST_ENTRIES:
            continue
        [own] = chosen
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


def as_chosen(question: str, answer: str, now: datetime) -> str:
    """What the answer to a question says, with the option that it names by its place, or by its time. In any doubt
    of what the options are, the answer stays as it is, behind the question if it agrees to it.

    Example:
        >>> from datetime import datetime
        >>> now = datetime(2026, 1, 5)
        >>> as_chosen("Which one, Dune or Emma?", "the second", now), as_chosen("Dune or Emma?", "2", now)
        ('Emma', '2 Emma')
        >>> as_chosen("Which?\\n1: Dune\\n2: Emma\\n3: Ulysses", "3", now)
        '3 Ulysses'
        >>> as_chosen("Dune or Emma?", "not the second", now)
        'Dune or Emma? not the second'
        >>> as_chosen("Friday at 3 or at 5?", "the later one", now)
        'Friday at 3 or at 5? the later one'
    """
    numbered = {number: option.strip() for number, option in _NUMBERED.findall(question)}
    options = list(numbered.values()) if len(numbered) > 1 else _options(question)
    if len(options) > 1:
        if number := _NUMBER.fullmatch(answer):
            # Two options without numbers; with digits of their own, a number is rather one of these.
            by_place = {} if re.search(r"\d", "".join(options)) else dict(zip("12", options, strict=False))
            option = (numbered if len(numbered) > 1 else by_place).get(number[1], "")
            # The number may also be that of an entry.
            return f"{answer} {option}".strip()
        for place, words in enumerate(_PLACES[: len(options)]):
            if words.fullmatch(answer):
                return options[place]
        if _LAST.fullmatch(answer):
            return options[-1]
        moments = [_moment(option, now) for option in options]
        alike = all(moments) and len({tuple(map(type, one)) for one in moments}) == 1
        for words, most in _BY_TIME:
            if words.fullmatch(answer) and alike and len(set(moments)) == len(moments):
                return options[moments.index(cast("Callable[..., Any]", most)(moments))]
    return f"{question} {answer}" if is_consent(answer) else answer


def _options(question: str) -> list[str]:
    """The two things between which a question lets one choose; none of any other question."""
    asked = re.split("[?？]", question.strip(), maxsplit=1)[0]
    asked = re.split(r"[:：](?!\d)\s*(?=\D)", asked, maxsplit=1)[-1]
    parts = [[part.strip() for part in re.split("[,，、;；\n]", one)] for one in _OR.split(asked)]
    options = [part for one in parts for part in one if part and not _ASKS.search(part)]
    return options if len(parts) == len(options) == 2 else []


def _moment(option: str, now: datetime) -> tuple[Any, ...]:
    read = read_from(option, now)
    return (*sorted(read.dates)[:1], *sorted(read.times)[:1])
