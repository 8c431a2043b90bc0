"""A chat model that gives scripted replies, records every request, and raises when the script is exhausted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import PrivateAttr

from ...errors import ScriptExhaustedError


class ScriptedModel(BaseChatModel):
    """A chat model for tests: it gives the replies of a script in order, and records every request.

    LangChain's `GenericFakeChatModel` gives replies in order, too, but keeps no requests, raises no scripted errors,
    and does not know which call was the one too many.

    Args:
        replies: one a call: a text, a whole `AIMessage` (with tool calls, reasoning or usage of its own), or an
            exception to raise. The last one is not repeated.
        finish_reason: of the replies that are texts; `"length"` is a reply that was cut off.
        temperature: a field that loops set on a copy; see `options`.
        seed: the same.
        max_tokens: the same.
        logprobs: the same; what a reply then reports is its own `response_metadata["logprobs"]`.

    Raises:
        ScriptExhaustedError: a call came after the last reply.

    Example:
        >>> model = ScriptedModel(replies=["Hello."])
        >>> model.invoke("Say hello.").content
        'Hello.'
        >>> model.requests[0][0].content
        'Say hello.'
    """

    replies: list[Any]
    finish_reason: str = "stop"
    temperature: float | None = 0.0
    seed: int | None = None
    max_tokens: int | None = None
    logprobs: bool | None = None
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

    def bind_tools(
        self, tools: Sequence[Any], *, tool_choice: str | None = None, **kwargs: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Take tools, as an agent gives them; `options` names those of each call. The calls are the script's."""
        made = [convert_to_openai_tool(tool) for tool in tools]
        names = [one.get("function", one).get("name") or one["type"] for one in made]
        return self.bind(tools=names, tool_choice=tool_choice, **kwargs)

    def model_post_init(self, context: Any) -> None:
        """Remember what it was made with: a copy with other options shares this, and the lists of what was asked."""
        super().model_post_init(context)
        self._made_with |= {name: getattr(self, name) for name in ("temperature", "seed", "max_tokens", "logprobs")}

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
            raise ScriptExhaustedError(len(self.replies))
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
