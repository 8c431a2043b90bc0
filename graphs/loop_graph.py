"""A state graph that reads like its figure: one line per node, one line per conditional edge."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping
from functools import cached_property, partial
from typing import Any, Self, cast

import networkx as nx
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send
from langgraph.typing import InputT, OutputT, StateT

from .._internal.steps import Call, Steps, acall_user_function, call_user_function, is_async
from ..errors import ThreadStateError
from ..nodes.channels import thread_id
from ..nodes.edits import Watched
from ..nodes.node import Node
from ..nodes.recursion import steps_left
from ..nodes.thread import Thread
from ..traces.shapes import Shape, ShapeEdge

_FIRST = "begin"
"""The node that begins a run, whatever its thread holds."""


class LoopGraph(StateGraph[StateT, None, InputT, OutputT]):
    """LangGraph's `StateGraph`, with nodes and edges that get the loop as well as the state.

    Attributes:
        loop: the settings and parts that nodes and edges use, such as `ReflectionLoop`.
    """

    def __init__(
        self,
        loop: Any,
        state: type[StateT],
        input: type[InputT],
        output: type[OutputT],
        watched: Callable[[Any], Iterable[Watched]] | None = None,
    ) -> None:
        """Start a graph without nodes.

        Args:
            loop: the second argument of every node and edge function.
            state: the schema of the state.
            input: the schema of the graph's input.
            output: the schema of its output.
            watched: returns the values of a state whose changes by a person are recorded in the trace.
        """
        super().__init__(state, input_schema=input, output_schema=output)
        self.loop = loop
        self._watched = watched
        self._thread = Thread(getattr(loop, "mode", None), state)

    def add_step(
        self,
        name: str,
        function: Callable[..., dict[str, Any] | Steps[dict[str, Any]] | Awaitable[dict[str, Any]]],
        **options: Any,
    ) -> Self:
        """Add a node that calls `function(state, loop, **options)`, in sync and in async runs.

        Args:
            name: the node's name.
            function: returns its update of the state, sync or async, or yields its calls (`Steps`) and then returns
                the update.
            options: passed to `function`.
        """
        thread = None if name == _FIRST else self._thread
        called: Callable[..., Any] = partial(_awaited, function) if is_async(function) else function
        # By position, so a function can name its second argument as it likes.
        node = Node(lambda state: called(state, self.loop, **options), name, self.shape, self._watched, thread)
        self.add_node(name, node)
        return self

    def add_route(self, source: str, edge: Callable[..., str | list[Send]], *targets: str, **labeled: str) -> Self:
        """Add a conditional edge that asks `edge(state, loop)` where to go.

        Args:
            source: the node that the edge starts from.
            edge: returns the name of a target, a label, or a list of LangGraph's `Send` to targets.
            targets: the nodes that `edge` may return.
            labeled: nodes that `edge` returns by a label, as in `new="verify"`; the drawing shows the label.
        """
        ways: dict[Hashable, str] = {**{name: name for name in targets}, **labeled}
        self.add_conditional_edges(source, _Route(partial(self._route, edge, source, ways), edge.__name__), ways)
        return self

    def _route(
        self, edge: Callable[..., str | list[Send]], source: str, ways: Mapping[Hashable, str], state: Any
    ) -> str | list[Send]:
        with self._thread.checking(source, state):
            way = edge(state, self.loop)
        if isinstance(way, str) and way not in ways:
            named = getattr(edge, "__name__", type(edge).__name__)
            raise ThreadStateError(
                thread_id(), source, f"its edge {named} returned {way!r}, and leads only to {', '.join(map(str, ways))}"
            )
        return self._in_time(way, ways)

    def _in_time(self, way: str | list[Send], ways: Mapping[Hashable, str]) -> str | list[Send]:
        """The way out of a node, or the shortest way to the end if this one exceeds the caller's limit of steps.

        The run then ends with the best that it has.
        """
        left = steps_left()
        if left is None or left > len(self.nodes):
            return way
        length = self._lengths[ways[way] if isinstance(way, str) else way[0].node]
        shortest = min(ways, key=lambda name: self._lengths[ways[name]])
        return way if length <= max(left, self._lengths[ways[shortest]]) else cast(str, shortest)

    @cached_property
    def _lengths(self) -> dict[str, int]:
        """How many nodes there are from each one to the end, itself included."""
        edges = [(edge["target"], edge["source"]) for edge in self.shape()["edges"]]
        return dict(nx.single_source_shortest_path_length(nx.DiGraph(edges), END))

    def shape(self) -> Shape:
        """The nodes and edges, as the trace of a run keeps them; of two edges between two nodes the first."""
        names = [START, *self.nodes, END]
        edges = [_edge(source, target) for source, target in sorted(self.edges, key=lambda e: names.index(e[0]))]
        edges += [_edge(source, target) for sources, target in self.waiting_edges for source in sources]
        for source, branches in self.branches.items():
            for branch in branches.values():
                # A branch that does not say where it leads may lead anywhere, for LangGraph and for its drawings.
                ways = branch.ends or {name: name for name in names[1:]}
                edges += [_edge(source, target, label) for label, target in ways.items()]
        first_edges = {(edge["source"], edge["target"]): edge for edge in reversed(edges)}
        silent = [name for name, spec in self.nodes.items() if not isinstance(spec.runnable, Node)]
        return Shape(nodes=names, silent=silent, edges=list(reversed(first_edges.values())))


def _awaited(function: Callable[..., Any], *given: Any, **options: Any) -> Steps[dict[str, Any]]:
    """An async function as steps, which can be taken in sync runs, too."""
    bound = partial(function, *given, **options)
    return (yield Call(lambda: call_user_function(bound), lambda: acall_user_function(bound)))


class _Route(RunnableLambda[Any, str | list[Send]]):
    """A conditional edge that is followed even if the run is canceled at it.

    Otherwise a run that is canceled between a node and its edge would have stored what the node wrote, but not where
    to go next, and could not be resumed.
    """

    def __init__(self, edge: Callable[[Any], str | list[Send]], name: str) -> None:
        # Without an async function, LangChain would call the edge in a thread.
        async def async_edge(state: Any) -> str | list[Send]:
            return edge(state)

        super().__init__(edge, async_edge, name=name)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> str | list[Send]:
        try:
            return await super().ainvoke(input, config, **kwargs)
        except asyncio.CancelledError as canceled:
            task = asyncio.current_task()
            if task is None or not task.cancelling():
                raise
            # The cancellation came while callbacks ran. LangGraph stores the way that is returned here, and the task is
            # canceled again right after: it may be the caller's own.
            task.uncancel()
            task.cancel(*canceled.args)
            return self.func(input)


def _edge(source: str, target: str, label: Hashable = None) -> ShapeEdge:
    shown = "" if label in (None, target) else str(label)
    return ShapeEdge(source=source, target=target, label=shown, conditional=label is not None)
