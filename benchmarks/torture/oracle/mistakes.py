"""Mistakes of models, each made at one node of a program's tree."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

Mistake = Callable[[Any], ast.AST | None]
"""Gets a copy of a node and returns what stands in its place; None where it has nothing to change."""


def missing_import(node: ast.Import | ast.ImportFrom) -> ast.AST:
    return ast.Pass()


def missing_name_of_import(node: ast.ImportFrom) -> ast.AST | None:
    if len(node.names) < 2:
        return None
    node.names = node.names[1:]
    return node


def other_exception(node: ast.Raise) -> ast.AST | None:
    raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    if not isinstance(raised, ast.Name):
        return None
    raised.id = {"ValueError": "TypeError", "TypeError": "ValueError", "KeyError": "IndexError"}.get(
        raised.id, "RuntimeError"
    )
    return node


def printed_not_raised(node: ast.Raise) -> ast.AST:
    return ast.parse("print('Error')").body[0]


def returned_not_raised(node: ast.Raise) -> ast.AST:
    return ast.parse("return None").body[0]


def missing_return(node: ast.Return) -> ast.AST | None:
    return ast.Expr(node.value) if node.value else None


def printed_not_returned(node: ast.Return) -> ast.AST | None:
    return ast.Expr(ast.Call(ast.Name("print", ast.Load()), [node.value], [])) if node.value else None


def missing_statement(node: ast.Assign | ast.AugAssign | ast.For | ast.While | ast.If) -> ast.AST:
    return ast.Pass()


def missing_decorator(node: ast.FunctionDef | ast.ClassDef) -> ast.AST | None:
    if not node.decorator_list:
        return None
    node.decorator_list.pop()
    return node


def missing_base(node: ast.ClassDef) -> ast.AST | None:
    if not node.bases:
        return None
    node.bases.pop()
    return node


def misspelled_method(node: ast.FunctionDef) -> ast.AST | None:
    if not (node.name.startswith("__") and node.name.endswith("__")):
        return None
    node.name = node.name.strip("_")
    return node


def other_default(node: ast.arguments) -> ast.AST | None:
    constants = [d for d in node.defaults if isinstance(d, ast.Constant)]
    if not constants:
        return None
    last = constants[-1]
    last.value = {True: False, False: True, None: 0, "": " "}.get(last.value, 2 if last.value != 2 else 3)
    return node


def mutable_default(node: ast.FunctionDef) -> ast.AST | None:
    for place, default in enumerate(node.args.defaults):
        if isinstance(default, ast.Constant) and default.value is None:
            node.args.defaults[place] = ast.List([], ast.Load())
            return node
    return None


def lazy(node: ast.ListComp) -> ast.AST:
    return ast.GeneratorExp(node.elt, node.generators)


def eager(node: ast.GeneratorExp) -> ast.AST:
    return ast.ListComp(node.elt, node.generators)


def wrong_call(node: ast.Call) -> ast.AST | None:
    """A call such as models mix up with its like."""
    if not isinstance(node.func, ast.Name):
        return None
    name, first = node.func.id, node.args[:1]
    if name == "sorted" and len(node.args) == 1:
        inner = ast.Call(ast.Name("set", ast.Load()), first, [])
        return ast.Call(ast.Name("list", ast.Load()), [inner], [])
    if name == "round" and len(node.args) == 1:
        return ast.Call(ast.Name("int", ast.Load()), first, [])
    if name in ("list", "tuple", "set", "dict", "str", "bool", "abs", "iter") and len(node.args) == 1:
        return node.args[0]
    if name in ("range", "enumerate") and len(node.args) > 1:
        node.args.pop()
        return node
    return None


def wrong_method(node: ast.Attribute) -> ast.AST | None:
    other = _METHODS.get(node.attr)
    if other is None:
        return None
    node.attr = other
    return node


def float_division(node: ast.BinOp) -> ast.AST | None:
    if isinstance(node.op, ast.FloorDiv):
        node.op = ast.Div()
    elif isinstance(node.op, ast.Div):
        node.op = ast.FloorDiv()
    else:
        return None
    return node


def identity(node: ast.Compare) -> ast.AST | None:
    if not isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
        return None
    node.ops[0] = ast.Is() if isinstance(node.ops[0], ast.Eq) else ast.IsNot()
    return node


def other_text(node: ast.Constant) -> ast.AST | None:
    if not isinstance(node.value, str) or not node.value:
        return None
    node.value = node.value[:-1] if len(node.value) > 1 else f"{node.value} "
    return node


def no_format(node: ast.FormattedValue) -> ast.AST | None:
    if node.format_spec is None and node.conversion == -1:
        return None
    node.format_spec, node.conversion = None, -1
    return node


def no_await(node: ast.Await) -> ast.AST:
    return node.value


def flat_yield(node: ast.YieldFrom) -> ast.AST:
    return ast.Yield(node.value)


def no_scope(node: ast.Global | ast.Nonlocal) -> ast.AST:
    return ast.Pass()


def new_list(node: ast.AugAssign) -> ast.AST | None:
    if not isinstance(node.target, ast.Name):
        return None
    left = ast.Name(node.target.id, ast.Load())
    return ast.Assign([node.target], ast.BinOp(left, node.op, node.value))


def alias(node: ast.Subscript) -> ast.AST | None:
    whole = isinstance(node.slice, ast.Slice) and node.slice.lower is node.slice.upper is node.slice.step is None
    return node.value if whole and isinstance(node.ctx, ast.Load) else None


def list_not_tuple(node: ast.Tuple) -> ast.AST | None:
    return ast.List(node.elts, node.ctx) if isinstance(node.ctx, ast.Load) and node.elts else None


def misspelled_name(node: ast.Name) -> ast.AST | None:
    if not isinstance(node.ctx, ast.Load) or len(node.id) < 4:
        return None
    node.id = node.id[:-2] + node.id[-1]
    return node


def misspelled_attribute(node: ast.Attribute) -> ast.AST | None:
    if not (isinstance(node.value, ast.Name) and node.value.id == "self" and isinstance(node.ctx, ast.Load)):
        return None
    node.attr += "s"
    return node


def hint_without_import(node: ast.FunctionDef) -> ast.AST | None:
    if not node.args.args or node.name.startswith("__"):
        return None
    node.args.args[-1].annotation = ast.parse("List[int]", mode="eval").body
    return node


def wrong_except(node: ast.ExceptHandler) -> ast.AST | None:
    if not isinstance(node.type, (ast.Name, ast.Tuple)):
        return None
    node.type = ast.Name("ArithmeticError" if ast.unparse(node.type) != "ArithmeticError" else "OSError", ast.Load())
    return node


def swapped_operands(node: ast.BinOp) -> ast.AST | None:
    if not isinstance(node.op, (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.Add)):
        return None
    node.left, node.right = node.right, node.left
    return node


def missing_argument(node: ast.Call) -> ast.AST | None:
    if not node.args or isinstance(node.args[-1], ast.Starred):
        return None
    node.args.pop()
    return node


def renamed(node: ast.FunctionDef | ast.ClassDef) -> ast.AST | None:
    if node.name.startswith("_"):
        return None
    node.name = f"{node.name}_1"
    return node


_METHODS = {
    "append": "extend",
    "extend": "append",
    "update": "setdefault",
    "fullmatch": "match",
    "match": "search",
    "search": "match",
    "split": "splitlines",
    "items": "keys",
    "values": "keys",
    "deepcopy": "copy",
    "isdigit": "isalpha",
    "lower": "upper",
    "upper": "title",
    "popleft": "pop",
    "heappush": "heappushpop",
    "bisect_left": "bisect_right",
    "ljust": "rjust",
    "sort": "reverse",
    "casefold": "lower",
    "isdecimal": "isdigit",
    "stdev": "pstdev",
    "ceil": "floor",
    "floor": "trunc",
    "combinations": "permutations",
}
_ANY_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
MISTAKES: tuple[tuple[Any, Mistake], ...] = (
    ((ast.Import, ast.ImportFrom), missing_import),
    (ast.ImportFrom, missing_name_of_import),
    (ast.Raise, other_exception),
    (ast.Raise, printed_not_raised),
    (ast.Raise, returned_not_raised),
    (ast.Return, missing_return),
    (ast.Return, printed_not_returned),
    ((ast.Assign, ast.AugAssign, ast.For, ast.While, ast.If), missing_statement),
    ((*_ANY_FUNCTION, ast.ClassDef), missing_decorator),
    (ast.ClassDef, missing_base),
    (_ANY_FUNCTION, misspelled_method),
    (ast.arguments, other_default),
    (_ANY_FUNCTION, mutable_default),
    (ast.ListComp, lazy),
    (ast.GeneratorExp, eager),
    (ast.Call, wrong_call),
    (ast.Attribute, wrong_method),
    (ast.BinOp, float_division),
    (ast.Compare, identity),
    (ast.Constant, other_text),
    (ast.FormattedValue, no_format),
    (ast.Await, no_await),
    (ast.YieldFrom, flat_yield),
    ((ast.Global, ast.Nonlocal), no_scope),
    (ast.AugAssign, new_list),
    (ast.Subscript, alias),
    (ast.Tuple, list_not_tuple),
    (ast.Name, misspelled_name),
    (ast.Attribute, misspelled_attribute),
    (_ANY_FUNCTION, hint_without_import),
    (ast.ExceptHandler, wrong_except),
    (ast.BinOp, swapped_operands),
    (ast.Call, missing_argument),
    ((*_ANY_FUNCTION, ast.ClassDef), renamed),
)
