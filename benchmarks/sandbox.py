"""What a verification costs: how long the caller waits with the pool warm and cold, and the processor time behind it.

    python benchmarks/sandbox.py

Target: 5 ms median from candidate to verdict with the pool warm. Processor time is that of the whole machine, less what
it takes when nothing happens: run it alone.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table
from thoughtgraph import PythonTests
from thoughtgraph.tools.sandbox import pool
from thoughtgraph.tools.sandbox.bubblewrap import interpreter

TASKS = Path(__file__).parent / "solving" / "tasks" / "functions.jsonl"
PAUSE = 0.25
"""Seconds between two candidates: less than a model takes to write one, more than a sandbox to start."""
_BESIDE = "import sys\n"
"""In front of tests: what they do with this module depends on their process."""


def milliseconds(call: Callable[[], object], repeats: int, pause: float = 0.0) -> list[float]:
    """How long each of some calls took, the first left out."""
    call()
    times: list[float] = []
    for _ in range(repeats):
        time.sleep(pause)
        started = time.perf_counter()
        call()
        times.append((time.perf_counter() - started) * 1000)
    return times


def busy() -> float:
    """Seconds of processor time that this machine has spent on anything, all cores together."""
    fields = [int(field) for field in Path("/proc/stat").read_text().splitlines()[0].split()[1:]]
    idle = fields[3] + fields[4]
    return (sum(fields) - idle) / os.sysconf("SC_CLK_TCK")


def processor_ms(call: Callable[[], object], repeats: int, pause: float) -> float:
    """Processor time a call, less what the machine does on its own."""
    started, clock = busy(), time.perf_counter()
    time.sleep(3)
    idle = (busy() - started) / (time.perf_counter() - clock)
    started, clock = busy(), time.perf_counter()
    for _ in range(repeats):
        call()
        time.sleep(pause)
    spent = busy() - started - idle * (time.perf_counter() - clock)
    return spent / repeats * 1000


def main() -> None:
    """Verify the reference solutions of our own tasks."""
    console = Console(width=120)
    rows = [json.loads(line) for line in TASKS.read_text(encoding="utf-8").splitlines()]
    kinds = {"apart": "", "together": _BESIDE}
    warm: dict[str, list[float]] = {kind: [] for kind in kinds}
    judged: dict[str, int] = dict.fromkeys(kinds, 0)
    for row in rows:
        for kind, first in kinds.items():
            verifier = PythonTests(first + row["visible_tests"] + "\n" + row["hidden_tests"])
            result = verifier.run(row["reference"])
            assert result.status == "passed", (row["task_id"], result)
            judged[result.judged] += 1
            warm[kind] += milliseconds(lambda v=verifier, r=row: v.run(r["reference"]), 3, PAUSE)
    verifier = PythonTests(rows[0]["visible_tests"])
    reference = rows[0]["reference"]
    spent = processor_ms(lambda: verifier.run(reference), 40, PAUSE)
    cold = milliseconds(lambda: _cold(verifier, reference), 20)
    bare_command = [interpreter(), "-I", "-S", "-c", ""]
    bare = statistics.median(milliseconds(lambda: subprocess.run(bare_command, check=True), 20))
    bare_spent = processor_ms(lambda: subprocess.run(bare_command, check=True), 40, 0.02)
    table = Table("what", "median ms", "90 %", "× a bare start of the interpreter")
    for kind, times in warm.items():
        table.add_row(
            f"pool warm, tests {kind} ({len(times)} runs)",
            f"{statistics.median(times):.1f}",
            f"{statistics.quantiles(times, n=10)[-1]:.1f}",
            f"{statistics.median(times) / bare:.1f}",
        )
    table.add_row("no sandbox waits", f"{statistics.median(cold):.1f}", "", f"{statistics.median(cold) / bare:.1f}")
    table.add_row("bare start of the interpreter", f"{bare:.1f}", "", "1.0")
    table.add_row(
        "processor time a candidate, the next sandbox included", f"{spent:.1f}", "", f"{spent / bare_spent:.1f}"
    )
    table.add_row("processor time of a bare start", f"{bare_spent:.1f}", "", "1.0")
    console.print(table)
    console.print(f"references judged: {judged}")


def _cold(verifier: PythonTests, reference: str) -> None:
    before, pool._pool = pool._pool, pool.Pool(spare=0)  # pyright: ignore[reportPrivateUsage]
    try:
        verifier.run(reference)
    finally:
        pool._pool.close()  # pyright: ignore[reportPrivateUsage]
        pool._pool = before  # pyright: ignore[reportPrivateUsage]


if __name__ == "__main__":
    main()
