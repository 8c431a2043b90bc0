"""The node that pauses for the user, and does nothing else."""

from __future__ import annotations

from typing import Any

from langgraph.types import interrupt

from ...traces.shapes import StopReason
from .loop import PlanActLoop
from .prompts.conversation import MAX_OBSERVATION
from .prompts.texts import text
from .prompts.turns import answered_note
from .state import Clarification, PlanActState, cause_of, cut, happened, run_recording

CANCEL_COMMAND = "取消当前任务"


def ask_user(state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """Pause for the user's answer. Nothing else happens here: LangGraph runs this node again on resume."""
    decision = state["decision"]
    question = str(decision["question"]) if decision else ""
    if loop.interactive:
        answer = cut(str(interrupt(f"{loop.ask_prefix}{question}")).strip(), MAX_OBSERVATION)
    else:
        answer = text(loop.language, "ask.assumption")
    with run_recording(state) as recorder:
        recorder.add("observation", cause_of(state), tool="ask_user", input=question, ok=True, result=answer)
    if answer == CANCEL_COMMAND:
        stop = StopReason(kind="cancelled", value=state["steps"], limit=None)
        return {"stop": stop, "events": recorder.events}
    given = Clarification(question=question, answer=answer, assumed=not loop.interactive)
    return {
        "clarifications": [given],
        "questions": state["questions"] + 1,
        "decision": None,
        "phase": "replan",
        "depth": 0,
        "happening": happened("answered", answered_note(question, answer)),
        "events": recorder.events,
    }
