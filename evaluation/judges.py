"""What judges an answer: the verifier, which a loop may see, and the scorer, which it may not."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from types import CodeType, FunctionType
from typing import Any, cast, get_args

from .._internal.numbers import as_pythons_own, is_share
from .._internal.redact import line_of, redacted
from .._internal.steps import acall_user_function
from ..errors import VerifierContractError
from ..parsers.contract import parser_name
from ..tools.python_tests import PythonTests
from ..tools.sandbox.suites.suite import with_helpers
from ..tools.verdict import Said, Verdict, Verifier, check_verifier
from ..tools.verifiers.human import HumanVerifier
from ..tools.verifiers.judgment import blamed, verdict_of
from ..traces.shapes import VerdictStatus
from .datasets import Task

Scorer = Callable[[str, str], Said | float | Awaitable[Said | float]]
"""`scorer(task, answer)`: what a `Verifier` returns, or a number from 0 to 1, of which only 1 passes; may be async."""

Row = dict[str, Any]
VerifierSource = Verifier | Callable[[Row], Verifier | None]
"""A verifier for all tasks, or a function of a task's row that returns one, or None for none."""
ScorerSource = Scorer | Callable[[Row], Scorer]
"""A scorer for all tasks, or a function of a task's row that returns one."""

ASKS_THE_USER = "the verifier asks the user, who is not there: give one that judges by itself"
_LONGEST_REASON = 300


@dataclass(frozen=True, slots=True)
class Score:
    """What a scorer said of an answer.

    Attributes:
        status: `"unverified"` if it could not judge.
        points: from 0 to 1; None if it could not judge.
        reason: why it could not judge; "" if it could.
    """

    status: VerdictStatus
    points: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Judges:
    """Who judges each task's answers; by default the tests of its row.

    Attributes:
        verifier: instead of the visible tests.
        scorer: instead of the hidden tests.
    """

    verifier: VerifierSource | None = None
    scorer: ScorerSource | None = None

    def verifier_of(self, task: Task) -> Verifier | None:
        """What the loop may see; None for nothing.

        Raises:
            ValueError: the task's visible tests check nothing, or the function of the row gives no verifier.
        """
        if self.verifier is not None:
            return _judge_for(self.verifier, task, "verifier")
        return tests_of(task.visible_tests, task) if task.visible_tests else None

    def scorer_of(self, task: Task, *, verified: bool = True) -> Scorer | None:
        """What judges the final answer; None if the loop's own verdict does.

        Args:
            task: the task.
            verified: the loop asks the verifier.

        Raises:
            ValueError: the task's tests check nothing, or the function of the row gives no scorer.
        """
        if self.scorer is not None:
            scorer = _judge_for(self.scorer, task, "scorer")
            if scorer is None:
                raise ValueError(f"task {task.task_id!r}: scorer(row) returned None: return a scorer for every row")
            return scorer
        if task.hidden_tests:
            return AllTests(task)
        return None if verified else self.verifier_of(task)

    def has_verifier(self, task: Task) -> bool:
        """Whether there is something that the loop may see."""
        return bool(task.visible_tests) if self.verifier is None else self.verifier_of(task) is not None

    def has_scorer(self, task: Task) -> bool:
        """Whether something besides the loop's verifier judges the final answer."""
        return self.scorer is not None or bool(task.hidden_tests)

    def problem(self, task: Task) -> str:
        """Why nothing can judge the task's answers; "" if something can.

        Raises:
            ValueError: the given verifier or scorer is none, or its function of the row gives none.
        """
        judge: object = None if self.verifier is None else self.verifier_of(task)
        if self.scorer is not None:
            judge = self.scorer_of(task)
        try:
            for tests in self._own_tests(task):
                judge = tests_of(tests, task)
        except ValueError as problem:
            return str(problem)
        return "" if judge is not None else "nothing judges its answer: it has no tests"

    def _own_tests(self, task: Task) -> list[str]:
        """The tests of the row that are used."""
        shown = [] if self.verifier is not None else [task.visible_tests]
        hidden = with_helpers(task.hidden_tests, task.visible_tests)
        held = [hidden, task.visible_tests] if self.scorer is None and task.hidden_tests else []
        return [tests for tests in dict.fromkeys([*held, *shown]) if tests]

    @property
    def names(self) -> dict[str, str]:
        """The names of those that are not the row's tests, for a folder's settings."""
        given = {"verifier": self.verifier, "scorer": self.scorer}
        return {role: _spoken(judge) for role, judge in given.items() if judge is not None}


def _spoken(judge: Any) -> str:
    """A judge's name, with a hash of what else tells it from others of that name: the code and the plain values of a
    lambda or a partial, and what a verifier tells the models, such as its schema or its command."""
    texts = [] if inspect.isclass(judge) else [getattr(judge, given, None) for given in ("instructions", "criteria")]
    name, function, held, code = parser_name(judge), judge, list[Any](), None
    if isinstance(judge, partial):
        known = cast("partial[Any]", judge)
        function, held = known.func, [*known.args, *chain(*known.keywords.items())]
    if name == "<lambda>" and isinstance(function, FunctionType):
        code = _parts(function.__code__)
        held += [*(cell.cell_contents for cell in function.__closure__ or ()), *(function.__defaults__ or ())]
    held += filter(None, texts)
    if not held and code is None:
        return name
    parts = code, [value for value in held if isinstance(value, str | int | float | None)]
    return f"{name} {hashlib.sha256(repr(parts).encode()).hexdigest()[:8]}"


def _parts(constant: Any) -> object:
    """What a piece of code does, without its file and lines; the same in every process."""
    if isinstance(constant, CodeType):
        return [constant.co_code.hex(), constant.co_names, *map(_parts, constant.co_consts)]
    return sorted(map(repr, cast(Any, constant))) if isinstance(constant, frozenset) else repr(constant)


def tests_of(tests: str, task: Task) -> PythonTests:
    """Make a verifier from some of a task's tests.

    Raises:
        ValueError: the tests check nothing, or cannot be read.
    """
    return PythonTests(tests, entry_point=task.entry_point or None)


class AllTests:
    """Holds an answer to a task's visible and hidden tests, each by themselves: they may be of different kinds, or have
    functions of the same name.

    Args:
        task: with tests of either kind.

    Raises:
        ValueError: tests check nothing, or cannot be read.
    """

    def __init__(self, task: Task) -> None:
        hidden = with_helpers(task.hidden_tests, task.visible_tests)
        self._parts = [tests_of(tests, task) for tests in (task.visible_tests, hidden) if tests]

    def __call__(self, task: str, answer: str) -> Verdict:
        """Run an answer under all tests; the score is the share of all checks."""
        verdicts = [part(task, answer) for part in self._parts]
        worst = min(verdicts, key=lambda verdict: ("failed", "unverified", "passed").index(verdict.status))
        if worst.status != "failed":
            return worst
        passed, total = (sum(int(one.details.get(name, 0)) for one in verdicts) for name in ("passed", "total"))
        return replace(worst, score=min(passed / total, 0.999) if total else 0.0)


def _judge_for(source: Any, task: Task, role: str) -> Any:
    """The judge for a task: the one given for all, or what the given function makes of the row."""
    if _takes_a_row(source):
        judge = _judge_of_row(source, task, role)
    else:
        check_verifier(source, role)
        judge = source
    # Of another one that asks the user, it is seen when it asks.
    if isinstance(judge, HumanVerifier):
        raise ValueError(ASKS_THE_USER.replace("verifier", role))
    return judge


def _judge_of_row(source: Callable[[Row], object], task: Task, role: str) -> object:
    try:
        judge = source(task.row)
    except Exception as problem:
        what = redacted(line_of(problem))[:_LONGEST_REASON]
        raise ValueError(
            f"task {task.task_id!r}: {role}(row) raised {what}: correct the function or the row"
        ) from problem
    if judge is not None:
        try:
            check_verifier(judge, role)
        except VerifierContractError as problem:
            raise ValueError(
                f"task {task.task_id!r}: {role}(row) returned something else: {problem} With one argument it is called "
                "with a row."
            ) from None
    return judge


def _takes_a_row(source: object) -> bool:
    """Whether it is called with a row alone, and not with a task and an answer."""
    if not callable(source):
        return False
    try:
        signature = inspect.signature(source)
    except ValueError:
        return False
    # One that needs a single argument may have settings of its own behind it.
    needed = [one for one in signature.parameters.values() if one.default is one.empty and one.kind in _POSITIONAL]
    for arguments, is_row in ((("task", "answer"), False), (("row",), True)):
        try:
            signature.bind(*arguments)
        except TypeError:
            continue
        return is_row or len(needed) == 1
    return False


_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


async def ascore(scorer: Scorer, task: Task, answer: str) -> Score:
    """Ask a scorer; an answer that it cannot read has failed. One that raises all else, or returns what is no
    score, has not judged."""
    try:
        return _score_of(await acall_user_function(scorer, task.prompt, answer))
    except AssertionError:
        return Score("failed", 0.0)
    except Exception as problem:  # noqa: BLE001 - a broken scorer must not cost the batch its results
        if blamed(problem, task.prompt, answer) == "answer":
            return Score("failed", 0.0)
        # The task may have been taken for its row.
        called = " (it is called with two texts, task and answer)" * isinstance(problem, (TypeError, AttributeError))
        return _unjudged(f"the scorer raised {line_of(problem)}{called}")


def asked_once(scorer: Scorer) -> Scorer:
    """A scorer that is asked once about an answer, however often it is called; not of one that raises."""
    known: dict[tuple[str, str], Any] = {}

    async def ask(task: str, answer: str) -> Any:
        if (task, answer) not in known:
            known[task, answer] = await acall_user_function(scorer, task, answer)
        return known[task, answer]

    return ask


def _score_of(said: object) -> Score:
    said = as_pythons_own(said)
    if is_share(said):
        return Score("passed" if said == 1 else "failed", float(cast(Any, said)))
    verdict = verdict_of(said)
    if verdict and verdict.status in get_args(VerdictStatus) and is_share(verdict.points):
        if verdict.status == "unverified":
            return _unjudged(str(verdict.feedback) or "the scorer could not judge the answer")
        # It may be a member of an enum.
        points = float(cast(float, as_pythons_own(verdict.points)))
        return Score(cast(VerdictStatus, str.__str__(verdict.status)), points)
    return _unjudged(
        f"the scorer returned {type(said).__name__} ({str(said)[:120]}): return a Verdict, True or False, or a number "
        "from 0 to 1"
    )


def _unjudged(reason: str) -> Score:
    return Score("unverified", None, redacted(reason)[:_LONGEST_REASON])
