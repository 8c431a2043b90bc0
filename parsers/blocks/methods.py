"""Methods that a later block writes again without the rest of their class."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Sequence
from textwrap import dedent, indent
from typing import TypeGuard

from ..code_forms import tree_of

_Import = (ast.Import, ast.ImportFrom)
_Function = (ast.FunctionDef, ast.AsyncFunctionDef)
_ELSEWHERE = re.compile(
    r"^[ \t]*#[^\n]*(?:\.\.\.|\u2026|\b(?:rest|unchanged|same as|as before|other methods|existing)\b)",
    re.IGNORECASE | re.MULTILINE,
)
"""A remark in the place of what is left out."""


def trees_with_methods(blocks: Iterable[str]) -> list[tuple[str, ast.Module]]:
    """The blocks that parse, or would but for the indentation of their methods, each with its tree."""
    return [(block, tree) for block in blocks if (tree := tree_of(block) or _of_methods(block)) is not None]


def _of_methods(block: str) -> ast.Module | None:
    tree = tree_of(dedent(block)) if block[:1] in (" ", "\t") else None
    return tree if tree and all(map(_is_method, tree.body)) else None


def with_methods(parsed: Sequence[tuple[str, ast.Module]], wanted: Collection[str]) -> list[tuple[str, ast.Module]]:
    """The blocks of a reply, with methods that are shown without their class in that class: alone, as in "Here is the
    corrected method", or in an excerpt of the class. Functions that are wanted by their names are none; methods that
    are indented, and whose class nothing shows, are left out."""
    found: list[tuple[str, ast.Module]] = []
    for block, tree in parsed:
        is_wanted = not _names(tree.body).isdisjoint(wanted)
        for place in range(len(found) - 1, -1, -1) if not is_wanted else ():
            methods, of_class = _methods_for(found[place][1], block, tree)
            code = _put_into(found[place][0], of_class, block, methods) if of_class else ""
            # Behind the class, where they stand below any import from `__future__`.
            code = "\n".join([code, *(ast.unparse(node) for node in tree.body if isinstance(node, _Import))])
            if of_class and code.strip() and (made := tree_of(code)) is not None:
                found[place] = code, made
                break
        else:
            found += [(block, tree)] if tree_of(block) else []
    return found


def _methods_for(
    earlier: ast.Module, block: str, tree: ast.Module
) -> tuple[list[ast.FunctionDef | ast.AsyncFunctionDef], ast.ClassDef | None]:
    """The methods that a block holds of a class of an earlier one, and that class; None if it is no part of one."""
    classes = [node for node in earlier.body if isinstance(node, ast.ClassDef)]
    rest = [node for node in tree.body if not isinstance(node, _Import)]
    if rest and all(map(_is_method, rest)):
        methods = [node for node in rest if _is_method(node)]
        names = {node.name for node in methods}
        known = [node for node in classes if names & _names(node.body)]
        return methods, known[0] if len(known) == 1 else None
    excerpt = rest[0] if len(rest) == 1 else None
    if isinstance(excerpt, ast.ClassDef):
        methods = [node for node in excerpt.body if isinstance(node, _Function)]
        others = [node for node in excerpt.body if node not in methods and not _says_nothing(node)]
        whole = next((node for node in classes if node.name == excerpt.name), None)
        if whole and methods and not others and _is_excerpt(block, excerpt, whole):
            return methods, whole
    return [], None


def _is_excerpt(block: str, part: ast.ClassDef, whole: ast.ClassDef) -> bool:
    """Whether a class leaves out what an earlier version of it has: it says so, or it has no more than some of its
    methods and lacks the first of all."""
    own, all_of_them = _names(part.body), _names(whole.body)
    if all_of_them <= own or [*map(ast.unparse, part.bases)] != [*map(ast.unparse, whole.bases)]:
        return False
    left_out = any(isinstance(node, ast.Expr) and getattr(node.value, "value", "") is ... for node in part.body)
    return left_out or bool(_ELSEWHERE.search(block)) or (own < all_of_them and "__init__" in all_of_them - own)


def _names(body: Iterable[ast.stmt]) -> set[str]:
    return {node.name for node in body if isinstance(node, _Function)}


def _is_method(node: ast.stmt) -> TypeGuard[ast.FunctionDef | ast.AsyncFunctionDef]:
    if not isinstance(node, _Function):
        return False
    is_static = any(getattr(one, "id", "") == "staticmethod" for one in node.decorator_list)
    return is_static or [one.arg for one in node.args.args[:1]] in (["self"], ["cls"])


def _says_nothing(node: ast.stmt) -> bool:
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _put_into(
    code: str, whole: ast.ClassDef, block: str, methods: Sequence[ast.FunctionDef | ast.AsyncFunctionDef]
) -> str:
    """The code with methods of a class in the place of those that they replace, or behind its last line."""
    lines, written = code.split("\n"), block.split("\n")
    margin = lines[whole.body[0].lineno - 1][: whole.body[0].col_offset]
    if margin.strip():
        return code
    parts = {id(node): "\n".join(written[_first(node) - 1 : node.end_lineno]) for node in methods}
    texts = {key: indent(dedent(text), margin) for key, text in parts.items()}
    known = {_key(node): node for node in whole.body if isinstance(node, _Function)}
    placed = [(known[_key(node)], texts[id(node)]) for node in methods if _key(node) in known]
    new = [texts[id(node)] for node in methods if _key(node) not in known]
    end = whole.end_lineno or whole.lineno
    lines[end:end] = [line for text in new for line in ("", text)]
    for node, text in sorted(placed, key=lambda one: one[0].lineno, reverse=True):
        lines[_first(node) - 1 : node.end_lineno] = [text]
    return "\n".join(lines)


def _first(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return min([node.lineno, *(one.lineno for one in node.decorator_list)])


def _key(node: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[str, ...]:
    """A name, with what parts a property from its setter."""
    return node.name, *(ast.unparse(one) for one in node.decorator_list if isinstance(one, ast.Attribute))
