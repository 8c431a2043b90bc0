"""The control of the assistant's benchmark: LangChain's `create_agent`, with native tool calls and without any check.

It has the same model, the same agenda and the same search; its tools take slash commands, or arguments of their own.
What a command refuses, the model reads as the tool's result.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Literal

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.errors import GraphRecursionError
from thoughtgraph._internal.texts import Language
from thoughtgraph.errors import ThoughtGraphError
from thoughtgraph.tools.agenda import Agenda
from thoughtgraph.tools.agenda.items import Priority

from benchmarks.assistant.dataset import Turn

_MOST_CALLS = 20
PROMPTS: Mapping[Language, str] = {
    "en": "You keep the user's todo list and calendar with the tools, and you can search the internet. Now it is "
    "{now:%Y-%m-%d %H:%M (%A)}. Do what the user asks for with the tools, and change nothing else. If something is "
    "missing that only the user knows, such as the time of an appointment, call no tool and ask one question. In the "
    "end, tell the user in a sentence what was done or found.",
    "zh": "你用工具管理用户的待办清单和日程，也可以搜索互联网。现在是 {now:%Y-%m-%d %H:%M}（星期三）。"
    "请用工具完成用户的要求，不要更改其他内容。如果缺少只有用户才知道的信息，例如日程的时间，请不要调用工具，而是提一个问题。"
    "最后用一句话告诉用户做了什么或查到了什么。",
}


class NativeAgent:
    """An agent that is spoken to as the plan-act loop is.

    Args:
        model: a chat model that takes tools.
        tools: such as `slash_tools` and `typed_tools`.
        prompt: its instructions.
        history: what was said before.
    """

    def __init__(self, model: Any, tools: Sequence[BaseTool], prompt: str, history: Sequence[AnyMessage] = ()) -> None:
        self._agent: Runnable[Any, Any] = create_agent(model, list(tools), system_prompt=prompt)
        self._messages = list(history)

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


def played(turn: Turn, results: Sequence[str], *, calls: bool) -> list[AnyMessage]:
    """A turn before the request as messages, with its calls, or else with their results in the answer."""
    messages: list[AnyMessage] = [HumanMessage(turn.said)]
    if not calls:
        return [*messages, AIMessage("\n".join([*results, turn.answer]))]
    for number, (call, result) in enumerate(zip(turn.calls, results, strict=True)):
        name, argument = call.tool, "query" if call.tool == "internet_search" else "command"
        made = {"name": name, "args": {argument: call.input}, "id": f"{hash(turn.said)}-{number}", "type": "tool_call"}
        messages += [AIMessage("", tool_calls=[made]), ToolMessage(result, tool_call_id=str(made["id"]))]
    return [*messages, AIMessage(turn.answer)]


def slash_tools(tools: Sequence[BaseTool]) -> list[BaseTool]:
    """The assistant's own tools, whose errors are results."""

    def mended(tool: BaseTool) -> BaseTool:
        return StructuredTool.from_function(
            lambda **given: _or_error(lambda: tool.invoke(given)),
            name=tool.name,
            description=tool.description,
            args_schema=tool.args_schema,
            infer_schema=False,
        )

    return [mended(tool) for tool in tools]


def typed_tools(agenda: Agenda, search: BaseTool) -> list[BaseTool]:
    """A tool for every command, with arguments of its own in place of a line."""

    def run(order: str, text: str = "", **options: object) -> str:
        given = "".join(f" --{name} {value}" for name, value in options.items() if value not in (None, ""))
        return _or_error(lambda: agenda.run(f"{order} {text or ''}".rstrip() + given))

    def add_todo(text: str, due: str | None = None, priority: Priority | None = None) -> str:
        """Add a todo. `due` is a date such as 2026-03-12, with or without a time of day such as 15:00."""
        return run("/todo add", text, due=due, priority=priority)

    def edit_todo(id: int, text: str | None = None, due: str | None = None, priority: Priority | None = None) -> str:
        """Change a todo. Give only what changes; `due` "none" takes the date away."""
        return run("/todo edit", f"{id} {text or ''}".strip(), due=due, priority=priority)

    def list_todos(which: Literal["open", "done", "all"] = "open") -> str:
        """List the todos with their ids."""
        return run("/todo list", which)

    def add_appointment(text: str, start: str, minutes: int | None = None, place: str | None = None) -> str:
        """Add an appointment. `start` is a date and a time of day, such as 2026-03-12 15:00."""
        return run("/schedule add", text, at=start, **{"for": minutes and f"{minutes}m"}, place=place)

    def edit_appointment(
        id: int, text: str | None = None, start: str | None = None, minutes: int | None = None, place: str | None = None
    ) -> str:
        """Change an appointment. Give only what changes."""
        named = f"{id} {text or ''}".strip()
        return run("/schedule edit", named, at=start, **{"for": minutes and f"{minutes}m"}, place=place)

    def list_appointments() -> str:
        """List the appointments to come, with their ids."""
        return run("/schedule list")

    by_id = {
        "finish_todo": ("/todo done", "Tick a todo off."),
        "reopen_todo": ("/todo undo", "Open a todo again that was ticked off."),
        "remove_todo": ("/todo rm", "Remove a todo."),
        "remove_appointment": ("/schedule rm", "Remove an appointment."),
    }

    def with_id(order: str) -> Callable[[int], str]:
        def ordered(id: int) -> str:
            return run(order, str(id))

        return ordered

    written: list[Callable[..., str]] = [
        add_todo, edit_todo, list_todos, add_appointment, edit_appointment, list_appointments,
    ]  # fmt: skip
    made: list[BaseTool] = [StructuredTool.from_function(one) for one in written]
    for name, (order, about) in by_id.items():
        made.append(StructuredTool.from_function(with_id(order), name=name, description=about))
    return [*made, *slash_tools([search])]


def _or_error(call: Callable[[], Any]) -> str:
    try:
        return str(call())
    except ThoughtGraphError as refused:
        return f"Error: {refused}"
