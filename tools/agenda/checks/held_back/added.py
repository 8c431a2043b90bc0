"""A new entry that the user's words do not ask for: it is there already, or they are about one that is."""

from __future__ import annotations

import re
from functools import partial

from .....errors import CommandError
from ....dates.told import DATE_LENGTH, dated_moments, told_days, told_times
from ....dates.words import fold
from ....likeness import marks, traits, wants_nothing
from ....metadata import Missing, Told
from ...agenda import Agenda
from ...line import unquoted
from ...request import KINDS, MOMENT_OPTION, Kind, split_options
from ...schedule import read_add
from ...texts import text
from ..asked_about.answers import hinted
from ..asked_about.choice import with_id
from ..asked_about.which import ask_which
from ..command import Command
from ..entries import Entry, all_meant, entries_meant, named_by_chance, shared, spoken_of, text_about, times_in
from ..said.clauses import clauses_of, clauses_with
from ..said.relative import EARLIER, LATER
from ..said.words import NEED_NOT, says
from .corrected import corrected, reopened, to_correct
from .edited import moved_now
from .there_already import added_again, there_already

_NUMBERED = re.compile(r"^\s*\d+[:：]\s*")
_PAST = re.compile(r"\b(?:was|were|had|came|went|got(?! to\b)|did|done|since|ago|yesterday)\b|了|过", re.IGNORECASE)
_NONE_OF_THEM = re.compile(r"\b(?:none|neither|new|add|another)\b|都不|新", re.IGNORECASE)
_ORDERED = re.compile(
    r"(?:please )?(?:push|move|shift|cancel|delete|remove|bin|scrap|reschedule|postpone|rename|mark|tick|cross"
    r"|call off|put off)\b|取消|删|推迟|改|移|标记",
    re.IGNORECASE,
)
_SHOVED = re.compile(r"(?:please )?(?:shove|shunt|bump|nudge|slide)\b", re.IGNORECASE)
"""An order where it says to when; "nudge the plumber" is a todo."""
_ASKED = re.compile(
    r"(?:show|tell|list) me\b|(?:what|which|when|where|who|how (?:many|much|long))\b"
    r"|(?:wanna |want to )?know (?:what|how|when|if)\b"
    r"|(?:anything|nothing|you['’]re a)\b|(?:don['’]t|do not) (?:add|put|note|book)\b"
    r"|告诉我|看看|有没有|[^，。]*(?:什么|几点|多少|哪天)",
    re.IGNORECASE,
)
_OF_THE_LIST = re.compile(
    r"(?!.*\b(?:add|put|note|book|enter|create|new|instead)\b|.*[加记新])(?:can you |could you |please |pls )*"
    r"(?:(?:mark|set|check|tick|cross)\b.*\b(?:as (?:done|complete\w*|finished)|off|done)"
    r"|(?:cancel|delete|remove|move|reschedule|rename|postpone|drop)\b.*"
    r"\b(?:todo|to-do|task|appointment|event|entry|(?:off|from) (?:the|my) (?:list|calendar|schedule)))\b"
    r"|请?(?:帮我)?把?.*(?:标记?为?(?:已)?完成|从(?:清单|日程|待办)[里中上]?(?:删|移|划)|(?:删除|取消|推迟|改)(?:待办|日程|任务))",
    re.IGNORECASE,
)
"""An order about what is kept, and nothing else: what it names has to be there."""
_AS_ANOTHER = re.compile(r"\b(?:same|during|while|when|alongside|clash\w*)\b|同一?时|的时候", re.IGNORECASE)


def adds_what_was_ticked_off(command: Command) -> Missing | None:
    """A new todo in the words of one that was ticked off, of which the user says that it is not done."""
    named, told = _named(command), command.told
    ticked = fold(unquoted(named)).casefold() in fold(told.before).casefold()
    return reopened(command.agenda, named, told) if ticked else None


def adds_what_was_removed(command: Command) -> Missing | None:
    """A new entry with the text of one that this run has removed, though the user only ends it."""
    agenda, kind, _, _, told = command
    words, said = _words(command), traits(told.request[0])
    begun = text(agenda.language, f"{kind}.removed", entries="").rstrip(" .。")
    gone = [_NUMBERED.sub("", one.removeprefix(begun)).casefold() for one in told.done if one.startswith(begun)]
    ends = "off" in said and "moved" not in said and len(told.request) == 1
    if not (words and ends and any(one.startswith(words) for one in gone)):
        return None
    named = unquoted(_named(command))
    return hinted(text(agenda.language, "agenda.removed_now", text=named), stands=True, unwanted=True)


def adds_what_was_moved(command: Command) -> Missing | None:
    """A new entry with the text of one that this run has moved by a length, which the user said once."""
    agenda, kind, _, _, told = command
    words, shifts = _words(command), says(told, LATER, EARLIER)
    alike = [one for one in entries_meant(agenda, kind, told.now) if one.moment and fold(one.text).casefold() == words]
    moved = [one for one in alike if shifts and one.moment and moved_now(one, one.moment, told)]
    return hinted(text_about(agenda, "agenda.as_it_is", moved[0]), stands=True, unwanted=True) if moved else None


def adds_what_is_there(command: Command) -> Missing | None:
    """A new entry that is there already."""
    agenda, kind, _, details, told = command
    named, options = split_options(details)
    known = there_already(agenda, kind, named, options, told)
    if known is None:
        return None
    if corrected(agenda, told) == (kind, known):
        # "Make that fifty": the entry as it was, with one thing new, is the change of it.
        question = text(agenda.language, "todo.ask_again", entry=f"{known.id}: {known.text}")
        return to_correct(command, kind, known, question)
    return added_again(command, known, options)


def adds_what_is_shown(command: Command) -> Missing | None:
    """A new entry with the text of one that the user does not name: a small model takes that of one it is shown."""
    agenda, told = command.agenda, command.told
    there = all_meant(agenda, told.now)
    same = [one for one in there if fold(one.text).casefold() == fold(unquoted(_named(command))).casefold()]
    copied = [one for one in same if _is_mostly_unsaid(one, told) or one in named_by_chance(there, told)]
    if not copied:
        return None
    question = text_about(agenda, "todo.ask_again", copied[0])
    return hinted("", command.agreed, question=question, stands=True)


def adds_an_order(command: Command) -> Missing | None:
    """A new entry that is an order about another one, or that has the moment of an appointment that is to change."""
    agenda, kind, _, details, told = command
    other = _ordered_about(agenda, _named(command), told)
    other = other or (_at_its_moment(agenda, details, told) if kind == "schedule" else None)
    if other is None:
        return None
    hint = text_about(agenda, "agenda.of_another", other[1], kind=other[0], id=str(other[1].id))
    question = text_about(agenda, "agenda.ask_beside", other[1], text=unquoted(_named(command)))
    return hinted(hint, command.agreed, question=question, stands=True)


def adds_a_correction(command: Command) -> Missing | None:
    """A new entry, where the user corrects what was said of one before."""
    agenda, told = command.agenda, command.told
    named, found = marks(_named(command)), corrected(agenda, told)
    # What an answer names is no correction of something else.
    answered = named & marks(" ".join(told.request[1:]))
    if found is None or (answered and not named & marks(found[1].about)):
        return None
    question = text_about(agenda, "agenda.ask_beside", found[1], text=unquoted(_named(command)))
    return to_correct(command, *found, question)


def adds_no_wish(command: Command) -> Missing | None:
    """A new entry, for an order about what is there, or with a text that the user asks, or says in passing."""
    told, named = command.told, _named(command)
    if len(told.request) > 1 or not (_OF_THE_LIST.match(fold(told.request[0]).strip()) or _is_no_wish(named, told)):
        return None
    question = text(command.agenda.language, "agenda.ask_new", text=unquoted(named))
    return Missing(question, command.agreed, stands=True)


def adds_what_waits(command: Command) -> Missing | None:
    """A new entry that need not be on the day of some that are there, where the user gives another day: what is there
    may be called otherwise."""
    agenda, kind, _, _, told = command
    clauses = [one for one in clauses_with(marks(_named(command)), told) if NEED_NOT.search(one)]
    own = told_days(clauses, told.now)
    given = [item for item in dated_moments(told.request[:1], told.now) if item[:DATE_LENGTH] not in own]
    pool = [
        one for one in entries_meant(agenda, kind, told.now, "done") if one.moment and str(one.moment.date()) in own
    ]
    if not pool or not given or any(map(_NONE_OF_THEM.search, told.request[1:])):
        return None
    rest = f"--{MOMENT_OPTION[kind]} {given[-1]}"
    return Missing(ask_which(agenda, kind, pool), partial(with_id, kind, "edit", rest, pool, told.now), stands=True)


def adds_without_its_date(command: Command) -> Missing | None:
    """A new todo without the date that the user gives beside its words."""
    named, options = split_options(command.details)
    date = "" if "--due" in options else _date_of(named, command.told)
    hint = text(command.agenda.language, "todo.unused_date", due=f"--due {date}")
    return hinted(hint, command.agreed) if date else None


def _named(command: Command) -> str:
    """The text of a new entry, as the command has it."""
    return split_options(command.details)[0]


def _words(command: Command) -> str:
    return fold(unquoted(_named(command))).strip().casefold()


def _is_mostly_unsaid(entry: Entry, told: Told) -> bool:
    """Whether the user has said less than half of an entry's words, and some."""
    return 0 < 2 * len(shared(entry, told)) < len(marks(entry.text))


def _is_no_wish(named: str, told: Told) -> bool:
    """Whether a new entry's text is what the user asks, or says in passing."""
    words = fold(unquoted(named)).strip().casefold()
    return words in fold(told.request[0]).casefold() and bool(_ASKED.match(words) or wants_nothing(words))


def _at_its_moment(agenda: Agenda, details: str, told: Told) -> tuple[Kind, Entry] | None:
    """The appointment whose day and time a new one has, where the user gave other times: a small model takes them from
    the entry that it should change."""
    try:
        when = read_add(details, told.now, agenda.language).when
    except CommandError:
        return None
    given = times_in([*told.request, told.before, *told.elsewhere], told.now).times
    if when is None or not given or when.moment.time() in given or any(map(_AS_ANOTHER.search, told.request)):
        return None
    appointments = entries_meant(agenda, "schedule", told.now)
    return next((("schedule", one) for one in appointments if one.moment == when.moment), None)


def _ordered_about(agenda: Agenda, named: str, told: Told) -> tuple[Kind, Entry] | None:
    """The entry whose text an order has as its own words, where that becomes the text of a new one: "move the yoga"."""
    words = fold(unquoted(named)).strip()
    if not (_ORDERED.match(words) or (_SHOVED.match(words) and "moved" in traits(words))):
        return None
    entries: list[tuple[Kind, Entry]] = [
        (kind, entry) for kind in reversed(KINDS) for entry in entries_meant(agenda, kind, told.now, "done")
    ]
    own = marks(words)
    # What was spoken of need not be named whole.
    return next(
        (
            found
            for found in entries
            if own > marks(found[1].text) > frozenset() or (own & marks(found[1].text) and spoken_of(found[1], told))
        ),
        None,
    )


def _date_of(named: str, told: Told) -> str:
    """The one date that the user gives beside the words of a new todo; "" for none."""
    about, clauses = marks(named), clauses_of(told)
    # "Book a table on the 21st" has a word in common with "return the library books".
    fewest = len(about) if any(about <= marks(clause) for clause in clauses) else 1
    for clause in clauses:
        dates = dated_moments([clause], told.now)
        of_it = about and len(about & marks(clause)) >= fewest
        denied = _PAST.search(clause) or NEED_NOT.search(clause)
        if of_it and dates == told_times(clause, told.now) and len(dates) == 1 and not denied:
            return dates[0]
    return ""
