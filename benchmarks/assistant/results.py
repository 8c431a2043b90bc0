"""What came of the requests: one row each, kept as a line of JSON, and the tables over them."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from json import dumps
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter
from pydantic.dataclasses import dataclass
from thoughtgraph._internal.texts import Language
from thoughtgraph.traces.metrics.share import Share

from benchmarks.assistant.dataset import KINDS


@dataclass(frozen=True)
class Outcome:
    """What came of a request."""

    model: str
    id: str
    said: str
    problem: str
    """What is wrong; "" where the request was carried out right."""
    wrong_effects: list[str]
    asked: list[tuple[str, str]]
    """Questions to the user, and what the user said."""
    response: str
    stop: str
    """Why the run ended, `crash` where it broke."""
    calls: int
    """Calls of the model."""
    input_tokens: int
    cached_tokens: int
    """Of the input tokens, those that the server took from its cache."""
    output_tokens: int
    seconds: float
    events: list[dict[str, Any]]
    """The trace, with every raw reply."""

    @property
    def right(self) -> bool:
        """Whether the request was carried out right."""
        return not self.problem

    @property
    def wrong_unasked(self) -> bool:
        """Whether an effect is wrong and the user had no chance to prevent it."""
        return bool(self.wrong_effects) and not self.asked


@dataclass(frozen=True)
class Row(Outcome):
    """What came of a request to the assistant."""

    kind: str
    language: Language
    lacking: bool
    agenda: list[str]
    """The entries in the end."""


AnyOutcome = TypeVar("AnyOutcome", bound=Outcome)


def line(row: Outcome, name: str = "") -> str:
    """A request in one line, by its name or else by its id, and what is wrong with it in another."""
    figures = (
        f"{row.calls:>2} calls {row.input_tokens:>7,}+{row.output_tokens:<5,} tokens {row.seconds:>6.1f} s  {row.stop}"
    )
    told = f"{'✔' if row.right else '✘'} {name or row.id:<24} {figures}"
    return told + (f"\n    {row.problem}" if row.problem else "")


def by_kind(rows: Sequence[Row]) -> str:
    """What was right, by kind and language, as Markdown."""
    kinds = [kind for kind in KINDS if any(row.kind == kind for row in rows)]
    groups = [*((kind, [row for row in rows if row.kind == kind]) for kind in kinds), ("**all**", rows)]
    lines = [
        f"| {name} | " + " | ".join(str(share(some, lambda row: row.right)) for some in _languages(of)) + " |"
        for name, of in groups
    ]
    return "\n".join(["| right | all | English | Chinese |", "| --- | --- | --- | --- |", *lines])


def by_measure(rows: Sequence[Row]) -> str:
    """What else was counted, by language, as Markdown."""
    shares: dict[str, Callable[[Sequence[Row]], Share]] = {
        "wrong effect": lambda some: share(some, lambda row: bool(row.wrong_effects)),
        "wrong effect without a question": lambda some: share(some, lambda row: row.wrong_unasked),
        "asked about though complete": lambda some: share(
            [row for row in some if not row.lacking], lambda row: bool(row.asked)
        ),
        "lacked something, asked about": lambda some: share(
            [row for row in some if row.lacking], lambda row: bool(row.asked)
        ),
    }
    means: dict[str, Callable[[Row], float]] = {
        "prompt tokens, not cached": lambda row: row.input_tokens - row.cached_tokens,
        "prompt tokens, cached": lambda row: row.cached_tokens,
        "tokens written": lambda row: row.output_tokens,
        "calls of the model": lambda row: row.calls,
        "seconds": lambda row: row.seconds,
    }
    lines = [
        *(
            f"| {name} | " + " | ".join(str(of(some)) for some in _languages(rows)) + " |"
            for name, of in shares.items()
        ),
        *(
            f"| {name}, mean | " + " | ".join(mean(some, of) for some in _languages(rows)) + " |"
            for name, of in means.items()
        ),
    ]
    stops = Counter(row.stop for row in rows if not row.right)
    ended = ", ".join(f"{stop} {count}" for stop, count in stops.most_common()) or "none"
    return "\n".join(
        [
            "| measure | all | English | Chinese |",
            "| --- | --- | --- | --- |",
            *lines,
            "",
            f"wrong, by how the run ended: {ended}",
        ]
    )


def _languages(rows: Sequence[Row]) -> list[Sequence[Row]]:
    return [rows, *([row for row in rows if row.language == language] for language in ("en", "zh"))]


def share(rows: Sequence[AnyOutcome], counts: Callable[[AnyOutcome], bool]) -> Share:
    """How many of some rows count."""
    return Share(sum(map(counts, rows)), len(rows))


def mean(rows: Sequence[AnyOutcome], of: Callable[[AnyOutcome], float]) -> str:
    """The mean of a figure of some rows, as it is shown."""
    return f"{statistics.mean(map(of, rows)):,.1f}" if rows else "–"


def saved(path: Path | None, kind: type[AnyOutcome]) -> list[AnyOutcome]:
    """The rows of an earlier run; a line that a kill cut off is taken out of the file."""
    if path is None or not path.exists():
        return []
    text = path.read_text(encoding="utf-8")
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        path.write_text(whole, encoding="utf-8")
    return list(map(TypeAdapter(kind).validate_json, whole.splitlines()))


def saved_rows(path: Path | None) -> dict[tuple[str, str, str], Row]:
    """The rows of an earlier run of the assistant, by model, id and words."""
    return {(row.model, row.id, row.said): row for row in saved(path, Row)}


def save_row(row: Outcome, path: Path) -> None:
    """Add a row to the file of a run."""
    with path.open("a", encoding="utf-8") as file:
        file.write(dumps(asdict(row), ensure_ascii=False, default=str) + "\n")
