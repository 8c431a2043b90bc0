"""The node that carries out one tool call."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from ..._internal.steps import Steps
from ...models.messages import NO_USAGE, add_usage, read_usage
from ...traces.events import Event, Link
from ...traces.shapes import Usage
from .guards import call_fingerprint
from .loop import PlanActLoop
from .state import CallResult, PlanActState, cause_of, current_action, run_recording


def act(state: PlanActState, loop: PlanActLoop) -> Steps[dict[str, Any]]:
    """Carry out one tool call. Its key makes a repeat after a crash recognizable."""
    action = current_action(state)
    key = f"{state['run_id']}:{state['steps']}:{call_fingerprint(action)}"
    started = loop.timer()
    with run_recording(state) as recorder:
        steps = state["steps"] + 1
        event = recorder.add("action", cause_of(state), **action, key=key, steps=steps, max_steps=loop.guards.max_steps)
        result = yield from loop.executor.steps(action, key, event, state)
        recorder.adopt(result.events, [Link(source=event, relation="led_to")])
    seconds = loop.timer() - started
    told = CallResult(ok=result.ok, result=result.result, kind=result.kind, event=event, seconds=seconds)
    if result.ignored:
        told["ignored"] = result.ignored
    return {
        "steps": steps,
        "seconds": state["seconds"] + seconds,
        "result": told,
        "usage": reduce(add_usage, map(_spent_inside, recorder.runs.values()), state["usage"]),
        "events": recorder.events,
    }


def _spent_inside(events: Sequence[Event]) -> Usage:
    """The tokens of a run inside a tool."""
    outcomes = [event for event in events if event["kind"] == "outcome"]
    return read_usage(outcomes[-1]["data"].get("usage")) if outcomes else NO_USAGE
