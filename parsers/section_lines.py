"""Sections under lines that match regular expressions: the regex mode of `multi_section_parser`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from .._internal.fences import Fence, Fenced, find_fences
from .headers import name_of
from .wrapping import neat, trimmed, unwrapped

Found = tuple[str, str, str]
"""The expression, the line that it matched, and the text below that line."""


def sections_below(text: str, headers: Sequence[str]) -> list[Found]:
    """Read the reply as it is, or without a fence that wraps it; of a line that comes twice, the last counts.

    Raises:
        ValueError: a header is not a regular expression.
    """
    patterns: dict[str, re.Pattern[str]] = {}
    for header in headers:
        try:
            patterns[header] = re.compile(header)
        except re.error as problem:
            raise ValueError(f"section header {header!r} is not a regular expression: {problem}") from None
    matching = partial(_matching, patterns)
    fences = find_fences(text)
    best = _found(text, matching, fences)
    for inner in unwrapped(text, fences, lambda line: matching(trimmed(line)) is not None):
        if _filled(best) == len(headers):
            break
        best = max(best, _found(inner, matching, find_fences(inner)), key=_filled)
    return best


def _filled(sections: list[Found]) -> int:
    return sum(bool(text) for _, _, text in sections)


def _matching(patterns: Mapping[str, re.Pattern[str]], line: str) -> str | None:
    return next((name for name, pattern in patterns.items() if pattern.fullmatch(line)), None)


def _found(text: str, matching: Callable[[str], str | None], fences: list[Fence]) -> list[Found]:
    fenced = Fenced(fences)
    sections: dict[str, Found] = {}
    # A line's place costs more to find than a match costs, and hardly any line matches.
    lines = text.split("\n")
    keys = [trimmed(line) for line in lines]
    # A reply in circles has the same line a hundred thousand times.
    known = {key: matching(key) for key in dict.fromkeys(keys) if key}
    if not any(known.values()):
        return []
    end = start = len(text) + 1
    for line, key in zip(reversed(lines), reversed(keys), strict=True):
        start -= len(line) + 1
        header = known.get(key)
        if header is not None and not fenced.around(start):
            sections.setdefault(key, (header, key, neat(text[start + len(line) : end], name_of(key))))
            end = start
    return list(reversed(sections.values()))
