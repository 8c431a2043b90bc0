"""What the engine itself costs, beside two other ways to run the loop: time and bytes a step, and many runs at once.

    python benchmarks/engine/run.py            some minutes, and 1.5 GB in the temporary folder
    python benchmarks/engine/run.py --quick    under 20 seconds

A step is a thought, its tool call, the observation, the checks and the trace; model and tool are instant. The engines
take turns; times are medians over the rounds, ratios medians of the ratios of each round. Time of a run is divided by
its steps, so what a run does once (plan, replan, report) is in it. Where nothing waits it is processor time, which a
busy machine disturbs less; on a file it is wall time, most of it the disk's.

thoughtgraph    `create_plan_act_graph`
by hand         the same loop as a competent user would write it on LangGraph, see by_hand.py
create_agent    `langchain.agents.create_agent`, tool calls instead of JSON, no checks and no trace

Targets: 1.5 × by hand, 0.5 × create_agent, flat from 20 to 1,000 steps; 1,000 steps at most 11 × the bytes of 100; 80 %
of the ideal throughput of one core.
"""

from __future__ import annotations

import argparse
import gc
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from concurrent_runs import measure_concurrent
from engines import ENGINES, Engine
from instant import InstantModel, start_script
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from rich.console import Console
from rich.table import Table

BY_HAND_TARGET, AGENT_TARGET, FLAT_TARGET, BYTES_TARGET = 1.5, 0.5, 1.1, 11.0


@dataclass(frozen=True)
class Extent:
    """How much is measured; rounds by number of steps."""

    rounds: dict[int, int]
    file_rounds: dict[int, int]
    bytes_after: tuple[int, int]
    concurrent: int


FULL = Extent({20: 15, 200: 7, 1000: 5}, {20: 5, 200: 3, 1000: 1}, (100, 1000), 1000)
QUICK = Extent({20: 3, 100: 3}, {20: 1}, (5, 50), 60)


@dataclass(frozen=True)
class Run:
    """One run: milliseconds a step, and the bytes of its database where it had one."""

    milliseconds: float
    stored: int


Runs = dict[tuple[str, str, int], list[Run]]
"""By keeper, engine and number of steps, in the order of the rounds."""

KEEPERS = ("no checkpointer", "InMemorySaver", "SqliteSaver", "SqliteSaver, durability sync")
ON_FILE = KEEPERS[2:]


@contextmanager
def opened(keeper: str, folder: Path) -> Generator[Any]:
    """The checkpointer of that name, on a file of its own."""
    if keeper == KEEPERS[0]:
        yield None
    elif keeper == KEEPERS[1]:
        yield InMemorySaver()
    else:
        with closing(sqlite3.connect(folder / "runs.sqlite", check_same_thread=False)) as connection:
            saver = SqliteSaver(connection)
            saver.setup()
            yield saver


def run_once(engine: Engine, keeper: str, steps: int) -> Run:
    """One run on fresh parts; building the graph and opening the file do not count."""
    salt = uuid4().hex[:8]
    options: dict[str, Any] = {"durability": "sync"} if keeper == KEEPERS[3] else {}
    config: Any = {"configurable": {"thread_id": salt}, "recursion_limit": 10 * steps + 100}
    with tempfile.TemporaryDirectory() as folder:
        with opened(keeper, Path(folder)) as checkpointer:
            graph = engine.build(InstantModel(), steps, checkpointer)
            start_script(engine.script(steps, salt))
            gc.collect()
            clock = time.perf_counter if keeper in ON_FILE else time.process_time
            started = clock()
            result = graph.invoke(engine.input(salt), config, **options)
            taken = clock() - started
        # Closing the connection has moved the log into the file.
        stored = sum(file.stat().st_size for file in Path(folder).iterdir())
    assert engine.steps_made(result) == steps, (engine.name, keeper, steps)
    return Run(taken * 1000 / steps, stored)


def measure(extent: Extent, console: Console) -> Runs:
    """Every engine with every checkpointer at every length, the engines taking turns."""
    runs: Runs = {}
    for engine in ENGINES:
        run_once(engine, KEEPERS[0], 20)
    for keeper in KEEPERS:
        for steps, rounds in (extent.file_rounds if keeper in ON_FILE else extent.rounds).items():
            for number in range(rounds):
                with console.status(f"{keeper}, {steps} steps, round {number + 1} of {rounds}"):
                    for engine in ENGINES:
                        runs.setdefault((keeper, engine.name, steps), []).append(run_once(engine, keeper, steps))
    return runs


def ratio(runs: Sequence[Run], others: Sequence[Run]) -> float:
    """The median of the ratios of the rounds, which a machine that slows down for a while does not move."""
    pairs = zip(runs, others, strict=True)
    return statistics.median(run.milliseconds / other.milliseconds for run, other in pairs)


def milliseconds(runs: Sequence[Run]) -> float:
    """The median time of a step."""
    return statistics.median(run.milliseconds for run in runs)


def show_times(runs: Runs, console: Console) -> list[str]:
    """Print the times; returns the targets that were missed."""
    ours, by_hand, agent = (engine.name for engine in ENGINES)
    table = Table("checkpointer", "steps", *(f"{engine.name} ms" for engine in ENGINES), "× by hand", "× create_agent")
    missed: list[str] = []
    for keeper, steps in dict.fromkeys((keeper, steps) for keeper, _, steps in runs):
        cells = [f"{milliseconds(runs[keeper, engine.name, steps]):.2f}" for engine in ENGINES]
        to_hand = ratio(runs[keeper, ours, steps], runs[keeper, by_hand, steps])
        to_agent = ratio(runs[keeper, ours, steps], runs[keeper, agent, steps])
        table.add_row(keeper, f"{steps:,}", *cells, f"{to_hand:.2f}", f"{to_agent:.2f}")
        if to_hand > BY_HAND_TARGET:
            missed.append(f"{keeper}, {steps:,} steps: {to_hand:.2f} × by hand")
        if to_agent > AGENT_TARGET:
            missed.append(f"{keeper}, {steps:,} steps: {to_agent:.2f} × create_agent")
    console.print(table)
    growth = Table("checkpointer", *(f"{engine.name}, longest / shortest" for engine in ENGINES))
    for keeper in KEEPERS:
        lengths = [steps for kept, name, steps in runs if kept == keeper and name == ours]
        if len(lengths) < 2:
            continue
        grown = {
            engine.name: milliseconds(runs[keeper, engine.name, max(lengths)])
            / milliseconds(runs[keeper, engine.name, min(lengths)])
            for engine in ENGINES
        }
        growth.add_row(keeper, *(f"{value:.2f}" for value in grown.values()))
        if grown[ours] > FLAT_TARGET:
            missed.append(f"{keeper}: {grown[ours]:.2f} × the time a step in the longest run")
    console.print(growth)
    return missed


def show_bytes(extent: Extent, runs: Runs, console: Console) -> list[str]:
    """Print what the runs leave on disk; returns the targets that were missed."""
    few, many = extent.bytes_after
    table = Table("SQLite file", f"KB after {few:,} steps", f"KB after {many:,} steps", "×", "KB a step")
    missed: list[str] = []
    for engine in ENGINES:
        known = {steps: runs[KEEPERS[2], engine.name, steps][0].stored for steps in extent.file_rounds}
        short, long = (known.get(steps) or run_once(engine, KEEPERS[2], steps).stored for steps in (few, many))
        growth, kilobytes = long / short, long / many / 1000
        table.add_row(engine.name, f"{short / 1000:,.0f}", f"{long / 1000:,.0f}", f"{growth:.1f}", f"{kilobytes:.1f}")
        if engine is ENGINES[0] and growth > BYTES_TARGET:
            missed.append(f"{growth:.1f} × the bytes for {many / few:.0f} × the steps")
    console.print(table)
    return missed


def main() -> None:
    """Parse the arguments, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="short runs, few rounds")
    extent = QUICK if parser.parse_args().quick else FULL
    console = Console(width=160)
    runs = measure(extent, console)
    missed = show_times(runs, console)
    missed += show_bytes(extent, runs, console)
    missed += measure_concurrent(extent.concurrent, console)
    console.print("missed targets:", *(missed or ["none"]), sep="\n  ", soft_wrap=True, highlight=False)


if __name__ == "__main__":
    main()
