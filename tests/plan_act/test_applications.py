"""What applications do with a loop that its own examples do not: limits, timeouts, forms of answers, other servers."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, Literal

import pytest
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.messages import BaseMessage, SystemMessage
from langchain_core.outputs import ChatResult
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command
from pydantic import BaseModel, Field
from support.plan_act import THREAD, TWINS, Invoke, act, done, planned, replanned, twin
from support.scripted import ScriptedModel
from thoughtgraph import Guards, Verdict, create_plan_act_graph, create_reflection_graph
from thoughtgraph.tools.verifiers import HumanVerifier
from thoughtgraph.traces import astream_trace, stream_trace
from typing_extensions import TypedDict

pytestmark = pytest.mark.slow


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Invoke:
    """Invoke a graph by either twin."""
    return twin(request.param)


def passes(task: str, answer: str) -> Verdict:
    return Verdict("passed")


@pytest.mark.parametrize("mode", ["external_loop", "reflexion", "actor_critic", "best_of_n"])
def test_a_run_that_waits_has_nothing_of_the_run_before(invoke: Invoke, mode: Any) -> None:
    actor = ScriptedModel(replies=["first", "second"])
    graph = create_reflection_graph(mode, actor=actor, verifier=HumanVerifier(), checkpointer=InMemorySaver())
    invoke(graph, {"task": "x"}, THREAD)
    assert invoke(graph, Command(resume=True), THREAD)["verdict"] == "passed"
    waiting = invoke(graph, {"task": "y"}, THREAD)
    assert (waiting["answer"], waiting["verdict"], waiting["stop_reason"]) == ("", "unverified", None)
    assert invoke(graph, Command(resume=True), THREAD)["answer"] == "second"


class Large(BaseModel):
    """A number that no checkpoint keeps as one."""

    n: int


def test_integers_of_any_size_end_no_run(invoke: Invoke) -> None:
    replies = [planned(response="2**100"), '{"n": 1267650600228229401496703205376}']
    graph = create_plan_act_graph(
        ScriptedModel(replies=replies), [], response_format=Large, checkpointer=InMemorySaver()
    )
    ended = invoke(graph, {"goal": "x"}, THREAD)
    assert Large.model_validate(ended["structured_response"]).n == 2**100

    def verifier(task: str, answer: str) -> Verdict:
        return Verdict("passed", details={"expected": 10**30, "at": [float("nan")]})

    loop = create_reflection_graph(actor=ScriptedModel(replies=["x"]), verifier=verifier, checkpointer=InMemorySaver())
    assert invoke(loop, {"task": "t"}, THREAD)["verdict"] == "passed"
    keyed = create_reflection_graph(
        "best_of_n", actor=ScriptedModel(replies=["a"] * 4), key=lambda answer: 10**30, checkpointer=InMemorySaver()
    )
    assert invoke(keyed, {"task": "t"}, THREAD)["stop_reason"]["kind"] == "agreement"


class Mail(BaseModel):
    sender: str = Field(alias="from")


def test_a_structured_answer_can_be_read_again(invoke: Invoke) -> None:
    graph = create_plan_act_graph(
        ScriptedModel(replies=[planned(response="x"), '{"from": "eva"}']), [], interactive=False, response_format=Mail
    )
    response = invoke(graph, {"goal": "x"})["structured_response"]
    assert Mail.model_validate(response).sender == "eva"


@pytest.mark.parametrize(
    ("form", "reply", "value"),
    [
        (int, "5", 5),
        (bool, "```json\ntrue\n```", True),
        (Literal["a", "b"], '"a"', "a"),
        (int | None, "null", None),
        (str, '"two words"', "two words"),
    ],
)
def test_a_structured_answer_may_be_a_single_value(invoke: Invoke, form: Any, reply: str, value: Any) -> None:
    model = ScriptedModel(replies=[planned(response="x"), reply])
    graph = create_plan_act_graph(model, [], interactive=False, response_format=form)
    assert invoke(graph, {"goal": "x"})["structured_response"] == value
    assert len(model.requests) == 2


class Batch(TypedDict):
    tasks: list[str]


def test_the_trace_of_every_run_inside_one_node_is_streamed() -> None:
    solver = create_reflection_graph(actor=ScriptedModel(replies=["a", "b", "c"] * 2), verifier=passes)

    def node(state: Batch) -> dict[str, Any]:
        for task in state["tasks"]:
            solver.invoke({"task": task})
        return {}

    graph = StateGraph(Batch).add_node("work", node).add_edge(START, "work").compile()
    given: Any = {"tasks": ["one", "two", "three"]}
    told = [event["data"]["task"] for batch in stream_trace(graph, given) for event in batch if event["kind"] == "goal"]
    assert told == given["tasks"]

    async def streamed() -> list[str]:
        batches = [batch async for batch in astream_trace(graph, given)]
        return [event["data"]["task"] for batch in batches for event in batch if event["kind"] == "goal"]

    assert asyncio.run(streamed()) == given["tasks"]


class Particular(ScriptedModel):
    """A server that refuses an option."""

    refuses: str = "seed"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        if getattr(self, self.refuses, None) or self.refuses in kwargs:
            raise RefusedError(f"Unsupported parameter: '{self.refuses}'")
        return super()._generate(messages, stop, run_manager, **kwargs)


class RefusedError(Exception):
    """A 400 of a server's."""

    status_code = 400


@pytest.mark.parametrize("mode", ["external_loop", "reflexion", "actor_critic", "best_of_n"])
@pytest.mark.parametrize("option", ["seed", "temperature"])
def test_a_server_that_refuses_what_the_loop_adds_is_asked_without(invoke: Invoke, option: str, mode: Any) -> None:
    reply = "[Mistake]\nA.\n[Next time]\nB.\n[Critique]\nC.\n[Score]\n2\n[Verdict]\nREJECT"
    actor = Particular(replies=["wrong", *["right", reply, "right"] * 5], refuses=option)
    graph = create_reflection_graph(
        mode, actor=actor, verifier=lambda task, answer: Verdict("passed" if answer == "right" else "failed", "no")
    )
    ended = invoke(graph, {"task": "t"})
    assert ended["verdict"] == "passed"


@pytest.mark.parametrize("option", ["seed", "temperature"])
def test_a_plan_goes_on_where_a_server_refuses_what_the_loop_adds(invoke: Invoke, option: str) -> None:
    @tool
    def broken(x: str) -> str:
        """Fail."""
        raise ValueError("no")

    # A call that is made again as it failed makes the next request a warmer one.
    calls = [act("broken", {"x": "0"})] * 2
    model = Particular(replies=[planned("go"), *calls, *[done("d")] * 3, replanned(response="e")], refuses=option)
    ended = invoke(create_plan_act_graph(model, [broken], interactive=False), {"goal": "g"})
    assert ended["stop_reason"]["kind"] != "model_unavailable"


def test_a_server_that_refuses_to_report_log_probabilities_is_asked_without_and_the_user_is_asked(
    invoke: Invoke,
) -> None:
    made: list[str] = []

    @tool
    def send(x: str) -> str:
        """Send."""
        made.append(x)
        return "sent"

    send.metadata = {"effects": True}
    model = Particular(
        replies=[planned("go"), act("send", "x"), done("d"), replanned(response="e")], refuses="logprobs"
    )
    graph = create_plan_act_graph(model, [send], guards=Guards(confirm_below=0.5), checkpointer=InMemorySaver())
    assert "send x" in invoke(graph, {"goal": "g"}, THREAD)["__interrupt__"][0].value
    assert made == []
    invoke(graph, Command(resume="yes"), THREAD)
    assert made == ["x"]


@pytest.mark.parametrize("way", ["waits", "blocks"])
def test_an_async_tool_that_holds_up_its_loop_does_not_hold_up_a_sync_run(way: str) -> None:
    released = threading.Event()

    @tool
    async def hang(x: str) -> str:
        """Hang."""
        await asyncio.sleep(60) if way == "waits" else released.wait(60)
        return x

    replies = [planned("go"), act("hang", {"x": "1"}), *[done("d")] * 2, replanned(response="e")]
    graph = create_plan_act_graph(ScriptedModel(replies=replies), [hang], interactive=False, tool_timeout=0.05)
    seen = graph.invoke({"goal": "g"})["observations"][0]
    released.set()
    assert not seen["ok"]


def effects(is_async: bool) -> tuple[list[str], Any, threading.Event]:
    made: list[str] = []
    go_on = threading.Event()

    def write(x: str) -> str:
        """Write."""
        go_on.wait(10)
        made.append(x)
        return "ok"

    async def awrite(x: str) -> str:
        """Write."""
        await asyncio.sleep(10)
        made.append(x)
        return "ok"

    awrite.__name__ = "write"
    return made, tool(awrite if is_async else write), go_on


@pytest.mark.parametrize("is_async", [False, True], ids=["a sync tool", "an async tool"])
def test_a_call_that_takes_too_long_has_no_effect_twice(invoke: Invoke, is_async: bool) -> None:
    made, write, go_on = effects(is_async)
    replies = [planned("go"), act("write", {"x": "1"}), *[done("d")] * 3, *[replanned(response="e")] * 4]
    graph = create_plan_act_graph(ScriptedModel(replies=replies), [write], interactive=False, tool_timeout=0.05)
    seen = invoke(graph, {"goal": "g"})["observations"][0]
    go_on.set()
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and "tool" in thread.name:
            thread.join(5)
    assert not seen["ok"]
    assert len(made) <= (0 if is_async else 1)


@pytest.mark.parametrize("timeout", [0, -1, "5", True, float("nan")])
def test_a_timeout_that_is_none_is_refused(timeout: Any) -> None:
    with pytest.raises(ValueError, match="tool_timeout"):
        create_plan_act_graph(ScriptedModel(replies=[]), [], interactive=False, tool_timeout=timeout)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"guidance_role": "robot"}, "guidance_role has to be one of user, system"),
        ({"context_tokens": 0}, "context_tokens must be at least 1"),
        ({"guards": {"max_tokens": 5}}, "guards has to be a Guards"),
        ({"system_prompt": 5}, "system_prompt has to be a text or a SystemMessage"),
    ],
)
def test_what_is_no_setting_is_refused_when_the_graph_is_built(options: dict[str, Any], said: str) -> None:
    assert Guards()
    with pytest.raises(ValueError, match=said):
        create_plan_act_graph(ScriptedModel(replies=[]), [], interactive=False, **options)


def test_a_system_prompt_may_be_a_message(invoke: Invoke) -> None:
    model = ScriptedModel(replies=[planned(response="x")])
    graph = create_plan_act_graph(model, [], interactive=False, system_prompt=SystemMessage("Be nice."))
    invoke(graph, {"goal": "x"})
    assert "Be nice." in str(model.requests[0][0].content)
    actor = ScriptedModel(replies=["x"])
    invoke(
        create_reflection_graph(actor=actor, verifier=passes, system_prompt=SystemMessage("Be nice.")), {"task": "t"}
    )
    assert "Be nice." in str(actor.requests[0][0].content)


def test_a_tool_whose_own_work_was_canceled_has_failed(invoke: Invoke) -> None:
    @tool
    async def remote(x: str) -> str:
        """A session that died."""
        work = asyncio.ensure_future(asyncio.sleep(5))
        work.cancel()
        await work
        return x

    replies = [planned("go"), act("remote", {"x": "1"}), *[done("d")] * 2, replanned(response="e")]
    graph = create_plan_act_graph(ScriptedModel(replies=replies), [remote], interactive=False)
    seen = invoke(graph, {"goal": "g"})["observations"][0]
    assert not seen["ok"] and "canceled" in seen["result"]


async def test_a_run_that_is_canceled_ends() -> None:
    started = asyncio.Event()

    @tool
    async def wait(x: str) -> str:
        """Wait."""
        started.set()
        await asyncio.sleep(60)
        return x

    graph = create_plan_act_graph(
        ScriptedModel(replies=[planned("go"), act("wait", {"x": "1"})]), [wait], interactive=False
    )
    run = asyncio.create_task(graph.ainvoke({"goal": "g"}))
    await started.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
