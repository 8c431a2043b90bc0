"""The schedule: what `/schedule` does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, cast

from ..._internal.texts import Language
from ..dates.durations import USUAL_LENGTH, from_today, is_duration, leading_duration, parse_duration
from ..dates.periods import parse_period
from ..dates.when import When, is_when, leading_when, on_its_day, parse_when, split_when
from ..dates.words import fold
from .appointments import Appointment, appointment_entry, appointment_line, appointment_list, read_appointments
from .items import read_todos, todo_list
from .line import checked_text, is_nothing, options_of, unquoted
from .request import Order, Request, chosen, chosen_to_edit, holds

_UPCOMING = frozenset({"", "upcoming", "next"})
_ALL = frozenset({"all", "全部"})
_FOR = re.compile(r"\s(?:for|时长|历时)\s*", re.IGNORECASE)


class Read(NamedTuple):
    """The text after `add`, in its parts; None for what was not given."""

    words: str
    when: When | None
    length: timedelta | None
    place: str | None


_LASTING = re.compile(r"(?<!\S)--(?:for|duration)\s+\S+(?:\s+(?:h|hours?|min|minutes?)\b)?")
"""The option that says how long an appointment takes."""


def appointment_at(words: str, at: str, details: str, place: str | None) -> str:
    """The command for a new appointment at a time, which takes as long as the details of another command say."""
    lasting = _LASTING.findall(fold(details))[:1]
    return " ".join([f"/schedule add {words} --at {at}", *lasting, *([f"--place {place}"] if place else [])])


def read_add(rest: str, now: datetime, language: Language) -> Read:
    """Take the text after `add` apart.

    Raises:
        CommandError: an option, a date or a length cannot be read.
    """
    lengths = {"at": leading_when, "for": leading_duration, "place": None}
    parts = options_of(rest, lengths, language, text_may_follow=True)
    words, when, length = parts.text, None, None
    if (at := parts.option("at")) is not None:
        when = parse_when(at, now, language)
    if (lasting := parts.option("for")) is not None:
        length = parse_duration(lasting, language)
    else:
        words, length = _split_duration(words, language)
    if when is None:
        words, when = split_when(words, now, language)
    if length is None:
        words, length = _split_duration(words, language)
    return Read(words, when, length, parts.option("place"))


def _add(request: Request, rest: str) -> str:
    words, when, length, named = read_add(rest, request.now, request.language)
    words = checked_text(words, request.language)
    if when is None or not when.has_time:
        if when is None:
            raise request.refuse("schedule.no_when")
        raise request.refuse("schedule.no_time", todo=f"/todo add {words} --due {when.moment:%Y-%m-%d}")
    end = when.moment + (length or _own_length(when) or USUAL_LENGTH)
    place = _place(request, named)
    added = request.db.execute(
        "INSERT INTO appointments (text, starts, ends, place) VALUES (?, ?, ?, ?)",
        (words, _stored(when.moment), _stored(end), place),
    )
    return _answer(request, "schedule.added", Appointment(cast(int, added.lastrowid), words, when.moment, end, place))


def _edit(request: Request, rest: str) -> str:
    coming = read_appointments(request.db, start=request.now)
    appointments, rest = chosen_to_edit(request, "schedule", rest, read_appointments(request.db), coming or None)
    changed = [new for old in appointments if (new := _changed(request, old, rest)) != old]
    if not changed:
        raise request.refuse("agenda.same", entry=_entries(request, appointments))
    return "\n".join(_answer(request, "schedule.changed", new) for new in changed)


def _changed(request: Request, old: Appointment, rest: str) -> Appointment:
    parts = options_of(rest, dict.fromkeys(("at", "for", "place")), request.language)
    words, at = parts.text, parts.option("at")
    if at is None and is_when(words):
        words, at = "", words
    if not words and not parts.options and at is None:
        raise request.refuse("agenda.no_change")
    start, length = old.start, old.end - old.start
    if at is not None:
        when = on_its_day(parse_when(at, request.now, request.language), old.start)
        start = when.moment if when.has_time else datetime.combine(when.moment.date(), old.start.time())
        length = _own_length(when) or length
    if (lasting := parts.option("for")) is not None:
        length = parse_duration(lasting, request.language)
    named = parts.option("place")
    place = old.place if named is None else _place(request, named)
    new = Appointment(old.id, checked_text(words or old.text, request.language), start, start + length, place)
    if new == old:
        return old
    minutes = (old.end - old.start) // timedelta(minutes=1)
    back = f"{old.text} --at {old.start:%Y-%m-%d %H:%M} --for {minutes}m --place {old.place or 'none'}"
    request.remember("schedule", old.id, appointment_entry(request, old), f"/schedule edit {old.id} {back}")
    request.db.execute(
        "UPDATE appointments SET text = ?, starts = ?, ends = ?, place = ? WHERE id = ?",
        (new.text, _stored(new.start), _stored(new.end), new.place, new.id),
    )
    return new


def _entries(request: Request, appointments: Sequence[Appointment]) -> str:
    return "; ".join(appointment_entry(request, entry) for entry in appointments)


def _remove(request: Request, rest: str) -> str:
    gone = chosen(request, "schedule", rest, read_appointments(request.db))
    request.db.executemany("DELETE FROM appointments WHERE id = ?", [(appointment.id,) for appointment in gone])
    return request.say("schedule.removed", entries=_entries(request, gone))


def _list(request: Request, rest: str) -> str:
    words = options_of(rest, {}, request.language).text
    folded = fold(words).casefold()
    if folded in _ALL:
        return appointment_list(request, read_appointments(request.db), "all")
    if folded in _UPCOMING:
        return appointment_list(request, read_appointments(request.db, start=request.now), "upcoming")
    period = parse_period(words, request.now, request.language)
    return appointment_list(request, read_appointments(request.db, *period), "period")


def _show(request: Request, rest: str) -> str:
    words = unquoted(rest)
    if fold(words).casefold() in _UPCOMING | _ALL or is_when(words):
        return _list(request, words)
    entries = chosen(request, "schedule", words, read_appointments(request.db))
    return "\n".join(_details(request, entry) for entry in entries)


def _details(request: Request, entry: Appointment) -> str:
    when = from_today(entry.start, request.now, request.language)
    return f"{appointment_line(request, entry)}\n{request.say('schedule.is_in', when=when)}"


def _next(request: Request, rest: str) -> str:
    coming = [entry for entry in read_appointments(request.db, start=request.now) if entry.start >= request.now]
    if not coming:
        return request.say("schedule.none.upcoming")
    return request.say("schedule.next", entry=_details(request, coming[0]))


def _find(request: Request, rest: str) -> str:
    words = unquoted(rest)
    if not words:
        raise request.refuse("agenda.find_what")
    found = [entry for entry in read_appointments(request.db) if holds(words, entry.text, entry.place)]
    if found:
        return appointment_list(request, found, "found")
    # A small model would answer from this, and look no further.
    others = [todo for todo in read_todos(request.db) if holds(words, todo.text)]
    elsewhere = todo_list(request, others, "found") if others else _list(request, "")
    return f"{request.say('schedule.not_found', words=words[:100])}\n{elsewhere}"


def _help(request: Request, rest: str) -> str:
    return request.say("schedule.help")


def _answer(request: Request, key: str, kept: Appointment) -> str:
    lines = [request.say(key, entry=appointment_entry(request, kept))]
    others = [entry for entry in read_appointments(request.db, kept.start, kept.end) if entry.id != kept.id]
    if others:
        lines.append(request.say("schedule.overlaps", entries=_entries(request, others)))
    if kept.start < request.now:
        lines.append(request.say("schedule.past"))
    return "\n".join(lines)


def _split_duration(words: str, language: Language) -> tuple[str, timedelta | None]:
    """Find `for 2 hours` at the very end of a text."""
    for mark in _FOR.finditer(fold(words)):
        lasting = words[mark.end() :]
        if is_duration(lasting):
            return words[: mark.start()], parse_duration(lasting, language)
    return words, None


def _own_length(when: When) -> timedelta | None:
    """How long a span such as `10:00-11:30` lasts; None without one."""
    return when.end - when.moment if when.end else None


def _place(request: Request, place: str | None) -> str:
    if place is None or is_nothing(place):
        return ""
    return checked_text(place, request.language)


def _stored(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")


SCHEDULE_ORDERS = {
    "add": Order(_add, changes=True),
    "list": Order(_list),
    "rm": Order(_remove, changes=True),
    "edit": Order(_edit, changes=True),
    "show": Order(_show),
    "next": Order(_next),
    "find": Order(_find),
    "help": Order(_help),
}
"""The orders of `/schedule`, by their main word."""
