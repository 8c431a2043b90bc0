"""A `recursion_limit` of the caller's own: a run that meets it ends with what it has, and a saved one can go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphRecursionError
from support.modes import MODES, TASK, THREAD, Mode, wrong
from support.plan_act import GOAL, TWINS, Invoke, act, done, echo_tool, parallel, planned, replanned, twin
from support.scripted import ScriptedModel
from thoughtgraph import ContextGraph, create_plan_act_graph

pytestmark = pytest.mark.slow

SCRIPT = [planned("a", "b"), act("echo", "x"), done("a is done"), replanned("b"), act("echo", "y"), done("b is done")]
SCRIPT.append(replanned(response="All is done."))
MOST = 40
"""More steps than these runs take."""


@pytest.fixture(params=TWINS)
def invoke(request: pytest.FixtureRequest) -> Invoke:
    """Invoke a graph by either twin."""
    return twin(request.param)


def plan_act(**options: Any) -> Any:
    """A run of two steps."""
    return create_plan_act_graph(ScriptedModel(replies=SCRIPT), [parallel(echo_tool())], interactive=False, **options)


def outcomes(run: Callable[[int], dict[str, Any]]) -> list[dict[str, Any]]:
    """What comes of each limit, from the least with which a run ends."""
    found: list[dict[str, Any]] = []
    for limit in range(1, MOST):
        try:
            found.append(run(limit))
        except GraphRecursionError:
            assert not found and limit < 6, limit
    return found


def test_a_plan_ends_with_what_was_done(invoke: Invoke) -> None:
    found = outcomes(lambda limit: invoke(plan_act(), GOAL, {"recursion_limit": limit}))
    stopped = [run for run in found if run["stop_reason"]["kind"] == "recursion_limit"]
    assert [run["stop_reason"]["kind"] for run in found[len(stopped) :]] == ["goal_met"] * (len(found) - len(stopped))
    assert len(found) > len(stopped) and found[len(stopped)]["response"] == "All is done."
    done_so_far = [len(run["observations"]) for run in stopped]
    assert done_so_far == sorted(done_so_far) and {*done_so_far} == {0, 1, 2}
    assert all("recursion_limit" in run["response"] for run in stopped)
    assert "recursion limit" in str(ContextGraph.from_run(stopped[-1]).why_stopped())


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_a_reflection_loop_ends_with_its_best_answer(invoke: Invoke, mode: Mode) -> None:
    def run(limit: int) -> dict[str, Any]:
        script = mode.script([wrong(0.2), wrong(0.6), "right"])
        return invoke(script.graph(), TASK, {"recursion_limit": limit})

    found = outcomes(run)
    best = [answer for index, run in enumerate(found) if (answer := run["answer"]) not in [found[index - 1]["answer"]]]
    assert best == [wrong(0.2), wrong(0.6), "right"]
    for each in found:
        assert (each["stop_reason"]["kind"] == "passed") == (each["answer"] == "right") == (each["verdict"] == "passed")
        assert each["stop_reason"]["kind"] in ("passed", "recursion_limit")


def test_a_run_that_is_saved_goes_on_after_the_limit(invoke: Invoke) -> None:
    graph = plan_act(checkpointer=InMemorySaver())
    with pytest.raises(GraphRecursionError):
        invoke(graph, GOAL, {**THREAD, "recursion_limit": 9})
    result = invoke(graph, None, THREAD)
    assert (result["stop_reason"]["kind"], result["response"]) == ("goal_met", "All is done.")
