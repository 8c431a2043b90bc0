"""The conditions that a comparison can run."""

from __future__ import annotations

from dataclasses import dataclass

from ..graphs.reflection.create import ReflectionGraph, create_reflection_graph
from ..models.thought import ChatModel
from ..nodes.reflection.loop import RetryStrategy
from ..tools.python_tests import PythonTests
from ..tools.verdict import Verdict
from .datasets import CodingTask


@dataclass(frozen=True, slots=True)
class Condition:
    """A way to work on the tasks.

    Attributes:
        mode: as in `create_reflection_graph`.
        strategies: how the loop tries again; None for the mode's default.
        verify: True: the visible tests judge the answers. False: only the critic or the evaluator does; it and the
            actor read the tests, but nothing runs them.

    Raises:
        ValueError: `external_loop` without its verifier; that would be one unverified attempt.
    """

    mode: str
    strategies: tuple[RetryStrategy, ...] | None = None
    verify: bool = True

    def __post_init__(self) -> None:
        if self.mode == "external_loop" and not self.verify:
            raise ValueError("external_loop judges by its verifier alone: only other modes can go without it")

    @property
    def title(self) -> str:
        """The condition's name in tables."""
        if self == RETRY_ONLY:
            return "retry only (external_loop)"
        how = f": {' → '.join(self.strategies)}" if self.strategies else ""
        return f"{self.mode}{how}{'' if self.verify else ', self-judged'}"


RETRY_ONLY = Condition("external_loop", ("fresh",))
"""The external loop with its default strategy: new attempts that see nothing of the failed ones. Also a control."""


class ShownTests:
    """Tests that the models read but nothing runs."""

    def __init__(self, tests: PythonTests) -> None:
        self.instructions = tests.instructions
        self.criteria = tests.criteria
        self.parse = tests.parse

    def __call__(self, task: str, answer: str) -> Verdict:
        """Leave the judgment to a model."""
        return Verdict("unverified", "Nothing has run the answer.")


def condition_of(mode: str | Condition) -> Condition:
    """The condition that a mode's name stands for; a condition is returned as it is."""
    if isinstance(mode, Condition):
        return mode
    return RETRY_ONLY if mode == RETRY_ONLY.mode else Condition(mode)


def graph_of(
    condition: Condition, actor: ChatModel, critic: ChatModel | None, max_attempts: int, task: CodingTask | None
) -> ReflectionGraph:
    """Build a condition's loop for a task; without a task, only to check that the condition can be built.

    Raises:
        ValueError: the mode is unknown, a number is below 1, or the task's visible tests check nothing.
    """
    tests = tests_of(task.visible_tests, task) if task and task.visible_tests else None
    return create_reflection_graph(
        condition.mode,
        actor=actor,
        critic=critic,
        verifier=ShownTests(tests) if tests and not condition.verify else tests,
        max_attempts=max_attempts,
        strategies=condition.strategies,
    )


def tests_of(tests: str, task: CodingTask) -> PythonTests:
    """Make a verifier from some of a task's tests.

    Raises:
        ValueError: the tests check nothing, or cannot be read.
    """
    return PythonTests(tests, entry_point=task.entry_point or None)
