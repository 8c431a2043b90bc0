"""Each check of the plan-act loop trips when it must, and does not when work goes on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pytest
from langchain_core.tools import StructuredTool
from support.plan_act import (
    Invoke,
    act,
    ask,
    broken_tool,
    counter_tool,
    done,
    echo_tool,
    last_words,
    planned,
    play,
    replanned,
)
from support.texts import text
from thoughtgraph.nodes.plan_act.guards import Guards

BEST = "My best answer."
END = [done("A"), replanned(response="end")]


def page(number: int, size: int = 10, order: str = "by name", columns: list[str] | None = None) -> str:
    """Show a page."""
    return "rows"


def echoes(words: str) -> list[str]:
    """A call for every letter."""
    return [act("echo", letter) for letter in words]


def test_a_repeated_call_is_not_made_a_fourth_time_but_refused_with_advice_then_ends_the_run(invoke: Invoke) -> None:
    calls: list[str] = []
    result, model, _ = play(invoke, [planned("a"), *echoes("xxxxx"), BEST], [echo_tool(calls)])
    assert calls == ["x"] * 3
    assert result["stop_reason"] == {"kind": "duplicate_tool_calls", "value": 3, "limit": 3}
    assert [seen["ok"] for seen in result["observations"]] == [True, True, True, False, False]
    refusal = text("en", "refused_repeat", count=3)
    assert result["observations"][3]["result"] == refusal
    assert refusal in last_words(model, 5)


def test_a_step_whose_call_was_refused_reports_the_error_that_the_call_had(invoke: Invoke) -> None:
    def fail(x: str) -> str:
        """Fail."""
        raise ValueError("the line is down")

    replies = [planned("a"), *[act("fail", {"x": "a"})] * 4, done("It does not work."), replanned(response="Sorry.")]
    guards = Guards(error_threshold=1.0)
    result, _, _ = play(invoke, replies, [StructuredTool.from_function(fail)], guards=guards)
    assert "the line is down" in result["plan"][0]["response"]
    assert "the line is down" in str(result["stop_reason"]["value"])


def test_a_refused_call_is_no_step_and_no_failed_tool(invoke: Invoke) -> None:
    guards = Guards(error_min_calls=1, error_threshold=0.0)
    result, _, _ = play(invoke, [planned("a"), *echoes("xxxx"), *END], guards=guards)
    assert result["stop_reason"]["kind"] == "goal_met"
    assert result["steps"] == 4 + 3 + 2


@pytest.mark.parametrize(
    "spelled",
    [
        [{"number": 1, "size": 5}, {"size": 5, "number": 1}],
        [{"number": 1, "order": "by name"}, {"number": 1, "order": "  by\n name "}],
        [{"number": 1, "columns": ["name", "age"]}, {"columns": [" name", "age "], "number": 1}],
    ],
    ids=["key-order", "white-space", "in-a-list"],
)
def test_spelling_does_not_evade_the_check(invoke: Invoke, spelled: list[dict[str, Any]]) -> None:
    actions = [act("page", spelled[number % 2]) for number in range(5)]
    result, _, _ = play(invoke, [planned("a"), *actions, BEST], [page])
    assert result["stop_reason"]["kind"] == "duplicate_tool_calls"


def test_an_input_by_name_is_the_same_as_the_plain_one(invoke: Invoke) -> None:
    actions = [act("echo", "x"), act("echo", {"text": "x"}), act("ECHO", " x "), act("echo", "x"), act("/echo", "x")]
    result, _, _ = play(invoke, [planned("a"), *actions, BEST])
    assert result["stop_reason"]["kind"] == "duplicate_tool_calls"


@pytest.mark.parametrize(
    ("actions", "guards"),
    [
        ([act("count", "x")] * 8, Guards()),
        ([act("page", {"number": number}) for number in range(8)], Guards()),
        (echoes("xxxxxxxx"), Guards(exempt_tools=frozenset({"echo"}))),
        (echoes("xxxx"), Guards(duplicate_threshold=4)),
        (echoes("xxxxxx"), Guards(duplicate_threshold=7)),
        (echoes("xxx"), Guards()),
        (echoes("xxyxx"), Guards()),
        (echoes("xxxxyzx"), Guards()),
        (echoes("xyxy"), Guards()),
        (echoes("xyxyx"), Guards(loop_window=6)),
        (echoes("xyxyxyxy"), Guards(exempt_tools=frozenset({"echo"}))),
        (echoes("xyxyzxyxy"), Guards()),
        (echoes("xxyyxxyy"), Guards()),
        ([act("count", "x"), act("count", "y")] * 4, Guards()),
    ],
    ids=[
        "polling-with-new-results",
        "paging",
        "exempt-repeats",
        "higher-threshold",
        "repeats-are-no-pattern",
        "below-threshold",
        "another-call-between",
        "heeded-the-refusal",
        "pattern-below-window",
        "wider-window",
        "exempt-pattern",
        "pattern-left",
        "pairs",
        "pattern-with-new-results",
    ],
)
def test_work_that_goes_on_trips_nothing(invoke: Invoke, actions: Sequence[str], guards: Guards) -> None:
    result, _, _ = play(
        invoke, [planned("a"), *actions, *END], [counter_tool(), page, echo_tool()], guards=guards, max_steps=50
    )
    assert result["stop_reason"]["kind"] == "goal_met"


@pytest.mark.parametrize(
    ("actions", "guards", "length"),
    [
        (echoes("xyxyx"), Guards(), 5),
        (echoes("axyxyx"), Guards(), 5),
        (echoes("xyxy"), Guards(loop_window=4), 4),
        (echoes("xyzxyz"), Guards(loop_window=6), 6),
        (echoes("xxyxxy"), Guards(loop_window=6), 6),
    ],
    ids=["a-b-a-b-a", "later", "a-b-a-b", "a-b-c", "a-a-b"],
)
def test_a_pattern_of_calls_that_brings_nothing_new_ends_the_run(
    invoke: Invoke, actions: Sequence[str], guards: Guards, length: int
) -> None:
    result, _, _ = play(invoke, [planned("a"), *actions, BEST], guards=guards)
    assert result["stop_reason"] == {"kind": "loop_pattern", "value": length, "limit": guards.loop_window}


def test_an_exempt_tool_between_the_calls_does_not_hide_a_pattern(invoke: Invoke) -> None:
    actions = [action for letter in "xyxyx" for action in (act("count", "n"), act("echo", letter))]
    guards = Guards(exempt_tools=frozenset({"count"}))
    replies = [planned("a"), *actions, BEST]
    result, _, _ = play(invoke, replies, [counter_tool(), echo_tool()], guards=guards, max_steps=50)
    assert result["stop_reason"]["kind"] == "loop_pattern"


@pytest.mark.parametrize(
    ("outcomes", "guards", "rate"),
    [
        ("1111", Guards(), 1.0),
        ("0111", Guards(), 0.75),
        ("00111", Guards(), 0.6),
        ("1", Guards(error_min_calls=1), 1.0),
        ("01", Guards(error_min_calls=2, error_threshold=0.4), 0.5),
    ],
    ids=["all", "three-of-four", "three-of-five", "minimum", "threshold"],
)
def test_too_many_failed_calls_end_the_run(invoke: Invoke, outcomes: str, guards: Guards, rate: float) -> None:
    actions = [act("broken" if failed == "1" else "echo", f"{index}") for index, failed in enumerate(outcomes)]
    result, _, _ = play(invoke, [planned("a"), *actions, BEST], [broken_tool(), echo_tool()], guards=guards)
    assert result["stop_reason"] == {
        "kind": "error_rate",
        "value": pytest.approx(rate),
        "limit": guards.error_threshold,
    }


@pytest.mark.parametrize(
    ("outcomes", "guards"),
    [
        ("111", Guards()),
        ("0101", Guards()),
        ("1111", Guards(error_threshold=1.0)),
        ("1111111", Guards(exempt_tools=frozenset({"broken"}))),
        ("11111", Guards(error_min_calls=6)),
    ],
    ids=["too-few-calls", "half", "threshold", "exempt", "minimum"],
)
def test_a_share_of_failed_calls_within_the_limit_does_not(invoke: Invoke, outcomes: str, guards: Guards) -> None:
    actions = [act("broken" if failed == "1" else "echo", f"{index}") for index, failed in enumerate(outcomes)]
    result, _, _ = play(invoke, [planned("a"), *actions, *END], [broken_tool(), echo_tool()], guards=guards)
    assert result["stop_reason"]["kind"] == ("goal_met" if "0" in outcomes else "steps_failed")


@pytest.mark.parametrize(
    ("answers", "after", "kind"),
    [(["this"], 3, "steps_failed"), (["this"], 4, "error_rate"), ([], 1, "error_rate")],
    ids=["the user has helped", "and still it fails", "nobody was asked"],
)
def test_failed_calls_count_anew_after_the_users_answer(
    invoke: Invoke, answers: list[str], after: int, kind: str
) -> None:
    before = [act("broken", str(number)) for number in range(3)]
    more = [act("broken", f"more {number}") for number in range(after)]
    end = [BEST] if kind == "error_rate" else END
    replies = [planned("a"), *before, ask("Which?"), replanned("a"), *more, *end]
    result, _, _ = play(invoke, replies, [broken_tool()], answers=answers, interactive=bool(answers), max_steps=50)
    assert result["stop_reason"]["kind"] == kind


def test_a_failed_round_with_the_model_is_no_failed_tool_call(invoke: Invoke) -> None:
    guards = Guards(error_min_calls=1, error_threshold=0.0)
    result, _, _ = play(invoke, [planned("a"), *["no JSON"] * 3, *echoes("x"), *END], guards=guards)
    assert result["stop_reason"]["kind"] == "goal_met"


@pytest.mark.parametrize("tool", ["echo", "broken"], ids=["works", "fails"])
def test_a_repeat_counts_whether_the_call_works_or_fails(invoke: Invoke, tool: str) -> None:
    calls: list[str] = []
    tools = [echo_tool(calls), broken_tool(calls)]
    guards = Guards(error_min_calls=50)
    result, _, _ = play(invoke, [planned("a"), *[act(tool, "x")] * 5, BEST], tools, guards=guards)
    assert result["stop_reason"]["kind"] == "duplicate_tool_calls"
    assert len(calls) == 3


def test_exempt_tools_are_names_and_no_text_whose_parts_would_be_exempt() -> None:
    with pytest.raises(ValueError, match="exempt_tools has to be a list of names, got 'poll_status'"):
        Guards(exempt_tools=cast(Any, "poll_status"))
    assert Guards(exempt_tools=cast(Any, ["poll"])).exempt_tools == frozenset({"poll"})
