"""Exports that other programs read back: GraphML, Mermaid, PROV-JSON, whatever the model wrote."""

from __future__ import annotations

import io
import json
import re
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any, get_args

import mermaidx
import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prov.model import ProvActivity, ProvAgent, ProvDerivation, ProvDocument, ProvEntity, ProvGeneration, ProvUsage
from support.paths import TESTS
from thoughtgraph import ContextGraph
from thoughtgraph.traces.events import EventKind, Link, Recorder

FIXTURES = sorted((TESTS / "fixtures" / "events").glob("v1_*.jsonl"))
HOSTILE = [
    'end"] --> x["',
    "]] click n0 href javascript:alert(1)",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "%%{init: {'securityLevel': 'loose'}}%%",
    "style n0 fill:#f00; classDef a fill:#0f0;\n  n9 --> n8",
    "```mermaid\ngraph TD\n```",
    "`1. **list**` $$\\frac{1}{2}$$ fa:fa-car #quot; &quot; ]]>",
    "null\x00bell\x07escape\x1b[31m",
    "half \ud83d pair \udc00 and \ufffe \uffff",
    "\u202ebidi\u2028line\u2029para\x85next",
    "中文，全角：（）。😀 ﬂ°°60¶ß",
    "",
    " \n\t ",
]
TEXT = st.text(st.characters(exclude_categories=()), max_size=40)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
KINDS = get_args(EventKind)
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
OBJECTS = st.dictionaries(TEXT, JSON, max_size=3)
# Whatever a model can put into a field that has a type; each is of one type in every kind that has it.
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    **dict.fromkeys(
        ("task", "tool", "result", "feedback", "reply", "answer", "error", "status", "by", "verdict"), TEXT
    ),
    **dict.fromkeys(("number", "best", "item"), st.integers()),
    **dict.fromkeys(("ok", "accepted"), st.booleans()),
    "input": TEXT | OBJECTS,
    "items": st.lists(st.fixed_dictionaries({}, optional={"step": TEXT, "tool": TEXT | st.none()}), max_size=3),
    "decision": st.fixed_dictionaries({}, optional={"status": TEXT, "thought": TEXT | st.none(), "question": TEXT}),
    "stop_reason": st.fixed_dictionaries({}, optional={"kind": TEXT, "value": NUMBERS | TEXT, "limit": NUMBERS}),
    "usage": st.fixed_dictionaries({}, optional={"input_tokens": st.integers(), "output_tokens": st.integers()}),
    "seconds": st.floats(allow_nan=False, allow_infinity=False),
}
DATA = st.builds(
    lambda known, unknown: {**{f"x {name}": value for name, value in unknown.items()}, **known},
    st.fixed_dictionaries({}, optional=FIELDS),
    OBJECTS,
)


def chained(datas: list[dict[str, Any]], run_id: str = "run", error: str = "") -> ContextGraph:
    """A run of as many events as there are data, of every kind in turn."""
    recorder = Recorder(run_id)
    for number, data in enumerate(datas):
        links = [Link(source=recorder.events[-1]["id"], relation="failed", error=error)] if number else []
        recorder.add(KINDS[number % len(KINDS)], links, **data)
    return ContextGraph(recorder.events)


def hostile_run() -> ContextGraph:
    texts = [{"task": t, "reply": t, "result": t, "feedback": t, "answer": t, "tool": t, "status": t} for t in HOSTILE]
    return chained([*texts, *texts], error="".join(HOSTILE))


def graphml(graph: ContextGraph) -> Any:
    return networkx.read_graphml(BytesIO(graph.to_graphml().encode()), force_multigraph=True)


def prov(graph: ContextGraph) -> ProvDocument:
    return ProvDocument.deserialize(io.StringIO(graph.to_prov()), format="json")


def relations(graph: Any) -> list[Any]:
    return sorted((source, target, data["relation"]) for source, target, data in graph.edges(data=True))


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_graphml_is_read_back_with_the_same_nodes_and_edges(path: Path) -> None:
    graph = ContextGraph.from_run(path)
    read = graphml(graph)
    assert list(read.nodes) == list(graph.nx.nodes)
    assert relations(read) == relations(graph.nx)
    for node, data in read.nodes(data=True):
        own = graph.nx.nodes[node]
        assert (data["kind"], data["seq"], data["time"]) == (own["kind"], own["seq"], own["time"])
        assert json.loads(data["data"]) == own["data"]
    errors = [data["error"] for _, _, data in graph.nx.edges(data=True) if "error" in data]
    assert [data["error"] for _, _, data in read.edges(data=True) if "error" in data] == errors


def test_graphml_holds_what_xml_cannot() -> None:
    graph = hostile_run()
    read = graphml(graph)
    assert relations(read) == relations(graph.nx)
    assert [json.loads(data["data"]) for _, data in read.nodes(data=True)] == [event["data"] for event in graph.events]
    assert "null\\u0000bell" in next(data["error"] for _, _, data in read.edges(data=True))


def test_several_edges_between_two_events_stay_several() -> None:
    graph = chained([{}, {}])
    graph.events[1]["links"].append(Link(source="run:0", relation="led_to"))
    assert relations(graphml(graph)) == [("run:0", "run:1", "failed"), ("run:0", "run:1", "led_to")]


def drawn(graph: ContextGraph, **options: Any) -> tuple[str, int, int]:
    """The SVG, its nodes and its edges."""
    svg = mermaidx.render(graph.to_mermaid(**options)).svg()
    assert "Syntax error" not in svg
    return svg, len(re.findall(r'<g class="node ', svg)), svg.count('data-edge="true"')


@pytest.mark.slow
@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_a_flowchart_has_every_event_and_every_link(path: Path) -> None:
    graph = ContextGraph.from_run(path)
    svg, nodes, edges = drawn(graph)
    assert (nodes, edges) == (len(graph.events), graph.nx.number_of_edges())
    assert "goal: " in svg


@pytest.mark.slow
def test_hostile_text_in_a_flowchart_is_text() -> None:
    graph = hostile_run()
    svg, nodes, edges = drawn(graph)
    assert (nodes, edges) == (len(graph.events), len(graph.events) - 1)
    for active in ("<script", "<img", "<a ", "xlink:href=", 'javascript:alert(1)"', "onerror=alert(1)>"):
        assert active not in svg
    assert "&lt;script&gt;" in svg
    assert "中文" in svg
    rows = graph.to_mermaid().splitlines()
    assert not [row for row in rows if re.match(r"\s*(click|style|%%|href|linkStyle)", row)]


@pytest.mark.slow
def test_a_long_run_is_drawn_with_both_ends_and_says_what_is_left_out() -> None:
    graph = chained([{"task": "“" * 500, "reply": "“" * 500, "answer": "“" * 500}] * 1_234)
    text = graph.to_mermaid()
    assert len(text) < 50_000, "more than Mermaid takes"
    assert '"1034 more events were left out"' in text
    svg, nodes, edges = drawn(graph, max_events=20)
    assert (nodes, edges) == (21, 20)
    assert "1214 more events" in svg
    assert "left out" not in graph.to_mermaid(max_events=1_234)


def test_the_beginning_and_the_end_are_what_is_drawn() -> None:
    graph = chained([{"task": f"text {number}", "reply": f"text {number}"} for number in range(103)])
    text = graph.to_mermaid(max_events=6)
    assert [number for number in range(103) if f'text {number}"' in text] == [0, 2, 100, 102]
    assert text.count("-->|") == 4
    with pytest.raises(ValueError, match="at least 2"):
        graph.to_mermaid(max_events=1)


def counts(document: ProvDocument) -> dict[str, int]:
    kinds = (ProvEntity, ProvActivity, ProvAgent, ProvGeneration, ProvUsage, ProvDerivation)
    return {kind.__name__: len(list(document.get_records(kind))) for kind in kinds}


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_prov_is_read_back_with_the_same_counts(path: Path) -> None:
    graph = ContextGraph.from_run(path)
    document = prov(graph)
    links = graph.nx.number_of_edges()
    found = counts(document)
    assert found["ProvEntity"] == len(graph.events)
    assert found["ProvActivity"] == found["ProvGeneration"] == len(graph.events) - 1
    assert found["ProvUsage"] == found["ProvDerivation"] == links
    ended = {record.get_endTime() for record in document.get_records(ProvActivity)}
    assert datetime.fromisoformat(graph.events[-1]["time"]) in ended


def test_prov_names_who_did_what() -> None:
    graph = chained([{"tool": "look up", "by": "critic", "task": "t"}] * 10)
    done_by: dict[str, str] = {}
    document = json.loads(graph.to_prov())
    for record in document["wasAssociatedWith"].values():
        done_by[document["activity"][record["prov:activity"]]["prov:type"]["$"]] = record["prov:agent"]
    assert done_by["tg:making_observation"] == "tool:look%20up"
    assert done_by["tg:making_critique"] == "agent:critic"
    assert done_by["tg:making_thought"] == done_by["tg:making_attempt"] == "agent:model"
    assert list(document["wasAttributedTo"].values()) == [{"prov:entity": "event:run%3A0", "prov:agent": "agent:user"}]
    assert document["agent"]["agent:user"]["prov:type"]["$"] == "prov:Person"


def test_a_revision_is_one_in_prov() -> None:
    graph = chained([{}, {}])
    graph.events[1]["links"][0]["relation"] = "revised"
    derived = next(iter(json.loads(graph.to_prov())["wasDerivedFrom"].values()))
    assert derived["prov:type"]["$"] == "prov:Revision"


@pytest.mark.parametrize(
    ("time", "seconds", "start", "end"),
    [
        ("2026-01-02T03:04:05.000+00:00", 1.5, "2026-01-02T03:04:03.500000+00:00", "2026-01-02T03:04:05+00:00"),
        ("2026-01-02T03:04:05+02:00", None, None, "2026-01-02T01:04:05+00:00"),
        ("2026-01-02T03:04:05", 0, None, "2026-01-02T03:04:05"),
        ("yesterday", 1, None, None),
        ("0001-01-01T00:00:00+00:00", 9e9, None, None),
        ("0001-01-01T00:00:00+14:00", None, None, None),
        ("2026-01-02T03:04:05+00:00", float("nan"), None, "2026-01-02T03:04:05+00:00"),
        ("2026-01-02T03:04:05+00:00", 1e300, None, None),
    ],
    ids=["measured", "zone", "naive", "no-time", "too-long", "too-early", "nan", "huge"],
)
def test_times_in_prov_are_xsd_date_times_or_absent(time: str, seconds: Any, start: Any, end: Any) -> None:
    graph = chained([{}, {"seconds": seconds}])
    graph.events[1]["time"] = time
    about = next(iter(json.loads(graph.to_prov())["activity"].values()))
    assert (about.get("prov:startTime"), about.get("prov:endTime")) == (start, end)
    if end:
        assert datetime.fromisoformat(end).replace(tzinfo=UTC)


def test_prov_of_hostile_text_is_read_back_and_written_as_xml() -> None:
    graph = hostile_run()
    document = prov(graph)
    assert counts(document)["ProvEntity"] == len(graph.events)
    assert counts(document)["ProvUsage"] == graph.nx.number_of_edges()
    assert "ufffe" in document.serialize(format="xml")


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(KINDS), DATA), max_size=5), TEXT, TEXT)
def test_no_event_breaks_an_export_or_a_question(
    parts: list[tuple[EventKind, dict[str, Any]]], run_id: str, error: str
) -> None:
    graph = chained([data for _, data in parts], run_id, error)
    for event, (kind, _) in zip(graph.events, parts, strict=True):
        event["kind"] = kind
    read = graphml(graph)
    assert (len(read), read.number_of_edges()) == (len(graph.events), max(0, len(parts) - 1))
    found = counts(prov(graph))
    assert (found["ProvEntity"], found["ProvUsage"]) == (len(graph.events), max(0, len(parts) - 1))
    rows = graph.to_mermaid().splitlines()
    assert sum(row.lstrip().startswith("n") for row in rows) == len(parts) + max(0, len(parts) - 1)
    graph.path_to_outcome()
    for answer in (graph.why_stopped(), graph.cost(), *graph.failures(), *graph.repeats(), graph.compare(graph)):
        assert str(answer)
