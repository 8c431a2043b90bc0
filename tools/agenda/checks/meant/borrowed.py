"""A new entry with words of one that is there, which the user has not said: "loading slot Antwerp", for one elsewhere;
or with a name that nobody said.

A small model that is shown an entry takes its text for that of the new one, and names from its examples.
"""

from __future__ import annotations

import re

from ....dates.found import claims_in
from ....dates.words import fold
from ....likeness import is_chinese, is_unheard, marks, traits
from ....metadata import Told
from ...agenda import Agenda
from ...line import NEW_APPOINTMENT, NEW_TODO
from ...request import text_of
from ..entries import Entry, all_meant
from ..said.clauses import clauses_of
from ..said.pointing import WISHES
from ..said.words import is_for_calendar, is_listed

_WORDS = re.compile(r"[^\W_][\w'’-]*")
_STRANGER = re.compile(r"(?!Mum|Mom|Dad|Gran|Nan|Aunt|Uncle)[A-Z][a-z]{2,}(?:['’]s)?")
_LEADS = re.compile(r"(?:[\s,(–-]+(?:for|of|to|at|in|on|with|from|and|the|a|an|my|our|his|her|their))*[\s,(–-]*$", re.I)
"""What goes with the word that it leads to: "for the", of "a card for the neighbor"."""


def in_own_words(agenda: Agenda, command: str, told: Told) -> str:
    """A command that adds, with the user's words where its text has some from an entry that is there, or names that
    nobody said: in their place what the user says there, else nothing; any other command as it is.

    Example:
        With "Loading slot Antwerp" on the list, "/schedule add loading slot Antwerp --at …" of "the loading slot in
        Rotterdam is on the 17th" becomes "/schedule add loading slot --at …".
    """
    text = text_of(command)
    request, is_new = fold(told.request[0]), NEW_TODO.match(command) or NEW_APPOINTMENT.match(command)
    kept = WISHES.search(request) or is_for_calendar(request) or is_listed(request)
    # What becomes of an entry is told in its words.
    of_entry = {"moved", "off"} if kept else {"moved", "off", "done"}
    if not text or not is_new or told.before or traits(request) & of_entry:
        return command
    said = "\n".join([*told.request, *told.elsewhere])
    lenders = [one for one in all_meant(agenda, told.now) if _lends(one, text, said)]
    if not lenders and not _has_strangers(text, said):
        return command
    own = _from_the_clause(text, told) if is_chinese(text) else _without_words(text, said)
    return command.replace(text, own, 1) if own else command


def _lends(entry: Entry, text: str, said: str) -> bool:
    """Whether a new text has all that the user has not said from an entry, and shares a word with it that they have."""
    there, heard = marks(entry.about), marks(said) & marks(text)
    unsaid = marks(text) - heard if is_chinese(text) else marks(" ".join(one[0] for one in _unsaid(text, said)))
    return bool(unsaid and unsaid <= there and there & heard)


def _has_strangers(text: str, said: str) -> bool:
    """Whether all that the user has not said of an English text are names, behind words of theirs."""
    unsaid = [] if is_chinese(text) else _unsaid(text, said)
    return bool(unsaid and marks(text) & marks(said)) and all(_STRANGER.fullmatch(one[0]) for one in unsaid)


def _unsaid(text: str, said: str) -> list[re.Match[str]]:
    """The words of a text that are neither said nor a slip of the user's for one that is."""
    return [one for one in _WORDS.finditer(text) if is_unheard(one[0], said)]


def _without_words(text: str, said: str) -> str:
    """An English text without its unsaid words; "" where one is the first, which may tell what to do."""
    for word in reversed(_unsaid(text, said)):
        if not _WORDS.search(text[: word.start()]):
            return ""
        ahead = _LEADS.sub("", text[: word.start()])
        lead = re.escape(fold(text[len(ahead) : word.start()]))
        last = _WORDS.findall(ahead)[-1:]
        # "A card for Tom" of "a card for Ella": the name that stands in its place.
        instead = (
            re.search(rf"(?<!\w){re.escape(fold(last[0]))}{lead}([^\W\d_][\w'’-]*)", fold(said), re.I) if last else None
        )
        owner = fold(word[0]).endswith("'s")
        if instead and (owner or marks(instead[1])):
            text = f"{text[: word.start()]}{instead[1]}{text[word.end() :]}"
        else:
            text = (text[: word.start()].rstrip() if owner else ahead) + text[word.end() :]
    return text.strip() if marks(text) else ""


def _from_the_clause(text: str, told: Told) -> str:
    """What the one clause of the user's that a Chinese text shares a word with is about, without its moment."""
    about = [one for one in clauses_of(told) if marks(one) & marks(text)]
    own = claims_in(about[0], told.now)[1].strip("@ ") if len(about) == 1 and "done" not in traits(about[0]) else ""
    # 在三号楼 says where.
    return "" if "@" in own or own.startswith(("在", "到", "于")) else own
