"""Sends words to the user back that are no answer, or that state what the run cannot know."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from ....tools.calls.grounding import Sources, ungrounded
from ..loop import PlanActLoop
from ..plans.prose import is_echo
from ..prompts.texts import text
from ..state import PlanActState
from .ground import now_of, sources_of


def answer_check(state: PlanActState, loop: PlanActLoop) -> Callable[[str], str]:
    """A check of one round's words to the user: what is wrong with them, in words; "" for nothing.

    The request itself is no answer, nor is what the user said when asked. While no call has worked, an answer must not
    say that a tool was used. An answer that stands in the place of a plan must not state numbers and times that nobody
    gave: a small model answers "22 degrees" where a tool would have found out. That of a step may, for the model may
    know them.
    """
    tools = loop.executor.tools
    blind = bool(tools) and not any(seen["ok"] and seen["tool"] in tools for seen in state["observations"])
    planned = bool(state["plan"])
    users = [state["goal"], *(one["answer"] for one in state["clarifications"])]

    def check(words: str) -> str:
        if any(is_echo(words, said) for said in users):
            return text(loop.language, "reply.echo")
        if blind and (name := _said_used(words, tools)):
            return text(loop.language, "reply.not_used", tool=name)
        if blind and not planned and (claims := _guessed(words, state)):
            return text(loop.language, "reply.guessed", claims=", ".join(claims))
        return ""

    return check


def _said_used(words: str, tools: Iterable[str]) -> str:
    """The tool that words say was used; "" for none."""
    for name in tools:
        spelled = re.escape(name)
        english = rf"\b(?:I|we)\b[^.!?\n]{{0,20}}\b(?:used|called)\s+(?:the\s+)?[`'\"/]?{spelled}\b"
        if re.search(rf"{english}|已(?:经)?(?:使用|调用)[了过]?\s*[`/]?{spelled}", words, re.IGNORECASE):
            return name
    return ""


def _guessed(words: str, state: PlanActState) -> list[str]:
    known = sources_of(state)
    known = Sources([*known.said, state["now"]], known.shown, known.failed, known.answered)
    return [claim for claim in ungrounded([words], known, now_of(state)) if any(map(str.isdigit, claim))]
