"""A thread keeps the task of its last run: no crash and no change makes it a new one, and the same task may be given
again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.memory import InMemorySaver
from support.plan_act import THREAD, TWINS, CyclingModel, Invoke, done, planned, replanned, twin
from thoughtgraph import Verdict, create_plan_act_graph, create_reflection_graph

Make = Callable[..., Any]


def solving(**options: Any) -> Any:
    """A reflection loop that every answer ends."""
    return create_reflection_graph(
        actor=CyclingModel(replies=["fine"]), verifier=lambda task, answer: Verdict("passed"), **options
    )


def planning(**options: Any) -> Any:
    """A plan-act loop of one step."""
    model = CyclingModel(replies=[planned("go"), done("ok"), replanned(response="fine")])
    return create_plan_act_graph(model, [], **options)


KINDS = [pytest.param(solving, "task", 5, id="reflection"), pytest.param(planning, "goal", 9, id="plan_act")]
kinds = pytest.mark.parametrize(("make", "key", "steps"), KINDS)


class Crashing(InMemorySaver):
    """Crashes before it keeps a certain step, behind what the nodes of the step wrote."""

    step: int | None = None

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint."""
        if metadata.get("step") == self.step:
            raise KeyboardInterrupt
        return super().put(config, checkpoint, metadata, new_versions)


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Invoke:
    """Invoke a graph by either twin."""
    return twin(request.param)


def asked_of(graph: Any) -> str:
    """What the thread's last run was asked for."""
    return graph.get_state(THREAD).values["events"][0]["data"]["task"]


@kinds
def test_what_was_done_before_a_crash_is_not_done_again(make: Make, key: str, steps: int) -> None:
    for step in range(1, steps):
        checkpointer = Crashing()
        graph = make(checkpointer=checkpointer)
        checkpointer.step = step
        with pytest.raises(KeyboardInterrupt):
            graph.invoke({key: "first"}, THREAD, durability="sync")
        checkpointer.step = None
        graph.invoke(None, THREAD)
        assert asked_of(graph) == "first"
        graph.invoke({"messages": [HumanMessage("second")]}, THREAD)
        assert asked_of(graph) == "second", step
        graph.invoke({key: "second"}, THREAD)
        graph.invoke({key: "second"}, THREAD)


@kinds
@pytest.mark.parametrize("first", ["text", "message"])
def test_what_a_person_changed_is_of_that_run_alone(
    invoke: Invoke, make: Make, key: str, steps: int, first: str
) -> None:
    graph = make(checkpointer=InMemorySaver())
    node = {"task": "verify", "goal": "guidance"}[key]
    given = {key: "first"} if first == "text" else {"messages": [HumanMessage("first")]}
    invoke(graph, given, THREAD, interrupt_before=[node])
    graph.update_state(THREAD, {key: "changed"})
    invoke(graph, None, THREAD)
    invoke(graph, {"messages": [HumanMessage("second")]}, THREAD)
    assert asked_of(graph) == "second"


@kinds
def test_what_was_given_is_new_whatever_happens_before_the_run_begins(
    invoke: Invoke, make: Make, key: str, steps: int
) -> None:
    graph = make(checkpointer=InMemorySaver())
    runs: set[str] = set()
    for _ in range(3):
        invoke(graph, {key: "same"}, THREAD, interrupt_before=["begin"])
        graph.update_state(THREAD, {"usage": {}}, as_node="__start__")
        invoke(graph, None, THREAD)
        runs.add(graph.get_state(THREAD).values["run_id"])
    assert len(runs) == 3
    with pytest.raises(ValueError, match=f"there is no new {key}"):
        invoke(graph, {key: None}, THREAD)
