"""A batch elsewhere: the same results and files as here, and nothing is started that cannot be sent."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support import sent
from support.in_process import InProcess
from support.modes import Judge
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph, open_failure_memory, open_model
from thoughtgraph.errors import BackendError, MissingLibraryError, ModelSetupError
from thoughtgraph.evaluation import RayBackend, Task, asolve_many, astream_many, evaluate
from thoughtgraph.evaluation.backends import actors
from thoughtgraph.evaluation.backends.claims import thread_of
from thoughtgraph.evaluation.backends.loop import Loop, spoken_name
from thoughtgraph.evaluation.conditions import Condition
from thoughtgraph.evaluation.results import TaskResult
from thoughtgraph.models.named import model_name

pytestmark = pytest.mark.slow

ECHO = "import:support.sent:echo"
TASKS = [Task(name, f"Task {name}.") for name in ("a", "bx", "c", "d", "e")]


def timeless(result: TaskResult) -> TaskResult:
    return replace(result, seconds=0.0)


def kept(folder: Path) -> dict[str, Any]:
    """A folder's files: the settings, and how many events each run has."""
    return {
        path.name: path.read_text() if path.name == "settings.json" else len(path.read_text().splitlines())
        for path in folder.glob("[!.]*")
    }


@pytest.mark.parametrize("sees", [True, False], ids=["one-folder", "sent-back"])
async def test_a_batch_elsewhere_has_the_results_and_the_files_of_one_here(tmp_path: Path, sees: bool) -> None:
    here = await asolve_many(ECHO, TASKS, mode="actor_critic", save=tmp_path / "here")
    there = await asolve_many(ECHO, TASKS, mode="actor_critic", save=tmp_path / "there", backend=InProcess(sees=sees))
    assert [timeless(result) for result in there] == [timeless(result) for result in here]
    assert [result.answer for result in there] == [f"echo of {task.task_id}" for task in TASKS]
    assert kept(tmp_path / "there") == kept(tmp_path / "here")
    workers = {
        event.get("worker")
        for file in ("a", "c")
        for event in ContextGraph.from_run(tmp_path / f"there/{file}.jsonl").events
    }
    assert workers <= {"one", "other"}
    assert workers
    assert not any("worker" in event for event in ContextGraph.from_run(tmp_path / "here/a.jsonl").events)


async def test_a_batch_that_was_begun_here_goes_on_elsewhere(tmp_path: Path) -> None:
    await asolve_many(ECHO, TASKS[:2], save=tmp_path)
    told: list[TaskResult] = []
    backend = InProcess()
    results = await asolve_many(ECHO, TASKS, save=tmp_path, backend=backend, on_result=told.append)
    assert {result.task_id for result in told} == {"c", "d", "e"}
    assert [result.task_id for result in results] == [task.task_id for task in TASKS]
    assert len((tmp_path / "results.jsonl").read_text().splitlines()) == 5


def test_an_evaluation_elsewhere_is_the_one_here(tmp_path: Path) -> None:
    def compared(folder: str, backend: InProcess | None) -> Any:
        return evaluate(
            TASKS,
            ECHO,
            modes=["external_loop", "actor_critic", Condition("reflexion", verify=False)],
            verifier=sent.verifier,
            scorer=sent.scorer,
            critic=ECHO,
            save=tmp_path / folder,
            backend=backend,
        )

    backend = InProcess()
    here, there = compared("here", None), compared("there", backend)
    assert [{**row, "seconds": 0} for row in there.rows()] == [{**row, "seconds": 0} for row in here.rows()]
    assert there["retry only (external_loop)"].solved.count == 5
    assert "best of 1" in {path.name.replace("-", " ") for path in (tmp_path / "there").iterdir()}
    assert backend.starts == 1


def nested() -> Callable[[str, str], bool]:
    def check(task: str, answer: str) -> bool:
        return True

    return check


def in_the_program(task: str, answer: str) -> bool:
    return True


in_the_program.__module__ = "__main__"


@pytest.mark.parametrize(
    ("given", "what", "said"),
    [
        ({"models": ScriptedModel(replies=[])}, "model", "'import:my_module:my_function'"),
        ({"models": [ECHO, open_model(ECHO)]}, "model", "the model is a OpenModel"),
        ({"critic": ScriptedModel(replies=[])}, "critic", "the critic is a ScriptedModel"),
        ({"verifier": Judge()}, "verifier", "is a Judge object, which has no name; workers import it"),
        ({"verifier": lambda task, answer: True}, "verifier", "made inside a function"),
        ({"scorer": nested()}, "scorer", "check is made inside a function, or replaced in its module"),
        ({"scorer": in_the_program}, "scorer", "defined in the program itself or in a notebook"),
    ],
    ids=["model", "open-model", "critic", "object", "lambda", "nested", "main"],
)
def test_what_cannot_be_sent_is_refused_before_anything_starts(given: dict[str, Any], what: str, said: str) -> None:
    backend = InProcess()
    settings: dict[str, Any] = {"models": ECHO, "verifier": sent.verifier, **given}
    with pytest.raises(BackendError, match=said) as refused:
        evaluate(TASKS, settings.pop("models"), backend=backend, **settings)
    assert refused.value.what == what
    assert backend.starts == 0


async def test_a_memory_and_a_budget_of_all_tasks_stay_in_this_process(tmp_path: Path) -> None:
    with (
        open_failure_memory(tmp_path / "memory.sqlite") as memory,
        pytest.raises(BackendError, match="leave out memory"),
    ):
        await asolve_many(ECHO, TASKS, memory=memory, backend=InProcess())
    with pytest.raises(ValueError, match="leave out max_tokens or the backend"):
        evaluate(TASKS, ECHO, verifier=sent.verifier, max_tokens=1_000, backend=InProcess())


@pytest.mark.parametrize(
    ("settings", "said"),
    [({"mode": "dreaming"}, "dreaming"), ({"max_attempts": 0}, "max_attempts")],
)
async def test_settings_that_cannot_be_are_refused_here_too(settings: dict[str, Any], said: str) -> None:
    backend = InProcess()
    with pytest.raises(ValueError, match=said):
        await asolve_many(ECHO, TASKS, backend=backend, **settings)
    assert backend.starts == 0


def test_a_loop_names_what_the_other_process_lacks() -> None:
    text = Loop(Condition("external_loop"), (ECHO,)).as_json()
    assert json.loads(text)["models"] == [ECHO]
    with pytest.raises(ModuleNotFoundError, match="not_there"):
        Loop.from_json(text.replace('"verifier": null', '"verifier": "not_there:check"'))
    with pytest.raises(ImportError, match=r"support\.sent holds no nothing"):
        Loop.from_json(text.replace('"verifier": null', '"verifier": "support.sent:nothing"'))


def test_a_loop_that_was_sent_is_the_same_loop() -> None:
    condition = Condition("external_loop", ("repair", "fresh"))
    loop = Loop(condition, (ECHO, "openai:large"), ECHO, 7)
    assert Loop.from_json(loop.as_json()) == loop


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("import:support.sent:nothing", "holds no nothing"),
        ("import:support.nowhere:echo", "nowhere"),
        ("import:support.sent", "no import path"),
        ("import:support.sent:noted", "missing 1 required"),
        ("import:os:getcwd", "returned str"),
    ],
)
def test_a_model_that_cannot_be_imported_says_why(spec: str, said: str) -> None:
    with pytest.raises(ModelSetupError, match=said):
        open_model(spec)


def test_a_model_is_imported_with_its_options() -> None:
    with open_model(ECHO) as model:
        assert model.invoke("Task 7.").content == "echo of 7"
    with pytest.raises(ModelSetupError, match="temperature"):
        open_model(ECHO, temperature=1.0)


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("openai:gpt-4.1", "gpt-4.1"),
        ("http://127.0.0.1:1/v1#small", "small"),
        ("local:qwen2.5-coder-0.5b", "qwen2.5-coder-0.5b-instruct-q4_k_m"),
        (ECHO, "echo"),
        ("weights/small-q4.gguf", "small-q4"),
        ("gpt-4.1", "gpt-4.1"),
    ],
)
def test_the_name_of_a_model_that_is_not_opened_here(spec: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    assert spoken_name(spec) == name
    if spec.startswith(("openai:", "http", "import:")):
        with open_model(spec) as model:
            assert model_name(model) == name


@pytest.mark.parametrize("save", [False, True])
@pytest.mark.parametrize("backend", [None, InProcess()], ids=["here", "elsewhere"])
async def test_a_stream_reads_no_task_before_its_turn(tmp_path: Path, backend: Any, save: bool) -> None:
    taken: list[int] = []

    def tasks() -> Iterator[Task]:
        for number in range(1_000_000):
            taken.append(number)
            yield Task(str(number), f"Task {number}.")

    streamed = astream_many(ECHO, tasks(), concurrency=3, backend=backend, save=tmp_path if save else None)
    ended: list[str] = []
    async with aclosing(streamed) as results:
        async for result in results:
            ended.append(result.task_id)
            assert len(taken) - len(ended) <= 3
            if len(ended) == 20:
                break
    assert len(set(ended)) == 20
    assert {task for task in asyncio.all_tasks() if task is not asyncio.current_task()} == set()
    if save:
        again = astream_many(ECHO, (TASKS[0], Task(ended[0], "Anything.")), save=tmp_path)
        assert {result.answer async for result in again} == {"echo of a", f"echo of {ended[0]}"}


async def test_a_cancelled_batch_elsewhere_ends_its_runs() -> None:
    batch = asyncio.create_task(asolve_many(ECHO, TASKS * 1000, backend=InProcess()))
    await asyncio.sleep(0.05)
    batch.cancel()
    with pytest.raises(asyncio.CancelledError):
        await batch
    assert {task for task in asyncio.all_tasks() if task is not asyncio.current_task()} == set()


def test_the_thread_of_a_run_is_told_by_all_that_makes_the_run() -> None:
    task = TASKS[0]
    loop = Loop(Condition("external_loop"), (ECHO,))
    other = Loop(Condition("external_loop"), (ECHO,), max_attempts=9)
    threads = {
        thread_of("batch", loop.as_json(), task),
        thread_of("another", loop.as_json(), task),
        thread_of("batch", other.as_json(), task),
        thread_of("batch", loop.as_json(), replace(task, prompt="Task b.")),
        thread_of("batch", loop.as_json(), replace(task, fields={"answer": 1})),
    }
    assert len(threads) == 5
    assert thread_of("batch", Loop.from_json(loop.as_json()).as_json(), replace(task)) in threads


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"workers": 0}, "workers must be at least 1"),
        ({"in_flight": 0}, "in_flight must be at least 1"),
        ({"calls_a_second": {"openai:": 0}}, "must be more than 0"),
        ({"checkpoints": "runs.sqlite", "batch": "b"}, "in PostgreSQL"),
        ({"checkpoints": "postgresql://db/runs"}, "need a batch"),
    ],
)
def test_a_ray_backend_refuses_what_cannot_be(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        RayBackend(**settings)


def test_a_ray_backend_shows_no_password() -> None:
    assert "secret" not in repr(RayBackend(checkpoints="postgresql://eva:secret@db/runs", batch="b"))


async def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingLibraryError, match=r"thoughtgraph\[ray\]"):
        await asolve_many(ECHO, TASKS, backend=RayBackend())


async def test_a_bucket_hands_out_so_many_moments_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(actors.time, "monotonic", lambda: now[0])
    bucket = actors.Bucket(4)
    assert [await bucket.reserve() for _ in range(4)] == [0.0, 0.25, 0.5, 0.75]
    now[0] += 0.5
    assert await bucket.reserve() == 0.5
    now[0] += 60
    # A pause earns no burst: a provider counts within a second, too.
    assert [await bucket.reserve() for _ in range(2)] == [0.0, 0.25]
