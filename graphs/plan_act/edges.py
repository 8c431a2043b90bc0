"""The plan-act loop's conditional edges: pure functions of the state and the loop that name the next node."""

from __future__ import annotations

from typing import Literal, cast

from langgraph.types import Send

from ...nodes.plan_act.act import sends
from ...nodes.plan_act.guards import TRIPPED, Trip, find_tripped, would_repeat
from ...nodes.plan_act.loop import PlanActLoop
from ...nodes.plan_act.state import PlanActState, current_actions

PlanActRoute = Literal["plan", "replan", "thought", "finalize"] | Trip


def after_plan(state: PlanActState, loop: PlanActLoop) -> Literal["validate_plan", "unreadable", "ended"]:
    """Validate a readable plan, ask again for an unreadable one; an answer or a lost model ends the run."""
    if state["stop"] or state["failure"]:
        return "ended"
    return "unreadable" if state["unreadable"] else "validate_plan"


def after_validate_plan(state: PlanActState, loop: PlanActLoop) -> Literal["plan", "replan", "sound"]:
    """Send a plan with issues back once, to the node that made it."""
    if not state["issues"]:
        return "sound"
    return "replan" if state["phase"] == "replan" else "plan"


def next_round(state: PlanActState, loop: PlanActLoop) -> PlanActRoute:
    """Start every round, after guidance or a result: end the run if a check trips, otherwise continue."""
    reason = find_tripped(state, loop.guards)
    if reason is None:
        return state["phase"]
    if reason["kind"] in ("token_budget", "time_budget"):
        return "budget"
    return cast(PlanActRoute, reason["kind"] if reason["kind"] in TRIPPED else "finalize")


def after_observe(state: PlanActState, loop: PlanActLoop) -> PlanActRoute:
    """Start the next round with a result, unless the tool's result is the answer."""
    return "finalize" if state["stop"] else next_round(state, loop)


def after_thought(
    state: PlanActState, loop: PlanActLoop
) -> Literal["act", "repeated_call", "ask_user", "guidance", "answered"] | list[Send]:
    """Follow a thought, but refuse a call that repeats the last ones and a question asked before; plain words that
    answer the user end the run. Of several calls, each has a task of its own."""
    if state["stop"]:
        return "answered"
    decision = state["decision"]
    if decision is None or decision["status"] == "done" or state["happening"]["kind"] == "repeated_question":
        return "guidance"
    if decision["status"] == "ask_user":
        over = loop.guards.max_questions is not None and state["questions"] >= loop.guards.max_questions
        return "guidance" if over else "ask_user"
    actions = current_actions(state)
    new = [place for place, action in enumerate(actions) if not would_repeat(state, action, loop.guards)]
    if not new:
        return "repeated_call"
    return "act" if len(actions) == 1 else sends(state, new, loop)


def after_ask_user(state: PlanActState, loop: PlanActLoop) -> Literal["answered", "cancelled"]:
    """Plan again with an answer; end the run on a cancellation."""
    return "cancelled" if state["stop"] else "answered"
