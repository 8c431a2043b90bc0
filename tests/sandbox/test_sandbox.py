"""Running code under tests: the verdict, what the model reads of it, and where it was judged."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import venv
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from support.paths import ROOT
from thoughtgraph.tools.sandbox import SandboxLimits, SandboxVerdict, arun, run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux")

Run = Callable[..., SandboxVerdict]
LIMITS = SandboxLimits(seconds=1, memory_mb=192, output_kb=16, processes=8)
ROOMY = SandboxLimits(seconds=5, memory_mb=256)
ADDS = "assert f(1) == 2"
INTERNALS = re.compile(r"/tmp|/root|/home|/usr|bwrap|bubblewrap|_tg_|harness|sandbox|rlimit", re.IGNORECASE)


@pytest.fixture(params=["sync", "async"])
def execute(request: pytest.FixtureRequest) -> Run:
    """`run` or its async twin."""
    return run if request.param == "sync" else lambda *args, **kwargs: asyncio.run(arun(*args, **kwargs))


@pytest.fixture
def no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without a sandbox, on which starting anything is an error."""

    def unprotected(*_: Any) -> SandboxVerdict:
        raise AssertionError("started a program without a sandbox")

    monkeypatch.setattr("thoughtgraph.tools.sandbox.running.why_unavailable", lambda: "It needs Linux.")
    monkeypatch.setattr("thoughtgraph.tools.sandbox.running.run_job", unprotected)


STATUSES = {
    "passed": "def f(x):\n    return x + 1",
    "failed": "def f(x):\n    return x",
    "error": "def f(x):\n    import os\n    os._exit(0)",
    "timeout": "def f(x):\n    while True:\n        pass",
    "memory": "def f(x):\n    return bytearray(10 << 30)",
    "output_limit": "def f(x):\n    while True:\n        print('x' * 99)",
}


@pytest.mark.parametrize("status", STATUSES)
def test_status(execute: Run, status: str) -> None:
    verdict = execute(STATUSES[status], ADDS, LIMITS)
    assert (verdict.status, verdict.passed, verdict.total) == (status, int(status == "passed"), 1)
    assert (verdict.score == 1) == (status == "passed")
    assert not INTERNALS.search(verdict.feedback)
    assert len(verdict.output) <= LIMITS.output_kb * 1024


FEEDBACK = {
    "passed": ("def f(x): return x + 1", ADDS, "The one check passed."),
    "equality": (
        "def f(x): return x",
        f"{ADDS}\nassert f(2) == 2",
        "1 of 2 checks failed:\n- `assert f(1) == 2`: expected 2, got 1",
    ),
    "exception": (
        "def f(x):\n    # halves\n    return x / 0",
        ADDS,
        "1 of 1 checks failed:\n- `assert f(1) == 2`: raised ZeroDivisionError: division by zero"
        " at line 3: `return x / 0`",
    ),
    "exception-behind-a-demo": (
        "print(1)\n\ndef g(x):\n    return x.a\n\nprint(2)\ndef f(x):\n    return g(x)",
        ADDS,
        "1 of 1 checks failed:\n- `assert f(1) == 2`: raised AttributeError: 'int' object has no attribute 'a'"
        " at line 4: `return x.a`",
    ),
    "timeout": (
        STATUSES["timeout"],
        ADDS,
        "The code did not finish in time; look for a loop that never ends, or a slower method than needed.\n"
        "- `assert f(1) == 2`: did not finish",
    ),
    "missing-name": (
        "def g(x): return x",
        ADDS,
        "1 of 1 checks failed:\n- `assert f(1) == 2`: raised NameError: name 'f' is not defined",
    ),
    "many": (
        "def f(x): return 0",
        "\n".join(f"assert f({n}) == {n}" for n in range(1, 6)),
        "5 of 5 checks failed:\n- `assert f(1) == 1`: expected 1, got 0\n- `assert f(2) == 2`: expected 2, got 0\n"
        "- `assert f(3) == 3`: expected 3, got 0\n- and 2 more",
    ),
    "syntax": ("x = 1\ndef f(x) return x", ADDS, "The code does not parse: expected ':' at line 2."),
    "import": (
        "import nothing_here\ndef f(x): return x + 1",
        ADDS,
        "The code cannot be loaded: raised ModuleNotFoundError: No module named 'nothing_here'"
        " at line 1: `import nothing_here`",
    ),
    "ended": (
        "import os\ndef f(x): return x + 1 if x == 1 else os._exit(0)",
        "assert f(1) == 2\nassert f(2) == 3\nassert f(3) == 4",
        "The code ended its own process before the checks were done.\n- `assert f(2) == 3`: did not finish",
    ),
    "ended-at-load": (
        "import os\nos._exit(0)\ndef f(x): return x + 1",
        ADDS,
        "The code ended its own process before the checks were done.",
    ),
    "crashed": (
        "import os, signal\ndef f(x): return os.kill(os.getpid(), signal.SIGSEGV)",
        "assert f(2) == 3",
        "The process of the code crashed (SIGSEGV) before the checks were done.\n- `assert f(2) == 3`: did not finish",
    ),
    "signal": (
        "import os, signal\ndef f(x): return os.kill(os.getpid(), signal.SIGUSR1)",
        "assert f(2) == 3",
        "The process of the code was ended by the signal SIGUSR1 before the checks were done: nothing handles it.\n"
        "- `assert f(2) == 3`: did not finish",
    ),
    "much-output": (
        "def f(x):\n    while x == 2: print('x' * 9999)\n    return x + 1",
        "assert f(1) == 2\nassert f(2) == 3",
        "The code printed more than allowed.\n- `assert f(2) == 3`: did not finish",
    ),
}


@pytest.mark.parametrize("name", FEEDBACK)
def test_feedback_is_exact(name: str) -> None:
    code, tests, feedback = FEEDBACK[name]
    assert run(code, tests, LIMITS).feedback == feedback


@pytest.mark.parametrize(
    "code",
    ["def f(x): return \0", "x = " + "-" * 100_000 + "1", "x = " + "(" * 999, "x = 1\n  y = 2", "x = '\ud800'"],
    ids=["nul", "deep", "open", "indented", "surrogate"],
)
def test_code_that_does_not_parse_is_a_verdict(execute: Run, code: str) -> None:
    verdict = execute(code, ADDS, LIMITS)
    assert (verdict.status, verdict.total, verdict.score) == ("error", 1, 0)
    assert re.fullmatch(r"The code does not parse: \S.+[^.]\.", verdict.feedback)
    assert "None" not in verdict.feedback


@pytest.mark.parametrize(
    "tests", ["assert f(", "", "x = 1", "def helper():\n    assert f(1)", "a\0b", "# only a remark"]
)
def test_tests_that_do_not_parse_or_check_nothing_are_the_callers_error(execute: Run, tests: str) -> None:
    with pytest.raises(ValueError):
        execute("def f(x): return x", tests, LIMITS)


@pytest.mark.parametrize(("code", "tests"), [(None, ADDS), ("def f(x): return x", b"assert f(1)")], ids=repr)
def test_what_is_no_text_is_no_python(execute: Run, code: Any, tests: Any) -> None:
    with pytest.raises(ValueError, match="has to be Python source, as a text, got"):
        execute(code, tests, LIMITS)


def test_check_without_an_entry_point_checks_nothing() -> None:
    with pytest.raises(ValueError, match="no check"):
        run("def f(x): return x", "def check(candidate):\n    assert candidate(1) == 1")


OWN = {
    "print": "def f(x): return x + 1\nprint(f('x'))",
    "assert": "def f(x): return x + 1\nassert f(1) == 99",
    "main-block": "def f(x): return x + 1\nif __name__ == '__main__':\n    raise SystemExit",
    "input": "input('number? ')\ndef f(x): return x + 1",
    "input-kept": "number = int(input())\ndef f(x): return x + 1\nprint(f(number))",
    "input-named-as-the-parameter": "x = int(input())\ndef f(x): return x + 1\nprint(f(x))",
    "result-named-as-a-local": "def f(x):\n    result = x + 1\n    return result\nresult = f('x')",
    "endless-demo": "def f(x): return x + 1\nwhile True:\n    f(1)",
    "exit": "import sys\ndef f(x): return x + 1\nsys.exit(f(1))",
    "file": "def f(x): return x + 1\nwith open('numbers.txt') as file:\n    print(file.read())",
    "shared-line": "def f(x): return x + 1\nprint(f(1)); assert f(1) == 3",
}


@pytest.mark.parametrize("name", OWN)
def test_demo_of_the_candidate_is_left_out(name: str) -> None:
    verdict = run(OWN[name], ADDS, LIMITS)
    assert (verdict.status, verdict.output) == ("passed", "")


KEPT = {
    "constant": "K = 1\ndef f(x): return x + K",
    "constant-behind": "def f(x): return x + K\nK = 1",
    "constant-of-constants": "A = [1]\nB = A[0]\ndef f(x): return x + B",
    "annotated": "K: int = 1\ndef f(x): return x + K",
    "augmented": "K = 0\nK += 1\ndef f(x): return x + K",
    "unpacked": "J, K = 0, 1\ndef f(x): return x + K",
    "item": "K = {}\nK['a'] = 1\ndef f(x): return x + K['a']",
    "lambda": "f = lambda x: x + 1",
    "alias": "def add(x): return x + 1\nf = add",
    "guarded-import": "try:\n    import nothing_here\nexcept ImportError:\n    pass\ndef f(x): return x + 1",
    "default": "K = 1\ndef f(x, k=K): return x + k",
    "decorator": "import functools\n@functools.lru_cache\ndef f(x): return x + 1",
    "table-built-by-a-loop": "K = []\nfor n in range(3):\n    K.append(n)\ndef f(x): return K[x] + 1",
    "recursion-limit": "import sys\nsys.setrecursionlimit(9000)\ndef f(x, n=1500): return f(x, n - 1) if n else x + 1",
    "typing": "from typing import *\ndef f(x: Optional[int]) -> int: return x + 1",
    "standard-library": "import heapq\ndef f(x):\n    h = [9, x + 1]\n    heapq.heapify(h)\n    return h[0]",
    "generator": "def g(x):\n    yield x + 1\ndef f(x): return next(g(x))",
    "class": "class A:\n    k = 1\n    @property\n    def one(self): return self.k\ndef f(x): return x + A().one",
}


@pytest.mark.parametrize("name", KEPT)
def test_what_the_candidate_needs_is_kept(name: str) -> None:
    assert run(KEPT[name], ADDS, LIMITS).status == "passed"


CHECKS = {
    "literal-on-the-left": ("assert 2 == f(1)", "2", "1"),
    "in": ("assert f(1) in [3, 4]", "in [3, 4]", "1"),
    "not-in": ("assert f(1) not in [1]", "not in [1]", "1"),
    "is-none": ("assert f(1) is None", "is None", "1"),
    "not": ("assert not f(1)", "something false", "1"),
    "truth": ("assert f(0)", "something true", "0"),
    "less": ("assert f(1) < 1", "< 1", "1"),
    "unequal": ("assert f('a') != 'a'", "!= 'a'", "'a'"),
    "message": ("assert f(1) == 2, 'adds one'", "2", "1"),
    "loop": ("for n in (1, 2):\n    assert f(n) == 1", "1", "2"),
    "helper": ("def same(n):\n    assert f(n) == n + 1\nsame(3)", "4", "3"),
    "both-calls": ("assert f(1) == abs(-2)", "2", "1"),
}


@pytest.mark.parametrize("name", CHECKS)
def test_failure_says_what_was_expected_and_got(name: str) -> None:
    tests, expected, got = CHECKS[name]
    verdict = run("def f(x): return x", tests, LIMITS)
    assert [(failure.expected, failure.got) for failure in verdict.failures] == [(expected, got)]
    assert (verdict.status, verdict.passed, verdict.total) == ("failed", 0, 1)


def test_lines_are_those_of_the_tests_and_of_the_code() -> None:
    code = "print('demo')\n\n\ndef f(x):\n    return [1][x]"
    tests = "# remark\n\nassert f(0) == 1\nassert f(0) == 5\n\nassert f(7) == 1"
    first, second = run(code, tests, LIMITS).failures
    assert (first.line, first.check, first.code_line) == (4, "assert f(0) == 5", "")
    assert (second.line, second.code_line) == (6, "line 5: `return [1][x]`")


HUMAN_EVAL = """\
METADATA = {}

def check(candidate):
    assert candidate(1) == 2
    for n in (2, 3):
        assert candidate(n) == n + 1
    assert candidate(0) == 0
"""


@pytest.mark.parametrize(
    ("tests", "entry"), [(HUMAN_EVAL, "f"), (HUMAN_EVAL + "\ncheck(f)", None)], ids=["entry", "call"]
)
def test_human_eval_check_counts_assert_by_assert(execute: Run, tests: str, entry: str | None) -> None:
    verdict = execute("def f(x): return x + 1", tests, LIMITS, entry_point=entry)
    assert (verdict.passed, verdict.total) == (2, 3)
    assert [(failure.line, failure.expected, failure.got) for failure in verdict.failures] == [(7, "0", "1")]
    assert verdict.score == pytest.approx(2 / 3)


def test_score_is_one_for_a_pass_alone() -> None:
    assert [SandboxVerdict("timeout", 3, 3).score < 1, SandboxVerdict("failed", 0, 0).score] == [True, 0]
    assert run("def f(x):\n    while x: pass\n    return 2", "assert f(0) == 2\nassert f(1) == 2", LIMITS).score == 0.5


# What CPython refuses, and an interpreter that knows only a part of Python might not.
WRONG = {
    "map": ("def f(): return map(int, '12')", "assert f() == [1, 2]"),
    "filter": ("def f(): return filter(None, [1])", "assert f() == [1]"),
    "zip": ("def f(): return zip([1], [2])", "assert f() == [(1, 2)]"),
    "reversed": ("def f(): return reversed([1, 2])", "assert f() == [2, 1]"),
    "enumerate": ("def f(): return enumerate('a')", "assert f() == [(0, 'a')]"),
    "generator": ("def f(): return (n for n in [1])", "assert f() == [1]"),
    "length-of-map": ("def f(): return len(map(int, '12'))", "assert f() == 2"),
    "exhausted": ("def f():\n    a = map(int, '12')\n    return sum(a) + sum(a)", "assert f() == 6"),
    "own-truth": ("class A:\n    def __bool__(self): return False\ndef f(): return A()", "assert f()"),
    "own-length": ("class A:\n    def __len__(self): return 0\ndef f(): return A()", "assert f()"),
    "dict-keys": ("def f(): return {1: 2}.keys()", "assert f() == [1]"),
    "tuple": ("def f(): return (1, 2)", "assert f() == [1, 2]"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_python_fails_does_not_pass(name: str) -> None:
    assert run(*WRONG[name], LIMITS).status == "failed"


def test_exception_that_cannot_be_shown_is_a_failed_check() -> None:
    code = "class Bad(Exception):\n    def __str__(self): return self.missing\ndef f(x): raise Bad"
    assert run(code, f"{ADDS}\nassert True", LIMITS).passed == 1


@pytest.mark.parametrize("field", ["seconds", "memory_mb", "output_kb", "processes"])
@pytest.mark.parametrize("value", [0, -1])
def test_limits_must_be_above_zero(field: str, value: int) -> None:
    with pytest.raises(ValueError, match=rf"SandboxLimits\.{field} must be more than 0, got {value}"):
        SandboxLimits(**{field: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_limit_of_time_must_be_a_number_that_ends(value: float) -> None:
    with pytest.raises(ValueError, match="seconds"):
        SandboxLimits(seconds=value)


@pytest.mark.parametrize("tests", [ADDS, "import pytest\ndef test_f(): assert f(1) == 2"], ids=["checks", "pytest"])
@pytest.mark.usefixtures("no_sandbox")
def test_without_a_sandbox_nothing_is_run(execute: Run, tests: str) -> None:
    verdict = execute(STATUSES["passed"], tests, LIMITS)
    assert (verdict.status, verdict.judged, verdict.score) == ("unsupported", "", 0)
    assert verdict.feedback == "The code could not be run: It needs Linux."


OUT_OF_REACH = """
import sys
from thoughtgraph import PythonTests
verify = PythonTests(sys.argv[1])
verdict = verify("", "```python\\ndef f(x):\\n    return x + 1\\n```")
print(verdict.status, verdict.kind, verdict.feedback)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "tests",
    [
        "import pytest\ndef test_f(): assert f(1) == 2",
        "import unittest\nclass Test(unittest.TestCase):\n    def test_f(self): self.assertEqual(f(1), 2)",
        "import pytest\nwith pytest.raises(TypeError):\n    f()",
    ],
    ids=["pytest", "unittest", "checks"],
)
def test_a_pytest_that_the_sandbox_cannot_import_is_not_blamed_on_the_code(tests: str, tmp_path: Path) -> None:
    # Packages from other folders can be imported here, but not in the sandbox, which sees the environment's own.
    venv.create(tmp_path / "venv", symlinks=True)
    # An editable install is found by a hook, not by a path.
    (tmp_path / "thoughtgraph").symlink_to(ROOT)
    done = subprocess.run(
        [tmp_path / "venv" / "bin" / "python", "-c", OUT_OF_REACH, tests],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(tmp_path), *sys.path]))},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("unverified unsupported The code could not be run: these tests need pytest")
    assert "pip install 'thoughtgraph[pytest]' (ModuleNotFoundError: No module named 'pytest')" in done.stdout


def test_threads_do_not_mix_their_verdicts() -> None:
    def verdict(number: int) -> tuple[str, str]:
        module = "heapq" if number % 2 else "math"
        result = run(f"import {module}\ndef f(): return {number % 4 and number}", f"assert f() == {number}", ROOMY)
        return result.status, result.failures[0].expected if result.failures else ""

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(verdict, range(1, 13))) == [
            ("passed", "") if n % 4 else ("failed", str(n)) for n in range(1, 13)
        ]


@pytest.mark.parametrize(
    ("program", "tests"),
    [
        ("PI = 3", "assert PI == 3"),
        ("table = []\ndef build():\n    global table\n    table = [1]\nbuild()", "assert table == [1]"),
        ("memo = {}\ndef fill(m):\n    m[1] = 2\nfill(memo)\ndef f():\n    return memo[1]", "assert f() == 2"),
    ],
    ids=["constant", "builder", "filler"],
)  # fmt: skip
def test_what_the_tests_read_is_kept(program: str, tests: str) -> None:
    assert run(program, tests).status == "passed"


@pytest.mark.parametrize(
    "tests",
    [
        "if __name__ == '__main__':\n    assert f(2) == 5",
        "for x in f(1):\n    assert x == 1",
        "def check_it():\n    assert f(2) == 5\ncheck_it()",
    ],
    ids=["guarded", "loop-without-rounds", "own-function"],
)
def test_checks_that_did_not_hold_or_never_ran_are_no_pass(tests: str) -> None:
    assert run("def f(x):\n    return []", tests).status == "failed"


def test_a_bare_call_that_asserts_nothing_is_no_check() -> None:
    with pytest.raises(ValueError, match="no check"):
        run("def f(x):\n    return 0", "print(f(2))")
