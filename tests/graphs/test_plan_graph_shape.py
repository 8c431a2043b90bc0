"""The plan-act loop as a LangGraph: its drawing, its state on disk, and its life in streams and in other graphs."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.config import get_store
from langgraph.graph import END, START, StateGraph
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command
from support.paths import TESTS, python_path
from support.plan_act import (
    GOAL,
    THREAD,
    TWINS,
    Invoke,
    act,
    ask,
    broken_tool,
    done,
    echo_tool,
    planned,
    play,
    replanned,
    twin,
)
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph, create_plan_act_graph, create_reflection_graph
from thoughtgraph.nodes.plan_act.guards import TRIPPED

SNAPSHOTS = TESTS / "snapshots"
SCRIPT = [
    planned({"step": "a", "tool": "fly"}),
    planned("a", "b"),
    act("echo", "x"),
    done("A"),
    replanned("b"),
    ask("Which?"),
    "no JSON",
    replanned("b", "c"),
    act("broken", "y"),
    act("echo", "z"),
    done("B"),
    replanned(response="end"),
]


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Invoke:
    """Invoke a graph by either twin."""
    return twin(request.param)


def built(replies: list[Any] | None = None, **options: Any) -> Any:
    """The loop over a script, keeping its runs in memory."""
    options.setdefault("checkpointer", InMemorySaver())
    return create_plan_act_graph(ScriptedModel(replies=replies or []), [echo_tool(), broken_tool()], **options)


@pytest.mark.parametrize(
    ("name", "graph"),
    [
        ("plan_act", built()),
        ("external_loop", create_reflection_graph("external_loop", actor=ScriptedModel(replies=[]))),
    ],
    ids=["plan_act", "external_loop"],
)
def test_the_drawing_is_the_one_on_record(name: str, graph: Any) -> None:
    drawn = graph.get_graph().draw_mermaid()
    path = SNAPSHOTS / f"{name}.mmd"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.write_text(drawn, encoding="utf-8")
    assert drawn == path.read_text(encoding="utf-8"), "if the change is meant: UPDATE_SNAPSHOTS=1 pytest"


def test_the_drawing_shows_exactly_the_declared_edges() -> None:
    drawn = {(edge.source, edge.target, edge.conditional) for edge in built().get_graph().edges}
    head = ("plan", "thought", "replan", "finalize", *TRIPPED)
    assert drawn == {
        ("__start__", "begin", False),
        ("begin", "plan", False),
        *(
            (planner, after, True)
            for planner in ("plan", "replan")
            for after in ("validate_plan", "guidance", "effect", "next_part", "finalize")
        ),
        *(("validate_plan", after, True) for after in ("guidance", "plan", "replan")),
        *(("validate_plan", after, True) for after in ("act", "approve", "require", "confirm", "ground", "observe")),
        *(("guidance", after, True) for after in head),
        *(
            ("thought", after, True)
            for after in (
                "act",
                "act_at_once",
                "approve",
                "require",
                "confirm",
                "effect",
                "observe",
                "ask_user",
                "guidance",
                "next_part",
                "finalize",
            )
        ),
        *(("approve", after, True) for after in ("act", "act_at_once", "observe", "finalize")),
        *(("thought", after, True) for after in ("guidance", "finalize")),
        *(("thought", "ground", True), ("ground", "guidance", True), ("ground", "ask_user", True)),
        *((before, "look_up", True) for before in ("thought", "ground", "observe")),
        ("look_up", "act", False),
        ("confirm", "ask_user", False),
        ("effect", "guidance", False),
        *(("require", after, True) for after in ("guidance", "ask_user")),
        *(("read_answer", after, True) for after in ("act", "approve", "guidance", "change_goal")),
        *((turn, after, True) for turn in ("change_goal", "next_part") for after in ("plan", "finalize", *TRIPPED)),
        ("act", "observe", False),
        ("act_at_once", "observe", False),
        *(("observe", after, True) for after in ("guidance", "thought", "next_part", "finalize", *TRIPPED)),
        *(("ask_user", after, True) for after in ("read_answer", "finalize")),
        *((check, "finalize", False) for check in TRIPPED),
        ("finalize", "__end__", False),
    }


def test_every_check_that_ends_a_run_has_a_node_of_its_name() -> None:
    nodes = set(built().get_graph().nodes)
    assert {"max_iterations", "duplicate_tool_calls", "loop_pattern", "error_rate", "budget"} <= nodes


def test_the_check_that_trips_is_a_node_of_the_run() -> None:
    graph = built([planned("a"), act("echo", "x"), "best"], max_steps=2, interactive=False, checkpointer=None)
    nodes = [next(iter(update)) for update in graph.stream(dict(GOAL), stream_mode="updates")]
    assert nodes[-3:] == ["observe", "max_iterations", "finalize"]


ROUND_TRIP = """
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command
from support.plan_act import GOAL, THREAD, broken_tool, echo_tool
from support.scripted import ScriptedModel
from test_plan_graph_shape import SCRIPT
from thoughtgraph import create_plan_act_graph

model = ScriptedModel(replies=SCRIPT)
seen = []
for given in (dict(GOAL), Command(resume="this"), None):
    with SqliteSaver.from_conn_string("runs.sqlite") as saver:
        graph = create_plan_act_graph(model, [echo_tool(), broken_tool()], checkpointer=saver)
        if given is not None:
            result = graph.invoke(given, THREAD)
            seen.append({key: value for key, value in result.items() if key != "__interrupt__"})
        values = graph.get_state(THREAD).values
        assert {key: values[key] for key in seen[-1]} == seen[-1]
assert seen[-1]["response"] == "end"
"""


@pytest.mark.slow
def test_the_state_survives_a_strict_serializer(tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": python_path(__file__), "LANGGRAPH_STRICT_MSGPACK": "true"}
    command = [sys.executable, "-W", "error::UserWarning", "-c", ROUND_TRIP]
    child = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert child.returncode == 0, child.stderr
    assert "blocked" not in child.stderr.lower(), child.stderr


def stored_bytes(path: Path, rounds: int, **options: Any) -> int:
    """What the checkpoints of a run of so many calls take."""
    replies = [
        planned("a"),
        *(act("echo", f"{number} {'x' * 1000}") for number in range(rounds)),
        done("A"),
        replanned(),
    ]
    with SqliteSaver.from_conn_string(str(path)) as saver:
        built(replies, checkpointer=saver, max_steps=10 * rounds, **options).invoke(dict(GOAL), THREAD)
    with sqlite3.connect(path) as store:
        sums = "SELECT (SELECT sum(length(checkpoint) + length(metadata)) FROM checkpoints)"
        size = store.execute(f"{sums} + (SELECT sum(length(value)) FROM writes)").fetchone()[0]
    store.close()
    return size


@pytest.mark.slow
@pytest.mark.parametrize("context_tokens", [10**6, 5_000], ids=["grows", "is-cut"])
def test_checkpoints_grow_linearly_with_the_run(tmp_path: Path, context_tokens: int) -> None:
    once = stored_bytes(tmp_path / "once.sqlite", 30, context_tokens=context_tokens)
    twice = stored_bytes(tmp_path / "twice.sqlite", 60, context_tokens=context_tokens)
    assert twice <= 2.2 * once


def trace(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Events without what differs from run to run."""
    run = events[0]["run_id"]

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: plain(item) for key, item in value.items() if key not in ("time", "run_id", "seconds")}
        if isinstance(value, list):
            return [plain(item) for item in value]
        return value.replace(run, "run") if isinstance(value, str) else value

    return [plain(event) for event in events]


def test_both_twins_leave_the_same_trace() -> None:
    sync, other = (
        play(twin(name), SCRIPT, [echo_tool(), broken_tool()], answers=["this"]).result["events"] for name in TWINS
    )
    assert trace(sync) == trace(other)
    assert {event["kind"] for event in sync} == {
        "goal",
        "thought",
        "plan",
        "verdict",
        "action",
        "observation",
        "outcome",
    }


def test_the_context_graph_reads_a_run_in_one_piece(invoke: Invoke) -> None:
    result = play(invoke, SCRIPT, [echo_tool(), broken_tool()], answers=["this"]).result
    graph = ContextGraph.from_run(result).nx
    assert graph.number_of_nodes() == len(result["events"])
    assert [node for node in graph if not graph.in_degree(node)] == [result["events"][0]["id"]]
    relations = {data["relation"] for _, _, data in graph.edges(data=True)}
    assert {"led_to", "failed", "retried"} <= relations


class ParentState(TypedDict, total=False):
    goal: str
    response: str
    heard: str


def parent(loop: Any) -> Any:
    """A graph that has the loop as one of its nodes."""
    graph = StateGraph(ParentState)
    graph.add_node("assist", loop)
    graph.add_node("after", lambda state: {"heard": state["response"].upper()})
    graph.add_edge(START, "assist")
    graph.add_edge("assist", "after")
    graph.add_edge("after", END)
    return graph.compile(checkpointer=InMemorySaver())


def test_it_works_as_a_node_of_another_graph(invoke: Invoke) -> None:
    graph = parent(built([planned(response="hello")], interactive=False, checkpointer=None))
    assert invoke(graph, dict(GOAL), THREAD) == {**GOAL, "response": "hello", "heard": "HELLO"}


def test_a_question_inside_of_another_graph_pauses_that_graph(invoke: Invoke) -> None:
    loop = built([planned("a"), ask("Which?"), replanned("a"), done("A"), replanned(response="end")], checkpointer=True)
    graph = parent(loop)
    paused = invoke(graph, dict(GOAL), THREAD)
    assert paused["__interrupt__"][0].value == "Please confirm: Which?"
    assert invoke(graph, Command(resume="this"), THREAD)["heard"] == "END"


def test_the_loops_own_limit_of_nodes_is_in_force_alone_and_inside_of_another_graph(invoke: Invoke) -> None:
    seen: list[int] = []

    def look(text: str, config: RunnableConfig) -> str:
        """Look at the run."""
        seen.append(config.get("recursion_limit", 0))
        return text

    def loop() -> Any:
        model = ScriptedModel(replies=[planned("a"), act("look", "x"), done("A"), replanned(response="end")])
        return create_plan_act_graph(model, [look], interactive=False, max_steps=30)

    invoke(loop(), dict(GOAL))
    invoke(parent(loop()), dict(GOAL), THREAD)
    assert seen == [loop().config["recursion_limit"]] * 2


def remember(text: str, config: RunnableConfig) -> str:
    """Keep a text for later."""
    thread = config.get("configurable", {})["thread_id"]
    get_store().put(("notes",), thread, {"text": text})
    return f"kept for {thread}"


@pytest.mark.parametrize("timeout", [None, 30], ids=["no-limit", "limit"])
def test_a_tool_finds_the_store_and_the_configuration_of_its_run(invoke: Invoke, timeout: float | None) -> None:
    store = InMemoryStore()
    replies = [planned("a"), act("remember", "milk"), done("A"), replanned()]
    options: dict[str, Any] = {"store": store, "tool_timeout": timeout}
    result, _, _ = play(invoke, replies, [remember], **options)
    assert result["observations"][0]["result"] == "kept for 1"
    found = store.get(("notes",), "1")
    assert found is not None
    assert found.value == {"text": "milk"}


class PlainTalk(ScriptedModel):
    """Answers every goal by the goal itself."""

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        goal = str(messages[-1].content).split("goal: ")[1].split("\n")[0]
        return ChatResult(generations=[ChatGeneration(message=AIMessage(planned(response=f"{goal}!")))])


async def test_one_graph_serves_many_runs_at_once() -> None:
    graph = create_plan_act_graph(PlainTalk(replies=[]), [], interactive=False)
    results = await asyncio.gather(*(graph.ainvoke({"goal": f"number {number}"}) for number in range(50)))
    assert [result["response"] for result in results] == [f"number {number}!" for number in range(50)]
    assert len({result["events"][0]["run_id"] for result in results}) == 50


STREAMED = [planned("a"), act("echo", "x"), done("A"), replanned(response="end")]


def streamed(name: str, mode: Any) -> list[Any]:
    """Everything that a stream gives, by either twin."""
    graph = built(STREAMED)

    async def collected() -> list[Any]:
        return [piece async for piece in graph.astream(dict(GOAL), THREAD, stream_mode=mode)]

    if name == "async":
        return asyncio.run(collected())
    return list(graph.stream(dict(GOAL), THREAD, stream_mode=mode))


@pytest.mark.parametrize("name", TWINS)
def test_a_stream_of_values_ends_with_the_answer_and_only_grows(name: str) -> None:
    values = streamed(name, "values")
    assert values[-1]["response"] == "end"
    lengths = [len(value["events"]) for value in values if "events" in value]
    assert lengths == sorted(lengths)
    assert len(lengths) > 8


@pytest.mark.parametrize("name", TWINS)
def test_a_stream_of_updates_tells_of_progress_while_it_runs(name: str) -> None:
    updates = streamed(name, "updates")
    written = [node for update in updates for node, writes in update.items() if writes and "events" in writes]
    assert written == ["begin", "plan", "thought", "act", "observe", "thought", "replan", "finalize"]


@pytest.mark.parametrize("name", TWINS)
def test_a_stream_of_messages_gives_every_reply_with_its_node(name: str) -> None:
    pieces = streamed(name, "messages")
    replies = [(message.content, about["langgraph_node"]) for message, about in pieces]
    assert replies == list(zip(STREAMED, ["plan", "thought", "thought", "replan"], strict=True))
