"""The nodes that all reflection modes share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph.graph import END, START

from ...nodes.reflection.attempt import attempt
from ...nodes.reflection.begin import begin, choose, escalate
from ...nodes.reflection.loop import ReflectionLoop
from ...nodes.reflection.memory import recall, remember
from ...nodes.reflection.outcome import outcome
from ...nodes.reflection.state import ReflectionInput, ReflectionOutput, ReflectionState, watched
from ..loop_graph import LoopGraph

ReflectionBuilder = LoopGraph[ReflectionState, ReflectionInput, ReflectionOutput]


def framed(loop: ReflectionLoop, state_schema: type[ReflectionState] = ReflectionState) -> ReflectionBuilder:
    """Start a mode's graph: `begin` → (`recall` →) `attempt`, a node per strategy, and `outcome` (→ `remember`).

    A loop that repairs form also has `repair_form`, and one with larger models `escalate`, which passes the task to the
    next of them: `loop.ways` names both.

    Args:
        loop: has the settings.
        state_schema: a `TypedDict` derived from `ReflectionState`, with fields that your own nodes and edges use.

    Returns:
        The graph, with no edge out of `attempt` yet. The nodes of `loop.ways` lead back to it.

    Raises:
        ValueError: the schema lacks fields of `ReflectionState`.
    """
    fields: object = getattr(state_schema, "__annotations__", {})
    if not (isinstance(fields, Mapping) and ReflectionState.__annotations__.keys() <= fields.keys()):
        raise ValueError(f"state_schema has to be a TypedDict derived from ReflectionState, got {state_schema!r:.100}")
    graph = LoopGraph(loop, state_schema, ReflectionInput, ReflectionOutput, watched)
    graph.add_step("begin", begin)
    graph.add_step("attempt", attempt)
    surround(graph, "attempt")
    return graph


def surround(graph: LoopGraph[Any, ReflectionInput, ReflectionOutput], asking: str) -> None:
    """Add the nodes and edges that all modes share, around `begin` and the node `asking`, which exist already."""
    loop: ReflectionLoop = graph.loop
    graph.add_step("outcome", outcome)
    first, last = asking, END
    if loop.memory is not None:
        graph.add_step("recall", recall)
        graph.add_step("remember", remember)
        graph.add_edge("recall", asking)
        graph.add_edge("remember", END)
        first, last = "recall", "remember"
    graph.add_edge(START, "begin")
    graph.add_edge("begin", first)
    for way in loop.ways:
        graph.add_step(way, escalate) if way == "escalate" else graph.add_step(way, choose, strategy=way)
        graph.add_edge(way, first)
    graph.add_edge("outcome", last)
