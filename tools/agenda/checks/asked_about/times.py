"""The time of an appointment that nobody gave, and that to which an entry is to be moved."""

from __future__ import annotations

import re
from datetime import date, datetime, time
from functools import partial

from .....errors import CommandError
from ....dates.spellings import spelled_out
from ....dates.told import moment_in, told_days, told_lengths, told_moments, told_times
from ....dates.when import When, read_when, tell
from ....dates.words import fold
from ....likeness import is_chinese, marks, traits, wants_nothing
from ....metadata import Missing, Told
from ...agenda import Agenda
from ...line import AT, VALUE, ids_of, is_nothing, unquoted
from ...request import MOMENT_OPTION, Kind, fitting_entries, named_to_edit
from ...schedule import appointment_at, read_add
from ...texts import text
from ..command import Command
from ..entries import Entry, all_meant, entries_meant, is_at, only_named, shared, text_about, times_in
from ..said.clauses import clauses_of
from ..said.pointing import said_before
from ..said.words import ANOTHER_TIME, TIME_DOT, USUAL_PLACE, says
from .answers import hinted
from .days import days_of, is_relative, on_a_guessed_day, without_open_day, without_open_days, written

_DEADLINE = re.compile(r"\b(?:by|due|deadline|no later than|until)\b|之前|以前|截止|到期", re.IGNORECASE)
_TIME_AND_PLACE = re.compile(
    r"(.{2,24}?)[,，;；]\s*(?:(?:and|in|at)\s+)?(?!(?:if|i|we|it|please|but|not?|or)\b)([^,，.。;；!?？]{2,40})[.。!！]*",
    re.IGNORECASE,
)
_AFTER = re.compile(r"\b(?:after|before) (?:(?:my|our|the|his|her) )([\w'’-]+)", re.IGNORECASE)
_OF_EVERY_DAY = marks(
    "lunch breakfast dinner supper tea brunch work school class noon midday dark sunset sunrise dawn dusk church mass"
    " weekend week month year holidays holiday christmas easter summer winter spring autumn half-term term bank run"
    " meeting appointment call event session lesson thing"
    " break end rush deadline day night morning afternoon evening others other rest next last first second kids"
)
"""What has its time without an entry, or may be an entry of another name."""
_IS_OVER = re.compile(
    r"\b(?:out|done|finished|free|over|through|back|ends?|finish(?:es)?)\b(?: there| again)? (?:by|at|around)\b.*",
    re.IGNORECASE | re.DOTALL,
)
"""When something is over after which something else begins: "he sees me at ten, and I shall be out by 11.20"."""
_EITHER_HALF = re.compile(
    r"\b(?:i|we|they) (?:do|work|have)(?: both)? (?:days|mornings) and (?:nights|evenings)\b"
    r"|\b(?:(?:in the )?mornings? or (?:in the )?(?:evening|afternoon|night)s?|days? or nights?|a\.?m\.? or p\.?m)\b"
    r"|白班(?:和|、)?夜班都|(?:早上|上午)还是(?:晚上|下午)",
    re.IGNORECASE,
)
_BARE_HOUR = re.compile(
    r"\b(?:at|from|start(?:s|ing)?)(?: at| from)? (\d{1,2})(?![\d:]|\.\d|\s?[ap]\.?m\b)|\b(\d{1,2}) o'clock"
)
_LATE = re.compile(r"\b(?:nights?|evenings?|p\.?m|afternoons?|late)\b|晚|夜|下午", re.IGNORECASE)
_EARLY = re.compile(r"\b(?:days?|mornings?|a\.?m|early)\b|早|白|上午", re.IGNORECASE)
_PARTS = (("morning", "上午"), ("afternoon", "下午"))
_PART = re.compile(r"\b(?:morning|afternoon|evening|night)\b", re.IGNORECASE)
_TONIGHT = re.compile(r"\btonight\b", re.IGNORECASE)
_PART_ZH = re.compile(r"早上|上午|下午|傍晚|晚上")
_DAY_AND_PART_ZH = re.compile(r"([今明后])[早晚]")
_BY_SOME = re.compile(
    r"\b(?:a (?:bit|little|tad|touch|while)|somewhat|slightly) (?:later|earlier)\b"
    r"|\b(?:earlier|later|back|forward) a bit\b"
    r"|(?:提前|推迟|延后|晚|早)(?:一点|一些|点儿?|一会儿?)",
    re.IGNORECASE,
)
"""A move by a length that nobody gave."""
_ORDERS_IT = re.compile(
    r"\b(?:move|shift|reschedule|postpone|rearrange|push) (?:it|that|this|h(?:im|er)|them|the|my|our|tomorrow|today)\b"
    r"|\b(?:ha(?:s|ve) to|needs? to|must|should|can|could) (?:be )?(?:moved?|shift(?:ed)?|rescheduled?|postponed?)\b"
    r"|\bneeds? (?:moving|shifting|rescheduling|postponing)\b|挪|推迟|改期",
    re.IGNORECASE,
)
_ITS_DATE = re.compile(r"\b(?:due|deadlines?|dates?)\b|截止|期限|日期|时间", re.IGNORECASE)


def without_time(command: Command) -> Missing | None:
    """An appointment whose time of day nobody gave, or whose day is left open."""
    agenda, _, _, details, told = command
    try:
        words, when, _, _ = read_add(details, told.now, agenda.language)
    except CommandError:
        # A time that cannot be read is none.
        closed = without_open_day(details)
        readable = closed if closed != details else AT.sub("", details).strip()
        return without_time(command._replace(details=readable)) if readable != details else None
    if not words:
        return None
    asked = times_in(without_open_days(told), told.now)
    moments = told_moments(without_open_days(told), told.now)
    if when is None and len(moments) == 1 and ":" in moments[0]:
        # The user gave the hour, and the command left it out.
        return without_time(command._replace(details=f"{details} --at {moments[0]}"))
    timed = when is not None and when.has_time
    # What a call states may come from before; what it leaves out was given elsewhere, or not at all.
    known = times_in([said_before(told, words), *told.elsewhere] if timed else told.elsewhere, told.now).times
    given = when.moment.time() in known if when and timed else bool(known)
    if timed and asked.times and (guessed := on_a_guessed_day(when, words, told)):
        question = text(agenda.language, "schedule.ask_day", text=words, time=f"{guessed.moment:%H:%M}")
        return Missing(question, partial(_on_day, agenda, details, guessed, told.now))
    due = says(told, _DEADLINE)
    if timed and when and due and not asked.times and when.moment.date() in asked.dates:
        # The tool itself says so of one without a time.
        todo = f"/todo add {words} --due {when.moment:%Y-%m-%d}"
        return hinted(text(agenda.language, "schedule.is_due", command=todo))
    # "One of these days after lunch" and "in the evening" are no times that a command could have; one that has a time
    # may go by them.
    relative = is_relative(told) and (bool(asked.times) or not _is_after_what_is_unknown(agenda, told))
    # A day that is over is nobody's.
    relative = relative and not (when and when.has_date and when.moment.date() < told.now.date())
    either = len(told.request) == 1 and _both_halves(told)
    hours = asked.times and not either and not _gives_a_part(told)
    told_hour = hours or relative if when else any(":" in item for item in moments)
    if told_hour or (given and not either) or due:
        return None
    day = when.moment.date() if when and when.has_date and when.moment.date() in asked.dates else None
    if day is None and len(days := days_of(told)) == 1:
        day = date.fromisoformat(days[0])
    if day is None:
        question = text(agenda.language, "schedule.ask_when", text=words)
    else:
        shown = tell(datetime.combine(day, time()), agenda.language, has_time=False)
        question = text(agenda.language, "schedule.ask_time", text=words, date=shown)
    return Missing(question, partial(_with_time, agenda, details, day, told), at_once=not relative)


def _gives_a_part(told: Told) -> bool:
    """Whether the user gives no more of a time than a part of the day: "on Thursday evening". In another part, it is
    the usual hour of that one."""
    read = [times_in([_in_part(fold(one), *part) for one in told.request], told.now).times for part in _PARTS]
    return read == [{time(9)}, {time(15)}]


def _in_part(said: str, part: str, chinese: str) -> str:
    """Words with this part of the day in place of theirs."""
    said = _PART.sub(part, _TONIGHT.sub(f"today {part}", said))
    return _PART_ZH.sub(chinese, _DAY_AND_PART_ZH.sub(rf"\1天{chinese}", said))


def _both_halves(told: Told) -> bool:
    """Whether the user says of an hour that it may be of the morning or of the evening: "I do days AND nights"."""
    times = times_in(told.request, told.now).times
    return says(told, _EITHER_HALF) and any(one.replace(hour=(one.hour + 12) % 24) in times for one in times)


def _in_its_half(told: Told, answer: str) -> str:
    """The one hour of a request in the half of the day that is all that an answer names: "nights"; "" for none."""
    hours = {int(found[1] or found[2]) for found in _BARE_HOUR.finditer(spelled_out(told.request[0], told.now))}
    late, early = _LATE.search(fold(answer)), _EARLY.search(fold(answer))
    if len(hours) != 1 or bool(late) == bool(early) or not 1 <= (hour := hours.pop()) < 12 or re.search(r"\d", answer):
        return ""
    return f"{hour + 12 * bool(late)}:00"


def _is_after_what_is_unknown(agenda: Agenda, told: Told) -> bool:
    """Whether the user tells the time of something new by what no entry and nothing that was said is about: "straight
    after the notary"."""
    named = [found[1] for said in map(fold, told.request) for found in _AFTER.finditer(said)]
    entries = all_meant(agenda, told.now)
    known = marks(" ".join([told.before, *told.elsewhere, *(one.about for one in entries)])) | _OF_EVERY_DAY
    return bool(named) and not any(marks(one) & known or not marks(one) for one in named)


def _on_day(agenda: Agenda, details: str, when: When, now: datetime, answer: str) -> str | None:
    """The command on the day from the answer, at the time that was given; None if the answer gives no day."""
    words, _, _, place = read_add(details, now, agenda.language)
    at = moment_in(answer, None, now, words)
    if at is None or not at.has_date:
        return None
    moment = at.moment if at.has_time else datetime.combine(at.moment.date(), when.moment.time())
    return appointment_at(words, f"{moment:%Y-%m-%d %H:%M}", details, place)


def _with_time(agenda: Agenda, details: str, day: date | None, told: Told, answer: str) -> str | None:
    """The command with the time from the answer; None if the answer gives none, or more than one.

    Where the user left the place open, too, what an answer has beside the time is that: "at three, the park"."""
    now = told.now
    words, _, _, place = read_add(details, now, agenda.language)
    both = _TIME_AND_PLACE.fullmatch(answer.strip()) if says(told, USUAL_PLACE) else None
    if both and told_times(both[1], now) and marks(both[2]) and not wants_nothing(both[2]):
        answer, place = both[1], both[2]
    about = f"{words} {told.request[0]}" if _gives_a_part(told) else words
    at = moment_in(_in_its_half(told, answer) or answer, day, now, about)
    if at is None and says(told, _AFTER) and (over := _IS_OVER.search(answer)):
        days = told_days([answer], now)
        known = date.fromisoformat(days.pop()) if len(days) == 1 else day
        at = moment_in(TIME_DOT.sub(":", over[0]), known, now, words)
    if at is None or not at.has_time:
        return None
    return appointment_at(words, written(at), details, place)


def without_new_time(command: Command) -> Missing | None:
    """An entry that is moved to a time which nobody gave."""
    agenda, kind, _, details, told = command
    name, rest = named_to_edit(unquoted(details))
    pool = entries_meant(agenda, kind, told.now)
    if not name and len(fitting_entries(rest, pool)) == 1:
        # It names an entry, and no change.
        name, rest = rest, ""
    option = MOMENT_OPTION[kind]
    at = re.search(rf"(?<!\S)--(?:{option}|when)[\s=:]+((?:{VALUE})?)", rest)
    if at is not None and is_nothing(at[1].strip()):
        return None
    misplaced = _misplaced(rest, told)
    unsaid = says(told, ANOTHER_TIME) or misplaced
    # What is to become of a todo may be another word, or another priority.
    # A model that has no time for a move may leave the change out.
    is_moved = (
        says(told, _ITS_DATE) if kind == "todo" else any("moved" in traits(one) for one in map(fold, told.request))
    )
    moves = at is not None or unsaid or (not rest and is_moved)
    wanted = fold(name).casefold()
    named = [one for one in pool if ids_of(name) == [one.id] or (wanted and wanted in fold(one.text).casefold())]
    if not moves or len(named) != 1:
        return None
    entry = named[0]
    asked = times_in([*without_open_days(told), told.before, *told.elsewhere], told.now)
    by_some = not asked.lengths and len(told.request) == 1 and _BY_SOME.search(fold(told.request[0]))
    # "Thursday's viva needs another time" names the day that it has; so does "I can't make it tomorrow, move it".
    away = kind == "schedule" and moves_away(entry, told)
    dated = asked.dates and not (away or (says(told, ANOTHER_TIME) and is_at(entry, asked)[0]))
    # "Move yoga to after the meeting" may mean the hour at which yoga would have ended.
    after_another = any(one is not entry and shared(one, told) for one in pool)
    at_its_end = at is not None and not after_another and _is_at_its_end(entry, read_when(at[1].strip(), told.now))
    relative = is_relative(told) and not (by_some or misplaced or at_its_end)
    if asked.times or asked.lengths or (dated and not by_some) or (relative and rest):
        return None
    rest = rest[: at.start()] if at and not misplaced else ""
    # "When we have the gym" may be no time, and "after the meeting" one that the model can find.
    return to_when(agenda, kind, entry, told, rest, at_once=not relative)


def to_when(agenda: Agenda, kind: Kind, entry: Entry, told: Told, rest: str = "", *, at_once: bool = True) -> Missing:
    """The question to when an entry is to be moved, with what else is changed of it."""
    question = text_about(agenda, f"{kind}.ask_new_time", entry)
    edit = " ".join(f"/{kind} edit {entry.id} {rest} --{MOMENT_OPTION[kind]}".split())
    return Missing(question, partial(_moved, edit, told.now), at_once=at_once)


def moves_away(entry: Entry, told: Told) -> bool:
    """Whether an entry is to be moved, by an order that points at it, and the user names no day but the one that it
    has, and no time: "I can't make tomorrow's one-to-one, please move it"."""
    items = [item for one in told.request for item in told_times(one, told.now)]
    own = {str(entry.moment.date())} if entry.moment else set[str]()
    ordered = any("moved" in traits(one) and _ORDERS_IT.search(one) for one in clauses_of(told))
    return ordered and set(items) <= own and len(told.request) == 1 and not is_relative(told)


def _is_at_its_end(entry: Entry, when: When | None) -> bool:
    """Whether an entry would begin where it ends: a small model takes over the one time that it is shown beside the
    entry's own."""
    if when is None or entry.moment is None:
        return False
    end = entry.moment + entry.lasts
    return when.moment.time() == end.time() and (not when.has_date or when.moment.date() == end.date())


def _misplaced(rest: str, told: Told) -> bool:
    """Whether only a place is changed that the user does not name as one, of an entry that is to be moved: a small
    model that has no time for it fills in another option."""
    said = fold(" ".join(told.request))
    place = re.fullmatch(r"--(?:place|location|where)[\s=:]+(?:the |my |our )?(.+)", rest.strip(), re.IGNORECASE)
    if place is None or "moved" not in traits(said) or is_chinese(said):
        return False
    return not re.search(
        rf"\b(?:at|in|into|to|on|by|@) (?:(?:the|my|our) )?{re.escape(place[1])}(?!\w)", said, re.IGNORECASE
    )


def _moved(said: str, now: datetime, answer: str) -> str | None:
    at = moment_in(answer, None, now)
    return f"{said} {written(at)}" if at else None


def without_change(command: Command) -> Missing | None:
    """A change of an entry that a command names, and says no more of."""
    agenda, kind, _, details, told = command
    named, rest = named_to_edit(unquoted(details))
    entry = only_named(agenda, kind, named or unquoted(details), told.now)
    if entry is None or (named and rest.strip()):
        return None
    question = text_about(agenda, "agenda.ask_change", entry)
    return Missing(question, partial(changed_as_told, kind, entry, told.now), at_once=False)


def changed_as_told(kind: Kind, entry: Entry, now: datetime, answer: str) -> str | None:
    """The change of an entry to the length or the moment that the answer to a question gives; None if it gives none."""
    lengths = told_lengths([answer], now)
    if kind == "schedule" and len(lengths) == 1:
        return f"/schedule edit {entry.id} --for {lengths[0]}"
    when = moment_in(answer, None, now)
    to = when and (f"{when.moment:%Y-%m-%d %H:%M}" if when.has_time and when.has_date else None)
    return f"/{kind} edit {entry.id} --{MOMENT_OPTION[kind]} {to}" if to else None
