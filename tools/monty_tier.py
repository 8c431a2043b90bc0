"""First tier: pydantic-monty, a Python interpreter in Rust that runs in a process of its own without host access.

It answers in well under a millisecond, but knows only a part of Python. So only its "passed" is final here; whatever
else it says may be a gap of the interpreter, and is confirmed by the second tier where there is one.
"""

from __future__ import annotations

import ast
import atexit
import builtins
import os
import re
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .checks import PREAMBLE, Check
from .limits import CheckFailure, Limits, SandboxVerdict, Status

if TYPE_CHECKING:
    from pydantic_monty import Monty

_UNSUPPORTED = ("NotImplementedError", "ModuleNotFoundError", "ImportError", "SyntaxError")
_lock = threading.Lock()
_pool: Monty | None = None
_process: int | None = None


def usable() -> bool:
    """Whether this process can ask the interpreter: one that was forked behind its first use lacks its threads."""
    return _process in (None, os.getpid())


def _workers() -> Monty:
    """The process-wide pool of interpreters: starting one takes 20 ms, reusing one nothing."""
    global _pool, _process
    with _lock:
        if _pool is None:
            from pydantic_monty import Monty

            _process = os.getpid()
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
    options: dict[str, Any] = {
        "max_feed_duration_secs": limits.seconds,
        "max_total_sleep_secs": limits.seconds,
        "max_memory": limits.memory_mb * 1024 * 1024,
    }
    try:
        with _workers().checkout(limits=options) as session:  # pyright: ignore[reportArgumentType]
            preamble = Check("the code", 0, PREAMBLE, counts=False, reports=False)
            for current in (preamble, Check("the code", 0, code, counts=False, reports=False), *checks):
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
    passed = total - len(failures) if not stop_early or not failures else 0
    return SandboxVerdict(status, passed, total, tuple(failures), "monty", seconds, printed.output)


def _kind(problem: Any, limits: Limits) -> Status:
    name, text = type(problem.exception()).__name__, str(problem)
    if type(problem).__name__ == "MontyCrashedError":
        return "timeout" if getattr(problem, "timed_out", False) or "timeout" in text else "unsupported"
    if name == "TimeoutError" and ("time limit" in text or "sleep limit" in text):
        return "timeout"
    if name == "MemoryError":
        # The collector of printed text reports its own cap in the words of the memory limit.
        return "output_limit" if f"> {limits.output_kb * 1024} bytes" in text else "memory"
    return "unsupported" if name in _UNSUPPORTED or _is_gap(name, text) else "error"


def _is_gap(name: str, text: str) -> bool:
    """Whether CPython would not have raised this: it misses a builtin, or a function of a module."""
    missing = re.search(r"name '(\w+)' is not defined", text)
    if name == "NameError" and missing:
        return hasattr(builtins, missing[1])
    return ("module '" in text and "has no attribute" in text) or "Internal error" in text


def knows(code: str) -> bool:
    """Whether the first tier means the same by this code as CPython does.

    It makes lists of what `map`, `zip`, generator expressions and the like give one item at a time, and does not ask
    objects for their `__bool__` and `__len__`. So those iterators must be used up on the spot, and such methods are
    left to CPython; else a pass would be wrong.
    """
    tree = ast.parse(code)
    used_up: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.For, ast.comprehension)):
            used_up.add(id(node.iter))
        elif isinstance(node, ast.Call) and _uses_up(node.func):
            used_up |= {id(argument) for argument in node.args}
        elif isinstance(node, ast.Starred):
            used_up.add(id(node.value))
        elif isinstance(node, ast.FunctionDef) and node.name in ("__bool__", "__len__", "__iter__", "__next__"):
            return False
    return all(id(node) in used_up for node in ast.walk(tree) if _is_lazy(node))


def _is_lazy(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in _LAZY
    return isinstance(node, ast.GeneratorExp)


def _uses_up(function: ast.expr) -> bool:
    if isinstance(function, ast.Attribute):
        return function.attr in ("join", "extend", "update")
    return isinstance(function, ast.Name) and function.id in _CONSUMERS


_LAZY = frozenset({"map", "filter", "zip", "reversed", "enumerate", "iter"})
_CONSUMERS = _LAZY | {"list", "tuple", "set", "frozenset", "dict", "sorted", "sum", "min", "max", "any", "all"}


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
        status, 0, total, (*failures, *last), "monty", time.perf_counter() - started, output, _reason(problem)
    )


def _reason(problem: Any) -> str:
    """Why the code could not be run, without the interpreter's name for itself."""
    text = str(problem or "")[:300]
    gap = re.search(r"does not yet support (.+)", text)
    if gap:
        return f"{gap[1]} cannot be run on this machine"
    return "it cannot be run on this machine" if "monty" in text.lower() else text
