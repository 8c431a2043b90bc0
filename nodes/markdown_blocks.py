"""A file in a reply: a `path` block with its name, and a block with its content."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_LINE = re.compile(r"^(?P<indent>[ \t]*+)(?P<mark>`{3,}+|~{3,}+)(?P<info>[^\n]*+)$", re.MULTILINE)
_INLINE_PATH = re.compile(r"^[ \t]*+(?P<mark>`{3,}+)path[ \t]++(?P<name>[^`\n]++)(?P=mark)[ \t]*+$", re.MULTILINE)
_PROSE_TAGS = frozenset({"markdown", "md", "text", "txt", "plaintext", "rst"})


class ParsedFile(NamedTuple):
    """What `parse_markdown_with_skip` found."""

    file_name: str | None
    file_content: str | None
    is_skipped: bool
    skip_reason: str | None


def parse_markdown_blocks(response: str, content_tag: str) -> tuple[str | None, str | None]:
    """Find the `path` block and the content block of a reply.

    Args:
        response: the model's reply. The `path` block may stand on several lines or on one.
        content_tag: the content block's language tag, such as `"markdown"`, `"python"` or `"latex"`.

    Returns:
        `(file_name, file_content)`; `(None, None)` where either block is missing or empty. Fenced blocks inside the
        content belong to it.
    """
    text = response.replace("\r\n", "\n")
    inline = _INLINE_PATH.search(text)
    block = _block(text, "path")
    # The first of both: the other may be shown inside the content.
    if inline and (block is None or inline.start() <= block[0]):
        name, rest = inline["name"].strip(), text[: inline.start()] + "\n" + text[inline.end() :]
    elif block is None:
        return None, None
    else:
        start, end, name = block
        # A name beside the tag, as in "```path notes.md", stands in the first line of the block.
        beside = text[start : text.find("\n", start)].strip(" \t`~").removeprefix("path").strip()
        name, rest = name.strip() or beside, text[:start] + text[end:]
    content = _block(rest, content_tag)
    if not name or "\n" in name or content is None or not content[2].strip():
        return None, None
    return name, content[2].strip("\n").rstrip()


def parse_markdown_with_skip(
    response: str, content_tag: str, skip_keywords: Sequence[str] = ("SKIPPED", "SKIP")
) -> ParsedFile:
    """The same for prompts that allow the model to skip: a line that starts with a keyword, then why.

    A reply that holds both blocks is never a skip, whatever words it contains. A keyword in lower case counts only
    where a colon or a dash follows, as "skip" is a common word.

    Args:
        response: the model's reply.
        content_tag: the content block's language tag.
        skip_keywords: words that say that there is no file.
    """
    file_name, file_content = parse_markdown_blocks(response, content_tag)
    if file_name is not None:
        return ParsedFile(file_name, file_content, False, None)
    text = response.replace("\r\n", "\n")
    words = "|".join(map(re.escape, skip_keywords))
    exact = rf"^{_SKIP_LEAD}(?:{words})\b{_SKIP_TRAIL}[:：,.–—-]*[ \t]*(?P<reason>[^\n]*)"
    spoken = rf"^{_SKIP_LEAD}(?i:{words})\b{_SKIP_TRAIL}[:：–—-]+[ \t]*(?P<reason>[^\n]*)"
    skip = re.search(exact, text, re.MULTILINE) or re.search(spoken, text, re.MULTILINE)
    if skip is None:
        return ParsedFile(None, None, False, None)
    return ParsedFile(None, None, True, skip["reason"].strip(" *_`])") or text.strip()[:500])


_SKIP_LEAD = r"[ \t>*_#\[(`-]{0,8}"
_SKIP_TRAIL = r"[\]*_`]{0,4}[ \t]*"


def _block(text: str, tag: str) -> tuple[int, int, str] | None:
    """The first block with that tag: `(start, end, body)`.

    CommonMark ends a block at the first bare fence, which is wrong for a file that shows fences itself. So an inner
    fence with a language opens a nested block, and in prose a bare fence may open one, too: an odd number of bare
    fences at the block's own depth are pairs and the closing one. A longer outer fence needs no such guess.
    """
    lines = _LINE.finditer(text)
    opening = next((line for line in lines if _language(line) == tag.lower()), None)
    if opening is None:
        return None
    prose = tag.lower() in _PROSE_TAGS
    bare: list[re.Match[str]] = []
    depth = 0
    for line in lines:
        if line["mark"][0] != opening["mark"][0] or len(line["mark"]) < len(opening["mark"]):
            continue
        if not _language(line) and len(line["indent"]) > len(opening["indent"]) + 3:
            # Code inside the content, such as a docstring, that shows a fence.
            continue
        if _language(line):
            if depth == 0 and _language(line) == "path":
                break
            depth += 1
        elif depth:
            depth -= 1
        else:
            bare.append(line)
            if not prose:
                break
    start = min(opening.end() + 1, len(text))
    pairs_only = bool(bare) and len(bare) % 2 == 0 and depth == 0 and not _empty_between(text, bare)
    if not bare or pairs_only:
        # Never closed: the reply ended, or was cut, inside the file.
        return opening.start(), len(text), _dedented(text[start:], opening)
    closing = bare[-1] if len(bare) % 2 else bare[0]
    return opening.start(), closing.end(), _dedented(text[start : closing.start()], opening)


def _dedented(body: str, opening: re.Match[str]) -> str:
    """A block inside a list item is indented as a whole."""
    indent = len(opening["indent"])
    return re.sub(rf"^[ \t]{{1,{indent}}}", "", body, flags=re.MULTILINE) if indent else body


def _language(line: re.Match[str]) -> str:
    return (line["info"].split() or [""])[0].lower()


def _empty_between(text: str, bare: list[re.Match[str]]) -> bool:
    return not text[bare[0].end() : bare[-1].start()].strip()
