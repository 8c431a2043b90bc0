"""The moment in an option for a time, by the user's words: the half of the day in which its hour is, and the day or the
hour that they name.

"Move the dinner to 8" is 20:00 of one at 19:00, "the gym to 8" is 8:00 of one at 7:00, and a new dinner at 8 is in the
evening. A small model writes 8:00, or the number alone, which no command can read. `keeps_its_time` tells where the
user says no hour at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, time

from ....dates.durations import HALF_DAY
from ....dates.found import Times, claims_in, days_of_month, follows_another, read_from
from ....dates.spellings import spelled_out
from ....dates.told import (
    DATE_LENGTH,
    dated_moments,
    is_afternoon,
    is_of_evening,
    on_a_clock,
    only_moment,
    spelled_by_day,
    told_days,
    told_lengths,
    told_moments,
)
from ....dates.when import When, leading_when, parse_when, read_when
from ....dates.words import WEEKDAY, fold
from ....likeness import marks, traits
from ....metadata import Told
from ...agenda import Agenda
from ...line import AT, NEW_APPOINTMENT, is_nothing
from ...request import text_of
from ..entries import times_in
from ..said.words import NOW, SHIFTED, TIME_WORDS, says
from .lasting import changed_appointment
from .spans import span_told

_CLOCK = re.compile(
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
_AT_A_NUMBER = re.compile(r"(?:\bat|@) ?\d{1,2}(?![\d:])", re.IGNORECASE)
"""An hour that may be of the morning or of the evening."""
_VAGUE = re.compile(
    r"\b(?:after(?! tomorrow)|before|around|about|early|earlier|late|later|sooner|lunch\w*|breakfast|dinner|work|school"
    r"|time|hour|first thing|half|quarter|open\w*|eod|clos\w+|when|following|starts?|ends?"
    r"|once|while|during|morning|afternoon|evening|night|tonight|noon|until|till)\b|[早晚午前后点时]",
    re.IGNORECASE,
)
"""By which a user may say something of a time."""
_AT_HOUR = re.compile(r"(?:\b(?:at|from)|@) ?\d{1,2}(?![\d:]|[.,]\d| (?-i:[A-Z]))", re.IGNORECASE)
_BESIDE_A_TIME = re.compile(
    r"\b(?:after\w*|before\w*|ahead|early|earlier|later|following|when|while|lunch\w*|breakfast|quarter|close\w*|opens?|ends?"
    r"|over|so|until|till)\b|[前后]",
    re.IGNORECASE,
)
"""By which a time may be told by another one, or be that of something else."""
_HOUR = re.compile(r"(?<![\d:.-])(\d{1,2}):([0-5]\d)(?![\d:])(?!\s*[ap]\.?m)", re.IGNORECASE)
_ITS_DAY = re.compile(
    r"^\s*(?:(?:on )?(?:the|that) (?:very )?(?:same )?day|same day|当天|那天|同一?天)[,，]?"
    r"\s*(?:at\b\s*)?(?=\S)(?!after|before|以?[前后])",
    re.IGNORECASE,
)
_SAY_NO_DAY = TIME_WORDS | marks("start starts starting begin beginning sharp earliest same")
_BY_THEN = re.compile(
    r"^\s*(?:before|until|till|no later than|latest)\s+(?!\w+ing\b)"
    r"|(?<=[\u4e00-\u9fff\d])(?:之前|以前|前|以内)(?=\s*$)",
    re.IGNORECASE,
)
"""What says of a date that it is the latest."""
_BESIDE_ANOTHER = re.compile(
    r"\b(?:after(?! tomorrow)|before|between|during|until|till|by|since)\b(?! all\b)|[之以][前后]", re.IGNORECASE
)
"""By which a user tells a time by another one: "after my call at 11"."""
_BARE_HOUR = re.compile(r"(\d{4}-\d\d-\d\d) (\d{1,2})\s*$")
_NO_LONGER = re.compile(
    rf"\b(?:rather than|instead of)(?: on)?(?: (?:next|this|the))? (?:{WEEKDAY}|\d\S*)|而不是\S?(?:周|星期)\S", re.I
)


def as_dated(when: str, option: str, told: Told, new: bool) -> str:
    """The value of an option for a time, as the user's words have it."""
    when = _by_day(when, told, new)
    # "It is now at eight" moves nothing to today.
    heard = told.request if new else [_NO_LONGER.sub(" ", NOW.sub(" ", one)) for one in told.request]
    moments, read = dated_moments(heard, told.now), read_when(when.strip(), told.now)
    if read is None:
        return _readable(when, moments, told, new)
    if instead := span_told(read, told) or _planned(read, told):
        return instead
    known = times_in([*told.request, told.before, *told.elsewhere], told.now)
    invented = read.has_time and read.moment.time() not in known.times
    if invented and not new and read.has_date and keeps_its_time(told):
        return str(read.moment.date())
    if any(map(follows_another, told.request)):
        return when
    if instead := _given(read, option, moments, told, new=new, invented=invented):
        return instead
    return _on_the_day(when, read, option, told_days(heard, told.now), known, told, new)


def _by_day(when: str, told: Told, new: bool) -> str:
    """A time with its hours in the half of the day that is meant, and without words that say nothing of it."""
    said = [*told.request, told.before]
    known = times_in(said, told.now).times

    def by_day(found: re.Match[str]) -> str:
        hour, minute = int(found[1]), int(found[2])
        if hour >= 12 or time(hour + 12, minute) not in known:
            return found[0]
        stays = time(hour, minute) in known and not is_afternoon(hour, said)
        return found[0] if stays else f"{hour + 12}:{found[2]}"

    when = _BY_THEN.sub("", when)
    # An entry that is changed keeps its day.
    when = spelled_by_day(when if new else re.sub(r"(?i) ?o['’]?clock\b", ":00", _ITS_DAY.sub("", when)), told.now)
    when = _HOUR.sub(by_day, when)
    return _BARE_HOUR.sub(lambda at: f"{at[1]} {int(at[2]) + 12 * is_afternoon(int(at[2]), said)}:00", when)


def _readable(when: str, moments: Sequence[str], told: Told, new: bool) -> str:
    """The moment that is meant by a time which cannot be read: its hour may be one, on the day that the user gives."""
    instead = _told_instead(when, moments, told) if new and not is_nothing(when) else when
    items = told_moments([when], told.now)
    # "The 0700 start" can only be that.
    rest = marks(claims_in(spelled_out(when, told.now), told.now)[1])
    if instead == when and len(items) == 1 and not rest - _SAY_NO_DAY:
        return items[0]
    hour, days = _HOUR.search(when), set(told_days(told.request, told.now))
    return instead if new or not hour or len(days) != 1 else f"{days.pop()} {hour[0]}"


def _planned(read: When, told: Told) -> str:
    """The moment of the step, which the user gave, in place of one that they did not give: a small model plans what was
    said, and calls for something else. "" for none."""
    planned = [item for item in told_moments([told.step], told.now) if len(item) > DATE_LENGTH]
    # "An hour before 16:00" is another time.
    lengths = any(read_from(one, told.now).lengths for one in (*told.request, told.step))
    given = times_in(told.request, told.now)
    # "It's Friday" moves an entry whose line the step has.
    is_day = read.has_date and not read.has_time and read.moment.date() in given.dates | given.implied
    of_step = len(planned) == 1 and not (lengths or is_day or _is_known(read, told))
    return planned[0] if of_step and _is_known(parse_when(planned[0], told.now), told) else ""


def _given(read: When, option: str, moments: Sequence[str], told: Told, *, new: bool, invented: bool) -> str:
    """The one moment or hour that the user gives, in place of one that they did not give; "" for none."""
    by_a_length = any(read_from(one, told.now).lengths for one in told.request)
    shifted = by_a_length and says(told, SHIFTED)
    # An answer may be the time alone.
    hours = len(told.request) > 1 or _AT_HOUR.search(fold(told.request[0]))
    replaced = new and invented and option == "at" and hours and not (shifted or says(told, _BESIDE_A_TIME))
    if replaced and len(given := only_moment(told.request, told.now)) > DATE_LENGTH:
        return _in_its_half(given, read, told)
    of_before = not new and read.has_time and read.moment.time() in times_in([told.before], told.now).times
    elsewhere = (invented and not moments) or of_before
    if elsewhere and not by_a_length and (clock := _only_clock(told, read)):
        return f"{read.moment:%Y-%m-%d} {clock}" if read.has_date else clock
    one = len(moments) == 1 and len(moments[0]) > DATE_LENGTH
    return _in_its_half(moments[0], read, told) if one and not shifted and not _is_known(read, told) else ""


def _in_its_half(moment: str, read: When, told: Told) -> str:
    """The moment that the user gives, in the half of the day of a command's hour, if they leave it open: "half seven"
    is 19:30 in place of 19:00."""
    meant = datetime.fromisoformat(moment)
    later = meant + HALF_DAY
    is_open = later.time() in times_in(told.request, told.now).times and not any(map(_TOLD.search, told.request))
    near = read.moment.hour == later.hour and read.moment != later
    return f"{later:%Y-%m-%d %H:%M}" if is_open and near and meant.hour < later.hour else moment


def _on_the_day(when: str, read: When, option: str, days: Sequence[str], known: Times, told: Told, new: bool) -> str:
    """A time on the one day that the user names, where it has no day, or one that nobody gave."""
    if len(same := [day for day in days if date.fromisoformat(day).weekday() == read.moment.weekday()]) == 1:
        # Of "on nights till Sunday, the talk is Thursday week" the Thursday counts.
        days = same if read.has_date else days
    if len(days) != 1:
        return when
    if not read.has_date:
        return f"{days[0]} {when.strip()}" if read.has_time else when
    if any(read_from(one, told.now).lengths for one in told.request):
        return when
    at = f" {read.moment:%H:%M}" if read.has_time and (known.times or option == "at") else ""
    by_number = any(map(days_of_month, told.request)) and str(read.moment.date()) not in days
    # Of an entry that is moved, the user may have named the day where it is.
    if new and (by_number or read.moment.date() not in known.dates | known.implied):
        return f"{days[0]}{at}"
    # A todo may do without a time of day, and nobody spoke of one.
    return f"{read.moment:%Y-%m-%d}{at}" if read.has_time and not at else when


def _only_clock(told: Told, read: When) -> str:
    """The one time of day that the user gives, where an entry gets another one, which nobody gave, or which was spoken
    of before; else ""."""
    if says(told, _BESIDE_ANOTHER):
        return ""
    given = {item[-5:] for item in told_moments(told.request, told.now) if ":" in item}
    # "From 2 to 4" gives two.
    clock = given.pop() if len(given) == 1 and not told_lengths(told.request, told.now) else ""
    same = clock and on_a_clock(time.fromisoformat(clock)) == on_a_clock(read.moment)
    return "" if same else clock


def _told_instead(when: str, moments: Sequence[str], told: Told) -> str:
    """The one moment that the user gave, in place of one that cannot be read; text that follows a time stays."""
    end = leading_when(when)
    rest = when[end:]
    if end and marks(claims_in(rest, told.now)[1]) - TIME_WORDS:
        return when
    return moments[0] if len(moments) == 1 else when


def _is_known(read: When, told: Told) -> bool:
    """Whether the user, or what was said or read before, gave the day and the time of a moment."""
    known = times_in([*told.request, told.before, *told.elsewhere], told.now)
    day, at = read.moment.date(), read.moment.time()
    given = not read.has_date or day in known.dates or day in known.implied
    return given and read.has_time and (at in known.times)


def in_half_of_day(agenda: Agenda, command: str, told: Told) -> str:
    """A new appointment, or a change of one's time, with the hour in the half of the day that is meant; any other
    command as it is."""
    command = _ending_that_day(command, told)
    if NEW_APPOINTMENT.match(command):
        of_evening = is_of_evening(text_of(command), told.request)
        return _with_hour(command, told, lambda hour, _: hour + 12) if of_evening else command
    entry, _ = changed_appointment(agenda, command, told)
    if entry is None or not (start := entry.moment):
        return command

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

    return AT.sub(lambda given: given["mark"] + _CLOCK.sub(moved, given["value"].strip()), command)


def keeps_its_time(told: Told) -> bool:
    """Whether the user gives a day for what is not over, and says nothing of a time, or that it stays."""
    said = _SAME_TIME.sub(" ", " ".join(map(fold, told.request)))
    read = read_from(said, told.now)
    is_over = traits(said) & {"off", "done", "asks"}
    return bool(read.dates) and not (
        is_over or read.times or read.lengths or _VAGUE.search(said) or _AT_A_NUMBER.search(said)
    )
