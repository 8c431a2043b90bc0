"""Which entry a correction means that names none: "actually make that 8 o'clock" is about what was changed last.

A small model takes another one, whose time it is, or of which more was said.
"""

from __future__ import annotations

import re

from ....dates.found import claims_in
from ....dates.told import on_a_clock
from ....dates.words import fold
from ....likeness import marks
from ....metadata import Told
from ...agenda import Agenda
from ...line import option, unquoted
from ...request import Kind, entries_named, kind_of, named_to_edit, options_for
from ..entries import Entry, entries_meant, is_at, times_in
from ..put_right.lenient import parts_meant
from ..said.pointing import goes_on
from .undone import only_change

_NOT_OF: dict[Kind, re.Pattern[str]] = {"todo": option("place|for|until"), "schedule": option("priority|tag")}
_NEVER = ("done", "schedule")
_SAYS_NO_ENTRY = marks(
    "past sharp actually rather instead better sorry oops wait hmm make meant mean reschedule push shift postpone bring"
    " forward back earlier later switch say maybe think correction drop scrap bin forget fine works oclock am pm"
    " morning afternoon evening night noon week month next half quarter hour hours minute minutes until due deadline"
    " time date day start urgent urgently important priority high"
) | {"改成", "改到", "改为", "还是", "不对", "说错", "换成", "推迟", "提前", "时间", "上午", "下午", "晚上", "早上"}
_MOVES = marks("move moved now starts")
_MEETINGS = marks("meeting appointment event call visit booking") | {"会议", "会面", "日程", "约会", "预约", "活动"}
"""What any appointment may be called, if no other one has the word in its name."""
_OTHER = re.compile(
    r"\b(?:other|first|second|third|last|former|latter|both|all|ones?|them|those|these|each|every|undo)\b"
    r"|另|[那这]些|都|第[一二三四五]|撤销",
    re.IGNORECASE,
)


def of_the_latest(agenda: Agenda, kind: Kind, command: str, told: Told) -> tuple[Kind, str]:
    """The list that a command is for, and the command: with the entry that was added or changed just before, where the
    request names none and the command another one; any other as it is."""
    latest = only_change("".join(told.before.splitlines()[-1:]))
    if latest is None or latest["order"] not in ("add", "edit") or told.done:
        return kind, command
    _, order, details = parts_meant(command, kind, agenda.language)
    its_kind = kind_of(latest["kind"])
    if not _names_none(told, _called(agenda, int(latest["id"]), told) if its_kind == "schedule" else frozenset()):
        return kind, command
    its_own = [one for one in entries_meant(agenda, its_kind, told.now) if one.id == int(latest["id"])]
    there = bool(its_own) and not _named_by_day(agenda, kind, (order, details), its_own[0], told)
    named, options = re.split(r"(?:^|\s+)(?=--)|$", details, maxsplit=1)
    fits = order in ("edit", "rm", "done") and (order == "edit") == bool(options) and (order, its_kind) != _NEVER
    if (
        not (there and fits)
        or _NOT_OF[its_kind].search(options)
        or (kind == its_kind and named.strip() == latest["id"])
    ):
        return kind, command
    return its_kind, f"/{its_kind} {order} {latest['id']} {options_for(its_kind, options)}".rstrip()


def _named_by_day(agenda: Agenda, kind: Kind, call: tuple[str, str], latest: Entry, told: Told) -> bool:
    """Whether the user's words name the entry of a command by its day, or by one of several times, and not the latest:
    "cancel what's at ten tomorrow", "the 14:00 on Friday should be 15:00"."""
    said, (order, details) = times_in(told.request, told.now), call
    own = entries_named(named_to_edit(unquoted(details))[0] or unquoted(details), entries_meant(agenda, kind, told.now))
    several = len(set(map(on_a_clock, said.times))) > 1
    return any(
        # "Make that Friday" says where it goes.
        (is_at(one, said)[0] and (order != "edit" or is_at(one, said)[1]) and not is_at(latest, said)[0])
        or (several and is_at(one, said)[1])
        for one in own
        if one.id != latest.id
    )


def _called(agenda: Agenda, latest: int, told: Told) -> frozenset[str]:
    others = (marks(one.about) for one in entries_meant(agenda, "schedule", told.now) if one.id != latest)
    return _MEETINGS - frozenset[str]().union(*others)


def _names_none(told: Told, called: frozenset[str]) -> bool:
    """Whether a request goes on about what was said before, and says no more of it than when it is, or what it may be
    called."""
    said = fold(told.request[0])
    words = marks(re.sub(r"\d|[改挪](?![成为到])", " ", claims_in(said, told.now)[1]))
    about = words - _SAYS_NO_ENTRY - called - _MOVES
    return (goes_on(told) or bool(words & called)) and not about and not _OTHER.search(said)
