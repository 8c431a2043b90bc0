"""What an agenda command cannot do without: the time of an appointment, and which of several entries is meant.

Both are judged by the user's words alone, before the command is carried out. In doubt nothing is missing: a request
that is complete is not asked about.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import partial
from operator import ge

from ...errors import CommandError
from ..calls.required import Missing, Told
from ..dates.found import Times, claims_in, read_from
from ..dates.when import When, parse_when, tell
from ..dates.words import ORDERS, fold, ids_of, next_word, unquoted
from ..likeness import marks
from .agenda import Agenda
from .request import Kind, named_to_edit
from .schedule import read_add
from .texts import text
from .todo import unmarked

# A time that depends on something else, or that the user leaves open.
_RELATIVE = re.compile(
    r"\b(?:after|before|same|once|when|until|then|following|between|during|any ?time|whenever|doesn't matter"
    r"|you (?:choose|pick|decide)|earliest|as soon as|free|all[- ]day|earlier|later|back by|forward|instead)\b"
    r"|之后|之前|以后|以前|完了|同一|同时|随便|任何时间|什么时候都|全天|有空|推迟|提前|顺延",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"(?<!after )(?<!at )\ball\b|\b(?:both|every|each|everything|either|first|second|third|last|latest|newest|oldest)\b"
    r"|\bnext (?!mon|tue|wed|thu|fri|sat|sun|week|month)|全部|所有|都|两个|每|第[一二三四五]|最后|最早|下一个",
    re.IGNORECASE,
)
_NO_TEXT = re.compile(
    r"|(?:a |an |the |my |new )*(?:some ?thing|smth|sth|stuff|things?|tasks?|todos?|items?|entry|appointment"
    r"|event|reminder|note)|(?:某事|某件事|事情|一件事|东西|待办|日程|任务|事项)",
    re.IGNORECASE,
)
_TODAY = re.compile(r"\btoday\b|今天", re.IGNORECASE)
_TO_THE_HOUR = re.compile(r"\b(?:quarter|minutes|five|ten|twenty|\d{1,2}) to \w", re.IGNORECASE)
_FIGURES = re.compile(r"(?<!\d)(\d{1,2}):([0-5]\d)(?!\d)")
_ORDINALS = (
    re.compile(r"\b(?:first|1st|former)\b|第一|前一个|前者", re.IGNORECASE),
    re.compile(r"\b(?:second|2nd)\b|第二", re.IGNORECASE),
    re.compile(r"\b(?:third|3rd)\b|第三", re.IGNORECASE),
)
_LAST = re.compile(r"\b(?:last|latter)\b|最后|后者|后一个", re.IGNORECASE)
_ALL_OF_THEM = re.compile(r"\b(?:all|both|every|each)\b|全部|所有|都", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Entry:
    id: int
    text: str
    about: str
    moment: datetime | None
    has_time: bool = True


def missing_of(agenda: Agenda, line: str, told: Told) -> Missing | None:
    """What a command lacks; None for one that is complete, that only reads, or that cannot be read.

    Args:
        agenda: with the entries that it may mean.
        line: the command, with its slash and its first word.
        told: what is known.
    """
    name, rest = next_word(line.removeprefix("/"))
    kind: Kind = "todo" if name == "todo" else "schedule"
    word, details = next_word(rest)
    order = ORDERS.get(word.rstrip(":,"), "")
    if name == "view":
        return None
    if order == "add" and (unnamed := _without_text(agenda, kind, details)):
        return unnamed
    if kind == "schedule" and order == "add":
        return _without_time(agenda, details, told)
    if order in ("rm", "edit") or (kind == "todo" and order in ("done", "undo")):
        which = _which(agenda, kind, order, details, told)
        if which is None and (kind, order) == ("schedule", "edit"):
            return _without_new_time(agenda, details, told)
        return which
    return None


def _without_text(agenda: Agenda, kind: Kind, details: str) -> Missing | None:
    """A new entry that does not say what it is; the user may have said it."""
    option = re.search(r"(?<!\S)--\w", fold(details))
    named, rest = (details[: option.start()], details[option.start() :]) if option else (details, "")
    if not _NO_TEXT.fullmatch(fold(unquoted(named)).strip(" .!?")):
        return None
    question = text(agenda.language, f"{kind}.ask_text")
    return Missing(question, lambda answer: f"/{kind} add {answer} {rest}".rstrip(), at_once=False)


def _without_time(agenda: Agenda, details: str, told: Told) -> Missing | None:
    """An appointment whose time of day nobody gave."""
    try:
        words, when, _, _ = read_add(details, told.now, agenda.language)
    except CommandError:
        return None
    asked = _times(told.request, told.now)
    timed = when is not None and when.has_time
    # What a call states may come from before; what it leaves out was given elsewhere, or not at all.
    known = _times([told.before, *told.elsewhere] if timed else told.elsewhere, told.now).times
    given = when.moment.time() in known if when and timed else bool(known)
    if not words or asked.times or given or _relative(told):
        return None
    day = when.moment.date() if when and when.has_date and when.moment.date() in asked.dates else None
    if day is None:
        question = text(agenda.language, "schedule.ask_when", text=words)
    else:
        shown = tell(datetime.combine(day, time()), agenda.language, has_time=False)
        question = text(agenda.language, "schedule.ask_time", text=words, date=shown)
    return Missing(question, partial(_with_time, agenda, details, day, told.now))


def _with_time(agenda: Agenda, details: str, day: date | None, now: datetime, answer: str) -> str | None:
    """The command with the time from the answer; None if the answer gives none, or more than one."""
    words, _, _, place = read_add(details, now, agenda.language)
    at = _moment_in(agenda, answer, day, now)
    if at is None or not at.has_time:
        return None
    said = f"/schedule add {words} --at {_written(at)}"
    options = re.findall(r"(?<!\S)--(?:for|duration)\s+\S+(?:\s+(?:h|hours?|min|minutes?)\b)?", fold(details))
    return " ".join([said, *options[:1], *([f"--place {place}"] if place else [])])


def _without_new_time(agenda: Agenda, details: str, told: Told) -> Missing | None:
    """An appointment that is moved to a time which nobody gave."""
    name, rest = named_to_edit(unquoted(details))
    at = re.search(r"(?<!\S)--(?:at|when)[\s=:]+(.*)", rest)
    asked = _times([*told.request, told.before, *told.elsewhere], told.now)
    if at is None or asked.dates or asked.times or asked.lengths or _relative(told):
        return None
    pool, wanted = _entries(agenda, "schedule", told.now), fold(name).casefold()
    named = [one for one in pool if ids_of(name) == [one.id] or (wanted and wanted in fold(one.text).casefold())]
    if len(named) != 1:
        return None
    question = text(agenda.language, "schedule.ask_new_time", entry=_line(agenda, named[0]))
    return Missing(question, partial(_moved, agenda, named[0].id, rest[: at.start()], told.now))


def _moved(agenda: Agenda, number: int, rest: str, now: datetime, answer: str) -> str | None:
    at = _moment_in(agenda, answer, None, now)
    return f"/schedule edit {number} {rest} --at {_written(at)}" if at else None


def _moment_in(agenda: Agenda, answer: str, day: date | None, now: datetime) -> When | None:
    """The one moment that an answer names, on the day that is known if it names none; None for any other answer."""
    try:
        when = parse_when(answer.strip().rstrip(".!。！"), now, agenda.language)
    except CommandError:
        claims = claims_in(answer, now)[0]
        times = {claim.meant for claim in claims if isinstance(claim.meant, time)}
        if _TO_THE_HOUR.search(answer):
            # "A quarter to five, so 16:45": the figures count.
            times &= {time(int(hour) % 24, int(minute)) for hour, minute in _FIGURES.findall(fold(answer))}
        dates = {claim.meant for claim in claims if isinstance(claim.meant, date)}
        if len(times) > 1 or len(dates) > 1 or not (times or dates):
            return None
        named = next(iter(dates), None)
        clock = next(iter(times), None)
        base = named or (now.date() if clock and clock > now.time() else now.date() + timedelta(days=1))
        when = When(datetime.combine(base, clock or time()), clock is not None, named is not None)
    if day is not None and not when.has_date:
        moved = datetime.combine(day, when.moment.time())
        return When(moved, when.has_time, True, when.end and moved + (when.end - when.moment))
    return when


def _written(at: When) -> str:
    shown = [f"{at.moment:%Y-%m-%d}"] if at.has_date else []
    if at.has_time:
        end = f"-{at.end:%H:%M}" if at.end and at.end.date() == at.moment.date() else ""
        shown.append(f"{at.moment:%H:%M}{end}")
    return " ".join(shown)


def _which(agenda: Agenda, kind: Kind, order: str, details: str, told: Told) -> Missing | None:
    """An entry that is chosen although the user's words fit another one as well."""
    words = unmarked(unquoted(details)) if order in ("done", "undo") else unquoted(details)
    named, rest = named_to_edit(words) if order == "edit" else (words, "")
    pool = _entries(agenda, kind, told.now, order)
    ids = ids_of(named)
    if len(ids) > 1 or any(map(_SEVERAL.search, map(fold, told.request))):
        return None
    numbers = set(re.findall(r"\d+", " ".join(map(fold, told.request))))
    if ids:
        chosen = [entry for entry in pool if entry.id == ids[0]]
        if not chosen or str(ids[0]) in numbers:
            return None
        rivals = _rivals(chosen[0], pool, told, rest)
    else:
        wanted = fold(named).casefold()
        fitting = [entry for entry in pool if wanted and wanted in fold(entry.text).casefold()]
        exact = [entry for entry in fitting if fold(entry.text).casefold() == wanted]
        if not fitting or {str(one.id) for one in fitting} & numbers:
            return None
        if len(exact or fitting) == 1:
            rivals = _rivals((exact or fitting)[0], pool, told, rest)
        else:
            best = max(len(_shared(entry, told)) for entry in fitting)
            rivals = [entry for entry in exact or fitting if len(_shared(entry, told)) == best]
    if len(rivals) < 2:
        return None
    question = text(agenda.language, f"{kind}.ask_which", entries="\n".join(_line(agenda, one) for one in rivals))
    return Missing(question, partial(_with_id, kind, order, rest, rivals, told.now))


def _rivals(chosen: _Entry, pool: Sequence[_Entry], told: Told, new: str) -> list[_Entry]:
    """The chosen entry and those that the user's words fit as well or better: each word and date that names the chosen
    one names these, too. An entry of which no word was said may be one that was spoken of before."""
    said, moved = _times(told.request, told.now), _times([new], told.now)
    # Where an entry is moved to says nothing of which one it is.
    said = Times(said.dates - moved.dates, said.implied, said.times - moved.times, said.lengths)
    shared, at = _shared(chosen, told), _at(chosen, said)
    if not shared and told.before:
        return []
    others = [one for one in pool if one is not chosen and _shared(one, told) and _shared(one, told) >= shared]
    others = [one for one in others if all(map(ge, _at(one, said), at))]
    return sorted([chosen, *others], key=lambda one: one.id) if others else []


def _with_id(kind: Kind, order: str, rest: str, rivals: Sequence[_Entry], now: datetime, answer: str) -> str | None:
    """The command for the entry that the answer names; None if it names none, or more than one."""
    plain = fold(answer)
    numbers = {int(number) for number in re.findall(r"\d{1,9}", plain)}
    meant = [entry for entry in rivals if entry.id in numbers]
    if _ALL_OF_THEM.search(plain) and order != "edit" and not meant:
        meant = list(rivals)
        return f"/{kind} {order} {' '.join(str(entry.id) for entry in meant)}"
    if not meant:
        about = Told([answer], "", (), now)
        best = max(len(_shared(entry, about)) for entry in rivals)
        meant = [entry for entry in rivals if best and len(_shared(entry, about)) == best]
    if not meant:
        said = _times([answer], now)
        meant = [entry for entry in rivals if any(_at(entry, said))]
    if not meant:
        places = [place for place, ordinal in enumerate(_ORDINALS[: len(rivals)]) if ordinal.search(plain)]
        places += [len(rivals) - 1] if _LAST.search(plain) else []
        meant = [rivals[place] for place in places]
    return f"/{kind} {order} {meant[0].id} {rest}".rstrip() if len(meant) == 1 else None


def _entries(agenda: Agenda, kind: Kind, now: datetime, order: str = "") -> list[_Entry]:
    """The entries that a command may mean: todos that can be marked so, and appointments that are not over."""
    if kind == "schedule":
        return [
            _Entry(one.id, one.text, f"{one.text} {one.place}", one.start) for one in agenda.appointments(start=now)
        ]
    todos = agenda.todos({"done": "open", "undo": "done"}.get(order, "all"))  # type: ignore[arg-type]
    return [_Entry(one.id, one.text, f"{one.text} {' '.join(one.tags)}", one.due, one.due_has_time) for one in todos]


def _shared(entry: _Entry, told: Told) -> frozenset[str]:
    words = frozenset[str]().union(*map(marks, told.request))
    return marks(entry.about) & words


def _at(entry: _Entry, said: Times) -> tuple[bool, bool]:
    """Whether the user's words name the day and the time of an entry."""
    if entry.moment is None:
        return False, False
    return entry.moment.date() in said.dates, entry.has_time and entry.moment.time() in said.times


def _times(texts: Sequence[str], now: datetime) -> Times:
    """What texts say of dates and times; "today" is a day here, and no time."""
    read = [read_from(_TODAY.sub(" ", one), now) for one in texts]
    dates = frozenset[date]({now.date()} if any(map(_TODAY.search, texts)) else ())
    return Times(
        dates.union(*(one.dates for one in read)),
        frozenset[date]().union(*(one.implied for one in read)),
        frozenset[time]().union(*(one.times for one in read)),
        frozenset[timedelta]().union(*(one.lengths for one in read)),
    )


def _relative(told: Told) -> bool:
    return any(map(_RELATIVE.search, map(fold, told.request)))


def _line(agenda: Agenda, entry: _Entry) -> str:
    at = f", {tell(entry.moment, agenda.language, has_time=entry.has_time)}" if entry.moment else ""
    return f"{entry.id}: {entry.text}{at}"
