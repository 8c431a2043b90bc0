"""The tool executor with every form of tool: sync, async, both; from both sides, in time and out of it (row R5)."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.errors import GraphInterrupt, ParentCommand
from langgraph.types import Command
from pydantic import Field
from thoughtgraph.models import Backoff
from thoughtgraph.tools.calls import ToolExecutor, ToolResult, idempotency_key


class SyncClass(BaseTool):
    """A tool class with a sync form alone."""

    name: str = "probe"
    description: str = "Probe something."
    body: Callable[[str], Any]

    def _run(self, text: str) -> Any:
        return self.body(text)


class BothClass(SyncClass):
    """A tool class with both forms."""

    async def _arun(self, text: str) -> Any:
        return self.body(text)


class AsyncStub(SyncClass):
    """A tool class whose async form says that there is none."""

    async def _arun(self, text: str) -> Any:
        raise NotImplementedError("probe does not support async")


class SyncStub(BothClass):
    """A tool class whose sync form says that there is none."""

    def _run(self, text: str) -> Any:
        raise NotImplementedError


def function(body: Callable[[str], Any], *, sync: bool, coroutine: bool) -> BaseTool:
    """A tool from a function, an async function, or both."""

    async def abody(text: str) -> Any:
        return body(text)

    return StructuredTool.from_function(
        body if sync else None, abody if coroutine else None, name="probe", description="Probe something."
    )


TOOLS: dict[str, Callable[[Callable[[str], Any]], BaseTool]] = {
    "function": lambda body: function(body, sync=True, coroutine=False),
    "async function": lambda body: function(body, sync=False, coroutine=True),
    "both": lambda body: function(body, sync=True, coroutine=True),
    "class": lambda body: SyncClass(body=body),
    "class with both": lambda body: BothClass(body=body),
    "class with an async stub": lambda body: AsyncStub(body=body),
    "class with a sync stub": lambda body: SyncStub(body=body),
}
every_tool = pytest.mark.parametrize("tool_of", TOOLS.values(), ids=TOOLS)
timeouts = pytest.mark.parametrize("timeout", [None, 20.0], ids=["no time-out", "time-out"])


def _inside_a_loop(executor: ToolExecutor, action: Any, key: str) -> ToolResult:
    async def notebook() -> ToolResult:
        return executor.execute(action, key)

    return asyncio.run(notebook())


CALLERS: dict[str, Callable[[ToolExecutor, Any, str], ToolResult]] = {
    "sync": lambda executor, action, key: executor.execute(action, key),
    "async": lambda executor, action, key: asyncio.run(executor.aexecute(action, key)),
    "sync inside a running loop": _inside_a_loop,
}


@pytest.fixture(params=CALLERS.values(), ids=CALLERS)
def call(request: pytest.FixtureRequest) -> Callable[..., ToolResult]:
    """Call a tool once, from one side."""

    def called(tool: BaseTool, key: str = "run:1", **options: Any) -> ToolResult:
        executor = ToolExecutor({"probe": tool}, backoff=Backoff(max_attempts=1), **options)
        return request.param(executor, {"tool": "probe", "input": "go"}, key)

    return called


@every_tool
@timeouts
def test_every_form_of_tool_works_from_every_side_and_sees_its_key(
    call: Any, tool_of: Any, timeout: float | None
) -> None:
    tool = tool_of(lambda text: f"{text}, {idempotency_key()}")
    assert call(tool, "run:7", timeout=timeout) == ToolResult(True, "go, run:7")
    assert idempotency_key() is None, "the key is seen outside of the tool"


def raising(error: BaseException) -> Callable[[str], Any]:
    def body(text: str) -> Any:
        raise error

    return body


@every_tool
@timeouts
def test_what_steers_the_graph_is_no_failure(call: Any, tool_of: Any, timeout: float | None) -> None:
    for signal in (GraphInterrupt(), ParentCommand(Command())):
        with pytest.raises(type(signal)):
            call(tool_of(raising(signal)), timeout=timeout)


@every_tool
def test_what_a_tool_raises_never_leaves_the_executor(call: Any, tool_of: Any) -> None:
    result = call(tool_of(raising(ZeroDivisionError("division by zero"))))
    assert (result.ok, result.kind) == (False, "other")
    assert result.result.startswith("ZeroDivisionError: division by zero\n")


@every_tool
@timeouts
def test_a_tool_that_ends_the_program_has_failed(call: Any, tool_of: Any, timeout: float | None) -> None:
    result = call(tool_of(raising(SystemExit("usage: probe [-h]"))), timeout=timeout)
    assert (result.ok, result.kind, result.attempts) == (False, "bad_arguments", 1)
    assert result.result.startswith("the tool tried to end the program (SystemExit: usage: probe [-h])\n")


@every_tool
def test_an_interrupt_in_a_tool_is_no_failure(tool_of: Any) -> None:
    executor = ToolExecutor({"probe": tool_of(raising(KeyboardInterrupt()))}, backoff=Backoff(max_attempts=1))
    for caller in ("sync", "async"):
        with pytest.raises(KeyboardInterrupt):
            CALLERS[caller](executor, {"tool": "probe", "input": "go"}, "run:1")


@every_tool
@timeouts
def test_a_cancellation_of_its_own_is_a_failure(call: Any, tool_of: Any, timeout: float | None) -> None:
    result = call(tool_of(raising(asyncio.CancelledError())), timeout=timeout)
    assert not result.ok
    assert "canceled" in result.result


class Counting(BothClass):
    """A tool that keeps something of its own from call to call."""

    calls: int = 0

    async def _arun(self, text: str) -> Any:
        self.calls += 1
        return self.body(text)


def test_a_tool_that_ended_the_program_keeps_its_state_and_works_again() -> None:
    answers: list[Any] = [SystemExit(2), "done"]

    def body(text: str) -> Any:
        answer = answers.pop(0)
        if isinstance(answer, SystemExit):
            raise answer
        return answer

    tool = Counting(body=body)
    executor = ToolExecutor({"probe": tool})

    async def twice() -> list[bool]:
        return [(await executor.aexecute({"tool": "probe", "input": "go"}, "run:1")).ok for _ in range(2)]

    assert asyncio.run(twice()) == [False, True]
    assert tool.calls == 2


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """What a hanging tool waits for; opened at the end, and its threads are waited for."""
    # What a thread raises late is the subject of LATE alone.
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    before, opened = set(threading.enumerate()), threading.Event()
    yield opened
    opened.set()
    for thread in set(threading.enumerate()) - before:
        thread.join(10)


@pytest.mark.parametrize("name", ["function", "class"])
def test_a_sync_tool_that_hangs_ends_in_a_time_out(call: Any, gate: threading.Event, name: str) -> None:
    result = call(TOOLS[name](lambda text: gate.wait(10)), timeout=0.05)
    assert (result.ok, result.kind, result.attempts) == (False, "timeout", 1)


async def _hang(text: str) -> None:
    await asyncio.sleep(10)


def test_an_async_tool_that_hangs_ends_in_a_time_out(call: Any) -> None:
    tool = StructuredTool.from_function(None, _hang, name="probe", description="Hang.")
    result = call(tool, timeout=0.05)
    assert (result.ok, result.kind, result.attempts) == (False, "timeout", 1)


@pytest.mark.parametrize("side", ["sync", "async"])
@pytest.mark.parametrize(
    ("effects", "own", "calls"),
    [(True, False, 1), (False, False, 3), (True, True, 3)],
    ids=["an effect", "no effect", "an effect, and a time-out of its own"],
)
def test_an_async_call_with_an_effect_is_not_made_again_when_its_time_is_over(
    side: str, effects: bool, own: bool, calls: int
) -> None:
    made: list[str] = []

    async def charge(text: str) -> None:
        made.append(text)
        await asyncio.wait_for(asyncio.sleep(10), 0.01 if own else None)

    tool = StructuredTool.from_function(None, charge, name="probe", description="Charge.")
    tool.metadata = {"effects": effects}
    executor = ToolExecutor(
        {"probe": tool}, timeout=5 if own else 0.05, backoff=Backoff(max_attempts=3, initial_interval=0)
    )
    result = CALLERS[side](executor, {"tool": "probe", "input": "go"}, "run:1")
    assert (result.ok, result.kind, len(made)) == (False, "timeout", calls)
    assert ("did not return within 0.05 seconds" in result.result) == (not own)


@pytest.mark.parametrize("side", ["sync", "async", "sync inside a running loop"])
def test_a_tool_that_ends_after_its_time_out_disturbs_nobody(side: str, monkeypatch: pytest.MonkeyPatch) -> None:
    raised: list[object] = []
    monkeypatch.setattr(threading, "excepthook", raised.append)
    before, late = set(threading.enumerate()), threading.Event()
    tool = StructuredTool.from_function(lambda text: late.wait(10), name="probe", description="Dawdle.")
    executor = ToolExecutor({"probe": tool}, timeout=0.05, backoff=Backoff(max_attempts=1))
    assert CALLERS[side](executor, {"tool": "probe", "input": "go"}, "run:1").kind == "timeout"
    late.set()
    for thread in set(threading.enumerate()) - before:
        thread.join(10)
    assert raised == []


PROGRAM = """
import asyncio, threading
from langchain_core.tools import StructuredTool
from thoughtgraph.models import Backoff
from thoughtgraph.tools.calls import ToolExecutor

async def ahang(text: str): await asyncio.sleep(3600)
def hang(text: str): threading.Event().wait()

forms = dict(func=hang) if {form!r} == "sync" else dict(coroutine=ahang)
tool = StructuredTool.from_function(name="probe", description="Hang.", **forms)
executor = ToolExecutor({{"probe": tool}}, timeout=0.05, backoff=Backoff(max_attempts=2, initial_interval=0))
action = {{"tool": "probe", "input": "go"}}
result = executor.execute(action, "1") if {twin!r} == "sync" else asyncio.run(executor.aexecute(action, "1"))
print(result.kind, result.attempts)
"""


@pytest.mark.slow
@pytest.mark.parametrize("twin", ["sync", "async"])
@pytest.mark.parametrize("form", ["sync", "async"])
def test_a_tool_that_hangs_for_ever_does_not_keep_the_program_from_ending(twin: str, form: str) -> None:
    command = [sys.executable, "-c", PROGRAM.format(twin=twin, form=form)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    # What cannot be ended is not begun again.
    assert (ended.stdout, ended.stderr) == (f"timeout {1 if form == 'sync' else 2}\n", "")


async def test_a_sync_tool_does_not_hold_up_the_event_loop() -> None:
    opened = threading.Event()
    tool = StructuredTool.from_function(lambda text: opened.wait(10), name="probe", description="Wait.")

    async def opening() -> None:
        opened.set()

    executor = ToolExecutor({"probe": tool})
    result, _ = await asyncio.gather(executor.aexecute({"tool": "probe", "input": "go"}, "run:1"), opening())
    assert result.result == "true"


class LoopClass(SyncClass):
    """A tool class that tells which event loop it runs on."""

    async def _arun(self, text: str) -> Any:
        return id(asyncio.get_running_loop())


async def _loop(text: str) -> int:
    return id(asyncio.get_running_loop())


@pytest.mark.parametrize(
    "tool",
    [
        LoopClass(body=lambda text: "none"),
        StructuredTool.from_function(lambda text: "none", _loop, name="probe", description="Look."),
    ],
    ids=["class", "function"],
)
async def test_an_async_tool_runs_on_the_event_loop_of_its_caller(tool: BaseTool) -> None:
    result = await ToolExecutor({"probe": tool}).aexecute({"tool": "probe", "input": "go"}, "run:1")
    assert result.result == str(id(asyncio.get_running_loop()))


@pytest.mark.parametrize("name", ["function", "async function"])
async def test_a_cancelled_call_is_not_tried_again(name: str, gate: threading.Event) -> None:
    calls: list[str] = []

    def waiting(text: str) -> Any:
        calls.append(text)
        return gate.wait(10)

    async def awaiting(text: str) -> Any:
        calls.append(text)
        await asyncio.sleep(10)

    forms: tuple[Any, Any] = (waiting, None) if name == "function" else (None, awaiting)
    tool = StructuredTool.from_function(*forms, name="probe", description="Hang.")
    executor = ToolExecutor({"probe": tool}, backoff=Backoff(initial_interval=0))
    run = asyncio.ensure_future(executor.aexecute({"tool": "probe", "input": "go"}, "run:1"))
    while not calls:
        await asyncio.sleep(0.001)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert calls == ["go"]


class Unfinished(BothClass):
    """A tool class whose async form does something, and then finds that it cannot go on."""

    done: list[str] = Field(default_factory=list[str])

    async def _arun(self, text: str) -> Any:
        self.done.append(text)
        raise NotImplementedError("half of it")


def test_a_form_that_fails_for_want_of_something_is_not_made_up_for_by_the_other() -> None:
    tool = Unfinished(body=lambda text: f"done: {text}")
    executor = ToolExecutor({"probe": tool}, backoff=Backoff(max_attempts=1))
    result = asyncio.run(executor.aexecute({"tool": "probe", "input": "go"}, "run:1"))
    assert (result.ok, tool.done) == (False, ["go"])
    assert "half of it" in result.result
