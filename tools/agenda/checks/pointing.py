"""The thing of a new entry whose text only points back at it: "diary it", "put that down"."""

from __future__ import annotations

import re

from ...dates.found import claims_in
from ...dates.numbers import in_digits
from ...dates.words import fold, unquoted
from ...likeness import is_chinese, marks
from ...metadata import Told

_POINTS_BACK = re.compile(
    r"(?:(?:please|pls|so|just|can you|could you|would you|will you|and|to) )*"
    r"(?:(?:diar(?:y|ise|ize)|pencil|pop|put|stick|slot|note|jot|block|book|log|record|enter|add|write|schedule"
    r"|calendar|save|keep|track|sort|fit|get|make (?:a )?note of|remember|remind me(?: of| about)?) )?"
    r"(?:it|that|this|these|those|them|her|him|me|us)(?: one)?"
    r"(?: (?:in|down|up|off|out|please|pls|for me|too|then|now"
    r"|(?:in|into|on|onto|to) (?:my|the) (?:to-?do )?(?:list|calendar|diary|agenda|schedule|log)))*",
    re.IGNORECASE,
)
_CLAUSES = re.compile(r"[.;!?]+(?=\s|$)|,\s|\n|\s[-–—]\s|\b(?:and|but|so)\b")
_SAYS_NO_THING = marks(
    "said told promised agreed reckon come coming start starting begin still finally oclock morning afternoon evening"
    " noon night week month next half quarter hour hours minute minutes am pm latest around roughly maybe between due"
    " ugh oof wow hey phew sorry anyway actually"
    " we're they're you're he's she's there's who's i'd we'd we've they've you've"
)
_OBJECT = re.compile(r"me|us|him|her|them|it|up|off|in|out|back|down", re.IGNORECASE)
_MOST_WORDS = 8


def points_back(text: str) -> bool:
    """Whether a text only points back at what another clause is about.

    Example:
        >>> points_back("diary it"), points_back("put that on my list"), points_back("ring her"), points_back("it")
        (True, True, False, True)
    """
    return bool(_POINTS_BACK.fullmatch(fold(unquoted(text)).strip(" .!?")))


def thing_meant(text: str, told: Told) -> str:
    """What the clause before the one that points back is about, in the user's words without its times; "" where none
    is about anything, or where it is too long for an entry.

    Args:
        text: that points back.
        told: what is known.
    """
    said = fold(told.request[0])
    if is_chinese(said):
        return ""
    clauses = [clause.strip() for clause in _CLAUSES.split(said)]
    pointing = [place for place, clause in enumerate(clauses) if points_back(clause)]
    before = clauses[: pointing[-1]] if pointing else clauses
    things = (_thing(clause, told) for clause in reversed(before))
    thing = next(filter(None, things), "")
    return thing if len(thing.split()) <= _MOST_WORDS else ""


def _thing(clause: str, told: Told) -> str:
    words = re.findall(r"[\w'’&/-]+", claims_in(clause, told.now)[1])
    # "At five" is no date or time, for it may be in the morning; it is no thing either.
    about = [
        place for place, word in enumerate(words) if marks(word) - _SAYS_NO_THING and not in_digits(word)[0].isdigit()
    ]
    if not about:
        return ""
    end = about[-1] + 1
    while end < len(words) and _OBJECT.fullmatch(words[end]):
        end += 1
    # The rest of a text without its times is in lower case.
    spelled = {word.casefold(): word for word in re.findall(r"[\w'’&/-]+", clause)}
    return " ".join(spelled.get(word.casefold(), word) for word in words[about[0] : end])
