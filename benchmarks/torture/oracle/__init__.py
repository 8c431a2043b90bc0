"""The oracle of verdicts: nothing right fails, nothing wrong passes, and no dishonest program gets a pass.

Pairs of a program and its tests come from a bank of our own (`bank`), in the styles that people and models write code
in (`styles`), under the shapes that they write tests in (`shapes`, `suites`), right or made wrong in one place
(`mutants`). What a pair is, plain CPython says (`truth`); then the sandbox is asked (`verdicts`).

    python benchmarks/torture/run.py oracle --share 0.1 --seed 3
    python benchmarks/torture/oracle --share 0.1 --seed 3     prints every false verdict with its sources
    python benchmarks/torture/oracle --again                  asks once more about those of the last time
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice

from effort import Effort, Row

from .candidates import candidates
from .dishonest import BY_NATURE, true_solutions
from .pair import Kind, Pair
from .truth import judge
from .verdicts import Asked, ask, keep

__all__ = ["KINDS", "pairs", "torture", "verdicts"]

KINDS: tuple[Kind, ...] = ("right", "wrong", "dishonest")
_WHOLE: dict[Kind, int] = {"right": 2_300, "wrong": 2_300, "dishonest": 500}
"""How many pairs of a kind the whole torture asks about. The bank has about as many right and dishonest ones, and more
wrong ones, of which each seed draws others."""


def pairs(kind: Kind, seed: int, count: int, workers: int = 2) -> list[Pair]:
    """Draw pairs whose kind the judge of truth has confirmed, for a sample or for all of them.

    Args:
        kind: `"right"`, `"wrong"`, or `"dishonest"`: those that must not pass.
        seed: the same one draws the same.
        count: how many; fewer where the bank has no more.
        workers: processes at a time that judge what the cache does not know.
    """
    drawn = candidates(kind, seed)
    if kind == "dishonest":
        return [pair for pair in drawn if BY_NATURE not in pair.name][:count]
    found: dict[str, Pair] = {}
    while len(found) < count and (batch := list(islice(drawn, max(8, count - len(found))))):
        found |= {pair.id: pair for pair in _confirmed(batch, workers)}
    return list(found.values())[:count]


def verdicts(effort: Effort) -> Iterator[tuple[Kind, list[Asked]]]:
    """What the sandbox says of every pair that the effort allows, a kind after the other."""
    for kind in KINDS:
        drawn = pairs(kind, effort.seed, effort.count(_WHOLE[kind]), effort.workers)
        yield kind, list(ask(drawn, effort.workers))


def torture(effort: Effort) -> Iterator[Row]:
    """A row for each kind of program."""
    wrongly_failed = [str(pair) for pair, truth in _judged(true_solutions(), effort) if truth != "passed"]
    if wrongly_failed:
        yield Row("true solutions of the dishonest programs' tests", len(true_solutions()), wrongly_failed)
    false: list[Asked] = []
    for kind, asked in verdicts(effort):
        wrong = [one for one in asked if one.is_false]
        false += wrong
        keep(false)
        # Beside its tests a program that is out to cheat can pass: a documented limit, counted and not held.
        broke = [] if kind == "dishonest" else list(map(str, wrong))
        yield Row(f"{kind} programs", len(asked), broke, _note(asked))


def _note(asked: list[Asked]) -> str:
    counts = Counter(one.status for one in asked)
    return ", ".join(f"{status} {count}" for status, count in counts.most_common())


def _judged(wanted: tuple[Pair, ...], effort: Effort) -> Iterator[tuple[Pair, str]]:
    return zip(wanted, judge(wanted, effort.workers), strict=True)


def _confirmed(batch: list[Pair], workers: int) -> list[Pair]:
    """Those that are what they were made for; a wrong one has to fail without its demos, too."""
    wanted = {"right": "passed", "wrong": "failed"}
    bare = [
        Pair(pair.kind, "", "", pair.bare or pair.code, pair.tests, pair.runner, pair.entry_point) for pair in batch
    ]
    truths = zip(batch, judge(batch, workers), judge(bare, workers), strict=True)
    return [pair for pair, *truth in truths if truth == [wanted[pair.kind]] * 2]
