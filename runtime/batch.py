"""Many tasks through one graph: concurrent, saved as they end, and resumed where they were interrupted."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from langchain_core.language_models import BaseChatModel

from ..graphs.reflection import create_reflection_graph
from ..nodes.lessons import Memory
from ..nodes.messages import NO_USAGE
from ..tools.python_tests import PythonTests
from ..trace.context_graph import ContextGraph
from ..trace.errors import RunFileError
from .datasets import CodingTask

_RESULTS = "results.jsonl"
_UNFINISHED = ("model_unavailable", "error")


@dataclass(frozen=True, slots=True)
class TaskResult:
    """How one task of a batch ended; `seconds` is wall time, `attempts` a short line for each.

    A task that raised (its tests check nothing, the model refuses the request) ends with the stop kind `"error"`.
    """

    task_id: str
    verdict: str
    stop_reason: dict[str, Any]
    answer: str
    attempts: list[dict[str, Any]]
    usage: dict[str, int]
    seconds: float
    run_file: str


async def solve_many(
    model: BaseChatModel,
    tasks: Sequence[CodingTask],
    *,
    mode: str = "external_loop",
    critic: BaseChatModel | None = None,
    memory: Memory | None = None,
    save: Path | None = None,
    concurrency: int = 4,
    max_iterations: int = 3,
    on_result: Callable[[TaskResult], None] | None = None,
) -> list[TaskResult]:
    """Solve tasks with a reflection loop, some at a time.

    Args:
        model: the actor.
        tasks: what to solve; the visible tests verify. A task without any is answered unverified.
        mode: of reflection.
        critic: see `create_reflection_graph`.
        memory: of failures, shared by all tasks.
        save: a folder for `results.jsonl` (a line a task, written as it ends) and the run of each task. Tasks that
            have a line there already are not solved again.
        concurrency: tasks at the same time.
        max_iterations: attempts a task.
        on_result: told of each task that ends; not of those that were done before.

    Returns:
        Results in the order of `tasks`, earlier ones included.

    Raises:
        RunFileError: `save` holds results that cannot be read.
    """
    done = _done(save) if save else {}
    options: dict[str, Any] = {"critic": critic, "memory": memory, "max_iterations": max_iterations}
    slots = asyncio.Semaphore(concurrency)

    async def solved(task: CodingTask) -> None:
        async with slots:
            try:
                result = await _solve(model, task, save, mode, options)
            except Exception as problem:  # noqa: BLE001 - one task must not take the others with it
                stop = {"kind": "error", "value": f"{type(problem).__name__}: {problem}"[:500], "limit": None}
                result = TaskResult(
                    task.task_id, "unverified", stop, "", [], cast("dict[str, int]", dict(NO_USAGE)), 0.0, ""
                )
        done[task.task_id] = result
        if save:
            with (save / _RESULTS).open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(result)) + "\n")
        if on_result:
            on_result(result)

    async with asyncio.TaskGroup() as group:
        for task in tasks:
            if task.task_id not in done:
                group.create_task(solved(task))
    return [done[task.task_id] for task in tasks]


async def _solve(
    model: BaseChatModel, task: CodingTask, save: Path | None, mode: str, options: dict[str, Any]
) -> TaskResult:
    verifier = PythonTests(task.visible_tests, entry_point=task.entry_point or None) if task.visible_tests else None
    graph = create_reflection_graph(mode, actor=model, verifier=verifier, **options)
    started = time.perf_counter()
    result = await graph.ainvoke({"task": task.prompt})
    run_file = ""
    if save:
        run_file = f"{re.sub(r'[^A-Za-z0-9._-]', '_', task.task_id)[:100]}.jsonl"
        ContextGraph.from_run(result).save(save / run_file)
    attempts = [
        {key: attempt[key] for key in ("strategy", "verdict", "score", "kind", "feedback")}
        for attempt in result["attempts"]
    ]
    seconds = round(time.perf_counter() - started, 2)
    return TaskResult(
        task.task_id,
        result["verdict"],
        dict(result["stop_reason"]),
        result["answer"],
        attempts,
        dict(result["usage"]),
        seconds,
        run_file,
    )


def _done(save: Path) -> dict[str, TaskResult]:
    save.mkdir(parents=True, exist_ok=True)
    path = save / _RESULTS
    if not path.exists():
        return {}
    lines = path.read_text(encoding="utf-8").rstrip("\n").split("\n")
    results: list[TaskResult] = []
    for number, line in enumerate(lines, 1):
        try:
            results.append(TaskResult(**json.loads(line)))
        except (ValueError, TypeError) as problem:
            if number == len(lines):
                # The line that was being written when the run was interrupted; its task is solved again.
                path.write_text("".join(f"{whole}\n" for whole in lines[:-1]), encoding="utf-8")
                break
            raise RunFileError(f"{path}, line {number}: {problem}. Choose another folder, or mend the line.") from None
    # What failed for want of a model, or by an error, is tried again.
    return {result.task_id: result for result in results if result.stop_reason["kind"] not in _UNFINISHED}
