"""What an assistant task is, and how it is judged: by the agenda it leaves behind and by the answer, never by the way.

Wording is free: entries and answers are searched for regular expressions, whatever the case. The effect is not: every
entry that the task does not touch must be there unchanged, and besides them exactly the entries that were asked for.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from itertools import permutations
from typing import Any, Literal

from support.texts import text
from thoughtgraph._internal.texts import Language
from thoughtgraph.tools.agenda import Agenda
from thoughtgraph.tools.agenda.appointments import Appointment
from thoughtgraph.tools.agenda.items import Priority, Todo
from thoughtgraph.traces.shapes import StopReason

Kind = Literal["todo", "schedule", "search", "clarification", "several", "failing", "talk"]
Hit = tuple[str, str, str]
"""Title, snippet and link of a search result."""

NOW = datetime(2026, 3, 11, 9, 0)
"""A Wednesday; what the agenda and the graph are told."""
SHRUG: Mapping[Language, str] = {"en": "I don't know, decide yourself", "zh": "我不知道，你来决定吧"}

RIGHT_BUT = "right effect and answer, but "
"""Begins what is said of a run of which nothing but its end is wrong."""

_OF_ITSELF = frozenset({"answered", "goal_met", "repeated_plan", "returned_direct", "partly_done", "steps_failed"})
_BY_A_CHECK = frozenset({"duplicate_tool_calls", "loop_pattern", "error_rate"})
_WITHOUT_ANSWER = frozenset({"model_unavailable", "planner_unavailable", "cancelled"})
_SHORT = 40
_DENIAL = re.compile(r"\b(?:could not|couldn.t|cannot|can.t|unable to|failed to|unfortunately)\b|无法|失败|未能")
_SCRAP = re.compile(r"(?:^|\s)(?:/\w+|--\w+)|\b(?:todo|calendar)\b|待办|日程|帮我")
_SPARE_WORDS = 3
_SMALL_WORD = re.compile(r"a|an|and|at|by|for|from|in|is|it|my|me|of|on|our|please|that|the|this|to|up|with")


@dataclass(frozen=True, slots=True)
class WantTodo:
    """A todo that must be there in the end.

    Attributes:
        words: regular expressions, parted by blanks, that its text must hold.
        without: a regular expression that it must not hold; "" for none.
        due: a `datetime` where a time of day belongs to it, a `date` where none does, None for never.
    """

    words: str
    without: str = ""
    due: date | None = None
    done: bool = False
    priority: Priority = "normal"

    def fits(self, todo: Todo) -> bool:
        """Whether a todo is this one, with nothing that nobody asked for."""
        due = todo.due if todo.due is None or todo.due_has_time else todo.due.date()
        wanted = (self.due, self.done, self.priority, ())
        if (due, todo.done, todo.priority, todo.tags) != wanted or not _is_clean(todo.text, self.words):
            return False
        said = plain(todo.text)
        return _holds(said, self.words) and not (self.without and re.search(self.without, said))

    def __str__(self) -> str:
        about = [self.due and f"due {self.due}", self.done and "done", self.priority != "normal" and self.priority]
        return f"a todo {self.words!r} ({', '.join(str(part) for part in about if part) or 'open, no date'})"


@dataclass(frozen=True, slots=True)
class WantAppointment:
    """An appointment that must be there in the end.

    Attributes:
        words: regular expressions, parted by blanks, that its text or place must hold.
        start: when it begins.
        minutes: how long it takes; None where the user did not say, so that anything up to two hours is right.
        place: a regular expression for the place, where one was given.
    """

    words: str
    start: datetime
    minutes: int | None = None
    place: str = ""

    def fits(self, appointment: Appointment) -> bool:
        """Whether an appointment is this one."""
        length = appointment.end - appointment.start
        right = length == timedelta(minutes=self.minutes) if self.minutes else length <= timedelta(hours=2)
        if appointment.start != self.start or not right or not _is_clean(appointment.text, self.words):
            return False
        place = plain(appointment.place)
        known = filter(None, (*self.words.split(), self.place))
        if place and not any(re.search(words, place) for words in known):
            return False
        return _holds(f"{plain(appointment.text)} {place}", self.words)

    def __str__(self) -> str:
        lasting = f" for {self.minutes} minutes" if self.minutes else ""
        return f"an appointment {self.words!r} at {self.start:%Y-%m-%d %H:%M}{lasting}"


@dataclass(frozen=True, slots=True)
class Task:
    """One thing that a user wants from the assistant.

    Attributes:
        id: unique.
        kind: what it tries out.
        goal: what the user types.
        setup: slash commands that make the agenda it starts from.
        todos, appointments: what must be there in the end besides the entries that nobody touches.
        touched_todos, touched_appointments: ids of the entries that are to be changed or removed.
        says: regular expressions that the answer must hold.
        never_says: regular expressions that it must not hold.
        pages: words of a query → what the search finds for it; nothing is found for other queries.
        search_hangs: the search engine never answers.
        answers: what the user says when asked, in order, the last one again and again; a shrug by default.
        with_tools: whether a tool may be called.
        language: of the user, the agenda and the graph.
    """

    id: str
    kind: Kind
    goal: str
    setup: tuple[str, ...] = ()
    todos: tuple[WantTodo, ...] = ()
    appointments: tuple[WantAppointment, ...] = ()
    touched_todos: tuple[int, ...] = ()
    touched_appointments: tuple[int, ...] = ()
    says: tuple[str, ...] = ()
    never_says: tuple[str, ...] = ()
    pages: Mapping[str, Sequence[Hit]] = field(default_factory=dict[str, Sequence[Hit]])
    search_hangs: bool = False
    answers: tuple[str, ...] = ()
    with_tools: bool = True
    language: Language = "en"

    def prepare(self, agenda: Agenda) -> None:
        """Fill a new agenda with what the task starts from."""
        for command in self.setup:
            agenda.run(command)

    def answer_to(self, number: int) -> str:
        """What the user says to question `number`, counted from 0."""
        answers = self.answers or (SHRUG[self.language],)
        return answers[min(number, len(answers) - 1)]

    def check(self, agenda: Agenda, response: str, stop: StopReason, calls: int = 0) -> str:
        """Judge a run.

        Args:
            agenda: as the run left it.
            response: the answer to the user.
            stop: why the run ended.
            calls: tool calls that were made.

        Returns:
            What is wrong, "" for nothing; it begins with `RIGHT_BUT` where a limit ended the run and all else is right.
        """
        with Agenda(":memory:", clock=lambda: NOW) as start:
            self.prepare(start)
            todos = _difference(start.todos(), agenda.todos(), self.touched_todos, self.todos)
            appointments = _difference(
                start.appointments(), agenda.appointments(), self.touched_appointments, self.appointments
            )
        problem = todos or appointments or self._wrong_answer(response)
        if not problem and calls and not self.with_tools:
            problem = f"{calls} tool call(s) for plain talk"
        allowed = _OF_ITSELF | _BY_A_CHECK if self.kind == "failing" else _OF_ITSELF
        if not problem and stop["kind"] not in allowed:
            right = "" if stop["kind"] in _WITHOUT_ANSWER else RIGHT_BUT
            problem = f"{right}it ended by {stop['kind']}"
        return problem

    def _wrong_answer(self, response: str) -> str:
        said = plain(response)
        finished = said == plain(text(self.language, "end.finished"))
        wanted = [entry.words for entry in (*self.todos, *self.appointments)]
        if not said or (finished and not wanted and not self.touched_todos and not self.touched_appointments):
            return f"no answer: {response!r}"
        if said == plain(self.goal):
            return f"the answer only repeats the user's words: {response!r}"
        for pattern in self.says:
            if not re.search(pattern, said):
                return f"the answer does not say {pattern!r}: {response!r}"
        for pattern in self.never_says:
            if re.search(pattern, said):
                return f"the answer says {pattern!r}: {response!r}"
        if wanted:
            if _DENIAL.search(said):
                return f"the answer denies what was done: {response!r}"
            named = any(re.search(word, said) for words in wanted for word in words.split())
            if not named and not self.says and len(said) > _SHORT:
                return f"the answer is about something else: {response!r}"
        return ""


def plain(words: str) -> str:
    """A text as patterns see it: lower case, plain characters, no emphasis, one blank between words."""
    folded = unicodedata.normalize("NFKC", words).casefold().replace("’", "'")
    return " ".join(re.sub(r"[*_`\"]", "", re.sub(r"(?<=\d),(?=\d{3}\b)", "", folded)).split())


def _holds(said: str, words: str) -> bool:
    return all(re.search(pattern, said) for pattern in words.split())


def _is_clean(entry: str, words: str) -> bool:
    """Whether an entry's text holds no scraps of the command or of the user's request, and not much else."""
    found = [word for word in re.findall(r"[\w']+", plain(entry)) if not _SMALL_WORD.fullmatch(word)]
    return not _SCRAP.search(plain(entry)) and len(found) <= len(words.split()) + _SPARE_WORDS


def _difference(before: Sequence[Any], after: Sequence[Any], touched: Sequence[int], wanted: Sequence[Any]) -> str:
    """How entries differ from what they should be; "" where they do not."""
    left = list(after)
    for entry in before:
        if entry.id in touched:
            continue
        if entry not in left:
            return f"changed or removed: {entry.id} {entry.text!r}"
        left.remove(entry)
    if len(left) == len(wanted) and any(
        all(want.fits(entry) for want, entry in zip(wanted, order, strict=True)) for order in permutations(left)
    ):
        return ""
    there = "; ".join(map(_shown, left)) or "nothing"
    return f"wanted {'; '.join(map(str, wanted)) or 'nothing'}, found {there}"


def _shown(entry: Todo | Appointment) -> str:
    if isinstance(entry, Appointment):
        return f"{entry.id} {entry.text!r} {entry.start:%Y-%m-%d %H:%M}-{entry.end:%H:%M} {entry.place}".rstrip()
    due = f" due {entry.due:%Y-%m-%d %H:%M}" if entry.due else ""
    notes = " ".join(("done" if entry.done else "open", entry.priority, *entry.tags))
    return f"{entry.id} {entry.text!r}{due} {notes}"
