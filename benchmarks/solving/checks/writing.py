"""A text under rules that can be counted; the prompt states all of them, the visible check holds it to some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from thoughtgraph._internal.fences import find_fences
from thoughtgraph.parsers import ParseDict
from thoughtgraph.parsers.contract import any_text, success
from thoughtgraph.tools.verdict import FormattedVerifier, Verdict

from .rules import RULES

_INSTRUCTIONS = """\
Answer with the text that is asked for, and nothing else: no remark before or after it, no quotation marks around it.

Example. For the task "Write one sentence about rain. Use the word roof." you answer:

Rain drums on the roof all night."""
_LONGEST = 20_000


class Rules(FormattedVerifier):
    """Names each rule that a text does not meet."""

    instructions = _INSTRUCTIONS

    def __init__(self, rules: Sequence[Mapping[str, Any]]) -> None:
        self._rules = [dict(rule) for rule in rules]

    def parse(self, raw_reply: str, /) -> ParseDict:
        """Parse a reply: the content of its longest fenced block, or the whole reply if it has none."""
        blocks = [fence.body.strip() for fence in find_fences(raw_reply) if fence.body.strip()]
        return success(max(blocks, key=len)) if blocks else any_text(raw_reply)

    def __call__(self, task: str, answer: str, /) -> Verdict:
        """Hold a text to the rules."""
        if len(answer) > _LONGEST:
            feedback = f"The text has {len(answer)} characters, far more than asked for."
            return Verdict("failed", feedback, 0.0, "too_long")
        problems: list[str] = []
        for rule in self._rules:
            arguments = {name: value for name, value in rule.items() if name != "rule"}
            if problem := RULES[rule["rule"]](answer, **arguments):
                problems.append(f"- {problem}")
        if not problems:
            return Verdict("passed")
        feedback = "\n".join(["These rules are not met:", *problems])
        return Verdict("failed", feedback, 1 - len(problems) / len(self._rules), "rules")
