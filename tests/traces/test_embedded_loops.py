"""A loop that is a node, is called inside a node, or is a tool leaves its trace in the run around it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command
from support.plan_act import TWINS, act, done, planned, replanned, twin
from support.scripted import ScriptedModel, code
from thoughtgraph import ContextGraph, PythonTests, Verdict, create_plan_act_graph, create_reflection_graph, think
from thoughtgraph.models import stream_think
from thoughtgraph.tools import solver_tool
from thoughtgraph.traces import astream_trace, recording, stream_trace
from typing_extensions import TypedDict

pytestmark = pytest.mark.slow

TASK = "Write `double(x)`."
RIGHT = "def double(x):\n    return 2 * x"
SOLVED = ["goal", "thought", "attempt", "verdict", "outcome"]


class Outer(TypedDict, total=False):
    """A state that knows nothing of events."""

    task: str
    answer: str


def loop() -> Any:
    """A reflection loop that passes at once."""
    actor = ScriptedModel(replies=[code(RIGHT)] * 5)
    return create_reflection_graph(actor=actor, verifier=PythonTests("assert double(2) == 4"))


def as_a_node() -> Any:
    """The loop is a node of the outer graph."""
    outer = StateGraph(Outer)
    outer.add_node("solve", loop())
    outer.add_edge(START, "solve")
    outer.add_edge("solve", END)
    return outer.compile()


def inside_a_node() -> Any:
    """A node of the outer graph calls the loop."""
    inner = loop()

    def solve(state: Outer) -> dict[str, Any]:
        return {"answer": inner.invoke({"task": state.get("task", "")})["answer"]}

    outer = StateGraph(Outer)
    outer.add_node("solve", solve)
    outer.add_edge(START, "solve")
    outer.add_edge("solve", END)
    return outer.compile()


def kinds(events: Any) -> list[str]:
    return [event["kind"] for event in events]


WAYS = [as_a_node, inside_a_node]


@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize("outer", WAYS)
def test_a_recording_around_the_outer_graph_holds_the_inner_trace(outer: Callable[[], Any], name: str) -> None:
    with recording() as recorder:
        result = twin(name)(outer(), {"task": TASK})
    assert result["answer"] == RIGHT
    assert "events" not in result
    graph = ContextGraph.from_run(recorder)
    assert kinds(graph.events) == SOLVED
    assert graph.why_stopped().kind == "passed"
    assert {event["run_id"] for event in graph.events} == {recorder.run_id}


@pytest.mark.parametrize("outer", WAYS)
def test_the_trace_of_a_graph_inside_another_is_streamed(outer: Callable[[], Any]) -> None:
    batches = list(stream_trace(outer(), {"task": TASK}))
    assert kinds(event for batch in batches for event in batch) == SOLVED


@pytest.mark.parametrize("outer", WAYS)
async def test_the_async_stream_has_it_too(outer: Callable[[], Any]) -> None:
    found = [event async for batch in astream_trace(outer(), {"task": TASK}) for event in batch]
    assert kinds(found) == SOLVED


def test_two_loops_one_after_the_other_are_one_recording() -> None:
    with recording() as recorder:
        as_a_node().invoke({"task": TASK})
        as_a_node().invoke({"task": TASK})
    assert kinds(recorder.events) == SOLVED * 2
    assert [event["seq"] for event in recorder.events] == list(range(10))


async def test_loops_that_run_at_the_same_time_are_one_recording() -> None:
    with recording() as recorder:
        await asyncio.gather(*(loop().ainvoke({"task": TASK}) for _ in range(5)))
    assert kinds(recorder.events) == SOLVED * 5
    assert len({event["id"] for event in recorder.events}) == 25


def test_what_ends_after_the_recording_leaves_it_alone() -> None:
    with recording() as recorder:
        pass
    recorder.adopt(loop().invoke({"task": TASK})["events"])
    assert recorder.events == []


@tool
def solve(task: str) -> str:
    """Solve a task."""
    return loop().invoke({"task": task})["answer"]


REPLIES = [planned("solve it"), act("solve", TASK), done("Solved."), replanned(response="Solved.")]


@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize("wrapped", [False, True])
def test_a_tool_that_runs_a_loop_leaves_its_trace_behind_the_call_once(wrapped: bool, name: str) -> None:
    inner = solver_tool(loop()) if wrapped else solve
    graph = create_plan_act_graph(ScriptedModel(replies=list(REPLIES)), [inner], interactive=False)
    result = twin(name)(graph, {"goal": "Solve it"})
    found = result["events"]
    first = kinds(found).index("action")
    assert kinds(found)[first : first + 6] == ["action", *SOLVED]
    assert kinds(found).count("goal") == 2
    assert found[first + 1]["links"] == [{"source": found[first]["id"], "relation": "led_to"}]
    # Four calls of the loop's model and one of the actor's, 15 tokens each.
    assert result["usage"]["total_tokens"] == 75


def test_a_plan_act_run_streams_the_trace_of_its_tools_once() -> None:
    graph = create_plan_act_graph(ScriptedModel(replies=list(REPLIES)), [solver_tool(loop())], interactive=False)
    batches = list(stream_trace(graph, {"goal": "Solve it"}))
    found = [event for batch in batches for event in batch]
    assert kinds(found).count("goal") == 2
    assert len({event["run_id"] for event in found}) == 1


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_either_version_of_invoke_can_be_read(version: Any) -> None:
    assert kinds(ContextGraph.from_run(loop().invoke({"task": TASK}, version=version)).events) == SOLVED


def agent(tools: list[Any], replies: list[Any]) -> Any:
    class Bound(ScriptedModel):
        def bind_tools(self, tools: Any, **options: Any) -> Any:
            """Itself: the script names the tools already."""
            return self

    return create_agent(Bound(replies=replies), tools)


def calls(task: str, name: str = "solve") -> AIMessage:
    usage: Any = {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10, "input_token_details": {"cache_read": 2}}
    call: Any = {"name": name, "args": {"task": task}, "id": "call_1"}
    return AIMessage("I try it.", tool_calls=[call], usage_metadata=usage)


def test_a_run_of_create_agent_can_be_read() -> None:
    result = agent([solve], [calls(TASK), "Solved."]).invoke({"messages": [HumanMessage(TASK)]})
    graph = ContextGraph.from_run(result)
    assert kinds(graph.events) == ["goal", "thought", "action", "observation", "thought", "outcome"]
    recorded: list[Any] = list(graph.events)
    goal, thought, action, seen, _, outcome = (event["data"] for event in recorded)
    assert goal["task"] == TASK
    assert thought["usage"]["cached_tokens"] == 2
    assert (action["tool"], action["input"]) == ("solve", {"task": TASK})
    assert (seen["ok"], seen["result"]) == (True, RIGHT)
    assert (outcome["response"], outcome["stop_reason"]["kind"]) == ("Solved.", "answered")
    assert outcome["usage"]["total_tokens"] == 25
    assert ContextGraph.from_run(result).run_id == graph.run_id
    assert "<html" in graph.to_html()
    assert graph.metrics().tool_calls == 1


def test_the_trace_inside_an_agents_tool_comes_with_it() -> None:
    result = agent([solver_tool(loop())], [calls(TASK), "Solved."]).invoke({"messages": [HumanMessage(TASK)]})
    found = kinds(ContextGraph.from_run(result).events)
    assert found == ["goal", "thought", "action", *SOLVED, "observation", "thought", "outcome"]


def test_an_agent_that_stopped_in_the_middle_has_no_outcome() -> None:
    messages = [HumanMessage("Hello"), calls(TASK)]
    assert ContextGraph.from_run({"messages": messages}).why_stopped().kind == "interrupted"


def test_what_a_user_says_later_and_a_failed_call_are_told() -> None:
    @tool
    def fails(task: str) -> str:
        """Fail."""
        raise AssertionError

    messages = agent([fails], [calls(TASK, "unknown"), "No."]).invoke({"messages": [HumanMessage(TASK)]})["messages"]
    graph = ContextGraph.from_run({"messages": [*messages, HumanMessage("Why?"), AIMessage("So.")]})
    assert [event["data"]["ok"] for event in graph.events if event["kind"] == "observation"] == [False, True]
    assert len(graph.failures()) == 1


@pytest.mark.parametrize(
    "make", [loop, lambda: create_plan_act_graph(ScriptedModel(replies=REPLIES), [solve], interactive=False)]
)
@pytest.mark.parametrize("mode", ["updates", "values", "custom"])
def test_every_stream_is_json(make: Callable[[], Any], mode: Any) -> None:
    chunks = list(make().stream({"task": TASK, "goal": "Solve it"}, stream_mode=mode))
    assert json.loads(json.dumps(chunks)) == chunks


def test_the_custom_stream_has_the_events_too() -> None:
    chunks = list(as_a_node().stream({"task": TASK}, stream_mode="custom", subgraphs=True))
    assert kinds(event for _, chunk in chunks for event in chunk["events"]) == SOLVED


def test_a_thread_that_is_used_again_is_json_too_and_starts_from_scratch() -> None:
    actor = ScriptedModel(replies=[code(RIGHT)] * 2)
    tests = PythonTests("assert double(2) == 4")
    graph = create_reflection_graph(actor=actor, verifier=tests, checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "1"}}
    graph.invoke({"task": TASK}, thread)
    chunks = list(graph.stream({"task": TASK}, thread, stream_mode="updates"))
    assert json.loads(json.dumps(chunks)) == chunks
    result = graph.get_state(thread).values
    assert kinds(result["events"]) == SOLVED
    assert len(result["attempts"]) == 1


@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize("mode", ["external_loop", "reflexion", "actor_critic", "best_of_n"])
def test_a_loop_that_judges_is_inside_the_run(mode: str, name: str) -> None:
    inner = create_reflection_graph(
        actor=ScriptedModel(replies=["no"] * 8), verifier=lambda task, answer: Verdict("failed"), max_attempts=2
    )

    def judged(task: str, answer: str) -> Verdict:
        inner.invoke({"task": f"Judge {answer}."})
        inner.invoke({"task": f"Judge {answer} again."})
        return Verdict("passed")

    graph = create_reflection_graph(mode, actor=ScriptedModel(replies=["4"] * 4), verifier=judged, max_attempts=1)
    run = twin(name)(graph, {"task": "2 + 2?"})
    trace = ContextGraph.from_run(run)
    metrics = trace.metrics()
    assert (trace.why_stopped().kind, len(trace.runs)) == ("passed", 1)
    assert (metrics.attempts, metrics.verdict, metrics.failure_kinds) == (1, "passed", {})
    assert metrics.tokens == run["usage"]["total_tokens"]


@pytest.mark.parametrize("way", [think, lambda *given: list(stream_think(*given))], ids=["think", "stream_think"])
def test_a_single_call_inside_a_verifier_counts(way: Callable[..., Any]) -> None:
    judge = ScriptedModel(replies=["NO"] * 9)

    def judged(task: str, answer: str) -> Verdict:
        way(judge, "Is it right?")
        return Verdict("failed")

    actor = ScriptedModel(replies=[f"answer {n}" for n in range(9)])
    run = create_reflection_graph(actor=actor, verifier=judged, max_attempts=2).invoke({"task": "2 + 2?"})
    assert [event["data"]["reply"] for event in run["events"] if event["kind"] == "thought"] == [
        *("answer 0", "NO", "answer 1", "NO")
    ]
    assert run["usage"]["total_tokens"] == ContextGraph.from_run(run).metrics().tokens > 0


def asking(*, depth: int, **options: Any) -> Any:
    """A plan-act loop, perhaps inside of others, whose innermost one asks the user."""
    replies = [
        planned("find out"),
        json.dumps({"status": "ask_user", "question": "Which size?"}),
        replanned(response="The size is L."),
    ]
    graph = create_plan_act_graph(ScriptedModel(replies=replies), [], checkpointer=True)
    for _ in range(depth):
        tool = graph.as_tool(name="ask")
        replies = [
            planned("ask"),
            act("ask", "Order the shirt"),
            done("The size is L."),
            replanned(response="The size is L."),
        ]
        graph = create_plan_act_graph(ScriptedModel(replies=replies), [tool], **{"checkpointer": True, **options})
    return graph


def a_loop_alone(depth: int) -> Any:
    """Loops that nothing is around."""
    return asking(depth=depth, checkpointer=InMemorySaver())


def a_loop_as_a_node(depth: int) -> Any:
    """The outermost loop is a node of a graph without a trace."""
    outer = StateGraph(Asked)
    outer.add_node("ask", asking(depth=depth))
    outer.add_edge(START, "ask")
    return outer.compile(checkpointer=InMemorySaver())


class Asked(TypedDict, total=False):
    """The same for a loop with a goal."""

    goal: str
    response: str


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("built", [a_loop_alone, a_loop_as_a_node])
async def test_a_loop_inside_a_loop_is_streamed_once_also_after_a_pause(built: Any, depth: int) -> None:
    thread: Any = {"configurable": {"thread_id": "1"}}
    for streamed in ("sync", "async"):
        graph, seqs, runs = built(depth), list[int](), set[str]()
        for given in ({"goal": "Order the shirt"}, Command(resume="L")):
            if streamed == "sync":
                events = [event for batch in stream_trace(graph, given, thread) for event in batch]
            else:
                events = [event async for batch in astream_trace(graph, given, thread) for event in batch]
            seqs += [event["seq"] for event in events]
            runs |= {event["run_id"] for event in events}
        assert (seqs, len(runs)) == (list(range(len(seqs))), 1)


@pytest.mark.parametrize("name", TWINS)
def test_what_loops_inside_of_loops_cost_counts_once(name: str) -> None:
    graph, thread = a_loop_alone(3), {"configurable": {"thread_id": "1"}}
    twin(name)(graph, {"goal": "Order the shirt"}, thread)
    run = twin(name)(graph, Command(resume="L"), thread)
    total = ContextGraph.from_run(run).cost().total
    # Of fifteen calls, 15 tokens each.
    assert total.input_tokens + total.output_tokens == run["usage"]["total_tokens"] == 225
