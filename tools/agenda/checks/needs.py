"""What becomes of a command that is put right: it is held back, asked about, or carried out.

Judged by the user's words alone. In doubt nothing is missing: a request that is complete is not asked about.
"""

from __future__ import annotations

from functools import partial

from ...likeness import wants_nothing
from ...metadata import Missing, Told
from ..agenda import Agenda
from ..line import parted, unquoted
from ..request import Kind, entries_named, kind_of, named_to_edit
from ..texts import text
from .asked_about.answers import agreed_to
from .asked_about.impossible import never_is
from .asked_about.renamed import without_new_name
from .asked_about.times import without_change, without_new_time, without_time
from .asked_about.unfinished import unfinished
from .asked_about.unnamed import without_text
from .asked_about.which import which
from .entries import entries_meant
from .held_back.added import wrongly_added
from .held_back.corrected import corrected, to_correct
from .held_back.edited import wrongly_edited
from .held_back.reads import wrongly_read
from .held_back.removed import left_alone, wrongly_ended
from .held_back.unsaid import only_quoted, unsaid
from .meant.followed import only_tells_when
from .said.questions import is_one_question


def missing_of(agenda: Agenda, line: str, told: Told) -> Missing | None:
    """What a command lacks; None for one that is complete, that only reads, or that cannot be read."""
    name, order, details = parted(line)
    kind = kind_of(name)
    if other := never_is(agenda, kind, order, details, told):
        return other
    if name == "view":
        return None
    if order == "add" and (
        unnamed := unfinished(agenda, kind, details, told) or without_text(agenda, kind, details, told)
    ):
        return unnamed
    if order in ("list", "show", "find"):
        return wrongly_read(agenda, kind, order, details, told)
    if not (order in ("add", "rm", "edit") or (kind == "todo" and order in ("done", "undo"))):
        return None
    if other := (
        without_new_name(agenda, order, details, told)
        or misread(agenda, kind, order, details, told)
        or unsaid(agenda, kind, order, details, told)
    ):
        return other
    if order == "add":
        return without_time(agenda, details, told) if kind == "schedule" else None
    if asked := which(agenda, kind, order, details, told):
        return asked
    if order != "edit":
        return None
    return without_new_time(agenda, kind, details, told) or without_change(agenda, kind, details, told)


def misread(agenda: Agenda, kind: Kind, order: str, details: str, told: Told) -> Missing | None:
    """What speaks against a command that changes something; None for nothing.

    A small model adds what it should tick off. Judged by words alone, so the model is told first, and then the user is
    asked.
    """
    line = f"/{kind} {order} {details}".rstrip()
    question = text(agenda.language, "agenda.ask_sure", command=line)
    agreed = partial(agreed_to, line)
    if is_one_question(told) or wants_nothing(told.request[-1]):
        key = "agenda.only_asked" if is_one_question(told) else "agenda.nothing_asked"
        hint = text(agenda.language, key, command=f"/{kind} list")
        # What nobody wants is not done either where the answer says nothing of it.
        return Missing(question, agreed, at_once=False, hint=hint, stands=True)
    if mend := only_quoted(agenda, kind, order, details, told):
        return mend
    if order == "add":
        return wrongly_added(agenda, kind, details, told, agreed)
    if mend := only_tells_when(agenda, kind, order, details, told):
        return mend
    if order in ("rm", "done"):
        return wrongly_ended(agenda, kind, order, details, told, agreed)
    if order == "undo" and entries_named(details, entries_meant(agenda, "todo", told.now, "done")):
        # It is open already, and what is wrong with it is something else: "not zinc, aluminium".
        found = corrected(agenda, told)
        return to_correct(agenda, kind, *found, told, Missing(question, agreed)) if found else None
    if order != "edit":
        return None
    if mend := left_alone(agenda, kind, order, named_to_edit(unquoted(details))[0], told):
        return mend
    return wrongly_edited(agenda, kind, details, told)
