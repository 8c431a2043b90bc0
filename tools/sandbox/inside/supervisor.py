"""Starts and outlives the processes of one sandbox; runs nothing itself that is not ours.

A process for the candidate and one for the tests wait from the start, the latter for the job. Where the tests are to
run beside the candidate, both give way to a third. The program outside hears only what holds its secret, so nothing
that the candidate prints is a report, and what ends without the last report is no pass.
"""

from __future__ import annotations

import gc
import marshal
import os
import resource
import signal
import sys
import time
from _thread import stack_size

from .candidate import describe, global_reads, imported, offer
from .children import end_child
from .judge import run_apart, run_together
from .projects import write_files
from .remote import GONE
from .server import Server
from .wire import Report, flush, receive, reporter, send

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, NoReturn

_MIB = 1024 * 1024
_STACK = 2 * _MIB
"""Of a thread: as large as the main one's, a hundred of them would take more memory than there is."""
_CONTROL = 0
_LOADING_SHARE = 0.5
_LOOKS, _SECONDS_A_LOOK = 50, 0.002
_JUDGE, _CANDIDATE, _BOTH = range(3)


def main() -> None:
    """Wait for a job, run it, report."""
    # What is there before the processes part stays shared between them.
    gc.collect()
    gc.freeze()
    asks, asked = os.pipe()
    answers, answered = os.pipe()
    candidate = os.fork()
    if candidate == 0:
        _without(_CONTROL, asked, answers)
        _serve(asks, answered)
    _without(None, asks, answered)
    without_pytest = _import_pytest(sys.argv[1:])
    given, told = os.pipe()
    judge = os.fork()
    if judge == 0:
        os.close(told)
        _judge(given, answers, asked)
    os.close(given)
    job = receive(_CONTROL)
    report = reporter(_CONTROL, job["secret"])
    if without_pytest and job["needs_pytest"]:
        report(without_pytest=without_pytest, done=True)
        return
    if not job["together"]:
        send(told, marshal.dumps(job))
        ended = _wait(judge)
        if ended:
            report(ended=_ended(candidate) if ended == GONE else ended)
        return
    # The candidate's process ends with its last question, a judge that has no job at once.
    _without(None, told, asked, answers)
    both = os.fork()
    if both == 0:
        _beside(job)
    ended = _wait(both)
    if job["command"]:
        report(exited=ended, done=True)
    elif ended:
        report(ended=ended)


def _import_pytest(paths: list[str]) -> str:
    """Import pytest from the folders of packages, if there are any; returns why that fails.

    Before the job comes, for it takes the longest. The candidate's process does without.
    """
    sys.path += paths
    try:
        if paths:
            import pytest  # noqa: F401  # pyright: ignore[reportUnusedImport]
    except Exception as problem:  # noqa: BLE001 - half a pytest fails in many ways
        return f"{type(problem).__name__}: {problem}"
    return ""


def _serve(asks: int, answered: int) -> NoReturn:
    """The candidate's process."""
    process = os.getpid()
    try:
        code, name, limits, paths = receive(asks)
        sys.path += paths
        _restrict(limits, _CANDIDATE)
        try:
            offer(code, name, limits["seconds"] * _LOADING_SHARE, id)
            module = imported(name)
            loaded: Any = ("loaded", [each for each in vars(module) if type(each) is str], global_reads(code))
        except BaseException as error:  # noqa: BLE001 - SystemExit, too, is the candidate's doing
            end_child(process, error)
            send(answered, marshal.dumps(("error", describe(error, code))))
            os._exit(0)
        end_child(process)
        send(answered, marshal.dumps(loaded))
        Server(module, code, asks, answered).serve()
    finally:
        os._exit(1)


def _judge(given: int, reader: int, writer: int) -> NoReturn:
    """The tests' process."""
    try:
        job = receive(given)
    except EOFError:
        os._exit(0)
    report = _moved(job, _JUDGE)
    run_apart(job, report, reader, writer)
    flush()
    report(done=True)
    os._exit(0)


def _beside(job: dict[str, Any]) -> NoReturn:
    """The process of both; also of a project of several files, or of a command."""
    report = _moved(job, _BOTH)
    if job["command"]:
        _run_command(job["files"], job["command"], job["search"], report)
    run_together(job, report)
    flush()
    report(done=True)
    os._exit(0)


def _moved(job: dict[str, Any], place: int) -> Report:
    """Give up rights, and move the reports' descriptor out of the way of a standard input."""
    control = os.dup(_CONTROL)
    _without(_CONTROL)
    _restrict(job["limits"], place)
    return reporter(control, job["secret"])


def _without(control: int | None, *descriptors: int) -> None:
    """Let go of descriptors; an empty input takes the place of the control socket."""
    for descriptor in descriptors:
        os.close(descriptor)
    if control is not None:
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, control)
        os.close(nothing)


def _wait(process: int) -> int:
    """The exit code of a process, negative for a signal."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def _ended(process: int) -> int:
    """The same of a process that has ended, or that only its messages have left."""
    for _ in range(_LOOKS):
        found, status = os.waitpid(process, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(_SECONDS_A_LOOK)
    return 1


def _restrict(limits: Mapping[str, Any], place: int) -> None:
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


def _run_command(files: Mapping[str, str], command: Sequence[str], search: str, report: Report) -> NoReturn:
    """Write files and become a command: its exit status is this process's.

    Args:
        files: relative path → text.
        command: the program's path and its arguments.
        search: the `PATH` that the program gets.
        report: told why the program cannot be started.
    """
    write_files(files)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        # Python ignores them, and what it becomes would inherit that.
        signal.signal(number, signal.SIG_DFL)
    report(started=True)
    try:
        os.execve(command[0], list(command), {"HOME": os.getcwd(), "LANG": "C.UTF-8", "PATH": search})  # noqa: PTH109
    except OSError as error:
        report(unrunnable=str(error))
    os._exit(1)
