"""The requests that a goal holds, each of which is planned by itself.

Of several wishes in one request a small model plans the first, or takes the words of one for another: "the van
insurance is paid, and I need to order couplers" ticked off another order. Asked for one at a time, it does them all.
"""

from __future__ import annotations

import re

from .....tools.dates.found import SOME_DAY, read_from
from .....tools.likeness import traits, wants_nothing
from ..clauses import BELONGS, WANTED
from .wishes import POINTS_BACK, REMARK, own_words, parted_goal

_MOST_WORDS = 80
"""A longer goal is a specification, whose sentences are no requests of their own."""
_GOES_ON = re.compile(
    r"(?:it|that|this|they|them|he|she|those|these|which|who|but|because|since|as|if|or|still|yes|no|not|then"
    r"|otherwise|after(?:wards)?|before)\b|[他她它这那然再]|.{1,40}\bis (?:the )?(?:\w+ )?(?:latest|deadline)\b",
    re.IGNORECASE,
)
"""How a clause begins that goes on about the one before."""
_THAT_DAY = re.compile(
    r"\b(?:that|same) (?:day|morning|afternoon|evening|night|week|time|hour)\b|同一?[天时]|[那当]天", re.I
)
"""A moment that only an earlier clause tells."""
_NEWS = frozenset({"done", "off", "moved"})
_ENDS = re.compile(r"[.!?;\n。；！？]")
_ALL = re.compile(r"(?:all|both|everything)\b", re.IGNORECASE)
_ASKS = re.compile(r"[?？]")
_JOINS = re.compile(r"\band\b|\balso\b|另外|还有|顺便", re.IGNORECASE)


def parts_of(goal: str) -> list[str]:
    """The requests in a goal, in its own words and order; the goal alone where it is one, or a long one.

    A request begins where a sentence or an "and" begins that orders something, tells news, or tells a day and an hour,
    of a thing of its own. What orders nothing of its own stays with the request before it.

    Example:
        >>> parts_of("The rent is paid, tick it off, and add buying soap to my list. Thanks!")
        ['The rent is paid, tick it off', 'add buying soap to my list. Thanks']
        >>> parts_of("Find a flight and book it")
        ['Find a flight and book it']
    """
    parts, between = list[str](), ""
    for joint, words in parted_goal(goal):
        between += joint
        if not words:
            continue
        apart = _ENDS.search(between) or (_JOINS.search(between) and not _ASKS.search(goal))
        # In "flour and a vanilla pod by noon" the hour is that of the whole list.
        listed = not (_ENDS.search(between) or "," in between or "，" in between) and not _orders(words)
        if parts and (listed or not (apart and _is_request(words))):
            space = " " if between[-1:].isascii() else ""
            mark = f" {between}" if between.isalpha() and between.isascii() else between
            parts[-1] += f"{mark}{space}{words}"
        else:
            parts.append(words)
        between = ""
    # "All in, please" is said of the parts before it as well.
    goes_back = any(_ALL.match(one) for part in parts[1:] for _, one in parted_goal(part))
    return [goal] if len(parts) < 2 or goes_back or len(goal.split()) > _MOST_WORDS else parts


def orders_by_itself(part: str, *, first: bool) -> bool:
    """Whether a part of a goal says by itself what it wants. News may be of nothing that anybody keeps, and a first
    sentence with a day and an hour may only say why: "the shop shuts at five tomorrow. I need two valves by then"."""
    clauses = [words for _, words in parted_goal(part) if words]
    ordered = any(WANTED.search(one) or (POINTS_BACK.fullmatch(one) and one is not clauses[0]) for one in clauses)
    return ordered or (not first and any(map(_has_hour, clauses)))


def _is_request(clause: str) -> bool:
    """Whether a clause orders or tells something of a thing of its own."""
    if (
        _THAT_DAY.search(clause)
        or POINTS_BACK.fullmatch(clause)
        or BELONGS.fullmatch(clause)
        or REMARK.fullmatch(clause)
        or _GOES_ON.match(clause)
    ):
        return False
    return (_orders(clause) or _has_hour(clause)) and bool(own_words(clause)) and not wants_nothing(clause)


def _orders(clause: str) -> bool:
    """Whether a clause orders something, or tells news."""
    return bool(WANTED.search(clause) or traits(clause) & _NEWS)


def _has_hour(clause: str) -> bool:
    """Whether a clause tells a day and an hour."""
    told = read_from(clause, SOME_DAY)
    return bool(told.times and (told.dates or told.implied))
