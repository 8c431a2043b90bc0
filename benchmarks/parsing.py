"""Parsers on a megabyte: well-formed and hostile. Prints milliseconds and the growth from 0.5 MB to 1 MB.

    python benchmarks/parsing.py

Target: 50 ms for 1 MB, and about twice the time for twice the text.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel
from rich.console import Console
from rich.table import Table
from thoughtgraph import json_parser, multi_section_parser, python_parser
from thoughtgraph.parsers import parse_markdown_with_skip

MEGABYTE = 1_000_000
TARGET_MS = 50.0
REPEATS = 5


class Plan(BaseModel):
    """A schema for the JSON parser."""

    goal: str
    steps: list[str]


PARSERS: dict[str, Callable[[str], Any]] = {
    "sections": lambda text: multi_section_parser(text, ["[Plan]", "[Answer]"]),
    "rule": lambda text: multi_section_parser(text),
    "json": lambda text: json_parser(text, Plan),
    "code": lambda text: python_parser(text, ["solve"]),
    "file": lambda text: parse_markdown_with_skip(text, "markdown"),
}
PROSE = "The quick brown fox jumps over the lazy dog, said the model, and then it went on.\n"
INPUTS: dict[str, Callable[[int], str]] = {
    "prose, then sections": lambda n: filled(PROSE, n) + "[Plan]\nwalk\n[Answer]\nhome\n",
    "prose, then JSON": lambda n: filled(PROSE, n) + '{"goal": "home", "steps": ["walk"]}',
    "empty lines": lambda n: "\n" * n,
    "spaces": lambda n: " " * n,
    "headers": lambda n: filled("[Plan]\n", n),
    "headers in one line": lambda n: filled("[Plan] ", n),
    "heading marks": lambda n: filled("#### **** ####\n", n),
    "fence lines": lambda n: filled("```\n", n),
    "fences around headers": lambda n: filled("```\n[Plan]\n```\n", n),
    "open fences": lambda n: filled("```a\n[Plan]\n", n),
    "backticks": lambda n: "`" * n,
    "open braces": lambda n: "{" * n,
    "nested objects": lambda n: filled('{"a":', n),
    "empty arrays": lambda n: filled("[]", n),
    "quotes": lambda n: '"' * n,
    "escapes": lambda n: filled('"\\', n),
    "rules": lambda n: filled("=====\n", n),
    "path blocks": lambda n: filled("```path\n", n),
    "skips": lambda n: filled("SKIP", n),
}


def filled(piece: str, length: int) -> str:
    """A text of about that length made of one piece."""
    return piece * (length // len(piece))


def milliseconds(parser: Callable[[str], Any], text: str) -> float:
    """The median of some runs."""
    times: list[float] = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        parser(text)
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


def main() -> None:
    """Measure every parser on every input."""
    console = Console(width=140)
    table = Table("input", *(f"{name} ms (growth)" for name in PARSERS), title="1 MB")
    losses: list[str] = []
    for title, build in INPUTS.items():
        half, whole = build(MEGABYTE // 2), build(MEGABYTE)
        cells: list[str] = []
        for name, parser in PARSERS.items():
            taken, before = milliseconds(parser, whole), milliseconds(parser, half)
            cells.append(f"{taken:.0f} (×{taken / max(before, 0.01):.1f})" if taken >= 1 else "<1")
            if taken > TARGET_MS:
                losses.append(f"{name} on {title}: {taken:.0f} ms")
        table.add_row(title, *cells)
    console.print(table)
    console.print(f"above {TARGET_MS:.0f} ms: {'; '.join(losses) or 'none'}", soft_wrap=True)


if __name__ == "__main__":
    main()
