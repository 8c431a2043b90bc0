"""A backend whose workers are in this process; all that is sent to them is written and read again."""

from __future__ import annotations

import pickle
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from thoughtgraph.evaluation.backends.loop import Loop, Solve
from thoughtgraph.evaluation.backends.worker import MARK, Ended, Settings, Worker, WorkFolder
from thoughtgraph.evaluation.datasets import Task
from thoughtgraph.evaluation.results import TaskResult
from thoughtgraph.models.named import as_model
from thoughtgraph.models.thought import ChatModel
from thoughtgraph.traces import ContextGraph


def opened(spec: str) -> ChatModel:
    """A model by its name."""
    return as_model(spec, "a model")


@dataclass
class InProcess:
    """A backend of two workers.

    Attributes:
        sees: the workers can write into the batch's folder.
        settings: what the workers are told.
        starts: how often it was opened.
    """

    sees: bool = True
    settings: Settings = field(default_factory=Settings)
    starts: int = 0

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[Pair]:
        """Start the workers."""
        self.starts += 1
        workers = [Worker(name, self.settings, opened) for name in ("one", "other")]
        try:
            yield Pair(workers, self.sees)
        finally:
            for worker in workers:
                worker.close()


@dataclass
class Pair:
    """Two workers that take tasks in turns."""

    workers: list[Worker]
    sees: bool
    places: int = 3
    turn: int = 0

    async def solver(self, loop: Loop, folder: Path | None) -> Solve:
        """What runs tasks through a loop."""
        text = loop.as_json()
        await self.workers[0].check(text)
        place = WorkFolder(str(folder), "seen") if folder else WorkFolder()
        if folder:
            (folder / MARK).write_text("seen" if self.sees else "another machine's folder")

        async def solve(task: Task, name: str) -> TaskResult:
            self.turn += 1
            worker = self.workers[self.turn % 2]
            sent: tuple[Task, WorkFolder] = pickle.loads(pickle.dumps((task, place)))
            ended: Ended = pickle.loads(pickle.dumps(await worker.solve(text, sent[0], name, sent[1])))
            if ended.run and folder:
                ContextGraph.from_run(ended.run).save(folder / name)
            return ended.result

        return solve
