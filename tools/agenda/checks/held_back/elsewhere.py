"""A command about an entry, for a request that is about none: one that only asks, or wants nothing, and one that wants
something noted that is not there yet."""

from __future__ import annotations

import re
from functools import partial

from ....dates.words import fold
from ....likeness import marks, traits, wants_nothing
from ....metadata import Missing, Told
from ...line import ORDERS, ids_of, unquoted
from ...request import entries_named, named_and_rest
from ...texts import text
from ...todo import unmarked
from ..asked_about.answers import agreed_to, hinted
from ..command import Command
from ..entries import Entry, entries_meant, text_about
from ..said.clauses import clauses_of
from ..said.news import tells_it_done
from ..said.questions import is_one_question
from ..said.words import TO_DO

_ASKS_OF_THE_WORLD = re.compile(
    r"\b(?:who(?!['’]d\b| knew\b| knows\b| cares\b)|what(?! if\b| a\b| about\b)|which|where|why|how(?! about\b))\b"
    r"|谁|什么|哪|多少|为什么|怎么",
    re.IGNORECASE,
)
_BEGINS = re.compile(r"\W*(?:(?:and|so|but|hey|tell me|just)\b\W*)*(?:who|what|which|where|why|how)\b", re.IGNORECASE)
_OWN = re.compile(
    r"\b(?:i|me|we|us|my|our|list|to-?dos?|tasks?|entry|appointments?|calendar|diary)\b|[我咱]|待办|清单|日程", re.I
)
"""What a question has that is about the user's own entries."""
_ORDERS = re.compile(
    rf"^\W*(?:(?:please|pls|so|just|then|can you|could you)\b\W*)*(?:{'|'.join(ORDERS)})\b"
    r"|\b(?:cross|strike|bin)\b|[划勾删消改]",
    re.IGNORECASE,
)
_NEWS = frozenset({"done", "off", "moved"})
_NOTES = re.compile(
    r"\W*(?:(?:please|pls|and|so|can you|could you|just|make a|take a)\b\W*)*(?:note|jot|add|write|list|put)\b"
    r"(?: (?:this|it|that|one|me|for|to|self|down|on|my|the|list|a)\b)*\W*"
    r"|\W*(?:请|麻烦|再)?(?:帮我|给我|替我)?(?:记|加|添|写)(?:一?[条个下件笔]|上|到待办|进清单)[吧啊]?\W*",
    re.IGNORECASE,
)
"""A clause that says no more than that something is to be noted."""


def asks_elsewhere(command: Command) -> Missing | None:
    """A change of what is not there, for a request that only asks, and not about what the user has."""
    words, named, _, found = _read(command)
    if found or ids_of(named) or tells_it_done(named, fold(command.told.request[0])):
        return None
    asked = asks_of_the_world(command.told)
    hint = text(command.agenda.language, "agenda.asks_elsewhere", words=words, asked=asked)
    return hinted(hint, stands=True) if asked else None


def notes_another(command: Command) -> Missing | None:
    """A change that changes nothing, for a request that wants something else noted."""
    agenda, order = command.agenda, command.order
    _, _, rest, found = _read(command)
    thing = _noted(command.told) if order == "edit" and not rest.strip() and len(found) == 1 else ""
    if not thing or 2 * len(marks(found[0].text) & marks(thing)) > len(marks(found[0].text)):
        return None
    mend = f"/todo add {thing}"
    hint = text_about(agenda, "agenda.note_instead", found[0], mend=mend)
    return hinted(hint, partial(agreed_to, mend), question=text(agenda.language, "agenda.ask_new", text=thing))


def wants_no_change(command: Command) -> Missing | None:
    """A change, for a request that only asks, or that says that nothing is to be done."""
    agenda, told = command.agenda, command.told
    asks = is_one_question(told)
    if not (asks or wants_nothing(told.request[-1])):
        return None
    question = text(agenda.language, "agenda.ask_sure", command=command.line)
    key = "agenda.only_asked" if asks else "agenda.nothing_asked"
    hint = text(agenda.language, key, command=f"/{command.kind} list")
    # What nobody wants is not done either where the answer says nothing of it.
    return hinted(hint, partial(agreed_to, command.line), question=question, stands=True)


def _read(command: Command) -> tuple[str, str, str, list[Entry]]:
    """All words of a change, those that name an entry, the rest, and the entries that they name."""
    agenda, kind, order, details, told = command
    words = unquoted(details) if order == "edit" else unmarked(unquoted(details))
    named, rest = named_and_rest(order, words)
    # Without a change, all of it is the name.
    named, rest = (named, rest) if named else (words, "")
    return words, named, rest, entries_named(named, entries_meant(agenda, kind, told.now, order))


def asks_of_the_world(told: Told) -> str:
    """The question of a request that only asks, and not about what the user has or does; "" for any other request."""
    said = fold(told.request[0])
    clauses = [one.strip() for one in clauses_of(told)]
    # "The bills of a mayor who died" ask nothing, nor does "the man came, who was kind".
    begun = [one for one in clauses if _BEGINS.match(one) and f", {one}" not in said]
    questions = [one for one in clauses if "asks" in traits(one) and (one in begun or f"{one}?" in said)]
    is_own = any(map(_OWN.search, questions)) or not all(map(_ASKS_OF_THE_WORLD.search, questions))
    changes = any(
        traits(one) & _NEWS or TO_DO.search(one) or _ORDERS.search(one) for one in clauses if one not in questions
    )
    return questions[0] if len(questions) == 1 and len(told.request) == 1 and not (is_own or changes) else ""


def _noted(told: Told) -> str:
    """What a request wants noted: the clause behind the one that says so, or else the one before; "" for nothing."""
    clauses = [one.strip() for one in clauses_of(told) if one.strip()]
    places = [place for place, one in enumerate(clauses) if _NOTES.fullmatch(one)]
    if len(places) != 1 or any("asks" in traits(one) and not TO_DO.search(one) for one in clauses[: places[0]]):
        return ""
    thing = "".join(clauses[places[0] + 1 :][:1] or clauses[: places[0]][-1:])
    return "" if traits(thing) & _NEWS else thing
