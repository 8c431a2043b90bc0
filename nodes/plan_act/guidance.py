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
    """Write the user's turn of this round: what happened, what is asked for, an example call for a step that is a
    question, and warnings near a limit."""
    turn, phase = turn_of_round(state, loop)
    advice = "\n".join([*_example_for_question(state, loop), *warnings(state, loop)])
    return {"phase": phase, **append_turn({**turn, "guidance": advice}, state, loop)}


def _example_for_question(state: PlanActState, loop: PlanActLoop) -> list[str]:
    """An example call for the next step if it is a question, one of several steps. The examples at the start of the run
    were chosen for the whole goal, of which the question is only a part."""
    step = next((item["step"] for item in remaining(state)), "")
    if len(state["plan"]) < 2 or not only_asks(step) or step not in state["goal"]:
        return []
    like = like_call(step, loop.plan_examples, loop.tools, of_known=False)
    return [like] if like else []
