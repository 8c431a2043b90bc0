"""The benchmark in pieces, each of one model, domain, condition and seed: what was run is kept, and not run again."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from thoughtgraph.evaluation.backends.loop import Loop
from thoughtgraph.evaluation.datasets import Task
from thoughtgraph.evaluation.judges import Judges, ascore
from thoughtgraph.evaluation.many import arun_many
from thoughtgraph.evaluation.results import (
    ATTEMPTS,
    RESULTS,
    UNFINISHED,
    TaskResult,
    add_line,
    check_settings,
    known_results,
    read_lines,
)
from thoughtgraph.models.options import with_options
from thoughtgraph.models.thought import ChatModel
from thoughtgraph.traces.context_graph import ContextGraph

from .checks import DOMAINS, scorer_of, tasks_of, verifier_of
from .conditions import CASCADES, CONDITIONS, ONE_SHOT

_ARROW = " → "
_SIZE = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)b(?![a-z])", re.IGNORECASE)

Open = Callable[[str], AbstractContextManager[ChatModel]]
Tell = Callable[["Piece", int, int], None]
"""Called with a piece, how many of its tasks are done, and how many there are."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One condition on one domain's tasks, with one model and one seed.

    Attributes:
        model: its name; of a cascade those of all its models, with arrows between.
        seed: from 0.
        domain: its name, or the path of a file.
        condition: its name.
    """

    model: str
    seed: int
    domain: str
    condition: str

    @property
    def models(self) -> list[str]:
        """The models' names, the one that is asked first in front."""
        return self.model.split(_ARROW)

    def __str__(self) -> str:
        return f"{self.model}, {self.domain}, {self.condition}, seed {self.seed}"


@dataclass(frozen=True, slots=True)
class Reached:
    """How far a task had come after one of its attempts; the last line of a task is that of the whole run.

    Attributes:
        task_id: the task's id.
        attempt: its number, from 1.
        tokens: up to then, of all models, read and written.
        cost: these tokens times the billions of parameters of the model that read or wrote them.
        solved: the best answer up to then passes the visible and the hidden check.
        accepted: the loop's own check had passed it.
        score: of that answer, by the loop's own check.
    """

    task_id: str
    attempt: int
    tokens: int
    cost: float
    solved: bool
    accepted: bool
    score: float


def billions(name: str, sizes: Mapping[str, float]) -> float:
    """The billions of parameters of a model.

    Args:
        name: of the model.
        sizes: given ones; they go before the one that the name tells.

    Raises:
        ValueError: neither tells it.
    """
    found = _SIZE.search(name)
    if name in sizes:
        return sizes[name]
    if found is None:
        raise ValueError(f"how many parameters {name!r} has is not known: add --parameters {name}=BILLIONS")
    return float(found[1])


def pieces_of(models: Sequence[str], domains: Sequence[str], conditions: Sequence[str], seeds: int) -> list[Piece]:
    """Every piece, those of one model together, and then those of one seed; cascades last.

    One shot has no seed but the first: it does not sample, unless the model itself was set to. A cascade needs two
    models or more.
    """
    alone = [condition for condition in conditions if condition not in CASCADES]
    together = [condition for condition in conditions if condition in CASCADES and len(models) > 1]
    return [
        Piece(model, seed, domain, condition)
        for model, chosen in [*((model, alone) for model in models), (_ARROW.join(models), together)]
        for seed in range(seeds)
        for domain in domains
        for condition in chosen
        if condition != ONE_SHOT or not seed
    ]


@dataclass(frozen=True, slots=True)
class Pieces:
    """Where pieces are run and kept.

    Attributes:
        folder: of all runs.
        max_attempts: a task, under every condition but one shot.
        concurrency: tasks to run at the same time.
        limit: the first so many tasks of each domain; None for all.
        sizes: billions of parameters of models whose name does not tell them.
    """

    folder: Path
    max_attempts: int
    concurrency: int
    limit: int | None
    sizes: Mapping[str, float]

    def left(self, piece: Piece) -> int:
        """How many of a piece's tasks have no result yet."""
        known = known_results(self._folder(piece)) if self._folder(piece).exists() else {}
        judges = _judges(piece)

        def has_ended(task: Task) -> bool:
            result = known.get(task.task_id)
            return result is not None and (result.is_scored or not judges.has_scorer(task))

        return sum(not has_ended(task) for task in tasks_of(piece.domain, self.limit))

    def problems(self, piece: Piece) -> dict[str, str]:
        """Why tasks of a piece could not be run; the next call tries them again."""
        path = self._folder(piece) / RESULTS
        last = {result.task_id: result.stop_reason for result in read_lines(path, TaskResult)}
        return {name: str(stop["value"]) for name, stop in last.items() if stop["kind"] in UNFINISHED}

    async def run(self, pieces: Sequence[Piece], opened: Open, minutes: float, tell: Tell) -> None:
        """Run what is left of the pieces; after so many minutes no further task begins.

        Raises:
            RunFileError: the folder holds runs with other settings, or of tasks that have changed since.
        """
        deadline = time.monotonic() + 60 * minutes
        for piece in pieces:
            if self._folder(piece).exists():
                self._check(piece)
        unfinished = [piece for piece in pieces if self.left(piece)]
        for name, of_model in groupby(unfinished, key=lambda piece: piece.model):
            if time.monotonic() >= deadline:
                return
            with ExitStack() as stack:
                models = [stack.enter_context(opened(one)) for one in name.split(_ARROW)]
                for piece in of_model:
                    await self._run(piece, models, deadline, tell)

    async def _run(self, piece: Piece, models: Sequence[ChatModel], deadline: float, tell: Tell) -> None:
        tasks, judges = tasks_of(piece.domain, self.limit), _judges(piece)
        actors = tuple(with_options(model, {"seed": piece.seed}) for model in models)
        loop = Loop(CONDITIONS[piece.condition], actors, None, self._attempts(piece), judges)
        self._check(piece)
        done = len(tasks) - self.left(piece)

        def ended(_: TaskResult) -> None:
            nonlocal done
            done += 1
            tell(piece, done, len(tasks))

        tell(piece, done, len(tasks))
        await arun_many(
            loop,
            _until(deadline, tasks),
            scorer_of=judges.scorer_of,
            save=self._folder(piece),
            concurrency=self.concurrency,
            on_result=ended,
        )

    async def reached(self, piece: Piece) -> dict[str, list[Reached]]:
        """How far each task of a finished piece had come after each of its attempts."""
        folder = self._folder(piece)
        # Two tables of one folder, made at the same time, both write down what neither has found.
        known = {(line.task_id, line.attempt): line for line in read_lines(folder / ATTEMPTS, Reached)}
        noted = {name for name, _ in known}
        results, judges = known_results(folder), _judges(piece)
        tasks = tasks_of(piece.domain, self.limit)
        for task in tasks:
            if task.task_id not in noted:
                lines = await self._of_task(task, results[task.task_id], folder, piece, judges)
                for line in lines:
                    add_line(folder / ATTEMPTS, asdict(line))
                    known[line.task_id, line.attempt] = line
        return {task.task_id: [line for (name, _), line in known.items() if name == task.task_id] for task in tasks}

    async def _of_task(
        self, task: Task, result: TaskResult, folder: Path, piece: Piece, judges: Judges
    ) -> list[Reached]:
        events: list[Any] = list(ContextGraph.from_run(folder / result.run_file).events)
        places = [place for place, event in enumerate(events, 1) if event["kind"] == "attempt"]
        answers = [events[place - 1]["data"]["answer"] for place in places]
        ranks = [(kept["verdict"] == "passed", kept["score"], -number) for number, kept in enumerate(result.attempts)]
        lines: list[Reached] = []
        for number, place in enumerate(places[:-1], 1):
            best = max(range(number), key=ranks.__getitem__)
            # Most loops answer once; then the scorer has been asked already.
            if best and judges.has_scorer(task):
                solved = await _solves(judges, task, answers[best])
            else:
                solved = ranks[best][0] if best else result.first_verdict == "passed"
            tokens, cost = self._spent(events[:place], piece)
            lines.append(Reached(task.task_id, number, tokens, cost, solved, *ranks[best][:2]))
        tokens, cost = self._spent(events, piece)
        accepted = result.verdict == "passed" or result.stop_reason["kind"] == "accepted"
        score = max((score for _, score, _ in ranks), default=0.0)
        lines.append(Reached(task.task_id, max(1, len(places)), tokens, cost, result.solved, accepted, score))
        return lines

    def _spent(self, events: Sequence[Any], piece: Piece) -> tuple[int, float]:
        """Tokens, and these times the size of the model that read or wrote them."""
        tokens, cost = 0, 0.0
        for event in events:
            if event["kind"] == "thought":
                usage: dict[str, Any] = event["data"].get("usage") or {}
                count = int(usage.get("input_tokens", 0)) + int(usage.get("output_tokens", 0))
                tokens += count
                cost += count * self._size(event["data"].get("model") or "", piece)
        return tokens, cost

    def _size(self, reported: str, piece: Piece) -> float:
        """The size of the model that gave a reply; the piece's last one where the name that it reports tells none."""
        try:
            return billions(reported, self.sizes)
        except ValueError:
            return billions(piece.models[-1], self.sizes)

    def _attempts(self, piece: Piece) -> int:
        return 1 if piece.condition == ONE_SHOT else self.max_attempts

    def _check(self, piece: Piece) -> None:
        """Note what a piece is run with, or refuse to mix it with what was run otherwise."""
        settings = {**asdict(piece), "max_attempts": self._attempts(piece)}
        check_settings(self._folder(piece), settings, tasks_of(piece.domain, self.limit), whole_rows=True)

    def _folder(self, piece: Piece) -> Path:
        names = (piece.model, Path(piece.domain).stem, piece.condition)
        return self.folder.joinpath(*(re.sub(r"[^A-Za-z0-9.]+", "-", name) for name in names), f"seed-{piece.seed}")


def _judges(piece: Piece) -> Judges:
    return Judges(verifier_of, scorer_of) if piece.domain in DOMAINS else Judges()


async def _solves(judges: Judges, task: Task, answer: str | None) -> bool:
    scorer = judges.scorer_of(task)
    return bool(scorer and answer and (await ascore(scorer, task, answer)).status == "passed")


def _until(deadline: float, tasks: Sequence[Task]) -> Iterator[Task]:
    """The tasks that may begin: one that has begun is finished, so nothing that was paid for is lost."""
    for task in tasks:
        if time.monotonic() >= deadline:
            return
        yield task
