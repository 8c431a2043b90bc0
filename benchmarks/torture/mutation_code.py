"""What a running module calls, and how it is given a mutant's code."""

from __future__ import annotations

import ast
import copy
import gc
import types
from collections.abc import Iterator
from pathlib import Path

from mutation_operators import Mutant

Function = tuple[str, int]
"""An outermost function: its qualified name, and the line where it or its first decorator stands."""


called: set[Function] = set()
"""Functions of a marked module that have been called."""


def marked(tree: ast.Module) -> ast.Module:
    """A module that notes which of its functions are called, at no cost to anything else."""
    made = copy.deepcopy(tree)

    def mark(body: list[ast.stmt], around: str) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef):
                mark(node.body, f"{around}{node.name}.")
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
                name = (f"{around}{node.name}", first)
                for inner in ast.walk(node):
                    # A function inside may be called where the one around it no longer is.
                    if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)):
                        note = ast.parse(f"__import__({__name__!r}).called.add({name!r})").body[0]
                        ast.increment_lineno(note, inner.body[0].lineno - 1)
                        inner.body.insert(1 if ast.get_docstring(inner) is not None else 0, note)

    mark(made.body, "")
    return made


def replace_code(path: Path, mutant: Mutant, function: Function) -> None:
    """Give the functions of an imported, marked module a mutant's code.

    Raises:
        LookupError: no such function has been imported.
        ValueError: the mutant needs other variables of the functions around it, or has other functions inside.
    """
    tree = marked(ast.parse(path.read_text(encoding="utf-8")))
    was, made = (_codes(compile(code, str(path), "exec"), function) for code in (tree, mutant.code))
    if [code.co_qualname for code in was] != [code.co_qualname for code in made]:
        raise ValueError("the functions inside are others")
    replaced = dict(zip(was, made, strict=True))
    live = [
        each
        for each in gc.get_objects()
        if isinstance(each, types.FunctionType) and each.__code__.co_filename == str(path) and each.__code__ in replaced
    ]
    if not any(each.__code__ is not None and each.__code__.co_qualname == function[0] for each in live):
        raise LookupError(f"{function[0]} has not been imported from {path}")
    for each in live:
        each.__code__ = replaced[each.__code__]


def _codes(module: types.CodeType, function: Function) -> list[types.CodeType]:
    def inside(code: types.CodeType) -> Iterator[types.CodeType]:
        yield code
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                yield from inside(constant)

    outermost = next(code for code in inside(module) if (code.co_qualname, code.co_firstlineno) == function)
    return list(inside(outermost))
