"""Which names that tests import are modules, for which the candidate may stand, and which they put there themselves."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator

_LOOKS_TEXT = "delattr dir getattr getmembers hasattr ismodule multiple object reload setattr spy vars"
_LOOKS = frozenset(_LOOKS_TEXT.split())
"""Functions that take a module first; among them those of `monkeypatch`, `patch`, `mocker` and `importlib`."""
_IDENTITY = (ast.Is, ast.IsNot, ast.In, ast.NotIn)


def used_as_modules(tree: ast.Module, homes: Collection[str]) -> set[str]:
    """Names that tests import from a module and seem to use as modules of a package.

    They use attributes of it, or hand it to something that does. What they call, index or compute with is a value: if
    the candidate lacks it, it lacks a function, say.
    """
    nodes = list(ast.walk(tree))
    imports = (node for node in nodes if isinstance(node, ast.ImportFrom) and node.module in homes)
    aliases = [alias for node in imports for alias in node.names if alias.name.islower()]
    if not aliases:
        return set()
    looked = {name for node in nodes for name in _looked_at(node)}
    called = {name for node in nodes if isinstance(node, ast.Call) for name in _names(node.func)}
    values = {name for node in nodes for name in _values(node)}
    carried = [pair for node in nodes for pair in _carried(node)]
    found: set[str] = set()
    for alias in aliases:
        own = alias.asname or alias.name
        # With the names that it goes by later: `for module in [calc]: module.f()`.
        names = {own}
        while more := {target for source, target in carried if source in names} - names:
            names |= more
        if names & looked and not names & called and own not in values:
            found.add(alias.name)
    return found


def _names(*nodes: ast.AST | None) -> Iterator[str]:
    return (node.id for node in nodes if isinstance(node, ast.Name))


def _looked_at(node: ast.AST) -> Iterable[str]:
    """Names whose attributes a node reads or changes."""
    if isinstance(node, ast.Attribute):
        return _names(node.value)
    if isinstance(node, ast.Call) and node.args:
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return _names(node.args[0]) if called in _LOOKS else ()
    return ()


def _values(node: ast.AST) -> Iterable[str]:
    """Names that a node uses as no module can be used."""
    if isinstance(node, ast.Subscript):
        return _names(node.value)
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        return _names(*ast.iter_child_nodes(node))
    if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        return _names(node.iter)
    if isinstance(node, ast.Compare) and not all(isinstance(each, _IDENTITY) for each in node.ops):
        return _names(node.left, *node.comparators)
    return ()


def _carried(node: ast.AST) -> Iterable[tuple[str, str]]:
    """Names, each with one that a node gives the same thing."""
    sources: list[ast.expr | None] = []
    targets: list[str] = []
    if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        sources, targets = [node.iter], _stored(node.target)
    elif isinstance(node, ast.Assign):
        sources, targets = [node.value], _stored(*node.targets)
    elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)):
        sources, targets = [node.value], _stored(node.target)
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.decorator_list:
        # A fixture is used by its name.
        sources = [each.value for each in ast.walk(node) if isinstance(each, (ast.Return, ast.Yield))]
        targets = [node.name]
    elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "parametrize" and len(node.args) > 1:
        sources, targets = [node.args[1]], re.findall(r"\w+", ast.unparse(node.args[0]))
    return [(name, target) for source in sources for name in _bare(source) for target in targets]


def _stored(*targets: ast.expr) -> list[str]:
    return [node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)]


def _bare(node: ast.expr | None) -> Iterator[str]:
    """Names that are a value, or stand in its brackets."""
    yield from _names(node)
    inside: list[ast.expr] = []
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        inside = node.elts
    elif isinstance(node, ast.Dict):
        inside = node.values
    elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "param":
        inside = node.args
    for each in inside:
        yield from _bare(each)


def stood_in(tree: ast.AST) -> set[str]:
    """The packages that a program puts into `sys.modules` itself."""
    found = set[str]()
    for node in ast.walk(tree):
        given: list[ast.AST] = []
        if isinstance(node, ast.Assign):
            given = [one for one in node.targets if isinstance(one, ast.Subscript) and _is_modules(one.value)]
        elif isinstance(node, ast.Call) and node.args and _is_modules(node.args[0]):
            given = [*node.args[1:], *node.keywords]
        parts = [part for one in given for part in ast.walk(one)]
        found |= {str(part.value) for part in parts if isinstance(part, ast.Constant)}
        found |= {part.arg for part in parts if isinstance(part, ast.keyword) and part.arg}
    return {name.partition(".")[0] for name in found}


def _is_modules(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return node.value == "sys.modules"
    return isinstance(node, ast.Attribute) and node.attr == "modules" and getattr(node.value, "id", "") == "sys"
