"""Runs all tasks under each condition in turn. `Study` builds a model's loops; `Bench` runs and scores them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, cast

from langgraph.checkpoint.base import BaseCheckpointSaver

from ..checkpoints.open import open_checkpoints
from ..errors import ThoughtGraphError
from ..graphs.reflection.create import ReflectionGraph
from ..models.named import names_of
from ..models.thought import ChatModel
from ..traces.context_graph import ContextGraph
from ..traces.events import Event
from ..traces.metrics.money import Named, Prices, spent_money
from ..traces.metrics.run import RunMetrics, run_metrics
from .backends.loop import Loop, Workers
from .backends.single import ScorerOf
from .best_of import SAMPLES, GrowingRun, Runs, grown, spent, unsolved, with_best_of
from .budget.curve import CurvePoint, curve_of
from .budget.held import held_open
from .budget.limits import BudgetLimits
from .budget.within import HeldBuild, arun_within
from .conditions import RETRY_ONLY, Condition
from .datasets import Task
from .judges import Judges, Scorer, asked_once
from .many import arun_many
from .results import CHECKPOINTS, UNFINISHED, TaskResult, free_name, run_of
from .scored import ConditionResult, ScoredRun

ONE_SHOT = "one shot"
_SAMPLES_AN_ITERATION = 6
"""The most samples to draw for each attempt that a mode may make."""

Progress = Callable[[str, int, int], None]
"""Called with a condition's title, how many of its tasks are done, and how many there are."""


@dataclass(frozen=True, slots=True)
class Bench:
    """What the conditions share: the tasks, where their runs are kept, and who runs and scores them.

    Attributes:
        tasks: all of them.
        folder: of the runs, with a folder for each condition.
        concurrency: tasks to run at the same time.
        on_progress: called when a task ends.
        judges: who scores the answers.
        prices: of the models.
        workers: who runs the tasks instead of this process.
        taken: the condition's title, by the lowercase name of its folder.
    """

    tasks: list[Task]
    folder: Path
    concurrency: int
    on_progress: Progress
    judges: Judges = field(default_factory=Judges)
    prices: Prices | None = None
    workers: Workers | None = None
    taken: dict[str, str] = field(default_factory=dict[str, str], repr=False)

    async def run(
        self,
        title: str,
        build: Callable[[Task], ReflectionGraph],
        *,
        verified: bool = True,
        scorer_of: ScorerOf | None = None,
    ) -> tuple[ScoredRun, ...]:
        """All tasks under one condition, whose loops ask the verifier if `verified`."""
        kept = self.folder_of(title)
        with self._progress_of(title) as tell:
            results = await arun_many(
                build,
                self.tasks,
                scorer_of=scorer_of or (lambda task: self.judges.scorer_of(task, verified=verified)),
                save=kept,
                concurrency=self.concurrency,
                on_result=tell,
                workers=self.workers,
            )
        return self._scored(results, kept, verified)

    async def run_within(
        self, limits: BudgetLimits, title: str, build: HeldBuild, *, verified: bool
    ) -> tuple[tuple[ScoredRun, ...], tuple[CurvePoint, ...]]:
        """All tasks under one condition and one budget, and what they had solved after each attempt."""
        kept = self.folder_of(title)
        with self._progress_of(title) as tell:
            results, steps = await arun_within(
                build,
                self.tasks,
                limits=limits,
                scorer_of=lambda task: self.judges.scorer_of(task, verified=verified),
                save=kept,
                concurrency=self.concurrency,
                on_result=tell,
            )
        return self._scored(results, kept, verified), curve_of(steps, len(self.tasks))

    @contextmanager
    def _progress_of(self, title: str) -> Generator[Callable[[TaskResult], None]]:
        """Report the condition's progress: at its start, with each result that the block passes on, and at its end."""
        total = len(self.tasks)
        ended: list[TaskResult] = []

        def tell(result: TaskResult) -> None:
            ended.append(result)
            self.on_progress(title, len(ended), total)

        self.on_progress(title, 0, total)
        yield tell
        self.on_progress(title, total, total)

    def _scored(self, results: Sequence[TaskResult], kept: Path, verified: bool) -> tuple[ScoredRun, ...]:
        return tuple(
            _scored_run(task, result, kept, self.prices, asked=verified and self.judges.has_verifier(task))
            for task, result in zip(self.tasks, results, strict=True)
        )

    def folder_of(self, title: str) -> Path:
        """The folder for a condition's runs; no two titles share one."""
        stem = "".join(letter if letter.isalnum() else "-" for letter in title)
        return self.folder / free_name(stem, lambda name: self.taken.setdefault(name.lower(), title) != title)


@dataclass(frozen=True, slots=True)
class Study:
    """One model, or one cascade, on all tasks: under one condition, or under several with their controls.

    Attributes:
        bench: where its tasks run.
        actors: the model, or those of a cascade, the cheapest first; by name, if workers open them.
        critic: the model that criticizes, likewise; None for the actor.
        limits: attempts per task, in each mode, and the budget of a condition, by the bench's prices.
        prefix: of every title, to tell models apart.
        verified: at least one task has a verifier.
    """

    bench: Bench
    actors: tuple[ChatModel | str, ...]
    critic: ChatModel | str | None
    limits: BudgetLimits
    prefix: str
    verified: bool

    @property
    def asked(self) -> tuple[Named, ...]:
        """The models that may be asked, by their names and those of their providers."""
        return names_of([*self.actors, *([] if self.critic is None else [self.critic])])

    async def results(self, conditions: Sequence[Condition], controls: bool) -> list[ConditionResult]:
        """One shot, the conditions, and the best of N at equal tokens, if these controls are wanted."""
        once = await self.bench.run(self.prefix + ONE_SHOT, self._loop(RETRY_ONLY, 1), verified=RETRY_ONLY.verify)
        results = [ConditionResult(ONE_SHOT, once, self.verified)]
        for condition in conditions:
            against = [ONE_SHOT]
            if controls and condition.verify and condition != RETRY_ONLY:
                against.append(RETRY_ONLY.title)
            results.append(replace(await self.result(condition), against=tuple(against)))
        if controls:
            most = max(result.tokens for result in results if result.verified)
            results = with_best_of(results, await self._best_of(most))
        return results

    async def result(self, condition: Condition) -> ConditionResult:
        """One condition alone, under the budget that its tasks share, if there is one."""
        limits, title, curve = self.limits, self.prefix + condition.title, ()
        loop = self._loop(condition, limits.max_attempts)

        def build(task: Task, checkpointer: BaseCheckpointSaver[str]) -> ReflectionGraph:
            return held_open(loop(task, checkpointer))

        if limits.max_cost is not None and self.bench.prices is not None:
            limits = replace(limits, cost_of=partial(spent_money, prices=self.bench.prices, models=self.asked))
        if limits.shared:
            runs, curve = await self.bench.run_within(limits, title, build, verified=condition.verify)
        else:
            runs = await self.bench.run(title, loop, verified=condition.verify)
        verified = condition.verify and self.verified
        budgets: dict[str, Any] = {"max_tokens": limits.max_tokens, "max_cost": limits.max_cost}
        return ConditionResult(condition.title, runs, verified, curve=curve, **budgets)

    def _loop(self, condition: Condition, max_attempts: int) -> Loop:
        return Loop(condition, self.actors, self.critic, max_attempts, self.bench.judges)

    async def _best_of(self, most: int) -> list[Runs]:
        """Every task with N = 1, 2, … samples, until they have spent `most` tokens or nothing is left to solve."""
        # If the provider reports no tokens, the number of attempts is the only measure of cost.
        limit = self.limits.max_attempts * (_SAMPLES_AN_ITERATION if most else 1)
        pool: list[Runs] = []
        scorers: dict[str, Scorer | None] = {}

        def scorer_of(task: Task) -> Scorer | None:
            # The first answer, and the best one, stay the same for many N.
            if task.task_id not in scorers:
                scorer = self.bench.judges.scorer_of(task)
                scorers[task.task_id] = scorer and asked_once(scorer)
            return scorers[task.task_id]

        with open_checkpoints(self.bench.folder_of(f"{self.prefix}samples") / CHECKPOINTS) as saver:
            tasks = self.bench.tasks
            while tasks and len(pool) < limit and (not most or not pool or spent(pool[-1]) < most):
                count = len(pool) + 1

                def build(task: Task, count: int = count) -> ReflectionGraph:
                    return cast(ReflectionGraph, GrowingRun(self._loop(SAMPLES, count)(task, saver), task))

                # The runs wait in checkpoints of this process, so workers elsewhere could not go on with them.
                bench = replace(self.bench, tasks=tasks, workers=None)
                runs = await bench.run(f"{self.prefix}best of {count}", build, scorer_of=scorer_of)
                pool.append(grown(pool[-1], runs) if pool else runs)
                left = set(unsolved(pool[-1]))
                tasks = [task for task in tasks if task.task_id in left]
        return pool


def _scored_run(task: Task, result: TaskResult, folder: Path, prices: Prices | None, *, asked: bool) -> ScoredRun:
    """A task's result with the metrics of its run; `asked` says whether its loop asked a verifier."""
    events, unread = _events_of(folder, result)
    stop = result.stop_reason
    unverified = _unverified(events) if asked else ""
    nobody_judged = not result.scored and result.verdict == "unverified"
    return ScoredRun(
        task_id=task.task_id,
        level=task.level,
        accepted=result.verdict == "passed" or stop["kind"] == "accepted",
        verdict=result.verdict,
        scored=result.final_verdict,
        first_scored=result.first_verdict,
        score=result.points,
        stop=str(stop["kind"]),
        seconds=result.seconds,
        problem=str(stop["value"]) if stop["kind"] in UNFINISHED else "",
        unjudged=result.scoring or (unverified if nobody_judged else ""),
        metrics=run_metrics(events, prices) if events else _metrics_of(result, finished=bool(unread)),
        unverified=unverified,
        unread=unread,
    )


def _events_of(folder: Path, result: TaskResult) -> tuple[Sequence[Event], str]:
    """A run's events, or why they cannot be read: a lost file must not cost the results of all other tasks."""
    try:
        return (ContextGraph.from_run(run_of(folder, result)).events, "") if result.run_file else ((), "")
    except ThoughtGraphError as problem:
        return (), str(problem)


def _metrics_of(result: TaskResult, *, finished: bool) -> RunMetrics:
    """The metrics that a result alone tells: its run's events cannot be read, or the run broke and left none."""
    verdicts = [attempt.get("verdict") for attempt in result.attempts]
    passing = verdicts.index("passed") + 1 if result.verdict == "passed" and "passed" in verdicts else None
    return RunMetrics(
        finished=finished,
        verdict=result.verdict if finished else "",
        stop_kind=str(result.stop_reason["kind"]) if finished else "",
        attempts=len(verdicts),
        solved_first_try=passing == 1,
        failed_first=verdicts[:1] == ["failed"],
        iterations_to_success=passing,
        input_tokens=result.usage.get("input_tokens", 0),
        output_tokens=result.usage.get("output_tokens", 0),
        cached_tokens=result.usage.get("cached_tokens", 0),
    )


def _unverified(events: Sequence[Event]) -> str:
    """Why the verifier could not judge an attempt; "" if it could."""
    said = (event["data"] for event in events if event["kind"] == "verdict")
    return next((str(data.get("feedback")) for data in said if data.get("status") == "unverified"), "")
