"""Watching a run in a notebook: one display that keeps up with the run, and the output that `invoke` would give."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from html import unescape
from types import SimpleNamespace
from typing import Annotated, Any, TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command
from support.page_runs import solving
from support.plan_act import act, ask, done, echo_tool, planned, replanned
from support.scripted import ScriptedModel
from thoughtgraph import create_plan_act_graph
from thoughtgraph._internal.channel import appended
from thoughtgraph.traces import Event, recording
from thoughtgraph.traces.page import watch as module
from thoughtgraph.traces.page.watch import awatch, watch

THREAD: Any = {"configurable": {"thread_id": "1"}}


class Notebook:
    """What a cell shows: the pages of its one display, and how often there was a new display."""

    def __init__(self) -> None:
        self.displays = 0
        self.pages: list[list[Event]] = []

    def display(self, bundle: dict[str, str], *, raw: bool) -> None:
        self.displays += 1
        self.update(bundle, raw=raw)

    def update(self, bundle: dict[str, str], *, raw: bool) -> None:
        assert raw and bundle["text/plain"]
        document = unescape(bundle["text/html"])
        block = re.search(r'type="application/json">(.*?)</script>', document, re.DOTALL)
        assert block
        self.pages.append(json.loads(block[1])["events"])


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Notebook:
    shown = Notebook()
    monkeypatch.setattr("IPython.core.getipython.get_ipython", lambda: SimpleNamespace(kernel=object()))
    monkeypatch.setattr("IPython.display.DisplayHandle", lambda: shown)
    return shown


@pytest.fixture(params=["sync", "async"])
def watching(request: pytest.FixtureRequest) -> Any:
    """`watch` or `awatch`, called alike."""
    if request.param == "sync":
        return watch
    return lambda *args, **options: asyncio.run(awatch(*args, **options))


def test_the_output_is_that_of_invoke_and_the_last_page_is_the_whole_run(notebook: Notebook, watching: Any) -> None:
    task = {"task": "Merge intervals."}
    expected = solving().invoke(task)
    result = watching(solving(), task)
    assert result.keys() == expected.keys()
    assert {name: result[name] for name in ("answer", "verdict", "usage")} == {
        name: expected[name] for name in ("answer", "verdict", "usage")
    }
    assert notebook.displays == 1
    assert notebook.pages[-1] == result["events"]


def test_a_pause_is_in_the_output_and_the_resumed_run_is_shown_from_its_start(
    notebook: Notebook, watching: Any
) -> None:
    replies = [
        planned("say it"),
        ask("Which?"),
        replanned("say hi"),
        act("echo", "hi"),
        done("said"),
        replanned(response="All."),
    ]
    graph = create_plan_act_graph(ScriptedModel(replies=replies), [echo_tool()], checkpointer=InMemorySaver())
    paused = watching(graph, {"goal": "Say it."}, THREAD)
    assert "Which?" in paused["__interrupt__"][0].value
    assert notebook.pages[-1] == paused["events"]
    result = watching(graph, Command(resume="hi"), THREAD)
    assert "__interrupt__" not in result
    assert notebook.pages[-1] == result["events"]


def test_a_thread_that_is_used_again_shows_its_new_run_alone(notebook: Notebook, watching: Any) -> None:
    replies = [planned(response="One."), planned(response="Two.")]
    graph = create_plan_act_graph(ScriptedModel(replies=replies), [echo_tool()], checkpointer=InMemorySaver())
    watching(graph, {"goal": "Say one."}, THREAD)
    before = len(notebook.pages)
    watching(graph, {"goal": "Say two."}, THREAD)
    assert all(len({event["run_id"] for event in shown}) <= 1 for shown in notebook.pages[before:])


class _State(TypedDict):
    events: Annotated[list[Event], appended()]


def _graph(*steps: Any) -> Any:
    graph: Any = StateGraph(_State)
    names = [f"step {number}" for number in range(len(steps))]
    for name, step in zip(names, steps, strict=True):
        graph.add_node(name, step)
    for one, other in zip([START, *names], [*names, END], strict=True):
        graph.add_edge(one, other)
    return graph.compile()


def _noted(seq: int) -> Any:
    def step(state: _State) -> dict[str, Any]:
        with recording("run", seq) as recorder:
            recorder.add("thought", reply="x" * 1_000)
        return {"events": recorder.events}

    return step


def test_an_error_leaves_what_came_before_on_the_page_and_is_raised(notebook: Notebook, watching: Any) -> None:
    def fails(state: _State) -> None:
        raise LookupError("the model is gone")

    with pytest.raises(LookupError, match="the model is gone"):
        watching(_graph(_noted(0), fails), {"events": []})
    assert [event["seq"] for event in notebook.pages[-1]] == [0]


def test_large_pages_are_sent_seldom_and_the_last_one_always(
    notebook: Notebook, watching: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_INTERVAL", 0.0)
    watching(_graph(*[_noted(seq) for seq in range(30)]), {"events": []})
    assert len(notebook.pages) <= 4, "every event sent the whole page again"
    assert len(notebook.pages[-1]) == 30


@pytest.mark.parametrize("shell", [None, SimpleNamespace()], ids=["plain Python", "IPython in a terminal"])
def test_outside_of_a_notebook_the_error_says_what_to_use(
    monkeypatch: pytest.MonkeyPatch, watching: Any, shell: Any
) -> None:
    monkeypatch.setattr("IPython.core.getipython.get_ipython", lambda: shell)
    with pytest.raises(RuntimeError, match="use stream_trace"):
        watching(solving(), {"task": "Merge."})


def test_without_ipython_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch, watching: Any) -> None:
    monkeypatch.setitem(sys.modules, "IPython.core.getipython", None)
    with pytest.raises(ImportError, match="pip install ipykernel"):
        watching(solving(), {"task": "Merge."})
