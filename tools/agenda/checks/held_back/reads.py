"""Commands that only read: what they are to show, and where the user's words want something done."""

from __future__ import annotations

import re

from ....dates.words import fold
from ....likeness import marks, reports, traits, with_topics
from ....metadata import Missing, Told
from ...agenda import Agenda
from ...line import unquoted
from ...request import Kind
from ...texts import text
from ..asked_about.answers import hinted
from ..entries import all_meant, counted_in, entries_meant, is_at, named_in, text_about, times_in
from ..said.pointing import goes_on
from .elsewhere import asks_of_the_world

_ENTER = (
    r"(?:enter|put|note|jot|pop|pencil|book|write|add|stick|get|mark|schedule|diar(?:y|ise|ize)|block)\b"
    r"(?: (?:it|that|this|them|her|him|me|us)\b)?(?: (?:in|down|on|out)\b)?"
)
_ENTERS = re.compile(rf"\b{_ENTER}|记[一下上]|加[上到进]|添", re.IGNORECASE)
"""By which a user wants something kept."""
_ASKED_TO = re.compile(rf"\b(?:can|could|would|will) you (?:please |just |kindly )?{_ENTER}", re.IGNORECASE)
_LOOKS_UP = re.compile(
    r"\b(?:look (?:it |that |this )?(?:up|for (?:me|us)|online)|find out|search|google|online|internet|web)\b|查|搜",
    re.IGNORECASE,
)
_LOOKS_FOR = re.compile(
    r"\b(?:find|look|search|show|check|see if|which|whether|remove|delete|cancel|move|drop|change|done|instead)\b"
    r"|找|查|看|删|取消|改",
    re.IGNORECASE,
)


def wrongly_read(agenda: Agenda, kind: Kind, order: str, details: str, told: Told) -> Missing | None:
    """What speaks against a command that only reads; None for nothing. The model is told, and nobody is asked."""
    if order == "find" and (
        hint := _finds_nothing(agenda, kind, details, told) or _finds_another(agenda, details, told)
    ):
        return hinted(hint)
    if _asks(told):
        return None
    hint = _reported_done(agenda, told)
    if not hint and (kind, order) == ("todo", "list"):
        hint = _lists_nothing(agenda, details, told)
    return hinted(hint) if hint else None


def _asks(told: Told) -> bool:
    return any("asks" in traits(with_topics(one)) for one in told.request)


def _reported_done(agenda: Agenda, told: Told) -> str:
    """The command that marks a todo, where the user tells that it is done."""
    if goes_on(told) or told.elsewhere or "done" not in reports(told.request[0]):
        return ""
    opened = entries_meant(agenda, "todo", told.now, "done")
    entries = named_in(told.request[0], opened, told.now, by_time=False) or counted_in(told.request[0], opened)
    if len(entries) != 1:
        return ""
    mend = f"/todo done {entries[0].id}"
    return text_about(agenda, "agenda.there_already", entries[0], mend=mend)


def _lists_nothing(agenda: Agenda, details: str, told: Told) -> str:
    """The command that notes what a list is asked for, and of which there is nothing: "list it so I don't forget"."""
    words = unquoted(details)
    about, said = marks(words), marks(" ".join(told.request))
    noted = [entry for entry in entries_meant(agenda, "todo", told.now) if marks(entry.about) & about]
    if len(about) < 2 or not about <= said or noted or "--" in words:
        return ""
    return text(agenda.language, "todo.lists_nothing", words=words)


def _finds_another(agenda: Agenda, details: str, told: Told) -> str:
    """What the model is told that looks for an entry of which the user has said less than half, and asks something
    about the world, to be looked up: the last ferry is not in the calendar, though somebody is picked up from one."""
    words, asked = unquoted(details), asks_of_the_world(told)
    entries = all_meant(agenda, told.now)
    about, said = marks(words), times_in(told.request, told.now)
    unknown = marks(asked) - frozenset[str]().union(*(marks(one.about) for one in entries))
    # "The ferry on Saturday" may be the one at which somebody is picked up.
    meant = any(about <= marks(one.about) and is_at(one, said)[0] for one in entries)
    heard = 2 * len(about & marks(" ".join(told.request))) >= len(about)
    if not unknown or meant or heard or not _LOOKS_UP.search(fold(told.request[0])):
        return ""
    return text(agenda.language, "agenda.found_elsewhere", words=words, asked=asked)


def _finds_nothing(agenda: Agenda, kind: Kind, details: str, told: Told) -> str:
    """The command that enters what is looked for, where the user wants it entered and there is nothing of that name:
    "coffee with Rosalind, would you enter that"."""
    words, said = unquoted(details), " ".join(map(fold, told.request))
    about = marks(words)
    there = any(about <= marks(one.about) for one in all_meant(agenda, told.now))
    asks = _asks(told) and not _ASKED_TO.search(said)
    wanted = _ENTERS.search(said) and not (asks or _LOOKS_FOR.search(said))
    if not wanted or there or len(about) < 2 or not about <= marks(said) or "--" in words or told.done:
        return ""
    return text(agenda.language, f"{kind}.finds_nothing", words=words)
