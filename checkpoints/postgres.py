"""Checkpoints in a PostgreSQL database, through the extra `postgres`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar, cast

try:
    from langgraph.checkpoint.postgres import PostgresSaver
    from psycopg import Connection, Error, OperationalError, ProgrammingError, errors
    from psycopg.conninfo import conninfo_to_dict
    from psycopg.pq import PipelineStatus
    from psycopg.rows import DictRow, dict_row
except ImportError as missing:
    raise ImportError("PostgreSQL checkpoints need the extra: pip install 'thoughtgraph[postgres]'") from missing

from langchain_core.runnables import RunnableConfig
from tenacity import retry, retry_if_result, stop_after_delay, wait_random

from ..errors import CheckpointError, CheckpointErrorKind
from .checkpoints import Checkpoints

T = TypeVar("T")

_SET_UP_LOCK = 0x7468_6F75_6768_74  # a number of our own among the database's advisory locks
_KINDS: tuple[tuple[tuple[type[Error], ...], CheckpointErrorKind], ...] = (
    ((errors.DiskFull, errors.OutOfMemory), "full"),
    ((errors.ReadOnlySqlTransaction, errors.InsufficientPrivilege), "read_only"),
    ((errors.LockNotAvailable, errors.DeadlockDetected, errors.QueryCanceled), "locked"),
    ((errors.DataCorrupted, errors.IndexCorrupted), "damaged"),
    ((OperationalError,), "unreachable"),
    ((Error,), "other"),
)


class PostgresCheckpoints(Checkpoints, PostgresSaver):
    """LangGraph's `PostgresSaver` for both sync and async graphs, with one run per thread.

    It holds one connection, which Python's threads share in turn, and opens a new one if the server closed it.

    Args:
        url: `postgresql://user:password@host/database`, or any other form that libpq takes.

    Raises:
        CheckpointError: the server cannot be reached.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self.where = _without_password(url)
        super().__init__(self._connected())
        self.lock: Any = threading.RLock()  # a transaction holds it around LangGraph's statements, which take it, too

    def setup(self) -> None:
        """Create missing tables; processes that do so at the same time take turns."""

        def made() -> None:
            with self.lock:
                self._take_turn()
                try:
                    super(PostgresCheckpoints, self).setup()
                finally:
                    self._connection.execute("SELECT pg_advisory_unlock(%s)", (_SET_UP_LOCK,))

        self._explained(None, made)

    # Polls, because a process that waits inside a statement keeps the other from creating its indexes.
    @retry(retry=retry_if_result(lambda taken: not taken), wait=wait_random(0.01, 0.05), stop=stop_after_delay(60))
    def _take_turn(self) -> bool:
        taken = self._connection.execute("SELECT pg_try_advisory_lock(%s) AS taken", (_SET_UP_LOCK,)).fetchone()
        return bool(taken and taken["taken"])

    def close(self) -> None:
        """Close the connection; what was committed stays."""
        self._connection.close()

    @property
    def _connection(self) -> Connection[DictRow]:
        return cast("Connection[DictRow]", self.conn)

    def _connected(self) -> Connection[DictRow]:
        try:
            connect = cast(Any, Connection).connect
            return connect(self._url, autocommit=True, prepare_threshold=0, row_factory=dict_row)
        except ProgrammingError:
            # libpq quotes the text that it cannot parse, which may be part of the password.
            raise CheckpointError(self.where, "unreachable", "the address is not one of PostgreSQL's") from None
        except Error as error:
            raise CheckpointError(self.where, "unreachable", f"{type(error).__name__}: {error}"[:300]) from None

    @contextmanager
    def _transaction(self, thread_id: str, checkpoint_ns: str) -> Generator[None]:
        with self.lock, self._connection.transaction():
            self._connection.execute(
                "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (f"{thread_id}\n{checkpoint_ns}",)
            )
            yield

    def _ids(self, thread_id: str, checkpoint_ns: str, limit: int) -> Sequence[str]:
        with self.lock:
            rows = self._connection.execute(
                "SELECT checkpoint_id FROM checkpoints WHERE thread_id = %s AND checkpoint_ns = %s "
                "ORDER BY checkpoint_id DESC LIMIT %s",
                (thread_id, checkpoint_ns, limit),
            ).fetchall()
        return [row["checkpoint_id"] for row in rows]

    def _tasks(self, thread_id: str, checkpoint_ns: str, checkpoint_id: str) -> Sequence[str]:
        with self.lock:
            rows = self._connection.execute(
                "SELECT DISTINCT task_id FROM checkpoint_writes WHERE thread_id = %s AND checkpoint_ns = %s "
                "AND checkpoint_id = %s AND idx >= 0",
                (thread_id, checkpoint_ns, checkpoint_id),
            ).fetchall()
        return [row["task_id"] for row in rows]

    def _writes(self, thread_id: str, checkpoint_ns: str, checkpoint_id: str, task_id: str) -> Sequence[Sequence[Any]]:
        with self.lock:
            rows = self._connection.execute(
                "SELECT channel, type, blob FROM checkpoint_writes WHERE thread_id = %s AND checkpoint_ns = %s "
                "AND checkpoint_id = %s AND task_id = %s AND idx >= 0 ORDER BY idx",
                (thread_id, checkpoint_ns, checkpoint_id, task_id),
            ).fetchall()
        return [(row["channel"], row["type"], bytes(row["blob"])) for row in rows]

    def _seal(self, thread_id: str, checkpoint_ns: str, checkpoint_id: str, task_id: str | None) -> None:
        """PostgreSQL keeps checksums of its pages."""

    def _check_seals(self, thread_id: str, checkpoint_ns: str, checkpoint_id: str, until: str = "") -> None:
        """PostgreSQL checks its pages when it reads them."""

    def _kind(self, error: Exception) -> CheckpointErrorKind | None:
        return next((kind for classes, kind in _KINDS if isinstance(error, classes)), None)

    def _explained(self, config: RunnableConfig | None, operation: Callable[[], T]) -> T:
        def tried() -> T:
            used = self._connection
            try:
                return operation()
            except OperationalError:
                # A connection that breaks in a pipeline may stay in it, and then takes no other command.
                if not used.closed and used.info.pipeline_status == PipelineStatus.OFF:
                    raise
                used.close()
            # The server went away and may be back. Nothing is done twice: an operation is one transaction, and a write
            # that succeeded after all is found by its id.
            with self.lock:
                if self._connection.closed:
                    self.conn = self._connected()
            return operation()

        return super()._explained(config, tried)


@contextmanager
def opened(url: str) -> Generator[PostgresCheckpoints]:
    """Open checkpoints in a PostgreSQL database for the block; see `open_checkpoints`."""
    checkpoints = PostgresCheckpoints(url)
    try:
        checkpoints.setup()
        yield checkpoints
    finally:
        checkpoints.close()


def _without_password(url: str) -> str:
    try:
        parts = conninfo_to_dict(url)
    except Error:
        return "the PostgreSQL database"
    return f"postgresql://{parts.get('user', '')}@{parts.get('host', '')}/{parts.get('dbname', '')}"
