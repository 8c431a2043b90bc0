"""Many runs at once on one event loop, of a task of three steps, with a model that takes 50 ms a call.

Two bounds hold whatever the engine. The model: all runs wait at the same time, so the wall time is at least one run's
calls × 50 ms. The core: one event loop computes on one core, so it is at least the runs × what one run computes,
measured as processor time of runs one after the other whose model does not wait. The larger of the two is the ideal;
its share is the ideal wall time over the measured one. What is lost is what running side by side costs in itself, and
on a busy machine what other processes take; the core bound over the processor time spent shows the former alone. It may
pass 100 %: a busy event loop asks the system less often what is ready.

Much of the loss is Python's garbage collector, which again and again walks over what all runs hold. So everything is
measured twice: as Python starts, and with a collector that starts at 50,000 new objects instead of 700.
"""

from __future__ import annotations

import asyncio
import gc
import time
from dataclasses import dataclass
from typing import Any

from engines import ENGINES, Engine
from instant import InstantModel, start_script
from rich.console import Console
from rich.table import Table

STEPS, SECONDS = 3, 0.05
SHARE_TARGET = 0.8
SELDOM = (50_000, 20, 100)
_ALONE = 10


@dataclass(frozen=True)
class _Measured:
    """Processor seconds of a run on its own; wall, processor and collector seconds of all runs together."""

    alone: float
    wall: float
    spent: float
    collecting: float


async def _one(engine: Engine, graph: Any, salt: str) -> None:
    start_script(engine.script(STEPS, salt))
    result = await graph.ainvoke(engine.input(salt))
    assert engine.steps_made(result) == STEPS, engine.name


async def _measured(engine: Engine, count: int) -> _Measured:
    graph = engine.build(InstantModel(), STEPS, None, asynchronous=True)
    await _one(engine, graph, "first")
    gc.collect()
    started = time.process_time()
    for number in range(_ALONE):
        await _one(engine, graph, f"alone {number}")
    alone = (time.process_time() - started) / _ALONE
    graph = engine.build(InstantModel(seconds=SECONDS), STEPS, None, asynchronous=True)
    gc.collect()
    ticks: list[float] = []

    def collected(phase: str, info: Any) -> None:
        ticks.append(time.process_time())

    gc.callbacks.append(collected)
    started, computing = time.perf_counter(), time.process_time()
    # Each run is a task with a context, and so a script, of its own.
    await asyncio.gather(*(asyncio.create_task(_one(engine, graph, f"together {number}")) for number in range(count)))
    wall, spent = time.perf_counter() - started, time.process_time() - computing
    gc.callbacks.remove(collected)
    return _Measured(alone, wall, spent, sum(ticks[1::2]) - sum(ticks[::2]))


def measure_concurrent(count: int, console: Console) -> list[str]:
    """Print the table; returns the targets that were missed."""
    table = Table(
        "engine", "collector", "calls", "CPU ms a run", "model bound s", "core bound s", "wall s", "CPU s", "of it GC",
        "runs/s", "model bound / wall", "ideal / wall", "core bound / CPU", title=f"{count:,} runs at once",
    )  # fmt: skip
    missed: list[str] = []
    usual = gc.get_threshold()
    for engine in ENGINES:
        calls = len(engine.script(STEPS, ""))
        for collector, threshold in (("usual", usual), ("seldom", SELDOM)):
            gc.set_threshold(*threshold)
            with console.status(f"{count:,} runs of {engine.name}"):
                got = asyncio.run(_measured(engine, count))
            waiting, computing = calls * SECONDS, count * got.alone
            share = max(waiting, computing) / got.wall
            table.add_row(
                engine.name, collector, str(calls), f"{got.alone * 1000:.1f}", f"{waiting:.2f}", f"{computing:.2f}",
                f"{got.wall:.2f}", f"{got.spent:.2f}", f"{got.collecting:.2f}", f"{count / got.wall:.0f}",
                f"{waiting / got.wall:.0%}", f"{share:.0%}", f"{computing / got.spent:.0%}",
            )  # fmt: skip
            if engine is ENGINES[0] and share < SHARE_TARGET:
                missed.append(f"{count:,} runs at once, collector {collector}: {share:.0%} of the ideal throughput")
    gc.set_threshold(*usual)
    console.print(table)
    return missed
