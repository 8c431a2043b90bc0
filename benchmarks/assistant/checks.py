"""Judges a request by the agenda it leaves behind and by the answer, never by the way.

Wording is free: entries and answers are searched for regular expressions, whatever the case. The effect is not: what
was asked for must be there, and every other entry must be as it was.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

from thoughtgraph.tools.agenda import Agenda
from thoughtgraph.tools.agenda.appointments import Appointment
from thoughtgraph.tools.agenda.items import Todo

from benchmarks.assistant.dataset import Changes, Request, WantAppointment, WantTodo

Want = TypeVar("Want", WantTodo, WantAppointment)
Entry = TypeVar("Entry", Todo, Appointment)

_DENIAL = re.compile(r"\b(?:could not|couldn.t|cannot|can.t|unable to|failed to|unfortunately)\b|无法|失败|未能")
_SCRAP = re.compile(r"(?:^|\s)(?:/\w+|--\w+)|\b(?:todo|calendar)\b|待办|日程|帮我")
_SPARE_WORDS = 4
_SMALL_WORD = re.compile(r"a|an|and|at|by|for|from|in|is|it|my|me|of|on|our|please|that|the|this|to|up|with")


@dataclass(frozen=True, slots=True)
class Lists:
    """The entries of an agenda at one moment."""

    todos: Sequence[Todo]
    appointments: Sequence[Appointment]

    @classmethod
    def of(cls, agenda: Agenda) -> Lists:
        """What an agenda holds now."""
        return cls(agenda.todos(), agenda.appointments())


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is wrong with the outcome of a request.

    Attributes:
        wrong_effects: what was changed, removed or added and should not have been.
        missing: what should have been changed, removed or added, and was not.
        answer: what is wrong with the answer; "" for nothing.
        not_asked: the request lacks something, and nobody asked for it.
    """

    wrong_effects: list[str]
    missing: list[str]
    answer: str
    not_asked: bool

    @property
    def problem(self) -> str:
        """All of it in words; "" where the request was carried out right."""
        asked = ["it did not ask for what is lacking"] if self.not_asked else []
        return "; ".join([*self.wrong_effects, *self.missing, *filter(None, [self.answer]), *asked])


def judge(request: Request, before: Lists, after: Lists, answer: str, asked: int) -> Verdict:
    """Judge what came of a request.

    Args:
        request: what the user said.
        before: the agenda when the user said it.
        after: the agenda in the end.
        answer: what the user was told in the end.
        asked: how often the user was asked something.
    """
    wrong, missing = _difference(before.todos, after.todos, request.todos, _is_todo)
    more_wrong, more_missing = _difference(
        before.appointments, after.appointments, request.appointments, _is_appointment
    )
    return Verdict(
        wrong_effects=wrong + more_wrong,
        missing=missing + more_missing,
        answer=_wrong_answer(request, answer),
        not_asked=bool(request.reply) and not asked,
    )


def plain(words: str) -> str:
    """A text as patterns see it: lower case, plain characters, no emphasis, one blank between words."""
    folded = unicodedata.normalize("NFKC", words).casefold().replace("’", "'")
    return " ".join(re.sub(r"[*_`\"]", "", re.sub(r"(?<=\d),(?=\d{3}\b)", "", folded)).split())


def _difference(
    before: Sequence[Entry], after: Sequence[Entry], changes: Changes[Want], fits: Callable[[Entry, Want], bool]
) -> tuple[list[str], list[str]]:
    """What is wrong in a list, and what is missing from it."""
    there = {entry.id: entry for entry in after}
    known = {entry.id for entry in before}
    added = [entry for entry in after if entry.id not in known]
    wrong: list[str] = []
    missing: list[str] = []
    for old in before:
        now = there.get(old.id)
        want = changes.becomes.get(old.id)
        if now and (now == old or (want and fits(now, want))):
            if old.id in changes.gone or (want and not fits(now, want)):
                missing.append(f"unchanged: {_shown(old)}" + (f", wanted {_wanted(want)}" if want else ""))
            continue
        replacement = next((entry for entry in added if want and fits(entry, want)), None)
        if replacement and not now:
            added.remove(replacement)
        elif now or old.id not in changes.gone:
            wrong.append(
                f"wrongly changed: {_shown(old)} to {_shown(now)}" if now else f"wrongly removed: {_shown(old)}"
            )
    for want in changes.new:
        found = next((entry for entry in added if fits(entry, want)), None)
        if found:
            added.remove(found)
        else:
            missing.append(f"not added: {_wanted(want)}")
    return [*wrong, *(f"wrongly added: {_shown(entry)}" for entry in added)], missing


def _is_todo(todo: Todo, want: WantTodo) -> bool:
    due = ""
    if todo.due:
        # The last minute of a day is the day.
        timed = todo.due_has_time and (todo.due.hour, todo.due.minute) != (23, 59)
        due = todo.due.isoformat(timespec="minutes") if timed else todo.due.date().isoformat()
    return (
        (due, todo.done, todo.tags) == (want.due, want.done, ())
        and want.priority in (None, todo.priority)
        and _says(plain(todo.text), want)
        and _is_clean(todo.text, want.words)
    )


def _is_appointment(appointment: Appointment, want: WantAppointment) -> bool:
    length = appointment.end - appointment.start
    right = length == timedelta(minutes=want.minutes) if want.minutes else length <= timedelta(hours=2)
    place = plain(appointment.place)
    said = f"{plain(appointment.text)} {place}"
    known = [*want.words.split(), *filter(None, [want.place])]
    return (
        appointment.start == want.start
        and right
        and _says(said, want)
        and bool(re.search(want.place, said))
        and (not place or any(re.search(words, place) for words in known))
        and _is_clean(appointment.text, want.words)
    )


def _says(said: str, want: WantTodo | WantAppointment) -> bool:
    return all(re.search(pattern, said) for pattern in want.words.split()) and not (
        want.without and re.search(want.without, said)
    )


def _is_clean(entry: str, words: str) -> bool:
    """Whether an entry's text holds no scraps of the command or of the user's request, and not much else."""
    found = [word for word in re.findall(r"[\w']+", plain(entry)) if not _SMALL_WORD.fullmatch(word)]
    return not _SCRAP.search(plain(entry)) and len(found) <= len(words.split()) + _SPARE_WORDS


def _wrong_answer(request: Request, answer: str) -> str:
    said = plain(answer)
    if not said:
        return "no answer"
    if said == plain(request.said):
        return "the answer only repeats the user's words"
    for pattern in request.says:
        if not re.search(pattern, said):
            return f"the answer does not say {pattern!r}: {answer!r}"
    for pattern in request.never_says:
        if re.search(pattern, said):
            return f"the answer says {pattern!r}: {answer!r}"
    if request.has_effect and not request.says and _DENIAL.search(said):
        return f"the answer denies what was done: {answer!r}"
    return ""


def _wanted(want: WantTodo | WantAppointment) -> str:
    return want.model_dump_json(exclude_defaults=True)


def _shown(entry: Todo | Appointment) -> str:
    if isinstance(entry, Appointment):
        return f"{entry.id} {entry.text!r} {entry.start:%Y-%m-%d %H:%M}-{entry.end:%H:%M} {entry.place}".rstrip()
    due = f" due {entry.due:%Y-%m-%d %H:%M}" if entry.due else ""
    notes = " ".join(("done" if entry.done else "open", entry.priority, *entry.tags))
    return f"{entry.id} {entry.text!r}{due} {notes}"


def shown(lists: Lists) -> list[str]:
    """The entries, one a line."""
    return [*map(_shown, lists.todos), *map(_shown, lists.appointments)]
