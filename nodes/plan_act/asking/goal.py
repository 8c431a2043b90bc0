"""What asks for the plan of a goal, with what the tools know of what it speaks of."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from ...._internal.steps import Call, Steps
from ....tools.calls.hooks import call_hook
from ....tools.likeness import starred, traits
from ....tools.metadata import Told, finishes_step, metadata_of
from ..checks.covered import is_news
from ..checks.planned.parts import orders_by_itself, parts_of
from ..loop import PlanActLoop
from ..prompts.turns import Turn, goal_turn, media_lines, with_media
from .exchanges import said_before


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
    before = yield Call(lambda: _needed(goal, before, date, loop))
    known: str = yield Call(lambda: context_of(goal, before, date, loop))
    context = "\n".join(filter(None, [known, *media_lines(loop.language, blocks, loop.media)]))
    # Where plans are shown, the time stands before them: a small model takes it for the time that is asked for.
    turn = goal_turn(loop.language, goal, "" if loop.plan_examples else now, before, context)
    return before, context, with_media(turn, blocks, loop.media)


def requests_in(goal: str, before: str, date: datetime, loop: PlanActLoop) -> Steps[list[str]]:
    """The requests that a goal holds, each to be planned by itself; the goal alone where it is one, or where no tool
    has calls that are a whole step.

    A part that orders nothing by itself is one where the tools know of what it speaks; else it goes with the next one,
    or with the one before.
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


def _needed(goal: str, background: str, date: datetime, loop: PlanActLoop) -> str:
    """What was said before; "" if a tool knows that the goal needs none of it. A background without exchanges stays."""
    alone = said_before(background, loop.language) and stands_alone(goal, background, date, loop)
    return "" if alone else background


def stands_alone(goal: str, before: str, date: datetime, loop: PlanActLoop) -> bool:
    """Whether a tool knows that words say all by themselves, and need nothing of what was said before."""
    told = Told([goal], before, (), date.replace(tzinfo=None))
    asked = {name: metadata_of(tool).get("stands_alone") for name, tool in loop.tools.items()}
    return any(call_hook(name, "stands_alone", knows, told) for name, knows in asked.items() if knows)


def context_of(goal: str, background: str, date: datetime, loop: PlanActLoop) -> str:
    """What the tools know of what a goal speaks of; "" for nothing. They may look it up, which can block."""
    told = Told([goal], background, (), date.replace(tzinfo=None))
    asked = {name: metadata_of(tool).get("context") for name, tool in loop.tools.items()}
    known = [(call_hook(name, "context", knows, told) or "").strip() for name, knows in asked.items() if knows]
    if words := starred(goal, "\n".join(said_before(background, loop.language)[-1:])):
        known.append(loop.text("turn.starred", wrong=words[0], right=words[1]))
    return "\n".join(filter(None, known))
