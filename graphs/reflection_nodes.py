"""The nodes that every reflection mode is assembled from, in the order in which a task meets them.

A mode of your own takes them as they are: see `register_reflection_mode`.
"""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass
from typing import Any, cast

from langchain_core.messages import BaseMessage
from langgraph.types import Overwrite

from ..nodes.attempt import Answered, answer_steps, any_text, attempt_messages, sampling_options
from ..nodes.contract import Parser
from ..nodes.lessons import Memory
from ..nodes.messages import NO_USAGE
from ..nodes.retry import recorded_usage
from ..nodes.steps import Steps
from ..nodes.think import ChatModel
from ..nodes.transport import is_model_error
from ..tools.verdict import VerdictStatus, Verifier
from ..trace.errors import ModelUnavailableError
from ..trace.events import Event, Link, Recorder, Relation, recording
from ..trace.lookup import answer_lines
from .edges import LoopSettings, RetryStrategy, best_attempt, find_stop
from .state import Attempt, ReflectionInput, ReflectionState, Strategy


@dataclass(frozen=True, slots=True)
class Collaborators:
    """What a reflection loop works with; none of it is part of the state.

    Attributes:
        mode: the loop's name.
        actor: gives the answers.
        critic: judges them where a mode has a model do that; the actor itself, if no other was given.
        verifier: judges them by running something; None where nothing can.
        memory: of failures in earlier runs; None for none.
        settings: when the loop goes on, how, and when it stops.
    """

    mode: str
    actor: ChatModel
    critic: ChatModel
    verifier: Verifier | None
    memory: Memory | None
    settings: LoopSettings


def begin(state: ReflectionInput, *, mode: str) -> dict[str, Any]:
    """Check the task and start the run's trace; a thread that is used again starts anew."""
    task = cast(object, state.get("task"))
    if not isinstance(task, str) or not task.strip():
        raise ValueError('task is empty: invoke the graph with {"task": "what to solve"}')
    recorder = Recorder(uuid.uuid4().hex[:12])
    recorder.add("goal", task=task, mode=mode)
    return {
        "run_id": recorder.run_id,
        "strategy": "first",
        "attempts": Overwrite([]),
        "events": Overwrite(recorder.events),
        "current": None,
        "reflections": Overwrite([]),
        "lessons": [],
        "failure": "",
        "seconds": 0.0,
        "usage": NO_USAGE,
    }


def choose(state: ReflectionState, *, strategy: RetryStrategy) -> dict[str, Any]:
    """Take up a strategy for the next attempt."""
    return {"strategy": strategy}


def attempt(state: ReflectionState, parts: Collaborators) -> Steps[dict[str, Any]]:
    """Ask the actor in the way of the current strategy. An answer given before is a stall and is not judged again."""
    messages, options = _request(state, parts)
    parser: Parser = getattr(parts.verifier, "parse", any_text)
    started = time.monotonic()
    with recording(state["run_id"], len(state["events"]), _cause(state)) as recorder:
        try:
            answered = yield from answer_steps(parts.actor, messages, parser, options)
        except Exception as failed:
            refused = not isinstance(failed, ModelUnavailableError)
            if not is_model_error(failed) or (refused and not state["attempts"]):
                # A mistake, or a wrong key or a wrong request: nothing has been achieved that could be lost.
                raise
            return {**spent(state, recorder, time.monotonic() - started), "failure": str(failed)}
        seconds = time.monotonic() - started
        current = _attempt_of(answered, state)
        links = [Link(source=recorder.events[-1]["id"], relation="led_to")] if recorder.events else []
        about: dict[str, Any] = {
            **current,
            "request": [{"role": message.type, "content": message.content} for message in messages],
            "seconds": round(seconds, 3),
        }
        current["event"] = recorder.add("attempt", links, **about)
    return {**kept(current, settled=current["verdict"] is not None), **spent(state, recorder, seconds)}


def spent(state: ReflectionState, recorder: Recorder, seconds: float) -> dict[str, Any]:
    """What every node that asks a model or a verifier writes: its events, and the tokens and seconds of the run so far.

    Args:
        state: before the node.
        recorder: has the node's events.
        seconds: that models or the verifier took.
    """
    usage = recorded_usage(state["usage"], recorder.events)
    return {"usage": usage, "seconds": state["seconds"] + seconds, "events": recorder.events}


def current_attempt(state: ReflectionState) -> Attempt:
    """The attempt that is being judged."""
    assert state["current"] is not None, "the edge behind `attempt` leads on with a new answer only"
    return state["current"]


def kept(attempt: Attempt, settled: bool) -> dict[str, Any]:
    """What a node writes of an attempt: settled it joins those before it, else it waits for further judgement."""
    return {"current": None if settled else attempt, "attempts": [attempt] if settled else []}


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


_FOLLOWS_AS: dict[Strategy, Relation] = {
    "first": "led_to",
    "repair": "revised",
    "fresh": "retried",
    "lesson": "learned_from",
}


def _cause(state: ReflectionState) -> list[Link]:
    """What an attempt follows from: the goal, or what was learned of the attempt before; and any lessons."""
    events = state["events"]
    last = events[-1]
    if not _is_recall(last):
        return [Link(source=last["id"], relation=_FOLLOWS_AS[state["strategy"]])]
    before = Link(source=events[-2]["id"], relation=_FOLLOWS_AS[state["strategy"]])
    return [before, Link(source=last["id"], relation="learned_from")]


def _is_recall(event: Event) -> bool:
    return event["kind"] == "reflection" and event["data"].get("source") == "memory"


def _request(state: ReflectionState, parts: Collaborators) -> tuple[list[BaseMessage], dict[str, Any]]:
    """The messages of the attempt, and the options of the call."""
    strategy, done = state["strategy"], state["attempts"]
    messages = attempt_messages(
        state["task"],
        getattr(parts.verifier, "instructions", ""),
        criteria_of(parts),
        strategy,
        done[-1]["reply"] if done else "",
        done[-1]["feedback"] if done else "",
        done[-1]["critique"] if done else "",
        [reflection["text"] for reflection in state["reflections"]],
        state["lessons"],
    )
    if strategy == "first":
        return messages, {}
    return messages, sampling_options(parts.actor, parts.settings.temperature, seed=len(done))


def criteria_of(parts: Collaborators) -> str:
    """What an answer is held to, in the verifier's words."""
    return getattr(parts.verifier, "criteria", "")


def _attempt_of(answered: Answered, state: ReflectionState) -> Attempt:
    """An answer as an attempt; unreadable and repeated ones have failed without being judged."""
    done = state["attempts"]
    earlier = _earlier(done, answered.answer)
    feedback = answered.feedback
    if earlier:
        feedback = f"This is the answer of attempt {earlier['number']} again. {earlier['feedback']}"
    verdict: VerdictStatus | None = "failed" if answered.answer is None else earlier["verdict"] if earlier else None
    return Attempt(
        number=len(done) + 1,
        strategy=state["strategy"],
        reply=answered.reply,
        answer=answered.answer,
        repeats=earlier["number"] if earlier else None,
        verdict=verdict,
        feedback=feedback,
        critique=earlier["critique"] if earlier else "",
        score=earlier["score"] if earlier else 0.0,
        accepted=earlier["accepted"] if earlier else None,
        kind="repeated" if earlier else answered.kind,
        usage=answered.usage,
        event="",
    )


def _earlier(done: list[Attempt], answer: str | None) -> Attempt | None:
    """The earlier attempt that gave this very answer; blank lines and trailing white space do not make another."""
    if answer is None:
        return None
    lines = answer_lines(answer)
    return next((a for a in done if a["answer"] is not None and answer_lines(a["answer"]) == lines), None)
