"""A loop with a thread of its own inside of a graph that was resumed: it begins if it had not, and else goes on."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command
from support.plan_act import THREAD, TWINS, CyclingModel, Invoke, planned, twin
from thoughtgraph import Verdict, create_plan_act_graph, create_reflection_graph
from thoughtgraph.tools.verifiers import HumanVerifier
from typing_extensions import TypedDict

pytestmark = pytest.mark.slow


class Around(TypedDict):
    """The state of the graph around the loop."""

    goal: str
    task: str
    events: list[Any]


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Invoke:
    """Invoke a graph by either twin."""
    return twin(request.param)


def around(loop: Any, called: bool, **options: Any) -> Any:
    """A graph around a loop, which is its node, or is called by it."""

    def call(state: Around) -> Any:
        return {"events": loop.invoke({key: state[key] for key in ("goal", "task") if key in loop.channels})["events"]}

    graph = StateGraph(Around).add_node("loop", call if called else loop).add_edge(START, "loop")
    return graph.compile(**options)


def solving(model: CyclingModel) -> Any:
    """A reflection loop that its first answer ends."""
    return create_reflection_graph(actor=model, verifier=lambda task, answer: Verdict("passed"), checkpointer=True)


def planning(model: CyclingModel) -> Any:
    """A plan-act loop that its first plan ends."""
    return create_plan_act_graph(model, [], checkpointer=True)


def answering() -> CyclingModel:
    """A model whose every reply is an answer, and a plan with one."""
    return CyclingModel(replies=[planned(response="fine")])


both = pytest.mark.parametrize("make", [solving, planning])
ways = pytest.mark.parametrize("called", [False, True], ids=["node", "called"])


def asked_of(result: Any) -> str:
    """What the loop was asked for."""
    return result["events"][0]["data"]["task"]


@both
@ways
def test_a_loop_before_which_the_graph_around_it_waited_does_what_it_is_asked(
    invoke: Invoke, make: Any, called: bool
) -> None:
    model = answering()
    graph = around(make(model), called, checkpointer=InMemorySaver(), interrupt_before=["loop"])
    for number in range(1, 4):
        invoke(graph, {"goal": f"goal {number}", "task": f"goal {number}"}, THREAD)
        assert asked_of(invoke(graph, None, THREAD)) == f"goal {number}"
        assert len(model.requests) == number


def test_of_several_calls_by_one_node_each_does_what_it_is_asked(invoke: Invoke) -> None:
    loop = create_reflection_graph(actor=answering(), verifier=HumanVerifier(), checkpointer=True)

    def call(state: Around) -> Any:
        return {"events": [asked_of(loop.invoke({"task": f"{state['task']} {name}"})) for name in "ab"]}

    graph = StateGraph(Around).add_node("call", call).add_edge(START, "call").compile(InMemorySaver())
    for task in ("first", "second", "third"):
        judged: list[str] = []
        result = invoke(graph, {"task": task}, THREAD)
        while "__interrupt__" in result:
            judged.append(result["__interrupt__"][0].value["task"])
            result = invoke(graph, Command(resume="yes"), THREAD)
        assert judged == result["events"] == [f"{task} a", f"{task} b"]


class Crashing(InMemorySaver):
    """Crashes at one of its writes."""

    left = 0

    def put(self, config: RunnableConfig, *rest: Any) -> RunnableConfig:
        """Keep a checkpoint."""
        self._count()
        return super().put(config, *rest)

    def put_writes(self, config: RunnableConfig, *rest: Any) -> None:
        """Keep what a task wrote."""
        self._count()
        super().put_writes(config, *rest)

    def _count(self) -> None:
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


@both
@ways
def test_wherever_a_second_run_crashes_it_is_made_once(make: Any, called: bool) -> None:
    crashes = asked = 0
    while True:
        model, checkpointer = answering(), Crashing()
        graph = around(make(model), called, checkpointer=checkpointer)
        graph.invoke({"goal": "first", "task": "first"}, THREAD, durability="sync")
        # The first three writes are those of the graph around it, until its input is kept.
        checkpointer.left = 4 + crashes
        try:
            graph.invoke({"goal": "second", "task": "second"}, THREAD, durability="sync")
        except KeyboardInterrupt:
            result = graph.invoke(None, THREAD)
            assert asked_of(result) == "second", crashes
            assert sum(event["kind"] == "outcome" for event in result["events"]) == 1
            crashes, asked = crashes + 1, len(model.requests)
        else:
            break
    assert crashes > 9
    # Behind its end it is not made again.
    assert asked == 2
