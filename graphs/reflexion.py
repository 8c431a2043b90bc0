"""Reflexion: attempt → evaluate → self-reflect → try again with the reflections in mind → outcome.

Source: Shinn et al. 2023, Reflexion: Language Agents with Verbal Reinforcement Learning, figure 2, and the
reasoning-modes document, mode A. The evaluator is the verifier; where there is none, or it cannot judge, a model says
what it thinks, and the answer stays unverified. The reflections are the episodic memory: the next attempt starts anew
with the latest of them, and without the failed answer, which a small model would only copy.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

from langchain_core.exceptions import ModelError

from ..nodes.messages import add_usage
from ..nodes.self_reflection import reflection_steps
from ..nodes.steps import Steps
from ..trace.errors import ModelUnavailableError
from ..trace.events import Link, recording
from .critic import criticised, unreadable
from .edges import after_attempt, after_evaluate, after_reflect
from .frame import ReflectionBuilder, framed, routed
from .node import Node, PureNode
from .reflection_nodes import Collaborators, kept
from .state import ReflectionState
from .verify_node import verified


def reflexion(parts: Collaborators) -> ReflectionBuilder:
    """Assemble the loop, not compiled yet."""
    graph, retries = framed(parts)
    graph.add_node("evaluate", Node(partial(evaluate, parts=parts)))
    graph.add_node("reflect", Node(partial(reflect, parts=parts)))
    graph.add_node("unreadable", PureNode(unreadable))
    graph.add_edge("unreadable", "outcome")
    graph.add_conditional_edges(
        "attempt",
        routed(after_attempt, parts.settings),
        {"new": "evaluate", **{name: name for name in (*retries, "outcome")}},
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


def evaluate(state: ReflectionState, parts: Collaborators) -> Steps[dict[str, Any]]:
    """Have the answer judged: by the verifier, else by a model."""
    with recording(state["run_id"], len(state["events"])) as recorder:
        judged, seconds = yield from verified(state, parts, recorder)
        if judged["verdict"] != "unverified":
            spent = {"seconds": state["seconds"] + seconds, "events": recorder.events}
            return {**kept(judged, settled=True), **spent}
        opinion = yield from criticised(judged, state, parts, recorder, by="evaluator")
    return {**opinion, "seconds": opinion["seconds"] + seconds, "events": recorder.events}


def reflect(state: ReflectionState, parts: Collaborators) -> Steps[dict[str, Any]]:
    """Have the actor say why it failed; without a readable reflection the next attempt has the feedback alone."""
    failed = state["attempts"][-1]
    started = time.monotonic()
    cause = [Link(source=state["events"][-1]["id"], relation="led_to")]
    with recording(state["run_id"], len(state["events"]), cause) as recorder:
        try:
            noted = yield from reflection_steps(parts.actor, state["task"], failed["answer"] or "", failed["feedback"])
        except (ModelUnavailableError, ModelError) as lost:
            return {"failure": str(lost), "events": recorder.events}
        links = [Link(source=recorder.events[-1]["id"], relation="led_to")]
        recorder.add("reflection", links, reflection=noted.text, attempt=failed["number"])
    return {
        "reflections": [noted.text] if noted.text else [],
        "usage": add_usage(state["usage"], noted.usage),
        "seconds": state["seconds"] + time.monotonic() - started,
        "events": recorder.events,
    }
