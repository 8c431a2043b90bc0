"""The loop that a competent user would write on LangGraph for one task: three nodes, plain lists, nothing else.

It parses with `json.loads`, checks with pydantic, refuses the third identical call with the same result, ends at a step
limit, shows the model its latest hundred results, and keeps a trace. It neither plans nor replans, and it mends no
reply, tries no call again, advises nothing and asks nobody.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, TypedDict

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AnyMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.tools import BaseTool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from pydantic import BaseModel

_SHOWN = 200
_DUPLICATES = 3
_SYSTEM = SystemMessage(
    'You work with tools. Reply with JSON: {"status": "continue", "next_action": {"tool": "NAME", "input": {...}}} or '
    '{"status": "done", "response": "ANSWER"}.'
)


class _Action(BaseModel):
    tool: str
    input: dict[str, Any]


class _Payload(BaseModel):
    status: Literal["continue", "done"]
    next_action: _Action | None = None
    response: str | None = None


class LoopState(TypedDict):
    """State of the loop."""

    messages: Annotated[list[AnyMessage], operator.add]
    trace: Annotated[list[dict[str, Any]], operator.add]
    latest: list[str]
    decision: dict[str, Any] | None
    result: str
    steps: int
    tokens: int
    answer: str


def _event(kind: str, **data: Any) -> dict[str, Any]:
    return {"kind": kind, "time": datetime.now(UTC).isoformat(timespec="milliseconds"), **data}


def build_by_hand(
    model: BaseChatModel,
    tools: Mapping[str, BaseTool],
    max_steps: int,
    checkpointer: BaseCheckpointSaver[Any] | None,
    *,
    asynchronous: bool = False,
) -> Any:
    """Compile the loop, with nodes for `invoke` or for `ainvoke`."""

    def request(state: LoopState) -> list[BaseMessage]:
        return [_SYSTEM, *state["messages"][-_SHOWN:]]

    def decided(state: LoopState, reply: Any) -> dict[str, Any]:
        payload = _Payload.model_validate(json.loads(reply.content)).model_dump()
        event = _event("thought", reply=reply.content, decision=payload, step=state["steps"] + 1)
        return {
            "messages": [reply],
            "trace": [event],
            "decision": payload,
            "steps": state["steps"] + 1,
            "tokens": state["tokens"] + reply.usage_metadata["total_tokens"],
            "answer": payload["response"] or "",
        }

    def carried_out(state: LoopState, action: dict[str, Any], result: Any) -> dict[str, Any]:
        event = _event("action", tool=action["tool"], input=action["input"], step=state["steps"] + 1)
        return {"trace": [event], "result": str(result), "steps": state["steps"] + 1}

    def thought(state: LoopState) -> dict[str, Any]:
        return decided(state, model.invoke(request(state)))

    async def athought(state: LoopState) -> dict[str, Any]:
        return decided(state, await model.ainvoke(request(state)))

    def act(state: LoopState) -> dict[str, Any]:
        action: Any = (state["decision"] or {})["next_action"]
        return carried_out(state, action, tools[action["tool"]].invoke(action["input"]))

    async def aact(state: LoopState) -> dict[str, Any]:
        action: Any = (state["decision"] or {})["next_action"]
        return carried_out(state, action, await tools[action["tool"]].ainvoke(action["input"]))

    def observe(state: LoopState) -> dict[str, Any]:
        action: Any = (state["decision"] or {})["next_action"]
        fingerprint = json.dumps([action, state["result"]], sort_keys=True)
        shown = f"Result of {action['tool']}:\n{state['result']}\n\nReply with JSON."
        return {
            "messages": [HumanMessage(shown)],
            "trace": [_event("observation", tool=action["tool"], result=state["result"])],
            "latest": [*state["latest"], fingerprint][-_DUPLICATES:],
        }

    def after_thought(state: LoopState) -> Literal["act", "end"]:
        return "act" if state["decision"] and state["decision"]["status"] == "continue" else "end"

    def after_observe(state: LoopState) -> Literal["thought", "end"]:
        repeated = len(state["latest"]) == _DUPLICATES and len(set(state["latest"])) == 1
        return "end" if repeated or state["steps"] >= max_steps else "thought"

    graph = StateGraph(LoopState)
    graph.add_node("thought", athought if asynchronous else thought)
    graph.add_node("act", aact if asynchronous else act)
    graph.add_node("observe", observe)
    graph.add_edge(START, "thought")
    graph.add_conditional_edges("thought", after_thought, {"act": "act", "end": END})
    graph.add_edge("act", "observe")
    graph.add_conditional_edges("observe", after_observe, {"thought": "thought", "end": END})
    return graph.compile(checkpointer=checkpointer)


def first_state(goal: str) -> dict[str, Any]:
    """What the loop is invoked with."""
    shown = f"The user's goal: {goal}\n\nReply with JSON."
    empty: dict[str, Any] = {
        "trace": [],
        "latest": [],
        "decision": None,
        "result": "",
        "steps": 0,
        "tokens": 0,
        "answer": "",
    }
    return {"messages": [HumanMessage(shown)], **empty}
