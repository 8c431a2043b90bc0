"""What came of the cases: one row each, kept as a line of JSON, and the table over them."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict
from json import dumps
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from pydantic.dataclasses import dataclass
from thoughtgraph.traces.metrics.share import Share

from benchmarks.applications.cases import NAMES, Kind, Name


@dataclass(frozen=True)
class Row:
    """What came of a case."""

    model: str
    app: Name
    id: str
    kind: Kind
    said: str
    problem: str
    """What is wrong; "" where the request was carried out right."""
    wrong_effects: list[str]
    made: list[tuple[str, dict[str, Any]]]
    """The calls that reached a tool."""
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
    def lacking(self) -> bool:
        """Whether the user had to be asked something."""
        return self.kind == "lacking"


def line(row: Row) -> str:
    """A case in one line, and what is wrong with it in another."""
    figures = f"{row.calls:>2} calls {row.input_tokens:>7,}+{row.output_tokens:<5,} tokens {row.seconds:>6.1f} s"
    told = f"{'✘' if row.problem else '✔'} {row.app + '/' + row.id:<20} {figures}  {row.stop}"
    return told + (f"\n    {row.problem}" if row.problem else "")


def table(rows: Sequence[Row]) -> str:
    """What was counted, by application, as Markdown."""
    shares: dict[str, Callable[[Sequence[Row]], Share]] = {
        "right": lambda some: _share(some, lambda row: not row.problem),
        "wrong effect": lambda some: _share(some, lambda row: bool(row.wrong_effects)),
        "wrong effect without a question": lambda some: _share(
            some, lambda row: bool(row.wrong_effects) and not row.asked
        ),
        "asked though complete": lambda some: _share(
            [row for row in some if not row.lacking], lambda row: bool(row.asked)
        ),
        "lacked something, asked": lambda some: _share(
            [row for row in some if row.lacking], lambda row: bool(row.asked)
        ),
    }
    means: dict[str, Callable[[Row], float]] = {
        "model calls": lambda row: row.calls,
        "prompt tokens": lambda row: row.input_tokens,
        "of these cached": lambda row: row.cached_tokens,
        "seconds": lambda row: row.seconds,
    }
    groups = {name: some for name in NAMES if (some := [row for row in rows if row.app == name])} | {"**all**": rows}
    lines = [
        f"| {name} | " + " | ".join(_count(of(some)) for some in groups.values()) + " |" for name, of in shares.items()
    ]
    lines += [
        f"| {name}, mean | " + " | ".join(_mean(some, of) for some in groups.values()) + " |"
        for name, of in means.items()
    ]
    whole = str(shares["right"](rows))
    return "\n".join(
        ["| measure | " + " | ".join(groups) + " |", "| --- |" + " --- |" * len(groups), *lines, "", f"right: {whole}"]
    )


def _share(rows: Sequence[Row], counts: Callable[[Row], bool]) -> Share:
    return Share(sum(map(counts, rows)), len(rows))


def _count(share: Share) -> str:
    return f"{share.count}/{share.of}" if share.of else "–"


def _mean(rows: Sequence[Row], of: Callable[[Row], float]) -> str:
    return f"{statistics.mean(map(of, rows)):,.1f}" if rows else "–"


def saved_rows(path: Path | None) -> dict[tuple[str, str, str, str], Row]:
    """The rows of an earlier run, by model, application, id and words; a line that a kill cut off is left out."""
    if path is None or not path.exists():
        return {}
    text = path.read_text(encoding="utf-8")
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        path.write_text(whole, encoding="utf-8")
    rows = map(TypeAdapter(Row).validate_json, whole.splitlines())
    return {(row.model, row.app, row.id, row.said): row for row in rows}


def save_row(row: Row, path: Path) -> None:
    """Add a row to the file of a run."""
    with path.open("a", encoding="utf-8") as file:
        file.write(dumps(asdict(row), ensure_ascii=False, default=str) + "\n")
