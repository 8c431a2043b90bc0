"""What came of the cases: one row each, kept as a line of JSON, and the table over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pydantic.dataclasses import dataclass
from thoughtgraph.traces.metrics.share import Share

from benchmarks.applications.cases import NAMES, PARTS, Kind, Name
from benchmarks.assistant.results import Outcome, mean, saved, share


@dataclass(frozen=True)
class Row(Outcome):
    """What came of a case."""

    app: Name
    kind: Kind
    made: list[tuple[str, dict[str, Any]]]
    """The calls that reached a tool."""

    @property
    def lacking(self) -> bool:
        """Whether the user had to be asked something."""
        return self.kind == "lacking"


def table(rows: Sequence[Row]) -> str:
    """What was counted, by application, by part where the rows are of several, and in all, as Markdown."""
    shares: dict[str, Callable[[Sequence[Row]], Share]] = {
        "right": lambda some: share(some, lambda row: row.right),
        "wrong effect": lambda some: share(some, lambda row: bool(row.wrong_effects)),
        "wrong effect without a question": lambda some: share(some, lambda row: row.wrong_unasked),
        "asked though complete": lambda some: share(
            [row for row in some if not row.lacking], lambda row: bool(row.asked)
        ),
        "lacked something, asked": lambda some: share(
            [row for row in some if row.lacking], lambda row: bool(row.asked)
        ),
    }
    means: dict[str, Callable[[Row], float]] = {
        "model calls": lambda row: row.calls,
        "prompt tokens": lambda row: row.input_tokens,
        "of these cached": lambda row: row.cached_tokens,
        "seconds": lambda row: row.seconds,
    }
    parts = {
        f"**{part}**": some for part, names in PARTS.items() if (some := [row for row in rows if row.app in names])
    }
    apps = {name: some for name in NAMES if (some := [row for row in rows if row.app == name])}
    groups = apps | (parts if len(parts) > 1 else {}) | {"**all**": rows}
    lines = [
        f"| {name} | " + " | ".join(_count(of(some)) for some in groups.values()) + " |" for name, of in shares.items()
    ]
    lines += [
        f"| {name}, mean | " + " | ".join(mean(some, of) for some in groups.values()) + " |"
        for name, of in means.items()
    ]
    ends = [
        f"right{'' if name == '**all**' else f', {name}'}: {shares['right'](some)}"
        for name, some in groups.items()
        if name not in apps
    ]
    return "\n".join(
        ["| measure | " + " | ".join(groups) + " |", "| --- |" + " --- |" * len(groups), *lines, "", *ends]
    )


def _count(share: Share) -> str:
    return f"{share.count}/{share.of}" if share.of else "–"


def saved_rows(path: Path | None) -> dict[tuple[str, str, str, str], Row]:
    """The rows of an earlier run, by model, application, id and words."""
    return {(row.model, row.app, row.id, row.said): row for row in saved(path, Row)}
