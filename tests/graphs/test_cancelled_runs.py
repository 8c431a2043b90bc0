"""A run that is canceled, in whatever turn of the event loop, can be taken up again."""

from __future__ import annotations

import asyncio
import itertools
import json
from typing import Any

import pytest
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from support.modes import EXTERNAL_LOOP, MODES, TASK, THREAD, Mode, critic_for, critique
from thoughtgraph import Verdict, create_plan_act_graph, create_reflection_graph
from thoughtgraph.traces import astream_trace

TURNS = range(0, 2_000, 7)
"""Turns after which a run is canceled: the last ones come after the end of any of these runs."""


def in_vain(given: Any) -> Any:
    raise AssertionError("an async run asks the async twin")


class Slow(AsyncCallbackHandler):
    """A tracer that takes its time over every node and edge."""

    async def on_chain_start(self, *args: Any, **kwargs: Any) -> None:
        """Wait a turn."""
        await asyncio.sleep(0)

    async def on_chain_end(self, *args: Any, **kwargs: Any) -> None:
        """Wait a turn."""
        await asyncio.sleep(0)


async def canceled_after(turns: int, graph: Any, given: Any, callbacks: list[Any]) -> bool:
    """Whether the run was still going on after so many turns of the event loop, and has been canceled."""

    async def read() -> None:
        config: Any = {**THREAD, "callbacks": callbacks}
        async for _ in graph.astream(given, config, stream_mode="updates", subgraphs=True):
            pass

    run = asyncio.create_task(read())
    for _ in range(turns):
        await asyncio.sleep(0)
    if run.done():
        await run
        return False
    run.cancel()
    await asyncio.gather(run, return_exceptions=True)
    return True


async def resumed(graph: Any, given: Any, config: Any) -> dict[str, Any]:
    """What the run comes to, from its last checkpoint, or from the start where it had none yet."""
    stored = await graph.checkpointer.aget_tuple(config)
    return await graph.ainvoke(None if stored else given, config)


def reflecting(mode: Mode) -> Any:
    """A loop that passes with its fourth reply at the latest; each is an answer and a reflection alike."""
    numbers = itertools.count(1)

    async def write(messages: Any) -> AIMessage:
        number = next(numbers)
        return AIMessage(f"[Mistake]\nIt was {number}.\n[Next time]\nSay {number + 1}.")

    async def judge(task: str, answer: str) -> Verdict:
        return Verdict("passed") if int(answer.split("was ")[1].split(".")[0]) > 3 else Verdict("failed", "too small")

    async def criticize(messages: Any) -> AIMessage:
        return AIMessage(critique(False))

    return create_reflection_graph(
        mode.name,
        actor=RunnableLambda(in_vain, write),
        critic=critic_for(mode.name, RunnableLambda(in_vain, criticize)),
        verifier=judge,
        checkpointer=InMemorySaver(),
        max_attempts=9,
        patience=50,
        form_repairs=0,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "callbacks"),
    [*((mode, []) for mode in MODES), (EXTERNAL_LOOP, [Slow()])],
    ids=lambda value: value.name if isinstance(value, Mode) else "traced" if value else "untraced",
)
async def test_a_canceled_reflection_run_goes_on_to_its_end(mode: Mode, callbacks: list[Any]) -> None:
    turns = 0
    for turns in TURNS:
        graph = reflecting(mode)
        going = await canceled_after(turns, graph, dict(TASK), callbacks)
        if not going:
            break
        result = await resumed(graph, dict(TASK), THREAD)
        assert result["stop_reason"]["kind"] == "passed", f"canceled after {turns} turns"
    assert 20 < turns < TURNS[-1]


async def say(text: str) -> str:
    """Say a text."""
    return f"said {text}"


def acting() -> Any:
    """A plan-act loop over one call, whose model answers from what it is shown, so that no reply is lost."""
    replies: list[Any] = [
        {"status": "planned", "plan": ["say it"]},
        {"status": "continue", "next_action": {"tool": "say", "input": "hi"}},
        {"status": "done", "response": "said"},
        {"status": "replanned", "plan": [], "response": "All said."},
    ]

    examples: list[int] = []

    async def answer(messages: Any) -> AIMessage:
        shown = sum(message.type == "ai" for message in messages)
        examples.append(shown)
        return AIMessage(json.dumps(replies[shown - examples[0]]))

    model = RunnableLambda(in_vain, answer)
    return create_plan_act_graph(model, [say], interactive=False, checkpointer=InMemorySaver())


@pytest.mark.slow
@pytest.mark.parametrize("callbacks", [[], [Slow()]], ids=["untraced", "traced"])
async def test_a_canceled_plan_act_run_goes_on_to_its_end(callbacks: list[Any]) -> None:
    goal = {"goal": "Say hi."}
    turns = 0
    for turns in TURNS:
        graph = acting()
        if not await canceled_after(turns, graph, goal, callbacks):
            break
        result = await resumed(graph, goal, THREAD)
        assert result["response"] == "All said.", f"canceled after {turns} turns"
    assert 20 < turns < TURNS[-1]


@pytest.mark.parametrize("batches", range(1, 7))
async def test_so_does_one_whose_trace_nobody_reads_to_its_end(batches: int) -> None:
    graph = acting()
    trace = astream_trace(graph, {"goal": "Say hi."}, THREAD, interval=0)
    for _ in range(batches):
        await anext(trace)
    await trace.aclose()
    assert (await resumed(graph, {}, THREAD))["response"] == "All said."


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["updates", "values"])
async def test_the_one_who_cancels_a_traced_run_is_obeyed(mode: Any) -> None:
    """Without a stream of messages, a node runs in the task of the caller, who has to see the cancellation."""
    goal = {"goal": "Say hi."}
    config: Any = {**THREAD, "callbacks": [Slow()]}
    turns = 0
    for turns in TURNS:
        graph = acting()
        run: asyncio.Task[Any] = asyncio.create_task(graph.ainvoke(goal, config, stream_mode=mode))
        for _ in range(turns):
            await asyncio.sleep(0)
        if run.done():
            break
        run.cancel()
        await asyncio.wait([run])
        assert run.cancelled(), f"canceled after {turns} turns"
        assert (await resumed(graph, goal, THREAD))["response"] == "All said.", f"canceled after {turns} turns"
    assert 20 < turns < TURNS[-1]
