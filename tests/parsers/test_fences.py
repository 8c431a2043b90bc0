"""Fenced blocks by CommonMark's rules, held against markdown-it-py."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from thoughtgraph._internal.fences import Fenced, find_fences

steady = settings(deadline=None)  # a shared machine is no reason to fail

MARKDOWN = MarkdownIt("commonmark")
INDENTS = st.sampled_from(["", " ", "  ", "   "])
TEXT = st.sampled_from(["word", "x = 1", "two words", "a ``` b", "`code`", "", "  indented a little", "=====", "~~ ~"])
marks = st.one_of(st.integers(3, 6).map("`".__mul__), st.integers(3, 6).map("~".__mul__))
INFO = st.sampled_from(["", "python", " python", "md title", "json ", "c++", "结果", "a~b"])
fence_lines = st.builds(lambda indent, mark, info: indent + mark + info, INDENTS, marks, INFO)
bare_fences = st.builds(lambda indent, mark, end: indent + mark + end, INDENTS, marks, st.sampled_from(["", " ", "\t"]))
documents = st.lists(st.one_of(TEXT, fence_lines, bare_fences), max_size=14).map("\n".join)
"""Fences and paragraphs; no lists, quotes, indented code or HTML, in which the scanner takes its liberties."""


@settings(steady, max_examples=500)
@given(document=documents, end=st.sampled_from(["", "\n", "\n\n"]))
@example(document="```\n````\n```", end="")
@example(document="~~~\n```\nx\n~~~\n```\n", end="")
@example(document="  ```py\n    x\n  y\n z\n   ```", end="")
def test_the_blocks_are_those_that_markdown_it_finds(document: str, end: str) -> None:
    text = document + end
    found = [(fence.info, fence.body) for fence in find_fences(text)]
    tokens = [token for token in MARKDOWN.parse(text) if token.type == "fence" and token.level == 0]
    assert found == [(token.info.strip(), token.content.removesuffix("\n")) for token in tokens]


@steady
@given(document=documents, end=st.sampled_from(["", "\n", "\n\n"]))
@example(document="```json\nx\n```\ny", end="")
def test_the_blocks_are_the_same_whatever_ends_a_line(document: str, end: str) -> None:
    plain = find_fences(document + end)
    other = find_fences((document + end).replace("\n", "\r\n"))
    assert [(one.info, one.closed) for one in other] == [(one.info, one.closed) for one in plain]
    bodies = [one.body.replace("\r\n", "\n").removesuffix("\r") for one in other]
    assert bodies == [one.body for one in plain]


@steady
@given(document=documents)
def test_blocks_are_in_order_apart_and_within_the_text(document: str) -> None:
    fences = find_fences(document)
    edges = [edge for fence in fences for edge in (fence.start, fence.end)]
    assert edges == sorted(edges)
    assert all(fence.start < fence.body_start <= fence.end <= len(document) for fence in fences if fence.closed)
    assert all(fence.closed for fence in fences[:-1]), "only the last block can be open"


@steady
@given(document=documents, last=st.integers(1, 4))
def test_the_last_blocks_alone_are_the_end_of_all_of_them(document: str, last: int) -> None:
    every = [(fence.start, fence.end) for fence in find_fences(document)]
    assert [(fence.start, fence.end) for fence in find_fences(document, last=last)] == every[-last:]


@steady
@given(document=documents)
def test_every_offset_knows_the_block_around_it(document: str) -> None:
    fences = find_fences(document)
    fenced = Fenced(fences)
    for offset in range(len(document)):
        assert fenced.around(offset) is next((fence for fence in fences if fence.start <= offset < fence.end), None)


@steady
@given(body=st.lists(TEXT, min_size=1, max_size=5).map("\n".join), depth=st.integers(0, 12))
def test_a_block_may_be_indented_by_any_amount(body: str, depth: int) -> None:
    """As in list items; its text comes without the indentation."""
    shown = "\n".join(" " * depth + line for line in f"```py\n{body}\n```".split("\n"))
    (fence,) = find_fences(f"1. Do this:\n\n{shown}\n\nDone.")
    assert (fence.language, fence.body, fence.closed) == ("py", body, True)


def test_a_block_that_is_never_closed_ends_with_the_text_and_says_so() -> None:
    text = "Look:\n```python\nx = 1\n\ny = 2"
    (fence,) = find_fences(text)
    assert (fence.body, fence.closed, fence.end) == ("x = 1\n\ny = 2", False, len(text))


def test_a_longer_fence_holds_shorter_ones() -> None:
    (fence,) = find_fences("````markdown\n```python\nx\n```\n````")
    assert (fence.language, fence.body) == ("markdown", "```python\nx\n```")


def test_a_language_is_the_first_word_in_lower_case() -> None:
    (fence,) = find_fences("``` Python title=x\n1\n```")
    assert (fence.info, fence.language) == ("Python title=x", "python")


@pytest.mark.parametrize("words", ["Here it is: ", "so:", "**Code** ", "1. ", "- ", "代码："])
@pytest.mark.parametrize("indent", ["", "   "])
def test_a_block_with_a_language_may_open_behind_words(words: str, indent: str) -> None:
    body = "def f():\n    return 1"
    inner = "".join(f"{indent}{line}\n" for line in body.split("\n"))
    text = f"{words}```python\n{inner}{indent}```\nThat is all."
    (fence,) = find_fences(text)
    assert (fence.language, fence.body, fence.closed) == ("python", body, True)
    assert (text[: fence.start], text[fence.end :]) == (words.rstrip(), "\nThat is all.")


@pytest.mark.parametrize("line", ['P = """```python', "a ```", "a ```b c", "a ```b```", "a ~~~b", "(```b"])
def test_other_fences_behind_words_open_nothing(line: str) -> None:
    assert find_fences(f"{line}\nx\n") == []


@steady
@given(text=st.text(st.sampled_from("`~ \t\n\r\x00ax\u2028"), max_size=60))
def test_any_text_is_read(text: str) -> None:
    for fence in find_fences(text):
        assert fence.body.rstrip("\n") in text or " " in text or "\t" in text
        assert fence.start < fence.end <= len(text)


def test_hostile_texts_are_read_to_their_end() -> None:
    for text in (
        "```\n" * 50_000,
        "`" * 200_000,
        "~~~\n" + "```\n" * 50_000,
        ("`" * 99 + "\n") * 2_000,
        " " * 200_000,
        "a```b" * 50_000,
        ("a" + " " * 99) * 2_000,
        "a ```b\n" * 50_000,
    ):
        assert find_fences(text + "\nx") is not None
    growing = "\n".join("`" * (3 + number) for number in range(600))
    assert sum(fence.closed for fence in find_fences(growing)) == 300
