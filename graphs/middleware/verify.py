"""Verifies an agent's final answer, and sends it back to the model with what failed.

It is the loop of `create_reflection_graph` with the agent as its actor: the same nodes judge an answer, keep the best,
decide when to stop and leave the trace.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from itertools import takewhile
from typing import Any, cast

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage, SystemMessage
from pydantic_core import to_jsonable_python

from ..._internal.numbers import whole_number
from ..._internal.steps import Steps, arun, run
from ..._internal.strict_json import dumps
from ...errors import RunLimitError
from ...models.messages import add_usage, content_parts, usage_of
from ...models.named import as_model
from ...models.thought import ChatModel
from ...nodes.channels import Given
from ...nodes.node import streamed
from ...nodes.reflection.attempt import attempt_of
from ...nodes.reflection.begin import begin
from ...nodes.reflection.critique import criticize, unreadable
from ...nodes.reflection.loop import ReflectionLoop
from ...nodes.reflection.outcome import outcome
from ...nodes.reflection.request import Answered, repair_words
from ...nodes.reflection.state import ReflectionState, settled_or_current
from ...nodes.reflection.stop import best_attempt, find_stop
from ...nodes.reflection.verify import verify
from ...parsers.contract import apply_parser
from ...parsers.wrapping import split_think
from ...tools.verdict import Verifier
from ...traces.events import Link, recording
from ...traces.reading.messages import add_messages
from ...traces.shapes import StopReason, Usage, VerdictStatus
from .base import (
    AgentMiddleware,
    ExitBehavior,
    ModelRequest,
    ModelResponse,
    as_exit_behavior,
    hook_config,
)
from .messages import asked, in_place_of_an_answer, last_said, sent_back
from .verify_state import LISTS, LoopState, VerifiedState, kept, new_entries, updated

_LIMITS = ("max_iterations", "repeated_answer", "no_improvement")
"""The kinds of stop at which `exit_behavior="error"` raises."""


class VerifyMiddleware(AgentMiddleware[Any, Any, Any]):
    """Verifies an agent's final answer; a failed one goes back to the model with the feedback.

    The answer is the last message, or with a `response_format` the form as JSON. The task is the text of the user's
    last message. If the verifier is a `FormattedVerifier`, its `instructions` and `criteria` end the system message and
    its `parse` reads the answer. The best answer is kept: if a later one is worse, the last message and the form are
    the best one's. The agent's output gets `verdict`, `stop_reason`, `attempts` and `events`.

    A model's opinion is no verification: an answer that only the critic accepts is `"unverified"`. Where another
    middleware ends the run in place of an answer, as LangChain's limits do, its words are no answer: the run has failed
    with the stop reason `"cut_short"`, and an earlier answer is kept. In `attempts` they are the `reply` of an entry
    whose `answer` is None.

    Args:
        verifier: as in `create_reflection_graph`.
        critic: a model, or its name, that explains what the verifier failed and judges what it could not verify.
        run_limit: answers that are judged in a run, the first included.
        exit_behavior: what happens if the limit is reached with a failed answer, or the model keeps repeating itself:
            `"end"` ends the run with the best answer, `"error"` raises.

    Raises:
        RunLimitError: during the run, with `exit_behavior="error"`; it carries the stop reason.
        ModelSetupError: a critic that was given by its name cannot be opened.
        ValueError: neither a verifier nor a critic is given, the critic is no model, the limit is below 1, or the
            behavior is unknown.
        VerifierContractError: the verifier is not one; or, during the run, it returned no valid verdict.

    Example:
        >>> agent = create_agent(model, tools, middleware=[VerifyMiddleware(verifier)])    # doctest: +SKIP
        >>> agent.invoke({"messages": [("user", "…")]})["verdict"]                          # doctest: +SKIP
        'passed'
    """

    state_schema: type[VerifiedState] = VerifiedState

    def __init__(
        self,
        verifier: Verifier | None = None,
        *,
        critic: ChatModel | str | None = None,
        run_limit: int = 3,
        exit_behavior: ExitBehavior = "end",
    ) -> None:
        super().__init__()
        if verifier is None and critic is None:
            raise ValueError("nothing judges the answer: give a verifier, a critic, or both")
        run_limit = whole_number("run_limit", run_limit)
        self.exit_behavior = as_exit_behavior(exit_behavior)
        self._criticized = critic is not None
        # The agent itself is the actor.
        nobody = cast(Any, None)
        reviewer = nobody if critic is None else as_model(critic, "critic")
        # The agent goes on in its conversation, where it reads what is said of its answer.
        self._loop = ReflectionLoop("agent", nobody, reviewer, verifier, max_attempts=run_limit, strategies=("repair",))

    def before_agent(self, state: VerifiedState, runtime: Any) -> dict[str, Any]:
        """Start a run of the loop; a resumed run continues its own."""
        task = asked(state["messages"]) or "(The task is not in words.)"
        begun = begin(cast(ReflectionState, {**state, "task": Given(task)}), self._loop)
        last = state["messages"][-1].id if state["messages"] else None
        lists = {name: begun[name] for name in LISTS}
        verification = kept({**begun, "task": task, "answered": last or "", "best_form": None})
        return streamed({**lists, "verification": verification, "replied": "", "verdict": None, "stop_reason": None})

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Tell the model how an answer is written and what it must meet."""
        return handler(self._instructed(request))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """The async twin of `wrap_model_call`."""
        return await handler(self._instructed(request))

    def after_model(self, state: VerifiedState, runtime: Any) -> dict[str, Any]:
        """Note which message is the model's own: another middleware may end the run with one of its own making."""
        return {"replied": last_said(state["messages"]).id or ""}

    @hook_config(can_jump_to=["model"])
    def after_agent(self, state: VerifiedState, runtime: Any) -> dict[str, Any]:
        """Judge the answer; end the run, or send it back."""
        return run(self._end_or_retry(state))

    @hook_config(can_jump_to=["model"])
    async def aafter_agent(self, state: VerifiedState, runtime: Any) -> dict[str, Any]:
        """The async twin of `after_agent`."""
        return await arun(self._end_or_retry(state))

    def _end_or_retry(self, state: VerifiedState) -> Steps[dict[str, Any]]:
        """What `after_agent` writes: the answer is judged as an attempt of the loop, and then ends the run or goes back
        to the model."""
        before = self._loop_state(state)
        instead = in_place_of_an_answer(state["messages"], state.get("replied"), before["answered"])
        judged = yield from self._with_verdict(self._with_attempt(before, state, instead))
        last, best = judged["attempts"][-1], best_attempt(judged["attempts"])
        form = state.get("structured_response") if best is last else before["best_form"]
        judged = updated(judged, {"best_form": form})
        ended_by = state.get("stop_reason")
        if instead and ended_by is None:
            ended_by = StopReason(kind="cut_short", value=instead, limit=None)
        if ended_by is None and find_stop(judged, self._loop) is None:
            return streamed(_retry(judged, state))
        return streamed(self._end(judged, state, ended_by))

    def _loop_state(self, state: VerifiedState) -> LoopState:
        """The loop's state as the last answer left it, or `before_agent`."""
        # The middleware may be added to an agent while a run of it is paused.
        begun = {} if state.get("verification") else self.before_agent(state, None)
        verification: Any = begun.get("verification") or state.get("verification")
        lists = {name: list(begun.get(name) or state.get(name) or []) for name in LISTS}
        return cast(LoopState, {**verification, **lists, "current": None})

    def _with_attempt(self, before: LoopState, state: VerifiedState, instead: str) -> LoopState:
        """The state with an attempt more, behind the calls of the agent that led to it.

        Args:
            before: the loop's state.
            state: the agent's.
            instead: what another middleware said in place of an answer; "" where the model has answered.
        """
        new = _since(state["messages"], before["answered"])
        given = self._answered(state, instead, add_usage(*map(usage_of, new)))
        current = attempt_of(given, before)
        relation = "led_to" if current["strategy"] == "first" else "revised"
        said = [one for one in (new[:-1] if instead else new) if not isinstance(one, HumanMessage)]
        with recording(before["run_id"], len(before["events"])) as recorder:
            cause = Link(source=before["events"][-1]["id"], relation=relation)
            add_messages(recorder, said, [cause])
            current["event"] = recorder.add("attempt", recorder.after_last() or [cause], **current)
        writes = {**settled_or_current(current, settled=current["verdict"] is not None), "events": recorder.events}
        return updated(before, {**writes, "usage": add_usage(before["usage"], given.usage)})

    def _answered(self, state: VerifiedState, instead: str, usage: Usage) -> Answered:
        """What the agent came to, as the loop's nodes know an actor's answer."""
        if instead:
            return Answered(instead, None, instead, "no_answer", usage)
        if (form := state.get("structured_response")) is not None:
            reply = dumps(to_jsonable_python(form, fallback=str), ensure_ascii=False)
            return Answered(reply, reply, "", "", usage)
        reply = split_think(content_parts(last_said(state["messages"]))[1])[1].strip()
        parsed = apply_parser(self._loop.parser, reply, {})
        if parsed.status == "error":
            return Answered(reply, None, parsed.feedback, "no_answer", usage)
        content = parsed.content if isinstance(parsed.content, str) else dumps(parsed.content, default=str)
        return Answered(reply, content, "", "", usage)

    def _with_verdict(self, judged: LoopState) -> Steps[LoopState]:
        """The state after the nodes that judge an attempt, each of which may leave it to the next."""
        leaves: tuple[VerdictStatus, ...] = ("failed", "unverified") if self._criticized else ()
        if judged["current"] is not None:
            judged = updated(judged, (yield from verify(judged, self._loop, leaves=leaves)))
        if judged["current"] is not None:
            judged = updated(judged, (yield from criticize(judged, self._loop, by="critic")))
        if judged["current"] is not None:
            judged = updated(judged, unreadable(judged, self._loop))
        return judged

    def _end(self, judged: LoopState, state: VerifiedState, ended_by: StopReason | None) -> dict[str, Any]:
        """What ends the run with the best answer.

        Args:
            judged: the loop's state.
            state: the agent's.
            ended_by: the reason that another middleware gave; None where the loop has its own.
        """
        ended = outcome(judged, self._loop, ended_by=ended_by)
        stop = ended["stop_reason"]
        if self.exit_behavior == "error" and ended_by is None and stop["kind"] in _LIMITS:
            raise RunLimitError(stop["kind"], stop["value"], stop["limit"])
        writes = {**new_entries(updated(judged, ended), state), "verdict": ended["verdict"], "stop_reason": stop}
        last, best = judged["attempts"][-1], best_attempt(judged["attempts"])
        message = last_said(state["messages"])
        answer = message if best is last else _as_last(message, best["reply"])
        if message.id and message.id == judged["answered"]:
            # LangGraph puts a message in the place of one with its id, and some models number none of their replies
            # anew: the answer stands before what was sent back.
            writes["messages"] = [RemoveMessage(message.id), answer.model_copy(update={"id": None})]
        elif best is not last:
            writes["messages"] = [answer]
        if state.get("structured_response") is not judged["best_form"]:
            writes["structured_response"] = judged["best_form"]
        return writes

    def _instructed(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        """The request with what the verifier asks of an answer at the end of the system message."""
        words = "\n\n".join(filter(None, [self._loop.instructions.strip(), self._loop.criteria.strip()]))
        if not words:
            return request
        system: Any = request.system_message.content if request.system_message else ""
        if isinstance(system, str):
            return request.override(system_message=SystemMessage(f"{system}\n\n{words}".strip()))
        return request.override(system_message=SystemMessage([*system, {"type": "text", "text": words}]))


def _since(messages: Sequence[AnyMessage], answered: str) -> list[AnyMessage]:
    """The messages after the one that was judged last. A model that gives every reply the same id has its last one in
    the place of the one before."""
    last = last_said(messages)
    if last.id == answered:
        return [last]
    return list(takewhile(lambda message: not answered or message.id != answered, reversed(messages)))[::-1]


def _retry(judged: LoopState, state: VerifiedState) -> dict[str, Any]:
    """What sends the last answer back to the model, with what was wrong with it."""
    last, message = judged["attempts"][-1], last_said(state["messages"])
    request = sent_back(message, repair_words(last["feedback"], last["critique"]))
    verification = kept({**judged, "strategy": "repair", "answered": message.id or ""})
    return {**new_entries(judged, state), "verification": verification, "messages": [request], "jump_to": "model"}


def _as_last(last: AnyMessage, reply: str) -> AIMessage:
    """The best answer as the last message: in place of a worse one, or after the result of a tool."""
    if not isinstance(last, AIMessage):
        return AIMessage(reply)
    return AIMessage(reply, id=last.id, name=last.name, usage_metadata=last.usage_metadata)
