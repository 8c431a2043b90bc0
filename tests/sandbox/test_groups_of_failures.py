"""Of a group of exceptions, feedback tells what went wrong first, not only how many there are."""

from __future__ import annotations

import sys

import pytest
from thoughtgraph.tools.sandbox import SandboxLimits, run

pytestmark = [pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux"), pytest.mark.slow]

TASKS = (
    "import asyncio{}\nfrom solution import f\nasync def one(x):\n    assert await f(x) == x\nasync def {}():\n"
    "    async with asyncio.TaskGroup() as tasks:\n        for x in (1, 2):\n            tasks.create_task(one(x))\n{}"
)
IN_TESTS = {
    "in checks": TASKS.format("", "main", "asyncio.run(main())"),
    "pytest": TASKS.format(", pytest", "test_a", ""),
}
SLOW = SandboxLimits(seconds=20)
"""Hypothesis takes its time, also to be imported."""
PROPERTY = (
    "from hypothesis import given, settings, strategies as st\nfrom solution import f\n@settings(deadline=None)\n"
    "@given(st.lists(st.integers()))\ndef test_a(xs):\n    assert f(xs) == sorted(xs)"
)


@pytest.mark.parametrize("name", IN_TESTS)
def test_what_the_tests_find_in_tasks_is_told_as_elsewhere(name: str) -> None:
    assert run("async def f(x):\n    return x", IN_TESTS[name]).status == "passed"
    feedback = run("async def f(x):\n    return x + 1", IN_TESTS[name]).feedback
    assert "assert await f(x)" in feedback and "with x = 1" in feedback and "ExceptionGroup" not in feedback


@pytest.mark.parametrize("name", IN_TESTS)
def test_what_the_code_raises_in_tasks_is_told_with_its_line(name: str) -> None:
    feedback = run("async def f(x):\n    return x // (2 - x)", IN_TESTS[name]).feedback
    assert "ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception), first ZeroDivisionError" in feedback
    assert "with x = 2" in feedback and "line 2: `return x // (2 - x)`" in feedback


@pytest.mark.parametrize("head", ["", "import pytest\nfrom solution import f\ndef test_a():\n    "])
def test_a_group_out_of_the_code_is_told_with_the_line_of_its_first_exception(head: str) -> None:
    code = (
        "import asyncio\nasync def one():\n    raise KeyError('k')\nasync def main():\n"
        "    async with asyncio.TaskGroup() as tasks:\n        tasks.create_task(one())\n"
        "def f():\n    return asyncio.run(main())"
    )
    feedback = run(code, f"{head}assert f() == 1").feedback
    assert "first KeyError: 'k'" in feedback and "line 3: `raise KeyError('k')`" in feedback


@pytest.mark.parametrize("head", ["", "import pytest\nfrom solution import f\ndef test_a():\n    "])
def test_a_group_of_exceptions_that_nothing_raised_is_one_of_its_own_line(head: str) -> None:
    code = "def f():\n    raise ExceptionGroup('no', [ValueError(1), KeyError(2)])"
    feedback = run(code, f"{head}assert f() == 1").feedback
    assert "ExceptionGroup: no (2 sub-exceptions)" in feedback and "first" not in feedback
    assert "line 2: `raise ExceptionGroup" in feedback


def test_a_group_that_the_tests_expect_is_no_failure() -> None:
    tests = (
        "import asyncio, pytest\nfrom solution import f\nasync def one():\n    assert f() == 1\nasync def test_a():\n"
        "    with pytest.raises(ExceptionGroup):\n        async with asyncio.TaskGroup() as tasks:\n"
        "            tasks.create_task(one())"
    )
    assert run("def f():\n    return 2", tests).status == "passed"
    assert run("def f():\n    return 1", tests).status == "failed"


def test_of_a_property_the_example_is_told_and_nothing_of_the_sandbox() -> None:
    assert run("def f(xs):\n    return sorted(xs)", PROPERTY, SLOW).status == "passed"
    feedback = run("def f(xs):\n    return sorted(set(xs))", PROPERTY, SLOW).feedback
    assert "xs=[0, 0]" in feedback
    assert "harness" not in feedback and "Explanation" not in feedback


def test_of_two_failures_of_a_property_one_is_told() -> None:
    code = "def f(xs):\n    if len(xs) == 1:\n        raise KeyError('k')\n    return [*set(xs)]"
    feedback = run(code, PROPERTY, SLOW).feedback
    assert "at `assert f(xs) == sorted(xs)` with xs = [0" in feedback
