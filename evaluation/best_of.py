"""The control at equal cost: the best of N independent samples, chosen by the verifier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..traces.metrics.share import Share
from .budget.curve import CurvePoint
from .scored import ConditionResult, ScoredRun, short

Samples = Sequence[ScoredRun]
"""One sample of every task."""


def best_of(pool: Sequence[Samples], count: int) -> tuple[ScoredRun, ...]:
    """Each task's best of its first `count` samples by the verifier; the earliest wins a tie."""
    chosen: list[ScoredRun] = []
    for samples in zip(*pool[:count], strict=True):
        best = max(samples, key=lambda run: (run.accepted, run.loop_score))
        chosen.append(
            replace(
                best,
                first_scored=samples[0].scored,
                seconds=sum(run.seconds for run in samples),
                metrics=tuple(metrics for run in samples for metrics in run.metrics),
            )
        )
    return tuple(chosen)


def spent(pool: Sequence[Samples]) -> int:
    """Tokens of all samples, read and written."""
    return sum(run.tokens for samples in pool for run in samples)


def curve(pool: Sequence[Samples]) -> tuple[CurvePoint, ...]:
    """The tasks that the best of 1, 2, … samples solves, against what these samples spent."""
    points: list[CurvePoint] = []
    for count in range(1, len(pool) + 1):
        best = best_of(pool, count)
        points.append(CurvePoint(spent(pool[:count]), Share(sum(run.correct for run in best), len(best))))
    return tuple(points)


def affordable(pool: Sequence[Samples], tokens: int) -> int:
    """The smallest number of samples that together spend at least `tokens`; all samples if they spend less.

    Also all samples if `tokens` is 0, as when the provider reports none.
    """
    if not tokens:
        return len(pool)
    return next((count for count in range(1, len(pool)) if spent(pool[:count]) >= tokens), len(pool))


def with_best_of(results: Sequence[ConditionResult], pool: Sequence[Samples]) -> list[ConditionResult]:
    """The conditions, with a control at equal cost for each whose runs the verifier stopped.

    The control spends at least as many tokens as the condition.

    Args:
        results: the conditions; the first is one shot, which gets no control.
        pool: samples of the tasks, shared by all controls.
    """
    held = [results[0]]
    controls: dict[str, ConditionResult] = {}
    for result in results[1:]:
        if not result.verified:
            held.append(result)
            continue
        count = affordable(pool, result.tokens)
        starved = spent(pool[:count]) < result.tokens
        sharing = (
            ""
            if starved
            else ", ".join(
                short(other.title)
                for other in results[1:]
                if other.verified and affordable(pool, other.tokens) == count and other.tokens <= spent(pool[:count])
            )
        )
        paid = f"all there are, < tokens of {result.title}" if starved else f"≥ tokens of {sharing}"
        control = ConditionResult(f"best of {count} ({paid})", best_of(pool, count), curve=curve(pool[:count]))
        controls[control.title] = control
        held.append(replace(result, against=(*result.against, control.title)))
    return [*held, *controls.values()]
