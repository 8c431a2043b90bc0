"""How feedback shows values, and decoys: other values, to which a value must not be equal."""

from __future__ import annotations

import os
import sys

from .mirror import ATOMS, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

_DECOYS = 4
_MOST_NAMES, LONGEST_VALUE = 4, 60
_PLAIN = ATOMS | {list, tuple, dict, set}
MOST = 200
"""Characters of a line, or of a value, that are shown."""
_SAME = 60
"""Characters that are shown before the first difference."""
_LONGEST = 8_000
"""Characters of a value, so that it is seen where two long ones differ."""
_MOST_DIGITS = 50_000
"""Of an integer that is shown; Python itself refuses more than 4,300, but for a time limit these are few."""


def shown(value: object) -> str:
    """How feedback shows a value, whatever it is."""
    showing.append(value)
    digits = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(_MOST_DIGITS)
    try:
        text = repr(value)[:_LONGEST]
        own = getattr(value, "__dict__", {}) if kind_of(value).__repr__ is object.__repr__ else {}
        held = _told(_plain(own, own))
        # Its address says nothing.
        return f"{text.partition(' at 0x')[0]}{held}>" if held else text
    except Exception:  # noqa: BLE001 - too many digits, a broken `__repr__`
        return f"<{type(value).__name__}>"
    finally:
        sys.set_int_max_str_digits(digits)
        showing.pop()


def without_middle(text: str, most: int = MOST) -> str:
    """A text that is not too long, with what it ends with."""
    half = (most - 3) // 2
    return text if len(text) <= most else f"{text[:half]} … {text[-half:]}"


def from_where_they_differ(expected: str, got: str, most: int = MOST) -> tuple[str, str]:
    """Two long values, cut so that both show where they part."""
    start = 0
    if max(len(expected), len(got)) > most:
        pairs = enumerate(zip(expected, got, strict=False))
        apart = next((place for place, (one, other) in pairs if one != other), min(len(expected), len(got)))
        if expected == got:
            alike = f"… (the first {apart} characters are the same; they differ further on)"
            return f"{expected[:_SAME]} {alike}", f"{got[:_SAME]} {alike}"
        start = max(0, apart - _SAME) if apart > most // 2 else 0
    before = f"… (the first {start} characters are the same) " if start else ""
    one, other = (
        before + text[start : start + most] + (" …" if len(text) > start + most else "") for text in (expected, got)
    )
    return one, other


class Plain(str):
    """Words that stand in the place of a value."""

    __slots__ = ()
    __repr__ = str.__str__


def values(names: Iterable[str], space: Mapping[str, object]) -> str:
    """What the names in an assert stand for, where they vary: in a loop, or in a function."""
    return _told(_plain(names, space))


def _plain(names: Iterable[str], space: Mapping[str, object]) -> dict[str, str]:
    return {name: shown(space[name]) for name in names if name in space and _is_plain(kind_of(space[name]))}


def _is_plain(kind: Any) -> bool:
    return kind in _PLAIN or issubclass(kind, BaseException)


def _told(texts: Mapping[str, str]) -> str:
    told = [f"{name} = {text}" for name, text in texts.items() if 0 < len(text) <= LONGEST_VALUE][:_MOST_NAMES]
    return f" with {', '.join(told)}" if told else ""


class Seen(dict[str, str]):
    """What the candidate gave inside the assert that runs, by its calls as they are written.

    As texts: the tests may change a value, or wait for its end. A call that gave different values has none.
    """

    _decided = False
    touched = False
    """Whether the check that runs has come to something that may judge the code."""

    def __call__(self, call: str, value: object, /, **varying: object) -> object:
        if self._decided:
            return value
        text = _short(value)
        same = varying or self.setdefault(call, text) == text
        self.update({name: _short(given) for name, given in varying.items()})
        self[call] = text if same else ""
        return value

    def clear(self) -> None:
        self._decided = False
        super().clear()

    def round(self, ends_on: bool, value: object, /) -> object:
        """What a round in a list gives to `all` or `any`; behind the one that decides, nothing is told."""
        self._decided = self._decided or (kind_of(value) in ATOMS and bool(value) is ends_on)
        return value

    def rounds(self, ends_on: bool, value: object, /) -> object:
        """The value of `all` or `any`; if all rounds were gone through, the last says no more than the others."""
        if value is not ends_on:
            self.clear()
        return value

    def told(self, names: str, space: Mapping[str, object]) -> str:
        """`values` of the names and of all calls."""
        return _told({**_plain(names.split(), space), **self})


def _short(value: object) -> str:
    """A value as feedback shows it; "" for one that is long, or could be."""
    kind: Any = kind_of(value)
    items: Any = [value] if kind in ATOMS else value if kind in _PLAIN else None
    if items is None or len(items) > LONGEST_VALUE // 3:
        return ""
    each = [*items, *items.values()] if kind is dict else items
    return shown(value) if all(type(item) in ATOMS and not _is_long(item) for item in each) else ""


def _is_long(atom: Any) -> bool:
    return (
        len(atom) > LONGEST_VALUE if isinstance(atom, (str, bytes)) else isinstance(atom, int) and abs(atom) >> 199 > 0
    )


showing: list[object] = []
"""The values that feedback is showing now: only then may an object of the candidate's process show itself."""


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
        scale, near = _scale(value), value if value - value == 0 else 0
        made = [near + 149 * scale, near - 151 * scale, near + 1_000_003 * scale, near - 999_983 * scale]
    elif kind is str:
        made = [word, word + word, value[::-1] + word]
    elif kind is bytes:
        made = [word.encode(), value[::-1] + word.encode()]
    elif kind in (list, tuple):
        made = [kind(map(_far, value, range(len(value)))), kind([word]), kind([None]) + value, kind([value])]
    elif kind in (set, frozenset):
        made = [kind(map(_far, value, range(len(value)))), kind({word}), kind({0, word})]
    elif kind is dict:
        made = [{word: value}, {-1: -1}, {word: value, -1: -1}]
    else:
        # Compared with an object of the candidate's, they would be asked about without end.
        return [each for each in (None, "decoy", 7, [value]) if each is not value]
    return [each for each in made if each != value][:_DECOYS]


def is_one_of(thing: Any, others: list[Any]) -> bool:
    """Whether an object calls itself equal to one of some values; an assert goes by the truth of what it answers."""
    for other in others:
        try:
            if thing == other:
                return True
        except Exception:  # noqa: BLE001 - the candidate's own `__eq__`
            continue
    return False


def _far(item: Any, place: int) -> Any:
    """Another value of the same type, where it is plain; in no row with its neighbors."""
    if type(item) in (int, float):
        return item + (149 + 10 * place) * (-1) ** place * _scale(item)
    return next(iter(decoys(item)), item) if type(item) in (str, bytes) else item


def _scale(number: Any) -> int:
    """What makes 149 more than a number is, for one that is honestly equal to all within a hundredth of it.

    A power of a prime, for the sake of numbers modulo something; with a float, it stays one.
    """
    size = min(1e300, max(abs(number.real), abs(number.imag)))
    return 151 ** min(int(size).bit_length() // 7, 138)
