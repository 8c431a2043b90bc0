"""A model that knows what to do: it plays the earlier turns of a conversation, and in the tests the requests too."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import permutations, product

from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, convert_to_messages
from langchain_core.prompt_values import PromptValue
from langchain_core.runnables import Runnable, RunnableLambda
from thoughtgraph.nodes.plan_act.checks.planned.parts import parts_of
from thoughtgraph.tools.likeness import marks

from benchmarks.assistant.dataset import Call

_PHASE = re.compile(r"\b(?:RE)?PLAN\b|\bTHOUGHT\b")
_GOAL = re.compile(r"(?:The user's goal: |用户的目标：)(.*?)\n", re.DOTALL)
_LINE = marks("todo schedule view add edit done undo rm list show find at due for place priority high low normal")
"""Words of a command that say nothing of what it is about."""
_RESULT = "```"
"""Begins a tool's result."""


class Player:
    """Replies with the payload that the phase asks for, until all calls have a result.

    Args:
        calls: the tool calls to make, in order; one is made again until it has a result.
        answer: what to say in the end.
        question: what to ask before the first call; "" for nothing.
        said: the user's words; where the loop plans one request in them at a time, only the calls for that one are
            planned.
    """

    def __init__(self, calls: Sequence[Call], answer: str, question: str = "", said: str = "") -> None:
        self._left, self._answer, self._question = list(calls), answer, question
        self._parts = parts_of(said)
        self._part_of = _shared_out(calls, self._parts)
        self._phase = "PLAN"

    def reply(self, request: LanguageModelInput) -> AIMessage:
        """The reply to a request."""
        last = _last(request)
        self._phase = (_PHASE.findall(last) or [self._phase])[-1]
        if self._phase == "REPLAN" and _RESULT in last and "FAILED" not in last and "失败" not in last:
            # The call has finished its step.
            self._left = self._left[1:]
        payload = self._thought(last) if self._phase == "THOUGHT" else self._plan(last)
        return AIMessage(json.dumps(payload, ensure_ascii=False))

    def _plan(self, last: str) -> dict[str, object]:
        goal = found[1] if (found := _GOAL.search(last)) else ""
        calls = self._left
        if goal:
            # Those for other requests come when these are planned.
            calls = [call for call in calls if marks(self._part_of[call.input]) <= marks(goal)]
            self._left = [*calls, *(call for call in self._left if call not in calls)]
        steps = [self._question] if self._question else [f"{call.tool}: {call.input}" for call in calls]
        status = "planned" if self._phase == "PLAN" else "replanned"
        return {"status": status, "plan": steps, "response": None if steps else self._answer}

    def _thought(self, last: str) -> dict[str, object]:
        if self._question:
            question, self._question = self._question, ""
            return {"status": "ask_user", "question": question}
        if _RESULT in last:
            self._left = self._left[1:]
            return {"status": "done", "response": self._answer}
        if not self._left:
            return {"status": "done", "response": self._answer}
        return {"status": "continue", "next_action": {"tool": self._left[0].tool, "input": self._left[0].input}}


def _shared_out(calls: Sequence[Call], parts: Sequence[str]) -> dict[str, str]:
    """For which part of what is said each call is: by the words that they share; as far as there are parts, each call
    gets another one."""
    parts = [part for part in parts if marks(part)] or parts
    about, said = [marks(call.input) - _LINE for call in calls], [marks(part) for part in parts]
    places = range(len(parts))
    ways = permutations(places, len(calls)) if len(calls) <= len(parts) else product(places, repeat=len(calls))

    def likeness(way: tuple[int, ...]) -> tuple[int, bool, int, int]:
        """How well calls fit their parts; of those that fit as well, the ones in the order of what is said, for all
        parts, and not before their part."""
        shared = sum(len(words & said[place]) for words, place in zip(about, way, strict=True))
        return shared, list(way) == sorted(way), len(set(way)), sum(way)

    best = max(ways, key=likeness)
    return {call.input: parts[place] for call, place in zip(calls, best, strict=True)}


def player(
    calls: Sequence[Call], answer: str, question: str = "", said: str = ""
) -> Runnable[LanguageModelInput, AIMessage]:
    """A `Player` as a chat model."""
    return RunnableLambda(Player(calls, answer, question, said).reply)


def _last(request: LanguageModelInput) -> str:
    messages: list[BaseMessage] = (
        request.to_messages()
        if isinstance(request, PromptValue)
        else convert_to_messages([request] if isinstance(request, str) else request)
    )
    return str(messages[-1].content)
