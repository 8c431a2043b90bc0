"""The drawing of a loop's graph: every node in a column, every edge in a lane, and nothing of it is markup."""

from __future__ import annotations

import json
import re
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.page_runs import planned_run, reflected, solved
from thoughtgraph import ContextGraph
from thoughtgraph.traces import Event
from thoughtgraph.traces.page.page import page

HOSTILE = "</script><script>alert(1)</script>"
NAMES = st.sampled_from(["__start__", "__end__", "a", "b", "c", "d", "e", HOSTILE])
EDGES = st.lists(
    st.fixed_dictionaries({"source": NAMES, "target": NAMES, "label": st.just(""), "conditional": st.booleans()}),
    max_size=20,
    unique_by=lambda edge: (edge["source"], edge["target"]),
)


def data(html: str) -> Any:
    """What a page's script is given."""
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', html, re.DOTALL)
    assert found
    return json.loads(found[1])


def moved(run: list[Event], **graph: Any) -> list[Event]:
    """A run whose goal tells of another graph."""
    return [cast(Event, {**run[0], "graph": {"silent": [], **graph}}), *run[1:]]


@pytest.mark.parametrize("run", [solved, planned_run])
def test_the_page_has_the_drawing_with_the_way_of_the_run(run: Any) -> None:
    graph = ContextGraph(run())
    (drawn,) = data(graph.to_html())["walks"]
    (walk,) = graph.loop_drawing().walks
    column = [node["name"] for node in drawn["nodes"]]
    assert sorted(column) == sorted({"__start__": "start", "__end__": "end"}.get(name, name) for name in walk.nodes)
    assert (column[0], column[-1]) == ("start", "end")
    assert [column[visit["node"]] for visit in drawn["visits"]][1:-1] == [visit.node for visit in walk.visits][1:-1]
    assert [visit["events"] for visit in drawn["visits"]] == [
        [event["id"] for event in visit.events] for visit in walk.visits
    ]
    assert len(drawn["edges"]) == len(walk.edges)


@pytest.mark.parametrize("run", [solved, planned_run])
def test_edges_in_one_lane_lead_to_one_node_or_lie_apart(run: Any) -> None:
    (drawn,) = data(ContextGraph(run()).to_html())["walks"]
    arcs = [edge for edge in drawn["edges"] if edge["lane"]]
    assert all(edge["to"] == edge["from"] + 1 for edge in drawn["edges"] if not edge["lane"])
    for one in arcs:
        for other in arcs:
            same_side = (one["to"] > one["from"]) == (other["to"] > other["from"])
            if same_side and one["lane"] == other["lane"] and one["to"] != other["to"]:
                (low, high), (start, end) = sorted([one["from"], one["to"]]), sorted([other["from"], other["to"]])
                assert high < start or end < low


def test_a_run_without_a_graph_has_a_page_without_a_drawing() -> None:
    assert data(page(reflected()))["walks"] == []


def test_in_a_notebook_the_drawing_is_a_frame_of_its_own() -> None:
    drawing = ContextGraph(solved()).loop_drawing()
    shown = cast(Any, drawing)._repr_html_()
    assert shown.startswith('<iframe title="Run" sandbox="allow-scripts"')
    assert data(drawing.to_html(title="the loop"))["only_loop"] is True


def test_names_of_nodes_are_no_markup() -> None:
    run = moved(solved(), nodes=["__start__", HOSTILE, "__end__"], edges=[])
    html = page(run)
    assert HOSTILE not in html
    assert HOSTILE in [node["name"] for node in data(html)["walks"][0]["nodes"]]


@settings(max_examples=60, deadline=None)
@given(st.lists(NAMES, min_size=1, unique=True), EDGES)
def test_any_graph_can_be_drawn(nodes: list[str], edges: list[Any]) -> None:
    run = moved(ContextGraph(SOLVED).events, nodes=nodes, edges=edges)
    (drawn,) = data(page(run))["walks"]
    rows = range(len(drawn["nodes"]))
    assert len({node["name"] for node in drawn["nodes"]}) == len(rows)
    assert {visit["node"] for visit in drawn["visits"]} <= set(rows)
    assert all(edge["from"] in rows and edge["to"] in rows for edge in drawn["edges"])


@pytest.mark.parametrize("graph", [None, "text", 7, [], {"nodes": 3}, {"nodes": [1, {}], "edges": [1, {}]}], ids=str)
def test_what_is_no_graph_is_not_drawn(graph: Any) -> None:
    run = [cast(Event, {**SOLVED[0], "graph": graph}), *SOLVED[1:]]
    assert data(page(run))["walks"] == []


SOLVED = solved()
