"""Runs the same tasks through several reflection modes and the controls that a fair comparison needs.

Visible tests stop the loops; hidden tests score the answers. Controls: one attempt; attempts without any feedback
("retry only"); and the best of N independent samples, where N is the smallest number that spends at least as many
tokens, read and written, as the mode.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from langchain_core.language_models import BaseChatModel

from ..graphs.reflection.create import ReflectionGraph
from ..models.options import with_options
from ..nodes.reflection.request import sampling_options
from ..traces.context_graph import ContextGraph
from ..traces.metrics.run import run_metrics
from .best_of import spent, with_best_of
from .comparison import Comparison, ConditionResult, ScoredRun
from .conditions import RETRY_ONLY, Condition, condition_of, graph_of, tests_of
from .datasets import CodingTask
from .many import UNFINISHED, TaskResult, arun_many, check_settings, model_name

ONE_SHOT = "one shot"
DEFAULT_MODES = ("external_loop", "reflexion", "actor_critic")

_TEMPERATURE = 0.8
_FIRST_SEED = 1000
_SAMPLES_AN_ITERATION = 6
"""The most samples to draw for each attempt that a mode may make."""

Progress = Callable[[str, int, int], None]
"""Called with a condition's title, how many of its tasks are done, and how many there are."""


def compare_modes(
    model: BaseChatModel,
    tasks: Sequence[CodingTask],
    modes: Sequence[str | Condition] = DEFAULT_MODES,
    *,
    critic: BaseChatModel | None = None,
    max_attempts: int = 3,
    concurrency: int = 4,
    save: Path | None = None,
    controls: bool = True,
    on_progress: Progress | None = None,
) -> Comparison:
    """Run the same tasks through several modes. Inside a running event loop, await `acompare_modes` instead.

    Args:
        model: the actor.
        tasks: tasks with tests; a task whose tests cannot be read is skipped and named in the result.
        modes: names of modes, or conditions of your own.
        critic: the model that judges and criticizes; the actor by default.
        max_attempts: attempts per task, in each mode.
        concurrency: tasks to run at the same time.
        save: a folder for the runs, with a subfolder per condition as `arun_many` writes it. Runs already there are
            not repeated.
        controls: also run "retry only" and the best of N at equal tokens. One shot always runs.
        on_progress: called when a task ends.

    Raises:
        ValueError: a mode is unknown, a number is below 1, or no task can be scored.
        RunFileError: `save` holds a comparison with other settings, or cannot be read.
    """
    comparing = acompare_modes(
        model,
        tasks,
        modes,
        critic=critic,
        max_attempts=max_attempts,
        concurrency=concurrency,
        save=save,
        controls=controls,
        on_progress=on_progress,
    )
    return asyncio.run(comparing)


async def acompare_modes(
    model: BaseChatModel,
    tasks: Sequence[CodingTask],
    modes: Sequence[str | Condition] = DEFAULT_MODES,
    *,
    critic: BaseChatModel | None = None,
    max_attempts: int = 3,
    concurrency: int = 4,
    save: Path | None = None,
    controls: bool = True,
    on_progress: Progress | None = None,
) -> Comparison:
    """Async twin of `compare_modes`."""
    if concurrency < 1:
        raise ValueError(f"concurrency must be at least 1, got {concurrency}")
    chosen = [condition_of(mode) for mode in modes]
    conditions = list(dict.fromkeys([RETRY_ONLY, *chosen] if controls else chosen))
    for condition in conditions:
        # Fail on an unknown mode before anything runs, not once per task.
        graph_of(condition, model, critic, max_attempts, None)
    scorable, skipped = _scorable(tasks)
    if save:
        names = {"model": model_name(model), "critic": model_name(critic or model)}
        check_settings(save, {**names, "max_attempts": max_attempts}, scorable)
    with TemporaryDirectory() if save is None else nullcontext(str(save)) as folder:
        bench = Bench(scorable, Path(folder), concurrency, on_progress or _silent)
        one_attempt = partial(graph_of, RETRY_ONLY, model, critic, 1)
        results = [ConditionResult(ONE_SHOT, await bench.run(ONE_SHOT, one_attempt))]
        for condition in conditions:
            runs = await bench.run(condition.title, partial(graph_of, condition, model, critic, max_attempts))
            against = [ONE_SHOT]
            if controls and condition.verify and condition != RETRY_ONLY:
                against.append(RETRY_ONLY.title)
            results.append(ConditionResult(condition.title, runs, condition.verify, tuple(against)))
        if controls:
            most = max(result.tokens for result in results if result.verified)
            results = with_best_of(results, await _samples(bench, model, most, max_attempts))
    unhidden = sum(not task.hidden_tests for task in scorable)
    return Comparison(tuple(results), max_attempts, skipped, unhidden)


@dataclass(frozen=True, slots=True)
class Bench:
    tasks: list[CodingTask]
    folder: Path
    concurrency: int
    on_progress: Progress

    async def run(self, title: str, build: Callable[[CodingTask], ReflectionGraph]) -> tuple[ScoredRun, ...]:
        """All tasks under one condition."""
        total = len(self.tasks)
        ended: list[TaskResult] = []

        def tell(result: TaskResult) -> None:
            ended.append(result)
            self.on_progress(title, len(ended), total)

        self.on_progress(title, 0, total)
        kept = self.folder / "".join(letter if letter.isalnum() else "-" for letter in title)
        results = await arun_many(build, self.tasks, save=kept, concurrency=self.concurrency, on_result=tell)
        self.on_progress(title, total, total)
        return tuple([await _scored(task, result, kept) for task, result in zip(self.tasks, results, strict=True)])


async def _samples(bench: Bench, model: BaseChatModel, most: int, max_attempts: int) -> list[tuple[ScoredRun, ...]]:
    """Samples of every task, until they have spent `most` tokens."""
    # If the provider reports no tokens, the number of attempts is the only measure of cost.
    limit = _SAMPLES_AN_ITERATION * max_attempts if most else max_attempts
    pool: list[tuple[ScoredRun, ...]] = []
    while len(pool) < limit and (not most or spent(pool) < most):
        actor = with_options(model, sampling_options(model, _TEMPERATURE, seed=_FIRST_SEED + len(pool)))
        pool.append(await bench.run(f"sample {len(pool) + 1}", partial(graph_of, RETRY_ONLY, actor, None, 1)))
    return pool


def _scorable(tasks: Sequence[CodingTask]) -> tuple[list[CodingTask], dict[str, str]]:
    """The tasks that can be scored, and why each of the others cannot."""
    scorable: list[CodingTask] = []
    skipped: dict[str, str] = {}
    for task in tasks:
        try:
            tests_of(task.all_tests, task)
            if task.visible_tests:
                tests_of(task.visible_tests, task)
        except ValueError as problem:
            skipped[task.task_id] = str(problem)
        else:
            scorable.append(task)
    if not scorable:
        why = "; ".join(f"{name}: {problem}" for name, problem in list(skipped.items())[:3])
        raise ValueError(f"no task can be scored ({why or 'there is none'}): give tasks with tests")
    return scorable, skipped


async def _scored(task: CodingTask, result: TaskResult, folder: Path) -> ScoredRun:
    events = ContextGraph.from_run(folder / result.run_file).events if result.run_file else []
    first = next((str(event["data"].get("answer") or "") for event in events if event["kind"] == "attempt"), "")
    correct = result.solved if result.scored else await asyncio.to_thread(_passes, task, result.answer)
    first_correct = correct if first == result.answer else await asyncio.to_thread(_passes, task, first)
    stop = result.stop_reason
    return ScoredRun(
        task_id=task.task_id,
        level=task.level,
        accepted=result.verdict == "passed" or stop["kind"] == "accepted",
        correct=correct,
        first_correct=first_correct,
        score=max((attempt["score"] for attempt in result.attempts), default=0.0),
        seconds=result.seconds,
        problem=str(stop["value"]) if stop["kind"] in UNFINISHED else "",
        metrics=(run_metrics(events),),
    )


def _passes(task: CodingTask, answer: str) -> bool:
    return bool(answer) and tests_of(task.all_tests, task)(task.prompt, answer).status == "passed"


def _silent(title: str, done: int, total: int) -> None:
    """Report nothing."""
