"""Answers that tell of another entry than the one that is asked about, or of some of those that were found."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, cast

from ....._internal.strict_json import dumps, loads_or, mapping
from ....._internal.texts import shortened
from .....tools.calls.effects import only_reads
from .....tools.dates.found import read_from
from .....tools.dates.numbers import numbers_in
from .....tools.likeness import marks, traits
from ...loop import PlanActLoop
from ...state import PlanActState, now_of
from ..answer import guessed
from ..effect import keeps_entries
from .meant import APART
from .named import names_said
from .together import read_together
from .unread import unread_call

_FACT = re.compile(r"(?<![\w.])\d[\w.:/-]*\d|(?<![\w.])\d(?!\w)|[A-Za-z]+-?\d[\w-]*")
_MOST_RECORDS, _MOST_FOUND = 60, 4
_ALL_OF = re.compile(
    r"\b(?:any|anything|any(?:one|body)|all|everything|every(?:one|body)|which)\b|哪些|所有|全部", re.IGNORECASE
)
_SHOWN = 300
_SHORTEST = 3
_ASKS_WHO = re.compile(r"\b(?:who|whom|whose|wer|wem|wen|wessen)\b|谁", re.IGNORECASE)
_NUMBERED = re.compile(r"\b([^\W\d_]{3,}) (?:no\.? |number |#)?(\d+)(?![\w:%]|\.\d)", re.IGNORECASE)
_CLOCK = re.compile(r"(?<![\d:])(?:[01]?\d|2[0-3]):[0-5]\d(?![\d:])")
_LENGTHS = re.compile(
    r"durat|minute|hours?\b|length|_min\b|mins\b|time_?zone|utc|[+-]\d\d:\d\d|\d[zZ]\b|分钟|小时", re.IGNORECASE
)
"""By which a result may lead to another time than it has."""
_WORKS_OUT = re.compile(
    r"\bhow\b|\b(?:total|sum|all|altogether|together|average|left|rest|difference|per|each|when)\b"
    r"|wie ?viele?|insgesamt|[几共总多全各何]",
    re.IGNORECASE,
)
"""By which a question asks for what may have to be worked out."""
_FOREMOST = re.compile(
    r"\b(?P<word>last|latest|first|earliest|next|cheapest|dearest|most expensive)\b"
    r"(?! (?:of|time|week|month|year|night|weekend|day)\b| \w+day\b)",
    re.IGNORECASE,
)
"""What a question may ask for of several; "last week" does not."""
_GREATEST = frozenset({"last", "latest", "dearest", "most expensive"})
_BY_PRICE = frozenset({"cheapest", "dearest", "most expensive"})
_PRICE = re.compile(r"price|cost|fare|fee|rate|amount|total|eur|usd|gbp|chf", re.IGNORECASE)
_MOMENT = re.compile(r"\d{1,2}:\d\d(?!\d)|\d{4}-\d\d-\d\d")
_MAY_NOT_COUNT = re.compile(r"status|state|available|free|open|active|booked|closed", re.IGNORECASE)
"""Fields by which a record may be none of those that are asked about."""


class _Record(NamedTuple):
    text: str
    words: frozenset[str]


def told_of_another(question: str, answer: str, shown: Sequence[str]) -> tuple[str, str] | None:
    """The one record that the words of a question name best, and another one of which the answer tells a number, a date
    or an id, where it tells none of the first; None in any doubt. Where the question compares, it is the last, the
    first, the cheapest, as far as the records tell.

    Example:
        >>> told_of_another("When is the film due?", "On 2026-03-03.", ["tape, 2026-03-03\\nfilm, 2026-03-24"])
        ('film, 2026-03-24', 'tape, 2026-03-03')
        >>> told_of_another("When is the film due?", "On 2026-03-24.", ["tape, 2026-03-03\\nfilm, 2026-03-24"])
        >>> trains = '[{"departs": "9:20", "eur": 70}, {"departs": "18:20", "eur": 55}]'
        >>> told_of_another("When does the last train go?", "At 9:20.", [trains])
        ('{"departs": "18:20", "eur": 55}', '{"departs": "9:20", "eur": 70}')
    """
    facts = set(_FACT.findall(answer)) - set(_FACT.findall(question))
    if not facts:
        return next(filter(None, (_word_of_another(question, answer, one) for one in map(_records, shown))), None)
    found: tuple[str, str] | None = None
    for records in map(_records, shown):
        best = _foremost(question, records) if APART.search(question) else _best_named(question, records)
        telling = {fact for fact in facts if not all(_has_any(one.text, {fact}) for one in records)}
        if any(_has_any(one.text, telling) for one in best):
            return None
        if len(best) == 1:
            others = [one.text for one in records if _has_any(one.text, telling)]
            found = found or ((best[0].text, others[0]) if others else None)
    return found


def _word_of_another(question: str, answer: str, records: Sequence[_Record]) -> tuple[str, str] | None:
    """The one record that the words of a question name best, and another one that has a value of the answer in a field
    where the first has one that the answer does not tell: "in progress" of what is "waiting for parts"."""
    best = [] if APART.search(question) else _best_named(question, records)
    if len(best) != 1:
        return None
    said, asked = _plain(answer), _plain(question)
    own = {name: _plain(one) for name, one in mapping(loads_or(best[0].text, None, json.loads)).items()}
    if any(value and value in said and value not in asked for value in own.values()):
        return None
    for other in records:
        for name, one in mapping(loads_or(other.text, None, json.loads)).items():
            value = _plain(one)
            if own.get(name) and value and value != own[name] and value in said and value not in asked:
                return best[0].text, other.text
    return None


def _plain(value: Any) -> str:
    """A text of a few words, as it may stand in a sentence; "" for anything else."""
    is_short = isinstance(value, str) and len(value) <= _SHOWN and len(value) >= _SHORTEST
    return value.casefold().replace("_", " ") if is_short else ""


def _best_named(question: str, records: Sequence[_Record]) -> list[_Record]:
    """The records that have most words of a question, but for those that all have."""
    asked = marks(question)
    common = frozenset[str].intersection(*(one.words for one in records)) if records else frozenset[str]()
    shared = [len(asked & one.words - common) for one in records]
    return [one for one, number in zip(records, shared, strict=True) if number == max(shared) > 0]


def _foremost(question: str, records: Sequence[_Record]) -> list[_Record]:
    """The record that a question means by "the last train", "the cheapest room": by all of their times, or else by
    their one price; none if they do not tell, or if some may not count."""
    words = {found["word"].casefold() for found in _FOREMOST.finditer(question)}
    fields = [mapping(loads_or(one.text, None, json.loads)) for one in records]
    if len(words) != 1 or len({frozenset(one) for one in fields}) != 1 or any(map(_MAY_NOT_COUNT.fullmatch, fields[0])):
        return []
    by_price = words <= _BY_PRICE
    names = [name for name in fields[0] if all(_is_ordered(name, one[name], by_price) for one in fields)]
    names = [name for name in names if len({one[name] for one in fields}) > 1]
    sought = max if words & _GREATEST else min
    places = {sought(range(len(fields)), key=lambda at, name=name: _in_order(fields[at][name])) for name in names}
    return [records[place] for place in places] if len(places) == 1 else []


def _is_ordered(name: str, value: Any, by_price: bool) -> bool:
    if by_price:
        return bool(_PRICE.search(name)) and isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, str) and bool(_MOMENT.match(value))


def _in_order(value: Any) -> Any:
    """A value that sorts as it counts: "9:20" before "18:20"."""
    return value.zfill(len("00:00")) if isinstance(value, str) else value


def left_out(question: str, answer: str, found: str) -> list[str]:
    """The records of a few that were found, which an answer does not name though it names another; [] if the question
    does not ask for all or any, and where the result is no JSON: lines of a text may be parts of one entry.

    Example:
        >>> left_out("Is anything short?", "The goggles are.", '[{"name": "bolts"}, {"name": "goggles"}]')
        ['{"name": "bolts"}']
    """
    records = _records(found) if loads_or(found, None, json.loads) else []
    if not _ALL_OF.search(question) or APART.search(_ALL_OF.sub(" ", question)) or len(records) > _MOST_FOUND:
        return []
    said, named = marks(answer), list[bool]()
    for one in records:
        others = frozenset[str]().union(*(other.words for other in records if other is not one))
        named.append(bool((one.words - others) & said))
    return [one.text for one, is_named in zip(records, named, strict=True) if not is_named] if any(named) else []


def note_of_other_entry(said: str, state: PlanActState, loop: PlanActLoop) -> dict[str, str]:
    """The arguments of `sent_back` if an answer to a question tells of another entry than the question, or leaves out
    what was found; else {}."""
    goal, read = state["goal"], read_together(state, loop)
    if "asks" not in traits(goal) or not all(only_reads(loop.tools[seen["tool"]]) for seen in read) or not read:
        return {}
    shown = [seen["result"] for seen in read]
    unshown = _unshown_numbers(said, goal, shown) or _unshown_times(said, state, loop, "\n".join(shown))
    # A name that is not there is not there; a word may have been the wrong one.
    found_nothing = not marks(read[-1]["result"]) and not any(one in str(read[-1]["input"]) for one in names_said(goal))
    names_nobody = _ASKS_WHO.search(goal) and not any(name.isalpha() for name in " ".join(names_said(said)).split())
    if unread := unread_call(state, loop, whatever=bool(unshown or names_nobody or found_nothing)):
        return {"key": "note.read_first", "tool": unread["tool"]}
    if unshown:
        return {"key": "note.not_shown", "claims": ", ".join(unshown)}
    if two := told_of_another(goal, said, shown):
        meant, other = (shortened(one, _SHOWN) for one in two)
        return {"key": "note.told_of_another", "meant": meant, "other": other}
    # What was asked for without an argument is not what was asked.
    if read[-1]["input"] and (left := left_out(goal, said, read[-1]["result"])):
        return {"key": "note.also_found", "left": "\n".join(shortened(one, _SHOWN) for one in left)}
    return {}


def _unshown_numbers(answer: str, question: str, shown: Sequence[str]) -> list[str]:
    """The numbers by which an answer names what the question asks for, and which stand in no result: "room 41", of a
    list that has none. What may be counted or worked out is none of them."""
    known, asked = numbers_in("\n".join([question, *shown])), marks(question)
    named = [] if _WORKS_OUT.search(question) else _NUMBERED.findall(answer)
    return [number for word, number in named if marks(word) & asked and float(number) not in known]


def _unshown_times(answer: str, state: PlanActState, loop: PlanActLoop, shown: str) -> list[str]:
    """The times of day in an answer if nobody gave any of them, though results have others, and no length of time by
    which they may be worked out. Tools that keep entries have checks of their own."""
    known, said = read_from(shown, now_of(state)), read_from(answer, now_of(state))
    if not known.times or known.lengths or _LENGTHS.search(shown) or any(map(keeps_entries, loop.tools.values())):
        return []
    clocks = _CLOCK.findall(answer)
    unshown = [one for one in clocks if one in guessed(answer, state)]
    return unshown if len(unshown) == len(clocks) and not said.times & known.times else []


def _records(result: str) -> list[_Record]:
    """The entries of a result's outermost list, each whole; [] of one that lists fewer than two, or very many."""
    given: Any = loads_or(result, None, json.loads)
    texts = list(_listed(given)) if isinstance(given, (dict, list)) else result.splitlines()
    found = [_Record(one, marks(one)) for one in texts if one.strip()]
    return found if 1 < len(found) <= _MOST_RECORDS else []


def _listed(given: Any) -> Iterator[str]:
    while isinstance(given, dict):
        fields = cast("dict[str, Any]", given)
        if len(fields) > 1 and all(isinstance(one, dict) for one in fields.values()):
            given = [{"": name, **one} for name, one in fields.items()]
        else:
            lists: list[Any] = [one for one in fields.values() if isinstance(one, (dict, list))]
            given = lists[0] if len(lists) == 1 else []
    yield from (one if isinstance(one, str) else dumps(one, ensure_ascii=False) for one in cast("list[Any]", given))


def _has_any(text: str, facts: set[str]) -> bool:
    return any(re.search(rf"(?<![\w.]){re.escape(one)}(?!\w|\.\d)", text) for one in facts)
