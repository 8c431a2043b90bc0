"""What tasks came to under a condition: numbers of runs and of conditions, and contrasts between two conditions."""

from __future__ import annotations

import re
import statistics
from dataclasses import dataclass
from typing import Literal

from ..traces.metrics.run import MetricsSummary, RunMetrics, summarize
from ..traces.metrics.share import Share, sign_test
from .budget.curve import CurvePoint

Change = Literal["fixed", "broken", ""]
_CHANGES: dict[tuple[str, str], Change] = {("failed", "passed"): "fixed", ("passed", "failed"): "broken"}
_SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """One task under one condition.

    Attributes:
        task_id: the task's id.
        level: its difficulty; "" if unknown.
        accepted: a user would have accepted the answer: the verifier passed it, or without one a model accepted it.
        verdict: the loop's own verdict.
        scored: the scorer's verdict on the answer; the loop's without a scorer.
        first_scored: the same of the first attempt's answer.
        score: the answer's points from 0 to 1, by whoever gave `scored`; None if nothing could judge it.
        stop: the kind of the stop reason.
        seconds: wall time of the task while other tasks ran at the same time.
        problem: why the task could not be run; "" if it could.
        unjudged: why nothing could judge the answer, neither the scorer nor, without one, the verifier; "" if it was
            judged.
        metrics: of the run.
        unverified: why the verifier could not judge an attempt, of which the loop learned nothing; "" if it could.
        unread: why the run's file cannot be read, so that the metrics are what the result's line says; "" if it can.
    """

    task_id: str
    level: str
    accepted: bool
    verdict: str
    scored: str
    first_scored: str
    score: float | None
    stop: str
    seconds: float
    problem: str
    unjudged: str
    metrics: RunMetrics
    unverified: str = ""
    unread: str = ""

    @property
    def correct(self) -> bool:
        """The answer is solved; one that nothing could judge is not."""
        return self.scored == "passed"

    @property
    def first_correct(self) -> bool:
        """The first attempt's answer is solved."""
        return self.first_scored == "passed"

    @property
    def change(self) -> Change:
        """From the first attempt to the final answer: `"fixed"` if only the latter is right, `"broken"` if only the
        former is, else ""; also "" if one of the two could not be judged.
        """
        return _CHANGES.get((self.first_scored, self.scored), "")

    @property
    def tokens(self) -> int:
        """Tokens read and written by all models."""
        return self.metrics.tokens


@dataclass(frozen=True, slots=True)
class ConditionResult:
    """Every task under one condition.

    Attributes:
        title: the condition's name.
        runs: one per task, in the order of the tasks.
        verified: the verifier stopped the runs; otherwise a model's judgment did.
        against: titles of the conditions to compare it with.
        model: the actor's name; of a cascade all of them, with arrows between.
        cascade: the names of a cascade's models; else empty.
        curve: solved tasks against tokens: after each attempt under one budget for all tasks, and after
            each N up to that of the best of N; else empty.
        max_tokens: the budget that all tasks shared; None for none.
        max_cost: likewise in dollars.
    """

    title: str
    runs: tuple[ScoredRun, ...]
    verified: bool = True
    against: tuple[str, ...] = ()
    model: str = ""
    cascade: tuple[str, ...] = ()
    curve: tuple[CurvePoint, ...] = ()
    max_tokens: int | None = None
    max_cost: float | None = None

    @property
    def solved(self) -> Share:
        """Tasks whose answer the scorer passed."""
        return Share(sum(run.correct for run in self.runs), len(self.runs))

    @property
    def accepted(self) -> int:
        """The number of answers that a user would have accepted."""
        return sum(run.accepted for run in self.runs)

    @property
    def false_accepts(self) -> int:
        """The number of wrong answers that a user would have accepted."""
        return sum(run.accepted and run.scored == "failed" for run in self.runs)

    @property
    def after_failure(self) -> Share:
        """Of the tasks whose first answer was wrong, those that were solved in the end."""
        wrong = [run for run in self.runs if run.first_scored == "failed"]
        return Share(sum(run.correct for run in wrong), len(wrong))

    @property
    def changed(self) -> tuple[int, int]:
        """`(fixed, broken)`: tasks whose first answer was wrong and the final one is right, and the other way round."""
        changes = [run.change for run in self.runs]
        return changes.count("fixed"), changes.count("broken")

    @property
    def unjudged(self) -> dict[str, str]:
        """Tasks whose answer nothing could judge, and why; they are not solved."""
        return {run.task_id: run.unjudged for run in self.runs if run.unjudged}

    @property
    def unverified(self) -> dict[str, str]:
        """Tasks of which the verifier could not judge an attempt, and why."""
        return {run.task_id: run.unverified for run in self.runs if run.unverified}

    @property
    def unread(self) -> dict[str, str]:
        """Tasks whose run's file cannot be read, and why."""
        return {run.task_id: run.unread for run in self.runs if run.unread}

    @property
    def attempts(self) -> float:
        """Attempts per task."""
        return statistics.mean(run.metrics.attempts for run in self.runs)

    @property
    def tokens(self) -> int:
        """Tokens read and written by all models, over all tasks."""
        return sum(run.tokens for run in self.runs)

    @property
    def tokens_per_solved(self) -> float | None:
        """Tokens read and written over all tasks, per solved task; None if none was solved."""
        return self.tokens / self.solved.count if self.solved.count else None

    @property
    def seconds(self) -> float:
        """Wall time per task; includes the time that concurrent tasks wait for each other."""
        return statistics.mean(run.seconds for run in self.runs)

    @property
    def problems(self) -> dict[str, str]:
        """Tasks that could not be run, and why."""
        return {run.task_id: run.problem for run in self.runs if run.problem}

    @property
    def metrics(self) -> MetricsSummary:
        """Metrics over all runs, by the runs' own verdicts."""
        return summarize(run.metrics for run in self.runs)

    def changes(self, other: ConditionResult) -> tuple[int, int]:
        """`(fixed, broken)`: how many tasks only this condition solves, and how many only the other solves."""
        before = {run.task_id: run.correct for run in other.runs}
        fixed = sum(run.correct and not before[run.task_id] for run in self.runs)
        return fixed, sum(before[run.task_id] and not run.correct for run in self.runs)


@dataclass(frozen=True, slots=True)
class Contrast:
    """Two conditions over the same tasks.

    Attributes:
        title: the first condition's title.
        against: the second condition's title.
        fixed: tasks that only the first solves.
        broken: tasks that only the second solves.
        overlap: whether the intervals of the two shares overlap.
        p_value: of the sign test on `fixed` and `broken`.
    """

    title: str
    against: str
    fixed: int
    broken: int
    overlap: bool
    p_value: float

    @property
    def told_apart(self) -> bool:
        """There are enough tasks to say that one of the two solves more."""
        return not self.overlap or self.p_value < _SIGNIFICANT

    def __str__(self) -> str:
        change = f"{short(self.title)} against {short(self.against)}: +{self.fixed} −{self.broken}"
        if not self.told_apart:
            return f"{change}, the intervals overlap: n is too small to tell them apart (p = {self.p_value:.2g})"
        what = "solves more" if self.fixed > self.broken else "solves less"
        intervals = "the intervals overlap, but the tasks are the same" if self.overlap else "no overlap"
        return f"{change}, {what} ({intervals}, p = {self.p_value:.2g})"


def short(title: str) -> str:
    """A condition's title without what a control has in brackets; a model or a mode may have brackets in its name."""
    return re.sub(r"(retry only|best of \d+) \(.*\)$", r"\1", title)


def contrast(one: ConditionResult, other: ConditionResult) -> Contrast:
    """Contrast two conditions over the same tasks."""
    fixed, broken = one.changes(other)
    overlap = one.solved.overlaps(other.solved)
    return Contrast(one.title, other.title, fixed, broken, overlap, sign_test(fixed, broken))
