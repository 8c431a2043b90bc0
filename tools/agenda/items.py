"""The entries of the todo list: their type, how to read them from the file, and how to show them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time
from typing import Literal, cast

from ..dates.when import tell
from .request import Request

Priority = Literal["low", "normal", "high"]
State = Literal["open", "done", "all"]

_COLUMNS = "id, text, done, due, due_has_time, priority, tags, created"


@dataclass(frozen=True, slots=True)
class Todo:
    """An entry of the todo list.

    Attributes:
        id: never reused, not even after the todo is removed.
        text: one line of 1 to 500 characters.
        done: whether it is done.
        due: when it is due, local and without a zone; midnight if only a date was given; None for never.
        due_has_time: whether `due` has a time of day.
        priority: `"low"`, `"normal"` or `"high"`.
        tags: in lower case, without `#`, sorted.
        created: when it was added.
    """

    id: int
    text: str
    done: bool
    due: datetime | None
    due_has_time: bool
    priority: Priority
    tags: tuple[str, ...]
    created: datetime

    def is_overdue(self, now: datetime) -> bool:
        """Whether it is open and past its due time, or past its due day if it has no time of day."""
        if self.done or self.due is None:
            return False
        return self.due < (now if self.due_has_time else datetime.combine(now.date(), time()))


def read_todos(
    db: sqlite3.Connection, state: State = "all", *, tag: str | None = None, priority: Priority | None = None
) -> list[Todo]:
    """The todos that match every filter: open before done, then by due date, priority and id."""
    order = "done, due IS NULL, due, CASE priority WHEN 'high' THEN 0 WHEN 'normal' THEN 1 ELSE 2 END, id"
    rows = db.execute(f"SELECT {_COLUMNS} FROM todos ORDER BY {order}")
    todos = [_from_row(row) for row in rows]
    return [
        todo
        for todo in todos
        if (state == "all" or todo.done == (state == "done"))
        and (tag is None or tag.removeprefix("#").casefold() in todo.tags)
        and (priority is None or todo.priority == priority)
    ]


def read_todo(db: sqlite3.Connection, number: int) -> Todo:
    """Read a todo that is known to exist."""
    return _from_row(db.execute(f"SELECT {_COLUMNS} FROM todos WHERE id = ?", (number,)).fetchone())


def _from_row(row: Sequence[object]) -> Todo:
    number, words, done, due, has_time, priority, tags, created = cast(
        "tuple[int, str, int, str | None, int, Priority, str, str]", row
    )
    moment = None if due is None else datetime.fromisoformat(due)
    added = datetime.fromisoformat(created)
    return Todo(number, words, bool(done), moment, bool(has_time), priority, tuple(tags.split()), added)


def todo_list(request: Request, todos: Sequence[Todo], heading: str) -> str:
    """Todos under a heading (`open`, `done`, `all` or `found`), one per line."""
    lines = [todo_entry(request, todo) for todo in todos]
    return "\n".join([request.say(f"todo.list.{heading}", count=len(lines)), *lines])


def todo_entry(request: Request, todo: Todo) -> str:
    """A todo on one line: its id, its text, and other details in brackets."""
    notes: list[str] = []
    if todo.due is not None:
        due = tell(todo.due, request.language, has_time=todo.due_has_time)
        notes.append(request.say("todo.due", due=due))
    if todo.is_overdue(request.now):
        notes.append(request.say("todo.overdue"))
    if todo.priority != "normal":
        notes.append(request.say(f"todo.priority.{todo.priority}"))
    notes += [f"#{tag}" for tag in todo.tags]
    if todo.done:
        notes.append(request.say("todo.is_done"))
    if not notes:
        return f"{todo.id}: {todo.text}"
    return request.say("todo.noted", id=todo.id, text=todo.text, notes=request.say("agenda.comma").join(notes))


def todo_entries(request: Request, todos: Sequence[Todo]) -> str:
    """Several todos on one line."""
    return "; ".join(todo_entry(request, todo) for todo in todos)
