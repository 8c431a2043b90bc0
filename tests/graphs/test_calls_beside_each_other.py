"""A loop with a thread of its own inside of another graph goes on with its own run, and with no other call's."""

from __future__ import annotations

import asyncio
import operator
import re
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.func import entrypoint, task
from langgraph.graph import START, StateGraph
from langgraph.types import Command, RetryPolicy, Send
from support.plan_act import THREAD, TWINS, Invoke, acts, ask, done, plan_step, planned, replanned, twin
from support.scripted import ScriptedModel
from thoughtgraph import Verdict, create_plan_act_graph, create_reflection_graph
from thoughtgraph.errors import SharedThreadError
from thoughtgraph.tools import solver_tool
from thoughtgraph.tools.verifiers import HumanVerifier
from typing_extensions import TypedDict

JOBS = ["job 0", "job 1", "job 2"]


class Around(TypedDict):
    """The state of the graph around the loops."""

    jobs: list[str]
    found: Annotated[list[tuple[str, str]], operator.add]


class Naming(ScriptedModel):
    """A model that names the job it is asked for, and as a planner asks about it first."""

    def __init__(self, **options: Any) -> None:
        super().__init__(replies=[], **options)

    def _generate(self, messages: Any, *_: Any, **__: Any) -> ChatResult:
        said = "\n".join(message.text for message in messages)
        [job] = set(re.findall(r"job \d", said)[-1:])
        self.requests.append(messages)
        last = messages[-1].text
        reply = f"{job} is answered"
        if "Phase PLAN" in said:
            phases = {"Phase PLAN": planned(job), "Phase REPLAN": replanned(response=reply)}
            asked = done(reply) if "blue" in said else ask(f"Which color has {job}?")
            reply = next((text for phase, text in phases.items() if phase in last), asked)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(reply))])


def solving(**options: Any) -> Any:
    """A reflection loop whose answers the user judges."""
    return create_reflection_graph(actor=Naming(), verifier=HumanVerifier(), checkpointer=True, **options)


def passing(task: str, answer: str) -> Verdict:
    """A verifier that asks nobody."""
    return Verdict("passed")


def planning() -> Any:
    """A plan-act loop that asks."""
    return create_plan_act_graph(Naming(), [], checkpointer=True)


def answer_of(loop: Any, job: str) -> tuple[str, str]:
    """What a loop answers to a job."""
    result = loop.invoke({next(key for key in ("goal", "task") if key in loop.channels): job})
    return job, result.get("response") or result["answer"]


def fan_out(loop: Any, **options: Any) -> Any:
    """A graph that has the loop do each job, by `Send`."""

    def one(state: Any) -> Any:
        return {"found": [answer_of(loop, state["job"])]}

    def sends(state: Around) -> list[Send]:
        return [Send("one", {"job": job}) for job in state["jobs"]]

    graph = StateGraph(Around).add_node("one", one).add_conditional_edges(START, sends, ["one"])
    return graph.compile(**options)


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Invoke:
    """Invoke a graph by either twin."""
    return twin(request.param)


both = pytest.mark.parametrize("make", [solving, planning])


@both
@pytest.mark.parametrize("width", [1, 3], ids=["one after the other", "at once"])
def test_calls_that_would_share_a_thread_are_refused(invoke: Invoke, make: Any, width: int) -> None:
    """LangGraph would give each job the answer of one of them."""
    graph = fan_out(make(), checkpointer=InMemorySaver())
    with pytest.raises(SharedThreadError, match=r"the graph .* already has a run in the same place") as refused:
        invoke(graph, {"jobs": JOBS}, {**THREAD, "max_concurrency": width})
    assert (refused.value.thread_id, refused.value.graph) == ("1", make().name)


@both
def test_a_copy_without_a_thread_of_its_own_does_every_job(invoke: Invoke, make: Any) -> None:
    graph = fan_out(make().copy({"checkpointer": None}), checkpointer=InMemorySaver())
    waiting = invoke(graph, {"jobs": JOBS}, THREAD)["__interrupt__"]
    assert len(waiting) == 3
    said = "blue" if make is planning else "yes"
    first = invoke(graph, Command(resume={waiting[0].id: said}), THREAD)
    assert len(first["__interrupt__"]) == 2
    result = invoke(graph, Command(resume={pause.id: said for pause in waiting[1:]}), THREAD)
    assert [tuple(one) for one in result["found"]] == [(job, f"{job} is answered") for job in JOBS]


@pytest.mark.parametrize("own_thread", [True, False])
def test_loops_that_are_tools_called_at_once(invoke: Invoke, own_thread: bool) -> None:
    """That they share a thread is a mistake in the program: the model is not told that its call failed."""
    tool = solver_tool(solving() if own_thread else solving().copy({"checkpointer": None}), name="solve")
    tool.metadata = {**(tool.metadata or {}), "parallel": True}
    steps = [plan_step("job 0", "solve"), plan_step("job 1", "solve")]
    calls = acts(("solve", {"task": "job 0"}, 1), ("solve", {"task": "job 1"}, 2))
    model = ScriptedModel(replies=[planned(*steps), calls, done("Both."), replanned(response="Both are answered.")])
    graph = create_plan_act_graph(model, [tool], interactive=False, checkpointer=InMemorySaver())
    if own_thread:
        with pytest.raises(SharedThreadError, match="'external_loop'"):
            invoke(graph, {"goal": "Do job 0 and job 1"}, THREAD)
        return
    waiting = invoke(graph, {"goal": "Do job 0 and job 1"}, THREAD)["__interrupt__"]
    result = invoke(graph, Command(resume={pause.id: "yes" for pause in waiting}), THREAD)
    assert [seen["result"].split("\n")[0] for seen in result["observations"]] == [
        f"{job} is answered" for job in JOBS[:2]
    ]


def test_jobs_that_do_not_run_beside_each_other_share_a_thread(invoke: Invoke) -> None:
    """Each ends before the next one begins."""
    loop = create_reflection_graph(actor=Naming(), verifier=passing, checkpointer=True)
    graph = fan_out(loop, checkpointer=InMemorySaver())
    result = invoke(graph, {"jobs": JOBS}, {**THREAD, "max_concurrency": 1})
    assert result["found"] == [(job, f"{job} is answered") for job in JOBS]


@both
def test_a_task_behind_a_pause_gets_its_own_answer(make: Any) -> None:
    """With another one it had the thread of the one before, whose answer it got."""
    loop = make()

    @task
    def solved(job: str) -> str:
        return answer_of(loop, job)[1]

    @entrypoint(checkpointer=InMemorySaver())
    def flow(jobs: list[str]) -> list[str]:
        return [solved(job).result() for job in jobs]

    asked, result = 0, flow.invoke(JOBS, THREAD)
    while isinstance(result, dict):
        asked += 1
        result = flow.invoke(Command(resume="blue" if make is planning else "yes"), THREAD)
    assert (asked, result) == (3, [f"{job} is answered" for job in JOBS])


def test_calls_of_one_node_at_once_have_a_thread_each() -> None:
    loop = solving()

    async def every(state: Around) -> Any:
        found: list[Any] = await asyncio.gather(
            *(loop.ainvoke({"task": job}) for job in state["jobs"]), return_exceptions=True
        )
        if pauses := [one for one in found if isinstance(one, BaseException)]:
            raise pauses[0]
        return {"found": [(job, one["answer"]) for job, one in zip(state["jobs"], found, strict=True)]}

    async def run() -> Any:
        graph: Any = StateGraph(Around).add_node("every", every).add_edge(START, "every").compile(InMemorySaver())
        result = await graph.ainvoke({"jobs": JOBS}, THREAD)
        for _ in JOBS:
            if pauses := result.get("__interrupt__"):
                result = await graph.ainvoke(Command(resume={pause.id: "yes" for pause in pauses}), THREAD)
        return result["found"]

    assert asyncio.run(run()) == [(job, f"{job} is answered") for job in JOBS]


class Forgetful(InMemorySaver):
    """A saver whose checkpoints do not name who called a graph, as those of an earlier version."""

    def put(self, config: RunnableConfig, checkpoint: Any, metadata: Any, new_versions: Any) -> RunnableConfig:
        """Keep a checkpoint."""
        kept = {key: value for key, value in config.get("metadata", {}).items() if not key.startswith("thoughtgraph")}
        return super().put({**config, "metadata": kept}, checkpoint, metadata, new_versions)


@both
@pytest.mark.parametrize("saver", [InMemorySaver, Forgetful])
@pytest.mark.parametrize("edited", [False, True])
def test_a_paused_run_is_gone_on_with(invoke: Invoke, make: Any, saver: Any, edited: bool) -> None:
    loop = make()

    def one(state: Around) -> Any:
        return {"found": [answer_of(loop, state["jobs"][0])]}

    graph = StateGraph(Around).add_node("one", one).add_edge(START, "one").compile(saver())
    for job in JOBS[:2]:
        assert invoke(graph, {"jobs": [job], "found": []}, THREAD)["__interrupt__"]
        if edited:
            # The task around the loop then has another id.
            graph.update_state(THREAD, {"found": []}, as_node="__start__")
        result = invoke(graph, Command(resume="blue" if make is planning else "yes"), THREAD)
        assert tuple(result["found"][-1]) == (job, f"{job} is answered")


def test_a_retry_around_a_loop_in_a_graph_that_is_not_saved(invoke: Invoke) -> None:
    failures = [RuntimeError("odd")]
    loop = create_reflection_graph(actor=Naming(), verifier=passing, checkpointer=True)

    def one(state: Around) -> Any:
        found = [answer_of(loop, state["jobs"][0])]
        if failures:
            raise failures.pop()
        return {"found": found}

    policy = RetryPolicy(initial_interval=0.001, retry_on=RuntimeError)
    graph = StateGraph(Around).add_node("one", one, retry_policy=policy).add_edge(START, "one").compile()
    assert invoke(graph, {"jobs": JOBS})["found"] == [("job 0", "job 0 is answered")]
    assert not failures
