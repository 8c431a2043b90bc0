"""A file in a reply: a `path` block and a content block (rows M1 and M2)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from thoughtgraph.parsers import ParsedFile, parse_markdown_blocks, parse_markdown_with_skip

steady = settings(deadline=None)  # a shared machine is no reason to fail

PATH = "```path\nnotes.md\n```"
NOTES = "```markdown\n# Notes\n\nFirst.\n```"
TEXT = "# Notes\n\nFirst."

FORMS = {
    "as asked": f"{PATH}\n\n{NOTES}",
    "words around": f"Sure, here you are.\n\n{PATH}\n\nAnd now:\n\n{NOTES}\n\nAnything else?",
    "same line": f"```path notes.md ```\n\n{NOTES}",
    "same line, tight": f"```path notes.md```\n{NOTES}",
    "beside the tag": f"```path notes.md\n```\n\n{NOTES}",
    "spaces": "```path  \n  notes.md  \n```  \n\n```markdown \n# Notes\n\nFirst.\n``` ",
    "upper case": f"```Path\nnotes.md\n```\n\n{NOTES.replace('markdown', 'Markdown')}",
    "windows": f"{PATH}\n\n{NOTES}".replace("\n", "\r\n"),
    "carriage returns alone": f"{PATH}\n\n{NOTES}".replace("\n", "\r"),
    "content first": f"{NOTES}\n\n{PATH}",
    "longer fences": f"````path\nnotes.md\n````\n\n````markdown\n{TEXT}\n````",
    "tildes": f"~~~path\nnotes.md\n~~~\n\n~~~markdown\n{TEXT}\n~~~",
    "title beside the tag": f"{PATH}\n\n```markdown title=notes\n{TEXT}\n```",
    "blank lines inside": f"{PATH}\n\n```markdown\n\n{TEXT}\n\n\n```",
    "never closed": f"{PATH}\n\n```markdown\n{TEXT}\n",
    "in a list": "1. Name:\n   ```path\n   notes.md\n   ```\n2. Text:\n   ```markdown\n   # Notes\n\n   First.\n   ```",
}


@pytest.mark.parametrize("reply", FORMS.values(), ids=FORMS)
def test_both_blocks_are_found_in_every_form(reply: str) -> None:
    assert parse_markdown_blocks(reply, "markdown") == ("notes.md", TEXT)


MISSING = {
    "empty": "",
    "prose": "I would rather not.",
    "no path": NOTES,
    "no content": PATH,
    "another language": f"{PATH}\n\n```latex\nx\n```",
    "a longer tag": f"{PATH}\n\n```markdownish\nx\n```",
    "empty path": f"```path\n\n```\n\n{NOTES}",
    "blank path": f"```path\n   \n```\n\n{NOTES}",
    "empty content": f"{PATH}\n\n```markdown\n```",
    "blank content": f"{PATH}\n\n```markdown\n \n\t\n```",
    "two names": f"```path\na.md\nb.md\n```\n\n{NOTES}",
    "tags in prose": "Write a ```path block and a ```markdown block.",
    "path only, cut off": "```path\nnotes.md",
}


def test_nothing_and_no_reply_hold_no_file() -> None:
    for reply in (None, ""):
        assert parse_markdown_blocks(reply, "markdown") == (None, None)
        assert parse_markdown_with_skip(reply, "markdown") == (None, None, False, None)


def test_a_byte_order_mark_before_the_first_fence_does_not_matter() -> None:
    reply = "\ufeff```path\nnotes.md\n```\n\n```markdown\nHi.\n```"
    assert parse_markdown_blocks(reply, "markdown") == ("notes.md", "Hi.")
    assert parse_markdown_with_skip("\ufeffSKIPPED: no need", "markdown").skip_reason == "no need"


@pytest.mark.parametrize("reply", MISSING.values(), ids=MISSING)
def test_a_missing_or_empty_block_is_no_file(reply: str) -> None:
    assert parse_markdown_blocks(reply, "markdown") == (None, None)
    assert parse_markdown_with_skip(reply, "markdown") == ParsedFile(None, None, False, None)


INNER = {
    "with a language": ("markdown", "Run:\n\n```bash\nls\n```\n\nDone."),
    "two with languages": ("markdown", "```bash\nls\n```\nand\n```python\nx = 1\n```"),
    "bare in prose": ("markdown", "Run:\n\n```\nls\n```\n\nDone."),
    "bare at the end": ("text", "Run:\n\n```\nls\n```"),
    "two bare ones": ("markdown", "```\na\n```\nb\n```\nc\n```\nd"),
    "other marks": ("markdown", "~~~\nls\n~~~\nDone."),
    "shell in code": ("python", 'HELP = """\n```bash\nls\n```\n"""\nx = 1'),
    "indented in a docstring": ("python", 'def f():\n    """Do.\n\n    ```\n    f()\n    ```\n    """\n    return 1'),
    "mid-line": ("markdown", "A line with ``` inside\nand ```code``` too."),
    "at the head of a line": ("markdown", "```code``` begins a line.\n\n~~~struck~~~ too ~~~"),
    "in a list item": ("markdown", "1. Run:\n\n   ```bash\n   ls\n   ```\n\n2. Done."),
    "deep in a list item": ("markdown", "- a\n  - b\n\n      ```python\n      x = 1\n      ```\n\n- c"),
    "deep and bare": ("markdown", "- a\n    - b\n\n        ```\n        ls\n        ```\n\nDone."),
    "at any depth": ("markdown", "\n".join(f"{' ' * n}```sh\n{' ' * n}ls\n{' ' * n}```" for n in range(12))),
    "by tabs": ("markdown", "- a\n\n\t```python\n\tx = 1\n\t```\n\n- b"),
    "behind a list mark": ("markdown", "- ```python\n  x = 1\n  ```\n- b\n1. ```\n   ls\n   ```\n2) ok"),
    "in a quote": ("markdown", "> Run:\n>\n> ```bash\n> ls\n> ```\n\nDone."),
    "in a quote in a list": ("markdown", "- > ```\n  > ls\n  > ```\n\nDone."),
    "closed less deep": ("markdown", "1. Run:\n\n    ```bash\n    ls\n```\n\n2. Done."),
    "closed deeper": ("markdown", "1. Run:\n\n```bash\nls\n    ```\n\n2. Done."),
    "indented and never closed": ("markdown", "- Open it so:\n\n      ```python\n\nDone."),
    "alone in a docstring": ("python", 'def f():\n    """A fence:\n\n    ```\n    """\n    return 1'),
    "tildes with a language": ("markdown", "~~~python\nx = 1\n~~~\nDone."),
    "a fence inside of tildes": ("markdown", "~~~\n```\n~~~\nDone."),
    "tildes that are decoration": ("markdown", "Title\n~~~~~\n\n```bash\nls\n```\n\nDone."),
    "longer ones": ("markdown", "````markdown\n```python\nx = 1\n```\n````\nDone."),
    "a longer one that shows one": ("markdown", "````\n```\n````\nDone."),
    "one inside of one": ("markdown", "```markdown\nRun:\n```bash\nls\n```\n```\nDone."),
    "a path": ("markdown", "Answer so:\n\n```path\nother.md\n```\n\n```markdown\nother\n```\n\nThat is all."),
    "blank lines in a bare one": ("markdown", "Run:\n\n```\n\nls\n\n```\n\nDone."),
    "bare in a module": ("python", '"""Do.\n\n```\nf()\n```\n"""\nx = 1'),
    "of a template": ("javascript", "const help = `\n\\`\\`\\`\n`;\nconst more = [\n```sh\nls\n```\n];"),
}
BEHIND = ["", "\n", "\n\nI hope it helps.", "\n\nRun it:\n\n```bash\nls\n```\n", "\n\nIt says:\n\n```\nhi\n```\n\nBye."]


@pytest.mark.parametrize(("tag", "content"), INNER.values(), ids=INNER)
def test_a_fence_inside_the_content_does_not_cut_it_short(tag: str, content: str) -> None:
    """With the fences that models write, and with the longer outer ones that the prompt asks for."""
    for outer in ("```", "`````", "~~~~~~"):
        assert parse_markdown_blocks(f"{PATH}\n\n{outer}{tag}\n{content}\n{outer}", tag) == ("notes.md", content)


@pytest.mark.parametrize("behind", [behind for behind in BEHIND if behind.strip()])
@pytest.mark.parametrize(("tag", "content"), INNER.values(), ids=INNER)
def test_what_follows_a_file_with_fences_is_no_part_of_it(tag: str, content: str, behind: str) -> None:
    reply = f"{PATH}\n\n```{tag}\n{content}\n```{behind}"
    assert parse_markdown_blocks(reply, tag) == ("notes.md", content)


@pytest.mark.parametrize("behind", BEHIND)
@pytest.mark.parametrize("tag", ["python", "latex", "json"])
def test_what_follows_code_is_no_part_of_it(tag: str, behind: str) -> None:
    behind = behind.removesuffix("\n\nBye.")
    assert parse_markdown_blocks(f"{PATH}\n\n```{tag}\nx = 1\n```{behind}", tag) == ("notes.md", "x = 1")


def test_a_list_item_may_hold_the_whole_file() -> None:
    reply = "1. ```path\n   notes.md\n   ```\n2. ```markdown\n   - a\n\n     ```sh\n     ls\n     ```\n   ```"
    assert parse_markdown_blocks(reply, "markdown") == ("notes.md", "- a\n\n  ```sh\n  ls\n  ```")


def test_a_path_shown_in_content_that_comes_first_is_not_the_files_name() -> None:
    content = "Answer so:\n\n```path\nother.md\n```\n\nThat is all."
    reply = f"```markdown\n{content}\n```\n\n{PATH}"
    assert parse_markdown_blocks(reply, "markdown") == ("notes.md", content)
    assert parse_markdown_blocks(f"```markdown\n{content}\n```", "markdown") == (None, None)


@pytest.mark.parametrize(
    "words", ["", "\n\nI hope it helps.", "\n\nRun it with `x`."], ids=["nothing", "words", "ticks"]
)
def test_what_follows_the_content_is_not_content(words: str) -> None:
    reply = f"{PATH}\n\n```markdown\n{TEXT}\n```{words}"
    assert parse_markdown_blocks(reply, "markdown") == ("notes.md", TEXT)


def test_of_several_files_the_first_is_read() -> None:
    second = "```path\nother.md\n```\n\n```markdown\nother\n```"
    assert parse_markdown_blocks(f"{PATH}\n\n{NOTES}\n\n{second}", "markdown") == ("notes.md", TEXT)


@pytest.mark.parametrize(
    "shown",
    [f"Answer so:\n\n{PATH}\n\n{NOTES}", f"Answer so:\n\n```path other.md ```\n\n{NOTES}"],
    ids=["lines", "line"],
)
def test_a_format_shown_inside_a_longer_fence_is_content(shown: str) -> None:
    reply = f"```path\nguide.md\n```\n\n````markdown\n{shown}\n````"
    assert parse_markdown_blocks(reply, "markdown") == ("guide.md", shown)


SKIPS = {
    "SKIPPED: nothing to change": "nothing to change",
    "SKIP: nothing to change": "nothing to change",
    "SKIPPED - nothing to change": "nothing to change",
    "**SKIPPED**: nothing to change": "nothing to change",
    "[SKIPPED] nothing to change": "nothing to change",
    "I looked at it.\n\nSKIPPED: nothing to change\n": "nothing to change",
    "Skipped: nothing to change": "nothing to change",
    "```\nSKIPPED: nothing to change\n```": "nothing to change",
    "SKIPPED：无需修改": "无需修改",
    "## SKIPPED: nothing to change": "nothing to change",
    "**SKIPPED:** nothing to change": "nothing to change",
    "skip: nothing to change": "nothing to change",
    "SKIPPED: nothing to change\n\nIt all works:\n\n```\nok\n```": "nothing to change",
}


@pytest.mark.parametrize(("reply", "reason"), SKIPS.items(), ids=repr)
def test_a_skip_carries_its_reason(reply: str, reason: str) -> None:
    assert parse_markdown_with_skip(reply, "markdown") == ParsedFile(None, None, True, reason)


def test_a_skip_without_a_reason_has_some_reason() -> None:
    parsed = parse_markdown_with_skip("SKIPPED", "markdown")
    assert parsed.is_skipped and parsed.skip_reason


def test_other_words_can_mean_a_skip() -> None:
    """The source document's third argument."""
    parsed = parse_markdown_with_skip("NO CHANGE: all is well", "text", skip_keywords=("NO CHANGE",))
    assert (parsed.is_skipped, parsed.skip_reason) == (True, "all is well")


NO_SKIPS = {
    "in a sentence": "We must not SKIP this.",
    "another word": "Skipping is no option",
    "a longer word": "SKIPPER: a sailor",
    "in lower case": "skip the tests if you like",
    "a word that goes on": "SKIP-lists are fast.",
    "a name": "SKIP.md is the file to read.",
    "a request": "SKIP the introduction?",
    "in the past": "The test was SKIPPED yesterday.",
    "in the midst": "The log says:\nSKIPPED: test_a\nand I need more of it.",
    "quoted": "> SKIPPED: nothing to change",
    "in quotation marks": '"SKIPPED: nothing to change" is what I would say, but no.',
    "as code": "`SKIPPED: nothing to change` would be wrong.",
    "in a list": "I could write\n- SKIPPED: nothing to change",
    "in a fence": "The log:\n\n```\nSKIPPED: test_a\n```",
    "in a fence with a language": "```text\nSKIPPED: nothing to change\n```",
    "in a fence of code": "```python\nSKIP = 1\nSKIPPED: int = 2\n```",
    "in content without a name": "```markdown\nSKIPPED: nothing to change\n```",
    "before content without a name": "SKIPPED: the name\n\n```markdown\n# Notes\n```",
    "behind a name without content": f"{PATH}\n\nSKIPPED: nothing to change",
    "in a block that is cut off": "```path\nnotes.md\n```\n\n```text\nSKIPPED: nothing",
}


@pytest.mark.parametrize("reply", NO_SKIPS.values(), ids=NO_SKIPS)
def test_a_word_that_says_nothing_of_the_reply_is_no_skip(reply: str) -> None:
    assert parse_markdown_with_skip(reply, "markdown") == ParsedFile(None, None, False, None)


@pytest.mark.parametrize("where", ["before", "inside", "behind"])
@pytest.mark.parametrize("words", ["SKIPPED: one test", "SKIP", "**SKIPPED** the introduction"])
def test_a_reply_with_both_blocks_is_never_a_skip(where: str, words: str) -> None:
    content = f"{TEXT}\n{words}\nMore." if where == "inside" else TEXT
    file = f"{PATH}\n\n```markdown\n{content}\n```"
    reply = {"before": f"{words}\n\n{file}", "inside": file, "behind": f"{file}\n\n{words}"}[where]
    assert parse_markdown_with_skip(reply, "markdown") == ParsedFile("notes.md", content, False, None)


names = st.from_regex(r"[A-Za-z0-9_]{1,8}(\.[a-z]{1,4})?", fullmatch=True)
TAGS = ["markdown", "text", "python", "latex", "json", "c++"]
LINES = ["# Title", "x = 1", "    indented", "- item", "", "=====", "SKIP", "`code`", "path", "计划", "``two``"]
contents = (
    st.lists(st.sampled_from(LINES), min_size=1, max_size=8).map("\n".join).filter(lambda text: bool(text.strip()))
)
inner = st.sampled_from(["```", "```bash", "~~~", "```path", "```markdown"])


@steady
@given(name=names, content=contents, tag=st.sampled_from(TAGS), same_line=st.booleans())
def test_what_was_written_is_read_back(name: str, content: str, tag: str, same_line: bool) -> None:
    content = content.strip("\n").rstrip()
    path = f"```path {name} ```" if same_line else f"```path\n{name}\n```"
    reply = f"{path}\n\n```{tag}\n{content}\n```"
    assert parse_markdown_blocks(reply, tag) == (name, content)
    assert parse_markdown_with_skip(f"Here:\n\n{reply}\n", tag) == ParsedFile(name, content, False, None)


@steady
@given(content=st.lists(st.one_of(st.sampled_from(LINES), inner), min_size=1, max_size=8).map("\n".join))
def test_in_a_longer_fence_any_content_is_read_to_the_letter(content: str) -> None:
    content = "start\n" + content + "\nend"
    reply = f"```path\nnotes.md\n```\n\n````markdown\n{content}\n````"
    assert parse_markdown_blocks(reply, "markdown") == ("notes.md", content)


def _block_of(shown: tuple[str, int, str, str, list[str]]) -> list[str]:
    mark, longer, language, indent, body = shown
    fence = mark * (3 + longer)
    # A block shows whatever cannot close it.
    inside = [line for line in body if not line.lstrip().startswith(fence)]
    lead = indent if indent.isspace() or not indent else " " * len(indent)
    lead = indent if indent.startswith(">") else lead
    return [f"{indent}{fence}{language}", *(f"{lead}{line}".rstrip() for line in inside), f"{lead}{fence}"]


LANGUAGES = ["", "python", "bash", "markdown", "path", "text title=x"]
INDENTS = ["", " ", "  ", "   ", "    ", "\t", " " * 7, " " * 12, "- ", "1. ", "  * ", "> ", "> > "]
plain_blocks = st.tuples(
    st.sampled_from("`~"),
    st.integers(0, 2),
    st.sampled_from(LANGUAGES),
    st.sampled_from(INDENTS),
    st.lists(st.sampled_from(LINES), max_size=3),
).map(_block_of)


def _around(inside: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[str]]:
    """A block with blocks in it, which a longer fence or one with a language is put around."""
    bodies = st.lists(inside, max_size=2).map(lambda blocks: [line for block in blocks for line in block])
    nested = st.tuples(st.sampled_from(["markdown", "text"]), bodies)
    return nested.map(lambda shown: [f"```{shown[0]}", *shown[1], "```"])


backticks = st.tuples(
    st.just("`"), st.just(0), st.sampled_from(LANGUAGES), st.just(""), st.lists(st.sampled_from(LINES), max_size=3)
).map(_block_of)
documents = st.lists(
    st.one_of(st.sampled_from(LINES).map(lambda line: [line]), plain_blocks, st.recursive(backticks, _around)),
    max_size=7,
).map(lambda parts: "\n".join(["start", *(line for part in parts for line in part), "end"]))


@settings(steady, max_examples=400)
@given(content=documents, tag=st.sampled_from(["markdown", "text", "rst"]), behind=st.sampled_from(BEHIND[:2]))
def test_a_file_of_any_content_with_balanced_fences_is_read_back_to_the_letter(
    content: str, tag: str, behind: str
) -> None:
    """Inside of a fence that is no longer than its own."""
    reply = f"```path\nnotes.md\n```\n\n```{tag}\n{content}\n```{behind}"
    assert parse_markdown_with_skip(reply, tag) == ParsedFile("notes.md", content, False, None)


MARKS = [
    "```path",
    "```markdown",
    "```",
    "````",
    "~~~",
    "\n  ```\n",
    "\n      ```\n",
    "\n- ```\n",
    "\n",
    "notes.md",
    "SKIP",
    "SKIPPED:",
    " ",
    "x",
    "\r\n",
    "```path a ```",
]
noise = st.one_of(st.text(), st.lists(st.one_of(st.sampled_from(MARKS), st.text(max_size=2))).map("".join))


@settings(steady, max_examples=300)
@given(reply=noise)
def test_any_text_is_answered_within_the_contract(reply: str) -> None:
    name, content = parse_markdown_blocks(reply, "markdown")
    parsed = parse_markdown_with_skip(reply, "markdown")
    assert (name is None) == (content is None)
    assert (parsed.file_name, parsed.file_content) == (name, content)
    if name is not None and content is not None:
        assert name.strip() and content.strip() and "\n" not in name
        assert not parsed.is_skipped
    assert parsed.is_skipped == (parsed.skip_reason is not None)


HOSTILE = {
    "fences": "```\n" * 50_000,
    "opened": PATH + "\n" + "```markdown\n" * 16_000,
    "closed": f"{PATH}\n```markdown\n" + "```\n" * 50_000,
    "paths": "```path\n" * 25_000,
    "inline paths": "```path a ```\n" * 14_000,
    "nearly inline": "```path " + "a" * 200_000 + "\n",
    "ticks": "`" * 200_000,
    "spaces": " " * 200_000 + "\n" + "\t" * 200_000,
    "skips": "SKI\n" * 50_000 + ">" * 100_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("reply", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_reply_is_read_to_its_end(reply: str) -> None:
    assert len(parse_markdown_blocks(reply, "markdown")) == 2
    assert len(parse_markdown_with_skip(reply, "python")) == 4
