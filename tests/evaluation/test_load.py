"""Many runs, and runs that are cut short: nothing taken too early, nothing mixed up, nothing held on to."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from threading import Timer
from typing import Any

import pytest
from langchain_core.tools import StructuredTool
from support.modes import always
from support.scripted import ScriptedModel, code
from thoughtgraph import PythonTests, Verdict, create_reflection_graph
from thoughtgraph.errors import DatasetError
from thoughtgraph.evaluation.datasets import Task
from thoughtgraph.evaluation.many import arun_many, asolve_many, astream_many
from thoughtgraph.evaluation.results import TaskResult
from thoughtgraph.tools.agenda import Agenda
from thoughtgraph.tools.calls import ToolExecutor
from thoughtgraph.tools.sandbox import SandboxLimits, pool, run
from thoughtgraph.tools.sandbox import arun as sandboxed
from thoughtgraph.tools.sandbox.exchange import why_unavailable as sandbox_of_this_machine

pytestmark = pytest.mark.slow


def task(name: str) -> Task:
    return Task(name, f"Task {name}.", "", "", "")


class Answering(ScriptedModel):
    """Answers with the task itself."""

    def _generate(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
        self.replies.append(f"answer to {messages[-1].content}")
        return super()._generate(messages, *args, **kwargs)


@pytest.mark.parametrize("concurrency", [1, 3])
@pytest.mark.parametrize("entry", ["arun_many", "asolve_many"])
async def test_tasks_are_taken_from_a_generator_when_their_turn_comes(entry: str, concurrency: int) -> None:
    taken: list[int] = []
    ahead: list[int] = []

    def tasks() -> Iterator[Task]:
        for number in range(20):
            taken.append(number)
            yield task(str(number))

    def tell(result: TaskResult) -> None:
        ended.append(result.task_id)
        ahead.append(len(taken) - len(ended))

    ended: list[str] = []
    options: dict[str, Any] = {"concurrency": concurrency, "on_result": tell}
    if entry == "asolve_many":
        results = await asolve_many(Answering(replies=[]), tasks(), **options)
    else:
        results = await arun_many(lambda _: create_reflection_graph(actor=Answering(replies=[])), tasks(), **options)
    assert [result.task_id for result in results] == [str(number) for number in range(20)]
    assert max(ahead) < concurrency
    assert {result.answer for result in results} == {f"answer to Task {number}." for number in range(20)}


async def test_two_tasks_of_one_name_have_a_result_each() -> None:
    tasks = [Task("1", "One.", "", "", ""), Task("1", "Other.", "", "", "")]
    results = await asolve_many(Answering(replies=[]), tasks)
    assert [result.answer for result in results] == ["answer to One.", "answer to Other."]


@pytest.mark.parametrize("entry", [asolve_many, astream_many], ids=["solved", "streamed"])
async def test_where_results_are_saved_by_name_two_tasks_of_one_name_are_refused(tmp_path: Path, entry: Any) -> None:
    tasks = [Task("1", "One.", "", "", ""), Task("2", "Two.", "", "", ""), Task("1", "Other.", "", "", "")]
    model = Answering(replies=[])
    with pytest.raises(DatasetError, match=r"row 3: .* '1', as an earlier row has: results are saved by it") as caught:
        batch = entry(model, tasks, save=tmp_path, concurrency=9)
        [result async for result in batch] if entry is astream_many else await batch
    assert (caught.value.line, caught.value.field) == (3, "task_id")
    assert not (tmp_path / "results.jsonl").exists()
    assert len(await asolve_many(model, tasks[:2], save=tmp_path)) == 2


@pytest.mark.parametrize("concurrency", [0, -1])
async def test_a_concurrency_that_would_never_run_anything_is_refused(concurrency: int) -> None:
    with pytest.raises(ValueError, match=f"concurrency must be at least 1, got {concurrency}"):
        async with asyncio.timeout(5):
            await asolve_many(Answering(replies=[]), [task("1")], concurrency=concurrency)


async def test_a_cancellation_that_nobody_asked_for_costs_its_own_task_alone() -> None:
    async def leaking(given: str, answer: str) -> Verdict:
        raise asyncio.CancelledError("a scope of the verifier's own")

    def build(of: Task) -> Any:
        verifier = leaking if of.task_id == "1" else always(Verdict("passed"))
        return create_reflection_graph(actor=ScriptedModel(replies=["42"]), verifier=verifier)

    results = await arun_many(build, [task(name) for name in "0123"], concurrency=2)
    assert [result.stop_reason["kind"] for result in results] == ["passed", "unverified", "passed", "passed"]
    assert "canceled by what it waits for" in results[1].stop_reason["value"]


async def test_a_cancelled_batch_takes_no_further_task() -> None:
    started: list[str] = []
    stuck = asyncio.Event()

    def build(of: Task) -> Any:
        started.append(of.task_id)

        async def waiting(given: str, answer: str) -> Verdict:
            stuck.set()
            await asyncio.Event().wait()
            raise AssertionError

        return create_reflection_graph(actor=ScriptedModel(replies=["42"]), verifier=waiting)

    batch = asyncio.create_task(arun_many(build, [task(name) for name in "0123"], concurrency=1))
    await stuck.wait()
    batch.cancel()
    with pytest.raises(asyncio.CancelledError):
        await batch
    assert started == ["0"]
    assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.mark.parametrize("form", ["sync", "async"])
async def test_a_cancellation_that_comes_as_a_tool_returns_is_not_lost(form: str) -> None:
    returned = threading.Event()

    def note(text: str) -> str:
        """Note a text."""
        returned.wait(5)
        return text

    async def anote(text: str) -> str:
        await asyncio.to_thread(returned.wait, 5)
        asyncio.get_running_loop().call_soon(run.cancel)
        return text

    tool = StructuredTool.from_function(note, anote if form == "async" else None, name="note", description="Note.")
    executor = ToolExecutor({"note": tool}, timeout=60.0)
    run = asyncio.create_task(executor.aexecute({"tool": "note", "input": {"text": "hi"}}, key="k"))
    await asyncio.sleep(0.05)
    returned.set()
    if form == "sync":
        run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run


def test_ctrl_c_while_an_agenda_waits_for_another_writer_leaves_no_lock(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    path = tmp_path / "agenda.sqlite"
    # A program that a shell starts in the background ignores Ctrl-C, and so do the tests there.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    with Agenda(path) as agenda, closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        timers = [Timer(0.1, os.kill, [os.getpid(), signal.SIGINT]), Timer(0.2, other.execute, ["COMMIT"])]
        for timer in timers:
            timer.start()
        with pytest.raises(KeyboardInterrupt):
            agenda.run("/todo add milk")
        for timer in timers:
            timer.join()
        with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as third:
            third.execute("BEGIN IMMEDIATE")
            third.execute("ROLLBACK")
        assert agenda.run("/todo add bread").endswith("bread.")


def children() -> list[str]:
    """The sandboxes that this process has started and that still run."""
    found: list[str] = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
            contained = b"bwrap" in (entry / "cmdline").read_bytes()
            if fields[1] == str(os.getpid()) and fields[0] != "Z" and contained:
                found.append(entry.name)
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in /proc")
@pytest.mark.parametrize("way", ["sandbox", "loop"])
async def test_a_cancelled_run_ends_the_process_of_its_sandbox(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_pool", pool.Pool(spare=0))
    endless = "def f(n):\n    while True:\n        pass"
    limits = SandboxLimits(seconds=60)
    if way == "sandbox":
        running: Any = sandboxed(endless, "assert f(1) == 1", limits)
    else:
        verifier = PythonTests("assert f(1) == 1", limits=limits)
        graph = create_reflection_graph(actor=ScriptedModel(replies=[code(endless)]), verifier=verifier)
        running = graph.ainvoke({"task": "Write `f`."})
    before = set(children())
    under_way = asyncio.create_task(running)
    async with asyncio.timeout(20):
        while not set(children()) - before:
            await asyncio.sleep(0.02)
        under_way.cancel()
        with suppress(asyncio.CancelledError):
            await under_way
        while set(children()) - before:
            await asyncio.sleep(0.02)
    # The first start of a process tries the sandbox out; a cancelled one says nothing of the machine.
    assert sandbox_of_this_machine() is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_process_forked_behind_the_first_use_of_the_sandbox_has_one_too() -> None:
    assert run("def f(n):\n    return n", "assert f(1) == 1").status == "passed"
    child = os.fork()
    if not child:
        verdict = run("def f(n):\n    return n", "assert f(1) == 1")
        os._exit(0 if verdict.status == "passed" else 1)
    deadline = time.monotonic() + 30
    ended, status = os.waitpid(child, os.WNOHANG)
    while not ended and time.monotonic() < deadline:
        time.sleep(0.02)
        ended, status = os.waitpid(child, os.WNOHANG)
    if not ended:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert (bool(ended), status) == (True, 0)
