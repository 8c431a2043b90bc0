"""An entry that is not there, to be removed or ticked off, though the user says nothing of the kind; and an appointment
that is to be ticked off."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial

from ....dates.words import fold
from ....likeness import QUOTED, marks, traits
from ....metadata import Missing, Told
from ...line import ids_of, unquoted
from ...request import entries_named, fitting_entries, named_to_edit, split_options
from ...texts import text
from ...todo import unmarked
from ..asked_about.answers import hinted
from ..asked_about.choice import with_id
from ..asked_about.times import without_new_time
from ..asked_about.which import MOST_ASKED, ask_which
from ..command import Command
from ..entries import Entry, entries_meant, named_by_chance, shared, spoken_of, text_about
from ..said.clauses import CLAUSES
from ..said.news import tells_it_done
from ..said.pointing import goes_on
from ..said.words import CALENDAR, SAYS_HOW, TO_DO, is_listed, says

_MAY_END = re.compile(
    r"\b(?:remov\w+|delet\w+|cancel\w*|drop\w*|scratch|strike|bin|clear|scrap|forget|lose|wipe|erase|axe|ditch|rid|skip|nix"
    r"|kick|undo|instead|void|obsolete|pointless|never ?mind|no|not|without|away|gone|rm|del)\b|n['’]t\b"
    r"|\b(?:call|cross|take|tick|knock|check|strike|clear)\w*\b[^.,;]{0,30}\b(?:off|out)\b"
    r"|\b(?:take|strike|cross)\w*\b[^.,;]{0,30}\bdown\b"
    r"|\b(?:can|may|should|must|(?:ha(?:s|ve)|needs?) to) go\b(?=\W*$|[.,;!]| (?:except|but|apart|please|now|too)\b)"
    r"|\boff (?:the|my|it)\b|(?:\b(?:is|are|be|was)|['’]s) off\b(?! (?:to|duty|work)\b)|[删除消去划扔撤不]",
    re.IGNORECASE,
)
"""By which a user may say that an entry is to go."""
_TO_CHANGE = re.compile(
    r"^\W*(?:(?:please|pls|and|also|so|now|(?:can|could|would|will) you)\b\W*)*"
    r"(?:change|move|postpone|push|shift|reschedule|edit|rename|correct)\b|^\W*(?:请|麻烦|帮我|把).{0,12}(?:改|推迟|挪)",
    re.IGNORECASE,
)
"""An order to change an entry, which is then not ticked off."""
_TICKED = re.compile(r"\b(?:tick|cross|strike|mark|check(?=\b.{0,30}\boff\b))\w*\b|[划勾]", re.IGNORECASE)
_CAN_FORGET = re.compile(r"\b(?:can|may|could) (?:\w+ )?forget\b", re.IGNORECASE)
_HAS_TO = re.compile(
    r"\b(?:ha(?:s|ve)|needs?|got|ought|must|should)(?: still)?(?: to)? \w+|\bgotta \w+|[要得]\w", re.IGNORECASE
)
"""A duty, whose verb orders nothing: "I still have to mark the essays"."""
_I_HAVE_TO = re.compile(
    r"\b(?:i|we)(?:['’]ve)?(?: still| also| really| just)? (?:have to|need to|must|should|gotta|got to)\b"
    r"|\bremind me\b|\b(?:don['’]t|not) (?:let me )?forget\b|我[得要还]|别忘",
    re.IGNORECASE,
)
_HINTS: Mapping[str, str] = {"rm": "agenda.none_to_remove", "done": "agenda.none_to_finish"}


def ticks_an_appointment(command: Command) -> Missing | None:
    """A todo to be ticked off that is not there, but is an appointment, which is not ticked off."""
    agenda, kind, order, details, told = command
    named = unmarked(unquoted(details))
    if ids_of(named) or fitting_entries(named, entries_meant(agenda, kind, told.now, order)):
        return None
    appointments = fitting_entries(named, entries_meant(agenda, "schedule", told.now))
    return hinted(text_about(agenda, "todo.is_appointment", appointments[0]), stands=True) if appointments else None


def changes_an_empty_list(command: Command) -> Missing | None:
    """A change on a list without entries, where what the user wants is a new one."""
    agenda, kind, _, details, told = command
    named = unmarked(unquoted(details))
    # "Todo 3 should say socks" speaks of a list that is not shown.
    listed = not named[:1].isdigit()
    has_to = any(_I_HAVE_TO.search(said) or (listed and is_listed(said)) for said in map(fold, told.request))
    if agenda.todos("all") or not has_to or _may_say("done", named, told):
        return None
    return hinted(text(agenda.language, "agenda.none_to_finish", words=named, kind=kind))


def ticks_what_is_open(command: Command) -> Missing | None:
    """A todo to be ticked off that the user does not name, or wants done, or changed, and tells no news of."""
    agenda, kind, order, details, told = command
    meant = entries_named(details, entries_meant(agenda, kind, told.now, order))
    if goes_on(told) or len(meant) != 1 or _is_news(meant[0].text, told):
        return None
    not_named = (told.before and not shared(meant[0], told)) or meant == named_by_chance(meant, told)
    changed = says(told, _TO_CHANGE)
    if not (_is_wished(meant[0], told) or not_named or changed):
        return None
    hint = text_about(agenda, "todo.not_said_done", meant[0])
    if changed and (asked := without_new_time(command._replace(order="edit", details=str(meant[0].id)))):
        return asked
    if changed:
        hint = text(agenda.language, "todo.to_be_changed", note=hint, id=meant[0].id)
    return hinted(hint, stands=True)


def ends_what_is_new(command: Command) -> Missing | None:
    """An entry to be removed or ticked off that is not there, though the user ends nothing: it is a new one."""
    agenda, kind, order, details, told = command
    named = unquoted(details) if order == "rm" else unmarked(unquoted(details))
    pool = entries_meant(agenda, kind, told.now, order)
    if not named or ids_of(named) or goes_on(told) or not 0 < len(pool) <= MOST_ASKED:
        return None
    if fitting_entries(named, pool) or any(shared(entry, told) for entry in pool) or _may_say(order, named, told):
        return None
    hint = text(agenda.language, _HINTS[order], words=named, kind=kind)
    completed = partial(with_id, kind, order, "", pool, told.now)
    return hinted(hint, completed, question=ask_which(agenda, kind, pool), unwanted=True)


def only_quoted(command: Command) -> Missing | None:
    """A change of the one entry that a request has a word of in quotes alone, where it orders nothing and tells no
    news: "his first word was 'boat'"."""
    agenda, kind, order, details, told = command
    said = fold(told.request[0])
    words, pool = (
        (split_options(details)[0] if order in ("add", "edit") else details),
        entries_meant(agenda, kind, told.now),
    )
    named = named_to_edit(words)[0] or words if order == "edit" else words
    found, quoted, rest = entries_named(named, pool), QUOTED.findall(said), QUOTED.sub(" ", said)
    if len(found) != 1 or len(told.request) > 1 or goes_on(told) or spoken_of(found[0], told):
        return None
    about = marks(found[0].about)
    # All of its text names it, and so does a title in it: "'Middlemarch' was wonderful".
    titles = [one for one in quoted if one[1:2].isupper() and marks(one) <= about]
    part = any(marks(one) & about and not marks(one) >= marks(found[0].text) for one in quoted) and not titles
    orders = TO_DO.search(rest) or _TICKED.search(rest) or _TO_CHANGE.search(rest) or _MAY_END.search(rest)
    # "Bump 'renew car insurance' up" names another one.
    part = part and not any(marks(one.text) <= marks(quote) for one in pool for quote in quoted)
    if not part or marks(rest) & about or orders or traits(rest) & {"done", "off", "moved", "asks"}:
        return None
    return hinted(text_about(agenda, "agenda.only_quoted", found[0]), stands=True, unwanted=True)


def _is_wished(entry: Entry, told: Told) -> bool:
    """Whether what the user says of an entry wants something done, and so tells of nothing done."""
    clauses = [one for said in told.request for one in CLAUSES.split(_CAN_FORGET.sub(" ", fold(said)))]
    # A word in common is not yet about it: "book day" is no library book.
    own = [one for one in clauses if 2 * len(marks(one) & marks(entry.about)) >= len(marks(entry.text))]
    wishes = [bool(TO_DO.search(one)) for one in own or clauses]
    wished = (all(wishes) if own else any(wishes)) or any(map(CALENDAR.search, clauses))
    return wished and not any("off" in traits(one) for one in clauses)


def _may_say(order: str, named: str, told: Told) -> bool:
    """Whether the user may have said that an entry is to go, or that it is done."""
    said = [fold(one) for one in told.request]
    if order == "rm":
        return any(_MAY_END.search(SAYS_HOW.sub(" ", one)) for one in said)
    if not any(map(TO_DO.search, said)):
        # News in words that say nothing of it: "the gate swings again like new".
        return True
    return _is_news(named, told)


def _is_news(named: str, told: Told) -> bool:
    """Whether the user says of anything that it is done, or orders to tick it off."""
    said = [fold(one) for one in told.request]
    ordered = any(_TICKED.search(_HAS_TO.sub(" ", one)) for one in said)
    return ordered or any("done" in traits(one) or tells_it_done(named, one) for one in said)
