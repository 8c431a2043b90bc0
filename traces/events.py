"""Flat, versioned, append-only events: what a run leaves behind, and the only thing the Context Graph is built from.

A node of a loop opens a `recording()`, everything below it calls `record()`, and the node hands the collected events
to its state channel. LangGraph commits a node's writes as a whole, so a node that crashed left no event, and one that
ran leaves each event once. Outside a recording `record()` costs a dictionary look-up and keeps nothing.
"""

from __future__ import annotations

import uuid
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

EVENT_VERSION = 1

EventKind = Literal[
    "goal",
    "plan",
    "thought",
    "action",
    "observation",
    "attempt",
    "verdict",
    "critique",
    "reflection",
    "outcome",
]
Relation = Literal["led_to", "verified", "failed", "revised", "retried", "learned_from"]


class Link(TypedDict):
    """A reference from an event back to an earlier one: `source` → this event, by `relation`."""

    source: str
    relation: Relation
    error: NotRequired[str]


class Event(TypedDict):
    """One line of a trace. `seq` counts from 0 within the run; `time` is UTC, ISO 8601."""

    version: int
    id: str
    run_id: str
    seq: int
    kind: EventKind
    time: str
    links: list[Link]
    data: dict[str, Any]


class Recorder:
    """Collects the events of one stretch of a run.

    Args:
        run_id: the run they belong to; a new one where none is given.
        seq: the first free sequence number of that run.
        cause: what the first recorded event follows from; see `follow`.
    """

    def __init__(self, run_id: str | None = None, seq: int = 0, cause: Sequence[Link] = ()) -> None:
        self.run_id = run_id or uuid.uuid4().hex[:12]
        self.events: list[Event] = []
        self._seq = seq
        self._cause = cause

    def follow(self, cause: Sequence[Link]) -> None:
        """Say what the next recorded event follows from, if it says nothing itself."""
        self._cause = cause

    def add(self, kind: EventKind, links: Sequence[Link] = (), /, **data: Any) -> str:
        """Append an event and return its id."""
        event_id = f"{self.run_id}:{self._seq}"
        links, self._cause = links or self._cause, ()
        self.events.append(
            Event(
                version=EVENT_VERSION,
                id=event_id,
                run_id=self.run_id,
                seq=self._seq,
                kind=kind,
                time=datetime.now(UTC).isoformat(timespec="milliseconds"),
                links=list(links),
                data=data,
            )
        )
        self._seq += 1
        return event_id


_active: ContextVar[Recorder | None] = ContextVar("thoughtgraph_recorder", default=None)


@contextmanager
def recording(run_id: str | None = None, seq: int = 0, cause: Sequence[Link] = ()) -> Generator[Recorder]:
    """Collect every event recorded inside the block.

    Example:
        >>> with recording() as recorder:
        ...     _ = record("goal", task="count to three")
        >>> recorder.events[0]["kind"]
        'goal'
    """
    recorder = Recorder(run_id, seq, cause)
    token = _active.set(recorder)
    try:
        yield recorder
    finally:
        _active.reset(token)


def record(kind: EventKind, links: Sequence[Link] = (), /, **data: Any) -> str | None:
    """Add an event to the recording under way; returns its id, or None where nothing records."""
    recorder = _active.get()
    return recorder.add(kind, links, **data) if recorder else None
