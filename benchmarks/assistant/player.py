"""A model that knows what to do: it plays the earlier turns of a conversation, and in the tests the requests too."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, convert_to_messages
from langchain_core.prompt_values import PromptValue
from langchain_core.runnables import Runnable, RunnableLambda

from benchmarks.assistant.dataset import Call

_PHASE = re.compile(r"\b(?:RE)?PLAN\b|\bTHOUGHT\b")
_RESULT = "```"
"""Begins a tool's result."""


class Player:
    """Replies with the payload that the phase asks for, until all calls have a result.

    Args:
        calls: the tool calls to make, in order; one is made again until it has a result.
        answer: what to say in the end.
        question: what to ask before the first call; "" for nothing.
    """

    def __init__(self, calls: Sequence[Call], answer: str, question: str = "") -> None:
        self._left, self._answer, self._question = list(calls), answer, question
        self._phase = "PLAN"

    def reply(self, request: LanguageModelInput) -> AIMessage:
        """The reply to a request."""
        last = _last(request)
        self._phase = (_PHASE.findall(last) or [self._phase])[-1]
        if self._phase == "REPLAN" and _RESULT in last and "FAILED" not in last and "失败" not in last:
            # The call has finished its step.
            self._left = self._left[1:]
        payload = self._thought(last) if self._phase == "THOUGHT" else self._plan()
        return AIMessage(json.dumps(payload, ensure_ascii=False))

    def _plan(self) -> dict[str, object]:
        steps = [self._question] if self._question else [f"{call.tool}: {call.input}" for call in self._left]
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


def player(calls: Sequence[Call], answer: str, question: str = "") -> Runnable[LanguageModelInput, AIMessage]:
    """A `Player` as a chat model."""
    return RunnableLambda(Player(calls, answer, question).reply)


def _last(request: LanguageModelInput) -> str:
    messages: list[BaseMessage] = (
        request.to_messages()
        if isinstance(request, PromptValue)
        else convert_to_messages([request] if isinstance(request, str) else request)
    )
    return str(messages[-1].content)
