"""Solved tasks against the tokens spent up to then."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...traces.metrics.share import Share


@dataclass(frozen=True, slots=True)
class Step:
    """What was known of a task after one of its attempts.

    Attributes:
        task_id: the task's id.
        attempt: the attempt's number, from 1.
        tokens: of the task's run up to then, read and written.
        solved: the best answer up to then is solved, by the scorer; None if the scorer could not judge it, which a
            later call asks again.
    """

    task_id: str
    attempt: int
    tokens: int
    solved: bool | None


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """How many of all tasks were solved when so many tokens had been spent.

    `solved.interval` is the band around the curve: at each point the 95 % interval of the share (Wilson 1927). It holds
    for that point alone, not for the whole curve at once.

    Attributes:
        tokens: of all tasks together, read and written.
        solved: of all tasks; those without an attempt up to then are not solved.
    """

    tokens: int
    solved: Share


def curve_of(steps: Iterable[Step], tasks: int) -> tuple[CurvePoint, ...]:
    """The point after each attempt.

    Args:
        steps: in the order in which the attempts were made.
        tasks: how many there are.
    """
    spent: dict[str, int] = {}
    solved: set[str] = set()
    tokens = 0
    points: list[CurvePoint] = []
    for step in steps:
        tokens += step.tokens - spent.get(step.task_id, 0)
        spent[step.task_id] = step.tokens
        (solved.add if step.solved else solved.discard)(step.task_id)
        points.append(CurvePoint(tokens, Share(len(solved), tasks)))
    return tuple(points)
