"""Items, quoted words and last lines of a section are its text, though they look like headers or rules."""

from __future__ import annotations

from typing import Any

import pytest
from thoughtgraph import multi_section_parser

PLAN, CODE = HEADERS = ["[Plan]", "[Code]"]


def read(reply: str, headers: list[str] = HEADERS) -> Any:
    """The content of a reply, or the feedback on it."""
    result: Any = multi_section_parser(reply, headers)
    return result["content"] if result["status"] == "success" else result["feedback"]


MARKS = ["- {}", "* {}", "+ {}", "• {}", "• {}: no", "▪ {}", "→ {}", "- [ ] {}", "  - {}", "> {}", "1. {}", "2) {}"]
MARKS += ["(3) {}", "a) {}", "① {}", "一、{}", "Step 2: {}", "1.1 {}", '"{}"', "“{}”", "`{}`", "| {} |", "<{}>", "({})"]


@pytest.mark.parametrize(("header", "gap"), [(PLAN, "\n"), (PLAN, "\n\n"), ("## Plan", "\n")])
@pytest.mark.parametrize("mark", MARKS)
def test_an_item_among_others_is_no_header(header: str, mark: str, gap: str) -> None:
    items = gap.join(mark.format(word) for word in ["Tests", "Code", "Docs"])
    assert "lacks these section headers: ['[Code]']" in read(f"{header}\nIt lacks:\n{items}")
    assert "lacks these section headers: ['[Code]']" in read(f"{header}\nIt lacks:\n{items}\nAnd so on.")


@pytest.mark.parametrize("mark", [mark for mark in MARKS if ": no" not in mark and "*" not in mark])
def test_a_mark_alone_makes_no_header_beside_one_in_brackets(mark: str) -> None:
    assert "lacks these section headers: ['[Code]']" in read(f"[Plan]\nOne:\n\n{mark.format('Code')}\n\nThat is it.")


@pytest.mark.parametrize("word", ['"Code"', "“Code”", "`Code`", "(Code)", "「Code」", '"Code":'])
@pytest.mark.parametrize("sentence", ["I will give\n{}\nlater.", "Well. So be it.\n{}\nis next.", "It is\n{}"])
def test_a_quoted_word_in_a_sentence_is_no_header(word: str, sentence: str) -> None:
    assert "lacks these section headers: ['[Code]']" in read(f"## Plan\n{sentence.format(word)}")


def test_an_item_below_a_number_is_no_header() -> None:
    assert "lacks these section headers: ['[Code]']" in read("## Plan\n1. Do\n   - Code\n2. Rest")


@pytest.mark.parametrize(
    "form", ["== {} ==", "__{}__:", "Step 1: **{}**", "{}\n---", "<b>{}</b>", "1. **{}**", "## {}"]
)
def test_what_is_plainly_a_header_is_one_beside_brackets(form: str) -> None:
    written = form.format("Code")
    assert read(f"[Plan]\n1. Make tea\n\n{written}\n1. It is so.") == {PLAN: "1. Make tea", CODE: "1. It is so."}


def test_a_section_does_not_end_at_an_item_of_a_list() -> None:
    text = "It lacks:\n• Tests\n• Code\n• Docs"
    assert read(f"Plan:\n{text}\n\nCode:\nx", ["Plan", "Code"]) == {"Plan": text, "Code": "x"}


CONTENT = [
    "-a\n+b\n+",
    "-a\n+b\n-",
    "- a\n+ b\n- c\n-",
    "*.pyc\n**",
    "x = 1\n#",
    "a\n>",
    "a: 1\nb:\n-",
    "text\n</body>",
    "text\n</code>",
    "---\na: 1",
    "---\na: 1\n\n---",
    "===\na",
    "a\n***",
    "Hi,\n\nBest,\n--",
    "a\n\n--",
    "Title\n~~~~~",
    "=====\nTitle\n=====\n\na",
]


@pytest.mark.parametrize(
    ("header", "text"),
    [*(("[Plan]", text) for text in CONTENT), *((header, CONTENT[0]) for header in ("**[Plan]**", "[Plan]:"))],
)
def test_the_first_and_last_line_of_a_section_stay(text: str, header: str) -> None:
    assert read(f"{header}\n{text}\n[Code]\nx") == {PLAN: text, CODE: "x"}
    assert read(f"[Code]\nx\n\n{header}\n{text}\n") == {PLAN: text, CODE: "x"}


def test_three_dashes_below_a_colon_are_content() -> None:
    assert read("Plan:\n---\na: 1\nCode:\nx") == {PLAN: "---\na: 1", CODE: "x"}


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("**Answer: 42**", "42"),
        ("### **Answer: 42**", "42"),
        ("1. **Answer: a b**", "a b"),
        ("*Answer: 42*", "42"),
        ("__Answer: 42__", "42"),
        ("`Answer: 42`", "42"),
        ("**Answer: 42**\n\nFor **that**", "42\n\nFor **that**"),
        ("**Answer:** it is **42**", "it is **42**"),
        ("**Answer:** **4** or 5", "**4** or 5"),
        ("**Answer**: 42", "42"),
        ("* Answer: 2*", "2*"),
        ("_Answer_: class_", "class_"),
        ("Answer: **42**", "**42**"),
        ("Answer: *.py", "*.py"),
        ("Answer: **kwargs", "**kwargs"),
        ("**Answer:** *args, **kwargs", "*args, **kwargs"),
        ("Answer: _private", "_private"),
        ("Answer: #fff", "#fff"),
        ("Answer: *p = 5;", "*p = 5;"),
        ("* Answer: *p = 5;", "*p = 5;"),
        ("**Answer: **42", "42"),
        ("Answer: **4** or 5", "**4** or 5"),
        ("Answer: *a* b", "*a* b"),
        ("Answer: `x = 1`", "`x = 1`"),
        ("Answer: ```py\nx\n```", "```py\nx\n```"),
    ],
)
def test_a_mark_goes_with_its_partner(reply: str, text: str) -> None:
    assert read(reply, ["Answer"]) == {"Answer": text}


def test_a_header_in_brackets_may_be_bold_with_its_text() -> None:
    assert read("**[Plan]: do it**\n**[Code]: x**") == {PLAN: "do it", CODE: "x"}


@pytest.mark.parametrize(
    "reply",
    [
        "<plan>do it</plan>\n<final_answer>4 < 42</final_answer>",
        "<Plan>do it</Plan> <Final Answer>4 < 42</Final Answer>",
        "<plan>\ndo it\n</plan>\n<final-answer>\n4 < 42\n</final-answer>\nDone.",
        "<plan>no</plan> Wait.\n<plan>do it</plan>\n<final_answer>4 < 42</final_answer>",
        "[plan]\ndo it\n[final_answer]\n4 < 42",
    ],
)
def test_sections_may_stand_in_tags_of_their_names(reply: str) -> None:
    assert read(reply, ["[Plan]", "[Final Answer]"]) == {"[Plan]": "do it", "[Final Answer]": "4 < 42"}


@pytest.mark.parametrize(
    "text", ["<pre><code>print(1)</code></pre>", "return '<code>a</code>'", "use <code>x</code> here"]
)
def test_tags_of_its_name_in_the_text_of_a_section_are_its_own(text: str) -> None:
    assert read(f"[Code]\n{text}", [CODE]) == {CODE: text}


def test_tags_in_the_text_of_a_section_are_its_own() -> None:
    reply = "[Plan]\nuse <plan>x</plan> here\n[Code]\n42"
    assert read(reply) == {PLAN: "use <plan>x</plan> here", CODE: "42"}
