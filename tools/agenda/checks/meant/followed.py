"""An appointment that the user names only to tell when something else is: "lunch straight after the audit meeting".

Its end is then the time of the other one, and it is not what is to be changed.
"""

from __future__ import annotations

import re

from .....errors import CommandError
from ....dates.found import claims_in
from ....dates.told import told_times
from ....dates.words import WEEKDAY, fold
from ....likeness import marks, traits
from ....metadata import Missing, Told
from ...agenda import Agenda
from ...line import AT, NEW_APPOINTMENT, option_value, parted, unquoted, with_value
from ...request import entries_named, named_and_rest, named_to_edit
from ...schedule import appointment_at, read_add
from ...texts import text
from ..asked_about.answers import hinted
from ..command import Command
from ..entries import Entry, all_meant, entries_meant, is_at, only_named, spoken_of, text_about, times_in
from ..said.pointing import points_back
from ..said.words import HINDERS

_STOP = (
    rf"(?=\W*$|[,.;:!?\n]|\s+-|\s+(?:on|at|in|for|with|and|to|please|pls|today|tomorrow|{WEEKDAY}"
    r"|i|we|you|he|she|they)\b)"
)
_NAME = r"(?:the |my |our |that )?(?P<name>(?!that\b|then\b)[\w'’:/& -]{2,50}?)"
_IS_OVER = (
    r"(?:['’]s|\s+(?:is|has|gets?))?\s+(?:ends?|ended|finish(?:es|ed)?|over|done|wraps? up|wrapped up|lets? out)\b"
)
_AT_ITS_END = [
    re.compile(rf"\b(?:straight|right|directly|immediately) (?:after|following) {_NAME}(?:{_IS_OVER}|{_STOP})", re.I),
    re.compile(rf"\b(?:after|once|when|as soon as|the moment|from when) {_NAME}{_IS_OVER}", re.IGNORECASE),
]
"""By which something begins where an appointment ends; "after the meeting" leaves it open when."""
_BESIDE = re.compile(
    r"\b(?:after|before|until|(?<!the )(?<!our )till|once|when|during|following|ahead of|prior to) "
    rf"{_NAME}(?:{_IS_OVER}|{_STOP})",
    re.I,
)
_SENTENCES = re.compile(r"[.;!?\n]+(?=\s|$)|\b(?:and|but)\b")
_NO_THING = marks("put pop stick note book calendar diary list schedule please pls that this")


def as_it_follows(agenda: Agenda, command: str, told: Told) -> str:
    """A command for an appointment with the end of the one that it follows, where the user gives no other time; any
    other command as it is."""
    if not AT.search(command) and not NEW_APPOINTMENT.match(command):
        return command
    _, order, details = parted(command)
    about = details if order == "add" else named_to_edit(unquoted(details))[0]
    found = followed(agenda, told)
    if found is None or order not in ("add", "edit"):
        return command
    other, said = found
    own = entries_named(about, entries_meant(agenda, "schedule", told.now)) if order == "edit" else []
    named = frozenset[str]().union(*(marks(one.text) for one in own)) or marks(_untold(about))
    if other in own or other.moment is None or not (named - marks(other.text)) & marks(said):
        return command
    end = f"{other.moment + other.lasts:%Y-%m-%d %H:%M}"
    if order == "edit":
        return with_value(command, AT, end)
    try:
        words, _, _, place = read_add(_untold(details), told.now, "en")
    except CommandError:
        words, _, _, place = read_add(_untold(AT.sub("", details)), told.now, "en")
    return appointment_at(words, end, details, place)


def _untold(words: str) -> str:
    """The words of a new appointment without those that tell its time."""
    for one in _AT_ITS_END:
        words = one.sub("", words)
    return " ".join(words.split()).strip(" ,")


def tells_when(clause: str, told: Told) -> bool:
    """Whether a clause says no more than that something begins where another thing ends."""
    rest = next((clause.replace(match[0], " ") for one in _AT_ITS_END if (match := one.search(clause))), clause)
    return rest != clause and not marks(claims_in(rest, told.now)[1])


def followed(agenda: Agenda, told: Told) -> tuple[Entry, str] | None:
    """The appointment at whose end something is to begin, and the sentence that says so without it; None for none, or
    where the user gives an hour."""
    said = fold(told.request[0])
    if len(told.request) > 1 or "asks" in traits(said) or any(":" in one for one in told_times(said, told.now)):
        return None
    for sentence in _SENTENCES.split(said):
        for one in _AT_ITS_END:
            if (match := one.search(sentence)) and (entry := _called(agenda, match["name"], told)):
                return entry, sentence[: match.start()] + sentence[match.end() :]
    return None


def _called(agenda: Agenda, name: str, told: Told) -> Entry | None:
    """The one appointment that has all the words of a name, on a day that the user names, if they name any."""
    about, dates = marks(claims_in(name, told.now)[1]), times_in(told.request, told.now).dates
    found = [one for one in entries_meant(agenda, "schedule", told.now) if about and about <= marks(one.text)]
    found = [one for one in found if not dates or (one.moment and one.moment.date() in dates)]
    return found[0] if len(found) == 1 else None


def only_tells_when(command: Command) -> Missing | None:
    """The change of an entry that the user names only to tell when something else is."""
    agenda, kind, order, details, told = command
    said = fold(told.request[0])
    entry, rest = only_named(agenda, kind, named_and_rest(order, details)[0], told.now, order), said
    if entry is None or len(told.request) > 1 or spoken_of(entry, told):
        return None
    for match in _BESIDE.finditer(said):
        if marks(match["name"]) & marks(entry.text):
            rest = rest.replace(match[0], " ")
    hindered = [one for one in HINDERS.finditer(said) if is_at(entry, times_in([one[0]], told.now))[0]]
    for match in hindered:
        rest = rest.replace(match[0], " ") if marks(match["name"]) & marks(entry.text) else rest
    things = [one for one in _SENTENCES.split(claims_in(rest, told.now)[1]) if not points_back(one)]
    own = marks(" ".join(things)) - _NO_THING
    others = [one for one in all_meant(agenda, told.now) if one.about != entry.about]
    another = any(marks(rest) & marks(one.about) for one in others)
    # "Once the gym is over, cancel it" may be about it.
    # What hinders something is seldom what is to be changed in place of it.
    tells = traits(rest) & ({"asks"} if another or hindered else {"asks", "off", "done", "moved"})
    if rest == said or marks(rest) & marks(entry.about) or not own or tells:
        return None
    at = option_value(details, AT)
    if at and times_in([at], told.now).times & times_in(told.request, told.now).times:
        return None
    hint = text_about(agenda, "agenda.only_when", entry)
    ended = followed(agenda, told)
    if ended and ended[0] == entry and entry.moment:
        end = f"{entry.moment + entry.lasts:%Y-%m-%d %H:%M}"
        hint = text(agenda.language, "agenda.only_when_over", note=hint, end=end)
    return hinted(hint, command.agreed, question=text(agenda.language, "agenda.ask_sure", command=command.line))
