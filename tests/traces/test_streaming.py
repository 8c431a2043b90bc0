"""A run's events while it runs: all of them, in order, filtered, in batches, up to the end or the error (row C8)."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Collection
from contextlib import aclosing
from contextvars import ContextVar
from typing import Annotated, Any, TypedDict, cast

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Overwrite, Send
from support.scripted import ScriptedModel, code
from thoughtgraph import PythonTests, create_plan_act_graph, create_reflection_graph
from thoughtgraph._internal.channel import appended, written
from thoughtgraph.errors import VerifierContractError
from thoughtgraph.traces import Event, astream_trace, recording, stream_trace
from thoughtgraph.traces.streaming import events_in

twins = pytest.mark.parametrize("twin", ["sync", "async"])
THREAD: Any = {"configurable": {"thread_id": "1"}}
PATIENCE = 10.0
"""Seconds after which a test gives up on what should have come long ago."""


async def collected(twin: str, graph: Any, given: Any, config: Any = None, **options: Any) -> list[list[Event]]:
    """All batches of a run by either twin."""
    if twin == "sync":
        return list(stream_trace(graph, given, config, **options))
    return [batch async for batch in astream_trace(graph, given, config, **options)]


def flat(batches: Collection[Collection[Event]]) -> list[Event]:
    return [event for batch in batches for event in batch]


def say(text: str) -> str:
    """Say a text."""
    return text


def assistant(*, interactive: bool = False) -> Any:
    """A plan-act graph that says one thing, after a question where it may ask."""
    asks = [{"status": "ask_user", "question": "Which?"}, {"status": "replanned", "plan": ["say it"]}]
    replies = [
        {"status": "planned", "plan": ["say it"]},
        *(asks if interactive else []),
        {"status": "continue", "next_action": {"tool": "say", "input": "hi"}},
        {"status": "done", "response": "said"},
        {"status": "replanned", "plan": [], "response": "All said."},
    ]
    model = ScriptedModel(replies=[json.dumps(reply) for reply in replies])
    return create_plan_act_graph(model, [say], interactive=interactive, checkpointer=InMemorySaver())


def solver() -> Any:
    """An external loop that succeeds at the second attempt."""
    replies = [code("def double(x):\n    return x - 1"), code("def double(x):\n    return x * 2")]
    verifier = PythonTests("assert double(2) == 4")
    return create_reflection_graph(
        actor=ScriptedModel(replies=replies), verifier=verifier, checkpointer=InMemorySaver()
    )


GRAPHS: dict[str, tuple[Callable[[], Any], dict[str, str]]] = {
    "plan-act": (assistant, {"goal": "Say hi."}),
    "external loop": (solver, {"task": "Write `double(x)`."}),
}


@twins
@pytest.mark.parametrize(("build", "given"), GRAPHS.values(), ids=GRAPHS)
@pytest.mark.parametrize("interval", [0.0, 0.1, 60.0], ids=lambda seconds: f"{seconds} s")
async def test_every_event_of_the_run_comes_once_and_in_order(
    twin: str, build: Callable[[], Any], given: dict[str, str], interval: float
) -> None:
    graph = build()
    batches = await collected(twin, graph, given, THREAD, interval=interval)
    assert all(batches)
    assert flat(batches) == graph.get_state(THREAD).values["events"]
    assert [event["seq"] for event in flat(batches)] == list(range(len(flat(batches))))


@twins
async def test_only_the_kinds_asked_for_come(twin: str) -> None:
    batches = await collected(twin, solver(), {"task": "Write it."}, THREAD, kinds=["verdict", "attempt"], interval=0)
    assert [event["kind"] for event in flat(batches)] == ["attempt", "verdict", "attempt", "verdict"]
    assert all(batches)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"kinds": ["attempt", "thoughts"]}, "no event is of kind thoughts: choose some of action, attempt, critique"),
        ({"kinds": [5, ["plan"]]}, r"no event is of kind 5, \['plan'\]: choose some of action, attempt, critique"),
        ({"kinds": "attempt"}, "kinds has to be a list of kinds of events, got 'attempt'"),
        ({"kinds": ""}, "kinds has to be a list of kinds of events, got ''"),
        ({"kinds": 5}, "kinds has to be a list of kinds of events, got 5"),
        ({"interval": "long"}, "interval has to be a number, got 'long'"),
    ],
)
@pytest.mark.parametrize("start", [stream_trace, astream_trace], ids=["sync", "async"])
def test_an_unknown_kind_is_refused_before_the_run_starts(start: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        start(solver(), {"task": "Write it."}, THREAD, **options)


@twins
async def test_a_burst_is_one_batch_which_does_not_wait_once_the_run_has_ended(twin: str) -> None:
    (batch,) = await collected(twin, assistant(), {"goal": "Say hi."}, THREAD, interval=3_600.0)
    assert [batch[0]["kind"], batch[-1]["kind"]] == ["goal", "outcome"]


@twins
async def test_a_pause_ends_the_stream_and_its_resumption_brings_the_new_events_alone(twin: str) -> None:
    graph = assistant(interactive=True)
    before = flat(await collected(twin, graph, {"goal": "Say it."}, THREAD))
    after = flat(await collected(twin, graph, Command(resume="hi"), THREAD))
    assert graph.get_state(THREAD).values["events"] == before + after
    assert (before[-1]["kind"], after[0]["data"]["result"], after[-1]["kind"]) == ("thought", "hi", "outcome")


@twins
async def test_an_error_of_the_run_comes_after_the_events_before_it(twin: str) -> None:
    verifier = cast(Any, lambda task, answer: answer + "!")  # pyright: ignore[reportUnknownLambdaType]
    graph = create_reflection_graph(actor=ScriptedModel(replies=["42"]), verifier=verifier)
    seen: list[Event] = []
    with pytest.raises(VerifierContractError):
        if twin == "sync":
            for batch in stream_trace(graph, {"task": "Compute."}):
                seen += batch
        else:
            async for batch in astream_trace(graph, {"task": "Compute."}):
                seen += batch
    assert [event["kind"] for event in seen] == ["goal", "thought", "attempt"]


@twins
async def test_options_reach_the_graphs_own_stream(twin: str) -> None:
    graph = assistant()
    batches = await collected(twin, graph, {"goal": "Say hi."}, THREAD, interrupt_before=["act"])
    assert [event["kind"] for event in flat(batches)] == ["goal", "thought", "plan", "thought"]
    assert graph.get_state(THREAD).next == ("act",)


class Traced(TypedDict):
    """The one channel that a stream of events needs."""

    events: Annotated[list[Event], appended()]


def line(*effects: Callable[[], object]) -> Any:
    """A graph with a node for each effect, one behind the other; each records what its effect returns."""

    def node(effect: Callable[[], object]) -> Callable[[Traced], Any]:
        def traced(state: Traced) -> Any:
            with recording("line", len(state["events"])) as recorder:
                recorder.add("observation", result=effect())
            return {"events": recorder.events}

        return traced

    graph = StateGraph(Traced)
    names = [f"n{number}" for number in range(len(effects))]
    for name, effect in zip(names, effects, strict=True):
        graph.add_node(name, node(effect))
    for one, other in zip([START, *names], [*names, END], strict=True):
        graph.add_edge(one, other)
    return graph.compile()


def results(batch: Collection[Event]) -> list[object]:
    return [event["data"]["result"] for event in batch]


async def noticed(twin: str, graph: Any, received: threading.Event, **options: Any) -> list[list[Event]]:
    """All batches of a run that learns when the first one has arrived."""
    batches: list[list[Event]] = []
    if twin == "sync":
        for batch in stream_trace(graph, {"events": []}, **options):
            batches.append(batch)
            received.set()
    else:
        async for batch in astream_trace(graph, {"events": []}, **options):
            batches.append(batch)
            received.set()
    return batches


@twins
async def test_a_batch_is_handed_over_while_the_next_node_still_runs(twin: str) -> None:
    received = threading.Event()
    graph = line(lambda: "first", lambda: received.wait(PATIENCE))
    batches = await noticed(twin, graph, received, interval=0.01)
    assert [results(batch) for batch in batches] == [["first"], [True]]


@twins
async def test_a_steady_flow_of_events_does_not_hold_a_batch_back(twin: str) -> None:
    received = threading.Event()
    graph = line(*[lambda: received.wait(0.03)] * 50)
    batches = await noticed(twin, graph, received, interval=0.1)
    assert results(batches[0])[-1] is False
    assert results(batches[-1])[-1] is True


def test_what_came_while_the_consumer_was_busy_is_one_batch() -> None:
    received, before = threading.Event(), set(threading.enumerate())
    graph = line(lambda: 0, lambda: received.wait(PATIENCE), lambda: 2, lambda: 3)
    batches = stream_trace(graph, {"events": []}, interval=0.0)
    assert results(next(batches)) == [0]
    workers = set(threading.enumerate()) - before
    received.set()
    for worker in workers:
        worker.join(PATIENCE)
    assert [results(batch) for batch in batches] == [[True, 2, 3]]


def test_closing_early_ends_the_run_at_its_next_update_and_its_thread() -> None:
    closed, late, before = threading.Event(), list[str](), set(threading.enumerate())
    graph = line(lambda: 0, lambda: closed.wait(PATIENCE), lambda: 2, lambda: late.append("ran"))
    batches = stream_trace(graph, {"events": []}, interval=0.0)
    next(batches)
    workers = set(threading.enumerate()) - before
    batches.close()
    closed.set()
    for worker in workers:
        worker.join(PATIENCE)
    assert workers
    assert not any(worker.is_alive() for worker in workers)
    assert late == []


async def test_closing_early_cancels_the_run_of_the_async_twin() -> None:
    closed, late, before = threading.Event(), list[str](), asyncio.all_tasks()
    graph = line(lambda: 0, lambda: closed.wait(PATIENCE), lambda: late.append("ran"))
    async with aclosing(astream_trace(graph, {"events": []}, interval=0.0)) as batches:
        await anext(batches)
        started = asyncio.all_tasks() - before
    closed.set()
    assert started
    assert all(task.done() for task in started)
    assert late == []


@twins
async def test_the_run_sees_the_context_of_its_consumer(twin: str) -> None:
    user = ContextVar("user", default="nobody")
    user.set("Ada")
    assert results(flat(await collected(twin, line(user.get), {"events": []}))) == ["Ada"]


@twins
async def test_events_of_a_node_that_ran_several_times_in_one_step_all_come(twin: str) -> None:
    def worker(state: dict[str, int]) -> Any:
        with recording(f"worker {state['number']}") as recorder:
            recorder.add("observation", result=state["number"])
        return {"events": recorder.events}

    graph = StateGraph(Traced)
    graph.add_node("worker", worker)
    graph.add_conditional_edges(START, lambda _: [Send("worker", {"number": n}) for n in range(3)], ["worker"])
    batches = await collected(twin, graph.compile(), {"events": []})
    # In the order in which they ended, which is anyone's guess.
    assert sorted(results(flat(batches))) == [0, 1, 2]


EVENT = cast(Event, {"kind": "goal"})


@pytest.mark.parametrize(
    ("changes", "events"),
    [
        ({"events": [EVENT]}, [EVENT]),
        ({"events": Overwrite([EVENT])}, [EVENT]),
        ([{"events": [EVENT]}, {"events": [EVENT]}], [EVENT, EVENT]),
        ({"events": None}, []),
        ({"answer": "42"}, []),
        (None, []),
        (("an interrupt",), []),
    ],
    ids=["list", "overwrite", "several runs", "nothing", "another channel", "no change", "pause"],
)
def test_events_are_found_in_every_shape_of_an_update(changes: Any, events: list[Event]) -> None:
    assert events_in({"node": changes}) == events


def test_what_a_node_wrote_can_be_changed_without_harm() -> None:
    change = Overwrite([1, 2])
    written(change).append(3)
    assert written(change) == [1, 2]


@pytest.mark.parametrize("graph", [None, StateGraph(dict)], ids=["nothing", "a builder"])
@pytest.mark.parametrize("start", [stream_trace, astream_trace], ids=["sync", "async"])
def test_what_is_no_compiled_graph_is_refused_at_once(start: Any, graph: Any) -> None:
    with pytest.raises(ValueError, match=r"a compiled graph, got .*; a builder has `compile\(\)`"):
        start(graph, {"task": "Add."})


@pytest.mark.parametrize(
    "options", [{"stream_mode": "values"}, {"subgraphs": False}, {"output_keys": "answer"}], ids=str
)
def test_options_that_change_the_form_of_the_stream_are_refused_at_once(options: Any) -> None:
    for stream in (stream_trace, astream_trace):
        with pytest.raises(ValueError, match=f"which {next(iter(options))} would change"):
            stream(cast(Any, None), {}, **options)
        with pytest.raises(ValueError, match="which version would change"):
            stream(cast(Any, None), {}, version="v2")
