"""Which entry a command means, and the question where the user's words fit several.

A command that ends or edits entries goes in, with what is known; what it lacks comes out, or None. In this order:

1. The command is read: by which words or ids it names entries, of those that it may mean (`_Command`).
2. If it is for several: those that the user excepts stay (`_excepting`), and the user says which others (`_several`).
3. If it is for one that was ended under another name, the model is told so (`_met_already`).
4. Else that one is found by its id or by its words, with its rivals: those that the user's words fit as well
   (`rivals.py`).
5. Of several, an answer has chosen one, or the user is asked which; so is who named none of them (`_one_of`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from ....._internal.texts import shortened
from ....dates.words import WEEKDAY, fold
from ....likeness import marks
from ....metadata import Missing, Told
from ...agenda import Agenda
from ...line import ids_of
from ...request import EVERY, Kind, fitting_entries, named_and_rest
from ...texts import text
from ...todo import unmarked
from ..command import Command
from ..entries import Entry, entries_meant, excepted, is_at, line_of, named_by_chance, shared, times_in
from ..rivals import is_unnamed, named_instead, of_the_day, rivals_of
from ..said.pointing import goes_on, told_instead
from ..said.words import says, without_exception
from .answers import agreed_or_named, agreed_to, hinted
from .choice import all_but, chosen_by, says_what_stays, with_id
from .what_stays import is_place

_SEVERAL = re.compile(
    r"(?<!after )(?<!at )\ball\b(?! (?:there|i|that|we|day|right)\b)|\b(?:both|every|each|everything|either)\b"
    # "At long last", "first thing" and "last night" count no entries.
    r"|(?<!\bat )(?<!\blong )(?<!\ba )\b(?:first|second|third|last|latest|newest|oldest)\b"
    r"(?! (?:thing|of all|night|week(?:end)?|month|year|minute)\b)"
    rf"|\bnext (?!{WEEKDAY}|week|month)"
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
_ENDED = re.compile(r"Removed|Done\b|已删除|已完成|完成")
"""How the tool tells that an entry is gone or done."""
_OTHER = re.compile(r"\b(?:others?|another)\b|另|其他|别的", re.IGNORECASE)
_MAY_BE_ID = re.compile(
    r"(?<!\bat )(?<!\bby )(?<!\bfrom )(?<!\btill )(?<!\buntil )(?<![\d.:/-])\d+(?!\d|[.:/-]\d| ?[ap]\.?m\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A command by what it chooses.

    Attributes:
        agenda: that has the entries.
        kind: of the list.
        order: such as "rm".
        named: the words by which it names entries.
        rest: what it says besides, if it edits.
        pool: the entries that it may mean.
        ids: the numbers by which it names some of them.
        fitting: the entries that its words fit.
        told: what is known.
    """

    agenda: Agenda
    kind: Kind
    order: str
    named: str
    rest: str
    pool: Sequence[Entry]
    ids: Sequence[int]
    fitting: Sequence[Entry]
    told: Told

    @property
    def numbered(self) -> list[Entry]:
        return [one for one in self.pool if one.id in self.ids]

    @property
    def is_for_all(self) -> bool:
        return fold(self.named).casefold() in EVERY and bool(self.pool) and not self.fitting

    def rivals(self, chosen: Entry) -> list[Entry]:
        return rivals_of(chosen, self.pool, self.order, self.rest, self.told)

    def ask(self, entries: Sequence[Entry], *, several: bool = False, at_once: bool = True) -> Missing:
        """The question which of these is meant; the answer completes the command."""
        completed = partial(with_id, self.kind, self.order, self.rest, entries, self.told.now, several=several)
        return Missing(ask_which(self.agenda, self.kind, entries), completed, at_once=at_once)

    def say(self, key: str, **fields: Entry | str) -> str:
        """A text of the agenda's; of an entry its line."""
        told = {name: one if isinstance(one, str) else line_of(self.agenda, one) for name, one in fields.items()}
        return text(self.agenda.language, key, **told)


def which(written: Command) -> Missing | None:
    """An entry that is chosen although the user's words fit another one as well."""
    command, told = _read(written), written.told
    several = len(command.ids) > 1
    if (command.is_for_all or several) and command.order != "edit":
        request = fold(told.request[0])
        kept, of_all = excepted(request, command.kind, command.pool, told.now), bool(_EVERYTHING.search(request))
        # "Remove the tea and the soap, but the shop was shut" leaves nothing open.
        if kept or (kept is not None and (command.is_for_all or of_all)):
            return _excepting(command, kept, of_all=of_all)
    if command.is_for_all:
        # What the user's words mean by it is known where they say so, and stands here by its ids.
        return command.ask(command.pool, several=True, at_once=False)
    if several or _speaks_of_several(command):
        alone = not command.ids and len(command.fitting) == 1
        # "They can see both girls" is about none that the words do not name.
        unnamed = (
            alone and named_by_chance(command.fitting, told) and is_unnamed(command.fitting[0], told, command.rest)
        )
        return _one_of(command, command.fitting[0], []) if unnamed else _several(command)
    if met := _met_already(command):
        return hinted(command.say("agenda.met_already", entry=met), stands=True)
    return _by_id(command) if command.ids else _by_words(command)


def ask_which(agenda: Agenda, kind: Kind, entries: Sequence[Entry]) -> str:
    return text(agenda.language, f"{kind}.ask_which", entries="\n".join(line_of(agenda, one) for one in entries))


def _read(command: Command) -> _Chosen:
    agenda, kind, order, details, told = command
    named, rest = named_and_rest(order, details)
    named = unmarked(named) if order in ("done", "undo") else named
    pool = entries_meant(agenda, kind, told.now, order)
    if order != "edit" and not fitting_entries(named, pool):
        named = without_exception(named)
    return _Chosen(agenda, kind, order, named, rest, pool, ids_of(named), fitting_entries(named, pool), told)


def _excepting(command: _Chosen, kept: Sequence[Entry], *, of_all: bool) -> Missing | None:
    """What a command for several entries lacks, where the request excepts some: which they are, or that they stay. It
    may leave open which (`kept` is empty), and speak of all, and not only of those that the command names."""
    chosen = command.pool if command.is_for_all else command.numbered
    pool = command.pool if of_all else chosen
    completed = partial(all_but, command.kind, command.order, pool, command.told.now)
    for answer in command.told.request[1:]:
        if settled := completed(answer):
            kept = [one for one in pool if one.id not in ids_of(settled.partition(command.order)[2])]
    if kept and not any(one in kept for one in chosen):
        return None
    question = command.say("agenda.ask_stays", entries="\n".join(line_of(command.agenda, one) for one in pool))
    others = " ".join(str(one.id) for one in pool if one not in kept)
    stays = "; ".join(line_of(command.agenda, one) for one in kept)
    hint = command.say("agenda.stays", entries=stays, mend=f"/{command.kind} {command.order} {others}")
    return Missing(question, completed, at_once=not kept, hint=hint if kept and others else "")


def _speaks_of_several(command: _Chosen) -> bool:
    """Whether the user does; "the second one" and "leave both" may be answers to the very question which."""
    request, *answers = command.told.request
    further = [one for one in answers if not (is_place(one) or says_what_stays(one, command.pool, command.told.now))]
    return says(replace(command.told, request=[request, *further]), _SEVERAL)


def _several(command: _Chosen) -> Missing | None:
    """The question which of several, where the command has some that the user has not named, and lacks some others:
    "both dentist things" are none that they do not name."""
    numbered, told = command.numbered, command.told
    unnamed = [one for one in numbered if is_unnamed(one, told)]
    left = [one for one in command.pool if one not in numbered and shared(one, told)]
    if not (unnamed and left) or command.order == "edit":
        return None
    return command.ask([*unnamed, *left], several=True, at_once=False)


def _met_already(command: _Chosen) -> Entry | None:
    """The one entry that is ended, where all of the user's words that name it have named another one better, which this
    run has ended: of "drop the balloon order", the order of napkins."""
    chosen, told = command.numbered or command.fitting, command.told
    if command.order == "edit" or len(chosen) != 1:
        return None
    own, request = shared(chosen[0], told), marks(" ".join(told.request))
    ended = [marks(done) & request for done in told.done if _ENDED.match(done)]
    on_its_day = is_at(chosen[0], times_in(told.request, told.now))[0]
    return chosen[0] if own and not on_its_day and any(own < words for words in ended) else None


def _by_id(command: _Chosen) -> Missing | None:
    """What a command lacks that names one entry by its id."""
    if not command.numbered:
        return command.ask(command.pool) if _names_none(command) else None
    if _have_said_id(command.numbered, command.told):
        return None
    chosen = command.numbered[0]
    rivals = command.rivals(chosen)
    if command.order == "edit" and (instead := named_instead(chosen, rivals, command.told)):
        mend = f"/{command.kind} edit {instead.id} {command.rest}".rstrip()
        hint = command.say("agenda.names_another", entry=instead, mend=mend)
        return hinted(hint, partial(agreed_to, mend), question=ask_which(command.agenda, command.kind, rivals))
    return _one_of(command, chosen, rivals)


def _names_none(command: _Chosen) -> bool:
    """Whether the user names no entry, by words or by a number: a small model makes one up."""
    told, pool = command.told, command.pool
    named = goes_on(told) or any(shared(one, told) for one in pool) or says(told, _MAY_BE_ID)
    return not named and 0 < len(pool) <= MOST_ASKED and len(told.request) == 1


def _by_words(command: _Chosen) -> Missing | None:
    """What a command lacks that names entries by words."""
    fitting, told = command.fitting, command.told
    if not fitting:
        return _by_no_text(command)
    if _have_said_id(fitting, told):
        return None
    if len(fitting) == 1:
        return _one_of(command, fitting[0], command.rivals(fitting[0]))
    best = max(len(shared(entry, told)) for entry in fitting)
    return _one_of(command, fitting[0], [entry for entry in fitting if len(shared(entry, told)) == best])


def _by_no_text(command: _Chosen) -> Missing | None:
    """What a command lacks whose words fit no entry that it may mean."""
    named, pool, told = fold(command.named), command.pool, command.told
    if any(fold(one.text) == named for one in entries_meant(command.agenda, command.kind, told.now)):
        # It has that mark already, as the tool says.
        return None
    if command.named and 0 < len(pool) <= MOST_ASKED and not any(shared(entry, told) for entry in pool):
        return _by_nobodys_words(command)
    in_full = [one for one in pool if fold(one.text).casefold() in named.casefold()]
    # The command has the texts of two where the user names one.
    is_one = len(in_full) > 1 and len({shared(one, told) for one in in_full}) == 1
    return command.ask(in_full) if is_one else None


def _by_nobodys_words(command: _Chosen) -> Missing:
    """The question which entry is meant, where neither the command's words nor the user's name one."""
    named, told = command.named, command.told
    # "Cancel it", with nothing said before, or what neither list has: the model cannot know either.
    said = times_in(told.request, told.now)
    says_nothing = not (goes_on(told) or any(map(marks, told.request)) or said.dates or said.times)
    others = entries_meant(command.agenda, "schedule" if command.kind == "todo" else "todo", told.now)
    is_in_neither = named in told.request[0] and not any(shared(entry, told) for entry in others)
    # "I want to cancel the hotel by Saturday": what is not there cannot go, and may be what is to be added.
    wished = command.order == "rm" and is_in_neither and says(told, _WISHED)
    asked = command.ask(command.pool, at_once=(says_nothing or is_in_neither) and not wished)
    if is_in_neither:
        none_of_these = command.say("agenda.none_of_these", words=shortened(named, MOST_SHOWN))
        asked = replace(asked, question=f"{asked.question}\n{none_of_these}")
    return replace(asked, hint=command.say("agenda.none_so_called", words=named)) if wished else asked


def _one_of(command: _Chosen, only: Entry, rivals: Sequence[Entry]) -> Missing | None:
    """What a command for one entry lacks: that it is the one, where the user named none, or which of its rivals is."""
    if command.order == "rm" and command.kind == "schedule" and (on_it := of_the_day(only, command.pool, command.told)):
        if len(on_it) == 1 and shared(on_it[0], command.told):
            return hinted(command.say("agenda.chosen", entry=on_it[0], other=only), stands=True)
        rivals = on_it
    if len(rivals) < 2:
        if not is_unnamed(only, command.told, command.rest):
            return None
        if command.order == "edit" and (instead := told_instead(command.kind, command.rest, command.told)):
            thing = instead.removeprefix(f"/{command.kind} add ").partition(" --")[0]
            hint = command.say("agenda.new_instead", entry=only, mend=instead)
            asked = command.say("agenda.ask_new", text=thing)
            return hinted(hint, partial(agreed_to, instead), question=asked, stands=True)
        completed = partial(agreed_or_named, command.kind, command.order, command.rest, only, command.pool)
        return Missing(command.say("agenda.ask_this", entry=only), completed, at_once=False, stands=True)
    chosen = _chosen(rivals, command.told)
    if chosen is None:
        return command.ask(rivals)
    if chosen.id == only.id:
        return None
    # A plan may have a step for each of two, of which the user then named one.
    return hinted(command.say("agenda.chosen", entry=chosen, other=only), stands=True)


def _chosen(rivals: Sequence[Entry], told: Told) -> Entry | None:
    """The one of several entries that an answer of the user's has named, where the request speaks of one alone."""
    if _OTHER.search(told.request[0]):
        return None
    return next(filter(None, (chosen_by(answer, rivals, told.now) for answer in told.request[1:])), None)


def _have_said_id(entries: Sequence[Entry], told: Told) -> bool:
    """Whether the user's words have the number of one of them; "1.20 pm" has none."""
    return not {str(one.id) for one in entries}.isdisjoint(_MAY_BE_ID.findall(" ".join(map(fold, told.request))))
