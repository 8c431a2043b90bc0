"""A command that leaves an entry as it is, though the user says what becomes of it.

A small model writes "the same place" for a place, the place that the user takes back, or the moment that the entry has,
and if the call is refused, it writes it again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ....dates.told import told_days, told_times
from ....dates.when import is_when, read_when
from ....dates.words import fold
from ....likeness import marks, traits
from ....metadata import Told
from ...agenda import Agenda
from ...line import AT, option, option_value, unquoted, without_option
from ...request import Kind, named_to_edit
from ..entries import Entry, clauses_about, only_named
from ..held_back.corrected import reworded
from ..held_back.edited import moved_entry, said_of
from ..put_right.lenient import parts_meant
from ..put_right.urgency import calls_urgent
from ..said.clauses import SENTENCE
from ..said.news import CHANGES
from ..said.relative import weeks_on
from ..said.words import TO_DO, USUAL_PLACE, says

_PLACE = option("place|where|location|venue")
_OF_NO_ENTRY = option("quantity|amount|number|count|size|weight|kilos?|kg")
_SAME = re.compile(
    r"(?:at |on |in )?(?:the |my |our )?(?:very )?(?:same|usual)\b(?!.*\d).*|unchanged"
    r"|(?:as|where) (?:it |they )?(?:is|are|was)(?: before)?|as (?:before|usual)"
    r"|同(?:一|样|上|前).{0,4}|照旧|照常|一样|.{0,4}不变",
    re.IGNORECASE,
)
"""A place or a time that is told by the one that an entry has."""
_NAME = (
    r"(?:(?:the|our|my) )?[\w'’&-]+(?: (?!now\b|not\b|instead\b|rather\b|this\b|from\b|and\b|on\b|at\b)[\w'’&-]+){0,3}"
)
_NOW_AT = re.compile(
    rf"\b(?:in|at|to|into) (?P<place>{_NAME}?)(?=,? (?:now|instead)\b|,? (?:and )?not (?:in |at )?(?:the|our|my)\b"
    r"| rather than | from now)"
    rf"|\b(?:now|moved|moves|moving|switched) (?:in|at|to|into) (?P<new>(?:the|our|my) {_NAME}|[A-Z]{_NAME})",
)
"""Where the user says that something is from now on."""
_TO_CHANGE = re.compile(r"\b(?:fix|change|edit|update|correct|to-?do|entry)\b|改|待办", re.IGNORECASE)
"""By which a user wants an entry changed: "we settled on a different colour, fix my todo"."""
_ASKS_TO_MOVE = re.compile(
    r"(?:^|[.,;!]\s*|\b(?:please|pls|just|to|and|(?:can|could|would|will) (?:you|u|we)(?: please| pls)?) )"
    r"(?:make|move|push|shift|put|bring|change|reschedule|postpone|delay|swap|switch)\b|改到|改成|挪|推迟|提前|延后",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:the|our|my)\s+", re.IGNORECASE)
_HELD_UP = (
    r"\b(?:stuck|held up|caught|delayed|parked|waiting|sat|sitting)(?: (?:in|on|at|behind))? (?:(?:the|our|my) )?"
)
"""What keeps somebody from coming: "he's stuck on the motorway"."""
_NOT_AT = r"\b(?:not|instead of|rather than|no longer|n['’]t)(?: (?:in|at))? (?:(?:the|our|my) )?"


def with_a_change(agenda: Agenda, kind: Kind, line: str, told: Told, about: Told) -> str:
    """The change that the user's words tell, in place of a command that changes nothing of an entry that is there: an
    appointment that is off goes, another one gets the moment, or else the place, and a todo that is told to be done is
    marked so. A place that is the same as before, or that nobody named, is left out of any change. Any other command as
    it is.

    Args:
        agenda: that has the entry.
        kind: of the list.
        line: the command.
        told: what is known.
        about: the same, with that part of the request which is about the entry.
    """
    _, order, details = parts_meant(line, kind, agenda.language)
    if order not in ("edit", "find", "show"):
        return line
    named, rest = named_to_edit(unquoted(details))
    named, rest = (named, rest) if named else (unquoted(details), "")
    entry = only_named(agenda, kind, named, told.now)
    if entry is None:
        return line
    if order != "edit":
        return _moved_on_request(kind, entry, told, about) or line
    # A todo has no place, and no entry a quantity.
    rest = without_option(rest, _PLACE) if kind == "todo" else rest
    given, rest = rest, _OF_NO_ENTRY.sub("", rest)
    left = _without_what_stays(entry, rest, told)
    if left.strip():
        return f"/{kind} edit {named} {left.strip()}" if left != rest else line
    first = replace(told, request=told.request[:1])
    if rest != given and (new := reworded(entry.text, first)):
        return f"/{kind} edit {entry.id} {new}"
    own = clauses_about(entry, about)
    asked = any(f"{one.strip()}?" in fold(told.request[0]) for one in own)
    if kind == "schedule" and own and not asked and _is_off(entry, own, told):
        return f"/schedule rm {entry.id}"
    if len(told.request) > 1 or not own or asked or any(traits(one) & {"off", "asks"} for one in own):
        return line
    if kind == "todo" and not entry.is_urgent and any(calls_urgent(one) for one in [*own, told.request[0]]):
        return f"/todo edit {entry.id} --priority high"
    if kind == "todo":
        done = all("done" in traits(one) and not TO_DO.search(one) for one in own) and not says(
            told, CHANGES, _TO_CHANGE
        )
        return f"/todo done {entry.id}" if done else line
    if moved := moved_entry(kind, entry, about):
        return moved
    place = _place_now(entry, told)
    return f"/schedule edit {entry.id} --place {place}" if place else line


def _moved_on_request(kind: Kind, entry: Entry, told: Told, about: Told) -> str:
    """The change that moves an entry, where the user asks for it and a small model only looks the entry up: "could you
    make it an hour later?"; "" for a question about the entry."""
    own = clauses_about(entry, about)
    asked = any(f"{one.strip()}?" in fold(told.request[0]) or "asks" in traits(one) for one in own)
    wanted = own and not asked and len(told.request) == 1 and _ASKS_TO_MOVE.search(fold(told.request[0]))
    return moved_entry(kind, entry, about) if wanted else ""


def _is_off(entry: Entry, own: Sequence[str], told: Told) -> bool:
    """Whether the user's clauses about an appointment say that it is off, and nothing gives another day for it."""
    days = set(told_days(told.request, told.now))
    is_gone = all("off" in traits(one) and not traits(one) & {"moved", "asks"} for one in own)
    return is_gone and len(told.request) == 1 and days <= {str(entry.moment)[:10]}


def _without_what_stays(entry: Entry, options: str, told: Told) -> str:
    """The options of a change without a place and a moment that the entry keeps, or that the user takes back."""
    place, at = option_value(options, _PLACE), option_value(options, AT)
    said = "\n".join(map(fold, told.request))
    bare = re.escape(_ARTICLE.sub("", fold(place or "")))
    # Where they no longer are, or cannot get away from.
    left = place and re.search(rf"(?:{_NOT_AT}|{_HELD_UP}){bare}(?!\w)", said, re.IGNORECASE)
    unsaid = marks(place or "") - marks(entry.text)
    made_up = unsaid and not unsaid & marks(said)
    if place and (_SAME.fullmatch(place) or USUAL_PLACE.search(place) or left or made_up):
        options = without_option(options, _PLACE)
    if at is None:
        return options
    read = read_when(at, told.now)
    alone = not without_option(options, AT).strip()
    is_own = alone and read is not None and read.has_date and read.end is None and read.moment == entry.moment
    same = read is None and _SAME.fullmatch(at)
    return without_option(options, AT) if is_own or same or _goes_on(entry, told) else options


def _goes_on(entry: Entry, told: Told) -> bool:
    return entry.moment is not None and weeks_on(entry.moment, said_of(entry, told), told.now) is not None


def _place_now(entry: Entry, told: Told) -> str:
    """The one place that the user's words about an appointment have for it from now on; "" for none."""
    said = fold(told.request[0])
    own = [one for one in SENTENCE.split(said) if marks(one) & marks(entry.text)]
    found = {
        place.strip() for one in own for match in _NOW_AT.finditer(one) if (place := match["place"] or match["new"])
    }
    named = [one for one in found if not is_when(one) and not told_times(one, told.now)]
    new = [one for one in named if marks(one) and marks(one) != marks(entry.place)]
    return new[0] if len(new) == 1 else ""
