"""Feedback says what is wrong: the part that does not hold, and which of two values the code gave."""

from __future__ import annotations

import sys

import pytest
from thoughtgraph import PythonTests

pytestmark = [pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux"), pytest.mark.slow]

CODE = """
class Point:
    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return self.x == other.x

    def __repr__(self):
        return f"Point({self.x})"


def f(x):
    return x + 1


def move(point):
    return Point(point.x + 2)


class Solution:
    def run(self, x):
        return x + 5


def drain(source):
    return [source(), source()]
"""


@pytest.mark.parametrize(
    ("tests", "words"),
    [
        ("p = move(Point(1))\nassert p == Point(2)", "expected Point(2), got Point(3)"),
        ("assert Point(2) == move(Point(1))", "expected Point(2), got Point(3)"),
        ("assert move(Point(1)) == Point(2)", "expected Point(2), got Point(3)"),
        ("assert 3 == f(1)", "expected 3, got 2"),
        ("r = f(1)\nassert 3 == r", "expected 3, got 2"),
        ("r = f(1)\nassert r == 3", "expected 3, got 2"),
        ("wanted = 3\nassert wanted == f(1)", "expected 3, got 2"),
        ("wanted = 6\nassert wanted == Solution().run(2)", "expected 6, got 7"),
        ("def run(x):\n    return f(x)\n\nwanted = 3\nassert wanted == run(1)", "expected 3, got 2"),
        ("from datetime import date\nd = date(2024, 1, f(1))\nassert d == date(2024, 1, 3)", "date(2024, 1, 3), got"),
        (
            "from unittest.mock import Mock, call\nm = Mock(return_value=1)\ndrain(m)\n"
            "assert m.call_args_list == [call()] * 3",
            "expected [call(), call(), call()], got [call(), call()]",
        ),
        ("x = [f(1)]\nassert x == list((5,))", "expected [5], got [2]"),
        ("assert f(1) == 2 and f(2) == 4 and f(3) == 4, 'why'", "`assert f(2) == 4, 'why'`: expected 4, got 3"),
        ("assert f(1) and not f(1)", "expected something false, got 2"),
        (
            "for i in range(3):\n    assert f(i) == i + 1 and f(i) < 3",
            "`assert f(i) < 3 with i = 2`: expected < 3, got 3",
        ),
        ("assert f(1) == 3 or f(1) == 4", "with f(1) = 2`: expected something true, got False"),
        ("assert 3 < f(1)", "`assert 3 < f(1)`: expected > 3, got 2"),
        ("limit = 3\nassert limit <= f(1)", "expected >= 3, got 2"),
        ("assert None is f(1)", "expected is None, got 2"),
        ("assert 2 != f(1)", "expected != 2, got 2"),
        ("assert 7 in [f(1)]", "with f(1) = 2`: expected something that contains 7, got [2]"),
        ("assert 0 <= f(1) <= 1", "`assert 0 <= f(1) <= 1 with f(1) = 2`: expected something true"),
        ("assert isinstance(f(1), str)", "with f(1) = 2`"),
        ("assert abs(f(1) - 7) < 0.5", "with f(1) = 2`: expected < 0.5, got 5"),
        ("assert all(f(x) < 4 for x in range(9))", "with x = 3, f(x) = 4`"),
        ("assert all(f(x) < f(y) for x, y in [(1, 2), (5, 4)])", "with x = 5, y = 4, f(x) = 6, f(y) = 5`"),
        ("assert not all(f(x) for x in range(2))", "in range(2))`: expected something false, got True"),
        ("assert all([f(x) == y for x, y in [(1, 2), (5, 4), (7, 8)]])", "with x = 5, y = 4, f(x) = 6`: expected"),
        ("assert not any([f(x) > 2 for x in (0, 5, 1)])", "with x = 5, f(x) = 6`: expected something false"),
        ("assert all([f(x) for x in (1, -1, 2)]) and f(3) == 5", "with x = -1, f(x) = 0`: expected something true"),
        ("assert all([f(x) for x in (1, 2)]) and f(3) == 5", "`assert f(3) == 5`: expected 5, got 4"),
        ("assert not any(f(x) > 2 for x in (0, 5, 1))", "with x = 5, f(x) = 6`: expected something false"),
        ("assert any(f(x) > 9 for x in (0, 5, 1))", "in (0, 5, 1))`: expected something true, got False"),
        (
            "for n in (1, 2):\n    if any(f(x) == 3 for x in range(n + 1)):\n        assert False",
            "with n = 2, x = 2, f(x) = 3`",
        ),
        ("def check():\n    n = 1\n    assert 0 <= f(n) <= 1\ncheck()", "with n = 1, f(n) = 2`"),
    ],
)
def test_what_the_code_gave_is_told_from_what_was_wanted(tests: str, words: str) -> None:
    verdict = PythonTests(tests)("Write it.", f"```python\n{CODE}\n```")
    assert (verdict.status, words in verdict.feedback) == ("failed", True), verdict.feedback


def test_the_parts_of_an_assert_are_tried_as_python_does() -> None:
    tests = "seen = []\n\ndef note(x):\n    seen.append(x)\n    return x\n\ntry:\n    assert note(f(-1)) and note(5)\n"
    tests += "except AssertionError:\n    pass\nassert seen == [0]\nassert f(0) and f(1) and f(2), 1 / 0\n"
    assert PythonTests(tests)("Write it.", f"```python\n{CODE}\n```").status == "passed"


def test_what_a_call_of_another_round_gave_is_not_told() -> None:
    tests = "assert sorted(f(x) for x in (2, 1)) == [1, 2]\nassert f(9) == 10\nassert 1 > 2 or f(1) > 4\n"
    tests += "for i in (4, 1):\n    assert i > 2 or (i > 1 and f(i) > 9)"
    feedback = PythonTests(tests)("Write it.", f"```python\n{CODE}\n```").feedback
    assert "`assert sorted(f(x) for x in (2, 1)) == [1, 2]`: expected" in feedback
    assert "`assert i > 2 or (i > 1 and f(i) > 9) with i = 1`" in feedback
    assert "`assert 1 > 2 or f(1) > 4 with f(1) = 2`" in feedback


TWICE = "def f(x): return x"
RAISES = "def f(x): raise ValueError('v')"
PYTEST = "import pytest\nfrom solution import f\ndef test_a():\n    with pytest.raises({}):\n        f(1)"


@pytest.mark.parametrize(
    ("tests", "code", "said"),
    [
        ("if f(2) != 4: assert False, 'f doubles'", TWICE, "`if f(2) != 4: assert False, 'f doubles' with f(2) = 2`"),
        ("r = f(2)\nif r != 4: assert False", TWICE, "with r = 2`: expected a condition that is false"),
        ("if f(2) == 4: pass\nelse: assert False", TWICE, "expected a condition that is true, got one that is false"),
        (
            "try:\n    f(1)\n    assert False\nexcept ValueError: pass",
            TWICE,
            "`f(1); assert False`: expected ValueError",
        ),
        ("try: f(1)\nexcept (OSError, KeyError): pass\nelse: assert 0", TWICE, "expected (OSError, KeyError) before"),
        ("for x in [1]:\n    assert f(x) == 3, f'bad {x}'", TWICE, "`assert f(x) == 3, 'bad 1' with x = 1`"),
        ("assert 'key' not in f({'key': 1})", TWICE, "expected something without 'key', got {'key': 1}"),
        ("try: f(1)\nexcept ValueError as e:\n    assert 'z' in str(e)", RAISES, "that contains 'z', got 'v'"),
        (PYTEST.format("KeyError"), RAISES, "expected KeyError, got ValueError: v at `f(1)` (line 1:"),
        (PYTEST.format("(KeyError, OSError)"), RAISES, "expected (KeyError, OSError), got ValueError"),
        (PYTEST.format("KeyError"), TWICE, "DID NOT RAISE KeyError"),
        (PYTEST.format("KeyError, match='q'").replace("with", "x = f(1)\n    with"), RAISES, ": ValueError: v at"),
    ],
)
def test_feedback_says_what_was_waited_for(tests: str, code: str, said: str) -> None:
    assert said in PythonTests(tests)("t", code).feedback


IN_PYTEST = "import pytest\nfrom solution import f\ndef test_a():\n"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("    for a, b in [(1, 1), (3, 6)]:\n        got = f(a)\n        assert got == b", "with got = 3, b = 6"),
        ("    assert f(2) == 4", "assert 2 == 4 at `assert f(2) == 4`"),
        ("    r = [f(1), f(-1)]\n    assert all(x > 0 for x in r)", "`assert all(x > 0 for x in r)` with r = [1, -1]"),
        ("    r = f([1])\n    assert r == [2] or len(r) > 1", "[1] == [2]"),
        ("    assert [f(1)] * 3 == [f(1), 2, 3]", "at `assert [f(1)] * 3 == [f(1), 2, 3]`"),
    ],
)
def test_pytest_tells_the_line_and_what_its_names_stand_for(body: str, said: str) -> None:
    feedback = PythonTests(IN_PYTEST + body)("t", TWICE).feedback
    assert said in feedback
    assert "Use -v" not in feedback


@pytest.mark.parametrize(
    ("tests", "said"),
    [
        (
            "bad = [x for x in (1, 2) if f(x) != 2 * x]\nassert len(bad) == 0, f'wrong for {bad}'",
            "0, 'wrong for [1, 2]'",
        ),
        ("wrong = {1: f(1)}\nassert list(wrong.values()) == [2], wrong", "[2], {1: 1}"),
        # As it is written, where that says as much.
        ("assert f( 1 ) == 2, 'f doubles'", "`assert f( 1 ) == 2, 'f doubles'`: expected 2, got 1"),
    ],
)
def test_a_message_that_the_tests_make_is_told(tests: str, said: str) -> None:
    assert said in PythonTests(tests)("t", TWICE).feedback


NODE = """
class Node:
    name = "<Node at 0x12346>"

    def height(self):
        return 3

    def __contains__(self, item):
        return False
"""
IN = "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): self.assertIn(3, Node())"


@pytest.mark.parametrize(
    ("tests", "words"),
    [
        ("node = Node()\nassert node.height == 3", "got <bound method Node.height of <solution.Node object>>"),
        (IN, "3 not found in <solution.Node object>"),
        ("node = Node()\nassert node.name == '<Node at 0x12345>'", "0x12345>', got '<Node at 0x12346>'"),
    ],
)
def test_feedback_has_an_address_only_in_a_text(tests: str, words: str) -> None:
    """It would be another one in each run."""
    verdict = PythonTests(tests)("Write it.", NODE)
    assert verdict.status == "failed"
    assert words in verdict.feedback


COUNTED = """
import sys
failed = 0
for given, wanted in [((1, 2), 3), ((-1, 1), 0)]:
    got = add(*given)
    if got != wanted:
        failed += 1
        print("FAIL", given, got)
sys.exit(1 if failed else 0)
"""


def test_an_exit_status_is_told_with_what_the_tests_have_printed() -> None:
    assert PythonTests(COUNTED)("Write it.", "def add(a, b): return a + b").status == "passed"
    verdict = PythonTests(COUNTED)("Write it.", "def add(a, b): return abs(a) + abs(b)")
    assert verdict.status == "failed"
    assert "SystemExit: 1\nPrinted before:\nFAIL (-1, 1) 2" in verdict.feedback
    tests = COUNTED.replace("1 if failed else 0", "'some failed' if failed else 0")
    verdict = PythonTests(tests)("Write it.", "def add(a, b): return abs(a) + abs(b)")
    assert "SystemExit: some failed\nPrinted before:\nFAIL (-1, 1) 2" in verdict.feedback


@pytest.mark.parametrize(
    "tests",
    ["assert add(1, 2) == 4", COUNTED],
    ids=["an assert", "an exit of the code's own"],
)
def test_what_is_printed_is_told_of_nothing_else(tests: str) -> None:
    code = "import sys\ndef add(a, b):\n    print('debug')\n    " + ("sys.exit(1)" if tests == COUNTED else "return 3")
    verdict = PythonTests(tests)("Write it.", code)
    assert verdict.status == "failed"
    assert "debug" not in verdict.feedback
