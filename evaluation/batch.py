"""A dataset through a reflection loop."""

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
    """Solve tasks with a reflection loop, some at a time.

    Args:
        model: the actor.
        tasks: what to solve; the visible tests verify, and the hidden ones score what comes out. A task without any is
            answered unverified. Each is taken when its turn comes, but for all at once where they are saved.
        mode: of reflection.
        critic: see `create_reflection_graph`.
        memory: of failures, shared by all tasks.
        save: see `arun_many`, also for what is returned.
        concurrency: tasks at the same time.
        max_attempts: attempts a task.
        on_result: told of each task that ends; not of those that were done before.

    Raises:
        RunFileError: `save` holds results that cannot be read, or of another mode, model or critic.
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
