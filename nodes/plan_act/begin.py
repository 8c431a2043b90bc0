"""The first node: the goal is checked, and the run begins."""

from __future__ import annotations

from typing import Any, cast
from uuid import uuid4

from ..._internal.channel import fresh
from ...models.messages import NO_USAGE
from ...traces.events import Recorder, placed
from .loop import PlanActLoop
from .prompts.turns import goal_turn, moment
from .state import PlanActState, happened


def begin(state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """Check the goal and start the run; a thread that is used again starts from scratch."""
    goal = cast(object, state.get("goal"))
    background = state.get("background") or ""
    if not isinstance(goal, str) or not goal.strip():
        raise ValueError('goal is empty: invoke the graph with {"goal": "what the user wants"}')
    now = moment(loop.clock(), loop.language)
    recorder = Recorder(uuid4().hex[:12], place=placed.get())
    recorder.add("goal", task=goal, mode="plan_act")
    return {
        "goal": goal,
        "background": background,
        "now": now,
        "run_id": recorder.run_id,
        "phase": "plan",
        "plan": fresh(state.get("plan"), []),
        "revised": False,
        "issues": [],
        "decision": None,
        "at_once": 1,
        "results": [],
        "happening": happened("started"),
        "observations": fresh(state.get("observations"), []),
        "clarifications": fresh(state.get("clarifications"), []),
        "turns": fresh(state.get("turns"), [goal_turn(loop.language, goal, now, background)]),
        "cut": None,
        "trail": [],
        "calls": 0,
        "errors": 0,
        "steps": 0,
        "depth": 0,
        "seen_before": 0,
        "unreadable": 0,
        "questions": 0,
        "repeated_questions": 0,
        "seconds": 0.0,
        "usage": NO_USAGE,
        "failure": "",
        "stop": None,
        "response": "",
        "stop_reason": None,
        "events": fresh(state.get("events"), recorder.events),
    }
