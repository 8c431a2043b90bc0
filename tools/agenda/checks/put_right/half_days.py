"""The half of the day in which an appointment's hour is, where the user's words may mean either.

"Move the dinner to 8" is 20:00 of one at 19:00, "the gym to 8" is 8:00 of one at 7:00, and a new dinner at 8 is in the
evening. A small model writes 8:00, or the number alone, which no command can read. `keeps_its_time` tells where the
user says no hour at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import time

from ....dates.found import read_from
from ....dates.told import is_of_evening
from ....dates.words import fold
from ....likeness import traits
from ....metadata import Told
from ...agenda import Agenda
from ...line import AT, NEW_APPOINTMENT
from ...request import text_of
from ..entries import times_in
from .lasting import changed_appointment

_HOUR = re.compile(
    r"(?P<day>^|(?:\d{4}-\d\d-\d\d|today|tomorrow|\w+day)(?: at)? |at )(?P<hour>\d{1,2})(?::(?P<minute>[0-5]\d))?"
    r"(?:-(?P<end>\d{1,2}):(?P<last>[0-5]\d))?\s*$",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"\d ?[ap]\.?m\b|\b(?:morning|afternoon|evening|night|tonight|noon|midday)\b|[早晚]|[上下]午", re.IGNORECASE
)
"""By which a user says which half of the day is meant."""
_OVERNIGHT = re.compile(
    r"(?P<start>(?:1[2-9]|2[0-3]):[0-5]\d)(?P<to>\s*-\s*)(?P<hour>0?\d|1[01]):(?P<minute>[0-5]\d)\s*$"
)
_NEAR = 4
"""Hours: as near as that to where an appointment is, one half of the day is likelier than the other."""
_MORNING = 7
_SAME_TIME = re.compile(
    r"\b(?:same|keep the|keeping the|usual) (?:time|hour)\b(?! as\b)|时间不变|同一时间", re.IGNORECASE
)
_INSTEAD = re.compile(r"\b(?:instead|rather|now (?:on|coming))\b", re.IGNORECASE)
_AT_HOUR = re.compile(r"(?:\bat|@) ?\d{1,2}(?![\d:])", re.IGNORECASE)
"""An hour that may be of the morning or of the evening."""
_VAGUE = re.compile(
    r"\b(?:after(?! tomorrow)|before|around|about|early|earlier|late|later|sooner|lunch\w*|breakfast|dinner|work|school"
    r"|time|hour|first thing|half|quarter|open\w*|eod|clos\w+|when|following|starts?|ends?"
    r"|once|while|during|morning|afternoon|evening|night|tonight|noon|until|till)\b|[早晚午前后点时]",
    re.IGNORECASE,
)
"""By which a user may say something of a time."""


def in_half_of_day(agenda: Agenda, command: str, told: Told) -> str:
    """A new appointment, or a change of one's time, with the hour in the half of the day that is meant; any other
    command as it is."""
    command = _ending_that_day(command, told)
    if NEW_APPOINTMENT.match(command):
        if not is_of_evening(text_of(command), told.request):
            return command
        return _with_hour(command, told, lambda hour, _: hour + 12)
    entry, _ = changed_appointment(agenda, command, told)
    if entry is None or entry.moment is None:
        return command
    start = entry.moment

    def near(hour: int, minute: int) -> int:
        nearest = min(hour, hour + 12, key=lambda one: abs(60 * (one - start.hour) + minute - start.minute))
        far = abs(60 * (nearest - start.hour) + minute - start.minute) > 60 * _NEAR
        return nearest if not far else hour + 12 * (hour < _MORNING)

    return _with_hour(command, told, near)


def _ending_that_day(command: str, told: Told) -> str:
    """A command whose span ends on its own day, where the user's hour of the end may be on either: "7 pm till 9"."""
    said = times_in(told.request, told.now).times

    def moved(span: re.Match[str]) -> str:
        hour, minute = int(span["hour"]), int(span["minute"])
        later = f"{hour + 12}:{minute:02}"
        early = re.compile(rf"(?<!\d){hour}(?::\d\d)? ?(?:a\.?m|(?:\w+ ){{0,2}}morning)|[早凌]", re.IGNORECASE)
        known = {time(hour, minute), time(hour + 12, minute)} <= said and not any(map(early.search, told.request))
        return f"{span['start']}{span['to']}{later}" if known and later > span["start"] else span[0]

    return AT.sub(lambda given: given["mark"] + _OVERNIGHT.sub(moved, given["value"].strip()), command)


def _with_hour(command: str, told: Told, meant: Callable[[int, int], int]) -> str:
    """A command with another hour, given by a function of the one before noon and of its minute; as it is where the
    user's words say which half of the day it is, unless no command can read it."""
    is_told = any(map(_TOLD.search, told.request))
    said = times_in(told.request, told.now).times

    def moved(at: re.Match[str]) -> str:
        hour, minute = int(at["hour"]), int(at["minute"] or 0)
        known = [one for one in (hour % 12, hour % 12 + 12) if time(one, minute) in said]
        if hour >= 24 or not known or (at["minute"] and (is_told or len(known) < 2)):
            return at[0]
        of_day = known[0] if len(known) == 1 else meant(hour % 12, minute)
        if of_day == hour and at["minute"]:
            return at[0]
        end = f"-{(int(at['end']) + of_day - hour) % 24:02}:{at['last']}" if at["end"] else ""
        return f"{at['day']}{of_day:02}:{minute:02}{end}"

    return AT.sub(lambda given: given["mark"] + _HOUR.sub(moved, given["value"].strip()), command)


def keeps_its_time(told: Told) -> bool:
    """Whether the user moves an entry to another day, and says nothing of a time, or that it stays."""
    whole = " ".join(map(fold, told.request))
    said = _SAME_TIME.sub(" ", whole)
    read = read_from(said, told.now)
    moves = said != whole or _INSTEAD.search(said) or "moved" in traits(said)
    return bool(moves and read.dates) and not (
        read.times or read.lengths or _VAGUE.search(said) or _AT_HOUR.search(said)
    )
