"""`thoughtgraph compare`: run reflection modes and controls over a dataset; show a table, bars and a figure."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import TaskProgressColumn, TimeElapsedColumn

from .._internal.plain import plain
from ..nodes.reflection_defaults import ASKS_NO_CRITIC, DEFAULT_ATTEMPTS
from .terminal import (
    AttemptsOption,
    BatchOption,
    CheckpointsOption,
    Exit,
    JsonOption,
    LatestStatus,
    QuietOption,
    RayOption,
    WorkersOption,
    import_from_here,
    own_function,
    print_json,
    progress_told,
    ray_backend,
    try_file,
    try_folder,
    ungrouped,
)

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from ..evaluation.comparison import Comparison
    from ..evaluation.conditions import Condition

_QUALITY, _COST = (1, 3, 4, 5, 10), (6, 7, 8, 9, 11, 12)
"""The columns of the terminal's two tables; the shares appear next to the bars instead."""


def compare(
    dataset: Annotated[Path, typer.Option(help="A JSONL file in our format, HumanEval's or MBPP's.")],
    modes: Annotated[str, typer.Option(help="Modes, separated by commas.")] = ("external_loop,reflexion,actor_critic"),
    limit: Annotated[int | None, typer.Option(min=1, help="Run only the first N tasks.")] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            help="local:NAME, FILE.gguf, http://…/v1#name, openai:NAME, provider:NAME. Repeated: each of them."
        ),
    ] = None,
    cascade: Annotated[
        bool, typer.Option("--cascade", help="Also run each mode with all models in a row, the cheapest first.")
    ] = False,
    critic: Annotated[
        str | None, typer.Option(help="The model that criticizes, named like --model. Default: the same model.")
    ] = None,
    verifier: Annotated[
        str | None,
        typer.Option(metavar="MODULE:FUNCTION", help="A function of yours that the loops may see. Default: the tests."),
    ] = None,
    scorer: Annotated[
        str | None,
        typer.Option(metavar="MODULE:FUNCTION", help="A function of yours that judges the answers, hidden from them."),
    ] = None,
    max_attempts: AttemptsOption = DEFAULT_ATTEMPTS,
    max_tokens: Annotated[
        int | None,
        typer.Option(min=1, help="One budget for all tasks of a condition: further attempts where they promise most."),
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option(help="The same in dollars, by list prices; needs the extra 'prices'.")
    ] = None,
    concurrency: Annotated[
        int, typer.Option(min=1, help="Tasks to run at the same time; with --ray, in each worker.")
    ] = 4,
    save: Annotated[
        Path | None, typer.Option(help="Folder for the runs; a second call continues what is there.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Also draw a figure: FILE.png or FILE.svg.")] = None,
    self_judged: Annotated[
        bool, typer.Option("--self-judged", help="Also run each mode without its tests: only a model judges.")
    ] = False,
    controls: Annotated[
        bool, typer.Option(help="Also run retries without feedback, and best of N at equal tokens.")
    ] = True,
    list_prices: Annotated[
        bool, typer.Option("--list-prices", help="Show what it cost by list prices; needs the extra 'prices'.")
    ] = False,
    ray: RayOption = None,
    workers: WorkersOption = None,
    checkpoints: CheckpointsOption = None,
    batch: BatchOption = "",
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> int:
    """Compare reflection modes on the same tasks with one attempt and with controls at equal cost.

    Visible tests stop the loops; hidden tests score the answers. For other tasks, --verifier and --scorer name
    functions of yours: of (task, answer), or of a task's row that returns such a function. Exit code: 0 compared, 2
    wrong usage, 3 some tasks could not be judged, 4 some tasks could not be run.
    """
    from ..evaluation.backends.loop import named_models
    from ..evaluation.backends.refused_keys import KeyWatch
    from ..evaluation.conditions import Condition
    from ..evaluation.datasets import load_tasks
    from ..evaluation.evaluating import evaluate
    from ..evaluation.plot import check_plot, save_plot
    from ..models.open import chosen_model, open_model
    from ..traces.metrics.money import Prices

    import_from_here()
    backend = ray_backend(ray, workers, concurrency, checkpoints, batch)
    prices = Prices(listed=True) if list_prices or max_cost is not None else None
    latest = LatestStatus()
    if backend:
        backend = replace(backend, prices=prices, on_status=latest.note)
    if plot:
        check_plot(plot)
        try_file(plot)
    tasks = load_tasks(dataset, limit)
    judges = {"verifier": own_function(verifier, "--verifier"), "scorer": own_function(scorer, "--scorer")}
    chosen = _conditions(modes, self_judged)
    if cascade and not 1 < len(model or []) == len(set(model or [])):
        raise ValueError("--cascade needs two different models: give --model more than once, the cheapest first")
    if save:
        try_folder(save)
    console = Console(stderr=as_json)
    with ExitStack() as stack:
        tell = stack.enter_context(
            progress_told(
                TaskProgressColumn(),
                TimeElapsedColumn(),
                quiet=quiet,
                about=lambda: latest.words,
            )
        )

        def opened(spec: str | None) -> BaseChatModel | str:
            if backend:
                return chosen_model(spec)
            return stack.enter_context(open_model(spec, slots=concurrency, progress=tell))

        actors = [opened(spec) for spec in model or [None]]
        if cascade:
            models = tuple(named_models(actors, opened=backend is None))
            chosen += [Condition(name, models=models) for name in _listed(modes)]
        judge = opened(critic) if critic else None
        # Without a judge the other modes still run, and the rows of its own say why they ended.
        watch = KeyWatch(*actors)

        def tell_checked(title: str, done: int, total: int) -> None:
            watch.check()
            tell(title, done, total)

        stack.enter_context(ungrouped())
        comparison = evaluate(
            tasks,
            actors,
            modes=chosen,
            **judges,
            critic=judge,
            max_attempts=max_attempts,
            max_tokens=max_tokens,
            max_cost=max_cost,
            concurrency=concurrency,
            save=save,
            controls=controls,
            prices=prices,
            on_progress=tell_checked,
            backend=backend,
        )
    if as_json:
        print_json(_as_json(comparison))
    show_comparison(console, comparison)
    if plot:
        console.print(f"figure saved to {save_plot(comparison, plot)}", markup=False, soft_wrap=True)
    if save:
        console.print(f"runs saved to {save}/ (a folder a condition)", markup=False, soft_wrap=True)
    if any(condition.problems for condition in comparison.conditions):
        return Exit.MODEL
    return Exit.UNVERIFIED if any(condition.unjudged for condition in comparison.conditions) else Exit.PASSED


def show_comparison(console: Console, comparison: Comparison) -> None:
    """Print the table, the bars, the differences between conditions, and the tasks that could not be run."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    from ..evaluation.comparison import SUMMARY
    from ..evaluation.plot import bars
    from ..evaluation.scored import short

    heading = f"Tasks: {comparison.tasks}; attempts at most: {comparison.max_attempts}"
    console.print(heading, style="bold", markup=False)
    for columns, name in ((_QUALITY, short), (_COST, str)):
        table = Table(padding=(0, 0, 0, 1), box=SIMPLE_HEAD)
        # The names of models are long; what gives way is never a number.
        table.add_column(SUMMARY[0], overflow="fold")
        for place in columns:
            table.add_column(SUMMARY[place].replace(" ", "\n"), justify="right", no_wrap=True)
        for row in comparison.summary():
            table.add_row(Text(plain(name(row[0]))), *(row[place] for place in columns))
        console.print(table)
    console.print(bars(comparison, console.width))
    console.print("fixed and broken tasks; p by the sign test", style="dim")
    for contrast in comparison.contrasts():
        console.print(f"• {contrast}", markup=False, highlight=False, soft_wrap=True)
    for note in comparison.notes():
        console.print(f"! {note}", style="yellow", markup=False, highlight=False, soft_wrap=True)


def _as_json(comparison: Comparison) -> dict[str, Any]:
    """What the tables and the lines below them show, as numbers and texts."""
    return {
        "tasks": comparison.tasks,
        "max_attempts": comparison.max_attempts,
        "conditions": [
            {
                "condition": condition.title,
                "solved": condition.solved.count,
                "of": condition.solved.of,
                "interval": list(condition.solved.interval),
                **dict(zip(("fixed", "broken"), condition.changes(comparison.baseline(condition)), strict=True)),
                **dict(zip(("solved_later", "lost_later"), condition.changed, strict=True)),
                "false_accepts": condition.false_accepts,
                "accepted": condition.accepted,
                "attempts": condition.attempts,
                "input_tokens": condition.metrics.input_tokens,
                "cached_tokens": condition.metrics.cached_tokens,
                "output_tokens": condition.metrics.output_tokens,
                "seconds": condition.seconds,
                "cost": condition.metrics.cost,
                "problems": condition.problems,
                "unjudged": condition.unjudged,
                "unverified": condition.unverified,
                "unread": condition.unread,
            }
            for condition in comparison.conditions
        ],
        "contrasts": [
            {
                "condition": contrast.title,
                "against": contrast.against,
                "fixed": contrast.fixed,
                "broken": contrast.broken,
                "p_value": contrast.p_value,
                "told_apart": contrast.told_apart,
            }
            for contrast in comparison.contrasts()
        ],
        "notes": comparison.notes(),
        "left_out": comparison.skipped,
    }


def _listed(modes: str) -> list[str]:
    return [name.strip() for name in modes.split(",") if name.strip()]


def _conditions(names: str, self_judged: bool) -> list[str | Condition]:
    from ..evaluation.conditions import Condition

    modes = _listed(names)
    if not modes:
        raise ValueError("--modes names no mode: give some, with commas between them")
    alone = [Condition(mode, verify=False) for mode in modes if mode not in ASKS_NO_CRITIC] if self_judged else []
    if self_judged and not alone:
        raise ValueError("--self-judged needs a mode in which a model judges: add reflexion or actor_critic to --modes")
    return [*modes, *alone]
