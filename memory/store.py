"""The SQLite file that lessons are kept in: LangGraph's own store, which several processes may open at once."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, cast

from langgraph.store.sqlite import SqliteStore
from tenacity import retry, retry_if_exception, stop_after_delay, wait_random

from ..errors import MemoryStoreError

_BUSY_SECONDS = 10.0


@contextmanager
def open_lesson_store(path: str | Path) -> Generator[SqliteStore]:
    """A store in an SQLite file, for the length of the block; the file and its folder are made where needed.

    Args:
        path: the file, or `":memory:"`.

    Raises:
        MemoryStoreError: the file cannot be opened, or is no SQLite file.
    """
    try:
        if str(path) != ":memory:":
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        # Without an isolation level, because the store begins and commits its transactions itself.
        connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    except (OSError, sqlite3.Error) as error:
        raise MemoryStoreError(f"open {path} for", error) from error
    with closing(connection):
        store = SqliteStore(connection, deserializer=_loaded)
        try:
            _set_up(connection, store)
        except sqlite3.Error as error:
            raise MemoryStoreError(f"open {path} for", error) from error
        yield store


def _is_passing(error: BaseException) -> bool:
    """Whether an error in setting up comes from another process that sets up the same file."""
    signs = ("locked", "duplicate column", "UNIQUE constraint")
    return isinstance(error, sqlite3.Error) and any(sign in str(error) for sign in signs)


@retry(
    retry=retry_if_exception(_is_passing),
    wait=wait_random(0.01, 0.05),
    stop=stop_after_delay(_BUSY_SECONDS),
    reraise=True,
)
def _set_up(connection: sqlite3.Connection, store: SqliteStore) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    store.setup()


def _loaded(content: Any) -> dict[str, Any]:
    """A row's JSON; a row that has none must not keep the others from being read."""
    try:
        value = json.loads(content)
    except (TypeError, ValueError):
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
