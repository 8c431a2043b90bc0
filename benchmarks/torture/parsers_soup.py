"""Millions of texts from the formats' own tokens, each read by the parser they are made for."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from effort import Effort, Row
from parsers_targets import TARGETS, Target
from parsers_watch import Lost, Mark, watched

_CHUNKS = 8
_SLOW = 3.0
"""Seconds that a text of some thousand characters may take while other processes use the machine, too."""


@dataclass
class Tried:
    """What came of a stretch of texts."""

    count: int = 0
    broke: dict[str, str] = field(default_factory=dict[str, str])
    slowest: float = 0.0


def finding(target: Target, problem: BaseException, text: str) -> tuple[str, str]:
    """What two findings of the same kind have in common, and the line that says it."""
    kind = f"{type(problem).__name__}: {str(problem)[:80]}"
    shown = ascii(text) if len(text) <= 300 else f"{text[:200]!a}…{text[-80:]!a} ({len(text)} characters)"
    return f"{target.name}: {kind}", f"{target.name}: {type(problem).__name__}: {str(problem)[:200]} for {shown}"


def tried_once(target: Target, text: str, tried: Tried) -> None:
    """Give a parser a text, and note what it does that it must not."""
    started = time.perf_counter()
    try:
        target.check(text)
    except Exception as problem:  # noqa: BLE001 - whatever comes is the finding
        kind, line = finding(target, problem, text)
        if len(line) < len(tried.broke.get(kind, line + " ")):
            tried.broke[kind] = line
    seconds = time.perf_counter() - started
    tried.count += 1
    tried.slowest = max(tried.slowest, seconds)
    if seconds > _SLOW:
        kind, line = finding(target, TimeoutError("slow"), text)
        tried.broke.setdefault(kind, f"{line} ({seconds:.1f} s)")


def soups(effort: Effort) -> Iterator[Row]:
    """The row of the parsers' own texts."""
    until = time.monotonic() + effort.seconds(170)

    def run(job: tuple[int, int], mark: Mark) -> Tried:
        number, chunk = job
        target = TARGETS[number]
        chance = effort.random("parsers", target.name, chunk)
        tried = Tried()
        for _ in range(effort.count(target.count) // _CHUNKS + 1):
            text = target.text(chance)
            mark(text)
            tried_once(target, text, tried)
            if not tried.count % 64 and time.monotonic() > until:
                break
        return tried

    jobs = [(number, chunk) for chunk in range(_CHUNKS) for number in range(len(TARGETS))]
    counts, broke, slowest = Counter[str](), dict[str, str](), (0.0, "")
    for (number, chunk), found in watched(run, jobs, effort.workers, 30, until):
        name = TARGETS[number].name
        if isinstance(found, Lost):
            broke[f"{name}: {found.how}"] = f"{name}: {found.how} {found.text[:300]!a} (part {chunk})"
            continue
        counts[name] += found.count
        broke |= {kind: line for kind, line in found.broke.items() if kind not in broke}
        slowest = max(slowest, (found.slowest, name))
    broke |= {target.name: f"{target.name}: was not tried" for target in TARGETS if not counts[target.name]}
    note = ", ".join(f"{name} {count:,}" for name, count in counts.items())
    note = f"slowest {slowest[0]:.2f} s ({slowest[1]}); {note}"
    yield Row(f"texts of {len(TARGETS)} formats' own tokens", sum(counts.values()), sorted(broke.values()), note)
