"""Which worker has a task, and how the task ended: a table next to the checkpoints in PostgreSQL.

Whoever takes up a task claims its thread, with a number that grows. A worker that was thought dead and is not (its
machine was paused, or its network gone) still has the number before: its result is not kept, and when the other's
checkpoints stop its run, it gives the task up.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any, TypeVar

from ..._internal.strict_json import dumps, loads
from ...checkpoints.checkpoints import Checkpoints
from ...errors import CheckpointError, ThreadConflictError
from ...models.transport import Backoff
from ..datasets import Task
from ..results import UNFINISHED, TaskResult, fingerprint

T = TypeVar("T")

_TRIES = 12
_WAIT = Backoff(initial_interval=0.1, max_interval=10.0)
# In a block, which is one transaction: processes that create a table at the same time take turns.
_TABLE = """
DO $$ BEGIN
  PERFORM pg_advisory_xact_lock(8391161871263331188);
  CREATE TABLE IF NOT EXISTS thoughtgraph_results (
    thread_id text PRIMARY KEY, batch text NOT NULL, task_id text NOT NULL, claim integer NOT NULL,
    worker text NOT NULL, result text, ended timestamptz
  );
END $$
"""
_CLAIM = """
INSERT INTO thoughtgraph_results AS known (thread_id, batch, task_id, claim, worker) VALUES (%s, %s, %s, 1, %s)
ON CONFLICT (thread_id) DO UPDATE SET claim = known.claim + 1, worker = EXCLUDED.worker RETURNING claim, result
"""
_STORE = "UPDATE thoughtgraph_results SET result = %s, ended = now() WHERE thread_id = %s AND claim = %s"
_HOLDER = "SELECT claim FROM thoughtgraph_results WHERE thread_id = %s"


def thread_of(batch: str, loop: str, task: Task) -> str:
    """The thread of a task's run: a hash of the batch, of the loop with its models and settings, and of the task."""
    return hashlib.sha256(dumps([batch, loop, fingerprint(task, whole_row=True)]).encode()).hexdigest()[:32]


class Claims:
    """The table of a batch.

    Args:
        checkpoints: of a PostgreSQL database; the table is created if it is missing.
        batch: the batch's name.
        worker: who claims.
    """

    def __init__(self, checkpoints: Checkpoints, batch: str, worker: str) -> None:
        # Its class needs an extra, which this module is imported without.
        self._database: Any = checkpoints
        self._batch = batch
        self._worker = worker
        self._database.execute(_TABLE)

    async def claim(self, thread: str, task: Task) -> tuple[int, TaskResult | None]:
        """Claim a task; its number, and how it ended, if it has."""
        asked = (thread, self._batch, task.task_id, self._worker)
        row = (await self._execute(_CLAIM, asked))[0]
        return row["claim"], TaskResult(**loads(row["result"])) if row["result"] else None

    async def store(self, thread: str, claim: int, result: TaskResult) -> None:
        """Keep how a task ended, unless somebody else has claimed it since, or it has to run again."""
        if result.stop_reason["kind"] not in UNFINISHED:
            await self._execute(_STORE, (dumps(asdict(result)), thread, claim))

    async def patiently(self, thread: str, claim: int, take_up: Callable[[], Awaitable[T]]) -> T:
        """Take up a run, again and again, while the database cannot be reached or an old holder still writes.

        Raises:
            CheckpointError: the database stays away, or has another problem.
            ThreadConflictError: somebody else has claimed the task since.
        """
        for attempt in range(1, _TRIES):
            try:
                return await take_up()
            except CheckpointError as problem:
                if problem.kind != "unreachable":
                    raise
            except ThreadConflictError:
                if (await self._execute(_HOLDER, (thread,)))[0]["claim"] != claim:
                    raise
            await asyncio.sleep(_WAIT.seconds(attempt))
        return await take_up()

    async def _execute(self, statement: str, parameters: tuple[Any, ...]) -> list[dict[str, Any]]:
        for attempt in range(1, _TRIES):
            try:
                return await asyncio.to_thread(self._database.execute, statement, parameters)
            except CheckpointError as problem:
                if problem.kind != "unreachable":
                    raise
            await asyncio.sleep(_WAIT.seconds(attempt))
        return await asyncio.to_thread(self._database.execute, statement, parameters)
