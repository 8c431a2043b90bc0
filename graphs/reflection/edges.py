"""The conditional edges of the loops: pure functions of the state and the settings, which name the next node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ...nodes.reflection.loop import ReflectionLoop, RetryStrategy
from ...nodes.reflection.state import ReflectionState
from ...nodes.reflection.stop import best_attempt, find_stop
from ...traces.shapes import Attempt


def after_attempt(state: ReflectionState, loop: ReflectionLoop) -> Literal["new", "outcome"] | RetryStrategy:
    """A new answer is judged; a repeated or unreadable one is not, it changes the strategy or ends the run."""
    if state["current"] is not None:
        return "new"
    return after_verify(state, loop)


def after_verify(state: ReflectionState, loop: ReflectionLoop) -> Literal["outcome"] | RetryStrategy:
    """Ends the run where there is a reason to stop, else names the strategy of the next attempt."""
    if find_stop(state, loop):
        return "outcome"
    return next_strategy(state["attempts"], loop.strategies)


def before_evaluate(state: ReflectionState, loop: ReflectionLoop) -> Literal["evaluate", "reflect", "outcome"]:
    """A model evaluates what nothing could verify; a failure is reflected on, unless the run ends."""
    if state["current"] is not None:
        return "evaluate"
    return "outcome" if find_stop(state, loop) else "reflect"


def after_evaluate(state: ReflectionState, loop: ReflectionLoop) -> Literal["reflect", "outcome", "unreadable"]:
    """A failed answer is reflected on, unless the run ends; an evaluation that nobody can read says nothing of it."""
    if state["current"] is not None:
        return "unreadable"
    return "outcome" if find_stop(state, loop) else "reflect"


def after_reflect(state: ReflectionState, loop: ReflectionLoop) -> Literal["outcome"] | RetryStrategy:
    """On to the next attempt, unless the model was lost or the budget spent over the reflection."""
    return after_verify(state, loop)


def before_critique(state: ReflectionState, loop: ReflectionLoop) -> Literal["critique", "outcome"]:
    """What the verifier passed needs no critic, nor does a failure that no further attempt can follow."""
    return "outcome" if state["current"] is None else "critique"


def after_critique(state: ReflectionState, loop: ReflectionLoop) -> Literal["unreadable", "outcome"] | RetryStrategy:
    """Back to the actor, unless the run ends; a critique that nobody can read is neither acceptance nor rejection."""
    if state["current"] is not None:
        return "unreadable"
    return after_verify(state, loop)


def next_strategy(attempts: Sequence[Attempt], strategies: Sequence[RetryStrategy]) -> RetryStrategy:
    """The first strategy after the first attempt; the same again while it gains; the next one when it did not."""
    last = attempts[-1]
    # A resumed run may have begun with other strategies.
    if last["strategy"] not in strategies:
        index = 0
    else:
        gained = best_attempt(attempts) is last
        index = strategies.index(last["strategy"]) + (0 if gained else 1)
    wanted: RetryStrategy = strategies[min(index, len(strategies) - 1)]
    if wanted == "repair" and last["answer"] is None:
        # Continuing the conversation needs an answer that can be corrected.
        others: Sequence[RetryStrategy] = [name for name in (*strategies[index:], *strategies) if name != "repair"]
        return others[0] if others else wanted
    return wanted
