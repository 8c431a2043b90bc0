"""Which tests a file of tests has, as pytest would collect them."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence

Definition = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_SET_UPS = ("setup_function", "teardown_function", "setup_module", "teardown_module", "setUpModule", "tearDownModule")


def wants_pytest(tree: ast.Module, imports_pytest: bool) -> bool:
    """Whether pytest must collect the tests: a test case or class, or functions with fixtures or next to pytest."""
    body = without_guard(tree.body)
    if _has_test_class([node for node in at_top(body) if isinstance(node, ast.ClassDef)], _test_cases(tree)):
        return True
    has_set_up = any(isinstance(node, ast.FunctionDef) and node.name in _SET_UPS for node in body)
    return any(imports_pytest or has_set_up or _required(function) for function in uncalled_tests(body))


def without_guard(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The tests with the body of `if __name__ == "__main__":` in place of the statement; without one that only runs
    functions `test_…`, which are run anyway."""
    tests = {function.name for function in _test_functions(body)}
    found: list[ast.stmt] = []
    for node in body:
        if not (isinstance(node, ast.If) and _names_one(node.test, {"__name__"})):
            found.append(node)
        elif not any(_names_one(each, tests) for each in node.body) or any(
            isinstance(child, ast.Assert) for each in node.body for child in ast.walk(each)
        ):
            found += node.body
    return found


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
    """Functions `test_…` that nothing in the tests calls or passes on; beside a `try` that may swallow what a test
    raises, only a call outside of it counts."""
    tests = _test_functions(body)
    runners = [node for each in body if each not in tests for node in ast.walk(each)]
    tries = [node for node in runners if isinstance(node, ast.Try) and any(map(_swallows, node.handlers))]
    inside = {id(child) for node in tries for child in ast.walk(node)}
    nodes = [node for each in body for node in ast.walk(each) if id(node) not in inside]
    # `test_a.__name__` runs nothing.
    looked_at = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    if tries:
        nodes = [node.func for node in nodes if isinstance(node, ast.Call)]
    named = {node.id for node in nodes if isinstance(node, ast.Name) and id(node) not in looked_at}
    return [node for node in tests if node.name not in named]


def _swallows(handler: ast.ExceptHandler) -> bool:
    caught = handler.type is None or _names_one(handler.type, ("AssertionError", "Exception", "BaseException"))
    return caught and not any(isinstance(node, (ast.Raise, ast.Assert)) for node in ast.walk(handler))


def made_tests(body: Sequence[ast.stmt]) -> list[tuple[str, ast.stmt]]:
    """Tests that a function of the tests makes and nothing reads, with their statement: `test_a = make_test(3, 9)`."""
    functions = [node for node in body if isinstance(node, ast.FunctionDef)]
    factories = {
        node.name
        for node in functions
        if any(isinstance(each, (*Definition, ast.Lambda)) for each in ast.walk(node) if each is not node)
    }
    nodes = [node for each in body for node in ast.walk(each) if isinstance(node, ast.Name)]
    read = {node.id for node in nodes if isinstance(node.ctx, ast.Load)}
    return [
        (target.id, node)
        for node in body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and _names_one(node.value.func, factories)
        for target in node.targets
        if isinstance(target, ast.Name) and target.id.startswith("test") and target.id not in read
    ]


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


def _required(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    arguments = function.args
    return len(arguments.posonlyargs) + len(arguments.args) > len(arguments.defaults) or None in arguments.kw_defaults


def has_test(tree: ast.Module) -> bool:
    return any(
        isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith(("test", "runTest"))
        for node in ast.walk(tree)
    )
