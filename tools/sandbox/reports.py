"""Turns a sandbox's reports into a verdict."""

from __future__ import annotations

import ast
import signal
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .exchange import Raw
from .limits import CheckFailure, SandboxVerdict, Status
from .suites.checks import Check

WITHOUT_PYTEST = (
    "these tests need pytest, in the Python environment that runs thoughtgraph: pip install 'thoughtgraph[pytest]'"
)
_ENDED = "The code ended its own process before the {} were done."
_KILLED = "The process of the code was killed (signal 9) before the {} were done: by the code itself, or for memory."

_SIGNALED = "The process of the code was ended by the signal {1} before the {0} were done: nothing handles it."
_CRASHED = "The process of the code crashed ({1}) before the {0} were done."
_CRASHES = frozenset({"SIGSEGV", "SIGBUS", "SIGABRT", "SIGILL", "SIGFPE"})
"""By their names: not every system has them."""


def verdict_of_checks(raw: Raw, checks: Sequence[Check], together: str, lacking: Sequence[str] = ()) -> SandboxVerdict:
    """The verdict on a candidate under its checks; `lacking` are optional packages that are not installed."""
    if unjudged := _unjudged(raw):
        return unjudged
    reports: dict[int, Mapping[str, Any]] = {}
    for report in raw.reports:
        if isinstance(index := report.get("check"), int) and -1 <= index < len(checks):
            reports[index] = report
    failed = [one for _, one in sorted(reports.items()) if "error" in one or one.get("passed") is False]
    failures = [_failure(report, checks) for report in failed]
    failures += _refused(raw)
    # A check in which nothing judged the code neither passes nor fails, like a skipped test.
    left_out = {i for i in reports if reports[i].get("passed") is True and reports[i].get("left_out") is True}
    counted = [i for i, check in enumerate(checks) if check.counts and i not in left_out]
    passed = [i for i in counted if reports.get(i, {}).get("passed") is True]
    idle = [] if failures else _idle(reports, checks, passed)
    failures += idle
    errors = {str(report.get("error", "")) for report in reports.values()}
    status = _status(raw, "memory" if "MemoryError" in errors else "failed" if failures else "passed")
    reason = ""
    if status == "failed" and -1 in reports:
        status, reason, failures = "error", f"The code cannot be loaded: {failures[0].raised}", []
    elif status == "passed" and len(passed) < len(counted):
        status, reason = "error", "The code kept checks from being reported."
    elif status == "passed" and not counted:
        status, reason = "error", _NONE_RAN + "".join(f"; {name} is not installed" for name in lacking) + "."
    elif status not in ("passed", "failed"):
        reason = _why_ended(raw, "checks") if status == "error" else ""
        if (last := max(reports, default=-1)) >= 0 and len(reports[last]) == _BEGUN:
            failures.append(CheckFailure(checks[last].source, checks[last].line, got="did not finish"))
    # A total of 0 would say that there are no checks; here something else went wrong.
    total = len(counted) or int(any(check.counts for check in checks) and not reason.startswith(_NONE_RAN))
    return _verdict(raw, status, len(passed) - len(idle), total, failures, reason, together)


_NONE_RAN = "No check ran: the tests leave all of theirs out here"
_BY_SIGNAL: dict[int, Status] = {-24: "timeout"}
"""SIGXCPU is the processor-time limit. SIGKILL may be the kernel's for want of memory, and anybody else's."""
_SIGKILL = -9
_SHOWN_OUTPUT = 500
_BEGUN = 2
"""Fields of the report that a check starts: its number and the secret."""


def verdict_of_pytest(raw: Raw, together: str, added: int = 0) -> SandboxVerdict:
    """The verdict of a run of pytest; `added` is the line of the import that was added to the tests, 0 for none."""
    if unjudged := _unjudged(raw):
        return unjudged
    if any(report.get("check") == -1 for report in raw.reports):
        # The code could not be loaded, so nothing was collected: the code has failed.
        return replace(verdict_of_checks(raw, (), together), total=1)
    results: dict[str, Mapping[str, Any]] = {}
    for report in filter(_is_test, raw.reports):
        # A test may be reported several times, part by part; one failed part fails it.
        name = str(report["test"])
        if name not in results or results[name]["passed"]:
            results[name] = report
    # A test that its author marked as skipped neither passes nor fails.
    skipped = {str(report["skipped"]) for report in raw.reports if "skipped" in report}
    collected = [str(report["collected"]) for report in raw.reports if "collected" in report]
    collected = [name for name in collected if name not in skipped]
    failures = [
        CheckFailure(name, report["line"] - (0 < added < report["line"]), got=str(report["message"]).strip())
        for name, report in results.items()
        if report["passed"] is False
    ]
    failures += _refused(raw)
    passed = sum(report["passed"] is True for name, report in results.items() if name in collected)
    out_of_memory = any(failure.got.startswith("MemoryError") for failure in failures)
    status = _status(raw, "memory" if out_of_memory else "failed" if failures else "passed")
    reason = ""
    is_empty = status == "passed" and not collected
    if is_empty:
        status, reason = "error", _why_empty(raw, skipped)
    elif status == "passed" and passed < len(collected):
        status, reason = "error", _why_stopped(raw, "all were") or "The code kept tests from being run."
    elif status not in ("passed", "failed"):
        reason = _why_ended(raw, "tests") if status == "error" else ""
        running = [str(report["running"]) for report in raw.reports if "running" in report]
        failures += [CheckFailure(name, 0, got="did not finish") for name in running[-1:] if name not in results]
    # If the tests ended while they were collected, the total is not 0: they may call the code there.
    total = max(len(collected), len(results) - len(skipped), int(not is_empty))
    return _verdict(raw, status, passed, total, failures, reason, together)


def _why_empty(raw: Raw, skipped: Collection[str]) -> str:
    """Why none of the tests was run."""
    if stopped := _why_stopped(raw, "any was"):
        return stopped
    if any("unstarted" in report for report in raw.reports):
        # An option is wrong, or a conftest.py asks the code for what it does not have.
        return f"pytest could not start:\n{raw.output.strip()[-_SHOWN_OUTPUT:]}"
    return "All tests are skipped." if skipped else "The tests define no test: name the functions `test_…`."


def _why_stopped(raw: Raw, which: str) -> str:
    """Why the tests ended too early, before `which` ("any was", "all were") run; "" if nothing stopped them."""
    stopped = next((str(report["stopped"]).rstrip(".") for report in raw.reports if "stopped" in report), "")
    return f"The tests ended before {which} run: {stopped}." if stopped else ""


def _unjudged(raw: Raw) -> SandboxVerdict | None:
    """The verdict if pytest could not be imported, or the machine was too busy and no check had failed before.

    Neither says anything about the code. None for every other run.
    """
    why = next(
        (f"{WITHOUT_PYTEST} ({report['without_pytest']})" for report in raw.reports if "without_pytest" in report), ""
    )
    if raw.starved and not any(report.get("passed") is False or "error" in report for report in raw.reports):
        why = raw.starved
    return SandboxVerdict("unsupported", 0, 0, seconds=raw.seconds, reason=why) if why else None


def verdict_of_command(raw: Raw) -> SandboxVerdict:
    """The verdict of a command, by its exit status."""
    refused = next((str(report["unrunnable"]) for report in raw.reports if "unrunnable" in report), "")
    if not any("started" in report for report in raw.reports) and not raw.killed:
        refused = raw.output.strip()[-300:] or "no message"
    if refused:
        return SandboxVerdict("unsupported", 0, 1, reason=f"it cannot be started in the sandbox: {refused}")
    exited = next((int(report["exited"]) for report in raw.reports if "exited" in report), None)
    status: Status = "error"
    if raw.starved:
        return SandboxVerdict("unsupported", 0, 1, seconds=raw.seconds, output=raw.output, reason=raw.starved)
    if raw.killed:
        status, reason = raw.killed, f"The command was ended: {raw.killed}."
    elif exited is None:
        reason = "The command ended the sandbox."
    elif exited < 0:
        status, reason = _BY_SIGNAL.get(exited, "error"), f"The command was ended by signal {-exited}."
        if exited == _SIGKILL:
            reason = "The command was killed (signal 9), by itself or for memory."
    else:
        status, reason = "failed" if exited else "passed", f"The command ended with exit status {exited}."
    passed = int(status == "passed")
    return SandboxVerdict(status, passed, 1, judged="apart", seconds=raw.seconds, output=raw.output, reason=reason)


def _verdict(
    raw: Raw, status: Status, passed: int, total: int, failures: Sequence[CheckFailure], reason: str, together: str
) -> SandboxVerdict:
    why = together or next((str(report["together"]) for report in raw.reports if "together" in report), "")
    return SandboxVerdict(
        status,
        passed,
        total,
        tuple(failures),
        judged="together" if why else "apart",
        together=why,
        seconds=raw.seconds,
        output=raw.output,
        reason=reason,
    )


def _idle(
    reports: Mapping[int, Mapping[str, Any]], checks: Sequence[Check], passed: Sequence[int]
) -> list[CheckFailure]:
    """A failure for each loop that had no rounds, if no other check has passed: then nothing was checked."""
    idle = [i for i in passed if reports[i].get("idle") is True]
    if len(idle) < len(passed):
        return []
    return [CheckFailure(checks[i].source, checks[i].line, "something to check", "nothing to check") for i in idle]


def _refused(raw: Raw) -> list[CheckFailure]:
    return [CheckFailure("the code", 0, got=str(report["refused"])) for report in raw.reports if "refused" in report]


def _status(raw: Raw, reported: Status) -> Status:
    if raw.killed and not raw.starved:
        return raw.killed
    if raw.starved or any(report.get("done") is True for report in raw.reports):
        return reported
    return _BY_SIGNAL.get(_ended(raw), "error")


def _ended(raw: Raw) -> int:
    return next((int(report["ended"]) for report in raw.reports if "ended" in report), 0)


def _why_ended(raw: Raw, what: str) -> str:
    """Why the process ended before the checks were done; `what` is their name in the message."""
    number = -_ended(raw)
    name = next((one.name for one in signal.Signals if one == number), str(number))
    said = _KILLED if -number == _SIGKILL else _CRASHED if name in _CRASHES else _SIGNALED
    return (said if number > 0 else _ENDED).format(what, name)


def _is_test(report: Mapping[str, Any]) -> bool:
    fields = {"test": str, "message": str, "line": int, "passed": bool}
    return all(isinstance(report.get(name), kind) for name, kind in fields.items())


def _has_computed_message(check: str) -> bool:
    """Whether an assert has a message that is computed, as in `assert done(), errors`."""
    node = ast.parse(check).body[0]
    return isinstance(node, ast.Assert) and node.msg is not None and not isinstance(node.msg, ast.Constant)


def _failure(report: Mapping[str, Any], checks: Sequence[Check]) -> CheckFailure:
    index: int = report["check"]
    source, line = ("the code", 0) if index < 0 else (checks[index].source, checks[index].line)
    if "error" in report:
        raised, place = str(report.get("message", "")), str(report.get("code_line", ""))
        return CheckFailure(source, line, got=f"raised {raised}", code_line=place)
    # The assert itself, where the check is a loop or a function around it.
    said, number = str(report.get("source", "")), report.get("line")
    # A function that it calls may have asserts of its own.
    is_own = said and (number == line or not isinstance(number, int))
    if is_own and source.lstrip().startswith("assert") and " and " not in source and not _has_computed_message(source):
        said, source = "", source + str(report.get("asked", ""))
    return CheckFailure(
        said or source,
        number if said and isinstance(number, int) else line,
        str(report.get("expected", "")),
        str(report.get("got", "")),
    )
