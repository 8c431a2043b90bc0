"""The plan-act loop's guidance for an agent: what its last results look like, and how far its run is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from langchain_core.messages import AnyMessage, ToolMessage

from ..._internal.numbers import whole_number
from ..._internal.texts import Language
from ...nodes.plan_act.guards import Limits
from ...nodes.plan_act.prompts.advice import (
    TaskHandler,
    analyze_tool_results,
    as_handlers,
    depth_hint,
    generate_guidance,
)
from ...traces.lookup import brief
from ...traces.shapes import StopReason
from .base import GuardMiddleware
from .counters import Counters
from .messages import asked

_SHOWN = 500


class GuidanceMiddleware(GuardMiddleware):
    """Tells the model after every round of tools what to do about the results, as the plan-act loop does.

    `analyze_tool_results` looks at the results by cue words, in English and in Chinese. The first handler that knows
    the task speaks, else one of three default texts: finish, correct the call, go on. Past the third round the model is
    also told how many model calls are used and left, and from the sixth on to finish. The text is at the end of the
    last tool result, in that request only. Nothing is ended; add `BudgetMiddleware` for that.

    Args:
        handlers: guidance for your own kinds of tasks, asked in order with the text of the user's last message.
        run_limit: model calls that a run is meant to take.
        language: of the texts, `"en"` or `"zh"`.

    Raises:
        ValueError: the limit is below 1, the language is unknown, or a handler is none.
    """

    def __init__(self, handlers: Sequence[TaskHandler] = (), *, run_limit: int = 20, language: Language = "en") -> None:
        super().__init__(Limits(max_steps=whole_number("run_limit", run_limit)), language, "end")
        self._handlers = as_handlers(handlers, "handlers")

    def find_stop(self, counters: Counters) -> StopReason | None:
        return None

    def advice(self, messages: Sequence[AnyMessage], counters: Counters) -> str:
        results = list(takewhile(lambda message: isinstance(message, ToolMessage), reversed(messages)))[::-1]
        if not results:
            return ""
        failed = any(isinstance(result, ToolMessage) and result.status == "error" for result in results)
        analysis = analyze_tool_results([result.text for result in results], failed=failed)
        task = asked(messages)
        # Every round of a run was asked for by a model call.
        depth = counters["steps"]
        step = brief(task, _SHOWN)
        own = generate_guidance(task, analysis, depth, handlers=self._handlers, step=step, language=self.language)
        hint = depth_hint(depth, depth, self.limits.max_steps, language=self.language)
        return "\n\n".join(part for part in (own, hint) if part)
