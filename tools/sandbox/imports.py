"""What programs import: which module is the candidate's, and which packages they need beside the standard library."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterable
from functools import lru_cache
from importlib.metadata import packages_distributions

_MODULE = "solution"
_Import = (ast.Import, ast.ImportFrom)


def modules(tree: ast.Module) -> Iterable[str]:
    """The modules that a program imports, with their dots."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def imported_module(tree: ast.Module, wanted: Iterable[str]) -> str:
    """The module that tests expect the candidate in: `solution`, or one they import that is not installed.

    Of several it is the one of which they import everything, else the last: libraries are imported before one's own.
    Tests that read names which they have from nowhere have them from the candidate, and want it in no module.
    """
    # What lies in the folder of the program that asks is no library.
    known = sys.stdlib_module_names | installed()
    names = [name for name in modules(tree) if name.isidentifier() and name not in known]
    if _MODULE in names or not names:
        return _MODULE
    whole = [
        node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in names and node.names[0].name == "*"
    ]
    if whole:
        return str(whole[0])
    return _MODULE if any(not hasattr(builtins, name) for name in wanted) else names[-1]


def foreign_packages(tree: ast.Module) -> frozenset[str]:
    """The packages that a program imports beside the standard library; not those that it can do without."""
    optional = {id(node) for each in ast.walk(tree) if isinstance(each, ast.Try) for node in ast.walk(each)}
    needed = [node for node in ast.walk(tree) if isinstance(node, _Import) and id(node) not in optional]
    tops = {name.partition(".")[0] for name in modules(ast.Module(list[ast.stmt](needed), []))}
    return frozenset(tops - sys.stdlib_module_names - {""})


@lru_cache(maxsize=1)
def installed() -> frozenset[str]:
    """The packages of this environment of Python, by the names that programs import."""
    return frozenset(packages_distributions())
