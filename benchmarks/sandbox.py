"""What a verification costs in each tier, beside a bare start of the interpreter.

    python benchmarks/sandbox.py

Target: 2 ms median for a candidate that the first tier can run, all told.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table
from thoughtgraph import Limits, PythonTests
from thoughtgraph.tools.bubblewrap_tier import run_in_bubblewrap
from thoughtgraph.tools.checks import compile_checks, definitions
from thoughtgraph.tools.contained import why_unavailable

TASKS = Path(__file__).parent / "solving" / "tasks.jsonl"


def median_ms(call: Callable[[], object], repeats: int) -> float:
    """The median of some calls, the first left out."""
    call()
    times: list[float] = []
    for _ in range(repeats):
        started = time.perf_counter()
        call()
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


def main() -> None:
    """Verify the reference solutions of our own tasks."""
    console = Console(width=120)
    rows = [json.loads(line) for line in TASKS.read_text(encoding="utf-8").splitlines()]
    tiers: Counter[str] = Counter()
    first: list[float] = []
    both: list[float] = []
    for row in rows:
        verifier = PythonTests(row["visible_tests"] + "\n" + row["hidden_tests"])
        result = verifier.run(row["reference"])
        assert result.status == "passed", (row["task_id"], result)
        tiers[result.tier] += 1
        taken = median_ms(lambda v=verifier, r=row: v(r["prompt"], r["reference"]), 10)
        (first if result.tier == "monty" else both).append(taken)
    bare = median_ms(lambda: subprocess.run([sys.executable, "-I", "-S", "-c", ""], check=True), 10)
    table = Table("what", "median ms", "× a bare interpreter start")
    table.add_row("bare interpreter start", f"{bare:.1f}", "1.0")
    table.add_row(f"first tier, all told ({len(first)} references)", f"{statistics.median(first):.2f}", "")
    table.add_row("  slowest of them", f"{max(first):.2f}", "")
    if both:
        table.add_row(f"escalated ({len(both)} references)", f"{statistics.median(both):.1f}", "")
    if why_unavailable() is None:
        code, checks = definitions(rows[0]["reference"]), compile_checks(rows[0]["visible_tests"])
        second = median_ms(lambda: run_in_bubblewrap(code, checks, Limits()), 10)
        table.add_row("second tier alone", f"{second:.1f}", f"{second / bare:.1f}")
    console.print(table)
    console.print(f"decided by: {dict(tiers)}")


if __name__ == "__main__":
    main()
