"""The functions that a tool brings: what they are given, and what comes of it where one of them fails."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic import BaseModel, Field
from support.plan_act import THREAD, TWINS, Invoke, act, done, planned, play, replanned, twin
from support.scripted import ScriptedModel
from thoughtgraph import create_plan_act_graph
from thoughtgraph.errors import ToolContractError
from thoughtgraph.tools import Missing

GOAL: Any = {"goal": "store a"}
REPLIES = [planned("store a"), act("store", {"text": "a"}), done("A"), replanned(response="end")]


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Invoke:
    """Invoke a graph by either twin."""
    return twin(request.param)


class Stored(BaseModel):
    """What the tool takes."""

    text: str
    mode: str = "write"
    tags: list[str] = Field(default_factory=list)


def store_tool(made: list[Any], **metadata: Any) -> BaseTool:
    """A tool with arguments that have defaults, and what it says of itself."""

    @tool(args_schema=Stored)
    def store(text: str, mode: str, tags: list[str]) -> str:
        """Store a text."""
        made.append((text, mode))
        return f"stored {text}"

    store.metadata = metadata
    return store


def failing(*_: Any) -> Any:
    """Raise, whatever it is called with."""
    raise KeyError("mode")


def done_last(graph: Any) -> str:
    """What the last run on the thread has done, as the next one will be told."""
    return graph.get_state(THREAD).values["exchanges"][-1].get("done", "")


def giving(value: Any) -> Callable[..., Any]:
    """A function that returns a value, whatever it is called with."""
    return lambda *_: value


@pytest.mark.parametrize("key", ["effects", "grounded", "required", "as_told", "meant_for"])
def test_it_is_given_the_defaults_of_what_a_call_leaves_out(invoke: Invoke, key: str) -> None:
    seen: list[Any] = []
    made: list[Any] = []
    stored = store_tool(made, **{key: lambda given, *_: seen.append(dict(given))})
    played = play(invoke, REPLIES, [stored], goal=GOAL)
    assert seen[0] == {"text": "a", "mode": "write", "tags": []}
    assert (made, played.result["stop_reason"]["kind"]) == ([("a", "write")], "goal_met")


@pytest.mark.parametrize(
    ("given", "changed", "called"),
    [
        ({"text": "a", "tags": ["x"]}, {}, {"text": "a", "tags": ["x"]}),
        ("a", {}, "a"),
        ("a", {"text": "b"}, "b"),
        ("a", {"mode": "append"}, {"text": "a", "mode": "append"}),
        ({"text": "a", "mode": "write"}, {"text": "b"}, {"text": "b", "mode": "write"}),
    ],
)
@pytest.mark.parametrize("key", ["as_told", "meant_for"])
def test_what_was_only_filled_in_is_no_part_of_the_call(given: Any, changed: Any, called: Any, key: str) -> None:
    gives = {
        "as_told": lambda all_, _: {**all_, **changed},
        "meant_for": lambda all_, _: ("store", {**all_, **changed}),
    }
    replies = [planned("store a"), act("store", given), *REPLIES[2:]]
    played = play(twin("sync"), replies, [store_tool([], **{key: gives[key]})], goal=GOAL)
    assert [seen["input"] for seen in played.result["observations"]] == [called]


def test_a_default_that_was_filled_in_needs_no_grounds() -> None:
    @tool
    def book(name: str, room: str = "Room 17") -> str:
        """Book a room."""
        return f"booked for {name}"

    book.metadata = {"grounded": lambda given: [given["name"], given["room"]]}
    replies = [planned("book"), act("book", {"name": "me"}), done("booked"), replanned(response="Booked.")]
    assert play(twin("sync"), replies, [book], goal={"goal": "book it for me"}).result["observations"][0]["ok"]


def test_effects_that_fail_lose_no_run_that_has_acted(invoke: Invoke) -> None:
    made: list[Any] = []
    stored = store_tool(made, effects=failing)
    graph = create_plan_act_graph(ScriptedModel(replies=REPLIES), [stored], checkpointer=InMemorySaver())
    result = invoke(graph, GOAL, THREAD)
    assert (made, result["stop_reason"]["kind"]) == ([("a", "write")], "goal_met")
    assert done_last(graph).startswith("store"), "it counts as a call with an effect"


def test_of_effects_that_fail_a_warning_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    def told_nowhere_else(given: Any) -> bool:
        raise ZeroDivisionError("of this test alone")

    with caplog.at_level(logging.WARNING, "thoughtgraph.tools"):
        play(twin("sync"), REPLIES, [store_tool([], effects=told_nowhere_else)], goal=GOAL)
    (said,) = [record.getMessage() for record in caplog.records]
    assert "`effects` of the tool 'store' raised ZeroDivisionError: of this test alone" in said


@pytest.mark.parametrize("answer", [True, False])
def test_effects_are_still_what_the_tool_says(answer: bool) -> None:
    stored = store_tool([], effects=giving(answer))
    graph = create_plan_act_graph(ScriptedModel(replies=REPLIES), [stored], checkpointer=InMemorySaver())
    graph.invoke(GOAL, THREAD)
    assert bool(done_last(graph)) is answer


@pytest.mark.parametrize("gives", [failing, giving("Bob"), giving([7])], ids=["raises", "a text", "a number"])
@pytest.mark.parametrize(("goal", "calls"), [("store 17", 1), ("store it", 0)])
def test_where_grounded_fails_all_arguments_are_held(goal: str, calls: int, gives: Callable[..., Any]) -> None:
    made: list[Any] = []
    call = act("store", {"text": "17"})
    model = ScriptedModel(replies=[planned("store"), call, *([] if calls else [call]), *REPLIES[2:]])
    graph = create_plan_act_graph(model, [store_tool(made, grounded=gives)], checkpointer=InMemorySaver())
    asked = graph.invoke({"goal": goal}, THREAD).get("__interrupt__", ())
    assert (len(made), len(asked)) == (calls, 1 - calls)


ENDS_THE_RUN = ["required", "as_told", "meant_for", "context"]


@pytest.mark.parametrize("key", ENDS_THE_RUN)
def test_one_that_fails_before_the_call_is_named_and_the_run_goes_on_once_it_is_mended(
    invoke: Invoke, key: str
) -> None:
    made: list[Any] = []
    works: list[bool] = []
    stored = store_tool(made, **{key: lambda *known: None if works else failing(*known)})
    model = ScriptedModel(replies=[*REPLIES[:2], *REPLIES[1:]])
    graph = create_plan_act_graph(model, [stored], checkpointer=InMemorySaver())
    with pytest.raises(ToolContractError, match=f"the function in `{key}` of the tool 'store' raised KeyError") as met:
        invoke(graph, GOAL, THREAD)
    assert (met.value.tool, met.value.key, made) == ("store", key, [])
    works.append(True)
    if key == "context":
        # It is asked before the first reply; the others, as part of one that is asked for once more.
        del model.replies[1]
    assert invoke(graph, None, THREAD)["stop_reason"]["kind"] == "goal_met"
    assert made == [("a", "write")]


@pytest.mark.parametrize(
    ("key", "value", "wanted"),
    [
        ("required", "which?", "a `Missing` or None"),
        ("as_told", "a", "the arguments, as a dict"),
        ("meant_for", "store", "the name of a tool and its arguments"),
        ("context", 7, "a text"),
    ],
)
def test_one_that_gives_something_else_is_told_what_it_is_to_give(key: str, value: Any, wanted: str) -> None:
    graph = create_plan_act_graph(
        ScriptedModel(replies=REPLIES), [store_tool([], **{key: giving(value)})], interactive=False
    )
    with pytest.raises(ToolContractError) as met:
        graph.invoke(GOAL)
    said = str(met.value)
    assert f"`{key}` of the tool 'store' returned {type(value).__name__}" in said and wanted in said


@pytest.mark.parametrize("key", ["grounded", *ENDS_THE_RUN])
def test_one_that_returns_none_says_nothing(key: str) -> None:
    made: list[Any] = []
    play(twin("sync"), REPLIES, [store_tool(made, **{key: giving(None)})], goal=GOAL)
    assert made == [("a", "write")]


def test_a_completion_that_fails_is_named() -> None:
    needs = store_tool([], required=giving(Missing("Where to?", failing)))
    graph = create_plan_act_graph(ScriptedModel(replies=REPLIES), [needs], checkpointer=InMemorySaver())
    graph.invoke(GOAL, THREAD)
    with pytest.raises(ToolContractError, match="`completed` of the tool 'store' raised KeyError"):
        graph.invoke(Command(resume="to the shelf"), THREAD)


def test_a_description_that_fails_is_named_and_one_with_too_few_parameters_fails_at_the_build() -> None:
    def graph_with(description: Any) -> Any:
        asks = {"store": {"allowed_decisions": ["approve"], "description": description}}
        model, saver = ScriptedModel(replies=REPLIES), InMemorySaver()
        return create_plan_act_graph(model, [store_tool([])], interrupt_on=asks, checkpointer=saver)

    with pytest.raises(ToolContractError, match="`interrupt_on` of the tool 'store' raised KeyError"):
        graph_with(failing).invoke(GOAL, THREAD)
    with pytest.raises(ValueError, match=r"interrupt_on\['store'\]: the function in description cannot be called"):
        graph_with(lambda call: "")
