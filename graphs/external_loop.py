"""External loop: attempt → verify by running something → try again with what really happened → outcome.

Source: the reasoning-modes document, mode C; an answer that nothing could verify is never reported as a success. How
the loop tries again follows what was measured on small models (docs/benchmarks.md): they seldom mend their own code
in the conversation that shows it, and a repeated answer is a stall, so a strategy that brings nothing is left.
"""

from __future__ import annotations

from functools import partial

from .edges import after_attempt, after_verify
from .frame import ReflectionBuilder, framed, routed
from .node import Node
from .reflection_nodes import Collaborators
from .verify_node import verify


def external_loop(parts: Collaborators) -> ReflectionBuilder:
    """Assemble the loop, not compiled yet."""
    graph, retries = framed(parts)
    graph.add_node("verify", Node(partial(verify, parts=parts)))
    graph.add_conditional_edges(
        "attempt",
        routed(after_attempt, parts.settings),
        {"new": "verify", **{name: name for name in (*retries, "outcome")}},
    )
    graph.add_conditional_edges(
        "verify", routed(after_verify, parts.settings), {name: name for name in (*retries, "outcome")}
    )
    return graph
