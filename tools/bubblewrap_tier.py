"""Second tier: CPython and pytest in a container; here, what their reports amount to."""

from __future__ import annotations

import sysconfig
from collections.abc import Mapping, Sequence
from typing import Any

from .checks import Check
from .contained import Raw, contained
from .limits import CheckFailure, Limits, SandboxVerdict, Status


def run_in_bubblewrap(code: str, checks: Sequence[Check], limits: Limits) -> SandboxVerdict:
    """Run a candidate's definitions and its checks under CPython."""
    job = {"code": code, "checks": [{"code": check.code, "reports": check.reports} for check in checks]}
    raw = contained(job, limits, paths=())
    reports = {report["check"]: report for report in raw.reports if _is_check(report, len(checks))}
    failures = [_failure(report, checks) for _, report in sorted(reports.items()) if _has_failed(report)]
    out_of_memory = any(report.get("error") == "MemoryError" for report in reports.values())
    finished = any(report.get("done") for report in raw.reports)
    status = _status(raw, finished, {"memory"} if out_of_memory else {"failed"} if failures else set())
    total = sum(check.counts for check in checks)
    passed = sum(check.counts and reports.get(i, {}).get("passed") is True for i, check in enumerate(checks))
    reason = ""
    if status == "failed" and "error" in reports[-1]:
        status, reason, failures = "error", f"The code cannot be loaded: {failures[0].raised}", []
    elif status == "passed" and passed < total:
        status, reason = "error", "The code kept checks from being reported."
    elif status == "error":
        reason = "The code ended its own process before the checks were done."
    elif status == "timeout" and (last := max(reports, default=-1)) >= 0:
        failures.append(CheckFailure(checks[last].source, checks[last].line, got="did not finish"))
    return SandboxVerdict(status, passed, total, tuple(failures), "bubblewrap", raw.seconds, raw.output, reason)


def run_project_in_bubblewrap(files: Mapping[str, str], tests: Sequence[str], limits: Limits) -> SandboxVerdict:
    """Write files into the sandbox and run pytest over some of them."""
    paths = sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
    job = {"files": dict(files), "tests": list(tests), "paths": paths}
    raw = contained(job, limits, paths=paths)
    collected = [str(report["collected"]) for report in raw.reports if "collected" in report]
    results = {report["test"]: report for report in raw.reports if _is_test(report)}
    # A test that its author marks to be skipped is neither passed nor failed.
    skipped = {name for name, report in results.items() if report["passed"] is None}
    collected = [name for name in collected if name not in skipped]
    failures = [
        CheckFailure(str(name), int(report["line"]), got=str(report["message"]).strip())
        for name, report in results.items()
        if report["passed"] is False
    ]
    passed = sum(report["passed"] is True for name, report in results.items() if name in collected)
    finished = any(report.get("done") for report in raw.reports)
    out_of_memory = any(failure.got.startswith("MemoryError") for failure in failures)
    kinds: set[Status] = {"memory"} if out_of_memory else {"failed"} if failures else set()
    status = _status(raw, finished, kinds)
    reason = ""
    if status == "passed" and not collected:
        status, reason = "error", "The tests define no test: name the functions `test_…`."
    elif status == "passed" and passed < len(collected):
        status, reason = "error", "The code kept tests from being run."
    elif status == "timeout":
        running = [report["running"] for report in raw.reports if "running" in report]
        failures += [CheckFailure(name, 0, got="did not finish") for name in running[-1:] if name not in results]
    elif status == "error":
        reason = "The code ended its own process before the tests were done."
    total = max(len(collected), len(results) - len(skipped))
    return SandboxVerdict(status, passed, total, tuple(failures), "bubblewrap", raw.seconds, raw.output, reason)


def _status(raw: Raw, finished: bool, kinds: set[Status]) -> Status:
    if raw.killed:
        return raw.killed
    if not finished:
        # SIGKILL from inside is the kernel's memory killer; SIGXCPU the processor-time limit.
        return {128 + 9: "memory", 128 + 24: "timeout"}.get(raw.returncode, "error")  # pyright: ignore[reportReturnType]
    return "memory" if "memory" in kinds else "failed" if kinds else "passed"


def _is_check(report: Mapping[str, Any], count: int) -> bool:
    """Whether a report is one of the harness's own: the candidate can write to the same descriptor."""
    index = report.get("check")
    if not isinstance(index, int) or not -1 <= index < count:
        return False
    words = ("message", "code_line") if "error" in report else ("got", "expected") if "passed" in report else ()
    return all(isinstance(report.get(word), str) for word in words)


def _is_test(report: Mapping[str, Any]) -> bool:
    fields = {"test": str, "message": str, "line": int}
    return "passed" in report and all(isinstance(report.get(name), kind) for name, kind in fields.items())


def _has_failed(report: Mapping[str, Any]) -> bool:
    return "error" in report or report.get("passed") is False


def _failure(report: Mapping[str, Any], checks: Sequence[Check]) -> CheckFailure:
    index: int = report["check"]
    source, line = ("the code", 0) if index < 0 else (checks[index].source, checks[index].line)
    if "error" not in report:
        return CheckFailure(source, line, report["expected"], report["got"])
    got, expected = _assertion(report["message"])
    return CheckFailure(source, line, expected, got, "" if expected else report["code_line"])


def _assertion(message: str) -> tuple[str, str]:
    """`(got, expected)` of an assert inside a loop or function, which says both in its message."""
    prefix = "AssertionError: got "
    if message.startswith(prefix) and ", expected " in message:
        got, expected = message.removeprefix(prefix).split(", expected ", 1)
        return got, expected
    return f"raised {message}", ""
