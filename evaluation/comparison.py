"""The results of comparing reflection modes: numbers per condition, and contrasts between two conditions."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from ..traces.metrics.run import MetricsSummary, RunMetrics, summarize
from ..traces.metrics.share import Share, sign_test

_SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """One task under one condition.

    Attributes:
        task_id: the task's id.
        level: its difficulty; "" if unknown.
        accepted: a user would have accepted the answer: the visible tests passed, or without them a model accepted it.
        correct: visible and hidden tests passed.
        first_correct: visible and hidden tests passed for the first attempt's answer.
        score: the best attempt's score by the visible tests or the critic, 0 to 1.
        seconds: wall time of the task while other tasks ran at the same time.
        problem: why the task could not be run; "" if it could.
        metrics: of the run, or of every sample to choose from.
    """

    task_id: str
    level: str
    accepted: bool
    correct: bool
    first_correct: bool
    score: float
    seconds: float
    problem: str
    metrics: tuple[RunMetrics, ...]

    @property
    def tokens(self) -> int:
        """Tokens read and written by all models."""
        return sum(run.tokens for run in self.metrics)


@dataclass(frozen=True, slots=True)
class ConditionResult:
    """Every task under one condition.

    Attributes:
        title: the condition's name.
        runs: one per task, in the order of the tasks.
        verified: the visible tests stopped the runs; otherwise a model's judgment did.
        against: titles of the conditions to compare it with.
    """

    title: str
    runs: tuple[ScoredRun, ...]
    verified: bool = True
    against: tuple[str, ...] = ()

    @property
    def solved(self) -> Share:
        """Tasks whose answer passed visible and hidden tests."""
        return Share(sum(run.correct for run in self.runs), len(self.runs))

    @property
    def accepted(self) -> int:
        """The number of answers that a user would have accepted."""
        return sum(run.accepted for run in self.runs)

    @property
    def false_accepts(self) -> int:
        """The number of wrong answers that a user would have accepted."""
        return sum(run.accepted and not run.correct for run in self.runs)

    @property
    def after_failure(self) -> Share:
        """Of the tasks whose first answer was wrong, those that were solved in the end."""
        wrong = [run for run in self.runs if not run.first_correct]
        return Share(sum(run.correct for run in wrong), len(wrong))

    @property
    def attempts(self) -> float:
        """Attempts per task."""
        return statistics.mean(sum(run.attempts for run in scored.metrics) for scored in self.runs)

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
        return summarize(run for scored in self.runs for run in scored.metrics)

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


@dataclass(frozen=True, slots=True)
class Comparison:
    """The same tasks under several conditions; the first condition is one shot.

    Attributes:
        conditions: modes and controls.
        max_attempts: the most attempts a mode had per task.
        skipped: the tasks left out, and why.
        unhidden: how many tasks have no hidden tests, which would show a false accept.
    """

    conditions: tuple[ConditionResult, ...]
    max_attempts: int
    skipped: dict[str, str]
    unhidden: int = 0

    @property
    def one_shot(self) -> ConditionResult:
        """One attempt per task: the baseline for every other condition."""
        return self.conditions[0]

    @property
    def tasks(self) -> int:
        """How many tasks were compared."""
        return len(self.one_shot.runs)

    def __getitem__(self, title: str) -> ConditionResult:
        """The condition with this title.

        Raises:
            KeyError: no condition has it; the message lists the titles.
        """
        titles = [condition.title for condition in self.conditions]
        if title not in titles:
            raise KeyError(f"{title!r}: the conditions are {titles}")
        return self.conditions[titles.index(title)]

    def contrasts(self) -> list[Contrast]:
        """Contrasts of each condition with one shot and with its controls at equal cost."""
        return [contrast(condition, self[title]) for condition in self.conditions for title in condition.against]

    def __str__(self) -> str:
        lines = [f"{condition.title:40}{condition.solved}" for condition in self.conditions]
        return "\n".join([*lines, *map(str, self.contrasts())])


def short(title: str) -> str:
    """A condition's title without the part in brackets."""
    return title.split(" (")[0]


def contrast(one: ConditionResult, other: ConditionResult) -> Contrast:
    """Contrast two conditions over the same tasks."""
    fixed, broken = one.changes(other)
    overlap = one.solved.overlaps(other.solved)
    return Contrast(one.title, other.title, fixed, broken, overlap, sign_test(fixed, broken))
