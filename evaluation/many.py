"""Runs many tasks, each through its own graph: concurrently, saved as they end, and resumable."""

from __future__ import annotations

import asyncio
import hashlib
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from .._internal.atomic import write_whole
from .._internal.redact import redacted
from .._internal.strict_json import dumps, loads
from ..errors import RunFileError
from ..graphs.reflection.create import ReflectionGraph
from ..models.messages import NO_USAGE
from ..traces.context_graph import ContextGraph
from .conditions import tests_of
from .datasets import CodingTask

RESULTS = "results.jsonl"
SETTINGS = "settings.json"
UNFINISHED = ("model_unavailable", "error")
"""The kinds of stop after which a later call runs the task again."""


@dataclass(frozen=True, slots=True)
class TaskResult:
    """How one task of a batch ended; `seconds` is wall time, `attempts` has a short entry per attempt.

    A task that raised (its tests check nothing, the model refuses the request) ends with the stop kind `"error"`.

    Attributes:
        verdict: the loop's own verdict; the loop sees only the visible tests.
        scored: the answer's verdict by visible and hidden tests together; the loop's verdict if there is no answer,
            and "" for a task without hidden tests.
    """

    task_id: str
    verdict: str
    stop_reason: dict[str, Any]
    answer: str
    attempts: list[dict[str, Any]]
    usage: dict[str, int]
    seconds: float
    run_file: str
    scored: str = ""

    @property
    def final_verdict(self) -> str:
        """The verdict that includes the hidden tests, if the task has any."""
        return self.scored or self.verdict

    @property
    def solved(self) -> bool:
        """The answer passed all tests of the task."""
        return self.final_verdict == "passed"

    @property
    def false_accept(self) -> bool:
        """The loop accepted the answer, but the hidden tests did not."""
        return self.verdict == "passed" and self.scored == "failed"


async def arun_many(
    build: Callable[[CodingTask], ReflectionGraph],
    tasks: Iterable[CodingTask],
    *,
    save: Path | None = None,
    concurrency: int = 4,
    on_result: Callable[[TaskResult], None] | None = None,
) -> list[TaskResult]:
    """Run tasks, several at a time, and score their answers.

    Hidden tests run after the loop: nothing of them gets into a prompt or into the saved run.

    Args:
        build: builds the graph for a task.
        tasks: what to solve; read one by one as needed, so a long generator is never in memory whole.
        save: a folder for `results.jsonl` (one line per task, written as it ends) and each task's run. A task that
            already has a line there is not run again, but is scored if it never was; its last line counts.
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
    done = _done(save) if save else {}
    results: dict[int, TaskResult] = {}
    waiting = _named(tasks)

    async def work() -> None:
        for number, task, name in waiting:
            known = done.get(task.task_id)
            if known and (known.scored or not task.hidden_tests):
                results[number] = known
                continue
            results[number] = result = await _result(build, task, save / name if save else None, known)
            if on_result:
                on_result(result)

    async with asyncio.TaskGroup() as group:
        for _ in range(concurrency):
            group.create_task(work())
    return [results[number] for number in sorted(results)]


async def _result(
    build: Callable[[CodingTask], ReflectionGraph], task: CodingTask, file: Path | None, known: TaskResult | None
) -> TaskResult:
    """Run and score a task, and note the result next to its run. An error in one task must not end the others."""
    result = known
    try:
        # Find unreadable tests before the loop, which may take long.
        tests = tests_of(task.all_tests, task) if task.hidden_tests else None
        result = known or await _solve(build, task, file)
        if tests:
            scored = (await asyncio.to_thread(tests, task.prompt, result.answer)).status if result.answer else ""
            result = replace(result, scored=scored or result.verdict)
        return result
    except Exception as problem:  # noqa: BLE001
        stop = {"kind": "error", "value": redacted(f"{type(problem).__name__}: {problem}")[:500], "limit": None}
        usage: dict[str, Any] = {**NO_USAGE}
        scored = "unverified" if task.hidden_tests else ""
        result = TaskResult(task.task_id, "unverified", stop, "", [], usage, 0.0, "", scored)
        return result
    finally:
        # Keep the answer even if an interrupt comes while it is scored.
        if file and result and result is not known:
            with (file.parent / RESULTS).open("a", encoding="utf-8") as lines:
                lines.write(dumps(asdict(result)) + "\n")


async def _solve(build: Callable[[CodingTask], ReflectionGraph], task: CodingTask, file: Path | None) -> TaskResult:
    graph = build(task)
    started = time.perf_counter()
    result = await graph.ainvoke({"task": task.prompt})
    if file:
        ContextGraph.from_run(result).save(file)
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
        file.name if file else "",
    )


def _named(tasks: Iterable[CodingTask]) -> Iterator[tuple[int, CodingTask, str]]:
    """Yield each task with its number and a unique file name for its run, made from the id as file systems allow."""
    taken = {Path(RESULTS).stem, Path(SETTINGS).stem}
    for place, task in enumerate(tasks):
        stem = name = re.sub(r"[^A-Za-z0-9._-]", "_", task.task_id)[:100]
        number = 1
        # Many file systems ignore case.
        while name.lower() in taken:
            number += 1
            name = f"{stem}-{number}"
        taken.add(name.lower())
        yield place, task, f"{name}.jsonl"


def _done(save: Path) -> dict[str, TaskResult]:
    save.mkdir(parents=True, exist_ok=True)
    path = save / RESULTS
    if not path.exists():
        return {}
    lines = path.read_text(encoding="utf-8").rstrip("\n").split("\n")
    results: list[TaskResult] = []
    for number, line in enumerate(lines, 1):
        try:
            results.append(TaskResult(**loads(line)))
        except (ValueError, TypeError) as problem:
            if number == len(lines):
                # An interrupt cut this line off; drop it and solve its task again.
                write_whole(path, "".join(f"{whole}\n" for whole in lines[:-1]).encode())
                break
            raise RunFileError(f"{path}, line {number}: {problem}. Choose another folder, or fix the line.") from None
    # Run a task again if it failed by an error or because the model was unavailable.
    return {result.task_id: result for result in results if result.stop_reason["kind"] not in UNFINISHED}


def check_settings(folder: Path, settings: dict[str, Any], tasks: Sequence[CodingTask]) -> None:
    """Record a folder's settings and tasks, and refuse a folder whose runs were made with others.

    Raises:
        RunFileError: the folder holds runs with other settings, or of a task whose text or tests have changed since.
    """
    path = folder / SETTINGS
    folder.mkdir(parents=True, exist_ok=True)
    kept = _kept(path)
    known: dict[str, str] = kept.pop("tasks", {})
    if kept and kept != settings:
        raise RunFileError(f"{folder} holds runs of {kept}, not of {settings}: choose another folder")
    now = {task.task_id: hashlib.sha256(dumps(asdict(task)).encode()).hexdigest()[:16] for task in tasks}
    if changed := [name for name in now if known.get(name, now[name]) != now[name]]:
        raise RunFileError(f"{folder} holds runs of another {', '.join(changed[:5])}: choose another folder")
    write_whole(path, dumps({**settings, "tasks": {**known, **now}}).encode())


def _kept(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    try:
        return dict(loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError) as problem:
        raise RunFileError(f"cannot read {path}: {problem}. Choose another folder.") from None


def model_name(model: Any) -> str:
    """A model's name, for settings and tables."""
    return str(getattr(model, "model_name", None) or getattr(model, "model", None) or type(model).__name__)
