"""Chain of thought in five named steps: the template that asks for them and the parser that reads them.

Method: docs/background/parsing_and_feedback.md (Understand, Analyze, Plan, Execute, Verify).
"""

from __future__ import annotations

from collections.abc import Mapping

from .contract import ParseDict, success
from .sections import multi_section_parser

STEPS = ("Understand", "Analyze", "Plan", "Execute", "Verify")

CHAIN_OF_THOUGHT_PROMPT = """\
Solve this task step by step.

Task: {task}

Write five sections, each under its own header:
**Understand**: the task in your own words
**Analyze**: the parts it falls into
**Plan**: how you will go about it
**Execute**: the solution itself
**Verify**: how the solution meets the task

Example, for the task "How many minutes are 2.5 hours?":

**Understand**
Convert 2.5 hours into minutes.
**Analyze**
One hour has 60 minutes; there are 2 whole hours and half of one.
**Plan**
Multiply the hours by 60.
**Execute**
2.5 * 60 = 150 minutes
**Verify**
150 / 60 = 2.5, the hours that were given.
"""
"""Fill in with `.format(task=…)`; read the reply with `chain_of_thought_parser`."""


def chain_of_thought_parser(raw_reply: str, *, kept: Mapping[str, str] | None = None) -> ParseDict[dict[str, str]]:
    """Read a reply to `CHAIN_OF_THOUGHT_PROMPT`.

    Args:
        raw_reply: the model's reply.
        kept: steps of an earlier reply; see `multi_section_parser`.

    Returns:
        `{"status": "success", "content": {"understand": …, "analyze": …, "plan": …, "execute": …, "verify": …}}`, or an
        error whose feedback names the missing and empty steps.
    """
    result = multi_section_parser(raw_reply, STEPS, kept=kept)
    if result.get("status") == "error":
        return result
    sections: dict[str, str] = result.get("content") or {}
    return success({step.lower(): sections[step] for step in STEPS})
