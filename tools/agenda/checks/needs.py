"""What an agenda command cannot do without: the time of an appointment, and which of several entries is meant.

Both are judged by the user's words alone, before the command is carried out. In doubt nothing is missing: a request
that is complete is not asked about.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time
from functools import partial

from ....errors import CommandError
from ...calls.grounding import is_denial
from ...dates.found import claims_in
from ...dates.spellings import spelled_out
from ...dates.told import moment_in, told_times
from ...dates.when import When, tell
from ...dates.words import fold
from ...likeness import is_chinese, is_unheard, marks, wants_nothing
from ...metadata import Missing, Told
from ..agenda import Agenda
from ..examples.runs import example_texts
from ..line import ids_of, is_nothing, parted, unquoted
from ..request import Kind, named_to_edit, split_options
from ..schedule import read_add
from ..texts import text
from .asked_about.days import days_of, is_relative, on_a_guessed_day, without_open_day, without_open_days, written
from .asked_about.which import hinted, which
from .entries import entries_meant, line_of, times_in
from .held_back.misread import misread
from .held_back.reads import wrongly_read
from .held_back.unsaid import unsaid
from .put_right.spans import ANOTHER_TIME, MOMENT_OPTION, TIME_WORDS
from .said.pointing import names_nothing, said_before

_MOST_WORDS = 8
_REMARK = re.compile(
    r"\b(?:i(?:['’]ve| have)?(?: already| just)? (?:told|said)|as i said|that['’]s (?:all|it)|go by that|what i said)\b"
    r"|说[了过]",
    re.IGNORECASE,
)
_DEADLINE = re.compile(r"\b(?:by|due|deadline|no later than|until)\b|之前|以前|截止|到期", re.IGNORECASE)
_NO_TEXT = re.compile(
    r"|(?:a |an |the |my |new )*(?:some ?thing|smth|sth|stuff|things?|tasks?|todos?|items?|entry|appointment"
    r"|event|reminder|note|schedule|calendar|list)"
    r"|(?:my |the )?\w+ (?:asked for|told \w+|mentioned)"
    r"|what(?:ever)? .{1,40} (?:said|asked(?: for)?|told \w+|wants?|wanted|mentioned|meant|needs?)"
    r"|(?:给\S{1,4}?)?(?:写|记|加|放|添)(?:[到进在入上]|个)?(?:日历|日程|清单|待办)[上里中]?"
    r"|.{1,8}说的(?:那?件?事|那个)|(?:某事|某件事|事情|一件事|东西|待办|日程|任务|事项)",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"^(?:(?:oh|ah|um+|er+|right|yes|yeah|yep|sure|ok|okay|well|sorry|of course|i see)\b\s*[,:;!.–—-]+\s*"
    r"|(?:oh|ah|um+|er+)\s+|(?:it['’]s|it is)\s+)+(?=\S)|^(?:哦|啊|嗯|对|是|好的?)+[，,：:。！\s]+",
    re.IGNORECASE,
)
"""How an answer begins that does not come to the point at once."""
_ADD = re.compile(
    r"^(?:please )?(?:add|note down|write down|put down|jot down)\s+(?!up\b)|^请?(?:添加|加上|记下)(?=\S)",
    re.IGNORECASE,
)
_ORDER_WORDS = re.compile(
    r"^(?:please )?(?:put|add|note|enter|write)(?: down)? |\s(?:on|onto|to|in|into) (?:my|the)\b.*|\s(?:for|on|by) \w+$"
    r"|\s(?:please|pls)$",
    re.IGNORECASE,
)
_BY_SOME = re.compile(
    r"\b(?:a (?:bit|little|tad|touch|while)|somewhat|slightly) (?:later|earlier)\b"
    r"|\b(?:earlier|later|back|forward) a bit\b"
    r"|(?:提前|推迟|延后|晚|早)(?:一点|一些|点儿?|一会儿?)",
    re.IGNORECASE,
)
"""A move by a length that nobody gave."""
_ITS_DATE = re.compile(r"\b(?:due|deadlines?|dates?)\b|截止|期限|日期|时间", re.IGNORECASE)


def missing_of(agenda: Agenda, line: str, told: Told) -> Missing | None:
    """What a command lacks; None for one that is complete, that only reads, or that cannot be read.

    Args:
        agenda: with the entries that it may mean.
        line: the command, with its slash and its first word.
        told: what is known.
    """
    name, order, details = parted(line)
    kind: Kind = "todo" if name == "todo" else "schedule"
    if name == "view":
        return None
    if order == "add" and (unnamed := _without_text(agenda, kind, details, told)):
        return unnamed
    if order in ("list", "show", "find"):
        return wrongly_read(agenda, kind, order, details, told)
    changes = order in ("add", "rm", "edit") or (kind == "todo" and order in ("done", "undo"))
    if changes and (other := misread(agenda, kind, order, details, told)):
        return other
    if changes and (other := unsaid(agenda, kind, order, details, told)):
        return other
    if kind == "schedule" and order == "add":
        return _without_time(agenda, details, told)
    if changes and order != "add":
        asked = which(agenda, kind, order, details, told)
        return _without_new_time(agenda, kind, details, told) if asked is None and order == "edit" else asked
    return None


def _without_text(agenda: Agenda, kind: Kind, details: str, told: Told) -> Missing | None:
    """A new entry that does not say what it is, or says what nobody spoke of; the user may have said it."""
    named, rest = split_options(details)
    # A time is no text: "appointment 8:20".
    timeless = (
        claims_in(unquoted(named), told.now)[1].replace("@", "") if told_times(named, told.now) else unquoted(named)
    )
    wanted = _ORDER_WORDS.sub("", fold(timeless)).strip(" .!?")
    if timeless != unquoted(named):
        wanted = re.sub(r"\s(?:on|for|by|at)(?: the)?$", "", wanted)
    heard = "\n".join([*told.request, told.before, *told.elsewhere])
    if wants_nothing(told.request[-1]):
        return None
    unnamed = bool(_NO_TEXT.fullmatch(wanted)) or names_nothing(named, told)
    if not unnamed and not is_unheard(named, heard) and not _is_copied(unquoted(named), heard):
        return None
    days = days_of(told)
    if kind == "todo" and "--due" not in rest and len(days) == 1:
        rest += f" --due {days[0]}"
    question = text(agenda.language, f"{kind}.ask_text")
    return Missing(question, partial(_named, kind, rest, told.now), at_once=False, stands=True)


_DOING = re.compile(
    "ring|call|phone|buy|get|book|pay|send|see|meet|bring|take|pick|make|fix|clean|wash|write|order|return|renew|water|feed"
)


def _is_copied(named: str, heard: str) -> bool:
    """Whether a new entry is one of the examples', with a thing that nobody spoke of: "ring the vet" for "ring her".

    Its first word may be another one for what the user says: "call the plumber" for "give the plumber a ring".
    """
    words = fold(named).casefold().strip(" .!")
    # Pairs of Chinese characters change with the order of the words.
    if words not in example_texts() or is_chinese(words):
        return False
    first, _, thing = words.partition(" ")
    known = marks(thing) <= marks(heard) or bool(marks(thing) & marks(heard))
    return not known and (bool(_DOING.fullmatch(first)) or not marks(first) & marks(heard))


def _named(kind: Kind, rest: str, now: datetime, answer: str) -> str | None:
    """The command with the answer as its text; None for a time alone, or a remark, which is longer than an entry."""
    answer = _ADD.sub("", _OPENING.sub("", answer.strip())).rstrip(".!。！")
    too_long = len(answer.split()) > _MOST_WORDS or (is_chinese(answer) and len(answer) > _MOST_WORDS * 2)
    a_time = bool(told_times(answer, now)) and not marks(claims_in(spelled_out(answer, now), now)[1]) - TIME_WORDS
    return (
        None
        if too_long or a_time or is_denial(answer) or _REMARK.search(fold(answer))
        else f"/{kind} add {answer} {rest}".rstrip()
    )


def _without_time(agenda: Agenda, details: str, told: Told) -> Missing | None:
    """An appointment whose time of day nobody gave, or whose day is left open."""
    try:
        words, when, _, _ = read_add(details, told.now, agenda.language)
    except CommandError:
        if (closed := without_open_day(details)) == details:
            return None
        return _without_time(agenda, closed, told)
    asked = times_in(without_open_days(told), told.now)
    timed = when is not None and when.has_time
    # What a call states may come from before; what it leaves out was given elsewhere, or not at all.
    known = times_in([said_before(told, details), *told.elsewhere] if timed else told.elsewhere, told.now).times
    given = when.moment.time() in known if when and timed else bool(known)
    if words and timed and asked.times and (when := on_a_guessed_day(when, words, told)):
        question = text(agenda.language, "schedule.ask_day", text=words, time=f"{when.moment:%H:%M}")
        return Missing(question, partial(_on_day, agenda, details, when, told.now))
    due = any(map(_DEADLINE.search, map(fold, told.request)))
    if words and timed and when and due and not asked.times and when.moment.date() in asked.dates:
        # The tool itself says so of one without a time.
        todo = f"/todo add {words} --due {when.moment:%Y-%m-%d}"
        return hinted(text(agenda.language, "schedule.is_due", command=todo))
    if not words or asked.times or given or is_relative(told) or due:
        return None
    day = when.moment.date() if when and when.has_date and when.moment.date() in asked.dates else None
    if day is None and len(days := days_of(told)) == 1:
        day = date.fromisoformat(days[0])
    if day is None:
        question = text(agenda.language, "schedule.ask_when", text=words)
    else:
        shown = tell(datetime.combine(day, time()), agenda.language, has_time=False)
        question = text(agenda.language, "schedule.ask_time", text=words, date=shown)
    return Missing(question, partial(_with_time, agenda, details, day, told.now))


def _on_day(agenda: Agenda, details: str, when: When, now: datetime, answer: str) -> str | None:
    """The command on the day from the answer, at the time that was given; None if the answer gives no day."""
    words, _, _, place = read_add(details, now, agenda.language)
    at = moment_in(answer, None, now, words)
    if at is None or not at.has_date:
        return None
    moment = at.moment if at.has_time else datetime.combine(at.moment.date(), when.moment.time())
    lasting = _lasting(details)
    return " ".join(
        [f"/schedule add {words} --at {moment:%Y-%m-%d %H:%M}", *lasting, *([f"--place {place}"] if place else [])]
    )


def _with_time(agenda: Agenda, details: str, day: date | None, now: datetime, answer: str) -> str | None:
    """The command with the time from the answer; None if the answer gives none, or more than one."""
    words, _, _, place = read_add(details, now, agenda.language)
    at = moment_in(answer, day, now, words)
    if at is None or not at.has_time:
        return None
    said = f"/schedule add {words} --at {written(at)}"
    return " ".join([said, *_lasting(details), *([f"--place {place}"] if place else [])])


def _lasting(details: str) -> list[str]:
    """The option that says how long an appointment takes, if a command has one."""
    return re.findall(r"(?<!\S)--(?:for|duration)\s+\S+(?:\s+(?:h|hours?|min|minutes?)\b)?", fold(details))[:1]


def _without_new_time(agenda: Agenda, kind: Kind, details: str, told: Told) -> Missing | None:
    """An entry that is moved to a time which nobody gave."""
    name, rest = named_to_edit(unquoted(details))
    option = MOMENT_OPTION[kind]
    at = re.search(rf"(?<!\S)--(?:{option}|when)[\s=:]+(.*)", rest)
    asked = times_in([*without_open_days(told), told.before, *told.elsewhere], told.now)
    if at is not None and is_nothing(at[1].strip()):
        return None
    unsaid = any(map(ANOTHER_TIME.search, map(fold, told.request)))
    # What is to become of a todo may be another word, or another priority.
    moves = at is not None or unsaid or (kind == "todo" and not rest and any(map(_ITS_DATE.search, told.request)))
    by_some = not asked.lengths and len(told.request) == 1 and _BY_SOME.search(fold(told.request[0]))
    if (
        not moves
        or asked.times
        or asked.lengths
        or (asked.dates and not by_some)
        or (is_relative(told) and not by_some)
    ):
        return None
    rest = rest[: at.start()] if at else ""
    pool, wanted = entries_meant(agenda, kind, told.now), fold(name).casefold()
    named = [one for one in pool if ids_of(name) == [one.id] or (wanted and wanted in fold(one.text).casefold())]
    if len(named) != 1:
        return None
    question = text(agenda.language, f"{kind}.ask_new_time", entry=line_of(agenda, named[0]))
    return Missing(question, partial(_moved, f"/{kind} edit {named[0].id} {rest} --{option}", told.now))


def _moved(said: str, now: datetime, answer: str) -> str | None:
    at = moment_in(answer, None, now)
    return f"{said} {written(at)}" if at else None
