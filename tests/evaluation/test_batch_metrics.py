"""What a batch reports to OpenTelemetry, what it costs, and where its runs are kept if not in its folder."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import fsspec
import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from support.fake_ray import FakeRay, RayActorError, in_this_process
from support.in_process import InProcess
from thoughtgraph import ContextGraph
from thoughtgraph.errors import BackendError
from thoughtgraph.evaluation import BatchStatus, RayBackend, Task, aevaluate, asolve_many, astream_many
from thoughtgraph.evaluation.backends.worker import Settings
from thoughtgraph.traces import Price, Prices

ECHO = "import:support.sent:echo"
TASKS = [Task(name, f"Task {name}.") for name in ("a", "b", "c")]
BUCKET = "memory://bucket/autumn"
Points = dict[str, list[tuple[dict[str, Any], Any]]]


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> FakeRay:
    """A Ray in this process."""
    return in_this_process(monkeypatch)


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> InMemoryMetricReader:
    """What the global meter provider of a program would report."""
    reader = InMemoryMetricReader()
    provider = MeterProvider([reader])
    monkeypatch.setattr("opentelemetry.metrics.get_meter", provider.get_meter)
    return reader


def points(reader: InMemoryMetricReader) -> Points:
    """What was reported, by the metric's name without its beginning."""
    data: Any = reader.get_metrics_data()
    return {
        metric.name.removeprefix("thoughtgraph.batch."): [
            (dict(point.attributes), getattr(point, "value", getattr(point, "count", None)))
            for point in metric.data.data_points
        ]
        for resource in data.resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
    }


async def test_a_batch_in_this_process_reports_what_ended(reader: InMemoryMetricReader, tmp_path: Path) -> None:
    await asolve_many(ECHO, TASKS[:2], save=tmp_path)
    await asolve_many(ECHO, [*TASKS, Task("d", "No such task")], save=tmp_path)
    found = points(reader)
    mode = {"thoughtgraph.mode": "external_loop"}
    ended = {about["thoughtgraph.stop.kind"]: (about["thoughtgraph.verdict"], count) for about, count in found["tasks"]}
    assert ended == {"unverified": ("unverified", 3), "error": ("unverified", 1)}
    read, written = ({**mode, "gen_ai.token.type": kind} for kind in ("input", "output"))
    assert found["tokens"] == [(read, 30), (written, 15)]
    assert sum(count for _, count in found["task.duration"]) == 4
    assert [count for _, count in found["active_tasks"]] == [0]
    assert "cost" not in found


async def test_a_batch_on_ray_reports_workers_and_their_losses(ray: FakeRay, reader: InMemoryMetricReader) -> None:
    ray.failures = {"solve": [RayActorError("killed")]}
    said: list[BatchStatus] = []
    prices = Prices({"echo": Price(input=1.0, output=2.0)})
    await asolve_many(ECHO, TASKS, backend=RayBackend(prices=prices, on_status=said.append))
    found = points(reader)
    assert sum(count for _, count in found["tasks"]) == 3
    assert sum(count for _, count in found["worker_losses"]) == 1
    assert {about["thoughtgraph.worker"] for about, _ in found["active_tasks"]} == set(said[-1].running)
    assert sum(count for _, count in found["active_tasks"]) == 0
    assert said[-1].cost == pytest.approx(3 * 20 / 1_000_000)
    assert found["cost"][0][1] == pytest.approx(said[-1].cost)


async def test_a_cost_that_is_unknown_for_one_task_is_unknown_for_all(ray: FakeRay) -> None:
    said: list[BatchStatus] = []
    await asolve_many(ECHO, TASKS, backend=RayBackend(prices=Prices(), on_status=said.append))
    await asolve_many(ECHO, TASKS, backend=RayBackend(on_status=said.append))
    assert [status.cost for status in said] == [None] * 6


async def test_without_opentelemetry_a_batch_reports_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.metrics", None)
    assert len(await asolve_many(ECHO, TASKS)) == 3


@pytest.mark.parametrize("save", [True, False])
async def test_workers_write_the_runs_into_object_storage(save: bool, tmp_path: Path) -> None:
    storage = fsspec.filesystem("memory")
    storage.store.clear()
    backend = InProcess(settings=Settings(runs=BUCKET))
    folder = tmp_path if save else None
    results = [result async for result in astream_many(ECHO, TASKS, backend=backend, save=folder)]
    assert len({result.run_file for result in results}) == 3
    for result in results:
        assert result.run_file.startswith(f"{BUCKET}/")
        assert ContextGraph.from_run(result.run_file).events[-1]["data"]["answer"] == result.answer
    assert len(storage.ls("/bucket/autumn")) == 4  # with the mark of a worker that tried whether it may write
    if save:
        assert {path.name for path in tmp_path.glob("[!.]*")} == {"results.jsonl", "settings.json"}
        assert {result.run_file.rpartition("-")[0] for result in results} == {f"{BUCKET}/{name}" for name in "abc"}


async def test_an_evaluation_reads_its_runs_from_object_storage(tmp_path: Path) -> None:
    backend = InProcess(settings=Settings(runs=BUCKET))
    settings: dict[str, Any] = {"modes": ["actor_critic"], "controls": False, "backend": backend, "save": tmp_path}
    rows = [{"task_id": "a", "prompt": "Task a.", "hidden_tests": "assert f() == 1"}]
    first = await aevaluate(rows, ECHO, **settings)
    assert first.rows()[1]["output_tokens"] == 10
    again = await aevaluate(rows, ECHO, **settings)
    assert [row["output_tokens"] for row in again.rows()] == [row["output_tokens"] for row in first.rows()]


async def test_storage_that_cannot_be_written_to_stops_the_batch_before_any_task(ray: FakeRay, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    backend = RayBackend(runs=f"file://{tmp_path}/file")
    with pytest.raises(BackendError, match="cannot write the run file://"):
        await asolve_many(ECHO, TASKS, backend=backend)
    with pytest.raises(ValueError, match="an address such as s3://"):
        RayBackend(runs=str(tmp_path))
