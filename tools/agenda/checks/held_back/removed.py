"""An entry that is removed or ticked off, where the user's words have another thing become of it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ....dates.told import dated_moments, told_times
from ....dates.words import fold
from ....likeness import marks, reports, traits
from ....metadata import Missing, Told
from ...agenda import Agenda
from ...line import ids_of, unquoted
from ...request import Kind, entries_named, named_to_edit
from ...texts import text
from ..asked_about.answers import hinted
from ..asked_about.times import moves_away, to_when
from ..command import Command
from ..entries import (
    Entry,
    all_meant,
    clauses_about,
    entries_meant,
    is_at,
    only_named,
    shared,
    spoken_of,
    text_about,
    times_in,
)
from ..said.clauses import CLAUSES, clauses_of
from ..said.news import CHANGES, tells_it_done, traits_beside
from ..said.pointing import WISHES, goes_on
from ..said.words import CALENDAR, TO_DO, is_listed, says
from .corrected import corrected, rather, reopened, to_correct
from .edited import moved_entry
from .name_parts import called
from .there_already import new_date

MAY_REMOVE = re.compile(
    r"\b(?:never ?mind|scratch|can go|strike|nix|bin|clear|rid of|lose|kick|ditch|skip|leave out|wipe|erase|undo"
    r"|(?<!find )(?<!found )out|away|obsolete|pointless|void|not|nothing|no|without|instead|swap\w*|bail\w*|gone"
    r"|fell through|pull\w* out|rm|del|to go|must go|canc?e?l\w*)\b|n['’]t\b|[去划清扔]掉|不|撤|没必要|作废|黄了|泡汤",
    re.IGNORECASE,
)
"""Words that may mean that something is to go; `traits` knows the usual ones."""
_STAYS = re.compile(
    r"\bstill (?:has|have|is|are|was|not|needs?|to)(?:n['’]?t| not)?\b|\bnot yet\b"
    r"|(?:\b(?:is|are)|['’](?:s|re)) still (?:at|round|with|in|on|over|up|out|down|there|here)\b"
    r"|\bleave (?:it|that|this|them|those|the)\b"
    r"|(?<!not )(?<!n['’]t )(?<!cannot )\b(?:stays?|keep)\b|还没|别动|留着|不动",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"(?:\b(?:do not|never)|n['’]t) (?:\w+ )?(?:delete|remove|cancel|tick|cross|mark|touch|scrap|drop|bin|change)\b"
    r"|(?:n['’]t|\bnot)\b(?: \w+){0,5} yet\b|别(?:删|动|取消|勾|划|记)|还没",
    re.IGNORECASE,
)
"""What says outright that something is not to go, or not done."""
_UNDONE = re.compile(
    r"(?:\bnot|n['’]t) (?:actually |really |quite |been |all )?(?:done|finished|complete\w*|sorted|ready)\b",
    re.IGNORECASE,
)
_LEAVE_BE = re.compile(
    r"\bleave (?:it|that|this|them|those|the \w+)(?: ones?)? (?:be|alone|as (?:it|they)|where (?:it|they))\b|别动|不动",
    re.I,
)
_NEEDS = re.compile(r"\b(?:needs?|wants?|to|by)\b|要|得", re.IGNORECASE)
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
_WAITS = re.compile(
    r"\b(?:can|could|will|may) (?:wait|keep|stay)\b.*\b(?:un)?till?\b|\bleave\b.*\b(?:un)?till?\b"
    r"|\bnot (?:before|until|till)\b|等到|到.*再",
    re.IGNORECASE,
)
_REMOVES = re.compile(
    r"\b(?:delete|remove)\b(?! (?:it|that|them) (?:if|when))|\btake (?:it|that|this) off\b"
    r"|\bno longer (?:mention|show|list|have|hold|be on)\b"
    r"|从.{0,6}(?:删|移除|去掉)|删[掉除了]",
    re.IGNORECASE,
)
_TICKS_OFF = re.compile(r"\b(?:check|tick|cross|mark|strike|knock)\w*\b[^.,;!?]{0,20}\boff\b", re.IGNORECASE)
_LOW = re.compile(r"\blow(?:est)?\b|低(?=优先)|优先级?.{0,3}低", re.IGNORECASE)


def changes_what_stays(command: Command) -> Missing | None:
    """A command for an entry of which the user says that it stays as it is, where another one does not."""
    agenda, kind, order, named, told = command
    if order == "edit":
        named, _ = named_to_edit(unquoted(named))
    pool = entries_meant(agenda, kind, told.now, order)
    found, others = entries_named(named, pool), frozenset[str]()
    if len(found) != 1 or len(told.request) > 1:
        return None
    for one in pool:
        others |= marks(one.about) if one is not found[0] else frozenset[str]()
    own = marks(found[0].about) - others
    clauses = clauses_of(told)
    about = [clause for clause in clauses if marks(clause) & own]
    news = {"rm": "off", "done": "done", "edit": "moved"}[order]
    # "It isn't at three any more" moves it, and "it still needs a date" wants one.
    says_no = {"rm": (_DENIED,), "done": (_DENIED, _UNDONE), "edit": ()}[order]
    denied = [clause for clause in about if any(one.search(clause) for one in says_no)]
    if order == "edit" and any(_NEEDS.search(clause) or told_times(clause, told.now) for clause in about):
        return None
    stays = all(clause in denied or (_STAYS.search(clause) and news not in traits(clause)) for clause in about)
    another = any(marks(clause) & others and not _STAYS.search(clause) for clause in clauses)
    another = another or bool(_LEAVE_BE.search(fold(told.request[0])))
    # "Leave it until Monday" gives it another day.
    another = another or (order == "done" and not any(told_times(clause, told.now) for clause in about))
    if not stays or not (denied or (about and another)):
        return None
    return hinted(text_about(agenda, "agenda.left_alone", found[0]), stands=True)


def ends_what_was_made_now(command: Command) -> Missing | None:
    """The end of an entry that this run itself has added or changed, where the user ends nothing; or the removal of one
    that it has ticked off, where they want no more."""
    agenda, kind, order, named, told = command
    entry = only_named(agenda, kind, named, told.now, order)
    if entry is None or len(told.request) > 1:
        return None
    said = fold(told.request[0])
    hows = [] if traits(said) & {"off", "done"} else [f"{kind}.added", f"{kind}.changed"]
    hows += ["todo.now_done"] if order == "rm" and "off" not in traits(_TICKS_OFF.sub(" ", said)) else []
    # A list that this run has read names the entry, too.
    line = f"{entry.id}: {entry.text}"
    made = tuple(text(agenda.language, how, entry=line, entries=line).rstrip(".。") for how in hows)
    now = bool(made) and any(one.startswith(made) for one in told.done)
    return hinted(text_about(agenda, "agenda.as_it_is", entry), stands=True, unwanted=True) if now else None


def ends_what_waits(command: Command) -> Missing | None:
    """A todo that is removed or marked as done, where the user only gives it another date."""
    agenda, kind, order, details, told = command
    entry, said = only_named(agenda, kind, details, told.now, order), fold(told.request[0])
    if entry is None:
        return None
    date = _waits_until(entry, told)
    if not date and _TO_A_DATE.search(said) and not (traits(said) & {"off", "asks"} or MAY_REMOVE.search(said)):
        is_done = any(tells_it_done(entry.text, fold(one)) for one in told.request)
        date = "" if is_done else new_date(kind, entry, told)
    return rather(agenda, "agenda.there_already", entry, f"/todo edit {entry.id} --due {date}") if date else None


def _waits_until(entry: Entry, told: Told) -> str:
    """The one date until which a todo may wait, by the clauses about it; "" for none."""
    waits = [one for one in clauses_about(entry, told) if _WAITS.search(one)]
    dates = set(dated_moments(waits, told.now))
    return dates.pop() if len(dates) == 1 else ""


def removes_what_is_new(command: Command) -> Missing | None:
    """The removal of an entry that is not there, for what the user wants to have on the list or in the calendar, or
    only tells as a duty: "drop the suit at the cleaner's"."""
    agenda, kind, _, details, told = command
    named, said = unquoted(details), fold(told.request[0])
    entries = all_meant(agenda, told.now)
    kept = (is_listed(said) or CALENDAR.search(said)) and not goes_on(told)
    wanted = kept and frozenset() < marks(named) <= marks(said) and not traits(said) & {"off", "moved", "asks"}
    if (
        not (wanted or _is_clause(named, said))
        or ids_of(named)
        or any(marks(entry.about) & marks(said) for entry in entries)
    ):
        return None
    return hinted(text(agenda.language, "agenda.none_there", command=f"/{kind} add {named}"))


def _is_clause(named: str, said: str) -> bool:
    """Whether a clause of the user's begins with the words of a command, two or more, and does not call them off."""
    words, clauses = fold(named).casefold(), [one.strip().casefold() for one in CLAUSES.split(said)]
    rests = [one.removeprefix(words) for one in clauses if one.startswith(words)]
    if any("off" in traits(one) and (CALENDAR.search(one) or is_listed(one)) for one in clauses):
        return False
    return len(words.split()) > 1 and any(not traits(rest) & {"off", "done", "asks"} for rest in rests)


def removes_what_changes(command: Command) -> Missing | None:
    """The removal of an entry of which the user's words have another thing become."""
    agenda, kind, _, details, told = command
    entry = only_named(agenda, kind, details, told.now)
    if entry is None or "off" in (beside := traits_beside(entry.text, told)):
        return None
    own = clauses_about(entry, told)
    if kind == "todo" and "done" in beside:
        return rather(agenda, "todo.done_instead", entry, f"/todo done {entry.id}")
    mend = moved_entry(kind, entry, told) or (_as_low(entry, told) if kind == "todo" else "")
    if mend and not goes_on(told) and not any(map(MAY_REMOVE.search, own)):
        return rather(agenda, "agenda.there_already", entry, mend)
    if kind == "schedule" and shared(entry, told) and moves_away(entry, told):
        return to_when(agenda, kind, entry, told)
    if kind == "schedule" and not goes_on(told) and any("moved" in traits(one) for one in own):
        return _to_change(agenda, kind, entry)
    if kind == "todo" and entry.moment and says(told, _NO_DEADLINE):
        return rather(agenda, "agenda.there_already", entry, f"/todo edit {entry.id} --due none")
    if (name := called(entry.text, told)) and not any(map(_REMOVES.search, own)):
        return rather(agenda, "agenda.there_already", entry, f"/{kind} edit {entry.id} {name}")
    if _is_changed(entry, told) and not corrected(agenda, told):
        return _to_change(agenda, kind, entry)
    if not goes_on(told) and not says(told, MAY_REMOVE):
        ended = kind == "todo" and entry.id in {one.id for one in agenda.todos("done")}
        key, order = ("todo.not_off_done", "undo") if ended else (f"{kind}.not_off", "done")
        hint = text_about(agenda, key, entry, mend=f"/todo {order} {entry.id}")
        question = text(agenda.language, "agenda.ask_sure", command=f"/{kind} rm {entry.id}")
        return hinted(hint, command.agreed, question=question)
    said = times_in(told.request, told.now)
    moved = told.before and (said.dates or said.times) and not any(is_at(entry, said))
    if moved or corrected(agenda, told):
        question = text(agenda.language, "agenda.ask_sure", command=f"/{kind} rm {entry.id}")
        return to_correct(command, kind, entry, question)
    return None


def ends_what_is_not_meant(command: Command) -> Missing | None:
    """The end of an entry, where what the user reports, or ends, is another one."""
    agenda, kind, order, details, told = command
    entry = only_named(agenda, kind, details, told.now, order)
    if entry is None or not _is_of_others(order, entry, clauses_about(entry, told), told):
        return None
    return hinted(text_about(agenda, "agenda.left_alone", entry), stands=True, unwanted=True)


def _is_of_others(order: str, entry: Entry, own: Sequence[str], told: Told) -> bool:
    """Whether the user reports what is done, and the clauses about an entry, of whose words they say one at most, only
    want something new; or, where it is to be removed, whether they report nothing else."""
    reported, in_own = reports(told.request[0]), frozenset[str]().union(*map(traits, own))
    told_of_it = in_own & {"done", "off", "moved"} or any(tells_it_done(entry.text, fold(one)) for one in told.request)
    if not own or told_of_it or len(shared(entry, told)) > 1 or len(told.request) > 1:
        return False
    if all(map(WISHES.search, own)):
        return "done" in reported and marks(entry.text) != shared(entry, told)
    return order == "rm" and reported == frozenset({"done"}) and not any(map(TO_DO.search, own))


def _is_changed(entry: Entry, told: Told) -> bool:
    """Whether the user orders a change, of what they name or of what was spoken of."""
    meant = shared(entry, told) or spoken_of(entry, told)
    return bool(meant) and says(told, CHANGES)


def _to_change(agenda: Agenda, kind: Kind, entry: Entry) -> Missing:
    """What is told of an entry that is ended where the user only wants it changed."""
    hint = text_about(agenda, "agenda.changes", entry, edit=f"/{kind} edit {entry.id}")
    return hinted(hint, question=text_about(agenda, "agenda.ask_change", entry))


def ticks_what_was_ticked_off(command: Command) -> Missing | None:
    """A todo that is marked as done once more, of which the user says that it is not done."""
    return reopened(command.agenda, command.details, command.told)


def ticks_what_changes(command: Command) -> Missing | None:
    """A todo that is marked as done though the user only speaks of how urgent it is, or of when it is due."""
    agenda, _, order, details, told = command
    entry = only_named(agenda, "todo", details, told.now, order)
    if entry is None:
        return None
    beside = traits_beside(entry.text, told)
    is_done = "done" in beside
    if "off" in beside and says(told, _REMOVES) and shared(entry, told):
        mend = f"/todo rm {entry.id}"
    elif entry.moment and not is_done and says(told, _NO_DEADLINE):
        mend = f"/todo edit {entry.id} --due none"
    elif not is_done and (name := called(entry.text, told)):
        mend = f"/todo edit {entry.id} {name}"
    elif not is_done and _is_changed(entry, told):
        return _to_change(agenda, "todo", entry)
    else:
        moves = not is_done and bool(shared(entry, told) or spoken_of(entry, told))
        mend = _as_low(entry, told) or (moved_entry("todo", entry, told) if moves else "")
    return rather(agenda, "agenda.there_already", entry, mend) if mend else None


def _as_low(entry: Entry, told: Told) -> str:
    """The command that makes a todo less urgent, where the user calls it low, and says no more of it; else ""."""
    # What is done may have been urgent, but is seldom called low.
    lowers = says(told, _LOW) and not _LOW.search(entry.text)
    return f"/todo edit {entry.id} --priority low" if lowers and "done" not in traits_beside(entry.text, told) else ""
