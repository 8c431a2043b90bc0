"""What Linux tells of a process and of all below it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

_OF_ENDED = slice(13, 15)
"""User and system time of ended children in `/proc/…/stat`, behind the program's name."""


def memory_below(process: int, *, shared: bool = False) -> int:
    """Bytes that a process and all below it have in memory.

    Args:
        process: its number.
        shared: divide shared memory among the processes that share it, which is slower to read; else each of them
            counts all of it.
    """
    found = 0
    for folder, _ in _below(process):
        try:
            pages = int((folder / "statm").read_text().split()[1])
            found += (shared and _own_share(folder)) or pages * os.sysconf("SC_PAGE_SIZE")
        except OSError:
            # It has ended since.
            continue
    return found


def shares_below(process: int) -> dict[str, tuple[int, int]]:
    """For each thread of a process and of all processes below it: the nanoseconds that it ran, and those that it was
    ready but waited for a processor.

    The children of a process that have ended are one more entry, under their parent. If the kernel does not count
    threads, these entries are all there is.
    """
    counted: dict[str, tuple[int, int]] = {}
    ended: dict[str, tuple[int, int]] = {}
    for folder, threads in _below(process):
        for thread in threads:
            try:
                had, waited, _ = map(int, (thread / "schedstat").read_text().split())
                counted[str(thread)] = had, waited
            except (OSError, ValueError):
                continue
        try:
            ended[f"{folder}/ended"] = _had_by_ended(folder), 0
        except (OSError, ValueError):
            continue
    # Some kernels report only zeros instead of counting; a running thread would then seem to wait.
    return {**counted, **ended} if any(map(any, counted.values())) else ended


def is_ready(thread: str) -> bool:
    """Whether a thread runs or waits for a processor now; the kernel counts a wait only when it is over.

    Args:
        thread: its folder in `/proc`.
    """
    try:
        return _stat(Path(thread))[:1] == [b"R"]
    except OSError:
        return False


def _had_by_ended(folder: Path) -> int:
    """Nanoseconds that the ended children of a process ran, with their own ended children."""
    return sum(map(int, _stat(folder)[_OF_ENDED])) * 1_000_000_000 // os.sysconf("SC_CLK_TCK")


def _stat(folder: Path) -> list[bytes]:
    """The fields of `/proc/…/stat` behind the program's name, which is in parentheses and may hold any bytes."""
    return (folder / "stat").read_bytes().rpartition(b")")[2].split()


def _below(process: int) -> Iterator[tuple[Path, list[Path]]]:
    """The folder of each process, with those of its threads."""
    waiting = [process]
    while waiting:
        folder = Path(f"/proc/{waiting.pop()}")
        try:
            threads = list((folder / "task").iterdir())
            for thread in threads:
                waiting += map(int, (thread / "children").read_text().split())
        except OSError:
            continue
        yield folder, threads


def _own_share(folder: Path) -> int:
    """A process's memory, with shared memory divided among its users; 0 if the kernel does not report it."""
    try:
        told = (folder / "smaps_rollup").read_text()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in told.splitlines() if line.startswith("Pss:"))
