"""A verifier that runs the answer's code under tests in the sandbox."""

from __future__ import annotations

import ast
from dataclasses import asdict

from ..nodes.code import python_parser
from ..nodes.contract import ParseDict
from . import sandbox
from .checks import UNREADABLE, called_names, compile_checks, definitions, unreadable
from .limits import Limits, SandboxVerdict
from .verdict import Verdict

_MODULE = "solution"
_SHOWN_TESTS = 3_000

_INSTRUCTIONS = """\
You are a Python programmer. Answer with one ```python block that holds the whole solution, with every import and \
helper it needs. Write no explanation, no example calls and no tests.

Example. For the task "Write a function `add(a, b)` that returns the sum of two numbers." you answer:

```python
def add(a, b):
    return a + b
```"""


class PythonTests:
    """Verifies code by running it under tests, contained.

    The answer's definitions are taken, not its demos; the tests alone decide. Where the sandbox cannot run the code the
    verdict is `"unverified"`.

    Args:
        tests: Python source with asserts, a HumanEval `check(candidate)`, or a pytest file. A pytest file imports the
            answer from `solution` (or from whatever single module it imports that is not installed).
        entry_point: the function that `check(candidate)` tests.
        limits: time, memory, output and processes of one run.
        show_tests: put the tests into the prompt, up to 3,000 characters.

    Attributes:
        instructions: the format of an answer, with an example; a loop puts it into the system message.
        criteria: the tests, if they are shown; a loop puts them behind the task.

    Raises:
        ValueError: the tests do not parse or check nothing.

    Example:
        >>> verify = PythonTests("assert double(2) == 4")
        >>> verify("Double a number.", "def double(x): return 2 * x").status
        'passed'
    """

    def __init__(
        self, tests: str, *, entry_point: str | None = None, limits: Limits | None = None, show_tests: bool = True
    ) -> None:
        try:
            self._is_pytest = sandbox.is_pytest_source(tests)
            if self._is_pytest and "def test" not in tests:
                raise ValueError("the tests contain no test: name the functions `test_…`")
            if not self._is_pytest:
                compile_checks(tests, entry_point)
        except SyntaxError as problem:
            raise ValueError(f"the tests do not parse: {problem.msg} at line {problem.lineno}") from None
        self.tests = tests
        self.entry_point = entry_point
        self.limits = limits or Limits()
        self._module = _imported_module(tests) if self._is_pytest else _MODULE
        self._names = _wanted_names(tests, entry_point, self._module, self._is_pytest)
        shown = f"It has to pass these tests:\n\n```python\n{tests.strip()[:_SHOWN_TESTS]}\n```"
        self.instructions = _INSTRUCTIONS
        self.criteria = shown if show_tests else ""

    def parse(self, raw_reply: str) -> ParseDict:
        """The parser of answers: takes the code that defines what the tests call out of a reply."""
        return python_parser(raw_reply, self._names)

    def __call__(self, task: str, answer: str) -> Verdict:
        """Run an answer (code, or a reply that holds it) under the tests."""
        parsed = self.parse(answer)
        if parsed.get("status") == "error":
            return Verdict("failed", str(parsed.get("feedback")), 0.0, "no_code")
        return verdict_of(self.run(str(parsed.get("content"))))

    def run(self, code: str) -> SandboxVerdict:
        """The sandbox's own verdict, with every check."""
        if not self._is_pytest:
            return sandbox.run(code, self.tests, self.limits, entry_point=self.entry_point)
        try:
            files = {f"{self._module}.py": definitions(code, frozenset(self._names))}
        except UNREADABLE as problem:
            return unreadable(problem, total=1)
        return sandbox.run_project(files, {"test_solution.py": _importing(self.tests, self._module)}, self.limits)


def verdict_of(result: SandboxVerdict) -> Verdict:
    """A sandbox verdict as a verifier's: what could not be run is unverified, never failed and never passed."""
    details = {
        "status": result.status,
        "passed": result.passed,
        "total": result.total,
        "tier": result.tier,
        "seconds": round(result.seconds, 4),
        "failures": [asdict(failure) for failure in result.failures[:10]],
    }
    if result.status == "unsupported" or result.total == 0:
        return Verdict("unverified", result.feedback, None, "unsupported", details)
    if result.status == "passed":
        return Verdict("passed", result.feedback, 1.0, "", details)
    return Verdict("failed", result.feedback, result.score, result.status, details)


def _wanted_names(tests: str, entry_point: str | None, module: str, is_pytest: bool) -> list[str]:
    if entry_point:
        return [entry_point]
    if not is_pytest:
        return called_names(tests)
    imported: list[str] = []
    for node in ast.walk(ast.parse(tests)):
        if isinstance(node, ast.ImportFrom) and node.module == module:
            imported += [alias.name for alias in node.names if alias.name != "*"]
    return imported


def _imported_module(tests: str) -> str:
    """The module that a pytest file expects the answer in: `solution`, else the one that it takes names from and that
    is not installed."""
    from importlib.util import find_spec

    nodes = list(ast.walk(ast.parse(tests)))
    names = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom) and not node.level]
    names += [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    if _MODULE in names:
        return _MODULE
    return next((name for name in names if name.isidentifier() and find_spec(name) is None), _MODULE)


def _importing(tests: str, module: str) -> str:
    """The tests with an import of the answer, where they have none: behind what has to stand first in a file."""
    tree = ast.parse(tests)
    if any(isinstance(n, ast.ImportFrom) and n.module == module for n in ast.walk(tree)) or any(
        isinstance(n, ast.Import) and any(alias.name == module for alias in n.names) for n in ast.walk(tree)
    ):
        return tests
    place = 0
    for node in tree.body:
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not is_docstring and not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            break
        place = node.end_lineno or place
    lines = tests.splitlines()
    return "\n".join([*lines[:place], f"from {module} import *", *lines[place:]])
