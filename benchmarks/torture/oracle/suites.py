"""Cases as suites: classes of unittest, and functions and classes for pytest."""

from __future__ import annotations

import ast
import random

from .bank import Program
from .cases import Case, asserted, indented
from .shapes import Shape, Tests, importing, tabled


def unittest_class(program: Program, rng: random.Random) -> Tests:
    """A `TestCase` with a method for each case."""
    methods = [f"    def test_{n}(self):\n{_method(case, rng)}\n" for n, case in enumerate(program.cases, 1)]
    extras = rng.choice(_FIXTURES)
    name = rng.choice(("TestSolution", "SolutionTests", "Tests", "TestCases"))
    return _suite(program, f"class {name}(unittest.TestCase):\n{extras}" + "\n".join(methods), rng)


def unittest_one_method(program: Program, rng: random.Random) -> Tests:
    """A `TestCase` with everything in one method."""
    body = "\n".join(_method(case, rng) for case in program.cases)
    return _suite(program, f"class TestAll(unittest.TestCase):\n    def test_all(self):\n{body}\n", rng)


def unittest_subtests(program: Program, rng: random.Random) -> Tests | None:
    """A table of cases under `subTest`."""
    rows, others = tabled(program)
    if len(rows) < 2:
        return None
    lines = "".join(f"            ({given}, {right}),\n" for given, right in rows)
    loop = (
        "        for args, expected in cases:\n            with self.subTest(args=args):\n"
        f"                self.assertEqual({program.entry_point}(*args), expected)\n"
    )
    rest = "".join(f"\n    def test_more_{n}(self):\n{_method(case, rng)}\n" for n, case in others)
    head = "class TestTable(unittest.TestCase):\n    def test_table(self):\n        cases = [\n"
    return _suite(program, f"{head}{lines}        ]\n{loop}{rest}", rng)


def pytest_functions(program: Program, rng: random.Random) -> Tests:
    """A function for each case."""
    parts = [f"def test_{n}({_fixture(case)}):\n{_function(case)}\n" for n, case in enumerate(program.cases, 1)]
    return _pytest(program, "\n\n".join(parts), rng)


def pytest_class(program: Program, rng: random.Random) -> Tests:
    """A class `TestX` with a method for each case."""
    methods = [
        f"    def test_{n}({_arguments('self', case)}):\n{_function(case, 2)}\n"
        for n, case in enumerate(program.cases, 1)
    ]
    return _pytest(program, "class TestSolution:\n" + "\n".join(methods), rng)


def pytest_parametrized(program: Program, rng: random.Random) -> Tests | None:
    """A table of cases as parameters."""
    rows, others = tabled(program)
    if len(rows) < 2:
        return None
    lines = "".join(f"        ({given}, {right}),\n" for given, right in rows)
    rest = "".join(f"\n\ndef test_more_{n}({_fixture(case)}):\n{_function(case)}\n" for n, case in others)
    body = (
        f'@pytest.mark.parametrize(\n    "args, expected",\n    [\n{lines}    ],\n)\n'
        f"def test_table(args, expected):\n    assert {program.entry_point}(*args) == expected\n{rest}"
    )
    return _pytest(program, body, rng)


def pytest_fixture(program: Program, rng: random.Random) -> Tests | None:
    """The program's function as a fixture."""
    if not program.is_function:
        return None
    name = program.entry_point
    parts = [
        f"def test_{n}({_arguments('function', case)}):\n    {name} = function\n{_function(case)}\n"
        for n, case in enumerate(program.cases, 1)
    ]
    scope = rng.choice(("", '(scope="module")'))
    return _pytest(
        program, f"@pytest.fixture{scope}\ndef function():\n    return {name}\n\n\n" + "\n\n".join(parts), rng
    )


def pytest_one_function(program: Program, rng: random.Random) -> Tests:
    """One test function without any import of pytest."""
    body = indented("\n".join(asserted(case, rng) for case in program.cases))
    source = f"def test_everything():\n{body}\n"
    return Tests(importing(program, source, rng) if rng.random() < 0.7 else source, "pytest")


UNITTESTS: tuple[Shape, ...] = (unittest_class, unittest_class, unittest_one_method, unittest_subtests)
PYTESTS: tuple[Shape, ...] = (
    pytest_functions,
    pytest_functions,
    pytest_class,
    pytest_parametrized,
    pytest_fixture,
    pytest_one_function,
)


def _suite(program: Program, body: str, rng: random.Random) -> Tests:
    end = rng.choice(_ENDS)
    source = f"import unittest\n\n\n{body}\n{end}"
    # The guarded call and the bare one run the file as a script; without a call somebody runs `python -m unittest`.
    runner = "script" if end else "unittest"
    if rng.random() < 0.5:
        source = importing(program, source, rng, qualified=rng.random() < 0.2)
    return Tests(source, runner)


def _pytest(program: Program, body: str, rng: random.Random) -> Tests:
    source = f"import pytest\n\n\n{body}"
    return Tests(importing(program, source, rng) if rng.random() < 0.8 else source, "pytest")


def _method(case: Case, rng: random.Random) -> str:
    left, right = case.left, case.right
    if case.kind == "equal":
        check = rng.choice((f"self.assertEqual({left}, {right})", f"self.assertTrue({left} == {right})"))
        if right in ("True", "False", "None"):
            check = rng.choice((check, f"self.assertIs({left}, {right})"))
        elif right.startswith("[") and rng.random() < 0.3:
            check = f"self.assertListEqual({left}, {right})"
        elif right.startswith("{") and ":" in right and rng.random() < 0.3:
            check = f"self.assertDictEqual({left}, {right})"
    elif case.kind == "true":
        check = _true_method(left)
    elif case.kind == "close":
        check = f"self.assertAlmostEqual({left}, {right}{rng.choice(('', ', places=6', ', delta=1e-9'))})"
    elif case.kind == "raises":
        name = f"assertRaisesRegex({right}, {case.pattern!r})" if case.pattern else f"assertRaises({right})"
        check = f"with self.{name}{rng.choice(('', ' as caught'))}:\n    {left}"
    else:
        check = asserted(case, rng)
        return indented(check, 2)
    return indented("\n".join([*case.setup, check]), 2)


def _true_method(left: str) -> str:
    node = ast.parse(left, mode="eval").body
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return f"self.assertFalse({ast.unparse(node.operand)})"
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        name = _METHODS.get(type(node.ops[0]))
        if name:
            return f"self.{name}({ast.unparse(node.left)}, {ast.unparse(node.comparators[0])})"
    return f"self.assertTrue({left})"


def _fixture(case: Case) -> str:
    return "capsys" if case.kind == "prints" else ""


def _arguments(first: str, case: Case) -> str:
    return ", ".join(filter(None, (first, _fixture(case))))


def _function(case: Case, by: int = 1) -> str:
    left, right = case.left, case.right
    if case.kind == "equal":
        check = f"assert {left} == {right}"
    elif case.kind == "true":
        check = f"assert {left}"
    elif case.kind == "close":
        check = f"assert {left} == pytest.approx({right}, abs=1e-9)"
    elif case.kind == "raises":
        check = f"with pytest.raises({right}{f', match={case.pattern!r}' if case.pattern else ''}):\n    {left}"
    elif case.kind == "prints":
        check = f"{left}\nassert capsys.readouterr().out == {right}"
    else:
        check = left
    return indented("\n".join([*case.setup, check]), by)


_METHODS: dict[type[ast.cmpop], str] = {
    ast.In: "assertIn",
    ast.NotIn: "assertNotIn",
    ast.Is: "assertIs",
    ast.IsNot: "assertIsNot",
    ast.NotEq: "assertNotEqual",
    ast.Lt: "assertLess",
    ast.LtE: "assertLessEqual",
    ast.Gt: "assertGreater",
    ast.GtE: "assertGreaterEqual",
}
_FIXTURES = (
    "",
    "",
    "    def setUp(self):\n        self.ready = True\n\n"
    "    def tearDown(self):\n        self.assertTrue(self.ready)\n\n",
    "    @classmethod\n    def setUpClass(cls):\n        cls.shared = []\n\n",
    '    @unittest.skip("not now")\n    def test_skipped(self):\n        self.fail("never run")\n\n',
    '    @unittest.skipIf(True, "always")\n    def test_also_skipped(self):\n        raise ValueError\n\n',
    "    @unittest.expectedFailure\n    def test_known_bug(self):\n        self.assertEqual(1, 2)\n\n",
    "    maxDiff = None\n\n",
)
_ENDS = (
    "",
    '\nif __name__ == "__main__":\n    unittest.main()\n',
    "\nif __name__ == '__main__':\n    unittest.main(verbosity=2)\n",
    "\nran = unittest.main(argv=['tests'], exit=False)\nassert ran.result.wasSuccessful()\n",
)
