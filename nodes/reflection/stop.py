"""Why and when a reflection loop stops, which answer is its best, and where every mode goes on alike."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Literal

from ...traces.shapes import Attempt, StopReason
from ..reflection_defaults import MAX_REPEATS, PROMISING_WITHIN
from .loop import ReflectionLoop
from .samples.agreement import agreement_of, agreement_stop
from .samples.state import SampleInput
from .state import ReflectionState


def find_stop(state: ReflectionState, loop: ReflectionLoop) -> StopReason | None:
    """The reason to stop now, or None."""
    if state["failure"]:
        return StopReason(kind="model_unavailable", value=state["failure"], limit=None)
    larger = larger_left(state, loop)
    if larger and state["gone"]:
        # The model whose turn it was has made no attempt to judge.
        return _own_reason(state) or _spent_budget(state, loop)
    attempts = state["attempts"]
    last, count = attempts[-1], len(attempts)
    if loop.agrees:
        return agreement_stop(attempts, loop.attempts_left(count)) or _limit(state, loop)
    if last["verdict"] == "passed":
        return StopReason(kind="passed", value=count, limit=None)
    if last["accepted"] and last["verdict"] != "failed":
        return StopReason(kind="accepted", value=count, limit=None)
    if own := _own_reason(state):
        return own
    if last["verdict"] == "unverified" and last["accepted"] is None and not (loop.independent and _can_judge(attempts)):
        kind = "unreadable_critique" if last["kind"] == "unreadable_critique" else "unverified"
        why = last["feedback"] or "The verifier could not judge the answer, and did not say why."
        return StopReason(kind=kind, value=why, limit=None)
    if limit := _limit(state, loop):
        return limit
    if larger or loop.independent:
        # The limits below do not count: a larger model is left to ask, or no sample has seen the attempts.
        return None
    repeats = sum(1 for _ in takewhile(lambda attempt: attempt["repeats"] is not None, reversed(attempts)))
    if repeats >= MAX_REPEATS:
        return StopReason(kind="repeated_answer", value=repeats, limit=MAX_REPEATS)
    idle = count - best_attempt(attempts)["number"]
    if idle >= loop.patience:
        return StopReason(kind="no_improvement", value=idle, limit=loop.patience)
    if loop.min_score is not None:
        # What a smaller model of the cascade achieved says nothing of this one.
        turns = [place for place, attempt in enumerate(attempts) if attempt["strategy"] == "escalate"]
        of_model = attempts[turns[-1] if turns else 0 :]
        score = best_attempt(of_model)["score"]
        if len(of_model) >= PROMISING_WITHIN and score < loop.min_score:
            return StopReason(kind="low_score", value=score, limit=loop.min_score)
    return None


def _own_reason(state: ReflectionState) -> StopReason | None:
    """The reason that a node of a registered mode has given."""
    # An agent's middleware has no such field in its state. A run that goes on after its end still holds the old reason;
    # any kind but "rule" comes from `find_stop` itself, which decides anew.
    reason = state.get("stop_reason")
    return reason if reason and reason["kind"] == "rule" else None


def _can_judge(attempts: Sequence[Attempt]) -> bool:
    """Whether the verifier has judged any answer."""
    return any(attempt["answer"] is not None and attempt["verdict"] != "unverified" for attempt in attempts)


def way_after(state: ReflectionState, loop: ReflectionLoop) -> Literal["outcome", "repair_form", "escalate"] | None:
    """The node after a judged answer, as far as it is the same in every mode: the end, the repair of the answer's form,
    or the next model; None if the mode decides."""
    if find_stop(state, loop):
        return "outcome"
    if form_left(state, loop):
        return "repair_form"
    return "escalate" if larger_left(state, loop) else None


def larger_left(state: ReflectionState | SampleInput, loop: ReflectionLoop) -> bool:
    """Whether a model of the cascade has not been asked yet."""
    # The state of an agent's middleware, which has one model, has no level.
    return bool(loop.larger) and state["level"] < len(loop.larger)


def form_left(state: ReflectionState, loop: ReflectionLoop) -> bool:
    """Whether the last answer failed on its form and is to be repaired: not too often in a row, and not with an attempt
    that a larger model needs."""
    attempts = state["attempts"]
    if not loop.form_repairs or not attempts or state["gone"] or attempts[-1].get("failed_on") != "form":
        return False
    row = sum(1 for _ in takewhile(lambda attempt: attempt["strategy"] == "repair_form", reversed(attempts)))
    larger = max(0, len(loop.larger) - state["level"])
    return row < loop.form_repairs and larger < loop.attempts_left(len(attempts))


def _limit(state: ReflectionState, loop: ReflectionLoop) -> StopReason | None:
    count = len(state["attempts"])
    if not loop.attempts_left(count):
        return StopReason(kind="max_iterations", value=count, limit=loop.max_attempts)
    return _spent_budget(state, loop)


def _spent_budget(state: ReflectionState, loop: ReflectionLoop) -> StopReason | None:
    if loop.max_tokens is not None and state["usage"]["total_tokens"] >= loop.max_tokens:
        return StopReason(kind="token_budget", value=state["usage"]["total_tokens"], limit=loop.max_tokens)
    if loop.max_cost is not None and (cost := loop.cost(state["events"])) >= loop.max_cost:
        return StopReason(kind="cost_budget", value=round(cost, 6), limit=loop.max_cost)
    if loop.max_seconds is not None and state["seconds"] >= loop.max_seconds:
        return StopReason(kind="time_budget", value=round(state["seconds"], 6), limit=loop.max_seconds)
    return None


def best_attempt(attempts: Sequence[Attempt]) -> Attempt:
    """The best attempt so far; the earlier one of two that are equal, so a worse one never replaces a better."""
    return max(attempts, key=lambda attempt: (*_rank(attempt), -attempt["number"]))


def reported_attempt(attempts: Sequence[Attempt], loop: ReflectionLoop) -> Attempt:
    """The attempt whose answer a run reports: the best one, or the first with the answer that most samples gave."""
    agreement = agreement_of(attempts) if loop.agrees else None
    return agreement.members[0] if agreement else best_attempt(attempts)


def _rank(attempt: Attempt) -> tuple[bool, bool, float, bool, bool]:
    return (
        attempt["verdict"] == "passed",
        attempt["verdict"] != "failed" and attempt["accepted"] is True,
        attempt["score"],
        attempt["verdict"] == "unverified",
        attempt["answer"] is not None,
    )
