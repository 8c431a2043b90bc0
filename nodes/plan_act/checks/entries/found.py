"""What stands in a list for what a call named wrongly: a small model writes it again, though it was shown the list."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from .....tools.dates.found import SOME_DAY, read_from
from .....tools.likeness import marks
from .listed import ID, Entry, entries_in

_MAIL = re.compile(r"[^\s<>()\[\],;:\"']+@[^\s<>()\[\],;:\"']+")
_WANTS_MAIL = re.compile(r"mail|@", re.IGNORECASE)
_CODE = re.compile(r"^\W*([A-Za-z]{1,5}-?\d{1,8})\b")
_MOST_ALIKE = 6
_OF_ANY = marks("the a an of in on for with one two three four five six all both")


def values_found(
    wrong: Sequence[str], wanted: str, id_of: str, goal: str, shown: Sequence[str], now: datetime = SOME_DAY
) -> Mapping[str, str]:
    """What stands for values that a call named wrongly, where the result of a look-up has just one entry for each.

    Args:
        wrong: the values of one argument.
        wanted: what tells of the form of the argument: its name and description, the error, and the values.
        id_of: the name of the argument, if it takes an id; else "".
        goal: the user's words, which tell which entry an id stands for that the model made up.
        shown: what was looked up.
        now: what relative dates count from: of several entries with the same words, those on a day of the goal count.

    Example:
        >>> values_found(["two pumpkin soups"], "dish", "", "", ["Pumpkin soup: 6.50\\nTrout: 18"])
        {'two pumpkin soups': 'Pumpkin soup'}
        >>> values_found(["Ruth"], "is not an e-mail address", "", "", ["Ruth Adler <ruth@example.org>"])
        {'Ruth': 'ruth@example.org'}
        >>> values_found(["42"], "", "id", "the sink is fixed", ['{"t1": {"title": "Lamp"}, "t2": {"title": "Sink"}}'])
        {'42': 't2'}
        >>> values_found(["house wine"], "dish", "", "", ["House white: 5\\nHouse red: 5"])
        {}
    """
    entries = [*{entry.text: entry for result in shown for entry in entries_in(result)}.values()]
    found: dict[str, str] = {}
    for value in dict.fromkeys(wrong):
        plain = _words(value)
        alike = [one for one in dict.fromkeys(wrong) if _words(one) == plain]
        # What was refused is not what is meant.
        others = [one for one in entries if not id_of or one.id_for(id_of) != value]
        # An id that the model made up may well be another one's.
        exact = [] if id_of and ID.fullmatch(value) else _exact(value, entries)
        meant = exact or _best(plain or (_words(goal) if id_of else plain), others)
        if id_of and len(alike) == 1:
            meant = _narrowed(meant, goal, now)
            # Two entries may belong to the same one.
            meant = [*{one.id_for(id_of): one for one in meant}.values()]
        # "newsletter1" and "newsletter2" stand for the two newsletters that there are.
        alike = [value] if exact else alike
        if len(meant) == len(alike) and (put := _written(meant[alike.index(value)], plain, wanted, id_of)):
            found[value] = put
    return found


def entries_alike(value: str, shown: Sequence[str]) -> list[str]:
    """The entries that have as many words of a value as each other, where these are a few of many.

    Example:
        >>> entries_alike("house wine", ["House white: 5\\nHouse red: 5\\nTrout: 18"])
        ['House white: 5', 'House red: 5']
    """
    for entries in (list(entries_in(result)) for result in shown):
        alike = _exact(value, entries) or _best(_words(value), entries)
        if 1 < len(alike) <= _MOST_ALIKE and len(alike) < len(entries):
            return [entry.text for entry in alike]
    return []


def _words(text: str) -> frozenset[str]:
    """The words of a text without its numbers, and without single letters, as of an id."""
    return frozenset(one for one in marks(re.sub(r"\d+", " ", text)) if len(one) > 1) - _OF_ANY


def _exact(value: str, entries: Sequence[Entry]) -> list[Entry]:
    """The one entry that has most words of a value, numbers among them: "M10 bolts" are told from "M8" by one."""
    best = _best(marks(value) - _OF_ANY, entries)
    return best if len(best) == 1 else []


def _narrowed(alike: list[Entry], goal: str, now: datetime) -> list[Entry]:
    """Of entries that are as like, those on a day that the goal names, or else those with most of its words."""
    days = read_from(goal, now).dates
    return [one for one in alike if one.days(now) & days] or _best(_words(goal), alike) or alike


def _best(words: frozenset[str], entries: Sequence[Entry]) -> list[Entry]:
    """The entries that have most of these words; none if no entry has any."""
    shared = [len(words & entry.words) for entry in entries]
    most = max(shared, default=0)
    return [entry for entry, number in zip(entries, shared, strict=True) if most and number == most]


def _written(entry: Entry, words: frozenset[str], wanted: str, id_of: str) -> str:
    """How an entry is named where this is wanted: by an address, by its id, or by the field that has these words."""
    if id_of:
        return entry.id_for(id_of)
    if _WANTS_MAIL.search(wanted) and (found := _MAIL.findall(entry.text)):
        return found[0] if len(set(found)) == 1 else ""
    shared = {field: len(words & marks(field)) for field in entry.fields}
    most = max(shared.values(), default=0)
    best = [field for field, number in shared.items() if most and number == most]
    # A name that was refused as it is stands for its code: "C15 Oskar Lund".
    codes = [*_CODE.findall(entry.text), *(head for head in entry.heads if ID.fullmatch(head))]
    if len(best) == 1 and codes and words == _words(best[0].replace(codes[0], " ")):
        return codes[0]
    return best[0] if len(best) == 1 else ""
