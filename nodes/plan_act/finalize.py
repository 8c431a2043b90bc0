"""The last nodes: the check that ended the run, and the report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..._internal.steps import Steps
from ...models.messages import add_usage
from ...traces.events import hand_over
from ...traces.shapes import StopReason
from ...traces.stops import ANSWERED
from ..asked import answered as answered_with
from ..channels import taken_up
from ..recursion import out_of_steps
from ..trace import cause_of, run_recording
from .asking.at_the_end import best_answer, structured_answer
from .asking.exchanges import done_in, one_line
from .asking.findings import with_findings
from .asking.goal import turn_to
from .checks.answer import guessed
from .checks.calls.wanted import denies_in_any_language, note_of_missed_order
from .checks.effect import claim_without_call, successful_calls
from .guards import find_tripped, trip_of
from .loop import PlanActLoop
from .plans.items import open_item
from .plans.marks import PartEnd
from .plans.progress import remaining
from .prompts.report import after_failures, carried_on, ending, failed_lines, last_response
from .state import Exchange, PlanActState, step_counters


def trip(state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """Keep the reason of the check that ended the run."""
    return {"stop": find_tripped(state, loop.guards)}


def next_part(state: PlanActState, loop: PlanActLoop) -> Steps[dict[str, Any]]:
    """Turn to the next of several requests in a goal, which is planned as if it began a run; what came of the last one
    is kept for the report."""
    stop = state["stop"]
    assert stop is not None, "a part that ended has a reason"
    goal, *parts = state.get("parts", [])
    answered, seen = _response(stop, "", state, loop), len(state["observations"])
    ended = PartEnd(answered=answered, stop=stop, observations=seen, steps=len(state["plan"]))
    turned = yield from turn_to(goal, Exchange(said=state["goal"], answered=answered), state, loop)
    left = loop.text("end.part")
    return {
        **turned,
        "parts": parts,
        "part_ends": [*state.get("part_ends", []), ended],
        "plan": [{**item, "status": "failed", "response": left} for item in remaining(state)],
        "revised": False,
        "direct": False,
        "decision": None,
        "steps_at_once": 1,
        "results": [],
        "gap": None,
        **step_counters(),
        "unreadable": 0,
        "stop": None,
        "response": "",
    }


def finalize(state: PlanActState, loop: PlanActLoop) -> Steps[dict[str, Any]]:
    """Report. A run that a check has ended gets a last call for the best answer, which may fail without harm."""
    stop = state["stop"] or find_tripped(state, loop.guards) or out_of_steps(state["steps"])
    assert stop is not None, "every route to the end has a reason"
    if state.get("parts"):
        # What a check, or the user, has left undone.
        state = {**state, "plan": [*state["plan"], *map(open_item, state.get("parts", []))]}
    usage = state["usage"]
    with run_recording(state) as recorder:
        best = ""
        if trip_of(stop):
            best, spent = yield from best_answer(state, stop, loop)
            usage = add_usage(usage, spent)
            if _is_unsupported(best, state, loop):
                best = ""
        response = _response(stop, best, state, loop)
        if ends := state.get("part_ends"):
            response = "\n".join(dict.fromkeys([*(end["answered"] for end in ends), response]))
            stop = _combined_stop([*(end["stop"] for end in ends), stop])
        value: Any = None
        if loop.response_format is not None and stop["kind"] in ANSWERED:
            value, spent = yield from structured_answer(state, response, loop)
            usage = add_usage(usage, spent)
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
    writes: dict[str, Any] = {"response": response, "stop_reason": stop, "usage": usage, "events": recorder.events}
    begun = state["events"][0]
    assert begun["kind"] == "goal", "a run begins with its goal"
    answer = response if stop["kind"] in (*ANSWERED, "cancelled") else carried_on(state, loop)
    said = begun["data"]["task"] if state.get("part_ends") or state.get("parts") else state["goal"]
    exchange = Exchange(said=one_line(said), answered=one_line(answer))
    if done := done_in(state, loop):
        exchange["done"] = one_line(done)
    # What the run was invoked with stands in its last state, also where another request took its place.
    goal = taken_up(state, "goal", begun["data"]["task"])
    return {**writes, **answered_with(state, response), **goal, "structured_response": value, "exchanges": [exchange]}


def _combined_stop(stops: Sequence[StopReason]) -> StopReason:
    """Why a run ended that had several requests: as the last one, unless only some of them failed, or an earlier one
    met its goal by a call and the last needed none."""
    last = stops[-1]
    if last["kind"] not in (*ANSWERED, "steps_failed"):
        return last
    failed = sum(stop["kind"] in ("steps_failed", "partly_done") for stop in stops)
    if 0 < failed < len(stops):
        return StopReason(kind="partly_done", value=failed, limit=None)
    met = next((stop for stop in stops if stop["kind"] == "goal_met"), last)
    return met if last["kind"] == "answered" else last


def _is_unsupported(best: str, state: PlanActState, loop: PlanActLoop) -> bool:
    """Whether the last words of a run say what no call shows; they are sent back to nobody."""
    made_up = loop.tools and not successful_calls(state, loop) and guessed(best, state)
    return bool(made_up or claim_without_call(best, state, loop))


def _nothing_done(told: str, stop: StopReason, state: PlanActState, loop: PlanActLoop) -> list[str]:
    """What follows an answer that denies nothing, where the goal orders what a tool does, and no call did it: in many
    words a model says that it was done."""
    if stop["kind"] != "answered" or denies_in_any_language(told):
        return []
    wanted = note_of_missed_order(state, loop)
    return [loop.text("end.not_acted")] if wanted.get("key") == "note.not_called" else []


def _response(stop: StopReason, best: str, state: PlanActState, loop: PlanActLoop) -> str:
    """The answer to the user; `best` is what the model could say when a check ended the run."""
    if stop["kind"] == "cancelled":
        return loop.text("cancelled")
    answer = state.get("response") or last_response(state)
    if stop["kind"] == "partly_done":
        return "\n".join([answer or loop.text("end.part"), *failed_lines(state, loop), after_failures(state, loop)])
    if stop["kind"] in ANSWERED:
        # A result that ends the run leaves steps open, and may be empty.
        ended = loop.text("end.part" if remaining(state) else "end.finished")
        told = with_findings(answer or ended, state, loop)
        return "\n".join([told, *_nothing_done(told, stop, state, loop)])
    return ending(state, stop, best, loop)
