"""Which entry a command means, and the question where the user's words fit several."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from operator import ge

from ....._internal.texts import shortened
from ....dates.found import Times
from ....dates.told import told_times
from ....dates.words import WEEKDAY, fold
from ....likeness import is_chinese, marks, traits
from ....metadata import Missing, Told
from ...agenda import Agenda
from ...line import ids_of, unquoted
from ...request import EVERY, Kind, fitting_entries, named_to_edit
from ...texts import text
from ...todo import unmarked
from ..entries import (
    GENERAL,
    TO_A_DAY,
    Entry,
    entries_meant,
    excepted,
    is_at,
    line_of,
    named_in,
    shared,
    spoken_of,
    times_in,
)
from ..said.clauses import CLAUSES
from ..said.pointing import goes_on, is_of_another
from ..said.words import says, without_exception
from .answers import agreed_or_named, agreed_to, hinted
from .choice import all_but, chosen_by, misspelled, says_what_stays, with_id
from .what_stays import is_place

_SEVERAL = re.compile(
    r"(?<!after )(?<!at )\ball\b(?! (?:there|i|that|we|day|right)\b)|\b(?:both|every|each|everything|either)\b"
    rf"|\b(?:first|second|third|last|latest|newest|oldest)\b|\bnext (?!{WEEKDAY}|week|month)"
    r"|全部|所有|都|两个|每|第[一二三四五]|最后|最早|下一个",
    re.IGNORECASE,
)
_EVERYTHING = re.compile(r"\b(?:all|any|every\w*|anything|whole|entire)\b|全|所有|都", re.IGNORECASE)
_WISHED = re.compile(
    r"\b(?:task|deadline|remind\w*)\b|\b(?:i|we)(?: \w+)? (?:(?:want|need|have|ought) to|must|should)\b|提醒|我[得要]",
    re.IGNORECASE,
)
"""By which a user may want to be told later of what is to go: "task please: cancel the ferry"."""
MOST_ASKED = 20
MOST_SHOWN = 60
"""Letters of what a user may have called an entry, in a question."""
_ADDED = re.compile(r"(?:Added|已添加)\D*(\d+)[:：]")
_ENDED = re.compile(r"Removed|Done\b|已删除|已完成|完成")
"""How the tool tells that an entry is gone or done."""


def which(agenda: Agenda, kind: Kind, order: str, details: str, told: Told) -> Missing | None:
    """An entry that is chosen although the user's words fit another one as well."""
    words = unmarked(unquoted(details)) if order in ("done", "undo") else unquoted(details)
    named, rest = named_to_edit(words) if order == "edit" else (words, "")
    pool = entries_meant(agenda, kind, told.now, order)
    named = named if order == "edit" or fitting_entries(named, pool) else without_exception(named)
    ids = ids_of(named)
    is_all = fold(named).casefold() in EVERY and bool(pool) and not fitting_entries(named, pool)
    if (is_all or len(ids) > 1) and order != "edit":
        request = fold(told.request[0])
        kept, of_all = excepted(request, kind, pool, told.now), is_all or bool(_EVERYTHING.search(request))
        # "Remove the tea and the soap, but the shop was shut" leaves nothing open.
        if kept or (kept is not None and of_all):
            chosen = [*pool] if is_all else [one for one in pool if one.id in ids]
            return _stays(agenda, kind, order, chosen, pool if of_all else chosen, kept, told)
    if is_all:
        # What the user's words mean by it is known where they say so, and stands here by its ids.
        return Missing(
            ask_which(agenda, kind, pool),
            partial(with_id, kind, order, rest, pool, told.now, several=True),
            at_once=False,
        )
    # "The second one" and "leave both" may be answers to this very question.
    further = [one for one in told.request[1:] if not (is_place(one) or says_what_stays(one, pool, told.now))]
    said = replace(told, request=[told.request[0], *further])
    if len(ids) > 1 or says(said, _SEVERAL):
        unnamed = [one for one in pool if one.id in ids and _is_unnamed(one, told)]
        named_ones = [one for one in pool if one.id not in ids and shared(one, told)]
        if not (unnamed and named_ones) or order == "edit":
            return None
        # "Both dentist things" are none that they do not name.
        return Missing(
            ask_which(agenda, kind, [*unnamed, *named_ones]),
            partial(with_id, kind, order, rest, [*unnamed, *named_ones], told.now, several=True),
            at_once=False,
        )
    if met := _met_already(order, [one for one in pool if one.id in ids] or fitting_entries(named, pool), told):
        return hinted(text(agenda.language, "agenda.met_already", entry=line_of(agenda, met)), stands=True)
    numbers = set(re.findall(r"\d+", " ".join(map(fold, told.request))))
    if ids:
        chosen = [entry for entry in pool if entry.id == ids[0]]
        if not chosen or str(ids[0]) in numbers:
            return None
        only = chosen[0]
        rivals = _rivals(only, pool, told, rest, order)
        if order == "edit" and (named_instead := _named_instead(only, rivals, told)):
            mend = f"/{kind} {order} {named_instead.id} {rest}".rstrip()
            hint = text(agenda.language, "agenda.names_another", entry=line_of(agenda, named_instead), mend=mend)
            return Missing(ask_which(agenda, kind, rivals), partial(agreed_to, mend), at_once=False, hint=hint)
    else:
        fitting = fitting_entries(named, pool)
        if not fitting and any(fold(one.text) == fold(named) for one in entries_meant(agenda, kind, told.now)):
            # It has that mark already, as the tool says.
            return None
        if not fitting and named and 0 < len(pool) <= MOST_ASKED and not any(shared(entry, told) for entry in pool):
            # Neither the model's words nor the user's name an entry.
            question = ask_which(agenda, kind, pool)
            # "Cancel it", with nothing said before, or what neither list has: the model cannot know either.
            said = times_in(told.request, told.now)
            says_nothing = not (goes_on(told) or any(map(marks, told.request)) or said.dates or said.times)
            others = entries_meant(agenda, "schedule" if kind == "todo" else "todo", told.now)
            names_none = named in told.request[0] and not any(shared(entry, told) for entry in others)
            if names_none:
                question += "\n" + text(agenda.language, "agenda.none_of_these", words=shortened(named, MOST_SHOWN))
            # "I want to cancel the hotel by Saturday": what is not there cannot go, and may be what is to be added.
            wished = order == "rm" and names_none and says(told, _WISHED)
            hint = text(agenda.language, "agenda.none_so_called", words=named) if wished else ""
            at_once = (says_nothing or names_none) and not wished
            return Missing(question, partial(with_id, kind, order, rest, pool, told.now), at_once=at_once, hint=hint)
        in_full = [one for one in pool if fold(one.text).casefold() in fold(named).casefold()]
        if not fitting and len(in_full) > 1 and len({shared(one, told) for one in in_full}) == 1:
            # The command has the texts of two where the user names one.
            question = ask_which(agenda, kind, in_full)
            return Missing(question, partial(with_id, kind, order, rest, in_full, told.now))
        if not fitting or {str(one.id) for one in fitting} & numbers:
            return None
        only = fitting[0]
        if len(fitting) == 1:
            rivals = _rivals(only, pool, told, rest, order)
        else:
            best = max(len(shared(entry, told)) for entry in fitting)
            rivals = [entry for entry in fitting if len(shared(entry, told)) == best]
    if len(rivals) < 2:
        if not _is_unnamed(only, told):
            return None
        question = text(agenda.language, "agenda.ask_this", entry=line_of(agenda, only))
        completed = partial(agreed_or_named, kind, order, rest, only, pool)
        return Missing(question, completed, at_once=False, stands=True)
    if chosen := _chosen(rivals, told):
        if chosen.id == only.id:
            return None
        # A plan may have a step for each of two, of which the user then named one.
        hint = text(agenda.language, "agenda.chosen", entry=line_of(agenda, chosen), other=line_of(agenda, only))
        return hinted(hint, stands=True)
    return Missing(ask_which(agenda, kind, rivals), partial(with_id, kind, order, rest, rivals, told.now))


def _stays(
    agenda: Agenda,
    kind: Kind,
    order: str,
    chosen: Sequence[Entry],
    pool: Sequence[Entry],
    kept: Sequence[Entry],
    told: Told,
) -> Missing | None:
    """What a command for several entries lacks, where the request excepts some: which they are, or that they stay.

    Args:
        agenda: that has them.
        kind: of the list.
        order: of the command.
        chosen: the entries that the command names.
        pool: those of which some are excepted: all of the list, or those that the command names.
        kept: the excepted ones; none where the request leaves open which.
        told: what is known.
    """
    completed = partial(all_but, kind, order, pool, told.now)
    for answer in told.request[1:]:
        if settled := completed(answer):
            kept = [one for one in pool if one.id not in ids_of(settled.partition(order)[2])]
    if kept and not any(one in kept for one in chosen):
        return None
    question = text(agenda.language, "agenda.ask_stays", entries="\n".join(line_of(agenda, one) for one in pool))
    others = " ".join(str(one.id) for one in pool if one not in kept)
    stays = "; ".join(line_of(agenda, one) for one in kept)
    hint = text(agenda.language, "agenda.stays", entries=stays, mend=f"/{kind} {order} {others}")
    return Missing(question, completed, at_once=not kept, hint=hint if kept and others else "")


def _chosen(rivals: Sequence[Entry], told: Told) -> Entry | None:
    """The one of several entries that an answer of the user's has named, where the request speaks of one alone."""
    if _OTHER.search(told.request[0]):
        return None
    return next(filter(None, (chosen_by(answer, rivals, told.now) for answer in told.request[1:])), None)


_OTHER = re.compile(r"\b(?:others?|another)\b|另|其他|别的", re.IGNORECASE)
_BESIDE = re.compile(
    r"\b(?:after|before|above|below|behind|next|then|stays?|leave)\b|[前后]面|[之以][前后]", re.IGNORECASE
)
"""By which a user may name an entry only to tell another one's place."""


def ask_which(agenda: Agenda, kind: Kind, entries: Sequence[Entry]) -> str:
    return text(agenda.language, f"{kind}.ask_which", entries="\n".join(line_of(agenda, one) for one in entries))


def _named_instead(chosen: Entry, rivals: Sequence[Entry], told: Told) -> Entry | None:
    """The one entry whose whole text the user's words have, where they have nothing of the chosen one's."""
    said = fold(told.request[0]).casefold()
    if _BESIDE.search(said):
        return None
    whole = [one for one in rivals if marks(one.text) and fold(one.text).casefold() in said]
    return whole[0] if len(whole) == 1 and not marks(chosen.text) & marks(said) else None


def _met_already(order: str, chosen: Sequence[Entry], told: Told) -> Entry | None:
    """The one entry that is ended, where all of the user's words that name it have named another one better, which this
    run has ended: of "drop the balloon order", the order of napkins."""
    if order == "edit" or len(chosen) != 1:
        return None
    own, request = shared(chosen[0], told), marks(" ".join(told.request))
    ended = [marks(done) & request for done in told.done if _ENDED.match(done)]
    on_its_day = is_at(chosen[0], times_in(told.request, told.now))[0]
    return chosen[0] if own and not on_its_day and any(own < words for words in ended) else None


def _is_unnamed(entry: Entry, told: Told) -> bool:
    """Whether the user's words name something, but not this entry: neither by a word nor by its day or time."""
    if spoken_of(entry, told) and not is_of_another(entry.about, told):
        return False
    if is_chinese(entry.text) != is_chinese(" ".join(told.request)):
        return False
    said = times_in(told.request, told.now)
    named = marks(" ".join(told.request))
    if any(named_in(answer, [entry], told.now) or misspelled(answer, [entry]) for answer in told.request[1:]):
        return False
    return bool(named and marks(entry.about)) and not shared(entry, told) and not any(is_at(entry, said))


def _rivals(chosen: Entry, pool: Sequence[Entry], told: Told, new: str, order: str) -> list[Entry]:
    """The chosen entry and those that the user's words fit as well or better: each word and date that names the chosen
    one names these, too. An entry of which no word was said may be one that was spoken of before."""
    said, moved = times_in(told.request, told.now), times_in([new], told.now)
    # Where an entry is moved to says nothing of which one it is, unless its day stays.
    stays = {chosen.moment.date()} if chosen.moment and not any(map(TO_A_DAY.search, told.request)) else set[date]()
    said = Times(said.dates - (moved.dates - stays), said.implied, said.times - moved.times, said.lengths)
    own, at = shared(chosen, told), is_at(chosen, said)
    by_day = not own and at[0] and any(map(GENERAL.search, told.request))
    if not own and (spoken_of(chosen, told) or (goes_on(told) and not by_day)):
        return []
    # What this run has added is not what was there to be changed.
    added = {int(found[1]) for done in told.done if (found := _ADDED.match(done))}
    others = [one for one in pool if one is not chosen and (one.id not in added or chosen.id in added)]
    # "That meeting tomorrow" may be any of that day.
    others = [one for one in others if by_day or (shared(one, told) and shared(one, told) >= own)]
    others = [one for one in others if all(map(ge, is_at(one, said), at))]
    others = [
        one for one in others if not (_is_named_whole(chosen, one, told) or _told_apart(chosen, one, told, order))
    ]
    return sorted([chosen, *others], key=lambda one: one.id) if others else []


def _is_named_whole(chosen: Entry, other: Entry, told: Told) -> bool:
    """Whether the user's words have all of an entry's text, and of the other, which has more, they have not."""
    said, whole = fold(told.request[0]).casefold(), fold(chosen.text).casefold()
    longer = fold(other.text).casefold()
    return (
        whole in longer and longer not in said and bool(re.search(rf"(?<![a-z\d]){re.escape(whole)}(?![a-z\d])", said))
    )


_ORDERED = {"rm": frozenset({"off"}), "done": frozenset({"done"}), "edit": frozenset({"moved"})}


def _told_apart(chosen: Entry, other: Entry, told: Told, order: str) -> bool:
    """Whether what is ordered is said beside the day of the chosen entry, and not beside that of the other: "leave
    monday's shift, the tuesday one is off"."""
    if chosen.moment is None or other.moment is None:
        return False
    clauses = [one for one in CLAUSES.split(fold(told.request[0])) if traits(one) & _ORDERED.get(order, frozenset())]
    days = {item[:10] for one in clauses for item in told_times(one, told.now)}
    return str(chosen.moment.date()) in days and str(other.moment.date()) not in days
