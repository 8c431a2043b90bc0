"""Runs many tasks, each through its own graph: concurrently, saved as they end, and resumable."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing, nullcontext
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, cast

from .._internal.atomic import local_path
from .._internal.numbers import whole_number
from ..errors import DatasetError
from ..memory.lessons import Memory
from ..models.named import as_model
from ..models.thought import ChatModel
from ..nodes.reflection.loop import check_critic
from ..nodes.reflection_defaults import DEFAULT_ATTEMPTS
from .backends.loop import Backend, Loop, Models, Solve, Workers, named_models, options_of, spoken_name
from .backends.meter import Meter, this_process
from .backends.single import Build, ScorerOf, SingleRuns
from .conditions import Condition
from .datasets import Task, TaskSource, read_tasks
from .judges import Judges
from .results import ATTEMPTS, RESULTS, SETTINGS, TaskResult, check_settings, free_name, held_alone, known_results


async def asolve_many(
    model: ChatModel | str | Sequence[ChatModel | str],
    tasks: TaskSource,
    *,
    mode: str = "external_loop",
    critic: ChatModel | str | None = None,
    memory: Memory | None = None,
    save: str | Path | None = None,
    concurrency: int = 4,
    max_attempts: int = DEFAULT_ATTEMPTS,
    on_result: Callable[[TaskResult], None] | None = None,
    backend: Backend | None = None,
) -> list[TaskResult]:
    """Solve tasks with a reflection loop, several at a time.

    Args:
        model: the actor; or several, a cascade, see `create_reflection_graph`.
        tasks: what to solve: prompts, rows and `Task`s, or the path of a file of rows, as `load_tasks` takes them. The
            visible tests verify answers and the hidden ones score them; without any tests the answer is unverified.
            Tasks are read one by one as needed, but all at once with `save`.
        mode: the reflection mode.
        critic: see `create_reflection_graph`.
        memory: of failures, shared by all tasks.
        save: see `arun_many`, also for the results returned.
        concurrency: tasks to run at the same time in this process.
        max_attempts: attempts per task.
        on_result: called with each task's result when it ends, but not for tasks finished in an earlier call.
        backend: where the tasks run, such as `RayBackend`; by default in this process. Models are then given by name.

    Raises:
        BackendError: something cannot be sent to the backend's workers, or these cannot be started.
        DatasetError: a task is none, or with `save` two have the same id.
        RunFileError: the results in `save` cannot be read or written, belong to a different mode, model or critic, or
            another call is saving there.
        ValueError: `concurrency` is below 1, or the mode, the models or `max_attempts` are none for a loop.
    """
    folder = None if save is None else local_path(save)
    given = list(_with_unique_ids(read_tasks(tasks))) if folder else tasks
    loop = _checked(model, mode, critic, memory, max_attempts, backend)
    with held_alone(folder) if folder else nullcontext():
        if folder:
            check_settings(folder, _settings(loop, model, critic), cast("list[Task]", given))
        async with backend.open() if backend else nullcontext() as workers:
            return await arun_many(
                loop,
                given,
                scorer_of=loop.scorer_of,
                save=folder,
                concurrency=concurrency,
                on_result=on_result,
                workers=workers,
            )


async def astream_many(
    model: ChatModel | str | Sequence[ChatModel | str],
    tasks: TaskSource,
    *,
    mode: str = "external_loop",
    critic: ChatModel | str | None = None,
    save: str | Path | None = None,
    concurrency: int = 4,
    max_attempts: int = DEFAULT_ATTEMPTS,
    backend: Backend | None = None,
) -> AsyncGenerator[TaskResult]:
    """Solve tasks as `asolve_many` does, and yield each result when its task ends.

    Neither the tasks nor the results are kept: as many tasks are read as run at the same time, and no further one while
    nobody asks for a result. With `save`, the ids of the tasks are kept. Closing the iterator ends the runs.

    The arguments and the errors are those of `asolve_many`. `tasks` may be a generator of a million tasks. With `save`,
    nobody checks whether a task's text has changed since an earlier call.

    Yields:
        Results as they come, those of an earlier call included.

    Example:
        >>> async for result in astream_many("openai:gpt-4.1", rows()):  # doctest: +SKIP
        ...     print(result.task_id, result.verdict)
    """
    loop = _checked(model, mode, critic, None, max_attempts, backend)
    folder = None if save is None else local_path(save)
    if folder:
        check_settings(folder, _settings(loop, model, critic), ())
    async with backend.open() if backend else nullcontext() as workers:
        streamed = _streamed(loop, tasks, loop.scorer_of, folder, concurrency, workers)
        async with aclosing(streamed) as ended:
            async for _, result, _ in ended:
                yield result


def _checked(
    model: ChatModel | str | Sequence[ChatModel | str],
    mode: str,
    critic: ChatModel | str | None,
    memory: Memory | None,
    max_attempts: int,
    backend: Backend | None,
) -> Loop:
    """The loop for all tasks; settings that cannot work fail here, before the first task."""
    models = cast("Sequence[ChatModel | str]", model if isinstance(model, (list, tuple)) else [model])
    check_critic([mode], critic)
    loop = Loop(Condition(mode), tuple(models), critic, max_attempts, memory=memory)
    loop.check(sent=backend is not None)
    if backend is not None:
        loop.as_json()
        return loop
    opened = None if critic is None else as_model(critic, "critic")
    return replace(loop, models=tuple(as_model(one, "a model") for one in models), critic=opened)


def _settings(loop: Loop, given: Models, critic: ChatModel | str | None) -> dict[str, Any]:
    names = [spoken_name(one) for one in loop.models]
    return {
        "mode": loop.condition.mode,
        "model": names[0] if len(names) == 1 else names,
        "critic": spoken_name(loop.critic) if loop.critic else None,
        "max_attempts": loop.max_attempts,
        **({"memory": True} if loop.memory is not None else {}),
        **options_of(named_models(loop.models, opened=False), given, critic),
    }


async def arun_many(
    build: Build,
    tasks: TaskSource,
    *,
    scorer_of: ScorerOf | None = None,
    save: str | Path | None = None,
    concurrency: int = 4,
    on_result: Callable[[TaskResult], None] | None = None,
    workers: Workers | None = None,
) -> list[TaskResult]:
    """Run tasks, several at a time, and score their answers.

    The scorer runs after the loop: nothing of hidden tests gets into a prompt or into the saved run.

    Args:
        build: builds the graph for a task; a `Loop`, if there are workers.
        tasks: see `asolve_many`; read one by one as needed, so a long generator is never in memory whole.
        scorer_of: gives a task's scorer, or None to let the loop's verdict count; by default the hidden tests score.
        save: a folder for `results.jsonl` (one line per task, written as it ends) and each task's run. A task that
            already has a line there is not run again, but is scored if it never was or could not be; its last line
            counts.
        concurrency: tasks to run at the same time.
        on_result: called with each task's result when it ends, but not for tasks finished in an earlier call.
        workers: who runs the tasks instead of this process, and how many at the same time.

    Returns:
        Results in the order of `tasks`, earlier ones included.

    Raises:
        BackendError: the workers cannot build the loop.
        DatasetError: a task is none, or with `save` two have the same id.
        RunFileError: the results in `save` cannot be read or written.
        ValueError: `concurrency` is below 1.
    """
    results: dict[int, TaskResult] = {}
    folder = None if save is None else local_path(save)
    streamed = _streamed(build, tasks, scorer_of or Judges().scorer_of, folder, concurrency, workers)
    async with aclosing(streamed) as ended:
        async for number, result, known in ended:
            results[number] = result
            if on_result and result != known:
                on_result(result)
    return [results[number] for number in sorted(results)]


async def _streamed(
    build: Build,
    tasks: TaskSource,
    scorer_of: ScorerOf,
    folder: Path | None,
    concurrency: int,
    workers: Workers | None,
) -> AsyncGenerator[tuple[int, TaskResult, TaskResult | None]]:
    """Yield each task's number, its result, and that of an earlier call, as the tasks end."""
    concurrency = whole_number("concurrency", concurrency)
    done = known_results(folder) if folder else {}
    solve: Solve | None = None
    if workers is not None:
        solve, concurrency = await workers.solver(cast(Loop, build), folder), workers.places
    runs = SingleRuns(build, scorer_of, folder, solve=solve)
    meter = Meter(build.condition.mode if isinstance(build, Loop) else "")

    async def one(number: int, task: Task, name: str) -> tuple[int, TaskResult, TaskResult | None]:
        known = done.get(task.task_id)
        with nullcontext() if solve or known else meter.running(this_process()):
            result = await runs.result(task, name, known)
        if not known:
            meter.ended(result)
        return number, result, known

    ended: set[asyncio.Task[tuple[int, TaskResult, TaskResult | None]]] = set()
    under_way = set(ended)
    # Without a folder nothing has to be remembered of the tasks that have ended.
    read = read_tasks(tasks)
    unnamed = ((number, task, "") for number, task in enumerate(read))
    waiting = named_tasks(_with_unique_ids(read), done) if folder else unnamed
    try:
        for turn in chain(waiting, [None]):
            if turn:
                under_way.add(asyncio.create_task(one(*turn)))
            while len(under_way) >= (concurrency if turn else 1):
                ended, under_way = await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
                for task in ended:
                    yield task.result()
    finally:
        for task in under_way:
            task.cancel()
        # If several failed at once, only the first error is raised.
        await asyncio.gather(*ended, *under_way, return_exceptions=True)


def _with_unique_ids(tasks: Iterable[Task]) -> Iterator[Task]:
    """The tasks, checked one by one: results are kept by the tasks' ids, so no two may have the same.

    Raises:
        DatasetError: a task has the id of an earlier one.
    """
    seen: set[str] = set()
    for number, task in enumerate(tasks, 1):
        if task.task_id in seen:
            raise DatasetError(
                f'tasks, row {number}: the field "task_id" has the value {task.task_id!r}, as an earlier row has: '
                "results are saved by it, so give each task an id of its own",
                "tasks",
                number,
                "task_id",
            )
        seen.add(task.task_id)
        yield task


def named_tasks(tasks: Iterable[Task], known: Mapping[str, TaskResult]) -> Iterator[tuple[int, Task, str]]:
    """Yield each task with its number and a unique file name for its run, made from the id as file systems allow.

    Args:
        tasks: all of them.
        known: the results of an earlier call, by task, whose runs keep their files.
    """
    taken = {Path(name).stem for name in (RESULTS, SETTINGS, ATTEMPTS)}
    taken |= {Path(result.run_file).stem.lower() for result in known.values()}
    for place, task in enumerate(tasks):
        if task.task_id in known and (name := known[task.task_id].run_file):
            yield place, task, name
            continue
        stem = re.sub(r"[^A-Za-z0-9._-]", "_", task.task_id)[:100]
        # Many file systems ignore case.
        name = free_name(stem, lambda name: name.lower() in taken)
        taken.add(name.lower())
        yield place, task, f"{name}.jsonl"
