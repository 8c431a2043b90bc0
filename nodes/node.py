"""A graph's node with both forms, sync and async, from a function that knows of neither."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.config import get_stream_writer

from .._internal.channel import written
from .._internal.steps import Steps, arun, run


class Node(Runnable[Any, dict[str, Any]]):
    """Calls a function with the state, whichever way the graph is invoked.

    A function that waits for a model, a tool or a verifier yields its calls (`Steps`); one that only computes returns
    what it writes, and costs no thread in an async run. LangGraph reports the node to callbacks itself and sets the
    context in which models and tools find the run's configuration. A `RunnableLambda` would do both once more:
    measured at twice the time of a step.

    Args:
        function: from the state to what the node writes, or to the steps that lead there.
    """

    def __init__(self, function: Callable[[Any], dict[str, Any] | Steps[dict[str, Any]]]) -> None:
        self._function = function

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> dict[str, Any]:
        """Run the function, blocking."""
        result = self._function(input)
        return streamed(run(result) if isinstance(result, Generator) else result)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> dict[str, Any]:
        """Run the function on the running event loop."""
        result = self._function(input)
        return streamed(await arun(result) if isinstance(result, Generator) else result)


def streamed(update: dict[str, Any]) -> dict[str, Any]:
    """Send the update's events to LangGraph's custom stream as well, where whoever follows it needs no state."""
    if events := written(update.get("events")):
        get_stream_writer()({"events": events})
    return update
