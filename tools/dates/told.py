"""The dates, times and lengths that a user's words give, written so that every tool can read them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from typing import TypeVar

from .durations import in_hours
from .found import claims_in, days_of_month, read_from
from .numbers import in_digits
from .when import When, read_when
from .words import DAYS, fold

T = TypeVar("T")

DATE_LENGTH = len("2026-03-13")
"""Of a moment as `told_times` gives it: a longer one has a time of day, too."""
_NIGHT = 7
_BESIDE_NOON = re.compile(r"\b(?:before|after) (?:noon|midday|lunch)\b", re.IGNORECASE)
_BARE_CLOCK = re.compile(r"^\s*(?:at )?([01]\d|2[0-3])([0-5]\d)(?=\s*(?:[,;.!][^\d]*)?$)", re.IGNORECASE)
"""Of the answer to a question for a time: "1340, straight after lunch"."""
_EVENING = re.compile(
    r"\b(?:evening|tonight|night|dinner|supper|party|drinks|pub|concert|gig|film|movie|cinema|theatre|theater"
    r"|table(?= for\b))\b",
    re.IGNORECASE,
)
_IN_EVENING = re.compile(r"\b(?:evening|tonight)\b|晚", re.IGNORECASE)
_EVENING_HOURS, _HALF_A_DAY = range(5, 12), 12
_EARLY = re.compile(r"\b(?:breakfast|morning|early|sunrise|dawn|first light|school run)\b|早", re.IGNORECASE)
_MAY_BE_EARLY = re.compile(
    rf"{_EARLY.pattern}|\b(?:a\.?m|runs?|running|jog\w*|gym|swim\w*|yoga|rowing|rides?|hike\w*|hiking|walk\w*|fishing"
    r"|flights?|fly|plane|trains?|bus|coach|taxi|cab|lift|airport|station|ferry|boat|sail\w*|depart\w*|leav\w+|set off"
    r"|shifts?|work|nights?|alarm|wake|up|market|milk\w*|feed\w*|muck\w*|lambing|pills?|tablets?|medic\w*|mass"
    r"|prayers?|meditat\w*|pilates|bootcamp|deliver\w*|load\w*|baking|bakery|open\w*)\b|[跑泳飞车机班站船]",
    re.IGNORECASE,
)
"""What may well begin at five or six in the morning."""
_BEFORE_NOON = re.compile(r"\d ?a\.?m\b|\bnoon\b", re.IGNORECASE)
_FOR_IT = re.compile(r"\b(?:for|before|after|from|to|re|about)\b", re.IGNORECASE)
_WITH_WHOM = re.compile(r"\W*$|\W+(?:with|at|in|and|by|on|near|w|for|out|together)\b|\s*[,(&:–-]", re.IGNORECASE)
"""What may follow the name of something that takes place."""
_ORDINAL = re.compile(r"\b(?:first|second|third|last|\d+(?:st|nd|rd|th))\b", re.IGNORECASE)
_HOURS = 24
_LONGEST = 200
"""Characters of an answer that gives an hour and little else."""
_BY_NUMBER = re.compile(r"\b(?:on )?the \d{1,2}(?:st|nd|rd|th)\b", re.IGNORECASE)
_BESIDE_HOUR = re.compile(
    r"\b(?:at|around|about) (?=\d{1,2}\b(?![:.]\d))|(?<=\d)(?<!:\d\d) ?o['’]?\s?clock\b", re.IGNORECASE
)
_BARE_HOUR = re.compile(
    r"(?:(?:@|\b(?:at|on|around|about|say|maybe|make it|let['’]?s (?:say|do)|it['’]?s|it is|yes|yeah|ok|okay|sure|hm+"
    r"|um+|well|so|then|the|for)\b)[\s,.!]*)*"
    r"(?P<hour>\d{1,2})(?:\s*(?:,|@|o['’]?\s?clock|sharp|ish|or so|please|pls|thanks|thank you|then|works"
    r"|(?:is|would be|sounds) (?:good|great|fine|nice|ok|perfect)|(?:in the )?(?:afternoon|evening)))*[\s,.!?]*"
    # Where it is.
    r"(?:,?\s*(?:at|in|near|by)\s+[^\d@]*)?",
    re.IGNORECASE,
)
_AT_AN_HOUR = re.compile(r"\b(?:at|around|about) (?:\d{1,2}\b(?![:.]\d)|[a-z]+\b)(?: o['’]?clock)?", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\d:.-])\d{3,}(?![\d:.-])")
_EARLIEST = 5
_AT_NIGHT = re.compile(
    r"\b(?:night|(?:early|small) hours|dawn|midnight)\b|\b0\d[:.]?\d\d\b|凌晨|夜里|半夜", re.IGNORECASE
)
_ON_THE_NTH = re.compile(r"(?:\b(?:on|by|until|till|before)|,) the \d{1,2}(?:st|nd|rd|th)?\b(?!:)", re.IGNORECASE)
_APPOSED = re.compile(
    rf"\b(?:{'|'.join(DAYS)})\b(?:(?!\band\b|\bor\b|\d)[^.,;:!?]){{0,30}}"
    r"(?:[,(] ?the \d|[,(]? ?(?:that is|that['’]s|i\.?e\.?),? (?:on )?the \d)",
    re.IGNORECASE,
)
"""A weekday and its number: "the Thursday after next, that is the 26th", "Sunday roast, the 22nd"."""


def told_times(text: str, now: datetime) -> list[str]:
    """What a text gives, in ISO form: `["2026-03-12 14:15", "2h"]`.

    An hour that may be of the night or of the day is of the day: "quarter past two" is 14:15. A day that only its
    number names is the next one.

    Args:
        text: running text.
        now: what relative dates count from: local, without a zone.
    """
    stated = claims_in(text, now)[0]
    # The end of a span is told by its length.
    claims = [claim.length or claim.meant for claim in stated]
    may_be = read_from(text, now)
    dates = _once(one for one in claims if isinstance(one, date))
    ahead = sorted(one for one in may_be.dates if one >= now.date())
    numbered = [[one for one in ahead if one.day == number] for number in days_of_month(text)]
    numbers = _once(days[0] for days in numbered if days)
    if not dates:
        # "Wednesday at three" cannot be read as a whole; its day can.
        stated = claims_in(_AT_AN_HOUR.sub(" ", text), now)[0]
        dates = _once(claim.meant for claim in stated if type(claim.meant) is date)
    if _APPOSED.search(fold(text)):
        # The number tells which Thursday.
        dates = _once(next((day for day in numbers if day.weekday() == one.weekday()), one) for one in dates)
    elif dates and _ON_THE_NTH.search(fold(text)):
        dates += numbers
    dates = _once(dates) or numbers or ahead[:1]
    at_night = _AT_NIGHT.search(text)
    times = _once(one if at_night else _by_day(one, may_be.times) for one in claims if isinstance(one, time))
    lengths = [in_hours(one) for one in _once(one for one in claims if isinstance(one, timedelta))]
    if len(dates) == 1 and len(times) == 1:
        return [f"{dates[0]} {times[0]:%H:%M}", *lengths]
    return [*map(str, dates), *(f"{one:%H:%M}" for one in times), *lengths]


def told_moments(texts: Sequence[str], now: datetime) -> list[str]:
    """What texts give, as `told_times` has it, without the lengths."""
    return [item for one in texts for item in told_times(one, now) if item[-1] not in "hm"]


def dated_moments(texts: Sequence[str], now: datetime) -> list[str]:
    """What texts give that has a day: `["2026-03-12 14:15"]`, or `["2026-03-12"]`."""
    return [item for item in told_moments(texts, now) if len(item) >= DATE_LENGTH]


def told_days(texts: Sequence[str], now: datetime) -> list[str]:
    """The days that texts give, each once: `["2026-03-12"]`."""
    return _once(item[:DATE_LENGTH] for item in dated_moments(texts, now))


def told_lengths(texts: Sequence[str], now: datetime) -> list[str]:
    """The lengths that texts give: `["2h"]`."""
    return [item for one in texts for item in told_times(one, now) if item[-1] in "hm"]


def on_a_clock(at: time | datetime) -> tuple[int, int]:
    """The hour and the minute as a clock with twelve hours has them: those of 4:30 and 16:30 are one."""
    return at.hour % 12, at.minute


def only_moment(texts: Sequence[str], now: datetime) -> str:
    """The one day and time that texts name together, in ISO form; the day alone if they name no time; "" for any other.

    An hour that may be of the night or of the day is of the day, as in `told_times`.
    """
    dates = told_days(texts, now)
    stated = [
        claim.meant if _AT_NIGHT.search(one) else _by_day(claim.meant, read_from(one, now).times)
        for one in texts
        for claim in claims_in(one, now)[0]
        # The end of a span is no other time.
        if isinstance(claim.meant, time) and not claim.length
    ]
    times = set(stated) or _likely(texts, now)
    if len(dates) != 1 or len(times) > 1:
        return ""
    return " ".join([dates[0], *(f"{one:%H:%M}" for one in times)])


def is_afternoon(hour: int, texts: Sequence[str]) -> bool:
    """Whether an hour that may be of the night or of the day is of the day: an early one, without a word of the night,
    and not written as those of the whole day are, such as 04:30. At five or six, some things are early: a train."""
    early = hour >= _EARLIEST and any(map(_MAY_BE_EARLY.search, texts))
    return hour < _NIGHT and not early and not any(map(_AT_NIGHT.search, texts))


def is_of_evening(about: str, texts: Sequence[str]) -> bool:
    """Whether what something is about takes place in the evening, as a dinner or a concert does, and no text says that
    it is early. What is for a party, or of one ("party planning"), may be at any time."""
    found = _EVENING.search(about)
    if found is None or _FOR_IT.search(about[: found.start()]) or not _WITH_WHOM.match(about[found.end() :]):
        return False
    return not any(_EARLY.search(one) or _BEFORE_NOON.search(one) for one in texts)


def spelled_by_day(when: str, now: datetime) -> str:
    """A time in words, with the hour of the day that it may be: "13:30" for "half one"; any other as it is."""
    read = read_when(when.strip(), now)
    if read is None or not read.has_time or ":" in when or _AT_NIGHT.search(when):
        return when
    at = _by_day(read.moment.time(), read_from(when, now).times)
    if at == read.moment.time():
        return when
    end = datetime.combine(read.moment, at) + (read.end - read.moment) if read.end else None
    clock = f"{at:%H:%M}-{end:%H:%M}" if end else f"{at:%H:%M}"
    return f"{read.moment:%Y-%m-%d} {clock}" if read.has_date else clock


def as_clock(answer: str) -> str:
    """An answer to a question for a time, with the colon that it leaves out: "13:40" for "1340, after lunch"."""
    return _BARE_CLOCK.sub(r"\1:\2", answer)


def moment_in(answer: str, day: date | None, now: datetime, about: str = "") -> When | None:
    """The one moment that the answer to a question names; None for any other answer.

    Args:
        answer: the user's words.
        day: the day that is known, if the answer names none; None for none.
        now: what relative dates count from: local, without a zone.
        about: what it is the time of: a dinner at seven is in the evening.
    """
    answer = _BESIDE_NOON.sub(" ", as_clock(answer))
    when = read_when(answer.strip().rstrip(".!。！"), now)
    if when is None:
        given = told_moments([answer], now)
        # An hour that is stated for certain is not moved to the day.
        stated = [f"{claim.meant:%H:%M}" for claim in claims_in(answer, now)[0] if isinstance(claim.meant, time)]
        if len(stated) == 1 and given and ":" in given[0]:
            given[0] = f"{given[0][:-5]}{stated[0]}"
        elif (hour := _bare_hour(answer, about, now)) is not None:
            given.append(f"{hour:%H:%M}")
        if len(given) > 2 or (when := read_when(" ".join(given), now)) is None:
            return None
    if when.has_time and not (_AT_NIGHT.search(answer) or _EARLY.search(f"{answer} {about}")):
        at = _by_day(when.moment.time(), read_from(answer, now).times)
        if _IN_EVENING.search(about) and at.hour in _EVENING_HOURS:
            at = at.replace(hour=at.hour + _HALF_A_DAY)
        start = datetime.combine(when.moment.date(), at)
        when = When(start, True, when.has_date, when.end and start + (when.end - when.moment))
    if day is None or when.has_date:
        return when
    moved = datetime.combine(day, when.moment.time())
    return When(moved, when.has_time, True, when.end and moved + (when.end - when.moment))


def _bare_hour(answer: str, about: str, now: datetime) -> time | None:
    """The hour that an answer gives beside nothing but a day, a place and politeness: "tomorrow at one, please".

    "Not before four" and "3, no 4" give none. It is of the day, unless what it is for is in the evening or early.
    """
    # With its "at" or "o'clock", the hour would go with the day.
    undated = claims_in(_BESIDE_HOUR.sub("", in_digits(_BY_NUMBER.sub("@", fold(answer).lower()))), now)[1]
    if len(undated) > _LONGEST or _AT_NIGHT.search(answer) or _ORDINAL.search(undated):
        return None
    found = _BARE_HOUR.fullmatch(undated.strip())
    hour = int(found["hour"]) if found else _HOURS
    if hour >= _HOURS:
        return None
    if 0 < hour < 12 and not _EARLY.search(f"{answer} {about}"):
        late = bool(_EVENING.search(f"{answer} {about}")) and hour >= _EARLIEST
        hour += 12 if late or hour < _NIGHT else 0
    return time(hour)


def _likely(texts: Sequence[str], now: datetime) -> set[time]:
    """The hours that texts may name; of a bare one, such as "at four", that of the day, unless they speak of an
    evening."""
    times = set[time]().union(*(read_from(_NUMBER.sub(" ", one), now).times for one in texts))
    # "Today" may mean this very moment, which is no time that was told.
    times.discard(now.time())
    hours = sorted(one.hour for one in times)
    if len(times) != 2 or hours[1] - hours[0] != 12:
        return times
    at_night = any(map(_AT_NIGHT.search, texts))
    late = hours[0] >= _NIGHT if at_night else any(map(_EVENING.search, texts)) or not _NIGHT <= hours[0] < 12
    return {one for one in times if (one.hour >= 12) == late}


def _by_day(stated: time, may_be: frozenset[time]) -> time:
    later = stated.replace(hour=(stated.hour + 12) % 24)
    return later if stated.hour < _NIGHT and later in may_be else stated


def _once(found: Iterable[T]) -> list[T]:
    return list(dict.fromkeys(found))
