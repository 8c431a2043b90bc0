"""What a worker does with the tasks that it is given, whichever way they come to it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig

from ...checkpoints.open import open_checkpoints
from ...graphs.reflection.create import ReflectionGraph
from ...models.thought import ChatModel
from ...traces.context_graph import ContextGraph
from ...traces.events import worker_name
from ...traces.metrics.money import Prices
from ...traces.metrics.run import run_metrics
from ...traces.reading.address import is_address, write_at
from ..datasets import Task
from ..results import UNFINISHED, TaskResult, keeping
from .claims import Claims, thread_of
from .loop import Loop
from .single import SingleRuns

MARK = ".workers"
"""A file that the batch's process writes into its folder; a worker that reads the same there can write runs there."""
_FURTHER_THREADS = 8


@dataclass(frozen=True, slots=True)
class Settings:
    """What a worker is told when it starts.

    Attributes:
        checkpoints: the address of the PostgreSQL database; "" for none.
        batch: the batch's name.
        in_flight: how many tasks it will run at the same time.
        runs: the address of the storage for the runs' files; "" for the batch's folder.
        prices: of the models; None if nobody asks what a run costs.
    """

    checkpoints: str = ""
    batch: str = ""
    in_flight: int = 16
    runs: str = ""
    prices: Prices | None = None


@dataclass(frozen=True, slots=True)
class WorkFolder:
    """Where a batch's process keeps its runs, and what it has written into the mark there; both "" for nowhere."""

    folder: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Ended:
    """A task's result, and its run.

    Attributes:
        run: as JSON, if the worker could not keep it itself; else "".
        cost: in dollars; None if unknown.
    """

    result: TaskResult
    run: str = ""
    cost: float | None = None


class Worker:
    """Runs tasks, many at the same time on one event loop.

    Args:
        name: for traces.
        settings: what it is told.
        opened: opens a model by its name.

    Raises:
        CheckpointError: the database cannot be reached.
    """

    def __init__(self, name: str, settings: Settings, opened: Callable[[str], ChatModel]) -> None:
        self._name = name
        self._settings = settings
        self._opened = opened
        self._loops: dict[str, asyncio.Future[Loop]] = {}
        self._seen: dict[WorkFolder, bool] = {}
        self._stack = ExitStack()
        self._checkpoints = None
        self._claims: Claims | None = None
        if settings.checkpoints:
            self._checkpoints = self._stack.enter_context(open_checkpoints(settings.checkpoints))
            self._claims = Claims(self._checkpoints, settings.batch, name)
        self._threads: ThreadPoolExecutor | None = None

    def close(self) -> None:
        """Close the database."""
        self._stack.close()

    async def check(self, text: str) -> None:
        """Build a loop that was sent, open its models, and write to the storage of the runs.

        Raises:
            ImportError: it names something that this process cannot import.
            ModelSetupError: a model cannot be opened here.
            RunFileError: the storage cannot be written to.
            ValueError: this process does not know the mode.
        """
        (await self._loop(text)).check(sent=False)
        if self._settings.runs:
            await asyncio.to_thread(write_at, f"{self._settings.runs}/{MARK}", self._name.encode())

    async def solve(self, text: str, task: Task, name: str, place: WorkFolder) -> Ended:
        """Run a task, or go on with its run where it stands, and score it.

        Args:
            text: the loop, as JSON.
            task: what to solve.
            name: of the run's file.
            place: where the run is kept.
        """
        self._widen()
        token = worker_name.set(self._name)
        try:
            loop = await self._loop(text)
            thread = thread_of(self._settings.batch, text, task)
            run = _Run(loop, self._checkpoints, self._claims, thread, self._name, self._settings.prices)
            if self._settings.runs:
                # All loops that are compared write there, and without a folder tasks have no names.
                name = f"{self._settings.runs}/{Path(name or 'run').stem}-{thread}.jsonl"
            elif place.folder and self._sees(place):
                run.place = Path(place.folder)
            result = await run.ended(task, name)
            if result.stop_reason["kind"] == "model_unavailable":
                # A server on this machine may have gone, and come back at another address.
                self._loops.pop(text, None)
            return Ended(result, run.kept if place.folder else "", run.cost)
        finally:
            worker_name.reset(token)

    async def _loop(self, text: str) -> Loop:
        known = self._loops.get(text)
        if known is None:
            building = asyncio.to_thread(Loop.from_json, text, self._opened)
            known = self._loops[text] = asyncio.ensure_future(building)
        try:
            # One task that is canceled must not end what others wait for.
            return await asyncio.shield(known)
        except Exception:
            self._loops.pop(text, None)
            raise

    def _sees(self, place: WorkFolder) -> bool:
        if place not in self._seen:
            try:
                self._seen[place] = (Path(place.folder) / MARK).read_text(encoding="utf-8") == place.mark
            except OSError:
                self._seen[place] = False
        return self._seen[place]

    def _widen(self) -> None:
        """Give every run a thread: checkpoints, verifiers and the sandbox wait in one."""
        if self._threads is None:
            self._threads = ThreadPoolExecutor(self._settings.in_flight + _FURTHER_THREADS)
            asyncio.get_running_loop().set_default_executor(self._threads)


class _Run(SingleRuns):
    """One task's run, which another worker may have begun."""

    def __init__(
        self,
        loop: Loop,
        checkpoints: Any,
        claims: Claims | None,
        thread: str,
        worker: str,
        prices: Prices | None,
    ) -> None:
        super().__init__(lambda task: loop(task, checkpoints), loop.scorer_of, None)
        self.place: Path | None = None
        self.kept = ""
        self.cost: float | None = None
        self._prices = prices
        self._claims = claims
        self._thread = thread
        self._worker = worker
        self._claim = 0

    async def ended(self, task: Task, name: str) -> TaskResult:
        """The task's result: that of an earlier run of the batch, or of this one."""
        if self._claims is None:
            return await self.result(task, name, None)
        self._claim, known = await self._claims.claim(self._thread, task)
        if known:
            found = await self.build(task).aget_state(self._config) if name else None
            if not found or not found.values:  # its checkpoints may have been deleted
                return replace(known, run_file="")
            await asyncio.to_thread(self.keep, self._priced(found.values), name)
            return replace(known, run_file=name)
        result = await self.result(task, name, None)
        await self._claims.store(self._thread, self._claim, result)
        return result

    async def run(self, graph: ReflectionGraph, task: Task) -> dict[str, Any]:
        """Run a task's graph to its end, from where its thread stands."""
        if self._claims is None:
            return self._priced(await graph.ainvoke({"task": task.prompt}, {"metadata": {"worker": self._worker}}))

        async def take_up() -> dict[str, Any]:
            found = await graph.aget_state(self._config)
            given: Any = {"task": task.prompt}
            if found.tasks or found.next:
                given = None
            elif found.values and found.values["stop_reason"]["kind"] not in UNFINISHED:
                return found.values
            return await graph.ainvoke(given, self._config, durability="sync")

        return self._priced(await self._claims.patiently(self._thread, self._claim, take_up))

    def _priced(self, ended: dict[str, Any]) -> dict[str, Any]:
        """Note what a run cost, if anybody asks."""
        if self._prices:
            self.cost = run_metrics(ended["events"], self._prices).cost
        return ended

    def keep(self, ended: dict[str, Any], name: str) -> None:
        """Save the run where the batch keeps it, or have it sent there."""
        trace = ContextGraph.from_run(ended)
        if self.place:
            with keeping(self.place / name):
                trace.save(self.place / name)
        elif is_address(name):
            write_at(name, trace.to_jsonl().encode("ascii"))
        else:
            self.kept = trace.to_json()

    @property
    def _config(self) -> RunnableConfig:
        return {"configurable": {"thread_id": self._thread}, "metadata": {"worker": self._worker}}
