"""One implementation for a sync and an async function: a generator of calls with a sync and an async driver.

A procedure yields a `Call` wherever it would block and receives the result (or the exception) at that point. `run` and
`arun` differ only in how they make the call, so a sync function and its async twin cannot drift apart.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import Awaitable, Callable, Generator
from concurrent.futures import Future
from contextlib import closing, contextmanager, suppress
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from threading import Event, Thread
from typing import Any, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Call:
    """Something that blocks: `invoke()` for the sync driver, `ainvoke()` for the async one.

    Without `ainvoke` the async driver runs `invoke` in a worker thread.
    """

    invoke: Callable[[], Any]
    ainvoke: Callable[[], Awaitable[Any]] | None = None


Steps = Generator[Call, Any, T]


def run(steps: Steps[T]) -> T:
    """Drive a procedure to its end, blocking."""
    result: Any = None
    error: Exception | None = None
    # Closed here, not by the garbage collector: whatever the procedure opened belongs to this context.
    with closing(steps):
        while True:
            try:
                call = steps.throw(error) if error else steps.send(result)
            except StopIteration as stop:
                return stop.value
            result, error = None, None
            try:
                result = _catchable(call.invoke)
            except Exception as caught:  # noqa: BLE001 - the procedure decides what to do about it
                error = caught


async def arun(steps: Steps[T]) -> T:
    """Drive a procedure to its end on the running event loop."""
    result: Any = None
    error: Exception | None = None
    with closing(steps):
        while True:
            try:
                call = steps.throw(error) if error else steps.send(result)
            except StopIteration as stop:
                return stop.value
            result, error = None, None
            try:
                result = await (call.ainvoke() if call.ainvoke else run_in_thread(call.invoke))
            except Exception as caught:  # noqa: BLE001
                error = caught


def _catchable(function: Callable[[], T]) -> T:
    """Call a function; a `StopIteration`, which no asyncio future can hold, becomes a `RuntimeError`."""
    try:
        return function()
    except StopIteration as stop:
        raise RuntimeError("raised StopIteration") from stop


_given_up: ContextVar[Event | None] = ContextVar("given_up", default=None)


async def run_in_thread(function: Callable[[], T]) -> T:
    """Run a function in a worker thread, which can notice that the task which waits for it was canceled.

    A thread cannot be stopped from outside, so long-running code in it checks `given_up()` from time to time.
    """
    event = Event()
    token = _given_up.set(event)
    try:
        return await asyncio.to_thread(_catchable, function)
    except asyncio.CancelledError:
        event.set()
        raise
    finally:
        _given_up.reset(token)


def is_cancelled() -> bool:
    """Whether the current task itself was canceled, and not only something that it waits for."""
    try:
        task = asyncio.current_task()
    except RuntimeError:
        return False
    return task is not None and task.cancelling() > 0


@contextmanager
def exits_as_errors() -> Generator[None]:
    """Around a call of the user's code: if it ends the program, is skipped by pytest, or is canceled by what it waits
    for, that becomes a `RuntimeError`. A cancellation of the task itself passes through.

    What pytest finds wrong becomes an `AssertionError`, as where `pytest.raises` sees nothing raised.
    """
    try:
        yield
    except SystemExit as exited:
        raise RuntimeError(f"it tried to end the program (SystemExit: {exited.code})") from exited
    except asyncio.CancelledError as cancelled:
        if is_cancelled():
            raise
        raise RuntimeError("it was canceled by what it waits for") from cancelled
    except BaseException as outcome:
        # Neither is an `Exception`, so that it would end the run.
        pytest: Any = sys.modules.get("pytest")
        if pytest and isinstance(outcome, pytest.fail.Exception):
            raise AssertionError(str(outcome)) from outcome
        if pytest and isinstance(outcome, pytest.skip.Exception):
            raise RuntimeError(f"it was skipped: {outcome}") from outcome
        raise


def call_user_function(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function of the user's, sync or async, and return its result; see `exits_as_errors`."""
    with exits_as_errors():
        result = function(*arguments)
    return run_awaitable(_awaited(result)) if inspect.isawaitable(result) else result


async def acall_user_function(function: Callable[..., Any], *arguments: Any) -> Any:
    """Async twin of `call_user_function`; a sync function runs in a thread, so that it does not block the loop."""
    if is_async(function):
        return await _awaited(function(*arguments))

    def call() -> Any:
        with exits_as_errors():
            return function(*arguments)

    result = await run_in_thread(call)
    return await _awaited(result) if inspect.isawaitable(result) else result


async def _awaited(result: Awaitable[T]) -> T:
    with exits_as_errors():
        return await result


def given_up() -> bool:
    """Whether the task that waits for this thread was canceled."""
    event = _given_up.get()
    return event is not None and event.is_set()


def run_awaitable(awaitable: Awaitable[T]) -> T:
    """Wait for an awaitable in sync code; in a thread, because a notebook's loop is already running.

    If the wait is interrupted, such as by a notebook's stop button, the awaitable is canceled.
    """
    cancels: list[Callable[[], object]] = []

    async def wait() -> T:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None, "asyncio.run makes one"
        cancels.append(lambda: loop.call_soon_threadsafe(task.cancel))
        return await awaitable

    result = in_thread(lambda: asyncio.run(wait()))
    try:
        return result.result()
    except BaseException:
        if not result.done():
            for cancel in cancels:
                # The loop may have come to its end meanwhile.
                with suppress(RuntimeError):
                    cancel()
        raise


def in_thread(function: Callable[[], T]) -> Future[T]:
    """Start a function in its own thread, which never keeps the program from exiting.

    A pool would wait at exit for a call that hangs. The thread gets a copy of the context, so that LangGraph's
    `interrupt()` finds its run.
    """
    future: Future[T] = Future()
    context = copy_context()
    # A running call cannot be canceled; the future must know that, so that it still accepts the result.
    future.set_running_or_notify_cancel()

    def work() -> None:
        try:
            future.set_result(context.run(_catchable, function))
        except BaseException as error:  # noqa: BLE001 - handed over to whoever waits
            future.set_exception(error)

    Thread(target=work, daemon=True).start()
    return future


def is_async(function: object) -> bool:
    """Whether a function, or an object that can be called, is async, so that nothing but an await would run it."""
    return any(map(inspect.iscoroutinefunction, (function, getattr(function, "__call__", None))))  # noqa: B004
