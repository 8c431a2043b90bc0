"""Which tests a file of tests has, as pytest would collect them."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterable, Iterator, Sequence
from textwrap import indent
from typing import TypeGuard

from .names import Definition, Function, bindings_of, written

EXITS = ("sys.exit", "exit", "quit", "os._exit", "SystemExit", "_tg_ended")
"""What ends a program with a status. `_tg_ended` replaces the others at the end of the tests."""
_RUNNERS = frozenset({"unittest.main", "pytest.main", "doctest.testmod"})
_EXIT = """\
def test_exit_status():
    try:
{}
    except SystemExit as end:
        assert not end.code"""
"""The exit at the end of tests as a test: its status says whether they have passed."""
_SET_UPS = ("setup_function", "teardown_function", "setup_module", "teardown_module", "setUpModule", "tearDownModule")


def wants_pytest(tree: ast.Module, imports_pytest: bool) -> bool:
    """Whether pytest must collect the tests: there is a test case or class, a function that needs fixtures or stands in
    a file that uses pytest, or a test that gets its name only when the file runs."""
    body = without_guard(tree.body)
    if _has_test_class([node for node in at_top(body) if isinstance(node, ast.ClassDef)], _test_cases(tree)):
        return True
    if _made_classes(body) or any(map(_is_named_late, ast.walk(tree))):
        return True
    has_set_up = any(isinstance(node, ast.FunctionDef) and node.name in _SET_UPS for node in body)
    return any(imports_pytest or has_set_up or required(function) for function in uncalled_tests(body))


def without_guard(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The tests with the body of `if __name__ == "__main__":` in place of the statement."""
    found: list[ast.stmt] = []
    for node in body:
        found += node.body if isinstance(node, ast.If) and names_one(node.test, {"__name__"}) else [node]
    return found


def ended(node: ast.stmt) -> ast.stmt:
    """The last statement of tests; if it ends the program with a status, `_tg_ended` takes the place of the exit."""
    if isinstance(node, ast.If) and node.orelse:
        # If only one branch ends the program, the status may mean anything.
        both = [[*branch[:-1], ended(branch[-1])] for branch in (node.body, node.orelse)]
        if all(one[-1] is not old[-1] for one, old in zip(both, (node.body, node.orelse), strict=True)):
            return ast.copy_location(ast.If(node.test, *both), node)
        return node
    call = node.value if isinstance(node, ast.Expr) else node.exc if isinstance(node, ast.Raise) else None
    ways = ("SystemExit",) if isinstance(node, ast.Raise) else EXITS[:3]
    way, given = (call.func, call.args) if isinstance(call, ast.Call) and not call.keywords else (call, [])
    if way is None or not isinstance(way, (ast.Name, ast.Attribute)) or written(way) not in ways or len(given) > 1:
        return node
    if isinstance(node, ast.Expr) and not isinstance(call, ast.Call):
        return node
    made = ast.Expr(ast.Call(ast.Name("_tg_ended", ast.Load()), [way, *given], []))
    return ast.fix_missing_locations(ast.copy_location(made, node))


def names_one(node: ast.AST, names: Collection[str]) -> bool:
    """Whether a node holds one of the names."""
    return any(isinstance(child, ast.Name) and child.id in names for child in ast.walk(node))


def at_top(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The nodes that run when a file is loaded: also those below a condition, but not inside a function or a class."""
    for node in body:
        yield node
        if not isinstance(node, Definition):
            yield from at_top(ast.iter_child_nodes(node))


def is_run_by_others(node: ast.AST) -> TypeGuard[ast.ClassDef]:
    """Whether a node is a class whose base may call its methods, such as `class Worker(Thread)`."""
    return isinstance(node, ast.ClassDef) and any(not hasattr(builtins, written(base)) for base in node.bases)


def uncalled_tests(body: Sequence[ast.stmt]) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Functions `test_…` that nothing in the tests calls or passes on."""
    nodes = [node for each in body for node in ast.walk(each)]
    # `test_a.__name__` runs nothing.
    looked_at = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    named = {node.id for node in nodes if isinstance(node, ast.Name) and id(node) not in looked_at}
    functions = (node for node in at_top(body) if isinstance(node, Function))
    return [node for node in functions if node.name.startswith("test") and node.name not in named]


def made_tests(body: Sequence[ast.stmt]) -> list[tuple[str, ast.expr, bool]]:
    """Tests that are assigned: a lambda, or what `partial` or a function of the tests returns, as in
    `test_a = make_test(3, 9)`.

    Each with its name, the expression, and whether it stands below no condition.
    """
    factories = {node.name for node in body if isinstance(node, ast.FunctionDef) and _makes_a_function(node)}
    return [
        (name, value, isinstance(node, (ast.Assign, ast.AnnAssign, ast.Expr)))
        for name, value, node in _unread(body, "test")
        if (isinstance(value, ast.Lambda) and not required(value))
        or (isinstance(value, ast.Call) and _calls_one(value, factories | {"partial"}))
    ]


def _made_classes(body: Sequence[ast.stmt]) -> list[str]:
    """Names of test classes that are assigned: `TestA = make_class(3)`, or hypothesis's `TestA = Machine.TestCase`."""
    factories = {
        node.name
        for node in body
        if isinstance(node, ast.FunctionDef)
        for one in node.body
        if isinstance(one, ast.ClassDef)
    }
    return [
        name
        for name, value, _ in _unread(body, "Test")
        if (isinstance(value, ast.Attribute) and value.attr == "TestCase")
        or (isinstance(value, ast.Call) and _calls_one(value, factories | {"type"}))
    ]


def _calls_one(call: ast.Call, names: Collection[str]) -> bool:
    """Whether a call is one of these functions, with or without its module's name."""
    return names_one(call.func, names) or getattr(call.func, "attr", "") in names


def _unread(body: Sequence[ast.stmt], prefix: str) -> Iterator[tuple[str, ast.expr, ast.stmt]]:
    """Names with a prefix that are assigned and never read, each with its expression and the statement at the top."""
    nodes = [node for each in body for node in ast.walk(each)]
    # `TestA.settings = settings(…)` runs nothing.
    set_up = {id(node.value) for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)}
    names = [node for node in nodes if isinstance(node, ast.Name) and id(node) not in set_up]
    read = {node.id for node in names if isinstance(node.ctx, ast.Load)}
    for node in body:
        for target, value in bindings_of(at_top([node])):
            pairs = [(target, value)]
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                pairs = zip(target.elts, value.elts, strict=False)
            for one, its in pairs:
                if isinstance(one, ast.Name) and one.id.startswith(prefix) and one.id not in read:
                    yield one.id, its, node


def _is_named_late(node: ast.AST) -> bool:
    """Whether a node names a test only when it runs: `globals()[f"test_{n}"] = made`."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        place, said = node.value, node.slice
    elif isinstance(node, ast.Call) and written(node.func) in ("setattr", "globals().update"):
        place = said = node
    else:
        return False
    where = written(place)
    return any(name in where for name in ("globals()", "locals()", "vars()", "sys.modules[")) and _says_test(said)


def _says_test(node: ast.AST) -> bool:
    """Whether a node holds a text that the name of a test may start with."""
    texts = (one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str))
    return any(text.startswith("test") for text in texts)


def _makes_a_function(function: ast.FunctionDef) -> bool:
    inner = {node.name for node in function.body if isinstance(node, Function)}
    for node in function.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            inner |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    given = [node.value for node in function.body if isinstance(node, ast.Return) and node.value]
    return any(isinstance(value, ast.Lambda) or (isinstance(value, ast.Name) and value.id in inner) for value in given)


def _test_cases(tree: ast.Module) -> set[str]:
    """Further names of unittest's own classes: `from unittest import TestCase as TC`, `Base = unittest.TestCase`."""
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module == "unittest"]
    own = {alias.asname or alias.name for node in imports for alias in node.names if alias.name.endswith("TestCase")}
    given = [node for node in tree.body if isinstance(node, ast.Assign)]
    given = [node for node in given if written(node.value).endswith("TestCase")]
    return own.union(target.id for node in given for target in node.targets if isinstance(target, ast.Name))


def _has_test_class(classes: Sequence[ast.ClassDef], cases: Collection[str]) -> bool:
    """Whether pytest would collect one: a test case, or a `Test…` with tests of its own, of a base, or of a class in
    it."""
    tested: set[str] = set()
    for node in classes:
        bases = [written(base) for base in node.bases]
        if any(base.endswith("TestCase") or base in cases for base in bases):
            return True
        methods = [each.name for each in node.body if isinstance(each, Function)]
        within = [each for each in node.body if isinstance(each, ast.ClassDef)]
        has_own = any(name.startswith("test") for name in methods) or _has_test_class(within, cases)
        if has_own or not tested.isdisjoint(bases):
            tested.add(node.name)
    return any(name.startswith("Test") for name in tested)


def required(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> bool:
    """Whether a function has parameters that a call must give."""
    arguments = function.args
    return len(arguments.posonlyargs) + len(arguments.args) > len(arguments.defaults) or None in arguments.kw_defaults


def has_test(tree: ast.Module) -> bool:
    """Whether the tests may hold a test: some get their names only when they run."""
    named = any(isinstance(node, Function) and node.name.startswith(("test", "runTest")) for node in ast.walk(tree))
    return named or bool(_made_classes(tree.body)) or _says_test(tree)


def as_file(tests: str, tree: ast.Module, module: str) -> tuple[str, int]:
    """The tests as a file for pytest, without calls that would run them; and the line of the import that was added.

    Args:
        module: the candidate's, which they do not import; "" for none.
    """
    lines = tests.split("\n")
    for node in tree.body:
        call = node.value if isinstance(node, ast.Expr) else None
        if isinstance(call, ast.Call) and written(call.func) in _RUNNERS:
            lines[node.lineno - 1 : node.end_lineno] = [""] * ((node.end_lineno or node.lineno) - node.lineno + 1)
    last = tree.body[-1]
    if ended(last) is not last:
        # pytest would end with it; what runs these very tests has nothing to add.
        said = ast.unparse(last)
        made = "" if any(runner in said for runner in _RUNNERS) else _EXIT.format(indent(said, " " * 8))
        lines[last.lineno - 1 :] = made.split("\n")
    if not module:
        return "\n".join(lines), 0
    place = head(tree)
    return "\n".join([*lines[:place], f"from {module} import *", *lines[place:]]), place + 1


def head(tree: ast.Module) -> int:
    """The last line of the docstring and the imports from `__future__`, which nothing may stand before."""
    place = 0
    for node in tree.body:
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not is_docstring and not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            break
        place = node.end_lineno or place
    return place
