"""Commands that only read: what they are to show, and where the user's words want something done."""

from __future__ import annotations

from ....likeness import marks, reports, traits, with_topics
from ....metadata import Missing, Told
from ...agenda import Agenda
from ...line import unquoted
from ...request import Kind
from ...texts import text
from ..asked_about.answers import hinted
from ..entries import counted_in, entries_meant, line_of, named_in
from ..said.pointing import goes_on


def wrongly_read(agenda: Agenda, kind: Kind, order: str, details: str, told: Told) -> Missing | None:
    """What speaks against a command that only reads; None for nothing. The model is told, and nobody is asked."""
    if any("asks" in traits(with_topics(one)) for one in told.request):
        return None
    hint = _reported_done(agenda, told)
    if not hint and (kind, order) == ("todo", "list"):
        hint = _lists_nothing(agenda, details, told)
    return hinted(hint) if hint else None


def _reported_done(agenda: Agenda, told: Told) -> str:
    """The command that marks a todo, where the user tells that it is done."""
    if goes_on(told) or told.elsewhere or "done" not in reports(told.request[0]):
        return ""
    opened = entries_meant(agenda, "todo", told.now, "done")
    entries = named_in(told.request[0], opened, told.now, by_time=False) or counted_in(told.request[0], opened)
    if len(entries) != 1:
        return ""
    mend = f"/todo done {entries[0].id}"
    return text(agenda.language, "agenda.there_already", entry=line_of(agenda, entries[0]), mend=mend)


def _lists_nothing(agenda: Agenda, details: str, told: Told) -> str:
    """The command that notes what a list is asked for, and of which there is nothing: "list it so I don't forget"."""
    words = unquoted(details)
    about, said = marks(words), marks(" ".join(told.request))
    noted = [entry for entry in entries_meant(agenda, "todo", told.now) if marks(entry.about) & about]
    if len(about) < 2 or not about <= said or noted or "--" in words:
        return ""
    return text(agenda.language, "todo.lists_nothing", words=words)
