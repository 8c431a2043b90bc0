"""Many runs at once: on one event loop, in threads, in processes, and all of them on one SQLite file."""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import sqlite3
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "engine"))

from concurrent_runs import SECONDS, SELDOM, SHARE_TARGET
from load_child import Child, Found, held, leftovers
from load_model import ATTEMPTS, Seen, TaggedModel, answer, build, given, wrong_with
from thoughtgraph import open_checkpoints, open_failure_memory
from thoughtgraph.tools.agenda import Agenda

ALONE = 20


def waited() -> float:
    """Seconds that this thread was ready to run while the machine ran something else."""
    return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9


async def _runs(loop: str, graph: Any, tags: list[str]) -> list[Any]:
    tasks = [asyncio.create_task(graph.ainvoke(given(loop, tag))) for tag in tags]
    return await asyncio.gather(*tasks, return_exceptions=True)


def at_once(loop: str, count: int) -> Found:
    """So many runs of one graph object on one event loop; the ideal is that of benchmarks/engine."""
    seen = Seen()
    graph = build(loop, TaggedModel(seen), seen)
    gc.set_threshold(*SELDOM)
    with asyncio.Runner() as runner:
        runner.run(_runs(loop, graph, ["warm"]))
        gc.collect()
        # As many that do not wait, one after the other: what a run computes, and how many calls it makes.
        started, called = time.process_time(), seen.calls
        for number in range(ALONE):
            runner.run(_runs(loop, graph, [f"alone{number}"]))
        computing, calls = (time.process_time() - started) / ALONE, (seen.calls - called) / ALONE
        seen = Seen()
        graph = build(loop, TaggedModel(seen, seconds=SECONDS), seen)
        gc.collect()
        before, share = held(), 0.0
        ideal = max(calls * SECONDS, count * computing)
        tags, results = list[str](), list[Any]()
        # What else the machine does can only take from the throughput: the best of three is the loop's own.
        for number in range(3):
            these = [f"r{number}x{run}" for run in range(count)]
            started, ready = time.perf_counter(), waited()
            results += runner.run(_runs(loop, graph, these))
            wall = time.perf_counter() - started - (waited() - ready)
            tags += these
            share = max(share, ideal / wall)
            if share >= SHARE_TARGET:
                break
        tasks = runner.run(_others())
        left = leftovers(before, 2)
    broke = [f"{loop} #{t}#: {r!r}"[:300] for t, r in zip(tags, results, strict=True) if isinstance(r, BaseException)]
    for tag, result in zip(tags, results, strict=True):
        if isinstance(result, dict):
            broke += wrong_with(loop, tag, result, seen)
    broke += [f"{loop}: left {thing}" for thing in [*tasks, *left]] + [f"{loop}: {mix}" for mix in seen.mixed[:5]]
    if share < SHARE_TARGET:
        broke.append(f"{loop}, {count:,} at once: {share:.0%} of the ideal throughput, {ideal:.2f} s")
    if seen.most < count * 0.5:
        broke.append(f"{loop}: only {seen.most} of {count} were in a call at once")
    return Found(len(tags), broke, {"share": f"{loop} {share:.0%}, {count * share / ideal:.0f}/s", "most": seen.most})


async def _others() -> list[str]:
    return [f"task {task.get_name()}" for task in asyncio.all_tasks() if task is not asyncio.current_task()]


def in_threads(loop: str, count: int, threads: int) -> Found:
    """Sync runs in threads that share one graph and one SQLite file; every checkpoint can be read afterwards."""
    seen, broke = Seen(), list[str]()
    path = Path(mkdtemp()) / "runs.sqlite"
    before = held()
    tags = [f"t{number}" for number in range(count)]
    gate = threading.Barrier(min(threads, count))
    with open_checkpoints(path) as checkpointer:
        graph = build(loop, TaggedModel(seen, seconds=0.002), seen, checkpointer=checkpointer)

        def one(number: int) -> None:
            tag = tags[number]
            if number < gate.parties:
                gate.wait(30)
            try:
                result = graph.invoke(given(loop, tag), thread_of(tag))
            except Exception as error:  # noqa: BLE001 - counted
                broke.append(f"{loop} #{tag}#: {type(error).__name__}: {error}")
                return
            broke.extend(wrong_with(loop, tag, result, seen))

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(one, range(count)))
    broke += [f"{loop}: {mix}" for mix in seen.mixed[:5]]
    broke += [f"{loop}, threads: left {thing}" for thing in leftovers(before, 2)]
    broke += unlike(loop, path, tags, seen)
    return Found(count, broke, {"most": seen.most})


def thread_of(tag: str) -> Any:
    """The configuration of the run of a tag."""
    return {"configurable": {"thread_id": tag}}


def unlike(loop: str, path: Path, tags: list[str], seen: Seen) -> list[str]:
    """What a file of checkpoints holds of runs that have ended, where it is not what they ended with."""
    with closing(sqlite3.connect(path)) as db:
        said = db.execute("PRAGMA integrity_check").fetchone()[0]
    broke = [] if said == "ok" else [f"{path.name}: {said}"]
    with open_checkpoints(path) as checkpointer:
        graph = build(loop, TaggedModel(seen), seen, checkpointer=checkpointer)
        for tag in tags:
            state = graph.get_state(thread_of(tag))
            wrong = wrong_with(loop, tag, state.values, seen)
            broke += [f"kept {what}" for what in wrong] + (
                [f"kept {loop} #{tag}# before its end"] if state.next else []
            )
    return broke


KEPT = ("checkpoints", "agenda", "failures")


def _open_and_write(kind: str, path: Path, name: str) -> list[str]:
    """One process's part of a round: open the file that is not there yet, and write."""
    if kind == "checkpoints":
        seen = Seen()
        with open_checkpoints(path) as checkpointer:
            graph = build("external_loop", TaggedModel(seen), seen, checkpointer=checkpointer)
            result = graph.invoke(given("external_loop", name), thread_of(name))
        return wrong_with("external_loop", name, result, seen)
    if kind == "agenda":
        with Agenda(path) as agenda:
            agenda.run("/todo add from all", key="all")
            agenda.run(f"/todo add from {name}", key=name)
        return []
    with open_failure_memory(path) as memory:
        memory.remember([_lesson("all"), _lesson(name)])
    return []


def _lesson(name: str) -> Any:
    words = {"task": f"task of {name}", "kind": "failed", "error": "no", "lesson": f"learned by {name}", "fix": ""}
    return {**words, "key": "", "evidence": [], "time": "2026-01-01T00:00:00+00:00", "similarity": 0.0}


def _rounds(kind: str, folder: str, name: str, rounds: int, gate: Any) -> Found:
    broke: list[str] = []
    for number in range(rounds):
        gate.wait(30)
        try:
            wrong = _open_and_write(kind, Path(folder) / str(number), name)
        except Exception as error:  # noqa: BLE001 - counted
            wrong = [f"{type(error).__name__}: {str(error)[:200]}"]
        broke += [f"{kind}, round {number}, process {name}: {what}" for what in wrong]
    return Found(rounds, broke)


def in_processes(kind: str, rounds: int, processes: int, seconds: float) -> Found:
    """Processes that open one new file at the same moment, again and again, each with something to write."""
    with TemporaryDirectory() as folder:
        gate = multiprocessing.get_context("fork").Barrier(processes)
        names = [f"p{number}" for number in range(processes)]
        children = [Child(_rounds, kind, folder, name, rounds, gate) for name in names]
        found = [child.found(seconds) for child in children]
        broke = [line for one in found for line in one.broke]
        broke += (
            [line for n in range(rounds) for line in _lost(kind, Path(folder) / str(n), names)] if not broke else []
        )
    return Found(rounds * processes, broke)


def _lost(kind: str, path: Path, names: list[str]) -> list[str]:
    if kind == "checkpoints":
        seen = Seen()
        seen.effects = {name: Counter(f"None {answer(name, n + 1)}" for n in range(ATTEMPTS)) for name in names}
        return unlike("external_loop", path, names, seen)
    wanted = sorted(["all", *names])
    if kind == "agenda":
        with Agenda(path) as agenda:
            kept = sorted(todo.text.removeprefix("from ") for todo in agenda.todos())
    else:
        with open_failure_memory(path) as memory:
            kept = sorted(lesson["task"].removeprefix("task of ") for lesson in memory.lessons())
    return [] if kept == wanted else [f"{kind}, file {path.name}: kept {kept}"]
