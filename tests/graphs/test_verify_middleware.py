"""An agent's final answer is verified: a failed one goes back with its feedback, the best one is kept."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import ModelCallLimitMiddleware
from langchain.agents.structured_output import ProviderStrategy, ToolStrategy
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic import BaseModel
from support.agent_model import AgentModel, calls, echo_tool, echoes, invoke, lint_agent_order
from support.modes import RIGHT, Judge, always, critique, wrong
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph, Verdict, open_checkpoints
from thoughtgraph.errors import RunLimitError, VerifierContractError
from thoughtgraph.graphs.middleware import (
    BudgetMiddleware,
    DuplicateCallMiddleware,
    ErrorRateMiddleware,
    LoopMiddleware,
    VerifyMiddleware,
)
from thoughtgraph.tools.verifiers import HumanVerifier, JSONSchemaVerifier
from thoughtgraph.traces import recording, stream_trace

ASK: Any = {"messages": [HumanMessage("Say the right thing.")]}
THREAD: Any = {"configurable": {"thread_id": "1"}}


@pytest.fixture(params=["sync", "async"])
def how(request: pytest.FixtureRequest) -> str:
    """Invoke an agent by either twin."""
    return request.param


def judge(task: str, answer: str) -> Verdict:
    """Passes what is right; scores what is wrong by the number in it."""
    return Judge()(task, answer)


def play(
    how: str, replies: Sequence[Any], middleware: Sequence[Any], tools: Sequence[Any] = (), **options: Any
) -> tuple[dict[str, Any], AgentModel]:
    """Run an agent over scripted replies, all of which it must ask for."""
    model = AgentModel(replies=list(replies))
    agent = create_agent(model, list(tools), middleware=middleware, **options)
    result = invoke(how, agent, ASK)
    assert len(model.requests) == len(replies), "the agent asked for fewer replies than scripted"
    lint_agent_order(model.requests)
    return result, model


def guards() -> list[Any]:
    """Every guard there is."""
    return [DuplicateCallMiddleware(), LoopMiddleware(), ErrorRateMiddleware(), BudgetMiddleware(run_limit=9)]


@pytest.mark.parametrize("beside", [[], guards()], ids=["alone", "beside-guards"])
@pytest.mark.parametrize("tools", [[], [echo_tool()]], ids=["no-tools", "tools"])
def test_a_failed_answer_goes_back_with_its_feedback(how: str, beside: list[Any], tools: list[Any]) -> None:
    work = echoes("a") if tools else []
    verifier = Judge(instructions="", criteria="")
    result, model = play(how, [*work, wrong(0.2), *work, RIGHT], [*beside, VerifyMiddleware(verifier)], tools)
    assert (result["verdict"], result["messages"][-1].text) == ("passed", RIGHT)
    assert result["stop_reason"] == {"kind": "passed", "value": 2, "limit": None}
    assert [(attempt["verdict"], attempt["score"]) for attempt in result["attempts"]] == [
        ("failed", 0.2),
        ("passed", 1),
    ]
    told = model.requests[len(work) + 1][-1]
    assert isinstance(told, HumanMessage)
    assert told.additional_kwargs == {"lc_source": "verification"}
    assert told.text.startswith(f"<{wrong(0.2)}> is wrong\n\n")
    assert verifier.seen == [wrong(0.2), RIGHT]


def test_a_right_answer_costs_no_call_more(how: str) -> None:
    result, _ = play(how, [RIGHT], [VerifyMiddleware(judge)])
    assert (result["verdict"], result["stop_reason"]["value"]) == ("passed", 1)
    assert [message.type for message in result["messages"]] == ["human", "ai"]


def test_the_best_answer_is_the_last_message_when_the_limit_is_reached(how: str) -> None:
    answers = [wrong(0.2), wrong(0.7), wrong(0.1)]
    result, _ = play(how, answers, [VerifyMiddleware(judge, run_limit=3)])
    assert (result["verdict"], result["messages"][-1].text) == ("failed", wrong(0.7))
    assert result["stop_reason"] == {"kind": "max_iterations", "value": 3, "limit": 3}
    assert [message.type for message in result["messages"]] == ["human", *["ai", "human"] * 2, "ai"]
    assert ContextGraph.from_run(result).events[-1]["data"]["best"] == 2


def test_the_limit_raises_where_that_is_wanted(how: str) -> None:
    with pytest.raises(RunLimitError) as raised:
        play(how, [wrong(0.2), wrong(0.7)], [VerifyMiddleware(judge, run_limit=2, exit_behavior="error")])
    assert (raised.value.kind, raised.value.value, raised.value.limit) == ("max_iterations", 2, 2)
    strict = VerifyMiddleware(judge, run_limit=1, exit_behavior="error")
    assert play(how, [RIGHT], [strict])[0]["verdict"] == "passed"


def test_an_answer_that_comes_again_is_not_judged_again(how: str) -> None:
    verifier = Judge()
    result, _ = play(how, [wrong(0.2)] * 3, [VerifyMiddleware(verifier, run_limit=9)])
    assert verifier.seen == [wrong(0.2)]
    assert result["stop_reason"] == {"kind": "repeated_answer", "value": 2, "limit": 2}


def test_what_nothing_can_judge_ends_the_run_unverified(how: str) -> None:
    def broken(task: str, answer: str) -> Verdict:
        raise RuntimeError("no compiler")

    for verifier in (always(Verdict("unverified", "no compiler")), broken):
        result, _ = play(how, [RIGHT], [VerifyMiddleware(verifier)])
        assert (result["verdict"], result["stop_reason"]["kind"]) == ("unverified", "unverified")
        assert "no compiler" in result["stop_reason"]["value"]


def test_an_opinion_is_never_passed(how: str) -> None:
    critic = ScriptedModel(replies=[critique(False, 0.3, "Say it louder."), critique(True, 1.0, "Fine.")])
    result, model = play(how, ["hello", "HELLO"], [VerifyMiddleware(critic=critic)])
    assert (result["verdict"], result["stop_reason"]["kind"]) == ("unverified", "accepted")
    assert [attempt["accepted"] for attempt in result["attempts"]] == [False, True]
    assert "Say it louder." in model.requests[1][-1].text


def test_a_critic_explains_what_the_verifier_failed_and_cannot_overrule_it(how: str) -> None:
    critic = ScriptedModel(replies=[critique(False, 0.9, "Look again.")])
    result, model = play(how, [wrong(0.2), RIGHT], [VerifyMiddleware(judge, critic=critic)])
    assert result["verdict"] == "passed"
    assert "is wrong" in model.requests[1][-1].text
    assert "Look again." in model.requests[1][-1].text
    critic = ScriptedModel(replies=["?", "?", "?"])
    result, _ = play(how, ["hello"], [VerifyMiddleware(critic=critic)])
    assert (result["verdict"], result["stop_reason"]["kind"]) == ("unverified", "unreadable_critique")


def test_an_empty_answer_has_failed(how: str) -> None:
    result, model = play(how, ["", RIGHT], [VerifyMiddleware(judge)])
    assert [attempt["kind"] for attempt in result["attempts"]] == ["no_answer", ""]
    assert "Your reply was empty" in model.requests[1][-1].text


class City(BaseModel):
    """A city."""

    name: str
    people: int


BRIEF = "You are brief."
OSLO = {"name": "Oslo", "people": 709000}


def big(task: str, answer: str) -> Verdict:
    """Passes big cities, and scores small ones by their size."""
    people = json.loads(answer)["people"]
    return Verdict("passed") if people > 10**5 else Verdict("failed", f"{people} are too few.", people / 10**5)


def form(people: int) -> AIMessage:
    """A reply that fills in the form."""
    return calls(("City", {"name": "Oslo", "people": people}))


def test_a_form_by_a_tool_call_is_verified(how: str) -> None:
    middleware = [*guards(), VerifyMiddleware(big)]
    result, model = play(how, [form(1), form(709000)], middleware, response_format=ToolStrategy(City))
    assert (result["verdict"], result["structured_response"]) == ("passed", City(**OSLO))
    told = model.requests[1][-1]
    assert isinstance(told, ToolMessage)
    assert "1 are too few." in told.text


def test_the_best_form_is_kept(how: str) -> None:
    replies = [form(3), form(50), form(7)]
    result, _ = play(how, replies, [VerifyMiddleware(big)], response_format=ToolStrategy(City))
    assert (result["verdict"], result["structured_response"]) == ("failed", City(name="Oslo", people=50))
    assert json.loads(result["messages"][-1].text)["people"] == 50


def test_a_form_by_the_provider_is_verified(how: str) -> None:
    replies = [json.dumps({**OSLO, "people": people}) for people in (3, 50, 7)]
    result, _ = play(how, replies, [VerifyMiddleware(big)], response_format=ProviderStrategy(City))
    assert result["structured_response"] == City(name="Oslo", people=50)
    assert json.loads(result["messages"][-1].text)["people"] == 50
    assert [message.type for message in result["messages"]] == ["human", *["ai", "human"] * 2, "ai"]


@pytest.mark.parametrize("prompt", [None, BRIEF, SystemMessage([{"type": "text", "text": BRIEF}])])
def test_the_model_is_told_the_format_and_the_criteria(how: str, prompt: Any) -> None:
    middleware = [VerifyMiddleware(JSONSchemaVerifier(City))]
    result, model = play(how, [f"So: {json.dumps(OSLO)}"], middleware, system_prompt=prompt)
    system = model.requests[0][0]
    assert isinstance(system, SystemMessage)
    assert (BRIEF in system.text) == (prompt is not None)
    assert "```json" in system.text
    assert '"people"' in system.text
    assert result["verdict"] == "passed"
    assert json.loads(result["attempts"][0]["answer"]) == OSLO


def test_a_guard_that_ends_the_run_has_the_last_word(how: str) -> None:
    replies = [*echoes("ab"), wrong(0.5)]
    middleware = [BudgetMiddleware(run_limit=2), VerifyMiddleware(judge)]
    result, _ = play(how, replies, middleware, [echo_tool()])
    assert (result["verdict"], len(result["attempts"])) == ("failed", 1)
    assert result["stop_reason"] == {"kind": "max_iterations", "value": 2, "limit": 2}
    strict = [BudgetMiddleware(run_limit=2), VerifyMiddleware(judge, exit_behavior="error")]
    result, _ = play(how, [*echoes("ab"), RIGHT], strict, [echo_tool()])
    assert (result["verdict"], result["stop_reason"]["kind"]) == ("passed", "max_iterations")


def test_a_limit_of_langchains_ends_the_run_with_the_best_answer(how: str) -> None:
    def scored(task: str, answer: str) -> Verdict:
        return Verdict("failed", "no", 0.4 if answer == wrong(0.4) else 0.0)

    middleware = [ModelCallLimitMiddleware(run_limit=2), VerifyMiddleware(scored, run_limit=9)]
    result, _ = play(how, [wrong(0.2), wrong(0.4)], middleware)
    assert (result["verdict"], result["messages"][-1].text) == ("failed", wrong(0.4))


def test_every_input_on_a_thread_is_a_run_of_its_own(how: str) -> None:
    model = AgentModel(replies=[wrong(0.2), RIGHT, wrong(0.1), wrong(0.3)])
    agent = create_agent(model, [], middleware=[VerifyMiddleware(judge, run_limit=2)], checkpointer=InMemorySaver())
    assert invoke(how, agent, ASK, THREAD)["verdict"] == "passed"
    again = invoke(how, agent, {"messages": [HumanMessage("And now?")]}, THREAD)
    assert (again["verdict"], len(again["attempts"]), again["events"][0]["data"]["task"]) == ("failed", 2, "And now?")
    assert [attempt["usage"]["total_tokens"] for attempt in again["attempts"]] == [15, 15]
    lint_agent_order(model.requests)


def test_the_user_is_asked_once_for_each_answer_also_after_a_restart(tmp_path: Path) -> None:
    model = AgentModel(replies=["one", "two"])
    asked: list[str] = []
    given: Any = ASK
    for said in ("No good.", True, None):
        with open_checkpoints(tmp_path / "runs.sqlite") as checkpointer:
            agent = create_agent(model, [], middleware=[VerifyMiddleware(HumanVerifier())], checkpointer=checkpointer)
            result = agent.invoke(given, THREAD)
        asked += [pause.value["answer"] for pause in result.get("__interrupt__", [])]
        given = Command(resume=said)
    assert asked == ["one", "two"]
    assert (result["verdict"], len(result["attempts"]), len(model.requests)) == ("passed", 2, 2)
    assert [event["seq"] for event in result["events"]] == list(range(len(result["events"])))


def test_a_middleware_added_to_a_paused_run_verifies_it() -> None:
    saver = InMemorySaver()
    plain = create_agent(AgentModel(replies=echoes("a")), [echo_tool()], checkpointer=saver, interrupt_before=["tools"])
    plain.invoke(ASK, THREAD)
    model = AgentModel(replies=[wrong(0.1), RIGHT])
    agent = create_agent(model, [echo_tool()], middleware=[VerifyMiddleware(judge)], checkpointer=saver)
    assert agent.invoke(None, THREAD)["verdict"] == "passed"


def test_the_trace_is_a_context_graph(how: str) -> None:
    result, _ = play(how, [wrong(0.2), RIGHT], [VerifyMiddleware(judge)])
    graph = ContextGraph.from_run(json.loads(json.dumps({"events": result["events"]})))
    judged = ["thought", "attempt", "verdict"]
    assert [event["kind"] for event in graph.events] == ["goal", *judged, *judged, "outcome"]
    assert graph.why_stopped().kind == "passed"
    assert graph.events[0]["data"]["task"] == "Say the right thing."
    assert [graph.events[at]["links"][0]["relation"] for at in (1, 4)] == ["led_to", "revised"]


def test_the_agents_own_calls_are_in_the_trace_and_in_what_it_cost(how: str) -> None:
    replies = [*echoes("a"), wrong(0.2), RIGHT]
    agent = create_agent(AgentModel(replies=replies), [echo_tool()], middleware=[VerifyMiddleware(judge)])
    run = ContextGraph.from_run(invoke(how, agent, ASK))
    alone = create_agent(AgentModel(replies=[*echoes("a"), RIGHT]), [echo_tool()])
    told, without = run.metrics(), ContextGraph.from_run(invoke(how, alone, ASK)).metrics()
    assert (told.model_calls, told.tool_calls, told.attempts) == (3, 1, 2)
    assert (without.model_calls, without.tool_calls) == (2, 1)
    branches = [(branch.branch, branch.events) for branch in run.cost().branches]
    assert branches == [("run", 2), ("attempt 1", 6), ("attempt 2", 3)]
    assert run.cost().total.input_tokens == told.input_tokens


def test_a_stream_shows_every_verdict_and_every_answer(how: str) -> None:
    agent = create_agent(AgentModel(replies=[wrong(0.2), RIGHT]), [], middleware=[VerifyMiddleware(judge)])

    async def astream() -> list[Any]:
        return [part async for part in agent.astream(ASK, stream_mode=["updates", "messages"])]

    parts = asyncio.run(astream()) if how == "async" else list(agent.stream(ASK, stream_mode=["updates", "messages"]))
    updates = [part[1]["VerifyMiddleware.after_agent"] for part in parts if "VerifyMiddleware.after_agent" in part[1]]
    assert [update["attempts"][0]["answer"] for update in updates] == [wrong(0.2), RIGHT]
    assert [update.get("verdict") for update in updates] == [None, "passed"]
    said = [part[1][0].text for part in parts if part[0] == "messages" and isinstance(part[1][0], AIMessage)]
    assert said == [wrong(0.2), RIGHT]


def test_the_trace_can_be_followed_and_belongs_to_the_recording_around_it() -> None:
    agent: Any = create_agent(AgentModel(replies=[wrong(0.2), RIGHT] * 2), [], middleware=[VerifyMiddleware(judge)])
    kinds = [event["kind"] for batch in stream_trace(agent, ASK) for event in batch]
    judged = ["thought", "attempt", "verdict"]
    assert kinds == ["goal", *judged, *judged, "outcome"]
    with recording() as recorder:
        custom = [event["kind"] for part in agent.stream(ASK, stream_mode="custom") for event in part["events"]]
    assert custom == kinds
    assert [event["kind"] for event in ContextGraph.from_run(recorder).events] == kinds


def test_callers_neither_set_nor_see_what_is_private(how: str) -> None:
    agent = create_agent(AgentModel(replies=[RIGHT]), [], middleware=[VerifyMiddleware(judge)])
    result = invoke(how, agent, {**ASK, "verdict": "failed", "verification": {"task": "forged"}})
    assert set(result) == {"messages", "verdict", "stop_reason", "attempts", "events"}
    assert (result["verdict"], result["events"][0]["data"]["task"]) == ("passed", "Say the right thing.")


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda: VerifyMiddleware(), ValueError, "a verifier, a critic, or both"),
        (lambda: VerifyMiddleware(judge, run_limit=0), ValueError, "run_limit"),
        (lambda: VerifyMiddleware(critic=judge), ValueError, "critic has to be"),  # pyright: ignore[reportArgumentType]
        (lambda: VerifyMiddleware(judge, exit_behavior="stop"), ValueError, "exit_behavior"),  # pyright: ignore[reportArgumentType]
        (lambda: VerifyMiddleware("assert 1"), VerifierContractError, "PythonTests"),  # pyright: ignore[reportArgumentType]
    ],
)
def test_arguments_that_cannot_work_are_refused(make: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        make()


def test_the_answer_is_the_last_message_of_a_model_that_gives_all_its_messages_one_id() -> None:
    model = ScriptedModel(replies=[AIMessage("bad", id="1"), AIMessage("good", id="1")])
    verifier = VerifyMiddleware(lambda task, answer: Verdict("passed" if answer == "good" else "failed", "no"))
    result = create_agent(model, [], middleware=[verifier]).invoke({"messages": [("user", "q")]})
    assert (result["verdict"], result["messages"][-1].content) == ("passed", "good")
    assert [message.type for message in result["messages"]] == ["human", "human", "ai"]
