"""A system-call filter for the second tier: no new namespaces, no mounts, no tracing, none of the kernel's odd corners.

A user namespace would give code inside the sandbox all capabilities over a part of the kernel that is otherwise closed
to it. bubblewrap forbids that by itself only where it starts in a user namespace of its own, which it cannot as root
without losing the limit on processes.
"""

from __future__ import annotations

import errno
import platform
import struct
from functools import cache

_NEW_USER_NAMESPACE = 0x10000000
_LOAD, _EQUAL, _ABOVE, _HAS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
_X32 = 0x40000000

# For each machine: its audit number, `clone`, and what is refused: unshare, setns, mount, ptrace, bpf, keyctl, add_key,
# request_key, userfaultfd, perf_event_open, io_uring_setup.
_MACHINES = {
    "x86_64": (0xC000003E, 56, (272, 308, 165, 101, 321, 250, 248, 249, 323, 298, 425)),
    "aarch64": (0xC00000B7, 220, (97, 268, 40, 117, 280, 219, 217, 218, 282, 241, 425)),
}
_CLONE3 = 435


@cache
def seccomp_filter() -> bytes | None:
    """The filter as a compiled BPF program for bubblewrap's `--seccomp`; None on a machine it does not know."""
    known = _MACHINES.get(platform.machine())
    if known is None:
        return None
    audit, clone, refused = known
    deny = [(_RETURN, 0, 0, _REFUSE | errno.EPERM)]
    program = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, audit), *deny, (_LOAD, 0, 0, 0), (_ABOVE, 0, 1, _X32), *deny]
    for number in refused:
        program += [(_EQUAL, 0, 1, number), *deny]
    # Its flags lie in memory, out of the filter's sight; glibc falls back to `clone`.
    program += [(_EQUAL, 0, 1, _CLONE3), (_RETURN, 0, 0, _REFUSE | errno.ENOSYS)]
    program += [(_EQUAL, 0, 3, clone), (_LOAD, 0, 0, 16), (_HAS, 0, 1, _NEW_USER_NAMESPACE), *deny]
    program += [(_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)
