"""Walks the syntax tree of the tests, and makes new nodes for it. The module `ast` would take too long to import."""

from __future__ import annotations

import _ast
from collections.abc import Iterator

from ..mirror import kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PLACE = ("lineno", "col_offset", "end_lineno", "end_col_offset")
_DEFINITIONS = (_ast.FunctionDef, _ast.AsyncFunctionDef, _ast.ClassDef, _ast.Lambda)


def children_of(node: Any) -> Iterator[Any]:
    """The nodes right below a node."""
    for name in node._fields:
        value: Any = getattr(node, name, None)
        yield from (one for one in (value if kind_of(value) is list else [value]) if isinstance(one, _ast.AST))


def all_nodes(tree: Any) -> Iterator[Any]:
    """A node and all nodes below it, level by level."""
    nodes = [tree]
    for node in nodes:
        nodes += children_of(node)
        yield node


def all_below(node: Any) -> list[Any]:
    """A node and all nodes below it, but not what stands inside functions and classes."""
    nodes: list[Any] = [node]
    for one in nodes:
        nodes += () if isinstance(one, _DEFINITIONS) else children_of(one)
    return nodes


def put_at(place: Any, node: Any) -> Any:
    """Give a new node the position of another one, and return it."""
    for name in _PLACE:
        if hasattr(place, name):
            setattr(node, name, getattr(place, name))
    return node


def written_at(source: str, place: Any) -> Any:
    """A statement from source text, at the position of a node; if it is a call, the node becomes its argument."""
    tree: Any = compile(source, "", "exec", _ast.PyCF_ONLY_AST)
    made = tree.body[0]
    for one in all_below(made):
        if isinstance(one, (_ast.stmt, _ast.expr)):
            put_at(place, one)
    if isinstance(getattr(made, "value", None), _ast.Call):
        made.value.args = [place]
    return made
