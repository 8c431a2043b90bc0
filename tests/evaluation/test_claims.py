"""Batches whose runs are kept in PostgreSQL: nothing is lost with a worker, nothing is done twice."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from support import sent
from support.in_process import InProcess, opened
from support.postgres import postgres_server
from thoughtgraph import ContextGraph
from thoughtgraph.evaluation import Task, asolve_many
from thoughtgraph.evaluation.backends.loop import Loop
from thoughtgraph.evaluation.backends.worker import Settings, Worker, WorkFolder
from thoughtgraph.evaluation.conditions import Condition
from thoughtgraph.evaluation.judges import Judges

pytestmark = pytest.mark.slow

ECHO = "import:support.sent:echo"
LOOP = Loop(Condition("external_loop"), (ECHO,), judges=Judges(sent.verifier)).as_json()


@pytest.fixture(scope="module")
def server() -> Generator[str]:
    """The address of a PostgreSQL server."""
    with postgres_server() as address:
        yield address


@pytest.fixture
def database(server: str) -> Generator[str]:
    """A new database."""
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("CREATE DATABASE fresh")
        yield server.replace("/postgres?", "/fresh?")
        connection.execute("DROP DATABASE fresh WITH (FORCE)")


def calls(folder: Path, task: str) -> int:
    """How often the model was called for a task."""
    return len((folder / f"calls-{task}").read_text().splitlines())


def whole(events: Any) -> bool:
    """No event is lost, doubled, or of another run."""
    return [event["seq"] for event in events] == [*range(len(events))] and len({e["run_id"] for e in events}) == 1


async def test_a_batch_of_the_same_name_runs_no_task_twice(database: str, tmp_path: Path) -> None:
    tasks = [Task(name, f"Task {name} in {tmp_path}") for name in "ab"]

    async def solved(batch: str, save: str) -> Any:
        backend = InProcess(settings=Settings(database, batch))
        return await asolve_many(ECHO, tasks, save=tmp_path / save, backend=backend)

    first = await solved("autumn", "first")
    # On another machine: the folder is gone, the database is not.
    again = await solved("autumn", "again")
    assert again == first
    assert [calls(tmp_path, name) for name in "ab"] == [1, 1]
    events = [ContextGraph.from_run(tmp_path / folder / "a.jsonl").events for folder in ("first", "again")]
    assert events[0] == events[1]
    await solved("winter", "other")
    assert [calls(tmp_path, name) for name in "ab"] == [2, 2]


async def test_a_run_goes_on_with_another_worker_where_the_first_one_left_it(database: str, tmp_path: Path) -> None:
    task = Task("a", f"Task a in {tmp_path}")
    settings = Settings(database, "batch")
    workers = [Worker(name, settings, opened) for name in ("one", "other")]
    try:
        running = asyncio.create_task(workers[0].solve(LOOP, task, "", WorkFolder()))
        # The first answer is wrong; the worker is lost while it waits for the second verdict.
        while not (tmp_path / "calls-a").exists() or calls(tmp_path, "a") < 2:
            await asyncio.sleep(0)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        ended = await workers[1].solve(LOOP, task, "a.jsonl", WorkFolder("elsewhere", "unseen"))
    finally:
        for worker in workers:
            worker.close()
    assert ended.result.verdict == "passed"
    assert len(ended.result.attempts) == 2
    events = ContextGraph.from_run(ended.run).events
    assert whole(events)
    assert [event["kind"] for event in events].count("verdict") == 2
    assert [events[0].get("worker"), events[-1].get("worker")] == ["one", "other"]


async def test_a_worker_that_was_thought_dead_keeps_nothing_of_its_run(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = Task("a", f"Task a in {tmp_path}")
    waiting, go_on = asyncio.Event(), asyncio.Event()

    async def paused(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not waiting.is_set():
            waiting.set()
            await go_on.wait()
        return self._generate(*args, **kwargs)

    monkeypatch.setattr(sent.Echo, "_agenerate", paused)
    settings = Settings(database, "batch")
    zombie, other = (Worker(name, settings, opened) for name in ("zombie", "other"))
    try:
        undead = asyncio.create_task(zombie.solve(LOOP, task, "", WorkFolder()))
        await waiting.wait()
        ended = await other.solve(LOOP, task, "a.jsonl", WorkFolder("elsewhere", "unseen"))
        go_on.set()
        gave_up = await undead
        again = await zombie.solve(LOOP, task, "", WorkFolder())
    finally:
        zombie.close()
        other.close()
    assert ended.result.verdict == "passed"
    assert whole(ContextGraph.from_run(ended.run).events)
    assert "ThreadConflictError" in gave_up.result.stop_reason["value"]
    assert again.result.answer == ended.result.answer
    with psycopg.connect(database) as connection:
        rows = connection.execute("SELECT task_id, claim, worker FROM thoughtgraph_results").fetchall()
    assert rows == [("a", 3, "zombie")]


async def test_a_run_goes_on_over_connections_that_are_lost(database: str, tmp_path: Path) -> None:
    tasks = [Task(f"{number}", f"Task {number} in {tmp_path}") for number in range(20)]
    backend = InProcess(settings=Settings(database, "batch"))
    lost = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
    lost += " AND datname = 'fresh'"

    async def losing() -> int:
        count = 0
        while not batch.done():
            with psycopg.connect(database, autocommit=True) as connection:
                count += (await asyncio.to_thread(lambda: connection.execute(lost).fetchone()) or (0,))[0]
            await asyncio.sleep(0.05)
        return count

    batch = asyncio.create_task(asolve_many(ECHO, tasks, save=tmp_path / "runs", backend=backend))
    assert await losing() > 0
    results = await batch
    assert {result.stop_reason["kind"] for result in results} == {"unverified"}
    assert all(whole(ContextGraph.from_run(tmp_path / "runs" / result.run_file).events) for result in results)


async def test_a_task_whose_model_was_unavailable_is_run_again(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    backend = InProcess(settings=Settings(database, "batch"))
    tasks = [Task("a", "Task a.")]

    def refusing(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise PermissionError("no key")

    with monkeypatch.context() as patch:
        patch.setattr(sent.Echo, "_generate", refusing)
        assert (await asolve_many(ECHO, tasks, backend=backend))[0].stop_reason["kind"] == "error"
    assert (await asolve_many(ECHO, tasks, backend=backend))[0].answer == "echo of a"
