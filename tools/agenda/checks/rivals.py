"""The entries that the user's words fit as well as the one that a command names, or better."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from operator import ge

from ...dates.found import Times
from ...dates.told import told_days
from ...dates.words import fold
from ...likeness import is_chinese, marks, traits
from ...metadata import Told
from ..line import MOMENT, option
from .asked_about.choice import misspelled
from .entries import GENERAL, TO_A_DAY, Entry, is_at, named_by_chance, named_in, shared, spoken_of, times_in
from .said.clauses import clauses_of, clauses_with
from .said.pointing import goes_on, is_of_another, told_instead

ADDED = re.compile(r"(?:Added|已添加)\D*(?P<id>\d+)[:：] ?(?P<text>.*)")
"""What the agenda says of an entry that it has added."""
_BESIDE = re.compile(
    r"\b(?:after|before|above|below|behind|next|then|stays?|leave)\b|[前后]面|[之以][前后]", re.IGNORECASE
)
"""By which a user may name an entry only to tell another one's place."""
_PRIORITY = option("priority|prio")
_OF_NEWS = marks("ive weve made had got done did ticked call job errand sorted today yesterday just finally now")
"""What says of anything that it is done: "I've made the phone call"."""
_ORDERED = {"rm": frozenset({"off"}), "done": frozenset({"done"}), "edit": frozenset({"moved"})}
"""What a clause says that is about an order."""


def rivals_of(chosen: Entry, pool: Sequence[Entry], order: str, rest: str, told: Told) -> list[Entry]:
    """The chosen entry and those that the user's words fit as well or better: each word and date that names the chosen
    one names these, too. An entry of which no word was said may be one that was spoken of before.

    Args:
        chosen: the entry that a command names.
        pool: those that it may mean.
        order: of the command.
        rest: what it says besides.
        told: what is known.
    """
    said, moved = times_in(told.request, told.now), times_in([rest], told.now)
    # Where an entry is moved to says nothing of which one it is, unless its day stays.
    stays = {chosen.moment.date()} if chosen.moment and not any(map(TO_A_DAY.search, told.request)) else set[date]()
    said = Times(said.dates - (moved.dates - stays), said.implied, said.times - moved.times, said.lengths)
    own, at = shared(chosen, told), is_at(chosen, said)
    # "That meeting tomorrow" may be any of that day.
    by_day = not own and at[0] and any(map(GENERAL.search, told.request))
    if not own and (spoken_of(chosen, told) or (goes_on(told) and not by_day)):
        return []
    # What this run has added is not what was there to be changed.
    added = {int(found["id"]) for done in told.done if (found := ADDED.match(done))}

    def fits_as_well(one: Entry) -> bool:
        words = shared(one, told)
        is_named = by_day or (bool(words) and words >= own)
        is_apart = _is_named_whole(chosen, one, told) or _told_apart(chosen, one, told, order)
        # "The exam" is not the "lunch after the exam".
        beside = _BESIDE.search(one.text)
        is_apart = is_apart or bool(beside and own and not marks(one.text[: beside.start()]) & own)
        is_apart = is_apart or (order == "done" and _is_chosen_by_the_news(chosen, one, told))
        # "That one's Ayub's" is about what was just put in.
        goes_on_about_it = words == own and spoken_of(chosen, told) and not spoken_of(one, told) and goes_on(told)
        is_apart = is_apart or goes_on_about_it
        return is_named and all(map(ge, is_at(one, said), at)) and not is_apart

    others = [one for one in pool if one is not chosen and (one.id not in added or chosen.id in added)]
    others = [one for one in others if fits_as_well(one)]
    return sorted([chosen, *others], key=lambda one: one.id) if others else []


def of_the_day(chosen: Entry, pool: Sequence[Entry], told: Told) -> list[Entry]:
    """The entries of the day on which the user calls one off, where the chosen one is on another day, and has no word
    of theirs that these have not: "cancel my appointment on Friday, they want me in for an extra shift" is not about a
    night shift on Saturday, nor "Bruno's walk on friday is off" about that of Bruno and Biscuit on Monday."""
    clauses = [one for one in clauses_of(told) if "off" in traits(one)]
    said = times_in(clauses, told.now)
    if spoken_of(chosen, told) or len(told.request) > 1 or chosen.moment is None or is_at(chosen, said)[0]:
        return []
    named = marks("\n".join(one for one in clauses if told_days([one], told.now)))
    return [one for one in pool if is_at(one, said)[0] and marks(one.about) & named >= marks(chosen.about) & named]


def named_instead(chosen: Entry, rivals: Sequence[Entry], told: Told) -> Entry | None:
    """The one entry whose whole text the user's words have, where they have nothing of the chosen one's."""
    said = fold(told.request[0]).casefold()
    if _BESIDE.search(said):
        return None
    whole = [one for one in rivals if marks(one.text) and fold(one.text).casefold() in said]
    return whole[0] if len(whole) == 1 and not marks(chosen.text) & marks(said) else None


def is_unnamed(entry: Entry, told: Told, new: str = "") -> bool:
    """Whether the user's words name something, but not this entry: neither by a word nor by its day or time. The time
    at which something new is to be ("dinner on Friday at seven, put that in") names none that is at seven."""
    if spoken_of(entry, told) and not is_of_another(entry.about, told):
        return False
    if is_chinese(entry.text) != is_chinese(" ".join(told.request)):
        return False
    said = times_in(told.request, told.now)
    named = marks(" ".join(told.request))
    if any(named_in(answer, [entry], told.now) or misspelled(answer, [entry]) for answer in told.request[1:]):
        return False
    by_chance = bool((MOMENT.search(new) or _PRIORITY.search(new)) and named_by_chance([entry], told))
    # Something new may be at the same hour of another day.
    by_time = (is_at(entry, said)[0] if by_chance else any(is_at(entry, said))) and not told_instead(
        "schedule", new, told
    )
    by_words = shared(entry, told) and not by_chance
    return bool(named and marks(entry.about)) and not by_words and not by_time


def _is_named_whole(chosen: Entry, other: Entry, told: Told) -> bool:
    """Whether the user's words have all of an entry's text, which is more than a word or a part of the other's, and not
    all that the other is about."""
    said, whole = fold(told.request[0]).casefold(), fold(chosen.text).casefold()
    known = " " in whole or whole in fold(other.text).casefold()
    is_said = re.search(rf"(?<![a-z\d]){re.escape(whole)}(?![a-z\d])", said)
    return bool(known and is_said) and not marks(other.text) <= marks(said)


def _told_apart(chosen: Entry, other: Entry, told: Told, order: str) -> bool:
    """Whether what is ordered is said beside the day of the chosen entry, and not beside that of the other: "leave
    monday's shift, the tuesday one is off"."""
    if chosen.moment is None or other.moment is None:
        return False
    clauses = [one for one in clauses_of(told) if traits(one) & _ORDERED.get(order, frozenset())]
    ends = any(traits(one) & {"off", "done"} for one in told.request)
    if not (clauses or ends or any(map(TO_A_DAY.search, told.request))):
        clauses = clauses_with(shared(chosen, told), told)
    days = told_days(clauses, told.now)
    return str(chosen.moment.date()) in days and str(other.moment.date()) not in days


def _is_chosen_by_the_news(chosen: Entry, other: Entry, told: Told) -> bool:
    """Whether two entries have nothing in common but what the user named, and the user says more of it than that it is
    done: "the kiln's mended" of "get the kiln repaired" and "sweep out the kiln room". What the words mean, the model
    knows."""
    named, known = shared(chosen, told), marks(told.request[0])
    if marks(chosen.about) & marks(other.about) - named or shared(other, told) != named:
        return False
    # "Done" and "half of it is written" may be said of either.
    clauses = clauses_with(named, told)
    more = known - named - _OF_NEWS
    return any(marks(one) & more and not traits(one) & {"done", "off", "moved"} for one in clauses)
