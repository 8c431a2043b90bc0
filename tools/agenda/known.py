"""The entries that a request speaks of, by its words or because they were spoken of just before."""

from __future__ import annotations

import re

from ..dates.durations import USUAL_LENGTH
from ..dates.words import fold
from ..likeness import marks
from ..metadata import Told
from .agenda import Agenda
from .checks.entries import Entry, entries_meant, is_at, line_of, times_in
from .checks.which import counted_in
from .request import Kind
from .texts import text

_MOST = 4
_OF_A_DAY = re.compile(
    r"\b(?:am|can|could|did|do|have|had|must|should|will) i\b"
    r"|\b(?:what(?:['’]s| is| have| do)|anything|is there|free|busy)\b|什么|有没有|有空|安排了",
    re.IGNORECASE,
)
"""A question about what there is on a day."""


def known_entries(agenda: Agenda, kind: Kind, told: Told) -> str:
    """The entries that the user may mean, a line each, at most four; "" for none.

    Args:
        agenda: with the entries.
        kind: todos, or appointments.
        told: the request, and what was said before it.
    """
    words = frozenset[str]().union(*map(marks, told.request))
    said, before = times_in(told.request, told.now), fold(told.before).casefold()

    listed = entries_meant(agenda, kind, told.now, "done")
    counted = counted_in(told.request[0], listed)
    # "Can I sleep in on sunday?" is about whatever there is on that day.
    asks_of_day = bool(_OF_A_DAY.search(fold(told.request[0]))) and not said.times

    def likeness(entry: Entry) -> int:
        on_day, at_time = is_at(entry, said)
        by_time = 2 * (on_day and (at_time or asks_of_day)) + 2 * (entry in counted)
        return len(marks(entry.about) & words) + by_time + (fold(entry.text).casefold() in before)

    current = [(entry, f"{kind}.known") for entry in listed]
    done = [(entry, "todo.known_done") for entry in entries_meant(agenda, kind, told.now, "undo")]
    entries = current if kind == "schedule" else current + done
    alike = sorted((pair for pair in entries if likeness(pair[0])), key=lambda pair: (-likeness(pair[0]), pair[0].id))
    shown = sorted(alike[:_MOST], key=lambda pair: pair[0].id)
    return "\n".join(text(agenda.language, key, entry=f"{line_of(agenda, entry)}{_end(entry)}") for entry, key in shown)


def _end(entry: Entry) -> str:
    """When an appointment is over that does not take the usual hour."""
    if entry.moment is None or entry.lasts == USUAL_LENGTH:
        return ""
    end = entry.moment + entry.lasts
    return f"-{end:%H:%M}" if end.date() == entry.moment.date() else f" until {end:%Y-%m-%d %H:%M}"
