"""Runs inside the second tier, as source text under a bare interpreter: standard library only, no other module of ours.

Reads one JSON job from standard input, lowers its own limits and rights, then runs the job: either a candidate under
its checks, or a pytest project. Reports go, a JSON object a line, to what was standard output; everything the code
prints goes to standard error. A run that ends without the last report (`os._exit`, a crash) is not a pass.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import traceback
from pathlib import Path
from typing import Any

MIB = 1024 * 1024


def restrict(limits: dict[str, Any]) -> None:
    """Lower the limits for good, and give up root where the sandbox was started by root."""
    seconds = int(limits["seconds"]) + 1
    for name, value in (
        (resource.RLIMIT_AS, limits["memory_mb"] * MIB),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, 16 * MIB),
        (resource.RLIMIT_NOFILE, 128),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(name, (value, value))
    if limits["uid"]:
        # The kernel does not count root's processes, so the limit below would not hold for root.
        os.setgroups([])
        os.setresgid(limits["uid"], limits["uid"], limits["uid"])
        os.setresuid(limits["uid"], limits["uid"], limits["uid"])
    resource.setrlimit(resource.RLIMIT_NPROC, (limits["processes"], limits["processes"]))


class Reporter:
    """Writes reports to the descriptor that standard output had."""

    def __init__(self) -> None:
        self._descriptor = os.dup(1)
        os.dup2(2, 1)

    def __call__(self, **report: Any) -> None:
        os.write(self._descriptor, json.dumps(report).encode() + b"\n")


def describe(error: BaseException, code: str) -> dict[str, str]:
    """An exception in the words that the model reads: type, message, and the line of its own code."""
    lines = code.splitlines()
    own = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "solution.py"]
    number = error.lineno if isinstance(error, SyntaxError) and error.filename == "solution.py" else None
    number = number or (own[-1] if own else None)
    shown = f"line {number}: `{lines[number - 1].strip()}`" if number and number <= len(lines) else ""
    try:
        said = str(error)
    except Exception:  # noqa: BLE001 - the candidate's own exception class may be broken
        said = "its message could not be read"
    text = f"{type(error).__name__}: {said}" if said else type(error).__name__
    return {"error": type(error).__name__, "message": text[:500], "code_line": shown[:300]}


def run_checks(job: dict[str, Any], report: Reporter) -> None:
    """Execute the candidate's definitions, then each check by itself."""
    namespace: dict[str, Any] = {"__name__": "solution", "__builtins__": __builtins__, "__tg_repr": repr}
    report(check=-1)
    try:
        exec(compile(job["code"], "solution.py", "exec"), namespace)  # noqa: S102 - the sandbox's whole purpose
    except BaseException as error:  # noqa: BLE001 - SystemExit, too, is the candidate's doing
        report(check=-1, **describe(error, job["code"]))
        report(done=True)
        return
    for index, check in enumerate(job["checks"]):
        report(check=index)
        try:
            namespace.pop("__tg", None)
            exec(compile(check["code"], "tests.py", "exec"), namespace)  # noqa: S102
        except BaseException as error:  # noqa: BLE001
            report(check=index, **describe(error, job["code"]))
            continue
        passed, got, expected = namespace["__tg"] if check["reports"] else (True, "", "")
        report(check=index, passed=bool(passed), got=str(got), expected=str(expected))
    report(done=True)


def run_project(job: dict[str, Any], report: Reporter) -> None:
    """Write the project's files and run pytest over its tests."""
    for name, text in job["files"].items():
        path = Path.cwd() / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    sys.path[:0] = job["paths"]
    import pytest

    # Behind the import: the project may hold a module of the same name.
    sys.path.insert(0, str(Path.cwd()))

    class Listener:
        def pytest_itemcollected(self, item: Any) -> None:
            report(collected=item.nodeid)

        def pytest_runtest_logstart(self, nodeid: str) -> None:
            report(running=nodeid)

        def pytest_collectreport(self, report: Any) -> None:
            if report.failed:
                send(test=report.nodeid or "collection", passed=False, message=shorten(report.longrepr), line=0)

        def pytest_runtest_logreport(self, report: Any) -> None:
            skipped_by_mark = report.skipped and report.when == "setup"
            if report.failed or skipped_by_mark or report.when == "call":
                crash = getattr(report.longrepr, "reprcrash", None)
                message = (crash.message if crash else shorten(report.longrepr)).replace(f"{Path.cwd()}/", "")
                # A skip out of the code under test would be an easy way to pass; an expected failure is none.
                passed = None if skipped_by_mark else report.passed or hasattr(report, "wasxfail")
                line = crash.lineno if crash else 0
                send(test=report.nodeid, passed=passed, message=message[:1500], line=line)

    send = report
    pytest.main(["-q", "-p", "no:cacheprovider", *job["tests"]], [Listener()])
    report(done=True)


def shorten(representation: Any) -> str:
    """The last lines of a failure that has no single point where it crashed: a file that could not be imported."""
    lines = (line.removeprefix("E").strip() for line in str(representation).splitlines() if line.startswith("E"))
    return "\n".join(lines).replace(f"{Path.cwd()}/", "")[-1500:]


def main() -> None:
    """Read the job, restrict this process, run the job."""
    job = json.load(sys.stdin)
    report = Reporter()
    devnull = os.open(os.devnull, os.O_RDONLY)
    os.dup2(devnull, 0)
    restrict(job["limits"])
    if "checks" in job:
        run_checks(job, report)
    else:
        run_project(job, report)


if __name__ == "__main__":
    main()
