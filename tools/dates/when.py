"""Dates and times as people and models write them, in English and Chinese; ambiguous ones are refused.

The grammar decides whether a text is a date at all, so `call mar` and `2` never are; `dateparser` then says which day
the words name. Times are local and have no zone.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, cast

from ..._internal.texts import Language
from ...errors import CommandError
from . import grammar as grammar
from .durations import length_of
from .grammar import LONGEST, Shape, leading, shape_of, trailing
from .spellings import spelled_out
from .texts import text
from .words import WEEKDAYS, fold

_YEARS = range(1970, 2200)
_DAY = timedelta(days=1)
_DUE = re.compile(r"(?:^|(?<=[\s,，]))(?:(?:due(?: by)?|by)(?:\s+|\s*:\s*)|截止(?:到|于)?\s*:?\s*)", re.IGNORECASE)
_FRACTION = re.compile(r"\d+/\d+")
_DAY_ALONE = re.compile(r"(?:(?:on|by) )?(?:the )?(\d{1,2})(?:st|nd|rd|th)(?=$|,? (?!of\b|[a-z]*day\b))", re.IGNORECASE)
_EDGE = " \t,;:-|，；：、。"


@dataclass(frozen=True, slots=True)
class When:
    """A moment that was read from words.

    Attributes:
        moment: local and without a zone, to the minute; midnight if no time of day was given.
        has_time: whether a time of day was given.
        has_date: whether a date was given; without one the moment is the next with that time of day.
        end: the end of a span such as `10:00-11:30`.
    """

    moment: datetime
    has_time: bool = True
    has_date: bool = True
    end: datetime | None = None


def parse_when(words: str, now: datetime, language: Language = "en") -> When:
    """Read a date, a time of day or both.

    ISO dates, `tomorrow 15:00`, `friday 9am`, `in 2 hours`, `dec 3 at noon`, `the 20th`, `next monday`, `明天下午3点`,
    `下周一`, `12月3日` and the like. A day of the week is the next one after today, a date without a year or a month is
    the next such date from today on, an hour without a.m. or p.m. is on the 24-hour clock. A time with a zone becomes
    local time.

    Args:
        words: the text, which must be nothing but the date.
        now: what relative dates count from: local, without a zone.
        language: of the error messages.

    Raises:
        CommandError: the text is not a date, or is impossible (`2026-02-30`, `25:00`), ambiguous (`1/12/2026`,
            `at 3`), or outside the years 1970 to 2199.
    """
    shape = shape_of(words) or shape_of(_with_month(words, now))
    if shape is None and len(words) <= LONGEST:
        spelled = spelled_out(words, now)
        shape = shape_of(spelled) or shape_of(_with_month(spelled, now))
    if shape is None:
        raise _refusal("when.unclear", words, language)
    return _meaning(shape, words, now, language)


def read_when(words: str, now: datetime) -> When | None:
    """Read as `parse_when` does; None for what it refuses."""
    try:
        return parse_when(words, now)
    except CommandError:
        return None


def _with_month(words: str, now: datetime) -> str:
    """The words with the next such date in place of a day of the month alone, which in a title is no date."""
    found = _DAY_ALONE.match(words)
    if found is None:
        return words
    for months in range(3):
        years, month = divmod(now.month - 1 + months, 12)
        with suppress(ValueError):
            day = date(now.year + years, month + 1, int(found[1]))
            if day >= now.date():
                return f"{day}{words[found.end() :]}"
    return words


def leading_when(words: str) -> int:
    """The length of the longest date at the start of a text, 0 without one."""
    return leading(words, lambda start: shape_of(start) is not None)


def is_when(words: str) -> bool:
    """Whether a text is nothing but a date or a time of day, possible or not."""
    return shape_of(words) is not None


def split_when(words: str, now: datetime, language: Language = "en") -> tuple[str, When | None]:
    """Find a date at the start or at the end of a text; the longest one that the grammar allows.

    A date with a time of day at either end wins over one without; a date at one end and a time of day at the other
    belong together.

    Returns:
        The text without the date, and the date; the unchanged text and None if there is no date.

    Raises:
        CommandError: as `parse_when`, for a text in the form of a date.
    """
    head, tail = leading_when(words), trailing(words, lambda end: shape_of(end) is not None)
    first, last = shape_of(words[:head]), shape_of(words[tail:])
    if last and first and not _whole(first) and not _whole(last) and head <= tail:
        both = Shape(first.date or last.date, first.time or last.time)
        if _whole(both):
            return words[head:tail].strip(_EDGE), _meaning(both, f"{words[:head]}{words[tail:]}", now, language)
    if first and (_whole(first) or not last or not _whole(last)):
        rest = words[head:].strip(_EDGE)
        return rest.removeprefix("的"), _meaning(first, words[:head], now, language)
    if not last:
        # "Tomorrow at five pm", in words.
        tail = trailing(words, lambda end: _in_words(end, now) is not None)
        last = _in_words(words[tail:], now)
    if last:
        return words[:tail].strip(_EDGE), _meaning(last, words[tail:], now, language)
    return words, None


def _in_words(said: str, now: datetime) -> Shape | None:
    """A date with a time of day that is spelled out; None for any other text."""
    shape = shape_of(spelled_out(said, now)) if said else None
    return shape if shape and _whole(shape) else None


def split_due(words: str, now: datetime, language: Language = "en") -> tuple[str, When | None]:
    """Find `due WHEN` or `by WHEN` at the very end of a text; `by 1/2` is not a date here.

    Returns:
        The text without it, which may be empty, and the date; the unchanged text and None if there is no date.

    Raises:
        CommandError: as `parse_when`, for a text in the form of a date.
    """
    for mark in _DUE.finditer(fold(words)):
        rest = words[mark.end() :]
        shape = shape_of(rest)
        if shape and not _FRACTION.fullmatch(shape.date):
            return words[: mark.start()].strip(_EDGE), _meaning(shape, rest, now, language)
    return words, None


def on_its_day(when: When, current: datetime) -> When:
    """Move a new time of day to the current day if it came without a date."""
    if when.has_date:
        return when
    days = datetime.combine(current.date(), time()) - datetime.combine(when.moment.date(), time())
    return When(when.moment + days, has_date=False, end=when.end and when.end + days)


def tell(moment: datetime, language: Language, *, has_time: bool = True) -> str:
    """A moment with its day of the week: `Mon 2026-11-23 15:00`, `2026-11-23 周一 15:00`."""
    weekday = text(language, "when.weekdays").split()[moment.weekday()]
    day = text(language, "when.day", weekday=weekday, date=moment.date())
    return f"{day} {moment:%H:%M}" if has_time else day


def _whole(shape: Shape) -> bool:
    return bool(shape.iso or shape.span or (shape.date and shape.time))


def _meaning(shape: Shape, words: str, now: datetime, language: Language) -> When:
    try:
        when = _read(shape, now.replace(second=0, microsecond=0))
    except _Unreadable as problem:
        raise _refusal(problem.key, words, language) from None
    except (ValueError, OverflowError):
        raise _refusal("when.impossible", words, language) from None
    if when.moment.year not in _YEARS:
        raise _refusal("when.far", words, language)
    return when


class _Unreadable(Exception):  # noqa: N818 - never leaves this module
    def __init__(self, key: str) -> None:
        self.key = key


def _refusal(key: str, words: str, language: Language) -> CommandError:
    return CommandError(words, text(language, key, words=words.strip()[:LONGEST]))


def _read(shape: Shape, now: datetime) -> When:
    if shape.iso:
        moment = datetime.fromisoformat(shape.iso.upper().replace(" ", "T", 1).replace(" ", ""))
        local = moment.astimezone().replace(tzinfo=None) if moment.tzinfo else moment
        return When(local.replace(second=0, microsecond=0))
    if shape.span:
        return When(now + length_of(shape.span))
    day = datetime.combine(_day(shape.date, now.date()) if shape.date else now.date(), time())
    if not shape.time:
        return When(day, has_time=False)
    span = grammar.FROM_TO.fullmatch(shape.time)
    first, last = span.groups() if span else (shape.time, None)
    start = day + _time_of_day(first)
    if not shape.date and start < now:
        day, start = day + _DAY, start + _DAY
    if last is None:
        return When(start, has_date=bool(shape.date))
    end = day + _time_of_day(last, like=first)
    if end < start and not grammar.PART_OF_DAY.search(last):
        # "Tonight 21:30-07:30" ends in the morning.
        end = day + _time_of_day(last)
    return When(start, has_date=bool(shape.date), end=end if end >= start else end + _DAY)


def _time_of_day(words: str, like: str = "") -> timedelta:
    """The time since midnight; if the end of a span names no part of the day, it has that of the start."""
    named = grammar.PART_OF_DAY.search(words) or grammar.PART_OF_DAY.search(like)
    part = named[0] if named else ""
    clock = grammar.CLOCK.search(words)
    if clock is None:
        usual = grammar.PARTS_OF_DAY.get(part, 0)
        if usual is None:
            raise _Unreadable("when.unclear")
        return timedelta(hours=usual)
    hour, minute = int(clock["hour"]), int(clock["minute"] or 0)
    if hour > 23 or minute > 59 or (clock["half"] and hour == 0):
        raise ValueError
    if clock["half"]:
        if hour > 12 and clock["half"] == "a":
            raise ValueError
        hour = hour if hour > 12 else hour % 12 + 12 * (clock["half"] == "p")
    elif part:
        hour = _hour_in_part(hour, part)
    elif clock["minute"] is None and 1 <= hour <= 7:
        raise _Unreadable("when.which_half")
    return timedelta(hours=hour, minutes=minute)


def _hour_in_part(hour: int, part: str) -> int:
    if hour > 12:
        return hour
    if part in ("predawn", "morning"):
        return hour % 12
    if part == "noon":
        return hour + 12 * (hour < 4)
    if part == "afternoon":
        return hour % 12 + 12
    if hour < 5:
        raise _Unreadable("when.which_half")
    # Twelve in the evening is midnight at the end of the day.
    return hour + 12


def _day(words: str, today: date) -> date:
    if numbers := grammar.NUMBERS.fullmatch(words):
        return date(int(numbers[1]), int(numbers[2]), int(numbers[3]))
    if grammar.TWO_WAYS.fullmatch(words):
        raise _Unreadable("when.two_ways")
    if named := grammar.DAY_OF_WEEK.fullmatch(words):
        return _day_of_week(named[1] or "", named[2], named[3] or "", today)
    if named := grammar.MONTH_DAY.fullmatch(words) or grammar.DAY_MONTH.fullmatch(words):
        # Count from yesterday, so that today's date means today and not next year.
        return _asked(f"{named['month']} {named['day']} {named['year'] or ''}", today - _DAY)
    return _asked(words, today)


def _day_of_week(which: str, weekday: str, week: str, today: date) -> date:
    # `dateparser` reads "this friday", but not "this saturday".
    number = WEEKDAYS.index(weekday[:3])
    if not week:
        ahead = (number - today.weekday()) % 7
        return today + timedelta(days=ahead or (0 if which == "this" else 7))
    monday = today - timedelta(days=today.weekday())
    weeks = ("this week", "next week", "in 2 weeks").index(week)
    return monday + timedelta(weeks=weeks, days=number)


def _asked(words: str, today: date) -> date:
    """Ask `dateparser`, which takes a while to import."""
    import dateparser

    midnight = datetime.combine(today, time())
    # In UTC, or it looks up the machine's zone: files, read while an event loop waits.
    settings = {"RELATIVE_BASE": midnight, "PREFER_DATES_FROM": "future", "TIMEZONE": "UTC"}
    found = dateparser.parse(words, languages=["en"], settings=cast(Any, settings))
    if found is None:
        raise ValueError
    return found.date()
