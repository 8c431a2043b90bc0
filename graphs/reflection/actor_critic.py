"""Actor-Critic: the actor attempts → the critic says what is wrong → the actor revises → outcome.

Method: docs/background/reflection_modes.md; Gou et al. 2024 (CRITIC, arXiv 2305.11738) for a critic that sees what
running the answer showed. A verifier, if there is one, comes first: an answer that passes needs no critic, and the
critic explains a failure but does not judge it. Without a verifier only the critic accepts or rejects, and the answer
stays unverified. The critic may be a different, smaller model. A critique that cannot be read neither accepts nor
rejects.
"""

from __future__ import annotations

from ...nodes.reflection.critique import criticize, unreadable
from ...nodes.reflection.loop import ReflectionLoop
from ...nodes.reflection.verify import verify
from .edges import after_attempt, after_critique, before_critique
from .frame import ReflectionBuilder, framed


def actor_critic(loop: ReflectionLoop) -> ReflectionBuilder:
    """Assemble the loop without compiling it."""
    graph = framed(loop)
    graph.add_step("verify", verify, leaves=("failed", "unverified"))
    graph.add_step("critique", criticize, by="critic")
    graph.add_step("unreadable", unreadable)
    graph.add_route("attempt", after_attempt, *loop.ways, "outcome", new="verify")
    # A fresh sample is told no critique of a failure, so none is paid for.
    after_failure = loop.detours if loop.notes_are_read else loop.ways
    graph.add_route("verify", before_critique, "critique", *after_failure, "outcome")
    graph.add_route("critique", after_critique, *loop.ways, "outcome", "unreadable")
    graph.add_edge("unreadable", "outcome")
    return graph
