"""The workers that a batch has in a Ray cluster: started, given tasks, and replaced when they die."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import uniform
from typing import Any
from uuid import uuid4

from ...errors import BackendError
from ...models.open import is_embedded
from ...traces.context_graph import ContextGraph
from ..datasets import Task
from ..results import UNFINISHED, TaskResult, keeping
from .actors import WorkerActor, bucket, server_on
from .loop import Loop, Solve
from .meter import Meter
from .worker import MARK, Ended, Settings, WorkFolder

_MOST_DEATHS = 10
"""Workers that may die of a task, or under it, before the task is given up."""
_FURTHER_CALLS = 4
_REVIVAL = 60.0


@dataclass(frozen=True, slots=True)
class BatchStatus:
    """How far a batch has come.

    Attributes:
        running: how many tasks each worker that lives is running, by the worker's name.
        done: tasks that have ended.
        failed: those of them that a later call has to run again.
        tokens: that these tasks took, read and written.
        seconds: since the batch began.
        cost: dollars for these tasks; None without prices, or if that of one of them is unknown.
    """

    running: Mapping[str, int]
    done: int
    failed: int
    tokens: int
    seconds: float
    cost: float | None = None

    @property
    def runs_a_second(self) -> float:
        """Tasks that ended, a second."""
        return self.done / self.seconds if self.seconds else 0.0


@dataclass(eq=False, slots=True)
class _Seat:
    """A worker, and what it is doing."""

    actor: Any
    name: str = ""
    node: str = ""
    load: int = 0
    up: bool = False


class RayWorkers:
    """The workers of one batch; see `Workers`.

    Args:
        ray: the library.
        count: how many workers; None for one a CPU.
        share: more workers than CPUs share these, as on one machine; in a cluster they wait for it to grow.
        settings: what each worker is told.
        limits: calls a second, by the beginning of a model's name.
        on_status: called when a task ends.
    """

    def __init__(
        self,
        ray: Any,
        count: int | None,
        *,
        share: bool,
        settings: Settings,
        limits: Mapping[str, float],
        on_status: Callable[[BatchStatus], None] | None,
    ) -> None:
        self._ray = ray
        self._settings, self._limits, self._on_status = settings, limits, on_status
        cpus = int(ray.cluster_resources().get("CPU", 1))
        count = count or max(1, cpus)
        self._cpus = min(1, max(0.01, int(100 * cpus / count) / 100)) if share else 1
        self.places = count * settings.in_flight
        self._buckets = [bucket(start, rate) for start, rate in limits.items()]
        self._servers: dict[tuple[str, str], Any] = {}
        self._embedded: set[str] = set()
        self._changed = asyncio.Event()
        self._problem: BackendError | None = None
        self._marks: set[Path] = set()
        self._done = self._failed = self._tokens = 0
        self._cost: float | None = 0.0 if settings.prices else None
        self._meter = Meter()
        self._started = time.monotonic()
        self._seats = [_Seat(self._actor()) for _ in range(count)]
        self._risings = {asyncio.create_task(self._rise(seat)) for seat in self._seats}

    async def close(self) -> None:
        """End the workers."""
        for rising in self._risings:
            rising.cancel()
        await asyncio.gather(*self._risings, return_exceptions=True)
        for actor in (*(seat.actor for seat in self._seats), *self._servers.values()):
            with suppress(Exception):
                self._ray.kill(actor)
        for folder in self._marks:
            (folder / MARK).unlink(missing_ok=True)

    async def solver(self, loop: Loop, folder: Path | None) -> Solve:
        """What runs tasks through a loop, see `Workers`."""
        text = loop.as_json()
        self._embedded |= {name for name in (*loop.models, loop.critic) if isinstance(name, str) and is_embedded(name)}
        for seat in self._seats:
            self._serve(seat)
        while True:
            seat = await self._free()
            try:
                await seat.actor.check.remote(text)
                break
            except self._ray.exceptions.RayTaskError as problem:
                cause = problem.cause
                said = f"worker {seat.name} cannot run the batch: {type(cause).__name__}: {cause}. "
                advice = "It needs what this process has: give modules and keys with runtime_env, or install them there"
                raise BackendError("worker", said + advice) from None
            except self._ray.exceptions.RayError:
                self._fall(seat)
        place = WorkFolder()
        if folder:
            place = WorkFolder(str(folder.resolve()), uuid4().hex)
            (folder / MARK).write_text(place.mark, encoding="utf-8")
            self._marks.add(folder)
        return partial(self._solved, text, place)

    async def _solved(self, text: str, place: WorkFolder, task: Task, name: str) -> TaskResult:
        for _ in range(_MOST_DEATHS):
            seat = await self._free()
            seat.load += 1
            answer = seat.actor.solve.remote(text, task, name, place)
            try:
                with self._meter.running(seat.name):
                    ended: Ended = await answer
            except asyncio.CancelledError:
                self._ray.cancel(answer)
                raise
            except self._ray.exceptions.RayTaskError as problem:
                raise problem.cause from None
            except self._ray.exceptions.RayError:
                # The worker died, or its machine did, or the answer was lost with it.
                self._fall(seat)
                continue
            finally:
                seat.load -= 1
                self._changed.set()
            if ended.run:
                kept = Path(place.folder) / name
                with keeping(kept):
                    ContextGraph.from_run(ended.run).save(kept)
            self._tell(ended)
            return ended.result
        raise RuntimeError(f"{_MOST_DEATHS} workers died while they ran this task")

    def _tell(self, ended: Ended) -> None:
        result = ended.result
        self._done += 1
        self._failed += result.stop_reason["kind"] in UNFINISHED
        self._tokens += result.usage["total_tokens"]
        self._cost = None if self._cost is None or ended.cost is None else self._cost + ended.cost
        if ended.cost is not None:
            self._meter.cost(ended.cost)
        if self._on_status:
            running = {seat.name: seat.load for seat in self._seats if seat.up}
            seconds = time.monotonic() - self._started
            done = (self._done, self._failed, self._tokens, seconds, self._cost)
            self._on_status(BatchStatus(running, *done))

    async def _free(self) -> _Seat:
        """The worker with the fewest tasks; waits while none has room."""
        while True:
            if self._problem:
                raise self._problem
            seat = min((seat for seat in self._seats if seat.up), key=lambda seat: seat.load, default=None)
            if seat and seat.load < self._settings.in_flight:
                return seat
            self._changed.clear()
            await self._changed.wait()

    def _actor(self) -> Any:
        at_once = self._settings.in_flight + _FURTHER_CALLS
        options: dict[str, Any] = {"max_concurrency": at_once, "max_restarts": -1, "scheduling_strategy": "SPREAD"}
        actor = self._ray.remote(WorkerActor).options(num_cpus=self._cpus, **options)
        return actor.remote(self._settings, dict(self._limits))

    def _fall(self, seat: _Seat) -> None:
        """A worker died, or its machine did; it is asked again until it is back."""
        if seat.up:
            seat.up = False
            self._meter.lost(seat.name)
            rising = asyncio.create_task(self._rise(seat))
            self._risings.add(rising)
            rising.add_done_callback(self._risings.discard)

    async def _rise(self, seat: _Seat) -> None:
        errors = self._ray.exceptions
        while not seat.up:
            try:
                async with asyncio.timeout(_REVIVAL):
                    seat.name, seat.node = await seat.actor.ready.remote()
                self._serve(seat)
                seat.up = True
            except TimeoutError:
                # The cluster has no room for it yet.
                continue
            except errors.ActorUnavailableError:
                await asyncio.sleep(uniform(0.1, 0.3))
            except errors.RayError as problem:
                if not any(each.name for each in self._seats):
                    said = str(problem).strip().splitlines()[-1]
                    self._problem = BackendError("worker", f"a worker cannot start: {said}")
                    break
                # It will not come back: it could not start again, or its machine is gone.
                await asyncio.sleep(uniform(0.5, 1.5))
                seat.actor = self._actor()
        self._changed.set()

    def _serve(self, seat: _Seat) -> None:
        """See that a worker's node serves the embedded models."""
        for spec in self._embedded if seat.node else ():
            if (spec, seat.node) not in self._servers:
                self._servers[spec, seat.node] = server_on(spec, seat.node, self._settings.in_flight)
