"""The node that writes the user's turn of a round: what happened, what is asked for, warnings."""

from __future__ import annotations

from typing import Any

from .asking.conversation import append_turn, turn_of_round
from .loop import PlanActLoop
from .prompts.report import warnings
from .state import PlanActState


def guidance(state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """Write the user's turn of this round: what happened, what is asked for, warnings from 80 % of a limit on."""
    turn, phase = turn_of_round(state, loop)
    advice = "\n".join(warnings(state, loop.guards, loop.language))
    return {"phase": phase, **append_turn({**turn, "guidance": advice}, state, loop)}
