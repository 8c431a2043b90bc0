"""Chain of thought: the template and the parser of its five steps (rows R7 and T10)."""

from __future__ import annotations

from typing import Any

import pytest
from support.scripted import ScriptedModel, lint_order
from thoughtgraph import athink_with_retry, think_with_retry
from thoughtgraph.parsers import CHAIN_OF_THOUGHT_PROMPT, chain_of_thought_parser

STEPS = ["Understand", "Analyze", "Plan", "Execute", "Verify"]
CONTENT = {step.lower(): f"The {step.lower()} part." for step in STEPS}


def reply(form: str = "**{}**", steps: list[str] = STEPS) -> str:
    """A reply with its headers in one form."""
    return "\n\n".join(f"{form.format(step)}\n{CONTENT[step.lower()]}" for step in steps)


@pytest.mark.parametrize("form", ["**{}**", "## {}", "{}", "{}:", "1. **{}**", "### Step 2: {}", "**{}:**", "[{}]"])
def test_the_five_steps_are_read_in_any_form(form: str) -> None:
    assert chain_of_thought_parser(reply(form)) == {"status": "success", "content": CONTENT}
    assert chain_of_thought_parser(reply(form).lower())["status"] == "success"


def test_the_steps_come_in_their_order_whatever_the_order_of_the_reply() -> None:
    result: Any = chain_of_thought_parser(reply(steps=STEPS[::-1]))
    assert list(result["content"].items()) == list(CONTENT.items())


@pytest.mark.parametrize("gone", STEPS)
def test_a_missing_step_is_named(gone: str) -> None:
    result: Any = chain_of_thought_parser(reply(steps=[step for step in STEPS if step != gone]))
    assert result["status"] == "error"
    assert [step for step in STEPS if f"'{step}'" in result["feedback"]] == [gone]


def test_an_empty_step_is_named() -> None:
    result: Any = chain_of_thought_parser(reply().replace(CONTENT["plan"], ""))
    assert result["status"] == "error"
    assert "empty: ['Plan']" in result["feedback"]


def test_the_template_holds_the_task_and_an_example_that_its_own_parser_accepts() -> None:
    prompt = CHAIN_OF_THOUGHT_PROMPT.format(task="Count {the} braces.")
    assert "Task: Count {the} braces." in prompt
    example: Any = chain_of_thought_parser(prompt.partition("Example")[2])
    assert example["status"] == "success"
    assert "150" in example["content"]["execute"]


@pytest.mark.parametrize("twin", ["sync", "async"])
async def test_a_reply_without_verify_is_asked_for_it(twin: str) -> None:
    model = ScriptedModel(replies=[reply(steps=STEPS[:4]), reply()])
    prompt = CHAIN_OF_THOUGHT_PROMPT.format(task="Add 1 and 1.")
    if twin == "sync":
        content = think_with_retry(model, prompt, chain_of_thought_parser)
    else:
        content = await athink_with_retry(model, prompt, chain_of_thought_parser)
    assert content == CONTENT
    assert "Verify" in str(model.requests[1][-1].content)
    lint_order(model.requests)


@pytest.mark.parametrize("text", ["", "42", "Understand", "**Understand** " * 9, "\n".join(STEPS)], ids=repr)
def test_a_reply_without_any_step_filled_is_refused(text: str) -> None:
    result: Any = chain_of_thought_parser(text)
    assert result["status"] == "error"
    assert all(step in result["feedback"] for step in STEPS)


def test_a_wrapping_fence_is_seen_through() -> None:
    assert chain_of_thought_parser(f"```\n{reply()}\n```") == {"status": "success", "content": CONTENT}


def test_a_reply_in_the_form_that_the_prompt_shows_first_is_read() -> None:
    shown = CHAIN_OF_THOUGHT_PROMPT.partition("header:\n")[2].partition("\n\n")[0]
    result: Any = chain_of_thought_parser(shown)
    assert result["content"]["plan"] == "how you will go about it"
