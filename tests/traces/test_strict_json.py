"""Every JSON that is written is JSON to any reader: no NaN, no Infinity, and half a surrogate pair breaks nothing."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.plan_act import GOAL, done, planned, replanned
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph, Verdict, create_plan_act_graph, create_reflection_graph
from thoughtgraph.cli.main import app
from thoughtgraph.evaluation.datasets import Task
from thoughtgraph.evaluation.many import arun_many, asolve_many
from thoughtgraph.traces.events import Link, Recorder
from thoughtgraph.traces.page.page import page
from typer.testing import CliRunner

TEXT = st.text(st.characters(exclude_categories=()), max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
UNKNOWN = TEXT.map("x{}".format)
"""Fields that no event has: those that one has are held to their type."""
NO_NUMBERS = {"a": float("nan"), "b": [float("inf"), {"c": -float("inf")}], "d": 0.5}
WRITTEN = {"a": "NaN", "b": ["Infinity", {"c": "-Infinity"}], "d": 0.5}


def refused(name: str) -> Any:
    raise AssertionError(f"{name} is no JSON")


def strict(text: str | bytes) -> Any:
    """What a strict reader makes of a text."""
    return json.loads(text, parse_constant=refused)


def run_of(*datas: dict[str, Any]) -> ContextGraph:
    """A run with these data."""
    recorder = Recorder("run")
    for number, data in enumerate(datas):
        links = [Link(source=recorder.events[-1]["id"], relation="led_to")] if number else []
        recorder.add("observation" if number else "goal", links, **data)
    return ContextGraph(recorder.events)


def documents(graph: ContextGraph, folder: Path) -> list[Any]:
    """All that is written of a run, as a strict reader reads it."""
    path = graph.save(folder / "run.jsonl")
    lines = [strict(line) for line in path.read_bytes().splitlines()]
    graphml = ElementTree.fromstring(graph.to_graphml().encode())
    data = [strict(str(found.text)) for found in graphml.iter() if found.get("key") == "data"]
    prov = strict(graph.to_prov())
    inner = [strict(entity["tg:data"]) for entity in prov["entity"].values()]
    shown = graph.to_html().partition('<script id="data" type="application/json">')[2].partition("</script>")[0]
    return [strict(graph.to_json())["events"], lines, strict(shown)["events"], data, inner]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.dictionaries(UNKNOWN, JSON, max_size=3), min_size=1, max_size=3))
def test_whatever_a_run_holds_it_is_written_as_strict_json_and_read_back_the_same(
    tmp_path_factory: pytest.TempPathFactory, datas: list[dict[str, Any]]
) -> None:
    folder = tmp_path_factory.mktemp("runs")
    graph = run_of(*datas)
    events, lines, *_ = documents(graph, folder)
    again = ContextGraph.from_run(folder / "run.jsonl")
    assert events == lines == graph.events == again.events == ContextGraph.from_run(graph.to_json()).events
    assert graph.compare(again).position is None


def test_what_is_no_number_is_written_by_its_name_everywhere(tmp_path: Path) -> None:
    events, lines, shown, data, inner = documents(run_of(NO_NUMBERS, NO_NUMBERS), tmp_path)
    for found in (events, lines, shown):
        assert [event["data"] for event in found] == [WRITTEN, WRITTEN]
    assert data == inner == [WRITTEN, WRITTEN]
    assert "NaN" in page(cast(Any, [{"data": NO_NUMBERS}]))


@pytest.mark.parametrize("form", ["lines", "document"])
def test_a_run_that_was_written_with_nan_is_still_read(tmp_path: Path, form: str) -> None:
    event = {**run_of({}).events[0], "data": NO_NUMBERS}
    text = json.dumps(event) if form == "lines" else json.dumps({"events": [event]}, indent=1)
    assert "NaN" in text
    path = tmp_path / "old.jsonl"
    path.write_text(text.replace('"d": 0.5', '"d": 0.5, "e": 1e999'))
    graph = ContextGraph.from_run(path)
    assert graph.events[0]["data"] == {**WRITTEN, "e": "Infinity"}
    assert strict(graph.to_json())["events"] == graph.events


@pytest.mark.parametrize(
    "form", ["json", "graphml", "mermaid", "prov", pytest.param("inspect", marks=pytest.mark.slow)]
)
def test_the_command_line_writes_half_a_pair_and_nan(tmp_path: Path, form: str) -> None:
    path = run_of({"task": "half \ud800", "x\udc00": NO_NUMBERS}).save(tmp_path / "run.jsonl")
    target = tmp_path / "out.json"
    for command in (["export", str(path), "-f", form, "-o", str(target)], ["html", str(path), "-o", str(target)]):
        result = CliRunner().invoke(app, ["trace", *command])
        assert result.exit_code == 0, result.output
        assert target.read_text(encoding="utf-8")
        if command[-3] in ("json", "prov", "inspect"):
            strict(target.read_bytes())


def test_details_of_a_verdict_are_strict_in_the_state_as_well() -> None:
    verdict = Verdict(
        "failed", "no \ud800", 0.0, details={"loss": float("nan"), "of": [float("inf")], "half": "\ud800"}
    )
    graph = create_reflection_graph(
        actor=ScriptedModel(replies=["4"]), verifier=lambda task, answer: verdict, max_attempts=1
    )
    events = graph.invoke({"task": "What is 2 + 2?"})["events"]
    details = next(event["data"]["details"] for event in events if event["kind"] == "verdict")
    assert details == {"loss": "NaN", "of": ["Infinity"], "half": "\ud800"}
    strict(json.dumps(events))


def test_a_call_with_nan_is_not_made_and_the_trace_is_strict(tmp_path: Path) -> None:
    call = '{"status": "continue", "next_action": {"tool": "weigh", "input": {"grams": %s}}, "response": null}'

    def weigh(grams: float) -> str:
        """Weigh something."""
        return str(math.isfinite(grams))

    replies = [planned("a"), call % "NaN", call % "1e999", done("A"), replanned(response="end")]
    model = ScriptedModel(replies=replies)
    run = create_plan_act_graph(model, [weigh], interactive=False).invoke(GOAL)
    documents(ContextGraph.from_run(run), tmp_path)
    strict(json.dumps(run["events"]))
    assert run["observations"] == []


async def test_rows_of_many_runs_are_strict(tmp_path: Path) -> None:
    def build(task: Task) -> Any:
        verdict = Verdict("failed", "half \ud800", 0.0, kind="half \ud800", details=NO_NUMBERS)
        return create_reflection_graph(
            actor=ScriptedModel(replies=["\ud800"]), verifier=lambda task, answer: verdict, max_attempts=1
        )

    tasks = [Task("half \ud800", "Say \ud800.", "", "", "")]
    await arun_many(build, tasks, save=tmp_path / "many")
    await asolve_many(ScriptedModel(replies=["\ud800"]), tasks, save=tmp_path / "solved")
    written = list(tmp_path.rglob("*.json*"))
    assert len(written) == 5
    for path in written:
        for line in path.read_bytes().splitlines():
            strict(line)


async def test_rows_with_nan_are_read(tmp_path: Path) -> None:
    task = Task("1", "Say it.", "", "", "")
    await asolve_many(ScriptedModel(replies=["x"]), [task], save=tmp_path)
    path = tmp_path / "results.jsonl"
    row = json.loads(path.read_text())
    path.write_text(json.dumps({**row, "seconds": float("nan")}) + "\n")
    results = await asolve_many(ScriptedModel(replies=[]), [task], save=tmp_path)
    assert results[0].answer == "x"
