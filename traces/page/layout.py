"""Where the nodes and edges of a loop's graph stand in its drawing.

The nodes stand in one column, in the order in which a run meets them, so that the drawing fits a phone and no edge runs
through a node. An edge to the next row is a line, one further down an arc on the right, one back up an arc on the left.
Edges to the same node share the lane that leads there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import networkx as nx

from ..._internal.strict_json import entries, mapping
from ..events import Event
from ..reading.walk import TITLES, Walk, walks

_Pair = tuple[int, int]


def drawn_walks(events: Sequence[Event]) -> list[dict[str, Any]]:
    """The ways of a run and of the runs inside it, as the page's script draws them.

    Returns:
        For each: `goal` and `mode`; `nodes` with a `name`, in the order of their rows, and whether they are the graph's
        start or end (`outer`); `edges` with the rows they lead `from` and `to`, and their `lane` (0 for a line, else
        from 1 on the side of the column where the edge runs);
        `visits` with the `node`, the row they came `from` (None if unknown) and the ids of their `events`.
    """
    sound = [event for event in events if _is_sound(event)]
    return [_drawn(walk) for walk in walks(sound)] if any("graph" in event for event in sound) else []


def _is_sound(event: object) -> bool:
    """Whether it can be read: a page takes events as they come, from wherever they come."""
    found = mapping(event)
    links = found.get("links")
    sources = [mapping(link).get("source") for link in entries(links)]
    texts = [found.get("id"), found.get("kind"), *sources]
    return isinstance(links, list) and "data" in found and all(isinstance(text, str) for text in texts)


def _drawn(walk: Walk) -> dict[str, Any]:
    rows = {node: row for row, node in enumerate(_column(walk))}
    pairs = [(rows[edge.source], rows[edge.target]) for edge in walk.edges]
    lanes = _lanes([(source, target) for source, target in pairs if target > source + 1])
    lanes |= _lanes([(source, target) for source, target in pairs if target <= source])
    return {
        "goal": walk.goal,
        "mode": walk.mode,
        "nodes": [{"name": TITLES.get(node, node), "outer": node in TITLES} for node in rows],
        "edges": [{"from": source, "to": target, "lane": lanes.get((source, target), 0)} for source, target in pairs],
        "visits": [
            {
                "node": rows[visit.node],
                "from": rows.get(visit.came_from),
                "events": [event["id"] for event in visit.events],
            }
            for visit in walk.visits
        ],
    }


def _column(walk: Walk) -> list[str]:
    """The nodes by the longest way from the start, those that lead on before those that lead to the end."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(walk.nodes)
    graph.add_edges_from((edge.source, edge.target) for edge in walk.edges)
    first, last = next(iter(graph)), next((node for node in graph if not graph.out_degree(node)), "")
    to_end: Mapping[str, int] = nx.single_source_shortest_path_length(graph.reverse(), last) if last else {}
    ahead = graph.copy()
    ahead.remove_edges_from(_back_edges(graph, first))
    column: list[str] = []
    for layer in nx.topological_generations(ahead):
        column += sorted(layer, key=lambda node: -to_end.get(node, 0))
    return column


def _back_edges(graph: nx.DiGraph[str], first: str) -> list[tuple[str, str]]:
    """The edges that lead back to a node on the way to themselves, found depth first."""
    labeled = nx.dfs_labeled_edges(graph, first)
    rest = set(graph) - nx.descendants(graph, first) - {first}
    found: list[tuple[str, str]] = []
    open_nodes: set[str] = set()
    for source, target, label in labeled:
        if label == "forward":
            open_nodes.add(target)
        elif label == "reverse":
            open_nodes.discard(target)
        elif target in open_nodes:
            found.append((source, target))
    # What cannot be reached from the start stands at the end, without an order of its own.
    return [*found, *((source, target) for source, target in graph.edges if source in rest)]


def _lanes(pairs: Sequence[_Pair]) -> dict[_Pair, int]:
    """A lane for every target: the innermost that no other one uses along the way."""
    spans: dict[int, tuple[int, int]] = {}
    for source, target in pairs:
        low, high = spans.get(target, (target, target))
        spans[target] = (min(low, source), max(high, source))
    lanes: dict[int, int] = {}
    for target, (low, high) in sorted(spans.items(), key=lambda span: (span[1][1] - span[1][0], span[0])):
        taken = {lanes[other] for other in lanes if spans[other][0] <= high and low <= spans[other][1]}
        lanes[target] = next(lane for lane in range(1, len(spans) + 1) if lane not in taken)
    return {pair: lanes[pair[1]] for pair in pairs}
