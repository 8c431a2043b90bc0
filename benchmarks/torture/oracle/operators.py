"""The ways in which one place of a program is made wrong, one at a time.

Left alone: docstrings, annotations, decorators, asserts, imports and what is raised. Strings are not changed either: a
changed string is found by nearly any test.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

_COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_COUNTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
_SWAPPED = {"min": "max", "max": "min", "any": "all", "all": "any"}
_TURNED = {"startswith": "endswith", "endswith": "startswith", "removeprefix": "removesuffix", "find": "rfind"}
_PLAIN = frozenset({"strip", "lstrip", "rstrip", "lower", "removesuffix", "removeprefix"})

Change = Callable[[Any], Any]
"""Gets a copy of a node, changes it or makes another one, and returns what stands in its place."""


@dataclass(frozen=True, slots=True)
class _Place:
    node: ast.AST
    parent: ast.AST
    field: str
    index: int | None
    statement: ast.stmt


def mutated(tree: ast.Module) -> Iterator[tuple[int, ast.Module]]:
    """Every program with one place changed, and the line of the place, in an order that depends on the tree alone."""
    for number, statement in enumerate(tree.body):
        # Only the statement of the module that is changed is copied; a function's mutants share all others.
        around = ast.Module([statement], [])
        for place in _places(around, None):
            for change in _changes(place):
                if changed := _changed(around, place, change):
                    line: int = getattr(place.node, "lineno", place.statement.lineno)
                    yield line, ast.Module([*tree.body[:number], *changed.body, *tree.body[number + 1 :]], [])


def _changed(around: ast.Module, place: _Place, change: Change) -> ast.Module | None:
    """A changed copy; None where the change makes no difference."""
    copied: dict[int, Any] = {}
    code = copy.deepcopy(around, copied)
    parent, node = copied[id(place.parent)], copied[id(place.node)]
    made = change(node)
    if place.index is None:
        setattr(parent, place.field, made)
    else:
        getattr(parent, place.field)[place.index] = made
    return None if ast.dump(code) == ast.dump(around) else ast.fix_missing_locations(code)


def _places(node: ast.AST, statement: ast.stmt | None) -> Iterator[_Place]:
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "ctx") or _left_alone(node):
            continue
        children: list[Any] = value if isinstance(value, list) else [value]
        for index, child in enumerate(children):
            if not isinstance(child, ast.AST) or _is_docstring(child):
                continue
            own = child if isinstance(child, ast.stmt) else statement
            if own is not None:
                yield _Place(child, node, field, index if isinstance(value, list) else None, own)
            yield from _places(child, own)


def _left_alone(node: ast.AST) -> bool:
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        return node.value.id in ("Literal", "Callable", "Annotated", "dict", "list", "tuple", "type")
    return isinstance(node, (ast.JoinedStr, ast.Assert, ast.Import, ast.ImportFrom, ast.Raise))


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _called(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def _changes(place: _Place) -> Iterator[Change]:
    node = place.node
    for kind, changes in _BY_KIND:
        if isinstance(node, kind):
            yield from changes(node)
    if isinstance(node, ast.expr) and place.field == "test" and not isinstance(node, (ast.Constant, ast.NamedExpr)):
        yield lambda test: ast.UnaryOp(ast.Not(), test)
        if not isinstance(place.parent, ast.While):
            yield lambda _: ast.Constant(True)
        yield lambda _: ast.Constant(False)
    if isinstance(place.parent, ast.comprehension) and place.field == "ifs":
        yield lambda _: ast.Constant(True)
    if place.field == "iter":
        yield lambda _: ast.Tuple([], ast.Load())


def _set(name: str, value: Any) -> Change:
    def change(node: Any) -> Any:
        setattr(node, name, value() if isinstance(value, type) else value)
        return node

    return change


def _without(name: str, index: int) -> Change:
    def change(node: Any) -> Any:
        del getattr(node, name)[index]
        return node

    return change


def _compare(node: ast.Compare) -> Iterator[Change]:
    for index, operator in enumerate(node.ops):
        for other in _COMPARED[type(operator)]:
            yield _set("ops", [*node.ops[:index], other(), *node.ops[index + 1 :]])


def _boolean(node: ast.BoolOp) -> Iterator[Change]:
    yield _set("op", ast.Or if isinstance(node.op, ast.And) else ast.And)
    for index in range(len(node.values)):
        if len(node.values) > 2:
            yield _without("values", index)
        else:
            yield lambda copied, kept=1 - index: copied.values[kept]


def _counted(node: ast.BinOp | ast.AugAssign) -> Iterator[Change]:
    if type(node.op) in _COUNTED:
        yield _set("op", _COUNTED[type(node.op)])


def _unary(node: ast.UnaryOp) -> Iterator[Change]:
    if isinstance(node.op, (ast.Not, ast.USub)):
        yield lambda copied: copied.operand


def _constant(node: ast.Constant) -> Iterator[Change]:
    value = node.value
    if isinstance(value, bool):
        yield _set("value", not value)
    elif isinstance(value, (int, float)):
        yield _set("value", value + 1 if abs(value) < 100 else value * 2)
        if value:
            yield _set("value", value - 1 if abs(value) < 100 else value // 2)


def _call(node: ast.Call) -> Iterator[Change]:
    name = _called(node)
    if isinstance(node.func, ast.Name):
        if name in _SWAPPED:
            yield _set("func", ast.Name(_SWAPPED[name], ast.Load()))
        if name in ("sorted", "reversed") and node.args:
            yield lambda copied: ast.Call(ast.Name("list", ast.Load()), copied.args[:1], [])
    elif isinstance(node.func, ast.Attribute):
        if name in _TURNED:
            yield lambda copied: _set("func", ast.Attribute(copied.func.value, _TURNED[name], ast.Load()))(copied)
        if name in _PLAIN:
            yield lambda copied: copied.func.value
    if len(node.args) > 1 and not any(isinstance(argument, ast.Starred) for argument in node.args[:2]):
        yield _set("args", [node.args[1], node.args[0], *node.args[2:]])
    for index, keyword in enumerate(node.keywords):
        if keyword.arg is not None:
            yield _without("keywords", index)


def _slice(node: ast.Slice) -> Iterator[Change]:
    for name in ("lower", "upper"):
        if getattr(node, name) is not None:
            yield _set(name, None)


def _returned(node: ast.Return) -> Iterator[Change]:
    if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
        yield _set("value", ast.Constant(None))


def _removed(node: ast.stmt) -> Iterator[Change]:
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Constant):
        yield lambda _: ast.Pass()


def _jump(node: ast.Break | ast.Continue) -> Iterator[Change]:
    yield lambda _: ast.Continue() if isinstance(node, ast.Break) else ast.Break()


def _handler(node: ast.ExceptHandler) -> Iterator[Change]:
    if isinstance(node.type, ast.Tuple):
        for index in range(len(node.type.elts)):
            kept = [*node.type.elts[:index], *node.type.elts[index + 1 :]]
            yield _set("type", ast.Tuple(kept, ast.Load()))
    elif node.type is not None:
        yield _set("type", ast.Tuple([], ast.Load()))


_BY_KIND: tuple[tuple[Any, Callable[[Any], Iterator[Change]]], ...] = (
    (ast.Compare, _compare),
    (ast.BoolOp, _boolean),
    ((ast.BinOp, ast.AugAssign), _counted),
    (ast.UnaryOp, _unary),
    (ast.Constant, _constant),
    (ast.Call, _call),
    (ast.Slice, _slice),
    (ast.Return, _returned),
    ((ast.Expr, ast.AugAssign, ast.Raise, ast.Delete), _removed),
    ((ast.Break, ast.Continue), _jump),
    (ast.ExceptHandler, _handler),
)
