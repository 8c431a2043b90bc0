"""Pairs of graphs: the user's own state, pauses and resumes, threads, subgraphs, streams."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, RemoveMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph, add_messages
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.managed import RemainingSteps
from langgraph.runtime import get_runtime
from langgraph.types import Command, interrupt
from pydantic import BaseModel, ValidationError
from support.paired import TWINS, adds, alone, ask, objects, says, texts
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph
from thoughtgraph.graphs.reflection.pair import pair_graphs

THREAD: dict[str, Any] = {"configurable": {"thread_id": "1"}}


@pytest.fixture(params=TWINS, ids=["sync", "async"])
def invoke(request: pytest.FixtureRequest) -> Any:
    """Invoke a graph by either twin."""
    return request.param


class Typed(MessagesState):
    topic: str
    drafts: int


class Model(BaseModel):
    messages: Annotated[list[AnyMessage], add_messages]
    topic: str = "primes"
    drafts: int = 0


class Deeper(Model):
    pass


@dataclass
class Data:
    messages: Annotated[list[AnyMessage], add_messages]
    topic: str = "primes"
    drafts: int = 0


@pytest.mark.parametrize("schema", [Typed, Model, Deeper, Data], ids=["typeddict", "pydantic", "inherited", "data"])
@pytest.mark.parametrize("given", [True, False], ids=["given", "of the main graph"])
def test_both_graphs_share_the_users_own_state(invoke: Any, schema: Any, given: bool) -> None:
    def read(state: Any, key: str) -> Any:
        return state[key] if isinstance(state, dict) else getattr(state, key)

    def write(state: Any) -> dict[str, Any]:
        return {"messages": [AIMessage(read(state, "topic"))], "drafts": read(state, "drafts") + 1}

    def judge(state: Any) -> dict[str, Any]:
        return {} if read(state, "drafts") == 2 else {"messages": [HumanMessage("again")]}

    app = pair_graphs(alone(write, schema), alone(judge, schema), schema if given else None).compile()
    result = invoke(app, {**ask(), "topic": "primes", "drafts": 0})
    assert (result["drafts"], result["topic"], result["stop_reason"]["kind"]) == (2, "primes", "accepted")
    assert texts(result) == ["Name a prime.", "primes", "again", "primes"]


def test_what_a_pydantic_state_gives_by_default_and_forbids_holds_for_the_pair() -> None:
    app = pair_graphs(alone(lambda state: {"messages": [("ai", state["topic"])]}, Typed), adds([]), Model).compile()
    assert texts(app.invoke(ask()))[-1] == "primes"
    with pytest.raises(ValidationError):
        app.invoke({**ask(), "drafts": "many"})


def test_the_pair_tells_what_it_takes_and_returns_as_json_schema() -> None:
    app = pair_graphs(says("7"), objects("")).compile()
    assert set(app.get_input_jsonschema()["properties"]) == {"messages"}
    assert set(app.get_output_jsonschema()["properties"]) == {"messages", "attempts", "events", "stop_reason"}


def test_a_schema_with_remaining_steps_is_taken_as_it_is(invoke: Any) -> None:
    class Stepped(MessagesState):
        remaining_steps: RemainingSteps

    seen: list[int] = []

    def answer(state: Stepped) -> dict[str, Any]:
        seen.append(state["remaining_steps"])
        return {"messages": [AIMessage("7")]}

    result = invoke(pair_graphs(alone(answer, Stepped), objects("")).compile(), ask(), {"recursion_limit": 30})
    assert (seen, result["stop_reason"]["kind"]) == ([29], "accepted")
    assert "remaining_steps" not in result


class NoMessages(TypedDict):
    topic: str


class Taken(MessagesState):
    events: list[str]
    attempts: int


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"state_schema": NoMessages}, "NoMessages has no key 'messages'"),
        ({"state_schema": Taken}, "Taken has attempts, events, which this loop writes"),
        ({"graph": StateGraph(MessagesState)}, "graph is not compiled"),
        ({"reflection": StateGraph(MessagesState)}, "reflection is not compiled"),
        ({"graph": says("7") | (lambda result: result)}, "pass state_schema"),
        ({"graph": ScriptedModel(replies=[])}, "graph does not tell its state: give a compiled graph"),
        ({"max_attempts": 0}, "max_attempts must be at least 1"),
    ],
    ids=["no-messages", "taken", "graph", "reflection", "no-builder", "model", "bound"],
)
def test_what_cannot_work_is_refused_at_build(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pair_graphs(**{"graph": says("7"), "reflection": objects(""), **options})


def test_a_graph_without_a_builder_works_with_a_schema(invoke: Any) -> None:
    main: Any = says("7").with_retry()
    assert texts(invoke(pair_graphs(main, objects(""), MessagesState).compile(), ask()))[-1] == "7"


def test_a_graphs_own_keys_stay_with_it_even_under_the_names_of_the_loop(invoke: Any) -> None:
    def answer(state: Taken) -> dict[str, Any]:
        return {"messages": [AIMessage("7")], "events": ["mine"], "attempts": 9}

    result = invoke(pair_graphs(alone(answer, Taken), objects("no", ""), MessagesState).compile(), ask())
    assert len(result["attempts"]) == 2
    assert "mine" not in result["events"]


def test_a_pair_may_be_the_main_graph_of_a_pair(invoke: Any) -> None:
    inner = pair_graphs(says("4", "9", "7"), objects("even", "", ""), max_attempts=2).compile()
    result = invoke(pair_graphs(inner, objects("3 · 3", "")).compile(), ask())
    assert [done["answer"] for done in result["attempts"]] == ["9", "7"]
    assert texts(result) == ["Name a prime.", "4", "even", "9", "3 · 3", "7"]
    assert {event["run_id"] for event in result["events"]} == {result["events"][0]["run_id"]}


def test_an_agent_may_be_the_main_graph(invoke: Any) -> None:
    model = ScriptedModel(replies=["8", "7"])
    result = invoke(pair_graphs(create_agent(model, []), objects("even", "")).compile(), ask())
    assert (texts(result)[-1], result["stop_reason"]["kind"]) == ("7", "accepted")
    assert [str(message.text) for message in model.requests[1]] == ["Name a prime.", "8", "even"]


def latest(known: list[Any], new: list[Any]) -> list[Any]:
    if any(message.type == "remove" for message in new):
        raise NotImplementedError
    return add_messages(known, new)


def replace(known: list[Any], new: list[Any]) -> list[Any]:
    """A reducer under which what a subgraph returns is all there is."""
    given = add_messages([], [message for message in new if message.type != "remove"])
    gone = {message.id for message in new if message.type == "remove"}
    return [message for message in (known if gone else given) if message.id not in gone]


def test_messages_that_can_only_be_added_are_left_as_they_are(invoke: Any) -> None:
    class Added(TypedDict):
        messages: Annotated[list[BaseMessage], operator.add]

    class New(TypedDict):
        messages: list[BaseMessage]

    def only_new(message: BaseMessage) -> Any:
        graph = StateGraph(Added, output_schema=New)
        graph.add_node("work", lambda state: Command(update={"messages": [message]}))
        graph.add_edge(START, "work")
        return graph.compile() | (lambda result: {"messages": result["messages"][-1:]})

    main, judge = only_new(AIMessage("8")), only_new(HumanMessage("even"))
    result = invoke(pair_graphs(main, judge, Added, max_attempts=1).compile(), ask())
    assert texts(result) == ["Name a prime.", "8", "even"]
    assert result["attempts"][0]["feedback"] == "even"


def test_a_reducer_that_refuses_to_remove_is_not_asked_to(invoke: Any) -> None:
    class Kept(TypedDict):
        messages: Annotated[list[AnyMessage], latest]

    result = invoke(pair_graphs(says("8"), objects("even"), Kept, max_attempts=1).compile(), ask())
    assert texts(result) == ["Name a prime.", "8", "even"]


def test_a_critique_graph_that_clears_the_answer_away_costs_no_other_message(invoke: Any) -> None:
    def judge(state: MessagesState) -> dict[str, Any]:
        return {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), HumanMessage("start over")]}

    class Shared(TypedDict):
        messages: Annotated[list[AnyMessage], replace]

    app = pair_graphs(says("8"), alone(judge), Shared, max_attempts=1).compile()
    result = invoke(app, ask())
    assert texts(result) == ["start over"]
    assert (result["attempts"][0]["answer"], result["attempts"][0]["feedback"]) == ("8", "start over")


def test_the_context_of_a_run_reaches_both_graphs_without_a_warning(invoke: Any) -> None:
    class Context(TypedDict):
        name: str

    def named(state: MessagesState) -> dict[str, Any]:
        name = get_runtime(Context).context["name"]
        return {"messages": [AIMessage(name)]} if len(state["messages"]) == 1 else {}

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        app = pair_graphs(alone(named), alone(named), config_schema=Context).compile()
    assert texts(invoke(app, ask(), context={"name": "Ada"}))[-1] == "Ada"


@pytest.mark.parametrize("where", ["graph", "reflection"])
def test_a_pause_in_either_graph_goes_on_where_it_was(invoke: Any, where: str) -> None:
    calls: list[str] = []

    def answer(state: MessagesState) -> dict[str, Any]:
        calls.append("answer")
        return {"messages": [AIMessage(interrupt("which?") if where == "graph" else "7")]}

    def judge(state: MessagesState) -> dict[str, Any]:
        calls.append("judge")
        verdict = interrupt("good?") if where == "reflection" else "yes"
        return {} if verdict == "yes" else {"messages": [HumanMessage(verdict)]}

    app = pair_graphs(alone(answer), alone(judge)).compile(checkpointer=InMemorySaver())
    paused = invoke(app, ask(), THREAD)
    assert paused["__interrupt__"][0].value == ("which?" if where == "graph" else "good?")
    result = invoke(app, Command(resume="7" if where == "graph" else "yes"), THREAD)
    assert (texts(result), result["stop_reason"]["kind"]) == (["Name a prime.", "7"], "accepted")
    assert calls == (["answer", "answer", "judge"] if where == "graph" else ["answer", "judge", "judge"])
    assert [event["seq"] for event in ContextGraph.from_run(result).events] == [0, 1, 2, 3]


def test_a_thread_that_is_used_again_talks_on_and_counts_anew(invoke: Any) -> None:
    app = pair_graphs(says("8", "7", "6", "5"), objects("even", "", "even", "")).compile(checkpointer=InMemorySaver())
    first = invoke(app, ask(), THREAD)
    second = invoke(app, ask("Another."), THREAD)
    assert texts(second) == ["Name a prime.", "8", "even", "7", "Another.", "6", "even", "5"]
    assert [done["answer"] for done in second["attempts"]] == ["6", "5"]
    assert second["events"][0]["data"]["task"] == "Another."
    assert first["events"][0]["run_id"] != second["events"][0]["run_id"]


def test_the_same_critique_of_the_same_answer_in_a_new_turn_is_no_stall(invoke: Any) -> None:
    app = pair_graphs(says("8", "8", "7"), objects("even", "even", "")).compile(checkpointer=InMemorySaver())
    first = invoke(app, ask(), {**THREAD, "recursion_limit": 7})
    assert (texts(first)[-1], len(first["attempts"])) == ("8", 1)
    second = invoke(app, ask(), THREAD)
    assert (second["stop_reason"]["kind"], len(second["attempts"])) == ("accepted", 2)


def test_a_run_whose_critique_graph_crashed_goes_on_from_sqlite(tmp_path: Any) -> None:
    crashes = [True, False]

    def judge(state: MessagesState) -> dict[str, Any]:
        if crashes.pop(0):
            raise RuntimeError("the checker died")
        return {}

    path = str(tmp_path / "runs.sqlite")
    with SqliteSaver.from_conn_string(path) as saver, pytest.raises(RuntimeError, match="the checker died"):
        pair_graphs(says("7"), alone(judge)).compile(checkpointer=saver).invoke(ask(), THREAD)
    with SqliteSaver.from_conn_string(path) as saver:
        result = pair_graphs(says(), alone(judge)).compile(checkpointer=saver).invoke(None, THREAD)
    assert (texts(result)[-1], len(result["attempts"])) == ("7", 1)
    assert [event["kind"] for event in result["events"]] == ["goal", "attempt", "critique", "outcome"]
    assert [event["seq"] for event in result["events"]] == [0, 1, 2, 3]


def test_a_pair_is_a_node_of_a_larger_graph_and_pauses_in_it(invoke: Any) -> None:
    def judge(state: MessagesState) -> dict[str, Any]:
        return {"messages": [HumanMessage("no")]} if interrupt("good?") == "no" else {}

    parent = StateGraph(MessagesState)
    parent.add_node("pair", pair_graphs(says("8", "7"), alone(judge)).compile())
    parent.add_edge(START, "pair")
    parent.add_edge("pair", END)
    app = parent.compile(checkpointer=InMemorySaver())
    invoke(app, ask(), THREAD)
    invoke(app, Command(resume="no"), THREAD)
    result = invoke(app, Command(resume="yes"), THREAD)
    assert texts(result) == ["Name a prime.", "8", "no", "7"]


def names(streamed: Sequence[Any]) -> list[tuple[str, str]]:
    """Each update of a stream: the subgraph it came from, and its node."""
    return [(space[0].partition(":")[0] if space else "", node) for space, update in streamed for node in update]


async def test_a_stream_shows_both_graphs_at_work() -> None:
    def app() -> Any:
        return pair_graphs(says("7"), objects("")).compile()

    assert [name for name, _ in app().get_subgraphs()] == ["graph", "reflection"]
    options: dict[str, Any] = {"stream_mode": "updates", "subgraphs": True}
    order = [("", "begin"), ("graph", "work"), ("", "graph"), ("", "attempt"), ("reflection", "work")]
    order += [("", "reflection"), ("", "critique"), ("", "outcome")]
    assert names(list(app().stream(ask(), **options))) == order
    assert names([update async for update in app().astream(ask(), **options)]) == order


def test_tokens_of_a_model_in_the_main_graph_are_streamed() -> None:
    main = alone(lambda state: {"messages": [ScriptedModel(replies=["7"]).invoke(state["messages"])]})
    pieces = list(pair_graphs(main, objects("")).compile().stream(ask(), stream_mode="messages", subgraphs=True))
    assert [message.text for _, (message, _) in pieces if message.type == "ai"] == ["7"]
