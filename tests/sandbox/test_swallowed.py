"""What the tests find wrong counts, whoever swallows it."""

from __future__ import annotations

import pytest
from thoughtgraph.tools.sandbox import run, run_project

pytestmark = pytest.mark.slow

BOX = (
    "class Box:\n    def __enter__(self):\n        return self\n    def __exit__(self, *a):\n        return {}\n"
    "    def get(self):\n        return {}\n"
)
RIGHT, WRONG = BOX.format("False", 1), BOX.format("True", 2)
ASYNC_BOX = (
    BOX.replace("__enter__", "__aenter__").replace("__exit__", "__aexit__").replace("    def __a", "    async def __a")
)
ASYNC_METHODS = ASYNC_BOX.partition("\n")[2]
GENERATOR = (
    "from contextlib import contextmanager\n@contextmanager\ndef opened():\n    try:\n        yield {}\n"
    "    except {}:\n        pass"
)
THREAD = (
    "import threading\nfrom solution import f\n{}def test_a():\n    def work():\n        assert f() == 1\n"
    "    one = threading.Thread(target=work)\n    one.start()\n    one.join()"
)
NEVER = "def test_a():\n    try:\n        f(-1)\n        {}\n    except {}:\n        pass"
PYTEST = "import pytest\nfrom solution import *\n"
CASE = "import unittest\nfrom solution import f\nclass T(unittest.TestCase):\n    "
ONE, TWO = "def f():\n    return 1", "def f():\n    return 2"
TASK = "import asyncio\nasync def one():\n    assert f() == 1\n"
POOL = "from concurrent.futures import ThreadPoolExecutor as Pool\n"
RAISES = "def f(x):\n    raise ValueError('no')"
GIVES = "def f(x):\n    return x"

SWALLOWED: dict[str, tuple[str, str, str]] = {
    # The right code, the wrong one, the tests.
    "a class": (
        RIGHT, WRONG, "with Box() as b:\n    assert b.get() == 1\nassert Box",
    ),
    "a class, with a name for what it gave": (
        RIGHT, WRONG, "with Box() as b:\n    x = b.get()\n    assert x == 1\nassert Box",
    ),
    "a class, in a test": (
        RIGHT, WRONG, "def test_a():\n    with Box() as b:\n        assert b.get() == 1",
    ),
    "a class, under pytest": (
        RIGHT, WRONG,
        f"{PYTEST}def test_a():\n    with Box() as b:\n        assert b.get() == 1",
    ),
    "a class, in a test case": (
        RIGHT, WRONG,
        "import unittest\nfrom solution import Box\nclass T(unittest.TestCase):\n    def test_a(self):\n"
        "        with Box() as b:\n            self.assertEqual(b.get(), 1)",
    ),
    "an async class": (
        ASYNC_BOX.format("False", 1), ASYNC_BOX.format("True", 2),
        "import asyncio\nasync def main():\n    async with Box() as b:\n        assert b.get() == 1\n"
        "asyncio.run(main())\nassert Box",
    ),
    "a class, with a name that has a type": (
        RIGHT, WRONG, "with Box() as b:\n    x: int = b.get()\n    assert x == 1\nassert Box",
    ),
    "a class, whose value a condition asks for": (
        RIGHT, WRONG, "with Box() as b:\n    if b.get() != 1:\n        raise AssertionError('no')\nassert Box",
    ),
    "an async class that works without async, too": (
        RIGHT + ASYNC_METHODS.format("False", 1), WRONG + ASYNC_METHODS.format("True", 2),
        "import asyncio\nasync def main():\n    async with Box() as b:\n        assert b.get() == 1\n"
        "asyncio.run(main())\nassert Box",
    ),
    "a class, in a loop": (
        RIGHT, WRONG,
        f"{PYTEST}def test_a():\n    for kind in [Box]:\n        with kind() as b:\n            assert b.get() == 1",
    ),
    "a generator": (
        GENERATOR.format(1, "KeyError"), GENERATOR.format(2, "Exception"),
        "def test_a():\n    with opened() as x:\n        assert x == 1",
    ),
    "a class, with a failure that the tests tell themselves": (
        RIGHT, WRONG,
        f"{PYTEST}def test_a():\n    with Box() as b:\n        if b.get() != 1:\n            pytest.fail('no')",
    ),
    "a class, with the same by its name": (
        RIGHT, WRONG, f"{PYTEST}from pytest import fail\ndef test_a():\n    with Box() as b:\n        x = b.get()\n"
        "        if x != 1:\n            fail('no')",
    ),
    "a class, with an exception that is missing": (
        RIGHT, WRONG, f"{PYTEST}def test_a():\n    with Box() as b:\n        with pytest.raises(ZeroDivisionError):\n"
        "            1 / (b.get() - 1)",
    ),
    "a class, with a helper": (
        RIGHT, WRONG,
        "def one(b):\n    assert b.get() == 1\ndef test_a():\n    with Box() as b:\n        one(b)",
    ),
    "a class, with a helper under pytest": (
        RIGHT, WRONG,
        f"{PYTEST}def one(x):\n    if x != 1:\n        pytest.fail('no')\ndef test_a():\n"
        "    with Box() as b:\n        one(b.get())",
    ),
    "a thread that the tests fail in": (
        "def f():\n    return 1", "def f():\n    return 2",
        THREAD.format("import pytest\n").replace("assert f() == 1", "if f() != 1: pytest.fail('no')"),
    ),
    "a bare handler, under pytest": (
        RAISES, GIVES,
        f"{PYTEST}def test_a():\n    try:\n        f(-1)\n        pytest.fail('no error')\n    except:\n        pass",
    ),
    "a thread": ("def f():\n    return 1", "def f():\n    return 2", THREAD.format("")),
    "a thread, under pytest": ("def f():\n    return 1", "def f():\n    return 2", THREAD.format("import pytest\n")),
    "a thread that is joined later": (
        "def f():\n    return 1", "def f():\n    return 2",
        "import threading\ndef work():\n    assert f() == 1\none = threading.Thread(target=work)\none.start()\n"
        "import time; time.sleep(0.2)\none.join()\nassert f",
    ),
    "a broad handler": (RAISES, GIVES, NEVER.format("assert False", "Exception")),
    "a bare handler": (
        RAISES, GIVES,
        "def test_a():\n    try:\n        f(-1)\n        raise AssertionError('no')\n    except:\n        pass",
    ),
    "a broad handler, under pytest": (RAISES, GIVES, PYTEST + NEVER.format("assert False", "Exception")),
    "a broad handler, in a test case": (
        RAISES, GIVES,
        f"{CASE}def test_a(self):\n        try:\n            f(-1)\n            self.fail('no error')\n"
        "        except Exception:\n            pass",
    ),
    "a broad handler, below constants that differ": (RAISES, GIVES, NEVER.format("assert 1 == 2", "Exception")),
    "a broad handler in another one": (
        RAISES, "def f(x):\n    if x == -1:\n        raise ValueError('no')\n    return x",
        "def test_a():\n    try:\n        f(-1)\n        assert False\n    except Exception:\n        try:\n"
        "            f(-2)\n            assert False\n        except:\n            pass",
    ),
    "a handler that looks": (
        RAISES, GIVES,
        f"{PYTEST}def test_a():\n    try:\n        f(-1)\n        assert False, 'no error'\n"
        "    except Exception as e:\n        assert 'no' in str(e)",
    ),
    "a task": (
        ONE, TWO, f"{TASK}async def main():\n    await asyncio.wait([asyncio.create_task(one())])\nasyncio.run(main())",
    ),
    "a task, under pytest": (
        ONE, TWO, f"{PYTEST}{TASK}async def test_a():\n    asyncio.create_task(one())\n    await asyncio.sleep(0.01)",
    ),
    "a callback of the loop": (
        ONE, TWO, f"{TASK}def back():\n    assert f() == 1\nasync def main():\n"
        "    asyncio.get_running_loop().call_soon(back)\n    await asyncio.sleep(0.01)\nasyncio.run(main())",
    ),
    "a future": (ONE, TWO, f"{POOL}def one():\n    assert f() == 1\nwith Pool(2) as pool:\n    a = pool.submit(one)"),
    "a future that the tests keep": (
        ONE, TWO, f"{POOL}def one():\n    assert f() == 1\na = Pool(2).submit(one)\nwhile not a.done(): pass\nassert f",
    ),
    "a future, under pytest": (
        ONE, TWO, f"{PYTEST}{POOL}def test_a():\n    def one():\n        assert f() == 1\n"
        "    with Pool(2) as pool:\n        pool.submit(one)",
    ),
    "threads alone": (
        ONE, TWO, "import threading\ndef one():\n    assert f() == 1\nall_ = [threading.Thread(target=one)]\n"
        "for each in all_: each.start()\nfor each in all_: each.join()",
    ),
    "a coroutine that nobody awaits": (ONE, TWO, f"{TASK}one()\nassert f"),
    "a coroutine that nobody awaits, in a test": (ONE, TWO, f"{TASK}def test_a():\n    one()\n    assert f"),
    "a coroutine that nobody awaits, under pytest": (ONE, TWO, f"{PYTEST}{TASK}def test_a():\n    one()\n    assert f"),
    "an async test that is called as any other one": (ONE, TWO, "async def test_a():\n    assert f() == 1\ntest_a()"),
}  # fmt: skip


@pytest.mark.parametrize("name", SWALLOWED)
def test_what_the_tests_find_wrong_is_not_swallowed(name: str) -> None:
    right, wrong, tests = SWALLOWED[name]
    assert run(right, tests).status == "passed"
    assert run(wrong, tests).status == "failed"


IGNORE = (
    "from contextlib import contextmanager\n@contextmanager\ndef ignore(*kinds):\n    try:\n        yield\n"
    "    except kinds:\n        pass\nclass Collected:\n    def __init__(self):\n        self.errors = []\n"
    "    def __enter__(self):\n        return self\n    def __exit__(self, kind, error, trace):\n"
    "        self.errors.append(error)\n        return True\n"
)
RETRYING = (
    "class Retrying:\n    def __init__(self):\n        self.count, self.done = 0, False\n    def __iter__(self):\n"
    "        while not self.done:\n            self.count += 1\n            yield self\n    def __enter__(self):\n"
    "        pass\n    def __exit__(self, kind, *rest):\n        self.done = kind is None\n        return True\n"
)
TELLS = "def f(error):\n    return f'{type(error).__name__}: {error}'"
TOLD = "try:\n    {}\nexcept Exception as e:\n    said = f(e)\nassert said == 'AssertionError: no'"
CHECKED = "def f(x):\n    assert x > 0, 'no'\n    return x"
ON_PURPOSE = (
    f"import asyncio\n{POOL}def bad():\n    assert False\nasync def worse():\n    assert False, 'no'\n"
    "def test_a():\n    with Pool(1) as pool:\n        pool.submit(bad)\n        assert pool.submit(f).result() == 1\n"
    "def test_b():\n    async def main():\n        asyncio.create_task(worse())\n        await asyncio.sleep(0.01)\n"
    "        assert f() == 1\n    asyncio.run(main())"
)

SQUARE, DOUBLE = "def sq(x):\n    return x * x", "def sq(x):\n    return x + x"
CASES = "for x, want in [(2, 4), (3, 9)]:\n    try:\n        assert sq(x) == want\n"
SHARED_CASES = CASES.replace("\n", "\n    ").rstrip(" ")
PRINTED = {
    "in a loop": f"{CASES}        print('ok')\n    except AssertionError:\n        print('FAIL', x)",
    "at the top": "import traceback\ntry:\n    assert sq(3) == 9\nexcept Exception:\n    traceback.print_exc()",
    "by a log": f"import logging\n{CASES}    except (AssertionError, TypeError) as e:\n        logging.error('%s', e)",
    "with what else there is to say": (
        "try:\n    r = sq(3)\n    assert r == 9\nexcept AssertionError as e:\n    print(e)\nelse:\n    print('ok', r)"
    ),
    "beside a count": (
        f"passed = 0\n{CASES}        passed += 1\n    except AssertionError:\n        print('FAIL', x)\n"
        "print(passed, 'of 2')"
    ),
    "in a list": (
        f"failed = []\n{CASES}    except AssertionError as e:\n        failed.append(str(e))\nif failed:\n"
        "    print(failed)\nelse:\n    print('ok')"
    ),
    "in a list by its name": (
        f"failed = []\n{CASES}    except AssertionError:\n        failed.append(x)\nfor x in failed:\n    print(x)"
    ),
    "with its traceback": (
        "import traceback\ndef check_a():\n    assert sq(3) == 9\nfailed = {}\nfor one in (check_a,):\n    try:\n"
        "        one()\n    except Exception:\n        failed.setdefault(traceback.format_exc())\n"
        "print('FAILED' if failed else 'ok')"
    ),
    "in a table": (
        f"told = {{}}\n{CASES}        told[x] = 'ok'\n    except AssertionError:\n        told[x] = 'FAIL'\n"
        "for x in told:\n    print(x, told[x])"
    ),
    "of checks that are called": (
        "def check_a():\n    assert sq(3) == 9\nfor one in (check_a,):\n    try:\n        one()\n"
        "    except AssertionError as e:\n        print(one.__name__, e)"
    ),
    "in a test": f"def test_a():\n    {SHARED_CASES}        except AssertionError as e:\n            print(e)",
    "under pytest": (
        f"import pytest\ndef test_a():\n    {SHARED_CASES}        except AssertionError as e:\n            print(e)"
    ),
    "in a test case": (
        "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        try:\n"
        "            self.assertEqual(sq(3), 9)\n        except AssertionError as e:\n            print(e)"
    ),
}


@pytest.mark.parametrize("name", PRINTED)
def test_what_the_tests_only_print_counts(name: str) -> None:
    assert run(SQUARE, PRINTED[name]).status == "passed"
    verdict = run(DOUBLE, PRINTED[name])
    assert verdict.status == "failed"
    assert "sq(" in verdict.feedback or "r == 9" in verdict.feedback


def test_a_missing_exception_that_the_tests_only_print_is_told() -> None:
    tests = (
        "try:\n    f(-1)\n    assert False, 'no error'\nexcept AssertionError as e:\n    print('FAIL', e)\n"
        "except ValueError:\n    print('ok')"
    )
    assert run(RAISES, tests).status == "passed"
    assert "expected ValueError before it, got none" in run(GIVES, tests).feedback


THIRD = "n = 0\ndef f():\n    global n\n    n += 1\n    return n"
DECIDED = {
    # The code, and tests in which something else decides.
    "the length of a list": (
        THIRD, "missed = []\nfor x in (1, 2, 2):\n    try:\n        assert f() == x\n    except AssertionError:\n"
        "        missed.append(x)\nassert missed == [2]",
    ),
    "nothing is kept": (
        THIRD, "rest = [1, 2, 3]\nfor x in (1, 2, 2):\n    try:\n        assert f() == x\n    except AssertionError:\n"
        "        rest.pop()\nassert f() == 4",
    ),
    "attempts": (
        THIRD, "for _ in range(3):\n    try:\n        assert f() == 3\n        break\n    except AssertionError:\n"
        "        print('again')\nelse:\n    raise SystemExit(1)",
    ),
    "attempts with a flag": (
        THIRD, "ok = False\nfor _ in range(3):\n    try:\n        assert f() == 3\n        ok = True\n"
        "    except AssertionError:\n        print('again')\nassert ok",
    ),
    "a count that is asked": (
        THIRD, "bad = 0\nfor _ in range(3):\n    try:\n        assert f() == 3\n    except AssertionError:\n"
        "        bad += 1\n        print('again')\nassert bad == 2",
    ),
    "a count that the program ends with": (
        THIRD, "import sys\nbad = 0\nfor _ in range(3):\n    try:\n        assert f() == 3\n"
        "    except AssertionError:\n        bad += 1\nsys.exit(bad != 2)",
    ),
    "a table that is asked": (
        THIRD, "told = []\nfor _ in range(3):\n    try:\n        assert f() == 3\n        told.append(1)\n"
        "    except AssertionError:\n        told.append(0)\nassert told == [0, 0, 1]",
    ),
    "another form": (ONE, "try:\n    assert f() == 2\nexcept AssertionError:\n    assert f() == 1"),
    "a check that is to fail": (
        ONE, "try:\n    assert f() == 2\nexcept AssertionError:\n    print('differs')\nelse:\n    raise SystemExit(1)",
    ),
    "nothing to be told": (ONE, "try:\n    assert f() == 2\nexcept AssertionError:\n    pass\nassert f() == 1"),
    "an assert of the code's, printed": (
        CHECKED, "try:\n    f(-1)\nexcept AssertionError as e:\n    print('caught', e)\nassert f(1) == 1",
    ),
    "a skip": (
        ONE, "import pytest\ndef test_a():\n    try:\n        assert f() == 2\n    except AssertionError:\n"
        "        pytest.skip('not here')\ndef test_b():\n    assert f() == 1",
    ),
    "a list that is asked at the end": (
        ONE, "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.bad = []\n"
        "        try:\n            self.assertEqual(f(), 2)\n        except AssertionError as e:\n"
        "            self.bad.append(e)\n        self.assertEqual(len(self.bad), 1)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DECIDED)
def test_what_decides_otherwise_is_left_to_decide(name: str) -> None:
    code, tests = DECIDED[name]
    assert run(code, tests).status == "passed"


def test_a_demo_that_prints_an_exception_is_no_check() -> None:
    with pytest.raises(ValueError, match="the tests contain no check"):
        run(ONE, "try:\n    print(f())\nexcept Exception as e:\n    print('error', e)")


LEFT: dict[str, tuple[str, str]] = {
    "a suppressor of failed asserts": (
        IGNORE, "with ignore(AssertionError):\n    x = [1]\n    assert x[0] == 2\nassert 1 in x",
    ),
    "the same under pytest": (
        IGNORE, f"{PYTEST}def test_a():\n    with ignore(Exception):\n        x = [1]\n        assert x[0] == 2",
    ),
    "a collector of failed asserts": (IGNORE, "with Collected() as c:\n    assert 1 == 2\nassert len(c.errors) == 1"),
    "a collector of what constants' methods give": (
        IGNORE, "with Collected() as c:\n    assert 'a'.upper() == 'B'\nassert len(c.errors) == 1",
    ),
    "a collector that is looked at before": (
        IGNORE, "with Collected() as c:\n    assert c.errors == []\n    assert 1 == 2\nassert len(c.errors) == 1",
    ),
    "an exception that the tests raise on purpose": (
        IGNORE, f"{PYTEST}def test_a():\n    with Collected() as c:\n        assert c.errors == []\n"
        "        raise AssertionError('no')\n    assert len(c.errors) == 1",
    ),
    "an expected failure": (
        IGNORE, f"{PYTEST}def test_a():\n    with Collected() as c:\n        assert c.errors == []\n"
        "        pytest.xfail('later')\n    assert len(c.errors) == 1",
    ),
    "a helper that fails on purpose": (
        IGNORE, f"{PYTEST}def bad():\n    assert 1 == 2\ndef test_a():\n    with Collected() as c:\n        bad()\n"
        "    assert len(c.errors) == 1",
    ),
    "a helper that is given constants": (
        IGNORE, f"{PYTEST}def one(x):\n    assert x == 1\ndef test_a():\n    with Collected() as c:\n"
        "        one(2)\n    assert len(c.errors) == 1",
    ),
    "an exception that is missing and left to one's own": (
        RAISES, f"{PYTEST}def test_a():\n    try:\n        f(-1)\n        pytest.fail('none')\n"
        "    except ValueError:\n        pass",
    ),
    "attempts": (
        RETRYING,
        "r = Retrying()\nfor attempt in r:\n    with attempt:\n        assert r.count == 3\nassert r.count == 3",
    ),
    "attempts under pytest": (
        RETRYING, f"{PYTEST}def test_a():\n    r = Retrying()\n    for attempt in r:\n        with attempt:\n"
        "            assert r.count == 3\n    assert r.count == 3",
    ),
    "an exception to tell of": (TELLS, TOLD.format("raise AssertionError('no')")),
    "an assert to tell of": (TELLS, TOLD.format("assert False, 'no'")),
    "a handler that binds a global name": (
        RAISES, "flag = False\ndef test_a():\n    try:\n        f(-1)\n        assert False\n    except Exception:\n"
        "        global flag\n        flag = True\ntest_a()\nassert flag",
    ),
    "another exception": (IGNORE, "x = [3]\nwith ignore(KeyError):\n    {}[x[0]]\n    assert x[0] == 3\nassert x"),
    "an assert of the code's": (CHECKED, NEVER.format("assert False", "Exception")),
    "the same under pytest, looked at": (
        CHECKED, f"{PYTEST}def test_a():\n    try:\n        f(-1)\n        assert False, 'none'\n"
        "    except Exception as e:\n        assert str(e).startswith('no')",
    ),
    "a handler of failed asserts": (
        GIVES, "ok = False\ntry:\n    f(1)\n    assert False\nexcept AssertionError:\n    ok = True\n"
        "except Exception:\n    pass\nassert ok and f(1) == 1",
    ),
    "a thread of the code's": (
        "import threading\ndef start():\n    def work():\n        assert False\n"
        "    one = threading.Thread(target=work)\n    one.start()\n    return one",
        f"{PYTEST}def test_a():\n    one = start()\n    one.join()\n    assert not one.is_alive()",
    ),
    "a hook of the tests' own": (
        "def f():\n    return 1",
        f"{PYTEST}import threading\nkept = []\ndef test_a(monkeypatch):\n"
        "    monkeypatch.setattr(threading, 'excepthook', lambda given: kept.append(given.exc_type))\n"
        "    one = threading.Thread(target=lambda: f() / 0)\n    one.start()\n    one.join()\n"
        "    assert kept == [ZeroDivisionError]",
    ),
    "a future that is asked later": (
        ONE, f"{POOL}def bad(x):\n    assert f() == x\na = Pool(1).submit(bad, 2)\nwhile not a.done(): pass\n"
        "assert isinstance(a.exception(), AssertionError)",
    ),
    "a task that is asked": (
        ONE, "import asyncio\nasync def bad(x):\n    assert f() == x\nasync def main():\n"
        "    a = asyncio.create_task(bad(2))\n    await asyncio.wait([a])\n"
        "    assert isinstance(a.exception(), AssertionError)\nasyncio.run(main())",
    ),
    "futures and tasks that fail on purpose": (ONE, ON_PURPOSE),
    "the same, by other constants": (ONE, ON_PURPOSE.replace("assert False", "assert 1 == 2")),
    "futures and tasks that fail on purpose, under pytest": (ONE, PYTEST + ON_PURPOSE),
    "another exception in a task, told to a handler of the tests": (
        ONE, "import asyncio\nkept = []\nasync def main():\n    loop = asyncio.get_running_loop()\n"
        "    loop.set_exception_handler(lambda loop, said: kept.append(type(said['exception'])))\n"
        "    loop.call_soon(lambda: f() / 0)\n    await asyncio.sleep(0.01)\nasyncio.run(main())\n"
        "assert kept == [ZeroDivisionError]",
    ),
    "a coroutine that is made and closed": (ONE, f"{TASK.replace('1', '2')}a = one()\na.close()\nassert f() == 1"),
    "a coroutine that is dropped in a loop": (
        ONE, f"{TASK}def start():\n    one()\nasync def main():\n    start()\n    assert f() == 1\nasyncio.run(main())",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LEFT)
def test_what_is_to_be_swallowed_is(name: str) -> None:
    code, tests = LEFT[name]
    verdict = run(code, tests)
    assert (verdict.status, verdict.passed) == ("passed", verdict.total), verdict.feedback


def test_a_project_swallows_nothing_either() -> None:
    tests = {"test_a.py": "from app import Box\ndef test_a():\n    with Box() as b:\n        assert b.get() == 1"}
    assert run_project({"app.py": RIGHT}, tests).status == "passed"
    assert run_project({"app.py": WRONG}, tests).status == "failed"


def test_what_has_no_context_says_so() -> None:
    verdict = run("class Box:\n    x = 1", "with Box() as b:\n    assert b.x == 1")
    assert "does not support the context manager protocol" in verdict.feedback


def test_feedback_says_that_no_exception_came() -> None:
    verdict = run(GIVES, NEVER.format("assert False", "Exception"))
    assert "expected Exception before it, got none" in verdict.feedback


@pytest.mark.parametrize(
    ("code", "with_", "lacks"),
    [
        (RIGHT.replace("__enter__", "enter"), "with", "the context manager"),
        (ASYNC_BOX.format("False", 1), "with", "the context manager"),
        (RIGHT, "async with", "the asynchronous context manager"),
    ],
)
def test_what_has_another_context_says_so(code: str, with_: str, lacks: str) -> None:
    main = f"import asyncio\nasync def main():\n    {with_} Box() as b:\n        assert b.get() == 1\n"
    feedback = run(code, f"{main}asyncio.run(main())").feedback
    assert f"'Box' object does not support {lacks} protocol" in feedback
