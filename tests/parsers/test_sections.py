"""Sections under headers: tolerant of what real models write, exact in what they miss (rows T5 and T6)."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from thoughtgraph import multi_section_parser

steady = settings(deadline=None)  # a shared machine is no reason to fail

HEADERS = ["[Plan]", "[Next Steps]", "[Answer]", "【结论】"]
PLAN, STEPS, ANSWER = HEADERS[:3]

WORDS = [
    "alpha",
    "beta:",
    "1.",
    "- item",
    "x = 1",
    "{}",
    "**bold**",
    "# of things",
    "a_b",
    "…",
    "结果",
    "> said",
    "(c)",
]
lines = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
bodies = st.lists(st.one_of(lines, st.just("")), min_size=1, max_size=5).map("\n".join).map(str.strip).filter(bool)
contents = st.fixed_dictionaries(dict.fromkeys(HEADERS, bodies))
"""Header → text, in which nothing looks like a header."""


def render(content: dict[str, str]) -> str:
    """The plain form that prompts ask for."""
    return "\n\n".join(f"{header}\n{text}" for header, text in content.items())


def parsed(reply: str, headers: list[str] = HEADERS, **options: Any) -> Any:
    """The content of a reply that must parse."""
    result: Any = multi_section_parser(reply, headers, **options)
    assert result["status"] == "success", result
    return result["content"]


def feedback(reply: str, headers: list[str] | None, **options: Any) -> str:
    """The feedback on a reply that must not parse."""
    result: Any = multi_section_parser(reply, headers, **options)
    assert result["status"] == "error", result
    assert "content" not in result
    return result["feedback"]


@steady
@given(content=contents)
def test_what_was_rendered_is_read_back_and_renders_the_same(content: dict[str, str]) -> None:
    read = parsed(render(content))
    assert read == content
    assert render(parsed(render(read))) == render(read)


@steady
@given(content=contents, order=st.permutations(HEADERS), preamble=st.sampled_from(["", "Sure!\n\n", "# Reply\n"]))
def test_neither_order_nor_preamble_matters(content: dict[str, str], order: list[str], preamble: str) -> None:
    assert parsed(preamble + render({header: content[header] for header in order})) == content


@steady
@given(content=contents, ends=st.sampled_from(["\n", "\r\n"]), space=st.sampled_from(["", " ", "   ", "\t"]))
def test_line_ends_and_stray_space_do_not_matter(content: dict[str, str], ends: str, space: str) -> None:
    reply = "\n\n".join(f"{space}{header}{space}\n{text}" for header, text in content.items())
    assert parsed(reply.replace("\n", ends)) == content


def bare(header: str) -> str:
    """A header without its brackets."""
    return header.strip("[]【】")


VARIANTS = {
    "bold": lambda h: f"**{h}**",
    "bold colon inside": lambda h: f"**{h}:**",
    "bold colon outside": lambda h: f"**{h}**:",
    "heading": lambda h: f"## {h}",
    "deep bold heading": lambda h: f"#### **{h}**",
    "lower case": str.lower,
    "upper case": str.upper,
    "colon": lambda h: f"{h}:",
    "full-width colon": lambda h: f"{h}：",
    "numbered": lambda h: f"1. {h}",
    "numbered heading": lambda h: f"## 2) {h}",
    "step": lambda h: f"Step 3: {h}",
    "bullet": lambda h: f"- {h}",
    "quote": lambda h: f"> {h}",
    "emoji": lambda h: f"🚀 {h}",
    "padded brackets": lambda h: f"{h[0]} {h[1:-1]} {h[-1]}",
    "no brackets, bold": lambda h: f"**{bare(h)}**",
    "no brackets, heading": lambda h: f"### {bare(h)}",
    "no brackets, colon": lambda h: f"{bare(h)}:",
    "two spaces": lambda h: h.replace(" ", "  "),
}
CLEAN = dict(zip(HEADERS, ["Look around.\n\n1. Left\n2. Right", "Go on.", "It is 42.", "行。"], strict=True))


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
@pytest.mark.parametrize("inline", [False, True], ids=["below", "beside"])
def test_a_decorated_header_equals_the_plain_one(variant: Any, inline: bool) -> None:
    """With its text below; and where the header can be told from prose, with its text beside it."""
    written = [variant(header) for header in HEADERS]
    if inline and not all(re.search(r"[\]】:：]", header) for header in written):
        return
    between = " " if inline else "\n"
    assert parsed("\n\n".join(f"{h}{between}{t}" for h, t in zip(written, CLEAN.values(), strict=True))) == CLEAN


WRITTEN = ["Plan", "plan", "PLAN", "Plan:", "**Plan**", "**Plan:**", "## Plan", "1. Plan", "# **1. Plan**", "[Plan]"]


@pytest.mark.parametrize(
    ("asked", "written"),
    [*product(["Plan"], WRITTEN), *product(["Plan:", "**Plan**", "## Plan", " Plan "], ["Plan", "# **1. Plan**"])],
)
def test_a_header_without_brackets_is_as_tolerant(asked: str, written: str) -> None:
    assert parsed(f"{written}\nLook.", [asked]) == {asked: "Look."}


@pytest.mark.parametrize(
    "header",
    [
        *("1. Plan", "Step 1", "Step 1:", "Part 2", "2) Plan", "## 1. Plan", "[Step 1] Look", "[Plan] (short)"),
        *("🚀 Launch", "`Plan`", "- Plan", "--- Plan ---", "=== Plan ===", "<plan>", "C++", "Q&A:", "Plan (short)"),
        *("[1]", "Übersicht", "计划：", "What? Why?", "a.b*c", "Plan/Answer"),
    ],
)
@pytest.mark.parametrize("form", ["{}", "{}:", "**{}**"])
def test_a_header_is_found_where_it_stands_as_it_was_asked_for(header: str, form: str) -> None:
    """The feedback shows the model this very line; a model that copies it must get through."""
    written = form.format(header.rstrip(":：")) if form == "{}:" else form.format(header)
    assert parsed(f"{written}\nLook.", [header]) == {header: "Look."}


LONELY = ["1. {}", "2) {}:", "• {}:", "• {}", "1.1 {}", "(1) {}", "II. {}", "a) {}:", "① {}", "一、{}", "第一步：{}"]
LONELY += [
    "Step 1: **{}**",
    "Step 1 - {}",
    "Section 1 – {}",
    "Phase 2: {}",
    "Part: {}",
    "__{}__:",
    "__{}__",
    "**1.** {}",
]
LONELY += [
    "== {} ==",
    "--- {} ---",
    "## {} ##",
    "<b>{}</b>",
    "<{}>",
    "({})",
    "「{}」",
    '"{}"',
    "“{}”",
    "`{}`",
    "| {} |",
]
LONELY += [
    "▶ {}:",
    "◆ {}",
    "· {}",
    "— {}:",
    "{} —",
    "{} :-",
    "{}::",
    "~~{}~~",
    "// {}",
    "{} =>",
    "[ {} ]",
    "*** {} ***",
]
LONELY += ["{}\n----", "{}\n====", "{}:\n-----", "## {}\n---", "-----\n{}\n-----", "\n\n=====\n{}\n====="]


@pytest.mark.parametrize(
    ("form", "end"), [*((form, "\n") for form in LONELY), *((LONELY[0], end) for end in ("\r\n", "\r"))]
)
@pytest.mark.parametrize("asked", [["Plan", "Next Steps"], ["[Plan]", "[Next Steps]"]], ids=["bare", "brackets"])
def test_a_line_of_a_name_and_decoration_is_a_header(form: str, asked: list[str], end: str) -> None:
    reply = "\n\n".join(f"{form.replace('{}', bare(header))}\nThe text." for header in asked)
    assert parsed(f"Sure!\n\n{reply}".replace("\n", end), asked) == dict.fromkeys(asked, "The text.")


@pytest.mark.parametrize(
    "text",
    [
        *(
            "We take Action: now.",
            "a (see Action)",
            "(Action) is next",
            '"Action": "x"',
            "| Action | Cost |",
            "Actions",
        ),
        *(
            "```\nAction\n```",
            "Step 2: Action is due",
            "Action, then",
            "The Action\n---",
            "</Action>",
            "Action?",
            "x == Action ==",
        ),
    ],
)
def test_a_name_in_running_text_is_no_header(text: str) -> None:
    for headers in (["Plan", "Action"], ["[Plan]", "[Action]"]):
        assert headers[1] in feedback(f"Plan:\nGo.\n{text}\nOn.", headers).splitlines()[0]
    assert "['[Action]']" in feedback("[Plan]\nGo.\nAction\nOn.", ["[Plan]", "[Action]"]), "it has no decoration"


@pytest.mark.parametrize("text", ["plan", "(plan)", "- Plan", "== Plan =="])
def test_decoration_makes_no_second_header_beside_the_one_that_was_asked_for(text: str) -> None:
    assert parsed(f"[Plan]\na\n[Answer]\n{text}", [PLAN, ANSWER]) == {PLAN: "a", ANSWER: text}


JUNK = {
    "rules": ("a\n\n---", "a"),
    "several": ("a\n\n***\n\n_____\n", "a"),
    "a bullet": ("- a\n- b\n-", "- a\n- b"),
    "an item below a rule": ("- a\n- b\n-\n\n---", "- a\n- b"),
    "a fence that closes nothing": ("a\n```", "a"),
    "a closing tag": ("a\n</Plan>", "a"),
    "a rule above": ("-----\na", "a"),
}
CONTENT = [
    "-",
    "+",
    "- a",
    "a\n---",
    "---\nkey: v\n---",
    "---\nkey: v\n---\na",
    "```\na\n```",
    "<p>\na\n</p>",
    "a\n\n--- b",
]


@pytest.mark.parametrize(("text", "left"), JUNK.values(), ids=JUNK)
def test_what_parts_sections_is_no_part_of_their_text(text: str, left: str) -> None:
    assert parsed(f"[Answer]\nYes.\n\n[Plan]\n{text}", [PLAN, ANSWER]) == {PLAN: left, ANSWER: "Yes."}
    if "```" not in text:
        assert parsed(f"[Plan]\n{text}\n\n[Answer]\nYes.", [PLAN, ANSWER]) == {PLAN: left, ANSWER: "Yes."}


@pytest.mark.parametrize("text", CONTENT)
def test_what_may_be_content_stays(text: str) -> None:
    assert parsed(f"[Plan]\n{text}\n\n[Answer]\nYes.", [PLAN, ANSWER]) == {PLAN: text, ANSWER: "Yes."}


def test_a_section_of_a_rule_is_empty() -> None:
    assert "empty: ['[Answer]']" in feedback("[Plan]\na\n[Answer]\n---", [PLAN, ANSWER])


@pytest.mark.parametrize("prose", ["Plan well.", "The plan", "Plans", "I plan: a lot", "My [Plan] is this", "Planet"])
def test_prose_is_not_a_header(prose: str) -> None:
    assert "'Plan'" in feedback(f"{prose}\nLook.", ["Plan"])


def test_a_longer_header_is_not_mistaken_for_a_shorter_one() -> None:
    assert parsed("Plan B\nstay\nPlan\ngo", ["Plan", "Plan B"]) == {"Plan": "go", "Plan B": "stay"}
    assert parsed("Plan: B\nstay\nPlan\ngo", ["Plan", "Plan: B"]) == {"Plan": "go", "Plan: B": "stay"}


@steady
@given(first=contents, second=contents)
def test_the_last_occurrence_wins(first: dict[str, str], second: dict[str, str]) -> None:
    """A model that quotes the format, or starts over, is read by what it wrote last."""
    assert parsed(render(first) + "\n\n" + render(second)) == second


FENCES = [("```", "```"), ("```markdown", "```"), ("~~~text", "~~~"), ("````", "````"), ("  ```py", "  ```")]


@steady
@given(content=contents, quoted=contents, fence=st.sampled_from(FENCES), where=st.sampled_from(HEADERS))
def test_a_header_quoted_in_a_fence_is_content(
    content: dict[str, str], quoted: dict[str, str], fence: tuple[str, str], where: str
) -> None:
    shown = f"{content[where]}\n{fence[0]}\n{render(quoted)}\n{fence[1]}"
    assert parsed(render(content | {where: shown})) == content | {where: shown}


@steady
@given(content=contents, tag=st.sampled_from(["", "markdown", "md", "text"]), words=st.sampled_from(["", "Sure!\n\n"]))
def test_a_fence_around_the_whole_reply_is_seen_through(content: dict[str, str], tag: str, words: str) -> None:
    assert parsed(f"{words}```{tag}\n{render(content)}\n```") == content
    assert parsed(f"{words}```{tag}\n{render(content)}") == content, "the closing fence was forgotten"


INVISIBLE = st.text(st.sampled_from("\ufeff\u200b\u200c\u200d\u2060"), min_size=1, max_size=3)


@steady
@given(content=contents, unseen=INVISIBLE, before=st.sampled_from(["", "  ", "**", "## "]), wrapped=st.booleans())
def test_byte_order_marks_and_zero_width_characters_before_a_header_do_not_matter(
    content: dict[str, str], unseen: str, before: str, wrapped: bool
) -> None:
    reply = "\n\n".join(f"{before}{unseen}{header}\n{text}" for header, text in content.items())
    assert parsed(f"{unseen}```\n{reply}\n```" if wrapped else f"{unseen}{reply}") == content
    assert parsed(f"{unseen}[Plan]\na", [r"\[Plan\]"], regex_mode=True) == {"[Plan]": "a"}
    assert multi_section_parser(f"Sure.\n{unseen}=====\nThe end.")["content"] == "The end."


@steady
@given(
    content=contents,
    tag=st.sampled_from(["", "json", "text", "yaml"]),
    between=st.sampled_from(["", "\n", "\n\n \n"]),
    prose=st.sampled_from(["", "Here you are:\n\n"]),
)
def test_each_section_may_stand_in_a_fence_of_its_own(
    content: dict[str, str], tag: str, between: str, prose: str
) -> None:
    blocks = [f"```{tag}\n{header}\n{text}\n```\n" for header, text in content.items()]
    assert parsed(prose + between.join(blocks)) == content
    if tag:
        assert parsed(f"\nThen:\n{between}".join(blocks)) == content
    lines = {re.escape(header): header for header in content}
    assert parsed(prose + between.join(blocks), list(lines), regex_mode=True) == content


@steady
@given(content=contents, tag=st.sampled_from(["json", "yaml", "python"]), prose=st.sampled_from(["", "Sure!\n\n"]))
def test_a_fence_of_any_language_that_begins_with_a_header_wraps_the_sections(
    content: dict[str, str], tag: str, prose: str
) -> None:
    assert parsed(f"{prose}```{tag}\n{render(content)}\n```") == content


def test_a_header_in_a_fence_does_not_join_those_outside_of_it() -> None:
    assert "['[Plan]']" in feedback("[Answer]\n42\n\n```json\n[Plan]\nthink\n```", [PLAN, ANSWER])
    assert "['[Plan]', '[Answer]']" in feedback("```json\nnothing\n[Plan]\na\n[Answer]\nb\n```", [PLAN, ANSWER])


def test_the_last_of_several_fences_may_hold_a_block_with_the_same_fences() -> None:
    reply = "```\n[Plan]\nthink\n```\n\n```\n[Answer]\n```python\nx = 1\n```\nThat is all.\n```"
    assert parsed(reply, [PLAN, ANSWER]) == {PLAN: "think", ANSWER: "```python\nx = 1\n```\nThat is all."}


def test_a_block_between_two_sections_of_a_wrapped_reply_is_content() -> None:
    reply = "```\n[Plan]\nuse\n```\ncode\n```\n[Answer]\n42\n```"
    assert parsed(reply, [PLAN, ANSWER]) == {PLAN: "use\n```\ncode\n```", ANSWER: "42"}


def test_a_block_inside_a_wrapped_reply_is_content() -> None:
    reply = "```markdown\n[Plan]\nRun:\n```python\n[Answer] = 1\n```\n[Answer]\n42\n```"
    assert parsed(reply, [PLAN, ANSWER]) == {PLAN: "Run:\n```python\n[Answer] = 1\n```", ANSWER: "42"}


def test_a_block_that_was_never_closed_does_not_swallow_the_rest() -> None:
    assert parsed("[Plan]\n```python\nx = 1\n\n[Answer]\n42", [PLAN, ANSWER])[ANSWER] == "42"


@steady
@given(content=contents, gone=st.sets(st.sampled_from(HEADERS), min_size=1))
def test_all_names_every_missing_header_and_any_wants_one(content: dict[str, str], gone: set[str]) -> None:
    kept = {header: text for header, text in content.items() if header not in gone}
    complaint = feedback(render(kept), HEADERS)
    assert {header for header in HEADERS if header in complaint} == gone
    if kept:
        assert parsed(render(kept), match_mode="ANY") == kept
    else:
        assert all(header in feedback(render(kept), HEADERS, match_mode="ANY") for header in HEADERS)


@pytest.mark.parametrize("match_mode", ["ALL", "ANY"])
def test_an_empty_section_is_named_and_not_called_missing(match_mode: str) -> None:
    complaint = feedback("[Plan]\n\n[Answer]\n   \n", [PLAN, ANSWER], match_mode=match_mode)
    assert "empty" in complaint and PLAN in complaint and ANSWER in complaint
    assert "Missing" not in complaint


def test_any_leaves_empty_sections_out() -> None:
    assert parsed("[Plan]\n\n[Answer]\n42", [PLAN, ANSWER], match_mode="ANY") == {ANSWER: "42"}


def test_the_feedback_shows_a_format_that_parses() -> None:
    """A model that copies the example of the feedback and fills it in passes."""
    complaint = feedback("no headers here", HEADERS)
    example = complaint.partition("like this:\n")[2]
    assert parsed(example.replace("...", "Tea.")) == dict.fromkeys(HEADERS, "Tea.")


def test_the_example_of_the_feedback_is_no_text_before_it_is_filled_in() -> None:
    """A small model copies it as it stands."""
    example = feedback("no headers here", HEADERS).partition("like this:\n")[2]
    assert "are empty: ['[Plan]'" in feedback(example, HEADERS)
    assert parsed("[Plan]\nWait ...\n[Answer]\n…", [PLAN, ANSWER]) == {PLAN: "Wait ...", ANSWER: "…"}


RULED = {
    "behind the last": ("Words.\n=====\nold\n==========\nnew\nlines\n", "new\nlines"),
    "nothing behind": ("Words.\n===========\nContent.\nMore.\n===========\n", "Content.\nMore."),
    "only space behind": ("=====\nContent.\n=====\n  \n\t\n", "Content."),
    "one rule, all before": ("Content.\n=====\n", "Content."),
    "one rule, all behind": ("=====\nContent.", "Content."),
    "indented, spaced": ("Words.\n  =====  \nContent.", "Content."),
    "windows": ("Words.\r\n=====\r\nContent.\r\n", "Content."),
    "short rules are text": ("=====\na\n====\nb", "a\n====\nb"),
    "a rule with words is text": ("=====\na\n===== b =====\nc", "a\n===== b =====\nc"),
    "a rule in a fence is content": ("=====\n```\na\n=====\nb\n```", "```\na\n=====\nb\n```"),
    "all in a fence": ("```\nWords.\n=====\nContent.", "Content."),
}


@pytest.mark.parametrize(("reply", "block"), RULED.values(), ids=RULED)
def test_without_headers_the_block_behind_the_last_rule_is_taken(reply: str, block: str) -> None:
    assert multi_section_parser(reply) == {"status": "success", "content": block}


@pytest.mark.parametrize("reply", ["", "No rule at all.", "====", "=====", "=====\n=====\n \n"])
def test_without_a_rule_or_a_text_the_feedback_shows_one(reply: str) -> None:
    assert "=====" in feedback(reply, None)


CHAPTERS = "Intro\nChapter 1\nalpha\nChapter 2:\nbeta\nChapter 1\ngamma\n"


def test_regular_expressions_are_matched_against_whole_lines() -> None:
    assert parsed(CHAPTERS, [r"Chapter \d:?"], regex_mode=True) == {"Chapter 2:": "beta", "Chapter 1": "gamma"}
    assert "Chapter [0-9]" in feedback("Chapter 1 begins\nx", ["Chapter [0-9]"], regex_mode=True)


REGEXES = {
    "alternatives": (["Plan|Idea", "Answer"], "Idea\na\nAnswer\nb", {"Idea": "a", "Answer": "b"}),
    "inline flag": (["(?i)plan"], "PLAN\na", {"PLAN": "a"}),
    "back-reference": ([r"(=+) Plan \1"], "== Plan ==\na", {"== Plan ==": "a"}),
    "same named group": (
        [r"Plan (?P<n>\d)", r"Answer (?P<n>\d)"],
        "Plan 1\na\nAnswer 2\nb",
        {"Plan 1": "a", "Answer 2": "b"},
    ),
    "fenced header": (
        ["Plan", "Answer"],
        "Plan\n```\nAnswer\n```\nAnswer\nb",
        {"Plan": "```\nAnswer\n```", "Answer": "b"},
    ),
    "wrapped reply": (["Plan", "Answer"], "```\nPlan\na\nAnswer\nb\n```", {"Plan": "a", "Answer": "b"}),
}


@pytest.mark.parametrize(("headers", "reply", "content"), REGEXES.values(), ids=REGEXES)
def test_every_valid_regular_expression_works(headers: list[str], reply: str, content: dict[str, str]) -> None:
    assert parsed(reply, headers, regex_mode=True) == content


@pytest.mark.parametrize("match_mode", ["EXACT", "any", "", None])
@pytest.mark.parametrize("headers", [[PLAN], None])
def test_a_wrong_match_mode_is_refused(match_mode: Any, headers: Any) -> None:
    with pytest.raises(ValueError, match="match_mode"):
        multi_section_parser("[Plan]\nx", headers, match_mode=match_mode)


@pytest.mark.parametrize(
    "headers", [[""], ["[]"], ["##"], ["**:**"], ["Plan", "  "], ["\u3000"], ["\n"], [], "Plan"], ids=repr
)
def test_headers_without_a_name_are_refused(headers: Any) -> None:
    with pytest.raises(ValueError, match="header"):
        multi_section_parser("Plan\nx", headers)


def test_an_invalid_regular_expression_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=re.escape("'(Plan'")):
        multi_section_parser("Plan\nx", ["(Plan"], regex_mode=True)


MARKS = ["[Plan]", "[Answer]", "plan:", "**[Plan]**", "## [Next Steps]"]
MARKS += ["```", "~~~", "````md", "=====", "\n", "\n\n", " ", "x", "\r\n"]
noise = st.one_of(st.text(), st.lists(st.one_of(st.sampled_from(MARKS), st.text(max_size=3))).map("".join))


@settings(steady, max_examples=300)
@given(reply=noise, match_mode=st.sampled_from(["ALL", "ANY"]))
@example(reply="\x00", match_mode="ALL")
@example(reply="*[Plan] Tea*\nMilk", match_mode="ANY")
def test_any_text_is_answered_within_the_contract(reply: str, match_mode: str) -> None:
    for headers, regex_mode in [(HEADERS, False), (["Plan"], False), ([r"\[\w+\]", "x.*"], True), (None, False)]:
        result: Any = multi_section_parser(reply, headers, regex_mode, match_mode)
        if result["status"] == "error":
            assert result["feedback"].strip()
            continue
        assert result["status"] == "success"
        found: list[str] = [result["content"]] if headers is None else list(result["content"].values())
        assert found and all(text == text.strip() != "" for text in found)
        # Emphasis that begins before a header ends behind its text, inside the section, and is no part of it.
        assert all(line in reply for text in found for line in text.splitlines())


@steady
@given(
    header=st.text("aZ1é计.-()/&?'+ ", max_size=9).map("p{}".format).map(str.strip), lead=st.sampled_from(["", "1. "])
)
def test_any_header_finds_itself(header: str, lead: str) -> None:
    header = lead + header
    assert parsed(f"{header}\nLook.", [header]) == {header: "Look."}


HOSTILE = {
    "spaces": " " * 200_000,
    "marks": "*" * 200_000,
    "rules": "=====\n" * 33_000,
    "one rule": "=" * 200_000,
    "fences": "```\n" * 50_000,
    "growing fences": "\n".join("`" * (3 + number % 500) for number in range(800)),
    "headers in fences": "```\n[Plan]\nx\n```\n" * 12_000,
    "a header again and again": "[Plan]\n" * 28_000,
    "nearly headers": "## **[Plan" * 20_000,
    "nearly alone": "- Plan x\n" * 20_000,
    "rules below rules": "[Plan]\n" + "\n---\n" * 30_000,
    "bullets": "[Plan]\nx\n" + "-\n" * 80_000,
    "tags": "[Plan]\n" + "</a>\n" * 40_000,
    "numbers": "1. " * 66_000 + "[Plan]",
    "unclosed fence": "```\n" + "[Plan]\n" * 28_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("reply", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_reply_is_read_to_its_end(reply: str) -> None:
    for headers, regex_mode in [(HEADERS, False), ([r"\[Plan\]", "Answer"], True), (None, False)]:
        assert multi_section_parser(reply, headers, regex_mode)["status"] in ("success", "error")
