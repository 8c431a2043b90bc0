"""Everything that reads what a model wrote, at the mercy of millions of texts.

Read are replies (sections, rules, chains of thought, think blocks, fences, critiques, reflections, JSON by several
types, the plan-act payloads and their actions, code, files), the tools' lines, dates and names, pages of search
results, and the files of runs. Each text counts once for each parser that reads it.
"""

from __future__ import annotations

from collections.abc import Iterator

from effort import Effort, Row
from parsers_growth import growth
from parsers_guided import guided
from parsers_soup import soups
from parsers_written import written


def torture(effort: Effort) -> Iterator[Row]:
    """Hostile texts, texts that coverage leads to, well-formed texts, and texts that grow."""
    yield from soups(effort)
    yield from guided(effort)
    yield from written(effort)
    yield from growth(effort)
