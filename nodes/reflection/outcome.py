"""The last node of every reflection mode: the best attempt, what is known of it, and why the run ended."""

from __future__ import annotations

from typing import Any

from ...traces.events import Link, hand_over, recording
from .loop import ReflectionLoop
from .state import ReflectionState
from .stop import best_attempt, find_stop


def outcome(state: ReflectionState, loop: ReflectionLoop) -> dict[str, Any]:
    """Report the best attempt, what is known of it, and why the run ended."""
    attempts = state["attempts"]
    best = best_attempt(attempts) if attempts else None
    stop_reason = find_stop(state, loop)
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
    hand_over([*state["events"], *recorder.events])
    return {"answer": answer, "verdict": verdict, "stop_reason": stop_reason, "events": recorder.events}
