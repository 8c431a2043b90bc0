"""How much does the external loop solve, and what does it cost? Every strategy beside its controls, in one run.

    python benchmarks/solving/run.py --model local:qwen2.5-coder-0.5b
    python benchmarks/solving/run.py --dataset HumanEval.jsonl --limit 100 --strategies repair,fresh

Visible tests stop the loops, hidden tests score what comes out: an answer counts as solved if it passes both.

one shot        one attempt at temperature 0
best of N       N samples at the loop's temperature for every task, the best by visible tests taken; N is the smallest
                number that spends at least the tokens of the loop it is compared with, so the control is not starved
retry only      attempts until the visible tests pass, without a word of feedback: the strategy `fresh`
loop: A, B      the external loop with strategies A, then B
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from thoughtgraph import Limits, PythonTests, create_reflection_graph, open_model
from thoughtgraph.runtime.datasets import CodingTask, load_tasks

OWN_TASKS = Path(__file__).with_name("tasks.jsonl")
TEMPERATURE = 0.8
CONCURRENCY = 8
LIMITS = Limits(seconds=3.0)


@dataclass(frozen=True)
class Solved:
    """One task under one condition."""

    task_id: str
    accepted: bool
    """The visible tests passed, so a user would have taken the answer."""
    correct: bool
    """The hidden tests passed, too."""
    tokens: int
    input_tokens: int
    cached_tokens: int
    attempts: list[dict[str, Any]]


def is_correct(task: CodingTask, answer: str) -> bool:
    """Whether an answer passes visible and hidden tests."""
    tests = PythonTests(task.all_tests, entry_point=task.entry_point or None, limits=LIMITS)
    return bool(answer) and tests(task.prompt, answer).status == "passed"


def verifier_of(task: CodingTask) -> PythonTests | None:
    """The verifier a loop gets: the visible tests."""
    if not task.visible_tests:
        return None
    return PythonTests(task.visible_tests, entry_point=task.entry_point or None, limits=LIMITS)


async def solve(model: Any, task: CodingTask, strategies: Sequence[Any], iterations: int) -> Solved:
    """One task through the loop."""
    graph = create_reflection_graph(
        actor=model, verifier=verifier_of(task), max_iterations=iterations, strategies=strategies
    )
    result = await graph.ainvoke({"task": task.prompt})
    usage = result["usage"]
    kept = ("number", "strategy", "reply", "verdict", "score", "kind", "feedback", "repeats", "usage")
    return Solved(
        task.task_id,
        result["verdict"] == "passed",
        await asyncio.to_thread(is_correct, task, result["answer"]),
        usage["output_tokens"],
        usage["input_tokens"],
        usage["cached_tokens"],
        [{key: attempt[key] for key in kept} for attempt in result["attempts"]],
    )


async def condition(
    model: Any, tasks: Sequence[CodingTask], strategies: Sequence[Any], iterations: int, bar: Progress, name: str
) -> tuple[list[Solved], float]:
    """All tasks under one condition, some at a time."""
    slots = asyncio.Semaphore(CONCURRENCY)
    row = bar.add_task(name, total=len(tasks))

    async def one(task: CodingTask) -> Solved:
        async with slots:
            solved = await solve(model, task, strategies, iterations)
        bar.advance(row)
        return solved

    started = time.perf_counter()
    return list(await asyncio.gather(*map(one, tasks))), time.perf_counter() - started


async def samples(model: Any, tasks: Sequence[CodingTask], count: int, bar: Progress) -> list[list[Solved]]:
    """`count` independent samples of every task at the loop's temperature."""
    pool: list[list[Solved]] = []
    for number in range(count):
        sampled = model.bind(temperature=TEMPERATURE, seed=1000 + number)
        pool.append((await condition(sampled, tasks, ["fresh"], 1, bar, f"sample {number + 1}"))[0])
    return pool


def best_of(pool: Sequence[Sequence[Solved]], count: int) -> list[Solved]:
    """The best of the first `count` samples of each task by its visible tests; the earliest of equals."""
    chosen: list[Solved] = []
    for candidates in zip(*pool[:count], strict=True):
        best = max(candidates, key=lambda solved: (solved.accepted, max(a["score"] for a in solved.attempts)))
        attempts = [attempt for solved in candidates for attempt in solved.attempts]
        tokens = [sum(getattr(s, field) for s in candidates) for field in ("tokens", "input_tokens", "cached_tokens")]
        chosen.append(Solved(best.task_id, best.accepted, best.correct, *tokens, attempts))
    return chosen


def wilson(successes: int, n: int) -> tuple[float, float]:
    """95 % interval of a share (Wilson 1927)."""
    if n == 0:
        return 0.0, 1.0
    z, share = 1.96, successes / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)


def row_of(name: str, solved: Sequence[Solved], one_shot: Sequence[Solved], seconds: float | None) -> list[str]:
    """A line of the table."""
    n, right = len(solved), sum(s.correct for s in solved)
    low, high = wilson(right, n)
    before = {s.task_id: s.correct for s in one_shot}
    fixed = sum(s.correct and not before[s.task_id] for s in solved)
    broken = sum(before[s.task_id] and not s.correct for s in solved)
    false = sum(s.accepted and not s.correct for s in solved)
    tokens, sent = sum(s.tokens for s in solved), sum(s.input_tokens for s in solved)
    cached = sum(s.cached_tokens for s in solved) / sent if sent else 0.0
    return [
        name,
        f"{right}/{n}",
        f"{right / n:.0%} ({low:.0%}–{high:.0%})",
        f"+{fixed} −{broken}",
        str(false),
        f"{statistics.mean(len(s.attempts) for s in solved):.1f}",
        f"{tokens:,}",
        f"{tokens / right:,.0f}" if right else "–",
        f"{cached:.0%}",
        f"{seconds:.0f}" if seconds is not None else "–",
    ]


HEADERS = (
    "condition", "solved", "share (95 %)", "fixed/broken", "false accepts", "attempts", "tokens", "tokens/solved",
    "cached prompt", "seconds",
)  # fmt: skip


def show(console: Console, title: str, rows: Sequence[Sequence[str]]) -> None:
    """Print the table for a person, then as Markdown for the docs."""
    table = Table(*HEADERS, title=title)
    for row in rows:
        table.add_row(*row)
    console.print(table)
    lines = [HEADERS, ["---"] * len(HEADERS), *rows]
    console.print("\n".join("| " + " | ".join(line) + " |" for line in lines), soft_wrap=True, markup=False)


async def measure(model: Any, tasks: Sequence[CodingTask], args: argparse.Namespace, console: Console) -> None:
    """Run every condition and print the table."""
    combinations: list[list[str]] = [names.split("+") for names in args.strategies.split(",")]
    results: dict[str, tuple[list[Solved], float | None]] = {}
    with Progress(console=console, transient=True) as bar:
        results["one shot"] = await condition(model, tasks, ["fresh"], 1, bar, "one shot")
        for names in combinations:
            title = "retry only (fresh)" if names == ["fresh"] else f"loop: {', '.join(names)}"
            results[title] = await condition(model, tasks, names, args.iterations, bar, title)
            save(results, args.out)
        pool = await samples(model, tasks, args.iterations, bar)
    baseline = results["one shot"][0]
    for title in [name for name in results if name != "one shot"]:
        spent = sum(s.tokens for s in results[title][0])
        count = next(
            (k for k in range(1, len(pool) + 1) if sum(s.tokens for s in best_of(pool, k)) >= spent), len(pool)
        )
        results[f"best of {count} (≥ tokens of {title.removeprefix('loop: ')})"] = (best_of(pool, count), None)
    save(results, args.out)
    rows = [row_of(name, solved, baseline, taken) for name, (solved, taken) in results.items()]
    show(console, f"{args.model or 'default model'}, {len(tasks)} tasks, {args.iterations} attempts at most", rows)
    levels = sorted({task.level for task in tasks if task.level})
    for level in levels:
        ids = {task.task_id for task in tasks if task.level == level}
        shares = [
            f"{name} {sum(s.correct for s in solved if s.task_id in ids)}" for name, (solved, _) in results.items()
        ]
        console.print(f"{level} ({len(ids)}): " + "; ".join(shares), markup=False, soft_wrap=True)


def save(results: dict[str, tuple[list[Solved], float | None]], out: Path | None) -> None:
    """Keep every raw reply, so that a weak number can be read."""
    if out:
        out.parent.mkdir(parents=True, exist_ok=True)
        data = {name: [vars(solved) for solved in rows] for name, (rows, _) in results.items()}
        out.write_text(json.dumps(data, ensure_ascii=False, indent=1), encoding="utf-8")


def main() -> None:
    """Parse the arguments, open the model, measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="as for `thoughtgraph solve`; default: the embedded 0.5B")
    parser.add_argument("--dataset", type=Path, default=OWN_TASKS, help="JSONL of ours, HumanEval's or MBPP's shape")
    parser.add_argument("--limit", type=int, help="only the first so many tasks")
    parser.add_argument("--iterations", type=int, default=5, help="attempts at most")
    parser.add_argument("--strategies", default="fresh,repair,lesson,repair+fresh", help="loops to compare")
    parser.add_argument("--out", type=Path, help="keep every raw reply in this JSON file")
    args = parser.parse_args()
    console = Console(width=200)
    tasks = load_tasks(args.dataset, args.limit)
    with open_model(args.model, slots=CONCURRENCY) as model:
        asyncio.run(measure(model, tasks, args, console))


if __name__ == "__main__":
    main()
