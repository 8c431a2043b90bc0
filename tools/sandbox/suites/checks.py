"""Turns the source of tests into checks: statements that run one by one and report expected and actual values."""

from __future__ import annotations
import __future__ as futures

import ast
import builtins
import copy
import marshal
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from textwrap import dedent
from typing import TypeGuard

from ....parsers.code_forms import imported_names
from ..inside.findings.equals import compare, mark
from ..inside.findings.in_tasks import await_coroutines
from ..inside.findings.printed import mark_printed
from ..limits import SandboxVerdict
from .asserts import AssertRewriter, is_checking, statement
from .collected import at_top, ended, is_run_by_others, made_tests, uncalled_tests, without_guard
from .names import INTROSPECTION, Definition, Function, Import, Names, is_made, top_of
from .touching import Touching

TESTS_FILE = "tests.py"
_CHECKERS = ("assert", "check", "expect", "verify")


@dataclass(frozen=True, slots=True)
class Check:
    """One statement of the tests.

    Attributes:
        source: the statement as written.
        line: its line in the tests.
        code: the code object that the sandbox executes, as `marshal` writes it.
        counts: True for a check, False for a statement that only prepares one.
    """

    source: str
    line: int
    code: bytes
    counts: bool


UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What Python raises for code that is not valid, or nested too deeply."""


def unreadable(problem: Exception, total: int) -> SandboxVerdict:
    """The verdict on code that cannot be read."""
    place = f" at line {problem.lineno}" if isinstance(problem, SyntaxError) and problem.lineno else ""
    message = problem.msg if isinstance(problem, SyntaxError) else str(problem) or "it is nested too deeply"
    return SandboxVerdict("error", 0, total, reason=f"The code does not parse: {message}{place}.")


def compile_checks(
    tests: str, touching: Touching, module: str, entry_point: str | None = None, taken: frozenset[str] = frozenset()
) -> tuple[Check, ...]:
    """Turn the source of tests into checks.

    A top-level statement is a check if it asserts, raises, or calls a function of the tests that does. An assignment
    counts only if there is no other check: it may start threads that run such a function. In HumanEval's function
    `check(candidate)`, each assert becomes a check, unless a local name there is one of those `taken` or means
    something else outside. A function `test_…` that nothing calls is called, as pytest would call it. `doctest.testmod`
    runs the examples of the tests and of the candidate, whose module is `module`. `touching` marks where the tests
    begin to judge the code.

    Raises:
        SyntaxError: the tests do not parse.
        ValueError: they contain no check at all, or a test that yields.
    """
    tree = ast.parse(tests)
    for call in [node for node in ast.walk(tree) if isinstance(node, ast.Call) and not node.args]:
        if ast.unparse(call.func) == "doctest.testmod" and all(one.arg != "m" for one in call.keywords):
            _point_to_examples(call, tree, module)
    await_coroutines(tree)
    mark_printed(tree)
    body = _unrolled(without_guard(tree.body), entry_point, taken)
    body[-1:] = map(ended, body[-1:])
    made = made_tests(body)
    body += [_called(test.name, _not_yielding(test), test in body) for test in uncalled_tests(body)]
    body += [_called(*each) for each in made]
    checking, own = _checking_names(body)
    checking |= {name for name, _, _ in made}
    names = _names(tree)
    lines = tests.split("\n")
    flags = _future_flags(tree)
    for passive in ((*Definition, ast.Assign, ast.AnnAssign), Definition):
        checks = tuple(_check(node, checking, own, names, touching, lines, flags, passive) for node in body)
        if any(check.counts for check in checks):
            break
    else:
        no_entry = any(map(_is_check_function, body))
        advice = "give entry_point, the function that `check` is to test" if no_entry else "write at least one `assert`"
        raise ValueError(f"the tests contain no check: {advice}, got {tests.strip()!r:.60}")
    return checks


def _point_to_examples(call: ast.Call, tree: ast.Module, module: str) -> None:
    """Have doctest look into the candidate's module; the examples of the tests become the docstring of that module."""
    documented = [node for node in ast.walk(tree) if isinstance(node, (ast.Module, *Definition))]
    own = "\n\n".join(text for node in documented if ">>>" in (text := ast.get_docstring(node) or ""))
    said = f"__import__({module!r})"
    if own:
        call.keywords.append(ast.keyword("extraglobs", ast.parse(f"globals() | vars({said})", mode="eval").body))
        said = f"setattr({said}, '__doc__', {own!r}) or {said}"
    call.args = [ast.parse(said, mode="eval").body]
    for node in ast.walk(call):
        ast.copy_location(node, call)


def _not_yielding(test: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.stmt:
    if any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in at_top(test.body)):
        raise ValueError(f"the test {test.name} yields, so that calling it runs nothing: let it loop and assert")
    return test


def _called(name: str, place: ast.stmt | ast.expr, is_there: bool) -> ast.stmt:
    # What is written as a coroutine may be decorated by a function that runs it, and the other way round.
    call = f"_tg_awaited({name}())"
    return statement(call if is_there else f"if {name!r} in _tg_locals(): {call}", place)


def _future_flags(tree: ast.Module) -> int:
    flags = 0
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            for alias in node.names:
                flags |= getattr(getattr(futures, alias.name, None), "compiler_flag", 0)
    return flags


def _unrolled(body: list[ast.stmt], entry_point: str | None, taken: frozenset[str]) -> list[ast.stmt]:
    """The tests with the body of `check(candidate)` in place of its call."""
    function = next(filter(_is_check_function, body), None)
    if function is None:
        return body
    calls = [node for node in body if _is_check_call(node)]
    named = [n for each in body for n in ast.walk(each) if isinstance(n, ast.Name) and n.id == "check"]
    call = calls[0] if calls else None
    if (call is None and entry_point is None) or len(named) > 1 or len(named) != len(calls):
        # Called otherwise than HumanEval does: a helper of the tests.
        return body
    argument = call.value.args[0] if call else ast.parse(entry_point or "", mode="eval").body  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType, reportUnknownMemberType]
    outside = {
        n.id for e in body if e is not function and e is not call for n in ast.walk(e) if isinstance(n, ast.Name)
    }
    local = local_names(function)
    needs_its_own = any(isinstance(node, (ast.Return, ast.Nonlocal, ast.Yield)) for node in ast.walk(function))
    if needs_its_own or not local.isdisjoint(outside | taken | INTROSPECTION):
        if call is not None:
            return body
        made = ast.Expr(ast.Call(ast.Name("check", ast.Load()), [argument], []))  # pyright: ignore[reportUnknownArgumentType]
        return [*body, ast.fix_missing_locations(ast.copy_location(made, function))]
    rebound = ast.Assign([ast.Name(function.args.args[0].arg, ast.Store())], argument)  # pyright: ignore[reportUnknownArgumentType]
    ast.copy_location(rebound, function).end_lineno = function.lineno
    unrolled = [ast.fix_missing_locations(rebound), *function.body]
    if call is None:
        return [*(node for node in body if node is not function), *unrolled]
    place = body.index(call)
    return [*(node for node in body[:place] if node is not function), *unrolled, *body[place + 1 :]]


def local_names(function: ast.FunctionDef) -> set[str]:
    """The names that a function binds, and those of functions such as `locals` that it calls to look names up."""
    found: set[str] = set()
    for node in (each for line in function.body for each in ast.walk(line)):
        if isinstance(node, Definition):
            found.add(node.name)
        elif isinstance(node, Import):
            found |= imported_names(node)
        elif isinstance(node, ast.Name) and (not isinstance(node.ctx, ast.Load) or node.id in INTROSPECTION):
            found.add(node.id)
    return found


def _is_check_function(node: ast.stmt) -> TypeGuard[ast.FunctionDef]:
    """Whether a statement is HumanEval's `def check(candidate)`."""
    if not isinstance(node, ast.FunctionDef) or node.name != "check":
        return False
    return len(node.args.args) == 1 and not node.args.vararg and not node.args.kwonlyargs


def _is_check_call(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id == "check"
        and len(node.value.args) == 1
    )


def _checking_names(body: Sequence[ast.stmt]) -> tuple[frozenset[str], frozenset[str]]:
    """The functions and methods of the tests that check something, and the variables that may hold such a function.

    A function checks something if it asserts or raises, or calls one that does. A variable may be assigned a method, as
    in `verify = unittest.TestCase().assertEqual`; if there are functions that check, any variable may hold one of them,
    as `test` in `for test in TESTS`.
    """
    functions = [
        node
        for each in at_top(body)
        if isinstance(each, Definition)
        for node in ast.walk(each)
        if isinstance(node, Function) or is_run_by_others(node)
    ]
    targets = [target for node in body if isinstance(node, ast.Assign) for target in node.targets]
    own = frozenset(target.id for target in targets if isinstance(target, ast.Name))
    found = _closed(functions, frozenset())
    if not found:
        return found, own
    nodes = [node for each in body for node in ast.walk(each)]
    own |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    own |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    return _closed(functions, own), own


def _closed(
    functions: Sequence[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef], own: frozenset[str]
) -> frozenset[str]:
    found: frozenset[str] = frozenset()
    while True:
        names = frozenset(node.name for node in functions if _checks(ast.walk(node), found, own))
        if names <= found:
            return found
        found |= names


def _checks(nodes: Iterable[ast.AST], checking: frozenset[str], own: frozenset[str]) -> bool:
    return any(is_checking(node, checking) or _calls_a_checker(node, own) for node in nodes)


def _names(tree: ast.Module) -> Names:
    """What the names of tests stand for."""
    found, functions = set(dir(builtins)), set[str]()
    for node in ast.walk(tree):
        if isinstance(node, Definition):
            (found if isinstance(node, ast.ClassDef) else functions).add(node.name)
        elif isinstance(node, ast.Import):
            modules = [(alias.name, alias.asname or alias.name) for alias in node.names]
            found |= {top_of(name) for module, name in modules if _is_standard(module)}
        elif isinstance(node, ast.ImportFrom) and _is_standard(node.module or ""):
            found |= {alias.asname or alias.name for alias in node.names}
    return Names(frozenset(found), frozenset(functions)).bound_in(tree)


def _is_standard(module: str) -> bool:
    return top_of(module) in (*sys.stdlib_module_names, "pytest")


def _calls_a_checker(node: ast.AST, own: frozenset[str]) -> bool:
    """Whether a node is a bare call of one of these variables, or of a method named like a check."""
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call):
        return False
    if isinstance(call.func, ast.Attribute):
        return call.func.attr.lower().startswith(_CHECKERS)
    return isinstance(call.func, ast.Name) and call.func.id in own


def _only_ends(node: ast.stmt) -> bool:
    """Whether a statement ends the tests with a constant status, which checks nothing."""
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or getattr(call.func, "id", "") != "_tg_ended":
        return False
    return all(isinstance(status, ast.Constant) for status in call.args[1:])


def _check(
    node: ast.stmt,
    checking: frozenset[str],
    own: frozenset[str],
    names: Names,
    touching: Touching,
    lines: Sequence[str],
    flags: int,
    passive: tuple[type[ast.stmt], ...],
) -> Check:
    first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
    source = dedent("\n".join(lines[first - 1 : node.end_lineno])).strip()
    here = [] if isinstance(node, passive) or _only_ends(node) else [node]
    if isinstance(node, ast.Assign) and source.startswith("def "):
        # What `check` is called with, at its head.
        source = ast.unparse(node)
    counts = _checks(at_top(here), checking, own)
    rewriter = AssertRewriter(checking, names)
    tests = copy.deepcopy(node)
    mark(tests, partial(is_made, names=names))
    body = touching.marked(rewriter.changed(tests))
    if rewriter.loops and counts:
        # A loop with zero iterations has checked nothing, so it does not pass.
        body = [statement("_tg_ran(False)", node), *body]
    module = ast.fix_missing_locations(ast.Module(body, []))
    compare(module)
    code = compile(module, TESTS_FILE, "exec", flags, dont_inherit=True)
    return Check(source, node.lineno, marshal.dumps(code), counts)
