"""A bad model behind a bad server: every loop against random scripts of faults, over real HTTP on loopback.

A script is drawn from a seed: what the server does wrong (status codes, resets, time-outs, half bodies, garbage, bodies
of the wrong shape), and what the model says (other scripts, floods of megabytes, imitations of our own formats, hostile
payloads, the same for ever, and good replies between, so that runs go deep). Each is played against a loop by one of
eight ways to run a graph, with budgets, tools, verifiers and checkpointers drawn as well. `tests/support/bad_*.py` hold
the scripts, the loops and the checks.

The waits of the back-off are cut to nothing after they have been checked against their bounds; a client gives a server
0.4 seconds. What a server can do to hold a client for ever, a byte now and then, is not tried: the time-out of an HTTP
client is for one read.
"""

from __future__ import annotations

import faulthandler
import gc
import resource
import warnings
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import langchain_openai  # noqa: F401 - once, before the processes are forked
from effort import Effort, HangError, Row, spread, within
from support.bad_calls import CALLS
from support.bad_runs import LOOPS, tried
from support.bad_ways import Waits, table
from thoughtgraph.models import Backoff

HARD_LIMIT = 30
"""Seconds for one run, on a machine that may be busy; the longest take two."""
_SCRIPTS = 1_000
_BATCH = 25
# A run keeps up to three floods of 3 MB in its trace, and every prompt that replays them; with the request's JSON, the
# body on the wire, its parsed form and the exports, each is there some twenty times at the worst moment. What one run
# needs, the next may not add to.
_MOST_MEGABYTES, _MOST_GROWTH = 900, 300
_ALL = {**LOOPS, **CALLS}


@dataclass
class Batch:
    """What came of some scripts."""

    tried: int = 0
    requests: int = 0
    faults: int = 0
    slowest: float = 0.0
    grown: float = 0.0
    peak: float = 0.0
    broke: list[str] = field(default_factory=list[str])
    kinds: Counter[str] = field(default_factory=Counter[str])


def torture(effort: Effort) -> Iterator[Row]:
    """Every loop, and every call that the loops are made of."""
    for loop in _ALL:
        scripts = [f"{effort.seed}:{loop}:{number}" for number in range(effort.count(_SCRIPTS))]
        batches = [scripts[start : start + _BATCH] for start in range(0, len(scripts), _BATCH)]
        whole = Batch()
        for batch in spread(partial(_play, loop), batches, effort.workers):
            whole.tried += batch.tried
            whole.requests += batch.requests
            whole.faults += batch.faults
            whole.broke += batch.broke
            whole.kinds += batch.kinds
            whole.slowest = max(whole.slowest, batch.slowest)
            whole.peak = max(whole.peak, batch.peak)
            whole.grown = max(whole.grown, batch.grown)
        ends = ", ".join(f"{kind} {count}" for kind, count in whole.kinds.most_common())
        note = (
            f"{whole.requests:,} requests, {whole.faults:,} faults; slowest {whole.slowest:.1f} s; at most "
            f"{whole.peak:.0f} MB, grown by {whole.grown:.0f}; back-off shortened; ended: {ends}"
        )
        yield Row(f"{loop} against random scripts of faults", whole.tried, whole.broke, note)


def _play(loop: str, seeds: list[str]) -> Batch:
    """Play some scripts, in a process of its own kind."""
    warnings.simplefilter("ignore")
    batch = Batch()
    with _no_waiting() as waits, table() as at:
        before = 0.0
        for number, seed in enumerate(seeds):
            try:
                # Where an exception does not help, the process ends.
                faulthandler.dump_traceback_later(3 * HARD_LIMIT, exit=True)
                with within(HARD_LIMIT):
                    found = tried(loop, _ALL[loop], at, seed)
            except HangError:
                batch.broke.append(f"{loop} {seed} did not end in {HARD_LIMIT} seconds")
                break
            except Exception as error:  # noqa: BLE001 - the other scripts are played all the same
                batch.broke.append(f"{loop} {seed}: {type(error).__name__}: {str(error)[:200]!a}")
                continue
            finally:
                faulthandler.cancel_dump_traceback_later()
                batch.tried += 1
            batch.requests += found.requests
            batch.faults += found.faults
            batch.kinds[found.kind] += 1
            batch.slowest = max(batch.slowest, found.seconds)
            batch.broke += [f"{found.case}: {problem}" for problem in found.problems]
            if number == len(seeds) // 2:
                before = _resident()
        batch.grown = max(0.0, _resident() - before) if before else 0.0
        batch.peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        batch.broke += [f"{loop} {seeds[0]}: {problem}" for problem in waits.problems]
        batch.broke += [f"{loop} {seeds[0]}: the server itself: {failure!r:.200}" for failure in at.server.failures]
        at.server.failures.clear()
    if batch.peak > _MOST_MEGABYTES or batch.grown > _MOST_GROWTH:
        batch.broke.append(f"{loop} {seeds[0]} and on: {batch.peak:.0f} MB, grown by {batch.grown:.0f}")
    return batch


def _resident() -> float:
    """Megabytes that this process holds."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 2**20


@contextmanager
def _no_waiting() -> Generator[Waits]:
    waits = Waits()
    asked = Backoff.seconds
    Backoff.seconds = lambda backoff, attempt, error=None: waits(backoff, attempt, error)
    try:
        yield waits
    finally:
        Backoff.seconds = asked
