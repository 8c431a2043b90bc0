"""Right answers that were judged wrong: as code alone, in a block, and by the loop that takes the code from a reply."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.scripted import ScriptedModel
from thoughtgraph import PythonTests, create_reflection_graph
from thoughtgraph.tools.sandbox import SandboxLimits, run

pytestmark = pytest.mark.slow

DOUBLE = "assert f(2) == 4"
ANSWERS = {
    "async alone": ("async def f(x):\n    return x * 2", "import asyncio\nassert asyncio.run(f(2)) == 4"),
    "import alone": ("from math import factorial", "assert factorial(4) == 24"),
    "star import": ("from math import *", "assert factorial(4) == 24"),
    "fence in a docstring": (
        'def f(x):\n    """Double.\n\n    ```python\n    f(2)\n    ```\n    """\n    return x * 2', DOUBLE,
    ),
    "fence in a string": ('T = """\n~~~\ndef f(x): return 0\n~~~\n"""\ndef f(x):\n    return x * 2', DOUBLE),
    "under try": ("try:\n    from fast import f\nexcept ImportError:\n    def f(x):\n        return x * 2", DOUBLE),
    "under if": ("import sys\nif sys.version_info > (3,):\n    def f(x):\n        return x * 2", DOUBLE),
    "annotated": ("from typing import Callable\nf: Callable[[int], int] = lambda x: x * 2", DOUBLE),
    "unpacked": ("f, g = lambda x: x * 2, lambda x: x", DOUBLE),
}  # fmt: skip


@pytest.mark.parametrize("name", ANSWERS)
def test_the_loop_judges_a_right_answer_right(name: str) -> None:
    code, tests = ANSWERS[name]
    verifier = PythonTests(tests)
    assert verifier("t", code).status == "passed"
    fence = "````" if "```" in code or "~~~" in code else "```"
    reply = f"Here it is:\n\n{fence}python\n{code}\n{fence}\n"
    graph = create_reflection_graph(actor=ScriptedModel(replies=[reply]), verifier=verifier, max_attempts=1)
    assert graph.invoke({"task": "t"})["verdict"] == "passed"


@pytest.mark.parametrize(
    "tag", ["python3", "py3", "python3.11", "python:solution.py", "{.python}", "ipython", "python,"]
)
def test_a_block_of_python_has_many_names(tag: str) -> None:
    assert PythonTests(DOUBLE)("t", f"```{tag}\ndef f(x):\n    return x * 2\n```").status == "passed"


def test_a_block_of_another_language_is_no_answer() -> None:
    for tag in ("javascript", "pyret", "bash"):
        verdict = PythonTests(DOUBLE)("t", f"Look:\n```{tag}\ndef f(x):\n    return x * 2\n```")
        assert (verdict.status, verdict.kind) == ("failed", "no_code")


def test_a_helper_goes_behind_the_imports_from_the_future() -> None:
    helper = "```python\ndef g(x):\n    return x * 2\n```"
    main = "```python\nfrom __future__ import annotations\n\ndef f(x: int) -> int:\n    return g(x)\n```"
    assert PythonTests(DOUBLE)("t", f"{helper}\nand then\n{main}").status == "passed"


def test_an_exception_of_a_module_in_a_package_is_itself() -> None:
    code = "import json\ndef f(s):\n    return json.loads(s)"
    raised = "except json.JSONDecodeError as problem:\n    assert problem.pos == 1"
    tests = f"import json\ntry:\n    f('{{')\n    assert False\n{raised}"
    assert run(code, tests).status == "passed"
    assert run("def f(s):\n    raise ValueError(s)", tests).status == "failed"


@pytest.mark.parametrize(
    ("code", "check"),
    [
        ("def f(x):\n    raise ValueError('bad', float('nan'))", "'bad' in str(error)"),
        ("def f(x):\n    raise ValueError([x] * 300_000)", "len(error.args[0]) == 300_000"),
        ("class P:\n    n = 4\ndef f(x):\n    return P().foo", "error.obj.n == 4"),
    ],
)
def test_an_exception_that_has_no_copy_is_seen_beside_the_code(code: str, check: str) -> None:
    tests = f"try:\n    f(1)\n    assert False\nexcept (ValueError, AttributeError) as error:\n    assert {check}"
    verdict = run(code, tests)
    assert (verdict.status, verdict.judged) == ("passed", "together"), verdict.feedback
    assert run(code, tests.replace(f"assert {check}", f"assert not ({check})")).status == "failed"


@pytest.mark.parametrize(
    ("code", "check"),
    [
        ("def f(p):\n    return open(p).read()", "error.filename == '/nonexistent' and '/nonexistent' in str(error)"),
        ("def f(p):\n    return nowhere", "error.name == 'nowhere'"),
        ("def f(p):\n    import nowhere", "error.name == 'nowhere'"),
        (
            "def f(p):\n    raise ImportError('x', name='n', path=p)",
            "(error.name, error.path) == ('n', '/nonexistent')",
        ),
        ("def f(p):\n    return p.foo", "(error.name, error.obj) == ('foo', '/nonexistent')"),
        ("def f(p):\n    return [3].foo", "error.obj == [3]"),
        ("def f(p):\n    return {}[p]", "error.args == ('/nonexistent',)"),
        ("def f(p):\n    raise StopIteration([p])", "error.value == ['/nonexistent']"),
        ("def f(p):\n    e = StopIteration(1); e.value = p; raise e", "error.value == '/nonexistent'"),
        ("def f(p):\n    raise SystemExit(p)", "error.code == '/nonexistent'"),
        (
            "def f(p):\n    return 'aé'.encode('ascii')",
            "(error.encoding, error.object, error.start) == ('ascii', 'aé', 1)",
        ),
        ("def f(p):\n    return b'a\\xff'.decode()", "(error.object, error.end) == (b'a\\xff', 2) and error.reason"),
        ("def f(p):\n    return compile('a = (', p, 'exec')", "(error.filename, error.lineno) == ('/nonexistent', 1)"),
        (
            "def f(p):\n    e = SyntaxError('x'); e.text = p; raise e",
            "(error.text, error.msg) == ('/nonexistent', 'x')",
        ),
        ("import os\ndef f(p):\n    os.rename(p, '/tmp/y')", "error.filename2 == '/tmp/y'"),
        ("def f(p):\n    raise BlockingIOError(11, 'x', 7)", "error.characters_written == 7"),
        ("class E(ImportError):\n    pass\ndef f(p):\n    raise E('x', name=p)", "error.name == '/nonexistent'"),
        ("class E(OSError):\n    pass\ndef f(p):\n    raise E(2, 'x', p)", "error.filename == '/nonexistent'"),
        ("def f(p):\n    e = ValueError('x'); e.code = 4; raise e", "error.code == 4"),
    ],
)
def test_an_exception_keeps_what_it_says_beside_its_arguments(code: str, check: str) -> None:
    kinds = "OSError, NameError, ImportError, LookupError, ValueError, StopIteration, SystemExit, SyntaxError"
    kinds = "AttributeError" if ".foo" in code else kinds
    raised = f"except ({kinds}) as error:\n    assert {check}"
    tests = f"try:\n    f('/nonexistent')\n    assert False\n{raised}"
    verdict = run(code, tests)
    assert (verdict.status, verdict.judged) == ("passed", "apart")


def test_the_folder_of_the_program_that_asks_has_no_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "calculator.py").write_text("x = 1")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for module in ("calculator", "elsewhere"):
        assert run("def f(x):\n    return x * 2", f"from {module} import f\nassert f(2) == 4").status == "passed"


def test_an_expression_without_end_is_a_clear_error() -> None:
    with pytest.raises(ValueError, match="nested too deeply"):
        run("def f(x):\n    return x", f"assert f(1) != {'+'.join(['1'] * 20_000)}")


MODULO = """
class Number:
    def __init__(self, value, modulus):
        self.value, self.modulus = value % modulus, modulus
    def __eq__(self, other):
        return self.value == (other.value if isinstance(other, Number) else other % self.modulus)
def number(value, modulus):
    return Number(value, modulus)
"""


@pytest.mark.parametrize("modulus", [2, 3, 7, 10, 11, 12, 13, 97, 256, 1_000_000_007])
def test_numbers_modulo_something_are_equal_to_what_they_should_be(modulus: int) -> None:
    checks = "\n".join(f"assert number({value}, {modulus}) == {value % modulus}" for value in (5, 9, 20, 123))
    assert run(MODULO, checks).status == "passed"
    assert run(MODULO, f"from unittest import TestCase\n{checks}\nassert number(1, 3) != 2").status == "passed"


@pytest.mark.parametrize("claim", ["True", "other > 0", "isinstance(other, int)", "0 <= other < 1000"])
def test_an_object_that_is_equal_to_too_much_is_still_found_out(claim: str) -> None:
    code = f"class Cheat:\n    def __eq__(self, other):\n        return {claim}\ndef f(x):\n    return Cheat()"
    assert run(code, "assert f(2) == 4").status == "failed"


PACKAGES = {
    "the tests": ("def f(x):\n    return [(x, x + 1)]", "import networkx as nx\nassert nx.Graph(f(1)).has_edge(1, 2)"),
    "the code": ("import networkx as nx\ndef f(x):\n    return len(nx.path_graph(x))", "assert f(3) == 3"),
    "both": (
        "import networkx as nx\ndef f(x):\n    return nx.path_graph(x)",
        "import networkx as nx\nassert nx.is_isomorphic(f(3), nx.path_graph(3))",
    ),
    "one with a compiled part": (
        "from pydantic import BaseModel\nclass P(BaseModel):\n    x: int\ndef f(x):\n    return P(x=x)",
        "assert f('3').x == 3",
    ),
}


@pytest.mark.parametrize("who", PACKAGES)
def test_installed_packages_can_be_used(who: str) -> None:
    code, tests = PACKAGES[who]
    assert run(code, tests).status == "passed"
    assert run(code, f"{tests}\nassert f(1) == 'wrong'").status == "failed"


MISSING = "import no_such_package as nsp\n"


@pytest.mark.parametrize(
    "tests",
    [
        MISSING + "assert f(2) == nsp.four",
        MISSING + "from answer import f\ndef test_f():\n    assert f(2) == nsp.four",
        MISSING + "import pytest\nfrom solution import f\ndef test_f():\n    assert f(2) == nsp.four",
        MISSING + "def check(candidate):\n    assert candidate(2) == nsp.four",
    ],
)
def test_tests_that_need_what_is_not_installed_judge_nothing(tests: str) -> None:
    verdict = PythonTests(tests, entry_point="f" if "check(" in tests else None)("t", "def f(x):\n    return x * 2")
    assert (verdict.status, verdict.kind) == ("unverified", "unsupported")
    assert "no_such_package" in verdict.feedback


def test_tests_that_can_do_without_a_package_run_without_it() -> None:
    tests = "try:\n    import no_such_package\nexcept ImportError:\n    no_such_package = None\nassert f(2) == 4"
    assert run("def f(x):\n    return x * 2", tests).status == "passed"


def test_code_that_needs_what_is_not_installed_fails_on_its_form() -> None:
    verdict = PythonTests(DOUBLE)("t", f"{MISSING}def f(x):\n    return nsp.double(x)")
    assert (verdict.status, verdict.failed_on) == ("failed", "form")
    assert "No module named 'no_such_package'" in verdict.feedback


ASYNC = "import pytest\nfrom solution import f\n\n@pytest.fixture\ndef two():\n    return 2\n\n"


@pytest.mark.parametrize("mark", ["@pytest.mark.asyncio\n", ""])
@pytest.mark.parametrize(("factor", "status"), [(2, "passed"), (3, "failed")])
def test_async_tests_of_pytest_are_run(mark: str, factor: int, status: str) -> None:
    tests = f"{ASYNC}{mark}async def test_f(two):\n    assert await f(two) == 4\n"
    assert run(f"async def f(x):\n    return x * {factor}", tests).status == status


CHANGED = {
    "set": "import math\nmath.pi = 3\nassert f(2) == 12",
    "setattr": "import math\nsetattr(math, 'pi', 3)\nassert f(2) == 12",
    "in a test": "import math\ndef test_f():\n    was, math.pi = math.pi, 3\n    assert f(2) == 12\n    math.pi = was",
}


@pytest.mark.parametrize("way", CHANGED)
def test_what_tests_change_in_a_module_is_changed_for_the_code(way: str) -> None:
    verdict = run("import math\ndef f(r):\n    return math.pi * r * r", CHANGED[way])
    assert (verdict.status, verdict.together) == ("passed", "the tests change a module")


def test_an_assert_beside_a_loop_without_rounds_has_checked_something() -> None:
    tests = "if True:\n    assert f(2) == 4\n    for x in []:\n        assert f(x) == 0\n"
    assert run("def f(x):\n    return x * 2", tests).status == "passed"
    assert run("def f(x):\n    return x * 2", tests.replace("    assert f(2) == 4\n", "")).status == "failed"


def test_an_assert_keeps_nothing_alive() -> None:
    code = "class Node:\n    pass\ndef make():\n    return Node()"
    tests = "import gc, weakref\nnode = make()\nseen = weakref.ref(node)\nassert node is not None\nassert node\n"
    tests += "assert not (node is None)\nassert node == node\ndel node\ngc.collect()\nassert seen() is None"
    assert run(code, tests).status == "passed"


IMPORTING = {
    "a name of both": ("n = 5\nassert area(n) == 15", "n = 3\ndef area(x):\n    return x * n", "passed"),
    "a loop's name": (
        "for k, want in [(1, 10), (2, 20)]:\n    assert area(k) == want",
        "k = 10\ndef area(x):\n    return k * x",
        "passed",
    ),
    "a cache": (
        "cache = [area(5), area(6)]\nassert cache == [5, 6]",
        "cache = {}\ndef area(x):\n    return cache.setdefault(x, x)",
        "passed",
    ),
    "a helper of both": (
        "def tidy(x):\n    return x.strip()\nassert tidy(area(' A ')) == 'a'",
        "def tidy(x):\n    return x.lower()\ndef area(x):\n    return tidy(x)",
        "passed",
    ),
    "another constant": ("TAX = 2\nassert area(4) == 4 * TAX", "TAX = 3\ndef area(x):\n    return TAX * x", "failed"),
    "no import": ("import math\nassert area(4) == 2", "def area(x):\n    return math.sqrt(x)", "failed"),
    "a helper of the tests": (
        "def twice(x):\n    return 2 * x\nassert area(4) == twice(4)",
        "def area(x):\n    return twice(x)",
        "failed",
    ),
    "the loop's variable": ("for x in (1, 2):\n    assert area(x) == x", "def area(y):\n    return x", "failed"),
}


@pytest.mark.parametrize("name", IMPORTING)
@pytest.mark.parametrize("way", ["from solution import area", "import solution\narea = solution.area"])
def test_tests_that_import_the_code_have_globals_of_their_own(name: str, way: str) -> None:
    checks, code, status = IMPORTING[name]
    assert PythonTests(f"{way}\n{checks}")("t", code).status == status


BEYOND = {
    "a shell": (DOUBLE, "import os\ndef f(x):\n    return x * 2 if os.system('true') == 0 else os.system('true')"),
    "a program": (DOUBLE, "import subprocess\ndef f(x):\n    return int(subprocess.check_output(['echo', '4']))"),
    "a python of the tests": (
        "import subprocess, sys\nout = subprocess.run([sys.executable, '-c', 'import solution; print(solution.f(2))'],"
        " capture_output=True, text=True).stdout\nassert out.strip() == '4'",
        "def f(x):\n    return x * 2",
    ),
    "data of the tests": ("import json\nassert f(json.load(open('a.json'))) == 4", "def f(x):\n    return x * 2"),
    "a fixture of a plugin": (
        "import pytest\ndef test_f(mocker):\n    assert f(2) == 4",
        "def f(x):\n    return x * 2",
    ),
}


@pytest.mark.parametrize("name", BEYOND)
def test_what_a_sandbox_does_not_have_is_not_held_against_the_code(name: str) -> None:
    tests, code = BEYOND[name]
    verdict = PythonTests(tests)("t", code)
    assert (verdict.status, verdict.kind) == ("unverified", "unsupported")
    assert "sandbox" in verdict.feedback or "solution.py" in verdict.feedback


@pytest.mark.parametrize(
    ("tests", "code"),
    [
        (DOUBLE, "import subprocess\ndef f(x):\n    return subprocess.check_output(['no-such-program'])"),
        (DOUBLE, "def f(x):\n    return open('/etc/none').read()"),
        ("assert f('a.json') == 1", "def f(x):\n    return open(x).read()"),
        ("f('out.txt')\nassert open('out.txt').read() == '4'", "def f(path):\n    return 4"),
        (
            "def test_f(tmp_path):\n    f(tmp_path / 'o.txt')\n    assert (tmp_path / 'o.txt').read_text() == '4'",
            "def f(path):\n    return 4",
        ),
        (
            "import pytest\ndef test_a():\n    assert f(2) == 4\ndef test_b(mocker):\n    pass",
            "def f(x):\n    return 5",
        ),
        (
            "import subprocess, sys\nsubprocess.run([sys.executable, '-c', ''])\nassert f(2) == 4",
            "def f(x):\n    return 5",
        ),
        (
            "import importlib, solution\nassert solution.f(2) == 4\nimportlib.reload(solution)",
            "def f(x):\n    return 5",
        ),
        (DOUBLE, "import subprocess\ndef f(x):\n    return 325120"),
        (DOUBLE, "def f(x):\n    raise ValueError(\"fixture 'x' not found\")"),
    ],
    ids=["program", "file", "given", "output", "scratch", "plugin-beside", "python-beside", "reload", "value", "words"],
)
def test_what_no_machine_has_is_the_codes_mistake(tests: str, code: str) -> None:
    assert PythonTests(tests)("t", code).status == "failed"


def test_set_up_that_takes_too_long_is_said_and_no_later_error() -> None:
    code = "import time\nT = {}\ntime.sleep(1)\nfor i in range(5):\n    T[i] = i\ndef f(x):\n    return T[x] * 2"
    limits = SandboxLimits(seconds=1)
    verdict = PythonTests(DOUBLE, limits=limits)("t", code)
    assert "took more than 0.5 seconds" in verdict.feedback
    assert "KeyError" not in verdict.feedback
    for demo in (
        "time.sleep(1)\nprint(f(2))",
        "start = 0\ntime.sleep(1)\nspent = 1",
        "for n in range(9): time.sleep(.2)",
    ):
        code = f"import time\ndef f(x):\n    return x * 2\n{demo}"
        assert PythonTests(DOUBLE, limits=limits)("t", code).status == "passed"


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ("list(range(1000))", "list(range(950)) + [-1]", "949, -1]"),
        ("'a' * 9000", "'a' * 8999 + 'b'", "the first 8000 characters are the same; they differ further on"),
        ("'\u00e9'", "'e\u0301'", "U+0065 in place of U+00E9"),
        ("'A'", "'\u0410'", "U+0410 in place of U+0041"),
    ],
    ids=["list", "text", "accent", "script"],
)
def test_the_difference_is_seen(right: str, wrong: str, told: str) -> None:
    assert told in PythonTests(f"assert f() == {right}")("t", f"def f():\n    return {wrong}").feedback


def test_a_failure_of_unittest_names_its_line_and_what_varies() -> None:
    tests = """import unittest
from solution import f
class T(unittest.TestCase):
    def test_each(self):
        for word in ["aba", "abc"]:
            with self.subTest(word=word):
                self.assertTrue(f(word))
    def test_raises(self):
        with self.assertRaises(ValueError):
            f(1)"""
    said = PythonTests(tests)("t", "def f(word):\n    return word == 'aba'").feedback
    assert "False is not true at `self.assertTrue(f(word))` with word = 'abc'" in said
    assert "ValueError not raised at `with self.assertRaises(ValueError): f(1)`" in said


ARGUMENTS = {
    "read": "import sys\nCOUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 3",
    "parsed": (
        "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--count', type=int, default=3)\n"
        "COUNT = parser.parse_args().count"
    ),
    "shown": "import sys\nCOUNT = 3 if sys.argv == ['solution.py'] else 0",
}


@pytest.mark.parametrize("tests", ["assert f() == 3", "import pytest\ndef test_a():\n    assert f() == 3"])
@pytest.mark.parametrize("way", ARGUMENTS)
def test_code_is_given_no_arguments(way: str, tests: str) -> None:
    for needs in ("", "import os\n"):
        verdict = PythonTests(needs + tests)(
            "Write f.", f"```python\n{ARGUMENTS[way]}\ndef f():\n    return COUNT\n```"
        )
        assert verdict.status == "passed", verdict.feedback


NEARLY = """
class Nearly:
    def __init__(self, value):
        self.value = value
    def __eq__(self, other):
        pairs = zip(self.value, other) if isinstance(other, list) else [(self.value, other)]
        return all(20 * abs(one - another) <= abs(one) for one, another in pairs)
def nearly(value):
    return Nearly(value)
"""


@pytest.mark.parametrize("value", ["10_000", "-10_000", "1e12", "1e300", "10**40", "[2_000, 1e9]", "3e5 + 1e6j"])
@pytest.mark.parametrize("style", ["", "from solution import nearly\nassert nearly(1) != 2 and Nearly\n"])
def test_a_large_number_may_be_equal_to_what_is_near_to_it(value: str, style: str) -> None:
    style = style.replace("import nearly", "import Nearly, nearly")
    near = value.replace("2_000", "2_001") if value[0] == "[" else f"{value} * 1.01"
    assert run(NEARLY, f"{style}assert nearly({value}) == {near}").status == "passed"
    assert run(NEARLY, f"{style}assert nearly(3) == 4").status == "failed"


@pytest.mark.parametrize("value", ["10_000", "1e12", "float('inf')", "float('nan')", "10**400"])
@pytest.mark.parametrize("claim", ["True", "other > 0", "isinstance(other, (int, float))"])
def test_neither_may_be_equal_to_any_large_number(value: str, claim: str) -> None:
    code = f"class Cheat:\n    def __eq__(self, other):\n        return {claim}\ndef f(x):\n    return Cheat()"
    for tests in ("assert f(2) == {}", "assert f(2) == {} and f.__name__"):
        status = run(code, tests.format(value)).status
        assert status == "failed", tests


DOCUMENTED = '''"""Doubles.

>>> f(2)
4
"""
def f(x):
    """Double it."""
    return x * 2
"""
A remark that is a text.
"""
'''


def test_a_text_below_the_first_statement_is_no_docstring() -> None:
    said = "import solution\nassert solution.__doc__.startswith('Doubles.')"
    tried = "import doctest, solution\nassert doctest.testmod(solution).attempted == 1"
    for tests in (said, tried):
        assert run(DOCUMENTED, tests).status == "passed"
    assert run(DOCUMENTED.replace("4", "5"), "import doctest\nassert doctest.testmod().failed == 0").status == "failed"
    assert run("x = 1\n'Doubles.'", "import solution\nassert solution.__doc__").status == "failed"


def test_the_annotations_of_the_module_are_those_of_the_code() -> None:
    for tests in (
        "import solution\nassert solution.__annotations__ == {'LIMIT': int}",
        "import solution, typing\nassert typing.get_type_hints(solution) == {'LIMIT': int}",
    ):
        assert run("LIMIT: int = 3", tests).status == "passed"
        assert run("LIMIT: str = 3", tests).status == "failed"
        assert run("LIMIT = 3", tests).status == "failed"


NODES = """
from typing import List, Optional

class Node:
    def __init__(self, value, next=None):
        self.value, self.next = value, next

def test_values():
    assert Solution().values(Node(1, Node(2))) == [1, 2]
    assert Solution().values(None) == []

{}
"""
VALUES = """
# Definition of a list.
# class Node: ...
class Solution:
    ä: "Node"; kept: Optional[Node] = None
    def values(self, head: Optional[Node], *more: Node) -> List[int]:
        found: List[int] = []
        while head:
            found.append(head.value)
            head = head.next
        return found{}
"""


@pytest.mark.parametrize("tests", [NODES.format("test_values()"), NODES.format("import pytest"), NODES.format("")])
def test_annotations_may_name_what_the_tests_bind(tests: str) -> None:
    assert PythonTests(tests)("t", VALUES.format("")).status == "passed"
    wrong = PythonTests(tests)("t", VALUES.format("[:-1]"))
    assert (wrong.status, wrong.failed_on) == ("failed", "substance"), wrong.feedback


def test_annotations_that_nothing_binds_do_not_load() -> None:
    own = NODES.format("")
    for tests, name in ((own.replace("List, ", ""), "List"), (f"from solution import Solution{own}", "Optional")):
        verdict = PythonTests(tests)("t", VALUES.format(""))
        assert (verdict.status, verdict.failed_on) == ("failed", "form")
        assert f"NameError: name '{name}' is not defined at line" in verdict.feedback
