"""The entries that a request speaks of, by its words or because they were spoken of just before."""

from __future__ import annotations

import re

from ...calls.required import Told
from ...dates.words import fold
from ...likeness import marks
from ..agenda import Agenda
from ..request import Kind
from ..texts import text
from .which import Entry, entries_meant, is_at, line_of, times_in

_MOST = 4
_ENGLISH = ("first|1st|top", "second|2nd", "third|3rd", "fourth|4th", "fifth|5th", "last|bottom")
_CHINESE = ("第一", "第二", "第三", "第四", "第五", "最后一?")
_PLACE = re.compile(
    r"\b(?:the|my) (?:"
    + "|".join(f"({names})" for names in _ENGLISH)
    + r")(?: (?:one|item|entry|todo|task|appointment|point)\b| on (?:my|the)\b|\W*$)|(?:"
    + "|".join(f"({name})" for name in _CHINESE)
    + ")[个件条项]",
    re.IGNORECASE,
)


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
    counted = [listed[place] for place in _counted(told) if -len(listed) <= place < len(listed)]

    def likeness(entry: Entry) -> int:
        by_time = 2 * all(is_at(entry, said)) + 2 * (entry in counted)
        return len(marks(entry.about) & words) + by_time + (fold(entry.text).casefold() in before)

    current = [(entry, f"{kind}.known") for entry in listed]
    done = [(entry, "todo.known_done") for entry in entries_meant(agenda, kind, told.now, "undo")]
    entries = current if kind == "schedule" else current + done
    alike = sorted((pair for pair in entries if likeness(pair[0])), key=lambda pair: (-likeness(pair[0]), pair[0].id))
    shown = sorted(alike[:_MOST], key=lambda pair: pair[0].id)
    return "\n".join(text(agenda.language, key, entry=line_of(agenda, entry)) for entry, key in shown)


def _counted(told: Told) -> list[int]:
    """The places on a list that the request names, from 0: 1 for "the second one", -1 for "the last one"."""
    places = [((match.lastindex or 1) - 1) % len(_ENGLISH) for match in _PLACE.finditer(fold(told.request[0]))]
    return [-1 if place == len(_ENGLISH) - 1 else place for place in places]
