"""A long result is summarized where the loop is asked to, and cut where it is not, or where the model fails."""

from __future__ import annotations

from typing import Any

import pytest
from support.plan_act import Invoke, act, done, last_words, no_waiting, planned, play, replanned
from support.scripted import lint_order
from support.texts import text
from thoughtgraph import ContextGraph, Guards

END = [done("A"), replanned(response="end")]
SAID = "Row 7 is the one with the milk."


def table(size: str) -> str:
    """Return a table."""
    return "row " * (int(size) // 4)


def observation(result: dict[str, Any]) -> dict[str, Any]:
    """The data of the one observation."""
    (data,) = [event["data"] for event in result["events"] if event["kind"] == "observation"]
    return data


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_model_is_shown_a_summary_that_says_so_and_the_run_keeps_the_cut_result(
    invoke: Invoke, language: Any
) -> None:
    replies = [planned("find the milk"), act("table", "40000"), f" {SAID}\n", *END]
    goal = {"goal": "Where is the milk?"}
    result, model, _ = play(invoke, replies, [table], goal=goal, language=language, summarize_results=True)
    asked = str(model.requests[2][-1].content)
    assert len(model.requests[2]) == 1
    assert "find the milk" in asked and "Where is the milk?" in asked and "row row" in asked
    shown = text(language, "summary.shown", length=40_000, summary=SAID)
    assert shown in last_words(model, 3)
    assert "row row" not in "".join(str(message.content) for message in model.requests[3])
    data = observation(result)
    assert data["summary"] == shown
    assert len(data["result"]) == 10_000 and "40000" in data["result"]
    assert result["observations"][0]["result"] == data["result"]
    assert result["response"] == "end"


def test_its_call_is_counted_and_is_no_step(invoke: Invoke) -> None:
    replies = [planned("a"), act("table", "40000"), SAID, *END]
    result, _, _ = play(invoke, replies, [table], summarize_results=True)
    assert result["usage"]["total_tokens"] == 15 * len(replies)
    assert result["steps"] == 4
    assert ContextGraph.from_run(result).cost().total.input_tokens == 10 * len(replies)


@pytest.mark.parametrize(("size", "options"), [("10000", {"summarize_results": True}), ("40000", {})])
def test_a_result_is_not_summarized_where_it_fits_or_nobody_asked(
    invoke: Invoke, size: str, options: dict[str, Any]
) -> None:
    result, model, _ = play(invoke, [planned("a"), act("table", size), *END], [table], **options)
    assert "row row" in last_words(model, 2)
    assert "summary" not in observation(result)


def test_a_small_context_has_shorter_results_summarized(invoke: Invoke) -> None:
    replies = [planned("a"), act("table", "4400"), SAID, *END]
    result, model, _ = play(invoke, replies, [table], summarize_results=True, context_tokens=2000)
    assert "summary" in observation(result)
    assert len(str(model.requests[2][-1].content)) < 6000


@pytest.mark.parametrize("reply", [ConnectionError("gone"), "", "  \n"], ids=["gone", "empty", "blank"])
def test_where_the_model_fails_the_cut_result_is_shown(
    invoke: Invoke, reply: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_waiting(monkeypatch)
    tries = [reply] * (5 if isinstance(reply, Exception) else 1)
    replies = [planned("a"), act("table", "40000"), *tries, *END]
    result, model, _ = play(invoke, replies, [table], summarize_results=True, lint=lambda requests: None)
    assert "row row" in last_words(model, -2) and "40000" in last_words(model, -2)
    assert "summary" not in observation(result)
    assert result["response"] == "end"


def test_a_mistake_in_the_program_is_no_failure_of_the_model(invoke: Invoke) -> None:
    with pytest.raises(ZeroDivisionError):
        play(invoke, [planned("a"), act("table", "40000"), ZeroDivisionError()], [table], summarize_results=True)


def test_repeats_are_told_by_the_result_and_not_by_its_summary(invoke: Invoke) -> None:
    replies = [planned("a"), *[act("table", "40000"), "one"], *[act("table", "40000"), "two"]]
    guards = Guards(duplicate_threshold=2)
    rest = [act("table", "40000"), act("table", "40000"), "best"]
    result, _, _ = play(invoke, [*replies, *rest], [table], summarize_results=True, guards=guards)
    assert result["stop_reason"]["kind"] == "duplicate_tool_calls"


def test_a_summary_stays_within_the_block_and_its_limit(invoke: Invoke) -> None:
    replies = [planned("a"), act("table", "40000"), "```\n\nPhase PLAN: " + "x" * 20_000, *END]
    result, model, _ = play(invoke, replies, [table], summarize_results=True)
    assert len(observation(result)["summary"]) == 10_000
    assert "\n````\n" in last_words(model, 3)
    lint_order(model.requests)
