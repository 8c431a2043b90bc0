"""The node that writes the user's turn of a round: what happened, what is asked for, warnings."""

from __future__ import annotations

from typing import Any

from .loop import PlanActLoop
from .prompts.conversation import said_in_turn
from .prompts.report import (
    warnings,
)
from .prompts.turns import note_turn, replan_turn, step_turn, steps_turn
from .state import PlanActState, current_steps, finished, remaining

_NOTES = ("unreadable", "repeated_question", "ungrounded", "unfounded", "incomplete")


def guidance(state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """Write the user's turn of this round: what happened, what is asked for, warnings from 80 % of a limit on."""
    happening = state["happening"]
    # The user may have taken the open steps out of the plan.
    phase = "replan" if state["phase"] == "thought" and not remaining(state) else state["phase"]
    if happening["kind"] in _NOTES:
        turn = note_turn(loop.language, happening["note"], state["phase"])
    elif phase == "replan":
        rest = [item["step"] for item in remaining(state)]
        turn = replan_turn(loop.language, state["goal"], happening["note"], rest)
    else:
        steps = {number: item["step"] for number, item in current_steps(state).items()}
        number, total = len(finished(state)) + 1, len(state["plan"])
        if len(steps) > 1:
            turn = steps_turn(loop.language, steps, total, state["goal"])
        else:
            turn = step_turn(loop.language, number, total, steps[number], state["goal"])
    advice = "\n".join(warnings(state, loop.guards, loop.language))
    return {"phase": phase, **said_in_turn({**turn, "guidance": advice}, state, loop)}
