"""Periods of days to list: `today`, `week`, a date, or two dates with `..` between them."""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta
from typing import NamedTuple

from ..._internal.texts import Language
from ...errors import CommandError
from .texts import text
from .when import parse_when
from .words import fold

_DAY = timedelta(days=1)
_WEEKS = frozenset({"week", "this week", "the week", "本周", "这周", "一周"})
_NEXT_WEEKS = frozenset({"next week", "下周"})
_WEEKENDS = frozenset(
    {"weekend", "this weekend", "the weekend", "at the weekend", "周末", "这周末", "本周末", "这个周末"}
)
_JOINED = re.compile(r"(this|next|the)(?=week)")
_BY = re.compile(r"(?:by|until|till|before|up to)\s+(.+)|(.+?)(?:之前|以前|前)")
_TO = re.compile(r"\s*(?:\.\.\.?|…)\s*|\s+(?:to|-|~)\s+|\s*[到至]\s*", re.IGNORECASE)


class Period(NamedTuple):
    """From the start of one day to the start of another; the end is exclusive."""

    start: datetime
    end: datetime


def parse_period(words: str, now: datetime, language: Language = "en") -> Period:
    """Read a period of days.

    `week` is today and the next six days, `next week` the seven days from next Monday, `weekend` the next Saturday and
    Sunday, `by friday` all days from today to that one; a range includes both dates.

    Raises:
        CommandError: a date cannot be read, or a range ends before it starts.
    """
    folded = _JOINED.sub(r"\1 ", " ".join(fold(words).lower().replace("_", " ").split()))
    today = datetime.combine(now.date(), time())
    if folded in _WEEKS:
        return Period(today, today + 7 * _DAY)
    if folded in _NEXT_WEEKS:
        monday = today + (7 - now.weekday()) * _DAY
        return Period(monday, monday + 7 * _DAY)
    if folded in _WEEKENDS:
        # On a Sunday the day itself is what is left of it.
        saturday = today + (5 - now.weekday()) * _DAY
        return Period(max(today, saturday), saturday + 2 * _DAY)
    if by := _BY.fullmatch(folded):
        folded = f"{now:%Y-%m-%d}..{by[1] or by[2]}"
    first, *others = _TO.split(folded, maxsplit=1)
    start = _day(first, now, language)
    end = _day(others[0], now, language) if others else start
    if end < start:
        raise CommandError(words, text(language, "when.backwards", words=words.strip()))
    return Period(start, end + _DAY)


def read_period(words: str, now: datetime) -> Period | None:
    """Read as `parse_period` does; None for what it refuses."""
    try:
        return parse_period(words, now)
    except CommandError:
        return None


def _day(words: str, now: datetime, language: Language) -> datetime:
    return datetime.combine(parse_when(words, now, language).moment.date(), time())
