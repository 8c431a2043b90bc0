"""Graphs for `langgraph.json`: built from the user's settings instead of arguments.

LangGraph's server loads this file by its path, outside of any package, so its imports are absolute.
"""

from __future__ import annotations

from contextlib import ExitStack

from thoughtgraph.graphs.reflection import ReflectionGraph, create_reflection_graph
from thoughtgraph.runtime.models import open_model

# An embedded model has to be served for as long as the process that serves the graph lives.
_open = ExitStack()


def external_loop() -> ReflectionGraph:
    """The external loop with the chosen model (see `chosen_model`) and no verifier: answers come back unverified."""
    return create_reflection_graph("external_loop", actor=_open.enter_context(open_model()))
