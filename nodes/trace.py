"""How the nodes of a loop go on with the trace of their run."""

from __future__ import annotations

from contextlib import AbstractContextManager

from typing_extensions import TypedDict

from ..traces.events import Event, Link, Recorder, recording


class Traced(TypedDict):
    """What the state of a loop holds of its trace; a `PlanActState` is one, and so is a `ReflectionState`."""

    run_id: str
    events: list[Event]


def run_recording(state: Traced) -> AbstractContextManager[Recorder]:
    """A recorder that goes on with the run's trace: what is recorded meanwhile follows from the last event."""
    return recording(state["run_id"], len(state["events"]), cause_of(state))


def cause_of(state: Traced) -> list[Link]:
    """The link from the run's last event, for an event that follows from it."""
    return [Link(source=state["events"][-1]["id"], relation="led_to")]
