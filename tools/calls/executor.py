"""Running a tool: transient failures are tried again, every failure is recorded, and the last one comes with advice.

Method: docs/background/plan_act_loop.md, "Tool failures". A tool's failure is a result like any other; nothing a tool
raises ends a run.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial, wraps
from typing import Any, cast

from langchain_core.tools import BaseTool, ToolException
from langgraph.errors import GraphBubbleUp, is_invalid_resume

from ..._internal.redact import message_of, redacted
from ..._internal.steps import Call, Steps, arun, in_thread, is_cancelled, run
from ..._internal.texts import Language
from ...errors import CommandError, SearchError
from ...models.streams.answers import status_of
from ...models.transport import Backoff
from ...traces.events import Link, record
from ...traces.shapes import Action
from .action_check import arguments, text_argument
from .conventions import is_stub, with_injected
from .effects import changes
from .idempotency import tool_call
from .results import KIND_OF_CLASSES, KIND_OF_STATUS, PROGRAM_ERRORS, FailureKind, ToolResult, read_result
from .texts import text

_BACKOFF = Backoff(max_attempts=3)
_TRANSIENT: frozenset[FailureKind] = frozenset({"timeout", "connection", "rate_limit"})
_TOLD_BY_CLASS = (SearchError, TimeoutError, ConnectionError)
_SEARCH_KINDS: dict[str, FailureKind] = {
    "timeout": "timeout",
    "network": "connection",
    "empty": "empty",
}
# A word ends where Chinese begins, which it does not for `\b` unless it looks at ASCII alone.
_FLAGS = re.IGNORECASE | re.ASCII
_NOT_THERE = r"\b404\b|not found|no such|not exist|there is no|\bno \w+ (?:has|with|named|called)\b|不存在|找不到|没有"
# By the words of the message, for the many libraries whose errors share no class; the first that fits counts.
_CUES: tuple[tuple[FailureKind, re.Pattern[str]], ...] = (
    ("timeout", re.compile(r"time[d\s-]*out|deadline|超时", _FLAGS)),
    ("rate_limit", re.compile(r"\b429\b|rate.?limit|too many requests|quota|限流", _FLAGS)),
    (
        "authorization",
        re.compile(
            r"\b40[13]\b|forbidden|\bauth\b|authenticat|authori[sz]|permission|api.?key|access denied|权限|密钥",
            _FLAGS,
        ),
    ),
    (
        "connection",
        re.compile(
            r"\b50[0234]\b|connect|unreachable|network|reset by peer|name resolution|name or service|网络", _FLAGS
        ),
    ),
    ("not_found", re.compile(_NOT_THERE, _FLAGS)),
    ("bad_arguments", re.compile(r"argument|parameter|invalid|missing|required|usage|参数|用法", _FLAGS)),
)


@dataclass(frozen=True, slots=True)
class ToolExecutor:
    """Runs LangChain tools, sync ones and async ones, from both sides.

    Attributes:
        tools: by name.
        backoff: how often and after what waits a tool is called again after a time-out, a broken connection or a rate
            limit; other failures are not tried again with the same arguments. All calls have the same
            `idempotency_key()`: a tool whose effect must not be repeated keeps it, because a call that timed out may
            still have had its effect. A call with an effect (`metadata["effects"]`) is not made again where its time
            (`timeout`) is over, or its error only speaks of such a failure, in its words.
        timeout: seconds for one call; None waits as long as the tool takes.
        language: of the advice.

    Example:
        >>> executor = ToolExecutor({tool.name: tool})                        # doctest: +SKIP
        >>> executor.execute({"tool": "add", "input": {"a": 1, "b": 2}}, key="run:3").result  # doctest: +SKIP
        '3'
    """

    tools: Mapping[str, BaseTool]
    backoff: Backoff = _BACKOFF
    timeout: float | None = None
    language: Language = "en"

    def execute(self, action: Action, key: str) -> ToolResult:
        """Run an action; never raises for what the tool does, not even for a `SystemExit`.

        Inside of `recording`, each failed attempt is recorded as an observation, the last one with its
        `kind_of_failure`.

        Args:
            action: the tool's name and input.
            key: identifies this call over crashes; see `idempotency_key`.
        """
        return run(self._recorded(action, key))

    async def aexecute(self, action: Action, key: str) -> ToolResult:
        """Async twin of `execute`."""
        return await arun(self._recorded(action, key))

    def _recorded(self, action: Action, key: str) -> Steps[ToolResult]:
        result = yield from self.steps(action, key)
        if not result.ok:
            record("observation", **action, ok=False, result=result.result, kind_of_failure=result.kind)
        return result

    def steps(
        self, action: Action, key: str, cause: str | None = None, state: Mapping[str, Any] | None = None
    ) -> Steps[ToolResult]:
        """`execute` as steps that leave the recording of the result to their caller.

        Args:
            action: see `execute`.
            key: see `execute`.
            cause: the event from which the failed attempts that are followed by another one follow.
            state: the graph's, for tools that have it injected.
        """
        name, said = action["tool"], action["input"]
        if (tool := self.tools.get(name)) is None:
            return self._failed(name, LookupError(f"there is no tool {name!r}"), "not_found", 0)
        if isinstance(said, str) and said.strip() and not text_argument(tool):
            # The tool has changed since the call was checked, and without its text it would be another call.
            return self._failed(name, ValueError(f"{name} takes no plain text"), "bad_arguments", 0)
        given = with_injected(tool, arguments(tool, said), state, key, self.tools.values())
        request = {"type": "tool_call", "id": key, "name": name, "args": given}
        attempt, asked = 0, list[int]()
        while True:
            attempt += 1
            try:
                message: object = yield Call(
                    lambda: self._called(tool, request, asked), lambda: self._acalled(tool, request, asked)
                )
                return read_result(tool, message, attempt)
            except (GraphBubbleUp, *PROGRAM_ERRORS):
                # A tool may pause the graph by `interrupt()`.
                raise
            except Exception as error:
                # Whatever a tool raises is what came of the call.
                if is_invalid_resume(error):
                    # The tool has not failed: the person's answer is not of the kind that it asked for.
                    raise
                kind = failure_kind(error)
                over = isinstance(error, _OverTimeError)
                # Asked again, what is still at work would be done twice.
                again = kind in _TRANSIENT and not (over and error.at_work)
                # A call may have had its effect before its time was over, or report a failure that came after it:
                # "order placed; mail: connection refused".
                again = again and ((isinstance(error, _TOLD_BY_CLASS) and not over) or not changes(tool, action))
                if not again or attempt >= self.backoff.max_attempts:
                    return self._failed(name, error, kind, attempt)
                words = _words(error)
                links = [Link(source=cause, relation="failed", error=words[:500])] if cause else []
                record("observation", links, **action, ok=False, result=words, attempt=attempt)
                seconds = self.backoff.seconds(attempt, error)
            yield Call(partial(time.sleep, seconds), partial(asyncio.sleep, seconds))

    def _called(self, tool: BaseTool, request: dict[str, Any], asked: list[int]) -> Any:
        with tool_call(request["id"], asked), _exits_as_failures():
            is_sync = _has_sync_form(tool)
            if is_sync and self.timeout is None:
                return tool.invoke(request)
            running = in_thread(lambda: tool.invoke(request) if is_sync else asyncio.run(self._bounded(tool, request)))
            # An async tool is ended by its own loop, unless it holds that up.
            seconds = None if self.timeout is None else self.timeout + (0 if is_sync else _TO_END)
            try:
                return running.result(seconds)
            except TimeoutError:
                if running.done():
                    raise
                raise _OverTimeError(self.timeout, at_work=True) from None

    async def _bounded(self, tool: BaseTool, request: dict[str, Any]) -> Any:
        # Not `wait_for`, which in Python 3.11 loses a cancellation that comes as the tool returns.
        limit = asyncio.timeout(self.timeout)
        try:
            async with limit:
                return await _exit_safe(tool).ainvoke(request)
        except TimeoutError:
            if limit.expired():
                raise _OverTimeError(self.timeout, at_work=False) from None
            raise

    async def _acalled(self, tool: BaseTool, request: dict[str, Any], asked: list[int]) -> Any:
        with tool_call(request["id"], asked), _exits_as_failures():
            if _has_async_form(tool):
                return await self._bounded(tool, request)
            # A sync tool that hangs would keep the event loop's own threads, and with them the loop, from ending.
            running = in_thread(lambda: tool.invoke(request))
            try:
                async with asyncio.timeout(self.timeout):
                    return await asyncio.wrap_future(running)
            except TimeoutError:
                if running.done() and not running.cancelled():
                    raise
                raise _OverTimeError(self.timeout, at_work=True) from None

    def _failed(self, name: str, error: Exception, kind: FailureKind, attempts: int) -> ToolResult:
        advice = text(self.language, f"tool.advice.{kind}", tool=name)
        return ToolResult(False, f"{_words(error)}\n{advice}", kind, attempts)


def failure_kind(error: BaseException) -> FailureKind:
    """The kind of a tool's failure, by class or HTTP status if they tell, else by words; of a group the members'."""
    if isinstance(error, BaseExceptionGroup):
        first, *others = map(failure_kind, cast("BaseExceptionGroup[BaseException]", error).exceptions)
        return first if set(others) <= {first} else "other"
    if isinstance(error, SearchError):
        return _SEARCH_KINDS.get(error.kind, "other")
    for kind, classes in KIND_OF_CLASSES:
        if isinstance(error, classes):
            return kind
    # Before the words, which quote the address: `404 Not Found for url '…/connections/7?timeout=5'`.
    if kind_of_status := KIND_OF_STATUS.get(status_of(error) or 0):
        return kind_of_status
    said = f"{type(error).__name__} {message_of(error)}"
    kind_of_message: FailureKind | None = next((kind for kind, cue in _CUES if cue.search(said)), None)
    return kind_of_message or ("bad_arguments" if isinstance(error, ValueError) else "other")


_TO_END = 1.0
"""Seconds in which an async tool should have ended after its time."""


class _OverTimeError(TimeoutError):
    """A call took longer than it may.

    Attributes:
        at_work: whether it cannot be ended, as a sync tool cannot.
    """

    def __init__(self, seconds: float | None, *, at_work: bool) -> None:
        rest = ", and may still be running" if at_work else ""
        super().__init__(f"it did not return within {seconds or 0:g} seconds{rest}")
        self.at_work = at_work


@contextmanager
def _exits_as_failures() -> Generator[None]:
    try:
        yield
    except asyncio.CancelledError as cancelled:
        if is_cancelled():
            raise
        raise ToolException("the tool was canceled by what it waits for") from cancelled
    except SystemExit as exited:
        raise ToolException(f"the tool tried to end the program (SystemExit: {exited.code})") from exited


def _exit_safe(tool: BaseTool) -> BaseTool:
    """The same tool, whose coroutine may raise `SystemExit`.

    LangChain runs the coroutine in a task of its own, and a `SystemExit` in a task ends asyncio's event loop.
    """
    safe = object.__new__(_exit_safe_class(type(tool)))
    for state in ("__dict__", "__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__"):
        object.__setattr__(safe, state, getattr(tool, state))
    return safe


@lru_cache(maxsize=256)
def _exit_safe_class(kind: type[BaseTool]) -> type[BaseTool]:
    unsafe: Any = kind._arun  # pyright: ignore[reportPrivateUsage]

    @wraps(unsafe)
    async def _arun(self: BaseTool, *args: Any, **named: Any) -> Any:
        with _exits_as_failures():
            return await unsafe(self, *args, **named)

    return cast("type[BaseTool]", type(kind.__name__, (kind,), {"_arun": _arun, "__module__": kind.__module__}))


def _has_sync_form(tool: BaseTool) -> bool:
    return getattr(tool, "func", True) is not None and not is_stub(type(tool)._run)  # pyright: ignore[reportPrivateUsage]


def _has_async_form(tool: BaseTool) -> bool:
    if hasattr(tool, "coroutine"):
        return cast(Any, tool).coroutine is not None
    own: Any = type(tool)._arun  # pyright: ignore[reportPrivateUsage]
    return own is not BaseTool._arun and not is_stub(own)  # pyright: ignore[reportPrivateUsage]


def _words(error: BaseException) -> str:
    said = message_of(error)
    own = type(error).__module__.startswith(("thoughtgraph", "langchain_core.tools"))
    # What the user's own commands say may quote the user's own entries.
    shown = said if isinstance(error, CommandError) else redacted(said)
    return shown if own and said else f"{type(error).__name__}: {shown or 'no message'}"
