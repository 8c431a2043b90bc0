"""Verifies an agent's final answer, and sends it back to the model with what failed.

It is the loop of `create_reflection_graph` with the agent as its actor: the same nodes judge an answer, keep the best,
decide when to stop and leave the trace.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from itertools import takewhile
from typing import Annotated, Any, NotRequired, cast

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage, SystemMessage
from pydantic_core import to_jsonable_python

from ..._internal.channel import appended, numbered
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
from ...traces.events import Event, Link, recording
from ...traces.reading.messages import add_messages
from ...traces.shapes import Attempt, StopReason, VerdictStatus
from .base import (
    AgentMiddleware,
    ExitBehavior,
    GuardedState,
    ModelRequest,
    ModelResponse,
    OmitFromSchema,
    PrivateStateAttr,
    as_exit_behavior,
    hook_config,
)
from .messages import asked, in_place_of_an_answer, last_said, sent_back

_Output = OmitFromSchema(input=True, output=False)
_REST = ("task", "run_id", "strategy", "failure", "seconds", "usage", "answered", "form")
"""What `verification` holds: of the loop's state, then the message last judged and the form of the best answer."""
_LIMITS = ("max_iterations", "repeated_answer", "no_improvement")


class VerifiedState(GuardedState):
    """What `VerifyMiddleware` adds to the agent's state; all but the last is part of the agent's output.

    Attributes:
        verdict: what is known of the answer: `"passed"`, `"failed"` or `"unverified"`; None until the run ends.
        attempts: every answer with its verdict and feedback, as in a reflection graph; without an answer where there
            was none.
        events: the trace: the agent's own calls, its answers and what was judged of them; `ContextGraph.from_run` reads
            it.
        verification: the rest of the loop's state; private.
        replied: the id of the model's last message, "" before the first of the run; private.
    """

    verdict: NotRequired[Annotated[VerdictStatus | None, _Output]]
    attempts: NotRequired[Annotated[list[Attempt], _Output, numbered()]]
    events: NotRequired[Annotated[list[Event], _Output, appended()]]
    verification: NotRequired[Annotated[dict[str, Any], PrivateStateAttr]]
    replied: NotRequired[Annotated[str, PrivateStateAttr]]


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
        self._loop = ReflectionLoop("agent", nobody, reviewer, verifier, max_attempts=run_limit)

    def before_agent(self, state: VerifiedState, runtime: Any) -> dict[str, Any]:
        """Start a run of the loop; a resumed run continues its own."""
        task = asked(state["messages"]) or "(The task is not in words.)"
        begun = begin(cast(ReflectionState, {**state, "task": Given(task)}), self._loop)
        last = state["messages"][-1].id if state["messages"] else None
        lists = {name: begun[name] for name in ("attempts", "events")}
        rest = {**begun, "task": task, "answered": last or "", "form": None}
        verification = {name: rest[name] for name in _REST}
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
        return run(self._judged(state))

    @hook_config(can_jump_to=["model"])
    async def aafter_agent(self, state: VerifiedState, runtime: Any) -> dict[str, Any]:
        """The async twin of `after_agent`."""
        return await arun(self._judged(state))

    def _judged(self, state: VerifiedState) -> Steps[dict[str, Any]]:
        loop, message = self._loop, last_said(state["messages"])
        # The middleware may be added to an agent while a run of it is paused.
        known = {} if state.get("verification") else self.before_agent(state, None)
        before: Any = known.get("verification") or state.get("verification")
        lists = {name: list(known.get(name) or state.get(name) or []) for name in ("attempts", "events")}
        so_far = cast(ReflectionState, {**before, **lists, "current": None})
        guard_stop = state.get("stop_reason")
        if report := in_place_of_an_answer(state["messages"], state.get("replied"), before["answered"]):
            guard_stop = guard_stop or StopReason(kind="cut_short", value=report, limit=None)
        so_far = self._with_answer(so_far, state, before["answered"], report)
        if so_far["current"] is not None:
            leaves: tuple[VerdictStatus, ...] = ("failed", "unverified") if self._criticized else ()
            so_far = _added(so_far, (yield from verify(so_far, loop, leaves=leaves)))
        if so_far["current"] is not None:
            so_far = _added(so_far, (yield from criticize(so_far, loop, by="critic")))
        if so_far["current"] is not None:
            so_far = _added(so_far, unreadable(so_far, loop))
        form = state.get("structured_response")
        last, best = so_far["attempts"][-1], best_attempt(so_far["attempts"])
        kept_form = form if best is last else before["form"]
        if guard_stop is None and find_stop(so_far, loop) is None:
            words = repair_words(last["feedback"], last["critique"])
            request = sent_back(message, words)
            rest = {**so_far, "strategy": "repair", "answered": message.id or "", "form": kept_form}
            again = {"verification": {name: rest[name] for name in _REST}, "messages": [request], "jump_to": "model"}
            return streamed({**_grown(state, so_far), **again})
        ended = outcome(so_far, loop, ended_by=guard_stop)
        stop = ended["stop_reason"]
        if self.exit_behavior == "error" and guard_stop is None and stop["kind"] in _LIMITS:
            raise RunLimitError(stop["kind"], stop["value"], stop["limit"])
        writes = {**_grown(state, _added(so_far, ended)), "verdict": ended["verdict"], "stop_reason": stop}
        answer = message if best is last else _as_last(message, best["reply"])
        if message.id and message.id == before["answered"]:
            # LangGraph puts a message in the place of one with its id, and some models number none of their replies
            # anew: the answer stands before what was sent back.
            writes["messages"] = [RemoveMessage(message.id), answer.model_copy(update={"id": None})]
        elif best is not last:
            writes["messages"] = [answer]
        if form is not kept_form:
            writes["structured_response"] = kept_form
        return streamed(writes)

    def _with_answer(
        self, so_far: ReflectionState, state: VerifiedState, answered: str, report: str
    ) -> ReflectionState:
        """The state with the agent's answer as an attempt, or with what was said in its place."""
        message, form = last_said(state["messages"]), state.get("structured_response")
        new = _since(state["messages"], answered)
        usage = add_usage(*map(usage_of, new))
        if report:
            attempt, new = Answered(report, None, report, "no_answer", usage), new[:-1]
        elif form is not None:
            reply = dumps(to_jsonable_python(form, fallback=str), ensure_ascii=False)
            attempt = Answered(reply, reply, "", "", usage)
        else:
            reply = split_think(content_parts(message)[1])[1].strip()
            parsed = apply_parser(self._loop.parser, reply, {})
            content = parsed.content if isinstance(parsed.content, str) else dumps(parsed.content, default=str)
            if parsed.status == "error":
                attempt = Answered(reply, None, parsed.feedback, "no_answer", usage)
            else:
                attempt = Answered(reply, content, "", "", usage)
        return self._attempted(so_far, attempt, new)

    def _attempted(self, so_far: ReflectionState, given: Answered, new: Sequence[AnyMessage]) -> ReflectionState:
        """The state with an attempt more, behind the calls of the agent that led to it."""
        current = attempt_of(given, so_far)
        relation = "led_to" if current["strategy"] == "first" else "revised"
        with recording(so_far["run_id"], len(so_far["events"])) as recorder:
            cause = Link(source=so_far["events"][-1]["id"], relation=relation)
            add_messages(recorder, [message for message in new if not isinstance(message, HumanMessage)], [cause])
            current["event"] = recorder.add("attempt", recorder.after_last() or [cause], **current)
        writes = {**settled_or_current(current, settled=current["verdict"] is not None), "events": recorder.events}
        return _added(so_far, {**writes, "usage": add_usage(so_far["usage"], given.usage)})

    def _instructed(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
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


def _grown(state: VerifiedState, so_far: ReflectionState) -> dict[str, Any]:
    """What the lists have gained since the state."""
    return {name: so_far[name][len(state.get(name) or []) :] for name in ("attempts", "events")}


def _added(so_far: ReflectionState, writes: dict[str, Any]) -> ReflectionState:
    """The state after a node's writes; lists grow at their end."""
    grown = {name: [*so_far[name], *writes.get(name, [])] for name in ("attempts", "events")}
    return cast(ReflectionState, {**so_far, **writes, **grown})


def _as_last(last: AnyMessage, reply: str) -> AIMessage:
    """The best answer as the last message: in place of a worse one, or after the result of a tool."""
    if not isinstance(last, AIMessage):
        return AIMessage(reply)
    return AIMessage(reply, id=last.id, name=last.name, usage_metadata=last.usage_metadata)
