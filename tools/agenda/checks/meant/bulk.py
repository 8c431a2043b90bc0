"""The entries that a request means with "everything" or "all my appointments", of which a small model changes one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import time, timedelta

from ....dates.found import claims_in, read_from
from ....dates.periods import NAMED_PERIOD, read_period
from ....dates.words import fold
from ....likeness import marks, traits
from ....metadata import Told
from ...agenda import Agenda
from ...line import DATED, ids_of, option_value
from ...request import EVERY, KINDS, Kind, entries_named, named_and_rest, options_for
from ..entries import Entry, entries_meant, excepted
from ..put_right.lenient import parts_meant
from ..put_right.named import held_in
from ..said.words import EXCEPT, TIME_WORDS, says_all, without_exception

_OF_KIND: dict[Kind, re.Pattern[str]] = {
    "todo": re.compile(
        r"\b(?:to-?dos?|tasks?|list|open|unfinished|overdue)\b|待办|任务|清单|没做完|未完成", re.IGNORECASE
    ),
    "schedule": re.compile(
        r"\b(?:appointments?|meetings?|calendar|diary|schedule)\b|日程|会议|日历|安排", re.IGNORECASE
    ),
}
_ENDED = re.compile(r"\b(?:done|finished|completed?|ticked)\b|已完成|做完的", re.IGNORECASE)
_TO = re.compile(r"\b(?:to|until|till|onto)\b(?!.*\b(?:to|until|till|onto)\b).*|[到至].*", re.IGNORECASE)
"""What stands before the day to which entries are moved."""
_HALF_DAY = re.compile(
    r"\b(?:morning|afternoon|evening|night|tonight|noon|before|after|later|earlier|forward|early|late)\b|[上下]午|[早晚]上",
    re.IGNORECASE,
)
_SAYS_NOTHING = (
    TIME_WORDS
    | marks(
        "everything each every whole entire whatever still open overdue remaining unfinished meeting calendar diary"
        " event push shift postpone reschedule bring drop scrap bin clear wipe tick cross finish complete urgent"
        " important priority high low please could would lets today month"
    )
    | {"所", "所有", "全部", "都标", "标记", "推迟", "挪到", "为", "都"}
)
"""Words that tell nothing of which entries are meant, beside their days."""
_OVERDUE = re.compile(r"\boverdue\b|\bpast (?:its|their) (?:due )?dates?\b|逾期|过期", re.IGNORECASE)


def means_all(kind: Kind, said: str) -> bool:
    """Whether a request wants something done with everything, and speaks of no other list alone."""
    return says_all(said) and "asks" not in traits(said) and kind in (_spoken_of(said) or KINDS)


def _spoken_of(said: str) -> list[Kind]:
    return [one for one in KINDS if _OF_KIND[one].search(said)]


def in_bulk(agenda: Agenda, kind: Kind, command: str, told: Told) -> tuple[Kind, str]:
    """The list that a command is for, and the command: for all of the entries that the user means, where the request
    says "everything" and the like, and the command names one; any other as it is."""
    said = fold(told.request[0])
    if told.done or not says_all(said) or "asks" in traits(said) or _HALF_DAY.search(said):
        return kind, command
    _, order, details = parts_meant(command, kind, agenda.language)
    named, options = named_and_rest(order, details)
    if order not in ("edit", "rm", "done") or (order == "edit") != options.startswith("--"):
        return kind, command
    speaks_of = _spoken_of(said)
    meant_kind = speaks_of[0] if len(speaks_of) == 1 else kind
    if order == "done" and meant_kind == "schedule":
        return kind, command
    there = entries_meant(agenda, kind, told.now, order)
    one = entries_named(named, there)
    named = named if one else without_exception(named)
    # A small model writes the texts of all of them behind each other.
    in_full = len(held_in(named, there)) > 1
    if len(one) > 1 or not (one or in_full or fold(named).casefold() in EVERY or ids_of(named)):
        return kind, command
    meant = _meant(agenda, meant_kind, order, said, options, told, one)
    if not meant or (len(meant) == 1 and one and kind == meant_kind):
        return kind, command
    moved = options_for(meant_kind, options)
    return meant_kind, f"/{meant_kind} {order} {', '.join(str(entry.id) for entry in meant)} {moved}".rstrip()


def _meant(
    agenda: Agenda, kind: Kind, order: str, said: str, options: str, told: Told, named: Sequence[Entry]
) -> list[Entry]:
    """The entries of a list that are of the days, of the state and about what the user says, without those excepted;
    none where the user says more than that, or where those that the command names are excepted."""
    # What is done goes only where the user says so.
    state = "undo" if order == "rm" and _ENDED.search(said) else "done"
    entries = entries_meant(agenda, kind, told.now, state)
    kept = excepted(said, kind, entries, told.now)
    if kept is not None:
        if not kept or any(one in kept for one in named):
            return []
        entries = [one for one in entries if one not in kept]
    said = EXCEPT.sub(" ", said)
    of = _TO.sub(" ", said) if option_value(options, DATED) else said
    claims, untimed = claims_in(NAMED_PERIOD.sub(" ", of), told.now)
    if any(isinstance(claim.meant, time | timedelta) or claim.length for claim in claims):
        # "Everything before five", "all of them by an hour": more than a day is said.
        return []
    # "All the garden things"; of what else is said, it can only be guessed which ones are meant.
    if about := marks(re.sub(r"\d|['’]s\b", " ", untimed)) - _SAYS_NOTHING:
        entries = [one for one in entries if about <= marks(one.about)]
    if _OVERDUE.search(said):
        return [one for one in entries if one.moment and one.moment < told.now]
    periods = [period for one in NAMED_PERIOD.finditer(of) if (period := read_period(one[0], told.now))]
    dates = read_from(of, told.now).dates
    if periods:
        return [one for one in entries if one.moment and any(at.start <= one.moment < at.end for at in periods)]
    return [one for one in entries if one.moment and one.moment.date() in dates] if dates else entries
