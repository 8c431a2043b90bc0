"""What becomes of a command that is put right: it is held back, asked about, or carried out.

Judged by the user's words alone. In doubt nothing is missing: a request that is complete is not asked about.
"""

from __future__ import annotations

from ...metadata import Missing, Told
from ..agenda import Agenda
from ..line import parted
from ..request import Kind
from .asked_about.times import without_new_time, without_time
from .asked_about.unnamed import without_text
from .asked_about.which import which
from .held_back.misread import misread
from .held_back.reads import wrongly_read
from .held_back.unsaid import unsaid


def missing_of(agenda: Agenda, line: str, told: Told) -> Missing | None:
    """What a command lacks; None for one that is complete, that only reads, or that cannot be read."""
    name, order, details = parted(line)
    kind: Kind = "todo" if name == "todo" else "schedule"
    if name == "view":
        return None
    if order == "add" and (unnamed := without_text(agenda, kind, details, told)):
        return unnamed
    if order in ("list", "show", "find"):
        return wrongly_read(agenda, kind, order, details, told)
    changes = order in ("add", "rm", "edit") or (kind == "todo" and order in ("done", "undo"))
    if changes and (other := misread(agenda, kind, order, details, told)):
        return other
    if changes and (other := unsaid(agenda, kind, order, details, told)):
        return other
    if kind == "schedule" and order == "add":
        return without_time(agenda, details, told)
    if changes and order != "add":
        asked = which(agenda, kind, order, details, told)
        return without_new_time(agenda, kind, details, told) if asked is None and order == "edit" else asked
    return None
