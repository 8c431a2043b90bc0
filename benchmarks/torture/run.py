"""Try to break thoughtgraph, and print what was tried, how often, and what broke.

    python benchmarks/torture/run.py                          everything: under 20 minutes on two cores
    python benchmarks/torture/run.py --share 0.1              a tenth of everything
    python benchmarks/torture/run.py crashes load --seed 7    some parts, from another seed

Parts, in their order: crashes, bad_model, parsers, hostile, oracle, load. Exits with 1 where something broke; each
line below the table says what, and which seed shows it again.
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "tests"))

from effort import Effort, Row  # noqa: E402 - beside this file
from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

PARTS = ("crashes", "bad_model", "parsers", "hostile", "oracle", "load")
BEGIN, END = "<!-- table: make torture -->", "<!-- end of table -->"


def tried(name: str, effort: Effort) -> Iterator[Row]:
    """A part's rows as they come; a part that cannot go on is a row that broke."""
    try:
        yield from importlib.import_module(name).torture(effort)
    except Exception as error:  # noqa: BLE001 - the other parts are tried all the same
        yield Row(f"{name} could not be tried to its end", 0, [f"{type(error).__name__}: {error}"])


def markdown(rows: list[tuple[str, Row, float]], effort: Effort) -> str:
    """The table as the documentation shows it."""
    lines = ["| part | tried | times | broke | seconds | |", "| --- | --- | ---: | ---: | ---: | --- |"]
    lines += [
        f"| {part} | {row.what} | {row.tried:,} | {len(row.broke)} | {seconds:.0f} | {row.note} |"
        for part, row, seconds in rows
    ]
    minutes = sum(taken for *_, taken in rows) / 60
    lines.append(
        f"\n{minutes:.0f} minutes on {os.cpu_count()} cores, Python {platform.python_version()}, seed {effort.seed}."
    )
    return "\n".join(lines)


def write(page: Path, text: str) -> None:
    """Put the table between the page's two marks."""
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    page.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")


def main() -> int:
    """Try what was asked for, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="all of them if none is named")
    parser.add_argument("--share", type=float, default=1.0, help="how much of it, from 0 to 1")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", type=Path, metavar="PAGE", help="a page whose table is replaced")
    given: Any = parser.parse_args()
    effort, console = Effort(given.seed, given.share), Console(width=150)
    rows: list[tuple[str, Row, float]] = []
    for part in given.parts or PARTS:
        started = time.monotonic()
        for row in tried(part, effort):
            seconds, started = time.monotonic() - started, time.monotonic()
            rows.append((part, row, seconds))
            mark = "[red]broke[/red]" if row.broke else "held"
            console.print(f"{part}: {row.what}: {row.tried:,} tried, {mark}  [dim]{seconds:.0f} s  {row.note}[/dim]")
            for line in row.broke[:20]:
                console.print(f"    {line}", markup=False, highlight=False)
    table = Table("part", "tried", "times", "broke", "seconds", "")
    for part, row, seconds in rows:
        table.add_row(part, row.what, f"{row.tried:,}", str(len(row.broke)), f"{seconds:.0f}", row.note)
    console.print(table)
    broke = sum(len(row.broke) for _, row, _ in rows)
    console.print(f"{sum(row.tried for _, row, _ in rows):,} tried, {broke} broke; seed {effort.seed}")
    if given.write:
        write(given.write, markdown(rows, effort))
    return 1 if broke else 0


if __name__ == "__main__":
    sys.exit(main())
