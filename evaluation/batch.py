"""Runs a dataset through a reflection loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from langchain_core.language_models import BaseChatModel

from ..graphs.reflection.create import ReflectionGraph, create_reflection_graph
from ..memory.lessons import Memory
from .conditions import tests_of
from .datasets import CodingTask
from .many import TaskResult, arun_many, check_settings, model_name


async def asolve_many(
    model: BaseChatModel,
    tasks: Iterable[CodingTask],
    *,
    mode: str = "external_loop",
    critic: BaseChatModel | None = None,
    memory: Memory | None = None,
    save: Path | None = None,
    concurrency: int = 4,
    max_attempts: int = 3,
    on_result: Callable[[TaskResult], None] | None = None,
) -> list[TaskResult]:
    """Solve tasks with a reflection loop, several at a time.

    Args:
        model: the actor.
        tasks: what to solve. The visible tests verify answers and the hidden ones score them; without any tests the
            answer is unverified. Tasks are read one by one as needed, but all at once with `save`.
        mode: the reflection mode.
        critic: see `create_reflection_graph`.
        memory: of failures, shared by all tasks.
        save: see `arun_many`, also for the results returned.
        concurrency: tasks to run at the same time.
        max_attempts: attempts per task.
        on_result: called with each task's result when it ends, but not for tasks finished in an earlier call.

    Raises:
        RunFileError: the results in `save` cannot be read, or belong to a different mode, model or critic.
        ValueError: `concurrency` is below 1.
    """
    if save:
        tasks = list(tasks)
        judge = model_name(critic) if critic else None
        settings = {"mode": mode, "model": model_name(model), "critic": judge, "max_attempts": max_attempts}
        check_settings(save, settings, tasks)

    def build(task: CodingTask) -> ReflectionGraph:
        tests = tests_of(task.visible_tests, task) if task.visible_tests else None
        return create_reflection_graph(
            mode, actor=model, critic=critic, verifier=tests, memory=memory, max_attempts=max_attempts
        )

    return await arun_many(build, tasks, save=save, concurrency=concurrency, on_result=on_result)
