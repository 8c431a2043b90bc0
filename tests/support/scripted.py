"""A chat model that gives scripted replies, records every request, and raises when the script is exhausted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import PrivateAttr


class ScriptedModel(BaseChatModel):
    """Replies are texts, whole messages, or exceptions to raise; the last one is never repeated."""

    replies: list[Any]
    finish_reason: str = "stop"
    temperature: float | None = 0.0
    seed: int | None = None
    max_tokens: int | None = None
    _made_with: dict[str, Any] = PrivateAttr(default_factory=dict[str, Any])
    _requests: list[list[BaseMessage]] = PrivateAttr(default_factory=list[list[BaseMessage]])
    _options: list[dict[str, Any]] = PrivateAttr(default_factory=list[dict[str, Any]])

    @property
    def requests(self) -> list[list[BaseMessage]]:
        """The messages of every call."""
        return self._requests

    @property
    def options(self) -> list[dict[str, Any]]:
        """The keyword arguments of every call, and the fields in which the called model differs from the one made."""
        return self._options

    def model_post_init(self, context: Any) -> None:
        """Remember what it was made with: a copy with other options shares this, and the lists of what was asked."""
        super().model_post_init(context)
        self._made_with |= {name: getattr(self, name) for name in ("temperature", "seed", "max_tokens")}

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        number = len(self._requests)
        self._requests.append(list(messages))
        set_on_it = {name: getattr(self, name) for name, made in self._made_with.items() if getattr(self, name) != made}
        self._options.append(set_on_it | kwargs)
        if number >= len(self.replies):
            raise AssertionError(f"the script is exhausted: call {number + 1} of {len(self.replies)} scripted")
        reply: Any = self.replies[number]
        if isinstance(reply, BaseException):
            raise reply
        if not isinstance(reply, BaseMessage):
            reply = AIMessage(
                reply,
                response_metadata={"finish_reason": self.finish_reason},
                usage_metadata={"input_tokens": 10, "output_tokens": 5, "total_tokens": 15},
            )
        return ChatResult(generations=[ChatGeneration(message=reply)])


def code(body: str) -> str:
    """A reply with one Python block."""
    return f"Here it is:\n\n```python\n{body}\n```\n"


def lint_order(requests: Sequence[Sequence[BaseMessage]]) -> None:
    """Assert what chat templates demand: one leading system message at most, then user and assistant in turns."""
    for request in requests:
        kinds = [message.type for message in request]
        turns = kinds[1:] if kinds[0] == "system" else kinds
        assert "system" not in turns, kinds
        assert turns == (["human", "ai"] * len(turns))[: len(turns)], kinds
        assert turns[-1] == "human", kinds
        assert all(message.content for message in request), "an empty turn"
