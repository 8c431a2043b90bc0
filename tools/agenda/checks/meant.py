"""Commands that do another thing than the user's words speak of: a small model adds what it should tick off.

Judged by words alone, so the model is told first, and then the user is asked. In doubt a command is as it is meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from ...dates.told import told_times
from ...dates.words import fold, ids_of, unquoted
from ...likeness import marks, traits, wants_nothing
from ...metadata import Missing, Told
from ..agenda import Agenda
from ..request import KINDS, Kind, entries_named, split_options
from ..texts import text
from .corrected import corrected, rather, to_correct
from .edited import moved_entry, wrongly_edited
from .said.deadlines import CALENDAR, is_listed
from .said.news import tells_it_done, traits_beside
from .said.pointing import goes_on
from .said.questions import is_one_question
from .which import CLAUSES, Entry, agreed_to, entries_meant, hinted, is_at, line_of, shared, times_in

_PAST = re.compile(r"\b(?:was|were|had|came|went|got(?! to\b)|did|done|since|ago|yesterday)\b|了|过", re.IGNORECASE)
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
_OF_THE_LIST = re.compile(
    r"(?!.*\b(?:add|put|note|book|enter|create|new|instead)\b|.*[加记新])(?:can you |could you |please |pls )*"
    r"(?:(?:mark|set|check|tick|cross)\b.*\b(?:as (?:done|complete\w*|finished)|off|done)"
    r"|(?:cancel|delete|remove|move|reschedule|rename|postpone|drop)\b.*"
    r"\b(?:todo|to-do|task|appointment|event|entry|(?:off|from) (?:the|my) (?:list|calendar|schedule)))\b"
    r"|请?(?:帮我)?把?.*(?:标记?为?(?:已)?完成|从(?:清单|日程|待办)[里中上]?(?:删|移|划)|(?:删除|取消|推迟|改)(?:待办|日程|任务))",
    re.IGNORECASE,
)
"""An order about what is kept, and nothing else: what it names has to be there."""
_MAY_REMOVE = re.compile(
    r"\b(?:never ?mind|scratch|can go|strike|nix|bin|clear|rid of|lose|kick|ditch|skip|leave out|wipe|erase|undo|out"
    r"|away|obsolete|pointless|void|not|no|without|instead|rm|del)\b|n['’]t\b|[去划清扔]掉|不|撤|没必要|作废",
    re.IGNORECASE,
)
"""Words that may mean that something is to go; `traits` knows the usual ones."""
_STAYS = re.compile(
    r"\bstill (?:has|have|is|are|was|not|needs?|to)(?:n['’]?t| not)?\b|\bnot yet\b"
    r"|\bleave (?:it|that|this|them|those|the)\b"
    r"|(?<!not )(?<!n['’]t )(?<!cannot )\b(?:stays?|keep)\b|还没|别动|留着|不动",
    re.IGNORECASE,
)
_NO_DEADLINE = re.compile(
    r"\b(?:no|without an?y?) (?:more |longer an? |longer any )?(?:deadlines?|due dates?|dates?|time limits?)\b"
    r"|\b(?:deadline|due date|date)\b[^.,;]{0,20}\b(?:off|gone|dropped|lifted|scrapped|out)\b"
    r"|没有?(?:了)?(?:截止|期限)|不限时间",
    re.IGNORECASE,
)
_TO_A_DATE = re.compile(
    r"\b(?:move|push|put|change|shift|bring|postpone)\b[^.,;]{0,60}\b(?:to|until|till)\b|改[回到成期]|推[迟到]|挪到|延到",
    re.IGNORECASE,
)
_ONE_MORE = re.compile(r"\b(?:another|second|too|also|as well|one more)\b|[再也另]", re.IGNORECASE)
_BY_A_LENGTH = re.compile(
    r"\b(?:hours?|hrs?|minutes?|mins?) (?:sooner|earlier|later)\b|[早晚](?:[一二两三半]|\d).{0,2}(?:小时|分钟|个钟)"
    r"|提前|推迟",
    re.IGNORECASE,
)
_LOW = re.compile(r"\blow(?:est)?\b|低(?=优先)|优先级?.{0,3}低", re.IGNORECASE)
Completed = Callable[[str], str | None]


def misread(agenda: Agenda, kind: Kind, order: str, details: str, told: Told) -> Missing | None:
    """What speaks against a command that changes something; None for nothing.

    Args:
        agenda: with the entries that it may mean.
        kind: todos, or appointments.
        order: such as `"add"`.
        details: what follows the order.
        told: what is known.
    """
    line = f"/{kind} {order} {details}".rstrip()
    question = text(agenda.language, "agenda.ask_sure", command=line)
    agreed = partial(agreed_to, line)
    if is_one_question(told) or wants_nothing(told.request[-1]):
        key = "agenda.only_asked" if is_one_question(told) else "agenda.nothing_asked"
        hint = text(agenda.language, key, command=f"/{kind} list")
        return Missing(question, agreed, at_once=False, hint=hint)
    if order == "rm" and (mend := _not_there(agenda, kind, details, told)):
        return mend
    if order == "add":
        return _wrongly_added(agenda, kind, details, told, agreed)
    if order in ("rm", "done") and (entry := _left_alone(agenda, kind, order, details, told)):
        hint = text(agenda.language, "agenda.left_alone", entry=line_of(agenda, entry))
        return hinted(hint, stands=True)
    if kind == "todo" and order in ("rm", "done") and (mend := _moved_instead(agenda, order, details, told)):
        return mend
    if order == "rm":
        return _wrongly_removed(agenda, kind, details, told, agreed)
    if order == "done":
        return _wrongly_done(agenda, details, told)
    return wrongly_edited(agenda, kind, details, told) if order == "edit" else None


def _left_alone(agenda: Agenda, kind: Kind, order: str, details: str, told: Told) -> Entry | None:
    """The entry of a command if the user says that it stays as it is, and another one does not."""
    pool = entries_meant(agenda, kind, told.now, order)
    found, others = entries_named(details, pool), frozenset[str]()
    if len(found) != 1 or len(told.request) > 1:
        return None
    for one in pool:
        others |= marks(one.about) if one is not found[0] else frozenset[str]()
    own = marks(found[0].about) - others
    clauses = CLAUSES.split(fold(told.request[0]))
    about = [clause for clause in clauses if marks(clause) & own]
    news = {"rm": "off", "done": "done"}[order]
    stays = all(_STAYS.search(clause) and news not in traits(clause) for clause in about)
    spoken_of = any(marks(clause) & others and not _STAYS.search(clause) for clause in clauses)
    return found[0] if about and stays and spoken_of else None


def _moved_instead(agenda: Agenda, order: str, details: str, told: Told) -> Missing | None:
    """A todo that is removed or marked as done, where the user only gives it another date."""
    found = entries_named(details, entries_meant(agenda, "todo", told.now, order))
    said = fold(told.request[0])
    if len(found) != 1 or not _TO_A_DATE.search(said) or traits(said) & {"off", "asks"} or _MAY_REMOVE.search(said):
        return None
    date = _new_date("todo", found[0], told)
    is_done = any(tells_it_done(found[0].text, fold(one)) for one in told.request)
    mend = f"/todo edit {found[0].id} --due {date}"
    return rather(agenda, "agenda.there_already", found[0], mend) if date and not is_done else None


def _not_there(agenda: Agenda, kind: Kind, details: str, told: Told) -> Missing | None:
    """The removal of an entry that is not there, for what the user wants to have on the list or in the calendar."""
    named, said = unquoted(details), fold(told.request[0])
    entries = [entry for one in KINDS for entry in entries_meant(agenda, one, told.now)]
    kept = (is_listed(said) or CALENDAR.search(said)) and not goes_on(told)
    wanted = kept and frozenset() < marks(named) <= marks(said) and not traits(said) & {"off", "moved", "asks"}
    if not wanted or ids_of(named) or any(marks(entry.about) & marks(said) for entry in entries):
        return None
    hint = text(agenda.language, "agenda.none_there", command=f"/{kind} add {named}")
    return hinted(hint)


def _wrongly_added(agenda: Agenda, kind: Kind, details: str, told: Told, agreed: Completed) -> Missing | None:
    named, options = split_options(details)
    known, found = _there_already(agenda, kind, named, options, told), corrected(agenda, told)
    if known and found == (kind, known):
        # "Make that fifty": the entry as it was, with one thing new, is the change of it.
        question = text(agenda.language, "todo.ask_again", entry=f"{known.id}: {known.text}")
        return to_correct(agenda, kind, kind, known, told, Missing(question, agreed, at_once=False))
    if known:
        # Of an entry that nobody names, nothing is told.
        beside = traits_beside(known.text, told) if shared(known, told) or goes_on(told) else frozenset[str]()
        mend = f"/todo done {known.id}" if "done" in beside and kind == "todo" else ""
        # "Dropped the car off" calls nothing off.
        mend = mend or (f"/{kind} rm {known.id}" if "off" in beside and "done" not in beside else "")
        mend = mend or (f"/todo edit {known.id} --due {date}" if (date := _new_date(kind, known, told)) else "")
        mend = mend or moved_entry(kind, known, told)
        if not mend and kind == "schedule" and options and _BY_A_LENGTH.search(told.request[0]):
            mend = f"/schedule edit {known.id} {options}"
        if mend:
            return rather(agenda, "agenda.there_already", known, mend)
        if _added_now(agenda, kind, known, options, told):
            hint = text(agenda.language, "agenda.added_now", entry=line_of(agenda, known))
            return hinted(hint, agreed, stands=True)
        question = text(agenda.language, "todo.ask_again", entry=f"{known.id}: {known.text}")
        return Missing(question, agreed, at_once=False, stands=True)
    if other := _ordered_about(agenda, named, told):
        hint = text(
            agenda.language, "agenda.of_another", entry=line_of(agenda, other[1]), kind=other[0], id=other[1].id
        )
        question = text(agenda.language, "agenda.ask_beside", text=unquoted(named), entry=line_of(agenda, other[1]))
        return Missing(question, agreed, at_once=False, hint=hint)
    # What an answer names is no correction of something else.
    answered = marks(named) & marks(" ".join(told.request[1:]))
    if found and not (answered and not marks(named) & marks(found[1].about)):
        question = text(agenda.language, "agenda.ask_beside", text=unquoted(named), entry=line_of(agenda, found[1]))
        return to_correct(agenda, kind, *found, told, Missing(question, agreed, at_once=False))
    if len(told.request) == 1 and _OF_THE_LIST.match(fold(told.request[0]).strip()):
        question = text(agenda.language, "agenda.ask_new", text=unquoted(named).strip())
        return Missing(question, agreed, stands=True)
    if kind == "todo" and "--due" not in options and (date := _date_of(named, told)):
        return hinted(text(agenda.language, "todo.unused_date", due=f"--due {date}"), agreed)
    return None


def _added_now(agenda: Agenda, kind: Kind, entry: Entry, options: str, told: Told) -> bool:
    """Whether the run itself has added an entry, at the time of a command that adds it again."""
    added = text(agenda.language, f"{kind}.added", entry=f"{entry.id}: {entry.text}").rstrip(".。")
    at = times_in([options], told.now)
    same = kind == "todo" or all(is_at(entry, at)) or not (at.dates or at.times)
    return same and any(one.startswith(added) for one in told.done)


def _wrongly_removed(agenda: Agenda, kind: Kind, details: str, told: Told, agreed: Completed) -> Missing | None:
    found = entries_named(details, entries_meant(agenda, kind, told.now))
    if len(found) != 1 or "off" in (beside := traits_beside(found[0].text, told)):
        return None
    entry = found[0]
    if kind == "todo" and "done" in beside:
        return rather(agenda, "todo.done_instead", entry, f"/todo done {entry.id}")
    own = [one for one in CLAUSES.split(fold(told.request[0])) if marks(one) & marks(entry.about)]
    mend = moved_entry(kind, entry, told) or (_as_low(entry, told) if kind == "todo" else "")
    if mend and not goes_on(told) and not any(map(_MAY_REMOVE.search, own)):
        return rather(agenda, "agenda.there_already", entry, mend)
    if kind == "schedule" and not goes_on(told) and any("moved" in traits(one) for one in own):
        hint = text(agenda.language, "agenda.changes", entry=line_of(agenda, entry), edit=f"/schedule edit {entry.id}")
        question = text(agenda.language, "agenda.ask_sure", command=f"/schedule rm {entry.id}")
        return Missing(question, agreed, at_once=False, hint=hint)
    if kind == "todo" and entry.moment and any(map(_NO_DEADLINE.search, map(fold, told.request))):
        return rather(agenda, "agenda.there_already", entry, f"/todo edit {entry.id} --due none")
    if kind == "todo" and not goes_on(told) and not any(map(_MAY_REMOVE.search, map(fold, told.request))):
        hint = text(agenda.language, "todo.not_off", entry=line_of(agenda, entry), mend=f"/todo done {entry.id}")
        question = text(agenda.language, "agenda.ask_sure", command=f"/todo rm {entry.id}")
        return Missing(question, agreed, at_once=False, hint=hint)
    said = times_in(told.request, told.now)
    moved = told.before and (said.dates or said.times) and not any(is_at(entry, said))
    if moved or corrected(agenda, told):
        question = text(agenda.language, "agenda.ask_sure", command=f"/{kind} rm {entry.id}")
        return to_correct(agenda, kind, kind, entry, told, Missing(question, agreed, at_once=False))
    return None


def _wrongly_done(agenda: Agenda, details: str, told: Told) -> Missing | None:
    """A todo that is marked as done though the user only speaks of how urgent it is."""
    found = entries_named(details, entries_meant(agenda, "todo", told.now, "done"))
    mend = _as_low(found[0], told) if len(found) == 1 else ""
    return rather(agenda, "agenda.there_already", found[0], mend) if mend else None


def _as_low(entry: Entry, told: Told) -> str:
    """The command that makes a todo less urgent, where the user calls it low, and says no more of it; else ""."""
    # What is done may have been urgent, but is seldom called low.
    lowers = any(map(_LOW.search, map(fold, told.request))) and not _LOW.search(entry.text)
    return f"/todo edit {entry.id} --priority low" if lowers and "done" not in traits_beside(entry.text, told) else ""


def _ordered_about(agenda: Agenda, named: str, told: Told) -> tuple[Kind, Entry] | None:
    """The entry whose text an order has as its own words, where that becomes the text of a new one: "move the yoga"."""
    words = fold(unquoted(named)).strip()
    if not _ORDERED.match(words):
        return None
    entries: list[tuple[Kind, Entry]] = [
        (kind, entry) for kind in reversed(KINDS) for entry in entries_meant(agenda, kind, told.now, "done")
    ]
    own = marks(words)
    return next((found for found in entries if own > marks(found[1].text) > frozenset()), None)


def _new_date(kind: Kind, entry: Entry, told: Told) -> str:
    """The one date that a todo is to have in place of its own, by the user's words; "" for none."""
    said = [one for words in told.request for one in told_times(words, told.now) if one[:4].isdigit()]
    moves = any(map(_NEW_DATE.search, map(fold, told.request)))
    other = entry.moment is not None and len(said) == 1 and not said[0].startswith(str(entry.moment.date()))
    return said[0] if kind == "todo" and moves and other else ""


def _there_already(agenda: Agenda, kind: Kind, named: str, options: str, told: Told) -> Entry | None:
    """The entry that has the text of a new one; or, where the user reports something, all that it is about."""
    wanted = fold(unquoted(named)).casefold().strip(" .!")
    reports = any("done" in traits(one) for one in told.request)
    # "tickets = purchased" is about the tickets.
    about = marks(_PARTICIPLE.sub(" ", wanted)) if reports else frozenset[str]()
    said, own = times_in(told.request, told.now), times_in([options], told.now)
    moved = any("moved" in traits(one) for one in told.request)
    for entry in entries_meant(agenda, kind, told.now, "done"):
        both = not moved and is_at(entry, said)[0] and own.dates & said.dates and not is_at(entry, own)[0]
        same = fold(entry.text).casefold() == wanted
        if same and both:
            # "On Friday and on Sunday".
            continue
        shifted = bool(_BY_A_LENGTH.search(told.request[0])) and not _ONE_MORE.search(told.request[0])
        stays = is_at(entry, own)[0] and ((own.times and is_at(entry, own)[1]) or (shifted and is_at(entry, said)[0]))
        stays = stays or (moved and not _ONE_MORE.search(told.request[0]) and moved_entry(kind, entry, told))
        if kind == "schedule" and same and (said.dates or said.times) and not stays and not all(is_at(entry, said)):
            # The same on another day.
            continue
        if same or (kind == "todo" and about and about <= marks(entry.text)):
            return entry
    return None


def _date_of(named: str, told: Told) -> str:
    """The one date that the user gives beside the words of a new todo; "" for none."""
    about = marks(named)
    for clause in CLAUSES.split(fold(told.request[0])):
        times = told_times(clause, told.now)
        if about & marks(clause) and len(times) == 1 and times[0][:4].isdigit() and not _PAST.search(clause):
            return times[0]
    return ""
