"""Checkpoints in an SQLite file."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any
from zlib import crc32

from langgraph.checkpoint.sqlite import SqliteSaver

from .._internal.numbers import check_kind
from ..errors import CheckpointErrorKind
from .checkpoints import Checkpoints
from .witness import Commit, Witness

_KINDS: tuple[tuple[str, CheckpointErrorKind], ...] = (
    ("full", "full"),
    ("disk I/O", "full"),
    ("readonly", "read_only"),
    ("unable to open", "read_only"),
    ("locked", "locked"),
    ("malformed", "damaged"),
    ("not a database", "damaged"),
)


# SQLite keeps no checksums: a text with flipped bits is read as another text. A separate table leaves LangGraph's
# tables unchanged for other readers.
_SEALS = """CREATE TABLE IF NOT EXISTS checksums (
    thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL, checkpoint_id TEXT NOT NULL, task_id TEXT NOT NULL,
    idx INTEGER NOT NULL, sum INTEGER NOT NULL, PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx)
) WITHOUT ROWID"""
# The number of a thread's last commit comes after all of its checksums, where it costs no extra page of the file. It is
# based on the time, so that a thread that is deleted and created again keeps counting up.
_COUNT = "INSERT OR REPLACE INTO checksums VALUES (?, '', '~', '', -1, ?)"
_COUNTED = """SELECT sum FROM checksums
    WHERE thread_id = ? AND checkpoint_ns = '' AND checkpoint_id = '~' AND task_id = '' AND idx = -1"""
_OF_CHECKPOINTS = "checksum(c.parent_checkpoint_id, c.type, c.checkpoint, c.metadata)"
_OF_WRITES = "checksum(w.channel, w.type, w.value)"


class SqliteCheckpoints(Checkpoints, SqliteSaver):
    """LangGraph's `SqliteSaver` for both sync and async graphs, with one run per thread.

    LangGraph's own class refuses async use, and its `AsyncSqliteSaver` refuses sync use from the event loop's thread.
    An assistant with both forms of every call needs a checkpointer that supports both.

    Args:
        connection: connection to the file, opened with `check_same_thread=False`.
        where: the file's name in error messages.
    """

    def __init__(self, connection: sqlite3.Connection, where: str = "the SQLite file") -> None:
        check_kind("the connection", connection, sqlite3.Connection, "one of sqlite3; `open_checkpoints` takes a path")
        super().__init__(connection)
        self.where = where
        self.lock: Any = threading.RLock()  # a transaction holds it around LangGraph's statements, which take it, too
        connection.create_function("checksum", -1, _checksum, deterministic=True)
        file = _file_of(connection)
        self._witness = Witness(file) if file else None
        # Commits noted by others that have not been seen in the database yet.
        self._noted: dict[str, Commit] = {}
        self._number = 0

    def setup(self) -> None:
        """Create missing tables; called automatically when needed."""
        if self.is_setup:
            return
        schema = self._schema()
        if self._witness and self.conn.execute("SELECT 1 FROM sqlite_master WHERE name = 'checksums'").fetchone():
            self._noted = self._witness.read(schema)
        elif self._witness:
            self._witness.discard()
        self.conn.execute(_SEALS)
        super().setup()
        if self._schema() != schema:
            # The tables must not be lost with the log: a file without them would look like a new one.
            self.conn.execute("PRAGMA wal_checkpoint(FULL)")

    def delete_thread(self, thread_id: str) -> None:
        """Like `Checkpoints.delete_thread`; also deletes the thread's checksums."""
        super().delete_thread(thread_id)
        with self._committing(thread_id, deleting=True):
            self.conn.execute("DELETE FROM checksums WHERE thread_id = ?", (thread_id,))

    def close(self) -> None:
        """Close the connection; what was committed stays."""
        with self.lock:
            try:
                complete = self.is_setup and not any(map(self._is_lost, self._noted))
            except sqlite3.Error:
                complete = False
            self.conn.close()
            if self._witness is None:
                return
            self._witness.close()
            # The last process to close the file moves the log into it; then nothing can be lost.
            if complete and not self._witness.log.exists():
                self._witness.discard()

    def _transaction(self, thread_id: str, checkpoint_ns: str) -> AbstractContextManager[None]:
        return self._committing(thread_id)

    @contextmanager
    def _committing(self, thread_id: str, *, deleting: bool = False) -> Generator[None]:
        with self.lock:
            self.setup()
            try:
                self.conn.execute("BEGIN IMMEDIATE")
                found = self.conn.execute(_COUNTED, (thread_id,)).fetchone()
                self._number = max(found[0] + 1 if found else 0, self._number + 1, time.time_ns())
                yield
                if self._witness:
                    self._witness.reserve(thread_id, self._schema)
                    if not deleting:
                        self.conn.execute(_COUNT, (thread_id, self._number))
                self.conn.commit()
            except BaseException:
                self.conn.rollback()
                raise
            if self._witness:
                self._witness.note(thread_id, self._number, deleted=deleting)
                self._noted.pop(thread_id, None)

    def _check_complete(self, thread_id: str | None) -> None:
        with self.lock:
            self.setup()
            for name in list(self._noted) if thread_id is None else [thread_id]:
                if self._is_lost(name):
                    note = self._witness and self._witness.path.name
                    raise ValueError(
                        f"the write-ahead log that held the newest steps of thread {name!r} is lost or damaged "
                        f"(if an older copy of the file was put here on purpose, delete {note})"
                    )
                self._noted.pop(name, None)

    def _is_lost(self, thread_id: str) -> bool:
        noted = self._noted.get(thread_id)
        if noted is None:
            return False
        found = self.conn.execute(_COUNTED, (thread_id,)).fetchone()
        return found[0] < noted.number if found else not noted.deleted

    def _schema(self) -> int:
        return self.conn.execute("PRAGMA schema_version").fetchone()[0]

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


def _file_of(connection: sqlite3.Connection) -> Path | None:
    """The file of a database; None if it is in memory, or if SQLite cannot return its name."""
    try:
        name = connection.execute("PRAGMA database_list").fetchone()[2]
    except sqlite3.Error:
        return None
    return Path(name) if name else None


def _checksum(*columns: str | bytes | None) -> int:
    total = 0
    for column in columns:
        total = crc32(column.encode("utf-8", "surrogateescape") if isinstance(column, str) else column or b"", total)
    return total


def sqlite_kind(error: Exception) -> CheckpointErrorKind | None:
    """The kind of an SQLite error; None for any other error."""
    if not isinstance(error, sqlite3.Error):
        return None
    for sign, kind in _KINDS:
        if sign in str(error):
            return kind
    return "other"
