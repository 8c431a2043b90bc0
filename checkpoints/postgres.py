"""Checkpoints in a PostgreSQL database, through the extra `postgres`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, LiteralString, NamedTuple, TypeVar, cast

from ..errors import CheckpointError, CheckpointErrorKind, MissingLibraryError

try:
    from langgraph.checkpoint.postgres import PostgresSaver
    from psycopg import Connection, Cursor, Error, OperationalError, ProgrammingError, errors
    from psycopg.conninfo import conninfo_to_dict
    from psycopg.pq import PipelineStatus
    from psycopg.rows import DictRow, dict_row
    from psycopg_pool import ConnectionPool
except ImportError as missing:
    raise MissingLibraryError(
        "PostgreSQL checkpoints need the extra: pip install 'thoughtgraph[postgres]'"
    ) from missing

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from tenacity import retry, retry_if_result, stop_after_delay, wait_random

from .checkpoints import Checkpoints

T = TypeVar("T")

CONNECTIONS = 4
"""The most that one process holds: enough for 16 runs that mostly wait for a model; a server has 100 by default."""

_TRIES = 3
_SET_UP_LOCK = 0x7468_6F75_6768_74  # a number of our own among the database's advisory locks
_KINDS: tuple[tuple[tuple[type[Error], ...], CheckpointErrorKind], ...] = (
    ((errors.DiskFull, errors.OutOfMemory), "full"),
    ((errors.ReadOnlySqlTransaction, errors.InsufficientPrivilege), "read_only"),
    ((errors.LockNotAvailable, errors.DeadlockDetected, errors.QueryCanceled), "locked"),
    ((errors.DataCorrupted, errors.IndexCorrupted), "damaged"),
    ((OperationalError,), "unreachable"),
    ((Error,), "other"),
)
_SESSION: dict[str, Any] = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}


class _Apart(NamedTuple):
    """A text that is kept as bytes, beside the checkpoint."""

    text: str


class _AnyText(PostgresSaver):
    """LangGraph's saver, which keeps a channel that is a text as JSON, in which PostgreSQL takes no null character.

    A model or a tool may write one: such a text is kept where all other values are.
    """

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        held = {
            name: _Apart(value) if isinstance(value, str) and not _is_plain(value) else value
            for name, value in checkpoint["channel_values"].items()
        }
        return super().put(config, cast(Checkpoint, {**checkpoint, "channel_values": held}), metadata, new_versions)

    def _dump_blobs(
        self, thread_id: str, checkpoint_ns: str, values: dict[str, Any], versions: ChannelVersions
    ) -> list[tuple[str, str, str, str, str, bytes | None]]:
        texts = {name: value.text if isinstance(value, _Apart) else value for name, value in values.items()}
        return super()._dump_blobs(thread_id, checkpoint_ns, texts, versions)


def _is_plain(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text


class PostgresCheckpoints(Checkpoints, _AnyText):
    """LangGraph's `PostgresSaver` for both sync and async graphs, with one run per thread.

    It holds a pool of connections, so that runs at the same time do not wait for each other, and opens new ones if the
    server closed them.

    Args:
        url: `postgresql://user:password@host/database`, or any other form that libpq takes.

    Raises:
        CheckpointError: the server cannot be reached.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self.where = _without_password(url)
        # A pool tells of a wrong address only after a time-out, and without the reason.
        self._connected().close()
        self._pool: ConnectionPool[Connection[DictRow]] = ConnectionPool(
            url, kwargs=dict(_SESSION), min_size=0, max_size=CONNECTIONS, open=True
        )
        self._held = threading.local()
        super().__init__(self._pool)

    def setup(self) -> None:
        """Create missing tables; processes that do so at the same time take turns."""

        def made() -> None:
            with self._connection() as connection:
                self._take_turn(connection)
                try:
                    super(PostgresCheckpoints, self).setup()
                finally:
                    connection.execute("SELECT pg_advisory_unlock(%s)", (_SET_UP_LOCK,))

        self._explained(None, made)

    # Polls, because a process that waits inside a statement keeps the other from creating its indexes.
    @retry(retry=retry_if_result(lambda taken: not taken), wait=wait_random(0.01, 0.05), stop=stop_after_delay(60))
    def _take_turn(self, connection: Connection[DictRow]) -> bool:
        taken = connection.execute("SELECT pg_try_advisory_lock(%s) AS taken", (_SET_UP_LOCK,)).fetchone()
        return bool(taken and taken["taken"])

    def execute(self, statement: str, parameters: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """Run a statement on tables of your own next to the checkpoints, and return its rows.

        Args:
            statement: one that may run twice: if the connection is lost, it is sent again over another.
            parameters: for its `%s`.

        Raises:
            CheckpointError: the database cannot be read or written.
        """

        def executed() -> list[dict[str, Any]]:
            with self._connection() as connection:
                cursor = connection.execute(cast(Any, statement), parameters)
                return cursor.fetchall() if cursor.description else []

        return self._explained(None, executed)

    def close(self) -> None:
        """Close the connections; what was committed stays."""
        self._pool.close()

    @contextmanager
    def _connection(self) -> Generator[Connection[DictRow]]:
        """A connection of the pool; inside a block of the same thread, that block's."""
        held: Connection[DictRow] | None = getattr(self._held, "connection", None)
        if held is not None:
            yield held
            return
        with self._pool.connection() as connection:
            self._held.connection = connection
            try:
                yield connection
            finally:
                self._held.connection = None
                # One that breaks in a pipeline may stay in it, and then takes no other command.
                if not connection.closed and connection.info.pipeline_status != PipelineStatus.OFF:
                    connection.close()

    @contextmanager
    def _cursor(self, *, pipeline: bool = False) -> Generator[Cursor[DictRow]]:
        """Like LangGraph's, which would keep other threads from the pool meanwhile."""
        with self._connection() as connection:
            piped = connection.pipeline() if pipeline and self.supports_pipeline else nullcontext()
            with piped, connection.cursor(binary=True, row_factory=dict_row) as cursor:
                yield cursor

    def _connected(self) -> Connection[DictRow]:
        try:
            return cast(Any, Connection).connect(self._url, **_SESSION)
        except ProgrammingError:
            # libpq quotes the text that it cannot parse, which may be part of the password.
            raise CheckpointError(self.where, "unreachable", "the address is not one of PostgreSQL's") from None
        except Error as error:
            raise CheckpointError(self.where, "unreachable", f"{type(error).__name__}: {error}"[:300]) from None

    @contextmanager
    def _transaction(self, thread_id: str, checkpoint_ns: str) -> Generator[None]:
        with self._connection() as connection, connection.transaction():
            connection.execute(
                "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (f"{thread_id}\n{checkpoint_ns}",)
            )
            yield

    def _ids(self, thread_id: str, checkpoint_ns: str, limit: int) -> Sequence[str]:
        rows = self._rows(
            "SELECT checkpoint_id FROM checkpoints WHERE thread_id = %s AND checkpoint_ns = %s "
            "ORDER BY checkpoint_id DESC LIMIT %s",
            (thread_id, checkpoint_ns, limit),
        )
        return [row["checkpoint_id"] for row in rows]

    def _tasks(self, thread_id: str, checkpoint_ns: str, checkpoint_id: str) -> Sequence[str]:
        rows = self._rows(
            "SELECT DISTINCT task_id FROM checkpoint_writes WHERE thread_id = %s AND checkpoint_ns = %s "
            "AND checkpoint_id = %s AND idx >= 0",
            (thread_id, checkpoint_ns, checkpoint_id),
        )
        return [row["task_id"] for row in rows]

    def _writes(self, thread_id: str, checkpoint_ns: str, checkpoint_id: str, task_id: str) -> Sequence[Sequence[Any]]:
        rows = self._rows(
            "SELECT channel, type, blob FROM checkpoint_writes WHERE thread_id = %s AND checkpoint_ns = %s "
            "AND checkpoint_id = %s AND task_id = %s AND idx >= 0 ORDER BY idx",
            (thread_id, checkpoint_ns, checkpoint_id, task_id),
        )
        return [(row["channel"], row["type"], bytes(row["blob"])) for row in rows]

    def _rows(self, statement: LiteralString, parameters: Sequence[Any]) -> list[DictRow]:
        with self._connection() as connection:
            return connection.execute(statement, parameters).fetchall()

    def _seal(self, thread_id: str, checkpoint_ns: str, checkpoint_id: str, task_id: str | None) -> None:
        """PostgreSQL keeps checksums of its pages."""

    def _check_seals(self, thread_id: str, checkpoint_ns: str, checkpoint_id: str, until: str = "") -> None:
        """PostgreSQL checks its pages when it reads them."""

    def _kind(self, error: Exception) -> CheckpointErrorKind | None:
        return next((kind for classes, kind in _KINDS if isinstance(error, classes)), None)

    def _explained(self, config: RunnableConfig | None, operation: Callable[[], T]) -> T:
        def tried() -> T:
            for _ in range(_TRIES - 1):
                try:
                    return operation()
                except OperationalError as error:
                    if self._kind(error) != "unreachable":
                        raise
                # The server went away and may be back. Nothing is done twice: an operation is one transaction, and a
                # write that succeeded after all is found by its id.
                self._connected().close()
                self._pool.check()
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
