"""What the names in tests stand for, and so which side of a comparison comes from the candidate."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import partial
from typing import NamedTuple

from ..inside.findings.equals import made_side

Function = (ast.FunctionDef, ast.AsyncFunctionDef)
Definition = (*Function, ast.ClassDef)
Import = (ast.Import, ast.ImportFrom)
INTROSPECTION = frozenset({"dir", "eval", "exec", "globals", "locals", "vars"})


class Names(NamedTuple):
    """What names of the tests stand for.

    Attributes:
        known: names that are not the candidate's: built-in ones, those of the standard library, classes of the tests.
        functions: functions of the tests.
        given: variables that hold what a call of the candidate returned.
        made: variables that hold an object of one of the candidate's classes, so that their attributes are its own.
    """

    known: frozenset[str]
    functions: frozenset[str]
    given: frozenset[str] = frozenset()
    made: frozenset[str] = frozenset()

    def bound_in(self, tree: ast.AST) -> Names:
        """These names, with `given` and `made` filled in from what the tests assign."""
        bindings, known = [*bindings_of(ast.walk(tree))], self.known | self.functions
        names = self
        while True:
            given, made = set[str](), set[str]()
            for target, value in bindings:
                nodes = [node for node in ast.walk(target) if isinstance(node, ast.Name)]
                stored = {node.id for node in nodes if isinstance(node.ctx, ast.Store)}
                if is_from_candidate(value, known, names):
                    given |= stored
                elif isinstance(value, ast.Call) and is_candidates(value.func, known, classes=True):
                    made |= stored
            if (given, made) == (names.given, names.made):
                return names
            names = self._replace(given=frozenset(given), made=frozenset(made))


def names_in(expression: str | None) -> list[str]:
    """The names in an entry point, which is a function or an expression such as `Solution().add`; none for None.

    Raises:
        ValueError: it is no expression.
    """
    try:
        nodes = ast.walk(ast.parse(expression, mode="eval")) if expression else ()
    except SyntaxError:
        raise ValueError(f"entry_point is a function's name, or how to get it, got {expression!r}") from None
    return [node.id for node in nodes if isinstance(node, ast.Name)]


def bindings_of(nodes: Iterable[ast.AST]) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The targets that nodes bind, each with the expression that it is bound to."""
    for node in nodes:
        if isinstance(node, ast.Assign):
            yield from ((target, node.value) for target in node.targets)
        elif isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)) and node.value:
            yield node.target, node.value
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            yield node.target, node.iter
        elif isinstance(node, ast.withitem) and node.optional_vars:
            yield node.optional_vars, node.context_expr


def is_from_candidate(node: ast.AST, known: frozenset[str], names: Names) -> bool:
    """Whether a node holds a value from the candidate: a call of its functions or methods, or a variable with a result.

    A call of a class does not count: it makes an object to compare with.
    """
    for child in ast.walk(node):
        if isinstance(child, ast.Call) and is_candidates(child.func, known):
            return True
        if isinstance(child, ast.Name) and child.id in names.given:
            return True
        if isinstance(child, ast.Attribute) and isinstance(child.value, ast.Name) and child.value.id in names.made:
            return True
    return False


def is_candidates(called: ast.expr, known: frozenset[str], classes: bool = False) -> bool:
    """Whether what is called belongs to the candidate; its classes count only with `classes`."""
    root = called
    while isinstance(root, (ast.Attribute, ast.Call, ast.Subscript)):
        root = root.func if isinstance(root, ast.Call) else root.value
    if not isinstance(root, ast.Name) or root.id in known:
        return False
    return classes or called is not root or not root.id[0].isupper()


def is_made(node: ast.AST, names: Names) -> bool:
    """Whether a node makes an object of one of the candidate's classes, or is a variable that holds only such."""
    if isinstance(node, ast.Call):
        known = names.known | names.functions
        return isinstance(node.func, ast.Name) and node.func.id[0].isupper() and node.func.id not in known
    return isinstance(node, ast.Name) and node.id in names.made - names.given


def sides(left: ast.AST, right: ast.AST, names: Names) -> tuple[int, int]:
    """Which side alone comes from the candidate, and which the tests have made from one of its classes.

    Each is 1 for the left side, -1 for the right side, 0 for neither or both.
    """
    known = names.known | names.functions
    side = is_from_candidate(left, known, names) - is_from_candidate(right, known, names)
    return side, made_side(left, right, partial(is_made, names=names))


def top_of(module: str) -> str:
    """The package, or module, at the top of a dotted name."""
    return module.partition(".")[0]


def written(node: ast.AST) -> str:
    """A node as code; "" for one with an integer of more digits than Python writes."""
    try:
        return ast.unparse(node)
    except ValueError:
        return ""
