"""Detects objects of the candidate that claim to be equal to everything, with which any test would pass."""

from __future__ import annotations

import _ast
import sys
from collections.abc import Callable, Collection, Iterator
from operator import contains, eq
from types import FunctionType

from ..decoys import decoys, is_one_of, shown
from ..mirror import ATOMS, kind_of
from .swallowed import raises
from .trees import all_nodes, children_of, put_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

trusted: list[bool] = []
"""Whether what is compared now was made by the tests, from a class whose equality they test."""
_METHODS = ("assertEqual", "assertAlmostEqual", "assertSequenceEqual", "assertListEqual", "assertTupleEqual")


class Equals:
    """Compares for the tests.

    Args:
        is_code: whether a file is the candidate's; None where its objects are asked elsewhere.
        is_test: whether a file is one of the tests'.
    """

    def __init__(self, is_code: Callable[[str], bool] | None, is_test: Callable[[str], bool]) -> None:
        self._is_code, self._is_test = is_code, is_test
        self._imported: set[str] | None = None

    def names(self) -> dict[str, Callable[..., Any]]:
        """What the changed tests call."""
        return {"_tg_same": self.same, "_tg_in": self.within, "_tg_plainly": self.plainly}

    def same(self, left: Any, right: Any, side: int = 0, made: int = 0, in_part: bool = True) -> Any:
        """Whether two values are equal; an object of the candidate's that is equal to everything is not.

        Args:
            left: of the comparison.
            right: of the comparison.
            side: which of them alone was called for: 1 for the left one, -1 for the right one. An object there is the
                candidate's whatever its class; elsewhere, tests may well have one that is equal to everything, `ANY`.
            made: which of them the tests have made from a class, and so take at its word.
            in_part: whether the tests do more with the answer than to ask for its truth.
        """
        __tracebackhide__ = True
        if kind_of(left) in ATOMS and kind_of(right) in ATOMS:
            # For loops of very many rounds.
            return left == right
        answer = self.plainly(eq, left, right) if made else left == right
        if self._is_code is None or (in_part and kind_of(answer) not in ATOMS) or not answer:
            return answer
        left_claims = made != 1 and self._claims(left, right, side == 1)
        return False if left_claims or (made != -1 and self._claims(right, left, side == -1)) else answer

    def within(self, item: Any, items: Any, made: int = 0) -> bool:
        """Whether an item is in a list, but for what is equal to everything."""
        __tracebackhide__ = True
        answer = self.plainly(contains, items, item) if made else item in items
        if answer and self._is_code and kind_of(items) in (list, tuple):
            alike = (each for each in items if each is item or self.same(item, each, made=made))
            return any(True for _ in alike)
        return answer

    def plainly(self, method: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """Call a comparison of objects that the tests have made, and so take at their word."""
        __tracebackhide__ = True
        trusted.append(True)
        try:
            return method(*given, **named)
        finally:
            trusted.pop()

    def around(self, rewrite: Callable[..., None]) -> Callable[..., None]:
        """What replaces pytest's rewriting of asserts: afterwards the tests compare by these methods."""
        self._imported = imported = set[str]()

        def changed(tree: Any, *rest: Any) -> None:
            imported.update(_imports(tree))
            mark(tree)
            rewrite(tree, *rest)
            compare(tree)

        return changed

    def methods_of(self, case: Any) -> None:
        """Have the methods of unittest's `TestCase` compare by these."""
        for name in _METHODS:
            setattr(case, name, self._checked(getattr(case, name)))

    def _checked(self, method: Callable[..., None]) -> Callable[..., None]:
        def check(case: Any, *given: Any, **named: Any) -> None:
            __tracebackhide__ = True
            method(case, *given, **named)
            left, right = [*given, None, None][:2]
            if not trusted and self._is_code and (self._claims(left, right) or self._claims(right, left)):
                case.fail(f"{shown(left)} != {shown(right)}")

        return check

    def _claims(self, thing: Any, other: Any, given: bool = False) -> bool:
        """Whether an object of the candidate's claims to be equal to whatever it is compared with."""
        kind = kind_of(thing)
        if kind in ATOMS:
            return False
        if kind in (list, tuple) and kind_of(other) is kind and len(other) == len(thing):
            return any(self._claims(one, wanted, given) for one, wanted in zip(thing, other, strict=True))
        if kind is dict and kind_of(other) is dict:
            return any(self._claims(thing[key], other[key], given) for key in thing if key in other)
        method = kind.__eq__  # pyright: ignore[reportUnknownVariableType]
        where = method.__code__.co_filename if isinstance(method, FunctionType) else ""
        library = ("builtins", "_pytest", *sys.stdlib_module_names)
        if not where or self._is_test(where) or type(other).__module__.partition(".")[0] not in library:
            return False
        own = given or (self._is_code is not None and self._is_code(where))
        # What the tests have not imported, they cannot have put there.
        brought = self._imported is None or kind.__module__.partition(".")[0] in self._imported
        if not own and brought:
            return False
        state: Any = getattr(thing, "__dict__", {})
        # It may count how often it is asked.
        kept = dict(state)
        try:
            return is_one_of(thing, decoys(other))
        finally:
            state.update(kept)


def made_side(left: Any, right: Any, is_made: Callable[[Any], bool]) -> int:
    """Which side of a comparison the tests have made from a class: 1 for the left one, -1 for the right one."""
    return int(is_made(left)) or -int(is_made(right))


def mark(tree: Any, is_made: Callable[[Any], bool] | None = None) -> None:
    """Mark the comparisons that check something, before they become parts of others.

    What a condition asks for in every round of a loop stays as fast as it was.

    Args:
        tree: of the tests.
        is_made: whether a node is an object that the tests make from one of the candidate's classes; None for tests
            that are read here, for pytest.
    """
    nodes, whole = [tree], set[int]()
    for node in nodes:
        nodes += _looked_into(node)
        if isinstance(node, _ast.Assert):
            whole.update(map(id, _truths(node.test)))
    methods, is_made = () if is_made else _METHODS, is_made or _made_in(nodes)
    for node in nodes:
        if isinstance(node, _ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], (_ast.Eq, _ast.In)):
            made = made_side(node.left, node.comparators[0], is_made)
            # Python has one operator of a kind for all comparisons.
            node.ops = [type(node.ops[0])()]
            node.ops[0]._tg_equal = [made, id(node) not in whole]  # pyright: ignore[reportAttributeAccessIssue]
        elif isinstance(node, _ast.Call) and getattr(node.func, "attr", "") in methods:
            if not any(map(is_made, node.args)):
                continue
            node.args = [node.func, *node.args]
            node.func = put_at(node, _ast.Name("_tg_plainly", _ast.Load()))


def compare(tree: Any) -> None:
    """Have marked comparisons made by a call."""
    nodes: list[Any] = [tree]
    for node in nodes:
        for name in node._fields:
            value: Any = getattr(node, name, None)
            if kind_of(value) is list:
                value[:] = [_called(one) for one in value]
            elif isinstance(value, _ast.Compare):
                setattr(node, name, _called(value))
        nodes += children_of(node)


def _called(node: Any) -> Any:
    marked: Any = getattr(node.ops[0], "_tg_equal", None) if isinstance(node, _ast.Compare) else None
    if marked is None:
        return node
    is_equal = isinstance(node.ops[0], _ast.Eq)
    given = [0, *marked] if is_equal else marked[:1]
    named = put_at(node, _ast.Name("_tg_same" if is_equal else "_tg_in", _ast.Load()))
    constants = [put_at(node, _ast.Constant(one)) for one in given]
    return put_at(node, _ast.Call(named, [node.left, *node.comparators, *constants], []))


def _looked_into(node: Any) -> Iterator[Any]:
    condition = node.test if isinstance(node, (_ast.If, _ast.While, _ast.IfExp)) and not raises(node) else None
    conditions: Collection[Any] = node.ifs if isinstance(node, _ast.comprehension) else [condition]
    yield from (one for one in children_of(node) if not any(one is each for each in conditions))


def _truths(test: Any) -> Iterator[Any]:
    """The parts of a condition of which only the truth counts."""
    yield test
    for one in children_of(test) if isinstance(test, (_ast.BoolOp, _ast.UnaryOp)) else ():
        yield from _truths(one)


def _imports(tree: Any) -> Iterator[str]:
    for node in all_nodes(tree):
        if isinstance(node, _ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, _ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


def _made_in(nodes: Collection[Any]) -> Callable[[Any], bool]:
    """What tells whether a node is an object that the tests make from a class that is not theirs nor the library's."""
    known = {node.name for node in nodes if isinstance(node, _ast.ClassDef)}
    for node in nodes:
        if isinstance(node, _ast.ImportFrom) and (node.module or "").partition(".")[0] in sys.stdlib_module_names:
            known.update(alias.asname or alias.name for alias in node.names)

    def makes(node: Any) -> bool:
        called = node.func if isinstance(node, _ast.Call) else None
        return isinstance(called, _ast.Name) and called.id[0].isupper() and called.id not in known

    stored = [node.id for node in nodes if isinstance(node, _ast.Name) and isinstance(node.ctx, _ast.Store)]
    assigned = [node for node in nodes if isinstance(node, _ast.Assign) and makes(node.value)]
    names = [target.id for node in assigned for target in node.targets if isinstance(target, _ast.Name)]
    made = {name for name in names if names.count(name) == stored.count(name)}
    return lambda node: makes(node) or (isinstance(node, _ast.Name) and node.id in made)
