"""Promises of edges and guards that no test held them to until a mutant survived."""

from __future__ import annotations

from datetime import date
from types import SimpleNamespace
from typing import Any, cast

import pytest
from thoughtgraph.graphs.plan_act import edges
from thoughtgraph.nodes.plan_act.guards import Guards, Limits, pattern_length
from thoughtgraph.nodes.plan_act.plans.marks import call_fingerprint, mark_of
from thoughtgraph.traces.shapes import StopReason


def marks(letters: str, tool: str = "look") -> list[Any]:
    """Calls by letters; the same letter is the same call with the same result."""
    return [mark_of({"tool": tool, "input": letter}, True, letter) for letter in letters]


@pytest.mark.parametrize(
    ("letters", "length"),
    [
        ("A", 0),
        ("AB", 0),
        ("ABA", 0),
        ("ABAB", 4),
        ("ABABA", 5),
        ("CABAB", 4),
        ("ABCABC", 0),
        ("AAAA", 0),
        ("ABABC", 0),
    ],
)
def test_a_pattern_counts_once_it_has_come_twice_within_the_window(letters: str, length: int) -> None:
    assert pattern_length(marks(letters), Guards(loop_window=5)) == length


@pytest.mark.parametrize(("letters", "length"), [("ABCABC", 6), ("ABCAB", 0), ("XABCABC", 6), ("ABCDABCD", 0)])
def test_a_pattern_may_be_as_long_as_half_the_window(letters: str, length: int) -> None:
    assert pattern_length(marks(letters), Guards(loop_window=7)) == length


def fingerprint(given: Any) -> str:
    """Of a call with this argument."""
    return call_fingerprint({"tool": "look", "input": {"at": given}})


@pytest.mark.parametrize(
    ("one", "other"),
    [([1, 2], [2, 1]), (["a"], ["b"]), ([], [1]), ((1,), (2,)), ({"a": [1]}, {"a": [2]}), (1, "1"), (None, "None")],
    ids=repr,
)
def test_calls_with_other_arguments_are_other_calls(one: Any, other: Any) -> None:
    assert fingerprint(one) != fingerprint(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (" a  b ", "a b"),
        (["a "], ["a"]),
        ((1, 2), [1, 2]),
        ({"b": 1, "a": 2}, {"a": 2, "b": 1}),
        (date(2026, 1, 2), date(2026, 1, 2)),
    ],
    ids=repr,
)
def test_calls_that_differ_in_spelling_alone_are_one(one: Any, other: Any) -> None:
    assert fingerprint(one) == fingerprint(other)


@pytest.mark.parametrize(
    ("kind", "route"),
    [
        ("max_iterations", "max_iterations"),
        ("duplicate_tool_calls", "duplicate_tool_calls"),
        ("loop_pattern", "loop_pattern"),
        ("error_rate", "error_rate"),
        ("token_budget", "budget"),
        ("time_budget", "budget"),
        ("model_unavailable", "ended"),
        ("planner_unavailable", "ended"),
        ("too_many_questions", "ended"),
        ("repeated_question", "ended"),
    ],
)
def test_each_check_that_trips_has_its_edge(monkeypatch: pytest.MonkeyPatch, kind: Any, route: str) -> None:
    reason = StopReason(kind=kind, value=1, limit=1)
    monkeypatch.setattr(edges, "find_tripped", lambda state, guards: reason)
    state: Any = {"phase": "thought"}
    assert edges.next_round(state, cast(Any, SimpleNamespace(guards=Limits()))) == route
