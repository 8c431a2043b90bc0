"""The control: LangChain's `create_agent`, with native tool calls and without any check.

It has the same model, the same tools and the same clock. What a tool refuses, the model reads as the call's result.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.tools import BaseTool
from langgraph.errors import GraphRecursionError
from thoughtgraph._internal.texts import Language

from benchmarks.assistant.dataset import NOW

_MOST_CALLS = 20
_PROMPTS: Mapping[Language, str] = {
    "en": "{about} Now it is {now:%Y-%m-%d %H:%M (%A)}. Do what the user asks for with the tools, and change nothing "
    "else. If something is missing that only the user knows, call no tool and ask one question. In the end, tell the "
    "user in a sentence what was done or found.",
    "zh": "{about} 现在是 {now:%Y-%m-%d %H:%M}（星期三）。请用工具完成用户的要求，不要更改其他内容。"
    "如果缺少只有用户才知道的信息，请不要调用工具，而是提一个问题。最后用一句话告诉用户做了什么或查到了什么。",
}


class Native:
    """An agent that is spoken to as the plan-act loop is.

    Args:
        model: a chat model that takes tools.
        tools: the application's.
        about: what the application is.
        language: of its instructions.
    """

    def __init__(self, model: Any, tools: Sequence[BaseTool], about: str, language: Language) -> None:
        self._agent: Runnable[Any, Any] = create_agent(
            model,
            [tool.model_copy(update={"handle_tool_error": True, "handle_validation_error": True}) for tool in tools],
            system_prompt=_PROMPTS[language].format(about=about, now=NOW),
        )
        self._messages: list[AnyMessage] = []

    def invoke(self, said: Any, config: RunnableConfig) -> dict[str, Any]:
        """What comes of the user's words, in the shape of a plan-act run."""
        self._messages.append(HumanMessage(said["goal"]))
        stop = "answered"
        try:
            # A tool that is only async has no other way to be called.
            asyncio.run(self._follow({"callbacks": config.get("callbacks"), "recursion_limit": 2 * _MOST_CALLS}))
        except GraphRecursionError:
            stop = "max_iterations"
        last = self._messages[-1]
        response = last.text if isinstance(last, AIMessage) and stop == "answered" else ""
        return {"response": response, "stop_reason": {"kind": stop}, "events": []}

    async def _follow(self, limits: RunnableConfig) -> None:
        async for state in self._agent.astream({"messages": self._messages}, limits, stream_mode="values"):
            self._messages = state["messages"]

    def get_state(self, _: RunnableConfig) -> SimpleNamespace:
        """The conversation in place of a trace."""
        return SimpleNamespace(values={"events": [message.model_dump(mode="json") for message in self._messages]})
