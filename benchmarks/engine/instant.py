"""A model and a tool that take no time, so that what is left is the engine's own."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import BaseTool, StructuredTool

_replies: ContextVar[Iterator[AIMessage]] = ContextVar("replies")


def start_script(replies: Sequence[AIMessage]) -> None:
    """Set what the model answers, call by call, in the run that starts next in this context."""
    _replies.set(iter(replies))


class InstantModel(BaseChatModel):
    """Answers from the script of its run; asynchronously after so many seconds."""

    seconds: float = 0.0

    @property
    def _llm_type(self) -> str:
        return "instant"

    def bind_tools(self, tools: Any, **kwargs: Any) -> InstantModel:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The same model: its script names the tools already."""
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=next(_replies.get()))])

    async def _agenerate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        await asyncio.sleep(self.seconds)
        return self._generate(messages)


def lookup(query: str) -> str:
    """Look a name up."""
    return f"the entry on {query}"


async def _alookup(query: str) -> str:
    return lookup(query)


def instant_tool() -> BaseTool:
    """A tool with both forms, so that neither side needs a thread for it."""
    return StructuredTool.from_function(func=lookup, coroutine=_alookup)


def answer(content: str, **fields: Any) -> AIMessage:
    """A reply with the usage that every provider reports."""
    usage: Any = {"input_tokens": 100, "output_tokens": 20, "total_tokens": 120}
    return AIMessage(content, usage_metadata=usage, response_metadata={"finish_reason": "stop"}, **fields)
