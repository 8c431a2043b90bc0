"""The control at equal cost: the mode best_of_n, with the smallest N that spends as many tokens as another mode.

N grows by one: tasks whose samples have all failed get another, in the same run, and the others are left as they are.
So each task draws its samples one after the other and stops at the first that passes: no N can cost less.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..graphs.reflection.create import ReflectionGraph
from ..nodes.reflection.loop import ReflectionLoop
from ..nodes.reflection_defaults import BEST_OF_N
from ..traces.metrics.share import Share
from .budget.curve import CurvePoint
from .budget.held import HeldRun, builder_of, thread_of
from .conditions import Condition
from .datasets import Task
from .judges import ASKS_THE_USER
from .scored import ConditionResult, ScoredRun, short

SAMPLES = Condition(BEST_OF_N)

Runs = Sequence[ScoredRun]
"""Every task with the same N."""


class GrowingRun:
    """A task's run that waits before its end: if all its samples have failed, it goes on once N is larger.

    Args:
        graph: the mode with N attempts, and with a checkpointer.
        task: its id names the thread.
    """

    def __init__(self, graph: ReflectionGraph, task: Task) -> None:
        self._graph = graph
        self._held = HeldRun(graph, task)
        self._config = thread_of(task)
        loop: ReflectionLoop = builder_of(graph).loop
        self._count = loop.max_attempts
        self._judge = "agree" if loop.agrees else "verify"

    async def ainvoke(self, given: Any) -> dict[str, Any]:
        """Draw the samples that N leaves room for, and return what the graph with N attempts does.

        Raises:
            ValueError: the verifier asks the user, who is not there.
        """
        found = await self._held.snapshot()
        # Without a sample, the model could not be reached at all, and the run begins anew.
        goes_on = found.values.get("attempts") or found.next not in ((), ("outcome",))
        if goes_on and found.next == ("outcome",):
            # The edge before the end is asked again: there is room for another sample, or the model may be back.
            await self._graph.aupdate_state(self._config, {"failure": ""}, as_node=self._judge)
        await self._held.advance(None if goes_on else given, before=["outcome"])
        found = await self._held.snapshot()
        if found.interrupts:
            raise ValueError(ASKS_THE_USER)
        return await self._held.result(self._count)


def unsolved(runs: Runs) -> list[str]:
    """The ids of the tasks for which a further sample may change something."""
    return [run.task_id for run in runs if not (run.accepted or run.problem or run.stop == "unverified")]


def grown(before: Runs, further: Runs) -> tuple[ScoredRun, ...]:
    """The runs of all tasks with one more sample each: the runs that went on, and the others as they were.

    A task that could not go on keeps the result of its samples so far.
    """
    news = {run.task_id: run for run in further}
    return tuple(_continued(run, news[run.task_id]) if run.task_id in news else run for run in before)


def _continued(before: ScoredRun, further: ScoredRun) -> ScoredRun:
    if not further.metrics.attempts:
        return replace(before, problem=further.problem)
    return replace(further, seconds=before.seconds + further.seconds)


def spent(runs: Runs) -> int:
    """Tokens of all tasks, read and written."""
    return sum(run.tokens for run in runs)


def affordable(pool: Sequence[Runs], tokens: int) -> int:
    """The smallest N whose runs spend at least `tokens`; the largest there is if all spend less.

    Also the largest if `tokens` is 0, as when the provider reports none.

    Args:
        pool: the runs with N = 1, 2, ….
        tokens: of the mode.
    """
    if not tokens:
        return len(pool)
    return next((count for count, runs in enumerate(pool, 1) if spent(runs) >= tokens), len(pool))


def with_best_of(results: Sequence[ConditionResult], pool: Sequence[Runs]) -> list[ConditionResult]:
    """The conditions, with a control at equal cost for each whose runs the verifier stopped.

    The control spends at least as many tokens as the condition.

    Args:
        results: the conditions; the first is one shot, which gets no control.
        pool: the runs with N = 1, 2, …, shared by all controls.
    """
    held = [results[0]]
    controls: dict[str, ConditionResult] = {}
    for result in results[1:]:
        if not result.verified:
            held.append(result)
            continue
        count = affordable(pool, result.tokens)
        runs = pool[count - 1]
        if spent(runs) < result.tokens:
            ended = "nothing left to solve" if all(run.accepted for run in runs) else "no other task can go on"
            why = "all there are" if unsolved(runs) else ended
            paid = f"{why}, < tokens of {result.title}"
        else:
            sharing = [
                short(other.title)
                for other in results[1:]
                if other.verified and affordable(pool, other.tokens) == count and other.tokens <= spent(runs)
            ]
            paid = f"≥ tokens of {', '.join(sharing)}"
        control = ConditionResult(f"best of {count} ({paid})", tuple(runs), curve=_curve(pool[:count]))
        controls[control.title] = control
        held.append(replace(result, against=(*result.against, control.title)))
    return [*held, *controls.values()]


def _curve(pool: Sequence[Runs]) -> tuple[CurvePoint, ...]:
    """The tasks solved with N = 1, 2, …, against what that spent."""
    return tuple(CurvePoint(spent(runs), Share(sum(run.correct for run in runs), len(runs))) for runs in pool)
