"""What models put around a reply or its sections: code fences, and characters that nobody sees."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from .._internal.fences import Fence

INVISIBLE = "\ufeff\u200b-\u200f\u2060"
"""Byte-order marks and characters without a width, as ranges for a regular expression."""

_WINDOW = 1 << 15
_LEADING = re.compile(rf"\A[{INVISIBLE}]++")
_CLOSING = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[ \t]*$", re.MULTILINE)
_FILLED_LINE = re.compile(r"^[ \t]*+\S[^\n]*+$", re.MULTILINE)
_AROUND = re.compile(rf"\A[\s{INVISIBLE}]++|[\s{INVISIBLE}]++\Z")
_WRAPPERS = frozenset({"", "markdown", "md", "text", "txt", "plaintext"})


def plain_lines(reply: str) -> str:
    """A reply with `\\n` at the end of each line and nothing invisible at its beginning."""
    return _LEADING.sub("", reply.replace("\r\n", "\n"))


def trimmed(line: str) -> str:
    """A line without white space and invisible characters around it."""
    return _AROUND.sub("", line)


def unwrapped(text: str, fences: list[Fence], begins: Callable[[str], bool]) -> Iterator[str]:
    """Other readings of a reply: its fences hold the sections, and not only what the sections are about.

    Args:
        text: the reply.
        fences: its blocks.
        begins: whether a line begins a section.

    Returns:
        The text of the blocks that begin with a section, if there are several, and nothing but white space separates
        them or their fences name a language; then the text from the first fence to the last line that could close it.
    """
    own = [fence for fence in fences if begins(_first_line(text, fence.body_start))]
    if len(own) > 1 and all(
        after.info or not text[before.end : after.start].strip() for before, after in pairwise(own)
    ):
        # If a fence is left over at the end, the last section holds blocks with the same fences.
        last = own[-1].body if fences[-1].closed else _to_last_fence(text, own[-1].body_start)
        yield "\n".join([*(fence.body for fence in own[:-1]), last])
    if fences and (fences[0].language in _WRAPPERS or fences[0] in own[:1]):
        yield _to_last_fence(text, fences[0].body_start)


def _to_last_fence(text: str, start: int) -> str:
    last = next(from_end(text, _CLOSING), None)
    return text[start : last.start() if last and last.start() > start else len(text)]


def _first_line(text: str, position: int) -> str:
    line = _FILLED_LINE.search(text, position)
    return line[0] if line else ""


def from_end(text: str, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Matches of a line pattern from last to first; reads only as much text as the caller needs."""
    end = len(text)
    while end > 0:
        start = text.rfind("\n", 0, max(0, end - _WINDOW)) + 1
        yield from reversed(list(pattern.finditer(text, start, end)))
        end = start
