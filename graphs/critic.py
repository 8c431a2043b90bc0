"""What a model's opinion makes of an attempt: shared by Reflexion's evaluator and the Actor-Critic's critic."""

from __future__ import annotations

import time
from typing import Any, Literal

from langchain_core.exceptions import ModelError

from ..nodes.critique import Critique, critique_steps
from ..nodes.messages import add_usage
from ..nodes.steps import Steps
from ..trace.errors import ModelUnavailableError
from ..trace.events import Link, Recorder
from .reflection_nodes import Collaborators, criteria_of, current_attempt, kept
from .state import Attempt, ReflectionState


def unreadable(state: ReflectionState) -> dict[str, Any]:
    """Settle an attempt that nothing has judged: its critique could not be read, which says nothing of the answer."""
    return kept({**current_attempt(state), "kind": "unreadable_critique"}, settled=True)


def criticised(
    judged: Attempt,
    state: ReflectionState,
    parts: Collaborators,
    recorder: Recorder,
    by: Literal["critic", "evaluator"],
) -> Steps[dict[str, Any]]:
    """Ask the critic, and settle the attempt with what it said; all writes of a node but its events.

    The verifier's word stands: a failed answer stays failed and keeps its score, and the critique joins its feedback.
    An answer of which nothing is known, because the critique could not be read either, stays in `current`.
    """
    failed_with = judged["feedback"] if judged["verdict"] == "failed" else ""
    started = time.monotonic()
    last = recorder.events[-1] if recorder.events else state["events"][-1]
    recorder.follow([Link(source=last["id"], relation="led_to")])
    try:
        said = yield from critique_steps(
            parts.critic, state["task"], criteria_of(parts), judged["answer"] or "", failed_with
        )
    except (ModelUnavailableError, ModelError) as lost:
        return {**kept(judged, settled=True), "failure": str(lost), "seconds": state["seconds"]}
    seconds = time.monotonic() - started
    link = Link(source=recorder.events[-1]["id"], relation="led_to")
    about = {"accepted": said.accepted, "score": said.score, "feedback": said.feedback, "by": by}
    recorder.add("critique", [link], **about, attempt=judged["number"])
    return {
        **_with_opinion(judged, said),
        "usage": add_usage(state["usage"], said.usage),
        "seconds": state["seconds"] + seconds,
    }


def _with_opinion(judged: Attempt, said: Critique) -> dict[str, Any]:
    if said.accepted is None and judged["verdict"] == "unverified":
        return kept({**judged, "feedback": f"The critique could not be read. {said.feedback}"}, settled=False)
    if said.accepted is None:
        return kept(judged, settled=True)
    if judged["verdict"] == "failed":
        feedback = f"{judged['feedback']}\n\nA reviewer says: {said.feedback}"
        return kept({**judged, "accepted": False, "feedback": feedback}, settled=True)
    kind = "" if said.accepted else "rejected"
    opinion: Attempt = {
        **judged,
        "accepted": said.accepted,
        "score": said.score,
        "feedback": said.feedback,
        "kind": kind,
    }
    return kept(opinion, settled=True)
