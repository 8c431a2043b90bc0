"""The plan-act loop's conditional edges: pure functions of the state and the loop that say where to go.

They return the name of the next node, or a label for which `plan_act` names the node. A run that ends because a check
tripped goes to that check's node. One that ends for any other reason, such as a `stop` that a node has set, gets the
label `"ended"`.
"""

from __future__ import annotations

from typing import Literal

from langgraph.types import Send

from ...nodes.plan_act.act import sends
from ...nodes.plan_act.checks.calls.look_up import look_up_call
from ...nodes.plan_act.checks.confirm import unsure_calls
from ...nodes.plan_act.checks.ground import ungrounded_calls
from ...nodes.plan_act.guards import Trip, calls_to_make, find_tripped, questions_left, trip_of
from ...nodes.plan_act.loop import PlanActLoop
from ...nodes.plan_act.plans.progress import current_actions
from ...nodes.plan_act.state import PlanActState
from ...traces.stops import ANSWERED

PlanActRoute = Literal["plan", "replan", "thought", "ended", "next"] | Trip
_CallRoute = Literal["act", "approve", "incomplete", "ungrounded", "repeated_call", "unsure"]
_AfterThought = _CallRoute | Literal["unfounded", "look_up", "ask_user", "guidance", "ended", "next"]
_PART_ENDS = (*ANSWERED, "steps_failed")


def _end(state: PlanActState) -> Literal["next", "ended"]:
    """Turn to the next request of a goal that has several, however the one before ended; end the run after the last."""
    stop = state["stop"]
    return "next" if state.get("parts") and stop and stop["kind"] in _PART_ENDS else "ended"


def after_plan(
    state: PlanActState, loop: PlanActLoop
) -> Literal["validate_plan", "unreadable", "unfounded", "ended", "next"]:
    """Validate a plan. Ask again if it is unreadable, or an answer that claims what no call did. End the run on any
    other answer, or if no model can be reached; of several requests in the goal turn to the next."""
    if state["stop"] or state["failure"]:
        return _end(state)
    if state["happening"]["kind"] == "unfounded":
        return "unfounded"
    return "unreadable" if state["unreadable"] else "validate_plan"


def after_validate_plan(state: PlanActState, loop: PlanActLoop) -> Literal["plan", "replan", "sound"] | _CallRoute:
    """Send a plan with issues back to its node, once. If the plan came with the call of its first step, make that call
    next, unless a check ends the run."""
    if state["revised"]:
        return "replan" if state["phase"] == "replan" else "plan"
    if state["decision"] is None or find_tripped(state, loop.guards):
        return "sound"
    route = _call_route(state, loop)
    return route if isinstance(route, str) else "sound"


def next_round(state: PlanActState, loop: PlanActLoop) -> PlanActRoute:
    """Start a round, after guidance or a result: end the run if a check trips, otherwise continue with the phase."""
    reason = find_tripped(state, loop.guards)
    return state["phase"] if reason is None else trip_of(reason) or "ended"


def after_observe(state: PlanActState, loop: PlanActLoop) -> PlanActRoute | Literal["finished", "look_up"]:
    """Start the next round, unless the tool's result is the run's answer, or has finished its step. Look up first what
    the call named and is not there, if a tool may tell it."""
    if state["stop"]:
        return _end(state)
    if look_up_call(state, loop):
        return "look_up"
    return "finished" if state["happening"]["kind"] == "done" else next_round(state, loop)


def after_thought(state: PlanActState, loop: PlanActLoop) -> _AfterThought | list[Send]:
    """Do what a thought decided.

    Not followed are a call that lacks something, states what nobody gave or repeats the last ones, an answer that
    claims what no call did, one before all was read that it needs, and a question that was asked before, or for an id
    that a tool may tell. An answer in plain words ends the run. Several calls run side by side, each as a task; calls
    that need a person's approval wait for it.
    """
    if state["stop"]:
        return _end(state)
    decision = state["decision"]
    if state["happening"]["kind"] in ("unfounded", "unread"):
        return "look_up" if look_up_call(state, loop) else "unfounded"
    if decision is None or decision["status"] == "done" or state["happening"]["kind"] == "repeated_question":
        return "guidance"
    if decision["status"] == "ask_user":
        if look_up_call(state, loop):
            return "look_up"
        return "ask_user" if questions_left(state, loop.guards) else "guidance"
    return _call_route(state, loop)


def _call_route(state: PlanActState, loop: PlanActLoop) -> _CallRoute | list[Send]:
    if state["gap"]:
        return "incomplete"
    if ungrounded_calls(state, loop):
        return "ungrounded"
    actions, places = current_actions(state), calls_to_make(state, loop.guards)
    if not places:
        return "repeated_call"
    if unsure_calls(state, loop) and questions_left(state, loop.guards):
        return "unsure"
    if any(actions[place]["tool"] in loop.interrupt_on for place in places):
        return "approve"
    return "act" if len(actions) == 1 else sends(state, places, loop)


def after_approve(state: PlanActState, loop: PlanActLoop) -> Literal["act", "decided", "ended"] | list[Send]:
    """Make the approved calls; for the others, what the person said is the result."""
    if state["stop"]:
        return "ended"
    places = calls_to_make(state, loop.guards)
    if not places:
        return "decided"
    return "act" if len(current_actions(state)) == 1 else sends(state, places, loop)


def after_read_answer(state: PlanActState, loop: PlanActLoop) -> Literal["act", "approve", "unsettled", "another"]:
    """Make the call that the user's answer has completed, after approval if it needs one. If the answer is another
    request, plan that; otherwise plan the rest again."""
    if state["decision"] is None:
        return "another" if state["phase"] == "plan" else "unsettled"
    return "approve" if current_actions(state)[0]["tool"] in loop.interrupt_on else "act"


def after_ground(state: PlanActState, loop: PlanActLoop) -> Literal["sent_back", "ask_user", "look_up"]:
    """Look up what nobody gave, if a tool may tell it."""
    return "look_up" if look_up_call(state, loop) else after_held_back(state, loop)


def after_held_back(state: PlanActState, loop: PlanActLoop) -> Literal["sent_back", "ask_user"]:
    """Ask the user, if the check has a question and questions are left; otherwise tell the model what is wrong with its
    call."""
    return "ask_user" if state["decision"] and questions_left(state, loop.guards) else "sent_back"


def after_ask_user(state: PlanActState, loop: PlanActLoop) -> Literal["answered", "ended"]:
    """Read the answer; end the run on a cancellation."""
    return "ended" if state["stop"] else "answered"
