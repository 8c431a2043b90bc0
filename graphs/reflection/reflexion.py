"""Reflexion: attempt → verify, or evaluate → self-reflect → try again with the reflections in mind → outcome.

Source: Shinn et al. 2023, Reflexion: Language Agents with Verbal Reinforcement Learning, figure 2, and
docs/background/reflection_modes.md. The verifier evaluates the answer. If there is none, or it cannot judge, a model
evaluates, and the answer stays unverified. The reflections are the episodic memory: the next attempt starts from
scratch with the latest of them, and without the failed answer, which a small model would only copy.
"""

from __future__ import annotations

from ...nodes.reflection.critique import criticize, unreadable
from ...nodes.reflection.loop import ReflectionLoop
from ...nodes.reflection.reflect import reflect
from ...nodes.reflection.verify import verify
from .edges import after_attempt, after_evaluate, after_verify, before_evaluate
from .frame import ReflectionBuilder, framed


def reflexion(loop: ReflectionLoop) -> ReflectionBuilder:
    """Assemble the loop without compiling it."""
    graph = framed(loop)
    graph.add_step("verify", verify, leaves=("unverified",))
    graph.add_step("evaluate", criticize, by="evaluator")
    if loop.notes_are_read:
        graph.add_step("reflect", reflect)
    graph.add_step("unreadable", unreadable)
    # A fresh sample is told no reflection, so none is paid for.
    after_failure = ("reflect", *loop.detours) if loop.notes_are_read else loop.ways
    graph.add_route("attempt", after_attempt, *loop.ways, "outcome", new="verify")
    graph.add_route("verify", before_evaluate, "evaluate", *after_failure, "outcome")
    graph.add_route("evaluate", after_evaluate, *after_failure, "outcome", "unreadable")
    if loop.notes_are_read:
        graph.add_route("reflect", after_verify, *loop.ways, "outcome")
    graph.add_edge("unreadable", "outcome")
    return graph
