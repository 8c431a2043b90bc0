"""Where runs are kept: LangGraph checkpoints in an SQLite file or a PostgreSQL database."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from zlib import crc32

from langgraph.checkpoint.sqlite import SqliteSaver
from tenacity import retry, retry_if_exception, stop_after_delay, wait_random

from ..trace.errors import CheckpointError, CheckpointErrorKind
from .checkpoints import Checkpoints

_BUSY_SECONDS = 10.0
_KINDS: tuple[tuple[str, CheckpointErrorKind], ...] = (
    ("full", "full"),
    ("disk I/O", "full"),
    ("readonly", "read_only"),
    ("unable to open", "read_only"),
    ("locked", "locked"),
    ("malformed", "damaged"),
    ("not a database", "damaged"),
)


# SQLite keeps none: bits that turned in a text are read as another text. A table of its own leaves LangGraph's as they
# are, for whoever reads them otherwise.
_SEALS = """CREATE TABLE IF NOT EXISTS checksums (
    thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL, checkpoint_id TEXT NOT NULL, task_id TEXT NOT NULL,
    idx INTEGER NOT NULL, sum INTEGER NOT NULL, PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx)
) WITHOUT ROWID"""
_OF_CHECKPOINTS = "checksum(c.parent_checkpoint_id, c.type, c.checkpoint, c.metadata)"
_OF_WRITES = "checksum(w.channel, w.type, w.value)"


class SqliteCheckpoints(Checkpoints, SqliteSaver):
    """LangGraph's `SqliteSaver` for sync and async graphs alike, with one run a thread.

    LangGraph's own class refuses async use, and its `AsyncSqliteSaver` refuses sync use from the event loop's thread;
    an assistant that offers both forms of every call needs one that takes both.

    Args:
        connection: to the file; opened with `check_same_thread=False`.
        where: what errors call it.
    """

    def __init__(self, connection: sqlite3.Connection, where: str = "the SQLite file") -> None:
        super().__init__(connection)
        self.where = where
        self.lock: Any = threading.RLock()  # a transaction holds it around LangGraph's statements, which take it, too
        connection.create_function("checksum", -1, _checksum, deterministic=True)

    def setup(self) -> None:
        """Make the tables that are missing; called where needed."""
        if not self.is_setup:
            self.conn.execute(_SEALS)
            super().setup()

    def delete_thread(self, thread_id: str) -> None:
        """As `Checkpoints` has it."""
        super().delete_thread(thread_id)
        with self._transaction(thread_id, ""):
            self.conn.execute("DELETE FROM checksums WHERE thread_id = ?", (thread_id,))

    @contextmanager
    def _transaction(self, thread_id: str, checkpoint_ns: str) -> Generator[None]:
        with self.lock:
            self.setup()
            try:
                self.conn.execute("BEGIN IMMEDIATE")
                yield
                self.conn.commit()
            except BaseException:
                self.conn.rollback()
                raise

    def _ids(self, thread_id: str, checkpoint_ns: str, limit: int) -> Sequence[str]:
        with self.lock:
            rows = self.conn.execute(
                "SELECT checkpoint_id FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ? "
                "ORDER BY checkpoint_id DESC LIMIT ?",
                (thread_id, checkpoint_ns, limit),
            ).fetchall()
        return [row[0] for row in rows]

    def _tasks(self, thread_id: str, checkpoint_ns: str, checkpoint_id: str) -> Sequence[str]:
        with self.lock:
            rows = self.conn.execute(
                "SELECT DISTINCT task_id FROM writes WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ? "
                "AND idx >= 0",
                (thread_id, checkpoint_ns, checkpoint_id),
            ).fetchall()
        return [row[0] for row in rows]

    def _writes(self, thread_id: str, checkpoint_ns: str, checkpoint_id: str, task_id: str) -> Sequence[Sequence[Any]]:
        with self.lock:
            return self.conn.execute(
                "SELECT channel, type, value FROM writes WHERE thread_id = ? AND checkpoint_ns = ? "
                "AND checkpoint_id = ? AND task_id = ? AND idx >= 0 ORDER BY idx",
                (thread_id, checkpoint_ns, checkpoint_id, task_id),
            ).fetchall()

    def _seal(self, thread_id: str, checkpoint_ns: str, checkpoint_id: str, task_id: str | None) -> None:
        key = thread_id, checkpoint_ns, checkpoint_id
        if task_id is None:
            self.conn.execute(
                "INSERT OR REPLACE INTO checksums "
                f"SELECT thread_id, checkpoint_ns, checkpoint_id, '', 0, {_OF_CHECKPOINTS} FROM checkpoints c "
                "WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?",
                key,
            )
        else:
            self.conn.execute(
                "INSERT OR IGNORE INTO checksums "
                f"SELECT thread_id, checkpoint_ns, checkpoint_id, task_id, idx, {_OF_WRITES} FROM writes w "
                "WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ? AND task_id = ? AND idx >= 0",
                (*key, task_id),
            )

    def _check_seals(self, thread_id: str, checkpoint_ns: str, checkpoint_id: str, until: str = "") -> None:
        keys = "thread_id, checkpoint_ns, checkpoint_id"
        place: list[str] = [thread_id, checkpoint_ns]
        which = "thread_id = ? AND checkpoint_ns = ?"
        if named := checkpoint_id or until:
            which += f" AND checkpoint_id {'=' if checkpoint_id else '<='} ?"
            place.append(named)
        query = (
            f"SELECT checkpoint_id FROM writes w JOIN checksums USING ({keys}, task_id, idx) "
            f"WHERE {which} AND sum <> {_OF_WRITES}"
        )
        if checkpoint_id:
            query += (
                f" UNION ALL SELECT checkpoint_id FROM checkpoints c JOIN checksums USING ({keys}) "
                f"WHERE {which} AND task_id = '' AND sum <> {_OF_CHECKPOINTS}"
            )
            place *= 2
        with self.lock:
            changed = self.conn.execute(f"{query} LIMIT 1", place).fetchone()
        if changed:
            raise ValueError(f"the checksum of checkpoint {changed[0]} does not fit")

    def _kind(self, error: Exception) -> CheckpointErrorKind | None:
        return sqlite_kind(error)


def _checksum(*columns: str | bytes | None) -> int:
    total = 0
    for column in columns:
        total = crc32(column.encode("utf-8", "surrogateescape") if isinstance(column, str) else column or b"", total)
    return total


def sqlite_kind(error: Exception) -> CheckpointErrorKind | None:
    """What an error of SQLite means; None for any other error."""
    if not isinstance(error, sqlite3.Error):
        return None
    for sign, kind in _KINDS:
        if sign in str(error):
            return kind
    return "other"


@contextmanager
def open_checkpoints(place: str | Path) -> Generator[Checkpoints]:
    """Checkpoints in an SQLite file or a PostgreSQL database, for the length of the block.

    What they add to LangGraph's: sync and async graphs may use them alike; a thread takes one run at a time, and of two
    that write to it the later stops with an error; and what is wrong with the database is said with what to do.

    Args:
        place: a file, which is made with its folder where needed; `":memory:"`; or `"postgresql://…"`, which needs the
            extra `postgres`. Tables are set up where they are missing.

    Yields:
        A LangGraph checkpointer, `SqliteCheckpoints` or `PostgresCheckpoints`.

    Raises:
        CheckpointError: it cannot be opened; later, it cannot be read or written.
        ThreadConflictError: later, in a run whose thread another run has written to.

    Example:
        >>> with open_checkpoints("runs.sqlite") as checkpointer:                                  # doctest: +SKIP
        ...     graph = create_plan_act_graph(model, tools, checkpointer=checkpointer)
    """
    if str(place).startswith(("postgresql://", "postgres://")):
        from .postgres import opened

        with opened(str(place)) as checkpoints:
            yield checkpoints
        return
    with closing(_connected(place)) as connection:
        checkpoints = SqliteCheckpoints(connection, str(place))
        try:
            _set_up(checkpoints)
        except sqlite3.Error as error:
            # A file that may only be read is set up already, and can be looked at.
            if sqlite_kind(error) != "read_only":
                raise _not_opened(place, error) from error
        yield checkpoints


def _connected(path: str | Path) -> sqlite3.Connection:
    try:
        if str(path) != ":memory:":
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        return sqlite3.connect(str(path), timeout=_BUSY_SECONDS, check_same_thread=False)
    except (OSError, sqlite3.Error) as error:
        raise _not_opened(path, error) from error


def _not_opened(path: str | Path, error: Exception) -> CheckpointError:
    return CheckpointError(str(path), sqlite_kind(error) or "read_only", f"{type(error).__name__}: {error}")


# Two processes that open a new file at once: SQLite refuses one of them the switch to its write-ahead log without any
# waiting of its own.
@retry(
    retry=retry_if_exception(lambda error: isinstance(error, sqlite3.OperationalError) and "locked" in str(error)),
    wait=wait_random(0.01, 0.05),
    stop=stop_after_delay(_BUSY_SECONDS),
    reraise=True,
)
def _set_up(checkpoints: SqliteCheckpoints) -> None:
    checkpoints.setup()
