"""A model whose answers say what they are worth, for evaluations in which attempts and tokens are counted."""

from __future__ import annotations

import re
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field
from support.scripted import ScriptedModel
from thoughtgraph import Verdict

REFLECTION = "[Mistake]\nIt was wrong.\n[Next time]\nThink."
CRITIQUE = "[Critique]\nIt is wrong.\n[Score]\n2\n[Verdict]\nREVISE"
RETRY = "retry only (external_loop)"
CALL = 1_000
"""Tokens of a call, read and written."""


class Killed(BaseException):
    """Nothing catches it."""


class Answering(ScriptedModel):
    """Answers each task with the next of its answers; an error among them is raised."""

    answers: dict[str, list[Any]]
    tokens: int = CALL
    replies: list[Any] = Field(default_factory=list[Any])
    asked: list[str] = Field(default_factory=list[str])

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        text = "\n".join(str(message.content) for message in messages)
        found = re.search(r"Do task (\w+)\.", text)
        assert found
        if "[Verdict]" in text:
            reply: Any = CRITIQUE
        elif "[Mistake]" in text:
            reply = REFLECTION
        else:
            self.asked.append(found.group(1))
            reply = self.answers[found.group(1)].pop(0)
        if isinstance(reply, BaseException):
            raise reply
        usage: Any = {"input_tokens": self.tokens - 100, "output_tokens": 100, "total_tokens": self.tokens}
        message = AIMessage(
            reply, response_metadata={"finish_reason": "stop"}, usage_metadata=usage if self.tokens else None
        )
        return ChatResult(generations=[ChatGeneration(message=message)])


def judge(task: str, answer: str) -> Verdict:
    """Gives the points that the answer names, of 9."""
    points = int(answer.rpartition(" ")[2]) / 9
    return Verdict("passed" if points == 1 else "failed", "Not yet.", score=points)


def scorer(task: str, answer: str) -> bool:
    """Agrees with the verifier."""
    return answer.endswith(" 9")


def answered(*points: int) -> list[Any]:
    """Different answers that get these points."""
    return [f"answer {number} {point}" for number, point in enumerate(points)]


def rows(names: str) -> list[dict[str, Any]]:
    """A task for each letter."""
    return [{"task_id": name, "prompt": f"Do task {name}."} for name in names]
