"""Where a failure was, and what tells long values apart."""

from __future__ import annotations

import sys

import pytest
from thoughtgraph import PythonTests
from thoughtgraph.tools.sandbox import run

pytestmark = [pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux"), pytest.mark.slow]

STATS = "def stats(xs):\n    if len(xs) > 2:\n        return {'n': len(xs), 'max': max(xs)}"
FIRST = "def stats(xs):\n    if xs[0] > 2:\n        return 3\n    return len(xs)"
NONE = "raised TypeError: 'NoneType' object is not subscriptable"
EMPTY = "raised IndexError: list index out of range (line 2: `if xs[0] > 2:`)"
THREE = "def main():\n    assert stats([1, 2, 3])['n'] == 3\n    assert stats([4, 5, 6])['max'] == 6\n    {}\n{}main()"


@pytest.mark.parametrize(
    ("tests", "code", "line", "said"),
    [
        (
            THREE.format("assert stats([1])['n'] == 1", "if __name__ == '__main__':\n    "),
            STATS,
            4,
            f"`assert stats([1])['n'] == 1 with stats([1]) = None`: {NONE}",
        ),
        (
            THREE.format("c = stats([1])\n    assert c['n'] == 1", ""),
            STATS,
            5,
            f"`assert c['n'] == 1 with c = None`: {NONE}",
        ),
        (
            "def test_a():\n    for xs in ([1, 2, 3], [1]):\n        r = stats(xs)\n        n = r['n']\n"
            "        assert n == 3",
            STATS,
            4,
            f"`n = r['n'] with r = None`: {NONE}",
        ),
        (
            "for xs in ([1], []):\n    assert stats(xs) == (\n        1\n    )",
            FIRST,
            2,
            f"`assert stats(xs) == ( 1 ) with xs = []`: {EMPTY}",
        ),
        (
            "for xs in ([1], []):\r\n    s = 'ä'; assert stats(xs) == 1; t = 3",
            FIRST,
            2,
            f"`assert stats(xs) == 1 with xs = []`: {EMPTY}",
        ),
        (
            "for xs in [[1]]:\n    with stats(xs): pass\nassert stats([1]) == 1",
            FIRST,
            2,
            "`with stats(xs): with xs = [1]`: raised TypeError",
        ),
        ("for xs in ([1], []): assert stats(xs) == 1", FIRST, 1, f"`assert stats(xs) == 1 with xs = []`: {EMPTY}"),
        (
            "import math\nwith open('/dev/null') as f:\n    assert stats([]) == 0",
            FIRST,
            3,
            f"`assert stats([]) == 0`: {EMPTY}",
        ),
        (
            "def same(xs, n):\n    assert stats(xs) == n\nsame([], 0)",
            FIRST,
            2,
            f"`assert stats(xs) == n with n = 0, xs = []`: {EMPTY}",
        ),
        (
            "def norm(xs):\n    return stats(list(xs))\nfor xs in ((1,), ()):\n    assert norm(xs) == 1",
            FIRST,
            4,
            f"`assert norm(xs) == 1 with xs = ()`: {EMPTY}",
        ),
        (
            "def test_a():\n    assert all(stats(xs) > 0 for xs in ([1, 2], []))",
            FIRST,
            2,
            f"for xs in ([1, 2], [])) with xs = []`: {EMPTY}",
        ),
        ("assert all(stats(xs) > 0 for xs in ([1], []))", FIRST, 1, f"for xs in ([1], [])) with xs = []`: {EMPTY}"),
        (
            "for xs in ([1], [1, 2]):\n    if stats(xs) != 1:\n        raise ValueError('wrong')",
            FIRST,
            3,
            "`if stats(xs) != 1: raise ValueError('wrong') with xs = [1, 2]`: raised ValueError: wrong",
        ),
        (
            "def t():\n    try:\n        stats([1])\n    except IndexError:\n        pass\n    else:\n        raise "
            "AssertionError('no error')\nt()",
            FIRST,
            7,
            "`try: stats([1]) except IndexError: pass else: raise AssertionError('no error')`: raised",
        ),
        (
            "import asyncio\nasync def main():\n    for x in (1, 0):\n        match x:\n            case 0:\n"
            "                assert stats([0] * x) == 1\nasyncio.run(main())",
            FIRST,
            6,
            f"`assert stats([0] * x) == 1 with x = 0`: {EMPTY}",
        ),
    ],
)
def test_an_exception_is_told_with_its_place_as_a_failed_comparison_is(
    tests: str, code: str, line: int, said: str
) -> None:
    verdict = PythonTests(tests)("t", code)
    assert (verdict.status, [each["line"] for each in verdict.details["failures"]]) == ("failed", [line])
    assert said in verdict.feedback


def test_what_the_tests_give_the_code_to_call_is_no_place_of_a_failure() -> None:
    tests = "def raising(g, n):\n    assert g() == n\ndef bad(n):\n    raise KeyError(n)\ndef main(n):\n"
    tests += "    assert f(bad) == n\n    raising(lambda: f(bad), 4)\nmain(3)"
    feedback = PythonTests(tests)("t", "def f(g): return g(1)").feedback
    assert "`assert f(bad) == n with n = 3`: raised KeyError: 1 (line 1: `def f(g): return g(1)`)" in feedback
    other = PythonTests(tests.replace("    assert f(bad) == n\n", ""))("t", "def f(g): return g(1)").feedback
    assert "`assert g() == n with n = 4`: raised KeyError: 1" in other


HELPER = "def ok(x):\n    assert f(x) == 2 * x\n    return True\n"
LAZY = "def each():\n    yield f(2)\n    assert False, 'too far'\n"


@pytest.mark.parametrize(
    ("tests", "said", "line"),
    [
        (f"{HELPER}assert ok(3)", "`assert f(x) == 2 * x with x = 3`: expected 6, got 4", 2),
        (f"{HELPER}assert ok(1) and f(2) == 4", "`assert f(2) == 4`: expected 4, got 3", 4),
        ("assert (\n    f(2)\n    == 4\n)", "`assert ( f(2) == 4 )`: expected 4, got 3", 1),
        (f"{LAZY}assert list(each()) == [3]", "`assert False, 'too far'`: expected the line not to be reached", 3),
    ],
)
def test_an_assert_is_told_where_it_stands(tests: str, said: str, line: int) -> None:
    verdict = run("def f(x):\n    return x + 1", tests)
    assert f"- {said}" in verdict.feedback
    assert [failure.line for failure in verdict.failures] == [line]


def test_a_check_that_says_as_much_itself_is_shown_as_it_is() -> None:
    first, second = run(FIRST, "assert stats([]) == 0\nif stats([1]) != 2:\n    raise ValueError('no')").failures
    assert (first.check, first.code_line) == ("assert stats([]) == 0", "line 2: `if xs[0] > 2:`")
    assert (second.check, second.line) == ("if stats([1]) != 2:\n    raise ValueError('no')", 2)


def test_what_follows_from_a_failure_in_a_loop_is_not_told_again() -> None:
    tests = (
        "for xs in ([1], []):\n    total = stats(xs) + 1\nassert total == 2\nfor xs in [[]]:\n    most = stats(xs)\n"
    )
    feedback = PythonTests(f"{tests}assert most == 1")("t", FIRST).feedback
    assert "NameError" not in feedback
    assert "`most = stats(xs) with xs = []`" in feedback


USER = "{{'name': 'Ann', 'roles': ['admin', 'dev'], 'address': {{'street': 'Main St 1', 'zip': '{}'}}, 'active': True}}"
LONG = "'\\n'.join(f'line {{i if i != {} else 0}}' for i in range(60))"
PYTEST = "import pytest\nfrom solution import f\ndef test_a():\n    "
UNITTEST = "import unittest\nfrom solution import f\nclass TestA(unittest.TestCase):\n    def test_a(self):\n        "
MEAN = "{'mean': 2.5, 'sd': 1.118, 'n': 4}"


@pytest.mark.parametrize(
    ("tests", "code", "said"),
    [
        (
            PYTEST
            + "with pytest.raises(ValueError, match=r'^unexpected end of input at line \\d+, column \\d+$'): f()",
            "def f(): raise ValueError('line 1: unexpected token')",
            ["Expected regex: '^unexpected end", "Actual message: 'line 1: unexpected token'"],
        ),
        (
            PYTEST + f"with pytest.raises(ValueError, match='{'x' * 500} there'): f()",
            f"def f(): raise ValueError('{'y' * 500} here')",
            ["xx there'", "yy here'", "Actual message: 'yy"],
        ),
        (
            PYTEST + f"assert f() == {USER.format('0151')}",
            f"def f(): return {USER.format('0150')}",
            ["'0150'", "'0151'"],
        ),
        (
            PYTEST + "assert f() == {'b': [2] * 30, 'a': [1] * 30, 'c': 4}",
            "def f(): return {'c': 3, 'a': [1] * 30, 'b': [2] * 30}",
            ["'c': 3}", "'c': 4}", "the same"],
        ),
        (
            PYTEST + f"assert f() == {LONG.format(40)}",
            f"def f(): return {LONG.format(99)}",
            ["line 39\\nline 40", "39\\nline 0"],
        ),
        (PYTEST + "assert f() == [*range(99), 9]", "def f(): return [*range(99)]", ["97, 98]", "97, 98, 9]"]),
        (PYTEST + "assert 'end' in f()", "def f(): return 'a' * 400 + 'the eng'", ["assert 'end' in 'aaa", "the eng'"]),
        (PYTEST + "assert f() == {*range(70)} - {4}", "def f(): return {*range(69)}", ["left set: 4", "right set: 69"]),
        (
            PYTEST + f"assert f() == pytest.approx({MEAN.replace('1.118', '1.29')})",
            f"def f(): return {MEAN}",
            ["sd | 1.118 | 1.29"],
        ),
        (
            UNITTEST + f"self.assertEqual(f(), {LONG.format(40)})",
            f"def f(): return {LONG.format(99)}",
            ["- line 40", "+ line 0"],
        ),
        (
            UNITTEST + f"with self.assertRaisesRegex(ValueError, 'one {'of them ' * 20}'): f()",
            "def f(): raise ValueError('none')",
            ['does not match "none"'],
        ),
        (
            "assert f() == 1",
            f"def f(): raise ValueError('{'a' * 900} the end')",
            ["raised ValueError: aaa", "a the end at"],
        ),
        (
            PYTEST + "assert f() == 1",
            f"def f(): raise ValueError('{'a' * 900} the end')",
            ["a the end at `assert f() == 1`"],
        ),
        (PYTEST + f"assert f(), '{'b' * 900} is wrong'", "def f(): return 0", ["AssertionError: bbb", "b is wrong at"]),
    ],
)
def test_long_messages_keep_what_tells_expected_from_got(tests: str, code: str, said: list[str]) -> None:
    feedback = PythonTests(tests)("t", code).feedback
    told = " ".join(feedback.split())
    assert [part for part in said if part not in told] == []
    assert len(feedback) < 2_000


def test_short_values_are_told_by_pytest_itself() -> None:
    feedback = PythonTests(f"{PYTEST}assert len(f()) == 3")("t", "def f(): return [1, 2]").feedback
    assert "assert 2 == 3 at `assert len(f()) == 3`\n +  where 2 = len([1, 2])" in feedback


@pytest.mark.parametrize(
    "body",
    [
        "for xs in ([1], []):\n        assert f(xs) == 1",
        "xs = []\n    f(xs)",
        "for xs in ([1], []):\n        r = f(xs)",
    ],
)
def test_pytest_names_the_line_of_the_tests_that_called_what_raised(body: str) -> None:
    feedback = PythonTests(PYTEST + body)("t", "def f(xs): return xs[0]").feedback
    line = body.splitlines()[-1].strip()
    assert f"IndexError: list index out of range at `{line}` with xs = [] (line 1: `def f(xs)" in feedback


def test_many_failures_are_told_within_the_time_limit() -> None:
    checks = "\n".join(f"def test_{n}():\n    assert f('{n}') == {n}" for n in range(500))
    verdict = run("def f(x):\n    return x + 1", checks)
    assert (verdict.status, verdict.total) == ("failed", 500)


@pytest.mark.parametrize(
    ("check", "said"),
    [
        ("list(range(10**5)) == [*range(10**5), 7]", "Right contains one more item: 7"),
        ("'foo' not in 'x' * 200 + 'foo' + 'y' * 200", "'foo' is contained here"),
    ],
)
def test_what_pytest_tells_of_long_values_is_kept(check: str, said: str) -> None:
    tests = f"import pytest\nfrom solution import f\n\ndef test_f():\n    assert f(1) == 1\n    assert {check}\n"
    assert said in run("def f(x):\n    return x", tests).feedback


PRIMES = """
def is_prime(n, known):
    return all(n % p for p in known)
def primes(n):
    found = []
    for i in range(2, n):
        if is_prime(i, found):
            found.append(i)
    return found
"""
OWN = "def is_prime(n):\n    return n > 1 and all(n % d for d in range(2, n))\n"
THEIRS = "behind your code, and your functions then use theirs."


def test_feedback_says_which_names_of_the_code_the_tests_define_again() -> None:
    verdict = PythonTests(f"{OWN}assert primes(9) == [n for n in range(9) if is_prime(n)]")("t", PRIMES)
    assert verdict.status == "failed"
    assert verdict.feedback.endswith(f"The tests define `is_prime` themselves, {THEIRS}")
    scaled = "data = {'by': 2}\nresult = 0\ndef scale(x):\n    result = [v * data['by'] for v in x]\n    return result"
    verdict = PythonTests("data = [1]\nresult = scale(data)\nassert result == [2]")("t", scaled)
    assert verdict.feedback.endswith(f"The tests define `data` themselves, {THEIRS}")


@pytest.mark.parametrize(
    ("tests", "code"),
    [
        # The tests' own file, another name, one that no function reads, and a class.
        (f"from solution import primes\n{OWN}assert primes(9) == [n for n in range(9) if is_prime(n)][1:]", PRIMES),
        (f"{OWN.replace('is_prime', 'prime')}assert primes(9) == [n for n in range(8) if prime(n)][1:]", PRIMES),
        ("n = 3\nassert f(n) == 4", "n = 2\ndef f(n):\n    return n\nprint(f(n))"),
        ("class N:\n    v = 1\nassert f(N()) == 2", "class N:\n    v = 1\ndef f(n):\n    return N().v + n.v - 1"),
    ],
)
def test_names_that_stay_the_codes_are_not_told(tests: str, code: str) -> None:
    verdict = PythonTests(tests)("t", code)
    assert verdict.status == "failed"
    assert "themselves" not in verdict.feedback


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("[1, 2, 3, 5, 5, 6, 7, 8, 9, 10, 11, 12]", "At index 3 diff: 4 != 5"),
        ("[*range(1, 900), 7, *range(901, 1000)]", "At index 899 diff: 900 != 7"),
        ("[1, 2, ['x' * 300], 4, 5, 6, 7, 8, 9, 10, 11, 12]", "At index 2 diff: 3 != ['xxx"),
    ],
)
@pytest.mark.parametrize("kind", ["list", "tuple"])
def test_pytest_names_the_place_at_which_long_lists_differ(wanted: str, said: str, kind: str) -> None:
    tests = f"import pytest\nfrom solution import f\n\ndef test_f():\n    wanted = {kind}({wanted})\n    "
    code = f"def f(n):\n    return {kind}(range(1, n + 1))"
    assert said in run(code, f"{tests}assert f(len(wanted)) == wanted").feedback
    assert "At index" not in run(code, f"{tests}assert f(50) == {kind}(range(1, 20))").feedback
    assert (
        "At index" not in run(code, f"{tests}got = {kind}(wanted)\n    assert got != f(3) and got != wanted").feedback
    )


@pytest.mark.parametrize(
    ("tests", "said"),
    [
        (
            "try:\n    with open(f(3)) as file:\n        file.read()\n    assert False\nexcept KeyError:\n    pass",
            "`with open(f(3)) as file: file.read(); assert False`: expected KeyError before it, got none",
        ),
        (
            "try:\n    f(\n        3,\n    )\nexcept KeyError:\n    pass\nelse:\n    raise ValueError('no')",
            "`try: f( 3, ); except KeyError: pass; else: raise ValueError('no')`: raised ValueError: no",
        ),
    ],
)
def test_a_statement_of_several_lines_is_told_as_one(tests: str, said: str) -> None:
    assert said in run("import os\ndef f(x):\n    return os.devnull", tests).feedback


@pytest.mark.parametrize(
    ("check", "said"),
    [
        ("isinstance(error, KeyError)", "`assert isinstance(error, KeyError) with error = ValueError('no'"),
        ("type(error) is KeyError", "`assert type(error) is KeyError with error = ValueError('no'"),
    ],
)
def test_an_exception_that_the_tests_look_at_is_shown(check: str, said: str) -> None:
    tests = f"try:\n    f(1)\n    assert False\nexcept Exception as error:\n    assert {check}"
    inside = tests.replace("\n", "\n    ")
    for each in (tests, f"def test_f():\n    {inside}"):
        assert said in run("def f(x):\n    raise ValueError('no', x)", each).feedback


@pytest.mark.parametrize("given", ["x", "'x", "a much longer one"])
def test_a_message_is_told_from_the_one_that_pytest_waits_for(given: str) -> None:
    tests = "import pytest\nfrom solution import f\n\ndef test_f():\n"
    tests += "    with pytest.raises(ValueError, match=\"^no: 'x'$\"):\n        f()\n"
    feedback = run(f'def f():\n    raise ValueError("no: {given}")', tests).feedback
    assert "the message (-) is not the one waited for (+) at `with pytest.raises" in feedback
    assert f"\n- no: {given}\n+ no: 'x'" in "\n".join(line for line in feedback.splitlines() if line[:1] != "?")
    own = tests.replace("    with", "    assert f, '\\n- a\\n+ b'\n    with")
    assert "waited for" not in run("f = None", own).feedback


HOLDS = (
    "class P:\n    def __init__(self, a, b=()):\n        self.a, self.b = a, list(b)\n    def __eq__(self, other):\n"
)
HOLDS += "        return (self.a, self.b) == (other.a, other.b)\ndef make(a):\n    return P(a, 'xy')\n"


@pytest.mark.parametrize(
    ("tests", "code", "said"),
    [
        (
            "assert make(1) == P(2, 'xy')",
            HOLDS,
            "<solution.P object with a = 2, b = ['x', 'y']>, got <solution.P object with a = 1, b = ['x', 'y']>",
        ),
        ("p = make(1)\np.a = 3\nassert p == P(2)", HOLDS, "got <solution.P object with a = 3, b = ['x', 'y']>"),
        ("assert make(1) is None", HOLDS, "expected is None, got <solution.P object with a = 1, b = ['x', 'y']>"),
        ("assert make(1) is 1", f"{HOLDS}P.__repr__ = lambda self: 'P!'", "expected is 1, got P!"),
        (
            "assert f() == 1",
            "class P:\n    __slots__ = ('a',)\ndef f():\n    return P()",
            "got <solution.P object>",
        ),
        ("assert f() == 1", "class P:\n    pass\ndef f():\n    return P()", "got <solution.P object>"),
        (
            "assert f() == f()",
            "class P:\n    a = 0\ndef f():\n    p = P()\n    p.a = 1\n    return p",
            "expected a value equal to <solution.P object with a = 1>, got one that only looks the same",
        ),
    ],
)
def test_an_object_without_a_text_of_its_own_is_told_by_what_it_holds(tests: str, code: str, said: str) -> None:
    assert said in run(code, tests).feedback


CHANGED = """\
import asyncio, pytest
from solution import Session
def test_a():
    log = []
    with Session(log) as session:
        session.run("x")
        {check}
"""
SESSION = """\
class Session:
    def __init__(self, log): self.log = log
    def __enter__(self): return self
    def run(self, x): self.log.append(x)
    def __exit__(self, *a): self.log.append("end")
"""


FINALLY = CHANGED.replace("with Session(log) as session:", "session = Session(log)\n    try:")
LATE = """\
    async def late():
        try:
            await asyncio.sleep(9)
        finally:
            log.append('end')
    task = asyncio.create_task(late())
    await asyncio.sleep(0)
    session = Session(log)
    if session:"""


@pytest.mark.parametrize(
    "tests",
    [
        CHANGED,
        f"{FINALLY}    finally:\n        log.append('end')\n",
        CHANGED.replace("def test", "async def test").replace("    with Session(log) as session:", LATE),
    ],
    ids=["a context", "finally", "a task"],
)
def test_no_value_is_told_that_came_behind_the_failure(tests: str) -> None:
    for check in ("assert log == ['open', 'x']", "assert len(log) > 1"):
        feedback = PythonTests(tests.replace("{check}", check))("t", SESSION).feedback
        assert check in feedback and "end" not in feedback, feedback


def test_a_value_that_nothing_can_have_changed_is_told() -> None:
    tests = "import unittest\nfrom solution import f\nclass T(unittest.TestCase):\n    def test_a(self):\n"
    tests += "        for xs in ([1], [2]):\n            with self.subTest(xs=xs):\n"
    tests += "                self.assertTrue(f(xs))"
    assert "with xs = [2]" in PythonTests(tests)("t", "def f(xs):\n    return xs == [1]").feedback


HELPERS = """\
from contextlib import contextmanager
@contextmanager
def raising(kind):
    try:
        yield
    except kind:
        return
    raise AssertionError(f"{kind.__name__} not raised")
def raises(kind, call, *given):
    try:
        call(*given)
    except kind:
        pass
    else:
        raise AssertionError(f"{kind.__name__} not raised")
"""


@pytest.mark.parametrize(
    ("check", "said"),
    [
        ("with raising(ValueError):\n    f(1)", "`with raising(ValueError): f(1)`: raised AssertionError: ValueError"),
        ("raises(ValueError, f, 1)", "`raises(ValueError, f, 1)`: raised AssertionError: ValueError not raised"),
        ("for x in (-1, 3):\n    raises(ValueError, f, x)", "`raises(ValueError, f, x) with x = 3`: raised"),
        ("def test_a():\n    with raising(ValueError):\n        f(2)", "`with raising(ValueError): f(2)`: raised"),
    ],
)
def test_what_a_helper_says_is_told_of_what_it_was_given(check: str, said: str) -> None:
    verify = PythonTests(HELPERS + check)
    assert said in verify("t", "def f(x):\n    if x < 0: raise ValueError").feedback
    assert verify("t", "def f(x):\n    raise ValueError").status == "passed"


def test_of_a_long_statement_the_place_is_told() -> None:
    rows = ", ".join(f"({number}, 'row number {number}')" for number in range(30))
    tests = f"import tempfile\nwith tempfile.TemporaryDirectory():\n    rows = [{rows}]\n    got = f(rows[:1])"
    feedback = PythonTests(f"{tests}\n    assert got == 1")("t", "def f(x):\n    return x['n']").feedback
    assert "`with tempfile.TemporaryDirectory(): got = f(rows[:1])`: raised TypeError" in feedback
