"""First tier: pydantic-monty, a Python interpreter in Rust that runs in a process of its own without host access.

It answers in well under a millisecond, but knows only a part of Python. So only its "passed" is final here; whatever
else it says may be a gap of the interpreter, and is confirmed by the second tier where there is one.
"""

from __future__ import annotations

import atexit
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .checks import Check
from .limits import CheckFailure, Limits, SandboxVerdict, Status

if TYPE_CHECKING:
    from pydantic_monty import Monty

_UNSUPPORTED = ("NotImplementedError", "ModuleNotFoundError", "ImportError", "SyntaxError")
_lock = threading.Lock()
_pool: Monty | None = None


def _workers() -> Monty:
    """The process-wide pool of interpreters: starting one takes 20 ms, reusing one nothing."""
    global _pool
    with _lock:
        if _pool is None:
            from pydantic_monty import Monty

            _pool = Monty(min_processes=1).__enter__()
            atexit.register(_pool.__exit__, None, None, None)
        return _pool


def run_in_monty(code: str, checks: Sequence[Check], limits: Limits, *, stop_early: bool) -> SandboxVerdict:
    """Run a candidate's definitions and its checks.

    Args:
        code: definitions only, as `definitions()` gives them.
        checks: what to check.
        limits: seconds, memory and output are enforced; there are no processes to count.
        stop_early: stop at the first check that does not pass, because another tier will decide anyway.
    """
    from pydantic_monty import CollectString, MontyError

    started = time.perf_counter()
    total = sum(check.counts for check in checks)
    failures: list[CheckFailure] = []
    status: Status = "passed"
    printed = CollectString(limits.output_kb * 1024)
    options: dict[str, Any] = {"max_feed_duration_secs": limits.seconds, "max_memory": limits.memory_mb * 1024 * 1024}
    try:
        with _workers().checkout(limits=options) as session:  # pyright: ignore[reportArgumentType]
            for current in (Check("the code", 0, code, counts=False, reports=False), *checks):
                if time.perf_counter() - started > limits.seconds:
                    return _ended("timeout", current, failures, total, started, printed.output)
                try:
                    reported: Any = session.feed_run(
                        current.code + ("\n__tg" if current.reports else "\nNone"), print_callback=printed
                    )
                except MontyError as problem:
                    kind = _kind(problem, limits)
                    if kind != "error" or not current.counts:
                        return _ended(kind, current, failures, total, started, printed.output, problem)
                    failures.append(_raised(current, problem))
                else:
                    if current.reports and not reported[0]:
                        failures.append(CheckFailure(current.source, current.line, reported[2], reported[1]))
                if failures:
                    status = "failed"
                    if stop_early:
                        break
    except MontyError as problem:
        return _ended("unsupported", None, failures, total, started, printed.output, problem)
    seconds = time.perf_counter() - started
    passed = total - len(failures)
    return SandboxVerdict(status, passed, total, tuple(failures), "monty", seconds, printed.output)


def _kind(problem: Any, limits: Limits) -> Status:
    name, text = type(problem.exception()).__name__, str(problem)
    if name == "TimeoutError" and "time limit" in text:
        return "timeout"
    if name == "MemoryError":
        # The collector of printed text reports its own cap in the words of the memory limit.
        return "output_limit" if f"> {limits.output_kb * 1024} bytes" in text else "memory"
    return "unsupported" if name in _UNSUPPORTED else "error"


def _raised(check: Check, problem: Any) -> CheckFailure:
    return CheckFailure(check.source, check.line, got=f"raised {str(problem)[:300]}")


def _ended(
    status: Status,
    check: Check | None,
    failures: Sequence[CheckFailure],
    total: int,
    started: float,
    output: str,
    problem: Any = None,
) -> SandboxVerdict:
    last = (_raised(check, problem),) if check and check.line and problem and status == "error" else ()
    return SandboxVerdict(
        status, 0, total, (*failures, *last), "monty", time.perf_counter() - started, output, str(problem or "")[:300]
    )
