"""Runs model-written code under tests, or a command over it, under bubblewrap; without bubblewrap it runs nothing."""

from __future__ import annotations

import ast
import sysconfig
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from pathlib import PurePosixPath

from ..._internal.numbers import check_kind
from ..._internal.steps import run_in_thread
from ...errors import UnsafeFileNameError
from .bubblewrap import NO_PATHS, Paths, packages, paths_of_commands
from .exchange import run_job, why_unavailable
from .limits import SandboxLimits, SandboxVerdict, as_limits
from .pool import pool
from .reports import WITHOUT_PYTEST, verdict_of_checks, verdict_of_command, verdict_of_pytest
from .suites.annotations import without_unbound
from .suites.checks import UNREADABLE, unreadable
from .suites.names import Function, top_of
from .suites.needs import foreign_packages, installed, packages_above
from .suites.suite import Suite, defined_names, read_suite

_FIXTURES = frozenset({"capsys", "caplog", "monkeypatch", "recwarn", "request", "tmp_path", "tmp_path_factory"})
"""Pytest's own."""

# A model's conftest.py or configuration would run before the tests and could rewrite their results.
_CONFIGURATION = frozenset(
    [
        "conftest.py",
        "pytest.ini",
        ".pytest.ini",
        "pytest.toml",
        ".pytest.toml",
        "pyproject.toml",
        "tox.ini",
        "setup.cfg",
    ]
)


def run(
    code: str, tests: str, limits: SandboxLimits | None = None, *, entry_point: str | None = None
) -> SandboxVerdict:
    """Run code under tests in the sandbox.

    The tests run in a separate process and call the code's functions in another. Both share a process only if the
    tests need more of the code (its objects, its output, …). The verdict's `judged` says which. Prints and asserts at
    the code's top level are left out; other statements there may fail.

    Args:
        code: Python source, as a model wrote it.
        tests: Python source: bare asserts, functions, a HumanEval `check(candidate)`, unittest or pytest. Test classes
            of unittest and pytest files need pytest: `pip install 'thoughtgraph[pytest]'`.
        limits: time, memory, output and processes.
        entry_point: the function that `check(candidate)` tests.

    Returns:
        A verdict with every check that did not pass: what it expected, what it got, and where.

    Raises:
        ValueError: the tests do not parse or check nothing, or something is of another kind. Code that does not parse
            is a verdict, not an error.
    """
    for what, given in (("code", code), ("tests", tests)):
        check_kind(what, given, str, "Python source, as a text")
    limits = as_limits(limits)
    # As Python takes it from a file: `read_text()` leaves it there.
    code, tests = code.removeprefix("\ufeff"), tests.removeprefix("\ufeff")
    suite = read_suite(tests, entry_point)
    try:
        imported = foreign_packages(ast.parse(code))
        defined = defined_names(code)
    except UNREADABLE as problem:
        return unreadable(problem, suite.total)
    if taken := defined & suite.local:
        suite = read_suite(tests, entry_point, taken)
    aliases, foreign = _stand_ins(suite, defined)
    missing = why_unavailable() or (_without_pytest() if suite.pytest else None) or _without(foreign)
    if missing:
        return SandboxVerdict("unsupported", 0, suite.total, reason=missing)
    code = without_unbound(code, defined, (*suite.imported, *suite.bound))
    raw = run_job(suite.job(code, aliases, entry_point), limits, _paths(suite, imported))
    if suite.kind == "checks":
        return verdict_of_checks(raw, suite.checks, suite.together, sorted(suite.optional - installed()))
    return verdict_of_pytest(raw, suite.together, suite.added)


async def arun(
    code: str, tests: str, limits: SandboxLimits | None = None, *, entry_point: str | None = None
) -> SandboxVerdict:
    """Async twin of `run`; a worker thread waits for the sandbox."""
    return await run_in_thread(lambda: run(code, tests, limits, entry_point=entry_point))


def warm(suite: Suite) -> None:
    """Start sandboxes in the background for tests that will soon run."""
    if why_unavailable() is None:
        pool().warm(_paths(suite))


def run_project(
    files: Mapping[str, str], tests: Mapping[str, str], limits: SandboxLimits | None = None
) -> SandboxVerdict:
    """Run a pytest project of several files.

    Args:
        files: relative path → text: what the model wrote; written only inside the sandbox.
        tests: relative path → text: the test files, with what they need, such as data, a `conftest.py` or modules
            that they import; they replace files of the same name.
        limits: time, memory, output and processes.

    Raises:
        UnsafeFileNameError: a path leaves the project.
        ValueError: there are no tests in Python, or one does not parse; or something is no dict, or no limits.
    """
    for what, given in (("files", files), ("tests", tests)):
        check_kind(what, given, Mapping, "a dict of texts by their files' relative paths")
    limits = as_limits(limits)
    for name in (*files, *tests):
        path = PurePosixPath(name)
        if not name or "\\" in name or "\0" in name or path.is_absolute() or ".." in path.parts or path.name == "":
            raise UnsafeFileNameError(name, "the path leaves the project")
    collected = _collected(tests)
    if not collected:
        raise ValueError("there are no tests: pass at least one test file")
    missing = why_unavailable() or _without_pytest()
    if missing:
        return SandboxVerdict("unsupported", 0, 0, reason=missing)
    own = {name: text for name, text in files.items() if PurePosixPath(name).name not in _CONFIGURATION}
    job = {"files": {**own, **tests}, "tests": sorted(tests), "collected": collected, "needs_pytest": True}
    return verdict_of_pytest(run_job(job, limits, packages()), "a project of files")


async def arun_project(
    files: Mapping[str, str], tests: Mapping[str, str], limits: SandboxLimits | None = None
) -> SandboxVerdict:
    """Async twin of `run_project`."""
    return await run_in_thread(lambda: run_project(files, tests, limits))


def run_command(
    command: Sequence[str], files: Mapping[str, str], limits: SandboxLimits, readable: Sequence[str] = ()
) -> SandboxVerdict:
    """Run a command over files; its exit status 0 is a pass.

    Args:
        command: the program's absolute path and its arguments.
        files: relative path → text; written only inside the sandbox, where the command starts.
        limits: time, memory, output and processes.
        readable: absolute paths that the command may read beyond the system's programs and this environment of Python.

    Returns:
        A verdict whose `output` is what the command printed, and whose `reason` says how it ended.
    """
    missing = why_unavailable()
    if missing:
        return SandboxVerdict("unsupported", 0, 1, reason=missing)
    own = [str(PurePosixPath(command[0]).parent), sysconfig.get_path("scripts")]
    search = dict.fromkeys([*own, "/usr/local/bin", "/usr/bin", "/bin"])
    job = {"command": list(command), "files": dict(files), "search": ":".join(search)}
    return verdict_of_command(run_job(job, limits, paths_of_commands(readable)))


def _collected(tests: Mapping[str, str]) -> list[str]:
    """The files of tests: not what pytest loads by itself, as `conftest.py`, and no modules that only help others.

    Raises:
        ValueError: one does not parse.
    """
    trees: dict[str, ast.Module] = {}
    problems: dict[str, Exception] = {}
    for name in sorted(tests):
        if name.endswith(".py"):
            try:
                trees[name] = ast.parse(tests[name].removeprefix("\ufeff"))
            except UNREADABLE as problem:
                problems[name] = problem
    imported = {module for name, tree in trees.items() for module in _imports(tree, name, trees)}
    found: list[str] = []
    for name in sorted({*trees, *problems}):
        path = PurePosixPath(name)
        is_named = path.stem.startswith("test_") or path.stem.endswith("_test")
        helps = name in trees and not is_named and not _has_tests(trees[name], name in imported)
        if path.name not in ("conftest.py", "__init__.py") and not helps:
            if name in problems:
                raise ValueError(f"the tests do not parse: {name}: {problems[name]}")
            found.append(name)
    return found


def _has_tests(tree: ast.Module, is_imported: bool) -> bool:
    """Whether pytest would run something of a file; a class, where it is imported."""
    if not is_imported and any(isinstance(node, ast.ClassDef) for node in tree.body):
        return True
    functions = [node for node in tree.body if isinstance(node, Function)]
    fixtures = {one.name for one in functions if any("fixture" in ast.unparse(mark) for mark in one.decorator_list)}
    tests = [one for one in functions if one.name.startswith("test") and one.name not in fixtures]
    # One with other parameters is a helper: "def test_data(n)".
    return any(one.decorator_list or {each.arg for each in one.args.args} <= {*fixtures, *_FIXTURES} for one in tests)


def _imports(tree: ast.Module, name: str, known: Collection[str]) -> Iterator[str]:
    """The other files of tests that one imports, from its own folder or from one around it."""
    modules: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules += [node.module or "", *(f"{node.module or ''}.{alias.name}" for alias in node.names)]
    for folder, module in product(PurePosixPath(name).parents, modules):
        path = str(folder / f"{module.strip('.').replace('.', '/')}.py")
        if path in known and path != name:
            yield path


def _stand_ins(suite: Suite, defined: frozenset[str]) -> tuple[tuple[str, ...], frozenset[str]]:
    """The names of modules that the candidate stands for, and the packages that it does not.

    Besides its own module these are modules that are not installed, and of which the tests import nothing but what it
    defines.
    """
    own = [
        name for name in suite.home.aliases if not (name in suite.home.guessed and name.rpartition(".")[2] in defined)
    ]
    further = [module for module, names in suite.brought.items() if names <= defined]
    lacking = {top_of(module) for module in suite.brought.keys() - set(further)}
    found = {top_of(module) for module in further} - lacking
    return packages_above([*own, *further]), suite.foreign - found


def _paths(suite: Suite, imported: frozenset[str] = frozenset()) -> Paths:
    return packages() if suite.pytest or (suite.foreign | imported) & installed() else NO_PATHS


def _without(foreign: frozenset[str]) -> str | None:
    """Why tests cannot run that import what is not installed; None if all is."""
    lacking = ", ".join(sorted(foreign - installed()))
    return (
        f"the tests import {lacking}: install it in the Python environment that runs thoughtgraph" if lacking else None
    )


def _without_pytest() -> str | None:
    from importlib.util import find_spec

    return None if find_spec("pytest") else WITHOUT_PYTEST
