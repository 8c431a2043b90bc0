"""The first node of every reflection mode, and the nodes that take up a strategy or the next model."""

from __future__ import annotations

from types import NoneType
from typing import Any, Literal, cast

from ..._internal.channel import fresh
from ...models.messages import NO_USAGE, whole_characters
from ...tools.verifiers.human import HumanVerifier, check_pause
from ...traces.events import Recorder, placed
from ..channels import Given, ReflectionThread, Taken
from .loop import ReflectionLoop, RetryStrategy
from .state import ReflectionState


def begin(state: ReflectionState, loop: ReflectionLoop) -> dict[str, Any]:
    """Check the task, and that a question can wait for its answer, and start the run's trace; a thread that is used
    again starts from scratch."""
    task = cast(object, state.get("task"))
    if isinstance(task, str) and not isinstance(task, Given) and state.get("events"):
        raise ValueError(
            'there is no new task: invoke the graph with {"task": "what to solve"}. A run that had not ended goes on '
            "from its own last checkpoint: see `get_state_history`"
        )
    if not isinstance(task, (str, NoneType)):
        raise ValueError(f"task has to be a text, got {type(task).__name__}")
    if not task or not task.strip():
        raise ValueError('task is empty: invoke the graph with {"task": "what to solve"}')
    if isinstance(loop.verifier, HumanVerifier):
        check_pause()
    task = whole_characters(task)
    recorder = Recorder(place=placed.get())
    recorder.add("goal", task=task, mode=loop.mode)
    return {
        "thread_kind": ReflectionThread.here(),
        "task": Taken(task),
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
