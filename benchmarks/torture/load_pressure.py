"""Back-pressure: never more at once than allowed, nothing taken too early, and consumers that are slow or leave."""

from __future__ import annotations

import asyncio
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from typing import Annotated, Any, TypedDict

from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatResult
from langgraph.graph import END, START, StateGraph
from load_child import Found, held, leftovers
from load_model import ATTEMPTS, TAG, Seen, TaggedModel, answer, build, verdict
from thoughtgraph import Verdict
from thoughtgraph._internal.channel import appended
from thoughtgraph.evaluation.datasets import Task
from thoughtgraph.evaluation.many import arun_many, asolve_many
from thoughtgraph.evaluation.results import TaskResult
from thoughtgraph.traces import Event, astream_trace, recording, stream_trace

TASKS = 100_000
EVENTS, EVENT_BYTES = 200, 10_000


class _Sometimes(TaggedModel):
    """Breaks in the runs of some tags."""

    async def _agenerate(self, messages: list[BaseMessage], *args: Any, **options: Any) -> ChatResult:
        if any(_fate(tag) == "error" for message in messages for tag in TAG.findall(str(message.content))):
            raise ValueError("this model is broken")
        return await super()._agenerate(messages, *args, **options)


def _fate(tag: str) -> str:
    return {"3": "error", "7": "cancelled"}.get(tag[-1], "")


def limited(entry: str, limit: int, wanted: int) -> Found:
    """Take so many results of a hundred thousand tasks with so many runs at a time, and then stop."""
    seen, results, taken = Seen(), list[TaskResult](), list[int]()
    broke: list[str] = []
    model = _Sometimes(seen, seconds=0.002)

    def tasks() -> Iterator[Task]:
        for number in range(TASKS):
            taken.append(number)
            yield Task(f"t{number}", f"Be right about #t{number}#.", "", "", "")

    async def judged(task: str, given: str) -> Verdict:
        # A cancellation that nobody has asked for, as one of an HTTP client's own scopes may let out.
        if _fate(TAG.findall(task)[0]) == "cancelled":
            raise asyncio.CancelledError
        return verdict(task, given, seen)

    enough = asyncio.Event()

    def tell(result: TaskResult) -> None:
        results.append(result)
        if len(taken) > len(results) + limit:
            broke.append(f"{entry}: {len(taken)} tasks taken at the result number {len(results)}, {limit} at a time")
        if len(results) == wanted:
            enough.set()

    async def stopped() -> None:
        options: dict[str, Any] = {"concurrency": limit, "on_result": tell}
        if entry == "arun_many":
            many = arun_many(lambda task: build("external_loop", model, seen, verifier=judged), tasks(), **options)
        else:
            many = asolve_many(model, tasks(), **options)
        run, waiting = asyncio.create_task(many), asyncio.create_task(enough.wait())
        await asyncio.wait({run, waiting}, return_when=asyncio.FIRST_COMPLETED)
        run.cancel()
        waiting.cancel()
        with suppress(asyncio.CancelledError):
            await run
            broke.append(f"{entry}: came to its end after it was cancelled")
        called = seen.calls
        await asyncio.sleep(0.05)
        others = asyncio.all_tasks() - {asyncio.current_task()}
        broke.extend(f"{entry}: left the task {task.get_coro()}"[:200] for task in others)
        if seen.calls > called:
            broke.append(f"{entry}: {seen.calls - called} model calls after it was cancelled")

    before = held()
    with asyncio.Runner() as runner:
        runner.run(stopped())
    if not 0 < seen.most <= limit or (limit <= 8 and seen.most * 2 < limit):
        broke.append(f"{entry}: {seen.most} model calls at once with a limit of {limit}")
    for result in results:
        broke += _wrong(entry, result)
    broke += [f"{entry}: left {thing}" for thing in leftovers(before, 2)]
    return Found(len(results), broke[:50])


def _wrong(entry: str, result: TaskResult) -> list[str]:
    """A run that fails is told as failed; every other one has its own answer."""
    fate = _fate(result.task_id)
    # Nothing verifies in `asolve_many`, whose tasks have no tests: the first answer is kept.
    right = answer(result.task_id, ATTEMPTS if entry == "arun_many" else 1)
    kind = result.stop_reason["kind"]
    if fate == "error" or (fate == "cancelled" and entry == "arun_many"):
        return [] if kind == "error" else [f"{entry}, {result.task_id}: is told as {kind}"]
    if result.answer == right:
        return []
    return [f"{entry}, {result.task_id}: {kind}, {result.answer!r}, {result.stop_reason['value']}"]


class _Traced(TypedDict):
    events: Annotated[list[Event], appended()]


def _long_run() -> Any:
    """A graph with many large events."""

    def node(state: _Traced) -> Any:
        with recording("long", len(state["events"])) as recorder:
            recorder.add("observation", result=f"{len(state['events'])}" + "x" * EVENT_BYTES)
        return {"events": recorder.events}

    graph = StateGraph(_Traced)
    graph.add_node("node", node)
    graph.add_edge(START, "node")
    graph.add_conditional_edges(
        "node", lambda state: END if len(state["events"]) >= EVENTS else "node", {END: END, "node": "node"}
    )
    return graph.compile().with_config(recursion_limit=EVENTS + 10)


def _most_bytes(run: Any) -> int:
    tracemalloc.start()
    run()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def slow_consumer() -> Found:
    """A consumer that looks away until the run is over: no event lost, and no more memory than the run itself takes."""
    graph, start = _long_run(), {"events": []}
    graph.invoke(start)
    broke: list[str] = []
    alone = _most_bytes(lambda: graph.invoke(start))

    def seqs(batches: list[list[Event]]) -> list[int]:
        return [event["seq"] for batch in batches for event in batch]

    def sync() -> None:
        batches = stream_trace(graph, start, interval=0.0)
        first = next(batches)
        before = held()
        # The run's thread is the only one that can end.
        while held().threads == before.threads:
            pass
        if seqs([first, *batches]) != list(range(EVENTS)):
            broke.append("stream_trace lost events of a slow consumer")

    async def looked_away() -> list[list[Event]]:
        batches: list[list[Event]] = []
        async for batch in astream_trace(graph, start, interval=0.0):
            batches.append(batch)
            await asyncio.sleep(0.3 if len(batches) == 1 else 0)
        return batches

    def asynchronous() -> None:
        if seqs(asyncio.run(looked_away())) != list(range(EVENTS)):
            broke.append("astream_trace lost events of a slow consumer")

    for name, run in (("stream_trace", sync), ("astream_trace", asynchronous)):
        most = _most_bytes(run)
        if most > alone * 1.5:
            broke.append(f"{name}: {most / 1e6:.1f} MB with a slow consumer, {alone / 1e6:.1f} MB without")
    return Found(2 * EVENTS, broke)


def leaving_consumers(count: int) -> Found:
    """Consumers that leave after the first batch, some of them without a word: no run goes on for them."""
    graph, start = _long_run(), {"events": []}
    before = held()

    async def leave(tidily: bool) -> None:
        stream = astream_trace(graph, start, interval=0.0)
        await anext(stream)
        if tidily:
            await stream.aclose()

    for number in range(count):
        batches = stream_trace(graph, start, interval=0.0)
        next(batches)
        if number % 2:
            batches.close()
        del batches
        asyncio.run(leave(bool(number % 2)))
    return Found(2 * count, [f"a consumer that left: {thing}" for thing in leftovers(before, 3)])
