"""What asks for the plan of a goal, with what the tools know of what it speaks of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from ...._internal.steps import Call, Steps
from ....tools.calls.hooks import call_hook
from ....tools.likeness import starred, traits
from ....tools.metadata import Told, finishes_step, metadata_of
from ...channels import taken_up
from ..checks.covered import is_news
from ..checks.planned.parts import orders_by_itself, parts_of
from ..loop import PlanActLoop
from ..prompts.turns import Turn, goal_turn, media_lines, with_media
from ..state import Cut, Exchange, PlanActState, happened
from .exchanges import exchanges_text, said_before


def plan_request(
    goal: str, before: str, now: str, date: datetime, loop: PlanActLoop, blocks: Sequence[dict[str, Any]] = ()
) -> Steps[tuple[str, str, Turn]]:
    """What was said before, as far as a goal may need it, its context, and the turn that asks for its plan.

    Args:
        goal: what the user wants.
        before: what was said before, as the model is told it.
        now: when the run began, as the model is told it.
        date: what the tools take for now.
        blocks: images and files that came with the goal.
    """
    # A background without exchanges stays.
    exchanged = said_before(before, loop.language)
    alone: bool = yield Call(lambda: bool(exchanged) and stands_alone(goal, before, date, loop))
    before = "" if alone else before
    known: str = yield Call(lambda: context_of(goal, before, date, loop))
    context = "\n".join(filter(None, [known, *media_lines(loop.language, blocks, loop.media)]))
    # Where plans are shown, the time stands before them: a small model takes it for the time that is asked for.
    turn = goal_turn(loop.language, goal, "" if loop.plan_examples else now, before, context)
    return before, context, with_media(turn, blocks, loop.media)


def requests_in(goal: str, before: str, date: datetime, loop: PlanActLoop) -> Steps[list[str]]:
    """The requests that a goal holds, each to be planned by itself; the goal alone where it is one, or where no tool
    has calls that are a whole step.

    A part that orders nothing by itself is a request only if the tools know the thing that it speaks of. Otherwise it
    belongs to the request before it; at the beginning, to the first one.
    """
    parts = parts_of(goal) if any(map(finishes_step, loop.tools.values())) else [goal]
    whole, leading = list[str](), ""
    for part in parts if len(parts) > 1 else ():
        known: bool | str = orders_by_itself(part, first=not whole)
        # Of what is off or moved, a first sentence may only say why.
        if not known and (whole or "done" in traits(part)):
            context: str = yield Call(lambda part=part: context_of(part, before, date, loop))
            known = is_news(part, context)
        if known:
            whole.append(f"{leading}{part}")
            leading = ""
        elif whole:
            whole[-1] += f". {part}"
        else:
            leading += f"{part}. "
    return whole if len(whole) > 1 else [goal]


def turn_to(goal: str, exchange: Exchange, state: PlanActState, loop: PlanActLoop) -> Steps[dict[str, Any]]:
    """The update by which a run turns to another goal, which is planned as if it began a run.

    Args:
        goal: the other one.
        exchange: what came of the one before.
    """
    before = "\n".join(filter(None, [state["before"], exchanges_text([exchange], loop.language)]))
    before, context, turn = yield from plan_request(goal, before, state["now"], loop.clock(), loop)
    return {
        **taken_up(state, "goal", goal),
        "before": before,
        "context": context,
        "seen_before": len(state["observations"]),
        "phase": "plan",
        "happening": happened("started"),
        "cut": Cut(start=len(state["turns"]), summary=turn),
        "settled": len(state["clarifications"]),
    }


def stands_alone(goal: str, before: str, date: datetime, loop: PlanActLoop) -> bool:
    """Whether a tool knows that words say all by themselves, and need nothing of what was said before."""
    return any(_hooks("stands_alone", goal, before, date, loop))


def context_of(goal: str, before: str, date: datetime, loop: PlanActLoop) -> str:
    """What the tools know of what a goal speaks of; "" for nothing. They may look it up, which can block."""
    known = [(found or "").strip() for found in _hooks("context", goal, before, date, loop)]
    if words := starred(goal, "\n".join(said_before(before, loop.language)[-1:])):
        known.append(loop.text("turn.starred", wrong=words[0], right=words[1]))
    return "\n".join(filter(None, known))


def _hooks(key: str, goal: str, before: str, date: datetime, loop: PlanActLoop) -> Iterator[Any]:
    """What the tools say of a goal, one after the other, of those with a function for it under a key of `metadata`."""
    told = Told([goal], before, (), date.replace(tzinfo=None))
    for name, tool in loop.tools.items():
        if hook := metadata_of(tool).get(key):
            yield call_hook(name, key, hook, told)
