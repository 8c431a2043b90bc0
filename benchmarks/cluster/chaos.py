"""Kills workers, nodes and database connections during a batch, and looks whether anything is lost or done twice."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from collections import Counter
from contextlib import suppress
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg
import stand_ins
from places import postgres_server, ray_cluster
from thoughtgraph import ContextGraph
from thoughtgraph.evaluation import BatchStatus, RayBackend, Task, aevaluate

RUNS, KILLS, NODES, CPUS = 2_000, 100, 2, 2


class Killer:
    """Kills something whenever the batch has come a step further.

    Args:
        cluster: of Ray.
        database: the server's address.
        every: ended tasks between two kills.
        kills: the most to make.
    """

    def __init__(self, cluster: Any, database: str, every: int, kills: int) -> None:
        self._cluster, self._database, self._every, self._left = cluster, database, every, kills
        self._chance = random.Random(1)
        self._kinds = cycle(("worker", "node", "connections", "worker", "connections", "worker"))
        self.killed: Counter[str] = Counter()

    def note(self, status: BatchStatus) -> None:
        """Kill if it is time; a worker, a node or all connections of the database."""
        if status.done % self._every or not self._left:
            return
        self._left -= 1
        kind = next(self._kinds)
        if kind == "worker":
            busy = [name for name in status.running if status.running[name]]
            if busy:
                with suppress(ProcessLookupError):
                    os.kill(int(self._chance.choice(busy).rpartition(":")[2]), signal.SIGKILL)
        elif kind == "connections":
            with psycopg.connect(self._database, autocommit=True) as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
                )
        else:
            node = next(iter(self._cluster.worker_nodes))
            self._cluster.remove_node(node, allow_graceful=False)
            self._cluster.add_node(num_cpus=CPUS, object_store_memory=10**8, wait=False)
        self.killed[kind] += 1


def measure(share: float) -> None:
    """Print what was killed, and what is left."""
    runs, kills = max(40, round(RUNS * share)), max(3, round(KILLS * share))
    tasks = [Task(f"t{number}", f"Task t{number}.") for number in range(runs)]
    with postgres_server() as database, TemporaryDirectory() as folder:
        os.environ["EFFECTS"] = database
        with psycopg.connect(database, autocommit=True) as connection:
            for table in stand_ins.TABLES:
                connection.execute(table)
        with ray_cluster(NODES, CPUS) as cluster:
            # One shot comes first, and is spared: its effects are those of the first attempts.
            killer = Killer(cluster, database, max(1, 2 * runs // kills), kills)
            backend = RayBackend(
                address="auto",
                workers=NODES * CPUS,
                in_flight=8,
                checkpoints=database,
                batch="chaos",
                on_status=killer.note,
            )
            started = time.perf_counter()
            compared = asyncio.run(
                aevaluate(
                    tasks,
                    "import:stand_ins:waiting",
                    modes="actor_critic",
                    verifier=stand_ins.effect,
                    controls=False,
                    save=folder,
                    backend=backend,
                )
            )
            seconds = time.perf_counter() - started
        print(f"{2 * runs:,} runs in {seconds:.0f} s; killed: {dict(killer.killed)}")
        verdicts = Counter(run.verdict for run in compared["actor_critic"].runs)
        print(f"verdicts: {dict(verdicts)} (wanted: {runs} passed)")
        broken = 0
        moved = 0
        for path in Path(folder).glob("*/t*.jsonl"):
            events = ContextGraph.from_run(path).events
            broken += [event["seq"] for event in events] != [*range(len(events))] or events[-1]["kind"] != "outcome"
            moved += len({event.get("worker") for event in events}) > 1
        print(f"traces that are not whole: {broken}; runs that went on in another worker: {moved}")
        lines = [len(path.read_text().splitlines()) for path in Path(folder).glob("*/results.jsonl")]
        print(f"lines of results: {lines} (wanted: {runs} each)")
        with psycopg.connect(database, autocommit=True) as connection:
            effects = connection.execute("SELECT count(*), count(DISTINCT key) FROM effects").fetchone()
            asked = connection.execute("SELECT count(*) FROM asked").fetchone()
            locks = connection.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'").fetchone()
            ended = connection.execute("SELECT count(*), count(result) FROM thoughtgraph_results").fetchone()
            size = connection.execute("SELECT pg_database_size(current_database())").fetchone()
        assert effects and asked and locks and ended and size
        print(
            f"effects: {effects[0]:,} (wanted: {2 * runs:,}), asked for {asked[0]:,} times (undisturbed: {3 * runs:,})"
        )
        print(f"rows of results: {ended[0]:,}, ended {ended[1]:,}; locks left: {locks[0]}")
        print(f"{size[0] / 2 / runs / 1024:.0f} KB a run in PostgreSQL")
