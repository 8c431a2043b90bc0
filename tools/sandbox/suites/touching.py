"""Which statements of tests may judge the code: those that assert something, or use what may come from the code."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence

from .asserts import statement
from .collected import EXITS
from .names import INTROSPECTION, Definition, Function, Import, top_of, written
from .needs import installed

_PLAIN = frozenset(dir(builtins)) - INTROSPECTION - {"__import__", "breakpoint", "compile", "input", "open", *EXITS}
_OF_THE_MACHINE_TEXT = """
importlib.util.find_spec os.cpu_count os.environ os.getenv os.name os.uname platform. shutil.which
sys.byteorder sys.flags sys.hexversion sys.implementation sys.maxsize sys.platform sys.version typing.TYPE_CHECKING
"""
_OF_THE_MACHINE = tuple(_OF_THE_MACHINE_TEXT.split())
"""What tests look at to decide whether to skip something. Any other module may lead to the code."""
_CHECKERS = ("assert", "check", "expect", "fail", "raises", "verify", "warns")
_CHANGING = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)
"""Expressions whose values may use the code later, or be filled with its results."""
_MARK = "_tg_seen.touched = True"


class Touching:
    """Marks where tests begin to judge the code, so that a check that skips all of that is not taken for a pass.

    Whatever may use the code counts as judging it: a test can check something without an assert.

    Args:
        tree: the tests.
        homes: the packages, or modules, in which they expect the code.
    """

    def __init__(self, tree: ast.Module, homes: Collection[str]) -> None:
        self._homes = frozenset(homes)
        nodes = [*ast.walk(tree)]
        self._origins, touching = self._imported(nodes)
        own = {node.name: node for node in nodes if isinstance(node, Definition)}
        told = {node.name for node in nodes if isinstance(node, ast.ExceptHandler) and node.name}
        bound: dict[str, list[ast.expr]] = {}
        plain = set[int]()
        for target, value in _assigned(nodes):
            bound.setdefault(target.id, []).append(value)
            plain.add(id(target))
        touching |= {node.arg for node in nodes if isinstance(node, ast.arg)}
        touching |= {name for node in nodes for name in _bound_otherwise(node) if id(node) not in plain}
        self._plain = _PLAIN.difference(bound, self._origins, own, told, touching)
        # At first all of them; then those go that are bound to something that may use the code.
        self._quiet = {*bound, *self._origins} - own.keys() - told - touching
        while lost := [
            name
            for name in bound.keys() & self._quiet
            if not all(self._is_quiet(value, lasting=True) for value in bound[name])
        ]:
            self._quiet.difference_update(lost)
        # The bodies of these are marked themselves. A variable may hold what they made elsewhere.
        bodies = {name for name, node in own.items() if all(map(self._is_quiet, _head(node)))}
        self._quiet |= (bodies | told) - touching - bound.keys() - self._origins.keys()

    def marked(self, nodes: Iterable[ast.stmt], done: bool = False) -> list[ast.stmt]:
        """Statements with a mark before the first of them that may judge, and so those inside of them.

        Args:
            done: whether a mark stands before them already.
        """
        made: list[ast.stmt] = []
        for node in nodes:
            if not done and self._touches(node):
                made.append(statement(_MARK, node))
                done = True
            made.append(node)
            # What is defined may run in another check.
            inside = done and not isinstance(node, Definition)
            for part in (node, *getattr(node, "handlers", ()), *getattr(node, "cases", ())):
                for name in ("body", "orelse", "finalbody"):
                    if rows := getattr(part, name, None):
                        setattr(part, name, self.marked(rows, inside))
        return made

    def says_nothing(self, tree: ast.Module) -> bool:
        """Whether tests assert only what is always true, and never use the code after they have imported it."""
        nodes = [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and not isinstance(node, Import)]
        asserts = [node.test for node in nodes if isinstance(node, ast.Assert)]
        if not asserts or not all(isinstance(test, ast.Constant) and test.value for test in asserts):
            return False
        return not any(self._touches(node) for node in nodes if not isinstance(node, ast.Assert))

    def _touches(self, node: ast.stmt) -> bool:
        if isinstance(node, Import):
            return not self._homes.isdisjoint(top_of(place) for _, place in _brought(node))
        if isinstance(node, (ast.Raise, ast.Match)):
            return True
        if isinstance(node, ast.If) and any(map(_gives_up, (*node.body, *node.orelse))):
            # Its condition says whether something is wrong.
            return True
        if isinstance(node, (ast.For, ast.AsyncFor, ast.While)) and "_tg_ran" in ast.dump(node.body[0]):
            # Of a loop at the top, it is told whether it had rounds.
            return True
        return not all(map(self._is_quiet, _head(node)))

    def _is_quiet(self, node: ast.AST, lasting: bool = False) -> bool:
        """Whether an expression cannot use the code; `lasting` says that it will be bound to a name."""
        if isinstance(node, (ast.Attribute, ast.Name)) and (place := self._standard(node)):
            return place.startswith(_OF_THE_MACHINE)
        if isinstance(node, ast.Name) and node.id.startswith("_tg_"):
            return isinstance(node.ctx, ast.Load) and node.id != "_tg_ended"
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            return node.id in self._quiet or node.id in self._plain
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            # A command, say, or the name of a module.
            return not any(name in node.value for name in self._homes)
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "").lower().startswith(_CHECKERS):
            return False
        if lasting and isinstance(node, _CHANGING):
            return False
        return all(self._is_quiet(child, lasting) for child in ast.iter_child_nodes(node))

    def _standard(self, node: ast.expr) -> str:
        """The full name of something in the standard library; "" for anything else."""
        if isinstance(node, ast.Attribute):
            place = self._standard(node.value)
            return place and f"{place}.{node.attr}"
        place = self._origins.get(node.id, "") if isinstance(node, ast.Name) and node.id in self._quiet else ""
        return place if top_of(place) in sys.stdlib_module_names else ""

    def _imported(self, nodes: Iterable[ast.AST]) -> tuple[dict[str, str], set[str]]:
        """Where imported names come from, and which of them may be the code's."""
        found, own = dict[str, str](), set[str]()
        imports = [node for node in nodes if isinstance(node, Import)]
        tops = {top_of(place) for node in imports if isinstance(node, ast.ImportFrom) for _, place in _brought(node)}
        # The code may stand for what is not installed, if something is imported from there by name.
        stood = self._homes | (tops - sys.stdlib_module_names - installed())
        for name, place in (each for node in imports for each in _brought(node)):
            if top_of(place) in stood or found.setdefault(name, place) != place:
                own.add(name)
        return found, own


def refuse_always_true(tree: ast.Module) -> None:
    """Refuse asserts of what is true whatever the code does, though it is in there.

    Raises:
        ValueError: there is one.
    """
    for node in (each for each in ast.walk(tree) if isinstance(each, ast.Assert)):
        test = node.test
        if isinstance(test, (ast.Tuple, ast.List, ast.Set)):
            if all(isinstance(one, ast.Starred) for one in test.elts):
                continue
            advice = "an `assert` for each of its items"
            if isinstance(test, ast.Tuple) and len(test.elts) == _WITH_MESSAGE and _is_text(test.elts[1]):
                advice = f"`{written(ast.Assert(*test.elts))}`, without parentheses"
            kind = type(test).__name__.lower()
        elif isinstance(test, ast.GeneratorExp):
            kind, advice = "generator", "`assert all(…)`"
        elif isinstance(test, ast.Lambda):
            kind, advice = "function", "a call of it"
        else:
            continue
        raise ValueError(
            f"the assert in line {node.lineno} of the tests is always true, for it asserts a {kind}: write {advice}, "
            f"got {written(node)!r:.60}"
        )


_WITH_MESSAGE = 2
"""Items of a tuple that was to be an assert and what it says."""


def _gives_up(node: ast.stmt) -> bool:
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(node, ast.Raise) or (isinstance(call, ast.Call) and written(call.func) in EXITS)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _brought(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    """The names that an import binds, and what they stand for."""
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            yield alias.asname or alias.name, f"{node.module}.{alias.name}"
        else:
            top = top_of(alias.name)
            yield alias.asname or top, alias.name if alias.asname else top


def _assigned(nodes: Iterable[ast.AST]) -> Iterator[tuple[ast.Name, ast.expr]]:
    """Names that are assigned a single expression, with that expression."""
    for node in nodes:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and node.value:
            yield from ((target, node.value) for target in targets if isinstance(target, ast.Name))


def _bound_otherwise(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, (ast.MatchAs, ast.MatchStar, ast.MatchMapping)):
        yield (node.rest if isinstance(node, ast.MatchMapping) else node.name) or ""


def _head(node: ast.stmt) -> Sequence[ast.AST]:
    """What of a statement runs before the statements inside of it."""
    if isinstance(node, Function):
        return [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]
    return [child for child in ast.iter_child_nodes(node) if not isinstance(child, (ast.stmt, ast.ExceptHandler))]
