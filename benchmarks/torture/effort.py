"""What every part of the torture is given, and what it gives back."""

from __future__ import annotations

import multiprocessing
import random
import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

Case = TypeVar("Case")
Found = TypeVar("Found")


@dataclass(frozen=True)
class Effort:
    """How much to try.

    Attributes:
        seed: of everything random; the same seed tries the same.
        share: 1 for the whole torture, less for a part of it.
        workers: processes at a time.
    """

    seed: int
    share: float = 1.0
    workers: int = 2

    def count(self, whole: int) -> int:
        """How many of what the whole torture tries so often; at least one."""
        return max(1, round(whole * self.share))

    def seconds(self, whole: float) -> float:
        """How long to try what the whole torture tries for so many seconds."""
        return whole * self.share

    def random(self, *names: object) -> random.Random:
        """Chance of its own for whatever the names stand for, whichever order things are tried in."""
        return random.Random(":".join(map(str, (self.seed, *names))))


@dataclass(frozen=True)
class Row:
    """A line of the table.

    Attributes:
        what: was tried.
        tried: how often.
        broke: what broke, a line for each case, with what it takes to see it again.
        note: figures that say how hard it was.
    """

    what: str
    tried: int
    broke: Sequence[str] = field(default_factory=list[str])
    note: str = ""


class HangError(BaseException):
    """A case did not end in time. What is tried may not take it for a fault that it has to handle."""


@contextmanager
def within(seconds: int) -> Generator[None]:
    """End whatever takes longer."""

    def ring(*_: Any) -> None:
        raise HangError(f"no end after {seconds} s")

    signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def spread(function: Callable[[Case], Found], cases: Sequence[Case], workers: int) -> Iterator[Found]:
    """Apply a function in forked processes, which import nothing again; results in the order of the cases."""
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        yield from pool.map(function, cases, chunksize=max(1, len(cases) // (workers * 8)))
