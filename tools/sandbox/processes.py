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
        shared: divide what processes share among them, which takes longer to find out; else it counts for each.
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
    """Nanoseconds that each thread of a process and of all below it had a processor, and was ready to run and had none;
    of the children of each process that have ended, what they had.

    Without threads where the kernel does not count them.
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
    # Some kernels that count nothing tell zeros: a thread that runs would seem to wait.
    return {**counted, **ended} if any(map(any, counted.values())) else ended


def is_ready(thread: str) -> bool:
    """Whether a thread, by its folder, runs or waits for a processor; its wait is not told of before it is over."""
    try:
        return _stat(Path(thread))[:1] == [b"R"]
    except OSError:
        return False


def _had_by_ended(folder: Path) -> int:
    """Nanoseconds that the children of a process had a processor which have ended, and theirs in turn."""
    return sum(map(int, _stat(folder)[_OF_ENDED])) * 1_000_000_000 // os.sysconf("SC_CLK_TCK")


def _stat(folder: Path) -> list[bytes]:
    """What stands behind the name of the program, which is in parentheses and may have any bytes."""
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
    """0 where the kernel tells nobody."""
    try:
        told = (folder / "smaps_rollup").read_text()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in told.splitlines() if line.startswith("Pss:"))
