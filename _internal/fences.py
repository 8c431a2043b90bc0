"""Finds fenced blocks by CommonMark's rules, in linear time.

markdown-it-py finds the same blocks, and a property test compares this scanner with it. But it takes seconds for a
hostile reply of a megabyte; one pass of a regular expression takes milliseconds. Model replies need three exceptions: a
fence may be indented by any amount (list items), a fence that is never closed is reported, and one with a language may
open behind words or the mark of a list item, as in "Here it is: ```python".
"""

from __future__ import annotations

import re
from bisect import bisect_right
from textwrap import dedent

_BLOCK = re.compile(
    r"(?:^(?P<indent>[ \t]*+)|(?<=[\w:.,!?*)+：。-])[ \t]*+(?=`{3,}+[A-Za-z][\w+#.-]*+[ \t\r]*+$))"
    r"(?:(?P<ticks>`{3,}+)(?P<info>[^`\n]*+)$|(?P<tildes>~{3,}+)(?P<tilde_info>[^\n]*+)$)\n?"
    r"(?P<body>(?:[^\n]*+\n)*?)(?:(?P<close>[ \t]*+(?(ticks)(?P=ticks)`*+|(?P=tildes)~*+)[ \t\r]*+$)|[^\n]*+\Z)",
    re.MULTILINE,
)


class Fence:
    """A fenced block; it reads its parts lazily, because a reply may hold a hundred thousand blocks."""

    __slots__ = ("_block", "end", "start")

    def __init__(self, block: re.Match[str]) -> None:
        self._block = block
        self.start, self.end = block.span()
        if not block["close"]:
            self.end = len(block.string)

    @property
    def closed(self) -> bool:
        """Whether a closing fence was found; a block that is never closed ends with the text."""
        return bool(self._block["close"])

    @property
    def info(self) -> str:
        """The text after the opening fence, on its line."""
        return (self._block["info"] or self._block["tilde_info"] or "").strip()

    @property
    def language(self) -> str:
        """The first word of the info string, in lower case."""
        return (self.info.split() or [""])[0].lower()

    @property
    def body_start(self) -> int:
        """Where the line after the opening fence starts."""
        return self._block.start("body")

    @property
    def body(self) -> str:
        """The text inside, without the indentation of its fence."""
        inner = self._block["body"] if self.closed else self._block.string[self.body_start :]
        indent = self._block["indent"]
        inner = dedent(inner) if indent is None else unindented(inner, len(indent))
        return inner.removesuffix("\n").removesuffix("\r")


def unindented(body: str, indent: int) -> str:
    """A block's text without the indentation that a list item gives all of it."""
    return re.sub(rf"^[ \t]{{1,{indent}}}", "", body, flags=re.MULTILINE) if indent else body


def find_fences(text: str, last: int = 0) -> list[Fence]:
    """The fenced blocks of a text in order; only the final `last` ones, unless it is 0."""
    if "```" not in text and "~~~" not in text:
        return []
    return [Fence(block) for block in list(_BLOCK.finditer(text))[-last:]]


def fenced(text: str) -> str:
    """A text in a fenced block that nothing in the text can close."""
    marks = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{marks}\n{text}\n{marks}"


class Fenced:
    """Finds the block around an offset."""

    def __init__(self, fences: list[Fence]) -> None:
        self._fences = fences
        self._starts = [fence.start for fence in fences]

    def around(self, offset: int) -> Fence | None:
        """The block around an offset; None outside of all blocks."""
        index = bisect_right(self._starts, offset) - 1
        fence = self._fences[index] if index >= 0 else None
        return fence if fence and offset < fence.end else None
