"""Reflexion: attempt → verify, or evaluate → self-reflect → try again with the reflections in mind → outcome.

Source: Shinn et al. 2023, Reflexion: Language Agents with Verbal Reinforcement Learning, figure 2, and the
reasoning-modes document, mode A. The evaluator is the verifier; where there is none, or it cannot judge, a model says
what it thinks, and the answer stays unverified. The reflections are the episodic memory: the next attempt starts anew
with the latest of them, and without the failed answer, which a small model would only copy.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

from ..nodes.self_reflection import reflection_steps
from ..nodes.steps import Steps
from ..nodes.transport import is_model_error
from ..trace.events import Link, recording
from .critic import criticise, unreadable
from .edges import after_attempt, after_evaluate, after_reflect, before_evaluate
from .frame import ReflectionBuilder, framed, routed
from .node import Node, PureNode
from .reflection_nodes import Collaborators, spent
from .state import Reflection, ReflectionState
from .verify_node import verify


def reflexion(parts: Collaborators) -> ReflectionBuilder:
    """Assemble the loop, not compiled yet."""
    graph, retries = framed(parts)
    graph.add_node("verify", Node(partial(verify, parts=parts, leaves=("unverified",))))
    graph.add_node("evaluate", Node(partial(criticise, parts=parts, by="evaluator")))
    graph.add_node("reflect", Node(partial(reflect, parts=parts)))
    graph.add_node("unreadable", PureNode(unreadable))
    graph.add_edge("unreadable", "outcome")
    graph.add_conditional_edges(
        "attempt",
        routed(after_attempt, parts.settings),
        {"new": "verify", **{name: name for name in (*retries, "outcome")}},
    )
    graph.add_conditional_edges(
        "verify",
        routed(before_evaluate, parts.settings),
        {name: name for name in ("evaluate", "reflect", "outcome")},
    )
    graph.add_conditional_edges(
        "evaluate",
        routed(after_evaluate, parts.settings),
        {"reflect": "reflect", "outcome": "outcome", "unreadable": "unreadable"},
    )
    graph.add_conditional_edges(
        "reflect", routed(after_reflect, parts.settings), {name: name for name in (*retries, "outcome")}
    )
    return graph


def reflect(state: ReflectionState, parts: Collaborators) -> Steps[dict[str, Any]]:
    """Have the actor say why it failed; without a readable reflection the next attempt has the feedback alone."""
    failed = state["attempts"][-1]
    started = time.monotonic()
    cause = [Link(source=state["events"][-1]["id"], relation="led_to")]
    with recording(state["run_id"], len(state["events"]), cause) as recorder:
        try:
            noted = yield from reflection_steps(parts.actor, state["task"], failed["answer"] or "", failed["feedback"])
        except Exception as lost:
            if not is_model_error(lost):
                raise
            return {**spent(state, recorder, time.monotonic() - started), "failure": str(lost)}
        links = [Link(source=recorder.events[-1]["id"], relation="led_to")]
        recorder.add("reflection", links, reflection=noted, attempt=failed["number"])
    reflections = [Reflection(attempt=failed["number"], text=noted)] if noted else []
    return {"reflections": reflections, **spent(state, recorder, time.monotonic() - started)}
