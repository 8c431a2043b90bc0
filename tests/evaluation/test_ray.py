"""Batches on a real Ray: one on this machine, started once for all of these tests."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from support import sent
from support.in_process import InProcess
from support.paths import ROOT
from support.postgres import postgres_server
from thoughtgraph import ContextGraph
from thoughtgraph.errors import BackendError
from thoughtgraph.evaluation import BatchStatus, RayBackend, Task, aevaluate, asolve_many, evaluate
from thoughtgraph.evaluation.backends.worker import Settings

pytestmark = pytest.mark.slow

ECHO = "import:support.sent:echo"


@pytest.fixture(scope="module")
def ray() -> Generator[Any]:
    """A Ray of two CPUs; its workers import what the tests do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        library = pytest.importorskip("ray")
        folder = tempfile.mkdtemp(prefix="ray")
        paths = [
            str(ROOT / "tests" / "support" / "llama"),
            str(ROOT / "tests"),
            *os.environ.get("PYTHONPATH", "").split(os.pathsep),
        ]
        library.init(
            "local",
            num_cpus=2,
            namespace="thoughtgraph",
            include_dashboard=False,
            log_to_driver=False,
            object_store_memory=100_000_000,
            _temp_dir=folder,
            _node_ip_address="127.0.0.1",
            runtime_env={"env_vars": {"PYTHONPATH": os.pathsep.join(filter(None, paths))}},
        )
        yield library
        library.shutdown()
        shutil.rmtree(folder, ignore_errors=True)


def files(folder: Path) -> list[str]:
    """What a folder holds."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_an_evaluation_on_ray_is_the_one_here(ray: Any, tmp_path: Path) -> None:
    tasks = [Task(name, f"Task {name}.") for name in ("a", "bx", "c")]
    said: list[BatchStatus] = []

    def compared(folder: str, backend: RayBackend | None) -> Any:
        settings: dict[str, Any] = {"verifier": sent.verifier, "scorer": sent.scorer, "save": tmp_path / folder}
        return evaluate(tasks, ECHO, modes="reflexion", backend=backend, **settings)

    there = compared("there", RayBackend(workers=2, on_status=said.append, calls_a_second={"import:": 1_000}))
    here = compared("here", None)
    assert [{**row, "seconds": 0} for row in there.rows()] == [{**row, "seconds": 0} for row in here.rows()]
    assert files(tmp_path / "there") == files(tmp_path / "here")
    [run] = (tmp_path / "there").glob("one*/a.jsonl")
    workers = {event.get("worker") for event in ContextGraph.from_run(run).events}
    assert len(workers) == 1
    assert workers <= set(said[-1].running)
    assert said[-1].done == len(said) >= 9
    assert said[-1].failed == 0
    assert said[-1].tokens >= 15 * said[-1].done
    assert said[-1].runs_a_second > 0


async def test_what_a_worker_lacks_is_said_before_any_task_runs(ray: Any, tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "only_here.py").write_text("from support.sent import echo\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(BackendError, match=r"No module named 'only_here'.*runtime_env"):
        await asolve_many("import:only_here:echo", [Task("a", "Task a.")], backend=RayBackend(workers=1))


async def test_the_runs_of_killed_workers_go_on_with_every_event_once(ray: Any, tmp_path: Path) -> None:
    tasks = [Task(f"t{number}", f"Task t{number} in {tmp_path}") for number in range(2)]
    with postgres_server() as database:
        # The second call for each task kills the worker in which it is made, with all that run there.
        backend = RayBackend(workers=2, in_flight=2, checkpoints=database, batch="deadly")
        model = "import:support.sent:deadly"
        settings: dict[str, Any] = {"modes": "external_loop", "verifier": sent.verifier, "controls": False}
        compared = await aevaluate(tasks, model, save=tmp_path / "runs", backend=backend, **settings)
        elsewhere = InProcess(settings=Settings(database, "deadly"))
        again = await aevaluate(tasks, model, backend=elsewhere, **settings)
    condition = compared["external_loop"]
    assert [run.verdict for run in condition.runs] == ["passed"] * 2
    moved = 0
    for path in (tmp_path / "runs").glob("external-loop/t*.jsonl"):
        events = ContextGraph.from_run(path).events
        assert [event["seq"] for event in events] == [*range(len(events))]
        moved += len({event.get("worker") for event in events}) > 1
    assert moved > 0
    assert again.rows() == compared.rows()


async def test_a_node_has_one_server_for_all_of_its_workers(ray: Any, tmp_path: Path) -> None:
    weights = tmp_path / "small.gguf"
    weights.write_bytes(b"")
    tasks = [Task(str(number), f"Task {number}.") for number in range(6)]
    results = await asolve_many(str(weights), tasks, backend=RayBackend(workers=2))
    assert [result.answer for result in results] == ["served"] * 6
    assert weights.with_suffix(".started").read_text() == "started\n"


async def test_a_cancelled_batch_leaves_no_worker(ray: Any) -> None:
    batch = asyncio.create_task(
        asolve_many(ECHO, [Task(str(number), "Task a.") for number in range(100_000)], backend=RayBackend(workers=2))
    )
    while not alive(ray):
        await asyncio.sleep(0.1)
    batch.cancel()
    with pytest.raises(asyncio.CancelledError):
        await batch
    while alive(ray):
        await asyncio.sleep(0.1)


def alive(ray: Any) -> int:
    """How many CPUs actors have."""
    return round(ray.cluster_resources()["CPU"] - ray.available_resources().get("CPU", 0))
