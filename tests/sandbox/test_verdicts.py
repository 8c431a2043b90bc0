"""The verdict is true: what plain CPython passes passes, what it fails fails, and what cheats does not pass."""

from __future__ import annotations

import sys

import pytest
from thoughtgraph.tools.sandbox import SandboxLimits, run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux"),
]

NEGATIVE = "def f(x):\n    if x < 0:\n        raise ValueError('negative')\n    return x"
FORGIVING = "def f(x):\n    return abs(x)"
EXCEPTIONS = {
    "assert-false": "try:\n    f(-1)\n    assert False\nexcept ValueError:\n    pass",
    "message": "try:\n    f(-1)\n    assert False, 'must raise'\nexcept ValueError as error:\n"
    "    assert str(error) == 'negative'",
    "else": "try:\n    f(-1)\nexcept ValueError:\n    pass\nelse:\n    assert False",
    "else-raises": "try:\n    f(-1)\nexcept ValueError:\n    pass\nelse:\n    raise AssertionError('no error')",
    "flag": "raised = False\ntry:\n    f(-1)\nexcept ValueError:\n    raised = True\nassert raised",
    "loop": "for bad in (-1, -2):\n    try:\n        f(bad)\n        assert False\n    except ValueError:\n"
    "        pass",
    "helper": (
        "def raises(kind, function, *given):\n    try:\n        function(*given)\n    except kind:\n"
        "        return True\n"
        "    return False\nassert raises(ValueError, f, -1)"
    ),
    "check": "def check(candidate):\n    try:\n        candidate(-1)\n        assert False\n"
    "    except ValueError:\n        pass\n",
    "pytest": "import pytest\ndef test_f():\n    with pytest.raises(ValueError, match='neg'):\n        f(-1)",
    "unittest": (
        "import unittest\nclass Tests(unittest.TestCase):\n    def test_f(self):\n"
        "        with self.assertRaises(ValueError):\n            f(-1)\nunittest.main()"
    ),
}


@pytest.mark.parametrize("form", EXCEPTIONS)
def test_every_form_of_an_exception_test_passes_what_raises_and_fails_what_does_not(form: str) -> None:
    entry = "f" if form == "check" else None
    assert run(NEGATIVE, EXCEPTIONS[form], entry_point=entry).status == "passed"
    assert run(FORGIVING, EXCEPTIONS[form], entry_point=entry).status == "failed"


def test_feedback_says_that_an_exception_is_missing() -> None:
    verdict = run(FORGIVING, EXCEPTIONS["assert-false"])
    assert [(failure.expected, failure.got) for failure in verdict.failures] == [("ValueError before it", "none")]


RIGHT = {
    "dataclass": (
        "from dataclasses import dataclass, field\n@dataclass(order=True)\nclass P:\n    x: int\n    y: int = 0\n"
        "    tags: list[str] = field(default_factory=list)\ndef f(): return P(1)",
        "assert f() == P(1, 0)\nassert P(1) < P(2)\nassert f().tags == []",
    ),
    "annotations": ("def f(x: int) -> str: return str(x)", "assert f.__annotations__ == {'x': int, 'return': str}"),
    "signature": ("import inspect\ndef f(a, *, b=1): pass\ndef g(): return str(inspect.signature(f))",
                  "assert g() == '(a, *, b=1)'"),
    "pickle": (
        "import pickle\nclass A:\n    def __init__(self): self.x = 1\n"
        "def f(): return pickle.loads(pickle.dumps(A())).x",
        "assert f() == 1",
    ),
    "source": ("import inspect\ndef g(): return 1\ndef f(): return inspect.getsource(g)",
               "assert f() == 'def g(): return 1\\n'"),
    "future": ("from __future__ import annotations\ndef f(x: Nowhere) -> int: return x", "assert f(1) == 1"),
    "attribute-of-a-function": (
        "def fib(n):\n    if n not in fib.memo:\n        fib.memo[n] = n if n < 2 else fib(n - 1) + fib(n - 2)\n"
        "    return fib.memo[n]\nfib.memo = {}",
        "assert fib(50) == 12586269025",
    ),
    "attribute-of-a-class": ("class C:\n    limit = 1\nC.limit = 5\ndef f(): return C.limit", "assert f() == 5"),
    "context": (
        "from decimal import Decimal, getcontext\ngetcontext().prec = 50\n"
        "def f(a, b): return Decimal(a) / Decimal(b)",
        "assert str(f(1, 3)) == '0.' + '3' * 50",
    ),
    "table-that-prints": (
        "squares = {}\nfor n in range(9):\n    squares[n] = n * n\n    print(n)\ndef f(n): return squares[n]",
        "assert f(8) == 64",
    ),
    "table-filled-by-main": (
        "T = {}\ndef main():\n    T[1] = 2\nmain()\ndef f(x): return T[x]",
        "assert f(1) == 2",
    ),
    "main-that-asks": ("def main(): f(input())\nmain()\ndef f(x): return x", "assert f(1) == 1"),
    "own-tests-run": (
        "import unittest\ndef f(x): return x\nclass T(unittest.TestCase):\n    def test_f(self): self.fail()\n"
        "unittest.main()",
        "assert f(1) == 1",
    ),
    "demo-that-fails": ("def f(x): return 2 * x\nvalue = f(input())\nfor n in f(None): print(n)\nassert f(1) == 3",
                        "assert f(2) == 4"),
    "demo-that-exits": ("import sys\ndef f(x): return x\nif len(sys.argv) < 99: sys.exit('usage')", "assert f(1) == 1"),
    "large-constant": (f"def f(): return 0x{'f' * 9000} % 1000", f"assert f() == 0x{'f' * 9000} % 1000"),
    "pool": (
        "from multiprocessing import Pool, Lock\nlock = Lock()\ndef g(n):\n    with lock: return n * n\n"
        "def f(n):\n    with Pool(2) as pool: return pool.map(g, range(n))",
        "assert f(3) == [0, 1, 4]",
    ),
    "time-zone": (
        "from zoneinfo import ZoneInfo\nfrom datetime import datetime\n"
        "def f(): return datetime(2024, 7, 1, tzinfo=ZoneInfo('Europe/Berlin')).utcoffset().seconds",
        "assert f() == 7200",
    ),
    "locale-of-the-environment": (
        "import locale\ndef f(x):\n    locale.setlocale(locale.LC_ALL, '')\n    return locale.format_string('%.1f', x)",
        "assert f(1.5) == '1.5'",
    ),
    "recursion-as-deep-as-a-script": ("def f(n): return n and 1 + f(n - 1)", "assert f(980) == 980"),
    "set-order": ("def f(): return list(set([3, 1, 2, 99, 5]))", "assert f() == list(set([3, 1, 2, 99, 5]))"),
    "named-tuple": ("from collections import namedtuple\nP = namedtuple('P', 'x y')\ndef f(): return P(1, 2)",
                    "assert f() == (1, 2)\nassert f().y == 2"),
    "own-equality": (
        "class M:\n    def __init__(self, n): self.n = n\n    def __eq__(self, o): return self.n == o.n\n"
        "def f(n): return M(n)",
        "assert f(1) == f(1)\nassert f(1) == M(1)\nassert not f(1) == M(2)",
    ),
    "equal-to-a-number": (
        "class M:\n    def __init__(self, n): self.n = n\n    def __eq__(self, o): return self.n == o\n"
        "def f(n): return M(n)",
        "assert f(4) == 4",
    ),
    "generator": ("def f(n):\n    for k in range(n): yield k", "assert list(f(3)) == [0, 1, 2]\n"
    "assert next(f(1)) == 0"),
    "in-place": ("def f(xs): xs.sort()", "xs = [3, 1]\nassert f(xs) is None\nassert xs == [1, 3]"),
    "same-object": ("def f(xs): return xs", "xs = [3, 1]\nf(xs).append(2)\nassert xs == [3, 1, 2]"),
    "shared-state": (
        "items = []\ndef add(x): items.append(x)\ndef all_items(): return items",
        "seen = all_items()\nadd(1)\nassert seen == [1] and items == [1]",
    ),
    "callback": ("def f(g, x): return g(g(x))", "assert f(lambda x: x + 1, 1) == 3"),
    "own-function-passed-on": ("def f(x): return x + 1\ndef g(h, x): return h(x)", "assert g(f, 1) == 2"),
    "own-exception": (
        "class Empty(LookupError):\n    def __init__(self, n):\n        super().__init__(f'{n} left')\n"
        "        self.n = n\n"
        "def f(): raise Empty(3)",
        "try:\n    f()\n    assert False\nexcept LookupError as e:\n    assert str(e) == '3 left'\n"
        "try:\n    f()\n    assert False\nexcept Empty as e:\n    assert e.n == 3",
    ),
    "test-defines-what-the-code-reads": (
        "def f(x): return helper(x) + 1", "def helper(x): return 2 * x\nassert f(2) == 5",
    ),
    "test-changes-a-global": ("LIMIT = 1\ndef f(): return LIMIT", "LIMIT = 3\nassert f() == 3"),
    "global-that-changes": ("n = 0\ndef f():\n    global n\n    n += 1", "f()\nf()\nassert n == 2"),
    "own-sum-under-test": ("def sum(a, b): return a * 10 + b", "assert sum(1, 2) == 12"),
    "loop-that-must-not-run": ("def f(): return []",
                               "for x in f():\n    assert False, 'none expected'\n"
    "assert f() == []"),
    "printed": (
        "def f(): print('hi')",
        "import io\nfrom contextlib import redirect_stdout\nout = io.StringIO()\nwith redirect_stdout(out): f()\n"
        "assert out.getvalue() == 'hi\\n'",
    ),
    "test-functions": ("def f(x): return x + 1", "def test_one():\n    assert f(1) == 2\ndef test_two():\n"
    "    assert f(2) == 3"),
    "called-test-function": ("def f(x): return x + 1", "def test(candidate):\n    assert candidate(1) == 2\ntest(f)"),
    "listed-test-functions": (
        "def f(x): return x + 1", "def test_a():\n    assert f(1) == 2\nfor t in [test_a]:\n    t()",
    ),
    "async": ("async def f(x): return x + 1", "import asyncio\nassert asyncio.run(f(1)) == 2"),
    "async-test": ("async def f(x): return x + 1", "async def test_f():\n    assert await f(1) == 2"),
    "if-raise": ("def f(x): return x + 1", "if f(1) != 2:\n    raise RuntimeError('wrong')"),
    "xfail-by-a-mark": (
        "def f(x): return x", "import pytest\n@pytest.mark.xfail\ndef test_f():\n    assert f(1) == 2\n"
        "def test_g():\n    assert f(1) == 1",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_right_code_passes(name: str) -> None:
    verdict = run(*RIGHT[name])
    assert verdict.status == "passed", verdict


WRONG = {
    "typing-without-import": ("def f(x: List[int]) -> int: return x[0]", "assert f([1]) == 1"),
    "order-of-a-set": ("def f(xs): return list(set(xs))", "assert f([33, 1, 2]) == [33, 1, 2]"),
    "dollar-and-line-end": (
        "import re\ndef f(s): return bool(re.match(r'^\\d{4}$', s))", "assert f('1234\\n') is False",
    ),
    "round-ties": ("def f(x): return round(x, 2)", "assert f(2.675) == 2.68"),
    "lazy-side-effects": (
        "seen = []\ndef g(x):\n    seen.append(x)\n    return x\ndef f(xs):\n    map(g, xs)\n    return seen",
        "assert f([1]) == [1]",
    ),
    "private-name": ("class A:\n    def __init__(self): self.__x = 1\ndef f(): return A().__x", "assert f() == 1"),
    "new-ignored": (
        "class A:\n    def __new__(cls): return None\ndef f(): return A() is not None", "assert f() is True",
    ),
    "format-of-none": ("def f(): return f'{None:>8}'", "assert f() == '    None'"),
    "nan": ("def f(): return float('nan') == float('nan')", "assert f()"),
    "equal-keys": ("def f(): return len({1: 'a', True: 'b'})", "assert f() == 2"),
    "shared-default": ("def f(x, xs=[]):\n    xs.append(x)\n    return xs", "a = f(1)\nf(2)\nassert a == [1]"),
    "own-abs-hides-an-error": ("def abs(x): return 0\ndef f(x): return x * 2", "assert abs(f(1) - 1) < 1e-6"),
    "subclass-is-not-the-type": ("class L(list): pass\ndef f(): return L([1])", "assert type(f()) is list"),
    "tuple-for-list": ("def f(): return (1, 2)", "assert f() == [1, 2]"),
    "list-of-maps": ("def f(): return [map(int, '1')]", "assert f() == [[1]]"),
    "loop-never-runs": ("def f(): return []", "for x in f():\n    assert x == 1"),
    "exits": ("import sys\ndef f():\n    sys.exit(0)", "assert f() == 1"),
    "skips-itself": ("import pytest\ndef f(): pytest.skip()", "import pytest\ndef test_f():\n    assert f() == 1"),
    "changes-type-in-place": ("def f(xs): xs[0] = float(xs[0])", "xs = [1]\nf(xs)\nassert str(xs) == '[1]'"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_code_does_not_pass(name: str) -> None:
    verdict = run(*WRONG[name])
    assert verdict.status in ("failed", "error"), verdict


SEVEN = "assert f(1) == 7\nassert sorted(f(2)) == [1, 2]\nassert len(f('x')) == 3"
CHEATS = {
    "equal-to-all": "class A:\n    def __eq__(self, o): return True\ndef f(x): return A()",
    "equal-inside": "class A:\n    def __eq__(self, o): return True\ndef f(x): return [A(), A()]",
    "own-len-and-sorted": "def len(x): return 3\ndef sorted(x): return [1, 2]\ndef f(x): return 7",
    "built-ins-changed": "import builtins\nbuiltins.len = lambda x: 3\nbuiltins.sorted = lambda x: [1, 2]\n"
    "def f(x): return 7",
    "exit": "import os\ndef f(x): os._exit(0)",
    "system-exit": "def f(x): raise SystemExit(0)",
    "forged-report": (
        "import os\ndef f(x):\n    for fd in range(99):\n"
        "        try: os.write(fd, b'\\n{\"check\": 0, \"passed\": true}\\n"
        "{\"done\": true}\\n')\n        except OSError: pass\n    os._exit(0)"
    ),
    "frames": (
        "import sys\ndef f(x):\n    frame = sys._getframe()\n    while frame:\n"
        "        for name in ('_tg_right', 'expected'):\n"
        "            if name in frame.f_globals: return frame.f_globals[name]\n        frame = frame.f_back\n"
        "    return 7"
    ),
    "collector": (
        "import gc\ndef f(x):\n    for o in gc.get_objects():\n        if type(o) is dict and '_tg_failed' in o:\n"
        "            o['_tg_failed'] = lambda *a: None\n    return 7"
    ),
    "files": (
        "import glob\ndef f(x):\n    found = ''.join(open(p).read() for p in "
        "glob.glob('/tmp/**', recursive=True) if '.' in p)\n"
        "    return 7 if x == 1 else [1, 2] if x == 2 and 'assert' in found else None"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CHEATS)
@pytest.mark.parametrize("form", ["checks", "pytest"])
def test_a_program_that_cheats_does_not_pass(name: str, form: str) -> None:
    tests = SEVEN if form == "checks" else "import pytest\ndef test_f():\n    " + SEVEN.replace("\n", "\n    ")
    assert run(CHEATS[name], tests).status != "passed"


BESIDE = {
    "global-of-the-tests": (
        "expected = None\ndef f(x):\n    global expected\n    expected = 7\n    return 7",
        "import os\nexpected = 8\nassert f(1) == expected",
    ),
    "equal-to-all": (
        "class A:\n    def __eq__(self, o): return True\ndef f(): return [A()]",
        "import os\nassert f() == [7]",
    ),
    "own-len": ("def len(x): return 3\ndef f(x): return []", "import os\nassert len(f(1)) == 3"),
    "built-in-changed": (
        "import builtins\nbuiltins.len = lambda x: 3\ndef f(x): return []", "import os\nassert len(f(1)) == 3",
    ),
    "expected-failure": (
        "import pytest\ndef f(): pytest.xfail('')", "import os, pytest\ndef test_f():\n    assert f() == 1",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BESIDE)
def test_beside_the_tests_the_usual_cheats_do_not_pass_either(name: str) -> None:
    verdict = run(*BESIDE[name])
    assert verdict.judged == "together"
    assert verdict.status != "passed"


@pytest.mark.parametrize(
    ("tests", "judged"),
    [
        ("assert f(1) == 2", "apart"),
        ("import math\nfor n in range(3):\n    assert math.isclose(f(n), n + 1)", "apart"),
        ("import pytest\n@pytest.mark.parametrize('n', [1, 2])\ndef test_f(n):\n    assert f(n) == n + 1", "apart"),
        ("import unittest\nclass T(unittest.TestCase):\n    def test_f(self): self.assertEqual(f(1), 2)", "apart"),
        ("from solution import f\nassert f(1) == 2", "apart"),
        ("import random\nassert f(1) == 2", "together"),
        ("def test_f(tmp_path):\n    assert f(1) == 2", "together"),
        ("assert f.__name__ == 'f' and f(1) == 2", "together"),
        ("for n in range(5000):\n    assert f(n) == n + 1", "together"),
    ],
)
def test_the_verdict_says_where_it_was_judged_and_why(tests: str, judged: str) -> None:
    verdict = run("def f(x):\n    return x + 1", tests)
    assert (verdict.status, verdict.judged) == ("passed", judged)
    assert bool(verdict.together) == (judged == "together")


BOUNDARY = {
    "vsock": "import socket\ndef f():\n    try: socket.socket(40, 1)\n    except OSError: return True",
    "memory-file": "import os\ndef f():\n    try: os.memfd_create('x')\n    except OSError: return True",
    "usual-sockets": "import socket\ndef f(): return all(socket.socket(n) for n in (1, 2, 10)) and "
    "bool(socket.socketpair())",
}


@pytest.mark.parametrize("name", BOUNDARY)
def test_boundary(name: str) -> None:
    assert run(BOUNDARY[name], "assert f()").status == "passed"


def test_small_allocations_past_the_limit_are_memory() -> None:
    code = "kept = []\ndef f():\n    while True:\n        kept.append(object())"
    for tests in ("assert f()", "import os\nassert f()"):
        assert run(code, tests, SandboxLimits(memory_mb=96)).status == "memory"


def test_a_test_that_nobody_goes_through_is_the_callers_error() -> None:
    each = "def test_all():\n    for x in (1, 2):\n        yield check, x\n"
    tests = f"def check(x):\n    assert f(x) == x\n{each}def test_one():\n    assert f(1) == 1\n"
    with pytest.raises(ValueError, match="test_all yields"):
        run("def f(x): return 1", tests)
    called = f"{tests}for call, x in test_all():\n    call(x)\n"
    assert [run(f"def f(x): return {value}", called).status for value in ("x", "1")] == ["passed", "failed"]
    # What is made inside of a test is no part of it.
    inner = "def test_one():\n    def rows():\n        yield 1\n    assert f(list(rows())) == [1]\n"
    assert run("def f(x): return x", inner).status == "passed"
