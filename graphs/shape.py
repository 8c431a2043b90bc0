"""LangGraph checks neither that a node can be reached nor that the end can; here both are checked at build."""

from __future__ import annotations

from typing import Any

import networkx as nx
from langgraph.graph import END, START
from langgraph.graph.state import CompiledStateGraph

from ..errors import GraphShapeError


def check_shape(graph: CompiledStateGraph[Any, Any, Any, Any]) -> None:
    """Refuse a graph with a node that no path leads to, or from which no path leads to the end.

    Raises:
        GraphShapeError: names the nodes.
    """
    drawn = graph.get_graph()
    shape: nx.DiGraph[str] = nx.DiGraph()
    shape.add_nodes_from(drawn.nodes)
    shape.add_edges_from((edge.source, edge.target) for edge in drawn.edges)
    unreachable = set(shape) - nx.descendants(shape, START) - {START}
    if unreachable:
        raise GraphShapeError(f"no path leads to {sorted(unreachable)}: add an edge, or remove the node")
    endless = set(shape) - nx.ancestors(shape, END) - {END}
    if endless:
        raise GraphShapeError(f"no path leads from {sorted(endless)} to the end: add an edge")
