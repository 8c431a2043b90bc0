"""Commands that do another thing than the user's words speak of: a small model adds what it should tick off.

Judged by words alone, so the model is told first, and then the user is asked. In doubt a command is as it is meant.
"""

from __future__ import annotations

from functools import partial

from ....likeness import wants_nothing
from ....metadata import Missing, Told
from ...agenda import Agenda
from ...line import unquoted
from ...request import Kind, named_to_edit
from ...texts import text
from ..asked_about.answers import agreed_to
from ..said.questions import is_one_question
from .added import wrongly_added
from .edited import wrongly_edited
from .removed import left_alone, wrongly_ended


def misread(agenda: Agenda, kind: Kind, order: str, details: str, told: Told) -> Missing | None:
    """What speaks against a command that changes something; None for nothing."""
    line = f"/{kind} {order} {details}".rstrip()
    question = text(agenda.language, "agenda.ask_sure", command=line)
    agreed = partial(agreed_to, line)
    if is_one_question(told) or wants_nothing(told.request[-1]):
        key = "agenda.only_asked" if is_one_question(told) else "agenda.nothing_asked"
        hint = text(agenda.language, key, command=f"/{kind} list")
        return Missing(question, agreed, at_once=False, hint=hint)
    if order == "add":
        return wrongly_added(agenda, kind, details, told, agreed)
    if order in ("rm", "done"):
        return wrongly_ended(agenda, kind, order, details, told, agreed)
    if order != "edit":
        return None
    if mend := left_alone(agenda, kind, order, named_to_edit(unquoted(details))[0], told):
        return mend
    return wrongly_edited(agenda, kind, details, told)
