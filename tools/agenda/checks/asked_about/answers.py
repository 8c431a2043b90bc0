"""What an answer settles: a command that the user agrees to, or an entry that they name; hints ask nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime

from ....calls.grounding import is_consent, is_denial
from ....dates.words import fold
from ....likeness import is_chinese, marks, traits
from ....metadata import Missing
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
LONG_AGO = datetime(1970, 1, 1)
_ANSWER_PARTS = re.compile(r"[,.;!，。；！]")
_A_NUMBER = re.compile(r"\W*(?:number|no\.?|the)?\s*#?(\d+)\W*", re.IGNORECASE)
_MOST_WORDS = 5


def hinted(hint: str, completed: Callable[[str], str | None] = lambda _: None, *, stands: bool = False) -> Missing:
    """What the model is told of a call, without a question to the user."""
    return Missing("", completed, at_once=False, hint=hint, stands=stands)


def agreed_to(line: str, answer: str) -> str | None:
    """A command, if the user's answer agrees to it; a number in "dentist at 11:40" agrees to nothing."""
    number = _A_NUMBER.fullmatch(answer)
    first, *others = (re.sub(r"\d", " ", clause) for clause in _ANSWER_PARTS.split(answer))
    agrees = any(map(is_consent, [first, *(one for one in others if len(one.split()) < _MOST_WORDS)]))
    return line if (agrees and not is_denial(answer)) or (number and number[1] in line.split()) else None


def agreed_or_named(
    kind: Kind, order: str, rest: str, chosen: Entry, known: Sequence[Entry], answer: str
) -> str | None:
    """A command for the chosen entry, or for the one that the answer names in its place; None for neither.

    An answer that is little more than the chosen one's name agrees: "mum's pills", but not "what pills?"."""
    named = named_in(answer, known, LONG_AGO, by_time=False)
    words = len(answer) / 2 if is_chinese(answer) else len(answer.split())
    settles = len(named) == 1 and not is_denial(answer) and "asks" not in traits(answer)
    if settles and (named[0].id != chosen.id or words < _MOST_WORDS):
        return f"/{kind} {order} {named[0].id} {rest}".rstrip()
    return agreed_to(f"/{kind} {order} {chosen.id} {rest}".rstrip(), answer)


def with_id(kind: Kind, order: str, rest: str, rivals: Sequence[Entry], now: datetime, answer: str) -> str | None:
    """The command for the entry that the answer names; None if it names none, or more than one."""
    plain = fold(answer)
    numbers = {int(number) for number in re.findall(r"\d{1,9}", plain)}
    meant = [entry for entry in rivals if entry.id in numbers]
    if _ALL_OF_THEM.search(plain) and order != "edit" and not meant:
        return f"/{kind} {order} {' '.join(str(entry.id) for entry in rivals)}"
    if not meant:
        # "The men's. The ladies know theirs by heart": what comes first is the answer.
        first, *others = re.split(r"(?<=[.!?;。！？；])\s*", answer.strip(), maxsplit=1)
        meant = named_in(first, rivals, now)
        meant = meant if meant or marks(first) else named_in(" ".join(others), rivals, now)
    meant = meant or _by_place(plain, rivals)
    return f"/{kind} {order} {meant[0].id} {rest}".rstrip() if len(meant) == 1 else None


def chosen_by(answer: str, rivals: Sequence[Entry], now: datetime) -> Entry | None:
    """The one entry that an answer names: by its words, or by nothing but its id or its place, "2" or "the second one";
    None for none, or for several."""
    plain = fold(answer)
    number = _A_NUMBER.fullmatch(plain)
    if number:
        named = [one for one in rivals if one.id == int(number[1])]
    else:
        named = named_in(answer, rivals, now) or (_by_place(plain, rivals) if is_place(answer) else [])
    return named[0] if len(named) == 1 else None


def is_place(answer: str) -> bool:
    """Whether an answer is nothing but a place on the list that the user was shown: "the second one, please"."""
    plain = fold(answer)
    # "On the second" is a day.
    return bool(_PLACES.search(plain)) and not marks(_PLACES.sub(" ", plain)) and not _A_DAY.search(plain)


def _by_place(plain: str, rivals: Sequence[Entry]) -> list[Entry]:
    """The entries that words name by their places among those that the user was shown."""
    places = [place for place, ordinal in enumerate(_ORDINALS[: len(rivals)]) if ordinal.search(plain)]
    places += [len(rivals) - 1] if _LAST.search(plain) else []
    return [rivals[place] for place in places]
