"""A system-call filter: no new namespaces, mounts or tracing, few kinds of sockets, no memory outside the limits.

A user namespace would give code inside the sandbox all capabilities over a part of the kernel that is otherwise closed
to it. bubblewrap itself forbids that only if it starts in its own user namespace; as root it cannot do so without
losing the limit on processes. A socket of a family that network namespaces do not isolate (such as vsock) would reach
the host.
"""

from __future__ import annotations

import errno
import platform
import socket
import struct
from functools import cache

_NEW_USER_NAMESPACE = 0x10000000
_LOAD, _EQUAL, _ABOVE, _HAS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
_X32 = 0x40000000
_FIRST_ARGUMENT = 16
_FAMILIES = [int(getattr(socket, name, 0)) for name in ("AF_UNIX", "AF_INET", "AF_INET6", "AF_NETLINK")]
_NO_SUCH_FAMILY = errno.EAFNOSUPPORT

# For each machine: its audit number, `clone`, `socket` and `socketpair`, and what is refused: unshare, setns, mount,
# ptrace, process_vm_readv, process_vm_writev, bpf, keyctl, add_key, request_key, userfaultfd, perf_event_open, shmget,
# msgget, semget and memfd_create.
_MACHINES = {
    "x86_64": (0xC000003E, 56, (41, 53), (272, 308, 165, 101, 310, 311, 321, 250, 248, 249, 323, 298, 29, 68, 64, 319)),
    "aarch64": (
        0xC00000B7,
        220,
        (198, 199),
        (97, 268, 40, 117, 270, 271, 280, 219, 217, 218, 282, 241, 194, 186, 190, 279),
    ),
}
# The same number everywhere: io_uring_setup, the newer way to mount, pidfd_getfd, memfd_secret.
_REFUSED_EVERYWHERE = (425, 428, 429, 430, 431, 432, 433, 438, 442, 447)
_CLONE3 = 435


@cache
def seccomp_filter() -> bytes | None:
    """The filter as a compiled BPF program for bubblewrap's `--seccomp`; None on a machine it does not know."""
    known = _MACHINES.get(platform.machine())
    if known is None:
        return None
    audit, clone, sockets, refused = known
    deny = [(_RETURN, 0, 0, _REFUSE | errno.EPERM)]
    program = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, audit), *deny, (_LOAD, 0, 0, 0), (_ABOVE, 0, 1, _X32), *deny]
    for number in (*refused, *_REFUSED_EVERYWHERE):
        program += [(_EQUAL, 0, 1, number), *deny]
    # Its flags lie in memory, out of the filter's sight; glibc falls back to `clone`.
    program += [(_EQUAL, 0, 1, _CLONE3), (_RETURN, 0, 0, _REFUSE | errno.ENOSYS)]
    families = [(_EQUAL, len(_FAMILIES) - place, 0, family) for place, family in enumerate(_FAMILIES)]
    for number in sockets:
        judged = [(_LOAD, 0, 0, _FIRST_ARGUMENT), *families, (_RETURN, 0, 0, _REFUSE | _NO_SUCH_FAMILY)]
        program += [(_EQUAL, 0, len(judged) + 1, number), *judged, (_RETURN, 0, 0, _ALLOW)]
    program += [(_EQUAL, 0, 3, clone), (_LOAD, 0, 0, _FIRST_ARGUMENT), (_HAS, 0, 1, _NEW_USER_NAMESPACE), *deny]
    program += [(_RETURN, 0, 0, _ALLOW)]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)
