"""How values show themselves, and which others a value is not equal to."""

from __future__ import annotations

import os

from .mirror import ATOMS, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    # At run time `typing` would take longer to import than a verdict takes.
    from collections.abc import Iterable, Mapping
    from typing import Any

_DECOYS = 4
_MOST_NAMES, _LONGEST_VALUE = 4, 60
_PLAIN = ATOMS | {list, tuple, dict, set}
_LONGEST = 8_000
"""Characters of a value, so that it is seen where two long ones differ."""


def shown(value: object) -> str:
    """How feedback shows a value, whatever it is."""
    showing.append(value)
    try:
        return repr(value)[:_LONGEST]
    except Exception:  # noqa: BLE001 - too many digits, a broken `__repr__`
        return f"<{type(value).__name__}>"
    finally:
        showing.pop()


def values(names: Iterable[str], space: Mapping[str, object]) -> str:
    """What the names and calls in an assert stand for, where they vary: in a loop, or in a function."""
    plain = [(name, shown(space[name])) for name in names if name in space and type(space[name]) in _PLAIN]
    told = [f"{name} = {value}" for name, value in plain if len(value) <= _LONGEST_VALUE][:_MOST_NAMES]
    return f" with {', '.join(told)}" if told else ""


class Seen(dict[str, object]):
    """What the candidate gave inside the assert that runs, by its calls as they are written."""

    def __call__(self, call: str, value: object, /, **names: object) -> object:
        self.update(names)
        self[call] = value
        return value

    def told(self, names: str, space: Mapping[str, object]) -> str:
        """`values` of the names, a line each, and of all calls."""
        return values([*names.split(), *self], {**space, **self})


showing: list[object] = []
"""What feedback is being written of."""


def decoys(value: Any) -> list[Any]:
    """Values of the same kind that are far from one: an honest class may overlook a zero at the end, or a small
    difference, or have a value contain another."""
    kind = kind_of(value)
    # No mark that a class could know.
    word = os.urandom(2).hex()
    made: list[Any]
    if kind is bool:
        made = [not value]
    elif kind in (int, float, complex):
        # Numbers modulo something are honestly equal to many others, but not to these.
        made = [value + 211, value - 223, value + 1_000_003, value - 999_983]
    elif kind is str:
        made = [word, word + word, value[::-1] + word]
    elif kind is bytes:
        made = [word.encode(), value[::-1] + word.encode()]
    elif kind in (list, tuple):
        made = [kind([word]), kind([None]) + value, value[::-1] + kind([word]), kind([value])]
    elif kind in (set, frozenset):
        made = [kind({word}), kind({0, word})]
    elif kind is dict:
        made = [{word: value}, {-1: -1}]
    else:
        made = [None, "decoy", 7, [value]]
        # Compared with an object of the candidate's, they would be asked about without end.
        return made[:_DECOYS]
    return [each for each in made if each != value][:_DECOYS]
