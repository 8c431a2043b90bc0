"""The plan-act loop's guards as middleware for LangChain's `create_agent`; each can be used alone."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from typing import Any, cast

from langchain_core.messages import ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from ..._internal.numbers import whole_number
from ..._internal.strict_json import entries, mapping
from ..._internal.texts import Language
from ...nodes.plan_act.guards import (
    LEAST_WINDOW,
    Limits,
    as_names,
    check_duplicates,
    check_iterations,
    check_loop,
    check_time,
    check_tokens,
    repeats,
)
from ...nodes.plan_act.prompts.texts import text
from ...traces.shapes import StopReason
from .base import ExitBehavior, GuardedState, GuardMiddleware
from .counters import REFUSED, SECONDS, Counters, is_repeat


class DuplicateCallMiddleware(GuardMiddleware):
    """Refuses a tool call that keeps giving the same result, and ends the run if the model insists.

    Calls count as equal if tool, arguments (in any order and spacing) and result are the same. After `threshold` equal
    calls in a row, the next one is not executed but answered with advice. If the model repeats it again, it is asked
    for its best answer without tools, and the run ends with `stop_reason["kind"] == "duplicate_tool_calls"`. Calls of
    one message are executed beside each other, so none is refused for another one of the same message.

    Args:
        threshold: equal calls with equal results in a row.
        exempt_tools: names of tools that may repeat without limit.
        warn_at: share of the limit at which the guard starts to warn the model.
        language: of messages to the model, `"en"` or `"zh"`.
        exit_behavior: `"end"` ends the run with the model's last answer; `"error"` raises instead.

    Raises:
        RunLimitError: during the run, with `exit_behavior="error"`; it carries the stop reason.
        ValueError: the threshold is below 1, the share is not between 0 and 1, the language is unknown, or
            `exempt_tools` is a single string instead of a collection of names.
    """

    watches = ("repeats",)

    def __init__(
        self,
        *,
        threshold: int = 3,
        exempt_tools: Iterable[str] = (),
        warn_at: float = 0.8,
        language: Language = "en",
        exit_behavior: ExitBehavior = "end",
    ) -> None:
        limits = Limits(
            duplicate_threshold=whole_number("threshold", threshold),
            exempt_tools=as_names(exempt_tools),
            warn_at=warn_at,
        )
        super().__init__(limits, language, exit_behavior)

    def find_stop(self, counters: Counters) -> StopReason | None:
        return check_duplicates(counters, self.limits)

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]]
    ) -> ToolMessage | Command[Any]:
        """Answer a repeated call with advice instead of executing it."""
        return self._refusal(request) or handler(request)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]]
    ) -> ToolMessage | Command[Any]:
        """The async twin of `wrap_tool_call`."""
        return self._refusal(request) or await handler(request)

    def _refusal(self, request: ToolCallRequest) -> ToolMessage | None:
        state, call = cast(GuardedState, request.state), request.tool_call
        mine = self.counters(state)
        if not is_repeat(mine, state["messages"], call, self.limits):
            return None
        words = text(self.language, "refused_repeat", count=repeats(mine["trail"], self.limits))
        return ToolMessage(words, tool_call_id=call["id"], name=call["name"], status="error", artifact=dict(REFUSED))


class LoopMiddleware(GuardMiddleware):
    """Ends a run whose tool calls repeat a pattern, such as A-B-A-B-A, with the same results.

    Args:
        window: calls in a row that only repeat a shorter pattern.
        exempt_tools: names of tools to ignore.
        warn_at: share of the limit at which the guard starts to warn the model.
        language: of messages to the model, `"en"` or `"zh"`.
        exit_behavior: `"end"` ends the run with the model's last answer; `"error"` raises instead.

    Raises:
        RunLimitError: during the run, with `exit_behavior="error"`; it carries the stop reason.
        ValueError: the window is below 4, the share is not between 0 and 1, the language is unknown, or
            `exempt_tools` is a single string instead of a collection of names.
    """

    watches = ("loop",)

    def __init__(
        self,
        *,
        window: int = 5,
        exempt_tools: Iterable[str] = (),
        warn_at: float = 0.8,
        language: Language = "en",
        exit_behavior: ExitBehavior = "end",
    ) -> None:
        limits = Limits(
            loop_window=whole_number("window", window, LEAST_WINDOW),
            exempt_tools=as_names(exempt_tools),
            warn_at=warn_at,
        )
        super().__init__(limits, language, exit_behavior)

    def find_stop(self, counters: Counters) -> StopReason | None:
        return check_loop(counters, self.limits)


class BudgetMiddleware(GuardMiddleware):
    """Ends a run that has used up its model calls, tokens or time; the last answer is extra.

    Args:
        run_limit: model calls per run that may use tools; None for no limit.
        max_tokens: tokens of the agent's model calls, prompts included, as the provider reports them, or else
            estimated; None for no limit.
        max_seconds: time in the model and in tools, without pauses; None for no limit.
        warn_at: share of a limit from which on the model is warned.
        language: of messages to the model, `"en"` or `"zh"`.
        exit_behavior: `"end"` ends the run with the model's last answer; `"error"` raises instead.

    Raises:
        RunLimitError: during the run, with `exit_behavior="error"`; it carries the stop reason.
        ValueError: no limit is given, a limit is below 1 (`max_seconds`: not above 0), the share is not between 0 and
            1, or the language is unknown.
    """

    def __init__(
        self,
        *,
        run_limit: int | None = None,
        max_tokens: int | None = None,
        max_seconds: float | None = None,
        warn_at: float = 0.8,
        language: Language = "en",
        exit_behavior: ExitBehavior = "end",
    ) -> None:
        if run_limit is None and max_tokens is None and max_seconds is None:
            raise ValueError("a budget needs a limit: give run_limit, max_tokens or max_seconds")
        limits = Limits(max_tokens=max_tokens, max_seconds=max_seconds, warn_at=warn_at)
        if run_limit is not None:
            limits = replace(limits, max_steps=whole_number("run_limit", run_limit))
        super().__init__(limits, language, exit_behavior)
        self.run_limit = run_limit
        self.watches = ("tokens", "time") if run_limit is None else ("steps", "tokens", "time")

    def find_stop(self, counters: Counters) -> StopReason | None:
        spent = check_tokens(counters, self.limits) or check_time(counters, self.limits)
        if spent or self.run_limit is None:
            return spent
        return check_iterations(counters, self.limits)

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]]
    ) -> ToolMessage | Command[Any]:
        """Record on the result how long the call took."""
        started = time.monotonic()
        return _timed(handler(request), started)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]]
    ) -> ToolMessage | Command[Any]:
        """The async twin of `wrap_tool_call`."""
        started = time.monotonic()
        return _timed(await handler(request), started)


def _timed(result: ToolMessage | Command[Any], started: float) -> ToolMessage | Command[Any]:
    messages = entries(mapping(result.update).get("messages")) if isinstance(result, Command) else [result]
    for message in messages:
        if isinstance(message, ToolMessage):
            message.response_metadata[SECONDS] = time.monotonic() - started
    return result
