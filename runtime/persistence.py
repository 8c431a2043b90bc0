"""Where runs are kept: LangGraph checkpoints in an SQLite file, for sync and async graphs alike."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import Checkpoint, CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.sqlite import SqliteSaver

_BUSY_MILLISECONDS = 10_000


class SqliteCheckpoints(SqliteSaver):
    """LangGraph's `SqliteSaver`, whose async methods work, too: they run the sync ones in a thread.

    LangGraph's own class refuses async use, and its `AsyncSqliteSaver` refuses sync use from the event loop's thread;
    an assistant that offers both forms of every call needs one that takes both.
    """

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
        found = await asyncio.to_thread(lambda: list(self.list(config, filter=filter, before=before, limit=limit)))
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


@contextmanager
def open_checkpoints(path: str | Path) -> Generator[SqliteCheckpoints]:
    """Checkpoints in an SQLite file, for the length of the block; the file and its folder are made where needed.

    Args:
        path: the file, or `":memory:"`.

    Example:
        >>> with open_checkpoints("runs.sqlite") as checkpointer:                                  # doctest: +SKIP
        ...     graph = create_plan_act_graph(model, tools, checkpointer=checkpointer)
    """
    if str(path) != ":memory:":
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(str(path), check_same_thread=False)) as connection:
        connection.execute(f"PRAGMA busy_timeout={_BUSY_MILLISECONDS}")
        yield SqliteCheckpoints(connection)
