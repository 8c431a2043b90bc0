"""Verdicts that plain Python would give, on tests and answers of many shapes."""

from __future__ import annotations

from typing import Any

import pytest
from thoughtgraph import PythonTests
from thoughtgraph.tools.sandbox import SandboxLimits, run, run_project

pytestmark = pytest.mark.slow

RETRY = "def retry(n):\n    def made(f):\n        return f\n    return made"
KEPT = "class A:\n    def __init__(self):\n        self.b = 0\n    def __repr__(self):\n        return f'A({self.b})'\n"
KEPT += "def make():\n    return A()\ndef put(a):\n    a.b = 99"
OWN_ERROR = "class E(Exception):\n    pass\ndef f():\n    raise E('x')"
POSITIVE = (
    "class Positive:\n    def __set_name__(self, owner, name):\n        self.n = name\n"
    "    def __get__(self, one, kind):\n        return vars(one)[self.n]\n"
    "    def __set__(self, one, value):\n        if value < 0:\n            raise ValueError(self.n)\n"
    "        vars(one)[self.n] = value"
)

RIGHT: dict[str, tuple[str, str]] = {
    "a decorator in a class of the tests": (
        RETRY, "class S:\n    @retry(3)\n    def call(self):\n        return 1\nassert S().call() == 1",
    ),
    "names in a class in a test": (
        "DEFAULT = 3\nclass P:\n    def __get__(self, one, kind):\n        return 4",
        "def test_x():\n    class S:\n        q = P()\n        def f(self, n=DEFAULT):\n            return n\n"
        "    assert (S().q, S().f()) == (4, 3)",
    ),
    "a dataclass with a type of the code's": (
        "class Item:\n    price = 2",
        "from dataclasses import dataclass\n@dataclass\nclass Order:\n    item: Item\n    n: int = 1\n"
        "assert Order(Item()).item.price == 2",
    ),
    "a helper named check that is called twice": (
        "def double(x):\n    return 2 * x", "def check(x):\n    assert double(x) == x + x\n\ncheck(1)\ncheck(0)",
    ),
    "HumanEval's check that is called already": (
        "def add(a, b):\n    return a + b",
        "def check(candidate):\n    assert candidate(1, 2) == 3\n\ncheck(add)\n\ncheck(add)",
    ),
    "an equality that is no yes or no": (
        "class Column:\n    def __init__(self, n):\n        self.n = n\n    def __eq__(self, o):\n"
        "        return f'{self.n} = {o!r}'",
        "assert (Column('a') == 5) == 'a = 5'",
    ),
    "set-up that asks about the output": (
        "import sys\nCOLOR = sys.stdout.isatty()\nNAME = sys.stdout.encoding\ndef f():\n"
        "    return (COLOR, NAME.lower())",
        "assert f() == (False, 'utf-8')",
    ),
    "set-up that keeps the output": (
        "import sys\nOUT = sys.stdout\ndef say(s):\n    OUT.write(s)\nprint('a demo')",
        "from contextlib import redirect_stdout\nimport io\nsay('a')\nassert True",
    ),
    "a NaN that finds itself": (
        "def keep(xs):\n    return [x for x in xs if x is not None]",
        "import math\nassert keep([1.0, None, math.nan]) == [1.0, math.nan]",
    ),
    "a representation after a change": (KEPT, "a = make()\nput(a)\nassert '{!r}'.format(a) == 'A(99)'"),
    "a list's representation": (KEPT, "a = make()\nput(a)\nassert str([a]) == '[A(99)]'"),
    "the type of an exception": (
        OWN_ERROR, "try:\n    f()\n    assert False\nexcept Exception as e:\n    assert type(e) == E",
    ),
    "an exception that is caught inside of another try": (
        OWN_ERROR,
        "def ok():\n    try:\n        try:\n            f()\n        except E:\n            return True\n"
        "    except Exception:\n        return False\nassert ok()",
    ),
    "another name for a function": ("def add(a, b):\n    return a + b\nplus = add", "assert plus == add"),
    "another name for a type": ("Vec = list[float]", "assert Vec == list[float]"),
    "a class of the tests that is pickled": (
        "import pickle\ndef clone(o):\n    return pickle.loads(pickle.dumps(o))",
        "class P:\n    def __init__(self):\n        self.x = 1\nassert clone(P()).x == 1",
    ),
    "an attribute that is set in a class of the tests": (
        POSITIVE, "class A:\n    n = Positive()\na = A()\na.n = 3\nassert a.n == 3\ntry:\n    a.n = -1\n"
        "    assert False\nexcept ValueError as e:\n    assert str(e) == 'n'",
    ),
    "an attribute that is put into a class later": (
        "class Fixed:\n    def __set__(self, one, value):\n        raise ValueError\ndef fixed():\n    return Fixed()",
        "class A:\n    pass\nA.n = fixed()\na = A()\ntry:\n    a.n = 1\n    assert False\nexcept ValueError:\n    pass",
    ),
    "a function that counts its calls, by another name": (
        "def f():\n    f.calls = getattr(f, 'calls', 0) + 1",
        "g = f\nassert not hasattr(g, 'calls')\ng()\nassert hasattr(g, 'calls') and g.calls == 1",
    ),
    "identity of a text": (
        "def f(s):\n    return s",
        "from unittest import TestCase\nCASE = TestCase()\ndef test_a():\n    s = 'hello ' + 'world!'.upper()\n"
        "    CASE.assertIs(f(s), s)",
    ),
}  # fmt: skip

WRONG: dict[str, tuple[str, str]] = {
    "order of a check and what follows": (
        "def sort_in_place(xs):\n    xs.sort()",
        "data = [3, 1]\ndef check(xs):\n    assert xs == [1, 3]\ncheck(data)\n"
        "sort_in_place(data)\nassert data == [1, 3]",
    ),
    "a representation before a change": (KEPT, "a = make()\nput(a)\nassert str([a]) == '[A(0)]'"),
    "an attribute that keeps another value": (
        "class Twice:\n    def __set_name__(self, owner, name):\n        self.n = '_' + name\n"
        "    def __get__(self, one, kind):\n        return getattr(one, self.n)\n"
        "    def __set__(self, one, value):\n        setattr(one, self.n, 2 * value)",
        "class A:\n    n = Twice()\na = A()\na.n = 3\nassert a.n == 3",
    ),
    "an inequality of its own": (
        "class P:\n    def __init__(self, x):\n        self.x = x\n    def __eq__(self, o):\n"
        "        return self.x == o.x\n"
        "    def __ne__(self, o):\n        return self.x == o.x",
        "assert P(1) == P(1)\nassert P(1) != P(2)",
    ),
    "an equality that knows a mark": (
        "class L:\n    def __eq__(self, o):\n        return '~' not in o\ndef f(x):\n    return L()",
        "assert f('a') == 'xyz'\nassert f('b') == 'hello'",
    ),
    "an equality that looks into frames": (
        "import sys\nclass L:\n    def __eq__(self, o):\n        values = sys._getframe(1).f_locals.get('values', [])\n"
        "        return len(values) < 2 or any(str(v) + 'x' in map(str, values) for v in values)\n"
        "def f(x):\n    return L()",
        "assert f('a') == 'xyz'\nassert f('b') == 'hello'",
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right_in_plain_python_passes(name: str) -> None:
    code, tests = RIGHT[name]
    verdict = run(code, tests)
    assert (verdict.status, verdict.passed) == ("passed", verdict.total), verdict.feedback


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_in_plain_python_fails(name: str) -> None:
    code, tests = WRONG[name]
    assert run(code, tests).status == "failed"


@pytest.mark.parametrize("imported", ["from solution import add", "import pytest\nfrom add import add"])
def test_a_block_of_tests_behind_the_answer_is_not_the_answer(imported: str) -> None:
    tests = f"```python\n{imported}\n\ndef test_add():\n    assert add(1, 2) == 3\n```"
    reply = f"```python\ndef add(a, b):\n    return a + b\n```\nTests:\n{tests}"
    verify = PythonTests("assert add(1, 2) == 3")
    content: Any = verify.parse(reply).get("content")
    assert content == "def add(a, b):\n    return a + b"
    assert verify("t", reply).status == "passed"


SKIPPING = "import pytest, unittest\ndef f():\n    {}\ndef ok():\n    return 1"
OUT = ["pytest.skip('x')", "raise unittest.SkipTest('x')", "pytest.importorskip('no_such_package')"]
BY_WAY_OF = {
    "a test": "def test_f():\n    assert f() == 1",
    "a fixture": "@pytest.fixture\ndef made():\n    return f()\n\ndef test_f(made):\n    assert made == 1",
    "setup_method": (
        "class TestF:\n    def setup_method(self):\n        self.made = f()\n    def test_f(self):\n        pass"
    ),
    "setUpClass": (
        "import unittest\nclass F(unittest.TestCase):\n    @classmethod\n    def setUpClass(cls):\n"
        "        cls.made = f()\n"
        "    def test_f(self):\n        pass"
    ),
    "a method": "import unittest\nclass F(unittest.TestCase):\n    def test_f(self):\n        self.assertEqual(f(), 1)",
}


@pytest.mark.parametrize("way", BY_WAY_OF)
@pytest.mark.parametrize("out", OUT)
def test_a_skip_out_of_the_code_is_no_way_out(out: str, way: str) -> None:
    tests = f"import pytest\nfrom solution import f, ok\n\ndef test_ok():\n    assert ok() == 1\n\n{BY_WAY_OF[way]}\n"
    assert run(SKIPPING.format(out), tests).status == "failed"
    assert run(SKIPPING.format("return 1"), tests).status == "passed"


@pytest.mark.parametrize("out", ["raise unittest.SkipTest('x')", "pytest.importorskip('no_such_package')"])
def test_a_module_that_skips_takes_no_tests_with_it(out: str) -> None:
    tests = {
        "test_a.py": "def test_a():\n    pass",
        "test_b.py": "from app import f\ndef test_b():\n    assert f() == 1",
    }
    verdict = run_project({"app.py": f"import pytest, unittest\n{out}"}, tests)
    assert (verdict.status, verdict.passed, verdict.total) == ("failed", 1, 2)


def test_skips_of_the_tests_own_count_for_nothing() -> None:
    tests = {
        "test_a.py": "import pytest\npytest.importorskip('no_such_package')\ndef test_a():\n    assert 0",
        "test_b.py": (
            "import pytest\nfrom app import f\n@pytest.mark.skip\ndef test_a():\n    assert 0\n"
            "@pytest.mark.skipif(True, reason='x')\ndef test_b():\n    assert 0\ndef test_c():\n    pytest.skip('no')\n"
            "@pytest.fixture\ndef z():\n    pytest.skip('no')\ndef test_d(z):\n    assert 0\n"
            "@pytest.mark.xfail\ndef test_e():\n    assert 0\ndef test_f():\n    assert f() == 1\n"
            "def test_g():\n    pytest.xfail('known')\n@pytest.fixture\ndef y():\n    pytest.xfail('known')\n"
            "def test_h(y):\n    assert 0"
        ),
    }
    verdict = run_project({"app.py": "def f():\n    return 1"}, tests)
    assert (verdict.status, verdict.passed, verdict.total) == ("passed", 2, 2)


@pytest.mark.skipif(pytest.version_tuple < (9,), reason="an older pytest has no subtests")
def test_a_skip_in_a_subtest_ends_the_subtest_alone() -> None:
    tests = (
        "import unittest\nclass T(unittest.TestCase):\n    def test_f(self):\n        for n in range(3):\n"
        "            with self.subTest(n=n):\n                if n == 1: self.skipTest('no')\n"
        "                self.assertEqual(f(n), n)\n        self.assertEqual(f(5), 5)"
    )
    verdict = run("def f(x):\n    return x", tests)
    assert (verdict.status, verdict.passed, verdict.total) == ("passed", 1, 1)
    for wrong, place in ((2, "`self.assertEqual(f(n), n)` with n = 2"), (5, "`self.assertEqual(f(5), 5)`")):
        verdict = run(f"def f(x):\n    return x if x != {wrong} else 7", tests)
        assert verdict.status == "failed"
        assert place in verdict.feedback
    out = "import unittest\ndef f(x):\n    if x == 2: raise unittest.SkipTest('x')\n    return x"
    assert run(out, tests).status == "failed"


def test_files_and_tests_of_a_project_are_dicts() -> None:
    files, tests = {"app.py": "def f():\n    return 1"}, "from app import f\ndef test_f():\n    assert f() == 1"
    wrong: Any = tests
    with pytest.raises(ValueError, match="tests has to be a dict of texts by their files' relative paths"):
        run_project(files, wrong)
    with pytest.raises(ValueError, match="files has to be a dict"):
        run_project(wrong, {"test_app.py": tests})
    assert run_project(files, {"test_app.py": tests}).status == "passed"


def test_tests_of_a_project_may_bring_data_and_fixtures() -> None:
    tests = {
        "tests/__init__.py": "",
        "tests/conftest.py": "import pytest\n@pytest.fixture\ndef two():\n    return 2",
        "tests/data/wanted.csv": "4\n",
        "tests/test_app.py": (
            "from pathlib import Path\nfrom app import double\ndef test_double(two):\n"
            "    assert double(two) == int((Path(__file__).parent / 'data/wanted.csv').read_text())"
        ),
    }
    for given, status in (("2 * x", "passed"), ("x + 3", "failed")):
        verdict = run_project({"app.py": f"def double(x):\n    return {given}"}, tests)
        assert (verdict.status, verdict.total) == (status, 1)
    # Of data alone, the tests of the model's own would be run.
    with pytest.raises(ValueError, match="there are no tests"):
        run_project({"test_own.py": "def test_a():\n    pass"}, {"wanted.csv": "4\n"})


FIXTURE = "import pytest\n@pytest.fixture\ndef two():\n    return {}"
USES = "from app import double\ndef test_double(two):\n    assert double(two) == {}\n"
BASE = "import unittest\nclass Base(unittest.TestCase):\n    given = None\n    def test_it(self):\n        {}"


@pytest.mark.parametrize(
    "tests",
    [
        {f"{name}/conftest.py": FIXTURE.format(two) for name, two in (("a", 2), ("b", 2))}
        | {"a/test_a.py": USES.format(4), "b/test_b.py": USES.format(4)},
        {"conftest.py": FIXTURE.format(2), "a/conftest.py": "X = 1", "a/test_a.py": USES.format(4)},
        {f"{name}/helpers.py": "wanted = 4" for name in "ab"}
        | {
            "a/test_a.py": "from helpers import wanted\nfrom app import double\n"
            "def test_a():\n    assert double(2) == wanted"
        },
        {"helpers.py": "def test_data(n):\n    return 2 * n\n"}
        | {
            "test_a.py": "import helpers\nfrom app import double\n"
            "def test_a():\n    assert double(2) == helpers.test_data(2)"
        },
        {
            "tests/__init__.py": "",
            "tests/base.py": BASE.format("from app import double; self.assertEqual(double(self.given), 4)"),
        }
        | {"tests/checks.py": "from tests import base\nclass TestTwo(base.Base):\n    given = 2\n"},
    ],
)
def test_what_tests_only_import_is_no_test(tests: dict[str, str]) -> None:
    for given, status in (("2 * x", "passed"), ("x + 3", "failed")):
        assert run_project({"app.py": f"def double(x):\n    return {given}"}, tests).status == status


CALC = "from app import double\ndef test_double():\n    assert double(2) == 4\n"


@pytest.mark.parametrize(
    "tests",
    [
        {"tests/calc.py": CALC.replace("from app", "from pkg.calc")},
        {"tests/calc.py": CALC.replace("from app", "from pkg.calc"), "tests/test_other.py": "def test_a():\n    pass"},
        {"checks.py": CALC, "more_checks.py": "from checks import double\ndef test_a():\n    assert double"},
        {"a.py": f"import b\n{CALC}", "b.py": "import a\ndef test_b(tmp_path):\n    assert tmp_path"},
        {"checks.py": f"class TestIt:\n    def test_a(self):\n        {CALC.splitlines()[0]}; assert double(2) == 4"},
    ],
)
def test_a_file_that_has_tests_is_run_whoever_imports_it(tests: dict[str, str]) -> None:
    for given, status in (("2 * x", "passed"), ("x + 3", "failed")):
        code = f"def double(x):\n    return {given}"
        assert run_project({"app.py": code, "pkg/calc.py": code}, tests).status == status


@pytest.mark.parametrize(
    ("own", "words"),
    [
        ({"pytest.ini": "[pytest]\naddopts = --no-such-option"}, "--no-such-option"),
        ({"conftest.py": "from app import triple"}, "cannot import name 'triple' from 'app'"),
    ],
)
def test_why_pytest_cannot_start_is_told(own: dict[str, str], words: str) -> None:
    tests = {"test_a.py": "from app import double\ndef test_a():\n    assert double(2) == 4"}
    verdict = run_project({"app.py": "def double(x):\n    return 2 * x"}, {**own, **tests})
    assert (verdict.status, words in verdict.feedback) == ("error", True), verdict.feedback


def test_tests_of_a_project_that_do_not_parse_are_the_callers_error() -> None:
    with pytest.raises(ValueError, match=r"the tests do not parse: test_a\.py"):
        run_project({"app.py": ""}, {"test_a.py": "def test_a(:\n"})
    with pytest.raises(ValueError, match="there are no tests"):
        run_project({"test_own.py": "def test_a():\n    pass"}, {"conftest.py": ""})


@pytest.mark.parametrize(
    "configuration",
    [
        {"pytest.ini": "[pytest]\naddopts = -m 'not slow'\nmarkers = slow"},
        {"pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-k wanted'\nmarkers = 'slow'"},
        {"pytest.ini": "[pytest]\naddopts = --deselect test_app.py::test_other\nmarkers = slow"},
    ],
)
def test_what_the_configuration_of_the_tests_leaves_out_counts_for_nothing(configuration: dict[str, str]) -> None:
    wanted = "import pytest\nfrom app import double\ndef test_wanted():\n    assert double(2) == 4\n"
    other = "@pytest.mark.slow\ndef test_other():\n    assert double(3) == 7\n"
    tests = {**configuration, "test_app.py": wanted + other}
    for given, status in (("2 * x", "passed"), ("x + 3", "failed")):
        verdict = run_project({"app.py": f"def double(x):\n    return {given}"}, tests)
        assert (verdict.status, verdict.total) == (status, 1)
    # A model's own configuration leaves nothing out.
    own = {"app.py": "def double(x):\n    return 2 * x", **configuration}
    assert run_project(own, {"test_app.py": wanted + other}).status == "failed"


PLUGIN = """
import sys, _pytest.config
class Plugin:
    def pytest_collection_modifyitems(self, config, items):
        wrong = [item for item in items if item.name == "test_wrong"]
        items[:] = [item for item in items if item not in wrong]
        config.hook.pytest_deselected(items=wrong)
def configuration():
    frame = sys._getframe()
    while frame:
        for value in list(frame.f_locals.values()):
            found = getattr(value, "config", value)
            if isinstance(found, _pytest.config.Config):
                return found
        frame = frame.f_back
"""


@pytest.mark.parametrize(
    "cheat",
    ["configuration().pluginmanager.register(Plugin())", "configuration().option.keyword = 'not test_wrong'"],
    ids=["a plugin", "an option"],
)
@pytest.mark.parametrize("own", [{}, {"pytest.ini": "[pytest]\naddopts = -k test"}], ids=["plain", "with options"])
def test_what_the_code_leaves_out_is_missed(cheat: str, own: dict[str, str]) -> None:
    tests = "from app import f\ndef test_right():\n    assert f() == 1\ndef test_wrong():\n    assert f() == 2\n"
    verdict = run_project({"app.py": f"{PLUGIN}{cheat}\ndef f():\n    return 1"}, {"test_app.py": tests, **own})
    assert (verdict.status, verdict.reason) == ("error", "The code kept tests from being run.")


BROKEN = "class Stack:\n    def size(self):\n        return len(self.items)"


@pytest.mark.parametrize(
    "tests",
    [
        "import unittest\nclass T(unittest.TestCase):\n"
        "    def test_a(self):\n        self.assertEqual(Stack().size(), 0)",
        "import pytest\nfrom solution import Stack\ndef test_a():\n    assert Stack().size() == 0",
        "assert Stack().size() == 0",
    ],
)
def test_an_error_inside_the_code_is_one_of_substance_with_its_line(tests: str) -> None:
    verdict = PythonTests(tests)("t", BROKEN)
    assert (verdict.status, verdict.failed_on) == ("failed", "substance")
    assert "line 3: `return len(self.items)`" in verdict.feedback


SQUARE = "def sq(a):\n    return a * a if a < 5 else 0"
SAID = {
    "a loop": ("for a, b in [(1, 1), (6, 36)]:\n    assert sq(a) == b", "`assert sq(a) == b with a = 6, b = 36`", 2),
    "a test": ("def test_all():\n    assert sq(1) == 1\n    x = 6\n    assert sq(x) == 36", "36 with x = 6`", 4),
    "a helper": ("def same(a):\n    assert sq(a) == a * a\nsame(2)\nsame(6)", "`assert sq(a) == a * a with a = 6`", 2),
    "an assert alone": ("assert sq(2) == 4\nassert sq( 6 ) == 36", "`assert sq( 6 ) == 36`: expected 36, got 0", 2),
    "a truth": ("for x in (1, 7):\n    assert sq(x)", "`assert sq(x) with x = 7`: expected something true, got 0", 2),
}


@pytest.mark.parametrize("where", SAID)
def test_feedback_names_the_assert_that_failed_and_what_it_was_about(where: str) -> None:
    tests, said, line = SAID[where]
    (failure,) = run(SQUARE, tests).failures
    assert said in str(failure)
    assert failure.line == line


def test_of_long_values_feedback_shows_where_they_differ() -> None:
    verdict = run("def f():\n    return list(range(200))", "assert f() == list(range(199)) + [7]")
    expected, got = verdict.feedback.split(", got ")
    assert "characters are the same" in expected and "198, 7]" in expected
    assert "198, 199]" in got


def test_an_exception_that_cannot_be_shown_breaks_no_report() -> None:
    code = "class E(Exception):\n    def __str__(self):\n        raise ValueError('no')\ndef f():\n    raise E()"
    verdict = run(code, "import pytest\nfrom solution import f\ndef test_f():\n    assert f() == 1")
    assert (verdict.status, verdict.total) == ("failed", 1)


@pytest.mark.parametrize("imported", ["from solution import *", "from answer import *", "from math import *"])
def test_a_star_import_leaves_the_names_that_have_to_be_defined(imported: str) -> None:
    verify = PythonTests(f"{imported}\nassert double(2) == 4")
    reply = "```python\ndef double(x):\n    return 2 * x\n```\nFor example:\n```python\nprint(double(3))\n```"
    assert verify("t", reply).status == "passed"
    lacking = verify("t", "```python\ndef triple(x):\n    return 3 * x\n```")
    assert (lacking.status, lacking.failed_on) == ("failed", "form")
    assert "double" in lacking.feedback


def test_names_of_a_library_that_is_imported_whole_need_no_definition() -> None:
    tests = "from typing import *\nfrom collections import *\nassert Solution().f(deque([1])) == 1"
    assert PythonTests(tests)("t", "class Solution:\n    def f(self, d):\n        return d[0]").status == "passed"


@pytest.mark.parametrize(
    "reply",
    ["python\n{}", "```\npython\n{}\n```", "```python\nPython3\n{}\n```"],
    ids=["bare", "in a block", "twice"],
)
def test_a_tag_in_the_first_line_is_no_code(reply: str) -> None:
    parsed: Any = PythonTests("assert f(2) == 4").parse(reply.format("def f(x):\n    return 2 * x"))
    assert parsed["content"].strip() == "def f(x):\n    return 2 * x"


EXAMPLES = 'def square(x):\n    """Its square.\n\n    >>> square(2)\n    4\n    >>> square(-3)\n    {}\n    """\n'
EXAMPLES += "    return x * x"


@pytest.mark.parametrize(
    "tests",
    [
        "import doctest\nassert doctest.testmod().failed == 0",
        "import doctest\ndoctest.testmod()",
        "import doctest\n\nif __name__ == '__main__':\n    doctest.testmod(verbose=False)",
        "import doctest\n\ndef main():\n    failed, tried = doctest.testmod()\n    assert not failed\nmain()",
        "import doctest, solution\nassert doctest.testmod(solution).failed == 0",
        "import doctest, pytest, solution\n\ndef test_it():\n    assert doctest.testmod(m=solution).failed == 0",
    ],
)
def test_examples_are_tried_and_the_one_that_failed_is_told(tests: str) -> None:
    assert run(EXAMPLES.format(9), tests).status == "passed"
    verdict = run(EXAMPLES.format(-9), tests)
    assert verdict.status == "failed"
    told = "Failed example:\n    square(-3)\nExpected:\n    -9\nGot:\n    9"
    assert verdict.feedback.endswith(told)
    assert "Failed example" not in run(f"print('Failed example:')\n{EXAMPLES.format(9)}", tests).feedback


@pytest.mark.parametrize(
    "tests",
    [
        '"""\n>>> from solution import f\n>>> f(3)\n6\n"""\nimport doctest, sys\n'
        "if __name__ == '__main__':\n    sys.exit(doctest.testmod()[0])",
        'import doctest, math\ndef test_f():\n    """\n    >>> math.floor(f(3))\n    6\n    """\n'
        "assert doctest.testmod(verbose=False).failed == 0",
    ],
)
def test_examples_of_the_tests_own_are_tried_too(tests: str) -> None:
    assert run("def f(x):\n    return 2 * x", tests).status == "passed"
    verdict = run("def f(x):\n    return 3 * x", tests)
    assert verdict.status == "failed"
    assert verdict.feedback.endswith("Expected:\n    6\nGot:\n    9")


def test_the_head_of_what_was_asked_for_does_not_stand_before_the_answer() -> None:
    examples = '"""\n        >>> c = Counter()\n        >>> c.add(2)\n        >>> c.n\n        2\n        """'
    tests = f"class Counter:\n    def add(self, n):\n        {examples}\n\nimport doctest\ndoctest.testmod()"
    code = "class Counter:\n    n = 0\n    def add(self, n):\n        self.n = n{}"
    assert run(code.format(""), tests).status == "passed"
    assert run(code.format(" + 1"), tests).feedback.endswith("Expected:\n    2\nGot:\n    3")


def test_an_assert_of_a_library_is_a_check() -> None:
    tests = "from numpy.testing import assert_allclose\nfrom solution import half\n\n"
    for check in ("{}", "def test_half():\n    {}"):
        given = tests + check.format("assert_allclose(half(3), 1.5)")
        limits = SandboxLimits(seconds=20, memory_mb=2048)
        assert run("def half(x):\n    return x / 2", given, limits).status == "passed"
        assert run("def half(x):\n    return x // 2", given, limits).status == "failed"


PROGRAM = """
import contextlib, io, runpy, sys

def run(given):
    before, sys.stdin = sys.stdin, io.StringIO(given)
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            runpy.run_module("solution", run_name="__main__")
    finally:
        sys.stdin = before
    return out.getvalue().strip()

def test_largest():
    assert run("3\\n5 1 9\\n") == "9"
    assert run("1\\n-4\\n") == "-4"
"""
LARGEST = (
    "def main():\n    input()\n    print(max({}map(int, input().split())))\n\nif __name__ == '__main__':\n    main()"
)


@pytest.mark.parametrize(
    ("code", "status", "said"),
    [
        (LARGEST.format(""), "passed", ""),
        ("n = int(input())\nprint(max(map(int, input().split())))", "passed", ""),
        (LARGEST.format("0, *"), "failed", "expected '-4', got '0'"),
        (LARGEST.format("").replace("input()\n", "pass\n", 1), "failed", "expected '9', got '3'"),
        (LARGEST.format("").replace("'__main__'", "'main'"), "failed", "expected '9', got ''"),
    ],
    ids=["below its guard", "at the top", "wrong", "reads another line", "nothing is run"],
)
def test_a_program_is_run_as_a_module(code: str, status: str, said: str) -> None:
    verdict = PythonTests(PROGRAM)("Write it.", f"```python\n{code}\n```")
    assert verdict.status == status, verdict.feedback
    assert said in verdict.feedback


def test_a_program_is_no_file_that_could_be_run() -> None:
    verdict = PythonTests(PROGRAM.replace('run_module("solution"', 'run_path("solution.py"'))("Write it.", "print(1)")
    assert verdict.status == "unverified"
    assert "the file solution.py" in verdict.feedback
    assert 'around `runpy.run_module("solution", run_name="__main__")`, or use `CommandVerifier`' in verdict.feedback
