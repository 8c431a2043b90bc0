"""A verifier that runs the answer's code under tests in the sandbox."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import asdict
from pathlib import Path
from shutil import which
from typing import cast

from ..parsers.code import python_parser
from ..parsers.contract import ParseDict
from .sandbox import run
from .sandbox.limits import CheckFailure, SandboxLimits, SandboxVerdict
from .sandbox.running import warm
from .sandbox.suites.suite import called_names, read_suite
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

    It uses the answer's definitions, not its demos; only the tests decide. An answer without code, that does not load
    for a missing name or a syntax error, or whose names or signatures are others than those that the tests call, has
    failed on its form; every other failure is one of substance. If the sandbox cannot run the code, or the
    tests need pytest and it is not installed, the verdict is `"unverified"`.

    Args:
        tests: Python source with asserts, a HumanEval `check(candidate)`, or a pytest file. A pytest file needs the
            extra `thoughtgraph[pytest]`, as test classes of unittest do, and imports the answer from `solution` (or
            from whatever it imports that is not installed, such as `src.calc`).
        entry_point: the function that `check(candidate)` tests.
        limits: time, memory, output and processes of one run.
        show_tests: put up to 3,000 characters of the tests into the prompt.

    Attributes:
        instructions: the format of an answer, with an example; a loop puts it into the system message.
        criteria: the tests, if shown; a loop puts them after the task.

    Raises:
        ValueError: the tests do not parse or check nothing.

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
            raise ValueError(f"tests is the tests' source text, got {type(tests).__name__}")
        suite = read_suite(tests, entry_point)
        self.tests = tests
        self.entry_point = entry_point
        self.limits = limits or SandboxLimits()
        self._names = called_names(tests, entry_point)
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
            return Verdict("failed", str(parsed.get("feedback")), 0.0, "no_code", failed_on="form")
        code = str(parsed.get("content"))
        result = self.run(code)
        verdict = verdict_of(result, self._names)
        excuse = _beyond_the_sandbox(self.tests, code, result.failures, self._names)
        if verdict.status == "failed" and excuse:
            # The code may be right.
            return Verdict("unverified", excuse, None, "unsupported", verdict.details)
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
        return Verdict("failed", feedback, result.score, result.status, details, "form")
    return Verdict("failed", result.feedback, result.score, result.status, details, "substance")


_READS_A_FILE = re.compile(
    r"['\"/]solution\.py['\"]|\bsolution\.__file__|['\"]-m['\"],\s{0,9}['\"]solution['\"]"
    r"|\brun_(?:module|path)\(\s{0,9}['\"]solution|\breload\(\s{0,9}solution\b"
    r"|['\"][^'\"\n]{0,99}\b(?:import|from) solution\b"
)
_OPENS = re.compile(r"\b(?:subprocess|Popen|runpy|run_module|run_path|reload|system|open|read_text)\b")
_STARTS = re.compile(r"\bsubprocess\b|\bos\.(?:system|popen|exec\w+|spawn\w+|posix_spawn\w*)\b")
_OF_THE_MODULE = re.compile(r"\bsolution\.\w+\(")
_NOT_THERE = re.compile(r"FileNotFoundError: \[Errno 2\] No such file or directory: '([^']+)'")
_NO_SHELL = re.compile(r"got 32512\b")
"""What `os.system` returns where there is no shell."""
_NO_NETWORK = re.compile(r"\b(?:gaierror|Temporary failure in name resolution|Network is unreachable)\b")
_NO_HOST = (
    "The code wants another host, and a sandbox has no network. Have the tests serve what it asks for, or stub it."
)
_SCRATCH = re.compile(r"\btmp_path\b|\btempfile\b|\btmpdir\b")
_NO_FILE = (
    "The tests use the answer as the file solution.py, which is not there. Have them import it from `solution`, or "
    "check a program by what it prints with `CommandVerifier`."
)
_OF_A_PLUGIN = re.compile(
    r"(?:Failed: )?'?[\w.]*'? ?requested an async fixture '(\w+)'|(?:[^\n]*\n){0,3}fixture '(\w+)' not found"
)
_NO_PLUGIN = "The tests use the fixture `{name}` of a pytest plugin, and a sandbox has none. Write it into the tests."
_NO_PROGRAM = "The code starts {name}, and a sandbox has no programs but Python. It cannot be tested here."
_NO_DATA = "The tests read the file {name}, which is not in the sandbox. Put what it holds into the tests."
_UNCALLED = "The tests call the code in another way than it was written. Write it so that these calls work:"
_UNLOADED = re.compile(
    "The code cannot be loaded: raised "
    "(?:SyntaxError|IndentationError|TabError|NameError|ImportError|ModuleNotFoundError)"
)
_SIGNATURE = re.compile(r"TypeError: ([\w.]+)\(\) (?:takes|missing|got)\b")
_MISSING = re.compile(
    r"NameError: name '(\w+)' is not defined"
    r"|ImportError: cannot import name '(\w+)' from"
    r"|AttributeError: (?:type object )?'(\w+)' (?:object )?has no attribute"
)
_EMPTY_MODULE = re.compile(r"AttributeError: module '\w+' has no attribute ")
_INSIDE = re.compile(r" \(line \d+: `.*`\)$", re.DOTALL)
"""What pytest's message of an exception ends with that the code itself raised."""
_CONSEQUENCE = "NameError: "
"""Of the tests themselves: a statement that binds the name has failed before."""


def _beyond_the_sandbox(tests: str, code: str, failures: Sequence[CheckFailure], names: Collection[str]) -> str:
    """Why the failures say nothing of the code: it, or its tests, want what a sandbox does not have; "" if one does."""
    reasons = [_excuse(failure, tests, code, names) for failure in failures]
    return reasons[0] if reasons and all(reasons) else ""


def _excuse(failure: CheckFailure, tests: str, code: str, names: Collection[str]) -> str:
    shown = f"{failure.check}{failure.got}"
    calls = any(f"{name}(" in shown for name in names) or _OF_THE_MODULE.search(failure.check)
    if not calls and _READS_A_FILE.search(tests) and _OPENS.search(tests):
        return _NO_FILE
    if not failure.code_line and (plugin := _OF_A_PLUGIN.match(failure.got)):
        return _NO_PLUGIN.format(name=plugin[1] or plugin[2])
    said = str(failure)
    by_code = failure.code_line or _INSIDE.search(failure.got)
    if by_code and _NO_NETWORK.search(failure.got):
        return _NO_HOST
    absent = found[1] if (found := _NOT_THERE.search(said)) else ""
    if _STARTS.search(code + tests) and (which(absent) if absent else _NO_SHELL.search(said)):
        return _NO_PROGRAM.format(name=f"`{absent}`" if absent else "a shell")
    # A file that the code is given, or is to write, is another matter.
    is_data = bool(absent) and not by_code and not _SCRATCH.search(tests)
    return _NO_DATA.format(name=f"`{absent}`") if is_data and tests.count(Path(absent).name) == 1 else ""


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
    inside = failure.expected or failure.code_line or _INSIDE.search(failure.got)
    return "" if inside else failure.got.removeprefix("raised ")
