"""The first node of every reflection mode, and the nodes that take up a strategy or the next model."""

from __future__ import annotations

from typing import Any, Literal

from ..._internal.channel import fresh
from ...models.messages import NO_USAGE, media_in
from ...tools.verifiers.human import HumanVerifier, check_pause
from ...traces.events import Recorder, current_place
from ..asked import asked, checked_text
from ..channels import ReflectionThread, taken_up
from ..reflection_defaults import RetryStrategy
from .loop import ReflectionLoop
from .state import ReflectionState


def begin(state: ReflectionState, loop: ReflectionLoop) -> dict[str, Any]:
    """Check the task, and that a question can wait for its answer, and start the run's trace; a thread that is used
    again starts from scratch."""
    given, asking = asked(state, "task")
    task = checked_text(given, state, "task", "what to solve")
    if asking and (media := media_in(asking)):
        raise ValueError(
            f"the last message holds more than text ({media[0]!r:.60}…), which this loop shows to no model: say in "
            "words what is in it, or give it to a plan-act graph"
        )
    if isinstance(loop.verifier, HumanVerifier):
        check_pause()
    recorder = Recorder(place=current_place.get())
    recorder.add("goal", task=task, mode=loop.mode)
    return {
        "thread_kind": ReflectionThread.here(),
        **taken_up(state, "task", task),
        "last_read": asking.id if asking else None,
        "run_id": recorder.run_id,
        "strategy": "first",
        "attempts": fresh(state.get("attempts"), []),
        "events": fresh(state.get("events"), recorder.events),
        "current": None,
        "reflections": fresh(state.get("reflections"), []),
        "lessons": [],
        "failure": "",
        "level": 0,
        "gone": "",
        "seconds": 0.0,
        "usage": NO_USAGE,
        # What the last run on the thread came to is none of this one's.
        "answer": "",
        "verdict": "unverified",
        "stop_reason": None,
    }


def choose(
    state: ReflectionState, loop: ReflectionLoop, *, strategy: RetryStrategy | Literal["repair_form"]
) -> dict[str, Any]:
    """Take up a way of asking for the next attempt."""
    return {"strategy": strategy}


def escalate(state: ReflectionState, loop: ReflectionLoop) -> dict[str, Any]:
    """Pass the task to the next model of the cascade, which starts from scratch."""
    return {"strategy": "escalate", "level": state["level"] + 1}
