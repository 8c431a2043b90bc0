"""Asks the model anew where a person has changed the goal or the plan while the run waited."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from ...._internal.channel import fresh
from ...._internal.steps import Steps
from ....traces.events import current_place
from ....traces.shapes import UPDATE_STATE
from ..loop import PlanActLoop
from ..plans.phases import Phase
from ..prompts.turns import Turn, with_media
from ..state import PlanActState
from .conversation import turn_of_round
from .goal import plan_request
from .round import Asked, ask


def ask_as_changed(phase: Phase, state: PlanActState, loop: PlanActLoop) -> Steps[Asked]:
    """`ask`, where a person may have changed the goal or the plan since the last turn was written: it is written anew,
    since the model goes by it."""
    place, last = current_place.get(), state["events"][-1]
    if place is None or last.get("step") != place.step or last["data"].get("tool") != UPDATE_STATE:
        return (yield from ask(phase, state, loop))
    changed = (yield from _planned_anew(state, loop)) if phase == "plan" else {"turns": _written_anew(state, loop)}
    asked = yield from ask(phase, cast(PlanActState, {**state, **changed}), loop)
    turns = [*changed["turns"], *asked.writes.get("turns", ())]
    return replace(asked, writes={**changed, **asked.writes, "turns": fresh(state["turns"], turns)})


def _planned_anew(state: PlanActState, loop: PlanActLoop) -> Steps[dict[str, Any]]:
    """What the state says of a goal that a person has put in the place of another: nothing of it has been done."""
    _, context, turn = yield from plan_request(state["goal"], state["before"], state["now"], loop.clock(), loop)
    blocks = state["turns"][0].get("blocks", ())
    return {"context": context, "cut": None, "turns": [with_media(turn, blocks, loop.media)]}


def _written_anew(state: PlanActState, loop: PlanActLoop) -> list[Turn]:
    """The conversation with its last turn as the changed plan has it."""
    *before, last = state["turns"]
    turn = turn_of_round(state, loop)[0]
    if state["happening"]["kind"] == "observed":
        # The results stay.
        return [*before, cast(Turn, {**last, "guidance": turn["words"]})]
    return [*before, turn]
