"""Runs of every kind of loop, in which every kind of event comes with every field that it can have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command
from support.modes import MODES, TASK, Judge, always, wrong
from support.paired import ask as pair_input
from support.paired import objects, says
from support.plan_act import (
    GOAL,
    THREAD,
    act,
    acts,
    ask,
    broken_tool,
    done,
    echo_tool,
    parallel,
    plan_step,
    planned,
    replanned,
    with_call,
)
from support.scripted import ScriptedModel
from thoughtgraph import Verdict, create_plan_act_graph, create_reflection_graph, think_with_retry
from thoughtgraph.errors import ParseFailedError, ParserContractError, TruncatedError
from thoughtgraph.graphs.reflection.pair import pair_graphs
from thoughtgraph.memory import FailureMemory
from thoughtgraph.tools import solver_tool
from thoughtgraph.traces import recording
from thoughtgraph.traces.events import Event


def reflected(name: str) -> list[Event]:
    """Runs of a mode: right at once and later, repeated, unreadable, out of attempts, unverified, without a model."""
    mode = next(mode for mode in MODES if mode.name == name)
    answers: list[list[str | None]] = [
        ["right"],
        [wrong(0.1), wrong(0.2), "right"],
        [wrong(0.1), wrong(0.1), wrong(0.2)],
        [None, "right"],
    ]
    scripts = [mode.script(each) for each in answers]
    if mode.judges:
        scripts.append(mode.script([wrong(0.1), "right"], verified=False))
    found = [event for script in scripts for event in script.graph(max_attempts=3).invoke(TASK)["events"]]
    lost = ScriptedModel(replies=[wrong(0.1), *[ConnectionError("gone")] * 9])
    graph = create_reflection_graph(name, actor=lost, verifier=always(Verdict("failed", "no")))
    odd = always(cast(Any, Verdict("failed", "no", 0.5, "odd", {"path": Path("x"), "loss": float("nan")}, "form")))
    gone = ScriptedModel(replies=[ConnectionError("gone")] * 9)
    cascade = create_reflection_graph(name, actor=[gone, ScriptedModel(replies=["right"])], verifier=Judge())
    graphs = [graph, cascade, create_reflection_graph(actor=ScriptedModel(replies=["a"]), verifier=odd, max_attempts=1)]
    return [*found, *(event for each in graphs for event in each.invoke(TASK)["events"])]


def unread() -> list[Event]:
    """A critique that nobody can read, and a verifier that raises."""

    def broken(task: str, answer: str) -> Verdict:
        raise OSError("no disk")

    actor = ScriptedModel(replies=["x"])
    graph = create_reflection_graph("actor_critic", actor=actor, critic=ScriptedModel(replies=["?"] * 9))
    run = create_reflection_graph(actor=ScriptedModel(replies=["x"]), verifier=broken).invoke(TASK)
    return [*graph.invoke(TASK)["events"], *run["events"]]


def remembered() -> list[Event]:
    """A run that recalls what an earlier one has learned."""
    memory = FailureMemory(InMemoryStore())
    found: list[Event] = []
    for replies in ([wrong(0.1), "right"], ["right"]):
        script = MODES[0].script(replies)
        found += script.graph(memory=memory).invoke(TASK)["events"]
    return found


def planned_and_done() -> list[Event]:
    """A plan-act run with a question, a solver, failed tools, refused calls, and a plan that is mended."""
    solver = solver_tool(
        create_reflection_graph(actor=ScriptedModel(replies=["4"]), verifier=always(Verdict("passed")))
    )
    replies = [
        "no plan",
        planned({"step": "a", "tool": "nothing", "requires": [9]}, "b"),
        planned({"step": "a", "tool": "nothing", "requires": [9]}, "b"),
        act("nothing", "x"),
        act("solve", "2 + 2"),
        act("broken", {"text": "x"}),
        *[act("echo", "x")] * 4,
        ask("Which?"),
        replanned("b"),
        done("B"),
        replanned(response="end"),
    ]
    graph = create_plan_act_graph(
        ScriptedModel(replies=replies), [echo_tool(), broken_tool(), solver], checkpointer=InMemorySaver()
    )
    result = graph.invoke(dict(GOAL), THREAD)
    assert "__interrupt__" in result
    return graph.invoke(Command(resume="this"), THREAD)["events"]


def planned_and_ended() -> list[Event]:
    """Plan-act runs that come to nothing: out of steps, cancelled, unreadable, without a model, at once, held back."""

    def flaky(text: str) -> str:
        """Fail for a while."""
        raise TimeoutError("slow")

    def with_odd_events(text: str) -> Any:
        """Return what is no trace."""
        return text, {"events": [3]}

    def pay_bill(amount: float) -> str:
        """Pay a bill."""
        return "paid"

    odd = StructuredTool.from_function(with_odd_events, name="odd", response_format="content_and_artifact")
    scripts: list[list[Any]] = [
        [planned("a"), act("flaky", "x"), act("odd", "x"), act("odd", "y"), "best"],
        ["?"] * 30,
        [ConnectionError("gone")] * 9,
        [planned(response="At once.")],
        [planned("a"), done("A"), replanned("a")],
        [with_call(planned("a"), "echo", "x"), done("A")],
        [planned("a"), AIMessage("cut", response_metadata={"finish_reason": "length"}), done("A"), replanned()],
        ["Hello! How can I help?"] * 2,
        [planned("a"), act("echo", "x" * 10_000), "many x", done("A"), replanned()],
        [planned("a"), act("pay_bill", {"amount": 777}), done("Not paid."), replanned()],
    ]
    found: list[Event] = []
    for replies in scripts:
        tools = [flaky, odd, echo_tool(), pay_bill]
        model = ScriptedModel(replies=replies)
        graph = create_plan_act_graph(model, tools, interactive=False, max_steps=4, summarize_results=True)
        found += graph.invoke({**GOAL, "background": "User: Hi!"})["events"]
    return found


def done_at_once() -> list[Event]:
    """A plan-act run that works on two steps at once."""
    replies = [
        planned(plan_step("a", "echo"), plan_step("b", "echo")),
        acts(("echo", "a"), ("echo", "b")),
        done("both"),
    ]
    model = ScriptedModel(replies=[*replies, replanned(response="end")])
    echo = parallel(echo_tool())
    echo.metadata = {**(echo.metadata or {}), "context": lambda told: "an echo is near"}
    graph = create_plan_act_graph(model, [echo], interactive=False)
    return graph.invoke(dict(GOAL))["events"]


def in_pairs() -> list[Event]:
    """Pairs of graphs: accepted, rejected to the end, without an answer."""
    pairs = [(says("4", "7"), objects("no", "")), (says("4", "4"), objects("no", "no")), (says(""), objects(""))]
    graphs = [pair_graphs(*pair).compile() for pair in pairs]
    return [event for graph in graphs for event in graph.invoke(pair_input())["events"]]


def thought_over() -> list[Event]:
    """`think_with_retry` outside of a loop: refused, cut off, circling, given up, over a broken parser."""

    def wants_yes(raw_reply: str) -> Any:
        accepted = raw_reply == "yes"
        return {"status": "success", "content": 1} if accepted else {"status": "error", "feedback": "Say yes."}

    names = {"model_name": "scripted-1", "model_provider": "scripted"}
    cut = AIMessage("ye", response_metadata={"finish_reason": "length", **names})
    likely = {"logprobs": {"content": [{"token": "x", "logprob": -0.5}]}}
    circling = AIMessage("It is the same again.\n" * 40, response_metadata={"finish_reason": "length", **likely})
    with recording() as recorder:
        think_with_retry(ScriptedModel(replies=["no", cut, "no", circling, "yes"]), "Go.", wants_yes, max_retries=4)
        with pytest.raises(ParseFailedError):
            think_with_retry(ScriptedModel(replies=["no"] * 3), "Go.", wants_yes)
        with pytest.raises(TruncatedError):
            think_with_retry(ScriptedModel(replies=[cut, cut]), "Go.", wants_yes)
        gone = ScriptedModel(replies=[ConnectionError("gone")] * 9)
        think_with_retry([gone, ScriptedModel(replies=["yes"])], "Go.", wants_yes)
        usage: Any = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2, "total_cost": 0}
        think_with_retry(ScriptedModel(replies=[AIMessage("yes", usage_metadata=usage)]), "Go.", wants_yes)
        with pytest.raises(ParserContractError):
            think_with_retry(ScriptedModel(replies=["x"]), "Go.", cast(Any, lambda raw_reply: 3))
    return recorder.events


WRITERS: dict[str, Callable[[], list[Event]]] = {
    **{mode.name: (lambda name=mode.name: reflected(name)) for mode in MODES},
    "unread": unread,
    "remembered": remembered,
    "planned_and_done": planned_and_done,
    "planned_and_ended": planned_and_ended,
    "done_at_once": done_at_once,
    "in_pairs": in_pairs,
    "thought_over": thought_over,
}
"""What writes events, by name."""
