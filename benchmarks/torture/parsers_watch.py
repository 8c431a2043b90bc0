"""Work in forked processes under watch: one that hangs, or dies, is a finding with the text it had in hand."""

from __future__ import annotations

import contextlib
import mmap
import multiprocessing
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from typing import Generic, TypeVar

Job = TypeVar("Job")
Found = TypeVar("Found")
Mark = Callable[[str], None]
"""Called with each text before it is read."""

_SHOWN = 4_000
_MEMORY = 6 << 30
_context = multiprocessing.get_context("fork")


@dataclass(frozen=True)
class Lost:
    """A process that did not come back."""

    how: str
    text: str


class _Slate:
    """What a process has in hand, where its parent can see it: a count, and the beginning of the text."""

    def __init__(self) -> None:
        self._shared = mmap.mmap(-1, 12 + 4 * _SHOWN)
        self._count = 0

    def mark(self, text: str) -> None:
        self._count += 1
        shown = text[:_SHOWN].encode("utf-8", "surrogatepass")
        self._shared[: 12 + len(shown)] = self._count.to_bytes(8, "big") + len(shown).to_bytes(4, "big") + shown

    def read(self) -> tuple[int, str]:
        size = int.from_bytes(self._shared[8:12], "big")
        return int.from_bytes(self._shared[:8], "big"), self._shared[12 : 12 + size].decode("utf-8", "replace")


class _Worker(Generic[Job, Found]):
    def __init__(self, run: Callable[[Job, Mark], Found], job: Job) -> None:
        self.job = job
        self.slate = _Slate()
        self.seen, self.since = 0, time.monotonic()
        self.answers, theirs = _context.Pipe(duplex=False)
        self.process: ForkProcess = _context.Process(target=_work, args=(run, job, self.slate, theirs), daemon=True)
        self.process.start()
        theirs.close()

    def hangs(self, limit: float) -> bool:
        """Whether it has had the same text in hand for too long."""
        count, _ = self.slate.read()
        if count != self.seen:
            self.seen, self.since = count, time.monotonic()
        return time.monotonic() - self.since > limit


def _work(run: Callable[[Job, Mark], Found], job: Job, slate: _Slate, answers: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, resource.RLIM_INFINITY))
    answers.send(run(job, slate.mark))


def watched(
    run: Callable[[Job, Mark], Found], jobs: Sequence[Job], workers: int, limit: float, until: float
) -> Iterator[tuple[Job, Found | Lost]]:
    """Give each job to a process of its own, some at a time; results as they come.

    Args:
        run: gets a job, and calls `mark` with each text that it takes in hand.
        jobs: what there is to do.
        workers: processes at a time.
        limit: seconds for one text; a process that needs more is killed.
        until: the `time.monotonic()` after which no job is begun.
    """
    left, busy = list(jobs), list[_Worker[Job, Found]]()
    while busy or (left and time.monotonic() < until):
        while left and len(busy) < workers and time.monotonic() < until:
            busy.append(_Worker(run, left.pop(0)))
        ready = wait([worker.answers for worker in busy], timeout=0.5)
        for worker in list(busy):
            if worker.answers in ready:
                found: Found | Lost = Lost("died reading", "")
                with contextlib.suppress(EOFError):
                    found = worker.answers.recv()
            elif worker.hangs(limit):
                worker.process.kill()
                found = Lost(f"took more than {limit:g} s for", "")
            else:
                continue
            if isinstance(found, Lost):
                found = Lost(found.how, worker.slate.read()[1])
            worker.process.join()
            worker.answers.close()
            busy.remove(worker)
            yield worker.job, found
