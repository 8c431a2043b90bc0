"""Load: a thousand runs at once, ten thousand in sequence, back-pressure, and runs that are cut short at any moment.

What is held to what: throughput to 80 % of the ideal of benchmarks/engine (with its collector that starts seldom; time
in which the machine ran something else is left out); memory to 300 bytes and 0.1 objects a run, from the second quarter
of the runs to the last; open files and threads to no growth at all; processor time a run to 1.25 of what it was first.
Every run has a tag of its own, which must be in all of its prompts, events, effects and answers, and no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from effort import Effort, Row
from load_cancel import WAYS, cut_short
from load_child import Child, Found
from load_concurrent import KEPT, at_once, in_processes, in_threads
from load_model import LOOPS
from load_places import PLACES
from load_pressure import leaving_consumers, limited, slow_consumer
from load_sequence import in_sequence

_Case = tuple[Callable[..., Found], tuple[Any, ...]]
SECONDS = 600.0
SEQUENCES = {"plain": 10_000, "sqlite": 1_000, "traced": 400, "sandbox": 200}


def _found(cases: Sequence[_Case], workers: int, seconds: float = SECONDS) -> list[Found]:
    """Cases in processes of their own, some at a time."""
    left, running, found = list(cases), list[Child](), list[Found]()
    while left or running:
        while left and len(running) < workers:
            case, arguments = left.pop(0)
            running.append(Child(case, *arguments))
        found.append(running.pop(0).found(seconds))
    return found


def _row(what: str, found: Sequence[Found], note: str = "") -> Row:
    return Row(what, sum(one.tried for one in found), [line for one in found for line in one.broke], note)


def torture(effort: Effort) -> Iterator[Row]:
    """The rows of the load, as they come."""
    count = effort.count
    found = _found([(at_once, (loop, max(200, count(1_000)))) for loop in LOOPS], effort.workers)
    note = "; ".join(str(one.figures.get("share", "")) for one in found)
    yield _row("runs at once on one event loop, model of 50 ms, share of the ideal throughput", found, note)

    cases: list[_Case] = [
        (in_threads, (loop, max(20, count(200)), max(20, count(200)))) for loop in ("plan_act", "reflexion")
    ]
    yield _row("sync runs in up to 200 threads, one graph and one SQLite file", _found(cases, effort.workers))

    opened = [in_processes(kind, max(3, count(30)), 4, SECONDS) for kind in KEPT]
    yield _row("4 processes that open one new file of checkpoints, agenda or failures at once", opened)

    cases = [(in_sequence, (what, max(40, count(number)))) for what, number in SEQUENCES.items()]
    found = _found(cases, effort.workers)
    yield _row("runs in sequence: memory, files, threads, pace", found, _growth(found))

    cases = [
        (limited, (entry, limit, max(20, count(wanted))))
        for entry in ("arun_many", "asolve_many")
        for limit, wanted in ((1, 50), (8, 200), (64, 400))
    ]
    yield _row("results of 100,000 tasks taken under a limit, then cancelled", _found(cases, effort.workers))

    cases = [(slow_consumer, ()), (leaving_consumers, (max(3, count(30)),))]
    yield _row("events for consumers that are slow or leave", _found(cases, effort.workers))

    places = [(place, loop) for place in PLACES for loop in place.loops]
    cases = [
        (cut_short, (place.name, loop, max(2, count(place.times * len(WAYS))), 2 * number, effort))
        for number, (place, loop) in enumerate(places)
    ]
    found = _found(cases, effort.workers)
    cut = {way: sum(one.figures.get(way, 0) for one in found) for way in WAYS}
    note = "before their end: " + ", ".join(f"{way} {number}" for way, number in cut.items())
    yield _row("runs cut short in 7 places and 6 ways, then resumed", found, note)


def _growth(found: Sequence[Found]) -> str:
    """What one more run leaves behind."""
    grown = [
        f"{name} {figures['objects']:.2f} objects, {figures['resident']:.0f} bytes a run"
        for name, figures in zip(SEQUENCES, (one.figures for one in found), strict=True)
        if figures
    ]
    return "; ".join(grown)
