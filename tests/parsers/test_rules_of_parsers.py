"""Promises of the parsers that no test held them to until a mutant survived."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel
from support.scripted import ScriptedModel
from thoughtgraph import json_parser, multi_section_parser, pipe, python_parser
from thoughtgraph._internal.steps import run
from thoughtgraph.errors import ParserContractError
from thoughtgraph.nodes.reflection.critique import critique_steps
from thoughtgraph.parsers import parse_markdown_blocks, parse_markdown_with_skip
from thoughtgraph.parsers.code_forms import MAX_CODE

ADD = "def add(a, b):\n    return a + b"


def block(body: str, tag: str = "python") -> str:
    """A fenced block."""
    return f"```{tag}\n{body}\n```"


def code(*blocks: str, names: tuple[str, ...] = ("add",)) -> dict[str, Any]:
    """What is taken out of a reply with these blocks."""
    result: Any = python_parser("\n\nAnd:\n\n".join(blocks), names)
    return result


@pytest.mark.parametrize("fenced", [True, False], ids=["fenced", "bare"])
def test_code_is_read_up_to_its_limit_and_refused_beyond_it(fenced: bool) -> None:
    body = ADD + "\n#" + "x" * (MAX_CODE - len(ADD) - 2)
    assert len(body) == MAX_CODE
    shown = block if fenced else str
    assert code(shown(body))["status"] == "success"
    refused = code(shown(body + "x"))
    assert refused["status"] == "error"
    assert ("longer than 50,000" if fenced else "no code") in refused["feedback"]


def test_a_block_of_nothing_is_no_code() -> None:
    assert "no code" in code(block("\n  \n"), names=())["feedback"]
    assert code(block(ADD), block("\n"), names=())["content"] == ADD


BROKEN = "def add(a, b):\n      return (a b)\nx = 1"
OTHER = "def sub(a, b):\n    return a - b"


def test_the_line_that_does_not_parse_is_shown_without_its_indentation() -> None:
    assert "line 2: `return (a b)`" in code(block(BROKEN))["feedback"]


def test_of_several_broken_blocks_the_last_is_spoken_of() -> None:
    assert "`return (a b)`" in code(block("def add(:"), block(BROKEN))["feedback"]
    assert "`return (a b)`" in code(block("def add(:"), block(OTHER), block(BROKEN), block(OTHER))["feedback"]


def test_what_is_used_and_defined_elsewhere_is_put_in_front() -> None:
    uses = "def add(a, b):\n    return a + b + LIMIT"
    assert code(block("LIMIT = 3"), block(uses))["content"] == f"LIMIT = 3\n\n{uses}"


def test_what_a_block_only_assigns_itself_is_not_fetched_from_another() -> None:
    own = "def add(a, b):\n    total = a + b\n    return a + b"
    assert code(block("total = 0"), block(own))["content"] == own


def test_an_earlier_version_of_what_was_wanted_is_a_helper_only_for_what_nothing_else_has() -> None:
    first, second = "LIMIT = 3\n\ndef add(a, b):\n    return a", "def add(a, b):\n    return a + b + LIMIT"
    assert code(block(first), block(second))["content"] == f"{first}\n\n{second}"
    limit = "LIMIT = 4"
    assert code(block(first), block(limit), block(second))["content"] == f"{limit}\n\n{second}"
    own = second.replace("LIMIT", "0")
    assert code(block(first), block(own))["content"] == own


@pytest.mark.parametrize("value", ["lambda a, b: a + b", "plus", "operator.add"])
def test_a_name_for_something_that_can_be_called_goes_before_a_result(value: str) -> None:
    assert code(block(f"add = {value}"), block("add = 1 + 2"))["content"] == f"add = {value}"


def test_assignments_to_more_than_a_name_are_read_past() -> None:
    body = f"{ADD}\nfirst, second = add, add\nadd.note = add"
    assert code(block(body))["content"] == body


def test_a_fence_of_another_language_is_not_where_code_begins() -> None:
    body = 'def add(a, b):\n    """Add.\n\n    ```\n    add(1, 2)\n    ```\n    """\n    return a + b'
    assert code(block("pip install add", "bash"), block(body))["content"] == body


def test_a_check_with_an_unknown_status_breaks_its_contract_even_with_feedback() -> None:
    def odd(_: Any) -> Any:
        return {"status": "maybe", "feedback": "Who knows?"}

    with pytest.raises(ParserContractError, match="maybe"):
        pipe(multi_section_parser, odd)("=====\nresult")


class Plan(BaseModel):
    """What a reply has to hold."""

    goal: str
    steps: list[str]


def test_a_reply_without_json_is_told_the_fields_of_the_schema_where_it_has_any() -> None:
    assert "Its fields are: goal, steps." in str(json_parser("I would rather not.", Plan).get("feedback"))
    assert "fields" not in str(json_parser("I would rather not.", list[int]).get("feedback"))


def test_a_section_that_is_missing_is_not_called_empty_as_well() -> None:
    told = str(multi_section_parser("[Plan]\nGo.\n[Note]\n", ["[Plan]", "[Note]", "[Answer]"]).get("feedback"))
    assert "Your reply lacks these section headers: ['[Answer]']." in told
    assert "These sections of your reply are empty: ['[Note]']." in told


def test_a_section_ends_where_an_earlier_version_of_another_begins() -> None:
    reply = "[Answer]\nYes.\n```\n[Plan]\n```\nReally.\n[Plan]\nOld.\n[Plan]\nNew."
    content: Any = multi_section_parser(reply, ["[Plan]", "[Answer]"]).get("content")
    assert content == {"[Plan]": "New.", "[Answer]": "Yes.\n```\n[Plan]\n```\nReally."}


def test_a_file_that_was_cut_behind_a_whole_block_of_its_own_is_kept_to_its_end() -> None:
    reply = "```path\nnotes.md\n```\n```markdown\n# Notes\n\n```\nrun it\n```\n\nThe rest"
    assert parse_markdown_blocks(reply, "markdown") == ("notes.md", "# Notes\n\n```\nrun it\n```\n\nThe rest")


def test_a_skip_without_a_reason_is_told_by_the_beginning_of_the_reply() -> None:
    reason = parse_markdown_with_skip("SKIPPED\n" + "x" * 900, "python").skip_reason
    assert reason is not None
    assert len(reason) == 500


def test_a_critique_that_is_cut_off_twice_is_neither_acceptance_nor_rejection() -> None:
    critic = ScriptedModel(replies=["[Critique]\nIt is"] * 2, finish_reason="length")
    critique = run(critique_steps(critic, "Count.", "", "1 2 3"))
    assert (critique.accepted, critique.score) == (None, 0.0)
    assert "cut off" in critique.feedback
