"""What is no model and no tool is refused when the graph is built; a model may be given by its name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore
from support.openai_server import OpenAIServer, Reply
from support.plan_act import echo_tool, planned
from support.scripted import ScriptedModel
from thoughtgraph import PythonTests, create_plan_act_graph, create_reflection_graph, open_model, think
from thoughtgraph.errors import ModelSetupError
from thoughtgraph.tools import solver_tool

MODEL = ScriptedModel(replies=[])


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


@pytest.mark.parametrize("wrong", ["echo", 3, {"echo": echo_tool()}, None])
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


@pytest.mark.parametrize("wrong", [InMemoryStore(), "memory.sqlite", 3])
def test_a_memory_is_one_of_failures(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"memory has to be a FailureMemory, got \w+.*FailureMemory\(store\)"):
        create_reflection_graph(actor=MODEL, memory=wrong)


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
        ({"context": "x"}, "context is a list of ContextComponent"),
    ],
)
def test_what_does_not_fit_the_loop_is_refused_before_a_run(options: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        create_plan_act_graph(MODEL, [echo_tool()], interactive=False, **options)


@pytest.mark.parametrize("wrong", [None, Path("t.py"), ["assert f(1)"], b"assert f(1)"])
def test_tests_are_a_text(wrong: Any) -> None:
    with pytest.raises(ValueError, match="tests is the tests' source text"):
        PythonTests(wrong)
