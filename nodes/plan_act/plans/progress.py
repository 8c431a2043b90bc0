"""What of the plan is finished and what is open, what the round works on, and what calls came to."""

from __future__ import annotations

from typing import Any

from ....traces.shapes import PLANNER, Action, PlanItem
from ..state import Observation, PlanActState, happened, step_counters


def finished(state: PlanActState) -> list[PlanItem]:
    """The steps of the plan that are done or failed, oldest first."""
    return [item for item in state["plan"] if item["status"] != "open"]


def finished_here(state: PlanActState) -> list[PlanItem]:
    """The finished steps of the current request, where the goal has several; otherwise all finished steps."""
    ends = state.get("part_ends")
    return finished(state)[ends[-1]["steps"] if ends else 0 :]


def seen_for_earlier(state: PlanActState) -> int:
    """How many observations belong to earlier requests of a goal with several; 0 where it has one."""
    ends = state.get("part_ends")
    return ends[-1]["observations"] if ends else 0


def remaining(state: PlanActState) -> list[PlanItem]:
    """The steps of the plan that are open, the current one first."""
    return [item for item in state["plan"] if item["status"] == "open"]


def current_steps(state: PlanActState) -> dict[int, PlanItem]:
    """The open steps that the round works on, by their numbers in the whole plan."""
    first = len(finished(state)) + 1
    return dict(enumerate(remaining(state)[: state["steps_at_once"]], first))


def current_actions(state: PlanActState) -> list[Action]:
    """The tool calls that the last thought decided on; empty if it decided on none."""
    decision = state["decision"]
    if decision is None:
        return []
    action = decision["next_action"]
    return decision.get("next_actions") or ([action] if action else [])


def calls_of_run(state: PlanActState, since: int = 0) -> list[Observation]:
    """The observations of tool calls for the current request, from this index on; unreadable rounds are left out."""
    since = max(since, seen_for_earlier(state))
    return [seen for seen in state["observations"][since:] if seen["tool"] != PLANNER]


def calls_of_step(state: PlanActState, number: int | None = None) -> list[Observation]:
    """The observations of tool calls for the current step. Where a round works on several steps: for all of them, or
    for the one with this number."""
    calls = calls_of_run(state, state["seen_before"])
    # A call without a step was made while the round worked on one.
    return calls if number is None else [seen for seen in calls if seen.get("step", number) == number]


def steps_ended(state: PlanActState, plan: list[PlanItem], note: str) -> dict[str, Any]:
    """The update once steps have ended, as done or as failed.

    Args:
        state: before that.
        plan: the steps that have ended, then those that remain.
        note: what to tell the model of it.
    """
    return {
        "plan": plan,
        "phase": "replan",
        **step_counters(),
        "seen_before": len(state["observations"]),
        "happening": happened("done", note),
    }
