"""Questions to the user: those of the loop itself, one that was put before, and one that asks nothing."""

from __future__ import annotations

import re
from typing import Any

from ....tools.calls.grounding import is_denial
from ....tools.likeness import marks, traits
from ....traces.shapes import Action, Decision
from ..loop import PlanActLoop
from ..plans.items import normalized
from ..plans.prose import repeats_instructions
from ..state import PlanActState, clarified, happened
from .clauses import SAY_NOTHING, WANTED

_QUESTION_WORD = re.compile(r"\b(?:who|whom|whose|what|when|where|which|how|why)\b|谁|什么|哪|几|多少|怎么|为什么")
_ASKS_NOTHING = re.compile(
    r"(?:(?:ok|okay|sure|alright|so|and|now)\b[,.! ]*)?"
    r"(?:what (?:else )?(?:should|shall|can|do) i (?:have to )?do(?: next| now| for you| about it| then)?"
    r"|how (?:can|may|should|shall) i (?:help|assist|proceed|continue)(?: you)?(?: (?:today|now|further|with that))?"
    r"|what(?: else)? (?:would you like|do you want)(?: me)?(?: to do)?(?: next| now)?"
    r"|what(?:['’]s| is) (?:the )?next(?: step)?"
    r"|is there anything else(?: (?:that )?(?:i (?:can|could|should|may) (?:do|help|assist)(?: you)?"
    r"|you (?:need|want|would like)(?: (?:me to do|help|done))?))?(?: with)?(?: for you)?(?: today| now)?"
    r"|what else (?:needs to be done|is (?:there )?to (?:be done|do)|do you need(?: done)?)(?: today| now)?)\s*[?.!]*"
    r"|(?:请问)?(?:接下来|下一步|现在|然后)?(?:我)?(?:应该|需要|该|还要)?(?:做什么|怎么做|怎么办)(?:呢)?[？?]?"
    r"|(?:还)?有什么(?:可以|能)帮(?:您|你|助您)?(?:的)?(?:吗)?[？?]?",
    re.IGNORECASE,
)

_ASKS_FOR_FORM = re.compile(
    r"\b(?:valid|correct|right|proper|required|expected) (?:\w+ )?(?:format|schema|JSON)\b|\bISO 8601\b|正确的?格式",
    re.IGNORECASE,
)
_ASKS_FOR_WORDS = re.compile(
    r"\b(?:body|text|content|contents|wording|subject|title)\b[^?]*\b(?:message|e-?mail|mail|letter|note|draft|post)\b"
    r"|\b(?:message|e-?mail|mail|letter|note|draft|post)(?:['’]s)? (?:body|text|content|subject|title)\b"
    r"|(?:邮件|信|消息|短信).{0,6}(?:正文|主题|标题|内容)",
    re.IGNORECASE,
)
_NOT = re.compile(r"\bnot\b|n['’]t\b|[不别没]", re.IGNORECASE)
_TELLS_ENOUGH = 5
"""Words of a goal that are more than an order and a name."""
_AS_BEFORE = marks("whatever already look search go do") | {"都说", "说过", "照办", "已经"}
"""Words of an answer that only points to what was said."""
MOST_SENT_BACK = 3
"""Calls, or questions of the model's own, that a check sends back in one step before the user is asked."""


def asks_nothing(question: str) -> bool:
    """Whether a question leaves it to the user to say what is to be done: "What should I do next?"."""
    return bool(_ASKS_NOTHING.fullmatch(question.strip()))


def asks_for_form(question: str) -> bool:
    """Whether a question is about how the model is to write a call: "Please give the time in a valid format"."""
    return bool(_ASKS_FOR_FORM.search(question))


def asks_for_words(question: str, goal: str) -> bool:
    """Whether a question leaves it to the user to write what the model is to write, of which the goal tells enough."""
    return bool(_ASKS_FOR_WORDS.search(question)) and len(marks(goal)) >= _TELLS_ENOUGH


def is_copied(question: str, state: PlanActState, loop: PlanActLoop) -> bool:
    """Whether a question is the goal of an example, of which the user has said nothing, or what the model was told."""
    goals = {normalized(one.goal) for one in loop.plan_examples} - {normalized(state["goal"])}
    return normalized(question) in goals or repeats_instructions(question, loop.language)


def is_copied_step(step: str, loop: PlanActLoop) -> bool:
    """Whether a step is that of an example made of a tool's schema, with the example's values."""
    made = [one.example for one in loop.plan_examples if one.made]
    return normalized(step) in {normalized(one["goal"]) for one in made if one.get("input")}


def ask_decision(question: str, waiting: Action | None = None) -> Decision:
    """The decision to put a question to the user, with the call that waits for the answer."""
    return Decision(status="ask_user", thought=None, next_action=waiting, question=question, response=None)


def answer_to(question: str, state: PlanActState) -> str:
    """What the user answered to a question; "" if it was not put, or nobody was there to answer."""
    asked = normalized(question)
    given = [one for one in clarified(state) if normalized(one["question"]) == asked and not one["assumed"]]
    return given[0]["answer"] if given else ""


def says_nothing_new(question: str, state: PlanActState) -> bool:
    """Whether the user answered a question with neither a no nor anything new: "I have told you all I know"."""
    answer = answer_to(question, state)
    refuses = is_denial(answer) or _NOT.search(answer) or WANTED.search(answer)
    new = marks(answer) - SAY_NOTHING - _AS_BEFORE - marks(f"{state['goal']} {question}")
    is_new = new or traits(answer) & {"time", "date", "length"}
    return bool(answer) and not (refuses or is_new)


def asked_before(question: str, answer: str, state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """The update for a question that was put before: the model is told the answer, and `Guards` count the repeat."""
    note = loop.text("note.asked_before", question=question, answer=answer)
    count = state["repeated_questions"] + 1
    return {"happening": happened("repeated_question", note), "repeated_questions": count}


def is_open(question: str) -> bool:
    """Whether yes is no answer to a question: "which one do you mean?", but not "is 10:00 right?"."""
    return bool(_QUESTION_WORD.search(question.partition("?")[0].partition("？")[0].casefold()))


def is_users_question(question: str, goal: str) -> bool:
    """Whether a question to the user is the one that the user asks: of the same words, and for the same. What a model
    adds without a question of its own does not count: "(Please give their number)"."""
    before, same, after = question.casefold().partition(goal.strip().casefold())
    if same and len(goal.split()) > 2 and not re.search("[?？]", before + after):
        return "asks" in traits(goal)
    words, wanted = normalized(question), normalized(goal)
    if words == wanted or (len(question.split()) > 2 and words in wanted):
        return "asks" in traits(goal)
    asked = _QUESTION_WORD.findall(goal.casefold())
    own = [one for one in _QUESTION_WORD.findall(question.casefold()) if one not in asked]
    return "asks" in traits(goal) and bool(asked and marks(question)) and not own and marks(question) <= marks(goal)
