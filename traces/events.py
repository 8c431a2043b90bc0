"""Flat, versioned, append-only events: what a run leaves, and the only thing the Context Graph is built from.

A node of a loop opens a `recording()`, everything below it calls `record()`, and the node hands the collected events
to its state channel. LangGraph commits a node's writes as a whole, so a node that crashed left no event, and one that
ran leaves each event once. Outside a recording `record()` costs a dictionary look-up and keeps nothing.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Lock
from typing import Any, Generic, Literal, NotRequired, Protocol, TypeVar, Unpack, cast, overload

from typing_extensions import TypedDict

from .shapes import (
    ActionData,
    AttemptData,
    CritiqueData,
    GoalData,
    ObservationData,
    OutcomeData,
    Placed,
    PlanData,
    ReflectionData,
    Shape,
    ThoughtData,
    VerdictData,
)

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


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a loop's graph events are recorded; a node sets it while it runs.

    Attributes:
        node: the node's name.
        step: LangGraph's number of the step, which counts on after a pause or a crash.
        after: the nodes that ran since the event before and recorded nothing.
        shape: of the graph.
    """

    node: str
    step: int
    after: Sequence[str]
    shape: Callable[[], Shape]


current_place: ContextVar[Place | None] = ContextVar("thoughtgraph_place", default=None)
worker_name: ContextVar[str] = ContextVar("thoughtgraph_worker", default="")
"""The name of the worker process that runs this part of a batch; "" outside of workers."""

K = TypeVar("K", bound=EventKind)
D = TypeVar("D")


class Recorded(Placed, Generic[K, D]):
    """One line of a trace. `seq` counts from 0 within the run; `time` is UTC, ISO 8601."""

    version: int
    id: str
    run_id: str
    seq: int
    kind: K
    time: str
    links: list[Link]
    data: D


ObservationEvent = Recorded[Literal["observation"], ObservationData]
AttemptEvent = Recorded[Literal["attempt"], AttemptData]
OutcomeEvent = Recorded[Literal["outcome"], OutcomeData]
Event = (
    Recorded[Literal["goal"], GoalData]
    | Recorded[Literal["plan"], PlanData]
    | Recorded[Literal["thought"], ThoughtData]
    | Recorded[Literal["action"], ActionData]
    | ObservationEvent
    | AttemptEvent
    | Recorded[Literal["verdict"], VerdictData]
    | Recorded[Literal["critique"], CritiqueData]
    | Recorded[Literal["reflection"], ReflectionData]
    | OutcomeEvent
)
"""Whoever asks an event for its `kind` knows the fields of its `data`, and so does a type checker."""

_Links = Sequence[Link]
R = TypeVar("R", covariant=True)


class Add(Protocol[R]):
    """How an event is written: its kind, what it follows from, and the fields that its kind has.

    An event that lacks a field of its kind, or has one too many, is a type error; nothing is checked at run time.
    """

    @overload
    def __call__(self, what: Literal["goal"], links: _Links = (), /, **data: Unpack[GoalData]) -> R: ...
    @overload
    def __call__(self, what: Literal["plan"], links: _Links = (), /, **data: Unpack[PlanData]) -> R: ...
    @overload
    def __call__(self, what: Literal["thought"], links: _Links = (), /, **data: Unpack[ThoughtData]) -> R: ...
    @overload
    def __call__(self, what: Literal["action"], links: _Links = (), /, **data: Unpack[ActionData]) -> R: ...
    @overload
    def __call__(self, what: Literal["observation"], links: _Links = (), /, **data: Unpack[ObservationData]) -> R: ...
    @overload
    def __call__(self, what: Literal["attempt"], links: _Links = (), /, **data: Unpack[AttemptData]) -> R: ...
    @overload
    def __call__(self, what: Literal["verdict"], links: _Links = (), /, **data: Unpack[VerdictData]) -> R: ...
    @overload
    def __call__(self, what: Literal["critique"], links: _Links = (), /, **data: Unpack[CritiqueData]) -> R: ...
    @overload
    def __call__(self, what: Literal["reflection"], links: _Links = (), /, **data: Unpack[ReflectionData]) -> R: ...
    @overload
    def __call__(self, what: Literal["outcome"], links: _Links = (), /, **data: Unpack[OutcomeData]) -> R: ...


class Recorder:
    """Collects the events of one stretch of a run.

    Args:
        run_id: the run they belong to; a new one if None.
        seq: the first free sequence number of that run.
        cause: what the first recorded event follows from; see `follow`.
        place: the node of a loop that records them; None outside of one.

    Attributes:
        events: what was recorded, oldest first.
        runs: the runs inside this one that were adopted, by their ids.
    """

    def __init__(
        self, run_id: str | None = None, seq: int = 0, cause: Sequence[Link] = (), place: Place | None = None
    ) -> None:
        self.run_id = run_id or uuid.uuid4().hex[:12]
        self.events: list[Event] = []
        self.runs: dict[str, Sequence[Event]] = {}
        self.adopted: set[str] = set()
        self._seq = seq
        self._cause = self._given = cause
        self._place = place
        self._closed = False
        # Runs in several threads may end inside the same recording.
        self._lock = Lock()

    def close(self) -> None:
        """End the recording: a tool that timed out may still end a run of its own, and nobody would read it."""
        with self._lock:
            self._closed = True

    @property
    def add(self) -> Add[str]:
        """Append an event and return its id."""
        return self._add

    def after_last(self) -> list[Link]:
        """The link of an event that follows from the last one recorded here; none before the first."""
        return [Link(source=self.events[-1]["id"], relation="led_to")] if self.events else []

    def adopt(self, events: Sequence[Event], cause: Sequence[Link] = ()) -> list[str]:
        """Append the events of a run inside this run, once: a second time adds nothing.

        Args:
            events: of one run, oldest first.
            cause: the links of the events that follow from none of the others; by default to the last event that was
                recorded here. Runs that ended inside the same recording do not follow from one another.

        Returns:
            Their new ids.
        """
        with self._lock:
            if not events or self._closed or events[0]["run_id"] in self.runs:
                return []
            self.runs[events[0]["run_id"]] = events
            own = next((event["id"] for event in reversed(self.events) if event["id"] not in self.adopted), "")
            # An event recorded between two separate runs does not put the second one inside the first.
            beside = len(self.runs) > 1 and self._place is None and not self._given
            cause = cause or ([Link(source=own, relation="led_to")] if own and not beside else self._given)
            ids: dict[str, str] = {}
            for event in events:
                kept = [link for link in event["links"] if link["source"] in ids]
                links: list[Link] = [{**link, "source": ids[link["source"]]} for link in kept]
                place = {name: value for name, value in event.items() if name in _PLACE}
                ids[event["id"]] = self._append(event["kind"], event["time"], links or cause, event["data"], place)
            self.adopted.update(ids.values())
            return list(ids.values())

    def _add(self, kind: EventKind, links: Sequence[Link] = (), /, **data: Any) -> str:
        with self._lock:
            return self._append(kind, datetime.now(UTC).isoformat(timespec="milliseconds"), links, data)

    def _append(
        self, kind: EventKind, time: str, links: Sequence[Link], data: Any, place: Mapping[str, Any] | None = None
    ) -> str:
        event_id = f"{self.run_id}:{self._seq}"
        links, self._cause = links or self._cause, ()
        event = {
            "version": EVENT_VERSION,
            "id": event_id,
            "run_id": self.run_id,
            "seq": self._seq,
            "kind": kind,
            "time": time,
            "links": list(links),
            "data": data,
            **(place or self._placed(kind)),
        }
        self.events.append(cast(Event, event))
        self._seq += 1
        return event_id

    def _placed(self, kind: EventKind) -> dict[str, Any]:
        place = self._place
        if place is None:
            return {}
        fields: dict[str, Any] = {"node": place.node, "step": place.step}
        if worker := worker_name.get():
            fields["worker"] = worker
        if kind == "goal":
            # The run begins here: what a node before it wrote belongs to an earlier run of the thread.
            return {**fields, "graph": place.shape()}
        return {**fields, "after": list(place.after)} if place.after and not self.events else fields


_PLACE = ("node", "step", "after", "graph", "worker")
_active: ContextVar[Recorder | None] = ContextVar("thoughtgraph_recorder", default=None)


@contextmanager
def recording(run_id: str | None = None, seq: int = 0, cause: Sequence[Link] = ()) -> Generator[Recorder]:
    """Collect every event recorded inside the block, and the trace of every graph of this library that ends inside it.

    `ContextGraph.from_run` reads the recorder. Of a graph that a tool calls, or that is a node of another graph, the
    trace belongs to the innermost recording around it: that of the tool call, where it was one of a plan-act graph.

    Args:
        run_id: the run that the events belong to; a new one by default.
        seq: the first free sequence number of that run.
        cause: what the first recorded event follows from.

    Example:
        >>> with recording() as recorder:
        ...     _ = record("goal", task="count to three")
        >>> recorder.events[0]["kind"]
        'goal'
    """
    # A run of its own inside a node, such as a tool's, is not the node's.
    recorder = Recorder(run_id, seq, cause, current_place.get() if run_id else None)
    token = _active.set(recorder)
    try:
        yield recorder
    finally:
        _active.reset(token)
        recorder.close()


def hand_over(events: Sequence[Event]) -> None:
    """Give the trace of a run that has ended to the recording around it; without one it does nothing."""
    if recorder := _active.get():
        recorder.adopt(events)


def _record(kind: EventKind, links: Sequence[Link] = (), /, **data: Any) -> str | None:
    recorder = _active.get()
    add: Any = recorder.add if recorder else None
    return add(kind, links, **data) if add else None


record: Add[str | None] = _record
"""Add an event to the recording under way; returns its id, or None if nothing records."""
