"""Rewrites tests: every assert reports its actual and expected values, and every loop reports that it ran."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import Any, cast

from ..inside.findings.swallowed import guard_statement, printed
from .collected import EXITS
from .names import Names, is_candidates, is_from_candidate, sides, written

_OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Eq: "",
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
_MIRRORED = {
    "": "",
    "!=": "!=",
    "<": ">",
    "<=": ">=",
    ">": "<",
    ">=": "<=",
    "is": "is",
    "is not": "is not",
    "in": "something that contains",
    "not in": "something without",
}
"""Comparisons as they read with their sides swapped."""
_NAME = re.compile(r"[^\W\d]\w*")
_GUARDED = "try: pass\nexcept _tg_assertion as _tg_error:\n    _tg_escaped(_tg_error)\n    raise"
"""Put around a test, to note the failed assert that leaves it: the tests may swallow it."""


def is_checking(node: ast.AST, checking: frozenset[str]) -> bool:
    """Whether a node checks something: it asserts, raises, or ends the program with a status; or it names a function
    that does, of the tests (`checking`) or of a library, such as `assert_allclose(…)` or `with raises(…)`."""
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", "") or getattr(node.func, "id", "")
        status = node.args[getattr(node.func, "id", "") == "_tg_ended" :]
        if status and isinstance(node.func, (ast.Name, ast.Attribute)) and written(node.func) in EXITS:
            return not isinstance(status[0], ast.Constant) or bool(status[0].value)
        return name in checking or name.startswith("assert") or name in ("raises", "warns")
    return isinstance(node, (ast.Assert, ast.Raise)) or (isinstance(node, ast.Name) and node.id in checking)


def statement(source: str, place: ast.stmt | ast.expr) -> ast.stmt:
    """Parse a statement and give it another node's position."""
    made = ast.parse(source).body[0]
    for node in ast.walk(made):
        ast.copy_location(node, place)
    return made


class AssertRewriter(ast.NodeTransformer):
    """Makes every assert report its actual and expected values, and every loop report that it ran.

    Names that it adds start with one underscore, because Python mangles two inside a class.

    Args:
        checking: functions and methods of the tests that check something.
        names: what their names stand for.
    """

    def __init__(self, checking: frozenset[str], names: Names) -> None:
        self._checking, self._names = checking, names
        self._checks_here = False
        self._in_function = False
        self._in_loop = False
        self._alone = False
        self._reached = ("", "the line not to be reached", "that it was")
        self.loops = 0

    def changed(self, node: ast.stmt) -> list[ast.stmt]:
        """The statements that replace a statement."""
        self._alone = isinstance(node, ast.Assert)
        made: Any = self.visit(node)
        return made if isinstance(made, list) else [made]  # pyright: ignore[reportUnknownVariableType]

    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        self._checks_here = self._checks_here or not _never(node.test)
        made = [each for part in _parts(node) for each in _reporting(part, self._names, self._reached)]
        if not (self._alone or self._in_loop or self._in_function or _never(node.test)):
            # Beside a loop that has no rounds, it has checked something.
            made.insert(0, statement("_tg_ran(True)", node))
        for child in (child for statement in made for child in ast.walk(statement)):
            if isinstance(child, (ast.stmt, ast.expr)) and not hasattr(child, "lineno"):
                ast.copy_location(child, node)
        return made

    def _checks(self, node: ast.AST) -> ast.AST:
        self._checks_here = self._checks_here or is_checking(node, self._checking)
        return self.generic_visit(node)

    visit_Call = visit_Name = _checks  # noqa: N815

    def _apart(self, node: ast.AST) -> ast.AST:
        outside = self._checks_here, self._in_function
        self._in_function = True
        self.generic_visit(node)
        self._checks_here, self._in_function = outside
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test"):
            guarded = statement(_GUARDED, node)
            guarded.body, node.body = node.body, [guarded]  # pyright: ignore[reportAttributeAccessIssue]
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = _apart  # noqa: N815

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While) -> ast.AST:
        guard_statement(node)
        outside, in_loop = self._checks_here, self._in_loop
        self._checks_here, self._in_loop = False, True
        self.generic_visit(node)
        self._in_loop = in_loop
        if self._checks_here and not self._in_function:
            self.loops += 1
            node.body.insert(0, statement("_tg_ran(True)", node))
        self._checks_here = outside
        return node

    visit_For = visit_AsyncFor = visit_While = _loop  # noqa: N815

    def _with(self, node: ast.With | ast.AsyncWith) -> ast.AST:
        guard_statement(node, self._checking & self._names.functions)
        return self.generic_visit(node)

    visit_With = visit_AsyncWith = _with  # noqa: N815

    def _try(self, node: ast.Try | ast.TryStar) -> ast.AST:
        outside = self._reached
        kinds = [written(one.type) if one.type else "an exception" for one in node.handlers if not printed(one)]
        if kinds:
            before = "; ".join(written(one) for one in node.body if not _is_never(one))
            self._reached = (f"{before};", f"{' or '.join(kinds)} before it", "none")
        guard_statement(node)
        node.body, node.orelse = self._each(node.body), self._each(node.orelse)
        self._reached = outside
        node.handlers, node.finalbody = self._each(node.handlers), self._each(node.finalbody)
        return node

    visit_Try = visit_TryStar = _try  # noqa: N815

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.AST]:
        outside, condition, tells = self._reached, written(node.test), any(map(_is_never, [*node.body, *node.orelse]))
        node.test = cast(ast.expr, self.visit(node.test))
        if tells:
            node.test = _Seeing(self._names).inside(node.test)
        self._reached = (f"if {condition}:", "a condition that is false", "one that is true")
        node.body = self._each(node.body)
        self._reached = (f"if {condition}:", "a condition that is true", "one that is false")
        node.orelse = self._each(node.orelse)
        self._reached = outside
        return [statement("_tg_seen.clear()", node), node] if tells else node

    def _each(self, nodes: Iterable[Any]) -> list[Any]:
        made = [self.visit(node) for node in nodes]
        return [each for one in made for each in (one if isinstance(one, list) else [one])]  # pyright: ignore[reportUnknownVariableType]


def _is_never(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assert) and _never(node.test)


def _never(test: ast.expr) -> bool:
    """Whether a test says that its line must not be reached."""
    return isinstance(test, ast.Constant) and not test.value


def _parts(node: ast.Assert) -> list[ast.Assert]:
    """An assert as several that say which part of `and` is not true."""
    test = node.test
    if not isinstance(test, ast.BoolOp) or isinstance(test.op, ast.Or) or any(map(_never, test.values)):
        return [node]
    return [ast.copy_location(ast.Assert(value, node.msg), node) for value in test.values]


def _reporting(node: ast.Assert, names: Names, reached: tuple[str, str, str]) -> list[ast.stmt]:
    """The statements that an assert becomes. For `assert False`, `reached` has what stands before it, what should have
    happened there, and what happened instead."""
    test, source = node.test, _source(node.test)
    seeing = _Seeing(names)
    got, right = _name("_tg_left"), _name("_tg_right")
    expected: ast.expr
    if _never(test):
        before, wanted, came = reached
        place = _place(node, f"{before} {source}".strip(), before)
        return [_raise(ast.Call(_name("_tg_plain"), [ast.Constant(came)], []), ast.Constant(wanted), place)]
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        operator, wanted = test.ops[0], test.comparators[0]
        asked = is_from_candidate(test.left, names.known, names), is_from_candidate(wanted, names.known, names)
        mirrored = asked == (False, True) or (_is_literal(test.left) and not _is_literal(wanted))
        holds: ast.expr = ast.Compare(got, [operator], [right])
        if isinstance(operator, ast.Eq):
            given = map(ast.Constant, (*sides(test.left, wanted, names), False))
            holds = ast.Call(_name("_tg_same"), [got, right, *given], [])
        sign = _OPERATORS[type(operator)]
        made = [_assign("_tg_left", seeing.inside(test.left)), _assign("_tg_right", seeing.inside(wanted))]
        if mirrored and sign in _MIRRORED:
            sign, got, right = _MIRRORED[sign], right, got
        expected = ast.Call(_name("_tg_shown"), [ast.Constant(f"{sign} " if sign else ""), right], [])
        raised = _raise(got, expected, _place(node, source))
        made += [ast.If(holds, [ast.Pass()], [raised]), _forget(got, right)]
    else:
        denied = test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else None
        made = [_assign("_tg_left", seeing.inside(denied or test))]
        expected = ast.Constant("something false" if denied else "something true")
        raised = _raise(got, expected, _place(node, source))
        made += [ast.If(got, [raised], []) if denied else ast.If(got, [ast.Pass()], [raised]), _forget(got)]
    return [statement("_tg_seen.clear()", node), *made]


class _Seeing(ast.NodeTransformer):
    """Records what each call of the candidate inside an expression returns: `f(3)` in `0 <= f(3) < 9`."""

    def __init__(self, names: Names) -> None:
        self._known = names.known | names.functions
        self._varying: list[str] = []

    def inside(self, shown: ast.expr) -> ast.expr:
        """The changed expression; its own value is shown anyway, so only the calls inside it are recorded."""
        if isinstance(shown, ast.Call) and is_candidates(shown.func, self._known):
            return cast(ast.expr, self.generic_visit(shown))
        return self.visit(shown)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        ends_on = {"all": False, "any": True}.get(node.func.id) if isinstance(node.func, ast.Name) else None
        rounds = node.args[0] if ends_on is not None and node.args else None
        if isinstance(rounds, (ast.GeneratorExp, ast.ListComp)):
            # It ends with the round that decides, unless it goes through all of them; a list goes on behind that.
            targets = [child for part in rounds.generators for child in ast.walk(part.target)]
            outer = self._varying
            self._varying = [*outer, *(child.id for child in targets if isinstance(child, ast.Name))]
            rounds.elt = self.visit(rounds.elt)
            self._varying = outer
            if outer:
                return node
            if isinstance(rounds, ast.ListComp):
                rounds.elt = ast.Call(_name("_tg_round"), [ast.Constant(ends_on), rounds.elt], [])
            return ast.Call(_name("_tg_rounds"), [ast.Constant(ends_on), node], [])
        text = written(node) if is_candidates(node.func, self._known) else ""
        self.generic_visit(node)
        if not 0 < len(text) <= _LONGEST_CALL:
            return node
        varying = [ast.keyword(name, _name(name)) for name in dict.fromkeys(self._varying)]
        return ast.Call(_name("_tg_seen"), [ast.Constant(text), node], varying)

    def visit(self, node: ast.AST) -> Any:
        # What is evaluated in every round has no one value.
        return node if isinstance(node, _IN_ROUNDS) else super().visit(node)


_LONGEST, _LONGEST_CALL = 200, 60
_IN_ROUNDS = (ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp, ast.Lambda)


def _source(test: ast.expr) -> str:
    """The source of an assert, cut to the length of feedback."""
    source = written(ast.Assert(test))
    return source if len(source) <= _LONGEST else f"{source[:_LONGEST]} …"


def _place(node: ast.Assert, source: str, before: str = "") -> list[ast.expr]:
    """The arguments that describe an assert in feedback: its text, its line, the values of its names, its message."""
    names = {child.id for child in ast.walk(node.test) if isinstance(child, ast.Name)} | {*_NAME.findall(before)}
    given: list[ast.expr] = [ast.Constant(" ".join(sorted(names))), ast.Call(_name("_tg_locals"), [], [])]
    values = ast.Call(_name("_tg_values"), given, [])
    return [ast.Constant(source), ast.Constant(node.lineno), values, *([node.msg] if node.msg else [])]


def _raise(got: ast.expr, expected: ast.expr, message: Iterable[ast.expr]) -> ast.stmt:
    return ast.Raise(ast.Call(_name("_tg_failed"), [got, expected, *message], []), None)


def _assign(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _forget(*names: ast.Name) -> ast.stmt:
    """Delete variables again: a test may check that an object is no longer alive."""
    return ast.Delete([ast.Name(name.id, ast.Del()) for name in names])


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _is_literal(node: ast.AST) -> bool:
    return not any(isinstance(child, ast.Name) for child in ast.walk(node))
