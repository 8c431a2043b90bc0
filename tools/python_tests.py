"""A verifier that runs the answer's code under tests in the sandbox."""

from __future__ import annotations

from dataclasses import asdict

from ..parsers.code import python_parser
from ..parsers.contract import ParseDict
from .sandbox import run
from .sandbox.limits import SandboxLimits, SandboxVerdict
from .sandbox.running import warm
from .sandbox.suite import called_names, read_suite
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

    It uses the answer's definitions, not its demos; only the tests decide. If the sandbox cannot run the code, or the
    tests need pytest and it is not installed, the verdict is `"unverified"`.

    Args:
        tests: Python source with asserts, a HumanEval `check(candidate)`, or a pytest file. A pytest file needs the
            extra `thoughtgraph[pytest]`, as test classes of unittest do, and imports the answer from `solution` (or
            from whatever single module it imports that is not installed).
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
            return Verdict("failed", str(parsed.get("feedback")), 0.0, "no_code")
        return verdict_of(self.run(str(parsed.get("content"))))

    def run(self, code: str) -> SandboxVerdict:
        """Run code and return the sandbox's own verdict, with every check."""
        return run(code, self.tests, self.limits, entry_point=self.entry_point)


def verdict_of(result: SandboxVerdict) -> Verdict:
    """Turn a sandbox verdict into a verifier's: code that could not be run is unverified, not failed or passed."""
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
    return Verdict("failed", result.feedback, result.score, result.status, details)
