"""Days of a request of which no call was made: "absent on Monday and Tuesday", of a tool that takes one day."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from itertools import pairwise

from .....tools.calls.effects import only_reads
from .....tools.dates.words import WEEKDAY, WEEKDAYS
from ...loop import PlanActLoop
from ...state import PlanActState, clarified
from ..claims import denies
from ..effect import as_written, came_to_nothing, keeps_entries, successful_calls

_FLAGS = re.IGNORECASE
_JOINT = r"(?:\s*(?:,|&|\+|\band\b|\bund\b|[，、和跟])\s*(?:and\s+|also\s+|on\s+|again\s+on\s+)*)"
_A_DAY = rf"(?:\b{WEEKDAY}\b|(?:周|星期|礼拜)[一二三四五六日天])"
_DAYS = re.compile(rf"{_A_DAY}(?:{_JOINT}{_A_DAY})+", _FLAGS)
_ONE = re.compile(_A_DAY, _FLAGS)
_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_ZH = "一二三四五六日"


def note_of_missed_days(state: PlanActState, loop: PlanActLoop, said: str) -> dict[str, str]:
    """The arguments of `sent_back` if the goal names days of the week one beside the other, and the calls that may have
    changed something are for some of them alone; else {}. Days between two in one call are in it."""
    tools = loop.tools
    if clarified(state) or denies(said) or any(map(keeps_entries, tools.values())):
        return {}
    wanted = {_number(one): one for found in _DAYS.finditer(state["goal"]) for one in _ONE.findall(found[0])}
    acting = [seen for seen in successful_calls(state, loop) if not only_reads(tools[seen["tool"]])]
    made = {
        day for seen in acting if not came_to_nothing(seen, state, loop) for day in _days_of(as_written(seen["input"]))
    }
    left = [day for number, day in wanted.items() if number not in made]
    if not left or not wanted.keys() & made:
        return {}
    return {"key": "note.missed_days", "days": ", ".join(left), "goal": state["goal"]}


def _number(day: str) -> int:
    """The place of a day in the week; Monday is 0."""
    return _ZH.index(day[-1].replace("天", "日")) if day[-1] in _ZH + "天" else WEEKDAYS.index(day[:3].casefold())


def _days_of(written: str) -> Iterator[int]:
    """The days of the week of the dates in a call, and of those between them."""
    dates: list[date] = []
    for one in _ISO.findall(written):
        with suppress(ValueError):
            dates.append(date.fromisoformat(one))
    yield from (day.weekday() for day in dates)
    for first, last in pairwise(sorted(dates)):
        yield from (number % 7 for number in range(first.weekday(), first.weekday() + min((last - first).days, 7)))
