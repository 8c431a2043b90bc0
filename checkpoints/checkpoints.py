"""What `open_checkpoints` adds to LangGraph's checkpointers, for either database.

It supports both sync and async graphs, its errors say what to do, and it allows one run per thread. LangGraph's
checkpointers let two runs write to one thread, and each then continues from a mixture of both.

One file because both databases share one class of errors, threads and conflicts.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from typing import Any, TypeVar, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
)

from ..errors import CheckpointError, CheckpointErrorKind, ThoughtGraphError, ThreadConflictError

T = TypeVar("T")

_REMEMBERED_READS = 1_000
_REMEMBERED_THREADS = 2_000
_TRIED_CHECKPOINTS = 100


class Checkpoints(BaseCheckpointSaver[str]):
    """A mixin that goes before one of LangGraph's sync checkpointers in a class's bases.

    Attributes:
        where: the file, or the database without its password, for error messages.
    """

    where: str

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._read_by_id: dict[tuple[str, str, str], None] = {}
        # For each thread, the newest checkpoint known here and the tasks whose writes are known here.
        self._known_tasks: dict[tuple[str, str], tuple[str, set[str]]] = {}

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Like LangGraph's `get_tuple`.

        Raises:
            CheckpointError: the database cannot be read, or the checkpoint is damaged; the error then names the newest
                earlier one that can be read.
        """
        named = get_checkpoint_id(config)
        if named:
            self._go_back(config, named)
        try:
            found = self._reading(config, lambda: self._read(config))
        except CheckpointError as damage:
            accepted = (*_thread(config), damage.readable or "")
            if named or accepted not in self._read_by_id:
                raise
            # The caller named that checkpoint, so it knows that the newer ones are damaged.
            found = self._read(_config(*accepted))
        if found and not named:
            self._know(config, found.checkpoint["id"], {task_id for task_id, *_ in found.pending_writes or ()})
        return found

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Like LangGraph's `list`."""
        read = super().list

        def checked() -> Sequence[CheckpointTuple]:
            self._check_complete(_thread(config)[0] if config else None)
            found = [*read(config, filter=filter, before=before, limit=limit)]
            if config and before and limit == 1:
                # So LangGraph reads where a subgraph was when the graph around it goes back; it may not have begun.
                self._go_back(config, found[0].checkpoint["id"] if found else "")
            return found

        yield from self._reading(config, checked)

    def get_delta_channel_history(self, *, config: RunnableConfig, channels: Sequence[str]) -> Mapping[str, Any]:
        """Like LangGraph's `get_delta_channel_history`."""
        read = super().get_delta_channel_history

        def checked() -> Mapping[str, Any]:
            self._check_seals(*_thread(config), "")
            return read(config=config, channels=channels)

        return self._reading(config, checked)

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: dict[str, str | int | float],
    ) -> RunnableConfig:
        """Like LangGraph's `put`, but only directly after the checkpoint that the run continued from.

        Raises:
            ThreadConflictError: another run wrote to the thread in the meantime.
            CheckpointError: the database cannot be written.
        """
        store = super().put

        def stored() -> RunnableConfig:
            with self._transaction(*_thread(config)):
                # A fork, such as the copy that `update_state` makes, continues nothing.
                if metadata.get("source") != "fork":
                    self._refuse_conflict(config, checkpoint)
                kept = store(config, checkpoint, metadata, new_versions)
                self._seal(*_thread(config), checkpoint["id"], None)
                self._know(config, checkpoint["id"], set())
                return kept

        return self._explained(config, stored)

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Like LangGraph's `put_writes`, but a step's writes are never mixed with another run's.

        Raises:
            ThreadConflictError: another run made the same step or a later one.
            CheckpointError: the database cannot be written.
        """
        store = super().put_writes

        def stored() -> None:
            with self._transaction(*_thread(config)):
                self._refuse_mixture(config, writes, task_id)
                store(config, writes, task_id, task_path)
                self._seal(*_thread(config), str(get_checkpoint_id(config)), task_id)
                self._know(config, str(get_checkpoint_id(config)), {task_id})

        self._explained(config, stored)

    def delete_thread(self, thread_id: str) -> None:
        """Like LangGraph's `delete_thread`; a run in progress on the thread stops before its next step."""
        delete = super().delete_thread

        def deleted() -> None:
            with self._transaction(thread_id, ""):
                delete(thread_id)
            for key in [known for known in list(self._known_tasks) if known[0] == thread_id]:
                self._known_tasks.pop(key, None)

        self._explained({"configurable": {"thread_id": thread_id}}, deleted)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Async twin of `get_tuple`."""
        return await asyncio.to_thread(self.get_tuple, config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Async twin of `list`."""
        found = await asyncio.to_thread(lambda: [*self.list(config, filter=filter, before=before, limit=limit)])
        for item in found:
            yield item

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: dict[str, str | int | float],
    ) -> RunnableConfig:
        """Async twin of `put`."""
        return await asyncio.to_thread(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Async twin of `put_writes`."""
        await asyncio.to_thread(self.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        """Async twin of `delete_thread`."""
        await asyncio.to_thread(self.delete_thread, thread_id)

    async def aget_delta_channel_history(self, *, config: RunnableConfig, channels: Sequence[str]) -> Mapping[str, Any]:
        """Async twin of `get_delta_channel_history`."""
        return await asyncio.to_thread(lambda: self.get_delta_channel_history(config=config, channels=channels))

    def _read(self, config: RunnableConfig) -> CheckpointTuple | None:
        if not get_checkpoint_id(config):
            self._check_complete(_thread(config)[0])
        found = super().get_tuple(config)
        if found:
            self._check_seals(*_thread(config), found.config.get("configurable", {})["checkpoint_id"])
        # Changed bytes may still decode, but to something else.
        checkpoint: Any = found and found.checkpoint
        if found and not (isinstance(checkpoint, dict) and checkpoint.get("id") == get_checkpoint_id(found.config)):
            raise ValueError("what is stored is not the checkpoint")
        return found

    @abstractmethod
    def _transaction(self, thread_id: str, checkpoint_ns: str) -> AbstractContextManager[None]:
        """Commit all of the block's writes or none; no one else may write to the thread meanwhile."""

    @abstractmethod
    def _ids(self, thread_id: str, checkpoint_ns: str, limit: int) -> Sequence[str]:
        """The ids of a thread's checkpoints, newest first."""

    @abstractmethod
    def _tasks(self, thread_id: str, checkpoint_ns: str, checkpoint_id: str) -> Sequence[str]:
        """The tasks of a checkpoint that wrote to channels."""

    @abstractmethod
    def _writes(self, thread_id: str, checkpoint_ns: str, checkpoint_id: str, task_id: str) -> Sequence[Sequence[Any]]:
        """A task's stored writes to channels, in order: channel, type and content."""

    @abstractmethod
    def _seal(self, thread_id: str, checkpoint_ns: str, checkpoint_id: str, task_id: str | None) -> None:
        """Store the checksum of a checkpoint, or of a task's writes, if the database itself keeps none."""

    @abstractmethod
    def _check_seals(self, thread_id: str, checkpoint_ns: str, checkpoint_id: str, until: str = "") -> None:
        """Raise `ValueError` if the stored data is not what was written.

        Args:
            checkpoint_id: the checkpoint; "" for the writes of all checkpoints.
            until: the last checkpoint to check; "" for no limit.
        """

    def _check_complete(self, thread_id: str | None) -> None:
        """Raise `ValueError` if commits to a thread are lost; None checks every thread."""

    @abstractmethod
    def _kind(self, error: Exception) -> CheckpointErrorKind | None:
        """The kind of a database error; None for any other error."""

    def _go_back(self, config: RunnableConfig, checkpoint_id: str) -> None:
        """A caller may continue from a checkpoint by name, even if it is not the newest: LangGraph's time travel."""
        self._read_by_id[(*_thread(config), checkpoint_id)] = None
        if len(self._read_by_id) > _REMEMBERED_READS:
            _forget_oldest(self._read_by_id)

    def _refuse_conflict(self, config: RunnableConfig, checkpoint: Checkpoint) -> None:
        thread_id, checkpoint_ns = _thread(config)
        expected = get_checkpoint_id(config)
        newest = next(iter(self._ids(thread_id, checkpoint_ns, 1)), None)
        # The checkpoint is there already if it was written just before the connection was lost.
        if newest in (expected, checkpoint["id"]):
            return
        if newest is not None and (thread_id, checkpoint_ns, expected or "") in self._read_by_id:
            return
        raise ThreadConflictError(thread_id, expected, newest)

    def _refuse_mixture(self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str) -> None:
        """Refuse writes that would mix two runs: they are read together and would look like one run's."""
        thread_id, checkpoint_ns = _thread(config)
        checkpoint_id = str(get_checkpoint_id(config))
        newest = next(iter(self._ids(thread_id, checkpoint_ns, 1)), None)
        tasks = set(self._tasks(thread_id, checkpoint_ns, checkpoint_id))
        known_id, known = self._known_tasks.get((thread_id, checkpoint_ns), ("", tasks))
        # A run's own writes may arrive late, after its own next checkpoint.
        beyond = newest is not None and newest > max(checkpoint_id, known_id)
        if beyond and (thread_id, checkpoint_ns, checkpoint_id) not in self._read_by_id:
            raise ThreadConflictError(thread_id, checkpoint_id, newest)
        if known_id == checkpoint_id and not tasks <= {*known, task_id}:
            raise ThreadConflictError(thread_id, checkpoint_id, newest)
        if task_id in tasks:
            # LangGraph keeps the first writes and the first checkpoint.
            stored = [tuple(row) for row in self._writes(thread_id, checkpoint_ns, checkpoint_id, task_id)]
            ours = [(name, *self.serde.dumps_typed(value)) for name, value in writes if name not in WRITES_IDX_MAP]
            if ours[: len(stored)] != stored:
                raise ThreadConflictError(thread_id, checkpoint_id, newest)

    def _know(self, config: RunnableConfig, checkpoint_id: str, tasks: set[str]) -> None:
        thread = _thread(config)
        known_id, known = self._known_tasks.pop(thread, ("", set[str]()))
        if checkpoint_id < known_id:
            checkpoint_id, tasks = known_id, known
        elif checkpoint_id == known_id:
            tasks = known | tasks
        self._known_tasks[thread] = checkpoint_id, tasks
        if len(self._known_tasks) > _REMEMBERED_THREADS:
            _forget_oldest(self._known_tasks)

    def _explained(self, config: RunnableConfig | None, operation: Callable[[], T]) -> T:
        try:
            return operation()
        except Exception as error:
            kind = self._kind(error)
            if kind is None:
                raise
            raise self._failure(config, kind, error) from error

    def _reading(self, config: RunnableConfig | None, operation: Callable[[], T]) -> T:
        """Read and decode; any decoding error means that the data is damaged."""
        try:
            return self._explained(config, operation)
        except ThoughtGraphError:
            raise
        except Exception as error:
            raise self._failure(config, "damaged", error) from error

    def _failure(self, config: RunnableConfig | None, kind: CheckpointErrorKind, error: Exception) -> CheckpointError:
        thread_id, checkpoint_ns = _thread(config) if config else ("", "")
        readable = self._readable(config, thread_id, checkpoint_ns) if config and kind == "damaged" else None
        problem = f"{type(error).__name__}: {str(error).strip()[:300]}"
        return CheckpointError(self.where, kind, problem, thread_id, readable)

    def _readable(self, config: RunnableConfig, thread_id: str, checkpoint_ns: str) -> str | None:
        """The newest checkpoint that can be read completely and is older than the damaged one."""
        damaged = get_checkpoint_id(config)
        try:
            ids = [name for name in self._ids(thread_id, checkpoint_ns, _TRIED_CHECKPOINTS) if name != damaged]
        except Exception:  # noqa: BLE001 - the file is damaged where its ids are kept
            return None
        for name in ids:
            if damaged and name > damaged:
                continue
            found = _config(thread_id, checkpoint_ns, name)
            try:
                saved = self._read(found)
                versions = saved.checkpoint["channel_versions"] if saved else cast("dict[str, Any]", {})
                super().get_delta_channel_history(config=found, channels=list(versions))
                self._check_seals(thread_id, checkpoint_ns, "", until=name)
            except Exception:  # noqa: BLE001 - this one is damaged, too
                continue
            return name
        return None


def _forget_oldest(known: dict[Any, Any]) -> None:
    # Another thread may write to it, or has been faster.
    with suppress(RuntimeError, StopIteration):
        known.pop(next(iter(known)), None)


def _thread(config: RunnableConfig) -> tuple[str, str]:
    settings: Mapping[str, Any] = config.get("configurable") or {}
    return str(settings.get("thread_id", "")), str(settings.get("checkpoint_ns", ""))


def _config(thread_id: str, checkpoint_ns: str, checkpoint_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id, "checkpoint_ns": checkpoint_ns, "checkpoint_id": checkpoint_id}}
