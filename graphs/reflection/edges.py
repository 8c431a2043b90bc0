"""The loops' conditional edges: pure functions of the state and the settings that name the next node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from langgraph.types import Send

from ...nodes.reflection.loop import ReflectionLoop
from ...nodes.reflection.samples.draw import sample_inputs
from ...nodes.reflection.samples.state import SampledState
from ...nodes.reflection.state import ReflectionState
from ...nodes.reflection.stop import best_attempt, way_after
from ...nodes.reflection_defaults import RetryStrategy, Way
from ...traces.shapes import Attempt


def after_attempt(state: ReflectionState, loop: ReflectionLoop) -> Literal["new", "outcome"] | Way:
    """Judge a new answer; a repeated or unreadable one changes the strategy or ends the run."""
    return "new" if state["current"] is not None else after_verify(state, loop)


def after_verify(state: ReflectionState, loop: ReflectionLoop) -> Literal["outcome"] | Way:
    """End the run if there is a reason to stop; otherwise send back an answer that failed on its form, ask the next
    model, or name the next attempt's strategy."""
    return way_after(state, loop) or next_strategy(state["attempts"], loop.strategies)


def before_evaluate(state: ReflectionState, loop: ReflectionLoop) -> Literal["evaluate", "reflect", "outcome"] | Way:
    """Have a model evaluate what nothing could verify; reflect on a failure, unless its form is to be repaired or a
    larger model is left."""
    return "evaluate" if state["current"] is not None else _before_reflect(state, loop)


def after_evaluate(state: ReflectionState, loop: ReflectionLoop) -> Literal["reflect", "outcome", "unreadable"] | Way:
    """Reflect on a failed answer, unless the run ends; an unreadable evaluation says nothing about the answer."""
    return "unreadable" if state["current"] is not None else _before_reflect(state, loop)


def _before_reflect(state: ReflectionState, loop: ReflectionLoop) -> Literal["reflect", "outcome"] | Way:
    """Skip the reflection that no attempt would read: all strategies are fresh samples."""
    return (way_after(state, loop) or "reflect") if loop.notes_are_read else after_verify(state, loop)


def before_critique(state: ReflectionState, loop: ReflectionLoop) -> Literal["critique", "outcome"] | Way:
    """Skip the critic for an answer that passed, and for a failure after which nobody would read the critique."""
    return "critique" if state["current"] is not None else after_verify(state, loop)


def after_critique(state: ReflectionState, loop: ReflectionLoop) -> Literal["unreadable", "outcome"] | Way:
    """Return to the actor, unless the run ends; an unreadable critique neither accepts nor rejects."""
    return "unreadable" if state["current"] is not None else after_verify(state, loop)


def each_sample(state: SampledState, loop: ReflectionLoop) -> list[Send]:
    """Draw the samples of a batch side by side."""
    return [Send("sample", given) for given in sample_inputs(state)]


def after_sample(state: SampledState, loop: ReflectionLoop) -> Literal["new", "attempt", "agree", "outcome"] | Way:
    """Judge a new answer, then the next one of the batch until one passes; where samples only agree, count them all.

    A sample that the verifier could not judge says nothing of the others, which are paid for.
    """
    if state["current"] is not None:
        return "new"
    if state["waiting"] and (loop.agrees or state["attempts"][-1]["verdict"] != "passed"):
        return "attempt"
    if loop.agrees and not state["failure"]:
        return "agree"
    return after_verify(state, loop)


def next_strategy(attempts: Sequence[Attempt], strategies: Sequence[RetryStrategy]) -> RetryStrategy:
    """The first strategy after the first attempt; then the same while the score improves, else the next one."""
    last = attempts[-1]
    # What an attempt achieved and what came of the repair of its form count as one.
    tried = next((each for each in reversed(attempts) if each["strategy"] != "repair_form"), last)
    # A resumed run may have started with other strategies.
    if tried["strategy"] not in strategies:
        index = 0
    else:
        gained = best_attempt(attempts)["number"] >= tried["number"]
        index = strategies.index(tried["strategy"]) + (0 if gained else 1)
    wanted: RetryStrategy = strategies[min(index, len(strategies) - 1)]
    if wanted == "repair" and last["answer"] is None:
        # "repair" continues the conversation and needs an answer to correct.
        others: Sequence[RetryStrategy] = [name for name in (*strategies[index:], *strategies) if name != "repair"]
        return others[0] if others else wanted
    return wanted
