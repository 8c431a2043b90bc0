"""Steps of a plan that add what another one adds, or what a call has brought already."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from .....tools.dates.found import SOME_DAY, Times, read_from
from .....tools.likeness import QUOTED
from ..clauses import ADDS

_LATIN = r"[a-z\d\u00c0-\u024f]"
_DETAIL = re.compile(r"\s--\w")
_SCHEDULES = re.compile(r"\W*(?:schedule|book)\b|\W*安排", re.IGNORECASE)


def is_there(step: str, results: Sequence[str], now: datetime) -> bool:
    """Whether a step adds what a call of the run has brought already, on that day or without one.

    Args:
        step: of a plan.
        results: of the calls that had an effect.
        now: what relative dates count from: local, without a zone.

    Example:
        >>> now = datetime(2026, 3, 11)
        >>> is_there("add the todo 'buy milk'", ["Changed todo 1: Buy milk."], now)
        True
        >>> is_there("add the todo 'tea'", ["Added todo 1: steak."], now)
        False
    """
    named, dates = [name[1:-1].casefold() for name in QUOTED.findall(step)], read_from(step, now).dates
    found = [result for result in results if all(has_name(result.casefold(), name) for name in named)]
    on_that_day = any(not dates or dates & read_from(result, now).dates for result in found)
    return bool(named and ADDS.match(step)) and on_that_day


def told_twice(steps: Sequence[str], goal: str = "") -> list[int]:
    """The places of steps that add once more what an earlier one adds, on the same day: a small model plans a step for
    each detail of one entry.

    Args:
        steps: of a plan.
        goal: in which an appointment has two names, side by side, each of which a step has for its own.

    Example:
        >>> told_twice(["schedule 'gym' on friday", "add the todo 'gym' due friday", "schedule 'gym' on monday"])
        [1]
        >>> told_twice(["schedule 'Bo' on friday 7:00", "schedule 'boiler' on friday 7:00"], "Friday at 7 Bo, boiler")
        [1]
        >>> told_twice(["schedule 'gym' on friday", "add the todo 'gym with Bo'"], "gym with Bo on Friday")
        [1]
    """
    seen: list[tuple[list[str], Times]] = []
    repeated: list[int] = []
    for place, step in enumerate(steps):
        named, times = QUOTED.findall(step), read_from(step, SOME_DAY)
        if not named or not ADDS.match(step):
            continue
        detail, timed = _DETAIL.search(step), bool(times.times and _SCHEDULES.match(step))
        that_day = [(one, at.times == times.times) for one, at in seen if at.dates == times.dates]
        same = any(one == named and (detail or at_once) for one, at_once in that_day)
        same = same or any(timed and at_once and _side_by_side(one[0], named[0], goal) for one, at_once in that_day)
        earlier = [one for one, at in seen if not times.dates or at.dates == times.dates]
        if same or any(_within(one[0], named[0], goal) for one in earlier):
            repeated.append(place)
        seen.append((named, times))
    return repeated


def _side_by_side(first: str, second: str, goal: str) -> bool:
    """Whether two quoted names, one of them a word alone, stand in a goal with no more than a mark between them."""
    names = [name[1:-1] for name in (first, second)]
    beside = rf"(?<!\w){re.escape(names[0])}(?:[,:–—-]| - )? ?{re.escape(names[1])}(?!\w)"
    return any(name.isalnum() for name in names) and bool(re.search(beside, goal, re.IGNORECASE))


def _within(first: str, second: str, goal: str) -> bool:
    """Whether a goal has one of two quoted names only as a part of the other: "gym", of "gym with Bo"."""
    short, long = sorted((name[1:-1].casefold() for name in (first, second)), key=len)
    said = goal.casefold()
    return short != long and has_name(long, short) and long in said and said.count(short) == 1


def has_name(words: str, name: str) -> bool:
    """Whether words have a name as it is, and not inside a longer word: no "tea" in "steak"."""
    return bool(re.search(rf"(?<!{_LATIN}){re.escape(name)}(?:e?s)?(?!{_LATIN})", words))
