"""Reads a file from a reply: a `path` block with its name, and a block with its content.

It does not follow CommonMark, which ends a block at the first bare fence: models use the same three backticks around a
file and around the blocks inside it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from .._internal.fences import find_fences, unindented
from .wrapping import plain_lines

_LINE = re.compile(
    r"^(?P<indent>[ \t]*+(?P<item>(?:(?:[-*+]|\d{1,9}+[.)])[ \t]++)*))(?P<mark>`{3,}+|~{3,}+)(?P<info>[^\n]*+)$",
    re.MULTILINE,
)
_INLINE_PATH = re.compile(r"^[ \t]*+(?P<mark>`{3,}+)path[ \t]++(?P<name>[^`\n]++)(?P=mark)[ \t]*+$", re.MULTILINE)
_BLANK_BEHIND = re.compile(r"\n[ \t]*+(?:\n|\Z)|\Z")
_PROSE_TAGS = frozenset({"markdown", "md", "text", "txt", "plaintext", "rst"})

_MOST_TAGGED = 16

SKIP_KEYWORDS = ("SKIPPED", "SKIP")


class ParsedFile(NamedTuple):
    """The result of `parse_markdown_with_skip`.

    Attributes:
        file_name, file_content: of the file in the reply; None without one.
        is_skipped: the reply says that there is no file.
        skip_reason: why there is none; None where nothing was skipped.
    """

    file_name: str | None
    file_content: str | None
    is_skipped: bool
    skip_reason: str | None


def parse_markdown_blocks(response: str | None, content_tag: str) -> tuple[str | None, str | None]:
    """Find the `path` block and the content block of a reply.

    Args:
        response: the model's reply; None and "" hold no block. The `path` block may take several lines or one.
        content_tag: the content block's language tag, such as `"markdown"`, `"python"` or `"latex"`.

    Returns:
        `(file_name, file_content)`; `(None, None)` if either block is missing or empty. Fenced blocks inside the
        content belong to it.
    """
    text = plain_lines(response or "")
    lines = _lines(text)
    named, content = _name(text, lines), _block(text, lines, content_tag)
    if named and content and content[0] < named[0]:
        # Content that comes first may contain a `path` block.
        named = _name(text, lines, content[1])
    elif named:
        content = _block(text, lines, content_tag, named[1])
    if not named or not named[2] or "\n" in named[2] or content is None or not content[2].strip():
        return None, None
    return named[2], content[2].strip("\n").rstrip()


def tagged_block(reply: str, tags: Collection[str]) -> str | None:
    """The longest block of a reply with one of these language tags, whole, though it holds blocks; None if none has."""
    text = plain_lines(reply)
    lines = _lines(text)
    # Each is looked for to the end of the reply.
    tagged = [line for line in lines if line.language in tags][:_MOST_TAGGED]
    found = [_block(text, lines, line.language, line.start) for line in tagged]
    bodies = [block[2].strip("\n").rstrip() for block in found if block]
    return max(bodies, key=len, default="") or None


def _name(text: str, lines: Sequence[_Line], position: int = 0) -> tuple[int, int, str] | None:
    """The first `path` block from a position on, in several lines or one: `(start, end, name)`."""
    inline, block = _INLINE_PATH.search(text, position), _block(text, lines, "path", position)
    # Take the first of the two: the other may be inside the content.
    if inline and (block is None or inline.start() <= block[0]):
        return inline.start(), inline.end(), inline["name"].strip()
    if block is None:
        return None
    start, end, name = block
    # A name next to the tag, as in "```path notes.md", is in the first line of the block.
    beside = text[start : text.find("\n", start)].strip(" \t`~").removeprefix("path").strip()
    return start, end, name.strip() or beside


def parse_markdown_with_skip(
    response: str | None, content_tag: str, skip_keywords: Sequence[str] = SKIP_KEYWORDS
) -> ParsedFile:
    """`parse_markdown_blocks` for prompts that allow the model to skip: a line with a keyword, then the reason.

    The line must be the first or the last of the reply. After the keyword comes the end of the line, a mark such as a
    colon, or the end of the brackets or emphasis around it. A keyword in another case needs a colon or a dash, because
    "skip" is a common word. A reply with a block of a file is never a skip. Neither is a keyword in a quote or in a
    fenced block, unless a fence without a language surrounds the whole reply.

    Args:
        response: the model's reply; None and "" are neither a file nor a skip.
        content_tag: the content block's language tag.
        skip_keywords: words that say there is no file.
    """
    file_name, file_content = parse_markdown_blocks(response, content_tag)
    if file_name is not None:
        return ParsedFile(file_name, file_content, False, None)
    text = _outside(plain_lines(response or "").strip(), {"path", content_tag.lower()})
    lines = [line for line in text.split("\n") if line.strip()]
    words = "|".join(map(re.escape, skip_keywords))
    for line in [*lines[:1], *lines[-1:]]:
        skip = re.match(_SKIP.format(words=words, marks=_EXACT), line) or re.match(
            _SKIP.format(words=f"(?i:{words})", marks=_SPOKEN), line
        )
        if skip:
            return ParsedFile(None, None, True, skip["reason"].strip(" *_`])") or text[:500])
    return ParsedFile(None, None, False, None)


_SKIP = r" {{0,3}}(?:#{{1,6}}[ \t]+)?[*_\[(]{{0,4}}(?:{words})(?:{marks})(?P<reason>.*)"
_SPOKEN = r"[*_\])]{0,4}[ \t]*(?:[:：–—]+|-+(?=[ \t]))"
_EXACT = _SPOKEN + r"|[*_\])]{1,4}(?=[ \t]|$)|[*_\])]{0,4}[ \t]*(?:[,.。，](?=[ \t]|$)|$)"
"""What may follow a keyword: `_EXACT` if it is spelled exactly, `_SPOKEN` in any case."""


def _outside(text: str, tags: Collection[str]) -> str:
    """The text outside all fenced blocks, or inside one around everything; "" if a block has one of the tags."""
    fences = find_fences(text)
    if any(fence.language in tags for fence in fences):
        return ""
    if len(fences) == 1 and (fences[0].start, fences[0].end, fences[0].info) == (0, len(text), ""):
        return fences[0].body
    ends = [0, *(fence.end for fence in fences)]
    return "\n".join(
        text[end:start] for end, start in zip(ends, [*(fence.start for fence in fences), len(text)], strict=True)
    )


class _Line:
    """A line that begins with a fence, after any list-item marks."""

    __slots__ = ("bare", "column", "end", "language", "length", "mark", "start")

    def __init__(self, line: re.Match[str]) -> None:
        self.start, self.end = line.span()
        self.mark, self.length = line["mark"][0], len(line["mark"])
        self.column = len(line["indent"].expandtabs(4))
        self.language = (line["info"].split() or [""])[0].lower()
        self.bare = not self.language and not line["item"]

    def closes(self, opening: _Line) -> bool:
        """Whether it can close a block, regardless of where the two are."""
        return self.bare and self.mark == opening.mark and self.length >= opening.length


def _lines(text: str) -> list[_Line]:
    # A line with more backticks after the first ones is inline code in prose.
    return [_Line(line) for line in _LINE.finditer(text) if line["mark"][0] == "~" or "`" not in line["info"]]


def _block(text: str, lines: Sequence[_Line], tag: str, position: int = 0) -> tuple[int, int, str] | None:
    """The first block with that tag from a position on: `(start, end, body)`."""
    tag = tag.lower()
    first = next((at for at, line in enumerate(lines) if line.language == tag and line.start >= position), None)
    if first is None:
        return None
    opening, behind = lines[first], lines[first + 1 :]
    if tag == "path":
        closing = next((line for line in behind if line.closes(opening)), None)
    else:
        closing = _closing(text, opening, behind, tag in _PROSE_TAGS)
    start = min(opening.end + 1, len(text))
    end = closing.start if closing else len(text)
    return opening.start, closing.end if closing else end, unindented(text[start:end], opening.column)


def _closing(text: str, opening: _Line, behind: Sequence[_Line], prose: bool) -> _Line | None:
    """The line that closes a block whose content may hold blocks; None if the reply ends, or is cut off, before it.

    CommonMark takes the first bare fence, but models fence a file with the same number of backticks as the blocks
    inside it. So the fences are paired, and the last one without a partner closes the block. Pairs are first matched
    regardless of indentation; then a block in a list item or docstring ends with its indentation; then both again
    without fences of the other mark, which may be decoration.
    """
    pairs: list[_Line] = []
    for same_mark in (False, True):
        lines = [line for line in behind if line.mark == opening.mark or not same_mark]
        for by_indent in (False, True):
            free = _free(text, opening, lines, by_indent)
            if free and len(free[-1]) == 1:
                return _meant(text, free, prose)
            pairs = pairs or [line for pair in free for line in pair]
    # Only pairs: the block is never closed, unless its closing fence is doubled, or text follows the end of code.
    ended = pairs and not (prose and text[pairs[0].end : pairs[-1].start].strip())
    return pairs[0] if ended else None


def _free(text: str, opening: _Line, lines: Sequence[_Line], by_indent: bool) -> list[list[_Line]]:
    """The bare fences outside all inner blocks that could close the block, each with its partner, if any."""
    free: list[list[_Line]] = []
    inner: list[_Line] = []
    for line in lines:
        if line.mark == opening.mark and line.length < opening.length:
            continue
        could_close = line.closes(opening) and line.column <= opening.column + 3
        while by_indent and could_close and inner and inner[-1].column > line.column:
            inner.pop()
        among_free = bool(free) and inner == free[-1]
        if inner and line.closes(inner[-1]):
            if among_free:
                free[-1].append(line)
            inner.pop()
        elif inner and (line.mark != inner[-1].mark or line.length < inner[-1].length):
            # Inside a block, any fence may appear.
            continue
        elif among_free and line.language == "path" and _blank_behind(text, inner[-1]):
            # Another file.
            break
        else:
            if not inner and could_close:
                free.append([line])
            inner.append(line)
    return free


def _meant(text: str, free: Sequence[Sequence[_Line]], prose: bool) -> _Line:
    """Which free fence closes the block: the last, unless an earlier one ends the file and the reply continues.

    A pair of bare fences may be a block in the file, or the file's end and the first fence of a block after it. A blank
    line follows an end, and text follows a block's opening. A correct reply has nothing after the file. For code that
    check is not enough: its output often comes after it, and code rarely contains a bare fence.
    """
    goes_on = bool(text[free[-1][0].end :].strip())
    for fence, *partner in free[:-1]:
        ends = _blank_behind(text, fence) and not any(_blank_behind(text, line) for line in partner)
        if ends and (goes_on or not prose):
            return fence
    return free[-1][0]


def _blank_behind(text: str, line: _Line) -> bool:
    """Whether a blank line or nothing follows."""
    return bool(_BLANK_BEHIND.match(text, line.end))
