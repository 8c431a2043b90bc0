"""Cases put into the shapes that people write tests in: as scripts here, as suites in `suites`."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable
from dataclasses import dataclass

from .bank import Program
from .cases import Case, arguments, asserted, indented
from .pair import Runner


@dataclass(frozen=True)
class Tests:
    """Tests, who runs them by hand, and the function that a `check(candidate)` is given."""

    source: str
    runner: Runner = "script"
    entry_point: str = ""


Shape = Callable[[Program, random.Random], Tests | None]
"""Puts a program's cases into a shape; None where they do not fit into it."""


def bare(program: Program, rng: random.Random) -> Tests:
    """An assert after the other."""
    return Tests("\n".join(asserted(case, rng) for case in program.cases) + "\n")


def asserts(program: Program, rng: random.Random) -> Tests:
    """The cases as the bank has them, a plain `assert` each wherever that can be."""
    return Tests("\n".join(_plain(case, rng) for case in program.cases) + "\n")


def mbpp(program: Program, rng: random.Random) -> Tests | None:
    """Three asserts, as MBPP has them, with what they need above."""
    chosen = [case for case in program.cases if case.kind in ("equal", "true") and not case.setup][:3]
    if len(chosen) < 3 or not program.is_function:
        return None
    return Tests("".join(f"assert {_test(case)}\n" for case in chosen), entry_point="")


def human_eval(program: Program, rng: random.Random) -> Tests | None:
    """A `check(candidate)`, as HumanEval has it."""
    if not program.is_function:
        return None
    body = "\n".join(_plain(case, rng) for case in program.cases)
    body = _renamed(body, program.entry_point, "candidate")
    head = rng.choice(
        ("\n\nMETADATA = {\n    'author': 'bank',\n    'dataset': 'test'\n}\n\n\n", "METADATA = {}\n\n\n", "")
    )
    comment = rng.choice(("", "    # Check some simple cases\n", '    """Check the candidate."""\n'))
    tail = rng.choice(("", "", f"\n\ncheck({program.entry_point})\n"))
    return Tests(f"{head}def check(candidate):\n{comment}{indented(body)}\n{tail}", entry_point=program.entry_point)


def tabled(program: Program) -> tuple[list[tuple[str, str]], list[tuple[int, Case]]]:
    """Arguments and result of the cases that are one call with literals; and the others, with their numbers."""
    given = {case: arguments(case, program.entry_point) for case in program.cases}
    rows = [(found, case.right) for case in program.cases if (found := given[case])]
    return rows, [(number, case) for number, case in enumerate(program.cases) if not given[case]]


def table(program: Program, rng: random.Random) -> Tests | None:
    """A loop over a table of cases."""
    rows, rest = tabled(program)
    if len(rows) < 2:
        return None
    others = [_plain(case, rng) for _, case in rest]
    name, lines = program.entry_point, "".join(f"    ({given}, {right}),\n" for given, right in rows)
    loop = rng.choice(_LOOPS).format(name=name)
    return Tests(f"cases = [\n{lines}]\n{loop}\n" + "\n".join(others) + "\n")


def helper(program: Program, rng: random.Random) -> Tests:
    """A helper of the tests that compares, and says what it got."""
    define = rng.choice(_HELPERS)
    lines = [
        "\n".join([*case.setup, f"verify({case.left}, {case.right})"]) if case.kind == "equal" else _plain(case, rng)
        for case in program.cases
    ]
    return Tests(f"{define}\n\n" + "\n".join(lines) + "\n")


def called_function(program: Program, rng: random.Random) -> Tests:
    """A function full of asserts, called at the end, with or without a guard."""
    body = indented("\n".join(asserted(case, rng) for case in program.cases))
    name = rng.choice(("run_tests", "main", "test", "test_solution", "check_all"))
    call = rng.choice(
        (
            f"{name}()\n",
            f'if __name__ == "__main__":\n    {name}()\n    print("All tests passed!")\n',
            f'{name}()\nprint("ok")\n',
        )
    )
    return Tests(f"def {name}():\n{body}\n\n\n{call}")


def several_functions(program: Program, rng: random.Random) -> Tests:
    """A test function for each case, all called at the end."""
    parts = [f"def test_{n}():\n{indented(asserted(case, rng))}\n" for n, case in enumerate(program.cases, 1)]
    calls = rng.choice(
        (
            "".join(f"test_{n}()\n" for n in range(1, len(parts) + 1)),
            "for test in [" + ", ".join(f"test_{n}" for n in range(1, len(parts) + 1)) + "]:\n    test()\n",
        )
    )
    return Tests("\n\n".join(parts) + "\n\n" + calls)


def collected(program: Program, rng: random.Random) -> Tests | None:
    """Failures counted in a list, which has to be empty at the end."""
    rows = [case for case in program.cases if case.kind == "equal" and not case.setup]
    if len(rows) < 2:
        return None
    lines = "".join(f"if {case.left} != {case.right}:\n    failures.append({case.source[:60]!r})\n" for case in rows)
    others = "\n".join(_plain(case, rng) for case in program.cases if case not in rows)
    return Tests(f"failures = []\n{lines}{others}\nassert not failures, failures\n")


def one_assert(program: Program, rng: random.Random) -> Tests | None:
    """Everything in one assert."""
    rows = [case for case in program.cases if case.kind in ("equal", "true") and not case.setup]
    if len(rows) < 2:
        return None
    if rng.random() < 0.5:
        return Tests("assert all([\n" + "".join(f"    {_test(case)},\n" for case in rows) + "])\n")
    return Tests("assert " + " and ".join(f"({_test(case)})" for case in rows) + "\n")


def imported(program: Program, rng: random.Random) -> Tests:
    """Asserts that take the program from the module `solution`."""
    return Tests(importing(program, bare(program, rng).source, rng))


def doctest_like(program: Program, rng: random.Random) -> Tests | None:
    """Examples in the manner of doctest, run by it."""
    rows = [case for case in program.cases if case.kind == "equal" and not case.setup and "\\" not in case.source]
    if len(rows) < 2 or any('"""' in case.source for case in rows):
        return None
    lines = "".join(f">>> {case.left} == {case.right}\nTrue\n" for case in rows)
    return Tests(
        f'import doctest\n\nEXAMPLES = """\n{lines}"""\n\n'
        "parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(verbose=False)\n"
        'runner.run(parser.get_doctest(EXAMPLES, globals(), "examples", None, 0))\n'
        "assert runner.failures == 0 and runner.tries == " + f"{len(rows)}\n"
    )


SCRIPTS: tuple[Shape, ...] = (
    bare,
    bare,
    asserts,
    mbpp,
    human_eval,
    table,
    helper,
    called_function,
    several_functions,
    collected,
    one_assert,
    imported,
    doctest_like,
)


def importing(program: Program, source: str, rng: random.Random, *, qualified: bool | None = None) -> str:
    """Tests that import what they use: the program's names from `solution`, and the modules that its imports gave."""
    used = {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
    lines = module_imports(program, used)
    own = sorted(own_names(program) & used)
    if not own:
        return "\n".join([*lines, source])
    if (rng.random() < 0.2) if qualified is None else qualified:
        return "\n".join([*lines, "import solution", "", _qualified(source, frozenset(own))])
    how = "*" if rng.random() < 0.15 and not any(name.startswith("_") for name in own) else ", ".join(own)
    return "\n".join([*lines, f"from solution import {how}", "", source])


def module_imports(program: Program, used: set[str]) -> list[str]:
    """The program's own top-level imports of the names that tests use."""
    lines: list[str] = []
    for node in ast.parse(program.code).body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                if (alias.asname or alias.name.partition(".")[0]) in used:
                    one = [ast.alias(alias.name, alias.asname)]
                    again = (
                        ast.Import(one)
                        if isinstance(node, ast.Import)
                        else ast.ImportFrom(node.module, one, node.level)
                    )
                    lines.append(ast.unparse(again))
    return lines


def own_names(program: Program) -> set[str]:
    """What a program binds at its top, but its imports."""
    names: set[str] = set()
    for node in ast.parse(program.code).body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif not isinstance(node, (ast.Import, ast.ImportFrom)):
            inside = ast.walk(node)
            names |= {child.id for child in inside if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store)}
            names |= {child.name for child in ast.walk(node) if isinstance(child, ast.FunctionDef)}
    return names


def _qualified(source: str, names: frozenset[str]) -> str:
    class Qualify(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            if node.id in names and isinstance(node.ctx, ast.Load):
                return ast.Attribute(ast.Name("solution", ast.Load()), node.id, ast.Load())
            return node

    return ast.unparse(Qualify().visit(ast.parse(source))) + "\n"


def _renamed(source: str, old: str, new: str) -> str:
    class Rename(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.Name:
            return ast.Name(new if node.id == old else node.id, node.ctx)

    return ast.unparse(Rename().visit(ast.parse(source)))


def _test(case: Case) -> str:
    return f"{case.left} == {case.right}" if case.kind == "equal" else case.left


def _plain(case: Case, rng: random.Random) -> str:
    if case.kind in ("equal", "true"):
        return "\n".join([*case.setup, f"assert {_test(case)}"])
    return asserted(case, rng)


_LOOPS = (
    "for args, expected in cases:\n    assert {name}(*args) == expected",
    "for args, expected in cases:\n    result = {name}(*args)\n    assert result == expected, f'{{args}}: {{result}}'",
    "for index, (args, expected) in enumerate(cases):\n    assert {name}(*args) == expected, f'case {{index}}'",
    "assert [{name}(*args) for args, _ in cases] == [expected for _, expected in cases]",
    "assert all({name}(*args) == expected for args, expected in cases)",
    "inputs, outputs = zip(*cases)\nfor given, wanted in zip(inputs, outputs):\n    assert {name}(*given) == wanted",
    "number = 0\nwhile number < len(cases):\n    args, expected = cases[number]\n    assert {name}(*args) == expected\n"
    "    number += 1",
    "for args, expected in cases:\n    try:\n        assert {name}(*args) == expected\n    except AssertionError:\n"
    "        raise AssertionError(f'failed for {{args}}')",
)
_HELPERS = (
    "def verify(actual, expected):\n    assert actual == expected, f'{actual!r} != {expected!r}'",
    "def verify(actual, expected):\n    if actual != expected:\n"
    "        raise AssertionError(f'{actual!r} != {expected!r}')",
    "class Checker:\n    def __init__(self):\n        self.count = 0\n\n    def __call__(self, actual, expected):\n"
    "        self.count += 1\n        assert actual == expected, f'check {self.count}'\n\nverify = Checker()",
    "import unittest\n\nverify = unittest.TestCase().assertEqual",
    "verify = lambda a, b: (_ for _ in ()).throw(AssertionError(f'{a!r} != {b!r}')) if a != b else None",
)
