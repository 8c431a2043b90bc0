"""A new entry that the user's words do not ask for: it is there already, or they are about one that is."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from .....errors import CommandError
from ....dates.found import claims_in
from ....dates.spellings import spelled_out
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
from ..entries import Entry, all_meant, entries_meant, is_at, named_by_chance, shared, spoken_of, text_about, times_in
from ..put_right.named import by_day
from ..said.clauses import clauses_of, clauses_with
from ..said.news import CHANGES, traits_beside
from ..said.pointing import goes_on, is_of_another, orders_anew
from ..said.words import ANOTHER_TIME, NEED_NOT, TIME_WORDS, says
from .corrected import corrected, last_spoken_of, rather, reopened, to_correct
from .edited import moved_entry

_PAST = re.compile(r"\b(?:was|were|had|came|went|got(?! to\b)|did|done|since|ago|yesterday)\b|了|过", re.IGNORECASE)
_NONE_OF_THEM = re.compile(r"\b(?:none|neither|new|add|another)\b|都不|新", re.IGNORECASE)
_NEW_DATE = re.compile(
    r"\b(?:extension|extended|deadline|due|no longer|not (?:un)?til|moved?|later|earlier|instead|postponed|changed?)\b"
    r"|延期|推迟|改|截止|宽限",
    re.IGNORECASE,
)
_PARTICIPLE = re.compile(r"\b(?!need|seed|feed|weed)\w{3,}ed\b|\b(?:done|bought|sent|paid|sold|made)\b", re.IGNORECASE)
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
_STARTS = re.compile(r"\b(?:start|begin|finish|end|over by)\w*\b|开始|结束", re.IGNORECASE)
_AGAIN = re.compile(r"\b(?:again|same|every|weekly|repeat\w*|copy|twice)\b|每|同样", re.IGNORECASE)
_ONE_MORE = re.compile(r"\b(?:another|second|too|also|as well|one more)\b|[再也另]", re.IGNORECASE)
_ANOTHER_ONE = re.compile(
    r"\b(?:another|one more|a second)\b(?! (?:day|time|date|slot|hour|spot)\b)|[再还]要?一[次个场节]|另[外一]",
    re.IGNORECASE,
)
_BY_A_LENGTH = re.compile(
    r"\b(?:hours?|hrs?|minutes?|mins?) (?:sooner|earlier|later)\b|[早晚](?:[一二两三半]|\d).{0,2}(?:小时|分钟|个钟)"
    r"|提前|推迟",
    re.IGNORECASE,
)
Completed = Callable[[str], str | None]


def wrongly_added(agenda: Agenda, kind: Kind, details: str, told: Told, agreed: Completed) -> Missing | None:
    """What speaks against a new entry; None for nothing."""
    named, options = split_options(details)
    known, found = _there_already(agenda, kind, named, options, told), corrected(agenda, told)
    ticked = kind == "todo" and fold(unquoted(named)).casefold() in fold(told.before).casefold()
    if ticked and (mend := reopened(agenda, named, told)):
        return mend
    if known and found == (kind, known):
        # "Make that fifty": the entry as it was, with one thing new, is the change of it.
        question = text(agenda.language, "todo.ask_again", entry=f"{known.id}: {known.text}")
        return to_correct(agenda, kind, kind, known, told, Missing(question, agreed, at_once=False))
    if known:
        # Of an entry that nobody names, nothing is told.
        beside = traits_beside(known.text, told) if shared(known, told) or goes_on(told) else frozenset[str]()
        mend = f"/todo done {known.id}" if "done" in beside and kind == "todo" else ""
        # "Dropped the car off" calls nothing off.
        if not mend and "off" in beside and "done" not in beside:
            # "Cancel her dentist tomorrow" calls off the one of tomorrow.
            known = by_day(agenda, kind, "rm", str(known.id), told) or known
            mend = f"/{kind} rm {known.id}"
        mend = mend or (f"/todo edit {known.id} --due {date}" if (date := new_date(kind, known, told)) else "")
        mend = mend or moved_entry(kind, known, told)
        by_words = _BY_A_LENGTH.search(told.request[0]) or _is_told_more(agenda, known, told)
        by_words = by_words or _is_same_day(known, options, told)
        if not mend and kind == "schedule" and options and by_words:
            mend = f"/schedule edit {known.id} {options}"
        if mend:
            return rather(agenda, "agenda.there_already", known, mend)
        if _added_now(agenda, kind, known, options, told):
            return hinted(text_about(agenda, "agenda.added_now", known), agreed, stands=True)
        changes = "moved" in beside or CHANGES.search(fold(told.request[0]))
        # "Yes, another" answers a question about it.
        if len(told.request) == 1 and changes and not _ONE_MORE.search(ANOTHER_TIME.sub(" ", told.request[0])):
            edit = f"/{kind} edit {known.id}"
            hint = text_about(agenda, "agenda.changes", known, edit=edit)
            return hinted(hint, question=text(agenda.language, "agenda.ask_sure", command=edit))
        question = text(agenda.language, "todo.ask_again", entry=f"{known.id}: {known.text}")
        return Missing(question, agreed, at_once=False, stands=True)
    # A small model takes the text of an entry that it is shown for that of the new one.
    there = all_meant(agenda, told.now)
    same = [one for one in there if fold(one.text).casefold() == fold(unquoted(named)).casefold()]
    if copied := [one for one in same if _is_mostly_unsaid(one, told) or one in named_by_chance(there, told)]:
        question = text_about(agenda, "todo.ask_again", copied[0])
        return Missing(question, agreed, at_once=False, stands=True)
    other = _ordered_about(agenda, named, told)
    if other or (kind == "schedule" and (other := _at_its_moment(agenda, details, told))):
        hint = text_about(agenda, "agenda.of_another", other[1], kind=other[0], id=str(other[1].id))
        question = text_about(agenda, "agenda.ask_beside", other[1], text=unquoted(named))
        return Missing(question, agreed, at_once=False, hint=hint, stands=True)
    # What an answer names is no correction of something else.
    answered = marks(named) & marks(" ".join(told.request[1:]))
    if found and not (answered and not marks(named) & marks(found[1].about)):
        question = text_about(agenda, "agenda.ask_beside", found[1], text=unquoted(named))
        return to_correct(agenda, kind, *found, told, Missing(question, agreed, at_once=False))
    if len(told.request) == 1 and (_OF_THE_LIST.match(fold(told.request[0]).strip()) or _is_no_wish(named, told)):
        question = text(agenda.language, "agenda.ask_new", text=unquoted(named).strip())
        return Missing(question, agreed, stands=True)
    if asked := _waits(agenda, kind, named, told):
        return asked
    if kind == "todo" and "--due" not in options and (date := _date_of(named, told)):
        return hinted(text(agenda.language, "todo.unused_date", due=f"--due {date}"), agreed)
    return None


def _is_mostly_unsaid(entry: Entry, told: Told) -> bool:
    """Whether the user has said less than half of an entry's words, and some."""
    return 0 < 2 * len(shared(entry, told)) < len(marks(entry.text))


def _waits(agenda: Agenda, kind: Kind, named: str, told: Told) -> Missing | None:
    """The question which entry is meant, where the text of a new one need not be on the day of some that are there, and
    the user gives another day: what is there may be called otherwise."""
    clauses = [one for one in clauses_with(marks(named), told) if NEED_NOT.search(one)]
    own = told_days(clauses, told.now)
    given = [item for item in dated_moments(told.request[:1], told.now) if item[:DATE_LENGTH] not in own]
    pool = [
        one for one in entries_meant(agenda, kind, told.now, "done") if one.moment and str(one.moment.date()) in own
    ]
    if not pool or not given or any(map(_NONE_OF_THEM.search, told.request[1:])):
        return None
    rest = f"--{MOMENT_OPTION[kind]} {given[-1]}"
    return Missing(ask_which(agenda, kind, pool), partial(with_id, kind, "edit", rest, pool, told.now), stands=True)


def _is_no_wish(named: str, told: Told) -> bool:
    """Whether a new entry's text is what the user asks, or says in passing."""
    words = fold(unquoted(named)).strip().casefold()
    return words in fold(told.request[0]).casefold() and bool(_ASKED.match(words) or wants_nothing(words))


def _added_now(agenda: Agenda, kind: Kind, entry: Entry, options: str, told: Told) -> bool:
    """Whether the run itself has added an entry, at the time of a command that adds it again."""
    added = text(agenda.language, f"{kind}.added", entry=f"{entry.id}: {entry.text}").rstrip(".。")
    at = times_in([options], told.now)
    same = kind == "todo" or all(is_at(entry, at)) or not (at.dates or at.times)
    return same and any(one.startswith(added) for one in told.done)


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


def _there_already(agenda: Agenda, kind: Kind, named: str, options: str, told: Told) -> Entry | None:
    """The entry that has the text of a new one; or, where the user reports something, all that it is about."""
    wanted = fold(unquoted(named)).casefold().strip(" .!")
    reports = any("done" in traits(one) for one in told.request)
    # "tickets = purchased" is about the tickets.
    about = marks(_PARTICIPLE.sub(" ", wanted)) if reports else frozenset[str]()
    said, given = times_in(told.request, told.now), times_in([options], told.now)
    moved = any("moved" in traits(one) for one in told.request)
    for entry in entries_meant(agenda, kind, told.now, "done"):
        both = not moved and is_at(entry, said)[0] and given.dates & said.dates and not is_at(entry, given)[0]
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


def new_date(kind: Kind, entry: Entry, told: Told) -> str:
    """The one date that a todo is to have in place of its own, by the user's words; "" for none."""
    said = dated_moments(told.request, told.now)
    moves = says(told, _NEW_DATE)
    other = entry.moment is not None and len(said) == 1 and not said[0].startswith(str(entry.moment.date()))
    return said[0] if kind == "todo" and moves and other else ""
