"""What a type checker has to make of the public API; read by pyright, never run."""

# Without it a mistake that is no longer refused would go unnoticed.
# pyright: reportUnnecessaryTypeIgnoreComment=true

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, assert_type

from langchain.agents import create_agent  # pyright: ignore[reportUnknownVariableType]
from langchain.agents.middleware import HumanInTheLoopMiddleware, ModelCallLimitMiddleware
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AnyMessage, HumanMessage
from langgraph.graph.state import CompiledStateGraph, StateGraph
from langgraph.store.memory import InMemoryStore
from pydantic import BaseModel
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
    json_parser,
    multi_section_parser,
    pair_graphs,
    pipe,
    python_parser,
    stream_think,
    think,
    think_with_retry,
)
from thoughtgraph.evaluation import Comparison, Condition, Task, evaluate, load_tasks
from thoughtgraph.graphs import PlanActGraph, ReflectionGraph
from thoughtgraph.graphs.middleware import (
    BudgetMiddleware,
    DuplicateCallMiddleware,
    ErrorRateMiddleware,
    GuidanceMiddleware,
    LoopMiddleware,
    VerifyMiddleware,
)
from thoughtgraph.memory import FailureMemory, Lesson
from thoughtgraph.models import DonePiece, GeneratedFile, TextPiece, Thought, create_file_node
from thoughtgraph.nodes.plan_act.state import PlanActInput, PlanActOutput, PlanActState
from thoughtgraph.nodes.reflection.state import ReflectionInput, ReflectionOutput, ReflectionState
from thoughtgraph.parsers import ParseDict, ParseResult, chain_of_thought_parser, parse_markdown_blocks
from thoughtgraph.tools import FormattedVerifier
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


@dataclass
class Context:
    """What a run is invoked with."""

    user: str


class City(BaseModel):
    """A schema."""

    name: str


def typed_context(model: BaseChatModel, untyped: type[Any]) -> None:
    """The context of a run is that of its graph's schema; without a schema there is none."""
    graph = create_reflection_graph(actor=model, context_schema=Context)
    assert_type(graph, ReflectionGraph[Context])
    graph.invoke({"task": "f"}, context=Context("a"))
    planner = create_plan_act_graph(model, [], interactive=False, context_schema=Context)
    assert_type(planner, PlanActGraph[Context])
    planner.invoke({"goal": "g"}, context=Context("a"))
    create_reflection_graph(actor=model, context_schema=untyped).invoke({"task": "f"}, context=Context("a"))
    plain: ReflectionGraph = create_reflection_graph(actor=model)
    plain.invoke({"task": "f"}, context=Context("a"))  # pyright: ignore[reportArgumentType]
    graph.invoke({"task": "f"}, context="a")  # pyright: ignore[reportArgumentType]


def typed_results(graph: ReflectionGraph, planner: PlanActGraph) -> None:
    """LangGraph types the output of its second version."""
    assert_type(graph.invoke({"task": "f"}, version="v2").value, ReflectionOutput)
    assert_type(planner.invoke({"goal": "g"}, version="v2").value["observations"][0]["ok"], bool)


def typed_messages(
    planner: PlanActGraph, solver: ReflectionGraph, human: list[HumanMessage], any_kind: list[AnyMessage]
) -> None:
    """Either graph takes messages in every form that LangChain's agents take."""
    planner.invoke({"messages": [{"role": "user", "content": "x"}]})
    planner.invoke({"messages": [("user", "x")]})
    planner.invoke({"messages": [HumanMessage("x"), ("ai", "y"), "z"]})
    solver.invoke({"messages": [HumanMessage("x"), ("ai", "y"), "z"]})
    planner.invoke({"messages": human})
    planner.invoke({"messages": any_kind})
    planner.invoke({"messages": [3]})  # pyright: ignore[reportArgumentType]


def typed_pieces(model: BaseChatModel) -> None:
    """The kind of a piece says what it carries."""
    for piece in stream_think(model, "hello"):
        if piece.kind == "done":
            assert_type(piece, DonePiece)
            assert_type(piece.thought.reply, str)
        else:
            assert_type(piece, TextPiece)
            assert_type(piece.text, str)


def typed_parsers(model: BaseChatModel) -> None:
    """A parser may return a plain dict; what the library's parsers return is known by its status."""

    def of_objects(raw_reply: str, default: bool | None = None) -> dict[str, object]:
        return {"status": "success", "content": default}

    def of_the_contract(raw_reply: str) -> ParseDict:
        return {"status": "success", "content": 1} if raw_reply else {"status": "error", "feedback": "Say it."}

    def of_results(raw_reply: str) -> ParseResult:
        return ParseResult("success", raw_reply)

    def of_cities(raw_reply: str) -> ParseDict[City]:
        return {"status": "error", "feedback": raw_reply}

    def of_typed_results(raw_reply: str) -> ParseResult[City]:
        return ParseResult("error", feedback=raw_reply)

    def in_norway(city: City) -> dict[str, object]:
        return {"status": "success"}

    assert_type(think_with_retry(model, "x", of_objects), Any)
    assert_type(think_with_retry(model, "x", of_the_contract), Any)
    assert_type(think_with_retry(model, "x", of_results), Any)
    assert_type(think_with_retry(model, "x", pipe(json_parser, in_norway)), Any)
    assert_type(think_with_retry(model, "x", json_parser, schema=City), Any)
    assert_type(think_with_retry(model, "x", python_parser), str)
    assert_type(think_with_retry(model, "x", chain_of_thought_parser), dict[str, str])
    assert_type(think_with_retry(model, "x", of_cities), City)
    assert_type(think_with_retry(model, "x", of_typed_results), City)
    think_with_retry(model, "x", str.strip)  # pyright: ignore[reportArgumentType]
    for parsed in (json_parser("{}"), pipe(json_parser, in_norway)("{}")):
        if parsed["status"] == "error":
            assert_type(parsed["feedback"], str)
        else:
            assert_type(parsed["content"], Any)


class Numbers(FormattedVerifier):
    """A verifier with a parser of its own."""

    def parse(self, raw_reply: str, /) -> dict[str, Any]:
        """What the base allows."""
        return {"status": "success", "content": raw_reply}

    def __call__(self, task: str, answer: str, /) -> Verdict:
        """Judge."""
        return Verdict("passed")


class Programs(FormattedVerifier):
    """A verifier with one of the library's parsers, as the docs write it."""

    def parse(self, raw_reply: str) -> ParseDict:
        """Take the code out of a reply."""
        return python_parser(raw_reply)

    def __call__(self, task: str, answer: str) -> Verdict:
        """Judge."""
        return Verdict("passed")


def typed_arguments(model: BaseChatModel) -> None:
    """What the docs pass as arguments."""

    def exact(row: dict[str, Any]) -> Callable[[str, str], bool]:
        def judge(task: str, answer: str) -> bool:
            return answer == row["answer"]

        return judge

    def tests(row: dict[str, str]) -> PythonTests:
        return PythonTests(row["tests"])

    Guards(exempt_tools={"poll"})
    Guards(exempt_tools=frozenset({"poll"}))
    evaluate([{"prompt": "a"}], model, scorer=exact, verifier=tests)
    create_reflection_graph(actor=model, verifier=Numbers())
    StateGraph(PlanActState).add_node(create_file_node(model, "markdown"))


def typed_middleware(model: BaseChatModel) -> None:
    """The library's middleware goes together, and with one of LangChain's."""
    guards = [DuplicateCallMiddleware(), LoopMiddleware(), ErrorRateMiddleware(), BudgetMiddleware(run_limit=3)]
    verify = VerifyMiddleware(Numbers())
    create_agent(model, [], middleware=[verify, BudgetMiddleware(run_limit=3), GuidanceMiddleware()])
    create_agent(model, [], middleware=[*guards, GuidanceMiddleware(), verify])
    create_agent(model, [], middleware=[HumanInTheLoopMiddleware({}), *guards, verify])
    create_agent(model, [], middleware=[ModelCallLimitMiddleware(run_limit=3), verify])


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
