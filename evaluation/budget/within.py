"""Runs many tasks under one budget: one attempt for each, then further ones where they promise most.

The scorer takes no part in this: what promises most is told by the loops' own scores, and a task is done when its loop
has ended.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import cast

from langgraph.checkpoint.base import BaseCheckpointSaver

from ...checkpoints.open import open_checkpoints
from ...errors import NotKeptError, RunFileError
from ...graphs.reflection.create import ReflectionGraph
from ...models.messages import NO_USAGE, add_usage
from ...traces.context_graph import ContextGraph
from ...traces.events import Event
from ...traces.shapes import StopReason, Usage
from ..backends.single import ScorerOf, broken_result, counting, first_answer, scored_result, task_result
from ..datasets import Task
from ..judges import Score
from ..many import named_tasks
from ..results import ATTEMPTS, CHECKPOINTS, TaskResult, add_line, add_result, keeping, known_results, read_lines
from .curve import Step
from .held import HeldRun, Standing
from .limits import BudgetLimits
from .work import Work

HeldBuild = Callable[[Task, "BaseCheckpointSaver[str]"], ReflectionGraph]
"""Builds a task's loop with a checkpointer; the limit of attempts holds it and does not end it (`held_open`)."""

_GOES_ON = ("max_iterations", "token_budget", "cost_budget")
"""The kinds of stop after which a later call may make further attempts."""


async def arun_within(
    build: HeldBuild,
    tasks: Sequence[Task],
    *,
    limits: BudgetLimits,
    scorer_of: ScorerOf,
    save: Path,
    concurrency: int,
    on_result: Callable[[TaskResult], None],
) -> tuple[list[TaskResult], list[Step]]:
    """Run tasks under one budget.

    Each task gets one attempt, whatever it costs. Then the task that promises most gets a further one, see
    `Standing.promise`, and of equal ones the first. An attempt begins only while what is spent, with what the attempts
    under way will take by their tasks' averages, is below the budget.

    Args:
        build: builds a task's loop.
        tasks: all of them, no id twice.
        limits: the budget, and the limit for each task.
        scorer_of: gives a task's scorer, or None to let the loop's verdict count.
        save: a folder for what `arun_many` writes, a line for each attempt in `attempts.jsonl`, and the checkpoints. A
            later call with larger limits goes on with the same runs.
        concurrency: attempts to make at the same time.
        on_result: called with each task's result, but not if it is the one of an earlier call.

    Returns:
        Results in the order of `tasks`, and every attempt in the order in which they were made.

    Raises:
        RunFileError: what is in `save` cannot be read, or a task there has had more attempts than are to be made.
        ValueError: the model reports no tokens, so that the budget cannot be held.
    """
    known = known_results(save)
    # A later line for the same attempt counts.
    steps = list({(step.task_id, step.attempt): step for step in read_lines(save / ATTEMPTS, Step)}.values())
    with open_checkpoints(save / CHECKPOINTS) as saver:
        pool = _Pool(limits, save, on_result, steps)
        for _, task, name in named_tasks(tasks, known):
            await pool.add(Work(task, name, known.get(task.task_id)), build, saver, scorer_of)
        await pool.run(concurrency)
    names = {task.task_id for task in tasks}
    return [work.result for work in pool.works if work.result], [step for step in steps if step.task_id in names]


class _Pool:
    def __init__(
        self, limits: BudgetLimits, folder: Path, on_result: Callable[[TaskResult], None], steps: list[Step]
    ) -> None:
        self.works: list[Work] = []
        self._limits = limits
        self._folder = folder
        self._on_result = on_result
        self._steps = steps

    async def add(self, work: Work, build: HeldBuild, saver: BaseCheckpointSaver[str], scorer_of: ScorerOf) -> None:
        """Take up a task where an earlier call has left it."""
        self.works.append(work)
        known = work.known
        unjudged = [step for step in self._steps if step.task_id == work.task.task_id and step.solved is None]
        try:
            work.scorer = scorer_of(work.task)
            judged = work.scorer is None or (known is not None and known.is_scored and not unjudged)
            ended = known if known and known.stop_reason["kind"] not in _GOES_ON and judged else None
            cost = self._cost_of(ended) if ended else None
            if ended and cost is not None:
                work.result = ended
                work.standing = Standing(
                    len(ended.attempts), 0.0, ended.usage["total_tokens"], cost, reports_tokens=True, ended=True
                )
            else:
                work.run = HeldRun(build(work.task, saver), work.task, self._limits.cost_of)
                work.standing = await work.run.standing()
        except Exception as problem:  # noqa: BLE001 - an error in one task must not end the others
            self._break(work, problem)
            return
        if (made := work.standing.attempts) > self._limits.max_attempts:
            raise RunFileError(
                f"{self._folder} holds {made} attempts at {work.task.task_id}, more than max_attempts = "
                f"{self._limits.max_attempts}: give {made} or more, or choose another folder"
            )
        if work.run is None:
            return
        if known and not work.standing.attempts:
            raise RunFileError(f"{self._folder} has results, but no checkpoints to go on from: choose another folder")
        work.seconds = known.seconds if known else 0.0
        if known and known.is_scored:
            work.scores[known.answer] = Score("passed" if known.scored == "passed" else "failed", known.score)
        if unjudged and work.scorer is not None:
            await self._judge_again(work, work.run, unjudged)
        noted = [step for step in self._steps if step.task_id == work.task.task_id]
        work.noted, work.noted_tokens = len(noted), noted[-1].tokens if noted else 0
        if work.standing.attempts > work.noted:
            # The earlier call was interrupted between the attempt and its line.
            await self._note(work)

    async def run(self, concurrency: int) -> None:
        """Make every attempt that the budget allows, and note how each task has ended."""
        first = iter([work for work in self.works if work.is_open(self._limits) and not work.standing.attempts])
        await self._make(concurrency, lambda: next(first, None))
        reported = any(work.standing.reports_tokens for work in self.works)
        if not reported and any(work.standing.attempts and work.is_open(self._limits) for work in self.works):
            raise ValueError("the model reports no tokens, so no budget can be held: leave max_tokens and max_cost out")
        await self._make(concurrency, self._most_promising)
        for work in self.works:
            if work.result is None:
                await self._finish(work)

    async def _make(self, concurrency: int, choose: Callable[[], Work | None]) -> None:
        async def make() -> None:
            while work := choose():
                await self._attempt(work)

        makers = [asyncio.create_task(make()) for _ in range(concurrency)]
        try:
            await asyncio.gather(*makers)
        finally:
            for maker in makers:
                maker.cancel()
            await asyncio.gather(*makers, return_exceptions=True)

    def _most_promising(self) -> Work | None:
        # Whoever has no attempt by now has failed to make one in this call; likewise if the model was lost.
        waiting = [
            work for work in self.works if work.is_open(self._limits) and not work.under_way and work.standing.attempts
        ]
        if begun := next((work for work in waiting if work.is_begun), None):
            # It was within the budget when it began.
            return begun
        under_way = [work.standing for work in self.works if work.under_way]
        for _, limit, spent in self._limits.measured():
            reserved = sum(spent(standing) / max(1, standing.attempts) for standing in under_way)
            if sum(spent(work.standing) for work in self.works) + reserved >= limit:
                return None
        return max(waiting, key=lambda work: work.standing.promise, default=None)

    async def _attempt(self, work: Work) -> None:
        assert work.run is not None
        work.under_way = True
        spent = counting()
        started = time.perf_counter()
        try:
            work.standing = await work.run.make_attempt()
            work.seconds += time.perf_counter() - started
            if work.standing.attempts > work.noted:
                await self._note(work)
        except Exception as problem:  # noqa: BLE001 - an error in one task must not end the others
            self._break(work, problem, spent.usage)
        finally:
            work.under_way = False
        if work.result is None and (work.standing.failure or not work.is_open(self._limits)):
            await self._finish(work)

    async def _note(self, work: Work) -> None:
        """Write down what is known of the task after its last attempt."""
        result, _ = await self._scored(work)
        solved = None if result.scoring else result.solved
        step = Step(work.task.task_id, work.standing.attempts, work.standing.tokens, solved)
        work.noted, work.noted_tokens = step.attempt, step.tokens
        self._steps.append(step)
        add_line(self._folder / ATTEMPTS, asdict(step))

    async def _judge_again(self, work: Work, run: HeldRun, steps: Sequence[Step]) -> None:
        """Ask the scorer about what it could not judge in an earlier call."""
        answers = await run.answers()
        for step in steps:
            score = await work.ask(answers[step.attempt - 1])
            if score.status != "unverified":
                judged = replace(step, solved=score.status == "passed")
                self._steps[self._steps.index(step)] = judged
                add_line(self._folder / ATTEMPTS, asdict(judged))

    async def _finish(self, work: Work) -> None:
        """Keep the run and its result."""
        work.result, trace = await self._scored(work)
        if work.result != work.known:
            with keeping(self._folder / work.name):
                trace.save(self._folder / work.name)
        self._report(work)

    async def _scored(self, work: Work) -> tuple[TaskResult, ContextGraph]:
        assert work.run is not None
        ended = await work.run.result(self._limits.max_attempts, self._budget())
        result = task_result(work.task, ended, round(work.seconds, 2), work.name)
        if work.scorer is not None:
            first = first_answer(ended)
            if first and work.known and work.known.is_scored and work.known.first_scored in ("passed", "failed"):
                # Its points are never asked for: a later attempt that is no better does not replace the best one.
                work.scores.setdefault(first, Score(work.known.first_scored, None))
            result = await scored_result(work.ask, result, first)
        return result, ContextGraph.from_run(ended)

    def _break(self, work: Work, problem: Exception, spent: Usage = NO_USAGE) -> None:
        if isinstance(problem, NotKeptError):
            raise problem
        # What the attempt had spent is in no checkpoint, or only a part of it.
        before, event = work.standing, cast(Event, {"kind": "thought", "data": {"usage": spent}})
        usage, cost = add_usage(before.usage, spent), before.cost + self._limits.cost_of([event])
        work.standing = replace(before, tokens=usage["total_tokens"], usage=usage, cost=cost)
        work.result = broken_result(work.task, problem, work.scorer is not None, usage)
        self._report(work)

    def _report(self, work: Work) -> None:
        if work.result is not None and work.result != work.known:
            add_result(self._folder, work.result)
            self._on_result(work.result)

    def _budget(self) -> StopReason:
        """The budget that is spent, or nearest to it, as a reason to stop."""
        reasons = [
            StopReason(kind=kind, value=round(sum(spent(work.standing) for work in self.works), 6), limit=limit)
            for kind, limit, spent in self._limits.measured()
        ]
        return max(reasons, key=lambda reason: cast(float, reason["value"]) / cast(float, reason["limit"]))

    def _cost_of(self, known: TaskResult) -> float | None:
        """What a run of an earlier call has cost; None if its file cannot be read, and its checkpoints have to say."""
        if not self._limits.max_cost or not known.run_file:
            return 0.0
        try:
            return self._limits.cost_of(ContextGraph.from_run(self._folder / known.run_file).events)
        except RunFileError:
            return None
