"""What a model's opinion makes of an attempt: shared by Reflexion's evaluator and the Actor-Critic's critic."""

from __future__ import annotations

import time
from typing import Any, Literal

from ..nodes.critique import Critique, critique_steps
from ..nodes.steps import Steps
from ..nodes.transport import is_model_error
from ..trace.events import Link, recording
from .reflection_nodes import Collaborators, criteria_of, current_attempt, kept, spent
from .state import Attempt, ReflectionState


def unreadable(state: ReflectionState) -> dict[str, Any]:
    """Settle an attempt that nothing has judged: its critique could not be read, which says nothing of the answer."""
    return kept({**current_attempt(state), "kind": "unreadable_critique"}, settled=True)


def criticise(
    state: ReflectionState, parts: Collaborators, *, by: Literal["critic", "evaluator"]
) -> Steps[dict[str, Any]]:
    """Ask a model for its opinion of the current answer, and settle the attempt with it.

    The verifier's word stands: a failed answer stays failed and keeps its score; the critique explains the failure. An
    answer of which nothing is known, because the critique could not be read either, stays in `current`.

    Args:
        state: has the answer in `current`, with the verifier's verdict on it.
        parts: has the critic.
        by: whom the trace names.
    """
    judged = current_attempt(state)
    failed_with = judged["feedback"] if judged["verdict"] == "failed" else ""
    started = time.monotonic()
    cause = [Link(source=state["events"][-1]["id"], relation="led_to")]
    with recording(state["run_id"], len(state["events"]), cause) as recorder:
        try:
            said = yield from critique_steps(
                parts.critic, state["task"], criteria_of(parts), judged["answer"] or "", failed_with
            )
        except Exception as lost:
            if not is_model_error(lost):
                raise
            return {
                **kept(judged, settled=True),
                **spent(state, recorder, time.monotonic() - started),
                "failure": str(lost),
            }
        link = Link(source=recorder.events[-1]["id"], relation="led_to")
        about = {"accepted": said.accepted, "score": said.score, "feedback": said.feedback, "by": by}
        recorder.add("critique", [link], **about, attempt=judged["number"])
    return {**_with_opinion(judged, said), **spent(state, recorder, time.monotonic() - started)}


def _with_opinion(judged: Attempt, said: Critique) -> dict[str, Any]:
    if said.accepted is None and judged["verdict"] == "unverified":
        return kept({**judged, "feedback": f"The critique could not be read. {said.feedback}"}, settled=False)
    if said.accepted is None:
        return kept(judged, settled=True)
    if judged["verdict"] == "failed":
        return kept({**judged, "accepted": False, "critique": said.feedback}, settled=True)
    opinion: Attempt = {
        **judged,
        "accepted": said.accepted,
        "score": said.score,
        "feedback": said.feedback,
        "kind": "" if said.accepted else "rejected",
    }
    return kept(opinion, settled=True)
