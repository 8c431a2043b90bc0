"""What tools say stands inside a fenced block in every request to a model, their errors and later turns included."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import BaseMessage, ToolMessage
from markdown_it import MarkdownIt
from support.hostile_text import INSTRUCTIONS
from support.plan_act import act, done, planned, replanned
from support.scripted import ScriptedModel
from thoughtgraph import create_plan_act_graph
from thoughtgraph.graphs.middleware.messages import folded
from thoughtgraph.memory.lessons import Lesson, lessons_text

MARK = "MARK-OF-THE-TOOL"
TEXTS = [MARK, *(f"{MARK} {text}" for text in INSTRUCTIONS)]
GOAL: Any = {"goal": "Fetch it"}


def outside(text: str) -> str:
    """A text without its fenced blocks."""
    lines = text.split("\n")
    for token in MarkdownIt().parse(text):
        if token.type == "fence" and token.map:
            lines[token.map[0] : token.map[1]] = [""] * (token.map[1] - token.map[0])
    return "\n".join(lines)


def loose(requests: list[list[BaseMessage]]) -> list[str]:
    """The messages, not the model's own, that hold a tool's words outside of every block."""
    said = [str(message.content) for request in requests for message in request if message.type != "ai"]
    assert any(MARK in words for words in said), "nothing of the tool was shown at all"
    return [words for words in said if MARK in outside(words)]


def broken_tool(words: str) -> Any:
    """A tool that fails with these words."""

    def fetch(text: str) -> str:
        """Fetch a text."""
        raise ValueError(words)

    return fetch


@pytest.mark.parametrize("words", TEXTS, ids=lambda words: ascii(words)[17:40])
def test_the_error_of_a_failed_step_stays_in_its_block_when_the_rest_is_planned(words: str) -> None:
    failed = [act("fetch", "x"), done("Failed."), done("Failed.")]
    model = ScriptedModel(replies=[planned("Fetch it", "b"), *failed, replanned("b"), done("B"), replanned()])
    result = create_plan_act_graph(model, [broken_tool(words)], interactive=False).invoke(GOAL)
    assert MARK in result["plan"][0]["response"]
    assert MARK in str(model.requests[4][-1].content), "the model was not told what went wrong"
    assert loose(model.requests) == []


def test_the_error_stays_in_its_block_in_the_turn_that_stands_for_what_was_left_out() -> None:
    failed = [act("fetch", "x"), done("Failed."), done("Failed."), replanned("b", "c")]
    steps = [
        reply for name in "bc" for reply in (act("echo", "y" * 900), done("D"), replanned(*("bc"[1:] * (name == "b"))))
    ]
    model = ScriptedModel(replies=[planned("Fetch it", "b", "c"), *failed, *steps])

    def echo(text: str) -> str:
        """Repeat a text."""
        return text

    graph = create_plan_act_graph(model, [broken_tool(MARK), echo], interactive=False, context_tokens=600)
    graph.invoke(GOAL)
    summaries = [r for r in model.requests if any("left out" in str(m.content) and MARK in str(m.content) for m in r)]
    assert summaries, "the conversation was never cut"
    assert loose(model.requests) == []


def test_the_error_stays_in_its_block_where_the_best_answer_is_asked_for() -> None:
    model = ScriptedModel(replies=[planned("Fetch it"), act("fetch", "x"), "Best."])
    graph = create_plan_act_graph(model, [broken_tool(MARK)], interactive=False, max_steps=2)
    graph.invoke(GOAL)
    assert len(model.requests) == 3
    assert loose(model.requests) == []


def test_what_was_said_before_stands_in_a_block() -> None:
    model = ScriptedModel(replies=[planned(response="Hi")])
    graph = create_plan_act_graph(model, [], interactive=False)
    graph.invoke({**GOAL, "background": f"User: x\n\nPhase PLAN: {MARK}"})
    assert loose(model.requests) == []


@pytest.mark.parametrize("words", TEXTS, ids=lambda words: ascii(words)[17:40])
def test_the_error_of_a_lesson_stands_in_a_block(words: str) -> None:
    lesson = Lesson(
        key="",
        task="t",
        kind="",
        error=words,
        lesson="l",
        fix="",
        evidence=[],
        time="",
        similarity=0.0,
    )
    shown = lessons_text([lesson])
    assert MARK in shown
    assert MARK not in outside(shown)


@pytest.mark.parametrize(
    "content", [MARK, [{"type": "text", "text": f"{MARK}\n```"}, f"{MARK} too"]], ids=["text", "blocks"]
)
def test_an_agent_s_warning_stands_apart_from_the_result_that_it_follows(content: Any) -> None:
    result = ToolMessage(content, tool_call_id="1")
    shown = folded([result], "Our warning.")[-1]
    parts: list[Any] = [shown.content] if isinstance(shown.content, str) else shown.content
    words = [part if isinstance(part, str) else part["text"] for part in parts]
    assert MARK in "".join(words)
    assert [MARK in outside(part) for part in words] == [False] * len(words)
    assert "Our warning." in outside(words[-1])
    assert result.content == content


def test_the_warnings_of_two_guards_both_stand_apart() -> None:
    result = ToolMessage(MARK, tool_call_id="1")
    shown = str(folded(folded([result], "One."), "Two.")[-1].content)
    assert outside(shown).split() == ["One.", "Two."]
