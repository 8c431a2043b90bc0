"""What the code does where pytest only collects the tests, or to pytest itself, is told of the code."""

from __future__ import annotations

import sys

import pytest
from thoughtgraph import PythonTests, Verdict
from thoughtgraph.tools.sandbox import SandboxLimits

pytestmark = [pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux"), pytest.mark.slow]

AT_THE_TOP = "import pytest\nfrom solution import f\nDATA = f(1)\ndef test_a():\n    assert DATA == 2\n"
IN_A_CLASS = """\
import unittest
from solution import f
class T(unittest.TestCase):
    DATA = f(1)
    def test_a(self):
        self.assertEqual(self.DATA, 2)
"""
ENDS = {
    "an exit": ("import sys\ndef f(x):\n    sys.exit(0)", "SystemExit: 0 at `DATA = f(1)` (line 3: `sys.exit(0)`)"),
    "an interrupt": ("def f(x):\n    raise KeyboardInterrupt", "KeyboardInterrupt at `DATA = f(1)`"),
    "the end of the process": ("import os\ndef f(x):\n    os._exit(0)", "ended its own process"),
    "a loop": ("def f(x):\n    while True:\n        pass", "did not finish in time"),
    "much output": ("def f(x):\n    print('x' * 10**7)", "printed more than allowed"),
    "an error": ("def f(x):\n    raise ValueError('no')", "ValueError: no at `DATA = f(1)` (line 2: "),
}


def judged(tests: str, code: str) -> Verdict:
    return PythonTests(tests, limits=SandboxLimits(seconds=2))("Write f.", f"```python\n{code}\n```")


@pytest.mark.parametrize("tests", [AT_THE_TOP, IN_A_CLASS], ids=["at the top", "in a class"])
@pytest.mark.parametrize("name", ENDS)
def test_code_that_ends_the_tests_while_they_are_collected_has_failed(name: str, tests: str) -> None:
    code, said = ENDS[name]
    verdict = judged(tests, code)
    assert (verdict.status, said in verdict.feedback) == ("failed", True), verdict.feedback
    assert judged(tests, "def f(x):\n    return 2").status == "passed"


UNLOADED = {
    "a package that is not there": ("import no_such_package", "No module named 'no_such_package'", "form"),
    "a name that is not defined": ("@made", "name 'made' is not defined", "form"),
    "an error in a class": ("class A:\n    x = 1 / 0", "ZeroDivisionError: division by zero at line 2", "substance"),
}


@pytest.mark.parametrize("tests", [AT_THE_TOP, IN_A_CLASS], ids=["pytest", "unittest"])
@pytest.mark.parametrize("name", UNLOADED)
def test_code_that_does_not_load_has_failed_whatever_the_tests_are(name: str, tests: str) -> None:
    before, said, failed_on = UNLOADED[name]
    for written in (tests, "assert f(1) == 2"):
        verdict = judged(written, f"{before}\ndef f(x):\n    return 2")
        assert (verdict.status, verdict.failed_on, said in verdict.feedback) == ("failed", failed_on, True)


@pytest.mark.parametrize("end", ["raise KeyboardInterrupt", "pytest.exit('no', 0)"])
def test_code_that_ends_pytest_is_told_with_its_line(end: str) -> None:
    tests = "import pytest\nfrom solution import f\ndef test_a():\n    assert f(1) == 2\n"
    verdict = judged(tests, f"import pytest\ndef f(x):\n    {end}")
    assert verdict.status == "failed"
    assert f"at `assert f(1) == 2` (line 3: `{end}`)" in verdict.feedback


@pytest.mark.parametrize(
    ("tests", "said"),
    [
        ("import pytest, sys\nif True:\n    sys.exit(0)\ndef test_a():\n    assert f(1)\n", "ended before any"),
        ("import pytest\n@pytest.mark.skip\ndef test_a():\n    assert f(1)\n", "All tests are skipped"),
        ("import pytest\n@pytest.mark.xfail(run=False)\ndef test_a():\n    assert f(1)\n", "All tests are skipped"),
        ("import pytest\npytest.importorskip('no_such')\ndef test_a():\n    assert f(1)\n", "All tests are skipped"),
        (
            "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        f(1)\ndel T\n",
            "define no test",
        ),
    ],
)
def test_tests_of_which_none_is_run_judge_nothing_and_say_why(tests: str, said: str) -> None:
    verdict = judged(tests, "def f(x):\n    return 2")
    assert (verdict.status, said in verdict.feedback) == ("unverified", True), verdict.feedback


def test_an_assert_at_the_top_of_a_file_for_pytest_says_where_it_stands() -> None:
    tests = "import pytest\ntry:\n    f(1)\n    assert False\nexcept ValueError: pass\ndef test_a(): f(0)\n"
    verdict = judged(tests, "def f(x):\n    return x")
    assert (verdict.status, "assert False\nat `assert False`" in verdict.feedback) == ("failed", True), verdict.feedback
    assert judged(tests, "def f(x):\n    if x: raise ValueError\n    return x").status == "passed"


def test_tests_that_end_pytest_say_why() -> None:
    tests = "import pytest\ndef test_a():\n    if f(1) != 1:\n        pytest.exit('f is wrong.', 0)\n"
    verdict = judged(tests, "def f(x):\n    return 2")
    assert (verdict.status, verdict.feedback) == ("failed", "The tests ended before all were run: f is wrong.")
    assert judged(tests, "def f(x):\n    return 1").status == "passed"


MADE = "def make(n, wanted):\n    def made():\n        assert f(n) == wanted\n    return made\n"
IN_CASE = "        def test_a(self):\n            self.assertEqual(f(1), {wanted})\n"
WITHOUT_DEFINITION = {
    "by the names of a loop": f'{MADE}for n in range(3):\n    globals()["test_" + str(n)] = make(n, {{wanted}} * n)\n',
    "by a function that names them": f'{MADE}def add():\n    globals()["test_1"] = make(1, {{wanted}})\nadd()\n',
    "as attributes of the module": f"import sys\n{MADE}setattr(sys.modules[__name__], 'test_1', make(1, {{wanted}}))\n",
    "all at once": f"{MADE}globals().update([('test_1', make(1, {{wanted}}))])\n",
    "by partial": "import functools\ndef hold(n):\n    assert f(n) == {wanted}\ntest_a = functools.partial(hold, 1)\n",
    "a lambda": "def hold(n):\n    assert f(n) == {wanted}\ntest_a = lambda: hold(1)\n",
    "a class out of a function": f"import unittest\ndef make():\n    class Case(unittest.TestCase):\n{IN_CASE}"
    "    return Case\nTestA = make()\n",
    "methods of a class": "import unittest\nclass A(unittest.TestCase):\n    pass\n"
    "setattr(A, 'test_a', lambda self: self.assertEqual(f(1), {wanted}))\n",
    "a base by another name": f"import unittest\nBase = unittest.TestCase\nif True:\n    class A(Base):\n{IN_CASE}",
    "with an annotation": f"{MADE}test_a: object = make(1, {{wanted}})\n",
    "with an annotation, beside another one": f"{MADE}test_a: object = make(1, {{wanted}})\ndef test_b():\n"
    "    assert f(0) == 0\n",
    "two at once": f"{MADE}test_a, test_b = make(1, {{wanted}}), make(0, 0)\n",
    "below a condition": f"{MADE}if True:\n    test_a = make(1, {{wanted}})\nelse:\n    test_b = make(1, 0)\n",
    "in an expression": f"{MADE}(test_a := make(1, {{wanted}}))\n",
    "a coroutine": "async def ask(n):\n    return f(n)\n"
    + MADE.replace("    def", "    async def").replace("f(n)", "await ask(n)")
    + "test_a = make(1, {wanted})\n",
    "a class with an annotation": f"import unittest\ndef make():\n    class Case(unittest.TestCase):\n{IN_CASE}"
    "    return Case\nTestA: type = make()\n",
    # As hypothesis has it of its machines.
    "a class of a class": f"import unittest\nclass Machine:\n    class TestCase(unittest.TestCase):\n{IN_CASE}"
    "TestA = Machine.TestCase\n",
    "a class of a class, with settings": f"import unittest\nclass Machine:\n    class TestCase(unittest.TestCase):\n"
    f"{IN_CASE}TestA = Machine.TestCase\nTestA.settings = 1\n",
    "a machine that a library runs": "from hypothesis.stateful import RuleBasedStateMachine, rule\n"
    "from hypothesis.stateful import run_state_machine_as_test as run\nclass Machine(RuleBasedStateMachine):\n"
    "    @rule()\n    def one(self):\n        assert f(1) == {wanted}\ndef test_a():\n    run(Machine)\n",
    "a thread of one's own class": "import threading\nclass Worker(threading.Thread):\n    def run(self):\n"
    "        assert f(1) == {wanted}\none = Worker()\none.start()\none.join()\n",
}


@pytest.mark.parametrize("name", WITHOUT_DEFINITION)
def test_tests_that_are_no_definitions_are_run(name: str) -> None:
    tests = WITHOUT_DEFINITION[name]
    statuses = [judged(tests.format(wanted=wanted), "def f(x):\n    return 2 * x").status for wanted in (2, 3)]
    assert statuses == ["passed", "failed"]


@pytest.mark.parametrize("data", ["test_f = lambda x: f(x)", "test_data = dict(a=1)", "TestData = dict(a=1)"])
def test_data_that_is_named_like_a_test_is_none(data: str) -> None:
    assert judged(f"{data}\nassert f(1) == 2", "def f(x):\n    return 2").status == "passed"


HELD = "def one():\n    assert f(0) == 0\ndef two():\n    assert f(1) == {wanted}\n"
REGISTERED = HELD.replace("def", "@case\ndef")
NAMED_BY_NOTHING = {
    "in a list": f"{HELD}ALL = [one, two]\nfor each in ALL:\n    each()\n",
    "by their names": f"{HELD}ALL = {{{{'one': one, 'two': two}}}}\nfor name, each in ALL.items():\n    each()\n",
    "by a decorator": f"ALL = []\ndef case(each):\n    ALL.append(each)\n    return each\n{REGISTERED}"
    "for each in ALL:\n    each()\n",
    "by all names": f"{HELD}for name, each in list(globals().items()):\n    if name in ('one', 'two'):\n"
    "        each()\n",
    "by a runner": f"import sys\n{HELD}ALL = [one, two]\ndef main():\n    wrong = 0\n    for each in ALL:\n"
    "        try:\n            each()\n        except AssertionError:\n            wrong += 1\n    return wrong\n"
    "if __name__ == '__main__':\n    sys.exit(main())\n",
    "by their status alone": "import sys\nsys.exit(f(1) != {wanted})\n",
    "by a status in words": "import sys\nif f(1) != {wanted}:\n    sys.exit('wrong')\nprint('done')\n",
    "by the status of a helper": "import sys\ndef same(a, b):\n    if a != b:\n        sys.exit(1)\n"
    "same(f(1), {wanted})\n",
}


@pytest.mark.parametrize("name", NAMED_BY_NOTHING)
def test_checks_that_no_statement_names_are_checks(name: str) -> None:
    tests = NAMED_BY_NOTHING[name]
    statuses = [judged(tests.format(wanted=wanted), "def f(x):\n    return 2 * x").status for wanted in (2, 3)]
    assert statuses == ["passed", "failed"]


@pytest.mark.parametrize(
    "tests",
    [
        "import sys\nf(1)\nsys.exit(0)",
        "import sys\nf(1)\nsys.exit()",
        "def check_f():\n    assert f(1) == 2\ng = 1\nf(1)",
        "for each in [f]:\n    each(1)",
        "value: int = f(1)",
    ],
)
def test_tests_without_a_check_are_refused(tests: str) -> None:
    with pytest.raises(ValueError, match="contain no check"):
        judged(tests, "def f(x):\n    return 2 * x")


def test_a_coroutine_may_be_run_by_its_decorator() -> None:
    tests = (
        "import asyncio\ndef run(test):\n    return lambda: asyncio.run(test())\n"
        "@run\nasync def test_f():\n    assert await f(1) == 2\n"
    )
    statuses = [judged(tests, f"async def f(x):\n    return x + {more}").status for more in (1, 2)]
    assert statuses == ["passed", "failed"]


@pytest.mark.parametrize(
    "place",
    ["patch('__main__.helper', lambda x: 10)", "patch(f'{__name__}.helper', lambda x: 10)"],
    ids=["main", "name"],
)
def test_a_script_may_patch_what_its_own_module_is(place: str) -> None:
    tests = f"from unittest.mock import patch\nwith {place}:\n    assert f(1) == 11\n"
    code = "def helper(x):\n    return x + 1\ndef f(x):\n    return {} + 1\n"
    statuses = [judged(tests, code.format(inner)).status for inner in ("helper(x)", "x + 1")]
    assert statuses == ["passed", "failed"]


CASES = """\
import sys, unittest, pytest
class T(unittest.TestCase):
    def test_a(self):
        self.assertEqual(f(1), 2)
    def by_hand(self):
        self.assertEqual(f(2), 3)
result = unittest.TextTestRunner().run(unittest.TestSuite([T("test_a"), T("by_hand")]))
"""
EXITS = [
    "sys.exit(0 if result.wasSuccessful() else 1)",
    "raise SystemExit(not result.wasSuccessful())",
    "if result.wasSuccessful():\n    print('ok')\n    sys.exit(0)\nelse:\n    sys.exit('wrong')",
    "sys.exit(pytest.main(['-q', __file__]))",
    "exit()",
]


@pytest.mark.parametrize("end", EXITS)
def test_an_exit_at_the_end_of_test_cases_keeps_none_from_being_run(end: str) -> None:
    assert judged(CASES + end, "def f(x):\n    return x + 1").status == "passed"
    verdict = judged(CASES + end, "def f(x):\n    return x")
    assert (verdict.status, "T::test_a`: AssertionError: 1 != 2" in verdict.feedback) == ("failed", True)
    # What only the tests' own runner tries, their exit tells.
    if "result" in end and "pytest" not in end:
        assert judged(CASES + end, "def f(x):\n    return 2").status == "failed"
