"""Runs one after the other in one process: nothing may grow with their number, and none may be slower than before."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import time
import tracemalloc
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from tempfile import mkdtemp
from typing import Any

from load_child import Found, held, leftovers
from load_concurrent import thread_of
from load_model import LOOPS, Seen, TaggedModel, build, given, wrong_with
from support.scripted import ScriptedModel, code
from thoughtgraph import PythonTests, create_reflection_graph, open_checkpoints

SAMPLES = 16
OBJECTS_A_RUN, BYTES_A_RUN, SLOWER = 0.1, 300, 1.25
# What the allocator gives back late, whatever is running.
NOISE_BYTES = 2_000_000


@dataclass(frozen=True)
class Sample:
    """The process after so many runs."""

    runs: int
    objects: int
    resident: int
    traced: int
    files: int
    threads: int
    spent: float


def _caches() -> list[Any]:
    """Every cache of the library."""
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("thoughtgraph")]
    found = [value for module in modules for value in vars(module).values() if hasattr(value, "cache_info")]
    return list({id(cache): cache for cache in found}.values())


def _unbounded() -> dict[str, int]:
    """How full the caches are that nothing bounds."""
    return {cache.__name__: cache.cache_info().currsize for cache in _caches() if cache.cache_info().maxsize is None}


def _sample(runs: int) -> Sample:
    # What is bounded fills up over the first thousands of runs, which is no growth. What is not bounded stays.
    for cache in _caches():
        if cache.cache_info().maxsize is not None:
            cache.cache_clear()
    gc.collect()
    now = held()
    resident = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    traced = tracemalloc.get_traced_memory()[0] if tracemalloc.is_tracing() else 0
    return Sample(
        runs, len(gc.get_objects()), resident, traced, len(now.files), len([*Path("/proc/self/task").iterdir()]),
        time.process_time(),
    )  # fmt: skip


def in_sequence(what: str, count: int) -> Found:
    """So many runs of all loops, sync and async in turn, on one process.

    Args:
        what: "plain", "sqlite" (a checkpointer; each run a thread, deleted behind it), "traced" (every byte that
            Python has allocated is counted) or "sandbox" (code runs under tests, half of it beside its tests).
        count: of runs.
    """
    broke: list[str] = []
    samples: list[Sample] = []
    warm = max(20, count // 5)
    every = max(1, count // SAMPLES)
    with ExitStack() as stack:
        one = _sandboxed if what == "sandbox" else stack.enter_context(_Runs(what == "sqlite")).one
        runner = stack.enter_context(asyncio.Runner())
        if what == "traced":
            tracemalloc.start()
        before, full = None, dict[str, int]()
        for number in range(warm + count):
            if number == warm:
                gc.collect()
                before, full = held(), _unbounded()
            if number >= warm and (number - warm) % every == 0:
                samples.append(_sample(number - warm))
            broke += one(number, runner)
            if len(broke) > 20:
                break
        samples.append(_sample(count))
        if before:
            broke += [f"{what}: left {thing}" for thing in leftovers(before, 2)]
    broke += [
        f"{what}: the cache {name} grew to {size}" for name, size in _unbounded().items() if size != full.get(name)
    ]
    figures = _grown(samples)
    broke += [f"{what}: {line}" for line in _too_much(samples, figures)]
    return Found(warm + count, broke, figures)


class _Runs:
    """All loops in turn, now sync and now async; their graphs are built anew from time to time."""

    def __init__(self, saves: bool) -> None:
        self._stack = ExitStack()
        self._seen = Seen()
        self._model = TaggedModel(self._seen)
        self._graphs: dict[str, Any] = {}
        path = Path(mkdtemp()) / "runs.sqlite" if saves else None
        self._saver = self._stack.enter_context(open_checkpoints(path)) if path else None

    def __enter__(self) -> _Runs:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def one(self, number: int, runner: asyncio.Runner) -> list[str]:
        """A run, and what was wrong with it."""
        if number % 100 == 0:
            self._graphs = {loop: build(loop, self._model, self._seen, checkpointer=self._saver) for loop in LOOPS}
        loop, tag = LOOPS[number % len(LOOPS)], f"s{number}"
        graph, config = self._graphs[loop], thread_of(tag) if self._saver else None
        if number // len(LOOPS) % 2:
            result = runner.run(graph.ainvoke(given(loop, tag), config))
        else:
            # The verifier is async: a sync run starts an event loop in a thread for each of its verdicts.
            result = graph.invoke(given(loop, tag), config)
        wrong = wrong_with(loop, tag, result, self._seen) + self._seen.mixed
        self._seen.effects.clear()
        if self._saver:
            self._saver.delete_thread(tag)
        return wrong


_CODES = (
    code("def double(x):\n    return x + 1  # {number}"),
    code("def double(x):\n    return x * 2  # {number}"),
)
# A test that asks for a type runs beside the code where that gives an object of its own.
_BESIDE = code("class Two(int): pass\n\ndef double(x):\n    return Two(x * 2)  # {number}")


def _sandboxed(number: int, runner: asyncio.Runner) -> list[str]:
    replies = [text.replace("{number}", str(number)) for text in (_CODES[0], _BESIDE if number % 2 else _CODES[1])]
    verifier = PythonTests("assert type(double(2)) and double(2) == 4")
    graph = create_reflection_graph(actor=ScriptedModel(replies=replies), verifier=verifier)
    task = {"task": f"Write `double(x)`, number {number}."}
    result = runner.run(graph.ainvoke(task)) if number % 4 > 1 else graph.invoke(task)
    return [] if result["verdict"] == "passed" else [f"sandbox, run {number}: {result['stop_reason']}"]


def _grown(samples: list[Sample]) -> dict[str, Any]:
    """From the second quarter to the last one, a run; and the processor time a run at the start and at the end."""
    quarter = max(1, len(samples) // 4)
    early, late = samples[quarter : 2 * quarter], samples[-quarter:]
    runs = fmean(s.runs for s in late) - fmean(s.runs for s in early) or 1

    def a_run(name: str) -> float:
        return (fmean(getattr(s, name) for s in late) - fmean(getattr(s, name) for s in early)) / runs

    first, last = samples[: quarter + 1], samples[-quarter - 1 :]
    paces = [(part[-1].spent - part[0].spent) / max(1, part[-1].runs - part[0].runs) for part in (first, last)]
    grown = {name: a_run(name) for name in ("objects", "resident", "traced", "files", "threads")}
    return {**grown, "runs": runs, "first": paces[0], "last": paces[1], "megabytes": samples[-1].resident / 1e6}


def _too_much(samples: list[Sample], grown: dict[str, Any]) -> list[str]:
    broke: list[str] = []
    if grown["objects"] * grown["runs"] > max(OBJECTS_A_RUN * grown["runs"], 200):
        broke.append(f"{grown['objects']:.2f} more objects a run")
    allowed = max(BYTES_A_RUN * grown["runs"], NOISE_BYTES)
    if grown["resident"] * grown["runs"] > allowed:
        broke.append(f"{grown['resident']:.0f} bytes of memory more a run")
    if grown["traced"] * grown["runs"] > max(BYTES_A_RUN * grown["runs"], 50_000):
        broke.append(f"{grown['traced']:.0f} bytes allocated more a run")
    for name in ("files", "threads"):
        counts = [getattr(sample, name) for sample in samples[1:]]
        if counts[-1] > min(counts[: max(1, len(counts) // 4)]) + (6 if name == "threads" else 0):
            broke.append(f"{name} went from {counts[0]} to {counts[-1]}")
    if grown["last"] > grown["first"] * SLOWER:
        broke.append(f"{grown['first'] * 1000:.1f} ms a run at the start, {grown['last'] * 1000:.1f} ms at the end")
    return broke
