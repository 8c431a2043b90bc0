"""What every parser owes whoever calls it, as functions that raise `BrokenError` where it is not kept."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from typing import Any

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from thoughtgraph._internal.fences import find_fences
from thoughtgraph.models.retry import MAX_FEEDBACK
from thoughtgraph.nodes.plan_act.plans.check import in_order, plan_issues
from thoughtgraph.nodes.plan_act.plans.payloads import PayloadParser, Phase, as_json
from thoughtgraph.parsers.code import python_parser
from thoughtgraph.parsers.json.reply import json_parser
from thoughtgraph.parsers.markdown_blocks import parse_markdown_blocks, parse_markdown_with_skip
from thoughtgraph.parsers.wrapping import split_think

MAX_DEPTH = 100
_serde = JsonPlusSerializer()


class BrokenError(AssertionError):
    """A parser did not keep its contract."""


def hold(kept: bool, promise: str) -> None:
    """A promise, and whether it was kept."""
    if not kept:
        raise BrokenError(promise)


def result_of(result: Any) -> Any:
    """The content of a parse result that keeps the contract; None where the reply was refused."""
    if result["status"] == "success":
        hold("content" in result and "feedback" not in result, "a success has content and nothing else")
        return result["content"]
    hold(result["status"] == "error" and "content" not in result, "an error has no content")
    feedback = result["feedback"]
    hold(isinstance(feedback, str) and bool(feedback.strip()), "an error says what is wrong")
    hold(len(feedback) <= MAX_FEEDBACK, "feedback is no longer than what is shown to the model")
    return None


def sections(parser: Callable[[str], Any]) -> Callable[[str], None]:
    """Sections are pieces of the reply, and none is empty."""

    def check(text: str) -> None:
        content = result_of(parser(text))
        if content is None:
            return
        read = text.replace("\r\n", "\n").replace("\r", "\n")
        for part in [content] if isinstance(content, str) else content.values():
            hold(bool(part) and part == part.strip() and part in read, "a section is a piece of the reply")

    return check


def any_json(text: str) -> None:
    """A value is no deeper than what the trace and a checkpoint can hold, and is read back as it is."""
    content = result_of(json_parser(text))
    if content is None:
        return
    hold(depth_of(content) <= MAX_DEPTH, f"a value is nested {MAX_DEPTH} levels at most")
    written = json.dumps(content)
    again = json_parser(written)
    hold(
        again.get("status") == "success" and json.dumps(again.get("content")) == written, "what was read is read again"
    )


def typed_json(schema: Any) -> Callable[[str], None]:
    """A value of the schema's type is in the reply, or the feedback says what is wrong."""

    def check(text: str) -> None:
        result_of(json_parser(text, schema))

    return check


def depth_of(value: Any) -> int:
    """The levels of lists and objects."""
    level, depth = [value], 0
    while level := [item for item in level if isinstance(item, (dict, list))]:
        depth += 1
        level = [item for held in level for item in (held.values() if isinstance(held, dict) else held)]
    return depth


def payload(phase: Phase, check_action: Any = None) -> Callable[[str], None]:
    """An accepted payload can be written, read again to the same, and kept in a checkpoint."""

    def check(text: str) -> None:
        content = result_of(PayloadParser(phase, check_action)(text))
        if content is None:
            return
        # Without a check of actions nothing has held a thought's input to what can be kept.
        if phase != "thought" or check_action:
            _serde.loads_typed(_serde.dumps_typed(content))
        if "plan" in content:
            plan_issues(content["plan"], ["todo"])
            hold(sorted(in_order(content["plan"])) == list(range(len(content["plan"]))), "every step has its place")
        again = PayloadParser(phase, check_action)(as_json(content))
        hold(again["status"] == "success" and as_json(again["content"]) == as_json(content), "a payload is read again")

    return check


def can_be_kept(value: Any) -> None:
    """A checkpoint takes it."""
    _serde.dumps_typed(value)


def code(*names: str) -> Callable[[str], None]:
    """What is taken for code parses, and is taken again as it is."""

    def check(text: str) -> None:
        content = result_of(python_parser(text, names))
        if content is None:
            return
        ast.parse(content)
        if not {"`", "~", "\r"} & set(content):
            again = python_parser(f"```python\n{content}\n```", names).get("content")
            hold(again == content, "code that was read is read again")

    return check


def file_blocks(tag: str) -> Callable[[str], None]:
    """A name and a content, or neither; and a reply with both is no skip."""

    def check(text: str) -> None:
        name, content = parse_markdown_blocks(text, tag)
        hold((name is None) == (content is None), "a name and a content, or neither")
        found = parse_markdown_with_skip(text, tag)
        hold((found.file_name, found.file_content) == (name, content), "both functions find the same")
        hold(not (found.is_skipped and name), "a reply with both blocks is no skip")
        hold(found.is_skipped == bool(found.skip_reason) or not text.strip(), "a skip has a reason")
        if name and content:
            hold("\n" not in name and name == name.strip() and bool(content.strip()), "a name is one line")

    return check


def think(text: str) -> None:
    """Reasoning and reply are pieces of the text, and a text without tags is all reply."""
    reasoning, reply = split_think(text)
    hold(reasoning in text and reply in text, "nothing is made up")
    hold("<" in text or (not reasoning and reply == text), "a text without tags is the reply")


def fences(text: str) -> None:
    """Blocks are in order, apart, and inside the text."""
    end = 0
    for fence in find_fences(text):
        hold(end <= fence.start < fence.end <= len(text) and fence.start < fence.body_start, "blocks are in order")
        hold(fence.language == fence.language.strip() and isinstance(fence.body, str), "a block has a body")
        end = fence.end
