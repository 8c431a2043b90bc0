"""Prepares code and tests for the sandbox: the candidate's definitions, and tests as single, reporting checks.

A candidate's own prints, demos and asserts are left out: they have failed good code before the real tests began. Each
check reports what it got beside what it expected, so that the feedback can say it.
"""

from __future__ import annotations

import ast
import builtins
import copy
import symtable
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from .limits import SandboxVerdict

_SHOWN = 300
PREAMBLE = "__tg_repr = repr"
"""Runs before the candidate, which may well define a `repr` of its own."""
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


@dataclass(frozen=True, slots=True)
class Check:
    """One statement of the tests.

    Attributes:
        source: the statement as written.
        line: its line in the tests.
        code: what the sandbox executes. For an assert it binds `__tg` to `(passed, got, expected)`.
        counts: whether it is a check, or only prepares one.
        reports: whether `code` binds `__tg`.
    """

    source: str
    line: int
    code: str
    counts: bool
    reports: bool


UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What `definitions` raises over code that Python cannot read, or only at a depth that it has not."""


def unreadable(problem: Exception, total: int) -> SandboxVerdict:
    """The verdict on such code, of so many checks."""
    place = f" at line {problem.lineno}" if isinstance(problem, SyntaxError) and problem.lineno else ""
    message = problem.msg if isinstance(problem, SyntaxError) else str(problem) or "it is nested too deeply"
    return SandboxVerdict("error", 0, total, reason=f"The code does not parse: {message}{place}.")


def definitions(code: str, used: frozenset[str] = frozenset()) -> str:
    """The candidate's imports, functions, classes, and the top-level assignments that they (or `used`) refer to.

    Raises:
        SyntaxError: the code does not parse.
    """
    tree = ast.parse(code)
    kept = [node for node in tree.body if _defines(node)]
    needed = used.union(*map(_free_names, kept))
    # By identity: looking each statement up in a list would take the square of their number.
    taken = set(map(id, kept))
    # From the last to the first: a constant may be built from others, which stand before it.
    fills = {node.name: _declared_global(node) for node in kept if isinstance(node, ast.FunctionDef)}
    for node in reversed(tree.body):
        if id(node) not in taken and _changed(node, fills) & needed:
            taken.add(id(node))
            needed |= _free_names(node)
    chosen = [node for node in tree.body if id(node) in taken]
    # Everything else becomes blank lines, so that line numbers in feedback are those of the code the model wrote.
    lines = code.splitlines()
    for node in tree.body:
        if id(node) not in taken:
            for line in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[line] = ""
    blanked = "\n".join(lines)
    if _same(blanked, chosen):
        return blanked
    # Statements that share a line cannot be blanked one by one.
    return ast.unparse(ast.Module(chosen, []))


def _same(code: str, statements: Sequence[ast.stmt]) -> bool:
    try:
        body = ast.parse(code).body
    except SyntaxError:
        return False
    return [ast.dump(node) for node in body] == [ast.dump(node) for node in statements]


def _defines(node: ast.stmt) -> bool:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)):
        return True
    if isinstance(node, ast.Try):
        return any(_defines(child) for child in node.body)
    if isinstance(node, ast.Expr):
        return "setrecursionlimit" in ast.unparse(node)
    if isinstance(node, ast.If):
        return "__name__" not in _names(node.test) and any(_defines(child) for child in node.body)
    return False


def _names(node: ast.AST) -> frozenset[str]:
    return frozenset(child.id for child in ast.walk(node) if isinstance(child, ast.Name))


def _free_names(node: ast.stmt) -> frozenset[str]:
    """Global names that a statement reads, in itself or from inside the functions it defines."""
    found: set[str] = set()
    tables = [symtable.symtable(ast.unparse(node), "solution.py", "exec")]
    for table in tables:
        tables += table.get_children()
        at_top = table.get_type() == "module"
        found |= {s.get_name() for s in table.get_symbols() if s.is_referenced() and (at_top or s.is_global())}
    return frozenset(found)


def _declared_global(function: ast.FunctionDef) -> frozenset[str]:
    declared = (node.names for node in ast.walk(function) if isinstance(node, ast.Global))
    return frozenset(name for names in declared for name in names)


def _changed(node: ast.stmt, fills: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """Names that a top-level statement assigns or fills; none for one that prints, asks or only asserts.

    `fills` says which globals the candidate's own functions assign.
    """
    calls = [child for child in ast.walk(node) if isinstance(child, ast.Call)]
    called = {call.func.id for call in calls if isinstance(call.func, ast.Name)}
    if called & {"print", "input"} and not isinstance(node, (ast.Assign, ast.AnnAssign)):
        return frozenset()
    if isinstance(node, ast.Assert) or (isinstance(node, ast.If) and "__name__" in _names(node.test)):
        return frozenset()
    changed = {child.id for child in ast.walk(node) if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store)}
    changed = changed.union(*(fills.get(name, frozenset()) for name in called))
    for child in ast.walk(node):
        if isinstance(child, ast.Subscript) and isinstance(child.ctx, ast.Store) and isinstance(child.value, ast.Name):
            changed.add(child.value.id)
    for call in calls:
        if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
            changed.add(call.func.value.id)
        if isinstance(node, ast.Expr):
            # A call for its effect may fill what it is given.
            changed |= {argument.id for argument in call.args if isinstance(argument, ast.Name)}
    return frozenset(changed)


@lru_cache(maxsize=64)
def compile_checks(tests: str, entry_point: str | None = None) -> tuple[Check, ...]:
    """Turn the source of tests into checks.

    Top-level asserts become a check each. A function `check(candidate)`, as HumanEval has it, is unrolled with the
    entry point in place of its argument, so that each of its asserts counts for itself.

    Raises:
        SyntaxError: the tests do not parse.
        ValueError: they contain no check at all.
    """
    body = _unrolled(_without_guard(ast.parse(tests).body), entry_point)
    checking = frozenset(node.name for node in body if isinstance(node, ast.FunctionDef) and _asserts(node))
    checks = tuple(_check(node, checking) for node in body)
    if not any(check.counts for check in checks):
        raise ValueError("the tests contain no check: write at least one `assert`")
    return checks


def _without_guard(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The tests with `if __name__ == "__main__":` taken for what its author meant by it."""
    guarded = [node.body if isinstance(node, ast.If) and "__name__" in _names(node.test) else [node] for node in body]
    return [node for nodes in guarded for node in nodes]


def _asserts(node: ast.AST) -> bool:
    return any(isinstance(child, (ast.Assert, ast.Raise)) for child in ast.walk(node))


def used_names(tests: str) -> frozenset[str]:
    """Every name that tests read: what they may need of a candidate, constants included."""
    return _names(ast.parse(tests))


def called_names(tests: str) -> list[str]:
    """Names that tests call but do not define or import: what a candidate has to provide."""
    tree = ast.parse(tests)
    bound = {name.id for name in ast.walk(tree) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)}
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            bound.add(node.name)
        if isinstance(node, ast.arg):
            bound.add(node.arg)
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            bound |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    called = [n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
    return [name for name in dict.fromkeys(called) if name not in bound and not hasattr(builtins, name)]


def _unrolled(body: Sequence[ast.stmt], entry_point: str | None) -> list[ast.stmt]:
    function = next(
        (n for n in body if isinstance(n, ast.FunctionDef) and n.name == "check" and _one_argument(n)), None
    )
    if function is None or any(isinstance(node, ast.Return) for node in ast.walk(function)):
        return list(body)
    call = next((node for node in body if _is_check_call(node)), None)
    argument: ast.expr | None = None
    if call is not None:
        argument = call.value.args[0]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType, reportUnknownMemberType]
    elif entry_point:
        argument = ast.Name(entry_point, ast.Load())
    if argument is None:
        return list(body)
    rebound = ast.Assign([ast.Name(function.args.args[0].arg, ast.Store())], argument, lineno=function.lineno)  # pyright: ignore[reportUnknownArgumentType]
    around = [node for node in body if node is not function and node is not call]
    return [*around, ast.fix_missing_locations(rebound), *function.body]


def _one_argument(function: ast.FunctionDef) -> bool:
    return len(function.args.args) == 1 and not function.args.vararg and not function.args.kwonlyargs


def _is_check_call(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id == "check"
        and len(node.value.args) == 1
    )


def _check(node: ast.stmt, checking: frozenset[str]) -> Check:
    if isinstance(node, ast.Assert):
        return Check(ast.unparse(node), node.lineno, _reporting(node.test), counts=True, reports=True)
    source = ast.unparse(node)
    inner = any(isinstance(child, ast.Assert) for child in ast.walk(node))
    if not inner:
        return Check(source, node.lineno, source, counts=_calls_one_of(node, checking), reports=False)
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        code = ast.unparse(ast.fix_missing_locations(_Speaking("").visit(copy.deepcopy(node))))
        return Check(source, node.lineno, code, counts=False, reports=False)
    # A loop that goes round zero times has checked nothing, which is no pass.
    code = ast.unparse(ast.fix_missing_locations(_Speaking("__tg_ran = True").visit(copy.deepcopy(node))))
    code = f"__tg_ran = False\n{code}\n__tg = (__tg_ran, 'nothing to check', 'something to check')"
    return Check(source, node.lineno, code, counts=True, reports=True)


def _calls_one_of(node: ast.stmt, checking: frozenset[str]) -> bool:
    """A bare call of a function of the tests that asserts something, such as `check(f)`: it passes by not raising."""
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in checking


def _reporting(test: ast.expr) -> str:
    got, expected, passed = _sides(test)
    lines = [f"__tg_got = {ast.unparse(got)}"]
    if isinstance(expected, str):
        lines.append(f"__tg = (True if {passed} else False, __tg_repr(__tg_got)[:{_SHOWN}], {expected!r})")
    else:
        operator = passed.split(" ", 1)[1].rsplit(" ", 1)[0]
        prefix = "" if operator == "==" else f"{operator} "
        lines.append(f"__tg_expected = {ast.unparse(expected)}")
        lines.append(f"__tg_wanted = {prefix!r} + __tg_repr(__tg_expected)[:{_SHOWN}]")
        lines.append(f"__tg = (True if {passed} else False, __tg_repr(__tg_got)[:{_SHOWN}], __tg_wanted)")
    return "\n".join(lines)


def _sides(test: ast.expr) -> tuple[ast.expr, ast.expr | str, str]:
    """What a test looks at, what it wants, and the expression over `__tg_got` and `__tg_expected` that decides."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        left, operator, right = test.left, test.ops[0], test.comparators[0]
        if isinstance(operator, ast.Eq):
            literal_first = not _has_call(left) and _has_call(right)
            got, expected = (right, left) if literal_first else (left, right)
            return got, expected, "__tg_got == __tg_expected"
        return left, right, f"__tg_got {_OPERATORS[type(operator)]} __tg_expected"
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand, "something false", "not __tg_got"
    return test, "something true", "__tg_got"


def _has_call(node: ast.AST) -> bool:
    return any(isinstance(child, ast.Call) for child in ast.walk(node))


class _Speaking(ast.NodeTransformer):
    """Gives asserts inside loops and functions a message that says what they got; `first` is run before each."""

    def __init__(self, first: str) -> None:
        self._first = first

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        code = f"{self._first}\n{_reporting(node.test)}"
        code += '\nif not __tg[0]:\n    raise AssertionError("got " + __tg[1] + ", expected " + __tg[2])'
        block = ast.If(ast.Constant(True), ast.parse(code).body, [])
        return ast.copy_location(block, node)
