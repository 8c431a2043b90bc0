"""The sandbox's verdict on a pair, held against the truth."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from effort import spread
from thoughtgraph import PythonTests

from .pair import Pair
from .truth import is_steady, said

RESULTS = Path(__file__).parents[3] / "runs" / "oracle" / "false_verdicts.jsonl"


@dataclass(frozen=True)
class Asked:
    """What the sandbox says of a pair.

    Attributes:
        pair: what it was asked about.
        status: of its verdict; `"refused"` where it does not take the tests.
        why: in its own words.
        is_false: whether the truth is another one.
    """

    pair: Pair
    status: str
    why: str
    is_false: bool

    def __str__(self) -> str:
        return f"{self.pair}: {self.status}: {' '.join(self.why.split())[:160]}"


def ask(pairs: Sequence[Pair], workers: int) -> Iterator[Asked]:
    """Ask the sandbox, and find its false verdicts.

    A right pair has to pass; every other one must not. A verdict that disagrees with the truth counts only where plain
    CPython says the same under many seeds of hashing.
    """
    yield from spread(_asked, pairs, workers)


def keep(false: Sequence[Asked]) -> Path:
    """Write false verdicts as JSON lines, for `python benchmarks/torture/oracle --again`."""
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps({"id": asked.pair.id, **asdict(asked)}, ensure_ascii=False) for asked in false]
    RESULTS.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return RESULTS


def kept() -> list[Pair]:
    """The pairs of the last list of false verdicts."""
    if not RESULTS.is_file():
        return []
    return [Pair(**json.loads(line)["pair"]) for line in RESULTS.read_text(encoding="utf-8").splitlines()]


def _asked(pair: Pair) -> Asked:
    try:
        verdict = PythonTests(pair.tests, entry_point=pair.entry_point or None).run(pair.code)
        status, why = verdict.status, verdict.feedback
    except Exception as error:  # noqa: BLE001 - refused tests, or a defect: a false verdict both ways
        status, why = "refused", f"{type(error).__name__}: {error}"
    disagrees = status != "passed" if pair.kind == "right" else status in ("passed", "refused")
    return Asked(pair, status, why, disagrees and (pair.kind == "dishonest" or is_steady(pair)))


def shown(asked: Asked) -> str:
    """A verdict with its sources and what plain CPython prints, for a reader."""
    truth = "" if asked.pair.kind == "dishonest" else f"\n--- plain CPython\n{said(asked.pair).strip()[-600:]}\n"
    return (
        f"{'=' * 100}\n{asked.pair}\nthe sandbox: {asked.status}: {asked.why}\n--- code\n{asked.pair.code}\n"
        f"--- tests, {asked.pair.runner} {asked.pair.entry_point}\n{asked.pair.tests}{truth}"
    )
