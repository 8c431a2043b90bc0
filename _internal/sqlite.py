"""Opens an SQLite file that several threads and processes use at once.

SQLite's errors are raised unchanged; the caller knows what to tell the user.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from tenacity import retry, retry_if_exception, stop_after_delay, wait_random

from .atomic import local_path

_BUSY_SECONDS = 30.0
# The last two come from LangGraph's migrations, when another process runs the same ones.
_PASSING = ("locked", "duplicate column", "UNIQUE constraint")


def connect(path: str | Path, isolation_level: Literal["DEFERRED"] | None = None) -> sqlite3.Connection:
    """Open a file for use from any thread; writers wait for each other.

    Args:
        path: the file, or `":memory:"`; the file and its folder are created if needed.
        isolation_level: `"DEFERRED"` lets `sqlite3` begin transactions; with None the caller begins and commits them.

    Raises:
        OSError: the folder cannot be created.
        ValueError: the path is blank, or an address.
        sqlite3.Error: the file cannot be opened.
    """
    if str(path) != ":memory:":
        local_path(path).parent.mkdir(parents=True, exist_ok=True)
    return sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=isolation_level, check_same_thread=False)


def _is_passing(error: BaseException) -> bool:
    return isinstance(error, sqlite3.Error) and any(sign in str(error) for sign in _PASSING)


# If two processes open a new file at once, SQLite refuses one of them the switch to its write-ahead log and does not
# wait.
@retry(
    retry=retry_if_exception(_is_passing),
    wait=wait_random(0.01, 0.05),
    stop=stop_after_delay(_BUSY_SECONDS),
    reraise=True,
)
def set_up(connection: sqlite3.Connection, make_tables: Callable[[], object]) -> None:
    """Let readers and a writer work at the same time, and create missing tables.

    Args:
        connection: a connection from `connect`.
        make_tables: creates the tables; called again if another process sets up the same file.

    Raises:
        sqlite3.Error: the file is not an SQLite file, cannot be written, or stays locked.
    """
    connection.execute("PRAGMA journal_mode = WAL")
    make_tables()
