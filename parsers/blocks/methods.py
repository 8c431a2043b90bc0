"""Methods that a later block writes again without the rest of their class.

They are put into the class only where nothing is doubtful: any other block stays as it is.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Collection, Iterable, Sequence
from typing import TypeGuard

from ..code_forms import imported_names, tree_of
from .labels import label_of_part
from .names import is_stub, provided

_Method = ast.FunctionDef | ast.AsyncFunctionDef
_Import = (ast.Import, ast.ImportFrom)
_KINDS = frozenset({"staticmethod", "classmethod", "property", "cached_property", "setter", "getter", "deleter"})
_ELISION = re.compile(
    r"#[^\n]*(?:\.\.\.|\u2026|\b(?:the rest|rest of|unchanged|same as|as before|omitted"
    r"|(?:other|existing|remaining) \w+s)\b)",
    re.IGNORECASE,
)
"""A remark in the place of what is left out."""
_AROUND = "class _:\n"


def trees_with_methods(blocks: Iterable[str]) -> list[tuple[str, ast.Module]]:
    """The blocks that parse, each with its tree, and indented ones, which may be methods, with an empty one."""
    trees = ((block, tree_of(block) or (ast.Module([], []) if block[:1] in (" ", "\t") else None)) for block in blocks)
    return [(block, tree) for block, tree in trees if tree is not None]


def with_methods(
    parsed: Sequence[tuple[str, ast.Module]], text: str, wanted: Collection[str]
) -> list[tuple[str, ast.Module]]:
    """The blocks of a reply, with methods that are shown without their class in that class: alone, as in "Here is the
    corrected method", or in an excerpt of the class. Functions that are wanted by their names are none; what is
    indented, and has no class, is left out."""
    found: list[tuple[str, ast.Module]] = []
    for block, tree in parsed:
        try:
            merged = _merged(found, block, text, wanted)
        except RecursionError:
            merged = None
        if merged:
            found[merged[0]] = merged[1:]
        elif tree.body or tree_of(block):
            found.append((block, tree))
    return found


def _merged(
    found: Sequence[tuple[str, ast.Module]], block: str, text: str, wanted: Collection[str]
) -> tuple[int, str, ast.Module] | None:
    """The place of the earlier block that a block corrects, and its new code with its tree; None in any doubt."""
    label = label_of_part(block, text) if found else None
    code = block if tree_of(block) else _AROUND + block
    tree = tree_of(code)
    if label is None or tree is None:
        return None
    imports = [node for node in tree.body if isinstance(node, _Import)]
    rest = [node for node in tree.body if node not in imports]
    excerpt = rest[0] if len(rest) == 1 and isinstance(rest[0], ast.ClassDef) else None
    is_bare = excerpt is None or code is not block
    body = excerpt.body if excerpt else rest
    methods = [node for node in body if _is_method(node)]
    names = {node.name for node in methods}
    others = [node for node in body if node not in methods]
    if not _are_whole(code, methods) or not all(not is_bare and _says_nothing(node) for node in others):
        return None
    if is_bare and not names.isdisjoint(wanted):
        return None
    for place in range(len(found) - 1, -1, -1):
        classes = [node for node in found[place][1].body if isinstance(node, ast.ClassDef)]
        if is_bare:
            known = [node for node in classes if names & _names(node.body)]
        else:
            known = [node for node in classes if excerpt and node.name == excerpt.name]
        if known:
            # A label may tell of another class, which has no such method yet.
            told = {node.name for node in classes if re.search(rf"\b{node.name}\b", label)}
            fits = len(known) == 1 and told <= {known[0].name}
            if not fits or not (is_bare or (excerpt and _is_excerpt(code, excerpt, known[0]))):
                return None
            made = _put_into(found[place][0], known[0].name, code, methods, imports)
            return (place, *made) if made else None
    return None


def _are_whole(code: str, methods: Sequence[_Method]) -> bool:
    """Whether methods are all there, each once."""
    lines = code.split("\n")
    return bool(methods) and all(
        not is_stub(node)
        and not any(isinstance(one, ast.Expr) and getattr(one.value, "value", "") is ... for one in ast.walk(node))
        and not _ELISION.search("\n".join(lines[_first(node) - 1 : node.end_lineno]))
        for node in methods
    )


def _is_excerpt(code: str, part: ast.ClassDef, whole: ast.ClassDef) -> bool:
    """Whether a class leaves out what an earlier version of it has: it says so outside of its methods, which are whole,
    or it has no more than some of its methods and lacks the first of all."""
    heads = [
        {
            ast.dump(one)
            for one in (*node.decorator_list, *node.bases, *node.keywords, *getattr(node, "type_params", ()))
        }
        for node in (part, whole)
    ]
    own, all_of_them = _names(part.body), _names(whole.body)
    if all_of_them <= own or not heads[0] <= heads[1]:
        return False
    left_out = any(isinstance(node, ast.Expr) and getattr(node.value, "value", "") is ... for node in part.body)
    return left_out or bool(_ELISION.search(code)) or (own < all_of_them and "__init__" in all_of_them - own)


def _names(body: Iterable[ast.stmt]) -> set[str]:
    return {node.name for node in body if isinstance(node, _Method)}


def _is_method(node: ast.stmt) -> TypeGuard[_Method]:
    if not isinstance(node, _Method):
        return False
    return "staticmethod" in _kind(node) or [one.arg for one in node.args.args[:1]] in (["self"], ["cls"])


def _says_nothing(node: ast.stmt) -> bool:
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _put_into(
    code: str, name: str, block: str, methods: Sequence[_Method], imports: Sequence[ast.Import | ast.ImportFrom]
) -> tuple[str, ast.Module] | None:
    """Code with methods of a class in the place of those that they replace, or behind its last line, and with their
    imports; None if that is not what becomes of it."""
    expected = ast.parse(code)
    whole = next(node for node in expected.body if isinstance(node, ast.ClassDef) and node.name == name)
    known = {_key(node): node for node in whole.body if isinstance(node, _Method)}
    given = {_key(node): node for node in methods}
    there = {ast.dump(node) for node in expected.body if isinstance(node, _Import)}
    needed = [node for node in imports if ast.dump(node) not in there]
    is_unique = len(given) == len(methods) and len(known) == sum(isinstance(node, _Method) for node in whole.body)
    is_alike = all(_kind(node) == _kind(known.get(key, node)) for key, node in given.items())
    if not is_unique or not is_alike or provided(expected) & set[str]().union(*map(imported_names, needed)):
        return None
    lines, written = code.split("\n"), block.split("\n")
    margin = lines[whole.body[0].lineno - 1][: whole.body[0].col_offset]
    texts = {key: _moved(node, written, margin) for key, node in given.items()}
    end = whole.end_lineno or whole.lineno
    lines[end:end] = [line for key, part in texts.items() if key not in known for line in ("", *part)]
    for key, node in sorted(known.items(), key=lambda one: one[1].lineno, reverse=True):
        if key in given:
            lines[_first(node) - 1 : node.end_lineno] = texts[key]
    head = 0
    while head < len(expected.body) and _is_head(expected.body[head]):
        head += 1
    needed.sort(key=lambda node: not _is_head(node))
    at = expected.body[head - 1].end_lineno if head else 0
    lines[at:at] = map(ast.unparse, needed)
    whole.body = [given.get(_key(node), node) if isinstance(node, _Method) else node for node in whole.body]
    whole.body += [node for key, node in given.items() if key not in known]
    expected.body[head:head] = needed
    made = "\n".join(lines)
    tree = tree_of(made)
    is_right = tree is not None and ast.dump(tree) == ast.dump(expected) and _compiles(made)
    return (made, tree) if tree is not None and is_right else None


def _moved(node: _Method, written: Sequence[str], margin: str) -> list[str]:
    """The lines of a method with another margin, but for those inside of a text."""
    first = _first(node)
    own = written[first - 1][: len(written[first - 1]) - len(written[first - 1].lstrip())]
    texts = (one for one in ast.walk(node) if isinstance(one, (ast.Constant, ast.JoinedStr)))
    inside = {line for one in texts for line in range(one.lineno + 1, (one.end_lineno or one.lineno) + 1)}
    lines = enumerate(written[first - 1 : node.end_lineno], first)
    return [line if at in inside or not line.strip() else margin + line.removeprefix(own) for at, line in lines]


def _is_head(node: ast.stmt) -> bool:
    """Whether it is a docstring or an import from `__future__`, behind which a module's imports stand."""
    is_text = isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str)
    return is_text or (isinstance(node, ast.ImportFrom) and node.module == "__future__")


def _compiles(code: str) -> bool:
    """Whether code compiles, which asks for more than its grammar does."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(code, "<reply>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _first(node: _Method) -> int:
    return min([node.lineno, *(one.lineno for one in node.decorator_list)])


def _kind(node: _Method) -> set[str]:
    """What kind of attribute its decorators make of a method."""
    return {getattr(one, "id", getattr(one, "attr", "")) for one in node.decorator_list} & _KINDS


def _key(node: _Method) -> tuple[str, ...]:
    """A name, with what parts a property from its setter."""
    return node.name, *sorted(_kind(node) & {"setter", "getter", "deleter"})
