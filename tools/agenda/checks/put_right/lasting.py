"""When an appointment that is there ends, by the user's words: "it runs till 9 now", "knock ten minutes off the call".

A small model takes the new end for a new start, and what is added to a length for the whole of it.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from ....dates.durations import LONGER, SHORTER, in_hours
from ....dates.found import read_from
from ....dates.told import on_a_clock
from ....dates.when import read_when
from ....dates.words import fold
from ....likeness import marks, traits
from ....metadata import Told
from ...agenda import Agenda
from ...line import AT, FOR, ids_of, option_value, parted, unquoted, without_option
from ...request import fitting_entries, named_to_edit
from ..entries import Entry, entries_meant, shared
from ..said.clauses import CLAUSES
from ..said.pointing import goes_on
from ..said.words import TIME_DOT

_EDIT = re.compile(r"/?\s*schedule\s+(?:edit|change|move|reschedule|update|modify|postpone)\b", re.IGNORECASE)
_ENDS = re.compile(
    r"\b(?:till?|until)\b"
    r"|\b(?:finish|end|over|out|wrap|stop|leav|done|clos|conclud|last)\w*\b(?: \w+){0,4}? (?:at|by|before)\b"
    r"|\b(?:must|has to|have to|needs? to) go\b(?: \w+){0,2}? (?:at|by|before)\b"
    r"|\b(?:ends?|finish(?:es)?) \w+ly\b|\b(?:stretch|extend|shorten)\w*\b(?: \w+){0,4}? to\b"
    r"|(?:上|开|做|玩|聊|待|坐|讲|练|办|持续|延长|缩短|进行|提前)到|到(?=.{1,8}(?:结束|为止|下课|散|完))"
    r"|(?:结束|下课|散会|散场)",
    re.IGNORECASE,
)
"""What stands before the time at which something ends."""
_NOT_SO = re.compile(
    r"\b(?:not|instead of|rather than|usually|normally|was|were|used to|originally|planned)\b|n['’]t\b"
    r"|不是|原来|本来|平时",
    re.IGNORECASE,
)
"""After which the end is told that is none."""
_MOVES = re.compile(
    r"\b(?:mov|push|shift|postpon|delay|reschedul|bring|brought|put)\w*\b|[推挪]|延[后期]|改期", re.IGNORECASE
)
_ENDS_BY = re.compile(r"\b(?:ends?|ending|finish\w*|over|stops?|wraps? up|done|leave)\b|结束|下课|散", re.IGNORECASE)
_SOONER = re.compile(r"\b(?:early|earlier|sooner)\b|[提早]前?", re.IGNORECASE)
_LATER = re.compile(r"\b(?:late|later|longer)\b|[晚延]", re.IGNORECASE)
_IN_ALL = re.compile(
    r"\b(?:shorten|lengthen|cut|reduc|extend|stretch|trim|make|made|bring|brought|tak|last|is|be|down|up)\w*\b"
    r"(?: \S+){0,4}? to (?:just |only )?(?=\d|an? |half|\w+ (?:hour|min))"
    r"|\b(?:takes?|lasts?)(?: only| just)? (?=\d|an? |half|\w+ (?:hour|min))|(?:缩短|延长|减少?|加长|改|变)[到成为]",
    re.IGNORECASE,
)
"""By which a user gives the whole length."""
_MORE = re.compile(
    rf"{LONGER.pattern}|\btack\b.*\bon\b|\b(?:add|more)\b|\btoo short\b|[多加](?=\S{{1,4}}(?:分|小时|钟))",
    re.IGNORECASE,
)
_LESS = re.compile(
    rf"{SHORTER.pattern}|\b(?:knock|take|shave|cut|lop)\b.*\boff\b|\b(?:minutes?|mins?|hours?) off\b|\btoo long\b"
    r"|少(?=\S{1,4}(?:分|小时|钟))",
    re.IGNORECASE,
)
_TWICE = re.compile(r"\b(?:double|twice (?:as long|the length|the time))\b|加倍|翻倍|两倍", re.IGNORECASE)
_HALF = re.compile(r"\b(?:halve|half (?:as long|the length|the time))\b|减半|一半的?时间", re.IGNORECASE)
_NOW = re.compile(r"\bnow\b|现在|today|今天", re.IGNORECASE)
_EVENING, _NIGHT = 17, 6


def as_it_lasts(agenda: Agenda, command: str, told: Told) -> str:
    """A change of an appointment's length or end as the user's words have it; "" for any other command."""
    entry, options = changed_appointment(agenda, command, told)
    at, lasting = option_value(options, AT), option_value(options, FOR)
    if entry is None or (at is None and lasting is None):
        return ""
    start, end = entry.moment, _end_meant(entry, told)
    if start is None or end is None:
        return ""
    # "Till nine, not eight": a small model writes 20:00-21:00, or 20:00 alone.
    denied = {start + entry.lasts} if _NOT_SO.search(fold(told.request[0])) else set[datetime]()
    if at is not None and not _is_about(at, end, {start, end} | denied, told):
        return ""
    rest = without_option(without_option(options, AT), FOR).strip()
    lasts = f"--at {start:%Y-%m-%d %H:%M}-{end:%H:%M}"
    if end.date() != start.date():
        lasts = f"--for {in_hours(end - start)}"
    return " ".join(filter(None, ["/schedule edit", str(entry.id), rest, lasts]))


def changed_appointment(agenda: Agenda, command: str, told: Told) -> tuple[Entry | None, str]:
    """The one appointment that a command changes, and the command's options; None and "" for any other command."""
    if not _EDIT.match(command):
        return None, ""
    named, options = named_to_edit(unquoted(parted(command)[2]))
    pool = entries_meant(agenda, "schedule", told.now)
    found = [one for one in pool if ids_of(named) == [one.id]] or fitting_entries(named, pool)
    return (found[0], options) if len(found) == 1 else (None, "")


def _is_about(at: str, end: datetime, moments: set[datetime], told: Told) -> bool:
    """Whether a time that a command gives is one of these, or has the end that is meant."""
    when = read_when(at.strip(), told.now)
    if when is None:
        return False
    same = when.end is not None and on_a_clock(when.end) == on_a_clock(end)
    same = same or not when.has_time or on_a_clock(when.moment) in map(on_a_clock, moments)
    return same and (not when.has_date or when.moment.date() in (end.date(), told.now.date()))


def _end_meant(entry: Entry, told: Told) -> datetime | None:
    """The one end that the user gives an appointment: by a time of day, or by how long it takes."""
    start = entry.moment
    said = TIME_DOT.sub(":", fold(told.request[0]))
    if start is None or not (shared(entry, told) or goes_on(told)) or "asks" in traits(said):
        return None
    clauses = CLAUSES.split(said)
    # "I'm at work till six" is no end of the yoga.
    own = [one for one in clauses if marks(one) & marks(entry.about)] or clauses
    ends = {end for one in own if (end := _told_end(one, entry, start, told))}
    if ends:
        return ends.pop() if len(ends) == 1 else None
    lengths = {length for one in own if (length := _told_length(one, entry, told))}
    return start + lengths.pop() if len(lengths) == 1 else None


def _told_end(clause: str, entry: Entry, start: datetime, told: Told) -> datetime | None:
    found = _ENDS.search(clause)
    if _MOVES.search(clause):
        return None
    lengths = read_from(clause, told.now).lengths
    by, sooner, later = _ENDS_BY.search(clause), _SOONER.search(clause), _LATER.search(clause)
    # "Guests leave" is the name of an entry, and of no end.
    if len(lengths) == 1 and by and by[0] not in fold(entry.text).casefold() and (sooner or later):
        [length] = lengths
        return start + entry.lasts + (-length if sooner else length)
    if found is None or _NOT_SO.search(clause[: found.start()]):
        return None
    begun = read_from(_NOW.sub(" ", clause[: found.start()]), told.now).times
    if begun and start.time() not in begun:
        # "It is eight till nine now" gives another start, too.
        return None
    after = _NOT_SO.split(clause[found.end() :], maxsplit=1)[0]
    # 五点就结束 has its time before the word.
    stated = read_from(after if after.strip() else clause, told.now).times
    days = [datetime.combine(start, one) for one in stated if one > start.time()]
    if start.hour >= _EVENING:
        days += [datetime.combine(start, one) + timedelta(days=1) for one in stated if one.hour < _NIGHT]
    return min(days, default=None)


def _told_length(clause: str, entry: Entry, told: Told) -> timedelta | None:
    lengths = read_from(clause, told.now).lengths
    if _TWICE.search(clause):
        return 2 * entry.lasts
    if _HALF.search(clause):
        return entry.lasts / 2
    if len(lengths) == 2 and entry.lasts in lengths:
        # "From three hours to two".
        return next(iter(lengths - {entry.lasts}))
    if len(lengths) != 1 or _MOVES.search(clause):
        return None
    [length] = lengths
    if _IN_ALL.search(clause):
        return length
    lasts = None
    if _LESS.search(clause):
        lasts = entry.lasts - length
    elif _MORE.search(clause):
        lasts = entry.lasts + length
    return lasts if lasts and lasts > timedelta() else None
