"""Which of the entries that the user was shown an answer means: by name, number or place, or by what is to stay."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from difflib import get_close_matches

from ....calls.names import words_of
from ....dates.words import fold
from ....likeness import marks
from ...request import Kind
from ..entries import Entry, named_in

_ORDINALS = (
    re.compile(r"\b(?:first|1st|former)\b|第一|前一个|前者", re.IGNORECASE),
    re.compile(r"\b(?:second|2nd)\b|第二", re.IGNORECASE),
    re.compile(r"\b(?:third|3rd)\b|第三", re.IGNORECASE),
)
_LAST = re.compile(r"\b(?:last|latter)\b|最后|后者|后一个", re.IGNORECASE)
_PLACES = re.compile("|".join(one.pattern for one in (*_ORDINALS, _LAST)) + r"|\bones?\b|[那个条项]", re.IGNORECASE)
_A_DAY = re.compile(r"\b(?:on|by|until|till|before|after|from) the\b", re.IGNORECASE)
_ALL_OF_THEM = re.compile(
    r"\ball (?:of (?:them|these|those)|two|three|four|five|\d)\b|\b(?:them|these|those|remove|delete|cancel|off) all\b"
    r"|^\W*all\b(?! (?:i|that|there|is)\b)|\b(?:both|every|each)\b"
    r"|全部|所有|(?:两[个条项]|它们|这些|那些)\w{0,2}都|^\W*都",
    re.IGNORECASE,
)
_STAYS = re.compile(
    r"\b(?:keep|keeping)\b(?! \w+ing\b)|\b(?:stays|staying|remains)\b"
    r"|\b(?:to|should|must|can|will|please|does?|both|all|they) stay\b"
    r"|\bleave\b|\bspare\b|^\W*(?:but |and |just |no,? )?not\b(?! sure\b)"
    r"|\b(?:do not|don['’]?t) (?:remove|delete|cancel|drop|bin|touch|tick)\b|(?:not|n['’]?t) go\b"
    r"|留|保留|不[要用]?动|别动|不是|除了|(?:别|不要|不用)(?:删|取消|划)",
    re.IGNORECASE,
)
"""Says of an entry that nothing is to be done about it."""
_GOES = re.compile(
    r"\b(?:go|goes|gone|remove|delete|drop|bin|scrap|clear|wipe|strike|cancel|done|off)\b|删|去掉|取消|划掉|不要了",
    re.IGNORECASE,
)
_REST = re.compile(
    r"\b(?:rest|remainder|others|everything else|anything else|all else|other (?:two|three|four|five|\d|ones?))\b"
    r"|其他|其它|其余|别的|剩下|另外",
    re.IGNORECASE,
)
_ALL_BUT = re.compile(
    r"\b(?:all|everything|every one|anything|any)\b[^.,;!?]{0,12}?"
    r"\b(?:but|bar|save|except(?:ing)?(?: for)?|apart from|other than|besides)\b",
    re.IGNORECASE,
)
_BUT_NOT = re.compile(r"\b(?:except(?:ing)?(?: for)?|apart from|other than|besides|but not)\b", re.IGNORECASE)
_CLAUSES = re.compile(r"[.;!?,](?:\s+|$)|[，,。；！？]|\s+but\s+")
_AND = re.compile(r"\s+(?:and|&)\s+|、|(?<=[\u4e00-\u9fff])(?:和|以及|还有)")
_SENTENCES = re.compile(r"(?<=[.!?;。！？；])\s*")
_LISTED = re.compile(r"\b(?:and|plus)\b|[&+、和]|以及|还有", re.IGNORECASE)
_A_NUMBER = re.compile(r"\W*(?:number|no\.?|the)?\s*#?(\d+)\W*", re.IGNORECASE)
_NUMBERS = re.compile(
    r"\W*(?:numbers?|nos?\.?|the)?\s*#?\d{1,9}(?:(?:\s|[,，、&+#]|and|和)+\d{1,9})+\W*", re.IGNORECASE
)
_MISSPELLED = 0.8
_SHORTEST = 4


@dataclass
class _Said:
    """What the clauses of an answer say of the entries.

    Attributes:
        named: those that are named, and not to stay.
        goes: those of them of which it says that they are to go.
        stays: those of which it says that they are to stay.
        rest: whether all others are meant.
        leaves: whether it says so of entries that it does not name: "keep both".
    """

    named: list[Entry] = field(default_factory=list[Entry])
    goes: list[Entry] = field(default_factory=list[Entry])
    stays: list[Entry] = field(default_factory=list[Entry])
    rest: bool = False
    leaves: bool = False


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
    said = _read(answer, rivals, now)
    if said.rest and not (said.named or said.stays):
        return None
    kept = said.stays or said.named or _by_place(fold(answer), rivals) or _by_number(answer, rivals)
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
    said = _read(answer, rivals, now)
    if said.rest:
        return [one for one in rivals if one not in said.stays and one not in said.named]
    if said.stays and not said.named:
        left = [one for one in rivals if one not in said.stays]
        return left if several or len(left) == 1 else []
    if said.stays or said.leaves:
        return [one for one in said.named if one not in said.stays]
    if numbered := _by_number(answer, rivals) if by_number else []:
        return numbered
    if _ALL_OF_THEM.search(plain):
        return list(rivals)
    # "The men's. The ladies know theirs by heart": what comes first is the answer.
    first, *others = _SENTENCES.split(answer.strip(), maxsplit=1)
    meant = named_in(first, rivals, now)
    meant = meant if meant or marks(first) else named_in(" ".join(others), rivals, now)
    if len(meant) != 1 and _LISTED.search(plain):
        return said.named
    meant = meant or _by_place(plain, rivals) or misspelled(first, rivals)
    return meant if len(meant) == 1 else []


def chosen_by(answer: str, rivals: Sequence[Entry], now: datetime) -> Entry | None:
    """The one entry that an answer means: by its words, or by nothing but its id or its place, "2" or "the second one";
    None for none, or for several."""
    number = _A_NUMBER.fullmatch(fold(answer))
    if number:
        named = [one for one in rivals if one.id == int(number[1])]
    elif _by_place(fold(answer), rivals) and not is_place(answer):
        named = named_in(answer, rivals, now)
    else:
        named = entries_chosen(answer, rivals, now, by_number=False)
    return named[0] if len(named) == 1 else None


def is_place(answer: str) -> bool:
    """Whether an answer is nothing but a place on the list that the user was shown: "the second one, please"."""
    plain = fold(answer)
    # "On the second" is a day.
    return bool(_PLACES.search(plain)) and not marks(_PLACES.sub(" ", plain)) and not _A_DAY.search(plain)


def says_what_stays(answer: str, entries: Sequence[Entry], now: datetime) -> bool:
    """Whether an answer speaks of the entries only to say that nothing is to be done about them."""
    said = _read(answer, entries, now)
    return bool(said.stays or said.leaves) and not said.named


def _read(answer: str, rivals: Sequence[Entry], now: datetime) -> _Said:
    plain = fold(answer)
    said = _Said(rest=bool(_ALL_BUT.search(plain)))
    # What is excepted is a clause that says so: "all but the gate" has "not the gate".
    for clause in _CLAUSES.split(_BUT_NOT.sub(", not ", _ALL_BUT.sub(", not ", plain))):
        stays = False
        for part in filter(None, _AND.split(clause)):
            named = _named(part, rivals, now)
            goes, rest = _says(_GOES, part, named), _says(_REST, part, named)
            # "Keep the passport and the form": it is said of both.
            stays = _says(_STAYS, part, named) or (stays and not goes and not rest)
            if stays:
                # "Keep the others" says of none that it stays but of those that are not named.
                said.stays += [] if rest else named
                said.leaves = said.leaves or not (rest or named)
            elif rest:
                said.rest = True
                said.stays += named
            elif len(named) == 1:
                said.named += [one for one in named if one not in said.named]
                said.goes += named if goes else []
    return said


def _named(clause: str, rivals: Sequence[Entry], now: datetime) -> list[Entry]:
    bare = re.sub(r"\W+", " ", clause).strip()
    numbers = {int(one) for one in re.findall(r"(?<![\d:])\d{1,9}(?![\d:])", bare) if len(bare.split()) < _SHORTEST}
    return [one for one in rivals if one.id in numbers] or named_in(clause, rivals, now)


def _says(what: re.Pattern[str], clause: str, named: Sequence[Entry]) -> bool:
    """Whether a clause has what is looked for, and not as a word of an entry that it names: "leave" of "book leave"."""
    own = {word for one in named for word in words_of(fold(one.text))}
    return any(not own & set(words_of(found[0])) for found in what.finditer(clause))


def _by_number(answer: str, rivals: Sequence[Entry]) -> list[Entry]:
    """The one entry whose id an answer has, or those of an answer that is nothing but ids."""
    plain = fold(answer)
    numbers = {int(number) for number in re.findall(r"\d{1,9}", plain)}
    named = [entry for entry in rivals if entry.id in numbers]
    is_list = _NUMBERS.fullmatch(plain) and len(named) == len(numbers)
    return named if len(named) == 1 or is_list else []


def _by_place(plain: str, rivals: Sequence[Entry]) -> list[Entry]:
    """The entries that words name by their places among those that the user was shown."""
    places = [place for place, ordinal in enumerate(_ORDINALS[: len(rivals)]) if ordinal.search(plain)]
    places += [len(rivals) - 1] if _LAST.search(plain) else []
    return [rivals[place] for place in places]


def misspelled(answer: str, rivals: Sequence[Entry]) -> list[Entry]:
    """The entries that have a word like one of an answer that names none: "odlie" for Odile."""
    typed = [word for word in words_of(fold(answer)) if len(word) >= _SHORTEST]
    return [
        one
        for one in rivals
        if any(get_close_matches(word, words_of(fold(one.about)), 1, _MISSPELLED) for word in typed)
    ]
