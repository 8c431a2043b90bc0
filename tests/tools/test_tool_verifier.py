"""A tool's result is a verdict, or a judge decides."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.tools import tool
from support.modes import RIGHT
from support.verifiers import judged
from thoughtgraph import Verdict
from thoughtgraph.tools.verifiers import ToolVerifier


@tool
def count_words(text: str) -> int:
    """Count words."""
    return len(text.split())


@tool
async def review(answer: str, task: str, depth: int = 1) -> dict[str, Any]:
    """Review an answer."""
    return {"passed": answer == RIGHT, "feedback": f"{task}: no {answer}"}


def returning(value: Any) -> Any:
    """A tool that returns a value."""

    @tool
    def said(answer: str) -> Any:
        """Say it."""
        return value

    return said


def test_a_predicate_decides_and_the_result_is_the_feedback() -> None:
    verify = ToolVerifier(count_words, judge=lambda count: count < 3)
    assert judged(verify, "two words").status == "passed"
    assert judged(verify, "there are four words") == Verdict("failed", "count_words returned: 4")


def test_a_judge_may_return_a_verdict_and_may_be_async() -> None:
    async def judge(count: int) -> Verdict:
        return Verdict("failed", f"{count} words", 0.3)

    assert judged(ToolVerifier(count_words, judge=judge), "a b") == Verdict("failed", "2 words", 0.3)


def test_an_async_tool_gets_answer_and_task_by_name() -> None:
    assert judged(ToolVerifier(review), RIGHT).status == "passed"
    assert judged(ToolVerifier(review), "x", "Say").feedback == "Say: no x"


@pytest.mark.parametrize(
    ("value", "status"),
    [
        (Verdict("passed"), "passed"),
        (False, "failed"),
        ('{"passed": true}', "passed"),
        ({"passed": True, "feedback": None}, "passed"),
        ([{"type": "text", "text": '{"passed": false}'}], "failed"),
        ("passed", "unverified"),
        ("", "unverified"),
        (1, "unverified"),
        (None, "unverified"),
        ({"passed": "true"}, "unverified"),
        (["x"], "unverified"),
    ],
)
def test_without_a_judge_only_a_verdict_counts(value: Any, status: str) -> None:
    assert judged(ToolVerifier(returning(value)), "x").status == status


def test_the_field_that_keeps_a_result_from_being_a_verdict_is_named() -> None:
    odd, said = {"passed": False, "score": 7}, "; score: it should be less than or equal to 1, not 7"
    for result in (odd, '{"passed": false, "score": 7}', [{"type": "text", "text": '{"passed": false, "score": 7}'}]):
        assert judged(ToolVerifier(returning(result)), "x").feedback.endswith(said)
    judge: Any = lambda count: odd  # noqa: E731
    assert judged(ToolVerifier(count_words, judge=judge), "x").feedback.endswith(said)
    assert judged(ToolVerifier(returning("fine")), "x").feedback.endswith(", but fine")


def test_what_numpy_says_counts_if_it_is_one_truth_value() -> None:
    np: Any = pytest.importorskip("numpy")
    for most, verdict in ((3, Verdict("passed")), (1, Verdict("failed", "count_words returned: 2"))):
        judge: Any = lambda count, most=most: np.int64(count) <= most  # noqa: E731
        assert judged(ToolVerifier(count_words, judge=judge), "a b") == verdict
    for said in (np.int64(1), np.array([True, False])):
        assert judged(ToolVerifier(count_words, judge=lambda _, said=said: said), "x").kind == "verifier_error"
    scored = {"passed": np.True_, "score": np.float32(1)}
    assert judged(ToolVerifier(returning(scored)), "x") == Verdict("passed", score=1.0)


def test_a_judge_that_says_neither_judges_nothing() -> None:
    judge: Any = lambda count: "fine"  # noqa: E731
    assert judged(ToolVerifier(count_words, judge=judge), "x").kind == "verifier_error"


def test_a_tool_that_takes_no_answer_is_refused() -> None:
    @tool
    def add(a: int, b: int) -> int:
        """Add."""
        return a + b

    @tool
    def now() -> str:
        """Now."""
        return ""

    for unfit in (add, now):
        with pytest.raises(ValueError, match="takes"):
            ToolVerifier(unfit)
