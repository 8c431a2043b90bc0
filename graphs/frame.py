"""What every reflection mode has around its own figure."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from langgraph.graph import END, START, StateGraph

from . import memory_nodes, reflection_nodes
from .edges import LoopSettings, RetryStrategy
from .node import Node, PureNode
from .reflection_nodes import Collaborators
from .state import ReflectionInput, ReflectionOutput, ReflectionState

ReflectionBuilder = StateGraph[ReflectionState, None, ReflectionInput, ReflectionOutput]


def framed(parts: Collaborators) -> tuple[ReflectionBuilder, list[RetryStrategy]]:
    """What all modes have in common: `begin` → (`recall` →) `attempt`, the strategies, and `outcome` (→ `remember`).

    Returns:
        The graph, without any edge out of `attempt`, and the names of the strategies' nodes, which lead back to it.
    """
    graph: ReflectionBuilder = StateGraph(ReflectionState, input_schema=ReflectionInput, output_schema=ReflectionOutput)
    graph.add_node("begin", PureNode(partial(reflection_nodes.begin, mode=parts.mode)))
    graph.add_node("attempt", Node(partial(reflection_nodes.attempt, parts=parts)))
    graph.add_node("outcome", PureNode(partial(reflection_nodes.outcome, settings=parts.settings)))
    graph.add_edge(START, "begin")
    strategies = list(dict.fromkeys(parts.settings.strategies))
    for strategy in strategies:
        graph.add_node(strategy, PureNode(partial(reflection_nodes.choose, strategy=strategy)))
    first, last = "attempt", END
    if parts.memory is not None:
        graph.add_node("recall", Node(partial(memory_nodes.recall, memory=parts.memory)))
        graph.add_node("remember", Node(partial(memory_nodes.remember, memory=parts.memory)))
        graph.add_edge("recall", "attempt")
        graph.add_edge("remember", END)
        first, last = "recall", "remember"
    for source in ("begin", *strategies):
        graph.add_edge(source, first)
    graph.add_edge("outcome", last)
    return graph, strategies


def routed(edge: Callable[..., str], settings: LoopSettings) -> Callable[[ReflectionState], str]:
    """An edge with its settings, under its own name."""

    def route(state: ReflectionState) -> str:
        return edge(state, settings)

    route.__name__ = edge.__name__
    return route
