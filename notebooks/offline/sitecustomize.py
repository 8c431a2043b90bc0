"""Keeps a Python process off the network, loopback excepted, and gives it the replies that were kept for it.

`notebooks/run.py` puts this file into a kernel's path.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

_REACHING_OUT = {
    "socket.connect": 1,
    "socket.sendto": 1,
    "socket.sendmsg": 1,
    "socket.getaddrinfo": 0,
    "socket.gethostbyname": 0,
}
"""Audit events, and which of their arguments is the address or the host."""

_LOOPBACK = ("localhost", "::1", "", "None")


def _stay_home(event: str, args: tuple[Any, ...]) -> None:
    if event not in _REACHING_OUT:
        return
    address: Any = args[_REACHING_OUT[event]]
    host: Any = address[0] if isinstance(address, tuple) else address
    host = host.decode() if isinstance(host, bytes) else str(host)
    # A socket in the file system has a path for an address.
    if host not in _LOOPBACK and not host.startswith(("127.", "/", "\0")):
        raise PermissionError(f"notebooks run without a network, and this one reaches for {host}")


sys.addaudithook(_stay_home)

if kept := os.environ.get("NOTEBOOK_REPLIES"):
    import kept_replies

    kept_replies.install(Path(kept), save="NOTEBOOK_SAVES" in os.environ)
