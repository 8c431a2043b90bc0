"""Runs of `create_agent` over scripted replies: tool calls as a model makes them, and the order of every request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from langchain.agents import create_agent
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatResult
from support.scripted import ScriptedModel

USAGE: Any = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}


class AgentModel(ScriptedModel):
    """A scripted model with tools; `options` tells which each call was given. `forever` begins again at its end."""

    forever: bool = False

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        if self.forever and len(self.requests) == len(self.replies):
            self.replies.extend([*self.replies])
        result = super()._generate(messages, stop, run_manager, **kwargs)
        # A reply that is scripted twice is two messages.
        for generation in result.generations:
            generation.message = generation.message.model_copy(deep=True)
        return result


_ids = iter(range(10**9))


def calls(*made: tuple[str, dict[str, Any]], says: str = "", **fields: Any) -> AIMessage:
    """An AI message that calls tools."""
    asked: list[Any] = [
        {"name": name, "args": args, "id": f"call-{next(_ids)}", "type": "tool_call"} for name, args in made
    ]
    return AIMessage(says, tool_calls=asked, usage_metadata=USAGE, **fields)


def echoes(letters: str) -> list[AIMessage]:
    """A message with one call of `echo` for every letter."""
    return [calls(("echo", {"text": letter})) for letter in letters]


def echo_tool(made: list[str] | None = None) -> Callable[..., str]:
    """A tool that returns its input and notes every call."""

    def echo(text: str) -> str:
        """Repeat a text."""
        if made is not None:
            made.append(text)
        return f"echo {text}"

    return echo


def counter_tool() -> Callable[..., str]:
    """A tool whose result is new with every call."""
    seen: list[str] = []

    def count(name: str) -> str:
        """Count up."""
        seen.append(name)
        return f"{name} is at {len(seen)}"

    return count


def lint_agent_order(requests: Sequence[Sequence[BaseMessage]]) -> None:
    """Assert what providers demand: system first if at all, every tool call answered right behind its message."""
    for request in requests:
        kinds = [message.type for message in request]
        assert "system" not in kinds[1:], kinds
        assert kinds[-1] in ("human", "tool"), kinds
        pending: list[str | None] = []
        for before, message in zip([None, *request], request, strict=False):
            if isinstance(message, ToolMessage):
                assert message.tool_call_id in pending, f"a result without its call: {kinds}"
                pending.remove(message.tool_call_id)
                continue
            assert not pending, f"calls without results: {kinds}"
            if isinstance(message, AIMessage):
                pending = [call["id"] for call in message.tool_calls]
            if isinstance(message, HumanMessage):
                assert not isinstance(before, (HumanMessage, ToolMessage)), f"two user turns in a row: {kinds}"
        assert not pending, f"calls without results: {kinds}"


class Played(NamedTuple):
    """A run: what it returned, the model with its requests, and the agent for more."""

    result: dict[str, Any]
    model: AgentModel
    agent: Any

    @property
    def answer(self) -> str:
        """The last message, which must be the agent's own and say something."""
        last = self.result["messages"][-1]
        assert isinstance(last, AIMessage) and not last.tool_calls
        assert last.text.strip()
        return last.text

    @property
    def results(self) -> list[ToolMessage]:
        """Every tool message, in order."""
        return [message for message in self.result["messages"] if isinstance(message, ToolMessage)]


def invoke(how: str, agent: Any, *args: Any, **options: Any) -> dict[str, Any]:
    """Invoke an agent by either twin."""
    if how == "sync":
        return agent.invoke(*args, **options)
    return asyncio.run(agent.ainvoke(*args, **options))


def play(
    how: str,
    replies: Sequence[Any],
    middleware: Sequence[Any],
    tools: Sequence[Any] | None = None,
    *,
    forever: bool = False,
    **options: Any,
) -> Played:
    """Run an agent over scripted replies, all of which it must ask for."""
    model = AgentModel(replies=list(replies), forever=forever)
    agent = create_agent(model, [echo_tool()] if tools is None else tools, middleware=middleware, **options)
    result = invoke(how, agent, {"messages": [HumanMessage("Get it done")]})
    assert forever or len(model.requests) == len(replies), "the agent asked for fewer replies than scripted"
    lint_agent_order(model.requests)
    return Played(result, model, agent)
