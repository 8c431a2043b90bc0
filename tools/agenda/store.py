"""The agenda's SQLite file: safe between threads and processes; stores every effect with its key."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from ..._internal.sqlite import connect, set_up
from ..._internal.texts import Language
from ...errors import CommandError
from .texts import text

T = TypeVar("T")

# Ids are never reused: a late command must not reach a different entry.
_TABLES = """BEGIN IMMEDIATE;
    CREATE TABLE IF NOT EXISTS todos (
        id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL, done INTEGER NOT NULL DEFAULT 0, due TEXT,
        due_has_time INTEGER NOT NULL DEFAULT 0, priority TEXT NOT NULL, tags TEXT NOT NULL, created TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS appointments (
        id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL, starts TEXT NOT NULL, ends TEXT NOT NULL,
        place TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS former (
        kind TEXT NOT NULL, id INTEGER NOT NULL, line TEXT NOT NULL, command TEXT NOT NULL, PRIMARY KEY (kind, id));
    CREATE TABLE IF NOT EXISTS effects (key TEXT PRIMARY KEY, command TEXT NOT NULL, answer TEXT NOT NULL);
    COMMIT"""


class Store:
    """One connection, which threads use in turn; other processes open their own to the same file."""

    def __init__(self, path: str | Path, language: Language) -> None:
        self._language: Language = language
        self._turn = threading.RLock()
        self._db = self._opened(path)

    def _opened(self, path: str | Path) -> sqlite3.Connection:
        try:
            db = connect(path)
        except (OSError, sqlite3.Error) as error:
            raise self._failure(str(path), error) from error
        try:
            set_up(db, lambda: db.executescript(_TABLES))
        except sqlite3.Error as error:
            db.close()
            raise self._failure(str(path), error) from error
        return db

    def close(self) -> None:
        """Close the connection; what was committed stays."""
        with self._turn:
            self._db.close()

    def read(self, line: str, reader: Callable[[sqlite3.Connection], T]) -> T:
        """Run a reader of the data.

        Raises:
            CommandError: the file cannot be read.
        """
        try:
            with self._turn:
                return reader(self._db)
        except sqlite3.Error as error:
            raise self._failure(line, error) from error

    def write(self, line: str, key: str | None, writer: Callable[[sqlite3.Connection], str]) -> str:
        """Run a writer and store its key in one transaction: completely or not at all, and only once per key.

        Returns:
            What the writer returned, now or at the first call with this key.

        Raises:
            CommandError: the writer refused, the key belongs to another command, or the file cannot be written.
        """
        with self._transaction(line) as db:
            if key is None:
                return writer(db)
            known: tuple[str, str] | None = db.execute(
                "SELECT command, answer FROM effects WHERE key = ?", (key,)
            ).fetchone()
            if known:
                if known[0] != line:
                    raise CommandError(line, text(self._language, "agenda.key_taken", key=key, command=known[0]))
                return known[1]
            answer = writer(db)
            db.execute("INSERT INTO effects (key, command, answer) VALUES (?, ?, ?)", (key, line, answer))
            return answer

    @contextmanager
    def _transaction(self, line: str) -> Generator[sqlite3.Connection]:
        try:
            with self._turn:
                try:
                    # Inside the `try`: a Ctrl-C during the wait for another writer is raised after the lock is taken.
                    self._db.execute("BEGIN IMMEDIATE")
                    yield self._db
                    self._db.execute("COMMIT")
                except BaseException:
                    if self._db.in_transaction:
                        self._db.execute("ROLLBACK")
                    raise
        except sqlite3.Error as error:
            raise self._failure(line, error) from error

    def _failure(self, line: str, error: Exception) -> CommandError:
        return CommandError(line, text(self._language, "agenda.store_failed", error=error))
