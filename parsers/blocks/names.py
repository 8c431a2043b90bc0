"""The names that a block of code binds and uses."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence
from typing import TypeGuard

from ..code_forms import imported_names


def written(tree: ast.Module) -> set[str]:
    """Those of `defined` that are more than a signature, with a docstring or `...` as its body."""
    stubs = [node for node in top_level(tree.body) if is_stub(node)]
    rest = [node for node in top_level(tree.body) if node not in stubs]
    return defined(tree) - ({node.name for node in stubs} - callables(ast.Module(rest, [])))


_LEFT_OUT = ("NotImplementedError", "NotImplementedError()")


def is_stub(node: ast.stmt) -> TypeGuard[ast.FunctionDef | ast.AsyncFunctionDef]:
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    return all(
        isinstance(one, ast.Pass)
        or (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
        or (isinstance(one, ast.Raise) and one.exc and ast.unparse(one.exc) in _LEFT_OUT)
        for one in node.body
    )


def filled(tree: ast.Module) -> set[str]:
    """Those of `written` that are more than the methods' signatures of a class."""
    outlines = [
        node
        for node in top_level(tree.body)
        if isinstance(node, ast.ClassDef)
        and any(map(is_stub, node.body))
        and all(is_stub(one) or isinstance(one, ast.Expr) for one in node.body)
    ]
    rest = [node for node in top_level(tree.body) if node not in outlines]
    return written(tree) - ({node.name for node in outlines} - callables(ast.Module(rest, [])))


def callables(tree: ast.Module) -> set[str]:
    """Top-level names that can be called: what is defined or imported."""
    imports = [node for node in top_level(tree.body) if isinstance(node, (ast.Import, ast.ImportFrom))]
    return defined(tree).union(*map(imported_names, imports))


def defined(tree: ast.Module) -> set[str]:
    """Top-level functions, classes, lambdas and aliases, but not results."""
    names: set[str] = set()
    for node in top_level(tree.body):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            names |= {
                name for name, value in _assigned(node) if isinstance(value, (ast.Lambda, ast.Name, ast.Attribute))
            }
    return names


def top_level(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, also those under its conditions."""
    for node in body:
        yield node
        if isinstance(node, (ast.If, ast.Try, ast.With, ast.For, ast.While)):
            for name in ("body", "handlers", "orelse", "finalbody"):
                for inner in getattr(node, name, ()):
                    yield from top_level(inner.body if isinstance(inner, ast.ExceptHandler) else [inner])


def _assigned(node: ast.Assign | ast.AnnAssign) -> Iterator[tuple[str, ast.expr | None]]:
    """The names that an assignment binds, each with its value."""
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        if isinstance(target, ast.Name):
            yield target.id, node.value
        elif isinstance(target, (ast.Tuple, ast.List)):
            values = node.value.elts if isinstance(node.value, (ast.Tuple, ast.List)) else []
            paired = values if len(values) == len(target.elts) else [None] * len(target.elts)
            yield from (
                (one.id, value) for one, value in zip(target.elts, paired, strict=True) if isinstance(one, ast.Name)
            )


def provided(tree: ast.Module) -> set[str]:
    """The names that code behind a block can use: what the block defines, imports or assigns."""
    assignments = [node for node in top_level(tree.body) if isinstance(node, (ast.Assign, ast.AnnAssign))]
    known = {name for node in assignments for name, value in _assigned(node) if node.value or value}
    known |= {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}
    return callables(tree) | known | {node.target.id for node in ast.walk(tree) if isinstance(node, ast.NamedExpr)}


def used(tree: ast.Module) -> set[str]:
    """The names that a block reads."""
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def lacking(tree: ast.Module) -> set[str]:
    """The names that a block reads and binds nowhere, which are neither Python's nor a parameter's."""
    bound = provided(tree) | {*dir(builtins)}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            bound |= imported_names(node)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler, ast.MatchAs)):
            bound.add(node.name or "")
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound.add(node.id)
    return used(tree) - bound
