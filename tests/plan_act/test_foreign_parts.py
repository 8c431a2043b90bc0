"""Tools, models and inputs of other people's: what they return and raise is not lost or taken for something else."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool, Tool, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.prebuilt import InjectedState
from langgraph.types import Command
from pydantic import AliasChoices, BaseModel, ConfigDict, Field
from support.plan_act import act, done, planned, replanned
from support.scripted import ScriptedModel
from thoughtgraph import create_plan_act_graph, create_reflection_graph
from thoughtgraph.errors import ToolContractError
from thoughtgraph.models import think


def one(name: str, given: Any = "x", *, fails: bool = False) -> list[str]:
    """The replies of a run with one call; where it fails, the model is told so once."""
    return [planned("do it"), act(name, given), *[done("Done.")] * (1 + fails), replanned(response="Done.")]


def run(function: Any, given: Any, *, is_async: bool = False, fails: bool = False) -> dict[str, Any]:
    made: BaseTool = function if isinstance(function, BaseTool) else tool(function)
    graph = create_plan_act_graph(ScriptedModel(replies=one(made.name, given, fails=fails)), [made], interactive=False)
    if is_async:
        return asyncio.run(asyncio.wait_for(graph.ainvoke({"goal": "do it"}), 20))
    return graph.invoke({"goal": "do it"})


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_a_tool_that_raises_stop_iteration_has_failed(is_async: bool) -> None:
    def first(words: str) -> str:
        """Give the first word that begins with q."""
        return next(word for word in words.split() if word.startswith("q"))

    seen = run(first, {"words": "a b"}, is_async=is_async, fails=True)["observations"][0]
    assert not seen["ok"]
    assert "StopIteration" in seen["result"]


def test_a_verifier_that_raises_stop_iteration_costs_no_run() -> None:
    def verifier(task: str, answer: str) -> Any:
        return next(line for line in answer.splitlines() if line.startswith("Answer:"))

    graph = create_reflection_graph(actor=ScriptedModel(replies=["no"] * 4), verifier=verifier, max_attempts=2)
    ended = asyncio.run(asyncio.wait_for(graph.ainvoke({"task": "t"}), 20))
    assert ended["verdict"] == graph.invoke({"task": "t"})["verdict"] == "failed"


def test_messages_without_a_new_turn_of_the_user_do_not_run_the_last_goal_again() -> None:
    made: list[str] = []

    def wipe(disk: str) -> str:
        """Wipe a disk."""
        made.append(disk)
        return "wiped"

    model = ScriptedModel(replies=one("wipe", {"disk": "a"}) * 2)
    graph = create_plan_act_graph(model, [wipe], checkpointer=InMemorySaver())
    config: RunnableConfig = {"configurable": {"thread_id": "1"}}
    graph.invoke({"messages": [HumanMessage("wipe the disk")]}, config)
    with pytest.raises(ValueError, match="the last message is of the type"):
        graph.invoke({"messages": [HumanMessage("thanks"), AIMessage("you are welcome")]}, config)
    assert made == ["a"]


def test_langchains_tool_of_one_text_is_called_with_it() -> None:
    upper = Tool(name="upper", description="upper case", func=str.upper)
    assert [seen["result"] for seen in run(upper, "milk")["observations"]] == ["MILK"]


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_langchains_tool_of_one_text_is_given_the_configuration_that_its_function_asks_for(is_async: bool) -> None:
    def look_up(text: str, config: RunnableConfig) -> str:
        return f"{text} for {config.get('configurable', {}).get('thread_id')}"

    async def alook_up(text: str, config: RunnableConfig) -> str:
        return look_up(text, config)

    made = Tool(name="look_up", description="Look up.", func=look_up, coroutine=alook_up if is_async else None)
    model = ScriptedModel(replies=one("look_up", "tea"))
    graph = create_plan_act_graph(model, [made], checkpointer=InMemorySaver())
    config: RunnableConfig = {"configurable": {"thread_id": "eva"}}
    given: Any = {"goal": "do it"}
    ended = asyncio.run(graph.ainvoke(given, config)) if is_async else graph.invoke(given, config)
    assert [seen["result"] for seen in ended["observations"]] == ["tea for eva"]


@pytest.mark.parametrize(
    ("artifact", "kept", "ignored"),
    [
        ({"id": 1234567890123456789}, {"id": 1234567890123456789}, False),
        ({"id": 2**64 - 1}, {"id": 2**64 - 1}, False),
        ({"id": -(2**63)}, {"id": -(2**63)}, False),
        ({"id": 2**64}, None, True),
        ({"id": 10**400}, None, True),
        ({"mean": float("nan"), "of": [float("-inf")]}, {"mean": "NaN", "of": ["-Infinity"]}, False),
    ],
    ids=["snowflake", "largest", "smallest", "too large", "huge", "no number"],
)
def test_a_number_of_an_artifact_is_kept_as_json_or_said_to_be_left_out(
    artifact: Any, kept: Any, ignored: bool
) -> None:
    def give(**_: Any) -> tuple[str, Any]:
        return "given", artifact

    made = StructuredTool.from_function(
        give, name="give", description="d", args_schema={"type": "object"}, response_format="content_and_artifact"
    )
    ended = run(made, {})
    assert ended["observations"][0].get("artifact") == kept
    said = [event["data"].get("ignored", "") for event in ended["events"] if event["kind"] == "observation"]
    assert bool(said[0]) is ignored


def test_a_refusal_is_the_reply() -> None:
    refused = AIMessage("", additional_kwargs={"refusal": "I can't help with that."})
    blocks = AIMessage([{"type": "refusal", "refusal": "I can't help with that."}])
    for message in (refused, blocks):
        assert think(ScriptedModel(replies=[message]), "t").reply == "I can't help with that."


def test_a_chain_that_ends_in_an_output_parser_is_a_model() -> None:
    chain: Any = ScriptedModel(replies=["hello"]) | StrOutputParser()
    assert think(chain, "t").reply == "hello"


def test_a_list_of_commands_is_refused() -> None:
    def jump(to: str) -> Any:
        """Jump."""
        return [Command(update={"goal": "changed"}, goto="finalize")]

    with pytest.raises(ToolContractError, match="list of Commands"):
        run(jump, {"to": "x"})


def logged(function: Any) -> Any:
    """A decorator that forgets to await."""

    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        return function(*args, **named)

    return call


@logged
async def fetch(text: str) -> str:
    """Fetch."""
    return text


def rows(text: str) -> Any:
    """Give rows."""
    yield text


class Rows(BaseTool):
    """Gives rows, one by one."""

    name: str = "rows"
    description: str = "Give rows."

    def _run(self, text: str) -> Any:
        yield text


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")
@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize(("one", "made"), [(fetch, "coroutine"), (rows, "generator"), (Rows(), "generator")])
def test_a_function_that_was_only_begun_has_not_worked(one: Any, made: str, is_async: bool) -> None:
    with pytest.raises(ToolContractError, match=f"returned a {made}, so that nothing of it was run"):
        run(one, {"text": "x"}, is_async=is_async)


def test_a_text_that_tells_of_a_generator_is_a_result() -> None:
    def evaluate(text: str) -> Any:
        """Evaluate an expression."""
        return str(letter for letter in text)

    assert run(evaluate, {"text": "x"})["observations"][0]["result"].startswith("<generator object")


@pytest.mark.parametrize("by_name", [False, True])
@pytest.mark.parametrize("default", [..., "today"], ids=["required", "optional"])
def test_an_argument_with_an_alias_arrives(default: Any, by_name: bool) -> None:
    class Trip(BaseModel):
        model_config = ConfigDict(populate_by_name=by_name)
        from_date: str = Field(default, alias="fromDate")
        to: str = Field(validation_alias=AliasChoices("to", "until"))

    @tool(args_schema=Trip)
    def trip(from_date: str, to: str) -> str:
        """Plan a trip."""
        return f"{from_date} to {to}"

    seen = run(trip, {"from_date": "2026-05-01", "to": "2026-05-03"})["observations"][0]
    assert (seen["ok"], seen["result"]) == (True, "2026-05-01 to 2026-05-03")


class Desk:
    """Tools as methods."""

    @tool
    def inside(self, words: str) -> str:
        """Say the words."""
        return words

    def outside(self, words: str) -> str:
        """Say the words."""
        return words


def configured(config: dict[str, int], words: str) -> str:
    """Say the words."""
    return words


def tuned(words: str, config: str = "low") -> str:
    """Say the words."""
    return f"{config} {words}"


def served(**named: Any) -> str:
    return str(named)


OF_A_SERVER = {"type": "object", "properties": {"config": {"type": "string"}}, "required": ["config"]}


def by_place(words: str, /) -> str:
    """Say the words."""
    return words


def starred(*args: str) -> str:
    """Say the words."""
    return args[0]


def called_back(words: str, call: Callable[[], None]) -> str:
    """Say the words."""
    return words


class More(BaseModel):
    words: str
    tone: str = "low"


def fewer(words: str) -> str:
    """Say the words."""
    return words


@functools.wraps(fewer)
def supplied(*args: Any, **named: Any) -> str:
    return fewer(named["words"])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (Desk.inside, "the tool 'inside' cannot be called with its argument 'self'.*obj.method"),
        (configured, "'configured' cannot be called with its argument 'config'"),
        (tuned, "'tuned' cannot be called with its argument 'config'"),
        (
            StructuredTool.from_function(served, name="served", description="d", args_schema=OF_A_SERVER),
            "'served' cannot be called with its argument 'config'",
        ),
        (by_place, "'by_place' cannot be called with its argument"),
        (starred, "'starred' cannot be called with its argument 'args'"),
        (StructuredTool.from_function(fewer, args_schema=More), "'fewer' cannot be called with its argument 'tone'"),
        (called_back, "the arguments of the tool 'called_back' have no JSON schema"),
    ],
)
def test_a_tool_of_which_every_call_would_fail_is_refused_when_the_graph_is_built(given: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        create_plan_act_graph(ScriptedModel(replies=[]), [given], interactive=False)


def with_configuration(config: RunnableConfig, words: str, callbacks: Any) -> str:
    """Say the words."""
    return words if config["metadata"] is not None and callbacks else ""


def with_configuration_perhaps(words: str, config: RunnableConfig | None = None) -> str:
    """Say the words."""
    return words


@pytest.mark.parametrize(
    "given",
    [
        Desk().outside,
        with_configuration,
        with_configuration_perhaps,
        StructuredTool.from_function(supplied, name="supplied", args_schema=More),
    ],
)
def test_one_that_can_be_called_is_not(given: Any) -> None:
    assert "Done." in run(given, {"words": "hello"})["response"]


def test_a_field_that_the_state_lacks_is_found_out_when_the_graph_is_built() -> None:
    def pay(amount: int, user: Annotated[str, InjectedState("user_id")]) -> str:
        """Pay."""
        return "paid"

    with pytest.raises(ValueError, match=r"no 'user_id'.*'user' of the tool 'pay'"):
        create_plan_act_graph(ScriptedModel(replies=[]), [pay], interactive=False)


def test_an_error_without_words_of_its_own_is_a_failure_of_the_tool() -> None:
    class SilentError(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no str")

    def fail(text: str) -> str:
        """Fail."""
        raise SilentError

    seen = run(fail, {"text": "x"}, fails=True)["observations"][0]
    assert (seen["ok"], seen["result"].startswith("SilentError: no message")) == (False, True)


def test_half_a_character_in_the_goal_and_a_background_that_is_no_text() -> None:
    def echo(text: str) -> str:
        """Echo."""
        return text

    replies = [act("echo", {"text": "hi"}), done("hi"), replanned(response="hi")]
    graph = create_plan_act_graph(ScriptedModel(replies=replies), [echo], interactive=False)
    assert graph.invoke({"goal": "look up \ud83d"})["stop_reason"]["kind"] == "goal_met"
    given: Any = {"goal": "g", "background": 5}
    with pytest.raises(ValueError, match="background has to be a text"):
        graph.invoke(given)


@pytest.mark.parametrize("goal", [5, ["a"], {"goal": "a"}])
def test_a_goal_that_is_no_text_is_told_by_its_type(goal: Any) -> None:
    graph = create_plan_act_graph(ScriptedModel(replies=[]), [], interactive=False)
    with pytest.raises(ValueError, match=f"goal has to be a text, got {type(goal).__name__}"):
        graph.invoke({"goal": goal})


@pytest.mark.parametrize("mode", ["external_loop", "reflexion", "actor_critic", "best_of_n"])
def test_a_task_that_is_no_text_is_told_by_its_type(mode: Any) -> None:
    graph = create_reflection_graph(mode, actor=ScriptedModel(replies=[]))
    with pytest.raises(ValueError, match="task has to be a text, got int"):
        graph.invoke({"task": 5})


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("now", [datetime(80, 1, 1), datetime(800, 12, 25, 9, 30, tzinfo=UTC)])
def test_a_clock_may_tell_an_early_year(now: datetime, language: Any) -> None:
    model = ScriptedModel(replies=one("by_words", {"words": "hello"}))
    tools = [StructuredTool.from_function(fewer, name="by_words")]
    graph = create_plan_act_graph(model, tools, interactive=False, clock=lambda: now, language=language)
    assert "Done." in graph.invoke({"goal": "Say hello tomorrow at ten"})["response"]
    assert f"{now.year:04}-{now.month:02}-{now.day:02}" in str(model.requests)
