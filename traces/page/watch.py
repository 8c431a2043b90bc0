"""Watch a run in a notebook: one display, kept up to date with the page of the run while its events come."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing, closing
from typing import TYPE_CHECKING, Any, cast

from ...errors import MissingLibraryError
from ..events import Event
from ..streaming import astream_trace, stream_trace
from .document import framed
from .page import page

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langgraph.graph.state import CompiledStateGraph

    _Graph = CompiledStateGraph[Any, Any, Any, Any]

_INTERVAL = 0.5
# Every update sends the whole page, and a Jupyter server drops what goes beyond 1 MB a second.
_BYTES_A_SECOND = 300_000


def watch(graph: _Graph, input: Any, config: RunnableConfig | None = None, **options: Any) -> Any:
    """Run a graph in a notebook and show its page below the cell while it runs.

    A run that pauses for a question, or that is ended by an error, leaves the page as far as it came.

    Args:
        graph: any graph of this library, or one that runs them; see `stream_trace`.
        input: what to invoke it with; a `Command(resume=…)` goes on with a paused run.
        config: of the run.
        options: passed on to `graph.stream`, such as `durability="sync"`.

    Returns:
        What `graph.invoke` returns, with `__interrupt__` where the run pauses.

    Raises:
        MissingLibraryError: IPython is not installed.
        RuntimeError: it is called outside a notebook.
        Exception: whatever ended the run.

    Example:
        >>> result = watch(graph, {"task": "…"})  # doctest: +SKIP
    """
    run = _Run(graph)
    view = _View(run)
    with closing(stream_trace(cast("_Graph", run), input, config, interval=_INTERVAL, **options)) as batches:
        try:
            for batch in batches:
                view.add(batch)
        finally:
            view.show()
    return run.output()


async def awatch(graph: _Graph, input: Any, config: RunnableConfig | None = None, **options: Any) -> Any:
    """Async twin of `watch`, for a cell that awaits it."""
    run = _Run(graph)
    view = _View(run)
    async with aclosing(astream_trace(cast("_Graph", run), input, config, interval=_INTERVAL, **options)) as batches:
        try:
            async for batch in batches:
                view.add(batch)
        finally:
            view.show()
    return run.output()


class _Run:
    """A graph as `stream_trace` uses it, which keeps the output beside the updates that it passes on."""

    def __init__(self, graph: _Graph) -> None:
        self._graph = graph
        self._values: Any = None
        self._interrupts: list[Any] = []

    def stream(self, input: Any, config: RunnableConfig | None, **options: Any) -> Generator[Any]:
        modes: dict[str, Any] = {**options, "stream_mode": ["updates", "values"]}
        with closing(cast("Generator[Any]", self._graph.stream(input, config, **modes))) as parts:
            for namespace, mode, part in parts:
                if self._is_update(namespace, mode, part):
                    yield namespace, part

    async def astream(self, input: Any, config: RunnableConfig | None, **options: Any) -> AsyncGenerator[Any]:
        modes: dict[str, Any] = {**options, "stream_mode": ["updates", "values"]}
        async with aclosing(cast("AsyncGenerator[Any]", self._graph.astream(input, config, **modes))) as parts:
            async for namespace, mode, part in parts:
                if self._is_update(namespace, mode, part):
                    yield namespace, part

    def output(self) -> Any:
        """What `invoke` makes of the last values: the graph's outputs, and the interrupts."""
        outputs = self._graph.output_channels
        kept = {key: value for key, value in self._mapping().items() if key in outputs}
        if self._interrupts:
            return {**kept, "__interrupt__": self._interrupts}
        return kept if isinstance(self._values, dict) else self._values

    def trace(self, run_id: str) -> list[Event]:
        """The events of a run that the last values hold: on a resumed run, those before the pause as well."""
        events: list[Event] = self._mapping().get("events") or []
        return [event for event in events if event["run_id"] == run_id]

    def _mapping(self) -> dict[str, Any]:
        return cast("dict[str, Any]", self._values) if isinstance(self._values, dict) else {}

    def _is_update(self, namespace: tuple[str, ...], mode: str, part: Any) -> bool:
        if namespace:
            return mode == "updates"
        if mode == "values":
            self._values = part
        else:
            self._interrupts += part.get("__interrupt__", ())
        return mode == "updates"


class _View:
    """The display of one run."""

    def __init__(self, run: _Run) -> None:
        try:
            from IPython.core.getipython import get_ipython
            from IPython.display import DisplayHandle
        except ImportError as missing:
            raise MissingLibraryError(
                "watch shows a run in a notebook and needs IPython: pip install ipykernel"
            ) from missing
        if not hasattr(get_ipython(), "kernel"):
            raise RuntimeError("watch shows a run in a notebook; elsewhere use stream_trace")
        self._run = run
        self._events: list[Event] = []
        self._display = DisplayHandle()
        self._due = 0.0
        # Raw, because IPython warns of frames that are given to it as HTML.
        self._display.display(self._bundle(), raw=True)

    def add(self, events: list[Event]) -> None:
        """Take in events, and show them unless the last update was so large that it is too early for another."""
        self._events += events
        if time.monotonic() >= self._due:
            self.show()

    def show(self) -> None:
        """Update the display."""
        bundle = self._bundle()
        self._display.update(bundle, raw=True)
        self._due = time.monotonic() + len(bundle["text/html"]) / _BYTES_A_SECOND

    def _bundle(self) -> dict[str, str]:
        earlier = self._run.trace(self._events[-1]["run_id"]) if self._events else []
        events = list({event["id"]: event for event in (*earlier, *self._events)}.values())
        return {"text/html": framed(page(events)), "text/plain": f"A run of {len(events)} events."}
