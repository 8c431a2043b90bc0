"""Kills the program that drives a batch, starts it again, and counts what was done twice.

python benchmarks/cluster/restart.py ADDRESS DATABASE FOLDER TASKS   is that program
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import stand_ins
from places import PATHS, QUIET, postgres_server, ray_cluster
from thoughtgraph.evaluation import RayBackend, Task, aevaluate

RUNS, WORKERS = 400, 2


async def drive(database: str, folder: str, runs: int) -> None:
    """Run the batch, or go on with it."""
    tasks = [Task(f"t{number}", f"Task t{number}.") for number in range(runs)]
    backend = RayBackend(address="auto", workers=WORKERS, in_flight=8, checkpoints=database, batch="driver")
    judged = {"verifier": stand_ins.effect, "controls": False, "save": folder, "backend": backend}
    await aevaluate(tasks, "import:stand_ins:waiting", modes="actor_critic", **judged)


def lines(folder: Path) -> int:
    """How many results there are."""
    return sum(len(path.read_text().splitlines()) for path in folder.glob("*/results.jsonl"))


def measure(share: float) -> None:
    """Print how long it took to go on, and what was done twice."""
    runs = max(40, round(RUNS * share))
    with ExitStack() as stack:
        database, name = stack.enter_context(postgres_server()), stack.enter_context(TemporaryDirectory())
        os.environ["EFFECTS"] = database  # before Ray starts, whose workers inherit it
        cluster, folder = stack.enter_context(ray_cluster(1, WORKERS)), Path(name)
        with psycopg.connect(database, autocommit=True) as connection:
            for table in stand_ins.TABLES:
                connection.execute(table)
        command = [sys.executable, __file__, cluster.address, database, name, str(runs)]
        environment = {**os.environ, "PYTHONPATH": PATHS}
        first = subprocess.Popen(command, env=environment)
        while lines(folder) < runs:
            assert first.poll() is None, "the batch ended before its time"
            time.sleep(0.05)
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
        killed, known = time.perf_counter(), lines(folder)
        second = subprocess.Popen(command, env=environment)
        while lines(folder) == known and second.poll() is None:
            time.sleep(0.05)
        resumed = time.perf_counter() - killed
        assert second.wait() == 0
        with psycopg.connect(database, autocommit=True) as connection:
            effects = connection.execute("SELECT count(*) FROM effects").fetchone()
            asked = connection.execute("SELECT count(*) FROM asked").fetchone()
            twice = connection.execute("SELECT count(*) FROM thoughtgraph_results WHERE result IS NULL").fetchone()
        assert effects and asked and twice
        print(f"killed after {known:,} of {2 * runs:,} results; the next result came {resumed:.1f} s later")
        print(f"lines of results: {lines(folder):,}; tasks without a result in PostgreSQL: {twice[0]}")
        print(
            f"effects: {effects[0]:,} (wanted: {2 * runs:,}), asked for {asked[0]:,} times (undisturbed: {3 * runs:,})"
        )


if __name__ == "__main__":
    import ray

    ray.init(sys.argv[1], **QUIET)
    asyncio.run(drive(sys.argv[2], sys.argv[3], int(sys.argv[4])))
