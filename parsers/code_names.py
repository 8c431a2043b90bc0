"""The names that code binds at its top, by what they stand for, and those that it uses."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TypeGuard

from .code_forms import imported_names


def written(tree: ast.Module) -> set[str]:
    """Those of `defined` that are more than a signature, with a docstring or `...` as its body."""
    stubs = [node for node in _top_level(tree.body) if _is_stub(node)]
    rest = [node for node in _top_level(tree.body) if node not in stubs]
    return defined(tree) - ({node.name for node in stubs} - callables(ast.Module(rest, [])))


_LEFT_OUT = ("NotImplementedError", "NotImplementedError()")


def _is_stub(node: ast.stmt) -> TypeGuard[ast.FunctionDef | ast.AsyncFunctionDef]:
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    return all(
        isinstance(one, ast.Pass)
        or (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
        or (isinstance(one, ast.Raise) and one.exc and ast.unparse(one.exc) in _LEFT_OUT)
        for one in node.body
    )


def callables(tree: ast.Module) -> set[str]:
    """Top-level names that can be called: what is defined or imported."""
    imports = [node for node in _top_level(tree.body) if isinstance(node, (ast.Import, ast.ImportFrom))]
    return defined(tree).union(*map(imported_names, imports))


def defined(tree: ast.Module) -> set[str]:
    """Top-level functions, classes, lambdas and aliases, but not results."""
    names: set[str] = set()
    for node in _top_level(tree.body):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            names |= {
                name for name, value in _assigned(node) if isinstance(value, (ast.Lambda, ast.Name, ast.Attribute))
            }
    return names


def _top_level(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, also those under its conditions."""
    for node in body:
        yield node
        if isinstance(node, (ast.If, ast.Try, ast.With, ast.For, ast.While)):
            for name in ("body", "handlers", "orelse", "finalbody"):
                for inner in getattr(node, name, ()):
                    yield from _top_level(inner.body if isinstance(inner, ast.ExceptHandler) else [inner])


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


def may_bind(tree: ast.Module) -> bool:
    """Whether code may bind names that it does not show: by `import *`, `exec` or `globals()`."""
    named = {alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names} & {"*"}
    return bool(named or _BINDERS & {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)})


_BINDERS = frozenset({"exec", "globals", "setattr", "vars"})


def provided(tree: ast.Module) -> set[str]:
    assignments = [node for node in _top_level(tree.body) if isinstance(node, (ast.Assign, ast.AnnAssign))]
    known = {name for node in assignments for name, value in _assigned(node) if node.value or value}
    known |= {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}
    return callables(tree) | known | {node.target.id for node in ast.walk(tree) if isinstance(node, ast.NamedExpr)}


def used(tree: ast.Module) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
