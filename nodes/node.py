"""A graph's node, sync and async, from one function."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, cast

from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.config import get_stream_writer
from langgraph.errors import GraphInterrupt

from .._internal.channel import written
from .._internal.steps import Steps, arun, run
from ..tools.verifiers.human import check_pause
from ..traces.events import Event, Place, current_place
from ..traces.shapes import Shape
from .edits import Watched, edits, with_edits
from .thread import Thread


class Node(Runnable[Any, dict[str, Any]]):
    """Calls a function with the state, whichever way the graph is invoked.

    A function that waits for a model, a tool or a verifier yields its calls (`Steps`); one that only computes returns
    what it writes, and costs no thread in an async run. LangGraph reports the node to callbacks itself and sets the
    context in which models and tools find the run's configuration. A `RunnableLambda` would do both once more:
    measured at twice the time of a step.

    Args:
        function: from the state to what the node writes, or to the steps that lead there.
        name: the node's name, which its events keep; "" for a node whose graph is not drawn with the run.
        shape: of the graph; needed with a name.
        watched: returns the values of a state whose changes by a person are recorded in the trace.
        thread: checks that the thread's run and state fit the graph; None for a node that begins a run.
    """

    def __init__(
        self,
        function: Callable[[Any], dict[str, Any] | Steps[dict[str, Any]]],
        name: str = "",
        shape: Callable[[], Shape] | None = None,
        watched: Callable[[Any], Iterable[Watched]] | None = None,
        thread: Thread | None = None,
    ) -> None:
        self._function = function
        self._name = name
        self._shape = shape
        self._watched = watched
        self._thread = thread

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> dict[str, Any]:
        """Run the function, blocking."""
        with self._place(input, config):
            state, found = self._edited(input)
            result = self._function(state)
            return self._written(run(result) if isinstance(result, Generator) else result, input, found)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> dict[str, Any]:
        """Run the function on the running event loop."""
        with self._place(input, config):
            state, found = self._edited(input)
            result = self._function(state)
            return self._written(await arun(result) if isinstance(result, Generator) else result, input, found)

    @contextmanager
    def _place(self, state: Any, config: RunnableConfig | None) -> Generator[None]:
        step = ((config or {}).get("metadata") or {}).get("langgraph_step")
        place = None
        if self._shape is not None and isinstance(step, int):
            place = Place(self._name, step, _silent_nodes(state), self._shape)
        token = current_place.set(place)
        try:
            with self._thread.checking(self._name, state) if self._thread else nullcontext():
                yield
        except GraphInterrupt:
            # LangGraph itself would end the run here, as if it could be resumed.
            check_pause("interactive=False, or tools and verifiers that ask nobody")
            raise
        finally:
            current_place.reset(token)

    def _edited(self, state: Any) -> tuple[Any, list[Event]]:
        """The state with an event for each value that a person has changed, and these events."""
        place = current_place.get()
        found = edits(state, place.step, self._watched) if place and self._watched and self._thread else []
        return ({**state, "events": [*state["events"], *found]} if found else state), found

    def _written(self, update: dict[str, Any], state: Any, found: Sequence[Event]) -> dict[str, Any]:
        """The update with the events of edits, and with `silent_nodes`: this node if it recorded none, or nothing."""
        update = with_edits(update, found)
        if self._shape is not None:
            if not written(update.get("events")):
                update = {**update, "silent_nodes": [self._name]}
            elif _silent_nodes(state):
                update = {**update, "silent_nodes": []}
        return streamed(update)


def _silent_nodes(state: Any) -> Sequence[str]:
    # A graph with a state of its own may have no such channel, or no mapping.
    return cast("dict[str, Any]", state).get("silent_nodes") or () if isinstance(state, dict) else ()


def streamed(update: dict[str, Any]) -> dict[str, Any]:
    """Send the update's events to LangGraph's custom stream as well, where whoever follows it needs no state."""
    if events := written(update.get("events")):
        get_stream_writer()({"events": events})
    return update
