"""Names from other packages, for code that migrates to this one.

`create_reflection_graph(graph, reflection)` of langgraph-reflection, its two-graph loop, is `pair_graphs` here.
"""

from .reflection.pair import pair_graphs as create_reflection_graph

__all__ = ["create_reflection_graph"]
