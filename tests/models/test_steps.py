"""Threads below a run: what is started in one comes back whole, and never keeps the program from ending."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from contextvars import ContextVar
from typing import Any

import pytest
from thoughtgraph._internal.steps import in_thread, run_awaitable

pytestmark = pytest.mark.slow

user = ContextVar("user", default="nobody")


def test_the_result_comes_from_another_thread() -> None:
    assert in_thread(threading.get_ident).result(10) != threading.get_ident()


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt()], ids=["error", "interrupt"])
def test_what_is_raised_in_the_thread_is_raised_where_the_result_is_read(error: BaseException) -> None:
    def failing() -> None:
        raise error

    future = in_thread(failing)
    with pytest.raises(type(error)) as raised:
        future.result(10)
    assert raised.value is error


def test_the_thread_sees_the_context_of_its_caller_and_changes_a_copy() -> None:
    def renamed() -> str:
        before = user.get()
        user.set("Bob")
        return before

    token = user.set("Ada")
    try:
        assert in_thread(renamed).result(10) == "Ada"
        assert user.get() == "Ada"
    finally:
        user.reset(token)


def test_calls_in_threads_run_side_by_side() -> None:
    meeting = threading.Barrier(3)
    futures = [in_thread(lambda: meeting.wait(10)) for _ in range(3)]
    assert sorted(future.result(10) for future in futures) == [0, 1, 2]


def test_a_call_under_way_cannot_be_taken_back_and_ends_in_peace(monkeypatch: pytest.MonkeyPatch) -> None:
    raised: list[object] = []
    monkeypatch.setattr(threading, "excepthook", raised.append)
    opened, before = threading.Event(), set(threading.enumerate())
    future = in_thread(lambda: opened.wait(10))
    (worker,) = set(threading.enumerate()) - before
    future.cancel()
    opened.set()
    worker.join(10)
    assert raised == []
    assert future.result(10) is True


def test_a_call_that_hangs_does_not_keep_the_program_from_ending() -> None:
    program = (
        "import threading; from thoughtgraph._internal.steps import in_thread; "
        "future = in_thread(threading.Event().wait); print(future.done())"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert (ended.stdout, ended.stderr) == ("False\n", "")


async def _looked(wanted: Any) -> tuple[Any, str]:
    await asyncio.sleep(0)
    return wanted, user.get()


@pytest.mark.parametrize("running", [False, True], ids=["no loop", "inside a running loop"])
def test_something_async_is_finished_in_a_sync_run(running: bool) -> None:
    async def notebook() -> Any:
        return run_awaitable(_looked("milk"))

    token = user.set("Ada")
    try:
        assert (asyncio.run(notebook()) if running else run_awaitable(_looked("milk"))) == ("milk", "Ada")
    finally:
        user.reset(token)


def test_an_error_of_something_async_is_raised_in_the_sync_run() -> None:
    async def failing() -> None:
        raise LookupError("no milk")

    with pytest.raises(LookupError, match="no milk"):
        run_awaitable(failing())


def test_any_awaitable_can_be_finished() -> None:
    class Milk:
        def __await__(self) -> Any:
            yield from asyncio.sleep(0).__await__()
            return "milk"

    assert run_awaitable(Milk()) == "milk"


STOPPED = """
import asyncio, os, signal, threading, time
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda
from thoughtgraph.evaluation import evaluate

calls = []


async def slow(_):
    calls.append(1)
    if len(calls) == 3:
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    await asyncio.sleep(0.3)
    return AIMessage("x")


async def cell():
    signal.signal(signal.SIGINT, signal.default_int_handler)
    tasks = [f"task {number}" for number in range(100)]
    try:
        evaluate(tasks, RunnableLambda(slow), modes=[], scorer=lambda task, answer: False, concurrency=1)
    except KeyboardInterrupt:
        time.sleep(2)
        print("stopped after", len(calls))


asyncio.run(cell())
"""
"""As in a notebook: sync code in a running loop, and the stop button."""


def test_who_stops_an_evaluation_in_a_notebook_stops_its_calls() -> None:
    ended = subprocess.run([sys.executable, "-c", STOPPED], capture_output=True, text=True, timeout=60, check=True)
    assert ended.stdout == "stopped after 3\n", ended.stderr
