"""Tests that start over beside the code: in a second sandbox, where nothing of the first one is."""

from __future__ import annotations

import sys

import pytest
from thoughtgraph.tools.sandbox import SandboxLimits, exchange, run

pytestmark = [pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux"), pytest.mark.slow]


@pytest.fixture(autouse=True)
def no_other_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """No time is given back because the machine is busy."""
    monkeypatch.setattr(exchange, "shares_below", lambda process: {})


LOG = """
def write_log(path, line):
    with open(path, "a") as file:
        file.write(line + "\\n")
def read_log(path):
    with open(path) as file:
        for line in file:
            yield line.rstrip("\\n")
"""
STORE = """
import json, os
PATH = "/tmp/store.json"
class Store:
    def __init__(self):
        self.items = json.load(open(PATH)) if os.path.exists(PATH) else []
    def add(self, item):
        self.items.append(item)
        with open(PATH, "w") as file:
            json.dump(self.items, file)
        return len(self.items)
def added(item):
    return Store().add(item)
def store():
    return Store()
"""
FOLDER = "import os\ndef make():\n    os.mkdir('out')\n    return 'out'\ndef walk():\n    yield from os.listdir('.')\n"
BASE = """
import sqlite3
base = sqlite3.connect("app.db")
base.execute("create table t(x)")
def add(x):
    with base:
        base.execute("insert into t values(?)", (x,))
def rows():
    return base.execute("select x from t")
"""
SHARED = FOLDER.replace("'out'", "'/dev/shm/out'").replace("'.'", "'/dev/shm'")
SERVER = """
import os, socket, time
def serve():
    server = socket.create_server(("127.0.0.1", 8765))
    if os.fork() == 0:
        time.sleep(60)
    return True
def numbers():
    yield 1
"""
LOGGED = "write_log('a.log', 'one')\nwrite_log('a.log', 'two')\nassert list(read_log('a.log')) == ['one', 'two']"
RIGHT = {
    "a file that grows": (LOG, LOGGED),
    "in a function": (LOG, "def test_log():\n" + "".join(f"    {line}\n" for line in LOGGED.split("\n"))),
    "in a file for pytest": (
        LOG,
        "import pytest\nfrom solution import write_log, read_log\ndef test_log():\n"
        + "".join(f"    {line}\n" for line in LOGGED.split("\n")),
    ),
    "a file in the scratch folder": (STORE, "assert added('a') == 1\nassert store().items == ['a']"),
    "a folder": (FOLDER, "assert make() == 'out'\nassert list(walk()) == ['out']"),
    "a database": (BASE, "add(1)\nadd(2)\nassert list(rows()) == [(1,), (2,)]"),
    "a process that holds a port": (SERVER, "assert serve()\nassert list(numbers()) == [1]"),
    "memory that processes share": (SHARED, "assert make()\nassert list(walk()) == ['out']"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_nothing_of_the_first_run_is_left_when_tests_start_over(name: str) -> None:
    code, tests = RIGHT[name]
    verdict = run(code, tests)
    assert (verdict.status, verdict.judged) == ("passed", "together"), verdict.feedback


def test_a_file_of_the_first_run_makes_nothing_right() -> None:
    code = (
        "import os\ndef counter():\n    if os.path.exists('c.txt'):\n        return int(open('c.txt').read())\n"
        "    with open('c.txt', 'w') as file:\n        file.write('0')\ndef items():\n    yield 1\n"
    )
    verdict = run(code, "first = counter()\nassert list(items()) == [1]\nassert first == 0")
    assert (verdict.status, verdict.judged, verdict.passed) == ("failed", "together", 1)


def test_what_was_printed_before_the_tests_started_over_is_not_printed_twice() -> None:
    verdict = run(
        "def f():\n    print('once')\n    return 1\ndef g():\n    yield 1", "assert f() == 1\nassert [*g()] == [1]"
    )
    assert (verdict.judged, verdict.output) == ("together", "once\n")


FIND = "import bisect\ndef find(xs, x):\n    return bisect.bisect_left(xs, x)\n"
FOUND = "xs = list(range(0, 100_000, 2))\nfor i in range(0, 50_000, 10):\n    assert find(xs, 2 * i) == i"
COPIED = {
    "a long list": (FIND, FOUND.replace("10)", "50)")),
    "a grid": (
        "def cell(grid, row, column):\n    return grid[row][column]\n",
        "g = [[r * 200 + c for c in range(200)] for r in range(200)]\n"
        "for i in range(1000):\n    assert cell(g, i % 200, 7) == (i % 200) * 200 + 7",
    ),
    "a graph": (
        "def neighbours(graph, node):\n    return sorted(graph[node])\n",
        "g = {i: {(i * 7) % 2000, (i + 1) % 2000} for i in range(2000)}\n"
        "for i in range(1000):\n    assert neighbours(g, i) == sorted(g[i])",
    ),
    "tuples": (
        "def get(pairs, key):\n    return pairs[key]\n",
        "d = {i: (i, str(i)) for i in range(3000)}\nfor i in range(500):\n    assert get(d, i) == (i, str(i))",
    ),
    "what shows itself slowly": (
        "class P:\n    def __init__(self, n):\n        self.n = n\n    def __eq__(self, other):\n"
        "        return self.n == getattr(other, 'n', other)\n    def __repr__(self):\n"
        "        return ' '.join(map(str, range(100_000)))\ndef get(n):\n    return P(n)\n",
        "for i in range(900):\n    assert get(i) == i",
    ),
}


@pytest.mark.parametrize("name", COPIED)
def test_copies_take_nothing_of_the_time_limit(name: str) -> None:
    code, tests = COPIED[name]
    verdict = run(code, tests, SandboxLimits(seconds=4))
    assert (verdict.status, verdict.judged) == ("passed", "together"), verdict.feedback
    assert "copies" in verdict.together


def test_wrong_code_is_not_told_that_it_is_slow_where_copies_are() -> None:
    tests = "xs = list(range(100_000, 0, -1))\nys = sort(xs)\nassert xs[0] == 100_000\n"
    tests += "for i in range(300):\n    assert sort([i, 0, -i]) == [-i, 0, i]"
    verdict = run("def sort(a):\n    a.sort()\n    return a", tests)
    assert (verdict.status, verdict.passed, len(verdict.failures)) == ("failed", 1, 1), verdict.feedback


def test_tests_with_few_copies_stay_where_the_code_is_not() -> None:
    tests = "xs = list(range(5_000))\nfor i in range(40):\n    assert find(xs, i) == i"
    verdict = run(FIND, tests)
    assert (verdict.status, verdict.judged) == ("passed", "apart"), verdict.together


@pytest.mark.parametrize("tests", ["assert f(1) == 2", "xs = [0] * 5_000\nfor i in range(9):\n    assert f(xs) == 2"])
def test_a_loop_without_end_is_waited_for_once(tests: str) -> None:
    verdict = run("def f(n):\n    while True:\n        pass", tests, SandboxLimits(seconds=1))
    assert (verdict.status, verdict.judged) == ("timeout", "apart")
    assert verdict.seconds < 2


def test_slow_code_is_slow_beside_its_tests_too() -> None:
    code = "import time, bisect\ndef find(xs, x):\n    time.sleep(0.01)\n    return bisect.bisect_left(xs, x)\n"
    verdict = run(code, FOUND, SandboxLimits(seconds=1))
    assert (verdict.status, verdict.seconds < 4) == ("timeout", True)
