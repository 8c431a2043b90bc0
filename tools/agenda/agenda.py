"""The agenda: todos and appointments in one SQLite file, used through slash commands."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from sqlite3 import Connection
from types import TracebackType
from typing import Self, get_args

from ..._internal.numbers import checked_clock
from ..._internal.texts import Language, as_language
from ...errors import CommandError
from ..dates.words import fold
from .appointments import Appointment, read_appointments
from .items import Priority, State, Todo, read_todos
from .line import ORDERS, check_length, next_word, one_line
from .request import Kind, Order, Request, kind_of
from .schedule import SCHEDULE_ORDERS
from .store import Store
from .texts import text
from .todo import TODO_ORDERS
from .view import show_view

_COMMAND = re.compile(r"/\s*(todo|schedule|view)(?![a-z0-9_])\s*[:,]?\s*", re.IGNORECASE)
_SECOND_COMMAND = re.compile(r"\S\s*[;\n]\s*/(?:todo|schedule|view)\b", re.IGNORECASE)
_ORDERS: dict[Kind, dict[str, Order]] = {"todo": TODO_ORDERS, "schedule": SCHEDULE_ORDERS}


class Agenda:
    """Todos and appointments in one SQLite file.

    Threads may share an agenda, and any number of processes may open the same file. A context manager.

    Attributes:
        language: of the answers and messages.

    Example:
        >>> with Agenda(":memory:") as agenda:
        ...     agenda.run("/todo add buy milk")
        'Added todo 1: buy milk.'
    """

    def __init__(
        self, path: str | Path, *, language: Language = "en", clock: Callable[[], datetime] = datetime.now
    ) -> None:
        """Open the file, or create it with its folder.

        Args:
            path: the SQLite file, or `":memory:"` for an agenda that lasts as long as the object.
            language: of the answers and messages.
            clock: gives the local time, without a zone.

        Raises:
            CommandError: the file cannot be opened, or is not an SQLite file.
            ValueError: the path is blank or an address, the language is unknown, or the clock is no function.
        """
        self.language: Language = as_language(language)
        self._clock = checked_clock(clock)
        self._store = Store(path, language)

    def run(self, command: str, key: str | None = None) -> str:
        """Carry out one line: `/todo …`, `/schedule …` or `/view …`.

        Args:
            command: the line; `/todo help` and `/schedule help` list the commands.
            key: identifies this effect, such as a run and its step. The command's changes, its answer and the key are
                written in one transaction; the same command with the same key returns the first answer again and
                changes nothing. Commands that only read ignore it.

        Returns:
            The text to show.

        Raises:
            CommandError: the command is unknown, incomplete or impossible, or its key belongs to another command;
                nothing has changed, and the message says how to write the command.
        """
        line = one_line(command)
        check_length(command, self.language)
        if _SECOND_COMMAND.search(command):
            raise CommandError(command, text(self.language, "agenda.one_at_a_time"))
        found = _COMMAND.match(fold(line))
        if found is None:
            raise CommandError(command, text(self.language, "agenda.unknown_command", word=line[:100]))
        name, rest = found[1].casefold(), line[found.end() :]
        if name == "view":
            return self._store.read(line, lambda db: show_view(Request(db, self.language, self._clock(), line), rest))
        return self._order(line, kind_of(name), rest, key)

    def todos(self, state: State = "all", *, tag: str | None = None, priority: Priority | None = None) -> list[Todo]:
        """The todos that match every filter: open before done, then by due date, priority and id.

        Raises:
            ValueError: the state or the priority is unknown.
            CommandError: the file cannot be read.
        """
        if state not in get_args(State) or priority not in (None, *get_args(Priority)):
            raise ValueError(
                f"unknown state {state!r} or priority {priority!r}: choose from {get_args(State)}, {get_args(Priority)}"
            )
        return self._store.read("", lambda db: read_todos(db, state, tag=tag, priority=priority))

    def appointments(self, start: datetime | None = None, end: datetime | None = None) -> list[Appointment]:
        """The appointments that overlap the time between two local moments, earliest first.

        Args:
            start: None for no limit.
            end: exclusive; None for no limit.

        Raises:
            CommandError: the file cannot be read.
        """
        return self._store.read("", lambda db: read_appointments(db, start, end))

    def former(self, kind: Kind, entry_id: int) -> tuple[str, str] | None:
        """What an entry was before its last edit, as lists show it, and the command that makes it so again.

        Args:
            kind: `"todo"`, or `"schedule"` for appointments.
            entry_id: its id, which an entry that was removed since had, too.

        Returns:
            Both; None for an entry that was never edited.

        Raises:
            ValueError: the kind is unknown.
            CommandError: the file cannot be read.
        """
        if kind not in get_args(Kind):
            raise ValueError(f"unknown kind {kind!r}: choose from {get_args(Kind)}")
        query = "SELECT line, command FROM former WHERE kind = ? AND id = ?"
        return self._store.read("", lambda db: db.execute(query, (kind, entry_id)).fetchone())

    def close(self) -> None:
        """Close the file. It keeps every change that was answered."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _order(self, line: str, kind: Kind, rest: str, key: str | None) -> str:
        word, details = next_word(rest)
        name = ORDERS.get(word.rstrip(":,")) if word else "list"
        order = _ORDERS[kind].get(name or "")
        if name is None or order is None:
            known, suggested = ", ".join(_ORDERS[kind]), f"/{kind} add {rest}"[:200]
            key = "schedule.not_ticked" if kind == "schedule" and name else f"{kind}.unknown_order"
            raise CommandError(line, text(self.language, key, word=word[:100], known=known, suggested=suggested))
        now = self._clock()

        def carry_out(db: Connection) -> str:
            try:
                return order.carry_out(Request(db, self.language, now, line), details)
            except CommandError as problem:
                usage = text(self.language, f"{kind}.usage.{name}")
                message = text(self.language, "agenda.usage", problem=problem, usage=usage)
                raise CommandError(line, str(problem), message) from None

        return self._store.write(line, key, carry_out) if order.changes else self._store.read(line, carry_out)
