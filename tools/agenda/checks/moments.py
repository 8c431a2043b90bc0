"""The day and the hour that the user's clause about a new entry gives, where a command has those of another clause."""

from __future__ import annotations

import re

from ...dates.numbers import in_digits
from ...dates.periods import NAMED_PERIOD
from ...dates.told import told_times
from ...dates.when import read_when
from ...dates.words import fold, option
from ...likeness import is_chinese, marks
from ...metadata import Told
from .said.clauses import CLAUSES, with_what_goes_on
from .spans import DATE_LENGTH, TIME_DOT, text_of

_DATED = option("due|at")
_CORRECTS = re.compile(
    r"\b(?:sorry|i mean|no|wait|actually|rather|make that|instead|scrap|oops|not)\b|n['’]t\b|不[对是行]|应该是|哦不|别",
    re.IGNORECASE,
)
"""After which another clause may be the one that counts."""
_LATEST_MORNING = {"10", "11"}
"""Hours of which the twelve hours later ones are seldom meant where nobody says so."""
_AT_NIGHT = re.compile(r"\b(?:evening|tonight|night|late|pm|p\.m|party|drinks|gig|film|club)\b|晚|夜", re.IGNORECASE)


def as_its_clause_says(command: str, told: Told) -> str:
    """A new entry on the day and at the hour of the one clause that is about it; any other command as it is.

    "Tea on the 29th at 4, and get the present by the 27th" gives the tea no 27th. A clause counts where no other has
    a word of the entry's, and where nothing is corrected.

    Args:
        command: that adds an entry.
        told: what is known.
    """
    found = _DATED.search(command)
    when = read_when(found["value"].strip(), told.now) if found else None
    if found is None or when is None or when.end:
        return command
    day = f"{when.moment:%Y-%m-%d}" if when.has_date else ""
    clock = f"{when.moment:%H:%M}" if when.has_time else ""
    said = TIME_DOT.sub(":", fold(told.request[0]))
    dates, clocks, other_dates, other_clocks = _given(said, text_of(command), told)
    new_day, new_clock = day, clock
    if day and len(dates) == 1 and day not in dates and day in other_dates:
        new_day = dates.pop()
    if clock and len(clocks) == 1 and clock not in clocks and clock in other_clocks:
        new_clock = clocks.pop()
    new_clock = _of_the_morning(new_clock, said, text_of(command), told)
    if (new_day, new_clock) == (day, clock):
        return command
    return f"{command[: found.start('value')]}{f'{new_day} {new_clock}'.strip()}{command[found.end() :]}"


def _given(said: str, about: str, told: Told) -> tuple[set[str], set[str], set[str], set[str]]:
    """The days and hours of the one clause about an entry, and those of the others; none where that is not plain."""
    clauses = with_what_goes_on(CLAUSES.split(said))
    own = [one for one in clauses if marks(one) & marks(about)]
    if len(own) != 1 or _CORRECTS.search(said):
        return set(), set(), set(), set()
    # "At 8 and at 20" is of one thing.
    others = [one for one in clauses if one is not own[0] and any(mark[0].isalpha() for mark in marks(one))]
    items, beside = told_times(own[0], told.now), [item for one in others for item in told_times(one, told.now)]
    # "At the weekend" and "by lunchtime" name no day and no hour that another clause could not tell.
    days = set[str]() if NAMED_PERIOD.search(own[0]) else _days(items)
    clocks = _clocks(items) if re.search(r"\d", in_digits(own[0])) or is_chinese(own[0]) else set[str]()
    return days, clocks, _days(beside), _clocks(beside)


def _days(items: list[str]) -> set[str]:
    return {item[:DATE_LENGTH] for item in items if item[:4].isdigit()}


def _clocks(items: list[str]) -> set[str]:
    return {item[-5:] for item in items if ":" in item}


def _of_the_morning(clock: str, said: str, about: str, told: Told) -> str:
    """An hour of the late evening as that of the morning, where the user said so, and nothing of an evening."""
    early = f"{int(clock[:2]) - 12:02}{clock[2:]}" if clock[:2] in ("22", "23") else ""
    told_so = _clocks(told_times(said, told.now))
    evening = clock in told_so or _AT_NIGHT.search(said) or _AT_NIGHT.search(about)
    return early if early[:2] in _LATEST_MORNING and early in told_so and not evening else clock
