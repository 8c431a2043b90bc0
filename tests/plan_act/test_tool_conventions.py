"""LangChain's conventions for tools hold in the plan-act loop: what is injected, and what a tool may return."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from langchain.tools import ToolRuntime
from langchain_core.messages import ToolMessage
from langchain_core.tools import InjectedToolArg, InjectedToolCallId, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.prebuilt import InjectedState, InjectedStore
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command
from support.plan_act import TWINS, act, done, planned, play, replanned, twin
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph, create_plan_act_graph
from thoughtgraph.errors import ToolContractError


@tool
def whole_state(text: str, state: Annotated[dict[str, Any], InjectedState]) -> str:
    """Read the state."""
    state["goal"] = "changed"
    return f"{text} {state['run_id'] != ''}"


@tool
def one_field(text: str, goal: Annotated[str, InjectedState("goal")]) -> str:
    """Read the goal."""
    return f"{text} for {goal}"


@tool
def from_store(text: str, store: Annotated[Any, InjectedStore()]) -> str:
    """Read the store."""
    return store.get(("notes",), text).value["said"]


@tool
def by_runtime(text: str, runtime: ToolRuntime) -> str:
    """Read the runtime."""
    thread = runtime.config["configurable"]["thread_id"]
    return f"{text} {runtime.state['goal']} {runtime.store is not None} {bool(runtime.tool_call_id)} {thread}"


@tool
def the_rest(text: str, runtime: ToolRuntime) -> str:
    """Read what else LangGraph tells a tool."""
    assert runtime.execution_info is not None and callable(runtime.stream_writer)
    return f"{text} {[one.name for one in runtime.tools]} {runtime.execution_info.thread_id} {runtime.server_info}"


@tool
async def by_call(text: str, call: Annotated[str, InjectedToolCallId]) -> str:
    """Read the call's id."""
    return f"{text} {len(call) > 10}"


@tool
def with_default(text: str, secret: Annotated[str, InjectedToolArg] = "mine") -> str:
    """Keep a secret."""
    return f"{text} {secret}"


@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize(
    ("one", "result"),
    [
        (whole_state, "x True"),
        (one_field, "x for Get it done"),
        (from_store, "hello"),
        (by_runtime, "x Get it done True True 1"),
        (the_rest, "x ['the_rest'] 1 None"),
        (by_call, "x True"),
        (with_default, "x mine"),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_what_is_injected_is_filled_in_and_the_model_cannot_give_it(one: Any, result: str, name: str) -> None:
    store = InMemoryStore()
    store.put(("notes",), "x", {"said": "hello"})
    given = {"text": "x", "state": {}, "goal": "mine", "store": 1, "runtime": 1, "call": "1", "secret": "theirs"}
    replies = [planned("do it"), act(one.name, given), done("Done."), replanned(response="Done.")]
    played = play(twin(name), replies, [one], store=store, interactive=False)
    assert [(seen["ok"], seen["result"]) for seen in played.result["observations"]] == [(True, result)]
    asked = str(played.model.requests[0][0].content)
    assert "INPUT" not in asked.split("# Tools")[1]
    assert goal_of(played.result) == "Get it done"


@tool
def careless(state: Annotated[dict[str, Any], InjectedState], plan: Annotated[list[Any], InjectedState("plan")]) -> str:
    """Clear what it is given."""
    plan[0]["step"] = "mine"
    state["observations"].clear()
    state["events"].clear()
    state["plan"].append("mine")
    return "cleared"


@tool
def careless_by_runtime(runtime: ToolRuntime) -> str:
    """Clear what it is given."""
    return str(careless.func(runtime.state, runtime.state["plan"]))  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize("one", [careless, careless_by_runtime], ids=lambda one: one.name)
def test_what_a_tool_changes_in_the_state_it_is_given_changes_no_run(one: Any, name: str) -> None:
    replies = [planned("do it"), act(one.name, {}), done("Done."), replanned(response="Done.")]
    run = play(twin(name), replies, [one]).result
    assert [step["step"] for step in run["plan"]] == ["do it"]
    assert [event["seq"] for event in run["events"]] == list(range(10))
    assert len(run["observations"]) == 1


def stored(annotation: Any, default: Any = ...) -> Any:
    """A tool that says whether it has a store."""

    def remember(text: str, store: Any) -> str:
        """Keep a text."""
        if store is not None:
            store.put(("notes",), "x", {"said": text})
        return f"{text}: {store is not None}"

    remember.__annotations__["store"] = Annotated[annotation, InjectedStore()]
    if default is not ...:
        remember.__defaults__ = (default,)
    return tool(remember)


@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize(
    ("one", "needed"),
    [
        (stored(BaseStore), True),
        (stored(Any), True),
        (stored(BaseStore | None), False),
        (stored(BaseStore, None), False),
    ],
    ids=["needed", "any", "optional", "with a default"],
)
def test_a_tool_that_needs_a_store_is_not_called_without_one(one: Any, needed: bool, name: str) -> None:
    replies = [planned("keep"), act("remember", {"text": "x"}), done("Kept."), replanned(response="Kept.")]
    invoke, saver, thread = twin(name), InMemorySaver(), {"configurable": {"thread_id": "1"}}
    options: dict[str, Any] = {"interactive": False, "checkpointer": saver}
    graph = create_plan_act_graph(ScriptedModel(replies=replies), [one], **options)
    if not needed:
        result = invoke(graph, {"goal": "keep x"}, thread)
        assert [seen["result"] for seen in result["observations"]] == ["x: False"]
        return
    with pytest.raises(ToolContractError, match="'store' filled from the graph's store") as met:
        invoke(graph, {"goal": "keep x"}, thread)
    assert (met.value.tool, met.value.key) == ("remember", "")
    assert graph.get_state(thread).next == ("act",)
    store = InMemoryStore()
    graph = create_plan_act_graph(ScriptedModel(replies=replies[2:]), [one], store=store, **options)
    result = invoke(graph, None, thread)
    assert [seen["result"] for seen in result["observations"]] == ["x: True"]
    assert store.get(("notes",), "x") is not None


def goal_of(result: dict[str, Any]) -> str:
    return result["events"][0]["data"]["task"]


def test_an_argument_that_nothing_fills_in_is_refused_by_name_when_the_graph_is_built() -> None:
    @tool
    def lost(text: str, who: Annotated[str, InjectedToolArg]) -> str:
        """Nobody says who."""
        return who

    with pytest.raises(ValueError, match="nothing fills in the argument 'who' of the tool 'lost'"):
        create_plan_act_graph(ScriptedModel(replies=[]), [lost], interactive=False)


@tool
def commands(text: str, call: Annotated[str, InjectedToolCallId]) -> Command[Any]:
    """Answer by a command."""
    updates: dict[str, Any] = {
        "message": {"messages": [ToolMessage(f"got {text}", tool_call_id=call)]},
        "state": {"messages": [ToolMessage("x", tool_call_id=call)], "goal": "another"},
        "nothing": None,
    }
    return Command(goto="finalize") if text == "goto" else Command(update=updates[text])


@pytest.mark.parametrize("name", TWINS)
def test_a_command_with_one_message_is_that_message(name: str) -> None:
    replies = [planned("do it"), act("commands", "message"), done("Done."), replanned(response="Done.")]
    played = play(twin(name), replies, [commands], interactive=False)
    assert played.result["observations"][0]["result"] == "got message"


@pytest.mark.parametrize("name", TWINS)
@pytest.mark.parametrize("text", ["state", "nothing", "goto"])
def test_a_command_that_does_more_is_refused_at_once(text: str, name: str) -> None:
    model = ScriptedModel(replies=[planned("do it"), act("commands", text)])
    graph = create_plan_act_graph(model, [commands], interactive=False)
    with pytest.raises(ToolContractError, match="the tool 'commands' returned a Command") as refused:
        twin(name)(graph, {"goal": "Get it done"})
    assert refused.value.tool == "commands"


@tool(return_direct=True)
def direct(text: str) -> str:
    """Answer the user."""
    if text == "fail":
        raise ValueError("it cannot work")
    return f"The answer is {text}." * (1_000 if text == "long" else 1)


@pytest.mark.parametrize("name", TWINS)
def test_a_result_that_is_returned_directly_ends_the_run_with_it(name: str) -> None:
    played = play(twin(name), [planned("one", "two"), act("direct", "42")], [direct], interactive=False)
    assert played.result["response"] == "The answer is 42."
    assert played.result["stop_reason"] == {"kind": "returned_direct", "value": "direct", "limit": None}
    assert [item["status"] for item in played.result["plan"]] == ["done", "open"]
    report = ContextGraph.from_run(played.result).why_stopped()
    assert report.sentence == "It stopped because the result of the tool direct is the answer."
    assert [event["kind"] for event in report.evidence] == ["observation"]


def test_a_long_result_that_is_returned_directly_is_returned_as_a_whole() -> None:
    options = {"interactive": False, "summarize_results": True}
    result = play(twin("sync"), [planned("one"), act("direct", "long")], [direct], **options).result
    assert result["response"] == "The answer is long." * 1_000
    assert result["events"][-1]["data"]["response"] == result["response"]
    assert len(result["observations"][0]["result"]) == len(result["plan"][0]["response"]) == 10_000


@pytest.mark.parametrize(
    ("steps", "said"), [(["one"], "All steps are finished."), (["one", "two"], "Not all of it was done.")]
)
def test_an_empty_result_that_is_returned_directly_is_no_claim_about_open_steps(steps: list[str], said: str) -> None:
    @tool(return_direct=True)
    def silent(text: str) -> str:
        """Say nothing."""
        return ""

    played = play(twin("sync"), [planned(*steps), act("silent", "x")], [silent], interactive=False)
    assert played.result["response"] == said


def test_a_failure_of_such_a_tool_goes_to_the_model() -> None:
    replies = [planned("one"), act("direct", "fail"), act("direct", "7")]
    played = play(twin("sync"), replies, [direct], interactive=False)
    assert played.result["response"] == "The answer is 7."
