"""Finds the code in a reply and checks that it parses."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from itertools import islice

from .._internal.fences import find_fences
from .contract import ParseDict, error, success
from .wrapping import plain_lines

_MAX_BLOCKS = 64
_MAX_CODE = 50_000
"""Most characters of code to parse; Python's own parser takes seconds for a hostile megabyte."""
_CLOSING = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[ \t]*$", re.MULTILINE)
_PYTHON = frozenset({"python", "py", "python3", ""})


def python_parser(raw_reply: str, names: Sequence[str] = ()) -> ParseDict:
    """Extract the Python code from a reply.

    Of several blocks, this takes the last one that parses and defines the wanted names, not simply the last one: models
    like to end with a usage example. Helpers and imports from other blocks that it needs are put before it.

    Args:
        raw_reply: the model's reply: fenced blocks, or bare code.
        names: functions or classes that the code must define.

    Returns:
        `{"status": "success", "content": code}`, or `{"status": "error", "feedback": …}` that names the line that does
        not parse or the missing names.
    """
    text = plain_lines(raw_reply)
    fences = [fence.body for fence in find_fences(text, last=_MAX_BLOCKS) if fence.language in _PYTHON]
    blocks = [body for body in fences if body.strip()] or ([text] if _looks_like_code(text) else [])
    if sum(map(len, blocks)) > _MAX_CODE:
        return error(f"The code is longer than {_MAX_CODE:,} characters. Write a shorter solution in one block.")
    if not blocks:
        return error("There is no code in the reply. Write the whole solution in one ```python block.")
    parsed = [(block, tree) for block in blocks if (tree := _tree(block)) is not None]
    if not parsed and (whole := _past_inner_fence(text)) is not None:
        parsed = [whole]
    if not parsed:
        return error(_syntax_feedback(blocks[-1]))
    # A name that is only assigned, as in `total = total([1, 2])`, counts only if no block has a callable of that name.
    for provides in (_callables, _provided):
        for index in range(len(parsed) - 1, -1, -1):
            if set(names) <= provides(parsed[index][1]):
                return success(_with_helpers(parsed, index, set(names)))
    missing = [name for name in names if not any(name in _callables(tree) for _, tree in parsed)]
    if not missing:
        return success("\n\n".join(block for block, _ in parsed))
    if len(parsed) < len(blocks):
        return error(_syntax_feedback(next(block for block in reversed(blocks) if _tree(block) is None)))
    wanted = ", ".join(f"`{name}`" for name in missing)
    return error(f"The code has to define {wanted}, by exactly that name. Write it all in one ```python block.")


def _past_inner_fence(text: str) -> tuple[str, ast.Module] | None:
    """The first block, extended to a later closing fence: a fence in a docstring may seem to end the block."""
    opening = next((fence for fence in find_fences(text) if fence.language in _PYTHON), None)
    if opening is None:
        return None
    for closing in islice(_CLOSING.finditer(text, opening.end), _MAX_BLOCKS):
        code = text[opening.body_start : closing.start()]
        if len(code) > _MAX_CODE:
            break
        if (tree := _tree(code)) is not None:
            return code.rstrip("\n"), tree
    return None


def _tree(code: str) -> ast.Module | None:
    try:
        return _parsed(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _parsed(code: str) -> ast.Module:
    with warnings.catch_warnings():
        # "\d" in a plain string causes a warning; if warnings are errors, the code would not parse.
        warnings.simplefilter("ignore")
        return ast.parse(code)


def _looks_like_code(text: str) -> bool:
    if len(text) > _MAX_CODE:
        return False
    tree = _tree(text)
    return tree is not None and any(isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Assign)) for node in tree.body)


def _syntax_feedback(code: str) -> str:
    try:
        _parsed(code)
    except SyntaxError as problem:
        line = (code.splitlines() or [""])[min((problem.lineno or 1), len(code.splitlines()) or 1) - 1].strip()
        return (
            f"The code does not parse: {problem.msg} at line {problem.lineno}: `{line[:120]}`. Write it again, whole."
        )
    except (ValueError, RecursionError, MemoryError) as problem:
        return f"The code does not parse: {problem}. Write it again, whole."
    return "The code does not parse. Write it again, whole."


def _callables(tree: ast.Module) -> set[str]:
    """Top-level names that can be called: functions, classes, imports, lambdas and aliases, but not results."""
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        elif isinstance(node, ast.Assign) and isinstance(node.value, (ast.Lambda, ast.Name, ast.Attribute)):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names


def _provided(tree: ast.Module) -> set[str]:
    assigned = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return _callables(tree) | assigned


def _with_helpers(parsed: Sequence[tuple[str, ast.Module]], chosen: int, names: set[str]) -> str:
    """The chosen block, preceded by the other blocks whose names it needs, directly or indirectly."""
    block, tree = parsed[chosen]
    others = {index: other for index, (_, other) in enumerate(parsed) if not names & _callables(other)}
    needed = _used(tree) - _provided(tree)
    helpers: set[int] = set()
    while found := {index for index, other in others.items() if needed & _provided(other)} - helpers:
        helpers |= found
        needed |= set[str]().union(*(_used(others[index]) for index in found))
    return "\n\n".join([*(parsed[index][0] for index in sorted(helpers)), block])


def _used(tree: ast.Module) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
