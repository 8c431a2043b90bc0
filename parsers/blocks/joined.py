"""Blocks of code as one file: the names that each binds and uses, and what it takes from the others."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from ..code_forms import imported_names
from .names import callables, defined, filled, lacking, provided, top_level, used, written

_BINDERS = frozenset({"exec", "globals", "setattr", "vars"})


class _Import(NamedTuple):
    """An import of what other blocks define.

    Attributes:
        node: the statement.
        names: what it takes.
        code: what stands in its place where the blocks are one.
    """

    node: ast.Import | ast.ImportFrom
    names: set[str]
    code: str


class _Block:
    """What the imports of a block are told by: what it gives others, imports, uses, and reads of names."""

    def __init__(self, tree: ast.Module) -> None:
        self.gives = written(tree) | (provided(tree) - callables(tree))
        self.imports: list[ast.Import | ast.ImportFrom] = []
        self.uses = Counter[str]()
        self.attributes: dict[str, list[ast.Attribute]] = {}
        for node in ast.walk(tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                self.imports.append(node)
            elif isinstance(node, ast.Name):
                self.uses[node.id] += 1
            elif isinstance(node, ast.Attribute) and (owner := _dotted(node.value)):
                self.attributes.setdefault(owner, []).append(node)


_DEEPEST = 8
"""Dots in the name of a module."""


def _dotted(node: ast.AST) -> str:
    """A name, or attributes of one, as written; "" for anything else."""
    names: list[str] = []
    while isinstance(node, ast.Attribute) and len(names) < _DEEPEST:
        names.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(names)]) if isinstance(node, ast.Name) else ""


_SPACE = "__import__('types').SimpleNamespace({})"
_FILE = re.compile(r"(?<!\w)(\w++)\.py\b")


class Blocks:
    """The blocks of a reply, which may be several files that import from one another.

    Args:
        parsed: the blocks that parse, each with its tree.
        text: the reply, which names its files.
    """

    def __init__(self, parsed: Sequence[tuple[str, ast.Module]], text: str) -> None:
        self._parsed = parsed
        self._files = {found[1] for found in _FILE.finditer(text)}
        self._blocks = [_Block(tree) for _, tree in parsed]
        self._all = [self._taken(index, range(len(parsed))) for index in range(len(parsed))]
        self._offers = [self.offered(index, provided) for index in range(len(parsed))]

    def offered(self, index: int, provides: Callable[[ast.Module], set[str]]) -> set[str]:
        """What a block provides without what it only imports from the others."""
        tree = self._parsed[index][1]
        imported = set[str]().union(*(imported_names(one.node) for one in self._all[index]))
        return provides(tree) - (imported - defined(tree) if imported else imported)

    def may_bind(self, index: int) -> bool:
        """Whether a block may bind names that no block shows: by `import *`, `exec` or `globals()`."""
        own = [one.node for one in self._all[index]]
        imports = [node for node in self._parsed[index][1].body if isinstance(node, ast.ImportFrom)]
        starred = any(alias.name == "*" for node in imports if node not in own for alias in node.names)
        return starred or not _BINDERS.isdisjoint(self._blocks[index].uses)

    def with_helpers(self, chosen: int, names: set[str]) -> str:
        """The chosen block, preceded by the other blocks whose names it needs, directly or indirectly, and followed by
        those that only write parts of it again: "Here is the corrected part"."""
        mine = self.offered(chosen, written)
        later = {index: self.offered(index, filled) for index in range(chosen + 1, len(self._parsed))}
        again = [index for index, part in later.items() if part and part <= mine]
        others = [index for index in range(len(self._parsed)) if not names & self.offered(index, callables)]
        others = [index for index in others if index not in again]
        needed = set[str]().union(*(self._missing(index, others) for index in (chosen, *again)))
        helpers: set[int] = set()
        while found := {index for index in others if needed & self._offers[index]} - helpers:
            helpers |= found
            needed |= set[str]().union(
                *(used(self._parsed[index][1]) | self._missing(index, others) for index in found)
            )
        helpers |= self._earlier(chosen, {*helpers, *again})
        return self.joined([*sorted(helpers - {chosen}), chosen, *again])

    def _earlier(self, chosen: int, beside: Collection[int]) -> set[int]:
        """The latest earlier versions that have what the chosen block needs and nothing beside it does: imports and
        helpers are not written again where a function is."""
        blocks = [self._parsed[index][1] for index in (chosen, *beside)]
        wanted = set[str]().union(*map(lacking, blocks)).difference(*map(provided, blocks))
        found: set[int] = set()
        for index in reversed(range(chosen)):
            if wanted & self._offers[index]:
                found.add(index)
                wanted -= self._offers[index]
        return found

    def joined(self, indexes: Sequence[int]) -> str:
        """Blocks in one, each behind those that it imports from, with the imports from `__future__` at the beginning,
        where alone they may stand, and without those from one another."""
        if len(indexes) == 1:
            return self._parsed[indexes[0]][0]
        futures: list[str] = []
        rest: list[str] = []
        for index in self._in_order(indexes):
            block, tree = self._parsed[index]
            left_out = [(node, code) for node, _, code in self._taken(index, indexes)]
            for node in tree.body:
                if isinstance(node, ast.ImportFrom) and node.module == "__future__":
                    futures.append(ast.unparse(node))
                    left_out.append((node, ""))
            rest.append(_replaced(block, left_out) if left_out else block)
        return "\n\n".join([*dict.fromkeys(futures), *rest])

    def _in_order(self, indexes: Sequence[int]) -> Iterator[int]:
        """Each block behind those that it needs when it is loaded; in a circle, as they are written."""
        before = {index: self._loaded_before(index, indexes) for index in indexes}
        waiting = list(indexes)
        while waiting:
            ready = next((index for index in waiting if before[index].isdisjoint(waiting)), waiting[0])
            waiting.remove(ready)
            yield ready

    def _loaded_before(self, index: int, indexes: Sequence[int]) -> set[int]:
        body = [node for node in self._parsed[index][1].body if not _is_of_types(node)]
        at_top = {*top_level(body)}
        names = set[str]().union(*(one.names for one in self._taken(index, indexes) if one.node in at_top))
        return {other for other in indexes if other != index and names & self._offers[other]}

    def _missing(self, index: int, others: Collection[int]) -> set[str]:
        """What a block uses and does not bind, or imports from another block, as from a file of its own."""
        tree = self._parsed[index][1]
        imports = self._taken(index, others)
        return (used(tree) - provided(tree)).union(*(one.names for one in imports))

    def _taken(self, index: int, among: Collection[int]) -> list[_Import]:
        """The imports of a block that take what others among these define."""
        block = self._blocks[index]
        elsewhere = set[str]().union(*(self._blocks[other].gives for other in among if other != index))
        found: list[_Import] = []
        for node in block.imports if elsewhere else ():
            parts = [part for alias in node.names if (part := self._part(block, node, alias, elsewhere))]
            if len(parts) == len(node.names):
                names = set[str]().union(*(names for names, _ in parts))
                found.append(_Import(node, names, "; ".join(code for _, code in parts if code)))
        return found

    def _part(
        self, block: _Block, node: ast.Import | ast.ImportFrom, alias: ast.alias, elsewhere: set[str]
    ) -> tuple[set[str], str] | None:
        """What a part of an import takes from elsewhere, and what stands in its place; None if it is another one."""
        bound, file = alias.asname or alias.name, alias.name.rpartition(".")[2]
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            is_own = node.level > 0 or module.rpartition(".")[2] in self._files
            if not is_own and module.partition(".")[0] in sys.stdlib_module_names:
                return None
            if alias.name == "*":
                return (elsewhere.intersection(block.uses), "") if is_own else None
            if alias.name in elsewhere:
                return {alias.name}, "" if bound == alias.name else f"{bound} = {alias.name}"
        # A module as a whole: only what the reply shows as a file, for `get` may be defined beside `requests.get`.
        if file not in self._files:
            return None
        read = block.attributes.get(bound, [])
        names = {one.attr for one in read}
        package, *inner = bound.split(".")
        if inner and package in sys.stdlib_module_names:
            return None
        changes = any(not isinstance(one.ctx, ast.Load) for one in read)
        if changes or len(read) < block.uses[package] or not names <= elsewhere:
            return None
        made = _SPACE.format(", ".join(f"{name}={name}" for name in sorted(names)))
        for name in reversed(inner):
            made = _SPACE.format(f"{name}={made}")
        return names, f"{package} = {made}"


def _is_of_types(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and _dotted(node.test).rpartition(".")[2] == "TYPE_CHECKING"


def _replaced(block: str, statements: Iterable[tuple[ast.stmt, str]]) -> str:
    """Code with other statements in the place of some; each line keeps its number."""
    lines = re.split(r"\r\n?|\n", block)
    for node, code in sorted(statements, key=lambda one: (one[0].lineno, one[0].col_offset), reverse=True):
        end = node.end_lineno or node.lineno
        before = lines[node.lineno - 1].encode()[: node.col_offset].decode()
        after = lines[end - 1].encode()[node.end_col_offset :].decode()
        is_alone = not before and after.strip()[:1] in ("", "#")
        line = f"{before}{code or 'pass'}{after}" if code or not is_alone else ""
        lines[node.lineno - 1 : end] = [line, *[""] * (end - node.lineno)]
    return "\n".join(lines)
