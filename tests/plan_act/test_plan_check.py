"""Whether a plan can be carried out is checked before anything is, and its issues go back for one revision."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.plan_act import (
    GOAL,
    Invoke,
    Played,
    ask,
    done,
    echo_tool,
    last_words,
    planned,
    play,
    replanned,
)
from support.scripted import ScriptedModel
from support.texts import text
from thoughtgraph import create_plan_act_graph
from thoughtgraph.nodes.plan_act.plans.check import in_order, plan_issues

END = [done("A"), replanned(response="end")]


def steps(*requires: list[int], tool: str | None = None) -> list[dict[str, Any]]:
    """A plan of steps with these requirements."""
    return [{"step": f"s{number}", "tool": tool, "requires": list(needs)} for number, needs in enumerate(requires, 1)]


@pytest.mark.parametrize(
    "plan",
    [steps(), steps([]), steps([], [1], [1, 2]), steps([3], [], [2]), steps([], [1, 1]), steps([], tool="echo")],
    ids=["empty", "one", "chain", "backwards", "twice", "tool"],
)
def test_a_sound_plan_has_no_issues(plan: list[dict[str, Any]]) -> None:
    assert plan_issues(plan, ["echo"]) == []


def test_a_step_may_name_the_question_as_its_tool() -> None:
    assert plan_issues(steps([], tool="ask_user"), []) == []


@pytest.mark.parametrize(
    ("plan", "numbers"),
    [
        (steps([], tool="fly"), {1}),
        (steps([], [5]), {2, 5}),
        (steps([0]), {1, 0}),
        (steps([-1]), {1, -1}),
        (steps([1]), {1}),
        (steps([2], [1]), {1, 2}),
        (steps([], [4], [2], [3]), {2, 3, 4}),
    ],
    ids=["tool", "missing", "zero", "negative", "itself", "cycle", "long-cycle"],
)
def test_an_issue_names_the_steps_that_it_is_about(plan: list[dict[str, Any]], numbers: set[int]) -> None:
    issues = plan_issues(plan, ["echo"])
    assert len(issues) == 1
    assert set(map(int, re.findall(r"-?\d+", issues[0]))) == numbers
    assert plan[0]["tool"] is None or "'fly'" in issues[0]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_step_that_requires_itself_is_no_circle_of_several(language: Any) -> None:
    itself = plan_issues(steps([], [2]), [], language=language)
    assert itself == [text(language, "issue.itself", steps="2")]
    circle = plan_issues(steps([2], [1]), [], language=language)
    assert circle == [text(language, "issue.circle", steps="1, 2")]


def test_every_issue_is_told_at_once() -> None:
    plan = [*steps([9], [3], [2]), {"step": "x", "tool": "fly", "requires": []}]
    assert len(plan_issues(plan, ["echo"])) == 3


def tangled(size: int) -> list[dict[str, Any]]:
    """Steps that all require each other."""
    return steps(*[[other for other in range(1, size + 1) if other != number] for number in range(1, size + 1)])


def test_the_feedback_on_a_hopeless_plan_stays_short() -> None:
    assert 1 <= len(plan_issues(tangled(6), [])) <= 3


def test_a_plan_in_which_every_step_requires_every_other_is_checked_at_once(tmp_path: Path) -> None:
    check = f"from thoughtgraph.nodes.plan_act.plans.check import plan_issues; assert plan_issues({tangled(20)!r}, [])"
    subprocess.run([sys.executable, "-c", check], cwd=tmp_path, timeout=60, check=True)


@pytest.mark.parametrize(
    ("plan", "order"),
    [
        (steps([], [], []), [0, 1, 2]),
        (steps([2], []), [1, 0]),
        (steps([3], [], [2], []), [1, 2, 0, 3]),
        (steps([9], []), [0, 1]),
        (steps([1], []), [0, 1]),
    ],
    ids=["own-order", "swapped", "chain", "missing", "itself"],
)
def test_steps_come_behind_those_that_they_require(plan: list[dict[str, Any]], order: list[int]) -> None:
    assert in_order(plan) == order


@given(st.lists(st.lists(st.integers(-2, 9), max_size=4), max_size=7))
def test_any_plan_has_an_order_of_all_its_steps(requires: list[list[int]]) -> None:
    plan = steps(*requires)
    order = in_order(plan)
    assert sorted(order) == list(range(len(plan)))
    if not plan_issues(plan, []):
        place = {index: position for position, index in enumerate(order)}
        assert all(place[need - 1] < place[index] for index, step in enumerate(plan) for need in step["requires"])


def revised(played: Played) -> list[Any]:
    """The plans that were sent back."""
    return [event["data"]["status"] for event in played.result["events"] if event["kind"] == "verdict"]


UNSOUND = {"unknown-tool": [{"step": "a", "tool": "fly"}], "cycle": [{"step": "a", "requires": [1]}]}
UNSOUND["missing"] = [{"step": "a", "requires": [7]}]


@pytest.mark.parametrize("plan", list(UNSOUND.values()), ids=list(UNSOUND))
def test_a_plan_with_issues_goes_back_once_and_a_sound_one_is_carried_out(invoke: Invoke, plan: list[Any]) -> None:
    run = play(invoke, [planned(*plan), planned("b"), *END])
    assert revised(run) == ["failed"]
    sent = run.model.requests[1]
    assert sent[: len(run.model.requests[0])] == run.model.requests[0]
    assert "step" in last_words(run.model, 1)
    assert [item["step"] for item in run.result["plan"]] == ["b"]
    assert run.result["steps"] == 2, "the revision of the first plan was counted"


@pytest.mark.parametrize("plan", list(UNSOUND.values()), ids=list(UNSOUND))
def test_a_plan_that_is_not_mended_is_carried_out_as_far_as_it_goes(invoke: Invoke, plan: list[Any]) -> None:
    run = play(invoke, [planned(*plan), planned(*plan), *END])
    assert revised(run) == ["failed"]
    assert [(item["step"], item["tool"]) for item in run.result["plan"]] == [("a", None)]
    assert run.result["stop_reason"]["kind"] == "goal_met"


def test_a_new_plan_with_issues_goes_back_to_the_replanner(invoke: Invoke) -> None:
    bad = replanned({"step": "c", "tool": "fly"})
    run = play(invoke, [planned("a", "b"), done("A"), bad, replanned("d"), done("D"), replanned(response="end")])
    phases = [event["data"]["phase"] for event in run.result["events"] if event["kind"] == "plan"]
    assert phases == ["plan", "replan", "replan", "replan"]
    assert [item["step"] for item in run.result["plan"]] == ["a", "d"]
    assert run.result["steps"] == 5, "a replan was not counted"


def test_whoever_made_the_plan_mends_it() -> None:
    bad = {"step": "c", "tool": "fly"}
    replies = [planned(bad), planned("a", "b"), done("A"), replanned(bad), replanned(response="end")]
    graph = create_plan_act_graph(ScriptedModel(replies=replies), [], interactive=False)
    nodes = [next(iter(update)) for update in graph.stream(dict(GOAL), stream_mode="updates")]
    assert [name for name in nodes if name in ("plan", "replan", "validate_plan")] == [
        *("plan", "validate_plan", "plan", "validate_plan"),
        *("replan", "validate_plan", "replan"),
    ]


def test_each_new_plan_has_a_revision_of_its_own(invoke: Invoke) -> None:
    bad = {"step": "c", "tool": "fly"}
    replies = [planned(bad), planned("a", "b"), done("A"), replanned(bad), replanned("d"), done("D"), replanned()]
    assert revised(play(invoke, replies)) == ["failed", "failed"]


def test_a_revision_that_cannot_be_read_is_asked_for_again(invoke: Invoke) -> None:
    run = play(invoke, [planned({"step": "a", "tool": "fly"}), *["no"] * 3, planned("b"), *END])
    assert [item["step"] for item in run.result["plan"]] == ["b"]


def test_a_revision_may_answer_at_once(invoke: Invoke) -> None:
    run = play(invoke, [planned({"step": "a", "tool": "fly"}), planned(response="I cannot fly.")])
    assert (run.result["response"], run.result["plan"]) == ("I cannot fly.", [])


def test_steps_are_carried_out_in_the_order_of_their_requirements(invoke: Invoke) -> None:
    plan = [{"step": "pour", "requires": [2]}, {"step": "boil"}, {"step": "drink", "requires": [1]}]
    rest = [replanned("pour", "drink"), done("poured"), replanned("drink"), done("drunk"), replanned()]
    run = play(invoke, [planned(*plan), done("boiled"), *rest])
    assert revised(run) == []
    assert [item["step"] for item in run.result["plan"]] == ["boil", "pour", "drink"]


def test_a_step_that_names_the_question_as_its_tool_goes_through(invoke: Invoke) -> None:
    plan = {"step": "ask for the size", "tool": "ask_user"}
    run = play(invoke, [planned(plan), ask("Which size?"), replanned("a"), *END], answers=["L"])
    assert revised(run) == []


def test_requirements_still_fit_when_finished_steps_are_left_out_of_a_new_plan(invoke: Invoke) -> None:
    plan = ["a", "b", {"step": "c", "requires": [2]}]
    rest = [done("B"), replanned("c"), done("C"), replanned(response="end")]
    run = play(invoke, [planned(*plan), done("A"), replanned(*plan), *rest], [echo_tool()])
    assert revised(run) == []
