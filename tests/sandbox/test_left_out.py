"""Checks that leave out all that judges the code: they are no pass, and nothing else is taken for one of them."""

from __future__ import annotations

import re
import sys

import pytest
from thoughtgraph import PythonTests
from thoughtgraph.tools.sandbox import run

pytestmark = [pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux"), pytest.mark.slow]

CODE = """
def f(x=0):
    return 1 + x

def g(x):
    if x < 0:
        raise ValueError("negative")
    return x

class Box:
    def __init__(self):
        self.items = []
    def put(self, x):
        self.items.append(x)
"""
WITHOUT = "try:\n    import no_such_package\nexcept ImportError:\n    no_such_package = None\n"

LEFT_OUT: dict[str, str] = {
    "an import": "try:\n    import no_such_package\n    assert f() == 1\nexcept ImportError:\n    print('skipped')",
    "an import by name": (
        "try:\n    from no_such_package import x\n    assert f() == 1\nexcept ImportError as e:\n"
        "    print('skipped:', e)"
    ),
    "a loop behind an import": (
        "try:\n    import no_such_package\n    for x in range(3):\n        assert f(x) == x + 1\n"
        "except ImportError:\n    pass"
    ),
    "a module that is None": f"{WITHOUT}if no_such_package is not None:\n    assert f() == 1",
    "a flag": (
        "from solution import f\ntry:\n    import no_such_package\n    HAS = True\n"
        "except ImportError:\n    HAS = False\n"
        "def test_f():\n    if not HAS:\n        return\n    assert f() == 1"
    ),
    "another system": "import sys\nif sys.platform == 'win32':\n    assert f() == 1",
    "another version": "import sys\nif sys.version_info < (3, 2):\n    assert f() == 1",
    "an early return": (
        "import sys\ndef test_f():\n    if sys.platform != 'win32':\n        return\n    assert f() == 1"
    ),
    "a helper that says so": (
        "from importlib.util import find_spec\ndef has():\n    return find_spec('no_such_package') is not None\n"
        "def test_f():\n    if has():\n        assert f() == 1"
    ),
    "an environment": "import os\nif os.environ.get('RUN_SLOW'):\n    assert f() == 1",
    "a helper with the assert": (
        "import sys\ndef check_f():\n    assert f() == 1\nif sys.platform == 'win32':\n    check_f()"
    ),
    "what is never so": "DEBUG = False\nif DEBUG:\n    assert f() == 1",
    "HumanEval's check": "def check(candidate):\n    if False:\n        assert candidate() == 1\ncheck(f)",
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_suite_that_leaves_all_out_says_nothing(name: str) -> None:
    verify = PythonTests(LEFT_OUT[name])
    for code in (CODE, CODE.replace("1 + x", "2 + x")):
        verdict = verify("task", code)
        assert (verdict.status, verdict.score, verdict.kind) == ("unverified", None, "unsupported")
        assert verdict.feedback.startswith("No check ran: the tests leave all of theirs out here")
        tries = "import no_such_package" in LEFT_OUT[name] or "from no_such_package" in LEFT_OUT[name]
        assert ("; no_such_package is not installed." in verdict.feedback) is tries


@pytest.mark.parametrize("name", LEFT_OUT)
def test_beside_others_it_does_not_count(name: str) -> None:
    tests = f"{LEFT_OUT[name]}\nassert f(2) == 3"
    right, wrong = run(CODE, tests), run(CODE.replace("1 + x", "2 + x"), tests)
    assert (right.status, right.passed, right.total) == ("passed", 1, 1)
    assert (wrong.status, wrong.passed, wrong.total) == ("failed", 0, 1)


JUDGING: dict[str, str] = {
    "a raise of its own": "if f() != 1:\n    raise AssertionError('wrong')",
    "a raise about a variable": "result = f()\nif result != 1:\n    raise AssertionError('wrong')",
    "a raise about what was collected": (
        "seen = []\ndef collect():\n    seen.append(f())\ncollect()\nif seen != [1]:\n    raise AssertionError(seen)"
    ),
    "a raise about what a helper made": (
        "def made():\n    box = Box()\n    box.put(f())\n    return box\nbox = made()\nif box.items != [1]:\n"
        "    raise AssertionError(box.items)"
    ),
    "a raise about a file": (
        "import os\ndef write():\n    with open('made.txt', 'w') as file:\n        file.write(str(f()))\nwrite()\n"
        "if open('made.txt').read() != '1':\n    raise AssertionError('wrong')"
    ),
    "a global that is set": (
        "ok = False\ndef look():\n    global ok\n    ok = f() == 1\nlook()\nif not ok:\n"
        "    raise AssertionError('wrong')"
    ),
    "a helper": "def check_f(value, wanted):\n    assert value == wanted\ncheck_f(f(), 1)",
    "a helper of a helper": (
        "def inner(x):\n    assert f(x) == x + 1\ndef outer():\n    inner(2)\ndef test_f():\n    outer()"
    ),
    "a comprehension of helpers": "def one(x):\n    assert f(x) == x + 1\n[one(x) for x in (1, 2)]",
    "tests in a list": "def one():\n    assert f() == 1\nTESTS = [one]\nfor test in TESTS:\n    test()",
    "a generator": (
        "def rows():\n    for x in (1, 2):\n        assert f(x) == x + 1\n        yield x\n"
        "for row in rows():\n    print(row)"
    ),
    "a context manager": (
        "from contextlib import contextmanager\n@contextmanager\ndef about(x):\n    yield f(x)\n"
        "def test_f():\n    with about(1) as got:\n        assert got == 2"
    ),
    "an async test": "import asyncio\nasync def main():\n    assert f() == 1\nasyncio.run(main())",
    "an async test that is not run": "async def test_f():\n    assert f() == 1",
    "a thread": (
        "import threading\nbad = []\ndef work():\n    if f() != 1:\n        bad.append(1)\n"
        "one = threading.Thread(target=work)\none.start()\none.join()\nif bad:\n    raise AssertionError('wrong')"
    ),
    "an exception that is expected": "try:\n    g(-1)\n    assert False\nexcept ValueError:\n    pass\nassert f() == 1",
    "an exception that must not come": (
        "try:\n    f()\nexcept ValueError:\n    assert False, 'raised'\nif f() != 1:\n    raise AssertionError"
    ),
    "an else that is not reached": (
        "try:\n    g(-1)\nexcept ValueError:\n    pass\nelse:\n    assert False\nassert f() == 1"
    ),
    "a branch that is not reached": "if f() == 1:\n    pass\nelse:\n    assert False",
    "a branch about a variable": "x = f()\nif x == 1:\n    print('ok')\nelse:\n    assert False, x",
    "one of several branches": (
        "import sys\nif sys.platform == 'win32':\n    assert f() == 7\nelse:\n    assert f() == 1"
    ),
    "a return in the middle": (
        "import sys\ndef test_f():\n    assert f() == 1\n    if sys.platform != 'win32':\n"
        "        return\n    assert f() == 7"
    ),
    "an import that is not there, and another way": (
        f"{WITHOUT}def test_f():\n    if no_such_package is None:\n        assert f() == 1\n"
        "    else:\n        assert f() == 7"
    ),
    "unittest's methods": ("import unittest\ncase = unittest.TestCase()\ndef test_f():\n    case.assertEqual(f(), 1)"),
    "a library's check": "from numpy.testing import assert_equal\ndef test_f():\n    assert_equal(f(), 1)",
    "isclose": "import math\nassert math.isclose(f(), 1.0)",
    "an exit": "import sys\nsys.exit(f() != 1)",
    "an exit of a helper": "import sys\ndef main():\n    return int(f() != 1)\nsys.exit(main())",
    "an exit about what is kept": (
        "import sys\nclass Kept:\n    ok = False\ndef look():\n    Kept.ok = f() == 1\nlook()\nif not Kept.ok:\n"
        "    sys.exit(1)"
    ),
    "a text that is run": "exec('assert f() == 1')\nassert f(1) == 2",
    "a match": "match f():\n    case 1:\n        pass\n    case _:\n        assert False",
    "a decorated function": "@lambda given: given\ndef test_f():\n    assert f() == 1\ntest_f()",
    "a class of the tests'": (
        "class Cases:\n    def run(self):\n        assert f() == 1\nCases().run()\nassert f(1) == 2"
    ),
    "an alias": (
        "import solution\nwanted = solution.f\ndef test_f():\n    if wanted() != 1:\n        raise AssertionError"
    ),
    "an optional way to the code": (
        "try:\n    import no_such_code as code\nexcept ImportError:\n    import solution as code\n"
        "def test_f():\n    if code.f() != 1:\n        raise AssertionError"
    ),
    "an exception that is kept": (
        "error = None\ntry:\n    g(-f())\nexcept ValueError as e:\n    error = e\n"
        "def look(e):\n    if e is None:\n        raise AssertionError('none raised')\nlook(error)"
    ),
    "doctest": "import doctest\nassert doctest.testmod().failed == 0\nassert f() == 1",
    "a warning of its own": "import os\nif os.environ.get('RUN_SLOW', '1') == '1':\n    assert f() == 1",
    "a name that Python has, too": "sum = f\nif sum() != 1:\n    raise AssertionError('wrong')",
    "an assert about a constant beside it": "N = 1\ndef test_f():\n    f()\n    assert N == 1",
    "an assert that runs, of a constant": "N = 1\nif N:\n    assert N == 1\nassert f() == 1",
}
SAYS_NOTHING_OF_F = frozenset(
    ["an exception that is kept", "an assert about a constant beside it", "an async test that is not run"]
)


@pytest.mark.parametrize("name", JUDGING)
def test_what_judges_the_code_counts_in_full(name: str) -> None:
    right = run(CODE, JUDGING[name])
    assert right.status == "passed" and right.passed == right.total > 0, right.feedback
    if name not in SAYS_NOTHING_OF_F:
        assert run(CODE.replace("1 + x", "-1 - x"), JUDGING[name]).status == "failed"


@pytest.mark.parametrize("tests", ["for x in []:\n    assert f() == x", "while False:\n    assert f() == 1"])
def test_a_loop_without_rounds_stays_a_failure(tests: str) -> None:
    assert "something to check, got nothing to check" in run(CODE, tests).feedback


def test_what_goes_wrong_beside_what_is_left_out_is_a_failure() -> None:
    tests = f"import sys\nx = f(1, 2, 3)\n{LEFT_OUT['another system']}"
    verdict = run(CODE, tests)
    assert (verdict.status, verdict.passed, verdict.total) == ("failed", 0, 1)
    assert PythonTests(tests)("task", CODE).status == "failed"


ALWAYS_TRUE: dict[str, str] = {
    "assert (f() == 1, 'f is wrong')": "a tuple: write `assert f() == 1, 'f is wrong'`, without parentheses, got",
    "assert (f() == 1, f(1) == 2)": "a tuple: write an `assert` for each of its items",
    "assert [f() == 1]": "a list: write an `assert` for each of its items",
    "assert (f(x) == x + 1 for x in (1, 2))": "a generator: write `assert all(…)`",
    "assert lambda: f() == 1": "a function: write a call of it",
}


@pytest.mark.parametrize("place", ["{}", "def test_f():\n    {}", "import pytest\ndef test_f():\n    {}"])
@pytest.mark.parametrize("tests", ALWAYS_TRUE)
def test_an_assert_that_is_always_true_is_refused(tests: str, place: str) -> None:
    line = 1 + place.count("\n")
    said = f"the assert in line {line} of the tests is always true, for it asserts {ALWAYS_TRUE[tests]}"
    for beside in ("", "\nassert f(3) == 4"):
        with pytest.raises(ValueError, match=re.escape(said)):
            PythonTests(place.format(tests) + beside)


@pytest.mark.parametrize(
    "tests",
    [
        "assert True",
        "assert 'f() == 1'",
        "from solution import f\nassert True",
        "def test_f():\n    assert True, 'to do'",
        "import pytest\ndef test_f():\n    assert True",
    ],
)
def test_tests_that_assert_constants_alone_are_no_check(tests: str) -> None:
    with pytest.raises(ValueError, match="contain no check: what they assert is true for any code"):
        PythonTests(tests)


@pytest.mark.parametrize(
    "tests",
    [
        "f()\nassert True",
        "def test_f():\n    f()\n    assert True",
        "import pytest\ndef test_f():\n    f()\n    assert True",
        "assert f() == 1\nassert True",
        "assert (f() == 1), 'f is wrong'",
        "assert (\n    f()\n    == 1\n)",
        "assert (f(), f(1)) == (1, 2)",
        "assert (*[f()],)",
        "assert not ()",
        "assert [x for x in (f(),) if x == 1]",
        "try:\n    g(-1)\nexcept ValueError:\n    assert True\nelse:\n    assert False",
        "import unittest\nclass TestF(unittest.TestCase):\n    def test_f(self):\n        self.assertEqual(f(), 1)",
    ],
)
def test_other_asserts_are_taken(tests: str) -> None:
    verdict = run(CODE, tests)
    assert verdict.status == "passed" and verdict.passed == verdict.total
