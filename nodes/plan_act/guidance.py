"""The node that writes the user's turn of a round: what happened, what is asked for, warnings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from ..._internal.channel import fresh
from ..._internal.steps import Steps
from ...traces.events import placed
from ...traces.shapes import UPDATE_STATE
from .asking.conversation import said_in_turn, this_step
from .asking.round import Asked, ask
from .begin import planned_anew
from .loop import PlanActLoop
from .plans.phases import Phase
from .plans.progress import remaining
from .prompts.report import warnings
from .prompts.turns import Turn, note_turn, replan_turn
from .state import PlanActState

_NOTES = ("unreadable", "repeated_question", "ungrounded", "unfounded", "incomplete")


def guidance(state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """Write the user's turn of this round: what happened, what is asked for, warnings from 80 % of a limit on."""
    turn, phase = _turn(state, loop)
    advice = "\n".join(warnings(state, loop.guards, loop.language))
    return {"phase": phase, **said_in_turn({**turn, "guidance": advice}, state, loop)}


def ask_as_changed(phase: Phase, state: PlanActState, loop: PlanActLoop) -> Steps[Asked]:
    """`ask`, where a person may have changed the goal or the plan since the last turn was written: it is written anew,
    since the model goes by it."""
    place, last = placed.get(), state["events"][-1]
    if place is None or last.get("step") != place.step or last["data"].get("tool") != UPDATE_STATE:
        return (yield from ask(phase, state, loop))
    changed = (yield from planned_anew(state, loop)) if phase == "plan" else {"turns": _written_anew(state, loop)}
    asked = yield from ask(phase, cast(PlanActState, {**state, **changed}), loop)
    turns = [*changed["turns"], *asked.writes.get("turns", ())]
    return replace(asked, writes={**changed, **asked.writes, "turns": fresh(state["turns"], turns)})


def _written_anew(state: PlanActState, loop: PlanActLoop) -> list[Turn]:
    *before, last = state["turns"]
    turn = _turn(state, loop)[0]
    if state["happening"]["kind"] == "observed":
        # The results stay.
        return [*before, cast(Turn, {**last, "guidance": turn["words"]})]
    return [*before, turn]


def _turn(state: PlanActState, loop: PlanActLoop) -> tuple[Turn, Phase]:
    happening = state["happening"]
    # The user may have taken the open steps out of the plan.
    phase = "replan" if state["phase"] == "thought" and not remaining(state) else state["phase"]
    if happening["kind"] in _NOTES:
        turn = note_turn(loop.language, happening["note"], state["phase"])
    elif phase == "replan":
        rest = [item["step"] for item in remaining(state)]
        turn = replan_turn(loop.language, state["goal"], happening["note"], rest)
    else:
        turn = this_step(state, loop)
    return turn, phase
