"""What tests need: the candidate in which module, which packages, and whether the candidate's own process."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Collection, Iterable
from functools import lru_cache
from importlib import import_module
from importlib.metadata import packages_distributions

_HARMLESS_MODULES_TEXT = """
__future__ abc bisect cmath collections collections.abc copy dataclasses datetime enum fractions functools heapq
itertools json math numbers operator pytest re statistics string textwrap types typing unittest
"""
_HARMLESS_MODULES = frozenset(_HARMLESS_MODULES_TEXT.split())
"""Tests can use these in any process with the same result."""
_SHARED_NAMES_TEXT = """
__import__ breakpoint compile dir eval exec globals id input locals mock open patch vars
"""
_SHARED_NAMES = frozenset(_SHARED_NAMES_TEXT.split())
_SHARED_ATTRIBUTES_TEXT = """
__all__ __cause__ __context__ __dict__ __doc__ __file__ __notes__ __traceback__ add_note assertLogs assertNoLogs
assertWarns assertWarnsRegex deprecated_call mock patch warns
"""
_SHARED_ATTRIBUTES = frozenset(_SHARED_ATTRIBUTES_TEXT.split())
_SHARED_FIXTURES_TEXT = """
cache capfd capfdbinary caplog capsys capsysbinary monkeypatch pytestconfig recwarn request tmp_path tmpdir
"""
_SHARED_FIXTURES = frozenset(_SHARED_FIXTURES_TEXT.split())
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


@lru_cache(maxsize=64)
def names_of(module: str) -> set[str] | None:
    """What `import *` brings of a module that tests may use in any process; None for another one."""
    if module not in _HARMLESS_MODULES:
        return None
    found = import_module(module)
    return set(getattr(found, "__all__", [name for name in dir(found) if name[0] != "_"]))


@lru_cache(maxsize=1)
def installed() -> frozenset[str]:
    """The packages of this environment of Python, by the names that programs import."""
    return frozenset(packages_distributions())


def why_together(tree: ast.Module, module: str, imported: Collection[str], wanted: Collection[str]) -> str:
    """Why tests have to run in the candidate's process; "" if they can run in another.

    Args:
        tree: the tests.
        module: in which they expect the candidate.
        imported: names that they bind by an import.
        wanted: names that they have from the candidate.
    """
    catchable = {name for name in wanted if not hasattr(builtins, name)}
    for name in modules(tree):
        if name not in _HARMLESS_MODULES and name != module:
            return f"the tests import {name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in _SHARED_NAMES:
            return f"the tests use {node.id}"
        if isinstance(node, (ast.Attribute, ast.alias)):
            name = node.attr if isinstance(node, ast.Attribute) else node.name
            if name in _SHARED_ATTRIBUTES:
                return f"the tests use {name}"
        if isinstance(node, ast.arg) and node.arg in _SHARED_FIXTURES:
            return f"the tests use {node.arg}"
        if (isinstance(node, ast.Compare) and _compares_identity(node)) or _asserts_identity(node):
            return "the tests compare identities"
        if isinstance(node, ast.ExceptHandler) and node.type and _reads(node.type, catchable):
            return "the tests catch an exception of the code's"
        if _changes_module(node, imported):
            return "the tests change a module"
    return ""


def _reads(node: ast.AST, names: Collection[str]) -> bool:
    return any(isinstance(child, ast.Name) and child.id in names for child in ast.walk(node))


def _asserts_identity(node: ast.AST) -> bool:
    """Whether a node is `assertIs` or its like of something that is no singleton."""
    return (
        isinstance(node, ast.Call)
        and getattr(node.func, "attr", "") in ("assertIs", "assertIsNot")
        and not any(map(_is_singleton, node.args))
    )


def _changes_module(node: ast.AST, imported: Collection[str]) -> bool:
    """Whether a node sets or deletes an attribute of something that is imported; the candidate may use it, too."""
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("setattr", "delattr") and node.args:
        changed: ast.expr = node.args[0]
    elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
        changed = node.value
    else:
        return False
    while isinstance(changed, ast.Attribute):
        changed = changed.value
    return isinstance(changed, ast.Name) and changed.id in imported


def _compares_identity(node: ast.Compare) -> bool:
    sides = [node.left, *node.comparators]
    pairs = zip(node.ops, sides, node.comparators, strict=False)
    return any(
        isinstance(operator, (ast.Is, ast.IsNot)) and not (_is_singleton(left) or _is_singleton(right))
        for operator, left, right in pairs
    )


def _is_singleton(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, (bool, type(...))))
