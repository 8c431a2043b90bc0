"""A model that knows what to do: it plays the right calls of a case through the loop."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable, RunnableLambda

from benchmarks.applications.cases import Case

_PHASE = re.compile(r"\b(?:RE)?PLAN\b|\bTHOUGHT\b")


class Player:
    """Replies with the payload that the phase asks for, and makes each call until it has reached its tool.

    Args:
        case: whose calls and answer they are; of a request that lacks something, it asks first.
        made: how many calls have reached a tool.
        whole: plan the request as one step, in place of a step for each call.
    """

    def __init__(self, case: Case, made: Callable[[], int], *, whole: bool = False) -> None:
        self._case, self._made, self._whole = case, made, whole
        self._asks = bool(case.reply)
        self._begun = -1
        self._phase = "PLAN"

    def reply(self, messages: LanguageModelInput) -> AIMessage:
        """The reply to a request."""
        assert isinstance(messages, list)
        last = str(getattr(messages[-1], "content", ""))
        self._phase = (_PHASE.findall(last) or [self._phase])[-1]
        payload = self._thought() if self._phase == "THOUGHT" else self._plan()
        return AIMessage(json.dumps(payload, ensure_ascii=False))

    def _plan(self) -> dict[str, Any]:
        left = self._case.calls[self._made() :]
        self._begun = -1
        steps = [self._case.said] if self._whole and left else [f"{one.tool} {_told(one.given)}" for one in left]
        status = "planned" if self._phase == "PLAN" else "replanned"
        return {"status": status, "plan": steps, "response": None if steps else self._case.answer}

    def _thought(self) -> dict[str, Any]:
        if self._asks:
            self._asks = False
            return {"status": "ask_user", "question": "Which one, how many, or when?"}
        made = self._made()
        if self._begun < 0:
            self._begun = made
        # A step is for one call, or for all of them.
        if made < len(self._case.calls) and (self._whole or made == self._begun):
            call = self._case.calls[made]
            return {"status": "continue", "next_action": {"tool": call.tool, "input": dict(call.given)}}
        self._begun = -1
        # What the last step brings must not be claimed before.
        return {"status": "done", "response": self._case.answer if made >= len(self._case.calls) else "OK."}


def _told(given: Any) -> str:
    return ", ".join(f"{name} {value}" for name, value in given.items())


def player(case: Case, made: Callable[[], int], *, whole: bool = False) -> Runnable[LanguageModelInput, AIMessage]:
    """A `Player` as a chat model."""
    return RunnableLambda(Player(case, made, whole=whole).reply)
