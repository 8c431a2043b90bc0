"""Commands that do another thing than the user's words speak of: a small model adds what it should tick off.

Judged by words alone, so the model is told first, and then the user is asked. In doubt a command is as it is meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from functools import partial

from ....errors import CommandError
from ...calls.required import Missing, Told
from ...dates.durations import is_duration, parse_duration
from ...dates.told import told_times
from ...dates.when import parse_when
from ...dates.words import fold, ids_of, unquoted
from ...likeness import is_chinese, marks, traits, wants_nothing
from ..agenda import Agenda
from ..request import Kind, fitting_entries, named_to_edit
from ..texts import text
from .corrected import agreed_to, corrected, rather, to_correct, unnamed_correction
from .which import CLAUSES, Entry, entries_meant, is_at, line_of, times_in

_ONLY_ASKS = re.compile(
    r"(?:(?:hey|hi|hello|wait|so|and|ok|okay|um+|sorry|please)[,! ]+)*(?:what(?! if| about \w+ing)"
    r"|when|which|where|who|whom|how(?! about \w+ing)|am i|do i|did|have i"
    r"|is (?:there|it(?! possible)|that|anything)|are there|was|were)\b[^.!;\n]*[?.! ]*",
    re.IGNORECASE,
)
_ONLY_ASKS_ZH = re.compile(r"[^。！；\n]*(?:什么|哪|多少|几|有没有|吗|谁)[^。！；\n]*[?？。 ]*")
_ASKS_FOR_IT = re.compile(r"帮|请|能不能|可以|可不可以|麻烦|把|改|删|加|记[一下个]")
_FOR = re.compile(r"(?<!\S)--(?:for|duration)[\s=:]+((?:(?!\s--).)+)", re.IGNORECASE)
_AT = re.compile(r"(?<!\S)--(?:at|when)[\s=:]+((?:(?!\s--).)+)", re.IGNORECASE)
_LATER = re.compile(
    r"\blater\b|\bback by\b|\b(?:push|put|move|shift)\w* .{0,30}\bback\b|推迟|[往向]后推|延后|顺延|晚一?", re.IGNORECASE
)
_EARLIER = re.compile(r"\bearlier\b|\bforward\b|提前|早一?", re.IGNORECASE)
_PAST = re.compile(r"\b(?:was|were|had|came|went|got|did|done|since|ago|yesterday)\b|了|过", re.IGNORECASE)
_OPTION = re.compile(r"(?<!\S)--\w")
_REMOVES = re.compile(
    r"\b(?:never ?mind|scratch|can go|strike|nix|bin|clear|rid of|lose|kick|ditch|skip|leave out|wipe|erase|undo|out"
    r"|away|obsolete|pointless|void|not|no|without|instead|rm|del)\b|n['’]t\b|[去划清扔]掉|不|撤|没必要|作废",
    re.IGNORECASE,
)
"""Words that may mean that something is to go; `traits` knows the usual ones."""
_IRREGULAR = {
    "bring": "brought",
    "build": "built",
    "buy": "bought",
    "choose": "chose",
    "do": "did",
    "draw": "drew",
    "feed": "fed",
    "find": "found",
    "get": "got",
    "give": "gave",
    "hang": "hung",
    "lend": "lent",
    "make": "made",
    "meet": "met",
    "pay": "paid",
    "ring": "rang",
    "sell": "sold",
    "send": "sent",
    "speak": "spoke",
    "sweep": "swept",
    "take": "took",
    "tell": "told",
    "write": "wrote",
}
_NOT_YET = re.compile(
    r"\b(?:not|never|nobody|no one|to be|will|would|should|must|if|until|unless|when|forgot|yet)\b|n['’]t\b",
    re.IGNORECASE,
)

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
    if _only_asks(told) or wants_nothing(told.request[-1]):
        key = "agenda.only_asked" if _only_asks(told) else "agenda.nothing_asked"
        hint = text(agenda.language, key, command=f"/{kind} list")
        return Missing(question, agreed, at_once=False, hint=hint)
    if order == "add":
        return _wrongly_added(agenda, kind, details, told, agreed)
    if order == "rm":
        return _wrongly_removed(agenda, kind, details, told, agreed)
    if order == "edit" and (mend := unnamed_correction(agenda, kind, details, told)):
        return mend
    return _wrong_length(agenda, details, told) if (kind, order) == ("schedule", "edit") else None


def _wrongly_added(agenda: Agenda, kind: Kind, details: str, told: Told, agreed: Completed) -> Missing | None:
    named, options = _split(details)
    known, found = _there_already(agenda, kind, named, told), corrected(agenda, told)
    if known and found == (kind, known):
        # "Make that fifty": the entry as it was, with one thing new, is the change of it.
        question = text(agenda.language, "todo.ask_again", entry=f"{known.id}: {known.text}")
        return to_correct(agenda, kind, kind, known, told, Missing(question, agreed, at_once=False))
    if known:
        beside = _traits_beside(known.text, told)
        mend = f"/todo done {known.id}" if "done" in beside and kind == "todo" else ""
        # "Dropped the car off" calls nothing off.
        mend = mend or (f"/{kind} rm {known.id}" if "off" in beside and "done" not in beside else "")
        if mend:
            return rather(agenda, "agenda.there_already", known, mend)
        question = text(agenda.language, "todo.ask_again", entry=f"{known.id}: {known.text}")
        return Missing(question, agreed, at_once=False)
    if found:
        question = text(agenda.language, "agenda.ask_beside", text=unquoted(named), entry=line_of(agenda, found[1]))
        return to_correct(agenda, kind, *found, told, Missing(question, agreed, at_once=False))
    if kind == "todo" and "--due" not in options and (date := _date_of(named, told)):
        return Missing("", agreed, at_once=False, hint=text(agenda.language, "todo.unused_date", due=f"--due {date}"))
    return None


def _wrongly_removed(agenda: Agenda, kind: Kind, details: str, told: Told, agreed: Completed) -> Missing | None:
    entries = entries_meant(agenda, kind, told.now)
    numbers = re.findall(r"\d+", details)
    found = [one for one in entries if str(one.id) in numbers] or fitting_entries(unquoted(details), entries)
    if len(found) != 1 or "off" in (beside := _traits_beside(found[0].text, told)):
        return None
    entry = found[0]
    if kind == "todo" and "done" in beside:
        return rather(agenda, "todo.done_instead", entry, f"/todo done {entry.id}")
    if kind == "todo" and not told.before and not any(map(_REMOVES.search, map(fold, told.request))):
        hint = text(agenda.language, "todo.not_off", entry=line_of(agenda, entry), mend=f"/todo done {entry.id}")
        question = text(agenda.language, "agenda.ask_sure", command=f"/todo rm {entry.id}")
        return Missing(question, agreed, at_once=False, hint=hint)
    said = times_in(told.request, told.now)
    moved = told.before and (said.dates or said.times) and not any(is_at(entry, said))
    if moved or corrected(agenda, told):
        question = text(agenda.language, "agenda.ask_sure", command=f"/{kind} rm {entry.id}")
        return to_correct(agenda, kind, kind, entry, told, Missing(question, agreed, at_once=False))
    return None


def _wrong_length(agenda: Agenda, details: str, told: Told) -> Missing | None:
    """An appointment that is made as long as it is to be moved by, or that is moved by something else."""
    named, rest = named_to_edit(unquoted(details))
    lasting, at = _FOR.search(rest), _AT.search(rest)
    entries = entries_meant(agenda, "schedule", told.now)
    found = [one for one in entries if ids_of(named) == [one.id]] or fitting_entries(named, entries)
    if len(found) != 1 or found[0].moment is None:
        return None
    clauses = CLAUSES.split(fold(told.request[0]))
    said = next((one for one in clauses if marks(one) & marks(found[0].about)), fold(told.request[0]))
    shift, lengths = _LATER.search(said) or _EARLIER.search(said), times_in([said], told.now).lengths
    given = any(one[-1] not in "hm" for one in told_times(said, told.now))
    if shift is None or len(lengths) != 1 or given:
        return None
    [length] = lengths
    moved = found[0].moment + (length if _LATER.search(said) else -length)
    as_long = lasting and is_duration(lasting[1].strip()) and parse_duration(lasting[1].strip()) == length
    if not as_long and (at is None or _starts(at[1], {moved, found[0].moment}, told)):
        return None
    return rather(agenda, "agenda.moved_instead", found[0], f"/schedule edit {found[0].id} --at {moved:%Y-%m-%d %H:%M}")


def _starts(at: str, moments: set[datetime], told: Told) -> bool:
    """Whether a time, on the day of the moment if it names none, is one of these; what cannot be read is refused."""
    try:
        when = parse_when(at.strip(), told.now)
    except CommandError:
        return True
    days = {one.date() for one in moments} if not when.has_date else {when.moment.date()}
    return any(one.time() == when.moment.time() and one.date() in days for one in moments)


def _there_already(agenda: Agenda, kind: Kind, named: str, told: Told) -> Entry | None:
    """The entry that has the text of a new one; or, where the user reports something, all that it is about."""
    wanted = fold(unquoted(named)).casefold().strip(" .!")
    about = marks(wanted) if any("done" in traits(one) for one in told.request) else frozenset[str]()
    said = times_in(told.request, told.now)
    for entry in entries_meant(agenda, kind, told.now, "done"):
        same = fold(entry.text).casefold() == wanted
        if kind == "schedule" and same and (said.dates or said.times) and not all(is_at(entry, said)):
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


def _only_asks(told: Told) -> bool:
    said = fold(told.request[0]).strip()
    if len(told.request) > 1:
        return False
    if is_chinese(said):
        return bool(_ONLY_ASKS_ZH.fullmatch(said)) and not _ASKS_FOR_IT.search(said)
    return bool(_ONLY_ASKS.fullmatch(said))


def _traits_beside(entry: str, told: Told) -> frozenset[str]:
    """The traits of the user's words without those of an entry, whose text may speak of something off or done."""
    own = set(re.findall(r"\w+", fold(entry).casefold()))
    said = " ".join(
        word for one in told.request for word in fold(one).split() if word.casefold().strip(".,!?") not in own
    )
    done = any(_tells_it_done(entry, fold(one)) for one in told.request)
    return traits(said) | frozenset({"done"} if done else ())


def _tells_it_done(entry: str, said: str) -> bool:
    """Whether words tell in the past tense what an entry has to be done: "he fetched the dry cleaning"."""
    verb = re.match(r"[a-z]+", fold(entry).casefold())
    if verb is None:
        return False
    past = _IRREGULAR.get(verb[0]) or rf"{verb[0].removesuffix('e').removesuffix('y')}(?:ed|{verb[0][-1]}ed|ied)"
    told = re.compile(rf"\b{past}\b", re.IGNORECASE)
    return any(told.search(clause) and not _NOT_YET.search(clause) for clause in CLAUSES.split(said))


def _split(details: str) -> tuple[str, str]:
    option = _OPTION.search(fold(details))
    return (details[: option.start()], details[option.start() :]) if option else (details, "")
