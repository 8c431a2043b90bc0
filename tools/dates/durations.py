"""Lengths of time as people and models write them: `90m`, `1h30m`, `2 hours`, `一个半小时`."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from ..._internal.texts import Language
from ...errors import CommandError
from .grammar import DURATION, LONGEST, leading, plain
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
