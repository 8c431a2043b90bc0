"""What tests need: the candidate in which module, which packages, and whether the candidate's own process."""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Collection, Iterable
from functools import lru_cache
from importlib import import_module
from importlib.metadata import packages_distributions
from itertools import accumulate
from typing import NamedTuple

from ...stand_ins import stood_in, used_as_modules
from .collected import names_one, without_guard
from .names import INTROSPECTION, Definition, Import, top_of

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
__all__ __bases__ __cause__ __context__ __dict__ __doc__ __file__ __module__ __mro__ __notes__ __suppress_context__
__traceback__ add_note assertLogs assertNoLogs assertWarns assertWarnsRegex deprecated_call filterwarnings mock patch
warns
"""
_SHARED_ATTRIBUTES = frozenset(_SHARED_ATTRIBUTES_TEXT.split())
_SHARED_FIXTURES_TEXT = """
cache capfd capfdbinary caplog capsys capsysbinary monkeypatch pytestconfig recwarn request tmp_path tmpdir
"""
_SHARED_FIXTURES = frozenset(_SHARED_FIXTURES_TEXT.split())
_REFUSALS = ("TypeError", "AttributeError", "Exception", "BaseException")
"""What Python's own functions and statements raise for an object that is not what they take."""
_MODULE = "solution"
_OF_TESTS = ("tests", "test", "conftest")
"""Where tests have helpers of their own."""
_DOTS = re.compile(rb"from(?:[. \t\f]|\\\n)+")


def modules(tree: ast.AST) -> Iterable[str]:
    """The modules that a program imports, with their dots."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def absolute(tests: str) -> str:
    """Tests without relative imports: those of a package's own modules, which the candidate stands for."""
    relative = [node for node in ast.walk(ast.parse(tests)) if isinstance(node, ast.ImportFrom) and node.level]
    if not relative:
        return tests
    # Python counts the bytes of a line, and ends a line at fewer characters than `splitlines` does.
    lines = [line.encode() for line in re.split(r"(?<=\n)", re.sub(r"\r\n?", "\n", tests))]
    starts = [0, *accumulate(map(len, lines))]
    text = b"".join(lines)
    # From the last to the first, so that none moves those still to come.
    for node in sorted(relative, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        start = starts[node.lineno - 1] + node.col_offset
        dots = _DOTS.match(text, start)
        if dots:
            module = b"" if node.module else f"{_MODULE} ".encode()
            kept = b"\\\n" * dots[0].count(b"\n")
            text = text[:start] + b"from " + kept + module + text[dots.end() :]
    return text.decode()


class Home(NamedTuple):
    """Where tests expect the candidate.

    Attributes:
        module: the name under which it is loaded.
        aliases: further names under which they import it: dotted ones, each behind its package.
        guessed: those of these that count only if it defines nothing of that name, as of `from src import calc`.
    """

    module: str
    aliases: tuple[str, ...] = ()
    guessed: frozenset[str] = frozenset()

    @property
    def names(self) -> frozenset[str]:
        """All names."""
        return frozenset([self.module, *self.aliases])

    @property
    def tops(self) -> frozenset[str]:
        """The packages, or modules, at the top of all names."""
        return frozenset(top_of(name) for name in self.names)


def home_of(tree: ast.Module, wanted: Iterable[str]) -> Home:
    """Where tests expect the candidate: in `solution`, or in what they import that is not installed."""
    names = _unknown(tree)
    chosen = _chosen(tree, names, wanted)
    top = top_of(chosen)
    guessed = frozenset(f"{chosen}.{name}" for name in used_as_modules(tree, {chosen}))
    own = {name for name in names if top_of(name) == top} | guessed
    if not any("." in name for name in own):
        return Home(chosen)
    return Home(_MODULE, packages_above(own), guessed)


@lru_cache(maxsize=64)
def loads_late(tests: str, home: Home) -> bool:
    """Whether tests do something before they import the candidate, which may need that when it is loaded."""
    body = ast.parse(tests).body
    first = next((node for node in body if isinstance(node, Import) and home.module in modules(node)), None)
    before = body[: body.index(first)] if first else body
    does = any(not isinstance(node, (*Import, *Definition)) for node in before if not _is_docstring(node))
    return (does or not first) and home.module in modules(ast.Module(body, []))


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def packages_above(names: Iterable[str]) -> tuple[str, ...]:
    """Dotted names, with the packages that they lie in, each behind its own."""
    parts = [name.split(".") for name in names]
    return tuple(sorted({".".join(each[:count]) for each in parts for count in range(1, len(each) + 1)}))


def brought_from(tree: ast.Module, known: Collection[str]) -> dict[str, frozenset[str]]:
    """What tests import by name from modules that are neither installed nor among these; "*" for all of it."""
    found: dict[str, frozenset[str]] = {name: frozenset("*") for name in _unknown(tree) if name not in known}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in found:
            names = frozenset(alias.name for alias in node.names)
            found[node.module] = names | (found[node.module] - {"*"})
    return found


def _unknown(tree: ast.Module) -> list[str]:
    # What lies in the folder of the program that asks is no library.
    known = sys.stdlib_module_names | installed() | stood_in(tree)
    return [name for name in modules(tree) if name[0] != "." and top_of(name) not in known]


def _chosen(tree: ast.Module, names: Collection[str], wanted: Iterable[str]) -> str:
    """The module that tests expect the candidate in.

    Of several it is the one of which they import everything, else the last: libraries are imported before one's own.
    Tests that read names which they have from nowhere have them from the candidate, and want it in no module.
    """
    names = [name for name in names if top_of(name) not in _OF_TESTS] or names
    if _MODULE in names or not names:
        return _MODULE
    whole = [
        node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in names and node.names[0].name == "*"
    ]
    if whole:
        return str(whole[0])
    return _MODULE if any(not hasattr(builtins, name) and name[:2] != "__" for name in wanted) else [*names][-1]


def foreign_packages(tree: ast.Module) -> frozenset[str]:
    """The packages that a program imports beside the standard library; not those that it can do without."""
    optional = {id(node) for each in ast.walk(tree) if isinstance(each, ast.Try) for node in ast.walk(each)}
    needed = [node for node in ast.walk(tree) if isinstance(node, Import) and id(node) not in optional]
    tops = {top_of(name) for name in modules(ast.Module(list[ast.stmt](needed), []))}
    return frozenset(tops - sys.stdlib_module_names - stood_in(tree) - {""})


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


def why_together(tree: ast.Module, home: Home, imported: Collection[str], wanted: Collection[str]) -> str:
    """Why tests have to run in the candidate's process; "" if they can run in another.

    Args:
        tree: the tests.
        home: where they expect the candidate.
        imported: names that they bind by an import.
        wanted: names that they have from the candidate.
    """
    catchable = {name for name in wanted if not hasattr(builtins, name)}
    for name in modules(tree):
        if name not in _HARMLESS_MODULES and name not in home.names:
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
        if isinstance(node, ast.ExceptHandler) and node.type and names_one(node.type, catchable):
            return "the tests catch an exception of the code's"
        if _changes_module(node, imported):
            return "the tests change a module"
    return ""


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


def subjects(tree: ast.Module) -> list[str]:
    """Built-in names that are called on one side of a comparison, with no other call on either."""
    found: set[str] = set()
    for node in ast.walk(tree):
        sides: list[ast.expr] = []
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "").startswith("assert"):
            sides = node.args
        elif isinstance(node, ast.Assert):
            sides = [node.test]
        calls = [call for side in sides for call in ast.walk(side) if isinstance(call, ast.Call)]
        if len(calls) == 1 and calls[0] in sides and isinstance(calls[0].func, ast.Name):
            found.add(calls[0].func.id)
    return sorted(name for name in found if hasattr(builtins, name))


def looks_names_up(tree: ast.Module) -> bool:
    """Whether tests look names up themselves, in their globals or in the module that a script is."""
    return any(
        (isinstance(node, ast.Name) and node.id in INTROSPECTION | {"__name__"})
        or (isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("__main__."))
        for statement in without_guard(tree.body)
        for node in ast.walk(statement)
    )


def looks_at_objects(tree: ast.Module) -> bool:
    """Whether tests look at the type or the representation of an object, or go on where Python itself refuses one."""
    said = {
        id(node) for each in ast.walk(tree) if isinstance(each, ast.Assert) and each.msg for node in ast.walk(each.msg)
    }
    return any(
        (isinstance(node, ast.Name) and node.id in ("type", "repr", "ascii"))
        or (isinstance(node, ast.FormattedValue) and node.conversion in (ord("r"), ord("a")) and id(node) not in said)
        or isinstance(node, ast.Match)
        or (isinstance(node, ast.ExceptHandler) and (node.type is None or names_one(node.type, _REFUSALS)))
        for node in ast.walk(tree)
    )
