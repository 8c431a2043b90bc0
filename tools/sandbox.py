"""Runs model-written code under tests, contained: first in a Rust interpreter, then in CPython under bubblewrap.

There is no third way: where neither tier can run the code the verdict is `"unsupported"`, and nothing is run.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import PurePosixPath

from ..nodes.steps import cancellable
from ..trace.errors import UnsafeFileNameError
from .bubblewrap_tier import run_in_bubblewrap, run_project_in_bubblewrap
from .checks import UNREADABLE, compile_checks, definitions, unreadable, used_names
from .contained import why_unavailable
from .limits import Limits, SandboxVerdict
from .monty_tier import knows, run_in_monty, usable

_FIRST_TIER_SECONDS = 0.5


def run(code: str, tests: str, limits: Limits | None = None, *, entry_point: str | None = None) -> SandboxVerdict:
    """Run code under tests in the sandbox.

    Only the code's definitions, imports and constants are taken; its own prints, demos and asserts are left out. Each
    top-level `assert` of the tests is a check of its own; a HumanEval `check(candidate)` is unrolled.

    Args:
        code: Python source, as a model wrote it.
        tests: Python source with asserts.
        limits: time, memory, output and processes.
        entry_point: the function that `check(candidate)` tests.

    Returns:
        A verdict with every check that did not pass: what it expected, what it got, and where. `"passed"` by the first
        tier is final; anything else is decided by the second tier where the machine has one.

    Raises:
        ValueError: the tests do not parse or check nothing. Code that does not parse is a verdict, not an error.
    """
    limits = limits or Limits()
    try:
        checks = compile_checks(tests, entry_point)
    except SyntaxError as problem:
        raise ValueError(f"the tests do not parse: {problem.msg} at line {problem.lineno}") from None
    total = sum(check.counts for check in checks)
    try:
        prepared = definitions(code, used_names(tests))
    except UNREADABLE as problem:
        return unreadable(problem, total)
    missing = why_unavailable()
    quick = Limits(min(limits.seconds, _FIRST_TIER_SECONDS), limits.memory_mb, limits.output_kb, limits.processes)
    if not knows(prepared) or not usable():
        if missing:
            return SandboxVerdict("unsupported", 0, total, reason=missing)
        return run_in_bubblewrap(prepared, checks, limits)
    first = run_in_monty(prepared, checks, limits if missing else quick, stop_early=missing is None)
    if first.status == "passed" or missing:
        return first
    return run_in_bubblewrap(prepared, checks, limits)


async def arun(
    code: str, tests: str, limits: Limits | None = None, *, entry_point: str | None = None
) -> SandboxVerdict:
    """Async twin of `run`: the sandbox's processes are waited for in a worker thread."""
    return await cancellable(lambda: run(code, tests, limits, entry_point=entry_point))


def run_project(files: Mapping[str, str], tests: Mapping[str, str], limits: Limits | None = None) -> SandboxVerdict:
    """Run a pytest project of several files in the second tier.

    Args:
        files: relative path → text: what the model wrote. They are written inside the sandbox only.
        tests: relative path → text: the test files; they win over files of the same name.
        limits: time, memory, output and processes.

    Raises:
        UnsafeFileNameError: a path leaves the project.
        ValueError: there are no tests.
    """
    if not tests:
        raise ValueError("there are no tests: pass at least one test file")
    for name in (*files, *tests):
        path = PurePosixPath(name)
        if not name or "\\" in name or "\0" in name or path.is_absolute() or ".." in path.parts or path.name == "":
            raise UnsafeFileNameError(name, "the path leaves the project")
    missing = why_unavailable() or _without_pytest()
    if missing:
        return SandboxVerdict("unsupported", 0, 0, reason=missing)
    # A model's conftest.py or configuration would run before the tests and could rewrite their results.
    own = {name: text for name, text in files.items() if PurePosixPath(name).name not in _CONFIGURATION}
    return run_project_in_bubblewrap({**own, **tests}, sorted(tests), limits or Limits())


async def arun_project(
    files: Mapping[str, str], tests: Mapping[str, str], limits: Limits | None = None
) -> SandboxVerdict:
    """Async twin of `run_project`."""
    return await cancellable(lambda: run_project(files, tests, limits))


_CONFIGURATION = frozenset(
    {
        "conftest.py",
        "pytest.ini",
        ".pytest.ini",
        "pytest.toml",
        ".pytest.toml",
        "pyproject.toml",
        "tox.ini",
        "setup.cfg",
    }
)


def _without_pytest() -> str | None:
    from importlib.util import find_spec

    return None if find_spec("pytest") else "pytest is not installed: pip install 'thoughtgraph[pytest]'"


def is_pytest_source(tests: str) -> bool:
    """Whether tests are written for pytest: functions or classes named `test…` rather than bare asserts."""
    return any(
        isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node.name.lower().startswith("test")
        for node in ast.parse(tests).body
    )
