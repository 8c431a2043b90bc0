"""The way that a run took through its loop's graph: which nodes it visited, and over which edges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..._internal.plain import plain
from ..._internal.strict_json import entries, mapping
from ..events import Event
from ..lookup import goals, name
from ..shapes import Shape, ShapeEdge

TITLES = {"__start__": "start", "__end__": "end"}
"""LangGraph's names for where a graph begins and ends, and ours."""
_START = "__start__"
_MOST_KNOWN = 100
"""Nodes between two events: a loop has a handful, a file may hold anything."""
_MOST_MISSING = 8
"""Those of them that may be found out by the graph alone."""


@dataclass(frozen=True, slots=True)
class WalkEdge:
    """An edge of the graph.

    Attributes:
        source: the node it leads from; `"__start__"` is the graph's start.
        target: the node it leads to; `"__end__"` is its end.
        label: that its drawing has; "" for none.
        conditional: a choice leads over it.
        taken: how often the run took it, as far as that is known.
    """

    source: str
    target: str
    label: str
    conditional: bool
    taken: int


@dataclass(frozen=True, slots=True)
class Visit:
    """One run of a node.

    Attributes:
        node: its name.
        came_from: the node before it; "" if the trace does not say.
        events: what it recorded, with what was recorded inside its tools; a node may record nothing.
    """

    node: str
    came_from: str
    events: tuple[Event, ...]

    def __str__(self) -> str:
        """The node, where the run came from, and what was recorded."""
        source = f", from {TITLES.get(self.came_from, self.came_from)}" if self.came_from else ""
        recorded = f": {', '.join(name(event) for event in self.events)}" if self.events else ""
        return plain(f"{TITLES.get(self.node, self.node)}{source}{recorded}")


@dataclass(frozen=True, slots=True)
class Walk:
    """The graph of a loop, and what a run did in it.

    Attributes:
        goal: of the run.
        mode: the kind of loop.
        nodes: how often each node was visited, in the order in which they were added to the graph.
        edges: of the graph, with how often each was taken.
        visits: in their order, with the start, and the end where the run reached it.
    """

    goal: str
    mode: str
    nodes: dict[str, int]
    edges: tuple[WalkEdge, ...]
    visits: tuple[Visit, ...]

    def __str__(self) -> str:
        """The steps, one a line."""
        return "\n".join(f"{number:>3}. {visit}" for number, visit in enumerate(self.visits))


def walks(events: Sequence[Event]) -> list[Walk]:
    """The ways of a run, and of the runs inside it, whose events say in which node of which graph they were recorded.

    An edge counts as taken only if the steps of LangGraph, which are numbered, leave room for one way alone: after a
    change of the state from outside, for example, it is not known how the run went on.
    """
    belongs = goals(events)
    runs: dict[str, list[Event]] = {}
    for event in events:
        runs.setdefault(belongs[event["id"]], []).append(event)
    shapes = [(own, _shape(own[0])) for own in runs.values()]
    return [_walk(shape, own) for own, shape in shapes if shape["nodes"]]


def _walk(shape: Shape, events: Sequence[Event]) -> Walk:
    ways = {(edge["source"], edge["target"]): edge for edge in shape["edges"]}
    onward: dict[str, set[str]] = {}
    for source, target in ways:
        onward.setdefault(source, set()).add(target)
    silent = set(shape["silent"])
    hops: list[tuple[str, str, list[Event]]] = [(_START, "", [])]
    last = -1
    for event in events:
        node, step = event.get("node"), event.get("step")
        if not isinstance(node, str) or not isinstance(step, int) or (step == last and node == hops[-1][0]):
            hops[-1][2].append(event)
            continue
        unrecorded = [name for name in entries(event.get("after")) if isinstance(name, str)]
        way = _way(
            onward, silent, hops[-1][0], [*unrecorded, node], 0 if last == -1 else step - last - len(unrecorded) - 1
        )
        for visited in way or (*unrecorded, node):
            hops.append((visited, hops[-1][0] if way else "", []))
        hops[-1][2].append(event)
        last = step
    _finish(hops, shape)
    taken = Counter((before, node) for node, before, _ in hops)
    visited = Counter(node for node, _, _ in hops)
    data = mapping(events[0]["data"])
    return Walk(
        goal=str(data.get("task") or ""),
        mode=str(data.get("mode") or ""),
        nodes={node: visited[node] for node in dict.fromkeys([*shape["nodes"], *visited])},
        edges=tuple(WalkEdge(**edge, taken=taken[way]) for way, edge in ways.items()),
        visits=tuple(Visit(node, before, tuple(own)) for node, before, own in hops),
    )


def _way(onward: Mapping[str, set[str]], silent: set[str], start: str, known: Sequence[str], missing: int) -> list[str]:
    """The way from a node through the known nodes, in order, and the missing ones, which are silent.

    Args:
        onward: the targets of each node's edges.
        silent: the nodes that never record anything.
        start: where the way begins.
        known: the nodes that it has to pass; it ends in the last of them.
        missing: how many silent nodes it passes besides.

    Returns:
        The nodes after the first; none if there is no such way, or more than one.
    """
    if not 0 <= missing <= _MOST_MISSING or len(known) > _MOST_KNOWN:
        return []
    # By node, known nodes passed and silent nodes left: how many ways lead to the end, and one of them.
    reached: dict[tuple[str, int, int], tuple[int, list[str]]] = {}

    def ways(node: str, done: int, left: int) -> tuple[int, list[str]]:
        if done == len(known):
            return (1, []) if not left else (0, [])
        key = (node, done, left)
        if key not in reached:
            steps = [(known[done], done + 1, left)] if known[done] in onward.get(node, ()) else []
            steps += [(name, done, left - 1) for name in onward.get(node, set()) & silent if left]
            found = [(count, [step[0], *rest]) for step in steps for count, rest in [ways(*step)] if count]
            reached[key] = (sum(count for count, _ in found), found[0][1] if found else [])
        return reached[key]

    count, nodes = ways(start, 0, missing)
    return nodes if count == 1 else []


def _finish(hops: list[tuple[str, str, list[Event]]], shape: Shape) -> None:
    """After the node that ended the run comes what its one edge leads to; what that does is not recorded."""
    node, _, events = hops[-1]
    onward = [edge for edge in shape["edges"] if edge["source"] == node]
    if events and events[-1]["kind"] == "outcome" and len(onward) == 1 and not onward[0]["conditional"]:
        hops.append((onward[0]["target"], node, []))


def _shape(event: Event) -> Shape:
    """The graph that a goal keeps, as far as it is one: who draws events as they come has not checked them."""
    graph = mapping(event.get("graph"))
    return Shape(
        nodes=[node for node in entries(graph.get("nodes")) if isinstance(node, str)],
        silent=[node for node in entries(graph.get("silent")) if isinstance(node, str)],
        edges=[
            ShapeEdge(
                source=str(edge.get("source")),
                target=str(edge.get("target")),
                label=str(edge.get("label") or ""),
                conditional=bool(edge.get("conditional")),
            )
            for edge in map(mapping, entries(graph.get("edges")))
        ],
    )
