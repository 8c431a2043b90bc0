"""The plan-act loop's conditional edges: pure functions of the state and the loop that say where to go.

They return the next node, or a label, which `plan_act` leads to one. A run that is to end goes to the node of the check
that tripped, or for any other reason, such as a `stop` that a node has set, to the end: `"ended"`.
"""

from __future__ import annotations

from typing import Literal

from langgraph.types import Send

from ...nodes.plan_act.act import sends
from ...nodes.plan_act.checks.confirm import unsure_calls
from ...nodes.plan_act.checks.ground import ungrounded_calls
from ...nodes.plan_act.guards import Trip, find_tripped, questions_left, to_make, trip_of
from ...nodes.plan_act.loop import PlanActLoop
from ...nodes.plan_act.plans.progress import current_actions
from ...nodes.plan_act.state import PlanActState

PlanActRoute = Literal["plan", "replan", "thought", "ended"] | Trip
_CallRoute = Literal["act", "approve", "incomplete", "ungrounded", "repeated_call", "unsure"]
_AfterThought = _CallRoute | Literal["unfounded", "ask_user", "guidance", "ended"]


def after_plan(state: PlanActState, loop: PlanActLoop) -> Literal["validate_plan", "unreadable", "unfounded", "ended"]:
    """Validate a readable plan, ask again for an unreadable one and for an answer that claims what no call did; any
    other answer, or a lost model, ends the run."""
    if state["stop"] or state["failure"]:
        return "ended"
    if state["happening"]["kind"] == "unfounded":
        return "unfounded"
    return "unreadable" if state["unreadable"] else "validate_plan"


def after_validate_plan(state: PlanActState, loop: PlanActLoop) -> Literal["plan", "replan", "sound"] | _CallRoute:
    """Send a plan with issues back once, to the node that made it; go straight to the call that came with one, unless a
    check ends the run."""
    if state["revised"]:
        return "replan" if state["phase"] == "replan" else "plan"
    if state["decision"] is None or find_tripped(state, loop.guards):
        return "sound"
    route = _call_route(state, loop)
    return route if isinstance(route, str) else "sound"


def next_round(state: PlanActState, loop: PlanActLoop) -> PlanActRoute:
    """Start every round, after guidance or a result: end the run if a check trips, otherwise continue."""
    reason = find_tripped(state, loop.guards)
    return state["phase"] if reason is None else trip_of(reason) or "ended"


def after_observe(state: PlanActState, loop: PlanActLoop) -> PlanActRoute | Literal["finished"]:
    """Start the next round with a result, unless the tool's result is the answer, or all that its step needs."""
    if state["stop"]:
        return "ended"
    return "finished" if state["happening"]["kind"] == "done" else next_round(state, loop)


def after_thought(state: PlanActState, loop: PlanActLoop) -> _AfterThought | list[Send]:
    """Follow a thought, but refuse a call that lacks something, states what nobody gave or repeats the last ones, an
    answer that claims what no call did, and a question asked before; plain words that answer the user end the run. Of
    several calls, each has a task of its own; calls that a person has to approve wait for it."""
    if state["stop"]:
        return "ended"
    decision = state["decision"]
    if state["happening"]["kind"] == "unfounded":
        return "unfounded"
    if decision is None or decision["status"] == "done" or state["happening"]["kind"] == "repeated_question":
        return "guidance"
    if decision["status"] == "ask_user":
        return "ask_user" if questions_left(state, loop.guards) else "guidance"
    return _call_route(state, loop)


def _call_route(state: PlanActState, loop: PlanActLoop) -> _CallRoute | list[Send]:
    if state["gap"]:
        return "incomplete"
    if ungrounded_calls(state, loop):
        return "ungrounded"
    actions, places = current_actions(state), to_make(state, loop.guards)
    if not places:
        return "repeated_call"
    if unsure_calls(state, loop) and questions_left(state, loop.guards):
        return "unsure"
    if any(actions[place]["tool"] in loop.interrupt_on for place in places):
        return "approve"
    return "act" if len(actions) == 1 else sends(state, places, loop)


def after_approve(state: PlanActState, loop: PlanActLoop) -> Literal["act", "decided", "ended"] | list[Send]:
    """Make the calls that were approved; of those that were not, a person's words are the result."""
    if state["stop"]:
        return "ended"
    places = to_make(state, loop.guards)
    if not places:
        return "decided"
    return "act" if len(current_actions(state)) == 1 else sends(state, places, loop)


def after_read_answer(state: PlanActState, loop: PlanActLoop) -> Literal["act", "approve", "unsettled", "another"]:
    """Make the call that the user's answer has completed; a person may have to approve it. An answer that is another
    request is planned; with any other, the rest is planned again."""
    if state["decision"] is None:
        return "another" if state["phase"] == "plan" else "unsettled"
    return "approve" if current_actions(state)[0]["tool"] in loop.interrupt_on else "act"


def after_held_back(state: PlanActState, loop: PlanActLoop) -> Literal["sent_back", "ask_user"]:
    """Tell the model what a call lacks, or what of it nobody gave; ask the user if the check has put a question, and
    questions are left."""
    return "ask_user" if state["decision"] and questions_left(state, loop.guards) else "sent_back"


def after_ask_user(state: PlanActState, loop: PlanActLoop) -> Literal["answered", "ended"]:
    """Read the answer; end the run on a cancellation."""
    return "ended" if state["stop"] else "answered"
