"""Which tests a file of tests has, as pytest would collect them."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence

Definition = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_SET_UPS = ("setup_function", "teardown_function", "setup_module", "teardown_module", "setUpModule", "tearDownModule")


def wants_pytest(tree: ast.Module, imports_pytest: bool) -> bool:
    """Whether pytest must collect the tests: a test case or class, or functions with fixtures or next to pytest."""
    body = unmuted(without_guard(tree.body))
    if _has_test_class([node for node in at_top(body) if isinstance(node, ast.ClassDef)], _test_cases(tree)):
        return True
    has_set_up = any(isinstance(node, ast.FunctionDef) and node.name in _SET_UPS for node in body)
    return any(imports_pytest or has_set_up or required(function) for function in uncalled_tests(body))


def without_guard(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The tests with the body of `if __name__ == "__main__":` in place of the statement."""
    found: list[ast.stmt] = []
    for node in body:
        found += node.body if isinstance(node, ast.If) and _names_one(node.test, {"__name__"}) else [node]
    return found


def unmuted(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The tests with calls of their functions `test_…` in the place of a runner that swallows what they raise and only
    prints it; one that is judged by what comes after it, or that binds names for it, stays."""
    plain = {test.name for test in _test_functions(body) if isinstance(test, ast.FunctionDef) and not required(test)}
    found: list[ast.stmt] = []
    for place, node in enumerate(body):
        names = [child.id for child in ast.walk(node) if isinstance(child, ast.Name) and child.id in plain]
        if names and _mutes(node) and not any(map(_judges, body[place:])) and not _is_read_later(place, body):
            calls = [ast.Expr(ast.Call(ast.Name(name, ast.Load()), [], [])) for name in dict.fromkeys(names)]
            found += [ast.fix_missing_locations(ast.copy_location(call, node)) for call in calls]
        else:
            found.append(node)
    return found


def _mutes(node: ast.stmt) -> bool:
    tries = (child for child in ast.walk(node) if isinstance(child, ast.Try))
    runs = isinstance(node, (ast.For, ast.While, ast.Try, ast.With))
    return runs and any(_swallows(handler) for each in tries for handler in each.handlers)


def _is_read_later(place: int, body: Sequence[ast.stmt]) -> bool:
    """Whether what comes after a statement reads a name that this statement is the first to bind."""
    own = _bound_in(body[place : place + 1]) - _bound_in(body[:place])
    return any(_names_one(node, own) for node in body[place + 1 :])


def _bound_in(body: Iterable[ast.stmt]) -> set[str]:
    names = (child for node in body for child in ast.walk(node) if isinstance(child, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Store)}


def _judges(node: ast.stmt) -> bool:
    """Whether a statement, and no function in it, asserts, raises or exits."""
    return any(isinstance(child, (ast.Assert, ast.Raise)) or _is_exit(child) for child in at_top([node]))


def _is_exit(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) in ("sys.exit", "exit", "quit")


def exit_status(node: ast.stmt) -> ast.expr | None:
    """The status that a statement ends the program with; None for any other statement."""
    if not (isinstance(node, ast.Expr) and _is_exit(node.value) and isinstance(node.value, ast.Call)):
        return None
    return node.value.args[0] if node.value.args else ast.Constant(0)


def _names_one(node: ast.AST, names: Collection[str]) -> bool:
    return any(isinstance(child, ast.Name) and child.id in names for child in ast.walk(node))


def at_top(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """What runs when a file is loaded: also what stands below a condition, but not in a function or a class."""
    for node in body:
        yield node
        if not isinstance(node, Definition):
            yield from at_top(ast.iter_child_nodes(node))


def _test_functions(body: Iterable[ast.stmt]) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    functions = (node for node in at_top(body) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
    return [node for node in functions if node.name.startswith("test")]


def uncalled_tests(body: Sequence[ast.stmt]) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Functions `test_…` that nothing in the tests calls or passes on."""
    nodes = [node for each in body for node in ast.walk(each)]
    # `test_a.__name__` runs nothing.
    looked_at = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    named = {node.id for node in nodes if isinstance(node, ast.Name) and id(node) not in looked_at}
    return [node for node in _test_functions(body) if node.name not in named]


def _swallows(handler: ast.ExceptHandler) -> bool:
    caught = handler.type is None or _names_one(handler.type, ("AssertionError", "Exception", "BaseException"))
    return caught and not any(isinstance(node, (ast.Raise, ast.Assert)) for node in ast.walk(handler))


def made_tests(body: Sequence[ast.stmt]) -> list[tuple[str, ast.stmt]]:
    """Tests that a function of the tests makes and nothing reads, with their statement: `test_a = make_test(3, 9)`."""
    factories = {node.name for node in body if isinstance(node, ast.FunctionDef) and _makes_a_function(node)}
    nodes = [node for each in body for node in ast.walk(each) if isinstance(node, ast.Name)]
    read = {node.id for node in nodes if isinstance(node.ctx, ast.Load)}
    made = [node for node in body if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)]
    return [
        (target.id, node)
        for node in made
        if isinstance(node.value, ast.Call) and _names_one(node.value.func, factories)
        for target in node.targets
        if isinstance(target, ast.Name) and target.id.startswith("test_") and target.id not in read
    ]


def _makes_a_function(function: ast.FunctionDef) -> bool:
    inner = {node.name for node in function.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}
    given = [node.value for node in function.body if isinstance(node, ast.Return) and node.value]
    return any(isinstance(value, ast.Lambda) or _names_one(value, inner) for value in given)


def _test_cases(tree: ast.Module) -> set[str]:
    """Further names of unittest's own classes: `from unittest import TestCase as TC`."""
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module == "unittest"]
    return {alias.asname or alias.name for node in imports for alias in node.names if alias.name.endswith("TestCase")}


def _has_test_class(classes: Sequence[ast.ClassDef], cases: Collection[str]) -> bool:
    """Whether pytest would collect one: a test case, or a `Test…` with tests of its own, of a base, or of a class in
    it."""
    tested: set[str] = set()
    for node in classes:
        bases = [ast.unparse(base) for base in node.bases]
        if any(base.endswith("TestCase") or base in cases for base in bases):
            return True
        methods = [each.name for each in node.body if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))]
        within = [each for each in node.body if isinstance(each, ast.ClassDef)]
        has_own = any(name.startswith("test") for name in methods) or _has_test_class(within, cases)
        if has_own or not tested.isdisjoint(bases):
            tested.add(node.name)
    return any(name.startswith("Test") for name in tested)


def required(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    arguments = function.args
    return len(arguments.posonlyargs) + len(arguments.args) > len(arguments.defaults) or None in arguments.kw_defaults


def has_test(tree: ast.Module) -> bool:
    return any(
        isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith(("test", "runTest"))
        for node in ast.walk(tree)
    )
