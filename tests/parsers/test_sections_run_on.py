"""Sections as models write them when they hurry: on one line, in tags of their own, between a template's tokens."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.scripted import ScriptedModel
from thoughtgraph import multi_section_parser, think_with_retry

HEADERS = ["[Plan]", "[Answer]"]
WANTED = {"[Plan]": "Add.", "[Answer]": "4"}


def read(reply: str, headers: list[str] = HEADERS) -> Any:
    return multi_section_parser(reply, headers)


@pytest.mark.parametrize(
    "reply",
    [
        "[Plan] Add. [Answer] 4",
        "[Plan]: Add. [Answer]: 4",
        "**Plan:** Add. **Answer:** 4",
        "**[Plan]**: Add. **[Answer]**: 4",
        "【Plan】Add. 【Answer】4",
        "[Plan]\nAdd. [Answer]\n4",
    ],
)
def test_headers_on_one_line_part_the_text(reply: str) -> None:
    assert read(reply)["content"] == WANTED


def test_numbers_end_a_section_on_a_line_as_sentences_do() -> None:
    reply = "[Critique] It is right. [Score] 9 [Verdict] ACCEPT"
    wanted = {"[Critique]": "It is right.", "[Score]": "9", "[Verdict]": "ACCEPT"}
    assert read(reply, list(wanted))["content"] == wanted


@pytest.mark.parametrize(
    "reply",
    [
        "[Plan]\nI put the sum under [Answer] later.",
        "[Plan]\nFill in `x. [Answer]` first.",
        "[Plan]\nLike this:\n```\nx. [Answer] 4\n```",
        "[Plan]\nThe **answer** is 4. Answer me.",
    ],
)
def test_a_header_that_a_sentence_or_code_names_is_none(reply: str) -> None:
    assert "['[Answer]']" in read(reply)["feedback"]


def test_a_header_of_its_own_line_comes_before_one_in_a_text() -> None:
    assert read("[Plan]\nAdd. [Answer] is below.\n[Answer]\n4")["content"] == {
        **WANTED,
        "[Plan]": "Add. [Answer] is below.",
    }


def test_a_text_that_took_in_another_section_is_asked_for_again() -> None:
    """If it were kept, it would still hold the other section when that one came."""
    refused = read("[Plan] Add them [Answer] 4")
    assert "kept" not in refused
    assert refused["feedback"].endswith("like this:\n[Plan]\n...\n[Answer]\n...")
    model = ScriptedModel(replies=["[Plan] Add them [Answer] 4", "[Plan]\nAdd them\n[Answer]\n4"])
    assert think_with_retry(model, "2 + 2?", multi_section_parser, section_headers=HEADERS) == {
        "[Plan]": "Add them",
        "[Answer]": "4",
    }


@pytest.mark.parametrize(
    "reply",
    [
        "{}<|im_end|>",
        "{}\n<|im_end|>",
        "{}<|eot_id|>\n",
        "{}<end_of_turn>",
        "{}</s>",
        "{}<｜end▁of▁sentence｜>",
        "{}<|end|><|endoftext|>",
        "<|begin_of_box|>{}<|end_of_box|>",
        "<|im_start|>\n{}",
        "<think>Hm.</think><|begin_of_box|>{}<|end_of_box|>",
    ],
)
def test_tokens_of_a_chat_template_are_no_part_of_a_section(reply: str) -> None:
    assert read(reply.format("[Plan]\nAdd.\n[Answer]\n4"))["content"] == WANTED


@pytest.mark.parametrize("answer", ["ChatML ends with <|im_end|>", "`<|im_end|>`", "<|im_end|>", "a <b>", "x <|> y <|"])
def test_a_token_that_an_answer_is_about_stays(answer: str) -> None:
    assert read(f"[Plan]\nAdd.\n[Answer]\n{answer}")["content"] == {**WANTED, "[Answer]": answer}


@pytest.mark.parametrize(
    "reply", ["[Plan]Add.[/Plan]\n[Answer]4[/Answer]", "[Plan]\nAdd.\n[/plan]\n[Answer]\n4\n[/answer]"]
)
def test_a_closing_tag_in_the_headers_brackets_is_no_text(reply: str) -> None:
    assert read(reply)["content"] == WANTED


@pytest.mark.parametrize("text", ["see [/etc]", "It ends with [/Answer]", "[b]4[/b]"])
def test_another_tag_in_brackets_stays(text: str) -> None:
    assert read(f"[Plan]\nAdd.\n## Answer\n{text}")["content"]["[Answer]"] == text


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("1、", "2、"),
        ("（1）", "（2）"),
        ("(1) ", "(2) "),
        ("一、", "二、"),
        ("（一）", "（二）"),
        ("第一步：", "第二步："),
        ("①", "②"),
    ],
)
@pytest.mark.parametrize("between", ["：", "\n"])
def test_headers_are_numbered_as_in_chinese(first: str, second: str, between: str) -> None:
    reply = f"{first}计划{between}先加。\n{second}答案{between}4"
    assert read(reply, ["计划", "答案"])["content"] == {"计划": "先加。", "答案": "4"}


@pytest.mark.parametrize("nothing", ["\u200b", " \ufeff\n\u2060", "\u200b\n"])
def test_a_section_of_nothing_visible_is_empty(nothing: str) -> None:
    assert "are empty: ['[Plan]']" in read(f"[Plan]\n{nothing}\n[Answer]\n4")["feedback"]


@settings(deadline=None, max_examples=200)
@given(
    st.lists(
        st.sampled_from(
            ["[Plan]", "[Answer]", "[/Plan]", "<|im_end|>", "</s>", "**Answer:**", ". ", "\n", "```", "4", "、"]
        )
    )
)
def test_no_mix_of_these_marks_is_lost_or_raises(parts: list[str]) -> None:
    result: Any = multi_section_parser("".join(parts), HEADERS, match_mode="ANY")
    texts = list(result.get("content", {}).values())
    assert all(texts) if result["status"] == "success" else result["feedback"]
    assert sum(text.count("4") for text in texts) <= parts.count("4")


def test_a_megabyte_of_lines_is_read_at_once_in_regex_mode() -> None:
    """By far faster than line by line, which took more than three seconds."""
    started = time.process_time()
    result: Any = multi_section_parser("x\n" * 500_000 + "# Part 1\na\n# Part 2\nb", [r"# Part \d"], regex_mode=True)
    assert (time.process_time() - started) < 1.5
    assert result["content"] == {"# Part 1": "a", "# Part 2": "b"}


@settings(deadline=None, max_examples=200)
@given(st.lists(st.sampled_from(["# a", "# b", "x", "", "```", " # a\u200b", "\u200b", "~~~"])))
def test_regex_mode_takes_the_last_of_each_line(lines: list[str]) -> None:
    result: Any = multi_section_parser("\n".join(lines), ["# [ab]"], regex_mode=True, match_mode="ANY")
    keys = {re.sub("[\u200b ]+$|^ ", "", line) for line in lines}
    assert set(result.get("content", {})) <= keys & {"# a", "# b"}
