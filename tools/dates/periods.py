"""Periods of days to list: `today`, `week`, a date, or two dates with `..` between them."""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta
from typing import NamedTuple

from ..._internal.texts import Language
from ...errors import CommandError
from .numbers import chinese_number, in_digits
from .texts import text
from .when import parse_when
from .words import MONTH, MONTHS, fold

_DAY = timedelta(days=1)
_WEEKS = frozenset({"week", "this week", "the week", "本周", "这周", "一周"})
_NEXT_WEEKS = frozenset({"next week", "下周"})
_WEEKENDS = frozenset(
    {"weekend", "this weekend", "the weekend", "at the weekend", "周末", "这周末", "本周末", "这个周末"}
)
_MONTH = re.compile(
    r"(?:(?:in|during) )?(?:(?P<this>(?:this|the|rest of the|the rest of the|rest of this) month|month|这个?月|本月)"
    r"|(?P<next>next month|下个?月)"
    rf"|(?P<name>{MONTH})(?: (?P<year>(?:19|20|21)\d\d))?"
    r"|(?P<number>1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])月份?)",
    re.ASCII,
)
_AHEAD = re.compile(
    r"(?:(?:in|over) )?(?:the )?(?:next|coming) (?P<some>\w+) (?P<unit>day|week)s?"
    r"|(?:未来|接下来)的?(?P<some_zh>\d{1,2}|[一二两三四五六七八九十])(?P<unit_zh>天|周)"
)
_JOINED = re.compile(r"(this|next|the)(?=week)")
_BY = re.compile(r"(?:by|until|till|before|up to)\s+(.+)|(.+?)(?:之前|以前|前)")
_TO = re.compile(r"\s*(?:\.\.\.?|…)\s*|\s+(?:to|-|~)\s+|\s*[到至]\s*", re.IGNORECASE)


NAMED_PERIOD = re.compile(
    r"\b(?:the |this |next )?week(?:end)?\b|(?:这个?|本|下)?周末|[本这下]周(?![一二三四五六日天])"
    r"|(?<!\bof )\b(?:this|next) month\b(?!,? (?:on )?the \d)|(?:下个?月|本月|这个?月)(?!的?[\d一二三四五六七八九十])"
    rf"|(?:(?<=\bin )|(?<=\bfor )|(?<=\bduring ))(?:{'|'.join(MONTHS)})\b(?! \d)"
    r"|\b(?:the )?next (?:few|\w+) (?:days|weeks)\b",
    re.IGNORECASE,
)
"""How running text names some days of which none is named by itself."""


class Period(NamedTuple):
    """From the start of one day to the start of another; the end is exclusive."""

    start: datetime
    end: datetime


def parse_period(words: str, now: datetime, language: Language = "en") -> Period:
    """Read a period of days.

    `week` is today and the next six days, `next week` the seven days from next Monday, `weekend` the next Saturday and
    Sunday, `this month` what is left of it, `next month` and `december` all of the next such month, `next 3 days` today
    and the two after it, `by friday` all days from today to that one; a range includes both dates.

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
    if month := _MONTH.fullmatch(folded):
        return _month(month, today)
    if (ahead := _AHEAD.fullmatch(folded)) and (days := _days_of(ahead)):
        return Period(today, today + days)
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


def _month(named: re.Match[str], today: datetime) -> Period:
    """The month that is named, from today on if it is this one."""
    number, year = today.month, today.year
    if named["next"]:
        number = today.month % 12 + 1
    elif named["name"]:
        number = [name[:3] for name in MONTHS].index(named["name"][:3]) + 1
        year = int(named["year"] or year)
    elif named["number"]:
        number = chinese_number(named["number"])
    year += number < today.month and not named["year"]
    start = datetime(year, number, 1)
    end = datetime(year + number // 12, number % 12 + 1, 1)
    return Period(max(start, today) if end > today else start, end)


def _days_of(ahead: re.Match[str]) -> timedelta | None:
    if numeral := ahead["some_zh"]:
        some = chinese_number(numeral)
    else:
        digits = in_digits(ahead["some"])
        some = int(digits) if digits.isdecimal() and len(digits) < 4 else 0
    return some * (7 if (ahead["unit"] or ahead["unit_zh"]) in ("week", "周") else 1) * _DAY or None


def _day(words: str, now: datetime, language: Language) -> datetime:
    return datetime.combine(parse_when(words, now, language).moment.date(), time())
