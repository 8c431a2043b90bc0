"""The ways to run a graph against a bad model: the server and its clients, the eight ways, the checkpointers."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from random import Random
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from support.bad_server import BadServer
from thoughtgraph import open_model
from thoughtgraph.models import Backoff
from thoughtgraph.traces import stream_trace
from thoughtgraph.traces.streaming import astream_trace

WAYS = ("invoke", "ainvoke", "stream", "astream", "tokens", "atokens", "stream_trace", "astream_trace")
THREAD: Any = {"configurable": {"thread_id": "1"}}
_CLIENT_WAITS = 0.4


class Table:
    """The server and its clients, which many scripts share."""

    def __init__(self, server: BadServer, plain: Any, streaming: Any) -> None:
        self.server, self.plain, self.streaming = server, plain, streaming


@contextmanager
def table() -> Generator[Table]:
    """Open a server and two clients of it."""
    with ExitStack() as stack:
        server = stack.enter_context(BadServer())
        spec = f"{server.base_url}#bad"
        plain = stack.enter_context(open_model(spec, timeout=_CLIENT_WAITS))
        streaming = stack.enter_context(open_model(spec, timeout=_CLIENT_WAITS, streaming=True))
        yield Table(server, plain, streaming)


class Waits:
    """Stands in for the waiting of every back-off: what would be waited is checked, and nothing is."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self._asked = Backoff.seconds

    def __call__(self, backoff: Backoff, attempt: int, error: BaseException | None = None) -> float:
        """No wait, where the one that was asked for is within its bounds."""
        wait = self._asked(backoff, attempt, error)
        if not 0 <= wait <= backoff.max_interval:
            self.problems.append(f"a wait of {wait} seconds, {backoff.max_interval} at most")
        return 0.0


def run(graph: Any, given: Any, way: str, saver: Any) -> Any:
    """Run a graph by one of the ways, and return what it returns."""
    if way == "invoke":
        return graph.invoke(given, THREAD)
    if way == "ainvoke":
        return asyncio.run(graph.ainvoke(given, THREAD))
    if way in ("stream", "tokens"):
        modes = ["values", "messages"] if way == "tokens" else ["values", "updates"]
        return [value for mode, value in graph.stream(given, THREAD, stream_mode=modes) if mode == "values"][-1]
    if way in ("astream", "atokens"):
        modes = ["values", "messages"] if way == "atokens" else ["values", "updates"]

        async def values() -> Any:
            return [v async for mode, v in graph.astream(given, THREAD, stream_mode=modes) if mode == "values"][-1]

        return asyncio.run(values())
    if way == "stream_trace":
        seen = [event for batch in stream_trace(graph, given, THREAD) for event in batch]
    else:

        async def streamed() -> list[Any]:
            return [event async for batch in astream_trace(graph, given, THREAD) for event in batch]

        seen = asyncio.run(streamed())
    kept = graph.get_state(THREAD)
    result = dict(kept.values)
    kept_events = result["events"][len(result["events"]) - len(seen) :]
    assert same(seen, kept_events), "streamed events differ from those kept"
    return result | ({"__interrupt__": kept.interrupts} if kept.interrupts else {})


def same(one: Any, other: Any) -> bool:
    """Whether events are the same; LangGraph's checkpoints keep half a surrogate pair as a question mark."""
    left, right = (json.dumps(events, ensure_ascii=False).encode("utf-8", "replace") for events in (one, other))
    return left == right


def saver_for(way: str, chance: Random) -> Any:
    """A checkpointer for a share of the runs; SQLite where the way is sync."""
    if way.endswith("stream_trace"):
        return InMemorySaver()
    if chance.random() < 0.4:
        return None
    if way in ("invoke", "stream", "tokens"):
        return SqliteSaver(sqlite3.connect(":memory:", check_same_thread=False))
    return InMemorySaver()
