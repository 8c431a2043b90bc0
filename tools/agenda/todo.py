"""The todo list: what `/todo` does."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import cast

from ..dates.durations import from_today
from ..dates.periods import parse_period
from ..dates.when import When, leading_when, on_its_day, parse_when, split_due, tell
from ..dates.words import fold
from .appointments import appointment_list, read_appointments
from .items import Priority, State, Todo, read_todo, read_todos, todo_entries, todo_entry, todo_list
from .line import ORDERS, Parts, checked_text, is_nothing, next_word, options_of, unquoted
from .request import Order, Request, chosen, chosen_to_edit, fitting_entries, holds

_PRIORITIES: dict[str, Priority] = {
    "low": "low",
    "normal": "normal",
    "medium": "normal",
    "high": "high",
    "低": "low",
    "中": "normal",
    "高": "high",
}
_STATES: dict[str, State] = {"open": "open", "未完成": "open", "all": "all", "全部": "all"}
_OVERDUE = frozenset({"overdue", "逾期"})
_LONGEST_TAG = 50
_LEADING_TAGS = re.compile(r"[^\s,、，]+(?:\s*[,、，]\s*[^\s,、，]+)*")


def _add(request: Request, rest: str) -> str:
    parts = _options(request, rest, text_may_follow=True)
    words, when = _text_and_due(request, parts)
    if not words:
        words, when = parts.text, None
    added = request.db.execute(
        "INSERT INTO todos (text, due, due_has_time, priority, tags, created) VALUES (?, ?, ?, ?, ?, ?)",
        (
            checked_text(words, request.language),
            *_due_columns(when),
            _priority(request, parts) or "normal",
            " ".join(_tags(request, parts)),
            request.now.isoformat(timespec="seconds"),
        ),
    )
    return request.say("todo.added", entry=todo_entry(request, read_todo(request.db, cast(int, added.lastrowid))))


def _edit(request: Request, rest: str) -> str:
    todos, rest = chosen_to_edit(request, "todo", rest, read_todos(request.db), read_todos(request.db, "open"))
    changed = [new for todo in todos if (new := _changed(request, todo, rest)) != todo]
    if not changed:
        raise request.refuse("agenda.same", entry=todo_entries(request, todos))
    return request.say("todo.changed", entry=todo_entries(request, changed))


def _changed(request: Request, todo: Todo, rest: str) -> Todo:
    parts = _options(request, rest)
    words, when = _text_and_due(request, parts, todo.due)
    changes: dict[str, object] = {}
    if words:
        changes["text"] = checked_text(words, request.language)
    if when or parts.option("due"):
        changes["due"], changes["due_has_time"] = _due_columns(when)
    if parts.option("tag"):
        changes["tags"] = " ".join(_tags(request, parts))
    if parts.option("priority"):
        changes["priority"] = _priority(request, parts)
    if not changes:
        raise request.refuse("agenda.no_change")
    due = f"{todo.due:{'%Y-%m-%d %H:%M' if todo.due_has_time else '%Y-%m-%d'}}" if todo.due else "none"
    back = f"{todo.text} --due {due} --priority {todo.priority} --tag {','.join(todo.tags) or 'none'}"
    for column, value in changes.items():
        request.db.execute(f"UPDATE todos SET {column} = ? WHERE id = ?", (value, todo.id))
    changed = read_todo(request.db, todo.id)
    if changed != todo:
        request.remember("todo", todo.id, todo_entry(request, todo), f"/todo edit {todo.id} {back}")
    return changed


def unmarked(words: str) -> str:
    """The name of an entry out of "the bill as done", which follows "mark", or "the bill off", after "tick"."""
    return re.sub(r"\s+(?:as\s+(?:done|finished|completed?)|off)\s*$", "", words, flags=re.IGNORECASE)


def _mark(state: State, request: Request, rest: str) -> str:
    before: State = "open" if state == "done" else "done"
    words, known = unmarked(rest), read_todos(request.db)
    # A small model tells the same thing twice: what is marked already, and is called by its whole text, is no mistake.
    pool = read_todos(request.db, before)
    if not fitting_entries(unquoted(words), pool):
        pool = [todo for todo in known if fold(todo.text).casefold() == fold(unquoted(words)).casefold()] or pool
    todos = chosen(request, "todo", words, known, pool)
    numbers = [(state == "done", todo.id) for todo in todos]
    request.db.executemany("UPDATE todos SET done = ? WHERE id = ?", numbers)
    changed = [todo for todo in todos if todo.done != (state == "done")]
    unchanged = [todo for todo in todos if todo not in changed]
    answers = [
        request.say(key, entries="; ".join(f"{todo.id}: {todo.text}" for todo in those))
        for key, those in ((f"todo.now_{state}", changed), (f"todo.already_{state}", unchanged))
        if those
    ]
    return "\n".join(answers)


def _remove(request: Request, rest: str) -> str:
    todos = chosen(request, "todo", rest, read_todos(request.db))
    request.db.executemany("DELETE FROM todos WHERE id = ?", [(todo.id,) for todo in todos])
    return request.say("todo.removed", entries=todo_entries(request, todos))


def _clear(request: Request, rest: str) -> str:
    if ORDERS.get(next_word(rest)[0]) != "done":
        raise request.refuse("todo.clear_what")
    count = request.db.execute("DELETE FROM todos WHERE done = 1").rowcount
    return request.say("todo.cleared", count=count)


def _show(request: Request, rest: str) -> str:
    word, _ = next_word(rest)
    if not word or state_named(word):
        return _list(request, rest)
    todos = chosen(request, "todo", rest, read_todos(request.db))
    return "\n".join(_details(request, todo) for todo in todos)


def _details(request: Request, todo: Todo) -> str:
    entry = todo_entry(request, todo)
    details = request.say("todo.details", entry=entry, created=tell(todo.created, request.language))
    if todo.due is None or todo.done:
        return details
    when = from_today(todo.due, request.now, request.language)
    return f"{details}\n{request.say('todo.is_due', when=when)}"


def _find(request: Request, rest: str) -> str:
    words = unquoted(rest)
    if not words:
        raise request.refuse("agenda.find_what")
    found = [todo for todo in read_todos(request.db) if holds(words, todo.text, *(f"#{tag}" for tag in todo.tags))]
    if found:
        return todo_list(request, found, "found")
    # A small model would answer from this, and look no further.
    others = [entry for entry in read_appointments(request.db) if holds(words, entry.text, entry.place)]
    elsewhere = appointment_list(request, others, "found") if others else _list(request, "")
    return f"{request.say('todo.not_found', words=words[:100])}\n{elsewhere}"


def _list(request: Request, rest: str) -> str:
    parts = _options(request, rest)
    words = parts.text.split()
    states: list[State] = [state for state in map(state_named, words) if state]
    others = " ".join(word for word in words if not state_named(word))
    if len(states) > 1 or (others and parts.option("due")):
        raise request.refuse("todo.bad_filter", words=parts.text)
    state: State = states[0] if states else "open"
    due = parts.option("due") or others
    tags = _tags(request, parts)
    todos = [
        todo
        for todo in read_todos(request.db, state, priority=_priority(request, parts))
        if all(tag in todo.tags for tag in tags)
    ]
    todos = _due_in(request, todos, due) if due else todos
    if todos:
        return todo_list(request, todos, state)
    return request.say("todo.no_match" if parts.options or due else f"todo.none.{state}")


def _due_in(request: Request, todos: list[Todo], due: str) -> list[Todo]:
    if fold(due).casefold() in _OVERDUE:
        return [todo for todo in todos if todo.is_overdue(request.now)]
    period = parse_period(due, request.now, request.language)
    return [todo for todo in todos if todo.due and period.start <= todo.due < period.end]


def _help(request: Request, rest: str) -> str:
    return request.say("todo.help")


def state_named(word: str) -> State | None:
    """The state of todos that a word names for a list: open, done, all; None for no such word."""
    plain = fold(word).casefold()
    return "done" if ORDERS.get(plain) == "done" else _STATES.get(plain)


def _options(request: Request, rest: str, *, text_may_follow: bool = False) -> Parts:
    lengths: dict[str, Callable[[str], int]] = {
        "due": leading_when,
        "tag": lambda value: tags.end() if (tags := _LEADING_TAGS.match(value)) else 0,
        "priority": lambda value: len(value.split()[0]),
    }
    return options_of(rest, lengths, request.language, text_may_follow=text_may_follow)


def _text_and_due(request: Request, parts: Parts, current: datetime | None = None) -> tuple[str, When | None]:
    due = parts.option("due")
    if due is None:
        words, when = split_due(parts.text, request.now, request.language)
    elif is_nothing(due):
        return parts.text, None
    else:
        words, when = parts.text, parse_when(due, request.now, request.language)
    return words, on_its_day(when, current) if when and current else when


def _due_columns(when: When | None) -> tuple[str | None, bool]:
    return (when.moment.isoformat(timespec="minutes"), when.has_time) if when else (None, False)


def _tags(request: Request, parts: Parts) -> list[str]:
    words = re.split(r"[\s,、，]+", " ".join(parts.options.get("tag", [])))
    tags = {fold(word).strip("#\"'").casefold() for word in words} - {""}
    if "tag" in parts.options and not tags:
        raise request.refuse("agenda.empty_option", option="--tag")
    if all(map(is_nothing, tags)):
        return []
    if too_long := [tag for tag in tags if len(tag) > _LONGEST_TAG]:
        raise request.refuse("todo.bad_tag", tag=too_long[0][:_LONGEST_TAG], limit=_LONGEST_TAG)
    return sorted(tags)


def _priority(request: Request, parts: Parts) -> Priority | None:
    named = parts.option("priority")
    if named is None:
        return None
    priority = _PRIORITIES.get(fold(named).casefold())
    if priority is None:
        raise request.refuse("todo.bad_priority", priority=named[:100])
    return priority


TODO_ORDERS = {
    "add": Order(_add, changes=True),
    "list": Order(_list),
    "done": Order(partial(_mark, "done"), changes=True),
    "undo": Order(partial(_mark, "open"), changes=True),
    "edit": Order(_edit, changes=True),
    "rm": Order(_remove, changes=True),
    "show": Order(_show),
    "find": Order(_find),
    "clear": Order(_clear, changes=True),
    "help": Order(_help),
}
"""The orders of `/todo`, by their main word."""
