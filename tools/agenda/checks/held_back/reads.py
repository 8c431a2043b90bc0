"""Commands that only read, where the user's words want something done. The model is told, and nobody is asked."""

from __future__ import annotations

import re

from ....dates.words import fold
from ....likeness import marks, reports, traits, with_topics
from ....metadata import Missing, Told
from ...line import unquoted
from ...texts import text
from ..asked_about.answers import hinted
from ..command import Command
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


def _asks(told: Told) -> bool:
    return any("asks" in traits(with_topics(one)) for one in told.request)


def reads_what_is_done(command: Command) -> Missing | None:
    """A command that reads, where the user tells of a todo that it is done."""
    agenda, told = command.agenda, command.told
    if _asks(told) or goes_on(told) or told.elsewhere or "done" not in reports(told.request[0]):
        return None
    opened = entries_meant(agenda, "todo", told.now, "done")
    entries = named_in(told.request[0], opened, told.now, by_time=False) or counted_in(told.request[0], opened)
    if len(entries) != 1:
        return None
    mend = f"/todo done {entries[0].id}"
    return hinted(text_about(agenda, "agenda.there_already", entries[0], mend=mend))


def lists_what_is_new(command: Command) -> Missing | None:
    """A list of todos of which there are none, where the user wants one noted: "list it so I don't forget"."""
    agenda, _, _, details, told = command
    words = unquoted(details)
    about, said = marks(words), marks(" ".join(told.request))
    noted = [entry for entry in entries_meant(agenda, "todo", told.now) if marks(entry.about) & about]
    if _asks(told) or len(about) < 2 or not about <= said or noted or "--" in words:
        return None
    return hinted(text(agenda.language, "todo.lists_nothing", words=words))


def finds_what_is_elsewhere(command: Command) -> Missing | None:
    """A search for an entry of which the user has said less than half, where they ask something about the world, to be
    looked up: the last ferry is not in the calendar, though somebody is picked up from one."""
    agenda, _, _, details, told = command
    words, asked = unquoted(details), asks_of_the_world(told)
    entries = all_meant(agenda, told.now)
    about, said = marks(words), times_in(told.request, told.now)
    unknown = marks(asked) - frozenset[str]().union(*(marks(one.about) for one in entries))
    # "The ferry on Saturday" may be the one at which somebody is picked up.
    meant = any(about <= marks(one.about) and is_at(one, said)[0] for one in entries)
    heard = 2 * len(about & marks(" ".join(told.request))) >= len(about)
    if not unknown or meant or heard or not _LOOKS_UP.search(fold(told.request[0])):
        return None
    return hinted(text(agenda.language, "agenda.found_elsewhere", words=words, asked=asked))


def finds_what_is_new(command: Command) -> Missing | None:
    """A search for what is not there, where the user wants it entered: "coffee with Rosalind, would you enter that"."""
    agenda, kind, _, details, told = command
    words, said = unquoted(details), " ".join(map(fold, told.request))
    about = marks(words)
    there = any(about <= marks(one.about) for one in all_meant(agenda, told.now))
    asks = _asks(told) and not _ASKED_TO.search(said)
    wanted = _ENTERS.search(said) and not (asks or _LOOKS_FOR.search(said))
    if not wanted or there or len(about) < 2 or not about <= marks(said) or "--" in words or told.done:
        return None
    return hinted(text(agenda.language, f"{kind}.finds_nothing", words=words))
