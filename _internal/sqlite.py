"""Opening an SQLite file that several threads and processes use at once.

What is wrong with it is raised as SQLite says it; whoever opens it knows what its user should be told.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from tenacity import retry, retry_if_exception, stop_after_delay, wait_random

_BUSY_SECONDS = 30.0
# The last two come from LangGraph's migrations, when another process makes the same ones.
_PASSING = ("locked", "duplicate column", "UNIQUE constraint")


def connect(path: str | Path, isolation_level: Literal["DEFERRED"] | None = None) -> sqlite3.Connection:
    """Open a file for use from any thread; writers wait for each other.

    Args:
        path: the file, which is made with its folder where needed, or `":memory:"`.
        isolation_level: `"DEFERRED"` for users who leave it to `sqlite3` to begin transactions; None for those who
            begin and commit them themselves.

    Raises:
        OSError: the folder cannot be made.
        sqlite3.Error: the file cannot be opened.
    """
    if str(path) != ":memory:":
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    return sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=isolation_level, check_same_thread=False)


def _is_passing(error: BaseException) -> bool:
    return isinstance(error, sqlite3.Error) and any(sign in str(error) for sign in _PASSING)


# Two processes that open a new file at once: SQLite refuses one of them the switch to its write-ahead log without any
# waiting of its own.
@retry(
    retry=retry_if_exception(_is_passing),
    wait=wait_random(0.01, 0.05),
    stop=stop_after_delay(_BUSY_SECONDS),
    reraise=True,
)
def set_up(connection: sqlite3.Connection, make_tables: Callable[[], object]) -> None:
    """Let readers and a writer work at the same time, and make the tables that are missing.

    Args:
        connection: as `connect` gives it.
        make_tables: called once more where another process sets up the same file.

    Raises:
        sqlite3.Error: the file is none of SQLite's, cannot be written, or stays locked.
    """
    connection.execute("PRAGMA journal_mode = WAL")
    make_tables()
