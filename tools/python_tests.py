"""A verifier that runs the answer's code under tests in the sandbox."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import asdict, replace
from typing import cast

from .._internal.numbers import check_kind
from ..parsers.code import python_parser
from ..parsers.contract import ParseDict
from .sandbox import run
from .sandbox.beyond import INSIDE, beyond_the_sandbox
from .sandbox.limits import CheckFailure, SandboxLimits, SandboxVerdict, as_limits, without_consequences
from .sandbox.running import warm
from .sandbox.suites.suite import called_names, read_suite, taken_over
from .verdict import Verdict

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
    """Verifies code by running it under tests in a sandbox.

    Of the answer's demos it runs only what may change its state; only the tests decide. An answer without code, that
    does not load for a missing name or a syntax error, or whose names or signatures are others than those that the
    tests call, has failed on its form; every other failure is one of substance. If the sandbox cannot run the code, or
    the tests need pytest and it is not installed, the verdict is `"unverified"`.

    Args:
        tests: Python source with asserts, a HumanEval `check(candidate)`, or a pytest file. A pytest file needs the
            extra `thoughtgraph[pytest]`, as test classes of unittest do, and imports the answer from `solution` (or
            from whatever it imports that is not installed, such as `src.calc`).
        entry_point: the function that `check(candidate)` tests, or how to get it: `Solution().add`.
        limits: time, memory, output and processes of one run.
        show_tests: put up to 3,000 characters of the tests into the prompt.

    Attributes:
        instructions: the format of an answer, with an example; a loop puts it into the system message.
        criteria: the tests, if shown; a loop puts them after the task.

    Raises:
        ValueError: the tests do not parse or check nothing, or the entry point is none.

    Example:
        >>> verify = PythonTests("assert double(2) == 4")
        >>> verify("Double a number.", "def double(x): return 2 * x").status
        'passed'
    """

    def __init__(
        self,
        tests: str,
        *,
        entry_point: str | None = None,
        limits: SandboxLimits | None = None,
        show_tests: bool = True,
    ) -> None:
        if not isinstance(cast(object, tests), str):
            raise ValueError(f"tests is the tests' source text, got {type(tests).__name__}: of a file its read_text()")
        check_kind("entry_point", entry_point, str | None, "a function's name")
        self.limits = as_limits(limits)
        tests = tests.removeprefix("\ufeff")
        suite = self._suite = read_suite(tests, entry_point)
        self.tests = tests
        self.entry_point = entry_point
        self._names = called_names(tests, entry_point)
        self._homes = frozenset([*suite.home.names, *suite.brought])
        # Start sandboxes while the model writes.
        warm(suite)
        shown = f"It has to pass these tests:\n\n```python\n{tests.strip()[:_SHOWN_TESTS]}\n```"
        self.instructions = _INSTRUCTIONS
        self.criteria = shown if show_tests else ""

    def parse(self, raw_reply: str) -> ParseDict:
        """Parse a reply: extract the code that defines what the tests call."""
        return python_parser(raw_reply, self._names)

    def __call__(self, task: str, answer: str) -> Verdict:
        """Run an answer (code, or a reply that contains it) under the tests."""
        parsed = self.parse(answer)
        if parsed.get("status") == "error":
            details = {"passed": 0, "total": self._suite.total}
            return Verdict("failed", str(parsed.get("feedback")), 0.0, "no_code", details, "form")
        code = str(parsed.get("content"))
        result = self.run(code)
        excused = beyond_the_sandbox(self.tests, code, result.failures, self._names, self._homes)
        telling = tuple(failure for failure in without_consequences(result.failures) if failure not in excused)
        if excused and telling:
            left_out = len(result.failures) - len(telling)
            result = replace(result, failures=telling, total=max(result.passed + 1, result.total - left_out))
        verdict = verdict_of(result, self._names)
        if verdict.status == "failed" and excused and not telling:
            # The code may be right.
            return Verdict("unverified", next(iter(excused.values())), None, "unsupported", verdict.details)
        if verdict.status == "failed" and result.failures and (names := taken_over(code, self._suite)):
            theirs = _THEIRS.format(names=" and ".join(f"`{name}`" for name in names))
            return replace(verdict, feedback=f"{verdict.feedback}\n{theirs}")
        return verdict

    def run(self, code: str) -> SandboxVerdict:
        """Run code and return the sandbox's own verdict, with every check."""
        return run(code, self.tests, self.limits, entry_point=self.entry_point)


def verdict_of(result: SandboxVerdict, names: Collection[str]) -> Verdict:
    """Turn a sandbox verdict into a verifier's: code that could not be run is unverified, not failed or passed.

    Args:
        result: of the code under its tests.
        names: what the tests call.
    """
    details = {
        "status": result.status,
        "passed": result.passed,
        "total": result.total,
        "judged": result.judged,
        "seconds": round(result.seconds, 4),
        "failures": [asdict(failure) for failure in result.failures[:10]],
    }
    if result.status == "unsupported" or result.total == 0:
        return Verdict("unverified", result.feedback, None, "unsupported", details)
    if result.status == "passed":
        return Verdict("passed", result.feedback, 1.0, "", details)
    if _failed_on_form(result, names):
        feedback = f"{_UNCALLED}\n{result.shown_failures}" if result.failures else result.feedback
        if found := _NO_FILE.search(result.reason):
            feedback += _ONE_FILE.format(name=f" `{found[1]}`" if found[1] else "")
        return Verdict("failed", feedback, result.score, result.status, details, "form")
    return Verdict("failed", result.feedback, result.score, result.status, details, "substance")


_THEIRS = "The tests define {names} themselves, behind your code, and your functions then use theirs."
_UNCALLED = "The tests call the code in another way than it was written. Write it so that these calls work:"
_UNLOADED = re.compile(
    "The code cannot be loaded: raised "
    "(?:SyntaxError|IndentationError|TabError|NameError|ImportError|ModuleNotFoundError)"
)
_NO_FILE = re.compile(r"(?:No module named '([\w.]+)'|attempted relative import)")
_ONE_FILE = "\nThere is no module{name} here, and no file but this one: write all of it in one ```python block."
_SIGNATURE = re.compile(r"TypeError: ([\w.]+)\(\) (?:takes|missing|got)\b")
_MISSING = re.compile(
    r"NameError: name '(\w+)' is not defined"
    r"|ImportError: cannot import name '(\w+)' from"
    r"|AttributeError: (?:type object )?'(\w+)' (?:object )?has no attribute"
)
_EMPTY_MODULE = re.compile(r"AttributeError: module '\w+' has no attribute ")
_CONSEQUENCE = "NameError: "
"""Of the tests themselves: a statement that binds the name has failed before."""


def _failed_on_form(result: SandboxVerdict, names: Collection[str]) -> bool:
    """Whether nothing else is wrong with the code than that it cannot be loaded, or called as the tests call it."""
    if result.status == "error":
        return _UNLOADED.match(result.reason) is not None
    if result.status != "failed":
        return False
    outside = [failure for failure in result.failures if not _is_misfit(failure, names)]
    if len(outside) == len(result.failures):
        return False
    return all(_raised(failure).startswith(_CONSEQUENCE) for failure in outside)


def _is_misfit(failure: CheckFailure, names: Collection[str]) -> bool:
    """Whether a test could not call what it calls; an exception inside the code is another matter."""
    raised = _raised(failure)
    if found := _SIGNATURE.match(raised):
        return found.group(1).partition(".")[0] in names
    if _EMPTY_MODULE.match(raised):
        return True
    return bool(found := _MISSING.match(raised)) and any(name in names for name in found.groups())


def _raised(failure: CheckFailure) -> str:
    """What a test raised where it called the code; "" if it raised nothing, or inside the code."""
    inside = failure.expected or failure.code_line or INSIDE.search(failure.got)
    return "" if inside else failure.got.removeprefix("raised ")
