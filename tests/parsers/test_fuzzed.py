"""What the torture found in parsers, and properties over hostile texts that no other test has."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.tools import StructuredTool
from pydantic import BaseModel
from thoughtgraph import ContextGraph, json_parser, python_parser
from thoughtgraph._internal.strict_json import deeper_than
from thoughtgraph.errors import CommandError, RunFileError, SearchError
from thoughtgraph.models.retry import MAX_FEEDBACK
from thoughtgraph.nodes.plan_act.plans.payloads import PayloadParser
from thoughtgraph.nodes.reflection.critique import critique_parser
from thoughtgraph.parsers import parse_markdown_with_skip
from thoughtgraph.parsers.json.mending import mended
from thoughtgraph.tools.agenda import Agenda
from thoughtgraph.tools.calls.action_check import action_check
from thoughtgraph.tools.search.bing import read_results

pytestmark = pytest.mark.slow

steady = settings(deadline=None)  # a shared machine is no reason to fail


class Plan(BaseModel):
    """A usual schema."""

    goal: str
    steps: list[str]


def nested(depth: int) -> str:
    """A JSON list of so many levels."""
    return "[" * depth + "1" + "]" * depth


def looks(text: str, read: Callable[[], object]) -> int:
    """How many lines of Python it takes to read a text: a time that no other process can lengthen."""
    count = 0

    def counted(frame: Any, event: str, argument: Any) -> Any:
        nonlocal count
        count += 1
        return counted

    before = sys.gettrace()
    sys.settrace(counted)
    try:
        read()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize(("depth", "status"), [(100, "success"), (101, "error"), (400, "error"), (980, "error")])
def test_json_that_the_trace_could_not_write_again_is_refused(depth: int, status: str) -> None:
    result: Any = json_parser(f"Here: {nested(depth)}")
    assert result["status"] == status
    assert status == "success" or "nested deeper than 100 levels" in result["feedback"]


def test_of_two_values_the_one_that_is_not_too_deep_is_taken() -> None:
    assert json_parser(f'{{"a": 1}} {nested(200)}').get("content") == {"a": 1}


@pytest.mark.parametrize("field", ["next_action", "thought", "response", "question"])
def test_a_payload_is_never_deeper_than_what_can_be_kept(field: str) -> None:
    result: Any = PayloadParser("thought")(f'{{"status": "continue", "{field}": {{"tool": {nested(300)}}}}}')
    assert result["status"] == "error"


@steady
@given(leaves=st.integers(0, 8), depth=st.integers(0, 40))
def test_depth_is_that_of_the_deepest_part(leaves: int, depth: int) -> None:
    value: Any = 1
    for level in range(depth):
        value = {"a": value, **{str(leaf): [] for leaf in range(leaves)}} if level % 2 else [value, *[1] * leaves]
    assert not deeper_than(depth, value)
    assert depth == 0 or deeper_than(depth - 1, value)


@pytest.mark.parametrize("reply", ['[]"goal"None0{"kind": "cat", "lives": 12}\x0b,}”],｛"```json\n{}```json\n'])
def test_a_heap_of_brackets_is_a_parse_error(reply: str) -> None:
    assert json_parser(reply, dict[str, float]).get("status") == "error"


@pytest.mark.parametrize("piece", ['{"', '{"a"', '{("', '[" ', "{,", '{1#]"a"', "{'"])
def test_mending_takes_time_that_grows_with_the_text_alone(piece: str) -> None:
    short, long = (looks(text, lambda text=text: mended(text)) for text in (piece * 150, piece * 600))
    assert long < 8 * short


@pytest.mark.parametrize("size", [20, 200])
def test_a_usual_slip_is_mended_in_a_reply_of_any_usual_size(size: int) -> None:
    value = {"steps": [{"name": f'step "{number}"', "n": [number]} for number in range(size)]}
    assert mended(json.dumps(value)[:-2] + ",]}") == value


def test_what_was_mended_is_plain_json() -> None:
    value: Any = mended("{'a': ['b', {c: 1},]}")
    assert value == {"a": ["b", {"c": 1}]}
    assert {type(name) for name in value} == {type(value["a"][0])} == {str}


@pytest.mark.parametrize(
    ("schema", "reply"),
    [
        (dict[str, int], json.dumps({"k" * 50_000: "x"})),
        (dict[str, int], json.dumps({"k" * 500 + str(number): "x" for number in range(50)})),
        (Plan, json.dumps({"goal": ["x" * 5_000] * 100, "steps": "y" * 50_000})),
    ],
    ids=["a long key", "many keys", "long values"],
)
def test_feedback_is_short_enough_to_be_shown_whole(schema: Any, reply: str) -> None:
    result: Any = json_parser(reply, schema)
    assert len(result["feedback"]) <= MAX_FEEDBACK
    assert result["feedback"].endswith("Write the whole corrected JSON again in a ```json block.")


@pytest.mark.parametrize("where", ["score", "verdict"])
def test_a_page_of_accents_is_no_score_and_no_verdict(where: str) -> None:
    """Unicode's normal form of so many takes minutes."""
    page = "\u0301\u0316" * 200_000
    said = {"score": "7", "verdict": "REVISE", where: page}
    result: Any = critique_parser(f"[Critique]\nno\n[Score]\n{said['score']}\n[Verdict]\n{said['verdict']}")
    assert result["status"] == "error"
    assert len(result["feedback"]) < MAX_FEEDBACK


def test_an_acceptance_with_a_page_behind_it_is_none() -> None:
    """What denies it may stand at its end."""
    reply = f"[Critique]\nok\n[Score]\n9\n[Verdict]\nACCEPT{' well' * 500} but only once it is mended"
    assert critique_parser(reply).get("status") == "error"


@pytest.mark.parametrize("block", ["```python\n```", "```\n\n \n```", "```python\n\n```\nand\n```python\n```"])
def test_an_empty_block_is_no_code(block: str) -> None:
    assert python_parser(f"Here:\n{block}\n").get("status") == "error"


def test_an_empty_block_behind_the_code_does_not_replace_it() -> None:
    assert python_parser("```python\nx = 1\n```\n\n```\n\n```").get("content") == "x = 1"


def test_a_skip_with_windows_line_ends_has_a_clean_reason() -> None:
    assert parse_markdown_with_skip("SKIPPED: nothing to do\r\nBye\r\n", "markdown").skip_reason == "nothing to do"


@pytest.mark.parametrize("part", ["title", "link"])
def test_a_page_with_a_number_that_python_cannot_read_is_a_search_error(part: str) -> None:
    number = f"&#{'9' * 5_000};"
    title, link = (number, "/") if part == "title" else ("title", f"/{number}")
    with pytest.raises(SearchError, match="not a page of results"):
        read_results(f'<li class="b_algo"><h2><a href="http://a.b{link}">{title}</a></h2></li>', "owls", 3)


def keep(items: list[dict[str, Any]]) -> str:
    """Keep items."""
    return str(items)


@pytest.mark.parametrize("fields", [{"items": [{"\ud800": 1}]}, {"items": [], "\udfff": 1}], ids=["inside", "beside"])
def test_an_action_with_half_a_character_in_a_name_is_refused(fields: dict[str, Any]) -> None:
    """No checkpoint could keep it."""
    check = action_check({"keep": StructuredTool.from_function(keep)})
    assert "half a character" in str(check({"tool": "keep", "input": fields}))


@pytest.mark.parametrize("way", ["file", "document"])
@pytest.mark.parametrize("depth", [301, 900, 5_000])
def test_a_run_that_no_export_could_write_is_refused(tmp_path: Path, way: str, depth: int) -> None:
    event = {"version": 1, "id": "r:0", "run_id": "r", "seq": 0, "kind": "goal", "time": "", "links": [], "data": {}}
    line = json.dumps(event).replace('"data": {}', f'"data": {{"task": {nested(depth)}}}')
    file = tmp_path / "run.jsonl"
    file.write_text(line + "\n")
    with pytest.raises(RunFileError):
        ContextGraph.from_run(file if way == "file" else f'{{"events": [{line}]}}')


@steady
@given(text=st.text(st.sampled_from("{}[]\"':,a1 \n\\(`“：｛/*#.-"), max_size=60))
def test_whatever_is_mended_is_written_and_read_again(text: str) -> None:
    value = mended(text)
    assert value is None or json.loads(json.dumps(value)) == value or "NaN" in text


@pytest.mark.parametrize("words", ["ad", "ah", "anh", "1d ah", "aday"])
def test_an_article_that_runs_into_its_unit_is_no_duration(words: str) -> None:
    agenda = Agenda(":memory:", language="en")
    with agenda, pytest.raises(CommandError):
        agenda.run(f"/schedule add lunch --at tomorrow 12:00 --for {words}")
