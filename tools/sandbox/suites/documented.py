"""The examples of docstrings as tests, and tests that try them."""

from __future__ import annotations

import ast
import builtins
import doctest
import re

_Import = (ast.Import, ast.ImportFrom)
_Documented = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


_TRIED = re.compile(r"^([ \t]*)(doctest\.testmod\([^()\n]*\))[ \t]*$", re.MULTILINE)


def held(tests: str) -> str:
    """Tests with an assert for each statement that tries the examples of docstrings, which only prints what failed."""
    return _TRIED.sub(r"\1assert \2.failed == 0", tests)


def documented_tests(tree: ast.Module, entry_point: str) -> str:
    """The examples in the docstrings of a function, or of a class and its methods, as asserts and what they need; ""
    for none.

    Left out is what prints, raises, gives a value that no literal is, or has names that the docstring does not bind.

    Args:
        tree: the code.
        entry_point: the name of the function or the class, or how to get a method: `Solution().add`.
    """
    name = entry_point.partition(".")[0].partition("(")[0].strip()
    wanted = next((one for one in ast.walk(tree) if isinstance(one, _Documented) and one.name == name), None)
    nodes = [one for one in ast.walk(wanted) if isinstance(one, _Documented)] if wanted else []
    # A function in a function is none of its own.
    nodes = nodes if isinstance(wanted, ast.ClassDef) else nodes[:1]
    return "\n".join(filter(None, (_tests(ast.get_docstring(node) or "", name) for node in nodes)))


def _tests(docstring: str, name: str) -> str:
    known = {name, *dir(builtins)} - {"print"}
    # What the tests are about: the function or the class, and what was made by it.
    own, lines, end = {name}, list[str](), 0
    for example in doctest.DocTestParser().get_examples(docstring):
        try:
            tree = ast.parse(example.source.strip())
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            continue
        nodes = [*ast.walk(tree)]
        names = [node for node in nodes if isinstance(node, ast.Name)]
        read = {node.id for node in names if isinstance(node.ctx, ast.Load)}
        bound = {node.id for node in names if isinstance(node.ctx, ast.Store)}
        bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
        bound |= {one.asname or one.name for node in nodes if isinstance(node, _Import) for one in node.names}
        said = _as_assert(tree, example.want) if example.want else ast.unparse(tree)
        if not said or example.exc_msg is not None or not read <= known | bound:
            continue
        lines.append(said)
        known |= bound
        if own & read:
            own |= bound
            end = len(lines) if example.want else end
    return "\n".join(lines[:end])


def _as_assert(tree: ast.Module, want: str) -> str:
    """An example as an assert; "" for one that gives no value, or several, or prints.

    What it gives is read from the syntax, for a line may end in a comment, and compare something itself.
    """
    try:
        wanted = ast.parse(want.strip(), mode="eval").body
        ast.literal_eval(wanted)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return ""
    *before, last = tree.body
    # In a session each expression prints its value, but a method such as `push` has none.
    called = (getattr(one.value, "func", None) for one in before if isinstance(one, ast.Expr))
    if not isinstance(last, ast.Expr) or not all(isinstance(one, ast.Attribute) for one in called):
        return ""
    said = f"assert {ast.unparse(ast.Compare(last.value, [ast.Eq()], [wanted]))}"
    return "\n".join([*map(ast.unparse, before), said])
