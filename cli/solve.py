"""`thoughtgraph solve`: solve a task or a dataset of tasks, checked by tests."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ..nodes.reflection_defaults import ASKS_NO_CRITIC, DEFAULT_ATTEMPTS
from ..traces.metrics.money import Prices
from ..traces.reading.run_file import run_path
from .terminal import (
    AttemptsOption,
    BatchOption,
    CheckpointsOption,
    Exit,
    JsonOption,
    LatestStatus,
    ModelsOption,
    QuietOption,
    RayOption,
    WorkersOption,
    console,
    errors,
    fail,
    fetching,
    import_from_here,
    print_json,
    print_plain,
    ray_backend,
    reported,
    try_file,
    try_folder,
    ungrouped,
)

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from ..evaluation.backends.on_ray import RayBackend


@dataclass(frozen=True, slots=True)
class _Output:
    """Where the result goes, and what else is shown."""

    json: bool
    quiet: bool

    @property
    def status(self) -> Console:
        """The console for everything but the result."""
        return Console(quiet=True) if self.quiet else errors if self.json else console


def solve(
    task: Annotated[str | None, typer.Argument(help="The task to solve; - reads it from standard input.")] = None,
    tests: Annotated[Path | None, typer.Option(help="File of Python tests: asserts or pytest.")] = None,
    dataset: Annotated[
        Path | None, typer.Option(help="Many tasks: a JSONL file in our format, HumanEval's or MBPP's.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Solve only the dataset's first N tasks.")] = None,
    model: ModelsOption = None,
    mode: Annotated[str, typer.Option(help="external_loop, reflexion, actor_critic or best_of_n.")] = "external_loop",
    critic: Annotated[str | None, typer.Option(help="A different model to judge, named like --model.")] = None,
    memory: Annotated[bool, typer.Option("--memory", help="Learn from earlier failures and keep new ones.")] = False,
    max_attempts: AttemptsOption = DEFAULT_ATTEMPTS,
    concurrency: Annotated[
        int, typer.Option(min=1, help="Dataset tasks at the same time; with --ray in each worker.")
    ] = 4,
    # A text: of a `Path` nobody can tell that it ended with a separator, and so names a folder.
    save: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="Save the run to this file, or a dataset's runs to this folder."),
    ] = None,
    ray: RayOption = None,
    workers: WorkersOption = None,
    checkpoints: CheckpointsOption = None,
    batch: BatchOption = "",
    runs: Annotated[
        str | None, typer.Option(metavar="URL", help="With --ray: the storage that workers write the runs to: s3://….")
    ] = None,
    list_prices: Annotated[
        bool,
        typer.Option("--list-prices", help="With --ray: count dollars by list prices; needs the extra 'prices'."),
    ] = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Solve a task or a dataset of tasks, checked by tests.

    A dataset's visible tests judge attempts; its hidden tests score the answers. Exit code: 0 passed (every task of a
    dataset, hidden tests included), 1 failed, 2 wrong usage, 3 unverified, 4 no model or an error, 130 interrupted.
    """
    if (task is None) == (dataset is None):
        fail("give either a task or --dataset", Exit.USAGE)
    if dataset and tests:
        fail("--tests goes with a single task; a dataset brings its own", Exit.USAGE)
    if limit and not dataset:
        fail("--limit goes with --dataset", Exit.USAGE)
    if critic and mode in ASKS_NO_CRITIC:
        fail(f"--critic goes with --mode actor_critic or reflexion; {mode} asks no critic", Exit.USAGE)
    if model and len(set(model)) < len(model):
        fail("--model names a model twice: a cascade asks each once, the cheapest first", Exit.USAGE)
    if model and len(model) > max_attempts:
        fail(f"{len(model)} models need at least --max-attempts {len(model)}", Exit.USAGE)
    if ray and not dataset:
        fail("--ray goes with --dataset", Exit.USAGE)
    if (runs or list_prices) and not ray:
        fail("--runs and --list-prices go with --ray", Exit.USAGE)
    output = _Output(as_json, quiet)
    import_from_here()
    with reported(resumes=bool(dataset and save)), ExitStack() as opened:
        backend = ray_backend(ray, workers, concurrency, checkpoints, batch)
        if backend:
            backend = replace(backend, runs=runs, prices=Prices(listed=True) if list_prices else None)
        place = None
        if save:
            place = Path(save) if dataset else run_path(save)
            try_folder(place) if dataset else try_file(place)
        here = critic if backend is None else None
        settings = _loop_settings(mode, here, memory, max_attempts, concurrency if dataset else 1, quiet, opened)
        if backend and critic:
            settings["critic"] = critic
        if dataset:
            code = _solve_dataset(dataset, limit, model, settings, concurrency, place, output, backend)
        else:
            code = _solve_one(_task(str(task)), tests, model, settings, place, output)
    raise typer.Exit(code)


def _task(given: str) -> str:
    """The task: as given, or from standard input."""
    if given != "-":
        return given
    try:
        read = sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError:
        fail("standard input is not UTF-8 text: give the task as text", Exit.USAGE)
    if not read.strip():
        fail("standard input holds no task", Exit.USAGE)
    return read


def _loop_settings(
    mode: str, critic: str | None, memory: bool, max_attempts: int, slots: int, quiet: bool, opened: ExitStack
) -> dict[str, Any]:
    """The loop's settings for a task and for a dataset; `opened` closes what they open."""
    from ..graphs.reflection.create import reflection_modes
    from ..models.open import open_model

    if mode not in reflection_modes():
        fail(f"unknown mode {mode!r}: choose one of {', '.join(reflection_modes())}", Exit.USAGE)
    settings: dict[str, Any] = {"mode": mode, "max_attempts": max_attempts}
    if critic:
        progress = opened.enter_context(fetching(quiet))
        settings["critic"] = opened.enter_context(open_model(critic, slots=slots, progress=progress))
    if memory:
        from ..memory.failure_memory import open_failure_memory

        settings["memory"] = opened.enter_context(open_failure_memory())
    return settings


@contextmanager
def _opened(specs: list[str] | None, slots: int, quiet: bool) -> Generator[list[BaseChatModel]]:
    """The actor; or the models of a cascade, in order."""
    from ..models.open import open_model

    with ExitStack() as opened:
        progress = opened.enter_context(fetching(quiet))
        yield [opened.enter_context(open_model(spec, slots=slots, progress=progress)) for spec in specs or [None]]


def _solve_one(
    task: str, tests: Path | None, specs: list[str] | None, settings: dict[str, Any], save: Path | None, output: _Output
) -> Exit:
    from ..graphs.reflection.create import create_reflection_graph
    from ..tools.python_tests import PythonTests
    from ..traces.context_graph import ContextGraph
    from .console import LiveRun

    try:
        verifier = PythonTests(tests.read_text(encoding="utf-8")) if tests else None
    except (OSError, ValueError) as problem:
        fail(f"cannot use the tests {tests}: {problem}", Exit.USAGE)
    status = output.status
    with _opened(specs, 1, output.quiet) as models:
        graph = create_reflection_graph(actor=models, verifier=verifier, **settings)
        live = LiveRun(status, task)
        try:
            with live:
                for update in graph.stream({"task": task}, stream_mode="updates"):
                    live.update(update)
        finally:
            # An interrupted run is saved, too; but one without an attempt takes no other's place.
            if save and save.exists() and all(event["kind"] != "attempt" for event in live.events):
                status.print(f"no attempt was made: {save} is left as it was", soft_wrap=True, markup=False)
            elif save:
                status.print(f"run saved to {ContextGraph(live.events).save(save)}", soft_wrap=True, markup=False)
    if output.json:
        print_json(live.result)
    elif output.quiet:
        print_plain(live.result["answer"])
    return _exit_code(live.verdict, live.stop_kind)


def _solve_dataset(
    dataset: Path,
    limit: int | None,
    specs: list[str] | None,
    settings: dict[str, Any],
    concurrency: int,
    save: Path | None,
    output: _Output,
    backend: RayBackend | None,
) -> Exit:
    from ..evaluation.backends.refused_keys import KeyWatch
    from ..evaluation.datasets import load_tasks
    from ..evaluation.many import asolve_many
    from ..evaluation.results import TaskResult
    from ..models.open import chosen_model
    from .console import show_result, show_summary

    tasks = load_tasks(dataset, limit)
    started = time.perf_counter()
    status = output.status
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    bar = Progress(*columns, console=status, transient=True)
    row = bar.add_task("solving", total=len(tasks))
    ended: list[TaskResult] = []
    latest = LatestStatus()
    if backend:
        backend = replace(backend, on_status=latest.note)
    names = nullcontext([chosen_model(spec) for spec in specs or [None]])

    with (
        names if backend else _opened(specs, concurrency, output.quiet) as models,
        # A pipe gets a line for each task, and no bar.
        bar if status.is_terminal and not output.quiet else nullcontext(),
    ):
        watch = KeyWatch(*models)

        def tell(result: TaskResult) -> None:
            watch.check()
            ended.append(result)
            show_result(status, result)
            words = [f"{sum(result.solved for result in ended)} solved", latest.words]
            bar.update(row, advance=1, description=", ".join(filter(None, words)))

        settings |= {"save": save, "concurrency": concurrency, "on_result": tell, "backend": backend}
        running = asolve_many(models, tasks, **settings)
        with ungrouped():
            results = asyncio.run(running)
    if kept := len(results) - len(ended):
        status.print(f"{kept} tasks had been run before and were kept" if kept > 1 else "1 task had been run before")
    if output.json:
        solved = sum(result.solved for result in results)
        print_json({"solved": solved, "of": len(results), "tasks": [asdict(result) for result in results]})
    # The summary is what `--quiet` leaves of a dataset's output.
    show_summary(errors if output.json else console, results, time.perf_counter() - started)
    if save:
        status.print(f"runs saved to {save}/ (a file a task, results.jsonl for all)", soft_wrap=True, markup=False)
    codes = [_exit_code(result.final_verdict, str(result.stop_reason["kind"])) for result in results]
    return max(codes, default=Exit.PASSED)


def _exit_code(verdict: str, stop_kind: str) -> Exit:
    if stop_kind in ("model_unavailable", "error"):
        return Exit.MODEL
    return {"passed": Exit.PASSED, "failed": Exit.FAILED}.get(verdict, Exit.UNVERIFIED)
