"""Checks at build what LangGraph does not: that every node can be reached, and the end from every node."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import networkx as nx
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from ..errors import GraphShapeError


def check_shape(graph: CompiledStateGraph[Any, Any, Any, Any], last: str = "") -> None:
    """Refuse a graph with a node that cannot be reached or that cannot reach the end.

    A shape that was found right is not looked at again: drawing takes a quarter of the time of a short run.

    Args:
        graph: compiled.
        last: a node that gives the run its result, so that every way to the end has to pass it; "" for none.

    Raises:
        GraphShapeError: there is such a node, or one that leads to the end past `last`; the message names it.
    """
    built = (last, _built(graph.builder))
    if built in _right:
        return
    drawn = graph.get_graph()
    shape: nx.DiGraph[str] = nx.DiGraph()
    shape.add_nodes_from(drawn.nodes)
    shape.add_edges_from((edge.source, edge.target) for edge in drawn.edges)
    unreachable = set(shape) - nx.descendants(shape, START) - {START}
    if unreachable:
        problem = f"no path leads to {sorted(unreachable)}: add an edge, or remove the node"
        branches = graph.builder.branches.items()
        open_ended = sorted(source for source, ways in branches if any(way.ends is None for way in ways.values()))
        hint = f"; the conditional edge from {open_ended} does not say where it may lead: give it its path map"
        raise GraphShapeError(problem + (hint if open_ended else ""))
    endless = set(shape) - nx.ancestors(shape, END) - {END}
    if endless:
        raise GraphShapeError(f"no path leads from {sorted(endless)} to the end: add an edge")
    if last:
        # LangGraph ends a run at a node without an edge, and draws it so.
        before = nx.descendants(shape.subgraph(set(shape) - {last}), START)
        if early := before.intersection(shape.predecessors(END)):
            raise GraphShapeError(f"{sorted(early)} would end the run without {last!r}: add an edge that leads there")
    _right.add(built)


_right: set[Hashable] = set()


def _built(builder: StateGraph[Any, Any, Any, Any]) -> Hashable:
    """All that a drawing is made from."""
    branches = [
        (source, name, None if branch.ends is None else frozenset(branch.ends.values()))
        for source, named in builder.branches.items()
        for name, branch in named.items()
    ]
    nodes = frozenset((name, frozenset(node.ends or ())) for name, node in builder.nodes.items())
    return nodes, frozenset(builder.edges), frozenset(builder.waiting_edges), frozenset(branches)
