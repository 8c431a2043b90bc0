"""A graph's node with both forms, sync and async, from steps that know of neither."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig

from ..nodes.steps import Steps, arun, run


class Node(Runnable[Any, dict[str, Any]]):
    """Runs steps on the state, whichever way the graph is invoked.

    LangGraph reports the node to callbacks itself and sets the context in which models and tools find the run's
    configuration. A `RunnableLambda` would do both once more: measured at twice the time of a step.

    Args:
        steps: from the state to what the node writes.
    """

    def __init__(self, steps: Callable[[Any], Steps[dict[str, Any]]]) -> None:
        self._steps = steps

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> dict[str, Any]:
        """Run the steps, blocking."""
        return run(self._steps(input))

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> dict[str, Any]:
        """Run the steps on the running event loop."""
        return await arun(self._steps(input))


class PureNode(Runnable[Any, dict[str, Any]]):
    """A node that computes and never waits: the same function for both forms, without a thread for the async one.

    Args:
        function: from the state to what the node writes.
    """

    def __init__(self, function: Callable[[Any], dict[str, Any]]) -> None:
        self._function = function

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> dict[str, Any]:
        """Call the function."""
        return self._function(input)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> dict[str, Any]:
        """Call the function."""
        return self._function(input)
