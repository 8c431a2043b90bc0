"""A run in Chinese: everything that the model is told is Chinese, but for the names that the payloads need."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import pytest
from support.plan_act import Invoke, act, ask, done, planned, play, replanned
from support.texts import text
from thoughtgraph import Guards
from thoughtgraph.nodes.plan_act.plans.payloads import PayloadParser, Phase
from thoughtgraph.nodes.plan_act.prompts.instructions import INSTRUCTIONS
from thoughtgraph.tools.agenda import Agenda, schedule_tool, todo_tool
from thoughtgraph.tools.search import BingSearchProvider, internet_search_tool

PHASES: tuple[Phase, ...] = ("plan", "thought", "replan")
NAMES = {"JSON", "PLAN", "THOUGHT", "REPLAN", "INPUT", "token", "string", "integer"} | {
    name
    for name in re.findall("[a-z_]+", INSTRUCTIONS["en"])
    if f'"{name}"' in INSTRUCTIONS["en"] or f"`{name}`" in INSTRUCTIONS["en"]
}
"""Phases, fields, statuses, types."""
OWN = {
    "ValueError",
    "input",
    "look",
    "fail",
    "word",
    "count",
    "text",
    "ok",
    "Good",
    "morning",
    "red",
    "name",
    "number",
    "note",
}
GOAL = {"goal": "办好这件事", "background": "用户：早"}


def look(word: str) -> str:
    """查一个词。"""
    return f"{word}：没有"


def fail(word: str, count: int = 1) -> str:
    """总是失败。"""
    raise ValueError("做不到")


def english(shown: str) -> set[str]:
    """The words in Latin letters, without names and the commands of tools."""
    words = re.sub(r"/(?:todo|schedule|view)[^`\n\"]*|https?://\S+", "", shown)
    return set(re.findall("[A-Za-z_]{2,}", words)) - NAMES


END = [done("好"), replanned(response="办好了")]
SCRIPTS: dict[str, tuple[list[str], dict[str, Any]]] = {
    "a question, put twice": (
        [planned("甲"), ask("哪个？"), replanned("甲"), ask("哪个"), *END],
        {"answers": ["这个"]},
    ),
    "a call that fails": (
        [planned("甲"), act("fail", {"word": "一"}), done("不行"), done("不行"), replanned("乙"), *END],
        {},
    ),
    "a plan with issues": (
        [
            planned({"step": "甲", "requires": [9]}, {"step": "乙", "tool": "飞"}, {"step": "丙", "requires": [3]}),
            planned("甲"),
            *END,
        ],
        {},
    ),
    "a call made too often": ([planned("甲"), *[act("look", "一")] * 5, "没有查到"], {}),
    "a long run": (
        [planned("甲", "乙"), *[act("look", f"{n}" * 900) for n in range(6)], done("好"), replanned("乙"), "没有查到"],
        {"max_steps": 14, "context_tokens": 2000},
    ),
    "a budget": ([planned("甲"), "没有查到"], {"guards": Guards(max_tokens=10)}),
}


@pytest.mark.parametrize(("script", "options"), SCRIPTS.values(), ids=SCRIPTS)
def test_what_the_model_and_the_user_are_told_is_chinese(
    invoke: Invoke, script: list[str], options: dict[str, Any]
) -> None:
    def now() -> datetime:
        return datetime(2031, 5, 6)

    result, model, _ = play(invoke, script, [look, fail], goal=dict(GOAL), language="zh", clock=now, **options)
    told = [str(message.content) for request in model.requests for message in request if message.type != "ai"]
    assert english("\n".join(told)) <= OWN
    assert english(result["response"]) <= OWN
    assert any("现在是 2031-05-06 00:00（星期二）" in words for words in told)


def test_the_examples_of_the_assistants_tools_are_chinese_and_keep_the_rules(invoke: Invoke) -> None:
    with Agenda(":memory:", language="zh") as agenda:
        search = internet_search_tool(BingSearchProvider(), language="zh")
        tools = [todo_tool(agenda), schedule_tool(agenda), search]
        _, model, _ = play(invoke, [planned(response="好")], tools, goal=dict(GOAL), language="zh")
    request = model.requests[0]
    told = [str(message.content) for message in request]
    assert len(told) > 30, "there are no examples"
    assert any("实际执行" in words for words in told), "there are none of what was said before"
    assert english("\n".join(told)) <= {"todo", "schedule", "internet_search", "input", "query", "for"}
    for message in request:
        if message.type == "ai":
            results: list[Any] = [PayloadParser(phase)(str(message.content)) for phase in PHASES]
            assert [result["status"] for result in results].count("success") == 1, message.content


def test_the_example_without_tools_is_chinese(invoke: Invoke) -> None:
    _, model, _ = play(invoke, [planned(response="好")], [], goal=dict(GOAL), language="zh")
    assert len(model.requests[0]) > 6
    assert english("\n".join(str(message.content) for message in model.requests[0])) == set()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("phase", PHASES)
def test_a_reply_that_copies_the_instructions_is_sent_back(phase: Phase, language: Any) -> None:
    shown = [line for line in INSTRUCTIONS[language].splitlines() if line.startswith('{"status"')]
    assert len(shown) == 8
    for line in shown:
        assert PayloadParser(phase)(line)["status"] == "error", line


def test_both_languages_show_the_same_payloads() -> None:
    def fields(language: Any) -> list[list[str]]:
        return [re.findall(r'"([a-z_]+)"', line) for line in INSTRUCTIONS[language].splitlines() if "{" in line]

    assert fields("en") == fields("zh")


def test_the_clock_tells_the_day_of_the_week_in_the_runs_language(invoke: Invoke) -> None:
    for language, shown in (("en", "2031-05-11 00:00 (Sunday)"), ("zh", "2031-05-11 00:00（星期日）")):
        _, model, _ = play(invoke, [planned(response="x")], language=language, clock=lambda: datetime(2031, 5, 11))
        assert text(language, "turn.now", now=shown) in str(model.requests[0])  # type: ignore[arg-type]
