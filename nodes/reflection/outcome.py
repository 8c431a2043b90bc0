"""The last node of every reflection mode: the best attempt, what is known of it, and why the run ended."""

from __future__ import annotations

from typing import Any

from ...traces.events import hand_over
from ...traces.shapes import StopReason
from ...traces.stops import stop_words
from ..asked import answered
from ..channels import taken_up
from ..recursion import out_of_steps
from ..trace import run_recording
from .loop import ReflectionLoop
from .state import ReflectionState
from .stop import find_stop, reported_attempt


def outcome(state: ReflectionState, loop: ReflectionLoop, *, ended_by: StopReason | None = None) -> dict[str, Any]:
    """Report the best attempt, what is known of it, and why the run ended: by its limits, or as `ended_by` says."""
    attempts, current = state["attempts"], state["current"]
    # The steps ended before a first answer could be judged.
    unjudged = [current] if current and not attempts and out_of_steps(1) else []
    attempts = [*attempts, *unjudged]
    best = reported_attempt(attempts, loop) if attempts else None
    stop_reason = ended_by or (None if unjudged else find_stop(state, loop)) or out_of_steps(len(attempts))
    verdict = (best["verdict"] if best and best["answer"] is not None else None) or "failed"
    answer = (best["answer"] if best else None) or ""
    with run_recording(state) as recorder:
        recorder.add(
            "outcome",
            answer=answer,
            verdict=verdict,
            stop_reason=stop_reason,
            best=best["number"] if best else None,
            usage=state["usage"],
        )
    hand_over([*state["events"], *recorder.events])
    inputs = answered(state, answer or f"There is no answer: {stop_words(stop_reason or {})}.")
    # A task that a person has changed meanwhile is that of this run.
    inputs |= taken_up(state, "task", state["task"])
    writes = {"answer": answer, "verdict": verdict, "stop_reason": stop_reason, "events": recorder.events, **inputs}
    return {**writes, "attempts": unjudged} if unjudged else writes
