"""Starts sandboxes ahead of their jobs, while the model still writes, so that no job waits; each is used once.

One thread starts and ends them all. It lives as long as the program, because a sandbox dies with the thread that
started it.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue

from .bubblewrap import HOSTS, NO_PATHS, Paths, arguments, command
from .seccomp import seccomp_filter


@dataclass(slots=True)
class Sandbox:
    """A running sandbox.

    Attributes:
        process: bubblewrap, outside its own namespaces.
        control: receives the job and sends the reports.
        info: where bubblewrap reports the first process inside.
    """

    process: subprocess.Popen[bytes]
    control: socket.socket
    info: int

    @property
    def output(self) -> int:
        """The file descriptor for what is printed inside."""
        assert self.process.stdout
        return self.process.stdout.fileno()

    def kill(self) -> None:
        """End every process inside."""
        if self.info < 0:
            return
        # The first process inside, not bubblewrap: it takes all others along, and bubblewrap stays to reap it. An
        # orphan would become a zombie where this program is process 1.
        with os.fdopen(self.info) as file:
            said = file.read()
        self.info = -1
        inside = int(json.loads(said)["child-pid"]) if said else 0
        try:
            if inside and self.process.poll() is None:
                os.kill(inside, signal.SIGKILL)
            else:
                self.process.kill()
        except OSError:
            self.process.kill()

    def close(self) -> None:
        """Wait for the end and close what is open."""
        self.kill()
        try:
            self.process.wait(1)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.control.close()
        if self.process.stdout:
            self.process.stdout.close()


class Pool:
    """Starts sandboxes ahead of their use.

    Args:
        spare: how many sandboxes to keep waiting for each set of visible packages.
    """

    def __init__(self, spare: int = 2) -> None:
        self._spare = spare
        self._lock, self._starting = threading.Lock(), threading.Lock()
        self._ready: dict[Paths, list[Sandbox]] = {}
        self._expected: dict[Paths, int] = {}
        self._work: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._process = os.getpid()

    def warm(self, paths: Paths = NO_PATHS) -> None:
        """Start spare sandboxes in the background."""
        with self._lock:
            missing = self._spare - len(self._ready.get(paths, ())) - self._expected.get(paths, 0)
            self._expected[paths] = self._expected.get(paths, 0) + max(0, missing)
        for _ in range(missing):
            self._do(lambda: self._add(paths))

    def take(self, paths: Paths = NO_PATHS) -> Sandbox:
        """An unused sandbox: a waiting one if possible, otherwise a new one."""
        with self._lock:
            ready = self._ready.get(paths, [])
            while ready:
                sandbox = ready.pop(0)
                if sandbox.process.poll() is None:
                    return sandbox
                self._do(sandbox.close)
        started: Future[Sandbox] = Future()

        def start() -> None:
            try:
                started.set_result(_start(paths))
            except BaseException as error:  # noqa: BLE001 - raised by whoever waits
                started.set_exception(error)

        self._do(start)
        return started.result()

    def give_back(self, sandbox: Sandbox, paths: Paths = NO_PATHS) -> None:
        """End a used sandbox and start the next one in the background."""
        sandbox.kill()
        self._do(sandbox.close)
        self.warm(paths)

    def close(self) -> None:
        """End all sandboxes that wait."""
        if self._process != os.getpid():
            return
        with self._lock:
            waiting = [sandbox for ready in self._ready.values() for sandbox in ready]
            self._ready.clear()
            thread, self._thread = self._thread, None
        if thread:
            for sandbox in waiting:
                self._do(sandbox.close)
            self._work.put(None)
            thread.join(5)

    def _add(self, paths: Paths) -> None:
        sandbox: Sandbox | None = None
        # The next caller that needs a sandbox starts it and gets the error.
        with suppress(OSError):
            sandbox = _start(paths)
        with self._lock:
            self._expected[paths] -= 1
            if sandbox:
                self._ready.setdefault(paths, []).append(sandbox)

    def _do(self, work: Callable[[], None]) -> None:
        self._work.put(work)
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="thoughtgraph-sandboxes", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            work()


def _start(paths: Paths) -> Sandbox:
    """Start a sandbox whose supervisor waits for its job."""
    ours, theirs = socket.socketpair()
    info, informed = os.pipe()
    filtered = seccomp_filter()
    files = [informed]
    options = ["--info-fd", str(informed)]
    try:
        if filtered is not None:
            files.append(_file_of(filtered))
            options += ["--seccomp", str(files[-1])]
        files.append(_file_of(HOSTS))
        called = command(os.geteuid() == 0, paths)
        # Before the root becomes read-only.
        options += ["--perms", "0755", "--dir", "/etc"]
        options += ["--perms", "0444", "--ro-bind-data", str(files[-1]), "/etc/hosts"]
        process = subprocess.Popen(
            [called[0], *options, *called[1:], "--", *arguments(paths)],
            stdin=theirs.fileno(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env={},
            pass_fds=files,
        )
    except BaseException:
        ours.close()
        os.close(info)
        raise
    finally:
        theirs.close()
        for file in files:
            os.close(file)
    return Sandbox(process, ours, info)


def _file_of(content: bytes) -> int:
    """A file in memory, to be read from its beginning."""
    file = os.memfd_create("sandbox")
    os.write(file, content)
    os.lseek(file, 0, os.SEEK_SET)
    return file


_pool: Pool | None = None
_making = threading.Lock()


def pool() -> Pool:
    """This process's pool. A forked process has its own, because threads do not survive a fork."""
    global _pool
    with _making:
        if _pool is None:
            _pool = Pool()
            atexit.register(_pool.close)
        return _pool


def _forked() -> None:
    global _pool, _making
    _pool, _making = None, threading.Lock()


os.register_at_fork(after_in_child=_forked)
