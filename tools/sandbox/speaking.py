"""Rewrites tests: every assert reports its actual and expected values, and every loop reports that it ran."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

_OPERATORS: dict[type[ast.cmpop], str] = {
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}


def is_checking(node: ast.AST, checking: frozenset[str]) -> bool:
    """Whether a node asserts, raises, or names one of the functions and methods that do."""
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", "")
        return name in checking or name.startswith("assert")
    return isinstance(node, (ast.Assert, ast.Raise)) or (isinstance(node, ast.Name) and node.id in checking)


def statement(source: str, place: ast.stmt) -> ast.stmt:
    """Parse a statement and give it another one's position."""
    made = ast.parse(source).body[0]
    for node in ast.walk(made):
        ast.copy_location(node, place)
    return made


class Speaking(ast.NodeTransformer):
    """Makes every assert report its actual and expected values, and every loop report that it ran.

    Names that it adds start with one underscore, because Python mangles two inside a class.

    Args:
        checking: functions and methods of the tests that check something.
        known: names that are not the candidate's: Python's own, of the library, of classes of the tests.
        functions: those of the tests.
    """

    def __init__(self, checking: frozenset[str], known: frozenset[str], functions: frozenset[str]) -> None:
        self._checking = checking
        self._known, self._functions = known, functions
        self._checks_here = False
        self._in_function = False
        self._in_loop = False
        self._alone = False
        self.loops = 0

    def changed(self, node: ast.stmt) -> list[ast.stmt]:
        """The statements that replace a statement."""
        self._alone = isinstance(node, ast.Assert)
        made: Any = self.visit(node)
        return made if isinstance(made, list) else [made]  # pyright: ignore[reportUnknownVariableType]

    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        self._checks_here = self._checks_here or not _never(node.test)
        made = [each for part in _parts(node) for each in _speaking(part, self._known, self._functions)]
        if not (self._alone or self._in_loop or self._in_function or _never(node.test)):
            # Beside a loop that has no rounds, it has checked something.
            made.insert(0, statement("_tg_ran(True)", node))
        for child in (child for statement in made for child in ast.walk(statement)):
            if isinstance(child, (ast.stmt, ast.expr)) and not hasattr(child, "lineno"):
                ast.copy_location(child, node)
        return made

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self._checks_here = self._checks_here or is_checking(node, self._checking)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        self._checks_here = self._checks_here or is_checking(node, self._checking)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._apart(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._apart(node)

    def _apart(self, node: ast.AST) -> ast.AST:
        outside = self._checks_here, self._in_function
        self._in_function = True
        self.generic_visit(node)
        self._checks_here, self._in_function = outside
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        return self._loop(node)

    def visit_AsyncFor(self, node: ast.AsyncFor) -> ast.AST:
        return self._loop(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        return self._loop(node)

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While) -> ast.AST:
        outside, in_loop = self._checks_here, self._in_loop
        self._checks_here, self._in_loop = False, True
        self.generic_visit(node)
        self._in_loop = in_loop
        if self._checks_here and not self._in_function:
            self.loops += 1
            node.body.insert(0, statement("_tg_ran(True)", node))
        self._checks_here = outside
        return node


def _never(test: ast.expr) -> bool:
    """Whether a test says that its line must not be reached."""
    return isinstance(test, ast.Constant) and not test.value


def _parts(node: ast.Assert) -> list[ast.Assert]:
    """An assert as several that say which part of `and` is not true."""
    test = node.test
    if not isinstance(test, ast.BoolOp) or isinstance(test.op, ast.Or) or any(map(_never, test.values)):
        return [node]
    return [ast.copy_location(ast.Assert(value, node.msg), node) for value in test.values]


def _speaking(node: ast.Assert, known: frozenset[str], functions: frozenset[str]) -> list[ast.stmt]:
    message = _place(node) + ([node.msg] if node.msg else [])
    if _never(node.test):
        wanted: ast.expr = ast.Constant("an exception before it")
        return [_raise(ast.Constant("the line was reached"), wanted, message)]
    test = node.test
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        left, right = _name("_tg_left"), _name("_tg_right")
        first, second = _assign("_tg_left", test.left), _assign("_tg_right", test.comparators[0])
        operator = test.ops[0]
        if isinstance(operator, ast.Eq):
            wanted = test.comparators[0]
            side = _asks(test.left, known | functions) - _asks(wanted, known | functions)
            holds: ast.expr = ast.Call(_name("_tg_same"), [left, right, ast.Constant(side)], [])
            asked_last = _asks(wanted, known) and not _asks(test.left, known)
            literal_first = asked_last or (_is_literal(test.left) and not _is_literal(wanted))
            got, expected, sign = (right, left, "") if literal_first else (left, right, "")
        else:
            holds = ast.Compare(left, [operator], [right])
            got, expected, sign = left, right, f"{_OPERATORS[type(operator)]} "
        shown = ast.Call(_name("_tg_shown"), [ast.Constant(sign), expected], [])
        return [first, second, ast.If(holds, [ast.Pass()], [_raise(got, shown, message)]), _forget(left, right)]
    got = _name("_tg_left")
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        raised = _raise(got, ast.Constant("something false"), message)
        return [_assign("_tg_left", test.operand), ast.If(got, [raised], []), _forget(got)]
    raised = _raise(got, ast.Constant("something true"), message)
    return [_assign("_tg_left", test), ast.If(got, [ast.Pass()], [raised]), _forget(got)]


_LONGEST = 200


def _place(node: ast.Assert) -> list[ast.expr]:
    """Which assert it is, for feedback: its text, its line, and where its names have their values from."""
    names = sorted({child.id for child in ast.walk(node.test) if isinstance(child, ast.Name)})
    try:
        source = ast.unparse(ast.Assert(node.test))
    except ValueError:
        # An integer of very many digits.
        source = ""
    source = source if len(source) <= _LONGEST else f"{source[:_LONGEST]} …"
    given: list[ast.expr] = [ast.Constant(" ".join(names)), ast.Call(_name("_tg_locals"), [], [])]
    return [ast.Constant(source), ast.Constant(node.lineno), ast.Call(_name("_tg_values"), given, [])]


def _raise(got: ast.expr, expected: ast.expr, message: Iterable[ast.expr]) -> ast.stmt:
    return ast.Raise(ast.Call(_name("_tg_failed"), [got, expected, *message], []), None)


def _assign(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _forget(*names: ast.Name) -> ast.stmt:
    """A test may look whether an object is still alive."""
    return ast.Delete([ast.Name(name.id, ast.Del()) for name in names])


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _asks(node: ast.AST, known: frozenset[str]) -> bool:
    """Whether a node calls a function of the candidate's, or a method; to make an object to compare with is neither."""
    return any(isinstance(child, ast.Call) and _is_asked(child.func, known) for child in ast.walk(node))


def _is_asked(called: ast.expr, known: frozenset[str]) -> bool:
    root = called
    while isinstance(root, (ast.Attribute, ast.Call, ast.Subscript)):
        root = root.func if isinstance(root, ast.Call) else root.value
    if not isinstance(root, ast.Name) or root.id in known:
        return False
    return called is not root or not root.id[0].isupper()


def _is_literal(node: ast.AST) -> bool:
    return not any(isinstance(child, ast.Name) for child in ast.walk(node))
