"""The last exchanges with the user: the next request is told them, also after a restart."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

from .._internal.numbers import whole_number
from .._internal.sqlite import connect, set_up
from .._internal.texts import Language
from ..errors import ThoughtGraphError
from ..nodes.plan_act.asking.exchanges import exchanges_text, one_line
from ..nodes.plan_act.state import Exchange

_TABLE = (
    "CREATE TABLE IF NOT EXISTS exchanges "
    "(id INTEGER PRIMARY KEY, said TEXT NOT NULL, answered TEXT NOT NULL, done TEXT NOT NULL)"
)


class Exchanges:
    """The last exchanges in an SQLite file, oldest first.

    Args:
        path: the file; created with its folder if needed.
        limit: the most exchanges to keep; 0 keeps none and reads none.

    Raises:
        ThoughtGraphError: here and in every method: the file cannot be opened, read or written.
        ValueError: the limit is negative, or no whole number.
    """

    def __init__(self, path: Path, limit: int) -> None:
        self._path, self._limit = path, whole_number("history", limit, 0)
        with self._failing():
            self._db = connect(path)
            try:
                set_up(self._db, lambda: self._db.execute(_TABLE))
            except sqlite3.Error:
                self._db.close()
                raise

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def add(self, exchanges: Iterable[Exchange]) -> None:
        """Keep what was said, answered and done, each on one line and cut to 400 characters."""
        if not self._limit:
            return
        rows = [tuple(map(one_line, (one["said"], one["answered"], one.get("done", "")))) for one in exchanges]
        with self._failing():
            self._db.executemany("INSERT INTO exchanges (said, answered, done) VALUES (?, ?, ?)", rows)
            self._db.execute(
                "DELETE FROM exchanges WHERE id NOT IN (SELECT id FROM exchanges ORDER BY id DESC LIMIT ?)",
                (self._limit,),
            )

    def told(self, language: Language) -> str:
        """The exchanges as the next request is told them, the latest 800 tokens; "" for none."""
        with self._failing():
            query = "SELECT said, answered, done FROM exchanges ORDER BY id DESC LIMIT ?"
            rows: list[tuple[str, str, str]] = self._db.execute(query, (self._limit,)).fetchall()
        kept = [Exchange(said=said, answered=answered, done=done) for said, answered, done in reversed(rows)]
        return exchanges_text(kept, language)

    def forget(self) -> None:
        """Delete them all."""
        with self._failing():
            self._db.execute("DELETE FROM exchanges")

    @contextmanager
    def _failing(self) -> Generator[None]:
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            raise ThoughtGraphError(
                f"the last exchanges in {self._path} cannot be read or kept: {error}. "
                "Check the disk and the file; without the file they are forgotten."
            ) from error
