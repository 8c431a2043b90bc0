"""Which of the entries that the user was shown an answer means: by name, number or place, or by what is to stay."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from difflib import get_close_matches

from ....calls.grounding import is_consent, is_denial
from ....calls.names import words_of
from ....dates.words import fold
from ....likeness import marks, traits
from ...request import Kind
from ..entries import Entry, named_in
from .what_stays import ALL_OF_THEM, AN_ID, COUNTS, SHORTEST, SOME_PLACES, by_place, is_place, read_clauses

_COUNTED_ALL = re.compile(r"\b(both)\b|\ball (two|three|four|five|\d)\b|(两)[个条项]", re.IGNORECASE)
_SENTENCES = re.compile(r"(?<=[.!?;。！？；])\s*")
_LISTED = re.compile(r"\b(?:and|plus)\b|[&+、和]|以及|还有", re.IGNORECASE)
_A_NUMBER = re.compile(r"\W*(?:number|no\.?|the)?\s*#?(\d{1,9})\W*", re.IGNORECASE)
_NUMBERS = re.compile(
    r"\W*(?:numbers?|nos?\.?|the)?\s*#?\d{1,9}(?:(?:\s|[,，、&+#]|and|和)+\d{1,9})+\W*", re.IGNORECASE
)
_MISSPELLED = 0.8


def with_id(
    kind: Kind, order: str, rest: str, rivals: Sequence[Entry], now: datetime, answer: str, *, several: bool = False
) -> str | None:
    """The command for the entry that the answer means, or for several; None if it leaves open which.

    Args:
        kind: of the list.
        order: of the command, such as "rm".
        rest: what the command says besides.
        rivals: the entries that the user was shown.
        now: by which days are read.
        answer: the user's.
        several: whether the request is about more than one of them.
    """
    meant = entries_chosen(answer, rivals, now, several=several)
    if not meant or (len(meant) > 1 and order == "edit"):
        return None
    return f"/{kind} {order} {' '.join(str(entry.id) for entry in meant)} {rest}".rstrip()


def all_but(kind: Kind, order: str, rivals: Sequence[Entry], now: datetime, answer: str) -> str | None:
    """The command for all entries but those that the answer names, as an answer to which of them stay."""
    said = read_clauses(answer, rivals, now, is_kept=False)
    if (said.rest or said.denies) and not (said.named or said.stays):
        return None
    kept = [*said.stays, *([] if said.goes else said.named)]
    if not (said.named or said.stays):
        kept = by_place(fold(answer), rivals) if is_place(answer) else _by_number(answer, rivals)
    if said.goes and not said.stays:
        # The last clause tells what becomes of all that are listed: "the peas, the nursery and the curtains can go".
        kept = [one for one in rivals if one not in said.named]
    ids = [str(one.id) for one in rivals if one not in kept]
    return f"/{kind} {order} {' '.join(ids)}" if kept and ids else None


def entries_chosen(
    answer: str, rivals: Sequence[Entry], now: datetime, *, several: bool = False, by_number: bool = True
) -> list[Entry]:
    """The entries that an answer means; none where it leaves that open.

    Args:
        answer: the user's.
        rivals: the entries that the user was shown.
        now: by which days are read.
        several: whether more than one may be meant though the answer only says which are not.
        by_number: whether a number among other words may be an entry's.

    Example:
        Of a passport, a nursery and peas, "the passport stays, the rest can go" means the nursery and the peas.
    """
    plain = fold(answer)
    said = read_clauses(answer, rivals, now)
    left = [one for one in rivals if one not in said.stays]
    if said.rest:
        left = [one for one in left if one not in said.named] if said.stays or said.named else []
        return left if len(left) == 1 or not said.is_one else []
    if said.stays and not said.named:
        return left if several or len(left) == 1 else []
    if said.stays:
        return [one for one in said.named if one in left]
    if said.keeps and not said.named:
        return []
    if numbered := _by_number(answer, rivals) if by_number else []:
        return numbered
    if ALL_OF_THEM.search(plain):
        # "Both the passport and the peas", "all the dentist ones".
        listed = said.named if _LISTED.search(plain) else named_in(answer, rivals, now)
        return listed or (list(rivals) if _is_number_of(rivals, plain) else [])
    # "The men's. The ladies know theirs by heart": what comes first is the answer.
    first, *others = _SENTENCES.split(answer.strip(), maxsplit=1)
    meant = named_in(first, rivals, now)
    meant = meant if meant or marks(first) else named_in(" ".join(others), rivals, now)
    if len(meant) != 1 and (_LISTED.search(plain) or SOME_PLACES.search(plain)):
        return said.named
    meant = meant or by_place(plain, rivals) or misspelled(first, rivals)
    return meant if len(meant) == 1 else []


def chosen_by(answer: str, rivals: Sequence[Entry], now: datetime) -> Entry | None:
    """The one entry that an answer means: by its words, or by nothing but its id or its place, "2" or "the second one";
    None for none, or for several."""
    number = _A_NUMBER.fullmatch(fold(answer))
    if number:
        named = [one for one in rivals if one.id == int(number[1])]
    elif by_place(fold(answer), rivals) and not (is_place(answer) or read_clauses(answer, rivals, now).stays):
        named = named_in(answer, rivals, now)
    else:
        named = entries_chosen(answer, rivals, now, by_number=False)
    return named[0] if len(named) == 1 else None


def says_what_stays(answer: str, entries: Sequence[Entry], now: datetime) -> bool:
    """Whether an answer speaks of the entries only to say that nothing is to be done about them."""
    said = read_clauses(answer, entries, now)
    return bool(said.stays or said.keeps) and not said.named


def _is_number_of(rivals: Sequence[Entry], plain: str) -> bool:
    """Whether words that mean all entries tell no other number of them: "both" of three leaves open which."""
    found = _COUNTED_ALL.search(plain)
    number = next(filter(None, found.groups())).casefold() if found else ""
    return not number or COUNTS.get(number, number) in (len(rivals), str(len(rivals)))


def _by_number(answer: str, rivals: Sequence[Entry]) -> list[Entry]:
    """The one entry whose id an answer has, or those of an answer that is nothing but ids."""
    plain = fold(answer)
    numbers = {int(number) for number in AN_ID.findall(plain)}
    named = [entry for entry in rivals if entry.id in numbers]
    is_list = _NUMBERS.fullmatch(plain) and len(named) == len(numbers)
    return named if len(named) == 1 or is_list else []


def misspelled(answer: str, rivals: Sequence[Entry]) -> list[Entry]:
    """The entries that an answer means which names none, but has a word of theirs with letters changed over, "odlie" of
    Odile, or nothing but words like theirs. Words that agree, deny or ask are meant as they are: "right" is no "night".
    """
    typed = [word for word in words_of(fold(answer)) if len(word) >= SHORTEST and marks(word)]
    if not typed or is_denial(answer) or is_consent(answer) or "asks" in traits(answer):
        return []
    own = [(one, words_of(fold(one.about))) for one in rivals]
    changed_over = [one for one, words in own if {*map(_letters, typed)} & {*map(_letters, words)}]
    return changed_over or [
        one for one, words in own if all(get_close_matches(word, words, 1, _MISSPELLED) for word in typed)
    ]


def _letters(word: str) -> str:
    """A word's letters without their order; the first one stays, and is seldom wrong."""
    return word[:1] + "".join(sorted(word[1:]))
