"""Names of other packages, for code that moves here.

langgraph-reflection calls its two-graph loop `create_reflection_graph(graph, reflection)`; here it is `pair_graphs`.
"""

from .reflection.pair import pair_graphs as create_reflection_graph

__all__ = ["create_reflection_graph"]
