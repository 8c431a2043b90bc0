"""What does each condition solve, and what does it cost? Four domains of tasks with visible and hidden checks.

    python benchmarks/solving/run.py --models local:qwen2.5-coder-0.5b --out runs/solving --minutes 50
    python benchmarks/solving/run.py --models local:qwen2.5-coder-0.5b --out runs/solving --minutes 0
    python benchmarks/solving/run.py --domains HumanEval.jsonl --conditions "one shot,fresh" --out runs/humaneval

The visible check stops the loops, the hidden one scores what comes out: an answer counts as solved if it passes both.
A run is made of pieces: one condition on one domain with one model and one seed. After `--minutes` no further task
begins, and the same command goes on where it stopped; with `--minutes 0` it only shows what is finished. The tables
hold whole pieces alone.

solved           the mean share over the seeds, with the 95 % interval of a bootstrap over tasks
difference       to the condition `--against`, in points; task by task, so its interval is that of a paired bootstrap
fixed, broken    tasks that only this condition solves, and that only the other one solves; means over the seeds
false accepts    wrong answers that the visible check or a model's judgment accepted
cost             millions of tokens times billions of parameters of the model that read or wrote them
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, TaskID
from thoughtgraph._internal.plain import plain
from thoughtgraph.errors import PlotError
from thoughtgraph.evaluation.plot import check_plot

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.solving.checks import DOMAINS, tasks_of
from benchmarks.solving.conditions import CONDITIONS, ONE_SHOT
from benchmarks.solving.pieces import Open, Piece, Pieces, billions, pieces_of
from benchmarks.solving.recorded import REPLIES, recorded
from benchmarks.solving.report import tables


def main(arguments: Sequence[str] | None = None, opened: Open | None = None) -> None:
    """Run what is left for as long as there is time, and print the tables.

    Args:
        arguments: of the command line; None for the program's own.
        opened: opens a model by its name; `recorded` by default.
    """
    args, pieces = _read(arguments)
    console = Console(width=200)
    work = Pieces(args.out, args.attempts, args.concurrency, args.limit, dict(args.parameters))
    opened = opened or (lambda name: recorded(name, args.replies, slots=args.concurrency))
    lines: dict[Piece, TaskID] = {}
    with Progress(console=console, transient=True) as bar:

        def tell(piece: Piece, done: int, total: int) -> None:
            if piece not in lines:
                lines[piece] = bar.add_task(str(piece), total=total)
            bar.update(lines[piece], completed=done)

        asyncio.run(work.run(pieces, opened, args.minutes, tell))
    left = {piece: count for piece in pieces if (count := work.left(piece))}
    finished = {piece: asyncio.run(work.reached(piece)) for piece in pieces if piece not in left}
    for line in tables(finished, args.against):
        console.print(line, markup=False, soft_wrap=True, highlight=False)
    if args.plot and finished:
        from benchmarks.solving.figure import save_figure  # loads matplotlib

        save_figure(finished, args.plot)
        console.print(f"\nThe curves are in {args.plot}.", markup=False, soft_wrap=True, highlight=False)
    console.print(f"\n{len(finished)} of {len(pieces)} pieces are finished.", highlight=False)
    for piece, count in left.items():
        console.print(f"left: {piece}: {count} tasks", markup=False, soft_wrap=True, highlight=False)
        for name, why in work.problems(piece).items():
            console.print(f"  {name} could not be run: {plain(why)}", markup=False, soft_wrap=True, highlight=False)


def _read(arguments: Sequence[str] | None) -> tuple[argparse.Namespace, list[Piece]]:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--models", type=_names, default=["local:qwen2.5-coder-0.5b"], help="as `thoughtgraph solve` takes them"
    )
    parser.add_argument(
        "--domains", type=_names, default=list(DOMAINS), help="ours, or paths of JSONL files of coding tasks"
    )
    parser.add_argument("--conditions", type=_names, default=list(CONDITIONS), help=f"of {', '.join(CONDITIONS)}")
    parser.add_argument("--against", choices=list(CONDITIONS), default=ONE_SHOT, help="the baseline of the differences")
    parser.add_argument("--seeds", type=int, default=3, help="runs of each condition that samples")
    parser.add_argument("--attempts", type=int, default=4, help="at most, for a task")
    parser.add_argument("--limit", type=int, help="only the first so many tasks of each domain")
    parser.add_argument("--concurrency", type=int, default=8, help="tasks at the same time")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="after which no further task begins")
    parser.add_argument(
        "--parameters", type=_size, action="append", default=[], metavar="MODEL=BILLIONS", help="its size"
    )
    parser.add_argument("--out", type=Path, required=True, help="the folder in which every run is kept")
    parser.add_argument("--replies", type=Path, default=REPLIES, help="the folder of the kept replies of models")
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="draw the curves of the finished pieces, .svg or .png"
    )
    args = parser.parse_args(arguments)
    if unknown := [name for name in args.conditions if name not in CONDITIONS]:
        parser.error(f"--conditions: unknown: {', '.join(unknown)}; there are: {', '.join(CONDITIONS)}")
    try:
        if args.plot:
            check_plot(args.plot)
        for domain in args.domains:
            tasks_of(domain)
        for model in args.models:
            billions(model, dict(args.parameters))
    except (ValueError, PlotError) as problem:
        parser.error(str(problem))
    return args, pieces_of(args.models, args.domains, args.conditions, args.seeds)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


def _size(text: str) -> tuple[str, float]:
    name, _, size = text.rpartition("=")
    return name, float(size)


if __name__ == "__main__":
    main()
