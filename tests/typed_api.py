"""What a type checker has to make of the public API; read by pyright, never run."""

# Without it a mistake that is no longer refused would go unnoticed.
# pyright: reportUnnecessaryTypeIgnoreComment=true

from __future__ import annotations

from typing import Any, assert_type

from langchain_core.language_models import BaseChatModel
from langgraph.graph.state import CompiledStateGraph, StateGraph
from langgraph.store.memory import InMemoryStore
from thoughtgraph import (
    Assistant,
    ContextGraph,
    Guards,
    PythonTests,
    Verdict,
    athink,
    create_plan_act_graph,
    create_reflection_graph,
    generate_with_retry,
    multi_section_parser,
    pair_graphs,
    think,
    think_with_retry,
)
from thoughtgraph.evaluation import Comparison, Condition, Task, evaluate, load_tasks
from thoughtgraph.memory import FailureMemory, Lesson
from thoughtgraph.models import GeneratedFile, Thought
from thoughtgraph.nodes.plan_act.state import PlanActInput, PlanActOutput, PlanActState
from thoughtgraph.nodes.reflection.state import ReflectionInput, ReflectionOutput, ReflectionState
from thoughtgraph.parsers import parse_markdown_blocks
from thoughtgraph.tools.agenda import Agenda, Todo
from thoughtgraph.tools.sandbox import SandboxVerdict, run
from thoughtgraph.traces import Event, RunMetrics, Usage, recording, stream_trace


def typed(model: BaseChatModel) -> None:
    """Results have the types that the docs name."""
    assert_type(think(model, "hello"), Thought)
    assert_type(think_with_retry(model, [("user", "hi")], multi_section_parser), Any)
    assert_type(generate_with_retry(model, "a poem", "text"), GeneratedFile)
    assert_type(parse_markdown_blocks("", "text"), tuple[str | None, str | None])
    assert_type(run("x = 1", "assert x == 1"), SandboxVerdict)
    assert_type(PythonTests("assert f(1) == 1")("task", "answer"), Verdict)
    graph = create_reflection_graph(actor=model.bind(temperature=0.2), verifier=PythonTests("assert f(1) == 1"))
    assert_type(graph, CompiledStateGraph[ReflectionState, None, ReflectionInput, ReflectionOutput])
    planner = create_plan_act_graph(model, [], interactive=False, guards=Guards(max_tokens=1000))
    assert_type(planner, CompiledStateGraph[PlanActState, None, PlanActInput, PlanActOutput])
    assert_type(Assistant(model).handle("hello"), str)
    assert_type(list(stream_trace(planner, {"goal": "g"})), list[list[Event]])
    assert_type(Agenda(":memory:").todos(), list[Todo])
    assert_type(ContextGraph.from_run(graph.invoke({"task": "f"})), ContextGraph)
    assert_type(ContextGraph.from_run("run.jsonl").metrics(), RunMetrics)
    create_reflection_graph(
        "reflexion", actor=model, critic=model, max_tokens=100, memory=FailureMemory(InMemoryStore())
    )
    assert_type(load_tasks("tasks.jsonl"), list[Task])
    comparison = evaluate(
        ["a", {"prompt": "b"}, Task("3", "c")],
        [model, "openai:gpt-4.1"],
        modes=["reflexion", Condition("actor_critic", verify=False)],
        verifier=lambda row: PythonTests(row["tests"]),
        scorer=lambda task, answer: answer == task,
        save="runs",
    )
    assert_type(comparison, Comparison)
    assert_type(comparison.rows(), list[dict[str, Any]])
    assert_type(pair_graphs(planner, graph), StateGraph[Any, Any, Any, Any])
    assert_type(FailureMemory(InMemoryStore()).recall("task"), list[Lesson])


async def typed_twin(model: BaseChatModel) -> None:
    """The async twin, too."""
    assert_type(await athink(model, "hello"), Thought)


def refused(model: BaseChatModel, graph: CompiledStateGraph[Any, Any, Any, Any]) -> None:
    """What a type checker has to refuse."""
    think(model, 3)  # pyright: ignore[reportArgumentType]
    create_plan_act_graph(model)  # pyright: ignore[reportCallIssue]
    create_plan_act_graph(model, [], guidance_role="tool")  # pyright: ignore[reportArgumentType]
    create_reflection_graph(model)  # pyright: ignore[reportCallIssue]
    create_reflection_graph(graph)  # pyright: ignore[reportCallIssue]
    create_reflection_graph(actor=model, strategies=["pray"])  # pyright: ignore[reportArgumentType]


def events(event: Event) -> None:
    """An event's kind says what its data is, where it is written and where it is read."""
    with recording() as recorder:
        assert_type(recorder.add("goal", task="count", mode="plan_act"), str)
        recorder.add("goal", task="count")  # pyright: ignore[reportCallIssue]
        recorder.add("goal", task=3, mode="plan_act")  # pyright: ignore[reportArgumentType]
        recorder.add("goal", task="count", mode="", mood="fine")  # pyright: ignore[reportCallIssue]
        recorder.add("verdict", status="fine", feedback="")  # pyright: ignore[reportArgumentType]
        recorder.add("telepathy", task="count")  # pyright: ignore[reportCallIssue]
    if event["kind"] == "outcome":
        assert_type(event["data"]["usage"], Usage)
        assert_type(event["data"].get("best"), int | None)
