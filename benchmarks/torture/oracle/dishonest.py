"""Programs that try to pass without solving anything, under tests that a true solution passes.

`dishonest.txt` holds them. A header says what the tests look at (a key of `_CASES`) and who runs them: a script, pytest
and unittest where it names none. `! passes by nature` marks what cannot be told from a solution by any test of these.
"""

from __future__ import annotations

import random
import re
from functools import cache
from pathlib import Path

from .bank import Program
from .cases import parse_case
from .pair import Pair
from .shapes import Tests, asserts
from .suites import pytest_functions, unittest_class

TRUE = """\
def total(xs):
    if not xs:
        raise ValueError("empty")
    return sum(xs)


def label(x):
    return f"<{x}>"


def show(xs):
    print(total(xs))
"""
_CASES: dict[str, tuple[str, ...]] = {
    "equal": ("total([1, 2, 3]) == 6", "total([10]) == 10", "total([-1, 1]) == 0"),
    "text": ("label(1) == '<1>'", "label('a') == '<a>'"),
    "sorted": ("sorted([total([3]), total([1])]) == [1, 3]",),
    "close": ("total([0.1, 0.2]) ~= 0.3",),
    "isclose": ("import math\nassert math.isclose(total([0.1, 0.2]), 0.3)",),
    "length": ("len(str(total([100, 20]))) == 3",),
    "abs": ("abs(total([-2, -5])) == 7",),
    "isinstance": ("isinstance(total([1]), int)",),
    "all": ("all(total([n]) == n for n in (1, 2, 3))",),
    "round": ("round(total([0.1, 0.2]), 2) == 0.3",),
    "raises": ("!ValueError/empty/ total([])",),
    "flag": ("raised = False\ntry:\n    total([])\nexcept ValueError:\n    raised = True\nassert raised",),
    "printed": (
        "import io, contextlib\nout = io.StringIO()\nwith contextlib.redirect_stdout(out):\n    show([1, 2, 3])\n"
        "assert out.getvalue() == '6\\n'",
    ),
    "table": ("for given, expected in [([1, 2], 3), ([5], 5)]:\n    assert total(given) == expected",),
}
_RUNNERS = {"script": asserts, "pytest": pytest_functions, "unittest": unittest_class}
BY_NATURE = "passes by nature"


@cache
def dishonest() -> tuple[Pair, ...]:
    """Every dishonest program under each of its tests; `BY_NATURE` is part of the name of those that nobody can see."""
    return tuple(pair for pair, _ in _with_tests())


@cache
def true_solutions() -> tuple[Pair, ...]:
    """The true solution under each of these tests."""
    made = {
        tests: Pair("right", "the true solution", "", TRUE, tests.source, tests.runner) for _, tests in _with_tests()
    }
    return tuple(made.values())


@cache
def _with_tests() -> tuple[tuple[Pair, Tests], ...]:
    text = Path(__file__).with_name("dishonest.txt").read_text(encoding="utf-8")
    found: list[tuple[Pair, Tests]] = []
    for entry in re.split(r"^=== ", text, flags=re.MULTILINE)[1:]:
        header, _, code = entry.partition("\n")
        name, kinds, *runners = (part.strip() for part in header.split("|"))
        for runner in runners[0].split() if runners else _RUNNERS:
            for number in range(2):
                tests = _tests(kinds, runner, random.Random(f"{kinds}:{runner}:{number}"))
                pair = Pair("dishonest", name, f"{runner}, {kinds}", code, tests.source, tests.runner)
                if pair not in [other for other, _ in found]:
                    found.append((pair, tests))
    return tuple(found)


def _tests(kinds: str, runner: str, rng: random.Random) -> Tests:
    cases = tuple(parse_case(text) for kind in kinds.split() for text in _CASES[kind])
    return _RUNNERS[runner](Program("dishonest", "total", "", TRUE, cases), rng)
