"""Opens the SQLite file for lessons: LangGraph's own store, which several processes may open at once."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, cast

from langgraph.store.sqlite import SqliteStore

from .._internal.sqlite import connect, set_up
from ..errors import MemoryStoreError


@contextmanager
def open_lesson_store(path: str | Path) -> Generator[SqliteStore]:
    """Open a store in an SQLite file for the block; creates the file and its folder if needed.

    Args:
        path: the file, or `":memory:"`.

    Raises:
        MemoryStoreError: the file cannot be opened, or is not an SQLite file.
        ValueError: the path is blank, or an address.
    """
    try:
        connection = connect(path)
    except (OSError, sqlite3.Error) as error:
        raise MemoryStoreError(f"open {path} for", error) from error
    with closing(connection):
        store = SqliteStore(connection, deserializer=_loaded)
        try:
            set_up(connection, store.setup)
        except sqlite3.Error as error:
            raise MemoryStoreError(f"open {path} for", error) from error
        yield store


def _loaded(content: Any) -> dict[str, Any]:
    """A row's JSON object, or {} if it has none: one bad row must not keep the others from being read."""
    try:
        value = json.loads(content)
    except (TypeError, ValueError):
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
