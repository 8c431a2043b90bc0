"""The entries that a request speaks of, by its words or because they were spoken of just before."""

from __future__ import annotations

import re
from dataclasses import replace

from ...dates.durations import USUAL_LENGTH
from ...dates.found import claims_in
from ...dates.periods import NAMED_PERIOD
from ...dates.words import fold
from ...likeness import is_chinese, marks, traits
from ...metadata import Told
from ..agenda import Agenda
from ..request import Kind
from ..texts import text
from .entries import (
    GENERAL,
    Entry,
    all_meant,
    counted_in,
    entries_meant,
    is_at,
    is_on_another_day,
    line_of,
    named_by_chance,
    times_in,
    words_heard,
)
from .meant.bulk import means_all
from .meant.followed import followed
from .meant.undone import formerly
from .said.pointing import WISHES, goes_on, wants_something_new

_MOST = 4
_MOST_OF_ALL = 20
_OF_A_DAY = re.compile(
    r"\b(?:am|can|could|did|do|have|had|must|should|will) i\b"
    r"|\b(?:what(?:['’]s| is| have| do)|anything|is there|free|busy)\b|什么|有没有|有空|安排了",
    re.IGNORECASE,
)
"""A question about what there is on a day."""
_LEADS_ON = re.compile(
    r"^\W*(?:at|on|in|by|from|with|for|to|until|till|better|but|or)\b"
    r"|\b(?:did you|you(?:['’]ve)? (?:just|put|note|noted|booked|said|wrote|added))\b|你刚?记|[那这][家位种]",
    re.IGNORECASE,
)
"""What only says more of what was said before, or asks about it."""
_OF_AN_ENTRY = marks(
    "time date day hour start starts end ends place location venue room address title name text length duration"
    " deadline due tag priority urgent priorities note rest left"
) | {"时间", "地点", "日期", "优先"}
"""What every entry has: "change the place to the town hall" is about one that was spoken of."""
_FIRST = re.compile(r"[,.;!?](?=\s)|[，。；！？]")
_FEWEST_WORDS, _FEWEST_CHARACTERS = 4, 6


def known_entries(agenda: Agenda, kind: Kind, told: Told) -> str:
    """The entries that the user may mean, a line each, at most four, or twenty of a request for everything; "" for
    none."""
    words = words_heard(told)
    said, before = times_in(told.request, told.now), fold(told.before).casefold()

    listed = entries_meant(agenda, kind, told.now, "done")
    counted = counted_in(told.request[0], listed)
    # "Can I sleep in on sunday?" is about whatever there is on that day.
    of_a_day = not said.times and any(one.search(fold(told.request[0])) for one in (_OF_A_DAY, GENERAL))
    every = all_meant(agenda, told.now)
    beside = {entry.about for entry in named_by_chance(every, told)}

    def likeness(entry: Entry) -> int:
        on_day, at_time = is_at(entry, said)
        by_time = 2 * (on_day and (at_time or of_a_day)) + 2 * (entry in counted)
        by_words = len(marks(entry.about) & words) - (entry.about in beside)
        by_words = 0 if entry.about in beside and is_on_another_day(entry, told) else by_words
        return by_words + by_time + (fold(entry.text).casefold() in before)

    current = [(entry, f"{kind}.known") for entry in listed]
    done = [(entry, "todo.known_done") for entry in entries_meant(agenda, kind, told.now, "undo")]
    entries = current if kind == "schedule" else current + done
    alike = [pair for pair in entries if likeness(pair[0])]
    if not alike and kind == "todo" and not wants_something_new(fold(told.request[0])):
        # "The solicitor needn't be today": the list may have it in other words.
        alike = [pair for pair in entries if is_at(pair[0], said)[0]]
    alike.sort(key=lambda pair: (-likeness(pair[0]), pair[0].id))
    shown = sorted(alike[:_MOST], key=lambda pair: pair[0].id)
    if means_all(kind, fold(told.request[0])):
        # The ids of all of them stand in the command that is made of such a request.
        shown = current[:_MOST_OF_ALL]
    # The end of what something else follows is its time.
    ends = followed(agenda, told)
    lines = [
        text(agenda.language, key, entry=f"{line_of(agenda, one)}{_end(one, whole=bool(ends and ends[0] == one))}")
        for one, key in shown
    ]
    if former := formerly(agenda, kind, told):
        lines.append(text(agenda.language, "agenda.known_former", entry=former))
    return "\n".join(lines)


def stands_alone(agenda: Agenda, told: Told) -> bool:
    """Whether a request says all by itself: it names an entry, or wants something of its own, and nothing in it points
    back. A small model takes what was said before such a request for a part of it."""
    said = fold(told.request[0])
    head = _FIRST.split(said, maxsplit=1)[0]
    if {"time", "date"} <= traits(head):
        # "The wedding is Saturday 2pm, don't let me miss it" points at its own words.
        said = head
    named = all_meant(agenda, told.now)
    if any(marks(head) & marks(entry.about) for entry in named):
        # "Lose the library books, Tom will take them" points at its own words, too.
        said = head
    words, length = (len(said), _FEWEST_CHARACTERS) if is_chinese(said) else (len(said.split()), _FEWEST_WORDS)
    claims, untimed = claims_in(said, told.now)
    about = marks(untimed)
    if words < length or goes_on(replace(told, request=[said])) or _LEADS_ON.search(said) or about & _OF_AN_ENTRY:
        return False
    if any(about & marks(entry.about) for entry in named):
        return True
    if "asks" in traits(said):
        return bool(_OF_A_DAY.search(said) and (claims or NAMED_PERIOD.search(said)))
    return bool(about) and bool(WISHES.search(said) or (claims and {"time", "date"} <= traits(said)))


def _end(entry: Entry, *, whole: bool) -> str:
    """When an appointment is over that does not take the usual hour, or whose end is asked for."""
    if entry.moment is None or (entry.lasts == USUAL_LENGTH and not whole):
        return ""
    end = entry.moment + entry.lasts
    return f"-{end:%H:%M}" if end.date() == entry.moment.date() else f" until {end:%Y-%m-%d %H:%M}"
