"""The last nodes: the check that ended the run, and the report."""

from __future__ import annotations

from typing import Any

from ..._internal.steps import Steps
from ...models.messages import add_usage
from ...traces.events import hand_over
from .guards import TRIPPED, find_tripped
from .loop import PlanActLoop
from .prompts.conversation import best_answer
from .prompts.report import ending, failed_lines, last_response, what_next
from .prompts.texts import text
from .state import PlanActState, cause_of, run_recording


def trip(state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """Keep the reason of the check that ended the run."""
    return {"stop": find_tripped(state, loop.guards)}


def finalize(state: PlanActState, loop: PlanActLoop) -> Steps[dict[str, Any]]:
    """Report. A run that a check has ended gets a last call for the best answer, which may fail without harm."""
    stop = state["stop"] or find_tripped(state, loop.guards)
    assert stop is not None, "every route to the end has a reason"
    usage, language = state["usage"], loop.language
    with run_recording(state) as recorder:
        best = ""
        if stop["kind"] in (*TRIPPED, "token_budget", "time_budget"):
            best, spent = yield from best_answer(state, stop, loop)
            usage = add_usage(usage, spent)
        if stop["kind"] == "cancelled":
            response = text(language, "cancelled")
        elif stop["kind"] in ("answered", "goal_met", "repeated_plan", "returned_direct"):
            response = state.get("response") or last_response(state) or text(language, "end.finished")
        elif stop["kind"] == "partly_done":
            said = state.get("response") or last_response(state) or text(language, "end.part")
            response = "\n".join([said, *failed_lines(state, language), what_next("end.advice_failed", loop)])
        else:
            response = ending(state, stop, best, loop)
        recorder.add(
            "outcome",
            cause_of(state),
            response=response,
            plan=state["plan"],
            stop_reason=stop,
            steps=state["steps"],
            usage=usage,
        )
    hand_over([*state["events"], *recorder.events])
    return {"response": response, "stop_reason": stop, "usage": usage, "events": recorder.events}
