"""A run's events while it runs: filtered by kind, bursts in batches.

Method: docs/background/parsing_and_feedback.md (event batches, event filters).
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Callable, Collection, Generator, Mapping
from contextlib import closing
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, cast, get_args

from .._internal.channel import written
from .._internal.numbers import items_of, number
from .events import Event, EventKind

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.graph.state import CompiledStateGraph

    _Graph = CompiledStateGraph[Any, Any, Any, Any]

_UPDATES: dict[str, Any] = {"stream_mode": "updates", "subgraphs": True}
_FORM = frozenset({*_UPDATES, "output_keys", "version"})
"""Options of `graph.stream` that change what it yields."""


@dataclass(frozen=True, slots=True)
class _Arrival:
    """Events of one update, and when they came (`time.monotonic`)."""

    time: float
    events: list[Event]


@dataclass(frozen=True, slots=True)
class _End:
    """The end of the run, and the error that ended it."""

    error: BaseException | None


def stream_trace(
    graph: _Graph,
    input: Any,
    config: RunnableConfig | None = None,
    *,
    kinds: Collection[EventKind] | None = None,
    interval: float = 0.1,
    **options: Any,
) -> Generator[list[Event]]:
    """Run a graph and yield the events of its trace as they come, in batches.

    Events within `interval` of the first one that is still waiting are one batch, and so are those that came while
    the consumer was busy. A batch is handed over after `interval` even while the next node still runs, and
    at once when the run ends. The graph runs in a thread of its own, from the first batch that is asked for; closing
    the iterator ends the run at its next update.

    Args:
        graph: any graph of this library, or one that runs them: as nodes, inside nodes, or as tools. A run inside a run
            of this library comes as a part of the outer trace, once it has ended.
        input: what to invoke it with; a `Command(resume=…)` resumes a paused run and yields only its new events.
        config: of the run.
        kinds: of the events to yield; None for all.
        interval: seconds that an event may wait for others.
        options: passed on to `graph.stream`, such as `durability="sync"`.

    Yields:
        Lists of events, none of them empty, in the order of the trace.

    Raises:
        ValueError: the graph is not compiled, no event has one of the kinds, or an option changes what the graph
            streams.
        Exception: whatever ended the run, after the events that came before.

    Example:
        >>> for batch in stream_trace(graph, {"task": "…"}, kinds=["attempt", "verdict"]):  # doctest: +SKIP
        ...     print([event["kind"] for event in batch])
        ['attempt', 'verdict']
    """
    wanted, interval = _checked(graph, kinds, options), number("interval", interval, least=0)
    return _streamed(graph, partial(graph.stream, input, config, **_UPDATES, **options), wanted, interval)


def astream_trace(
    graph: _Graph,
    input: Any,
    config: RunnableConfig | None = None,
    *,
    kinds: Collection[EventKind] | None = None,
    interval: float = 0.1,
    **options: Any,
) -> AsyncGenerator[list[Event]]:
    """Async twin of `stream_trace`: the graph runs in a task, which is canceled when the iterator is closed."""
    wanted, interval = _checked(graph, kinds, options), number("interval", interval, least=0)
    return _astreamed(graph, partial(graph.astream, input, config, **_UPDATES, **options), wanted, interval)


def events_in(update: Mapping[str, Any]) -> list[Event]:
    """The events in one update of a graph's `stream(stream_mode="updates")`; a pause holds none."""
    found: list[Event] = []
    for node in update.values():
        # A node that ran several times in one step is one entry with a list.
        for changes in cast("list[Any]", node) if isinstance(node, list) else [node]:
            if isinstance(changes, Mapping):
                found += written(cast("Mapping[str, Any]", changes).get("events"))
    return found


def _checked(graph: _Graph, kinds: Collection[EventKind] | None, options: Collection[str]) -> frozenset[str]:
    if taken := sorted(_FORM.intersection(options)):
        raise ValueError(
            f"a trace is streamed in one form, which {', '.join(taken)} would change: leave it out here, or read the "
            "events from `graph.stream` yourself"
        )
    known = frozenset(get_args(EventKind))
    wanted = known if kinds is None else items_of("kinds", kinds, "a list of kinds of events")
    if unknown := [str(kind) for kind in wanted if kind not in get_args(EventKind)]:
        raise ValueError(f"no event is of kind {', '.join(unknown)}: choose some of {', '.join(sorted(known))}")
    if not hasattr(graph, "astream"):
        raise ValueError(f"a trace is that of a compiled graph, got {graph!r:.80}; a builder has `compile()`")
    return frozenset(wanted)


def _streamed(
    graph: _Graph, start: Callable[[], Any], kinds: frozenset[str], interval: float
) -> Generator[list[Event]]:
    arrivals: SimpleQueue[_Arrival | _End] = SimpleQueue()
    traces = _Traces(kinds, graph)
    closed = threading.Event()

    def work() -> None:
        error: BaseException | None = None
        try:
            with closing(cast("Generator[Any]", start())) as updates:
                for update in updates:
                    if closed.is_set():
                        break
                    if events := traces.outermost(*update):
                        arrivals.put(_Arrival(time.monotonic(), events))
        except BaseException as raised:  # noqa: BLE001 - raised again where the events are read
            error = raised
        arrivals.put(_End(error))

    threading.Thread(target=copy_context().run, args=(work,), daemon=True).start()
    try:
        end = None
        while end is None:
            batch, end = _next_batch(arrivals, interval)
            if batch:
                yield batch
        if end.error is not None:
            raise end.error
    finally:
        closed.set()


async def _astreamed(
    graph: _Graph, start: Callable[[], Any], kinds: frozenset[str], interval: float
) -> AsyncGenerator[list[Event]]:
    arrivals: asyncio.Queue[_Arrival | _End] = asyncio.Queue()
    traces = _Traces(kinds, graph)

    async def work() -> None:
        error: BaseException | None = None
        try:
            async for update in cast("AsyncGenerator[Any]", start()):
                if events := traces.outermost(*update):
                    arrivals.put_nowait(_Arrival(time.monotonic(), events))
        except BaseException as raised:  # noqa: BLE001
            error = raised
        arrivals.put_nowait(_End(error))

    run = asyncio.create_task(work())
    try:
        end = None
        while end is None:
            batch, end = await _anext_batch(arrivals, interval)
            if batch:
                yield batch
        if end.error is not None:
            raise end.error
    finally:
        run.cancel()
        await asyncio.gather(run, return_exceptions=True)


class _Traces:
    """Picks the events to hand over: those of a run inside another one come again with the outer one's."""

    def __init__(self, kinds: frozenset[str], graph: Any) -> None:
        self._kinds = kinds
        self._seen: set[tuple[str, ...]] = set()
        # On resume a run inside another one comes first, before the outer one has written anything.
        subgraphs: Any = getattr(graph, "get_subgraphs", None)
        inside = {tuple(path.split("|")): inner for path, inner in subgraphs(recurse=True)} if subgraphs else {}
        self._loops = {place for place, one in {(): graph, **inside}.items() if _is_loop(one)}

    def outermost(self, namespace: tuple[str, ...], update: Mapping[str, Any]) -> list[Event]:
        """The events of an update of a graph, or of a graph inside it, if none around that one has a trace."""
        # LangGraph numbers further runs inside one node, `("node:id", "1")`: they are no children of the first.
        above = [namespace[:depth] for depth, part in enumerate(namespace) if not part.isdecimal()]
        named = {tuple(part.partition(":")[0] for part in outer) for outer in above}
        if not (self._seen.isdisjoint(above) and self._loops.isdisjoint(named)):
            return []
        events = events_in(update)
        if events:
            self._seen.add(namespace)
        return [event for event in events if event["kind"] in self._kinds]


def _is_loop(graph: Any) -> bool:
    """Whether a graph leaves a trace of its own."""
    return {"events", "thread_kind"} <= set(getattr(graph, "channels", ()))


def _next_batch(arrivals: SimpleQueue[_Arrival | _End], interval: float) -> tuple[list[Event], _End | None]:
    """The events up to `interval` after the first one, or up to the end of the run."""
    batch: list[Event] = []
    deadline = 0.0
    while True:
        try:
            arrival = arrivals.get(timeout=_wait(deadline) if batch else None)
        except Empty:
            return batch, None
        if isinstance(arrival, _End):
            return batch, arrival
        deadline = deadline or arrival.time + interval
        batch += arrival.events


async def _anext_batch(arrivals: asyncio.Queue[_Arrival | _End], interval: float) -> tuple[list[Event], _End | None]:
    batch: list[Event] = []
    deadline = 0.0
    while True:
        try:
            async with asyncio.timeout(_wait(deadline) if batch else None):
                arrival = await arrivals.get()
        except TimeoutError:
            return batch, None
        if isinstance(arrival, _End):
            return batch, arrival
        deadline = deadline or arrival.time + interval
        batch += arrival.events


def _wait(deadline: float) -> float:
    return max(0.0, deadline - time.monotonic())
