"""Malformed replies, most of them from small models, held against what a careful reader would take from them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel, create_model
from support.paths import TESTS
from thoughtgraph.parsers.chain_of_thought import chain_of_thought_parser
from thoughtgraph.parsers.code import python_parser
from thoughtgraph.parsers.contract import Parser
from thoughtgraph.parsers.json.reply import json_parser
from thoughtgraph.parsers.markdown_blocks import parse_markdown_with_skip
from thoughtgraph.parsers.sections import multi_section_parser
from thoughtgraph.parsers.wrapping import split_think

Entry = dict[str, Any]

TYPES: dict[str, Any] = {"int": int, "float": float, "str": str, "bool": bool, "list[str]": list[str]}
PARSERS: dict[str, Parser] = {
    "multi_section_parser": multi_section_parser,
    "json_parser": json_parser,
    "python_parser": python_parser,
    "chain_of_thought_parser": chain_of_thought_parser,
}
CORPUS: list[Entry] = [
    json.loads(line) for line in (TESTS / "corpus" / "replies.jsonl").read_text(encoding="utf-8").split("\n") if line
]


def schema(fields: dict[str, str]) -> type[BaseModel]:
    """A pydantic model with these required fields."""
    return create_model("Reply", **{name: (TYPES[kind], ...) for name, kind in fields.items()})


def check_file(entry: Entry) -> None:
    """The file name, both ends of the content, and whether the model skipped."""
    wanted = entry["wanted"]
    parsed = parse_markdown_with_skip(entry["reply"], **entry["kwargs"])
    assert (parsed.file_name, parsed.is_skipped) == (wanted["file_name"], wanted["is_skipped"])
    if wanted["content_starts"] is None:
        assert parsed.file_content is None
        return
    assert parsed.file_content is not None
    assert parsed.file_content.startswith(wanted["content_starts"])
    assert parsed.file_content.endswith(wanted["content_ends"])


def check_think(entry: Entry) -> None:
    """The reasoning and the reply, both whole."""
    assert split_think(entry["reply"]) == (entry["wanted"]["reasoning"], entry["wanted"]["reply"])


def check_result(entry: Entry) -> None:
    """The status, and the content or what the feedback has to name."""
    wanted = entry["wanted"]
    kwargs = dict(entry["kwargs"])
    if "fields" in kwargs:
        kwargs["schema"] = schema(kwargs.pop("fields"))
    result: Any = PARSERS[entry["parser"]](entry["reply"], **kwargs)
    assert result["status"] == wanted["status"], result
    if wanted["status"] == "error":
        assert [word for word in wanted["feedback_mentions"] if word not in result["feedback"]] == [], result
        return
    content = result["content"]
    if isinstance(content, BaseModel):
        content = content.model_dump()
    if "content" in wanted:
        assert content == wanted["content"]
    contains = wanted.get("contains", [])
    if isinstance(contains, dict):
        assert set(content) == set(contains)
        assert {key: part for key, parts in contains.items() for part in parts if part not in content[key]} == {}
        parts = []
    else:
        parts = contains
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    assert [part for part in parts if part not in text] == []
    assert [part for part in wanted.get("lacks", []) if part in text] == []


@pytest.mark.parametrize("entry", [pytest.param(entry, id=entry["id"]) for entry in CORPUS])
def test_reply(entry: Entry) -> None:
    """The parser takes from the reply what a careful reader would."""
    checks = {"parse_markdown_with_skip": check_file, "split_think": check_think}
    checks.get(entry["parser"], check_result)(entry)


def test_corpus_is_large_and_mostly_real() -> None:
    """At least 60 replies under distinct ids, at least 40 of them from real models."""
    assert len({entry["id"] for entry in CORPUS}) == len(CORPUS) >= 60
    assert sum(entry["source"] != "handwritten" for entry in CORPUS) >= 40
