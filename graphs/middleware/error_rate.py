"""The guard against failing tools."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, cast

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import ToolMessage
from langchain_core.runnables.config import merge_configs
from langgraph.errors import GraphBubbleUp
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from ..._internal.numbers import share, whole_number
from ..._internal.texts import Language
from ...nodes.plan_act.guards import Limits, as_names, check_errors
from ...traces.shapes import StopReason
from .base import ExitBehavior, GuardedState, GuardMiddleware
from .counters import CallKey, Counters
from .messages import last_reply

_NOTED = 1_000
"""Latest calls that raised; each is counted right after its round."""


class ErrorRateMiddleware(GuardMiddleware):
    """Ends a run if too large a share of its tool calls has failed.

    A call has failed if its tool message has the status `"error"`, or if the tool raised and another middleware made a
    message of that, whatever its status; a retry that works makes good for it. Calls that `DuplicateCallMiddleware`
    refused do not count.

    Args:
        threshold: the largest share of failed calls allowed.
        min_calls: calls needed before the share counts.
        exempt_tools: names of tools whose failures do not count.
        warn_at: share of the limit at which the guard starts to warn the model.
        language: of messages to the model, `"en"` or `"zh"`.
        exit_behavior: `"end"` ends the run with the model's last answer; `"error"` raises instead.

    Raises:
        RunLimitError: during the run, with `exit_behavior="error"`; it carries the stop reason.
        ValueError: the minimum is below 1, a share is not between 0 and 1, the language is unknown, or
            `exempt_tools` is a single string instead of a collection of names.
    """

    watches = ("errors",)

    def __init__(
        self,
        *,
        threshold: float = 0.5,
        min_calls: int = 4,
        exempt_tools: Iterable[str] = (),
        warn_at: float = 0.8,
        language: Language = "en",
        exit_behavior: ExitBehavior = "end",
    ) -> None:
        limits = Limits(
            error_threshold=share("threshold", threshold),
            error_min_calls=whole_number("min_calls", min_calls),
            exempt_tools=as_names(exempt_tools),
            warn_at=warn_at,
        )
        super().__init__(limits, language, exit_behavior)

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]]
    ) -> ToolMessage | Command[Any]:
        """Note whether the tool raises."""
        self._watch(request)
        return handler(request)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]]
    ) -> ToolMessage | Command[Any]:
        """The async twin of `wrap_tool_call`."""
        self._watch(request)
        return await handler(request)

    def _watch(self, request: ToolCallRequest) -> None:
        reply = last_reply(cast(GuardedState, request.state)["messages"])
        key = (reply.id if reply else None, request.tool_call["id"])
        # By a callback, because the middleware that answers for the tool may be on either side of this one.
        config = request.runtime.config
        config["callbacks"] = merge_configs(config, {"callbacks": [_Watch(self.raised, key)]}).get("callbacks")

    def find_stop(self, counters: Counters) -> StopReason | None:
        return check_errors(counters, self.limits)


class _Watch(BaseCallbackHandler):
    """Notes whether the last thing that a tool did was to raise."""

    run_inline = True

    def __init__(self, raised: dict[CallKey, None], key: CallKey) -> None:
        self._raised, self._key = raised, key

    def on_tool_error(self, error: BaseException, **_: Any) -> None:
        if not isinstance(error, GraphBubbleUp):
            self._raised[self._key] = None
        if len(self._raised) > _NOTED:
            self._raised.pop(next(iter(self._raised)), None)

    def on_tool_end(self, output: Any, **_: Any) -> None:
        self._raised.pop(self._key, None)
