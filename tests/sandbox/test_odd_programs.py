"""Programs and tests that are written otherwise than most: their verdicts are what Python and pytest say."""

from __future__ import annotations

import sys

import pytest
from thoughtgraph import PythonTests

pytestmark = [pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux"), pytest.mark.slow]

SHARED = {
    "a setting that is changed": (
        "passed",
        """\
CONFIG = {"debug": False}
def mode(): return "debug" if CONFIG["debug"] else "prod"
""",
        """\
assert mode() == "prod"
CONFIG["debug"] = True
assert mode() == "debug"
""",
    ),
    "an internal list that is given away": (
        "failed",
        """\
_items = [1, 2]
def get_items(): return _items
""",
        """\
get_items().append(9)
assert get_items() == [1, 2]
""",
    ),
    "a list that tests fill": (
        "passed",
        """\
items=[]
def count(): return len(items)
""",
        """\
items.append(1)
assert count() == 1
""",
    ),
}


@pytest.mark.parametrize(("status", "code", "tests"), SHARED.values(), ids=SHARED)
def test_what_tests_change_in_the_code_is_changed(status: str, code: str, tests: str) -> None:
    verdict = PythonTests(tests)("Write it.", f"```python\n{code}\n```")
    assert verdict.status == status, verdict.feedback


EQUAL = {
    "zeros at the end": (
        "passed",
        """\
class Version:
    def __init__(s, p): s.p = tuple(p)
    def _n(s, t):
        t = tuple(t)
        while t and t[-1] == 0: t = t[:-1]
        return t
    def __eq__(s, o): return s._n(s.p) == s._n(o.p if isinstance(o, Version) else o)
def parse(s): return Version(int(x) for x in s.split("."))
""",
        """\
assert parse("1.2") == (1, 2)
""",
    ),
    "a tolerance": (
        "passed",
        """\
class A:
    def __init__(s,v,t): s.v,s.t=v,t
    def __eq__(s,o): return abs(s.v-o)<=s.t
def f(): return A(10,5)
""",
        """\
assert f() == 12
""",
    ),
    "anything": (
        "failed",
        """\
class A:
    def __eq__(s,o): return True
def f(): return A()
""",
        """\
assert f() == 12
""",
    ),
    "anything, with more than yes": (
        "failed",
        """\
class Yes: pass
class A:
    def __eq__(s,o): return Yes()
def f(): return A()
""",
        """\
assert f() == 12
""",
    ),
    "one value, with more than yes": (
        "passed",
        """\
class Yes: pass
class A:
    def __eq__(s,o): return o == 12 and Yes()
def f(): return A()
""",
        """\
assert f() == 12
""",
    ),
    "any list": (
        "failed",
        """\
class A:
    def __eq__(s,o): return isinstance(o,list)
def f(): return A()
""",
        """\
assert f() == [12]
""",
    ),
    "any truth": (
        "failed",
        """\
class A:
    def __eq__(s,o): return isinstance(o,bool)
def f(): return A()
""",
        """\
assert f() == True
""",
    ),
    "a truth": (
        "passed",
        """\
class A:
    def __init__(s,v): s.v=v
    def __eq__(s,o): return bool(o)==bool(s.v)
def f(): return A(3)
""",
        """\
assert f() == True
""",
    ),
}


@pytest.mark.parametrize(("status", "code", "tests"), EQUAL.values(), ids=EQUAL)
def test_an_object_that_is_equal_to_everything_is_equal_to_nothing(status: str, code: str, tests: str) -> None:
    verdict = PythonTests(tests)("Write it.", f"```python\n{code}\n```")
    assert verdict.status == status, verdict.feedback


COLLECTED = {
    "its name is looked at": (
        "failed",
        """\
def f(x): return x
""",
        """\
def test_zero():
    assert f(0) == 0
def test_a():
    print("running", test_a.__name__)
    assert f(1) == 2
""",
    ),
    "a guarded runner that prints": (
        "failed",
        """\
def f(x): return x
""",
        """\
def test_a():
    assert f(1) == 2
if __name__ == "__main__":
    for t in (test_a,):
        try:
            t(); print("ok")
        except AssertionError as e:
            print("FAIL", e)
""",
    ),
    "a runner that prints": (
        "failed",
        """\
def f(x): return x
""",
        """\
def test_a():
    assert f(1) == 2
for t in (test_a,):
    try:
        t(); print("ok")
    except AssertionError as e:
        print("FAIL", e)
""",
    ),
    "the same, over right code": (
        "passed",
        """\
def f(x): return x+1
""",
        """\
def test_a():
    assert f(1) == 2
for t in (test_a,):
    try:
        t(); print("ok")
    except AssertionError as e:
        print("FAIL", e)
""",
    ),
    "below a condition": (
        "failed",
        """\
def sq(x): return x
""",
        """\
import sys
if sys.version_info >= (3, 8):
    def test_a(): assert sq(3) == 9
def test_b(): assert sq(1)==1
""",
    ),
    "below one that is not met": (
        "passed",
        """\
def sq(x): return x*x
""",
        """\
import sys
if sys.version_info >= (4, 8):
    def test_a(): assert sq(3) == 10
def test_b(): assert sq(1)==1
""",
    ),
    "inherited beside another": (
        "failed",
        """\
class Stack:
    def push(self,x): self.x=x
    def pop(self): return 7
""",
        """\
class Contract:
    def test_push(self):
        s=self.make(); s.push(1); assert s.pop()==1
class TestStack(Contract):
    def make(self): return Stack()
def test_x(): assert Stack()
""",
    ),
    "inherited": (
        "failed",
        """\
class Stack:
    def push(self,x): self.x=x
    def pop(self): return 7
""",
        """\
class Contract:
    def test_push(self):
        s=self.make(); s.push(1); assert s.pop()==1
class TestStack(Contract):
    def make(self): return Stack()
""",
    ),
    "inherited, over right code": (
        "passed",
        """\
class Stack:
    def push(self,x): self.x=x
    def pop(self): return self.x
""",
        """\
class Contract:
    def test_push(self):
        s=self.make(); s.push(1); assert s.pop()==1
class TestStack(Contract):
    def make(self): return Stack()
""",
    ),
    "a test case by another name": (
        "failed",
        """\
def f(x): return x
""",
        """\
from unittest import TestCase as TC
class Math(TC):
    def test_a(self): self.assertEqual(f(1),2)
assert f(3)==3
""",
    ),
    "a class in a class": (
        "failed",
        """\
def f(x): return x
""",
        """\
class TestOuter:
    class TestInner:
        def test_a(self): assert f(1)==2
assert f(3)==3
""",
    ),
    "made by a function": (
        "failed",
        """\
def sq(x): return x
""",
        """\
def make_test(a,b):
    def t():
        assert sq(a)==b
    return t
test_a = make_test(3, 9)
def test_b(): assert sq(1)==1
""",
    ),
    "raises in a loop": (
        "failed",
        """\
def f(x): return x
""",
        """\
import pytest
for v in (-2, -1):
    with pytest.raises(ValueError):
        f(v)
""",
    ),
    "raises in a loop, over right code": (
        "passed",
        """\
def f(x): raise ValueError
""",
        """\
import pytest
for v in (-2, -1):
    with pytest.raises(ValueError):
        f(v)
""",
    ),
    "a set-up function": (
        "passed",
        """\
def sq(x): return x*x
""",
        """\
from solution import sq
vals = []
def setup_function(f): vals.append(3)
def test_a(): assert [sq(v) for v in vals] == [9]
""",
    ),
}


@pytest.mark.parametrize(("status", "code", "tests"), COLLECTED.values(), ids=COLLECTED)
def test_every_test_that_pytest_would_run_is_run(status: str, code: str, tests: str) -> None:
    verdict = PythonTests(tests)("Write it.", f"```python\n{code}\n```")
    assert verdict.status == status, verdict.feedback


ENDS = {
    "skipped by the tests": (
        "passed",
        """\
def sq(x): return x*x
""",
        """\
import unittest
from solution import sq
class T(unittest.TestCase):
    def test_win(self):
        if sq(1) == 1: self.skipTest("windows only")
    def test_a(self): self.assertEqual(sq(2), 4)
""",
    ),
    "skipped by the code": (
        "failed",
        """\
import unittest
def sq(x): raise unittest.SkipTest("no")
""",
        """\
import unittest
from solution import sq
class T(unittest.TestCase):
    def test_b(self): pass
    def test_a(self): self.assertEqual(sq(2), 4)
""",
    ),
    "tests that exit with 0": (
        "passed",
        """\
def f(x): return x + 1
""",
        """\
import sys
assert f(1) == 2
sys.exit(0)
""",
    ),
    "tests that exit with 1": (
        "failed",
        """\
def f(x): return x + 1
""",
        """\
import sys
assert f(1) == 2
sys.exit(1)
""",
    ),
    "code that exits": (
        "failed",
        """\
import sys
def f(x): sys.exit(0)
""",
        """\
assert f(1) == 2
""",
    ),
    "exit in the code": (
        "passed",
        """\
def f(x):
    if x < 0: exit(2)
    return x
""",
        """\
try:
    f(-1)
    assert False
except SystemExit as e:
    assert e.code == 2
""",
    ),
    "exit in the tests": (
        "passed",
        """\
def f(x): return x
""",
        """\
assert f(1)==1
exit()
""",
    ),
    "exit in a child": (
        "passed",
        """\
import os, sys
def f():
    pid = os.fork()
    if pid == 0:
        sys.exit(3)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
""",
        """\
assert f() == 3
""",
    ),
    "a child that goes on": (
        "failed",
        """\
import os
def f(x):
    pid = os.fork()
    if pid == 0:
        return x + 1
    os.waitpid(pid, 0)
    return 0
""",
        """\
assert f(1) == 2
""",
    ),
    "a child that goes on beside the tests": (
        "failed",
        """\
import os
def f(x):
    pid = os.fork()
    if pid == 0:
        return x + 1
    os.waitpid(pid, 0)
    return 0
""",
        """\
assert f.__name__ == "f"
assert f(1) == 2
""",
    ),
    "a child that returns something else": (
        "passed",
        """\
import os
def f(x):
    pid = os.fork()
    if pid == 0:
        return 0
    os.waitpid(pid, 0)
    return x + 1
""",
        """\
assert f(1) == 2
assert f(2) == 3
""",
    ),
    "a child of the loading": (
        "passed",
        """\
import os
child = os.fork() == 0
if not child: os.wait()
def f(x):
    return 0 if child else x + 1
""",
        """\
assert f(1) == 2
""",
    ),
    "a handler of the code": (
        "passed",
        """\
import signal
hits = []
signal.signal(signal.SIGALRM, lambda *a: hits.append(1))
def fire():
    signal.raise_signal(signal.SIGALRM)
    return len(hits)
""",
        """\
assert fire() == 1
""",
    ),
}


@pytest.mark.parametrize(("status", "code", "tests"), ENDS.values(), ids=ENDS)
def test_what_ends_a_program_ends_nothing_else(status: str, code: str, tests: str) -> None:
    verdict = PythonTests(tests)("Write it.", f"```python\n{code}\n```")
    assert verdict.status == status, verdict.feedback


FAR = {
    "match": (
        "passed",
        """\
from collections import namedtuple
Point = namedtuple("Point", "x y")
def mk(a, b): return Point(a, b)
""",
        """\
def kind(v):
    match v:
        case (a, b): return "pair"
        case _: return "other"
assert kind(mk(1, 2)) == "pair"
""",
    ),
    "a generator is not callable": (
        "failed",
        """\
def make_counter():
    n = 0
    while True:
        n += 1
        yield n
""",
        """\
assert callable(make_counter())
""",
    ),
    "an object is not callable": (
        "passed",
        """\
class A: pass
def make(): return A()
""",
        """\
assert not callable(make())
""",
    ),
    "an object is callable": (
        "passed",
        """\
class A:
    def __call__(self): return 3
def make(): return A()
""",
        """\
assert callable(make()) and make()() == 3
""",
    ),
    "a join that refuses": (
        "passed",
        """\
class Slug(str): pass
def slug(s): return Slug(s.lower())
""",
        """\
try:
    out = "-".join([slug("A"), slug("B")])
except TypeError:
    out = None
assert out == "a-b"
""",
    ),
    "the representation of an error": (
        "passed",
        """\
class MyErr(ValueError):
    def __init__(self, c): super().__init__(c); self.code = c
    def __repr__(self): return f"<MyErr {self.code}>"
def f(x): raise MyErr(x)
""",
        """\
try:
    f(5)
    assert False
except ValueError as e:
    assert repr(e) == "<MyErr 5>"
""",
    ),
    "warnings as errors": (
        "passed",
        """\
import warnings
def f(x):
    warnings.warn("dep", DeprecationWarning)
    return x
""",
        """\
import pytest
from solution import f
@pytest.mark.filterwarnings("error")
def test_a():
    with pytest.raises(DeprecationWarning):
        f(1)
""",
    ),
}


@pytest.mark.parametrize(("status", "code", "tests"), FAR.values(), ids=FAR)
def test_an_object_of_the_code_is_what_it_is_beside_the_tests(status: str, code: str, tests: str) -> None:
    verdict = PythonTests(tests)("Write it.", f"```python\n{code}\n```")
    assert verdict.status == status, verdict.feedback


PLACES = {
    "a file that is not there": (
        "failed",
        """\
import json
def load(p):
    with open(p) as fh: return json.load(fh)
""",
        """\
import pytest
from solution import load
def test_missing():
    assert load("nope.json") == {}
""",
    ),
    "a line separator": (
        "passed",
        """\
def split(s): return s.split("\u2028")
""",
        """\
import pytest
from solution import split
def test_a():
    assert split("a\u2028b") == ["a", "b"]
""",
    ),
    "names in globals()": (
        "passed",
        """\
for n in ("f",):
    globals()[n] = lambda x: x + 1
""",
        """\
assert f(1)==2
""",
    ),
    "a function in a loop": (
        "passed",
        """\
for n in (1,):
    def f(x): return x+1
""",
        """\
assert f(1)==2
""",
    ),
    "a function by exec": (
        "passed",
        """\
exec("def f(x): return x+1")
""",
        """\
assert f(1)==2
""",
    ),
    "a server at localhost": (
        "passed",
        """\
import http.server,threading,urllib.request
def f():
    s=http.server.HTTPServer(("localhost",0),http.server.SimpleHTTPRequestHandler)
    threading.Thread(target=s.serve_forever,daemon=True).start()
    r=urllib.request.urlopen(f"http://localhost:{s.server_port}/").status
    s.shutdown()
    return r
""",
        """\
assert f() == 200
""",
    ),
    "a user name": (
        "passed",
        """\
import getpass
def f(): return getpass.getuser()
""",
        """\
assert f()
""",
    ),
    "another host": (
        "unverified",
        """\
import urllib.request
def f(): return urllib.request.urlopen("http://example.com").status
""",
        """\
assert f()==200
""",
    ),
    "set-up that failed": (
        "failed",
        """\
import json
DATA = json.loads("{bad")
def get(k): return DATA[k]
""",
        """\
assert get("a")==1
""",
    ),
}


@pytest.mark.parametrize(("status", "code", "tests"), PLACES.values(), ids=PLACES)
def test_what_failed_is_what_is_blamed(status: str, code: str, tests: str) -> None:
    verdict = PythonTests(tests)("Write it.", f"```python\n{code}\n```")
    assert verdict.status == status, verdict.feedback


def test_the_feedback_names_set_up_that_failed() -> None:
    _, code, tests = PLACES["set-up that failed"]
    feedback = PythonTests(tests)("Write it.", f"```python\n{code}\n```").feedback
    assert "name 'DATA' is not defined, for line 2: `DATA = json.loads(\"{bad\")` raised JSONDecodeError" in feedback


def test_a_line_is_what_python_counts_as_one() -> None:
    code = 'SEP = "a\u2028b"\ndef split(s):\n    x = 1\n    y = 2\n    return x / (y - 2)\n'
    feedback = PythonTests('assert split("a") == 1')("Write it.", f"```python\n{code}```").feedback
    assert "at line 5: `return x / (y - 2)`" in feedback


def test_tests_that_are_no_check_fail_in_words_of_their_own() -> None:
    _, code, tests = ENDS["tests that exit with 1"]
    assert PythonTests(tests)("Write it.", f"```python\n{code}\n```").feedback.startswith(
        "The tests failed:\n- `sys.exit(1)`"
    )


def test_a_strict_mark_that_does_not_hold_is_named() -> None:
    tests = "import pytest\n@pytest.mark.xfail(strict=True)\ndef test_a():\n    assert f(1) == 2\n"
    feedback = PythonTests(tests)("Write it.", "```python\ndef f(x):\n    return x + 1\n```").feedback
    assert "XPASS(strict)" in feedback


JUDGED_AS_WRITTEN = {
    "an assert of the code that is wanted": (
        "passed",
        """\
def f(x):
    assert x > 0
    return x
""",
        """\
def test_invalid():
    f(-1)
try:
    test_invalid()
except AssertionError:
    print("as it should be")
assert f(1) == 1
""",
        "",
    ),
    "an async test in a runner": (
        "failed",
        """\
def f(x): return x+1
""",
        """\
import asyncio
async def test_a():
    assert f(3)==9
try:
    asyncio.run(test_a())
except AssertionError as e: print(e)
""",
        "",
    ),
    "an async test in a runner, over right code": (
        "passed",
        """\
def f(x): return x*x
""",
        """\
import asyncio
async def test_a():
    assert f(3)==9
try:
    asyncio.run(test_a())
except AssertionError as e: print(e)
""",
        "",
    ),
    "a runner that sets up": (
        "passed",
        """\
n=[0]
def f(): n[0]+=1; return n[0]
def reset(): n[0]=0
""",
        """\
def test_a(): assert f()==1
def test_b(): assert f()==1
for t in (test_a, test_b):
    reset()
    try: t()
    except AssertionError as e: print(e)
""",
        "",
    ),
    "a runner with a statement of its own": (
        "passed",
        """\
def f(x): return x*x
""",
        """\
store={}
def test_a(): assert f(store["n"])==4
try:
    store["n"]=2
    test_a()
except Exception as e: print(e)
""",
        "",
    ),
    "a test with defaults": (
        "failed",
        """\
def f(x): return 1
""",
        """\
def test_sq(x=1, want=1): assert f(x)==want
for x, want in [(2,4),(3,9)]:
    try: test_sq(x, want)
    except AssertionError as e: print(e)
""",
        "",
    ),
    "a runner that is a function": (
        "failed",
        """\
def f(x): return x+1
""",
        """\
def test_a(): assert f(3)==9
def run_all():
    for t in [test_a]:
        try: t()
        except AssertionError as e: print(e)
if __name__ == "__main__":
    run_all()
""",
        "",
    ),
    "a list of tests": (
        "failed",
        """\
def f(x): return x+1
""",
        """\
def test_a(): assert f(3)==9
TESTS=[test_a]
for t in TESTS:
    try: t()
    except AssertionError as e: print(e)
assert f(0) in (0,1)
""",
        "",
    ),
    "exits in two branches": (
        "passed",
        """\
def f(x): return x*x
""",
        """\
import sys
failed=0
assert f(1)==1
if failed: sys.exit(1)
else: sys.exit(0)
""",
        "",
    ),
    "a raised exit": (
        "passed",
        """\
def f(x): return x*x
""",
        """\
assert f(1)==1
raise SystemExit(0)
""",
        "",
    ),
    "a raised exit with a status": (
        "passed",
        """\
def f(x): return x*x
""",
        """\
assert f(1)==1
def main(): return 0
raise SystemExit(main())
""",
        "",
    ),
    "a bag of truths": (
        "passed",
        """\
from collections import Counter
class Bag:
    def __init__(s,i): s.i=i
    def __eq__(s,o): return Counter(s.i)==Counter(o)
def f(x): return Bag(x)
""",
        """\
assert f([False, True]) == [True, False]
""",
        "",
    ),
    "a ratio": (
        "passed",
        """\
class R:
    def __init__(s,a,b): s.a,s.b=a,b
    def __eq__(s,o): return s.a*o[1]==s.b*o[0]
def ratio(a,b): return R(a,b)
""",
        """\
assert ratio(4,4) == (1,1)
""",
        "",
    ),
    "a chord": (
        "passed",
        """\
class C:
    def __init__(s,*n): s.n=[x-n[0] for x in n]
    def __eq__(s,o): return s.n==[x-o[0] for x in o]
def chord(*n): return C(*n)
""",
        """\
assert chord(60,64,67) == [62,66,69]
""",
        "",
    ),
    "an order": (
        "passed",
        """\
class C:
    def __init__(s,n): s.n=n
    def __eq__(s,o):
        r=lambda v: [sorted(v).index(x) for x in v]
        return r(s.n)==r(o)
def perm(n): return C(n)
""",
        """\
assert perm([10,30,20]) == [1,3,2]
""",
        "",
    ),
    "keys alone": (
        "passed",
        """\
class F:
    def __init__(s,k): s.k=set(k)
    def __eq__(s,o): return s.k==set(o)
def flags(**k): return F(k)
""",
        """\
assert flags(a=1) == {"a": 1}
""",
        "",
    ),
    "a set": (
        "passed",
        """\
class S:
    def __init__(s,*k): s.k=set(k)
    def __eq__(s,o): return s.k==set(o)
def f(*k): return S(*k)
""",
        """\
assert f(1,2) == (1,2,2)
assert f(1,2) == [2,1]
""",
        "",
    ),
    "a name by a walrus": (
        "passed",
        """\
(f := lambda x: x*x)
""",
        """\
assert f(3)==9
""",
        "",
    ),
    "a factory of a named lambda": (
        "failed",
        """\
def f(x): return 1
""",
        """\
def make(n,want):
    check = lambda: _eq(f(n), want)
    return check
def _eq(a,b): assert a==b
test_a = make(3, 9)
assert f(1)==1
""",
        "",
    ),
    "an exit with a keyword": (
        "failed",
        """\
def f(x): return x*x
""",
        """\
bad=1
assert f(1)==1
exit(code=bad)
""",
        "",
    ),
    "an exit of the code at the end": (
        "passed",
        """\
log=[]
def f(x): return x
def exit(c): log.append(c)
""",
        """\
assert f(1)==1
exit("A")
""",
        "",
    ),
    "a test with a docstring": (
        "passed",
        """\
def f(x): return x*x
""",
        """\
def test_a():
    '''doc'''
    assert f(2)==4
test_a()
""",
        "",
    ),
    "a test that expects an exception": (
        "passed",
        """\
def f(x):
    if x<0: raise ValueError
    return x
""",
        """\
def test_neg():
    try:
        f(-1)
        assert False
    except ValueError:
        pass
test_neg()
""",
        "",
    ),
    "one that is not raised": (
        "failed",
        """\
def f(x): return x
""",
        """\
def test_neg():
    try:
        f(-1)
        assert False
    except ValueError:
        pass
test_neg()
""",
        "",
    ),
    "a runner whose names are read": (
        "passed",
        """\
def f(x):
    return x + 1
""",
        """\
def test_a():
    assert f(1) == 2
for t in (test_a,):
    try:
        t()
        said = "ok"
    except AssertionError:
        said = "FAIL"
print(said)
""",
        "",
    ),
    "a runner that counts and prints": (
        "failed",
        """\
def f(x):
    return x
""",
        """\
def test_a():
    assert f(1) == 2
ok = 0
for t in (test_a,):
    try:
        t()
        ok += 1
    except AssertionError:
        print("FAIL")
print(ok)
""",
        "`assert f(1) == 2`",
    ),
    "a bare exit behind a failure": (
        "failed",
        """\
def f(x): return x
""",
        """\
assert f(0) == 0
if f(2) != 4:
    print("FAIL")
    exit()
""",
        "",
    ),
    "an exit in a loop of checks": (
        "failed",
        """\
def f(x): return x
""",
        """\
import sys
def check_all():
    for x, want in [(0,0),(2,4)]:
        if f(x) != want: print("wrong"); sys.exit(0)
        assert f(x) == want
check_all()
""",
        "",
    ),
    "an exit in a helper": (
        "failed",
        """\
def f(x): return x
""",
        """\
import sys
def verify(x, w):
    if f(x) != w:
        print("FAIL"); sys.exit()
verify(2, 4)
assert f(1)==1
""",
        "",
    ),
    "an exit in code by exec": (
        "failed",
        """\
exec("def add(a, b):\\n    raise SystemExit(0)")
""",
        """\
import os
assert add(1,2) == 3
assert add(2,2) == 4
""",
        "",
    ),
    "an exit by another name": (
        "failed",
        """\
from sys import exit as size
""",
        """\
import os
assert size(0) == 5
""",
        "",
    ),
    "an exit of the code in the status": (
        "failed",
        """\
import sys
def f(x): sys.exit(0)
""",
        """\
import sys
sys.exit(f(3) != 3)
assert f(1)
""",
        "",
    ),
    "another check in the guard": (
        "failed",
        """\
def f(x): return x
""",
        """\
def test_add():
    assert f(1)==1
def check_zero():
    assert f(1)==2
if __name__ == "__main__":
    test_add()
    check_zero()
""",
        "",
    ),
    "an exit in the guard": (
        "failed",
        """\
def f(x): return x
""",
        """\
import sys
def test_types():
    assert f(1)==1
def run_cases(): return f(2)!=4
if __name__ == "__main__":
    test_types()
    if run_cases(): sys.exit(1)
""",
        "",
    ),
    "a test that returns a truth": (
        "failed",
        """\
def f(x): return x
""",
        """\
def test_add(): return f(2)==4
def test_zero(): assert f(0)==0
if __name__ == "__main__":
    test_zero()
    if not test_add(): raise AssertionError("add")
""",
        "",
    ),
    "any list of integers": (
        "failed",
        """\
class A:
    def __eq__(s,o): return isinstance(o, list) and all(isinstance(x, int) for x in o)
def f(x): return A()
""",
        """\
assert f([3,1]) == [1,3]
""",
        "",
    ),
    "any small integer": (
        "failed",
        """\
class A:
    def __eq__(s,o): return isinstance(o, int) and -200 < o < 200
def f(x): return A()
""",
        """\
assert f(3) == 9
""",
        "",
    ),
    "any larger dict": (
        "failed",
        """\
class A:
    def __eq__(s,o): return isinstance(o, dict) and len(o) != 1
def f(x): return A()
""",
        """\
assert f(3) == {1:2,3:4}
""",
        "",
    ),
    "tests with arguments in the guard": (
        "passed",
        """\
def add(a,b): return a+b
""",
        """\
def test_add(a, b, want):
    assert add(a,b)==want
if __name__ == "__main__":
    test_add(1,2,3)
    test_add(2,2,4)
""",
        "",
    ),
    "tests with arguments and a count": (
        "passed",
        """\
def add(a,b): return a+b
""",
        """\
failures=0
def test_add(a, b, want):
    assert add(a,b)==want
for case in [(1,2,3),(2,2,4)]:
    try: test_add(*case)
    except AssertionError: failures += 1
assert failures == 0
""",
        "",
    ),
    "tests by map beside a try": (
        "passed",
        """\
def add(a,b): return a+b
""",
        """\
def test_case(c):
    assert add(*c[:2])==c[2]
list(map(test_case, [(1,2,3)]))
try: add(None,1)
except Exception: pass
else: assert False
""",
        "",
    ),
    "a list of failures": (
        "passed",
        """\
items=[]
def add(x): items.append(x); return len(items)
""",
        """\
failed=[]
def test_first():
    assert add(3)==1
try: test_first()
except AssertionError: failed.append(1)
assert not failed
""",
        "",
    ),
    "a runner that is asserted": (
        "passed",
        """\
items=[]
def add(x): items.append(x); return len(items)
""",
        """\
def test_first():
    assert add(3)==1
def main():
    try: test_first()
    except AssertionError: return False
    return True
assert main()
""",
        "",
    ),
    "a count of failures as the status": (
        "passed",
        """\
items=[]
def add(x): items.append(x); return len(items)
""",
        """\
import sys
failed=0
def test_first():
    assert add(3)==1
for t in [test_first]:
    try: t()
    except AssertionError: failed+=1
sys.exit(1 if failed else 0)
""",
        "",
    ),
    "a count of failures as the status, over wrong code": (
        "failed",
        """\
items=[]
def add(x): items.append(x); return 0
""",
        """\
import sys
failed=0
def test_first():
    assert add(3)==1
for t in [test_first]:
    try: t()
    except AssertionError: failed+=1
sys.exit(1 if failed else 0)
""",
        "",
    ),
    "an object that has to go": (
        "passed",
        """\
import weakref
class N: pass
refs=[]
def add(x):
    n=N(); n.parent=n; refs.append(weakref.ref(n)); return n
""",
        """\
import gc
assert add(3).parent is not None
gc.collect()
assert refs[0]() is None
""",
        "",
    ),
    "a generator that has to close": (
        "passed",
        """\
log=[]
def numbers():
    log.append("open")
    try: yield 1
    finally: log.append("closed")
""",
        """\
assert next(numbers()) == 1
n = list(log)
assert n == ["open","closed"]
""",
        "",
    ),
    "set-up in the guard": (
        "passed",
        """\
def f(x): return x
""",
        """\
def test_a():
    assert f(DATA)==[1,2]
if __name__ == "__main__":
    DATA=[1,2]
    test_a()
""",
        "",
    ),
    "an object that is equal to None": (
        "passed",
        """\
class Nothing:
    def __eq__(s,other): return other is None or isinstance(other, Nothing)
def find(a,b): return Nothing()
""",
        """\
assert find([1], 2) == None
""",
        "",
    ),
    "a function called exit": (
        "passed",
        """\
n=[0]
def enter(x): n[0]+=1; return n[0]
def exit(x): n[0]-=1
def size(): return n[0]
""",
        """\
assert enter("a") == 1
exit("a")
assert size() == 0
""",
        "",
    ),
    "a function called quit": (
        "passed",
        """\
on=[1]
def quit(): on[0]=0
def start(): return on[0]
""",
        """\
quit()
assert start() == 0
""",
        "",
    ),
    "data made by a factory": (
        "passed",
        """\
def f(x): return len(x)
""",
        """\
def make_cases(n):
    return sorted(range(n), key=lambda x: -x)
tests_small = make_cases(3)
test_small = make_cases(3)
assert f(globals()["tests_small"]) == 3
""",
        "",
    ),
    "127 is no shell": (
        "failed",
        """\
import subprocess
def f(x): return 127
""",
        """\
assert f(3) == 128
""",
        "",
    ),
    "a name that is not defined beside a walrus": (
        "failed",
        """\
def dbl(x):
    if (n := x) > 3: return 2*n
    return 2*x
""",
        """\
assert double(2)==4
""",
        "has to define `double`",
    ),
    "a value that is changed by the test": (
        "failed",
        """\
def f(x): return sorted(x)[:2]
""",
        """\
assert f([3,1,2]).pop() == 3
""",
        "= [1, 2]",
    ),
    "a call that gives two values": (
        "failed",
        """\
n=[0]
def tick(): n[0]+=1; return n[0]
""",
        """\
assert tick() + tick() == 4
""",
        "tick() == 4`",
    ),
    "a name that is there twice": (
        "failed",
        """\
def f(x): return x-2
""",
        """\
def test_a():
    xs=[5,4,2]
    x=7
    assert all(f(x) for x in xs)
test_a()
""",
        "f(x) = 0",
    ),
    "a loop in a loop": (
        "failed",
        """\
def f(x,y): return x-y
""",
        """\
assert all(all(f(x,y) for y in (1,2)) for x in (5,2))
""",
        "x = 2",
    ),
    "a name that set-up did not bind": (
        "failed",
        """\
x = undefined_thing.foo
def f(): return foo
""",
        """\
assert f()==1
""",
        "",
    ),
}


@pytest.mark.parametrize(("status", "code", "tests", "words"), JUDGED_AS_WRITTEN.values(), ids=JUDGED_AS_WRITTEN)
def test_tests_are_judged_as_they_are_written(status: str, code: str, tests: str, words: str) -> None:
    verdict = PythonTests(tests)("Write it.", f"```python\n{code}\n```")
    assert (verdict.status, words in verdict.feedback) == (status, True), verdict.feedback


def test_a_number_of_very_many_digits_may_be_an_argument() -> None:
    tests = f"assert len(f(0x{'f' * 4_500})) == 1"
    assert PythonTests(tests)("Write it.", "```python\ndef f(x):\n    return [x]\n```").status == "passed"


def test_a_method_of_a_number_of_very_many_digits_may_be_called() -> None:
    tests = f"assert f((0x{'f' * 4_500}).to_bytes(2_250, 'big')) == 2_250"
    assert PythonTests(tests)("Write it.", "```python\ndef f(x):\n    return len(x)\n```").status == "passed"


@pytest.mark.parametrize("wanted", ["2 ** 20_000", "[2 ** 20_000]"])
def test_a_number_of_very_many_digits_is_told_where_it_differs(wanted: str) -> None:
    code = "def f():\n    return 2 ** 20_000 + 1" if wanted[0] == "2" else "def f():\n    return [2 ** 20_000 + 1]"
    feedback = PythonTests(f"assert f() == {wanted}")("Write it.", f"```python\n{code}\n```").feedback
    assert "309376" in feedback.partition(", got ")[0]
    assert "309377" in feedback.partition(", got ")[2]
