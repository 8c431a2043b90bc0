"""How much does the external loop solve, and what does it cost? Every strategy beside its controls, in one run.

    python benchmarks/solving/run.py --model local:qwen2.5-coder-0.5b
    python benchmarks/solving/run.py --dataset HumanEval.jsonl --limit 100 --strategies repair,fresh

Visible tests stop the loops, hidden tests score what comes out: an answer counts as solved if it passes both.

one shot                    one attempt at temperature 0
retry only                  attempts until the visible tests pass, without a word of feedback: the strategy `fresh`
external_loop: A → B        the external loop with strategies A, then B
best of N                   N samples at the loop's temperature for every task, the best by visible tests taken; N is
                            the smallest number that spends at least the tokens of the loop it is compared with, read
                            and written, so the control is not starved

`thoughtgraph compare` does the same for the modes of reflection.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, cast

from rich.console import Console
from rich.progress import Progress, TaskID
from thoughtgraph import open_model
from thoughtgraph.cli.compare import show_comparison
from thoughtgraph.evaluation import evaluate
from thoughtgraph.evaluation.comparison import SUMMARY, Comparison
from thoughtgraph.evaluation.conditions import Condition
from thoughtgraph.evaluation.datasets import load_tasks

OWN_TASKS = Path(__file__).parent / "tasks" / "functions.jsonl"
CONCURRENCY = 8


def show(console: Console, comparison: Comparison, title: str) -> None:
    """Print the comparison for a person, its table as Markdown for the docs, and what was solved at each level."""
    show_comparison(console, comparison, title)
    lines = [SUMMARY, ["---"] * len(SUMMARY), *comparison.summary()]
    console.print("\n".join("| " + " | ".join(line) + " |" for line in lines), soft_wrap=True, markup=False)
    for level in sorted({run.level for run in comparison.one_shot.runs if run.level}):
        solved = [
            f"{condition.title} {sum(run.correct for run in condition.runs if run.level == level)}"
            for condition in comparison.conditions
        ]
        count = sum(run.level == level for run in comparison.one_shot.runs)
        console.print(f"{level} ({count}): " + "; ".join(solved), markup=False, soft_wrap=True)


def main() -> None:
    """Parse the arguments, open the model, measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="as for `thoughtgraph solve`; default: the embedded 0.5B")
    parser.add_argument("--dataset", type=Path, default=OWN_TASKS, help="JSONL of ours, HumanEval's or MBPP's shape")
    parser.add_argument("--limit", type=int, help="only the first so many tasks")
    parser.add_argument("--iterations", type=int, default=5, help="attempts at most")
    parser.add_argument("--strategies", default="fresh,repair,lesson,repair+fresh", help="loops to compare")
    parser.add_argument("--out", type=Path, help="keep every run in this folder, and go on where it was interrupted")
    args = parser.parse_args()
    console = Console(width=200)
    tasks = load_tasks(args.dataset, args.limit)
    loops = [Condition("external_loop", cast(Any, tuple(names.split("+")))) for names in args.strategies.split(",")]
    with open_model(args.model, slots=CONCURRENCY) as model, Progress(console=console, transient=True) as bar:
        lines: dict[str, TaskID] = {}

        def tell(title: str, done: int, total: int) -> None:
            if title not in lines:
                lines[title] = bar.add_task(title, total=total)
            bar.update(lines[title], completed=done)

        comparison = evaluate(
            tasks,
            model,
            modes=loops,
            max_attempts=args.iterations,
            concurrency=CONCURRENCY,
            save=args.out,
            on_progress=tell,
        )
    show(
        console, comparison, f"{args.model or 'default model'}, {len(tasks)} tasks, {args.iterations} attempts at most"
    )


if __name__ == "__main__":
    main()
