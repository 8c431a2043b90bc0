"""Plan-act runs over scripted replies: payloads as a model writes them, tools that count, a run by either twin."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatResult
from langchain_core.tools import BaseTool
from langchain_core.tools import tool as as_tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from support.scripted import ScriptedModel, lint_order
from thoughtgraph import create_plan_act_graph

GOAL: Any = {"goal": "Get it done"}
THREAD: Any = {"configurable": {"thread_id": "1"}}
TWINS = ("sync", "async")
Invoke = Callable[..., dict[str, Any]]


def planned(*steps: Any, response: str | None = None) -> str:
    """A first plan."""
    return json.dumps({"status": "planned", "plan": list(steps), "response": response})


def replanned(*steps: Any, response: str | None = None) -> str:
    """What remains of a plan; with no step the goal is met."""
    return json.dumps({"status": "replanned", "plan": list(steps), "response": response})


def with_call(payload: str, tool: str, given: Any) -> str:
    """A plan that brings the call of its first step."""
    return json.dumps({**json.loads(payload), "next_action": {"tool": tool, "input": given}})


def plan_step(step: str, tool: str | None, requires: Sequence[int] = ()) -> dict[str, Any]:
    """A step of a plan with its tool and what it requires."""
    return {"step": step, "tool": tool, "requires": list(requires)}


def act(tool: str, given: Any) -> str:
    """A thought that calls a tool."""
    return json.dumps({"status": "continue", "next_action": {"tool": tool, "input": given}, "response": None})


def acts(*calls: tuple[str, Any] | tuple[str, Any, int]) -> str:
    """A thought that makes several calls, each with its tool, its input and perhaps its step."""
    actions = [{"tool": call[0], "input": call[1], **({"step": call[2]} if len(call) == 3 else {})} for call in calls]
    return json.dumps({"status": "continue", "next_actions": actions})


def parallel(function: Callable[..., Any], **options: Any) -> BaseTool:
    """A tool that may be called beside others."""
    made = as_tool(function.__name__, **options)(function)
    made.metadata = {"parallel": True}
    return made


def done(response: str) -> str:
    """A thought that finishes its step."""
    return json.dumps({"status": "done", "next_action": None, "response": response})


def ask(question: str) -> str:
    """A thought that puts a question."""
    return json.dumps({"status": "ask_user", "question": question})


def echo_tool(calls: list[str] | None = None) -> Callable[..., str]:
    """A tool that returns its input and notes every call."""
    seen: list[str] = [] if calls is None else calls

    def echo(text: str) -> str:
        """Repeat a text."""
        seen.append(text)
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


def broken_tool(calls: list[str] | None = None, error: Exception | None = None) -> Callable[..., str]:
    """A tool that always fails, in a way that no further try mends."""

    def broken(text: str) -> str:
        """Fail."""
        if calls is not None:
            calls.append(text)
        raise error or ValueError("this cannot work")

    return broken


class CyclingModel(ScriptedModel):
    """Begins again where its script ends: a model that never finishes."""

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        if len(self.requests) == len(self.replies):
            self.replies.extend([*self.replies])
        return super()._generate(messages, stop, run_manager, **kwargs)


def twin(name: str) -> Invoke:
    """`invoke` or `ainvoke` of a graph, both called alike."""

    def invoke(graph: Any, *args: Any, **options: Any) -> dict[str, Any]:
        if name == "sync":
            return graph.invoke(*args, **options)
        return asyncio.run(graph.ainvoke(*args, **options))

    return invoke


class Played(NamedTuple):
    """A run: what it returned, the model with its requests, and the questions as they were shown."""

    result: dict[str, Any]
    model: ScriptedModel
    shown: list[str]


def play(
    invoke: Invoke,
    replies: Sequence[Any],
    tools: Sequence[Any] | None = None,
    *,
    answers: Sequence[str] = (),
    goal: dict[str, Any] | None = None,
    lint: Callable[[Any], None] = lint_order,
    **options: Any,
) -> Played:
    """Run the loop over scripted replies, all of which it must ask for, and answer its questions."""
    model = ScriptedModel(replies=list(replies))
    if options.get("interactive", True):
        options.setdefault("checkpointer", InMemorySaver())
    graph = create_plan_act_graph(model, [echo_tool()] if tools is None else tools, **options)
    result = invoke(graph, dict(goal or GOAL), THREAD)
    shown: list[str] = []
    for answer in answers:
        shown.append(result["__interrupt__"][0].value)
        result = invoke(graph, Command(resume=answer), THREAD)
    assert "__interrupt__" not in result, "the run asked more than the test answers"
    assert len(model.requests) == len(replies), "the loop asked for fewer replies than scripted"
    lint(model.requests)
    return Played(result, model, shown)


def last_words(model: ScriptedModel, number: int = -1) -> str:
    """The last message of a request."""
    return str(model.requests[number][-1].content)


def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every back-off end at once."""
    monkeypatch.setattr("thoughtgraph.models.transport.Backoff.seconds", lambda *_: 0.0)


class FakeTimer:
    """Stands in for the loop's clock; whoever spends time adds to it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seconds = 0.0
        monkeypatch.setattr("thoughtgraph.graphs.plan_act.create.time", SimpleNamespace(monotonic=lambda: self.seconds))
