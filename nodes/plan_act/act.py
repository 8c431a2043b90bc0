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


class CallToMake(TypedDict):
    """A tool call and what it needs of the run; the input of `act_at_once`.

    Attributes:
        action: the call.
        place: its place among the calls of the round, from 0.
        run_id: of the run's trace.
        step: how many steps the run has used before this call.
        state: the graph's state, for a tool into which it is injected; empty for any other tool.
    """

    action: Action
    place: int
    run_id: str
    step: int
    state: Mapping[str, Any] | PlanActState


def act(state: PlanActState, loop: PlanActLoop) -> Steps[dict[str, Any]]:
    """Carry out one tool call. The call has a key, by which a tool recognizes a repetition after a crash."""
    action, run_id, step = current_actions(state)[0], state["run_id"], state["steps"]
    call = CallToMake(action=action, place=0, run_id=run_id, step=step, state=state)
    with run_recording(state) as recorder:
        result = yield from _carried_out(call, recorder, cause_of(state), loop)
    return {
        "steps": state["steps"] + 1,
        "seconds": state["seconds"] + result.get("seconds", 0.0),
        "results": [result],
        "usage": add_usage(state["usage"], result.pop("usage", NO_USAGE)),
        "events": recorder.events,
    }


def act_at_once(call: CallToMake, loop: PlanActLoop) -> Steps[dict[str, Any]]:
    """Carry out one of several tool calls. Each is a task, so a call that is done stays done if another one crashes.

    Its events and its cost wait in `results` until `observe` adds them to the run's: tasks that run side by side cannot
    number the run's events.
    """
    with recording(f"{call['run_id']}-{call['step']}") as recorder:
        result = yield from _carried_out(call, recorder, (), loop)
    return {"results": [{**result, "events": recorder.events}]}


def sends(state: PlanActState, places: Sequence[int], loop: PlanActLoop) -> list[Send]:
    """A task for each of the calls at these places."""
    actions = current_actions(state)
    tasks: list[Send] = []
    for number, place in enumerate(places):
        action = actions[place]
        # If the tool is gone from the graph that was resumed, the call fails with an error that says so.
        tool = loop.tools.get(action["tool"])
        # A task's input is written with every checkpoint, so the state goes only where it is asked for.
        injected = dict(state) if tool and takes_state(tool) else {}
        step = state["steps"] + number
        call = CallToMake(action=action, place=place, run_id=state["run_id"], step=step, state=injected)
        tasks.append(Send("act_at_once", call))
    return tasks


def _carried_out(call: CallToMake, recorder: Recorder, cause: Sequence[Link], loop: PlanActLoop) -> Steps[CallResult]:
    """Make one call and record its event."""
    action, before = call["action"], call["step"]
    key = f"{call['run_id']}:{before}:{call_fingerprint(action)}"
    started = loop.timer()
    used = {"steps": before + 1, "max_steps": loop.guards.max_steps}
    event = recorder.add("action", cause, **action, key=key, **used)
    result = yield from loop.executor.steps(action, key, event, call["state"])
    recorder.adopt(result.events, [Link(source=event, relation="led_to")])
    call_result = CallResult(place=call["place"], ok=result.ok, result=result.result, kind=result.kind, event=event)
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
    """The usage of the runs inside a tool, and of the model calls that the tool made itself, by `think`."""
    outcomes = [[event for event in run if event["kind"] == "outcome"][-1:] for run in recorder.runs.values()]
    own = [event for event in recorder.events if event["id"] not in recorder.adopted and event["kind"] == "thought"]
    return [event["data"].get("usage") for event in (*chain.from_iterable(outcomes), *own)]
