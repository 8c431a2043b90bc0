"""Opens LangGraph checkpoints in an SQLite file or a PostgreSQL database."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

from .._internal.numbers import check_kind
from .._internal.redact import redacted
from .._internal.sqlite import connect, set_up
from ..errors import CheckpointError
from .checkpoints import Checkpoints
from .sqlite import SqliteCheckpoints, sqlite_kind

_POSTGRES = ("postgresql://", "postgres://")


@contextmanager
def open_checkpoints(place: str | Path) -> Generator[Checkpoints]:
    """Open checkpoints in an SQLite file or a PostgreSQL database for the block.

    Unlike LangGraph's, they serve both sync and async graphs. A thread takes one run at a time; if two write to it, the
    later one stops with an error. Database errors say what to do.

    Args:
        place: a file, created with its folder if needed; `":memory:"`; or `"postgresql://…"`, which needs the extra
            `postgres`. Missing tables are created.

    Yields:
        A LangGraph checkpointer, `SqliteCheckpoints` or `PostgresCheckpoints`.

    Raises:
        CheckpointError: it cannot be opened; later, it cannot be read or written.
        ValueError: the place is empty, none, or the address of something else.
        ThreadConflictError: later, in a run whose thread another run wrote to.

    Example:
        >>> with open_checkpoints("runs.sqlite") as checkpointer:                                  # doctest: +SKIP
        ...     graph = create_plan_act_graph(model, tools, checkpointer=checkpointer)
    """
    check_kind("the place of the checkpoints", place, str | os.PathLike, "a path or an address")
    if not str(place).strip():
        # SQLite takes it for a database that goes when it is closed.
        raise ValueError('the place of the checkpoints is empty: give a file, or ":memory:"')
    if str(place).startswith(_POSTGRES):
        from .postgres import opened

        with opened(str(place)) as checkpoints:
            yield checkpoints
        return
    if "://" in str(place):
        raise ValueError(
            f"cannot open {redacted(str(place))!r}: checkpoints are kept in a file, given by its path, in "
            '":memory:", or in PostgreSQL, as "postgresql://user@host/database"'
        )
    with closing(SqliteCheckpoints(_connected(place), str(place))) as checkpoints:
        try:
            set_up(checkpoints.conn, checkpoints.setup)
        except sqlite3.Error as error:
            # A read-only file is set up already and can still be read.
            if sqlite_kind(error) != "read_only":
                raise _not_opened(place, error) from error
        yield checkpoints


def _connected(path: str | Path) -> sqlite3.Connection:
    try:
        return connect(path, "DEFERRED")
    except (OSError, sqlite3.Error) as error:
        raise _not_opened(path, error) from error


def _not_opened(path: str | Path, error: Exception) -> CheckpointError:
    return CheckpointError(str(path), sqlite_kind(error) or "read_only", f"{type(error).__name__}: {error}")
