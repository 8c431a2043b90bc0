"""Runs many tasks, each through its own graph: concurrently, saved as they end, and resumable."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from .._internal.redact import redacted
from ..errors import RunFileError
from ..graphs.reflection.create import ReflectionGraph, create_reflection_graph
from ..memory.lessons import Memory
from ..models.messages import NO_USAGE
from ..models.named import model_name
from ..models.thought import ChatModel
from ..nodes.reflection.loop import DEFAULT_ATTEMPTS
from ..traces.context_graph import ContextGraph
from .datasets import Task
from .judges import Judges, Score, Scorer, ascore
from .results import ATTEMPTS, RESULTS, SETTINGS, TaskResult, add_result, check_settings, known_results

Build = Callable[[Task], ReflectionGraph]
_KEPT = ("strategy", "model", "verdict", "score", "kind", "failed_on", "feedback")
ScorerOf = Callable[[Task], Scorer | None]


async def asolve_many(
    model: ChatModel | Sequence[ChatModel],
    tasks: Iterable[Task],
    *,
    mode: str = "external_loop",
    critic: ChatModel | None = None,
    memory: Memory | None = None,
    save: str | Path | None = None,
    concurrency: int = 4,
    max_attempts: int = DEFAULT_ATTEMPTS,
    on_result: Callable[[TaskResult], None] | None = None,
) -> list[TaskResult]:
    """Solve tasks with a reflection loop, several at a time.

    Args:
        model: the actor; or several, a cascade, see `create_reflection_graph`.
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
        ValueError: `concurrency` is below 1, or the mode, the models or `max_attempts` are none for a loop.
    """
    # Fail on settings that cannot be before the first task.
    create_reflection_graph(mode, actor=model, critic=critic, max_attempts=max_attempts)
    if save:
        tasks = list(tasks)
        judge = model_name(critic) if critic else None
        names = [model_name(one) for one in (model if isinstance(model, (list, tuple)) else [model])]
        settings = {
            "mode": mode,
            "model": names[0] if len(names) == 1 else names,
            "critic": judge,
            "max_attempts": max_attempts,
        }
        check_settings(Path(save), settings, tasks)

    def build(task: Task) -> ReflectionGraph:
        return create_reflection_graph(
            mode,
            actor=model,
            critic=critic,
            verifier=Judges().verifier_of(task),
            memory=memory,
            max_attempts=max_attempts,
        )

    return await arun_many(build, tasks, save=save, concurrency=concurrency, on_result=on_result)


async def arun_many(
    build: Build,
    tasks: Iterable[Task],
    *,
    scorer_of: ScorerOf | None = None,
    save: str | Path | None = None,
    concurrency: int = 4,
    on_result: Callable[[TaskResult], None] | None = None,
) -> list[TaskResult]:
    """Run tasks, several at a time, and score their answers.

    The scorer runs after the loop: nothing of hidden tests gets into a prompt or into the saved run.

    Args:
        build: builds the graph for a task.
        tasks: what to solve; read one by one as needed, so a long generator is never in memory whole.
        scorer_of: gives a task's scorer, or None to let the loop's verdict count; by default the hidden tests score.
        save: a folder for `results.jsonl` (one line per task, written as it ends) and each task's run. A task that
            already has a line there is not run again, but is scored if it never was or could not be; its last line
            counts.
        concurrency: tasks to run at the same time.
        on_result: called with each task's result when it ends, but not for tasks finished in an earlier call.

    Returns:
        Results in the order of `tasks`, earlier ones included.

    Raises:
        RunFileError: the results in `save` cannot be read.
        ValueError: `concurrency` is below 1.
    """
    if concurrency < 1:
        raise ValueError(f"concurrency must be at least 1, got {concurrency}")
    folder = Path(save) if save else None
    done = known_results(folder) if folder else {}
    results: dict[int, TaskResult] = {}
    waiting = named_tasks(tasks)
    batch = _Batch(build, scorer_of or Judges().scorer_of, folder)

    async def work() -> None:
        for number, task, name in waiting:
            known = done.get(task.task_id)
            results[number] = result = await batch.result(task, name, known)
            if on_result and result != known:
                on_result(result)

    async with asyncio.TaskGroup() as group:
        for _ in range(concurrency):
            group.create_task(work())
    return [results[number] for number in sorted(results)]


class _Batch:
    def __init__(self, build: Build, scorer_of: ScorerOf, folder: Path | None) -> None:
        self._build = build
        self._scorer_of = scorer_of
        self._folder = folder

    async def result(self, task: Task, name: str, known: TaskResult | None) -> TaskResult:
        """Run and score a task, and note the result next to its run. An error in one task must not end the others."""
        result, first = known, None
        has_scorer = bool(task.hidden_tests)
        try:
            # Find unreadable tests before the loop, which may take long.
            scorer = self._scorer_of(task)
            has_scorer = scorer is not None
            if known and (scorer is None or known.is_scored):
                return known
            if result is None:
                result, first = await self._solved(task, name)
            elif self._folder:
                first = first_answer(self._folder / result.run_file)
            if scorer is not None:
                result = await scored_result(partial(ascore, scorer, task), result, first)
            return result
        except Exception as problem:  # noqa: BLE001
            result = broken_result(task, problem, has_scorer)
            return result
        finally:
            # Keep the answer even if an interrupt comes while it is scored.
            if self._folder and result and result != known:
                add_result(self._folder, result)

    async def _solved(self, task: Task, name: str) -> tuple[TaskResult, str | None]:
        """The result, and the first attempt's answer."""
        graph = self._build(task)
        started = time.perf_counter()
        result = await graph.ainvoke({"task": task.prompt})
        if self._folder:
            ContextGraph.from_run(result).save(self._folder / name)
        seconds = round(time.perf_counter() - started, 2)
        ended = task_result(task, result, seconds, name if self._folder else "")
        return ended, result["attempts"][0]["answer"] if result["attempts"] else None


def task_result(task: Task, ended: Mapping[str, Any], seconds: float, run_file: str) -> TaskResult:
    """What is kept of what a graph returned; not scored yet."""
    attempts = [{key: attempt[key] for key in _KEPT if key in attempt} for attempt in ended["attempts"]]
    return TaskResult(
        task.task_id,
        ended["verdict"],
        dict(ended["stop_reason"]),
        ended["answer"],
        attempts,
        dict(ended["usage"]),
        seconds,
        run_file,
    )


def broken_result(task: Task, problem: Exception, has_scorer: bool) -> TaskResult:
    """The result of a task that raised."""
    stop = {"kind": "error", "value": redacted(f"{type(problem).__name__}: {problem}")[:500], "limit": None}
    usage: dict[str, Any] = {**NO_USAGE}
    scored = "unverified" if has_scorer else ""
    return TaskResult(task.task_id, "unverified", stop, "", [], usage, 0.0, "", scored, scored)


async def scored_result(ask: Callable[[str], Awaitable[Score]], result: TaskResult, first: str | None) -> TaskResult:
    """The result with the scorer's verdicts on the final and on the first answer."""
    final = start = await ask(result.answer) if result.answer else None
    if first != result.answer:
        start = await ask(first) if first else None
    return replace(
        result,
        scored=final.status if final else result.verdict,
        first_scored=start.status if start else "failed",
        score=final.points if final else None,
        scoring=final.reason if final else "",
    )


def first_answer(file: Path) -> str | None:
    """The first attempt's answer in a saved run; None if there is none."""
    try:
        events = ContextGraph.from_run(file).events
    except (RunFileError, OSError):
        return None
    return next((str(event["data"].get("answer") or "") for event in events if event["kind"] == "attempt"), None)


def named_tasks(tasks: Iterable[Task]) -> Iterator[tuple[int, Task, str]]:
    """Yield each task with its number and a unique file name for its run, made from the id as file systems allow."""
    taken = {Path(name).stem for name in (RESULTS, SETTINGS, ATTEMPTS)}
    for place, task in enumerate(tasks):
        stem = name = re.sub(r"[^A-Za-z0-9._-]", "_", task.task_id)[:100]
        number = 1
        # Many file systems ignore case.
        while name.lower() in taken:
            number += 1
            name = f"{stem}-{number}"
        taken.add(name.lower())
        yield place, task, f"{name}.jsonl"
