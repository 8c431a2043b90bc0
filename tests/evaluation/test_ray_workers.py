"""What the batch's process does with its workers on Ray, with a Ray that is none."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableLambda
from support.fake_ray import ActorUnavailableError, FakeRay, RayActorError, in_this_process
from support.openai_server import OpenAIServer, Reply
from thoughtgraph.errors import BackendError
from thoughtgraph.evaluation import BatchStatus, RayBackend, Task, asolve_many
from thoughtgraph.evaluation.backends import actors
from thoughtgraph.models.local.server import LocalServer

ECHO = "import:support.sent:echo"
TASKS = [Task(name, f"Task {name}.") for name in ("a", "b", "c", "d")]


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> FakeRay:
    """A Ray in this process, where nobody waits."""
    return in_this_process(monkeypatch)


@pytest.mark.parametrize("given", [False, True], ids=["own", "the-program's"])
async def test_a_batch_is_spread_over_workers(ray: FakeRay, tmp_path: Path, given: bool) -> None:
    said: list[BatchStatus] = []
    ray.running = given
    ray.failures = {"reserve": [RayActorError("its batch ended"), ActorUnavailableError("restarting")]}
    backend = RayBackend(on_status=said.append, calls_a_second={"import:": 1e6, "import:support": 1e9})
    there = await asolve_many(ECHO, TASKS, backend=backend, save=tmp_path / "there")
    here = await asolve_many(ECHO, TASKS, save=tmp_path / "here")
    assert [replace(result, seconds=0) for result in there] == [replace(result, seconds=0) for result in here]
    assert [path.name for path in sorted((tmp_path / "there").iterdir())] == [
        path.name for path in sorted((tmp_path / "here").iterdir())
    ]
    assert (said[-1].done, said[-1].failed, said[-1].tokens) == (4, 0, 60)
    assert ray.running is given
    assert ray.killed == 2
    # Of two limits the narrower one counts.
    assert {name for name in ray.named if name} == {"calls import:", "calls import:support"}
    if not given:
        assert ray.settings["include_dashboard"] is False
        assert not Path(ray.settings["_temp_dir"]).exists()


async def test_the_tasks_of_a_worker_that_died_are_given_to_another(ray: FakeRay) -> None:
    ray.failures = {
        "solve": [RayActorError("killed"), RayActorError("killed")],
        # Both workers start; then one of them is asked until it is back, or replaced.
        "ready": [RayActorError("its machine is gone"), ActorUnavailableError("starting"), None, None],
        "check": [RayActorError("killed")],
    }
    results = await asolve_many(ECHO, TASKS, backend=RayBackend(in_flight=1))
    assert [result.answer for result in results] == [f"echo of {task.task_id}" for task in TASKS]
    assert not any(ray.failures.values())


async def test_a_task_under_which_ten_workers_died_is_given_up(ray: FakeRay) -> None:
    ray.failures = {"solve": [RayActorError("killed")] * 10}
    results = await asolve_many(ECHO, TASKS[:1], backend=RayBackend(workers=1))
    assert results[0].stop_reason["kind"] == "error"
    assert "10 workers died" in results[0].stop_reason["value"]


async def test_an_error_of_a_worker_is_that_of_its_task(ray: FakeRay, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*arguments: Any) -> Any:
        raise OSError("no space")

    monkeypatch.setattr(actors.WorkerActor, "solve", broken)
    results = await asolve_many(ECHO, TASKS, backend=RayBackend())
    assert {result.stop_reason["value"] for result in results} == {"OSError: no space"}


@pytest.mark.parametrize(
    ("address", "failures", "said"),
    [
        ("nowhere", {}, "no Ray at 'nowhere': ConnectionError: no answer"),
        ("local", {"ready": [RayActorError("…\nNo module named 'thoughtgraph'")]}, "cannot start: No module named"),
    ],
)
async def test_a_backend_that_cannot_start_says_why(
    ray: FakeRay, address: str, failures: dict[str, list[Exception]], said: str
) -> None:
    ray.failures = failures
    with pytest.raises(BackendError, match=said):
        await asolve_many(ECHO, TASKS, backend=RayBackend(address=address, workers=1))
    assert not ray.running


async def test_what_a_worker_cannot_open_is_said_before_any_task(ray: FakeRay, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(spec: str, role: str) -> Any:
        raise ValueError("no such model here")

    monkeypatch.setattr(actors, "as_model", unknown)
    with pytest.raises(
        BackendError, match=r"cannot run the batch: ValueError: no such model here\. It needs"
    ) as refused:
        await asolve_many(ECHO, TASKS, backend=RayBackend())
    assert refused.value.what == "worker"


async def test_calls_that_cannot_be_counted_are_refused(ray: FakeRay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actors, "as_model", lambda spec, role: RunnableLambda(str))
    with pytest.raises(BackendError, match="is a RunnableLambda, whose calls cannot be limited"):
        await asolve_many(ECHO, TASKS, backend=RayBackend(calls_a_second={"import:": 1}))


async def test_the_workers_of_a_node_share_its_server(
    ray: FakeRay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts: list[str] = []
    with OpenAIServer(lambda body, index: Reply("served")) as server:

        @contextmanager
        def serving(spec: str, slots: int) -> Generator[LocalServer]:
            starts.append(spec)
            yield LocalServer(server.base_url, "small")

        monkeypatch.setattr(actors, "serving", serving)
        results = await asolve_many(str(tmp_path / "small.gguf"), TASKS, backend=RayBackend(workers=2))
    assert [result.answer for result in results] == ["served"] * 4
    assert starts == [str(tmp_path / "small.gguf")]


async def test_a_cancelled_batch_cancels_its_calls_and_ends_its_workers(ray: FakeRay) -> None:
    batch = asyncio.create_task(asolve_many(ECHO, TASKS * 1000, backend=RayBackend()))
    await asyncio.sleep(0.05)
    batch.cancel()
    with pytest.raises(asyncio.CancelledError):
        await batch
    await asyncio.sleep(0)
    assert ray.killed == 2
    assert not ray.running
