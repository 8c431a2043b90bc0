"""Carries values between the process of the candidate and that of the tests, exactly or not at all.

Both processes keep a table of the containers that either has seen. A message holds what is new in it, and what has
changed, so that an argument sorted in place, a shared default list or a list inside itself look alike on both sides.
Types are exact, floats keep their bits, dicts and sets their order. What has no exact copy travels as a number that
stands for it.
"""

from __future__ import annotations

import marshal
import sys
from collections.abc import Callable, Iterable
from operator import is_

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Message = tuple[list[Any], dict[int, tuple[Any, ...]], list[int]]

ATOMS = frozenset({type(None), bool, int, float, complex, str, bytes, type(Ellipsis)})
MOST_ITEMS = 200_000
"""In one message. Larger arguments are faster without a copy."""


class UnfitError(Exception):
    """A value has no exact copy."""


_PARTS: dict[str, Callable[[Any], tuple[Any, ...]]] = {
    "builtins.range": lambda v: (v.start, v.stop, v.step),
    "decimal.Decimal": lambda v: (str(v),),
    "fractions.Fraction": lambda v: (v.numerator, v.denominator),
    "datetime.date": lambda v: (v.year, v.month, v.day),
    "datetime.timedelta": lambda v: (v.days, v.seconds, v.microseconds),
    "datetime.time": lambda v: _naive(v, v.hour, v.minute, v.second, v.microsecond),
    "datetime.datetime": lambda v: _naive(v, v.year, v.month, v.day, v.hour, v.minute, v.second, v.microsecond),
}
"""Values that are made again from their parts."""

_ITEMS = frozenset({"builtins.list", "builtins.set", "collections.deque", "builtins.bytearray"})
_PAIRS = frozenset({"builtins.dict", "collections.Counter", "collections.OrderedDict", "collections.defaultdict"})
_FROZEN = frozenset({"builtins.tuple", "builtins.frozenset"})
_FACTORIES = {kind.__name__: kind for kind in (int, float, str, list, dict, set, tuple, bool)}


def _naive(value: Any, *parts: int) -> tuple[int, ...]:
    if value.tzinfo is not None or value.fold:
        raise UnfitError("a time with a zone")
    return parts


def _plain(values: Iterable[Any]) -> bool:
    return ATOMS.issuperset(map(type, values)) and all(value == value for value in values)


class Mirror:
    """One side's table of what both sides know.

    Args:
        first: 0 on one side, 1 on the other, so that their numbers differ.
        send: what stands for an object that has no copy; may raise `UnfitError`.
        receive: the object for what the other side's `send` gave, and its number.
    """

    def __init__(
        self, first: int, send: Callable[[Any], tuple[Any, ...]], receive: Callable[[tuple[Any, ...], int], Any]
    ) -> None:
        self._next = first
        self._send, self._receive = send, receive
        self._objects: dict[int, Any] = {}
        self._numbers: dict[int, int] = {}
        self._last: dict[int, tuple[tuple[Any, ...], bytes]] = {}
        self._queue: list[int] = []
        self._room = MOST_ITEMS

    def pack(self, roots: list[Any], *, forgets: bool = False) -> Message:
        """A message that holds these values, and what has changed of those that were sent or came before.

        What nobody holds any longer but this table it may forget, once the other side knows how it was left.
        """
        self._room = MOST_ITEMS
        nodes: dict[int, tuple[Any, ...]] = {}
        self._queue = list(self._last)
        known = len(self._queue)
        referred = [self._refer(root) for root in roots]
        place = 0
        while place < len(self._queue):
            number = self._queue[place]
            place += 1
            value = self._objects[number]
            if place <= known and _holds(value, self._last[number][0]):
                continue
            node = self._node(value)
            if node[0] in _ITEMS or node[0] in _PAIRS:
                written = marshal.dumps(node, 2)
                is_told = place <= known and self._last[number][1] == written
                self._last[number] = node, written
                if is_told:
                    continue
            nodes[number] = node
        # One reference is the table's, one the argument's.
        unused = [number for number in self._objects if forgets and sys.getrefcount(self._objects[number]) == 2]
        self._drop(unused)
        return referred, nodes, unused

    def unpack(self, message: Message) -> list[Any]:
        """The values of a message; what was changed on the other side is changed here, in place."""
        roots, nodes, unused = message
        for number, node in nodes.items():
            if number not in self._objects and (node[0] in _ITEMS or node[0] in _PAIRS):
                self._add(number, _empty(node))
        for number in nodes:
            self._built(number, nodes)
        for number, node in nodes.items():
            if node[0] in _ITEMS or node[0] in _PAIRS:
                self._fill(self._objects[number], node, nodes)
                self._last[number] = node, marshal.dumps(node, 2)
        values = [self._value(root, nodes) for root in roots]
        self._drop(unused)
        return values

    def _drop(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            value = self._objects.pop(number)
            self._last.pop(number, None)
            del self._numbers[id(value)]

    def _add(self, number: int, value: Any) -> Any:
        self._objects[number] = value
        self._numbers[id(value)] = number
        return value

    def _refer(self, value: Any) -> Any:
        """The value itself where it is plain, else a tuple that holds its number."""
        if type(value) in ATOMS:
            if value != value:
                raise UnfitError("a NaN, which is equal to nothing but finds itself in a list")
            return value
        number = self._numbers.get(id(value))
        if number is None:
            number, self._next = self._next, self._next + 2
            self._add(number, value)
            self._queue.append(number)
        return (number,)

    def _listed(self, values: Any) -> list[Any]:
        self._room -= len(values)
        if self._room < 0:
            raise UnfitError("more items than are worth a copy")
        return list(values) if _plain(values) else [self._refer(value) for value in values]

    def _node(self, value: Any) -> tuple[Any, ...]:
        name = _name(kind_of(value))
        if name == "builtins.bytearray":
            return name, bytes(value)
        if name == "collections.deque":
            return name, self._listed(value), value.maxlen
        if name in _ITEMS or name in _FROZEN:
            return name, self._listed(value)
        if name in _PAIRS:
            made_by = getattr(value, "default_factory", None)
            if made_by is not None and made_by not in _FACTORIES.values():
                return self._send(value)
            keys, values = self._listed(list(value.keys())), self._listed(list(value.values()))
            return name, keys, values, made_by.__name__ if made_by else None
        if name in _PARTS:
            try:
                return ("value", name, _PARTS[name](value))
            except UnfitError:
                pass
        return self._send(value)

    def _value(self, referred: Any, nodes: dict[int, tuple[Any, ...]]) -> Any:
        return self._built(referred[0], nodes) if kind_of(referred) is tuple else referred

    def _values(self, referred: list[Any], nodes: dict[int, tuple[Any, ...]]) -> list[Any]:
        return [self._value(each, nodes) for each in referred]

    def _built(self, number: int, nodes: dict[int, tuple[Any, ...]]) -> Any:
        if number in self._objects:
            return self._objects[number]
        node = nodes[number]
        if node[0] in _FROZEN:
            items = self._values(node[1], nodes)
            value: Any = tuple(items) if node[0] == "builtins.tuple" else _ordered(frozenset(items), items)
        elif node[0] == "value":
            value = _kind(node[1])(*node[2])
        else:
            value = self._receive(node, number)
        return self._add(number, value)

    def _fill(self, value: Any, node: tuple[Any, ...], nodes: dict[int, tuple[Any, ...]]) -> None:
        if node[0] in _PAIRS:
            pairs = list(zip(self._values(node[1], nodes), self._values(node[2], nodes), strict=True))
            value.clear()
            for key, item in pairs:
                value[key] = item
            return
        items = node[1] if node[0] == "builtins.bytearray" else self._values(node[1], nodes)
        if isinstance(value, (list, bytearray)):
            value[:] = items
            return
        value.clear()
        (value.update if isinstance(value, set) else value.extend)(items)
        if isinstance(value, set):
            _ordered(value, items)


def _holds(value: Any, node: tuple[Any, ...]) -> bool:
    """Whether a container certainly holds what it held, at a tenth of the cost of writing it down: the very same atoms.

    A node has no others to compare, but numbers for them, so that any other container is written down again.
    """
    kind = kind_of(value)
    if kind not in (list, set, dict) or len(value) != len(node[1]) or not all(map(is_, value, node[1])):
        return False
    return kind is not dict or all(map(is_, value.values(), node[2]))


def _ordered(values: Any, items: list[Any]) -> Any:
    """A set whose order is that of the other side's; it depends on how a set came about."""
    if any(one is not other for one, other in zip(values, items, strict=True)):
        raise UnfitError("a set in another order")
    return values


_BUILTIN = {kind: f"builtins.{kind.__name__}" for kind in (list, dict, set, tuple, frozenset, bytearray, range)}


def kind_of(value: Any) -> Any:
    """The type of a value, untyped."""
    return type(value)  # pyright: ignore[reportUnknownVariableType]


def _name(kind: type) -> str:
    """The name of a type that can be carried, else an empty one. A look-alike from elsewhere has none."""
    if kind in _BUILTIN:
        return _BUILTIN[kind]
    name = f"{kind.__module__}.{kind.__qualname__}"
    known = name in _PARTS or name in _ITEMS or name in _PAIRS
    return name if known and getattr(sys.modules.get(kind.__module__), kind.__qualname__, None) is kind else ""


def _kind(name: str) -> Any:
    module, _, kind = name.rpartition(".")
    return getattr(__import__(module), kind)


def _empty(node: tuple[Any, ...]) -> Any:
    if node[0] == "collections.deque":
        return _kind(node[0])(maxlen=node[2])
    if node[0] == "collections.defaultdict":
        return _kind(node[0])(_FACTORIES[node[3]] if node[3] else None)
    return _kind(node[0])()
