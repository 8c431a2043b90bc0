"""A batch of very many tasks that take no time: what the driver holds, and how many runs a second there are."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

from places import ray_cluster
from thoughtgraph.evaluation import RayBackend, Task, astream_many

TASKS, WORKERS = 100_000, 2


def held() -> float:
    """The megabytes that this process holds."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def tasks(count: int) -> Iterator[Task]:
    """So many tasks, made when their turn comes."""
    return (Task(f"t{number}", f"Task t{number}.") for number in range(count))


async def streamed(count: int, backend: RayBackend | None) -> None:
    """Print how it goes, in ten steps."""
    started = time.perf_counter()
    done = 0
    memory: list[float] = []
    async for _ in astream_many("import:stand_ins:instant", tasks(count), backend=backend, concurrency=16):
        done += 1
        if done == count // 10:
            started = time.perf_counter()
        if done % (count // 10) == 0:
            memory.append(held())
    rate = (count - count // 10) / (time.perf_counter() - started)
    where = f"{WORKERS} workers" if backend else "this process"
    print(f"{where}: {rate:.0f} runs/s; the driver holds {', '.join(f'{each:.0f}' for each in memory)} MB")


def measure(share: float) -> None:
    """Print both rates."""
    count = max(1_000, round(TASKS * share))
    asyncio.run(streamed(max(1_000, count // 10), None))
    with ray_cluster(1, WORKERS):
        asyncio.run(streamed(count, RayBackend(address="auto", workers=WORKERS)))
