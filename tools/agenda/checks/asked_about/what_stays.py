"""What the clauses of an answer say of the entries that the user was shown: which it means, which go, which stay."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from difflib import SequenceMatcher

from ....dates.words import MONTH, fold
from ....likeness import is_chinese, marks
from ..entries import Entry, named_in
from ..said.words import AND, APART_FROM, BUT, THE_REST

_ORDINALS = (
    re.compile(r"\b(?:first|1st|former)\b|第一|前一个|前者", re.IGNORECASE),
    re.compile(r"\b(?:second|2nd)\b|第二", re.IGNORECASE),
    re.compile(r"\b(?:third|3rd)\b|第三", re.IGNORECASE),
)
_LAST = re.compile(r"\b(?:last|latter)\b|最后|后者|后一个", re.IGNORECASE)
_PLACES = re.compile("|".join(one.pattern for one in (*_ORDINALS, _LAST)) + r"|\bones?\b|[那个条项]", re.IGNORECASE)
_A_DAY = re.compile(r"\b(?:on|by|until|till|before|after|from) the\b", re.IGNORECASE)
ALL_OF_THEM = re.compile(
    r"\ball (?:of (?:them|these|those)|two|three|four|five|\d)\b|\b(?:them|these|those|remove|delete|cancel|off) all\b"
    r"|^\W*all\b(?=\W*$|[,.;!]| (?:please|pls|thanks|of|the|my|our|these|those)\b)|\bboth\b"
    # "The one every Monday" is one.
    r"|\b(?:every|each)\b(?=\W*$| (?:single )?(?:one|entry|item|task|todo|appointment)\b| of (?:them|these|those)\b)"
    r"|全部|所有|(?:两[个条项]|它们|这些|那些)\w{0,2}都|^\W*都",
    re.IGNORECASE,
)
COUNTS = {"both": 2, "two": 2, "three": 3, "four": 4, "five": 5, "两": 2}
SOME_PLACES = re.compile(r"\b(?:(first)|last) (two|three|four|five|\d)\b", re.IGNORECASE)
_STAYS = re.compile(
    r"\b(?:keep|keeping)\b(?! \w+ing\b)|\b(?:stays|staying|remains)\b|\b(?:to|should|must|can|will|please|does?) stay\b"
    r"|(?<!\bmy )(?<!\bthe )(?<!\bour )(?<!\ba )\bstay(?=\W*$| (?:too|please|put|open|there|on the list|for now|as)\b)"
    r"|(?<!\bbefore i )(?<!\bwhen i )(?<!\bbefore we )(?<!\bwhen we )\bleave\b|\bspare\b|^\W*except\b"
    r"|\b(?:do not|don['’]?t) (?:remove|delete|cancel|drop|bin|touch|tick)\b"
    r"|(?:not|n['’]?t)(?: yet)? (?:go|done|finished)\b"
    r"|\bneed (?:all|both|every|each)\b|\bstill need\b|\b(?:is|are) (?:still )?needed\b"
    r"|(?:\b(?:is|are|was|were|has|have|does|do)(?: not|n['’]?t)|\bnot yet)(?: yet)?\W*$"
    r"|留|不[要用]?动|别动|除了|(?:别|不要|不用)(?:删|取消|划)",
    re.IGNORECASE,
)
"""Says of an entry that nothing is to be done about it."""
_NOT = re.compile(r"^\W*(?:but |and |just |no,? )?not\b(?! sure\b)|不是", re.IGNORECASE)
"""Says that an entry is not the answer to what was asked."""
_NOT_KEPT = re.compile(
    r"(?<!why )(?:\b(?:not|cannot|no longer|no need|never)|\b(?:do|does|did|ca|wo|should|must|need)n['’]?t)"
    r"(?: (?:really|need|want|have|wish|going|to)){0,3} (?:keep|leave|spare|stay)\b"
    r"|(?:不用|不必|不要|不想|不需要|别)(?:再)?保?留",
    re.IGNORECASE,
)
_GOES = re.compile(
    r"\b(?:go|goes|gone|remove|delete|drop|bin|scrap|clear|wipe|strike|cancel|done|off|tick|no longer need"
    r"|(?:not|don['’]?t) (?:need|want))\b|删|去掉|取消|划掉|不要了",
    re.IGNORECASE,
)
_TOO = re.compile(r"\b(?:too|also|as well|either)\b|也", re.IGNORECASE)
_OTHER_ONE = re.compile(r"\bother one\b|另外?(?:一|那|那一)?[个条项]", re.IGNORECASE)
_ALL_BUT = re.compile(rf"\b(?:all|everything|every one|anything|any)\b[^.,;!?]{{0,12}}?\b{BUT}\b", re.IGNORECASE)
_BUT_NOT = re.compile(rf"\b{APART_FROM}\b", re.IGNORECASE)
_CLAUSES = re.compile(r"[.;!?,](?:\s+|$)|[，,。；！？]|\s+but\s+")
AN_ID = re.compile(
    rf"(?<![\d:.])(?<!\bat )\d{{1,9}}(?!\d|[:.]\d| ?(?:[ap]\.?m\b|o['’]clock|(?:st|nd|rd|th)\b|{MONTH}|[点号月日]))",
    re.IGNORECASE,
)
"""A number that may be an entry's, and is neither of a time nor of a date."""
SHORTEST = 4


@dataclass
class SaidOf:
    """What the clauses of an answer say of the entries.

    Attributes:
        named: those that are named, and not to stay.
        goes: those of them of which it says that they are to go.
        stays: those of which it says that they are to stay.
        rest: whether all others are meant.
        is_one: whether by that only one can be meant: "the other one".
        keeps: whether it says that something stays that it does not name: "leave it".
        denies: whether it says of something that it is not the answer, where that is not to say that it stays.
    """

    named: list[Entry] = field(default_factory=list[Entry])
    goes: list[Entry] = field(default_factory=list[Entry])
    stays: list[Entry] = field(default_factory=list[Entry])
    rest: bool = False
    is_one: bool = False
    keeps: bool = False
    denies: bool = False


def read_clauses(answer: str, rivals: Sequence[Entry], now: datetime, *, is_kept: bool = True) -> SaidOf:
    """What an answer says of the entries.

    Args:
        answer: the user's.
        rivals: the entries that the user was shown.
        now: by which days are read.
        is_kept: whether "not the passport" says that it stays; not where the question was what stays.
    """
    plain = fold(answer)
    said, stays = SaidOf(rest=bool(_ALL_BUT.search(plain))), False
    # What is excepted is a clause that says so.
    for clause in _CLAUSES.split(_BUT_NOT.sub(", except ", _ALL_BUT.sub(", except ", plain))):
        # "The passport stays, the peas too."
        stays = stays and bool(_TOO.search(clause))
        for part in filter(None, AND.split(clause)):
            named = _named(part, rivals, now)
            bare = _without_names(part, named)
            goes, rest = bool(_NOT_KEPT.search(bare) or _GOES.search(bare)), bool(THE_REST.search(bare))
            if not is_kept and _NOT.search(bare):
                said.denies = True
                continue
            # "Keep the passport and the form": it is said of both.
            stays = _says_stays(bare) or (stays and not goes and not rest)
            if stays:
                named = list(rivals) if ALL_OF_THEM.search(part) and not named else named
                # "Keep the others" says of none that it stays but of those that are not named.
                said.stays += [] if rest else named
                said.keeps = said.keeps or rest or not named
            elif rest:
                said.rest = True
                said.is_one = bool(_OTHER_ONE.search(part))
                said.stays += named
            elif len(named) == 1 or SOME_PLACES.search(part):
                said.named += [one for one in named if one not in said.named]
                said.goes += named if goes else []
    return said


def _says_stays(words: str) -> bool:
    return bool(_STAYS.search(_NOT_KEPT.sub(" ", words)) or _NOT.search(words))


def _named(clause: str, rivals: Sequence[Entry], now: datetime) -> list[Entry]:
    """The entries that a clause names: by a number that is all it has, by words or days, or by their places."""
    rest = re.sub(r"\W+", " ", AN_ID.sub(" ", _STAYS.sub(" ", clause)))
    numbers = {int(one) for one in AN_ID.findall(clause)} if len(rest.split()) < SHORTEST - 1 else set[int]()
    named = [one for one in rivals if one.id in numbers] or named_in(clause, rivals, now)
    has_place = re.search(r"\b(?:the|ones?)\b|[个条项]", clause, re.IGNORECASE) and not _A_DAY.search(clause)
    return named or (by_place(clause, rivals) if has_place else [])


def _without_names(clause: str, named: Sequence[Entry]) -> str:
    """A clause without what it has of the texts of entries: "leave" of "book leave" says nothing of what stays."""
    bare = clause.casefold()
    for one in named:
        own = fold(one.text).casefold()
        # Whole words: "not Al's" and "dentist Al" share more letters than the name.
        parts, gap, least = ([*bare], "", 2) if is_chinese(own) else (bare.split(), " ", SHORTEST)
        theirs = [*own] if is_chinese(own) else own.split()
        same = SequenceMatcher(None, parts, theirs, autojunk=False).find_longest_match()
        if len(gap.join(parts[same.a : same.a + same.size])) >= least:
            bare = gap.join([*parts[: same.a], " ", *parts[same.a + same.size :]])
    return bare


def is_place(answer: str) -> bool:
    """Whether an answer is nothing but a place on the list that the user was shown: "the second one, please"."""
    plain = fold(answer)
    # "On the second" is a day.
    return bool(_PLACES.search(plain)) and not marks(_PLACES.sub(" ", plain)) and not _A_DAY.search(plain)


def by_place(plain: str, rivals: Sequence[Entry]) -> list[Entry]:
    """The entries that words name by their places among those that the user was shown."""
    if some := SOME_PLACES.search(plain):
        number = int(COUNTS.get(some[2].casefold(), some[2]))
        return list(rivals[:number] if some[1] else rivals[-number:])
    places = [place for place, ordinal in enumerate(_ORDINALS[: len(rivals)]) if ordinal.search(plain)]
    places += [len(rivals) - 1] if _LAST.search(plain) else []
    return [rivals[place] for place in places]
