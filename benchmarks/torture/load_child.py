"""Every case of the load in a process of its own, under a time limit, and what a case leaves behind in its process."""

from __future__ import annotations

import gc
import multiprocessing
import os
import shutil
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from thoughtgraph.tools.sandbox.pool import pool

_FORK = multiprocessing.get_context("fork")
# Threads of asyncio's own pool stay for the next call; they end with the loop.
POOLED = ("asyncio_",)


@dataclass
class Found:
    """What a case found: how many times it tried, what broke, and its figures."""

    tried: int = 0
    broke: list[str] = field(default_factory=list[str])
    figures: dict[str, Any] = field(default_factory=dict[str, Any])


class Child:
    """A case that runs in a forked process; its temporary folder is its own and goes with it."""

    def __init__(self, case: Callable[..., Found], *arguments: Any) -> None:
        self._name = f"{case.__name__}{tuple(a for a in arguments if isinstance(a, (str, int, float)))}"
        self._folder = tempfile.mkdtemp(prefix="load-")
        self._reader, writer = _FORK.Pipe(duplex=False)
        self._process = _FORK.Process(target=_work, args=(case, arguments, self._folder, writer))
        self._process.start()
        writer.close()
        self.pid = self._process.pid or 0

    def found(self, seconds: float) -> Found:
        """What the case came to; a case that takes longer, or that dies, has broken."""
        try:
            if not self._reader.poll(seconds):
                return Found(1, [f"{self._name}: not done after {seconds:.0f} s"])
            return self._reader.recv()
        except EOFError:
            self._process.join(5)
            return Found(1, [f"{self._name}: the process ended with {self._process.exitcode}"])
        finally:
            if self._process.is_alive():
                self._process.join(5)
            self._process.kill()
            self._process.join()
            self._reader.close()
            shutil.rmtree(self._folder, ignore_errors=True)


def _work(case: Callable[..., Found], arguments: tuple[Any, ...], folder: str, writer: Any) -> None:
    tempfile.tempdir = folder
    # What has been imported is no case's doing; looking through it again and again would take most of the time.
    gc.freeze()
    try:
        found = case(*arguments)
    except BaseException as error:  # noqa: BLE001 - a case that cannot go on is told like any other
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}:{place.lineno}"
        found = Found(1, [f"{case.__name__}: {type(error).__name__}: {str(error)[:300]} ({where})"])
    writer.send(found)
    writer.close()
    # Whatever hangs in a thread or at exit has been counted by the case, or is none of its business.
    os._exit(0)


@dataclass(frozen=True)
class Held:
    """What this process holds: open files, threads, child processes, temporary files."""

    files: dict[str, str]
    threads: frozenset[str]
    processes: frozenset[str]
    temporary: frozenset[str]


def held() -> Held:
    """What this process holds now, without the sandboxes that wait to be used."""
    pool().close()
    files: dict[str, str] = {}
    for link in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            files[link.name] = str(link.readlink())
    # The folder that is being listed is open itself.
    files = {name: target for name, target in files.items() if not target.endswith("/fd")}
    threads = frozenset(
        f"{thread.name} {thread.ident}" for thread in threading.enumerate() if not thread.name.startswith(POOLED)
    )
    processes: set[str] = set()
    for task in Path("/proc/self/task").iterdir():
        with suppress(OSError):
            processes |= set((task / "children").read_text().split())
    temporary = frozenset(path.name for path in Path(tempfile.gettempdir()).iterdir())
    return Held(files, threads, frozenset(processes), temporary)


def leftovers(before: Held, seconds: float) -> list[str]:
    """What is held beyond what was held before, after so many seconds at most for it to go."""
    deadline = time.monotonic() + seconds
    while True:
        gc.collect()
        now = held()
        left = [f"open file {target}" for name, target in now.files.items() if name not in before.files]
        left += [f"thread {name}" for name in now.threads - before.threads]
        left += [f"process {_named(process)}" for process in now.processes - before.processes]
        left += [f"temporary {name}" for name in now.temporary - before.temporary]
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.02)


def _named(process: str) -> str:
    with suppress(OSError):
        return f"{process} {Path(f'/proc/{process}/cmdline').read_bytes()[:80]!r}"
    return process
