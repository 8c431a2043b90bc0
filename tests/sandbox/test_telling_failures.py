"""Which failures say something of the code, and which only of what a sandbox lacks."""

from __future__ import annotations

import sys
import time

import pytest
from thoughtgraph import PythonTests, Verdict

pytestmark = [pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux"), pytest.mark.slow]

COMMAND_LINE = """
import subprocess, sys
from solution import total

def run_it():
    return subprocess.run([sys.executable, "-m", "solution"], capture_output=True)

def test_values():
    got = total([1, 2])
    assert got == 3

def test_command_line():
    r = run_it()
    assert r.returncode == 0
"""
SOURCE = """
import solution
from pathlib import Path

def test_source():
    src = Path(solution.__file__).read_text()
    assert "eval" not in src

def test_value():
    got = solution.f(1)
    assert got == 2
"""
DOOR = '''
"""Tests of Door from solution."""
from solution import Door

def test_open():
    door = Door(); door.open()
    state = door.state
    assert state == "open", "see solution.py"
'''
RELOADED = """
import importlib, solution

def test_value():
    got = importlib.reload(solution).total([1, 2])
    assert got == 3
"""
UNITTEST = """
import subprocess, sys, unittest
from solution import main

class T(unittest.TestCase):
    def test_a(self):
        out = subprocess.run([sys.executable, 'solution.py'], capture_output=True, text=True).stdout
        self.assertEqual(out, "hi")
"""
SHUT = "class Door:\n    state = 'shut'\n    def open(self): pass"
NO_DATA, NO_FILE = "Put what it holds into the tests", "use the answer as the file solution.py"


def judge(tests: str, code: str) -> Verdict:
    return PythonTests(tests)("task", code)


@pytest.mark.parametrize(
    ("tests", "code", "status", "said"),
    [
        ("p = '/tmp/o.txt'\nsave(p)\nassert open(p).read() == 'hi'", "def save(p): pass", "failed", "'/tmp/o.txt'"),
        ("def test_r():\n    export([1])\n    assert open('r.csv').read()", "def export(r): pass", "failed", "r.csv"),
        ("rows = open('d.csv').read()\nassert f(rows) == 3", "def f(x): return 3", "unverified", NO_DATA),
        ("assert f(open('d.csv').read()) == 3", "def f(x): return 3", "unverified", NO_DATA),
        ("assert f(1) == 3\nassert f(open('d.csv').read()) == 3", "def f(x): return 3", "unverified", NO_DATA),
        (
            "def test_a():\n    assert f(1) == 3\n    with open('d.csv') as d: t = d.read()\n    assert f(t) == 3",
            "def f(x): return 3",
            "unverified",
            NO_DATA,
        ),
        (UNITTEST, "def main(): print('hi')", "unverified", NO_FILE),
        (
            UNITTEST.replace("sys.executable, 'solution.py'", "*'python solution.py'.split()"),
            "main = 1",
            "unverified",
            NO_FILE,
        ),
        (DOOR, SHUT, "failed", "expected 'open', got 'shut'"),
        (DOOR, SHUT.replace("pass", "self.state = 'open'"), "passed", ""),
        (COMMAND_LINE, "def total(x): return 0", "failed", "expected 3, got 0"),
        (COMMAND_LINE, "def total(x): return sum(x)", "unverified", NO_FILE),
        (SOURCE, "def f(x): return 3", "failed", "expected 2, got 3"),
        (SOURCE, "def f(x): return 2", "unverified", NO_FILE),
        (RELOADED, "def total(x): return 0", "failed", "expected 3, got 0"),
        (RELOADED, "def total(x): return sum(x)", "passed", ""),
    ],
)
def test_a_failure_that_a_sandbox_explains_hides_no_other(tests: str, code: str, status: str, said: str) -> None:
    verdict = judge(tests, code)
    assert (verdict.status, said in verdict.feedback) == (status, True)
    assert status == "unverified" or "returncode" not in verdict.feedback


EXPORT = "def export(rows): {}\nclass Out:\n    def run(self): export([1])"
WRITES = "open('out.csv', 'w').write('1')"
_UNITTEST = "import unittest\nimport solution\nclass T(unittest.TestCase):\n    def setUp(self):\n        {}\n"
_UNITTEST += "    def test_e(self):\n        {}\n        self.assertEqual(open('out.csv').read(), '1')\n"
_IN_FUNCTION = "def test_e():\n    {}\n    with open('out.csv') as f:\n        assert f.read() == '1'\n"
EXPORTED = {
    "the module": "import solution\nsolution.export([1])",
    "another name": "import solution as m\nm.export([1])",
    "another name in a function": "import solution as m\n" + _IN_FUNCTION.format("m.export([1])"),
    "a name of its own": "from solution import export as e\ne([1])",
    "another module": "import exporter\nexporter.export([1])",
    "a package": "from app import exporter\nexporter.export([1])",
    "an object": "import solution\nout = solution.Out()\nout.run()",
    "an object at once": "import solution\nsolution.Out().run()",
    "unittest": _UNITTEST.format("pass", "solution.export([1])"),
    "an object of setUp": _UNITTEST.format("self.out = solution.Out()", "self.out.run()"),
    "imported later": "import importlib\ns = importlib.import_module('solution')\ns.export([1])",
    "imported at once": "import importlib\nimportlib.import_module('solution').export([1])",
    "an attribute": "import solution\ngetattr(solution, 'export')([1])",
    "a list": "import solution\nfor call in [solution.export]:\n    call([1])",
    "a helper": "import solution\ndef run():\n    solution.export([1])\nrun()",
    "a maker": "import solution\ndef made():\n    return solution.Out()\nmade().run()",
    "a fixture": "import pytest\nimport solution\n@pytest.fixture\ndef out():\n    return solution.Out()\n"
    + _IN_FUNCTION.replace("test_e()", "test_e(out)").format("out.run()"),
}


@pytest.mark.parametrize("way", EXPORTED)
def test_a_file_that_the_code_was_to_write_is_no_data_of_the_tests(way: str) -> None:
    tests = EXPORTED[way]
    if "out.csv" not in tests:
        tests += "\nassert open('out.csv').read() == '1'"
    verdict = judge(tests, EXPORT.format("pass"))
    assert (verdict.status, "out.csv" in verdict.feedback) == ("failed", True)
    assert judge(tests, EXPORT.format(WRITES)).status == "passed"


READ = [
    "rows = open('d.csv').read()\nassert {}(rows) == 3",
    "assert {0}(1) == 3\nassert {0}(open('d.csv').read()) == 3",
]


@pytest.mark.parametrize("tests", READ)
@pytest.mark.parametrize("way", ["import solution\n", "import solution as m\n", "from solution import f as g\n"])
def test_data_that_is_read_before_the_code_is_called_is_the_tests_own(way: str, tests: str) -> None:
    called = {"as m\n": "m.f", "as g\n": "g"}.get(way[-5:], "solution.f")
    verdict = judge(way + tests.format(called), "def f(x): return 3")
    assert (verdict.status, NO_DATA in verdict.feedback) == ("unverified", True)


UP = "import socket\ndef is_up(host):\n    {}socket.gethostbyname(host){}"


@pytest.mark.parametrize(
    ("host", "code", "status"),
    [
        ("no-such.invalid", UP.format("", "; return True"), "failed"),
        ("no-such.invalid", UP.format("try: ", "\n    except OSError: return False"), "passed"),
        ("mail.vendor.org", UP.format("", "; return True"), "unverified"),
        ("api.example.com", UP.format("", "; return True"), "unverified"),
    ],
)
def test_a_host_that_nobody_has_is_the_codes_to_cope_with(host: str, code: str, status: str) -> None:
    assert judge(f"assert is_up({host!r}) is False", code).status == status


def test_code_may_start_python_by_its_name_and_no_other_program() -> None:
    code = "import subprocess\ndef f(*command): return subprocess.run(command, capture_output=True, text=True).stdout"
    assert judge("assert f('python3', '-c', 'print(1)') == '1\\n'", code).status == "passed"
    assert judge("assert f('ls') == ''", code).status == "unverified"


@pytest.mark.parametrize(
    ("tests", "code", "status"),
    [
        ("r = f([])\nassert r == []\nfor x in r:\n    assert x > 0", "def f(x): return []", "passed"),
        ("for x in f([1]):\n    assert x > 0\nassert f([2]) == [2]", "def f(x): return []", "failed"),
        ("for x in f([1]):\n    assert x > 0", "def f(x): return []", "failed"),
        ("x = f([1])\nwhile x:\n    assert x.pop() > 0", "def f(x): return []", "failed"),
        ("for x in f([1]):\n    assert x > 0\nassert f([2]) == [2]", "def f(x): return x", "passed"),
    ],
)
def test_a_loop_without_rounds_fails_where_nothing_else_is_checked(tests: str, code: str, status: str) -> None:
    assert judge(tests, code).status == status


def test_what_follows_from_a_failure_is_not_told_again() -> None:
    verdict = judge("s = mk(3)\nassert s == 3\nt = mk(4)\nassert t == 4", "def mk(x): raise ValueError('no')")
    assert verdict.feedback.count("\n- ") == verdict.feedback.count("ValueError") / 2 == 2
    assert "NameError" not in verdict.feedback
    assert "NameError" in judge("q = 1\nassert f() == q", "def f(): return q + r").feedback
    tests = "@mark(1)\n@mark(2)\nclass A:\n    x = 1\n@mark(3)\ndef g(): return 1\nassert A.x == 1\nassert g() == 1"
    feedback = judge(tests, "def mark(n): return n + 'a'").feedback
    assert feedback.count("\n- ") == feedback.count("TypeError") == 2
    assert "- `@mark(1) @mark(2) class A: x = 1`: raised" in feedback


WANTS_A_HOST = "import socket\ndef f():\n    return socket.gethostbyname('db.local')"
PATCHED = "    @patch('socket.create_connection')\n    def test_{0}(self, _):\n        self.assertEqual(f(), '{0}')\n"


@pytest.mark.parametrize(
    ("tests", "lines"),
    [
        (
            f"import unittest\nfrom unittest.mock import patch\nclass T(unittest.TestCase):\n{PATCHED.format('a')}"
            f"{PATCHED.format('b')}",
            [6, 9],
        ),
        ("import unittest\nclass T(unittest.TestCase):\n    data = f()\n    def test_a(self):\n        pass", [0]),
        ("import pytest\n@pytest.mark.parametrize('x', [f()])\ndef test_a(x):\n    assert x", [0]),
    ],
)
def test_a_failure_is_looked_into_wherever_its_line_is(tests: str, lines: list[int]) -> None:
    verdict = judge(tests, WANTS_A_HOST)
    assert (verdict.status, [one["line"] for one in verdict.details["failures"]]) == ("unverified", lines)
    assert "another host" in verdict.feedback


@pytest.mark.parametrize(
    ("tests", "code", "said"),
    [
        ("assert mk(1) == mk(1)", "class P: pass\ndef mk(x): return P()", "that only looks the same"),
        ("a = [1]\nassert same(a) is a", "def same(a): return list(a)", "expected the very object [1], got another"),
        ("assert f() == [1, 2]", "def f(): return [1, 3]", "expected [1, 2], got [1, 3]"),
    ],
)
def test_two_values_with_the_same_text_are_told_apart(tests: str, code: str, said: str) -> None:
    feedback = judge(tests, code).feedback
    assert said in feedback
    assert " at 0x" not in feedback


@pytest.mark.parametrize(
    ("code", "check"),
    [
        ("print(x := 10)\ndef top(): return x", "top() == 10"),
        ("class L:\n    n = 0\n    def add(self): self.n += 1\nlog = L()\nprint(log.add())", "log.n == 1"),
        ("R = set()\ndef reg(x):\n    R.add(x)\n    return x\nassert reg('x') == 'x'", "R == {'x'}"),
        ("def bump():\n    global N\n    N = 1\nprint(bump())", "N == 1"),
        ("C = []\ndef put(x): C.append(x)\ndef both(): put(1); put(2)\nprint(both())", "C == [1, 2]"),
        ("D = {}\nprint(D[1])\ndef f(): return len(D)", "f() == 0"),
    ],
)
def test_a_demo_that_uses_the_state_of_the_code_is_run(code: str, check: str) -> None:
    verdict = judge(f"assert {check}", code)
    assert verdict.status == "passed", verdict.feedback


ASYNC_FIXTURES = """
import asyncio, contextvars, pytest
from solution import Client

@pytest.fixture
async def client():
    opened = Client()
    await opened.open()
    yield opened
    await opened.close()

@pytest.fixture
async def nothing():
    await asyncio.sleep(0)

async def test_a(client, nothing):
    assert nothing is None
    assert await client.get() == 1

class TestIt:
    async def test_b(self, client):
        assert await client.get() == 1

def test_c():
    assert asyncio.run(Client(2).get()) == 2

V = contextvars.ContextVar("v", default=0)

async def test_d():
    V.set(5)
    asyncio.create_task(asyncio.sleep(9))

async def test_e():
    await asyncio.sleep(0)
    assert (V.get(), len(asyncio.all_tasks())) == (0, 1)
"""
CLIENT = """class Client:
    def __init__(self, x=None): self.x = x
    async def open(self): self.x = {}
    async def close(self): assert self.x
    async def get(self): return self.x"""


def test_a_slow_demo_that_only_reads_is_left_out() -> None:
    code = "LIMIT = 10**9\nMOD = (7, 'x')\nhalf = lambda n: n\ndef f(n): return sorted(n) + [*MOD[:0]]\n"
    assert (
        judge("assert f([3, 1]) == [1, 3]", code + "print(sum(range(LIMIT)))\nprint(half(f([1])))").status == "passed"
    )


@pytest.mark.parametrize(("value", "status"), [(1, "passed"), (2, "failed")])
def test_async_fixtures_are_made_in_the_loop_of_the_tests(value: int, status: str) -> None:
    verdict = judge(ASYNC_FIXTURES, CLIENT.replace("{}", str(value)))
    assert verdict.status == status, verdict.feedback
    assert ("assert 2 == 1" in verdict.feedback) == (status == "failed")


def test_a_fixture_of_a_plugin_is_still_no_failure_of_the_code() -> None:
    verdict = judge("from solution import f\ndef test_a(mocker):\n    assert f() == 1", "def f(): return 1")
    assert (verdict.status, "`mocker` of a pytest plugin" in verdict.feedback) == ("unverified", True)


def test_four_times_the_failing_tests_with_files_are_told_in_no_more_than_eight_times_as_long() -> None:
    test = "def test_{0}():\n    p = 'x{0}'\n    with open(p, 'w') as file:\n        file.write('a')\n"
    test += "    with open(p) as file:\n        assert f(file.read()) == {0}\n"

    def taken(count: int) -> float:
        verify = PythonTests("".join(map(test.format, range(count))))
        started = time.process_time()
        assert verify("t", "def f(x):\n    return x").status == "failed"
        return time.process_time() - started

    taken(10)
    assert min(taken(400) for _ in range(2)) < 8 * max(min(taken(100) for _ in range(2)), 0.005)
