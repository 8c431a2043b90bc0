"""The node that pauses for the user, and does nothing else."""

from __future__ import annotations

import unicodedata
from typing import Any

from langgraph.types import interrupt

from ...traces.shapes import StopReason
from .loop import PlanActLoop
from .prompts.conversation import MAX_OBSERVATION
from .prompts.texts import text
from .prompts.turns import answered_note
from .state import Clarification, PlanActState, cause_of, cut, happened, run_recording

_CANCEL = frozenset({"cancel", "/cancel", "取消当前任务"})


def is_cancel(said: str) -> bool:
    """Whether the user cancels the task: `cancel`, `/cancel` or `取消当前任务`, in any case, also in full width."""
    return unicodedata.normalize("NFKC", said).strip().casefold() in _CANCEL


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
    if is_cancel(answer):
        stop = StopReason(kind="cancelled", value=state["steps"], limit=None)
        return {"stop": stop, "events": recorder.events}
    given = Clarification(question=question, answer=answer, assumed=not loop.interactive)
    return {
        "clarifications": [given],
        "questions": state["questions"] + 1,
        "decision": None,
        "phase": "replan",
        "depth": 0,
        "happening": happened("answered", answered_note(loop.language, question, answer)),
        "events": recorder.events,
    }
