"""The styles that people and models write the same program in: hints, docstrings, demos, guards, classes around it."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable

from .bank import Program
from .cases import Case

Style = Callable[[str, Program, random.Random], str | None]
"""Rewrites code; None where it does not fit."""


def plain(code: str, program: Program, rng: random.Random) -> str:
    """As it stands."""
    return code


def documented(code: str, program: Program, rng: random.Random) -> str | None:
    """A docstring in every function, with an example in the first."""
    tree = ast.parse(code)
    example = next((case for case in program.cases if case.kind == "equal" and not case.setup), None)
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node) is None:
            text = program.doc or "Do the work."
            if example and isinstance(node, ast.FunctionDef) and "\\" not in example.source:
                text += f"\n\n    Example:\n        >>> {example.left}\n        {example.right}\n    "
                example = None
            node.body.insert(0, ast.Expr(ast.Constant(text)))
    return ast.unparse(ast.fix_missing_locations(_future_first(tree))) + "\n"


def module_docstring(code: str, program: Program, rng: random.Random) -> str | None:
    """A docstring and comments at the top."""
    if ast.get_docstring(ast.parse(code)) is not None:
        return None
    head = rng.choice(("#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n", "", "# Solution\n"))
    return f'{head}"""{program.doc or program.name}"""\n\n{code}'


def hinted(code: str, program: Program, rng: random.Random) -> str | None:
    """Hints on every argument and result, with the import that they need."""
    tree = ast.parse(code)
    changed = False
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            for argument in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]:
                if argument.annotation is None and argument.arg not in ("self", "cls", "mcs"):
                    argument.annotation = ast.parse(
                        rng.choice(("Any", "Any", "Optional[Any]", "'Any'")), mode="eval"
                    ).body
                    changed = True
    if not changed or "__annotations__" in code or "hints" in code or "register" in code:
        return None
    tree.body.insert(0, ast.parse("from typing import Any, List, Optional").body[0])
    return ast.unparse(ast.fix_missing_locations(_future_first(tree))) + "\n"


def two_spaces(code: str, program: Program, rng: random.Random) -> str | None:
    """Indented by two spaces or a tab."""
    if '"""' in code:
        return None
    step = rng.choice(("  ", "\t"))
    return re.sub(r"^( {4})+", lambda found: step * (len(found[0]) // 4), code, flags=re.MULTILINE)


def in_class(code: str, program: Program, rng: random.Random) -> str | None:
    """The function as a method of a class `Solution`, given its own name below."""
    tree = ast.parse(code)
    functions = [node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    if len(functions) != 1 or not isinstance(functions[0], ast.FunctionDef) or functions[0].decorator_list:
        return None
    function = functions[0]
    function.args.args.insert(0, ast.arg("self"))
    if function.args.posonlyargs:
        return None
    place = tree.body.index(function)
    made = ast.ClassDef("Solution", [], [], [function], [])
    bound = ast.parse(f"{function.name} = Solution().{function.name}").body[0]
    tree.body[place : place + 1] = [made, bound]
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def wrapper_function(code: str, program: Program, rng: random.Random) -> str | None:
    """The function behind another one of the same name."""
    if not program.is_function:
        return None
    name = program.entry_point
    return (
        f"{code}\n\n_inner_{name} = {name}\n\n\ndef {name}(*args, **kwargs):\n"
        f"    return _inner_{name}(*args, **kwargs)\n"
    )


def demo_prints(code: str, program: Program, rng: random.Random) -> str | None:
    """Example calls that print, at the end."""
    calls = _calls(program)
    if not calls:
        return None
    lines = "".join(
        rng.choice(
            (
                f"print({call})\n",
                f"print('Result:', {call})\n",
                f"result = {call}\nprint(result)\n",
                f"print(f'{{{call}!r:>20}}')\n" if not re.search(r"[\"'{}\\\\!:]", call) else f"print({call})\n",
            )
        )
        for call in calls[:3]
    )
    return f"{code}\n# Example usage\n{lines}"


def main_guard(code: str, program: Program, rng: random.Random) -> str | None:
    """A demo behind a guard."""
    calls = _calls(program)
    if not calls or "__main__" in code:
        return None
    lines = "".join(f"    print({call})\n" for call in calls[:3])
    if rng.random() < 0.5:
        return f'{code}\n\nif __name__ == "__main__":\n{lines}'
    return f"{code}\n\ndef demo():\n{lines}\n\nif __name__ == '__main__':\n    demo()\n"


def own_asserts(code: str, program: Program, rng: random.Random) -> str | None:
    """The model's own tests behind the code."""
    rows = [f"{case.left} == {case.right}" for case in program.cases if case.kind == "equal" and not case.setup][:3]
    if not rows:
        return None
    if rng.random() < 0.5:
        return code + "\n" + "".join(f"assert {row}\n" for row in rows) + 'print("All tests passed")\n'
    body = "".join(f"    assert {row}\n" for row in rows)
    return f'{code}\n\ndef test_own():\n{body}\n\ntest_own()\nprint("done")\n'


def demo_doctest(code: str, program: Program, rng: random.Random) -> str | None:
    """Docstrings with examples, which a guarded doctest runs."""
    written = documented(code, program, rng)
    if written is None or "__main__" in code:
        return None
    return f'{written}\n\nif __name__ == "__main__":\n    import doctest\n\n    doctest.testmod()\n'


def demo_loop(code: str, program: Program, rng: random.Random) -> str | None:
    """A loop over example inputs, in a `try`."""
    calls = _calls(program)
    if not calls:
        return None
    lines = "".join(f"    lambda: {call},\n" for call in calls)
    return (
        f"{code}\nexamples = [\n{lines}]\nfor example in examples:\n    try:\n        print(example())\n"
        '    except Exception as error:\n        print("error:", error)\n'
    )


WITHOUT_DEMO: tuple[Style, ...] = (
    plain,
    plain,
    plain,
    documented,
    module_docstring,
    hinted,
    two_spaces,
    in_class,
    wrapper_function,
)
WITH_DEMO: tuple[Style, ...] = (demo_prints, main_guard, own_asserts, demo_doctest, demo_loop)


def _calls(program: Program) -> list[str]:
    chosen: list[Case] = [case for case in program.cases if case.kind == "equal" and not case.setup]
    return [case.left for case in chosen]


def _future_first(tree: ast.Module) -> ast.Module:
    """The module with its docstring and its imports from `__future__` in front of everything else."""

    def rank(node: ast.stmt) -> int:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            return 0 if node is tree.body[0] else 2
        return 1 if isinstance(node, ast.ImportFrom) and node.module == "__future__" else 2

    docstring = next((n for n in tree.body if isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)), None)
    first = [docstring] if docstring is not None and tree.body.index(docstring) <= 1 else []
    rest = sorted((node for node in tree.body if node not in first), key=rank)
    return ast.Module([*first, *rest], [])
