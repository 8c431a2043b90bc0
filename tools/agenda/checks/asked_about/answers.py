"""What an answer settles: a command that the user agrees to, or one for another entry; hints ask nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime

from ....calls.grounding import is_consent, is_denial
from ....likeness import is_chinese, traits
from ....metadata import Missing
from ...request import Kind
from ..entries import Entry, named_in
from .choice import misspelled, says_what_stays

LONG_AGO = datetime(1970, 1, 1)
_ANSWER_PARTS = re.compile(r"[,.;!，。；！]")
_A_NUMBER = re.compile(r"\W*(?:number|no\.?|the)?\s*#?(\d+)\W*", re.IGNORECASE)
_MOST_WORDS = 5


def hinted(
    hint: str,
    completed: Callable[[str], str | None] = lambda _: None,
    *,
    question: str = "",
    stands: bool = False,
    unwanted: bool = False,
) -> Missing:
    """What the model is told of a call first, and what the user is asked if it insists; "" for nothing."""
    return Missing(question, completed, at_once=False, hint=hint, stands=stands, unwanted=unwanted)


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
    if says_what_stays(answer, known, LONG_AGO):
        return None
    named = named_in(answer, known, LONG_AGO, by_time=False) or misspelled(answer, known)
    words = len(answer) / 2 if is_chinese(answer) else len(answer.split())
    settles = len(named) == 1 and not is_denial(answer) and "asks" not in traits(answer)
    if settles and (named[0].id != chosen.id or words < _MOST_WORDS):
        return f"/{kind} {order} {named[0].id} {rest}".rstrip()
    return agreed_to(f"/{kind} {order} {chosen.id} {rest}".rstrip(), answer)
