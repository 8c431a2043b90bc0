"""External loop: attempt → verify by running something → try again with what really happened → outcome.

Source: the reasoning-modes document, mode C; an answer that nothing could verify is never reported as a success. How
the loop tries again follows what was measured on small models (docs/benchmarks.md): they seldom mend their own code
in the conversation that shows it, and a repeated answer is a stall, so a strategy that brings nothing is left.
"""

from __future__ import annotations

import asyncio
import inspect
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, cast

from langchain_core.exceptions import ModelError
from langchain_core.messages import BaseMessage
from langgraph.errors import GraphBubbleUp
from langgraph.graph import END, START, StateGraph
from langgraph.types import Overwrite

from ..nodes.attempt import Answered, answer_steps, any_text, attempt_messages, sampling_options
from ..nodes.contract import Parser, parser_name
from ..nodes.messages import NO_USAGE, add_usage
from ..nodes.steps import Call, Steps, finished
from ..nodes.think import ChatModel
from ..tools.verdict import Verdict, VerdictStatus, Verifier
from ..trace.errors import ModelUnavailableError, VerifierContractError
from ..trace.events import Link, Recorder, Relation, recording
from .edges import LoopSettings, RetryStrategy, after_attempt, after_verify, best_attempt, find_stop
from .node import Node
from .state import Attempt, ReflectionInput, ReflectionOutput, ReflectionState, Strategy


@dataclass(frozen=True, slots=True)
class Collaborators:
    """What the loop works with; none of it is part of the state."""

    actor: ChatModel
    verifier: Verifier | None
    settings: LoopSettings


def external_loop(parts: Collaborators) -> StateGraph[ReflectionState, None, ReflectionInput, ReflectionOutput]:
    """Assemble the loop, not compiled yet."""
    settings = parts.settings
    graph = StateGraph(ReflectionState, input_schema=ReflectionInput, output_schema=ReflectionOutput)
    graph.add_node("begin", begin)
    graph.add_node("attempt", Node(partial(attempt, parts=parts)))
    graph.add_node("verify", Node(partial(verify, parts=parts)))
    graph.add_node("outcome", partial(outcome, settings=settings))

    retries = list(dict.fromkeys(settings.strategies))
    graph.add_edge(START, "begin")
    graph.add_edge("begin", "attempt")
    graph.add_conditional_edges(
        "attempt", _route(after_attempt, settings), {name: name for name in ("verify", *retries, "outcome")}
    )
    graph.add_conditional_edges(
        "verify", _route(after_verify, settings), {name: name for name in (*retries, "outcome")}
    )
    for strategy in retries:
        graph.add_node(strategy, partial(choose, strategy=strategy))
        graph.add_edge(strategy, "attempt")
    graph.add_edge("outcome", END)
    return graph


def begin(state: ReflectionInput) -> dict[str, Any]:
    """Check the task and start the run's trace; a thread that is used again starts anew."""
    task = cast(object, state.get("task"))
    if not isinstance(task, str) or not task.strip():
        raise ValueError('task is empty: invoke the graph with {"task": "what to solve"}')
    recorder = Recorder(uuid.uuid4().hex[:12])
    recorder.add("goal", task=task)
    return {
        "run_id": recorder.run_id,
        "strategy": "first",
        "attempts": Overwrite([]),
        "events": Overwrite(recorder.events),
        "current": None,
        "failure": "",
        "usage": NO_USAGE,
    }


def choose(state: ReflectionState, *, strategy: RetryStrategy) -> dict[str, Any]:
    """Take up a strategy for the next attempt."""
    return {"strategy": strategy}


def attempt(state: ReflectionState, parts: Collaborators) -> Steps[dict[str, Any]]:
    """Ask the actor in the way of the current strategy. An answer given before is a stall and is not verified again."""
    messages, options = _request(state, parts)
    parser: Parser = getattr(parts.verifier, "parse", any_text)
    with recording(state["run_id"], len(state["events"]), _cause(state)) as recorder:
        try:
            answered = yield from answer_steps(parts.actor, messages, parser, options)
        except (ModelUnavailableError, ModelError) as failed:
            if isinstance(failed, ModelError) and not state["attempts"]:
                # A wrong key or a wrong request: nothing has been achieved that could be lost.
                raise
            return {"failure": str(failed), "events": recorder.events}
        current = _attempt_of(answered, state)
        links = [Link(source=recorder.events[-1]["id"], relation="led_to")] if recorder.events else []
        request = [{"role": message.type, "content": message.content} for message in messages]
        current["event"] = recorder.add("attempt", links, **{**current, "request": request})
    settled = current["verdict"] is not None
    return {
        "current": None if settled else current,
        "attempts": [current] if settled else [],
        "usage": add_usage(state["usage"], answered.usage),
        "events": recorder.events,
    }


def verify(state: ReflectionState, parts: Collaborators) -> Steps[dict[str, Any]]:
    """Let the verifier judge the current answer. What it cannot judge is unverified."""
    current = state["current"]
    assert current is not None and current["answer"] is not None, "after_attempt leads here with a new answer only"
    verdict = yield from _judged(parts.verifier, state["task"], current["answer"])
    judged: Attempt = {
        **current,
        "verdict": verdict.status,
        "feedback": verdict.feedback,
        "score": verdict.points,
        "kind": verdict.kind,
    }
    with recording(state["run_id"], len(state["events"])) as recorder:
        link = Link(source=current["event"], relation=_SHOWN_AS[verdict.status])
        if verdict.status == "failed":
            link["error"] = verdict.feedback[:500]
        recorder.add("verdict", [link], **{**asdict(verdict), "score": verdict.points})
    return {"current": None, "attempts": [judged], "events": recorder.events}


def outcome(state: ReflectionState, *, settings: LoopSettings) -> dict[str, Any]:
    """Report the best attempt, what is known of it, and why the run ended."""
    attempts = state["attempts"]
    best = best_attempt(attempts) if attempts else None
    stop_reason = find_stop(state, settings)
    verdict = (best["verdict"] if best and best["answer"] is not None else None) or "failed"
    answer = (best["answer"] if best else None) or ""
    with recording(state["run_id"], len(state["events"])) as recorder:
        source = state["events"][-1]["id"]
        recorder.add(
            "outcome",
            [Link(source=source, relation="led_to")],
            answer=answer,
            verdict=verdict,
            stop_reason=stop_reason,
            best=best["number"] if best else None,
            usage=state["usage"],
        )
    return {"answer": answer, "verdict": verdict, "stop_reason": stop_reason, "events": recorder.events}


_SHOWN_AS: dict[VerdictStatus, Relation] = {"passed": "verified", "failed": "failed", "unverified": "led_to"}
_FOLLOWS_AS: dict[Strategy, Relation] = {
    "first": "led_to",
    "repair": "revised",
    "fresh": "retried",
    "lesson": "learned_from",
}


def _route(edge: Callable[..., str], settings: LoopSettings) -> Callable[[ReflectionState], str]:
    def route(state: ReflectionState) -> str:
        return edge(state, settings)

    route.__name__ = edge.__name__
    return route


def _cause(state: ReflectionState) -> list[Link]:
    """What an attempt follows from: the goal, or what was learned of the attempt before."""
    return [Link(source=state["events"][-1]["id"], relation=_FOLLOWS_AS[state["strategy"]])]


def _request(state: ReflectionState, parts: Collaborators) -> tuple[list[BaseMessage], dict[str, Any]]:
    """The messages of the attempt, and the options of the call."""
    strategy, done = state["strategy"], state["attempts"]
    reply, feedback = (done[-1]["reply"], done[-1]["feedback"]) if done else ("", "")
    instructions: str = getattr(parts.verifier, "instructions", "")
    criteria: str = getattr(parts.verifier, "criteria", "")
    messages = attempt_messages(state["task"], instructions, criteria, strategy, reply, feedback)
    if strategy == "first":
        return messages, {}
    return messages, sampling_options(parts.actor, parts.settings.temperature, seed=len(done))


def _attempt_of(answered: Answered, state: ReflectionState) -> Attempt:
    """An answer as an attempt; unreadable and repeated ones have failed without being verified."""
    done = state["attempts"]
    earlier = _earlier(done, answered.answer)
    feedback = answered.feedback
    if earlier:
        feedback = f"This is the answer of attempt {earlier['number']} again. {earlier['feedback']}"
    return Attempt(
        number=len(done) + 1,
        strategy=state["strategy"],
        reply=answered.reply,
        answer=answered.answer,
        repeats=earlier["number"] if earlier else None,
        verdict="failed" if answered.answer is None or earlier else None,
        feedback=feedback,
        score=earlier["score"] if earlier else 0.0,
        kind="repeated" if earlier else answered.kind,
        usage=answered.usage,
        event="",
    )


def _earlier(done: list[Attempt], answer: str | None) -> Attempt | None:
    """The earlier attempt that gave this very answer; blank lines and trailing white space do not make another."""
    if answer is None:
        return None
    lines = _lines(answer)
    return next((a for a in done if a["answer"] is not None and _lines(a["answer"]) == lines), None)


def _lines(answer: str) -> list[str]:
    return [line.rstrip() for line in answer.splitlines() if line.strip()]


def _judged(verifier: Verifier | None, task: str, answer: str) -> Steps[Verdict]:
    if verifier is None:
        return Verdict("unverified", "There is no verifier.")
    try:
        verdict: object = yield Call(
            lambda: _finished(verifier(task, answer)), lambda: _averdict(verifier, task, answer)
        )
    except GraphBubbleUp:
        # A verifier may ask the user by `interrupt()`.
        raise
    except Exception as error:  # noqa: BLE001 - a broken verifier must not cost the run its answers
        return Verdict("unverified", f"The verifier raised {type(error).__name__}: {error}", kind="verifier_error")
    if not isinstance(verdict, Verdict) or verdict.status not in _SHOWN_AS or not 0 <= verdict.points <= 1:
        raise VerifierContractError(parser_name(cast(Any, verifier)), verdict)
    return verdict


def _finished(verdict: Verdict | Awaitable[Verdict]) -> Any:
    return finished(verdict) if inspect.isawaitable(verdict) else verdict


async def _averdict(verifier: Verifier, task: str, answer: str) -> Any:
    if inspect.iscoroutinefunction(verifier) or inspect.iscoroutinefunction(getattr(verifier, "__call__", None)):  # noqa: B004
        return await cast(Any, verifier)(task, answer)
    verdict = await asyncio.to_thread(verifier, task, answer)
    return await verdict if inspect.isawaitable(verdict) else verdict
