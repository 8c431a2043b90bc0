"""How many cores this process may use: more threads than that slow llama.cpp down many times, for they wait in turn."""

from __future__ import annotations

import os
from pathlib import Path

CGROUPS = Path("/sys/fs/cgroup")


def usable_cores(cgroups: Path = CGROUPS) -> int:
    """The cores that this process may run on: those of its CPU set, or a container's share of time where that is less.

    Args:
        cgroups: where Linux shows the limits of the container, in version 2 or 1 of control groups.

    Returns:
        1 or more.
    """
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    share = _share(cgroups)
    return allowed if share is None else max(1, min(allowed, int(share)))


def _share(cgroups: Path) -> float | None:
    """The container's limit of processor time per time, such as 1.5; None without one."""
    try:
        if (version2 := cgroups / "cpu.max").is_file():
            quota, period = version2.read_text().split()
        else:
            quota, period = ((cgroups / "cpu" / f"cpu.cfs_{name}_us").read_text() for name in ("quota", "period"))
        return int(quota) / int(period) if int(quota) > 0 else None
    except (OSError, ValueError, ZeroDivisionError):
        return None
