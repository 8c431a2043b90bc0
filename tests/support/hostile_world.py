"""The world around a hostile program: what it is after, and how to see that it got nothing and left nothing."""

from __future__ import annotations

import os
import socket
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from unittest.mock import patch

from support.hostile_programs import ENVIRONMENT
from thoughtgraph.tools.sandbox import SandboxLimits, SandboxVerdict, bubblewrap, pool
from thoughtgraph.tools.sandbox import run as run_in_sandbox

LIMITS = SandboxLimits(seconds=10, memory_mb=192, output_kb=32, processes=8)
"""Time enough on a busy machine; a program that is to run out of time has `SHORT`."""
SHORT = replace(LIMITS, seconds=0.5)


@dataclass
class World:
    """What a hostile program is after, and must neither see nor change."""

    mark: str
    secret: str
    home_file: Path
    folder: Path
    port: int
    udp_port: int
    listeners: list[socket.socket]
    datagrams: socket.socket

    def aim(self, code: str) -> str:
        """The program with this world's names in place of its marks."""
        names = {
            "HOME": self.home_file,
            "TMP": self.folder,
            "PORT": self.port,
            "UDP": self.udp_port,
            "MARK": self.mark,
            "PID": os.getpid(),
            "HOST": socket.gethostname(),
        }
        for name, value in names.items():
            code = code.replace(f"@{name}@", str(value))
        return code

    def run(
        self, place: str, code: str, tests: str = "assert attack()", limits: SandboxLimits = LIMITS
    ) -> SandboxVerdict:
        """Run a program, its tests apart or beside it; see that nothing was leaked, changed or left behind."""
        # What tests do with `os` depends on the process that they do it in.
        beside = "" if place == "apart" else "import os\n"
        verdict = run_in_sandbox(self.aim(code), beside + tests, limits)
        self.check_untouched(verdict)
        return verdict

    def check_untouched(self, verdict: SandboxVerdict) -> None:
        """No secret in the verdict, nothing written outside, nobody called, no process left."""
        shown = repr(verdict) + verdict.feedback
        assert self.secret not in shown, "a secret was read"
        assert Path("/etc/passwd").read_text().splitlines()[0] not in shown, "/etc/passwd was read"
        assert self.home_file.read_text() == self.secret, "a file in the home folder was changed"
        inside = {path.name: path.read_text() for path in self.folder.iterdir()}
        assert inside == {"secret": self.secret}, f"a folder outside was changed: {sorted(inside)}"
        places = [Path(place) for place in ("/", "/tmp", "/dev", "/dev/shm", "/var/tmp")]
        planted = [path for place in (*places, Path(os.__file__).parent) for path in place.glob(f"*{self.mark}*")]
        assert planted == [], f"written outside: {planted}"
        assert self.mark not in Path(os.__file__).read_text(), "the standard library was changed"
        assert not any(map(_called, self.listeners)), "somebody outside was called"
        assert not _received(self.datagrams), "a datagram came out"
        end = time.monotonic() + 3
        while (left := processes_with(self.mark)) and time.monotonic() < end:
            time.sleep(0.02)
        assert left == [], f"processes are left: {left}"


def processes_with(mark: str) -> list[str]:
    """Command lines of living processes that hold the mark; a dead one has none."""
    found: list[str] = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().decode("utf-8", "replace")
        except OSError:
            continue
        if mark in line:
            found.append(f"{path.parent.name}: {line[-200:]}")
    return found


@contextmanager
def hostile_world(place: Path) -> Iterator[World]:
    """Canaries in the home folder, in a folder, in the environment and behind an open descriptor; listeners.

    Args:
        place: an empty folder, of a short name, since that of a socket is limited.
    """
    mark, secret = f"tgmark{uuid.uuid4().hex}", f"secret{uuid.uuid4().hex}"
    folder = place / "outside"
    folder.mkdir()
    (folder / "secret").write_text(secret)
    home_file = Path.home() / f".canary-{uuid.uuid4().hex}"
    with ExitStack() as stack:
        # What the process's own pool has still to start would bear the mark.
        pool.pool().close()
        stack.enter_context(patch.dict(os.environ, {ENVIRONMENT: secret}))
        # What starts the harness is part of every sandboxed process's command line, so its own mark tells who was left.
        stack.enter_context(patch.object(bubblewrap, "START", f"{bubblewrap.START}\n# {mark}\n"))
        own = pool.Pool(spare=0)
        stack.callback(own.close)
        stack.enter_context(patch.object(pool, "_pool", own))
        stack.callback(home_file.unlink, missing_ok=True)
        home_file.write_text(secret)
        opened = stack.enter_context((folder / "secret").open())
        os.set_inheritable(opened.fileno(), True)
        door = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        abstract, named = (stack.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(2))
        abstract.bind(f"\0{mark}")
        named.bind(str(place / "door"))
        abstract.listen()
        named.listen()
        datagrams = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        datagrams.bind(("127.0.0.1", 0))
        listeners = [door, abstract, named]
        for each in (*listeners, datagrams):
            each.setblocking(False)
        ports = door.getsockname()[1], datagrams.getsockname()[1]
        yield World(mark, secret, home_file, folder, *ports, listeners, datagrams)


def _called(listener: socket.socket) -> bool:
    try:
        listener.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def _received(datagrams: socket.socket) -> bool:
    try:
        datagrams.recvfrom(99)
    except BlockingIOError:
        return False
    return True
