"""An appointment that a command marks as done, though the user only says that it is at another time now."""

from __future__ import annotations

import re

from ...dates.told import told_times
from ...dates.words import fold
from ...likeness import traits
from ...metadata import Told
from ..agenda import Agenda
from ..line import ids_of, unquoted
from ..request import entries_named
from .entries import entries_meant, is_at, times_in

_MARKED = re.compile(r"/?\s*schedule\s+(?:done|mark|complete|finish)\s+(?P<named>.+)", re.IGNORECASE)


def as_moved(agenda: Agenda, command: str, told: Told) -> str:
    """The command that moves an appointment to the one other time that the user gives, in place of one that marks it as
    done, which no appointment can be; any other command as it is.

    Args:
        agenda: with the appointments.
        command: as the model wrote it.
        told: what is known.
    """
    found, said = _MARKED.fullmatch(command.strip()), told.request[0]
    if found is None or len(told.request) > 1 or traits(fold(said)) & {"off", "done", "asks"}:
        return command
    pool = entries_meant(agenda, "schedule", told.now)
    ids = ids_of(found["named"])
    entries = [one for one in pool if one.id in ids] if ids else entries_named(unquoted(found["named"]), pool)
    times = [one for one in told_times(said, told.now) if one[-1] not in "hm"]
    if len(entries) != 1 or len(times) != 1 or all(is_at(entries[0], times_in([said], told.now))):
        return command
    return f"/schedule edit {entries[0].id} --at {times[0]}"
