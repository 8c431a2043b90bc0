"""What is no model and no tool is refused when the graph is built; a model may be given by its name."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from langchain.agents import create_agent
from langchain.chat_models import init_chat_model
from langchain_core.language_models import FakeListLLM
from langchain_core.messages import HumanMessage, SystemMessage
from langchain_core.output_parsers import CommaSeparatedListOutputParser, JsonOutputParser, StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import ConfigurableField, RunnableBranch, RunnableLambda
from langchain_core.tools import tool as as_tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore
from pydantic import BaseModel, SecretStr
from support.openai_server import OpenAIServer, Reply
from support.plan_act import echo_tool, planned
from support.scripted import ScriptedModel
from thoughtgraph import (
    Assistant,
    ContextGraph,
    Guards,
    PythonTests,
    Verdict,
    create_plan_act_graph,
    create_reflection_graph,
    generate_with_retry,
    json_parser,
    open_failure_memory,
    open_model,
    pipe,
    register_reflection_mode,
    think,
)
from thoughtgraph.errors import ModelSetupError
from thoughtgraph.evaluation import Condition, RayBackend, asolve_many, evaluate, save_plot
from thoughtgraph.graphs.building import framed
from thoughtgraph.memory import FailureMemory
from thoughtgraph.models import Backoff
from thoughtgraph.tools import solver_tool
from thoughtgraph.tools.agenda import Agenda, todo_tool
from thoughtgraph.tools.sandbox import SandboxLimits, run, run_project
from thoughtgraph.tools.search import BingSearchProvider, DuckDuckGoSearchProvider, internet_search_tool
from thoughtgraph.tools.verifiers import (
    CommandVerifier,
    HTTPVerifier,
    HumanVerifier,
    JSONSchemaVerifier,
    ToolVerifier,
)
from thoughtgraph.traces import Prices, run_metrics

MODEL = ScriptedModel(replies=[])
OPENAI = ChatOpenAI(model="gpt-4.1", api_key=SecretStr("none"))


class Count(BaseModel):
    """What structured output is to hold."""

    cats: int


@pytest.mark.parametrize("wrong", [None, 3, object(), [3], {"model": "x"}])
def test_what_is_no_model_is_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match="actor has to be a LangChain chat model"):
        create_reflection_graph(actor=wrong)
    with pytest.raises(ValueError, match="actor has to be a LangChain chat model"):
        create_reflection_graph(actor=["nosuchprovider:model", wrong])
    with pytest.raises(ValueError, match="model has to be a LangChain chat model"):
        create_plan_act_graph(wrong, [], interactive=False)
    if wrong is not None:
        with pytest.raises(ValueError, match="critic has to be a LangChain chat model"):
            create_reflection_graph("actor_critic", actor=MODEL, critic=wrong)


@pytest.mark.parametrize("wrong", ["echo", 3, {"name": "echo"}, int, None])
def test_what_is_no_tool_is_refused_by_name(wrong: Any) -> None:
    with pytest.raises(ValueError, match="is no tool: pass a LangChain tool"):
        create_plan_act_graph(MODEL, [wrong], interactive=False)


def test_a_reflection_graph_among_the_tools_is_told_of_the_solver() -> None:
    with pytest.raises(ValueError, match=r"is no tool: .*solver_tool\(graph\)"):
        create_plan_act_graph(MODEL, [create_reflection_graph(actor=MODEL)], interactive=False)  # type: ignore[list-item]


@pytest.mark.parametrize("mode", ["external_loop", "best_of_n"])
def test_a_critic_is_refused_where_none_is_asked(mode: str) -> None:
    rows: Any = [{"prompt": "x", "visible_tests": "assert f() == 1"}]
    both = "external_loop and best_of_n ask" if mode == "best_of_n" else "external_loop asks"
    for build, named in (
        (lambda critic: create_reflection_graph(mode, actor=MODEL, critic=critic), f"{mode} asks"),
        (lambda critic: asyncio.run(asolve_many(MODEL, rows, mode=mode, critic=critic)), f"{mode} asks"),
        (lambda critic: evaluate(rows, MODEL, modes=[mode], critic=critic), both),
    ):
        with pytest.raises(ValueError, match=f"^{named} no critic: leave critic out, or choose actor_critic"):
            build(MODEL)


def undescribed(item: str) -> str:
    return item


@pytest.mark.parametrize(
    ("wrong", "name"), [(undescribed, "undescribed"), (lambda item: item, "<lambda>"), (partial(max, 1), "partial")]
)
def test_a_function_that_makes_no_tool_is_named(wrong: Any, name: str) -> None:
    with pytest.raises(ValueError, match=f"{name}.* cannot be made a tool: "):
        create_plan_act_graph(MODEL, [echo_tool(), wrong], interactive=False)


@pytest.mark.parametrize("wrong", ["echo", 3, {"echo": echo_tool()}, None, echo_tool(), MODEL])
def test_tools_are_a_list(wrong: Any) -> None:
    with pytest.raises(ValueError, match="tools has to be a list of tools"):
        create_plan_act_graph(MODEL, wrong, interactive=False)


def test_a_name_that_opens_no_model_is_an_error_of_the_set_up() -> None:
    with pytest.raises(ModelSetupError):
        create_reflection_graph(actor="nosuchprovider:model")


def test_either_graph_takes_a_model_by_its_name_and_two_share_it() -> None:
    replies = [Reply("hello"), Reply("hi"), Reply(planned(response="Good day."))]
    with OpenAIServer(replies) as server:
        name = f"{server.base_url}#m"
        assert create_reflection_graph(actor=name).invoke({"task": "Greet me."})["answer"] == "hello"
        graph = create_reflection_graph("reflexion", actor=MODEL, critic=name)
        assert graph.name == "reflexion"
        assert think(open_model(name), "Greet me.").reply == "hi"
        plan_act = create_plan_act_graph(name, [echo_tool()], interactive=False)
        assert plan_act.invoke({"goal": "Greet me."})["response"] == "Good day."


def test_an_open_model_works_without_a_block_and_closes_what_it_started(monkeypatch: pytest.MonkeyPatch) -> None:
    with OpenAIServer([Reply("one"), Reply("two")]) as server:
        model = open_model(f"{server.base_url}#m", temperature=0.5)
        assert think(model, "Count.").reply == "one"
        with model as inner:
            assert think(inner, "Count.").reply == "two"
            assert inner.temperature == 0.5  # type: ignore[attr-defined]
        closed: list[int] = []
        model.opened.callback(lambda: closed.append(1))
        model.close()
        model.close()
        assert closed == [1]


@pytest.mark.parametrize("wrong", [InMemoryStore(), "memory.sqlite", open_failure_memory(), 3])
def test_a_memory_is_one_of_failures(wrong: Any) -> None:
    words = r"memory has to be a FailureMemory, got \w+.*with open_failure_memory.*FailureMemory\(store\)"
    with pytest.raises(ValueError, match=words):
        create_reflection_graph(actor=MODEL, memory=wrong)


class Half:
    def recall(self, task: str, *, kind: str = "", error: str = "") -> list[Any]:
        return []

    def remember(self, lessons: Any) -> None:
        pass


@pytest.mark.parametrize(
    ("wrong", "said"),
    [(Half(), r"got Half \(without arecall, aremember\)"), (FailureMemory, r"got FailureMemory \(a class\)")],
)
def test_a_memory_of_ones_own_is_told_what_it_lacks(wrong: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        create_reflection_graph(actor=MODEL, memory=wrong)


@pytest.mark.parametrize("wrong", [3, Path("model.gguf"), MODEL])
def test_a_model_is_opened_by_its_name(wrong: Any) -> None:
    with pytest.raises(ValueError, match="the model has to be its name, as a text"):
        open_model(wrong)


@pytest.mark.parametrize("wrong", [{"events": []}, "run.jsonl", None])
def test_a_run_is_compared_with_a_context_graph(wrong: Any) -> None:
    with pytest.raises(ValueError, match="other has to be a ContextGraph"):
        ContextGraph([]).compare(wrong)


def test_a_tool_that_verifies_is_a_tool_and_its_judge_a_function() -> None:
    def answer(text: str) -> str:
        return text

    wrong: Any = 5
    with pytest.raises(ValueError, match="tool has to be a LangChain tool"):
        ToolVerifier(cast(Any, answer))
    with pytest.raises(ValueError, match="judge has to be a function of the tool's result, got 5"):
        ToolVerifier(as_tool(description="Echo.")(answer), judge=wrong)


@pytest.mark.parametrize("wrong", [3, "solve", lambda task: task])
def test_a_solver_is_a_reflection_graph(wrong: Any) -> None:
    with pytest.raises(ValueError, match="takes a graph from create_reflection_graph"):
        solver_tool(wrong)
    with pytest.raises(ValueError, match="takes a graph from create_reflection_graph"):
        solver_tool(create_plan_act_graph(MODEL, [echo_tool()], interactive=False))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"clock": 5}, "clock has to be a function"),
        ({"task_handlers": [3]}, "a task handler has `can_handle`"),
        ({"task_handlers": 3}, "task_handlers has to be a list"),
        ({"context": "x"}, "context is a list of ContextComponent"),
        ({"context": 3}, "context has to be a list of ContextComponent"),
        ({"guards": 3}, "guards has to be a Guards"),
        ({"guards": Guards(exempt_tools=frozenset({"ech"}))}, "exempt_tools names no tool of the loop: ech"),
        ({"ask_prefix": 3}, "ask_prefix has to be a text"),
        ({"advice": 3}, "advice has to be a text"),
        ({"interactive": "no"}, "interactive has to be True or False, got 'no'"),
        ({"constrained": "yes"}, "constrained has to be True or False, got 'yes'"),
        ({"summarize_results": 5}, "summarize_results has to be True or False, got 5"),
    ],
)
def test_what_does_not_fit_the_loop_is_refused_before_a_run(options: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        create_plan_act_graph(MODEL, [echo_tool()], **{"interactive": False, **options})


@pytest.mark.parametrize("wrong", [5, {"m": (1, 1)}, []])
def test_what_are_no_prices_is_refused_with_and_without_a_budget(wrong: Any) -> None:
    for options in ({}, {"max_cost": 1.0}):
        with pytest.raises(ValueError, match=r"prices has to be Prices\(…\), got"):
            create_reflection_graph(actor=MODEL, prices=wrong, **cast(Any, options))
    with pytest.raises(ValueError, match=r"prices has to be Prices\(…\), got"):
        run_metrics([], wrong)
    for fits in (None, Prices()):
        create_reflection_graph(actor=MODEL, prices=fits)


def test_what_is_neither_true_nor_false_is_refused_elsewhere(tmp_path: Path) -> None:
    wrong: Any = "no"
    with pytest.raises(ValueError, match="bare_failures has to be True or False, got 'no'"):
        FailureMemory(InMemoryStore(), bare_failures=wrong)
    with pytest.raises(ValueError, match="allow_private has to be True or False, got 'no'"):
        BingSearchProvider(allow_private=wrong)
    with pytest.raises(ValueError, match="constrained has to be True or False, got 'no'"):
        Assistant(MODEL, folder=tmp_path, constrained=wrong)
    with pytest.raises(ValueError, match="controls has to be True or False, got 'no'"):
        evaluate([{"task_id": "1", "prompt": "x"}], MODEL, controls=wrong)


OF_BOTH: list[tuple[dict[str, Any], str]] = [
    ({"system_prompt": HumanMessage("Be brief.")}, "system_prompt has to be a text or a SystemMessage"),
    ({"system_prompt": 3}, "system_prompt has to be a text or a SystemMessage"),
    ({"store": 3}, "store has to be a LangGraph store"),
    ({"name": 3}, "name has to be a text"),
    ({"context_schema": 3}, "context_schema has to be a type"),
    ({"interrupt_before": "nowhere"}, "`nowhere` not found"),
    ({"interrupt_after": ["nowhere"]}, "`nowhere` not found"),
]


@pytest.mark.parametrize(("options", "words"), OF_BOTH)
def test_what_fits_no_graph_is_refused_by_either(options: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        create_plan_act_graph(MODEL, [echo_tool()], interactive=False, **options)
    with pytest.raises(ValueError, match=words):
        create_reflection_graph(actor=MODEL, **options)


@pytest.mark.parametrize("nodes", ["*", "attempt", ["attempt"]], ids=str)
def test_a_run_pauses_at_all_nodes_or_at_one_that_is_named(nodes: Any) -> None:
    saver, thread = InMemorySaver(), {"configurable": {"thread_id": "1"}}
    graph = create_reflection_graph(
        actor=ScriptedModel(replies=["4"]),
        verifier=lambda task, answer: Verdict("passed"),
        system_prompt=SystemMessage("Be brief."),
        checkpointer=saver,
        interrupt_before=nodes,
    )
    graph.invoke({"task": "2 + 2?"}, thread)
    assert graph.get_state(thread).next == (("begin",) if nodes == "*" else ("attempt",))
    loop = create_plan_act_graph(MODEL, [], interactive=False, interrupt_after=["plan"] if nodes != "*" else "*")
    assert loop.interrupt_after_nodes == ("*" if nodes == "*" else ["plan"])


def test_a_clock_gives_the_time() -> None:
    model = ScriptedModel(replies=[planned(response="Done.")] * 2)
    late = create_plan_act_graph(model, [echo_tool()], interactive=False, clock=cast(Any, lambda: "now"))
    with pytest.raises(ValueError, match="what clock gives has to be a datetime, got 'now'"):
        late.invoke({"goal": "Say hi."})
    assert model.requests == []
    right = create_plan_act_graph(model, [echo_tool()], interactive=False, clock=lambda: datetime(2026, 1, 2, 3, 4))
    assert right.invoke({"goal": "Say hi."})["response"] == "Done."


def structured(**options: Any) -> Any:
    """A model whose replies are objects."""
    return OPENAI.with_structured_output(Count, **options)


OBJECTS = "JSONSchemaVerifier"
NO_REPLIES: dict[str, tuple[Any, str]] = {
    "agent": (create_agent(MODEL, []), "is a graph .*VerifyMiddleware"),
    "agent with retries": (create_agent(MODEL, []).with_retry(), "is a graph .*VerifyMiddleware"),
    "function calling": (structured(method="function_calling"), OBJECTS),
    "JSON schema": (structured(method="json_schema"), OBJECTS),
    "JSON mode": (structured(method="json_mode"), OBJECTS),
    "with the message": (structured(include_raw=True), OBJECTS),
    "configured": (structured().with_config(tags=["x"]), OBJECTS),
    "with fallbacks": (structured().with_fallbacks([MODEL]), OBJECTS),
    "as a fallback": (MODEL.with_fallbacks([structured()]), OBJECTS),
    "with retries": (structured().with_retry(), OBJECTS),
    "parsed": (OPENAI | JsonOutputParser(), OBJECTS),
    "split": (OPENAI | CommaSeparatedListOutputParser(), OBJECTS),
    "of init_chat_model": (init_chat_model(configurable_fields="any").with_structured_output(Count), OBJECTS),
    "the way of a branch": (RunnableBranch((lambda messages: True, structured()), MODEL), OBJECTS),
    "the last way of a branch": (RunnableBranch((lambda messages: False, MODEL), structured()), OBJECTS),
    "selected": (
        OPENAI.configurable_alternatives(ConfigurableField(id="model"), other=structured()).with_config(
            configurable={"model": "other"}
        ),
        OBJECTS,
    ),
}


@pytest.mark.parametrize(("wrong", "words"), NO_REPLIES.values(), ids=NO_REPLIES)
def test_what_gives_no_messages_is_refused_with_what_to_do_instead(wrong: Any, words: str) -> None:
    with pytest.raises(ValueError, match=f"actor .*{words}"):
        create_reflection_graph(actor=wrong)
    with pytest.raises(ValueError, match=f"model .*{words}"):
        create_plan_act_graph(wrong, [], interactive=False)
    with pytest.raises(ValueError, match=f"model .*{words}"):
        think(wrong, "Why?")


def declared(message: Any) -> dict[str, Any]:
    """What is written beside a function need not be so."""
    return message


REPLIES: dict[str, Any] = {
    "function": RunnableLambda(declared),
    "texts": OPENAI | StrOutputParser(),
    "back to a text": structured() | RunnableLambda(lambda count: str(count)),
    "an agent's last message": create_agent(MODEL, []) | RunnableLambda(lambda state: state["messages"][-1]),
    "prompt": ChatPromptTemplate.from_messages([("placeholder", "{messages}")]) | OPENAI,
    "tools": OPENAI.bind_tools([Count]),
    "bound": OPENAI.bind(stop=["x"]),
    "fallbacks": OPENAI.with_fallbacks([MODEL]),
    "retries": OPENAI.with_retry(),
    "alternatives": OPENAI.configurable_alternatives(ConfigurableField(id="model"), other=MODEL),
    "init_chat_model": init_chat_model(configurable_fields="any").bind_tools([Count]),
    "branch": RunnableBranch((lambda messages: True, MODEL), OPENAI),
    "completion": FakeListLLM(responses=["a"]),
    "typed": OPENAI.with_types(output_type=str),
}


@pytest.mark.parametrize("right", REPLIES.values(), ids=REPLIES)
def test_what_gives_messages_or_texts_is_a_model(right: Any) -> None:
    create_reflection_graph(actor=right)
    create_plan_act_graph(right, [], interactive=False)


@pytest.mark.parametrize("wrap", [lambda model: model, lambda model: model.with_retry()], ids=["bare", "wrapped"])
def test_a_model_that_no_configuration_chooses_says_how_to_choose_it(wrap: Callable[[Any], Any]) -> None:
    model = wrap(init_chat_model(configurable_fields="any", config_prefix="first"))
    for ask in (
        lambda: think(model, "Why?"),
        lambda: create_reflection_graph(actor=model).invoke({"task": "t"}),
        lambda: create_plan_act_graph(model, [], interactive=False).invoke({"goal": "t"}),
    ):
        with pytest.raises(ModelSetupError, match=r"makes no model .* run with .*'first_model': 'openai:gpt-4.1'"):
            ask()


@pytest.mark.parametrize(("name", "is_right"), [("a b", False), ("", False), (5, False), ("solve-it_2", True)])
def test_a_solver_has_the_name_of_a_tool(name: Any, is_right: bool) -> None:
    graph = create_reflection_graph(actor=MODEL)
    if is_right:
        assert solver_tool(graph, name=name).name == name
        return
    with pytest.raises(ValueError, match="name has to be a tool's name"):
        solver_tool(graph, name=name)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: FailureMemory(cast(Any, object())), "store has to be a LangGraph store"),
        (lambda: FailureMemory(InMemoryStore(), namespace=cast(Any, "mine")), "namespace has to be a tuple of texts"),
        (lambda: CommandVerifier(["true"], readable="/"), "readable has to be a list of files and folders, got '/'"),
        (lambda: CommandVerifier(["true"], readable=cast(Any, 5)), "readable has to be a list of files and folders"),
        (lambda: CommandVerifier(["true"], file=cast(Any, None)), "file has to be a file's name, got None"),
        (lambda: HTTPVerifier(cast(Any, 5)), "url has to be a text, got 5"),
        (lambda: Assistant(folder=os.devnull, tools=cast(Any, 5)), "tools has to be a list of tools, got 5"),
        (lambda: create_reflection_graph(actor=MODEL, checkpointer=cast(Any, "a.sqlite")), "as `with open_checkpoints"),
        (lambda: create_plan_act_graph(MODEL, [], checkpointer=cast(Any, InMemorySaver)), "a LangGraph checkpointer"),
        (lambda: Guards(exempt_tools=cast(Any, 5)), "exempt_tools has to be a list of names"),
        (lambda: create_reflection_graph(actor=MODEL, strategies=cast(Any, "fresh")), "has to be a list of strategies"),
        (lambda: create_reflection_graph(actor=MODEL, strategies=cast(Any, 5)), "has to be a list of strategies"),
        (
            lambda: evaluate(["x"], MODEL, modes=cast(Any, 5), scorer=lambda task, answer: True),
            "modes has to be a list of modes",
        ),
        (lambda: internet_search_tool(cast(Any, 5)), "provider has to be a search provider"),
        (lambda: Assistant(folder=os.devnull, guards=cast(Any, 5)), "guards has to be a Guards"),
        (lambda: Agenda(":memory:", clock=cast(Any, 5)), "clock has to be a function"),
        (lambda: JSONSchemaVerifier(None), "schema is None"),
        (lambda: register_reflection_mode(cast(Any, None), lambda loop: framed(loop)), "name has to be a text"),
        (lambda: Guards(exempt_tools=frozenset({cast(Any, 5)})), "each of exempt_tools has to be a tool's name"),
    ],
)
def test_an_argument_of_another_kind_is_refused_when_it_is_given(make: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()


@pytest.mark.parametrize("wrong", [None, Path("t.py"), ["assert f(1)"], b"assert f(1)"])
def test_tests_are_a_text(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"tests is the tests' source text, got \w+: of a file its read_text\(\)"):
        PythonTests(wrong)


def test_a_file_name_given_as_tests_is_shown() -> None:
    with pytest.raises(ValueError, match=r"got the path 'tests\.py': give its read_text"):
        PythonTests("tests.py")


WRONG: Any = object()
BEFORE_ANYTHING_IS_SPENT = {
    "limits of tests": (lambda: PythonTests("assert f() == 1", limits=cast(Any, 10)), "limits has to be SandboxLimits"),
    "an entry point": (
        lambda: PythonTests("assert f() == 1", entry_point=cast(Any, 3)),
        "entry_point has to be a func",
    ),
    "limits of a command": (lambda: CommandVerifier(["true"], limits=cast(Any, 10)), "limits has to be SandboxLimits"),
    "limits of a run": (lambda: run("x = 1", "assert x", cast(Any, 10)), "limits has to be SandboxLimits"),
    "limits of a project": (
        lambda: run_project({}, {"test_a.py": "assert 1"}, cast(Any, 10)),
        "limits has to be SandboxLimits",
    ),
    "a header": (
        lambda: HTTPVerifier("http://localhost/", headers={"X-Key": cast(Any, None)}),
        "the header 'X-Key' has to be a text, got None",
    ),
    "a question": (lambda: HumanVerifier(question=WRONG), "question has to be a text"),
    "a schema as a text": (lambda: JSONSchemaVerifier('{"type": "object"}'), "no text: read it with json.loads"),
    "calls of a back-off": (lambda: Backoff(max_attempts=0), "max_attempts must be at least 1, got 0"),
    "a wait below 0": (lambda: Backoff(initial_interval=-1), "initial_interval must be at least 0"),
    "no longest wait": (lambda: Backoff(max_interval=cast(Any, None)), "max_interval has to be a number"),
    "jitter": (lambda: Backoff(jitter=cast(Any, 0.5)), "jitter has to be True or False"),
    "seconds of a search": (lambda: BingSearchProvider(timeout=0), "timeout must be more than 0"),
    "a market": (lambda: BingSearchProvider(market=WRONG), "market has to be a text"),
    "an address": (lambda: BingSearchProvider(base_url=WRONG), "base_url has to be an address"),
    "seconds of DuckDuckGo": (lambda: DuckDuckGoSearchProvider(timeout=0), "timeout must be more than 0"),
    "half a result": (
        lambda: internet_search_tool(BingSearchProvider(), top_k=cast(Any, 1.5)),
        "top_k has to be a whole",
    ),
    "a language": (
        lambda: internet_search_tool(BingSearchProvider(), language=cast(Any, "fr")),
        "unknown language 'fr'",
    ),
    "an agenda": (lambda: todo_tool(WRONG), "agenda has to be an Agenda"),
    "a list of modes": (lambda: create_reflection_graph(cast(Any, ["reflexion"]), actor=MODEL), "unknown mode"),
    "a mode of a condition": (lambda: Condition(cast(Any, ["reflexion"])), "mode has to be a mode's name"),
    "nodes to pause at": (
        lambda: create_reflection_graph(actor=MODEL, interrupt_before=cast(Any, True)),
        "interrupt_before has to be a node's name",
    ),
    "a temperature": (
        lambda: generate_with_retry(MODEL, "Write a.md", "markdown", temperature=cast(Any, "0.7")),
        "temperature has to be a number",
    ),
    "a cap of a file": (
        lambda: generate_with_retry(MODEL, "Write a.md", "markdown", max_tokens=0),
        "max_tokens must be",
    ),
    "a parser of a pipe": (lambda: pipe(WRONG, json_parser), "cannot be called"),
    "a check of a pipe": (lambda: pipe(json_parser, WRONG), "cannot be called"),
    "tasks of a worker": (lambda: RayBackend(in_flight=cast(Any, None)), "in_flight has to be a number"),
    "limits of a provider": (lambda: RayBackend(calls_a_second=cast(Any, None)), "calls_a_second has to be a dict"),
    "a comparison": (lambda: save_plot(WRONG, "modes.png"), "comparison has to be what evaluate returns"),
}


@pytest.mark.parametrize(("call", "said"), BEFORE_ANYTHING_IS_SPENT.values(), ids=BEFORE_ANYTHING_IS_SPENT)
def test_an_argument_of_another_kind_is_refused_where_it_is_given(call: Callable[[], object], said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        call()


def test_the_exchanges_that_an_assistant_keeps_are_counted(tmp_path: Path) -> None:
    for wrong in (-1, 1.5, "six", True):
        with pytest.raises(ValueError, match="history"):
            Assistant(folder=tmp_path, history=cast(Any, wrong))
    Assistant(folder=tmp_path, history=0).close()


def test_arguments_of_their_kind_are_taken() -> None:
    limits = SandboxLimits(seconds=2)
    assert PythonTests("assert f() == 1", limits=limits).limits is limits
    assert PythonTests("assert f() == 1").limits == SandboxLimits()
    assert Backoff(max_attempts=cast(Any, 2.0), initial_interval=0) == Backoff(max_attempts=2, initial_interval=0.0)
    assert internet_search_tool(BingSearchProvider(market="zh-CN"), top_k=1, language="zh").name == "internet_search"
    create_reflection_graph(actor=MODEL, interrupt_before="verify", interrupt_after=["attempt"])
    RayBackend(workers=2, in_flight=1, calls_a_second={"openai:": 5})
