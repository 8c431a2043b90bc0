"""The entries of the schedule: their type, how to read them from the file, and how to show them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from ..dates.durations import USUAL_LENGTH, in_hours
from ..dates.when import tell
from .request import Request


@dataclass(frozen=True, slots=True)
class Appointment:
    """An entry of the schedule.

    Attributes:
        id: never reused, not even after the appointment is removed.
        text: one line of 1 to 500 characters.
        start: local, without a zone, to the minute.
        end: after `start`.
        place: "" for none.
    """

    id: int
    text: str
    start: datetime
    end: datetime
    place: str = ""


def read_appointments(
    db: sqlite3.Connection, start: datetime | None = None, end: datetime | None = None
) -> list[Appointment]:
    """The appointments that overlap the time between two moments, earliest first."""
    rows = db.execute(
        "SELECT id, text, starts, ends, place FROM appointments "
        "WHERE ends > ? AND starts < ? ORDER BY starts, ends, id",
        (start.isoformat(timespec="seconds") if start else "", end.isoformat(timespec="seconds") if end else "~"),
    )
    return [
        Appointment(number, words, datetime.fromisoformat(starts), datetime.fromisoformat(ends), place)
        for number, words, starts, ends, place in rows
    ]


def appointment_list(request: Request, appointments: Sequence[Appointment], heading: str) -> str:
    """Appointments under a heading (`all`, `upcoming`, `period` or `found`), or a text that says there are none."""
    if not appointments:
        return request.say(f"schedule.none.{heading}")
    lines = [appointment_line(request, appointment) for appointment in appointments]
    return "\n".join([request.say(f"schedule.list.{heading}", count=len(lines)), *lines])


def appointment_line(request: Request, appointment: Appointment) -> str:
    """An appointment as lists show it: with how long it takes, unless that is an hour. Models read it, and a small one
    cannot tell 90 minutes from 12:00-13:30."""
    line, length = appointment_entry(request, appointment), appointment.end - appointment.start
    return line if length == USUAL_LENGTH else f"{line} ({in_hours(length)})"


def appointment_entry(request: Request, appointment: Appointment) -> str:
    """An appointment on one line: id, text, start, end and place."""
    start, end = appointment.start, appointment.end
    until = f"-{end:%H:%M}" if end.date() == start.date() else f" - {tell(end, request.language)}"
    span = tell(start, request.language) + until
    key = "schedule.entry_at" if appointment.place else "schedule.entry"
    return request.say(key, id=appointment.id, text=appointment.text, span=span, place=appointment.place)
