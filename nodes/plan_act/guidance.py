"""The node that writes the user's turn of a round: what happened, what is asked for, warnings."""

from __future__ import annotations

from typing import Any

from .asking.conversation import append_turn, turn_of_round
from .checks.clauses import only_asks
from .loop import PlanActLoop
from .plans.progress import remaining
from .prompts.report import warnings
from .prompts.shown_plans import like_call
from .state import PlanActState


def guidance(state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """Write the user's turn of this round: what happened, what is asked for, how a question like the one that is a step
    was answered, and warnings from 80 % of a limit on."""
    turn, phase = turn_of_round(state, loop)
    advice = "\n".join([*_like_question(state, loop), *warnings(state, loop.guards, loop.language)])
    return {"phase": phase, **append_turn({**turn, "guidance": advice}, state, loop)}


def _like_question(state: PlanActState, loop: PlanActLoop) -> list[str]:
    """How a question was answered that is like the user's own, where that is the next of several steps: what a run is
    shown is like its whole goal, of which the question is but a part."""
    step = next((item["step"] for item in remaining(state)), "")
    if len(state["plan"]) < 2 or not only_asks(step) or step not in state["goal"]:
        return []
    like = like_call(step, loop.bank, loop.executor.tools, of_known=False)
    return [like] if like else []
