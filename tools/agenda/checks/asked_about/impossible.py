"""A moment in the user's words that cannot be: a day or an hour that there is not, one that is over, an end before its
beginning."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from functools import partial

from .....errors import CommandError
from ....dates.found import claims_in, days_of_month, read_from
from ....dates.grammar import DAY_MONTH, MONTH_DAY, Shape, shapes_in
from ....dates.numbers import in_digits
from ....dates.spellings import spelled_out
from ....dates.told import moment_in, told_days, told_moments, told_times
from ....dates.when import read_when
from ....dates.words import MONTH, MONTHS, fold
from ....likeness import is_chinese, marks, traits
from ....metadata import Missing, Told
from ...line import AT, DATED, unquoted
from ...request import MOMENT_OPTION, named_to_edit, split_options
from ...schedule import read_add
from ...texts import text
from ..command import Command
from ..said.clauses import CLAUSES
from ..said.pointing import names_nothing, thing_meant
from ..said.words import TIME_WORDS
from .backwards import SPAN_ZH, backwards_in, with_new_end
from .days import without_open_days

_NUMBERED = re.compile(r"(?:on |by |until |till |from |for )(\d\d?)(?:/|\. ?)(\d\d?)(?!\d|/|\.\d)(?=\W|$)")
"""A day and a month in numbers, in either order: "on 31/4", "on 31. 4."."""
_BESIDE_A_TIME = re.compile(r"(?:\bat|@|\bfrom|\bby|\buntil|\btill?)\s?$|^(?:at |@ ?|from )")
_CLOCK = re.compile(r"(?P<hour>\d{1,2}):(?P<minute>\d\d)|(?P<full>\d{1,2})(?= ?(?:o'clock|[ap]\.?m))")
_MIDNIGHT = "24:00"
_PAST = re.compile(
    r"\b(?:was|were|had|did\w*|done|log(?:ged)?|record(?:ed)?|saw|went|met|took|came|rang|ran|ate|missed|forgot"
    r"|yesterday|finished|already|retro\w*|for the record)\b|(?<![忘好])了|过|已经|补记",
    re.IGNORECASE,
)
"""By which a user may want something kept that is over."""
_NO_THING = marks("block put enter book pencil diary calendar note down add write please pls make going")
_ENDED = re.compile(r":\d\d-\d")
_PLACE = re.compile(r"(?<!\S)--place\s(?:(?!\s--).)+")
_LENGTH = re.compile(r"(?<!\S)--(?:for|duration)\s(?:(?!\s--).)+")
_NAMES_A_MONTH = re.compile(rf"\b{MONTH}\b|月", re.IGNORECASE)
_NUMERAL_ZH = r"[\d零〇一二两三四五六七八九十]+"
_MOMENT_ZH = re.compile(rf"{_NUMERAL_ZH}月{_NUMERAL_ZH}[日号]?|{_NUMERAL_ZH}[点时]")
_OVER = re.compile(r"\b(?:this|today) (?:morning|afternoon)\b|\btoday\b|今[天早]", re.IGNORECASE)
"""How an answer may name once more the day that is over: "this morning has been and gone"."""


def never_is(command: Command) -> Missing | None:
    """A command for a moment of the user's that cannot be; None for any other.

    What comes of it is asked at once, whatever the command has made of it: a small model takes the next day there is.
    An answer settles it: then the command stands as it is.
    """
    agenda, _, order, details, told = command
    said = fold(told.request[0])
    if len(told.request) > 1 or "asks" in traits(said) or not _may_be_of(said, details, told):
        return None
    if found := impossible_in(said, told.now):
        question = text(agenda.language, "agenda.ask_no_such", words=_as_said(found[0], said, told.now))
        return Missing(question, _completed(command, partial(_in_month, *found, said, told)))
    if order != "add":
        return None
    if span := backwards_in(said, told.now):
        question = text(agenda.language, "agenda.ask_backwards", words=_as_said(span, said, told.now))
        return Missing(question, _completed(command, partial(with_new_end, span, said, told)))
    if over := over_in(told):
        question = text(agenda.language, "agenda.ask_over", time=f"{over:%H:%M}")
        return Missing(question, _completed(command, partial(_on_another_day, over, told)))
    return None


def in_its_month(told: Told) -> Told:
    """What is known, with the month of a day that there is not in the answer that gives another day of it: to "31
    April", "the thirtieth" is that of April."""
    found = impossible_in(told.request[0], told.now) if len(told.request) > 1 else None
    if found is None or not found[1]:
        return told
    return replace(told, request=[told.request[0], *(_with_month(found[1], one) for one in told.request[1:])])


def _with_month(month: int, answer: str) -> str:
    digits = in_digits(fold(answer).lower())
    days = days_of_month(digits)
    if len(days) != 1 or _NAMES_A_MONTH.search(answer):
        return answer
    named = f"{month}月{days[0]}号" if is_chinese(answer) else f"{days[0]} {MONTHS[month - 1]}"
    return re.sub(rf"(?:\bthe )?(?<!\d){days[0]}(?:st|nd|rd|th|[日号])?(?![\d:])", named, digits, count=1)


def _may_be_of(said: str, details: str, told: Told) -> bool:
    """Whether a command may be about what the user's times are of: of "add milk, and the meter man comes on 31 April"
    milk has none."""
    about = marks(unquoted(split_options(details)[0]))
    clauses = CLAUSES.split(said)
    own = [one for one in clauses if about & marks(one)]
    timed = [one for one in clauses if impossible_in(one, told.now) or told_times(one, told.now)]
    return not own or any(one in own or not _thing(one, told.now) for one in timed)


def _thing(clause: str, now: datetime) -> frozenset[str]:
    rest = marks(claims_in(spelled_out(clause, now), now)[1]) - TIME_WORDS - _NO_THING
    return frozenset(one for one in rest if not one[0].isdigit())


def impossible_in(said: str, now: datetime) -> tuple[str, int] | None:
    """The first day or hour in a text that there is not, and the month of the day, or 0; None for none.

    Example:
        >>> impossible_in("the man comes on 31 April", datetime(2026, 3, 11, 9)), impossible_in("by 30 April", now)
        (('31 april', 4), None)
    """
    words = spelled_out(said, now)
    for shape, found in shapes_in(words):
        if shape.date and read_when(shape.date, now) is None and (month := _month_of(shape.date)):
            return shape.date, month
        # "Psalm 46:10 tomorrow" has another number.
        dated = bool(shape.date) and found[0].removeprefix("on ").startswith(shape.date)
        timed = dated or _BESIDE_A_TIME.search(found[0]) or _BESIDE_A_TIME.search(words[: found.start()])
        if timed and (clock := _no_clock(shape)):
            return clock, 0
    for found in _NUMBERED.finditer(words):
        first, second = int(found[1]), int(found[2])
        months = [month for month in (second, first) if 1 <= month <= len(MONTHS)]
        if max(first, second) > 28 and months and not any(_is_day(first + second - one, one) for one in months):
            return found[0].partition(" ")[2], months[0]
    return None


def _as_said(words: str, said: str, now: datetime) -> str:
    """What was found in a text that is put into the grammar's words, as the user wrote it."""
    if found := re.search(re.escape(words), said, re.IGNORECASE):
        return found[0]
    chinese = [*SPAN_ZH.findall(said), *_MOMENT_ZH.findall(said)]
    return next((one for one in chinese if impossible_in(f"明天{one}", now) or backwards_in(one, now)), words)


def _month_of(words: str) -> int:
    """The month of a day that there is not; 0 where it may be one, or no day."""
    if named := MONTH_DAY.fullmatch(words) or DAY_MONTH.fullmatch(words):
        month = next(number for number, one in enumerate(MONTHS, 1) if one.startswith(named["month"][:3]))
        day, year = int(named["day"]), int(named["year"] or 0)
        # "May 45" may be a score, and "march 32 miles" a march.
        return month if 28 < day <= 32 and not _is_day(day, month, year) else 0
    numbers = re.fullmatch(r"\d{4}[-/.](\d{1,2})[-/.](\d{1,2})", words)
    # "2026-13-45" may be an order's number.
    is_one = numbers and int(numbers[1]) <= len(MONTHS) and int(numbers[2]) <= 32
    return (int(numbers[1]) or len(MONTHS)) if numbers and is_one else 0


def _is_day(day: int, month: int, year: int = 0) -> bool:
    try:
        # Without a year, it may be a leap year's.
        date(year or 2028, month, day)
    except ValueError:
        return False
    return True


def _no_clock(shape: Shape) -> str:
    for found in _CLOCK.finditer(shape.time):
        hour, minute = int(found["hour"] or found["full"]), int(found["minute"] or 0)
        if found[0] != _MIDNIGHT and (hour > 24 or minute > 59 or (hour == 24 and minute)):
            return shape.time.removeprefix("at ").strip()
    return ""


def over_in(told: Told) -> datetime | None:
    """The moment of today that the user's own words name for something new, where it is over; None for none."""
    said, now = told.request[0], told.now
    given = told_moments(without_open_days(told), now)
    read = read_from(said, now)
    times = [claim.meant for claim in claims_in(said, now)[0] if isinstance(claim.meant, time)]
    if _PAST.search(said) or len(given) != 1 or len(times) != 1 or not given[0].startswith(f"{now:%Y-%m-%d} "):
        return None
    # "Today at eight" may be in the evening; today itself is now.
    later = any(one > now.time() for one in read.times)
    moment = datetime.fromisoformat(given[0])
    # What is over by minutes may be what is only just to begin.
    return None if later or read.lengths or now - moment < timedelta(minutes=15) else moment


def _completed(command: Command, moment: Callable[[str], str]) -> Callable[[str], str | None]:
    """What makes the command from the answer; None where that gives no moment, or the command is none that has one:
    then the model decides again."""
    agenda, kind, order, details, told = command

    def complete(answer: str) -> str | None:
        at = moment(answer)
        if not at or order not in ("add", "edit"):
            return None
        named, rest = named_to_edit(unquoted(details)) if order == "edit" else split_options(details)
        if kind == "todo" or order == "edit":
            # What the user did not speak of has not their date.
            known = order == "edit" or marks(named) <= marks(told.request[0])
            option = MOMENT_OPTION[kind]
            kept = DATED.sub("", rest).strip() if order == "add" else ""
            return f"/{kind} {order} {named.strip()} --{option} {at} {kept}".rstrip() if known and named else None
        try:
            words = read_add(details, told.now, agenda.language).words
        except CommandError:
            words = AT.sub("", details).strip().partition(" --")[0]
        # "Block me out" is no name of what it is for.
        words = thing_meant(told) if names_nothing(words, told) else words
        kept = _PLACE.findall(details) + ([] if _ENDED.search(at) else _LENGTH.findall(details))
        return " ".join([f"/schedule add {words} --at {at}", *kept]) if words and ":" in at else None

    return complete


def _in_month(words: str, month: int, said: str, told: Told, answer: str) -> str:
    """The moment that an answer gives in place of a day that there is not: "the thirtieth" is of the same month."""
    # Beside such a day, an hour is none that can be read.
    beside = spelled_out(said, told.now).replace(words, " ")
    clock = [item[-5:] for item in told_times(beside, told.now) if ":" in item]
    answer = _with_month(month, answer) if month else answer
    at = moment_in(answer, None, told.now)
    given = told_days([answer], told.now)
    day = f"{at.moment:%Y-%m-%d}" if at and at.has_date else given.pop() if len(given) == 1 else ""
    if not day and not month:
        day = next(iter(told_days([beside], told.now)), "")
    if at and at.has_time:
        clock = [f"{at.moment:%H:%M}"]
    return f"{day} {clock[0] if len(clock) == 1 else ''}".strip() if day else ""


def _on_another_day(over: datetime, told: Told, answer: str) -> str:
    at = moment_in(_OVER.sub(" ", fold(answer)), None, told.now)
    if at is None or not (at.has_date or at.has_time):
        return ""
    day = at.moment if at.has_date else over
    moment = datetime.combine(day, at.moment.time() if at.has_time else over.time())
    return f"{moment:%Y-%m-%d %H:%M}" if moment > told.now else ""
