"""What a command that is put right is held to, rule by rule: it is held back, asked about, or carried out.

The first rule that has something to say is the one that counts. What a call was refused with is in `texts.py`, under a
key by which the rule is found. Rules judge by the user's words alone. In doubt nothing is missing: a request that is
complete is not asked about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ...metadata import Missing, Told
from ..agenda import Agenda
from ..line import parted
from .asked_about.impossible import never_is
from .asked_about.renamed import without_new_name
from .asked_about.times import without_change, without_new_time, without_time
from .asked_about.unfinished import unfinished
from .asked_about.unnamed import without_text
from .asked_about.which import which
from .command import Command
from .held_back.added import (
    adds_a_correction,
    adds_an_order,
    adds_no_wish,
    adds_what_is_shown,
    adds_what_is_there,
    adds_what_waits,
    adds_what_was_moved,
    adds_what_was_removed,
    adds_what_was_ticked_off,
    adds_without_its_date,
)
from .held_back.corrected import corrects_without_a_name, reopens_what_is_open
from .held_back.edited import changes_otherwise
from .held_back.elsewhere import asks_elsewhere, notes_another, wants_no_change
from .held_back.reads import (
    finds_what_is_elsewhere,
    finds_what_is_new,
    lists_what_is_new,
    reads_what_is_done,
)
from .held_back.removed import (
    changes_what_stays,
    ends_what_is_not_meant,
    ends_what_waits,
    ends_what_was_made_now,
    removes_what_changes,
    removes_what_is_new,
    ticks_what_changes,
    ticks_what_was_ticked_off,
)
from .held_back.unsaid import (
    changes_an_empty_list,
    ends_what_is_new,
    only_quoted,
    ticks_an_appointment,
    ticks_what_is_open,
)
from .meant.followed import only_tells_when
from .scope import scoped

_FIND = frozenset({"todo find", "schedule find"})
_READ = _FIND | {"todo list", "todo show", "schedule list", "schedule show"}
_ADD = frozenset({"todo add", "schedule add"})
_EDIT = frozenset({"todo edit", "schedule edit"})
_REMOVE = frozenset({"todo rm", "schedule rm"})
_TICK = frozenset({"todo done"})
_END = _REMOVE | _TICK
_OLD = _EDIT | _END | {"todo undo"}
"""Changes of what is there."""
_CHANGE = _ADD | _OLD
_REFUSED = frozenset({"schedule done", "schedule undo"})
"""What the tool does not know: what it says of that is no help where the request is about no entry."""

Rule = tuple[Callable[[Command], Missing | None], frozenset[str]]
"""What speaks against a command, or is missing; and the commands that are asked about it."""

OF_THE_REQUEST: tuple[Rule, ...] = (
    (asks_elsewhere, _OLD | _REFUSED),
    (notes_another, _EDIT),
)
"""Rules for the whole request, in their order."""
OF_THE_ENTRY: tuple[Rule, ...] = (
    # What no command can know is asked at once, whatever this one has made of it.
    (unfinished, _ADD),
    (without_text, _ADD),
    (finds_what_is_new, _FIND),
    (finds_what_is_elsewhere, _FIND),
    (reads_what_is_done, _READ),
    (lists_what_is_new, frozenset({"todo list"})),
    (without_new_name, _CHANGE),
    # Next whether the user wants a change at all.
    (wants_no_change, _CHANGE),
    (only_quoted, _CHANGE),
    # Then whether it is this one: first what this run has just done.
    (adds_what_was_ticked_off, frozenset({"todo add"})),
    (adds_what_was_removed, _ADD),
    (adds_what_was_moved, _ADD),
    (adds_what_is_there, _ADD),
    (adds_what_is_shown, _ADD),
    (adds_an_order, _ADD),
    (adds_a_correction, _ADD),
    (adds_no_wish, _ADD),
    (adds_what_waits, _ADD),
    (adds_without_its_date, frozenset({"todo add"})),
    (only_tells_when, _OLD),
    (removes_what_is_new, _REMOVE),
    (changes_what_stays, _END | _EDIT),
    (ends_what_was_made_now, _END),
    (ends_what_is_not_meant, _END),
    (ends_what_waits, frozenset({"todo rm", "todo done"})),
    (removes_what_changes, _REMOVE),
    (ticks_what_was_ticked_off, _TICK),
    (ticks_what_changes, _TICK),
    (corrects_without_a_name, _EDIT),
    (changes_otherwise, _EDIT),
    (reopens_what_is_open, frozenset({"todo undo"})),
    (ticks_an_appointment, _TICK),
    (changes_an_empty_list, frozenset({"todo done", "todo undo", "todo edit"})),
    (ticks_what_is_open, _TICK),
    (ends_what_is_new, _END),
    # Last what this change lacks: which entry, and when.
    (without_time, frozenset({"schedule add"})),
    (which, _OLD),
    (without_new_time, _EDIT),
    (without_change, _EDIT),
)
"""Rules for that part of a request which is about the entry of a command, in their order."""


def missing_in(agenda: Agenda, line: str, told: Told) -> Missing | None:
    """What a command lacks for a whole request, and for the part of it that is about its entry."""
    return _first(OF_THE_REQUEST, agenda, line, told) or missing_of(agenda, line, scoped(agenda, line, told))


def missing_of(agenda: Agenda, line: str, told: Told) -> Missing | None:
    """What a command lacks; None for one that is complete, or that cannot be read."""
    return never_is(Command.read(agenda, line, told)) or _first(OF_THE_ENTRY, agenda, line, told)


def _first(rules: Iterable[Rule], agenda: Agenda, line: str, told: Told) -> Missing | None:
    command, (name, order, _) = Command.read(agenda, line, told), parted(line)
    asked = (rule(command) for rule, commands in rules if f"{name} {order}" in commands)
    return next(filter(None, asked), None)
