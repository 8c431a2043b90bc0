"""What is equal to everything passes no test, wherever it is compared, unless it is what the tests are about."""

from __future__ import annotations

import pytest
from thoughtgraph.tools.sandbox import run, run_project

pytestmark = pytest.mark.slow

CODE = """\
class Value:
    def __init__(self, value):
        self.value = value
    def __eq__(self, other):
        return {}
    def __hash__(self):
        return 1
    def same(self):
        return self
def f(x=5):
    return Value(x)
"""
RIGHT, WRONG, ANYTHING = map(CODE.format, ("self.value == other", "self.value == other * 2", "True"))
MORE_THAN_YES = CODE.format("[self, other]")
ALONE = "def test_a(tmp_path):\n    "
CASE = "import unittest\nfrom solution import *\nclass T(unittest.TestCase):\n    def test_a(self):\n        "
PYTEST = "import pytest\nfrom solution import *\n"

COMPARED = {
    "an assert under pytest": f"{PYTEST}{ALONE}assert f() == 5",
    "what a method gives": f"{PYTEST}{ALONE}assert 5 == f().same()",
    "a name": f"{PYTEST}{ALONE}x = f().same()\n    assert x == 5 and x",
    "a list": f"{PYTEST}{ALONE}assert [f().same()] == [5]",
    "a list to be in": f"{PYTEST}{ALONE}assert f().same() in (5, 6)",
    "a list of the code's": f"{PYTEST}{ALONE}assert 5 in [f().same()]",
    "about": f"{PYTEST}{ALONE}assert f().same() == pytest.approx(5)",
    "a parameter": f"{PYTEST}@pytest.mark.parametrize('x', [5])\n{ALONE.replace('tmp_path', 'x')}"
    "assert f(x).same() == x",
    "a helper under pytest": f"{PYTEST}def equal(x, y):\n    return x == y\n{ALONE}assert equal(f().same(), 5)",
    "a condition under pytest": f"{PYTEST}{ALONE}if not f().same() == 5:\n        pytest.fail('no')",
    "a test case": f"{CASE}self.assertEqual(f().same(), 5)",
    "a test case's list": f"{CASE}self.assertListEqual([f().same()], [5])",
    "a test case's truth": f"{CASE}self.assertTrue(f().same() == 5)",
    "a helper": "def equal(x, y):\n    return x == y\nassert equal(f().same(), 5)",
    "all": "assert all(f(x).same() == x for x in (5, 6))",
    "a tuple to be in": "assert f().same() in (5, 6)",
    "a name for an answer": "same = f().same() == 5\nassert same",
}


@pytest.mark.parametrize("compared", COMPARED)
def test_it_passes_nowhere(compared: str) -> None:
    statuses = [run(code, COMPARED[compared]).status for code in (RIGHT, WRONG, ANYTHING)]
    assert statuses == ["passed", "failed", "failed"]


def test_neither_does_what_answers_more_than_yes() -> None:
    assert run(MORE_THAN_YES, COMPARED["an assert under pytest"]).status == "failed"


def test_nor_does_what_a_library_has_and_the_tests_have_not_imported() -> None:
    code = "from unittest.mock import ANY\ndef f():\n    return ANY"
    assert run(code, f"{PYTEST}{ALONE}assert [f()] == [5]").status == "failed"


@pytest.mark.parametrize("tests", ["def test_a():\n    assert f() == 5", CASE.replace("solution", "app")])
def test_nor_in_a_project(tests: str) -> None:
    tests = tests if "def test_a()" in tests else f"{tests}self.assertEqual(f(), 5)"
    found = [run_project({"app.py": code}, {"test_a.py": f"from app import f\n{tests}"}) for code in (RIGHT, ANYTHING)]
    assert [one.status for one in found] == ["passed", "failed"]


FIELD = """\
class Asked(list):
    pass
class Field:
    def __init__(self, name):
        self.name = name
    def __eq__(self, other):
        return Asked([self.name, {!r}, other])
"""
TESTED = {
    "a class in an assert": (ANYTHING, "assert Value(1) == 5\nassert 'x' == Value(1)"),
    "a name for what a class makes": (ANYTHING, "one = Value(1)\nassert one == 5\nassert one == None"),
    "the same under pytest": (
        ANYTHING, f"{PYTEST}{ALONE}one = Value(1)\n    assert one == 5\n    assert Value(2) == 'x'",
    ),
    "the same without a fixture": (ANYTHING, f"{PYTEST}def test_a():\n    assert Value(1) == 5"),
    "the same in a list": (ANYTHING, f"{PYTEST}{ALONE}assert Value(1) in [5]"),
    "a test case of its own": (ANYTHING, f"{CASE}self.assertEqual(Value(1), 5)"),
    "one that counts how often it is asked": (
        f"{CODE.format('self.__dict__.update(asked=self.asked + 1) or other == 5')}Value.asked = 0\n",
        f"{PYTEST}{ALONE}one = f().same()\n    assert one == 5\n    assert one.asked == 1",
    ),
    "what raises": (
        CODE.format("1 / 0"), f"{PYTEST}{ALONE}with pytest.raises(ZeroDivisionError):\n        f().same() == 5",
    ),
    "a container of the code's": (
        "class Range:\n    def __contains__(self, x):\n        return x < 5\n",
        f"{PYTEST}{ALONE}assert 3 in Range()\n    assert 5 not in Range()",
    ),
    "what is used up": (
        "def f():\n    return iter([1, 2, 3])",
        f"{PYTEST}{ALONE}found = f()\n    assert 2 in found\n    assert list(found) == [3]",
    ),
    "a question": (
        FIELD.format("="), f"{PYTEST}{ALONE}asked = Field('age') == 30\n    assert asked[0] == 'age'\n"
        "    assert list(Field('a') == 1) == ['a', '=', 1]",
    ),
    "a question without pytest": (FIELD.format("="), "assert list(Field('a') == 1) == ['a', '=', 1]"),
    "a library's, that the tests bring": (
        RIGHT, f"{PYTEST}from unittest.mock import ANY\n{ALONE}"
        "assert [f(), 1] == [ANY, 1]\n    assert f().same() == ANY",
    ),
    "one of the tests' own": (
        RIGHT, f"{PYTEST}class Any:\n    def __eq__(self, other):\n        return True\n"
        f"{ALONE}assert [f(), 1] == [Any(), 1]",
    ),
}  # fmt: skip


@pytest.mark.parametrize("tested", TESTED)
def test_what_the_tests_make_or_bring_is_taken_at_its_word(tested: str) -> None:
    code, tests = TESTED[tested]
    verdict = run(code, tests)
    assert verdict.status == "passed", verdict.feedback


def test_a_wrong_question_still_fails() -> None:
    assert run(FIELD.format("<"), TESTED["a question"][1]).status == "failed"
