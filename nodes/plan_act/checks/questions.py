"""Questions that the loop itself puts to the user, and what becomes of one that was put before."""

from __future__ import annotations

from typing import Any

from ....traces.shapes import Action, Decision
from ..loop import PlanActLoop
from ..plans.items import plain
from ..prompts.texts import text
from ..state import PlanActState, clarified, happened


def to_ask(question: str, waiting: Action | None = None) -> Decision:
    """The decision to put a question to the user, with the call that waits for the answer."""
    return Decision(status="ask_user", thought=None, next_action=waiting, question=question, response=None)


def answer_to(question: str, state: PlanActState) -> str:
    """What the user answered to a question; "" if it was not put, or nobody was there to answer."""
    given = [one for one in clarified(state) if plain(one["question"]) == plain(question) and not one["assumed"]]
    return given[0]["answer"] if given else ""


def asked_before(question: str, answer: str, state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """What the state says of a question that was put before: the model is told the answer, and `Guards` count it."""
    note = text(loop.language, "note.asked_before", question=question, answer=answer)
    count = state["repeated_questions"] + 1
    return {"happening": happened("repeated_question", note), "repeated_questions": count}
