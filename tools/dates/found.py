"""Dates, times of day and lengths of time in running text, by what they mean.

Two readings of one grammar. `claims_in` takes what a text says for certain. `read_from` takes everything that a text
may mean: "half past six" is 6:30 and 18:30, "Friday" is the last one and each of the next three.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from typing import Any

from . import grammar
from .durations import length_of
from .spellings import spelled_out
from .when import When, read_when
from .words import WEEKDAYS, fold

_DAY, _HALF_DAY = timedelta(days=1), 12
_LENGTH = re.compile(rf"(?<![\w.:])(?:{grammar.DURATION.pattern})(?![\w:])", re.ASCII)
_WEEKS = re.compile(r"(?<![\w.])(\d{1,3}|an?) weeks?\b")
SOME_DAY = datetime(2024, 5, 6, 8)
"""A morning, where it does not matter which one a text is read on."""
_when = lru_cache(maxsize=4096)(read_when)
_spelled = lru_cache(maxsize=1024)(spelled_out)


@dataclass(frozen=True, slots=True)
class TimeClaim:
    """A date, a time of day or a length of time that a text states.

    Attributes:
        meant: what it means.
        dated: whether a time of day came with a date.
        length: of the span that this time ends; None if it ends none.
    """

    meant: date | time | timedelta
    dated: bool = False
    length: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Times:
    """What a text may mean.

    Attributes:
        dates: that it names.
        implied: the days of the times of day that it names without a date: the next with that time; and those that
            may end a week.
        times: times of day.
        lengths: lengths of time.
    """

    dates: frozenset[date]
    implied: frozenset[date]
    times: frozenset[time]
    lengths: frozenset[timedelta]


def claims_in(text: str, now: datetime) -> tuple[list[TimeClaim], str]:
    """The dates, times and lengths that a text states, and the rest of the text in lower case.

    One that cannot be read, or could be read in two ways, is left out: whoever is given it refuses it.

    Args:
        text: running text.
        now: what relative dates count from: local, without a zone.
    """
    words = _spelled(text, now)
    claims: list[TimeClaim] = []
    for _, found in grammar.shapes_in(words):
        if when := _when(found[0], now):
            claims += _stated(when)
    claims += [TimeClaim(length) for length, _ in _lengths(_without_shapes(words))]
    rest = _without_shapes(grammar.plain(text))
    return claims, _without(rest, sorted(span for _, span in _lengths(rest)))


@lru_cache(maxsize=256)
def read_from(text: str, now: datetime) -> Times:
    """Every date, time of day and length of time that a text may mean.

    Args:
        text: running text.
        now: what relative dates count from: local, without a zone.
    """
    words = _spelled(text, now)
    read = _Reading(now)
    for shape, found in grammar.shapes_in(words):
        known = set(read.dates)
        # "Tomorrow at three" cannot be read as a whole, for want of a half of the day; its day can.
        read.shape(shape, _when(found[0], now) or (_when(shape.date, now) if shape.date else None))
        if shape.span:
            read.lengths.add(length_of(shape.span))
        if shape.date and (_BEFORE.search(words[: found.start()]) or _BEFORE_ZH.match(words[found.end() :])):
            # "Before Tuesday" may mean until Monday.
            read.implied |= {one - _DAY for one in read.dates - known if one > date.min}
    read.lengths.update(length for said in (words, _without_shapes(words)) for length, _ in _lengths(said))
    read.days(words)
    read.hours(words)
    return Times(*map(frozenset[Any], (read.dates, read.implied, read.times, read.lengths)))


def follows_another(text: str) -> bool:
    """Whether a text tells a moment by another one: "the day after", "at the same time"."""
    words = fold(text).lower()
    return bool(_SAME.search(words)) or any(re.search(pattern, words) for pattern, _ in _BESIDE_ANOTHER)


def days_of_month(text: str) -> list[int]:
    """The days that a text names by their number alone: 20 for "the 20th"."""
    return [int(found[1] or found[2]) for found in _NTH.finditer(fold(text).lower())]


def _stated(when: When) -> Iterator[TimeClaim]:
    if when.has_date:
        yield TimeClaim(when.moment.date())
    if when.has_time:
        yield TimeClaim(when.moment.time(), dated=when.has_date)
    if when.end:
        yield TimeClaim(when.end.time(), length=when.end - when.moment)


def _lengths(words: str) -> Iterator[tuple[timedelta, tuple[int, int]]]:
    for found in _LENGTH.finditer(words):
        if length := found[0] and length_of(found[0].strip()):
            yield length, found.span()
    for found in _WEEKS.finditer(words):
        yield timedelta(weeks=int(found[1]) if found[1].isdigit() else 1), found.span()


def _without_shapes(words: str) -> str:
    """The words with a mark in place of each date and time, beside which a bare number may be an hour."""
    return _without(words, [found.span() for _, found in grammar.shapes_in(words)])


def _without(words: str, spans: Sequence[tuple[int, int]]) -> str:
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(words)]
    return " @ ".join(words[end:start] for end, start in zip(ends, starts, strict=True))


_HOUR = re.compile(
    r"(?:\b(?:at|from|to|until|till|by|around|about|before|after|between|and|or|say|make it|for),? |@[ ,]*|[-~] ?|^\W*)"
    r"(\d{1,2})(?![\w:]|[.,/-]\d| ?-?(?:minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?)\b)"
    # A correction that says nothing else: "sorry, I meant 8".
    r"|\b(?:meant?|make (?:that|this)|better|rather|(?:(?<![^.,;!?] )(?<!\w)no)(?=,)|sorry|put|start\w*),? (\d{1,2})"
    r"(?=\W*$|[.,;!?] |,? (?:please|instead|not|then|actually)\b)"
)
_TO_THE_HOUR = re.compile(r"\b(\d{1,2})(?: minutes)? to (\d{1,2})\b(?!:)")
_HOUR_FIRST = re.compile(
    r"(?<![\w:.,/-])(\d{1,2})"
    r"(?= ?(?:-|~|to|until|till) ?\d{1,2}\b(?!-)|-?ish| sharp| ?h\b|,? (?:on |in the |at night|@)|[点时])"
)
_FOUR_DIGITS = re.compile(r"(?<![\w:.,/+-])([01]\d|2[0-3])([0-5]\d)(?![\w:]|[.,/-]\d)")
_NTH = re.compile(
    r"(?<![\w-])(\d{1,2})(?:st|nd|rd|th|[日号])(?![a-z线楼门院店桌车机房口馆])"
    r"|(?:\bthe |(?<![a-z\d_-])(?=\d\d?号))(\d{1,2})(?![\d:.,/a-z-]| ?o['’]?\s?clock)"
)
_PART = re.compile(rf"\b(?:{'|'.join(grammar.PARTS_OF_DAY)})\b|\b(mornings|evenings|afternoons|tonight|midnight)\b")
_BEFORE, _BEFORE_ZH = re.compile(r"\bbefore (?:the )?$"), re.compile(r" ?(?:[之以]?前)")
_END_OF_WEEK = re.compile(r"\bend of (next )?wk\b")
_NOW = re.compile(r"\b(?:now|right away|immediately|asap|at once)\b|马上|现在|立[刻即]|today")
_CHANGED = re.compile(
    r"(?:\b(?:is|are)|['’](?:s|re))\s+(?:\S{1,40}\s+){1,6}?now\b"
    r"|(?:^|[,.;:!?\n–—-]\s{0,3}|\b(?:and|so|but|for|until|till|i|we|he|she|they|you)\s)now\b(?=\s+[a-z'’]+\s+\w)"
)
"""What is so from now on, or where a talk has come to: "it is the Blue Heron now", "but now it falls to me"."""
_PAST = (("yesterday", 1), ("day before yesterday", 2), ("昨天", 1), ("前天", 2))
_BESIDE_ANOTHER = (
    (
        r"\b(?:day|morning|evening|night) (?:after|before)\b(?! tomorrow)"
        r"|\b(?:following|next) (?:day|morning|evening|night)\b|\ba day (?:later|earlier)\b"
        r"|第二天|次日|隔天|翌日|前一[天晚]|[后隔]一天",
        _DAY,
    ),
    (r"\bweek (?:after|before)\b(?! next)|\b(?:following|same \w+ next) week\b|[前后隔]一周", 7 * _DAY),
    (r"\ba week (?:later|earlier)\b", 7 * _DAY),
)
_SAME = re.compile(r"\bsame (?:time|hour)\b|同[一样]个?的?时[间候]")
_FEASTS = (
    ("christmas", ((12, 24), (12, 25), (12, 26))),
    ("圣诞", ((12, 24), (12, 25))),
    ("new year", ((12, 31), (1, 1))),
    ("元旦", ((1, 1),)),
    ("valentine", ((2, 14),)),
    ("情人节", ((2, 14),)),
    ("halloween", ((10, 31),)),
    ("国庆", ((10, 1),)),
)


@dataclass(slots=True)
class _Reading:
    now: datetime
    dates: set[date] = field(default_factory=set[date])
    implied: set[date] = field(default_factory=set[date])
    times: set[time] = field(default_factory=set[time])
    lengths: set[timedelta] = field(default_factory=set[timedelta])

    def shape(self, shape: grammar.Shape, when: When | None) -> None:
        """A date or a time that the grammar knows, in each way that it can be meant."""
        if when:
            (self.dates if when.has_date else self.implied).add(when.moment.date())
            if when.has_time:
                self.times |= {when.moment.time(), *((when.end.time(),) if when.end else ())}
        named = grammar.DAY_OF_WEEK.fullmatch(shape.date)
        if named and when and (named[1] == "next" or named[3]):
            # Not today; of a day in the next week, some mean the one after that.
            self.dates |= {when.moment.date()} if named[3] else {when.moment.date(), when.moment.date() + 7 * _DAY}
        elif named:
            self.weekday(WEEKDAYS.index(named[2][:3]))
        elif grammar.TWO_WAYS.fullmatch(shape.date):
            first, second, *year = map(int, re.split(r"[-/.]", shape.date))
            for month, day in ((first, second), (second, first)):
                self.date_of(month, day, *(one + 2000 * (one < 100) for one in year))
        elif when and when.has_date:
            self.date_of(when.moment.month, when.moment.day)
        sure = when and when.has_time and grammar.PART_OF_DAY.search(shape.time)
        for clock in grammar.CLOCK.finditer("" if sure else shape.time):
            # "06:52" is none of the evening.
            early = "a" if clock["minute"] and clock["hour"][0] == "0" else ""
            self.hour(int(clock["hour"]), int(clock["minute"] or 0), clock["half"] or early)

    def hours(self, words: str) -> None:
        """Times of day that the grammar leaves out, because a list of things to do cannot be sure of them."""
        bare = _without_shapes(words)
        for found in (*_HOUR.finditer(bare), *_HOUR_FIRST.finditer(bare)):
            self.hour(int(found[found.lastindex or 1]))
        for found in grammar.BARE_SPAN.finditer(words):
            for hour, minute, half in (found.group(1, 2, 3), found.group(4, 5, 6)):
                self.hour(int(hour), int(minute or 0), half or "")
        for found in _FOUR_DIGITS.finditer(bare):
            self.times.add(time(int(found[1]), int(found[2])))
        for found in _TO_THE_HOUR.finditer(bare):
            self.hour((int(found[2]) - 1) % 24, 60 - int(found[1]))
        for found in _PART.finditer(bare):
            usual = grammar.PARTS_OF_DAY.get(found[0].removesuffix("s"), 0 if found[0] == "midnight" else None)
            self.times |= {time(usual)} if usual is not None else set[time]()

    def days(self, words: str) -> None:
        """Dates that the grammar leaves out."""
        for found in _NTH.finditer(words):
            self.day_of_month(int(found[1] or found[2]))
        if _NOW.search(_CHANGED.sub(" ", words)):
            self.dates.add(self.now.date())
            self.times.add(self.now.time().replace(second=0, microsecond=0))
        if "weekend" in words or "周末" in words:
            self.weekday(5)
            self.weekday(6)
        if re.search(r"end of (?:the |this |next )?month|\bmonth(?:['’]s[ -]end|[ -]end| is out)\b|月[底末]", words):
            self.ends_of_months()
        for found in _END_OF_WEEK.finditer(words):
            sunday = self.now.date() + timedelta(days=6 - self.now.weekday() + 7 * bool(found[1]))
            self.implied |= {sunday - days * _DAY for days in range(3)}
        self.lengths |= {length for said, length in _BESIDE_ANOTHER if re.search(said, words)}
        self.dates |= {self.now.date() - days * _DAY for said, days in _PAST if said in words}
        for feast, days in _FEASTS:
            if feast in words:
                for month, day in days:
                    self.date_of(month, day)

    def hour(self, hour: int, minute: int = 0, half: str = "") -> None:
        """An hour of the day; before and after noon if nothing says which."""
        if hour >= 24 or not 0 <= minute < 60:
            return
        if hour > _HALF_DAY:
            self.times.add(time(hour, minute))
            return
        for of_day in half or "ap":
            self.times.add(time(hour % _HALF_DAY + _HALF_DAY * (of_day == "p"), minute))

    def weekday(self, number: int) -> None:
        start = self.now.date() - _DAY * (7 + self.now.weekday() - number)
        self.dates.update(start + timedelta(weeks=week) for week in range(5))

    def date_of(self, month: int, day: int, *years: int) -> None:
        for year in years or range(self.now.year - 1, self.now.year + 2):
            self.add(year, month, day)

    def day_of_month(self, day: int) -> None:
        for months in range(-1, 3):
            years, month = divmod(self.now.month - 1 + months, 12)
            self.add(self.now.year + years, month + 1, day)

    def ends_of_months(self) -> None:
        for months in (1, 2):
            years, month = divmod(self.now.month - 1 + months, 12)
            self.dates.add(date(self.now.year + years, month + 1, 1) - _DAY)

    def add(self, year: int, month: int, day: int) -> None:
        try:
            self.dates.add(date(year, month, day))
        except ValueError:
            # A 31st of a month with 30 days: not this month.
            return
