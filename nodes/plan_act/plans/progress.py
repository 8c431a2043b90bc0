"""What of the plan is finished, what is open, and which of its steps and calls the round works on."""

from __future__ import annotations

from ....traces.shapes import Action, PlanItem
from ..state import PlanActState


def finished(state: PlanActState) -> list[PlanItem]:
    """The steps of the plan that are done or failed, oldest first."""
    return [item for item in state["plan"] if item["status"] != "open"]


def remaining(state: PlanActState) -> list[PlanItem]:
    """The steps of the plan that are open, the current one first."""
    return [item for item in state["plan"] if item["status"] == "open"]


def current_steps(state: PlanActState) -> dict[int, PlanItem]:
    """The open steps that the round works on, by their numbers in the whole plan."""
    first = len(finished(state)) + 1
    return dict(enumerate(remaining(state)[: state["at_once"]], first))


def current_actions(state: PlanActState) -> list[Action]:
    """The tool calls that the last thought decided on; empty if it decided on none."""
    decision = state["decision"]
    if decision is None:
        return []
    action = decision["next_action"]
    return decision.get("next_actions") or ([action] if action else [])
