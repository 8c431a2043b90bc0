"""The graph, the questions and the exports of a long run: work that grows with its events, not with their square."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest
from thoughtgraph import ContextGraph
from thoughtgraph.traces.events import Link, Recorder

pytestmark = pytest.mark.slow


def long_run(count: int) -> ContextGraph:
    """Failures, repeats and attempts all the way, so that every query has something to look for."""
    recorder = Recorder("run")
    recorder.add("goal", task="long")
    for number in range(1, count // 5 + 1):
        for kind, data in (
            ("thought", {"reply": f"reply {number % 7}", "usage": {"input_tokens": 1}, "parser": "p"}),
            ("attempt", {"number": number, "answer": f"answer {number % 5}", "usage": {"input_tokens": 1}}),
            ("verdict", {"status": "failed", "feedback": "wrong"}),
            ("action", {"tool": "t", "input": {"n": number % 3}}),
            ("observation", {"tool": "t", "input": {"n": number % 3}, "ok": False, "result": "no"}),
        ):
            recorder.add(kind, [Link(source=recorder.events[-1]["id"], relation="led_to")], **data)  # type: ignore[arg-type]
    recorder.add(
        "outcome", [Link(source=recorder.events[-1]["id"], relation="led_to")], best=count // 5, stop_reason={}
    )
    return ContextGraph(recorder.events)


USES: dict[str, Callable[[ContextGraph], Any]] = {
    "nx": lambda graph: graph.nx,
    "path": ContextGraph.path_to_outcome,
    "why": ContextGraph.why_stopped,
    "failures": ContextGraph.failures,
    "cost": ContextGraph.cost,
    "repeats": ContextGraph.repeats,
    "revisions": ContextGraph.revisions,
    "metrics": ContextGraph.metrics,
    "runs": lambda graph: graph.runs,
    "page": ContextGraph.to_html,
    "compare": lambda graph: graph.compare(ContextGraph(graph.events)),
    "json": ContextGraph.to_json,
    "graphml": ContextGraph.to_graphml,
    "mermaid": ContextGraph.to_mermaid,
    "all of mermaid": lambda graph: graph.to_mermaid(max_events=100_000),
    "prov": ContextGraph.to_prov,
}


class Counted(dict[str, Any]):
    """An event that counts how often it is looked at or compared."""

    looks = 0

    def __getitem__(self, key: str) -> Any:
        Counted.looks += 1
        return super().__getitem__(key)

    def __eq__(self, other: object) -> bool:
        Counted.looks += 1
        return super().__eq__(other)


def work(use: Callable[[ContextGraph], Any], count: int) -> int:
    """Calls made, in Python and in C, and looks at events."""
    graph = long_run(count)
    events: Any = [Counted(event) for event in graph.events]
    graph = ContextGraph(events)
    calls = 0

    def profile(frame: Any, happened: str, about: Any) -> None:
        nonlocal calls
        calls += happened in ("call", "c_call")

    before, Counted.looks = sys.getprofile(), 0
    sys.setprofile(profile)
    try:
        use(graph)
    finally:
        sys.setprofile(before)
    return calls + Counted.looks


@pytest.mark.parametrize("name", USES)
def test_the_work_grows_with_the_events_and_not_with_their_square(name: str) -> None:
    small, large = (work(USES[name], count) for count in (500, 2_000))
    assert large < 4.4 * small + 500


@pytest.fixture(scope="module")
def twenty_thousand() -> ContextGraph:
    return long_run(20_000)


@pytest.mark.parametrize("name", USES)
def test_a_run_of_twenty_thousand_events_is_read_asked_and_exported(name: str, twenty_thousand: ContextGraph) -> None:
    assert USES[name](twenty_thousand)
