"""The names that a block of code binds and uses."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeGuard

from ..code_forms import imported_names

_Function = (ast.FunctionDef, ast.AsyncFunctionDef)
_Import = (ast.Import, ast.ImportFrom)


def written(tree: ast.Module) -> set[str]:
    """Those of `defined` that are more than a signature, with a docstring or `...` as its body."""
    nodes = [*top_level(tree.body)]
    stubs = {node.name for node in nodes if is_stub(node)}
    return _defined(nodes) - (stubs - _callables(node for node in nodes if not is_stub(node)))


def is_stub(node: ast.stmt) -> TypeGuard[ast.FunctionDef | ast.AsyncFunctionDef]:
    if not isinstance(node, _Function):
        return False
    return all(
        isinstance(one, ast.Pass)
        or (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
        or (isinstance(one, ast.Raise) and _is_left_out(one.exc))
        for one in node.body
    )


def _is_left_out(raised: ast.expr | None) -> bool:
    if isinstance(raised, ast.Call) and not raised.args and not raised.keywords:
        raised = raised.func
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"


def filled(tree: ast.Module) -> set[str]:
    """Those of `written` that are more than the methods' signatures of a class."""
    nodes = [*top_level(tree.body)]
    outlines = {node.name for node in nodes if _is_outline(node)}
    return written(tree) - (outlines - _callables(node for node in nodes if not _is_outline(node)))


def _is_outline(node: ast.stmt) -> TypeGuard[ast.ClassDef]:
    return (
        isinstance(node, ast.ClassDef)
        and any(map(is_stub, node.body))
        and all(is_stub(one) or isinstance(one, ast.Expr) for one in node.body)
    )


def callables(tree: ast.Module) -> set[str]:
    """Top-level names that can be called: what is defined or imported."""
    return _callables(top_level(tree.body))


def _callables(flat: Iterable[ast.stmt]) -> set[str]:
    nodes = [*flat]
    return _defined(nodes).union(*(imported_names(node) for node in nodes if isinstance(node, _Import)))


def defined(tree: ast.Module) -> set[str]:
    """Top-level functions, classes, lambdas and aliases, but not results."""
    return _defined(top_level(tree.body))


def _defined(flat: Iterable[ast.stmt]) -> set[str]:
    names: set[str] = set()
    for node in flat:
        if isinstance(node, (*_Function, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            names |= {
                name for name, value in _assigned(node) if isinstance(value, (ast.Lambda, ast.Name, ast.Attribute))
            }
    return names


def top_level(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, also those under its conditions."""
    waiting: list[ast.stmt | ast.ExceptHandler] = [*reversed(body)]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, ast.ExceptHandler):
            yield node
        if isinstance(node, (ast.If, ast.Try, ast.With, ast.For, ast.While, ast.ExceptHandler)):
            parts = ("body", "handlers", "orelse", "finalbody")
            waiting += reversed([inner for name in parts for inner in getattr(node, name, ())])


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
    """The names that a block reads, but for a function's parameters in it."""
    names: set[str] = set()
    waiting: list[tuple[ast.AST, frozenset[str]]] = [(tree, frozenset())]
    while waiting:
        node, bound = waiting.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in bound:
            names.add(node.id)
        inner: set[ast.AST] = set()
        if isinstance(node, (*_Function, ast.Lambda)):
            inner = {node.body} if isinstance(node, ast.Lambda) else {*node.body}
            own = bound.union(one.arg for one in ast.iter_child_nodes(node.args) if isinstance(one, ast.arg))
            waiting += [(one, own) for one in inner]
        waiting += [(one, bound) for one in ast.iter_child_nodes(node) if one not in inner]
    return names


def lacking(tree: ast.Module) -> set[str]:
    """The names that a block reads and binds nowhere, which are neither Python's nor a parameter's."""
    bound = provided(tree) | {*dir(builtins)}
    for node in ast.walk(tree):
        if isinstance(node, _Import):
            bound |= imported_names(node)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, (*_Function, ast.ClassDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
            bound.add(node.name or "")
        elif isinstance(node, ast.MatchMapping):
            bound.add(node.rest or "")
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound.add(node.id)
    return used(tree) - bound
