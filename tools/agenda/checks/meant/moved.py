"""An appointment that a command marks as done, or moves to what is no time, though the user says where it goes; and a
todo that a command removes, though the user says that it is done."""

from __future__ import annotations

import re
from dataclasses import replace

from ....dates.durations import LONGER
from ....dates.periods import NAMED_PERIOD
from ....dates.told import only_moment, told_moments, told_times
from ....dates.when import read_when
from ....dates.words import fold
from ....likeness import marks, reports, traits
from ....metadata import Told
from ...agenda import Agenda
from ...line import ORDERS, moment_of, option, parted, unquoted, without_option
from ...request import entries_named, kind_of, named_and_rest, named_to_edit
from ..entries import clauses_about, entries_meant, is_at, only_named, shared, spoken_of, times_in
from ..held_back.edited import moved_entry
from ..held_back.removed import MAY_REMOVE
from ..said.news import traits_beside
from ..said.relative import BY_ITS_DAY, WEEKDAY_AFTER
from ..said.words import SHIFTED

_MARKED = re.compile(r"/?\s*schedule\s+(?:done|mark|complete|finish)\s+(?P<named>.+)", re.IGNORECASE)
_REMOVED = re.compile(r"/?\s*todo\s+(?:rm|remove|delete)\s+(?P<named>.+)", re.IGNORECASE)
_TICKED = re.compile(
    rf"/?\s*todo\s+edit\s+(?P<words>(?P<order>{'|'.join(word for word, order in ORDERS.items() if order == 'done')})\b"
    r"(?:\s+off)?\s*(?P<named>(?:(?!\s--).)+))",
    re.IGNORECASE,
)
_TICKS = re.compile(
    r"\btick\b|\b(?:check|mark|cross|strike)\w*\b[^.;]{0,30}\b(?:off|done|through|complete|finished)\b|[划勾]",
    re.IGNORECASE,
)
_DUE_OPTION = re.compile(r"(?<!\S)--due(?!\S)", re.IGNORECASE)
_WHEN = option("at|due|date|day|when|on|to")
_EDITED = re.compile(r"/?\s*schedule\s+edit\s+(?P<named>.+?)\s+--at\s+(?P<when>[^-]+)", re.IGNORECASE)


def as_moved(agenda: Agenda, command: str, told: Told) -> str:
    """The command that moves an appointment to the one other time that the user gives, or by the length, in place of
    one that marks it as done, which no appointment can be, or that gives no time; any other command as it is."""
    marked, edited = _MARKED.fullmatch(command.strip()), _EDITED.fullmatch(command.strip())
    found = marked or (edited if edited and _is_vague(edited["when"], told) else None)
    said = told.request[0]
    if found is None or len(told.request) > 1 or traits(fold(said)) & {"off", "asks"}:
        return command
    entry = only_named(agenda, "schedule", found["named"], told.now)
    if entry is None or not marks(entry.about) & marks(said) or LONGER.search(said):
        return command
    if moved := moved_entry("schedule", entry, told):
        return moved
    times = told_moments([said], told.now)
    own = " ".join(clauses_about(entry, told))
    # "What a night. Off to bed now, morning!" gives the night shift no time.
    of_it = told_times(own, told.now) or only_moment([own], told.now) or "moved" in traits(said)
    if len(times) != 1 or not of_it or "done" in traits(fold(said)) or all(is_at(entry, times_in([said], told.now))):
        return command
    return f"/schedule edit {entry.id} --at {times[0]}"


def as_its_appointment(agenda: Agenda, command: str, told: Told) -> str:
    """The change of the one appointment whose whole text and day the user says, in place of one that gives a todo a
    time and has only a word of theirs: "push thursday's physio back by an hour" is about no "do the physio exercises";
    any other command as it is."""
    name, order, details = parted(command)
    named, rest = named_and_rest(order, details)
    todo = only_named(agenda, "todo", named, told.now) if (name, order) == ("todo", "edit") else None
    if todo is None or not _WHEN.search(rest) or len(told.request) > 1 or "moved" not in traits(told.request[0]):
        return command
    about, said = marks(told.request[0]), times_in(told.request, told.now)
    there = entries_meant(agenda, "schedule", told.now)
    meant = [one for one in there if frozenset() < marks(one.text) <= about and is_at(one, said)[0]]
    if len(meant) != 1 or marks(todo.text) <= about or not marks(todo.text) & about:
        return command
    return moved_entry("schedule", meant[0], told) or f"/schedule edit {meant[0].id} {_DUE_OPTION.sub('--at', rest)}"


def as_told_by_its_day(agenda: Agenda, command: str, told: Told) -> str:
    """The change of an entry to the day after its own, where the user says so, "to the day after, same time", and the
    command has another day or none: no list has such a day, and a small model does not work it out; any other command
    as it is."""
    name, order, details = parted(command)
    kind = kind_of(name)
    said = fold(told.request[0])
    if order != "edit" or len(told.request) > 1 or not (BY_ITS_DAY.search(said) or WEEKDAY_AFTER.search(said)):
        return command
    named, rest = named_to_edit(unquoted(without_option(details, _WHEN)))
    entry = only_named(agenda, kind, named or rest, told.now)
    if entry is None or (named and rest.strip()) or any("off" in traits(one) for one in clauses_about(entry, told)):
        return command
    # A second call would move it once more.
    if any(entry.text in one for one in told.done) or not (shared(entry, told) or spoken_of(entry, told)):
        return command
    moved = moved_entry(kind, entry, told)
    read, meant = moment_of(details, _WHEN, told.now), moment_of(moved, _WHEN, told.now)
    same_day = read and meant and read.has_date and read.moment.date() == meant.moment.date()
    return command if meant is None or same_day else moved


def as_done(agenda: Agenda, command: str, told: Told) -> str:
    """The command that marks a todo as done, in place of one that removes it, where the clauses of the user's that name
    it say only that it is done: a small model takes "the oven's done" for off the list; or in place of `/todo edit tick
    lamp`, where the user speaks of ticking it off and no todo is called so; any other command as it is."""
    if (ticked := _TICKED.fullmatch(command.strip())) and _says_ticked(told):
        fitting = entries_named(unquoted(ticked["words"]), entries_meant(agenda, "todo", told.now))
        # "Check the boiler" may be its name.
        is_name = any(fold(one.text).casefold().startswith(ticked["order"].casefold()) for one in fitting)
        return command if is_name else f"/todo done {ticked['named'].strip()}"
    found, said = _REMOVED.fullmatch(command.strip()), fold(told.request[0])
    if found is None or len(told.request) > 1 or traits(said) & {"off", "asks"}:
        return command
    entry = only_named(agenda, "todo", found["named"], told.now)
    if entry is None:
        return command
    own = clauses_about(entry, told)
    news = [traits_beside(entry.text, replace(told, request=[one])) for one in own]
    told_done = bool(news) and all("done" in one and not one & {"off", "moved", "asks"} for one in news)
    # "Skip's been picked up" is about a skip, and skips nothing.
    words = "|".join(map(re.escape, entry.text.split()))
    things = re.compile(rf"\b(?:{words})['’]s\b|\b(?:the|my|our|that) (?:{words})\b", re.IGNORECASE)
    is_done = told_done and not any(MAY_REMOVE.search(things.sub(" ", one)) for one in own)
    return f"/todo done {entry.id}" if is_done else command


def _says_ticked(told: Told) -> bool:
    """Whether the user says that something is to be ticked off, or reports it done."""
    said = " ".join(map(fold, told.request))
    return bool(_TICKS.search(said)) or "done" in reports(said)


def _is_vague(given: str, told: Told) -> bool:
    """Whether a moment is told by a period, or by where it goes: "this week", "later". Other words may be a place."""
    read = read_when(given.strip(), told.now) is not None or bool(told_times(given, told.now))
    return not read and bool(NAMED_PERIOD.search(fold(given)) or SHIFTED.search(given))
