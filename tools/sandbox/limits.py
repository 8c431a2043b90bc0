"""The limits of a sandboxed run, and its verdict."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from unicodedata import normalize

from ..._internal.numbers import check_kind, number
from .inside.decoys import MOST, from_where_they_differ, without_middle
from .inside.telling import told
from .suites.names import Definition

Status = Literal["passed", "failed", "error", "timeout", "memory", "output_limit", "unsupported"]

_SHOWN_FAILURES = 3
_SHOWN_LINES = 20
"""Of what was printed."""
_ADDRESS = re.compile(r" at 0x[0-9a-f]{4,}(?=>)")
"""Of an object, in what it is shown as. It says nothing, and is another one in each run."""
_GOES_ON = re.compile(
    r"(?<=[:,(\[{\\])\n\s*|\n\s*(?=[)\]}=!<>+/%&|^]|(?:and|or|is|in) |- |\* )|\n(?=@|(?:async )?def |class )"
)
"""The end of a line inside a statement: after an open bracket, before an operator, or between decorators and what they
decorate."""
_NEW_LINE = re.compile(r"\n\s*")
_EXAMPLE = re.compile(r"^Failed example:\n(?:(?!\*{70}).*\n)+", re.MULTILINE)
"""What doctest prints of a failed example; the tests themselves may see only how many have failed."""
_EXIT = re.compile(r"raised SystemExit: (?!.*\(line \d+: `).+", re.DOTALL)
"""What a runner of the tests' own ends with, in no line of the code: it has printed what is wrong."""
_UNBOUND = re.compile(r"raised NameError: name '(\w+)' is not defined")


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """Limits of one sandboxed run.

    Attributes:
        seconds: wall time of a run, without what it waited for a processor that other programs had, for up to twice as
            long; tests that start over beside the code have as much again. A run that had to wait for longer is not
            judged.
        memory_mb: memory of each process, in MiB; all of them together may take four times as much.
        output_kb: the most the code may print, in KiB; more ends the run.
        processes: processes and threads at the same time.
    """

    seconds: float = 5.0
    memory_mb: int = 512
    output_kb: int = 256
    processes: int = 128

    def __post_init__(self) -> None:
        for name in ("seconds", "memory_mb", "output_kb", "processes"):
            number(f"SandboxLimits.{name}", getattr(self, name), above=0)


def as_limits(limits: SandboxLimits | None) -> SandboxLimits:
    """The limits that are given, or the default ones for None.

    Raises:
        ValueError: they are of another kind, such as a number of seconds.
    """
    check_kind("limits", limits, SandboxLimits | None, "SandboxLimits(…)")
    return limits or SandboxLimits()


@dataclass(frozen=True, slots=True)
class CheckFailure:
    """A check that did not pass.

    Attributes:
        check: the check's source, or the statement inside of it that failed, with what its names stand for.
        line: its line in the tests, from 1.
        expected: the expected value, as source text; "" if the check raised.
        got: the actual value; for an exception its type and message.
        code_line: the line of the candidate's code that raised, with its number; "" otherwise, and where `got` ends
            with it: of a statement inside of a check, and of pytest.
    """

    check: str
    line: int
    expected: str = ""
    got: str = ""
    code_line: str = ""

    def __str__(self) -> str:
        check = without_middle(_NEW_LINE.sub("; ", _GOES_ON.sub(" ", self.check)), 2 * MOST)
        if self.expected:
            expected, got = _without_addresses(self.expected), _without_addresses(self.got)
            if said := _same_in_writing(expected, got):
                return f"`{check}`: {said}"
            shown = from_where_they_differ(expected, got)
            return f"`{check}`: expected {shown[0]}, got {shown[1]}{_lookalikes(expected, got)}"
        return f"`{check}`: {self.raised}"

    @property
    def raised(self) -> str:
        """The exception, and the line of the candidate's code that raised it."""
        where = f" at {without_middle(self.code_line)}" if self.code_line else ""
        return f"{told(_without_addresses(self.got))}{where}"


def _without_addresses(shown: str) -> str:
    # A text's own are what the code was to write.
    return shown if shown.startswith(("'", '"')) else _ADDRESS.sub("", shown)


def _same_in_writing(expected: str, got: str) -> str:
    """The message for two values that look the same as text; "" if they look different."""
    if expected == f"is {got}":
        return f"expected the very object {got}, got another one like it"
    if expected != got or len(got) > MOST:
        return ""
    return f"expected a value equal to {got}, got one that only looks the same (compared with ==, they differ)"


def _lookalikes(expected: str, got: str) -> str:
    """Names the first two characters that differ, if a reader may not see the difference: an accent, a letter of
    another script, a kind of space; "" otherwise."""
    apart = [(one, other) for one, other in zip(expected, got, strict=False) if one != other]
    alike = normalize("NFKC", expected) == normalize("NFKC", got)
    if not apart or not (alike or (len(expected) == len(got) and len(apart) == 1)) or "".join(apart[0]).isascii():
        return ""
    return " (U+{1:04X} in place of U+{0:04X})".format(*map(ord, apart[0]))


@dataclass(frozen=True, slots=True)
class SandboxVerdict:
    """The result of running code under its tests.

    Attributes:
        status: `"unsupported"` means that this machine has no sandbox, or was too busy to run the code; it is not a
            failure of the code.
        passed: how many checks passed.
        total: how many checks there are.
        failures: the checks that did not pass, in the order of the tests.
        judged: `"apart"` if the tests ran in a process without the code, `"together"` if both shared one, "" if
            nothing ran. Code that shares a process with its tests can forge a pass if it tries.
        together: why they shared a process.
        seconds: wall time.
        output: what the code printed, cut to the limit.
        reason: why nothing could run, for `"unsupported"`; what went wrong, for `"error"` outside any check.
    """

    status: Status
    passed: int
    total: int
    failures: tuple[CheckFailure, ...] = ()
    judged: Literal["", "apart", "together"] = ""
    together: str = ""
    seconds: float = 0.0
    output: str = ""
    reason: str = ""

    @property
    def score(self) -> float:
        """The share of checks that passed, from 0 to 1; 1 only for a pass."""
        if self.status == "passed":
            return 1.0
        return min(self.passed / self.total, 0.999) if self.total else 0.0

    @property
    def feedback(self) -> str:
        """The feedback for the model: short, exact, without details of the sandbox."""
        if self.status == "passed":
            return "The one check passed." if self.total == 1 else f"All {self.total} checks passed."
        if self.status == "unsupported":
            return f"The code could not be run: {self.reason}"
        return "\n".join(filter(None, [self._headline(), self.shown_failures, self._printed()]))

    def _printed(self) -> str:
        """What the tests have printed of a failure whose check says only that there is one."""
        if self.status != "failed":
            return ""
        if example := _EXAMPLE.search(self.output):
            return told(example[0])
        if not any(_EXIT.fullmatch(failure.got) and not failure.code_line for failure in self.failures):
            return ""
        lines = [without_middle(line) for line in self.output.rstrip().splitlines()[-_SHOWN_LINES:]]
        return "\n".join(["Printed before:", *lines]) if lines else ""

    @property
    def shown_failures(self) -> str:
        """The first failures, one a line, without those that only follow from another one."""
        told = list(dict.fromkeys(f"- {failure}" for failure in without_consequences(self.failures)))
        lines = told[:_SHOWN_FAILURES]
        if len(told) > _SHOWN_FAILURES:
            lines.append(f"- and {len(told) - _SHOWN_FAILURES} more")
        return "\n".join(lines)

    def _headline(self) -> str:
        if self.status == "timeout":
            return "The code did not finish in time; look for a loop that never ends, or a slower method than needed."
        if self.status == "memory":
            return "The code used more memory than allowed."
        if self.status == "output_limit":
            return "The code printed more than allowed."
        if self.status == "error" and self.reason:
            return self.reason
        if self.passed == self.total:
            # A statement that is no check: it prepares one, or ends the tests.
            return "The tests failed:"
        return f"{self.total - self.passed} of {self.total} checks failed:"


def without_consequences(failures: Sequence[CheckFailure]) -> list[CheckFailure]:
    """The failures without those that only miss a name which an earlier statement of the tests, that failed, binds."""
    unbound, telling = set[str](), list[CheckFailure]()
    for failure in failures:
        missing = None if failure.expected or failure.code_line else _UNBOUND.fullmatch(failure.got)
        if not (missing and missing[1] in unbound):
            telling.append(failure)
        unbound |= _bound_by(failure.check)
    return telling


def _bound_by(statement: str) -> set[str]:
    # It may be shown with the values of its names.
    for source in (statement, statement.rpartition(" with ")[0]):
        try:
            nodes = [*ast.walk(ast.parse(source))]
        except SyntaxError:
            continue
        stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        return stored | {node.name for node in nodes if isinstance(node, Definition)}
    return set()
