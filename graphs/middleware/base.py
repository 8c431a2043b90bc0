"""The base of the guards for LangChain's `create_agent`: they count, warn, and end a run with a last answer.

A guard counts and trips only in `before_model`, where every tool call has its result. When it trips, it calls the model
once more, without tools, for the best answer from what is known, and that answer ends the run. Checkpoints keep the
counters, so a pause for a human does not reset them; every new input starts them at zero.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from functools import partial
from typing import Annotated, Any, Literal, NotRequired, cast, get_args

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.errors import GraphBubbleUp
from langgraph.types import Command

from ..._internal.redact import line_of, redacted
from ..._internal.steps import Call, Steps, arun, run
from ..._internal.texts import Language, as_language
from ...errors import MissingLibraryError, RunLimitError
from ...nodes.plan_act.guards import Limits
from ...nodes.plan_act.prompts.report import near
from ...nodes.plan_act.prompts.texts import text
from ...traces.shapes import StopReason
from .counters import CallKey, Counters, fresh_counters, merged, with_model_call, with_results
from .messages import best_reply, folded, known_so_far

try:
    from langchain.agents.middleware import hook_config
    from langchain.agents.middleware.types import (
        AgentMiddleware,
        AgentState,
        ExtendedModelResponse,
        ModelRequest,
        ModelResponse,
        OmitFromSchema,
        PrivateStateAttr,
    )
except ImportError as missing:
    raise MissingLibraryError("guards for agents need LangChain: pip install 'thoughtgraph[middleware]'") from missing

ExitBehavior = Literal["end", "error"]
"""As in LangChain's own limits: end the run with a last answer, or raise."""
_FOR_TOOLS = ("tool_choice", "parallel_tool_calls")


def as_exit_behavior(given: str) -> ExitBehavior:
    """What is given as `exit_behavior`, or a `ValueError`."""
    if given not in get_args(ExitBehavior):
        raise ValueError(f"exit_behavior is one of {get_args(ExitBehavior)}, got {given!r}")
    return cast(ExitBehavior, given)


class GuardedState(AgentState[Any]):
    """What the guards add to the agent's state.

    Attributes:
        stop_reason: why a guard ended the run; None if none did. Part of the agent's output.
        guard_counters: each guard's counters, by its name; private.
    """

    stop_reason: NotRequired[Annotated[StopReason | None, OmitFromSchema(input=True, output=False)]]
    guard_counters: NotRequired[Annotated[dict[str, Counters], PrivateStateAttr, merged]]


class GuardMiddleware(AgentMiddleware[Any, Any, Any]):
    """A guard: a subclass says which limits it watches and when the run has reached one.

    Attributes:
        watches: limits about which the model is warned, by the names that `near` gives them.

    Args:
        limits: the limits; each guard reads only its own.
        language: of messages to the model, `"en"` or `"zh"`.
        exit_behavior: what happens when the run reaches a limit.

    Raises:
        ValueError: the language or the behavior is unknown.
    """

    state_schema: type[GuardedState] = GuardedState
    watches: Collection[str] = ()

    def __init__(self, limits: Limits, language: Language, exit_behavior: ExitBehavior) -> None:
        super().__init__()
        self.exit_behavior = as_exit_behavior(exit_behavior)
        self.limits = limits
        self.language: Language = as_language(language)
        self.raised: dict[CallKey, None] = {}

    def find_stop(self, counters: Counters) -> StopReason | None:
        """The reason to end the run, or None."""
        raise NotImplementedError

    def advice(self, messages: Sequence[AnyMessage], counters: Counters) -> str:
        """What to tell the model now beside warnings; "" for nothing."""
        return ""

    def before_agent(self, state: GuardedState, runtime: Any) -> dict[str, Any]:
        """Start counting from zero: new input begins a run, a resume continues it."""
        return {"guard_counters": {self.name: fresh_counters(state["messages"])}, "stop_reason": None}

    @hook_config(can_jump_to=["end"])
    def before_model(self, state: GuardedState, runtime: Any) -> dict[str, Any] | None:
        """Count the tools' results and decide whether the run continues."""
        mine = self.counters(state)
        if mine["stop"]:
            # The last answer has been given; whatever calls the model again must not keep the run alive.
            return {"jump_to": "end", "messages": self._missing_answer(state, mine["stop"])}
        if state.get("stop_reason"):
            return None
        mine = with_results(mine, state["messages"], self.limits, self.raised)
        stop = self.find_stop(mine)
        if stop is None:
            return {"guard_counters": {self.name: mine}}
        if self.exit_behavior == "error":
            raise RunLimitError(stop["kind"], stop["value"], stop["limit"])
        return {"guard_counters": {self.name: {**mine, "stop": stop}}, "stop_reason": stop}

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        """Warn the model near a limit; at the limit, ask for its last answer."""
        return run(self._model_call(request, handler))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any] | ExtendedModelResponse[Any]:
        """The async twin of `wrap_model_call`."""
        return await arun(self._model_call(request, handler))

    def _model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Any]
    ) -> Steps[ModelResponse[Any] | ExtendedModelResponse[Any]]:
        state = cast(GuardedState, request.state)
        mine = self.counters(state)
        if mine["stop"]:
            return (yield from self._last_call(request, handler, mine["stop"]))
        if state.get("stop_reason"):
            return (yield _call(handler, request))
        warned_of = near(mine, self.limits, self.language)
        close = {limit: words for limit, words in warned_of.items() if limit in self.watches}
        untold = [words for limit, words in close.items() if limit not in mine["warned"]]
        if words := "\n".join(filter(None, [*untold, self.advice(state["messages"], mine)])):
            request = request.override(messages=folded(request.messages, words))
        started = time.monotonic()
        response = yield _call(handler, request)
        sent = [*filter(None, [request.system_message]), *request.messages]
        mine = with_model_call(mine, sent, response.result, time.monotonic() - started, list(close))
        return ExtendedModelResponse(response, Command(update={"guard_counters": {self.name: mine}}))

    def _last_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Any], stop: StopReason
    ) -> Steps[ModelResponse[Any]]:
        key = "stop.budget" if stop["kind"] in ("token_budget", "time_budget") else f"stop.{stop['kind']}"
        last = request.override(
            messages=folded(request.messages, text(self.language, key)),
            tools=[],
            tool_choice=None,
            model_settings={name: set_to for name, set_to in request.model_settings.items() if name not in _FOR_TOOLS},
        )
        answer, failure = None, ""
        try:
            response: ModelResponse[Any] = yield _call(handler, last)
            if response.structured_response is not None:
                return response
            answer = best_reply(response.result)
        except GraphBubbleUp:
            raise
        except Exception as error:  # noqa: BLE001 - the run has ended with a reason of its own; it must not be lost
            failure = redacted(line_of(error))
        if answer is None:
            answer = known_so_far(request.messages, stop, failure, self.language)
        return ModelResponse([answer])

    def _missing_answer(self, state: GuardedState, stop: StopReason) -> list[AIMessage]:
        messages = state["messages"]
        if best_reply(messages[-1:]):
            return []
        return [known_so_far(messages, stop, "", self.language)]

    def counters(self, state: GuardedState) -> Counters:
        """This guard's counters for the current run."""
        # A guard may be added to an agent while a run of it is paused.
        return state.get("guard_counters", {}).get(self.name) or fresh_counters([])


def _call(handler: Callable[[ModelRequest[Any]], Any], request: ModelRequest[Any]) -> Call:
    return Call(partial(handler, request), partial(handler, request))
