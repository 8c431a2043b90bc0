"""Where tests have the candidate from, what they compare it with, and how much room it has."""

from __future__ import annotations

import sys

import pytest
from thoughtgraph import PythonTests, Verdict

pytestmark = [pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux"), pytest.mark.slow]

DOUBLE, TRIPLE = "def f(x):\n    return 2 * x", "def f(x):\n    return 3 * x"
HELPED = "def helper(x):\n    return x\n\n\ndef f(x):\n    return helper(x)"


def verdict(tests: str, code: str, entry_point: str | None = None) -> Verdict:
    """The verdict on code under its tests."""
    return PythonTests(tests, entry_point=entry_point)("Write it.", f"```python\n{code}\n```")


IMPORTS = [
    ("from src.calc import f", "f"),
    ("from pkg.sub.mod import f as g", "g"),
    ("import pkg.solution as s", "s.f"),
    ("import src.calc", "src.calc.f"),
    ("import src.calc, src.other", "src.other.f"),
    ("from src import calc", "calc.f"),
    ("from src import calc as c", "c.f"),
    ("from app.core import *", "f"),
    ("from .solution import f", "f"),
    ("from . import solution", "solution.f"),
    ("from .. import calc", "calc.f"),
    ("from ..pkg.calc import (\n    f,\n)", "f"),
    ("from one import f\nfrom two import f as again\nassert again", "f"),
]


@pytest.mark.parametrize(("line", "called"), IMPORTS, ids=[line for line, _ in IMPORTS])
@pytest.mark.parametrize("kind", ["asserts", "pytest", "unittest"])
def test_the_candidate_stands_for_whatever_module_tests_have_it_from(line: str, called: str, kind: str) -> None:
    check = f"{called}(2)"
    tests = {
        "asserts": f"{line}\n\nassert {check} == 4\n",
        "pytest": f"import pytest\n{line}\n\n\ndef test_f():\n    assert {check} == 4\n",
        "unittest": f"import unittest\n{line}\n\n\nclass T(unittest.TestCase):\n    def test_f(self):\n"
        f"        self.assertEqual({check}, 4)\n",
    }[kind]
    assert [verdict(tests, code).status for code in (DOUBLE, TRIPLE)] == ["passed", "failed"]


TWO = "from shop.models import Item\nfrom shop.prices import total\n\nassert total([Item(2), Item(3)]) == 5"
ITEM = "class Item:\n    def __init__(self, price):\n        self.price = price\n\n\n"
TOTAL = "def total(items):\n    return sum(item.price for item in items)"


def test_one_answer_may_stand_for_several_modules() -> None:
    assert verdict(TWO, ITEM + TOTAL).status == "passed"
    assert verdict(TWO, ITEM + TOTAL.replace("sum", "max")).status == "failed"
    flat = TWO.replace("shop.", "")
    assert [verdict(flat, ITEM + code).status for code in (TOTAL, TOTAL.replace("sum", "max"))] == ["passed", "failed"]


def test_a_module_of_which_the_candidate_lacks_something_is_not_the_candidates() -> None:
    tests = "import not_there\nfrom src.calc import f\n\nassert f(2) == not_there.value"
    found = verdict(tests, DOUBLE)
    assert (found.status, "not_there" in found.feedback) == ("unverified", True)
    helped = verdict("from src.calc import f\nfrom tests.helpers import wanted\n\nassert f(2) == wanted(2)", DOUBLE)
    assert (helped.status, "the tests import tests" in helped.feedback) == ("unverified", True)
    lacking = verdict("from one import g\nfrom two import f\n\nassert f(2) == g(2)", DOUBLE)
    assert (lacking.status, "the tests import one" in lacking.feedback) == ("unverified", True)


@pytest.mark.parametrize("line", ["from src.calc import f", "from solution import f", ""])
def test_tests_that_look_where_they_lie_are_not_mistaken_for_the_candidate(line: str) -> None:
    path = "import os\nimport sys\n\nimport pytest\n\nsys.path.insert(0, os.path.dirname(os.path.dirname(__file__)))\n"
    tests = f"{path}{line}\n\n\ndef test_f():\n    assert f(2) == 4\n    assert 'test' in __file__\n"
    assert [verdict(tests, code).status for code in (DOUBLE, TRIPLE)] == ["passed", "failed"]


def test_a_name_that_the_candidate_defines_is_no_module() -> None:
    tests = "from src import calc\n\nassert calc.add(1, 2) == 3"
    instance = "class Calc:\n    def add(self, a, b):\n        return a {} b\n\n\ncalc = Calc()"
    assert verdict(tests, "def add(a, b):\n    return a + b").status == "passed"
    assert [verdict(tests, instance.format(sign)).status for sign in "+-"] == ["passed", "failed"]


LIMIT = "LIMIT = 3\n\n\ndef f():\n    return LIMIT"
AS_MODULES = {
    "monkeypatch": "def test_f(monkeypatch):\n    monkeypatch.setattr(calc, 'LIMIT', 5)\n    assert calc.f() == 5",
    "patch": "from unittest import mock\nwith mock.patch.object(calc, 'LIMIT', 5):\n    assert calc.f() == 5",
    "reload": "import importlib\nimportlib.reload(calc)\nassert calc.f() == 3",
    "hasattr": "assert hasattr(calc, 'f')\nassert getattr(calc, 'f')() == 3",
    "a loop": "for module in [calc]:\n    assert module.f() == 3",
    "another name": "module = calc\nassert module.f() == 3\nassert calc is not None",
    "parametrize": "import pytest\n@pytest.mark.parametrize('module', [calc])\n"
    "def test_f(module):\n    assert module.f() == 3",
    "a fixture": "import pytest\n@pytest.fixture\ndef module():\n    return calc\n"
    "def test_f(module):\n    assert module.f() == 3",
}


@pytest.mark.parametrize("way", AS_MODULES)
def test_a_module_of_a_package_may_be_handed_on(way: str) -> None:
    tests = f"from src import calc\n\n{AS_MODULES[way]}\n"
    # The wrong one says 4 whatever its limit is.
    wrong = LIMIT.replace("return LIMIT", "return 4")
    assert [verdict(tests, code).status for code in (LIMIT, wrong)] == ["passed", "failed"]


@pytest.mark.parametrize(
    "check",
    [
        "assert calc(2) == 4",
        "assert calc",
        "assert calc == 3",
        "for each in [calc]:\n    assert each(2) == 4",
        "import pytest\n@pytest.mark.parametrize('g', [calc])\ndef test_g(g):\n    assert g(2) == 4 and g.__doc__",
        "assert calc[0].f() == 3\nassert calc.f() == 3",
    ],
)
def test_a_function_or_value_that_the_candidate_lacks_is_no_module(check: str) -> None:
    found = verdict(f"from src import calc\n\n{check}\n", LIMIT)
    assert (found.status, "has to define `calc`" in found.feedback) == ("failed", True)


RELATIVE = [
    "from .a import f; from .b import h",
    "é = 'ü'; from .a import f; from . import b; h = b.h",
    "from .a import f; from \\\n  .. \\\n  import b; h = b.h",
    "s = 'a\x0cb\x1dc\u2028d'; from .a import f\nfrom ...b import h",
    "from .a import f\r\nfrom .b import (f as g,\r\n  h)",
]


@pytest.mark.parametrize("lines", RELATIVE)
def test_every_relative_import_is_the_candidates(lines: str) -> None:
    tests = f"{lines}\nassert f(2) == 4\nassert h(2) == 2\n"
    other = "\n\n\ndef h(x):\n    return x"
    assert [verdict(tests, code + other).status for code in (DOUBLE, TRIPLE)] == ["passed", "failed"]


@pytest.mark.parametrize(
    "tests",
    [
        "from unittest.mock import patch\nfrom src.calc import f\n\nwith patch('src.calc.helper', return_value=9):\n"
        "    assert f(1) == 9\n",
        "import pytest\nimport src.calc\n\n\ndef test_f(monkeypatch):\n"
        "    monkeypatch.setattr('src.calc.helper', lambda x: 9)\n    assert src.calc.f(1) == 9\n",
    ],
    ids=["patch", "monkeypatch"],
)
def test_what_is_patched_in_a_dotted_module_is_patched_in_the_candidate(tests: str) -> None:
    assert verdict(tests, HELPED).status == "passed"
    assert verdict(tests, HELPED.replace("return helper(x)", "return x")).status == "failed"


ANY = "from unittest.mock import ANY\n\nassert f() == [ANY, 1]"


def test_tests_may_compare_with_what_is_equal_to_anything() -> None:
    assert verdict(ANY, "def f():\n    return [object(), 1]").status == "passed"
    assert verdict(ANY, "def f():\n    return [object(), 2]").status == "failed"
    first = ANY.replace("f() == [ANY, 1]", "[ANY, 1] == f()")
    assert verdict(first, "def f():\n    return [object(), 1]").status == "passed"


@pytest.mark.parametrize("returned", ["ANY", "[ANY, ANY]", "Same()", "[1, Same()]"])
@pytest.mark.parametrize(
    "tests", [ANY, "from unittest.mock import ANY\n\nassert f() == [1, 1]", "assert f() == [1, 1]"]
)
def test_a_returned_value_that_is_equal_to_anything_does_not_pass(tests: str, returned: str) -> None:
    same = "class Same:\n    def __eq__(self, other):\n        return True\n\n\n"
    code = f"from unittest.mock import ANY\n\n\n{same}def f():\n    return {returned}"
    assert verdict(tests, code).status == "failed"


BETWEEN = {
    "a name": "x = f()\nassert x == 3",
    "another name": "x = f()\ny = [x]\nassert y == [3]",
    "an attribute": "x = g()\nassert x.value == 3",
    "an attribute of an object": "x = Thing()\nassert x.value == 3",
    "a loop": "for x in [f(), f()]:\n    assert 3 == x",
    "several names": "x, y = f(), 3\nassert x == 3 and y == 3",
    "a walrus": "assert (x := f()) and x == 3",
    "a function": "def test_f():\n    x = f()\n    assert x == 3",
}


@pytest.mark.parametrize("between", BETWEEN)
def test_neither_does_it_where_a_name_or_an_attribute_lies_between(between: str) -> None:
    code = "from unittest.mock import ANY\n\n\nclass Thing:\n    value = {0}\n\n\ndef f():\n    return {0}\n\n\n"
    code += "def g():\n    return Thing()"
    tests = f"import sys\n\n{BETWEEN[between]}"
    assert [verdict(tests, code.format(value)).status for value in (3, 4, "ANY")] == ["passed", "failed", "failed"]


def test_a_name_may_stand_for_what_tests_expect_to_be_equal_to_anything() -> None:
    named = "import sys\nfrom unittest.mock import ANY\n\nx = f()\nwanted = [ANY, 1]\n"
    named += "assert x == wanted\nassert wanted == x"
    assert verdict(named, "def f():\n    return [object(), 1]").status == "passed"
    assert verdict(named, "def f():\n    return [object(), 2]").status == "failed"


CHECKS = {
    "a global of a helper's": ("N = 3\n\n\ndef wanted(x):\n    return N * x", "N = 5\n    assert N == 5"),
    "a built-in name of a helper's": (
        "def wanted(x):\n    return sum([x, x, x])",
        "sum = 0\n    for x in range(3):\n        sum += candidate(x)\n    assert sum == 9",
    ),
    "a helper": ("def wanted(x):\n    return 3 * x\n\n\ndef again(x):\n    return wanted(x)", "wanted = again"),
    "a global of the code's": ("import math\n\n\ndef wanted(x):\n    return 3 * x", "table = 5\n    assert table"),
}


@pytest.mark.parametrize("clash", CHECKS)
def test_what_a_check_function_binds_is_its_own(clash: str) -> None:
    before, body = CHECKS[clash]
    tests = f"{before}\n\n\ndef check(candidate):\n    {body}\n    assert candidate(2) == wanted(2)\n"
    # The code reads a name that the tests import, so that both share their globals.
    code = "table = [1, 2, 3]\n\n\ndef f(x):\n    return math.floor(table[{}]) * x"
    right = code.format(2) if "import math" in before else TRIPLE
    wrong = code.format(1) if "import math" in before else DOUBLE
    assert [verdict(tests, each, "f").status for each in (right, wrong)] == ["passed", "failed"]


THREADS = """
import threading
import time

def f(count):
    started = threading.Barrier(count)
    threads = [threading.Thread(target=started.wait, args=(5,)) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return 0 if started.broken else count
"""


@pytest.mark.parametrize("count", [17, 50, 100])
def test_many_threads_may_run_at_the_same_time(count: int) -> None:
    assert verdict(f"assert f({count}) == {count}", THREADS).status == "passed"
    many = f"import threading\n\nends = threading.Barrier({count})\nfound = []\n\ndef go(number):\n    ends.wait(5)\n"
    many += (
        f"    found.append(f(number))\n\nrunning = [threading.Thread(target=go, args=(n,)) for n in range({count})]\n"
    )
    many += "for each in running:\n    each.start()\nfor each in running:\n    each.join()\n"
    many += f"assert sorted(found) == [2 * number for number in range({count})]\n"
    assert [verdict(many, code).status for code in (DOUBLE, TRIPLE)] == ["passed", "failed"]


def test_many_files_may_be_open_and_a_set_up_may_open_all_there_are() -> None:
    some = "files = [open('/dev/null') for _ in range(300)]\n\n\ndef f(x):\n    return len(files)"
    assert verdict("assert f(1) == 300", some).status == "passed"
    every = "files = []\ntry:\n    while True:\n        files.append(open('/dev/null'))\nexcept OSError:\n    pass\n"
    every += "factor = 2\nother = 3\n\n\ndef f(x):\n    return factor * x"
    assert verdict("assert f(1) == 2", every).status == "passed"
    assert verdict("assert f(1) == 3", every).status == "failed"


BOARD = """\
import sys, types, pytest
from unittest.mock import patch
board = types.ModuleType("board")
board.Pin = type("Pin", (), {"state": 0, "on": lambda self: setattr(self, "state", 1)})
"""
STOOD_IN = {
    "a statement": "sys.modules['board'] = board\nfrom solution import blink\nassert blink() == 1",
    "a patch": "with patch.dict('sys.modules', board=board):\n    import solution\nassert solution.blink() == 1",
    "an import of it": "sys.modules['board'] = board\nimport board\nfrom solution import blink\nassert blink() == 1",
    "an import in a patch": (
        "with patch.dict(sys.modules, {'board': board}):\n    from board import Pin\n    from solution import blink\n"
        "assert Pin().state == 0 and blink() == 1"
    ),
    "all of it": "sys.modules['board'] = board\nfrom solution import *\nassert blink() == 1",
    "another name": "sys.modules['board'] = board\nfrom blinker import blink\nassert blink() == 1",
    "pytest": "sys.modules['board'] = board\nfrom solution import blink\ndef test_a():\n    assert blink() == 1",
    "a fixture": (
        "@pytest.fixture\ndef code(monkeypatch):\n    monkeypatch.setitem(sys.modules, 'board', board)\n"
        "    import solution\n    return solution\ndef test_a(code):\n    assert code.blink() == 1"
    ),
}


@pytest.mark.parametrize("name", STOOD_IN)
def test_the_candidate_may_need_a_module_that_the_tests_put_there(name: str) -> None:
    verify = PythonTests(BOARD + STOOD_IN[name])
    code = "from board import Pin\ndef blink():\n    pin = Pin()\n    {}\n    return pin.state"
    assert verify("Write blink.", code.format("pin.on()")).status == "passed"
    assert verify("Write blink.", code.format("pass")).status == "failed"
    lacking = verify("Write blink.", f"import no_such_package\n{code.format('pin.on()')}")
    assert (lacking.status, "no_such_package" in lacking.feedback) == ("failed", True)


def test_what_the_tests_import_and_do_not_put_there_is_still_lacking() -> None:
    tests = (
        f"{BOARD}sys.modules['board'] = board\nimport no_such_package\nfrom solution import blink\nassert blink() == 1"
    )
    verdict = PythonTests(tests)("Write blink.", "def blink():\n    return 1")
    assert (verdict.status, "no_such_package" in verdict.feedback) == ("unverified", True)


BEFORE = {
    "an environment": (
        "import os\nos.environ['RATE'] = '3'\nfrom solution import f\nassert f(2) == 6",
        "import os\nRATE = int(os.environ.get('RATE', 1))\ndef f(x):\n    return x * RATE",
    ),
    "a file": (
        "import pathlib\npathlib.Path('rate.txt').write_text('3')\nimport solution\nassert solution.f(2) == 6",
        "with open('rate.txt') as file:\n    RATE = int(file.read())\ndef f(x):\n    return x * RATE",
    ),
    "a patch": (
        "import time\ntime.time = lambda: 3\nfrom solution import *\nassert f(2) == 6",
        "from time import time\ndef f(x):\n    return x * time()",
    ),
    "a fixture": (
        "import pytest\n@pytest.fixture\ndef f(monkeypatch):\n    monkeypatch.setenv('RATE', '3')\n"
        "    from solution import f\n    return f\ndef test_a(f):\n    assert f(2) == 6",
        "import os\nRATE = int(os.environ['RATE'])\ndef f(x):\n    return x * RATE",
    ),
    "what only a function imports": (
        "import os\ndef check(x):\n    from solution import f\n    assert f(x) == 3 * x\nassert f(2) == 6\ncheck(2)",
        "def f(x):\n    return 3 * x",
    ),
}


@pytest.mark.parametrize("name", BEFORE)
def test_the_candidate_is_loaded_behind_what_the_tests_do_before_they_import_it(name: str) -> None:
    tests, code = BEFORE[name]
    assert verdict(tests, code).status == "passed"
    assert verdict(tests, "def f(x):\n    return x").status == "failed"
    unloaded = verdict(tests, f"import no_such_package\n{code}")
    assert (unloaded.status, unloaded.failed_on) == ("failed", "form")


CAUGHT = {
    "a stream": (
        "import io\nfrom unittest.mock import patch\ndef test_it():\n    out = io.StringIO()\n"
        "    with patch('sys.stdin', io.StringIO('4')), patch('sys.stdout', out):\n        import solution\n"
        "    assert out.getvalue() == '8\\n'"
    ),
    "capsys": (
        "def test_it(monkeypatch, capsys):\n    monkeypatch.setattr('builtins.input', lambda *_: '4')\n"
        "    import solution\n    assert capsys.readouterr().out == '8\\n'"
    ),
    "print": (
        "from unittest.mock import patch\n"
        "with patch('builtins.input', return_value='4'), patch('builtins.print') as show:\n    import solution\n"
        "show.assert_called_once_with(8)"
    ),
    "another run": (
        "import importlib, io, sys\nfrom contextlib import redirect_stdout\nimport solution\n"
        "sys.stdin, out = io.StringIO('4'), io.StringIO()\nwith redirect_stdout(out):\n    importlib.reload(solution)\n"
        "assert out.getvalue() == '8\\n'"
    ),
}


@pytest.mark.parametrize("name", CAUGHT)
def test_a_script_prints_where_tests_catch_its_output_while_they_import_it(name: str) -> None:
    assert verdict(CAUGHT[name], "n = int(input())\nprint(2 * n)").status == "passed"
    assert verdict(CAUGHT[name], "n = int(input())\nprint(3 * n)").status == "failed"
