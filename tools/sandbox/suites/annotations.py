"""Annotations of a candidate's that read what only its tests bind."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from io import StringIO

from .names import Function


def without_unbound(code: str, own: Collection[str], bound: Collection[str]) -> str:
    """A candidate's code in which annotations that read a name of its tests' are texts, as they are since Python 3.14.

    The code's functions may read such names when they are called, as in a script with the tests. Annotations are read
    while the code loads, which is before the tests bind anything: `def depth(root: Optional[TreeNode])`.

    Args:
        code: Python source that parses.
        own: names that it binds itself.
        bound: names that its tests bind, if both are one script.
    """
    missing = {*bound}.difference(own)
    found = [one for one in _annotations(ast.parse(code)) if missing and _reads(one, missing)]
    lines = StringIO(code, newline="").readlines()
    for one in sorted(found, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        if one.end_lineno == one.lineno:
            # Lines keep their numbers. Columns count bytes.
            line = lines[one.lineno - 1].encode()
            before, text, behind = (
                line[place].decode()
                for place in (
                    slice(one.col_offset),
                    slice(one.col_offset, one.end_col_offset),
                    slice(one.end_col_offset, None),
                )
            )
            lines[one.lineno - 1] = f"{before}{text!r}{behind}"
    return "".join(lines) if found else code


def _annotations(tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, Function) and node.returns:
            yield node.returns
        if isinstance(node, (ast.arg, ast.AnnAssign)) and node.annotation:
            yield node.annotation


def _reads(annotation: ast.expr, names: Collection[str]) -> bool:
    return any(isinstance(node, ast.Name) and node.id in names for node in ast.walk(annotation))
