"""thoughtgraph: reasoning loops for LangGraph, checked reply by checked reply, and readable afterwards as a graph.

Names are loaded on first use, so that `import thoughtgraph` costs next to nothing. The stub beside this file lists
them; all others are offered by the rooms: `thoughtgraph.traces`, `thoughtgraph.tools`, `thoughtgraph.evaluation`, ...
"""

import lazy_loader as lazy

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
