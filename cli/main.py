"""The command line."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from functools import wraps
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from rich.progress import BarColumn, DownloadColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from .compare import compare
from .memory import memory_app
from .terminal import Exit, console, errors, fail, reported
from .trace import trace_app

if TYPE_CHECKING:
    from ..tools.search.search import SearchProvider

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Reasoning loops whose every reply is checked.")
model_app = typer.Typer(no_args_is_help=True, help="The embedded model: fetch it, list it, serve it.")
app.add_typer(model_app, name="model")
app.add_typer(memory_app, name="memory")
app.add_typer(trace_app, name="trace")


ModelOption = Annotated[
    str | None, typer.Option("--model", help="local:NAME, FILE.gguf, http://…/v1#name, openai:NAME, provider:NAME")
]


@app.command()
def solve(
    task: Annotated[str | None, typer.Argument(help="What to solve.")] = None,
    tests: Annotated[Path | None, typer.Option(help="Python tests: asserts, or a pytest file.")] = None,
    dataset: Annotated[
        Path | None, typer.Option(help="Many tasks: a JSONL file of ours, HumanEval's or MBPP's.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first so many tasks of the dataset.")] = None,
    model: ModelOption = None,
    mode: Annotated[str, typer.Option(help="external_loop, reflexion or actor_critic.")] = "external_loop",
    critic: Annotated[str | None, typer.Option(help="Another model that judges, named like --model.")] = None,
    memory: Annotated[bool, typer.Option("--memory", help="Learn from earlier failures, and keep new ones.")] = False,
    max_attempts: Annotated[int, typer.Option(min=1, help="Attempts a task, the first included.")] = 5,
    concurrency: Annotated[int, typer.Option(min=1, help="Tasks of a dataset at the same time.")] = 4,
    save: Annotated[Path | None, typer.Option(help="Keep the run: a file, or for a dataset a folder.")] = None,
) -> None:
    """Solve a task, or a dataset of tasks, under tests.

    The visible tests of a dataset judge the loop, its hidden tests what came out. Exit code: 0 passed (all of a
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
    """What both ways of solving pass on to the loop; what they hold open is closed with `opened`."""
    from ..graphs.reflection.create import reflection_modes
    from ..models.open import open_model

    if mode not in reflection_modes():
        fail(f"unknown mode {mode!r}: choose one of {', '.join(reflection_modes())}", Exit.USAGE)
    settings: dict[str, Any] = {"mode": mode, "max_attempts": max_attempts}
    if critic:
        progress = opened.enter_context(_progress())
        settings["critic"] = opened.enter_context(open_model(critic, slots=slots, progress=progress))
    if memory:
        from ..memory.failure_memory import open_failure_memory

        settings["memory"] = opened.enter_context(open_failure_memory())
    return settings


@app.command("compare")
@wraps(compare)
def compare_reported(**options: Any) -> NoReturn:
    """The command, with its errors as a line and an exit code."""
    with reported():
        code = compare(**options)
    raise typer.Exit(code)


@app.command()
def chat(
    model: ModelOption = None,
    folder: Annotated[Path | None, typer.Option(help="Where agenda, runs and pauses are kept.")] = None,
    language: Annotated[str | None, typer.Option(help="en or zh; by the locale where it is not given.")] = None,
    search: Annotated[
        str, typer.Option(help="bing, duckduckgo, or the address of a server with Bing's pages, private ones included.")
    ] = "bing",
    no_model: Annotated[bool, typer.Option("--no-model", help="Slash commands alone.")] = False,
) -> None:
    """Talk to the assistant: a todo list, a calendar and internet search, in plain words or by slash commands."""
    with reported():
        from .._internal.texts import as_language
        from ..assistant.assistant import Assistant
        from ..models.open import chosen_model
        from .chat import chat as talk
        from .chat import remember_inputs

        spoken = as_language(language) if language else None
        provider = _search_provider(search)
        with _progress() as progress:
            chosen = None if no_model else chosen_model(model)
            assistant = Assistant(chosen, folder=folder, language=spoken, search=provider, progress=progress)
        with assistant:
            write_history = remember_inputs(assistant.folder / "history")
            try:
                talk(assistant, console)
            finally:
                write_history()


def _search_provider(name: str) -> SearchProvider:
    from ..tools.search.bing import BingSearchProvider
    from ..tools.search.duckduckgo import DuckDuckGoSearchProvider

    if name.startswith(("http://", "https://")):
        return BingSearchProvider(base_url=name, allow_private=True)
    providers: dict[str, Callable[[], SearchProvider]] = {
        "bing": BingSearchProvider,
        "duckduckgo": DuckDuckGoSearchProvider,
    }
    if name not in providers:
        fail(f"unknown search {name!r}: choose one of {', '.join(providers)}, or give an address", Exit.USAGE)
    return providers[name]()


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
    with _progress() as progress, open_model(spec, slots=1, progress=progress) as actor:
        graph = create_reflection_graph(actor=actor, verifier=verifier, **settings)
        live = LiveRun(console, task)
        try:
            with live:
                for update in graph.stream({"task": task}, stream_mode="updates"):
                    live.update(update)
        finally:
            # What an interrupted run had achieved is saved, too.
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

    with _progress() as fetched, open_model(spec, slots=concurrency, progress=fetched) as actor, bar:
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


@model_app.command("list")
def list_models() -> None:
    """List the embedded models, and which of them are here."""
    from ..models.local.weights import CATALOGUE, cache_folder, is_pulled
    from ..models.open import chosen_model

    chosen = chosen_model()
    for weights in CATALOGUE.values():
        here = "here" if is_pulled(weights) else "not pulled"
        mark = "*" if chosen == f"local:{weights.name}" else " "
        console.print(f"{mark} {weights.name:20} {weights.size / 1e6:6.0f} MB  {here:10}  {weights.about}")
    console.print(f"in {cache_folder()}; chosen: {chosen}", soft_wrap=True)


@model_app.command("pull")
def pull_model(name: Annotated[str, typer.Argument(help="A name of `model list`.")] = "qwen2.5-coder-0.5b") -> None:
    """Fetch a model's weights, verified by checksum; goes on where it was interrupted."""
    from ..models.local.weights import pull

    with reported():
        with _progress() as progress:
            path = pull(name, progress)
        console.print(f"{name} is at {path}", soft_wrap=True)


@model_app.command("serve")
def serve_model(
    name: Annotated[str, typer.Argument(help="A name of `model list`, or FILE.gguf.")] = "qwen2.5-coder-0.5b",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 for a free one.")] = 0,
    slots: Annotated[int, typer.Option(min=1, help="Requests at the same time.")] = 4,
) -> None:
    """Serve a model on loopback with OpenAI's API, until Ctrl-C."""
    from ..models.local.server import local_server
    from ..models.local.weights import pull

    with reported():
        with _progress() as progress:
            path = Path(name) if name.endswith(".gguf") else pull(name, progress)
        with local_server(path, slots=slots, port=port) as server:
            console.print(f"serving {server.model} at {server.base_url} (Ctrl-C stops)", soft_wrap=True)
            while True:
                time.sleep(3600)


@contextmanager
def _progress() -> Generator[Callable[[str, int, int], None]]:
    """A bar for the fetching of weights, which appears only if something is fetched."""
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeElapsedColumn())
    bar = Progress(*columns, console=errors, transient=True)
    rows: dict[str, Any] = {}

    def tell(what: str, done: int, total: int) -> None:
        if not rows:
            bar.start()
            rows["row"] = bar.add_task(what, total=total)
        bar.update(rows["row"], description=what, completed=done, total=total)
        if done >= total:
            bar.stop()

    try:
        yield tell
    finally:
        bar.stop()


def main() -> None:
    """Entry point of the console script."""
    if "--version" in sys.argv[1:2]:
        console.print(json.dumps({"thoughtgraph": version("thoughtgraph")}))
        return
    app()
