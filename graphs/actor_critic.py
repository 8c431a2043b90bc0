"""Actor-Critic: the actor attempts → the critic says what is wrong → the actor revises → outcome.

Source: the reasoning-modes document, mode B; Gou et al. 2024 (CRITIC) for a critic that sees what running the answer
showed. A verifier, where there is one, comes first: what it passes needs no critic, and what it fails the critic has to
explain, not to judge. Without one the critic alone accepts or sends back, and the answer stays unverified. The critic
may be another, smaller model; a critique that cannot be read is neither acceptance nor rejection.
"""

from __future__ import annotations

from functools import partial

from .critic import criticise, unreadable
from .edges import after_attempt, after_critique, before_critique
from .frame import ReflectionBuilder, framed, routed
from .node import Node, PureNode
from .reflection_nodes import Collaborators
from .verify_node import verify


def actor_critic(parts: Collaborators) -> ReflectionBuilder:
    """Assemble the loop, not compiled yet."""
    graph, retries = framed(parts)
    graph.add_node("verify", Node(partial(verify, parts=parts, leaves=("failed", "unverified"))))
    graph.add_node("critique", Node(partial(criticise, parts=parts, by="critic")))
    graph.add_node("unreadable", PureNode(unreadable))
    graph.add_edge("unreadable", "outcome")
    graph.add_conditional_edges(
        "attempt",
        routed(after_attempt, parts.settings),
        {"new": "verify", **{name: name for name in (*retries, "outcome")}},
    )
    graph.add_conditional_edges("verify", before_critique, {"critique": "critique", "outcome": "outcome"})
    graph.add_conditional_edges(
        "critique",
        routed(after_critique, parts.settings),
        {"unreadable": "unreadable", **{name: name for name in (*retries, "outcome")}},
    )
    return graph
