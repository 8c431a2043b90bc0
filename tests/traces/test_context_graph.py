"""Reading a run: from results, snapshots, files and documents, whole and torn ones, and from earlier versions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.checkpoint.memory import InMemorySaver
from support.paths import TESTS
from support.plan_act import GOAL, THREAD, ask, planned
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph, create_plan_act_graph
from thoughtgraph.errors import RunFileError
from thoughtgraph.traces import recording, run_metrics
from thoughtgraph.traces.events import Event, record

FIXTURES = sorted((TESTS / "fixtures" / "events").glob("v1_*.jsonl"))
TEXT = st.text(st.characters(exclude_categories=()), max_size=30)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


def three_events() -> list[Event]:
    with recording() as recorder:
        goal = record("goal", task="count")
        thought = record("thought", [{"source": goal or "", "relation": "led_to"}], reply="1 2 3")
        record("outcome", [{"source": thought or "", "relation": "led_to"}], answer="é")
    return recorder.events


def test_the_events_of_a_run_are_a_run() -> None:
    events = three_events()
    assert ContextGraph.from_run(events).events == events
    wrong: Any
    for wrong in ([], [5]):
        with pytest.raises(RunFileError):
            ContextGraph.from_run(wrong)


def lines(events: list[Event]) -> bytes:
    return "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events).encode()


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_a_run_of_version_1_can_be_read_asked_and_exported(path: Path) -> None:
    graph = ContextGraph.from_run(path)
    stored = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert graph.events == stored
    assert {event["version"] for event in stored} == {1}
    assert graph.run_id == stored[0]["run_id"]
    assert graph.nx.number_of_nodes() == len(stored)
    assert graph.nx.number_of_edges() == sum(len(event["links"]) for event in stored)
    path_ids = [event["id"] for event in graph.path_to_outcome()]
    assert path_ids[0] == stored[0]["id"]
    assert path_ids[-1] == stored[-1]["id"]
    assert graph.why_stopped().kind == stored[-1]["data"]["stop_reason"]["kind"]
    assert graph.cost().total.events == len(stored)
    assert graph.compare(graph).position is None
    for found in (*graph.failures(), *graph.repeats()):
        assert str(found)
    for export in (graph.to_json, graph.to_graphml, graph.to_mermaid, graph.to_prov):
        assert stored[0]["data"]["task"][:5] in export()


def test_a_saved_failure_of_the_old_spelling_is_read_as_authorization(tmp_path: Path) -> None:
    about = {"tool": "search", "input": "milk", "ok": False, "result": "401"}
    with recording() as recorder:
        record("observation", **about, kind_of_failure="authorisation")
        record("observation", **about, kind_of_failure="timeout")
    file = tmp_path / "run.jsonl"
    file.write_bytes(lines(recorder.events))
    read = ContextGraph.from_run(file).events
    assert [event["data"]["kind_of_failure"] for event in read] == ["authorization", "timeout"]
    assert run_metrics(read).failure_kinds == {"authorization": 1, "timeout": 1}
    assert [event["data"]["result"] for event in read] == ["401", "401"]


def test_there_are_runs_of_both_loops_in_version_1() -> None:
    assert {path.stem for path in FIXTURES} >= {"v1_external_loop", "v1_plan_act", "v1_plan_act_solver"}


def test_a_paused_run_is_read_from_its_snapshot_and_says_what_it_waits_for() -> None:
    model = ScriptedModel(replies=[planned("a"), ask("Which one?")])
    graph = create_plan_act_graph(model, [], checkpointer=InMemorySaver())
    result = graph.invoke(dict(GOAL), THREAD)
    run = ContextGraph.from_run(graph.get_state(THREAD))
    assert run.events == result["events"]
    stop = run.why_stopped()
    assert (stop.kind, stop.value) == ("paused", "Which one?")
    assert stop.evidence == (run.events[-1],)


def test_a_thread_without_a_run_has_no_events() -> None:
    graph = create_plan_act_graph(ScriptedModel(replies=[]), [], checkpointer=InMemorySaver())
    with pytest.raises(RunFileError, match="the run has no events"):
        ContextGraph.from_run(graph.get_state(THREAD))


@pytest.mark.parametrize("run", [3, None, {"events": []}, {"events": "x"}], ids=["number", "none", "no-events", "text"])
def test_what_is_no_run_is_refused(run: Any) -> None:
    with pytest.raises(RunFileError, match="the run has no events"):
        ContextGraph.from_run(run)


def test_every_way_to_cut_the_last_line_leaves_the_lines_before(tmp_path: Path) -> None:
    events, path = three_events(), tmp_path / "run.jsonl"
    whole = lines(events)
    kept = len(lines(events[:2]))
    for end in range(kept, len(whole)):
        path.write_bytes(whole[:end])
        expected = events if end == len(whole) - 1 else events[:2]
        assert ContextGraph.from_run(path).events == expected, end


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"bro\n', "line 2"),
        (b"\xff\xfe\n", "line 2"),
        (b"[" * 100_000 + b"\n", "line 2"),
        (b"[1]\n", "not an event"),
    ],
    ids=["cut", "no-text", "too-deep", "no-event"],
)
def test_a_broken_line_in_the_middle_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    events, path = three_events(), tmp_path / "run.jsonl"
    path.write_bytes(lines(events[:1]) + content + lines(events[1:]))
    with pytest.raises(RunFileError, match=message):
        ContextGraph.from_run(path)


@pytest.mark.parametrize("content", [b"", b"\n \n", b'{"version": 1, "id"'], ids=["empty", "blank", "torn"])
def test_a_file_without_a_whole_event_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(content)
    with pytest.raises(RunFileError, match="cannot read the run"):
        ContextGraph.from_run(path)


def test_what_a_batch_keeps_beside_its_runs_is_told_from_a_run(tmp_path: Path) -> None:
    result, attempt, other = (tmp_path / name for name in ("results.jsonl", "attempts.jsonl", "other.jsonl"))
    result.write_text('{"task_id": "one", "verdict": "passed", "run_file": "one.jsonl"}\n')
    attempt.write_text('{"task_id": "one", "attempt": 1, "tokens": 15, "solved": true}\n')
    other.write_text('{"prompt": "Say A."}\n')

    for path in (result, attempt):
        with pytest.raises(RunFileError, match=r"line 1 .* no `kind`; it tells of a task: give the file of its run$"):
            ContextGraph.from_run(path)
    with pytest.raises(RunFileError, match=r"line 1 is not an event: it has no `kind`$"):
        ContextGraph.from_run(other)
    with pytest.raises(RunFileError, match=r"it is a folder, give one of the runs in it$"):
        ContextGraph.from_run(tmp_path)


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n", b"\n\n"], ids=["lf", "crlf", "blank-lines"])
def test_line_ends_of_other_systems_are_read(tmp_path: Path, line_end: bytes) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + lines(three_events()).replace(b"\n", line_end))
    assert len(ContextGraph.from_run(str(path)).events) == 3


@pytest.mark.parametrize(
    "change",
    [
        {"links": [{"relation": "led_to"}]},
        {"links": ["x"]},
        {"links": None},
        {"data": []},
        {"seq": "0"},
        {"id": 1},
        {"version": "1"},
        {"kind": None},
    ],
    ids=str,
)
def test_an_event_of_another_shape_is_refused(change: dict[str, Any]) -> None:
    events: Any = [{**three_events()[0], **change}]
    with pytest.raises(RunFileError, match="not an event"):
        ContextGraph(events)


def test_a_link_to_an_event_that_is_not_there_is_no_edge() -> None:
    graph = ContextGraph(three_events()[1:])
    assert graph.nx.number_of_nodes() == 2
    assert graph.nx.number_of_edges() == 1
    assert all("kind" in data for _, data in graph.nx.nodes(data=True))
    assert "n1" in graph.to_mermaid()


def test_a_document_is_read_as_text_as_mapping_and_as_file(tmp_path: Path) -> None:
    graph = ContextGraph(three_events())
    document = graph.to_json()
    assert list(json.loads(document)) == ["version", "run_id", "events"]
    indented = tmp_path / "indented.json"
    indented.write_text(json.dumps(json.loads(document), indent=2), encoding="utf-8")
    flat = tmp_path / "flat.json"
    flat.write_text(document, encoding="utf-8")
    texts = (document, indented.read_text(encoding="utf-8"), graph.to_jsonl(), json.dumps(graph.events))
    for run in (*texts, json.loads(document), flat, indented, graph):
        assert ContextGraph.from_run(run).events == graph.events


@pytest.mark.parametrize("indent", [None, 2])
def test_a_list_of_events_is_read_from_a_file(indent: int | None, tmp_path: Path) -> None:
    path = tmp_path / "events.json"
    events = three_events()
    path.write_text(json.dumps(events, indent=indent), encoding="utf-8")
    assert ContextGraph.from_run(path).events == events
    path.write_text(json.dumps([1, 2], indent=indent), encoding="utf-8")
    with pytest.raises(RunFileError, match="event 0 is not an event"):
        ContextGraph.from_run(path)
    path.write_text("[]", encoding="utf-8")
    with pytest.raises(RunFileError, match="no events"):
        ContextGraph.from_run(path)


def test_a_broken_document_says_so() -> None:
    with pytest.raises(RunFileError, match="cannot read the document"):
        ContextGraph.from_run('{"events": [')
    with pytest.raises(RunFileError, match="the document, line 1 is not an event: it has no `kind`"):
        ContextGraph.from_run('{"prefix": {}}\n')


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(TEXT.map("own {}".format), JSON, max_size=3), TEXT)
def test_whatever_json_holds_survives_a_file_and_a_document(
    tmp_path_factory: pytest.TempPathFactory, data: dict[str, Any], error: str
) -> None:
    events = three_events()
    events[1]["data"] = data
    events[1]["links"][0]["error"] = error
    graph = ContextGraph(events)
    path = graph.save(tmp_path_factory.mktemp("runs") / "run.jsonl")
    assert ContextGraph.from_run(path).events == events
    assert ContextGraph.from_run(graph.to_json()).events == events


def test_no_events_at_all_answer_every_question() -> None:
    graph = ContextGraph([])
    assert (graph.run_id, graph.path_to_outcome(), graph.failures(), graph.repeats()) == ("", [], [], [])
    assert graph.why_stopped().kind == "empty"
    assert graph.cost().total.events == 0
    assert graph.compare(graph).position is None
    assert graph.to_mermaid().startswith("flowchart")
    assert json.loads(graph.to_prov())["prefix"]
    assert "<graphml" in graph.to_graphml()


@pytest.mark.parametrize(
    ("name", "writer"), [("run.html", "to_html"), ("a.MD", "to_mermaid"), ("a.graphml", "to_graphml")]
)
def test_lines_of_json_are_not_saved_under_the_name_of_another_format(tmp_path: Path, name: str, writer: str) -> None:
    graph = ContextGraph(three_events())
    with pytest.raises(ValueError, match=rf"ends with \.jsonl, or write what {writer}\(\) returns"):
        graph.save(tmp_path / "runs" / name)
    assert list(tmp_path.iterdir()) == []
    for fits in ("run.jsonl", "run.json", "run", "run.2026-01-05", "a.txt", "a.log", "v1.2", "of.Eva"):
        assert ContextGraph.from_run(graph.save(tmp_path / fits)).events == graph.events


@pytest.mark.parametrize(
    ("name", "said"),
    [
        *((name, r"look like: choose a name that ends with \.jsonl$") for name in ("a.pdf", "a.CSV", "a.xlsx")),
        ("a.jsonl.gz", r"choose a name that ends with \.jsonl$"),
        ("new/", r"'.*new/' is a folder: name a file in it, such as .*run\.jsonl"),
    ],
)
def test_a_run_is_saved_under_no_name_that_lies(tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        ContextGraph(three_events()).save(f"{tmp_path}/{name}")
    assert list(tmp_path.iterdir()) == []


def test_of_several_runs_none_is_read_as_if_it_were_alone(tmp_path: Path) -> None:
    run = {"events": three_events()}
    path = tmp_path / "runs.jsonl"
    path.write_text(f"{json.dumps(run)}\n\n", encoding="utf-8")
    assert len(ContextGraph.from_run(path).events) == 3
    path.write_text(f"{json.dumps(run)}\n" * 2, encoding="utf-8")
    with pytest.raises(RunFileError, match=r"runs\.jsonl holds more than one run: give `from_run` one line at a time"):
        ContextGraph.from_run(path)
    several: Any = [run, run]
    with pytest.raises(RunFileError, match="event 0 is a run itself: give one run at a time"):
        ContextGraph.from_run(several)


@pytest.mark.parametrize("write", [ContextGraph.to_html, ContextGraph.to_graphml, ContextGraph.to_mermaid])
def test_an_export_is_no_run_and_the_error_says_what_is(tmp_path: Path, write: Any) -> None:
    path = tmp_path / "exported"
    path.write_text(write(ContextGraph(three_events())), encoding="utf-8")
    with pytest.raises(RunFileError, match="A run is what `save` or `to_json` wrote, no page or other export"):
        ContextGraph.from_run(path)
