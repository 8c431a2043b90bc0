"""The three engines that are measured, each with the script that takes it through the same number of steps.

A step is a thought, the call it asks for, the observation, the checks and the trace. Whatever an engine does beside its
steps belongs to its time: thoughtgraph plans, validates the plan, finishes the item and replans.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from typing import Any, ClassVar

from by_hand import build_by_hand, first_state
from instant import InstantModel, answer, instant_tool
from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from thoughtgraph import Guards, create_plan_act_graph

ROOM = 1_000_000


class Engine(ABC):
    """One way to run the loop."""

    name: ClassVar[str]

    @abstractmethod
    def build(self, model: InstantModel, steps: int, checkpointer: Any, *, asynchronous: bool = False) -> Any:
        """The compiled graph, its limits out of the way."""

    @abstractmethod
    def script(self, steps: int, salt: str) -> list[AIMessage]:
        """The model's replies; `salt` makes the inputs of two runs differ."""

    @abstractmethod
    def input(self, salt: str) -> dict[str, Any]:
        """What the graph is invoked with."""

    @abstractmethod
    def steps_made(self, result: dict[str, Any]) -> int:
        """The calls that a finished run has made and seen the result of."""


def _continue(query: str) -> AIMessage:
    action = {"tool": "lookup", "input": {"query": query}}
    return answer(json.dumps({"status": "continue", "next_action": action}))


class Thoughtgraph(Engine):
    """`create_plan_act_graph`."""

    name = "thoughtgraph"

    def build(self, model: InstantModel, steps: int, checkpointer: Any, *, asynchronous: bool = False) -> Any:
        return create_plan_act_graph(
            model,
            [instant_tool()],
            max_steps=10 * steps + 100,
            guards=Guards(max_seconds=3600.0, max_tokens=ROOM),
            interactive=False,
            context_tokens=ROOM,
            checkpointer=checkpointer,
        )

    def script(self, steps: int, salt: str) -> list[AIMessage]:
        return [
            answer(json.dumps({"status": "planned", "plan": ["look the names up"]})),
            *(_continue(f"{salt}-{number}") for number in range(steps)),
            answer(json.dumps({"status": "done", "response": "all were looked up"})),
            answer(json.dumps({"status": "replanned", "plan": [], "response": "all were looked up"})),
        ]

    def input(self, salt: str) -> dict[str, Any]:
        return {"goal": f"look up the names of list {salt}"}

    def steps_made(self, result: dict[str, Any]) -> int:
        return len(result["observations"]) if result["stop_reason"]["kind"] == "goal_met" else 0


class ByHand(Engine):
    """The hand-written loop."""

    name = "by hand"

    def build(self, model: InstantModel, steps: int, checkpointer: Any, *, asynchronous: bool = False) -> Any:
        tools = {"lookup": instant_tool()}
        return build_by_hand(model, tools, 10 * steps + 100, checkpointer, asynchronous=asynchronous)

    def script(self, steps: int, salt: str) -> list[AIMessage]:
        thoughts = [_continue(f"{salt}-{number}") for number in range(steps)]
        return [*thoughts, answer(json.dumps({"status": "done", "response": "all were looked up"}))]

    def input(self, salt: str) -> dict[str, Any]:
        return first_state(f"look up the names of list {salt}")

    def steps_made(self, result: dict[str, Any]) -> int:
        return sum(event["kind"] == "observation" for event in result["trace"]) if result["answer"] else 0


class CreateAgent(Engine):
    """`langchain.agents.create_agent`, without middleware."""

    name = "create_agent"

    def build(self, model: InstantModel, steps: int, checkpointer: Any, *, asynchronous: bool = False) -> Any:
        return create_agent(model, [instant_tool()], system_prompt="You work with tools.", checkpointer=checkpointer)

    def script(self, steps: int, salt: str) -> list[AIMessage]:
        calls = [
            answer("", tool_calls=[{"name": "lookup", "args": {"query": f"{salt}-{number}"}, "id": f"call_{number}"}])
            for number in range(steps)
        ]
        return [*calls, answer("all were looked up")]

    def input(self, salt: str) -> dict[str, Any]:
        return {"messages": [{"role": "user", "content": f"look up the names of list {salt}"}]}

    def steps_made(self, result: dict[str, Any]) -> int:
        return sum(message.type == "tool" for message in result["messages"])


ENGINES: tuple[Engine, ...] = (Thoughtgraph(), ByHand(), CreateAgent())
