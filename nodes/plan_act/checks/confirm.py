"""Has the user confirm a call that changes something, where the model was not sure of its reply.

Method: the probability that a model gives its own reply, averaged over the tokens, tells right replies from wrong
ones to a degree (Malinin and Gales, arXiv 2002.07650), and costs nothing. How well it tells them apart for the embedded
models: docs/benchmarks.md.
"""

from __future__ import annotations

import re
from typing import Any

from ....tools.calls.effects import changes
from ....tools.dates.words import fold
from ....traces.shapes import Action
from ..loop import PlanActLoop
from ..plans.phases import Phase
from ..plans.progress import current_actions
from ..state import PlanActState, clarified
from .calls.moments import shown_call
from .questions import ask_decision

_ONLY_YES = re.compile(
    r"\W*(?:y|yes|yeah|yep|yup|ok|okay|sure|right|correct|exactly|confirmed|of course|go ahead|please do"
    r"|do (?:it|that|so)|that(?:['’]s| is) (?:it|right|correct)|it is)"
    r"(?:\W+(?:yes|sure|right|go ahead|do (?:it|that|so)|it is|i do|please|thanks|thank you))*\W*"
    r"|\W*(?:是|对|好|行|嗯|可以|没错|正确|确认|就这样)(?:[的吧啊呀了，,。！! ]|对|是|好|可以|没错|就这样|谢谢|请)*",
    re.IGNORECASE,
)
"""An answer that says nothing but yes. What else there is in an answer is for the model: "the last one" is no yes."""


def likelihood_after(phase: Phase, status: str, likelihood: float | None, state: PlanActState) -> float | None:
    """The lowest likelihood of a reply since the plan, without those that end a step or ask; None if one has none.

    A model that was not sure of its plan is soon sure of the calls for it.
    """
    if phase == "plan":
        return likelihood
    before = state.get("likelihood")
    if status in ("done", "ask_user") or before is None:
        return before
    return None if likelihood is None else min(before, likelihood)


def unsure_calls(state: PlanActState, loop: PlanActLoop) -> list[Action]:
    """The calls decided on that the user is to confirm: a pure function of the state.

    They change something, and the model was less sure of its plan, or of a reply that led from it to them, than
    `Guards.confirm_below` asks for, or did not say how sure it was. Who was asked about this goal before is not asked
    again, and what a person approves anyway needs no confirmation.
    """
    least, likelihood = loop.guards.confirm_below, state.get("likelihood")
    if least is None or not loop.interactive or clarified(state):
        return []
    if likelihood is not None and likelihood >= least:
        return []
    calls = [action for action in current_actions(state) if action["tool"] not in loop.interrupt_on]
    return [action for action in calls if changes(loop.tools[action["tool"]], action)]


def confirm(state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """Put the question whether the calls are what the user wants; a single call waits for the answer."""
    actions = current_actions(state)
    question = _question(unsure_calls(state, loop), loop)
    return {"decision": ask_decision(question, actions[0] if len(actions) == 1 else None)}


def confirmed(waiting: Action, question: str, answer: str, loop: PlanActLoop) -> bool:
    """Whether the user was asked to confirm a call, and said yes and nothing else."""
    return question == _question([waiting], loop) and is_only_yes(answer)


def is_only_yes(answer: str) -> bool:
    """Whether an answer says yes and nothing else."""
    return bool(_ONLY_YES.fullmatch(fold(answer)))


def _question(actions: list[Action], loop: PlanActLoop) -> str:
    return loop.text("ask.unsure", calls="; ".join(map(shown_call, actions)))
