"""A task that shares its budget with others, and how far it has come."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..datasets import Task
from ..judges import Score, Scorer, ascore
from ..results import TaskResult
from .held import HeldRun, Standing
from .limits import BudgetLimits


@dataclass(slots=True)
class Work:
    """A task, how far its run has come, and what is known of its answers.

    Attributes:
        task: the task.
        name: of the run's file.
        known: its result in an earlier call; None without one.
        run: its run; None if the result of an earlier call stays.
        scorer: judges its answers; None if the loop's own verdict does.
        standing: of the run.
        seconds: that its attempts took, those of earlier calls included.
        noted: the number of its last attempt that has a line in `attempts.jsonl`.
        noted_tokens: of the run, up to that attempt.
        under_way: an attempt is being made now.
        result: how the task ended; None before.
        scores: the scorer's judgments, by the answers.
    """

    task: Task
    name: str
    known: TaskResult | None
    run: HeldRun | None = None
    scorer: Scorer | None = None
    standing: Standing = field(default_factory=Standing)
    seconds: float = 0.0
    noted: int = 0
    noted_tokens: int = 0
    under_way: bool = False
    result: TaskResult | None = None
    scores: dict[str, Score] = field(default_factory=dict[str, Score])

    @property
    def is_begun(self) -> bool:
        """An earlier call was interrupted in the middle of an attempt, and a part of that is paid."""
        return self.standing.tokens > self.noted_tokens

    async def ask(self, answer: str) -> Score:
        """The scorer's judgment, asked for once an answer."""
        assert self.scorer is not None
        if answer not in self.scores:
            self.scores[answer] = await ascore(self.scorer, self.task, answer)
        return self.scores[answer]

    def is_open(self, limits: BudgetLimits) -> bool:
        """The task may get a further attempt."""
        done = self.result is not None or self.standing.ended
        return not done and self.standing.attempts < limits.max_attempts
