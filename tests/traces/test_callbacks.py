"""LangChain's callbacks: a handler sees every graph, node, model call and tool call, once each and under its parent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest
from langchain_core.callbacks import AsyncCallbackHandler, BaseCallbackHandler
from langchain_core.exceptions import ModelInvalidRequestError
from langchain_core.tools import tool
from langchain_core.tracers.run_collector import RunCollectorCallbackHandler
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import SecretStr
from support.openai_server import OpenAIServer, Reply
from support.plan_act import GOAL, THREAD, act, ask, broken_tool, done, echo_tool, no_waiting, planned, replanned
from support.scripted import ScriptedModel
from thoughtgraph import Verdict, create_plan_act_graph, create_reflection_graph
from thoughtgraph.errors import VerifierContractError
from thoughtgraph.tools import solver_tool

TASK = {"task": "Say the right word."}
MOMENTS = [f"{run}_{moment}" for run in ("chain", "llm", "tool") for moment in ("start", "end", "error")]


@dataclass(frozen=True)
class Seen:
    """One callback."""

    moment: str
    run_id: UUID
    parent: UUID | None
    name: str
    node: str | None
    tags: list[str]
    metadata: dict[str, Any]
    payload: Any


class Notes:
    """Keeps every callback, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Seen] = []

    def note(self, moment: str, *given: Any, run_id: UUID, parent_run_id: UUID | None = None, **about: Any) -> None:
        metadata = about.get("metadata") or {}
        node, tags = metadata.get("langgraph_node"), about.get("tags") or []
        # Models and tools are named in their description alone.
        described = given[0] if moment in ("llm_start", "tool_start") else {}
        name = about.get("name") or described.get("name") or ""
        self.seen.append(Seen(moment, run_id, parent_run_id, name, node, tags, metadata, given[-1] if given else None))

    def runs(self, moment: str, name: str | None = None) -> list[Seen]:
        """The callbacks of a moment, of one name where one is given."""
        return [one for one in self.seen if one.moment == moment and name in (None, one.name)]

    def started(self, name: str) -> Seen:
        """The start of the only run of a name."""
        (start,) = (one for one in self.seen if one.moment.endswith("_start") and one.name == name)
        return start

    def nodes(self, parent: Seen) -> list[Seen]:
        """The starts of a graph's nodes, in order."""
        return [one for one in self.runs("chain_start") if one.parent == parent.run_id]

    def error_of(self, moment: str, run: Seen) -> type[BaseException] | None:
        """The class of the error in which a run ended."""
        errors = [type(one.payload) for one in self.runs(moment) if one.run_id == run.run_id]
        return errors[0] if errors else None


def _sync(moment: str) -> Callable[..., None]:
    def on(self: Notes, *args: Any, **about: Any) -> None:
        self.note(moment, *args, **about)

    return on


def _async(moment: str) -> Callable[..., Any]:
    async def on(self: Notes, *args: Any, **about: Any) -> None:
        await asyncio.sleep(0)
        self.note(moment, *args, **about)

    return on


_CALLED = {f"on_{moment}": moment for moment in MOMENTS} | {"on_chat_model_start": "llm_start"}
HANDLERS: dict[str, Any] = {
    "sync handler": type("Sync", (Notes, BaseCallbackHandler), {on: _sync(at) for on, at in _CALLED.items()}),
    "async handler": type("Async", (Notes, AsyncCallbackHandler), {on: _async(at) for on, at in _CALLED.items()}),
}


async def _consumed(stream: Any) -> None:
    async for _ in stream:
        pass


FORMS: dict[str, Callable[..., Any]] = {
    "invoke": lambda graph, given, config: graph.invoke(given, config),
    "ainvoke": lambda graph, given, config: asyncio.run(graph.ainvoke(given, config)),
    "stream": lambda graph, given, config: list(graph.stream(given, config)),
    "astream": lambda graph, given, config: asyncio.run(_consumed(graph.astream(given, config))),
}


@pytest.fixture(params=FORMS.values(), ids=list(FORMS))
def run(request: pytest.FixtureRequest) -> Any:
    """Runs a graph with a configuration, in one of four forms."""
    return request.param


@pytest.fixture(params=HANDLERS.values(), ids=list(HANDLERS))
def notes(request: pytest.FixtureRequest) -> Notes:
    return request.param()


def judge(task: str, answer: str) -> Verdict:
    """A verifier with a taste."""
    return Verdict("passed") if answer == "right" else Verdict("failed", "not that")


def loop(replies: Sequence[Any], verifier: Any = judge, **options: Any) -> Any:
    """An external loop over scripted replies."""
    return create_reflection_graph(actor=ScriptedModel(replies=list(replies)), verifier=verifier, **options)


def planner(replies: Sequence[Any], tools: Sequence[Any], **options: Any) -> Any:
    """A plan-act loop over scripted replies, in which nobody can be asked."""
    return create_plan_act_graph(ScriptedModel(replies=list(replies)), tools, interactive=False, **options)


def one_call(name: str) -> list[str]:
    """The replies of a plan-act run that calls one tool."""
    return [planned("go"), act(name, "x"), done("done"), replanned(response="over")]


def test_every_node_starts_and_ends_by_its_name_below_the_graph(run: Any, notes: Notes) -> None:
    run(loop(["wrong", "right"]), dict(TASK), {"callbacks": [notes]})
    graph = notes.started("external_loop")
    nodes = notes.nodes(graph)
    assert graph.parent is None
    assert [node.name for node in nodes] == ["begin", "attempt", "verify", "fresh", "attempt", "verify", "outcome"]
    assert [node.node for node in nodes] == [node.name for node in nodes]


def test_every_run_ends_once_and_inside_its_parent(run: Any, notes: Notes) -> None:
    run(planner(one_call("echo"), [echo_tool()]), dict(GOAL), {"callbacks": [notes]})
    open_runs: dict[UUID, UUID | None] = {}
    for one in notes.seen:
        if one.moment.endswith("_start"):
            assert one.run_id not in open_runs
            assert one.parent in open_runs or one.name == "plan_act"
            open_runs[one.run_id] = one.parent
        else:
            assert one.run_id in open_runs, f"{one.moment} of a run that is not open"
            del open_runs[one.run_id]
            assert one.run_id not in open_runs.values(), "a run ended before one below it"
    assert not open_runs


def test_every_model_call_is_seen_once_below_the_node_that_makes_it(run: Any, notes: Notes) -> None:
    run(loop(["wrong", "right"]), dict(TASK), {"callbacks": [notes]})
    attempts = [node.run_id for node in notes.nodes(notes.started("external_loop")) if node.name == "attempt"]
    calls = notes.runs("llm_start")
    assert [call.parent for call in calls] == attempts
    assert [call.node for call in calls] == ["attempt", "attempt"]
    assert [end.run_id for end in notes.runs("llm_end")] == [call.run_id for call in calls]
    assert [end.payload.generations[0][0].text for end in notes.runs("llm_end")] == ["wrong", "right"]


async def _later(text: str) -> str:
    """Repeat, in its own time."""
    return text


def _now(text: str) -> str:
    """Repeat at once."""
    return text


@pytest.mark.parametrize("timeout", [None, 5.0], ids=["no time-out", "time-out"])
@pytest.mark.parametrize("function", [_now, _later], ids=["sync tool", "async tool"])
def test_a_tool_call_is_seen_below_act_wherever_it_runs(run: Any, notes: Notes, function: Any, timeout: Any) -> None:
    model = ScriptedModel(replies=["inner reply"])

    async def awaited(text: str) -> str:
        """Ask a model, asynchronously."""
        await model.ainvoke(text)
        return await function(text)

    def called(text: str) -> str:
        """Ask a model."""
        model.invoke(text)
        return function(text)

    given = tool("helper")(awaited if function is _later else called)
    run(planner(one_call("helper"), [given], tool_timeout=timeout), dict(GOAL), {"callbacks": [notes]})
    (call,) = notes.runs("tool_start")
    assert (call.name, call.parent, call.node) == ("helper", notes.started("act").run_id, "act")
    assert [end.run_id for end in notes.runs("tool_end")] == [call.run_id]
    assert [inner.node for inner in notes.runs("llm_start") if inner.parent == call.run_id] == ["act"]


@pytest.mark.parametrize("form", ["sync", "async"])
def test_a_model_that_a_verifier_asks_is_seen_below_verify(run: Any, notes: Notes, form: str) -> None:
    model = ScriptedModel(replies=["looks right"])

    def verifier(task: str, answer: str) -> Verdict:
        model.invoke(answer)
        return judge(task, answer)

    async def averifier(task: str, answer: str) -> Verdict:
        await model.ainvoke(answer)
        return judge(task, answer)

    graph = loop(["right"], verifier if form == "sync" else averifier)
    run(graph, dict(TASK), {"callbacks": [notes]})
    assert notes.runs("llm_start")[1].parent == notes.started("verify").run_id


def test_a_reflection_graph_in_a_tool_hangs_below_that_tool(run: Any, notes: Notes) -> None:
    run(planner(one_call("solve"), [solver_tool(loop(["right"]))]), dict(GOAL), {"callbacks": [notes]})
    inner = notes.started("external_loop")
    assert inner.parent == notes.started("solve").run_id
    assert [node.name for node in notes.nodes(inner)] == ["begin", "attempt", "verify", "outcome"]
    assert notes.started("attempt").run_id in [call.parent for call in notes.runs("llm_start")]


def test_run_name_tags_and_metadata_arrive(run: Any, notes: Notes) -> None:
    config = {"callbacks": [notes], "run_name": "nightly", "tags": ["eval"], "metadata": {"customer": 7}}
    run(planner(one_call("echo"), [echo_tool()]), dict(GOAL), config)
    assert notes.started("nightly").parent is None
    assert not [one for one in notes.seen if one.name == "plan_act"]
    starts = [one for one in notes.seen if one.moment.endswith("_start")]
    assert {"chain_start", "llm_start", "tool_start"} == {one.moment for one in starts}
    for one in starts:
        assert "eval" in one.tags and one.metadata["customer"] == 7, one.name


def test_a_model_error_is_seen_at_the_call_the_node_and_the_graph(run: Any, notes: Notes) -> None:
    with pytest.raises(ModelInvalidRequestError):
        run(loop([ModelInvalidRequestError("wrong key")]), dict(TASK), {"callbacks": [notes]})
    (call,) = notes.runs("llm_start")
    assert notes.error_of("llm_error", call) is ModelInvalidRequestError
    for name in ("attempt", "external_loop"):
        assert notes.error_of("chain_error", notes.started(name)) is ModelInvalidRequestError


def test_a_call_that_is_tried_again_is_seen_each_time(run: Any, notes: Notes, monkeypatch: pytest.MonkeyPatch) -> None:
    no_waiting(monkeypatch)
    run(loop([ConnectionError("reset"), "right"]), dict(TASK), {"callbacks": [notes]})
    broken, worked = notes.runs("llm_start")
    assert broken.parent == worked.parent == notes.started("attempt").run_id
    assert [notes.error_of("llm_error", call) for call in (broken, worked)] == [ConnectionError, None]
    assert not notes.runs("chain_error")


def test_a_tools_error_is_seen_at_the_tool_alone(run: Any, notes: Notes) -> None:
    replies = [planned("go"), act("broken", "x"), act("echo", "x"), done("done"), replanned(response="over")]
    run(planner(replies, [broken_tool(), echo_tool()]), dict(GOAL), {"callbacks": [notes]})
    assert notes.error_of("tool_error", notes.started("broken")) is ValueError
    assert [end.run_id for end in notes.runs("tool_end")] == [notes.started("echo").run_id]
    assert not notes.runs("chain_error")


def test_a_nodes_own_error_is_seen_at_the_node_and_the_graph(run: Any, notes: Notes) -> None:
    with pytest.raises(VerifierContractError):
        run(loop(["right"], lambda task, answer: answer.upper()), dict(TASK), {"callbacks": [notes]})
    for name in ("verify", "external_loop"):
        assert notes.error_of("chain_error", notes.started(name)) is VerifierContractError


def test_a_pause_is_no_error_of_the_graph(run: Any, notes: Notes) -> None:
    model = ScriptedModel(replies=[planned("go"), ask("Which?")])
    graph = create_plan_act_graph(model, [echo_tool()], checkpointer=InMemorySaver())
    run(graph, dict(GOAL), {**THREAD, "callbacks": [notes]})
    graph_run = notes.started("plan_act")
    assert [end.run_id for end in notes.runs("chain_end")][-1] == graph_run.run_id
    assert notes.error_of("chain_error", graph_run) is None


def test_concurrent_runs_keep_their_callbacks_apart(notes: Notes) -> None:
    others = [type(notes)() for _ in range(4)]

    async def gathered() -> None:
        runs = [loop([f"{n}", "right"]).ainvoke(dict(TASK), {"callbacks": [each]}) for n, each in enumerate(others)]
        await asyncio.gather(*runs)

    asyncio.run(gathered())
    for number, each in enumerate(others):
        replies = [end.payload.generations[0][0].text for end in each.runs("llm_end")]
        assert replies == [str(number), "right"]


async def test_astream_events_names_graph_nodes_models_and_tools() -> None:
    graph = planner(one_call("echo"), [echo_tool()])
    events = [event async for event in graph.astream_events(dict(GOAL), version="v2")]
    seen = [(event["event"], event["name"]) for event in events]
    assert seen[0] == ("on_chain_start", "plan_act") and seen[-1] == ("on_chain_end", "plan_act")
    for name in ("begin", "plan", "thought", "act", "observe", "replan", "finalize"):
        assert ("on_chain_start", name) in seen and ("on_chain_end", name) in seen
    assert (
        seen.count(("on_chat_model_start", "ScriptedModel")) == seen.count(("on_chat_model_end", "ScriptedModel")) == 4
    )
    ids = {event["name"]: event["run_id"] for event in events if event["event"] == "on_chain_start"}
    (started,) = (event for event in events if event["event"] == "on_tool_start")
    assert started["parent_ids"] == [ids["plan_act"], ids["act"]]
    assert ("on_tool_end", "echo") in seen


def _tree(traced: Any) -> Any:
    children = [child for child in traced.child_runs if not child.name.startswith(("after_", "next_"))]
    return (traced.name, [_tree(child) for child in children]) if children else traced.name


def test_a_tracer_builds_the_tree_of_the_run(run: Any) -> None:
    tracer = RunCollectorCallbackHandler()
    run(planner(one_call("solve"), [solver_tool(loop(["right"]))]), dict(GOAL), {"callbacks": [tracer]})
    attempt = ("attempt", ["ScriptedModel"])
    solved = ("act", [("solve", [("external_loop", ["begin", attempt, "verify", "outcome"])])])
    thought = ("thought", ["ScriptedModel"])
    (root,) = tracer.traced_runs
    before = ["begin", ("plan", ["ScriptedModel"]), "validate_plan", "guidance", thought]
    after = ["observe", thought, "guidance", ("replan", ["ScriptedModel"]), "finalize"]
    assert _tree(root) == ("plan_act", [*before, solved, *after])


def test_a_call_to_a_plain_chat_openai_is_seen_under_the_name_of_what_was_called(run: Any, notes: Notes) -> None:
    with OpenAIServer([Reply("right")]) as server:
        # An idle connection would outlive the event loop.
        headers = {"Connection": "close"}
        model: Any = ChatOpenAI(
            model="m", base_url=server.base_url, api_key=SecretStr("none"), max_retries=0, default_headers=headers
        )
        run(create_reflection_graph(actor=model, verifier=judge), dict(TASK), {"callbacks": [notes]})
    (call,) = notes.runs("llm_start")
    assert call.name == "ReasoningChatOpenAI"
