"""Lengths of time as people and models write them: `90m`, `1h30m`, `2 hours`, `一个半小时`."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import NamedTuple

from ..._internal.texts import Language
from ...errors import CommandError
from .grammar import BARE_SPAN, DURATION, LONGEST, leading, plain
from .texts import text

LONGER = re.compile(
    r"\b(?:(?<!no )(?<!not )longer(?! than)|another|extra|(?:hours?|h|minutes?|mins?) more|extend \w.{0,40} by"
    r"|on top|onto|add (?=\d|half an hour|an hour))\b|延长|加长|再加|再多",
    re.IGNORECASE,
)
SHORTER = re.compile(
    r"\b(?:(?<!no )(?<!not )shorter(?! than)|(?:hours?|h|minutes?|mins?) less|shorten \w.{0,40} by"
    r"|cut \w.{0,40} by|trim|take off)\b|缩短|减少",
    re.IGNORECASE,
)
"""Words by which a length is added to the one that there is, or taken from it."""
USUAL_LENGTH = timedelta(hours=1)
"""Of an appointment for which no length was given."""
HALF_DAY = timedelta(hours=12)
_LEAST, _MOST = timedelta(minutes=1), timedelta(days=31)


def parse_duration(words: str, language: Language = "en") -> timedelta:
    """Read a length of time in days, hours and minutes.

    Args:
        words: the text, which must be nothing but the length.
        language: of the error messages.

    Raises:
        CommandError: the text is not a length of time, or not between a minute and 31 days.
    """
    if not is_duration(words):
        raise CommandError(words, text(language, "when.no_duration", words=words.strip()[:LONGEST]))
    length = length_of(plain(words))
    if not _LEAST <= length <= _MOST:
        raise CommandError(words, text(language, "when.bad_duration", words=words.strip()))
    return length


def is_duration(words: str) -> bool:
    """Whether a text is nothing but a length of time, possible or not."""
    return len(words) <= LONGEST and DURATION.fullmatch(plain(words)) is not None


def leading_duration(words: str) -> int:
    """The length of the longest duration at the start of a text, 0 without one."""
    return leading(words, is_duration)


def length_of(words: str) -> timedelta:
    """The length of time that words of the grammar mean; none for words that only begin like one, such as "a and"."""
    found = DURATION.fullmatch(re.sub(r"\ban?\b", "1", words))
    if found is None:
        return timedelta()
    return timedelta(days=int(found["days"] or 0), hours=float(found["hours"] or 0), minutes=int(found["minutes"] or 0))


def in_hours(length: timedelta) -> str:
    """A length as it can be written again: `1h30m`."""
    hours, minutes = divmod(int(length.total_seconds()) // 60, 60)
    return "".join(f"{count}{unit}" for count, unit in ((hours, "h"), (minutes, "m")) if count)


def from_today(moment: datetime, now: datetime, language: Language) -> str:
    """How many days a moment is from today: `in 20 days`, `tomorrow`, `3 days ago`. A small model miscounts."""
    days = (moment.date() - now.date()).days
    if -1 <= days <= 1:
        return text(language, f"when.{('today', 'tomorrow', 'yesterday')[days]}")
    return text(language, "when.in_days" if days > 0 else "when.days_ago", count=abs(days))


class BareSpan(NamedTuple):
    """Two hours of a day, from one to another, each perhaps of both halves of the day: "9-11", "10 till 4".

    Attributes:
        first: when it begins, since midnight.
        last: when it ends.
        by_the_day: whether the hours say their half of the day, as 8am to 10pm do, or count to 24.
    """

    first: timedelta
    last: timedelta
    by_the_day: bool

    @property
    def length(self) -> timedelta:
        return (self.last - self.first) % (2 * HALF_DAY if self.by_the_day else HALF_DAY)

    @property
    def hours(self) -> str:
        """Its hours, as `10:00-16:00`; "" where both may be of the morning or of the evening, as from seven to nine."""
        if not self.length or not (self.by_the_day or self.last < self.first):
            return ""
        start = datetime(2000, 1, 1) + self.first
        return f"{start:%H:%M}-{start + self.length:%H:%M}"


def bare_spans(words: str) -> list[BareSpan]:
    """The spans of bare hours in some words.

    Args:
        words: folded, with times in digits and colons.

    Example:
        >>> [span.hours for span in bare_spans("the fair is on saturday, 10 till 4")]
        ['10:00-16:00']
    """
    found: list[BareSpan] = []
    for span in BARE_SPAN.finditer(words):
        first, last = _since_midnight(*span.group(1, 2, 3)), _since_midnight(*span.group(4, 5, 6))
        by_the_day = bool(span[3] and span[6]) or int(span[1]) > 12 or int(span[4]) > 12
        if max(first, last) < 2 * HALF_DAY:
            found.append(BareSpan(first, last, by_the_day))
    return found


def _since_midnight(hour: str, minute: str | None, half: str | None) -> timedelta:
    hours = int(hour) % 12 + 12 * (half == "p") if half else int(hour)
    return timedelta(hours=hours, minutes=int(minute or 0))
