"""The nodes that carry out tool calls: one call, and one of several that are made at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from langgraph.types import Send
from typing_extensions import TypedDict

from ..._internal.steps import Steps
from ...models.messages import NO_USAGE, add_usage, read_usage
from ...tools.calls.conventions import takes_state
from ...traces.events import Link, Recorder, recording
from ...traces.shapes import Action
from ..trace import cause_of, run_recording
from .loop import PlanActLoop
from .plans.marks import call_fingerprint
from .plans.progress import current_actions
from .state import CallResult, PlanActState


class CallAtOnce(TypedDict):
    """What `act_at_once` is sent: one call, its place among those of its round, and the number of its step.

    Attributes:
        state: the graph's, for a tool that has it injected; empty for any other.
    """

    action: Action
    place: int
    run_id: str
    step: int
    state: Mapping[str, Any]


def act(state: PlanActState, loop: PlanActLoop) -> Steps[dict[str, Any]]:
    """Carry out one tool call. Its key makes a repeat after a crash recognizable."""
    action = current_actions(state)[0]
    with run_recording(state) as recorder:
        result = yield from _carried_out(
            action, state["run_id"], state["steps"], state, recorder, cause_of(state), loop
        )
    return {
        "steps": state["steps"] + 1,
        "seconds": state["seconds"] + result.get("seconds", 0.0),
        "results": [result],
        "usage": add_usage(state["usage"], result.pop("usage", NO_USAGE)),
        "events": recorder.events,
    }


def act_at_once(call: CallAtOnce, loop: PlanActLoop) -> Steps[dict[str, Any]]:
    """Carry out one of several tool calls, each in a task of its own: one that is done stays done if another crashes.

    What it cost and its events wait in `results` for `observe`: several tasks cannot number the run's events.
    """
    name = f"{call['run_id']}-{call['step']}"
    with recording(name) as recorder:
        result = yield from _carried_out(
            call["action"], call["run_id"], call["step"], call["state"], recorder, (), loop, place=call["place"]
        )
    return {"results": [{**result, "events": recorder.events}]}


def sends(state: PlanActState, places: Sequence[int], loop: PlanActLoop) -> list[Send]:
    """The tasks for calls that are made at once."""
    actions = current_actions(state)
    tasks: list[Send] = []
    for number, place in enumerate(places):
        action = actions[place]
        # Of a tool that is no longer there, the call itself says so.
        tool = loop.executor.tools.get(action["tool"])
        # A task's input is written with every checkpoint, so the state goes only where it is asked for.
        injected = dict(state) if tool and takes_state(tool) else {}
        step = state["steps"] + number
        call = CallAtOnce(action=action, place=place, run_id=state["run_id"], step=step, state=injected)
        tasks.append(Send("act_at_once", call))
    return tasks


def _carried_out(
    action: Action,
    run_id: str,
    before: int,
    state: Mapping[str, Any] | PlanActState,
    recorder: Recorder,
    cause: Sequence[Link],
    loop: PlanActLoop,
    *,
    place: int = 0,
) -> Steps[CallResult]:
    """One call and its event, after `before` steps of the run."""
    key = f"{run_id}:{before}:{call_fingerprint(action)}"
    started = loop.timer()
    used = {"steps": before + 1, "max_steps": loop.guards.max_steps}
    event = recorder.add("action", cause, **action, key=key, **used)
    result = yield from loop.executor.steps(action, key, event, state)
    recorder.adopt(result.events, [Link(source=event, relation="led_to")])
    call_result = CallResult(place=place, ok=result.ok, result=result.result, kind=result.kind, event=event)
    call_result["seconds"] = loop.timer() - started
    call_result["usage"] = add_usage(*map(read_usage, _spent(recorder)))
    if result.ignored:
        call_result["ignored"] = result.ignored
    if result.blocks:
        call_result["blocks"] = list(result.blocks)
    if result.artifact is not None:
        call_result["artifact"] = result.artifact
    return call_result


def _spent(recorder: Recorder) -> list[Any]:
    """The usage of the runs inside a tool, and of the calls that it has made itself, as by `think_with_retry`."""
    outcomes = [[event for event in run if event["kind"] == "outcome"][-1:] for run in recorder.runs.values()]
    own = [event for event in recorder.events if event["id"] not in recorder.adopted and event["kind"] == "thought"]
    return [event["data"].get("usage") for event in (*chain.from_iterable(outcomes), *own)]
