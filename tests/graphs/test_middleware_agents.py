"""The agent guards beside what else an agent has: checkpoints, pauses, other middleware, subagents, streams."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain.agents.middleware.types import AgentMiddleware, hook_config
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.types import Command
from support.agent_model import AgentModel, calls, echo_tool, echoes, invoke, lint_agent_order, play
from thoughtgraph.graphs.middleware import (
    BudgetMiddleware,
    DuplicateCallMiddleware,
    ErrorRateMiddleware,
    LoopMiddleware,
)

pytestmark = pytest.mark.slow

ASK: Any = {"messages": [HumanMessage("Get it done")]}
THREAD: Any = {"configurable": {"thread_id": "1"}}
BEST = "My best answer."


@pytest.fixture(params=["sync", "async"])
def how(request: pytest.FixtureRequest) -> str:
    """Invoke an agent by either twin."""
    return request.param


def all_guards(**budget: Any) -> list[Any]:
    """Every guard there is."""
    limits = budget or {"run_limit": 30}
    return [DuplicateCallMiddleware(), LoopMiddleware(), ErrorRateMiddleware(), BudgetMiddleware(**limits)]


class KeepLatest(AgentMiddleware[Any, Any, Any]):
    """Forgets all but the user's turn and the latest round, as summaries do."""

    def before_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        messages = state["messages"]
        if len(messages) < 4:
            return None
        return {"messages": [RemoveMessage(REMOVE_ALL_MESSAGES), messages[0], *messages[-2:]]}


class OnceMore(AgentMiddleware[Any, Any, Any]):
    """Sends the agent back to the head of its round once in a round."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[int] = []

    @hook_config(can_jump_to=["model"])
    def before_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        if len(state["messages"]) in self.sent:
            return None
        self.sent.append(len(state["messages"]))
        return {"jump_to": "model"}


@pytest.mark.parametrize(
    ("letters", "kind"),
    [("x", "duplicate_tool_calls"), ("xy", "loop_pattern"), ("abcdef", "max_iterations")],
    ids=["the-same-call", "a-pattern", "ever-new-calls"],
)
def test_a_model_that_never_finishes_is_ended_with_an_answer(how: str, letters: str, kind: str) -> None:
    replies = [calls(("echo", {"text": letter})) for letter in letters]
    guards = all_guards(run_limit=len(letters)) if kind == "max_iterations" else all_guards()
    played = play(how, replies, guards, forever=True)
    assert played.result["stop_reason"]["kind"] == kind
    assert "echo x" in played.answer or "echo a" in played.answer


def test_every_run_on_a_thread_counts_anew(how: str) -> None:
    guards = [DuplicateCallMiddleware(), BudgetMiddleware(run_limit=5)]
    model = AgentModel(replies=[*echoes("xxxxx"), BEST, *echoes("xx"), "Fine."])
    agent = create_agent(model, [echo_tool()], middleware=guards, checkpointer=InMemorySaver())
    assert invoke(how, agent, ASK, THREAD)["stop_reason"]["kind"] == "duplicate_tool_calls"
    again = invoke(how, agent, {"messages": [HumanMessage("And now?")]}, THREAD)
    assert again["stop_reason"] is None
    assert again["messages"][-1].text == "Fine."
    lint_agent_order(model.requests)


def test_calls_that_the_conversation_brings_along_are_not_the_runs(how: str) -> None:
    asked = calls(*[("broken", {"text": "x"})] * 4)
    results = [ToolMessage("no", tool_call_id=call["id"], status="error") for call in asked.tool_calls]
    model = AgentModel(replies=["Fine."])
    agent = create_agent(model, [echo_tool()], middleware=all_guards())
    result = invoke(how, agent, {"messages": [HumanMessage("Go"), asked, *results]})
    assert result["stop_reason"] is None
    assert result["messages"][-1].text == "Fine."


def test_callers_neither_set_nor_see_what_guards_count(how: str) -> None:
    model = AgentModel(replies=["Fine."])
    agent = create_agent(model, [echo_tool()], middleware=all_guards())
    forged = {"kind": "max_iterations", "value": 1, "limit": 1}
    result = invoke(
        how, agent, {**ASK, "stop_reason": forged, "guard_counters": {"BudgetMiddleware": {"stop": forged}}}
    )
    assert set(result) == {"messages", "stop_reason"}
    assert result["stop_reason"] is None
    assert "guard_counters" not in agent.get_input_jsonschema()["properties"]
    assert "stop_reason" not in agent.get_input_jsonschema()["properties"]


@pytest.mark.parametrize("guards_first", [True, False], ids=["guards-first", "human-first"])
def test_a_pause_for_a_human_costs_no_call_and_resets_nothing(how: str, guards_first: bool) -> None:
    made: list[str] = []
    human = HumanInTheLoopMiddleware(interrupt_on={"echo": True})
    guards = [DuplicateCallMiddleware(), BudgetMiddleware(run_limit=30)]
    model = AgentModel(replies=[*echoes("xxxxx"), BEST])
    middleware = [*guards, human] if guards_first else [human, *guards]
    agent = create_agent(model, [echo_tool(made)], middleware=middleware, checkpointer=InMemorySaver())
    result = invoke(how, agent, ASK, THREAD)
    pauses = 0
    while "__interrupt__" in result:
        pauses += 1
        result = invoke(how, agent, Command(resume={"decisions": [{"type": "approve"}]}), THREAD)
    assert (pauses, len(model.requests), made) == (5, 6, ["x"] * 3)
    assert result["stop_reason"] == {"kind": "duplicate_tool_calls", "value": 3, "limit": 3}
    assert result["messages"][-1].text == BEST
    lint_agent_order(model.requests)


def test_a_refused_call_is_not_shown_to_the_human_who_is_asked_call_by_call(how: str) -> None:
    human = HumanInTheLoopMiddleware(interrupt_on={"echo": True}, interrupt_mode="per_call")
    model = AgentModel(replies=[*echoes("xxxx"), "Fine."])
    middleware = [DuplicateCallMiddleware(), human]
    agent = create_agent(model, [echo_tool()], middleware=middleware, checkpointer=InMemorySaver())
    result = invoke(how, agent, ASK, THREAD)
    pauses = 0
    while "__interrupt__" in result:
        pauses += 1
        result = invoke(how, agent, Command(resume={"type": "approve"}), THREAD)
    assert pauses == 3
    assert result["messages"][-1].text == "Fine."


def test_a_run_goes_on_in_another_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGGRAPH_STRICT_MSGPACK", "true")
    human = HumanInTheLoopMiddleware(interrupt_on={"echo": True})
    replies = [*echoes("xxxxx"), BEST]
    step: Any = ASK
    result: dict[str, Any] = {}
    for _ in range(6):
        with SqliteSaver.from_conn_string(str(tmp_path / "runs.sqlite")) as saver:
            model = AgentModel(replies=replies)
            agent = create_agent(model, [echo_tool()], middleware=[*all_guards(), human], checkpointer=saver)
            result = agent.invoke(step, THREAD)
            values = agent.get_state(THREAD).values
            assert json.loads(json.dumps(values["guard_counters"])) == values["guard_counters"]
        step, replies = Command(resume={"decisions": [{"type": "approve"}]}), replies[len(model.requests) :]
    assert result["stop_reason"]["kind"] == "duplicate_tool_calls"
    assert result["messages"][-1].text == BEST


def test_the_counters_stay_small_however_long_a_run_is(how: str) -> None:
    sizes: list[int] = []
    for length in (20, 60):
        model = AgentModel(replies=[*echoes("abcdefghij" * (length // 10)), BEST])
        guards = all_guards(run_limit=100)
        agent = create_agent(model, [echo_tool()], middleware=guards, checkpointer=InMemorySaver())
        invoke(how, agent, ASK, THREAD)
        sizes.append(len(json.dumps(agent.get_state(THREAD).values["guard_counters"])))
    assert sizes[1] <= sizes[0] + 40


@pytest.mark.parametrize("guards_first", [True, False], ids=["guards-first", "forgetting-first"])
def test_messages_that_are_forgotten_stay_counted(how: str, guards_first: bool) -> None:
    middleware = [*all_guards(), KeepLatest()] if guards_first else [KeepLatest(), *all_guards()]
    played = play(how, [*echoes("xyxyx"), BEST], middleware)
    assert played.result["stop_reason"] == {"kind": "loop_pattern", "value": 5, "limit": 5}


def test_a_round_that_begins_twice_is_counted_once(how: str) -> None:
    played = play(how, [*echoes("xx"), "Fine."], [DuplicateCallMiddleware(threshold=3), OnceMore()])
    assert played.result["stop_reason"] is None
    played = play(how, [*echoes("xxx"), "Fine."], [DuplicateCallMiddleware(threshold=3), OnceMore()])
    assert [result.status for result in played.results] == ["success"] * 3


def test_a_subagent_has_counters_of_its_own(how: str) -> None:
    inner_model = AgentModel(replies=[*echoes("xxxxx"), "inner best", *echoes("xxxxx"), "inner best, again"])
    inner = create_agent(inner_model, [echo_tool()], middleware=[DuplicateCallMiddleware()])
    reasons: list[Any] = []

    def ask_inner(question: str) -> str:
        """Ask the other agent."""
        result = inner.invoke({"messages": [HumanMessage(question)]})
        reasons.append(result["stop_reason"]["kind"])
        return result["messages"][-1].text

    asked = [calls(("ask_inner", {"question": question})) for question in ("one", "two")]
    played = play(how, [*asked, "outer"], all_guards(), [ask_inner])
    assert reasons == ["duplicate_tool_calls"] * 2
    assert played.result["stop_reason"] is None
    assert played.answer == "outer"
    lint_agent_order(inner_model.requests)


def test_a_guarded_agent_without_tools_answers(how: str) -> None:
    assert play(how, ["Fine."], all_guards(), []).answer == "Fine."


def test_both_twins_leave_the_same_messages() -> None:
    def told(how: str) -> list[tuple[str, str, Any]]:
        guards = [DuplicateCallMiddleware(), BudgetMiddleware(run_limit=7)]
        pair = calls(("echo", {"text": "y"}), ("echo", {"text": "x"}))
        played = play(how, [*echoes("xxxx"), pair, *echoes("xy"), ""], guards)
        requests = [[message.text for message in request] for request in played.model.requests]
        messages = [
            (message.type, message.text, getattr(message, "status", None)) for message in played.result["messages"]
        ]
        return [*messages, ("stop", "", played.result["stop_reason"]), ("requests", "", requests)]

    assert told("sync") == told("async")


def test_the_last_answer_is_streamed_like_any_other(how: str) -> None:
    model = AgentModel(replies=[*echoes("ab"), BEST])
    agent = create_agent(model, [echo_tool()], middleware=all_guards(run_limit=2))

    async def astream() -> list[Any]:
        return [part async for part in agent.astream(ASK, stream_mode=["updates", "messages"])]

    parts = asyncio.run(astream()) if how == "async" else list(agent.stream(ASK, stream_mode=["updates", "messages"]))
    tokens = [part[1][0] for part in parts if part[0] == "messages"]
    assert [token.text for token in tokens if isinstance(token, AIMessage) and token.text] == [BEST]
    updates = [part[1] for part in parts if part[0] == "updates"]
    reasons = [
        update["BudgetMiddleware.before_model"].get("stop_reason")
        for update in updates
        if "BudgetMiddleware.before_model" in update
    ]
    assert reasons == [None, None, {"kind": "max_iterations", "value": 2, "limit": 2}]


def test_a_guard_added_to_a_paused_run_counts_from_there() -> None:
    human = HumanInTheLoopMiddleware(interrupt_on={"echo": True})
    saver = InMemorySaver()
    replies = [*echoes("xxxxxx"), BEST]
    plain = create_agent(AgentModel(replies=replies), [echo_tool()], middleware=[human], checkpointer=saver)
    assert "__interrupt__" in plain.invoke(ASK, THREAD)
    guarded = AgentModel(replies=replies[1:])
    agent = create_agent(guarded, [echo_tool()], middleware=[DuplicateCallMiddleware(), human], checkpointer=saver)
    result = agent.invoke(Command(resume={"decisions": [{"type": "approve"}]}), THREAD)
    while "__interrupt__" in result:
        result = agent.invoke(Command(resume={"decisions": [{"type": "approve"}]}), THREAD)
    assert result["stop_reason"]["kind"] == "duplicate_tool_calls"
