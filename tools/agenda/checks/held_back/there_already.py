"""A new entry that is there already, on the list or in the calendar, and what the user's words about it mean."""

from __future__ import annotations

import re

from ....dates.found import claims_in
from ....dates.spellings import spelled_out
from ....dates.told import dated_moments
from ....dates.words import fold
from ....likeness import marks, traits
from ....metadata import Missing, Told
from ...agenda import Agenda
from ...line import unquoted
from ...request import Kind
from ...texts import text
from ..asked_about.answers import hinted
from ..command import Command
from ..entries import Entry, entries_meant, is_at, shared, spoken_of, text_about, times_in
from ..put_right.named import by_day
from ..said.news import CHANGES, traits_beside
from ..said.pointing import goes_on, is_of_another, orders_anew
from ..said.words import ANOTHER_TIME, NOW, TIME_WORDS, says
from .corrected import last_spoken_of, rather
from .edited import moved_entry

_PARTICIPLE = re.compile(r"\b(?!need|seed|feed|weed)\w{3,}ed\b|\b(?:done|bought|sent|paid|sold|made)\b", re.IGNORECASE)
_STARTS = re.compile(r"\b(?:start|begin|finish|end|over by)\w*\b|开始|结束", re.IGNORECASE)
_AGAIN = re.compile(r"\b(?:again|same|every|weekly|repeat\w*|copy|twice)\b|每|同样", re.IGNORECASE)
_ONE_MORE = re.compile(r"\b(?:another|second|too|also|as well|one more)\b|[再也另]", re.IGNORECASE)
_ANOTHER_ONE = re.compile(
    r"\b(?:another|one more|a second)\b(?! (?:day|time|date|slot|hour|spot)\b)|[再还]要?一[次个场节]|另[外一]",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:not|instead|rather)\b|n['’]t\b|不", re.IGNORECASE)
_BY_A_LENGTH = re.compile(
    r"\b(?:hours?|hrs?|minutes?|mins?) (?:sooner|earlier|later)\b|[早晚](?:[一二两三半]|\d).{0,2}(?:小时|分钟|个钟)"
    r"|提前|推迟",
    re.IGNORECASE,
)
_NEW_DATE = re.compile(
    r"\b(?:extension|extended|deadline|due|no longer|not (?:un)?til|moved?|later|earlier|instead|postponed|changed?)\b"
    r"|延期|推迟|改|截止|宽限",
    re.IGNORECASE,
)


def there_already(agenda: Agenda, kind: Kind, named: str, options: str, told: Told) -> Entry | None:
    """The entry that has the text of a new one; or, where the user reports something, all that it is about."""
    wanted = fold(unquoted(named)).casefold().strip(" .!")
    reports = any("done" in traits(one) for one in told.request)
    # "tickets = purchased" is about the tickets.
    about = marks(_PARTICIPLE.sub(" ", wanted)) if reports else frozenset[str]()
    # "We meet at the north gate now" gives no other day.
    request = [NOW.sub(" ", one) for one in told.request]
    said, given, denied = times_in(request, told.now), times_in([options], told.now), says(told, _DENIED)
    moved = any("moved" in traits(one) for one in told.request)
    for entry in entries_meant(agenda, kind, told.now, "done"):
        # Both are said, its own and that of the new one: "at nine and at two".
        (own_day, own_hour), (day, hour) = is_at(entry, said), is_at(entry, given)
        both = own_day and given.dates & said.dates and not day
        both = not moved and (both or (own_hour and given.times & said.times and not hour and not denied))
        same = fold(entry.text).casefold() == wanted
        if same and (both or (given.dates and not is_at(entry, given)[0] and _ANOTHER_ONE.search(told.request[0]))):
            # "On Friday and on Sunday", "another swim on Sunday".
            continue
        timed = kind == "schedule" and (said.dates or said.times) and not all(is_at(entry, said))
        # "Thursday's review needs another time" names the day that it has.
        on_its_day = moved and is_at(entry, said)[0] and not said.times
        # "Cancel her dentist tomorrow" names another one, "the concert is put off until the 28th" this one.
        called_off = same and by_day(agenda, kind, "rm", str(entry.id), told) is not None
        if same and timed and not (on_its_day or called_off or _is_moved(agenda, entry, options, told)):
            # The same on another day.
            continue
        if same or (kind == "todo" and about and about <= marks(entry.text)):
            return entry
    return None


def added_again(command: Command, known: Entry, options: str) -> Missing:
    """What speaks against a new entry that is there already."""
    agenda, kind, _, _, told = command
    if mend := _meant_by(agenda, kind, known, options, told):
        return rather(agenda, "agenda.there_already", *mend)
    if _added_now(agenda, kind, known, options, told):
        return hinted(text_about(agenda, "agenda.added_now", known), command.agreed, stands=True)
    changes = "moved" in _beside(known, told) or CHANGES.search(fold(told.request[0]))
    # "Yes, another" answers a question about it.
    if len(told.request) == 1 and changes and not _ONE_MORE.search(ANOTHER_TIME.sub(" ", told.request[0])):
        edit = f"/{kind} edit {known.id}"
        hint = text_about(agenda, "agenda.changes", known, edit=edit)
        return hinted(hint, question=text(agenda.language, "agenda.ask_sure", command=edit))
    question = text(agenda.language, "todo.ask_again", entry=f"{known.id}: {known.text}")
    return hinted("", command.agreed, question=question, stands=True)


def _meant_by(agenda: Agenda, kind: Kind, known: Entry, options: str, told: Told) -> tuple[Entry, str] | None:
    """The entry that is there, or another one of its name, and the command that the user's words about it mean; None
    where they mean none."""
    beside = _beside(known, told)
    if kind == "todo" and "done" in beside:
        return known, f"/todo done {known.id}"
    # "Dropped the car off" calls nothing off.
    if "off" in beside and "done" not in beside:
        # "Cancel her dentist tomorrow" calls off the one of tomorrow.
        known = by_day(agenda, kind, "rm", str(known.id), told) or known
        return known, f"/{kind} rm {known.id}"
    if date := new_date(kind, known, told):
        return known, f"/todo edit {known.id} --due {date}"
    if moved := moved_entry(kind, known, told):
        return known, moved
    by_words = _BY_A_LENGTH.search(told.request[0]) or _is_told_more(agenda, known, told)
    by_words = by_words or _is_same_day(known, options, told)
    return (known, f"/schedule edit {known.id} {options}") if kind == "schedule" and options and by_words else None


def _beside(known: Entry, told: Told) -> frozenset[str]:
    """The traits of the user's words about an entry; of one that nobody names, nothing is told."""
    return traits_beside(known.text, told) if shared(known, told) or goes_on(told) else frozenset[str]()


def _added_now(agenda: Agenda, kind: Kind, entry: Entry, options: str, told: Told) -> bool:
    """Whether the run itself has added an entry, at the time of a command that adds it again."""
    added = text(agenda.language, f"{kind}.added", entry=f"{entry.id}: {entry.text}").rstrip(".。")
    at = times_in([options], told.now)
    same = kind == "todo" or all(is_at(entry, at)) or not (at.dates or at.times)
    return same and any(one.startswith(added) for one in told.done)


def _is_moved(agenda: Agenda, entry: Entry, options: str, told: Told) -> bool:
    """Whether an appointment of the same text as a new one is what the user means, and its time another one."""
    said, own = times_in(told.request, told.now), times_in([options], told.now)
    more = _ONE_MORE.search(told.request[0])
    shifted = bool(_BY_A_LENGTH.search(told.request[0])) and not more
    if is_at(entry, own)[0] and ((own.times and is_at(entry, own)[1]) or (shifted and is_at(entry, said)[0])):
        return True
    if any("moved" in traits(one) for one in told.request) and not more and moved_entry("schedule", entry, told):
        return True
    return _is_told_more(agenda, entry, told) or _is_same_day(entry, options, told)


def _is_told_more(agenda: Agenda, entry: Entry, told: Told) -> bool:
    """Whether a request gives a time and names nothing of an entry, but goes on about it, for it was spoken of last:
    "I'll start at 2" has no other thing."""
    said, last = fold(told.request[0]), last_spoken_of(agenda, told)
    given = times_in(told.request, told.now)
    if last is None or last[1].id != entry.id or not (given.times or given.dates):
        return False
    if traits(said) & {"asks", "off", "done"}:
        return False
    named = shared(entry, told) or _ONE_MORE.search(said) or _AGAIN.search(said) or is_of_another(entry.about, told)
    things = marks(claims_in(spelled_out(said, told.now), told.now)[1]) - TIME_WORDS
    return not named and bool(_STARTS.search(said) or (goes_on(told) and len(things) < 2))


def _is_same_day(entry: Entry, options: str, told: Told) -> bool:
    """Whether a new entry is on the day of one that was spoken of, and that the user says nothing more of than a time:
    "actually the wedding starts at half one"."""
    said = fold(told.request[0])
    more = (
        _ONE_MORE.search(said) or _AGAIN.search(said) or orders_anew(said, told.now) or traits(said) & {"asks", "off"}
    )
    on_its_day = is_at(entry, times_in([options], told.now))[0]
    return on_its_day and spoken_of(entry, told) and bool(shared(entry, told)) and not more


def new_date(kind: Kind, entry: Entry, told: Told) -> str:
    """The one date that a todo is to have in place of its own, by the user's words; "" for none."""
    said = dated_moments(told.request, told.now)
    moves = says(told, _NEW_DATE)
    other = entry.moment is not None and len(said) == 1 and not said[0].startswith(str(entry.moment.date()))
    return said[0] if kind == "todo" and moves and other else ""
