"""Whether a plan can be carried out, before anything is: its dependencies exist and have no cycle, its tools exist.

Method: docs/background/plan_act_loop.md, "Checking a plan".
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast

import networkx as nx

from ...._internal.texts import Language
from ....traces.shapes import ASK_USER
from ..prompts.texts import text


def plan_issues(steps: Sequence[Mapping[str, Any]], tools: Collection[str], *, language: Language = "en") -> list[str]:
    """What is wrong with a plan, in words for the planner; empty for a sound one.

    Args:
        steps: mappings with `step`, `tool` and `requires` (numbers of other steps, from 1).
        tools: names of the tools there are.
        language: of the words.

    Example:
        >>> plan_issues([{"step": "a", "tool": None, "requires": [2]}], [])
        ['step 1 requires step 2, which does not exist']
    """
    issues: list[str] = []
    for number, step in enumerate(steps, 1):
        if step["tool"] is not None and step["tool"] not in {*tools, ASK_USER}:
            issues.append(text(language, "issue.tool", number=number, tool=step["tool"]))
        issues += [
            text(language, "issue.requires", number=number, other=other)
            for other in step["requires"]
            if not 1 <= other <= len(steps)
        ]
    graph = _dependencies(steps)
    # A knot of steps has very many cycles; naming the knot is enough.
    knots = [sorted(knot) for knot in cast(Any, nx).strongly_connected_components(graph) if len(knot) > 1]
    knots += [[number] for number in cast(Any, nx).nodes_with_selfloops(graph)]
    issues += [
        text(language, "issue.circle" if len(knot) > 1 else "issue.itself", steps=", ".join(map(str, knot)))
        for knot in sorted(knots)
    ]
    return issues


def in_order(steps: Sequence[Mapping[str, Any]]) -> list[int]:
    """Indices of the steps, each after those it requires, otherwise in their own order.

    Requirements that are part of a cycle, or that name no step, are ignored.
    """
    graph = _dependencies(steps)
    while not nx.is_directed_acyclic_graph(graph):
        graph.remove_edges_from(list(cast(Any, nx).find_cycle(graph)))
    return [number - 1 for number in nx.lexicographical_topological_sort(graph)]


def _dependencies(steps: Sequence[Mapping[str, Any]]) -> nx.DiGraph[int]:
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(1, len(steps) + 1))
    for number, step in enumerate(steps, 1):
        graph.add_edges_from((other, number) for other in step["requires"] if 1 <= other <= len(steps))
    return graph
