"""The values that a person may change while a plan-act run waits, and where the trace has them."""

from __future__ import annotations

from functools import partial
from typing import Any

from ...._internal.strict_json import dumps, loads
from ....traces.events import Event
from ....traces.shapes import HUMAN_REVIEW
from ...edits import Watched, recorded_field
from ..state import PlanActState, clarified
from .progress import finished


def watched(state: PlanActState) -> list[Watched]:
    """What a person may change while a run waits: the goal, the open steps, and the call that is to be made."""
    found = [Watched("goal", state["goal"], lambda event: recorded_field(event, "goal", "task"))]
    if state["plan"]:
        items = [item["step"] for item in state["plan"]]
        differ = partial(_other_steps, frozenset(item["step"] for item in finished(state)))
        found.append(Watched("plan", dumps(items, ensure_ascii=False), _recorded_steps, differ))
    # A call that the user's answer has completed is in the trace only once it is made.
    completed = state["happening"]["kind"] == "decided" and bool(clarified(state))
    if (action := (state["decision"] or {}).get("next_action")) and not completed:
        found.append(Watched("decision", dumps(action, ensure_ascii=False), _recorded_call))
    return found


def _recorded_steps(event: Event) -> str | None:
    if event["kind"] != "plan":
        return None
    return dumps([item["step"] for item in event["data"]["items"]], ensure_ascii=False)


def _other_steps(finished: frozenset[str], now: str, before: str) -> bool:
    """Whether the open steps differ, in any order: the loop reorders them itself."""
    return set(loads(now)) - finished != set(loads(before)) - finished


def _recorded_call(event: Event) -> str | None:
    decided: Any = event["data"].get("decision") if event["kind"] == "thought" else None
    if event["kind"] == "plan":
        decided = event["data"]
    action = decided.get("next_action") if decided else None
    if event["kind"] == "observation" and event["data"]["tool"] == HUMAN_REVIEW:
        action = _edited(event["data"]["result"])
    return dumps(action, ensure_ascii=False) if action else None


def _edited(decided: str) -> Any:
    """The call that a reviewer put in the place of the model's; a cancellation has none."""
    return loads(decided).get("action") if decided.startswith("{") else None
