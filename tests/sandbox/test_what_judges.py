"""What the tests judge with is as it was before the code was loaded, whatever the code has put in its place."""

from __future__ import annotations

import pytest
from thoughtgraph.tools.sandbox import SandboxLimits, run

pytestmark = pytest.mark.slow

CASE = """\
import unittest
class T(unittest.TestCase):
    def test_a(self):
        self.assertEqual(Box().get(), 3)
"""
RAISES = """\
import pytest
def test_a():
    with pytest.raises(ValueError):
        Box().get()
"""
MOCK = """\
from unittest.mock import Mock
asked = Mock()
Box().tell(asked)
asked.assert_called_once_with(3)
"""
NUMPY = """\
from numpy.testing import assert_allclose
assert_allclose(Box().get(), 3)
"""
WRONG = "class Box:\n    def get(self): return 4\n    def tell(self, to): to(4)"
RIGHT = WRONG.replace("4", "3")
REPLACED = {
    "a method": ("import unittest\nunittest.TestCase.assertEqual = lambda *given: None", CASE),
    "by setattr": ("from unittest import TestCase\nsetattr(TestCase, 'assertEqual', lambda *given: None)", CASE),
    "a class": (
        "import unittest\nclass Own(unittest.TestCase):\n    def assertEqual(self, *given): pass\n"
        "unittest.TestCase = Own",
        CASE,
    ),
    "a function": (
        "import contextlib, pytest\npytest.raises = lambda *given: contextlib.suppress(BaseException)",
        RAISES,
    ),
    "a module": ("import sys\nfrom unittest.mock import MagicMock\nsys.modules['pytest'] = MagicMock()", RAISES),
    "what a class inherits": (
        "from unittest import mock\nmock.NonCallableMock.assert_called_once_with = lambda *given: None",
        MOCK,
    ),
    "of NumPy": ("import numpy.testing\nnumpy.testing.assert_allclose = lambda *given: None", NUMPY),
}


@pytest.mark.parametrize("name", REPLACED)
def test_code_replaces_nothing_that_judges(name: str) -> None:
    replaced, tests = REPLACED[name]
    if "numpy" in tests:
        pytest.importorskip("numpy")
    verdict = run(f"{replaced}\n{WRONG}", tests, SandboxLimits(memory_mb=2048, seconds=20))
    assert (verdict.status, verdict.judged) == ("failed", "together"), verdict.feedback


@pytest.mark.parametrize("name", ["a method", "what a class inherits"])
def test_right_code_passes_though_it_replaces_something(name: str) -> None:
    replaced, tests = REPLACED[name]
    assert run(f"{replaced}\n{RIGHT}", tests).status == "passed"


def test_code_may_add_to_what_judges() -> None:
    """An assertion of its own, for the tests to use."""
    code = """\
import unittest
def even(self, value):
    if value % 2:
        self.fail(f"{value} is odd")
unittest.TestCase.assertEven = even
"""
    tests = CASE.replace("assertEqual(Box().get(), 3)", "assertEven({})")
    assert run(code, tests.format(4)).status == "passed"
    assert run(code, tests.format(3)).status == "failed"


def test_code_may_change_other_libraries() -> None:
    code = "import json\njson.JSONEncoder.default = lambda self, value: str(value)\ndef say(x): return json.dumps(x)"
    tests = "import json\nassert json.dumps({'a': 1j}) == say({'a': 1j}) == '{\"a\": \"1j\"}'"
    assert run(code, tests).status == "passed"
