"""How runs a second grow with the workers, and what a run costs more than in this process."""

from __future__ import annotations

import asyncio
import time
from contextlib import aclosing
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from places import postgres_server, ray_cluster
from thoughtgraph.evaluation import BatchStatus, RayBackend, Task, asolve_many, astream_many

SECONDS = 0.2
IN_FLIGHT = 4


def memory(name: str) -> float:
    """The megabytes that a worker holds for itself, without what it shares."""
    path = Path(f"/proc/{name.rpartition(':')[2]}/smaps_rollup")
    lines = path.read_text().splitlines() if path.exists() else []
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1024


async def measured(seconds: float, workers: int, database: str | None) -> tuple[float, float]:
    """Runs a second over so many seconds in which all workers work, and megabytes a worker."""
    latest: list[BatchStatus] = []
    backend = RayBackend(
        address="auto",
        workers=workers,
        in_flight=IN_FLIGHT,
        on_status=lambda status: latest.__setitem__(slice(None), [status]),
        checkpoints=database,
        batch=f"w{workers}",
    )
    started, done, rate, held = 0.0, 0, 0.0, 0.0
    endless = (Task(f"t{number}", f"Task t{number}.") for number in count())
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        async with aclosing(astream_many("import:stand_ins:waiting", endless, backend=backend, save=folder)) as results:
            async for _ in results:
                if started:
                    done += 1
                    if time.perf_counter() > started + seconds:
                        rate = done / (time.perf_counter() - started)
                        held = max(map(memory, latest[0].running))
                        break
                elif all(latest[0].running.values()) and len(latest[0].running) == workers:
                    started = time.perf_counter()
    return rate, held


def measure(share: float) -> None:
    """Print the table."""
    tasks, seconds = max(40, round(400 * share)), max(5.0, 60 * share)
    batch = [Task(f"t{number}", f"Task t{number}.") for number in range(tasks)]
    asyncio.run(asolve_many("import:stand_ins:instant", batch[:1]))  # what is loaded once
    here_from = time.perf_counter()
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        asyncio.run(asolve_many("import:stand_ins:waiting", batch, concurrency=IN_FLIGHT, save=folder))
    here = tasks / (time.perf_counter() - here_from)
    print(f"a model of {SECONDS * 1000:.0f} ms, {IN_FLIGHT} runs in flight; ideal {IN_FLIGHT / SECONDS:.0f} a second")
    print(f"this process: {here:6.1f} runs/s, {here * SECONDS / IN_FLIGHT:4.0%} of ideal")
    with ray_cluster(2, 4), postgres_server() as database:
        for kept in (None, database):
            for workers in (1, 2, 4, 8):
                rate, held = asyncio.run(measured(seconds, workers, kept))
                ideal = workers * IN_FLIGHT / SECONDS
                where = "with PostgreSQL" if kept else "on Ray"
                said = f"{rate:6.1f} runs/s, {rate / ideal:4.0%} of ideal, {held:.0f} MB a worker"
                print(f"{where}, {workers} workers: {said}", flush=True)
