"""`thoughtgraph solve`: solve a task or a dataset of tasks, checked by tests."""

from __future__ import annotations

import asyncio
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from .terminal import Exit, ModelOption, console, fail, fetching, reported


def solve(
    task: Annotated[str | None, typer.Argument(help="The task to solve.")] = None,
    tests: Annotated[Path | None, typer.Option(help="File of Python tests: asserts or pytest.")] = None,
    dataset: Annotated[
        Path | None, typer.Option(help="Many tasks: a JSONL file in our format, HumanEval's or MBPP's.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Solve only the dataset's first N tasks.")] = None,
    model: ModelOption = None,
    mode: Annotated[str, typer.Option(help="external_loop, reflexion or actor_critic.")] = "external_loop",
    critic: Annotated[str | None, typer.Option(help="A different model to judge, named like --model.")] = None,
    memory: Annotated[bool, typer.Option("--memory", help="Learn from earlier failures and keep new ones.")] = False,
    max_attempts: Annotated[int, typer.Option(min=1, help="Attempts per task, including the first.")] = 5,
    concurrency: Annotated[int, typer.Option(min=1, help="Dataset tasks to run at the same time.")] = 4,
    save: Annotated[
        Path | None, typer.Option(help="Save the run to this file, or a dataset's runs to this folder.")
    ] = None,
) -> None:
    """Solve a task or a dataset of tasks, checked by tests.

    A dataset's visible tests judge attempts; its hidden tests score the answers. Exit code: 0 passed (every task of a
    dataset, hidden tests included), 1 failed, 2 wrong usage, 3 unverified, 4 no model or an error, 130 interrupted.
    """
    if (task is None) == (dataset is None):
        fail("give either a task or --dataset", Exit.USAGE)
    if dataset and tests:
        fail("--tests goes with a single task; a dataset brings its own", Exit.USAGE)
    with reported(), ExitStack() as opened:
        settings = _loop_settings(mode, critic, memory, max_attempts, concurrency if dataset else 1, opened)
        if dataset:
            code = _solve_dataset(dataset, limit, model, settings, concurrency, save)
        else:
            code = _solve_one(str(task), tests, model, settings, save)
    raise typer.Exit(code)


def _loop_settings(
    mode: str, critic: str | None, memory: bool, max_attempts: int, slots: int, opened: ExitStack
) -> dict[str, Any]:
    """The loop's settings for a task and for a dataset; `opened` closes what they open."""
    from ..graphs.reflection.create import reflection_modes
    from ..models.open import open_model

    if mode not in reflection_modes():
        fail(f"unknown mode {mode!r}: choose one of {', '.join(reflection_modes())}", Exit.USAGE)
    settings: dict[str, Any] = {"mode": mode, "max_attempts": max_attempts}
    if critic:
        progress = opened.enter_context(fetching())
        settings["critic"] = opened.enter_context(open_model(critic, slots=slots, progress=progress))
    if memory:
        from ..memory.failure_memory import open_failure_memory

        settings["memory"] = opened.enter_context(open_failure_memory())
    return settings


def _solve_one(task: str, tests: Path | None, spec: str | None, settings: dict[str, Any], save: Path | None) -> Exit:
    from ..graphs.reflection.create import create_reflection_graph
    from ..models.open import open_model
    from ..tools.python_tests import PythonTests
    from ..traces.context_graph import ContextGraph
    from .console import LiveRun

    try:
        verifier = PythonTests(tests.read_text(encoding="utf-8")) if tests else None
    except (OSError, ValueError) as problem:
        fail(f"cannot use the tests {tests}: {problem}", Exit.USAGE)
    with fetching() as progress, open_model(spec, slots=1, progress=progress) as actor:
        graph = create_reflection_graph(actor=actor, verifier=verifier, **settings)
        live = LiveRun(console, task)
        try:
            with live:
                for update in graph.stream({"task": task}, stream_mode="updates"):
                    live.update(update)
        finally:
            # Save an interrupted run, too.
            if save:
                console.print(f"run saved to {ContextGraph(live.events).save(save)}", soft_wrap=True, markup=False)
    return _exit_code(live.verdict, live.stop_kind)


def _solve_dataset(
    dataset: Path, limit: int | None, spec: str | None, settings: dict[str, Any], concurrency: int, save: Path | None
) -> Exit:
    from ..evaluation.batch import asolve_many
    from ..evaluation.datasets import load_tasks
    from ..evaluation.many import TaskResult
    from ..models.open import open_model
    from .console import show_result, show_summary

    tasks = load_tasks(dataset, limit)
    started = time.perf_counter()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    bar = Progress(*columns, console=console, transient=True)
    row = bar.add_task("solving", total=len(tasks))
    ended: list[TaskResult] = []

    def tell(result: TaskResult) -> None:
        ended.append(result)
        show_result(bar.console, result)
        bar.update(row, advance=1, description=f"{sum(result.solved for result in ended)} solved")

    with fetching() as fetched, open_model(spec, slots=concurrency, progress=fetched) as actor, bar:
        running = asolve_many(actor, tasks, save=save, concurrency=concurrency, on_result=tell, **settings)
        results = asyncio.run(running)
    if len(ended) < len(results):
        console.print(f"{len(results) - len(ended)} tasks had been run before and were kept")
    show_summary(console, results, time.perf_counter() - started)
    if save:
        console.print(f"runs saved to {save}/ (a file a task, results.jsonl for all)", soft_wrap=True, markup=False)
    codes = [_exit_code(result.final_verdict, str(result.stop_reason["kind"])) for result in results]
    return max(codes, default=Exit.PASSED)


def _exit_code(verdict: str, stop_kind: str) -> Exit:
    if stop_kind in ("model_unavailable", "error"):
        return Exit.MODEL
    return {"passed": Exit.PASSED, "failed": Exit.FAILED}.get(verdict, Exit.UNVERIFIED)
