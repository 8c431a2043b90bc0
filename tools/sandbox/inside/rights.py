"""What a process gives up before it runs anything that is not ours."""

from __future__ import annotations

import os
import resource
from _thread import stack_size
from collections.abc import Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    # At run time `typing` would take longer to import than a verdict takes.
    from typing import Any

_MIB = 1024 * 1024


_STACK = 2 * _MIB
"""Of a thread: as large as the main one's, a hundred of them would take more memory than there is."""


def restrict(limits: Mapping[str, Any], place: int) -> None:
    """Lower the limits for good, and give up root where the sandbox was started by root.

    `place` tells the processes of one sandbox apart: as different users they cannot signal each other, and the kernel
    counts their children separately.
    """
    stack_size(_STACK)
    seconds = int(limits["seconds"]) + 1
    # At the second limit the kernel sends SIGKILL, which says nothing of time; at the first SIGXCPU.
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    for name, value in (
        (resource.RLIMIT_AS, limits["memory_mb"] * _MIB),
        (resource.RLIMIT_FSIZE, 16 * _MIB),
        (resource.RLIMIT_NOFILE, 1024),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(name, (value, value))
    if limits["user"]:
        user = limits["user"] + place
        # The kernel does not count root's processes, so the limit below would not hold for root.
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    resource.setrlimit(resource.RLIMIT_NPROC, (limits["processes"], limits["processes"]))
