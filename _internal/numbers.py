"""Arguments as callers give them: held to be of their kind, and limits to be numbers, before anything is spent; and
numbers as people read them.

A limit that is no number, NaN or a bool would never stop a run, or break its trace when it does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from decimal import Decimal
from math import floor, isfinite, log10, nan
from numbers import Real
from types import UnionType
from typing import Any, cast


def whole_number(name: str, value: object, least: int = 1) -> int:
    """A limit that counts something, as an int.

    Args:
        name: what an error calls it.
        value: what was given; `2e6` counts as 2,000,000.
        least: the lowest that it may be.

    Raises:
        ValueError: it is no whole number, or too low.
    """
    found = _real(name, value)
    if found < least:
        raise ValueError(f"{name} must be at least {least}, got {value}")
    # A float does not hold every int.
    whole = int(cast(Any, value))
    if whole != value:
        raise ValueError(f"{name} has to be a whole number, got {value}")
    return whole


def number(name: str, value: object, *, least: float | None = None, above: float | None = None) -> float:
    """An amount, such as seconds or dollars, as a float, or as the int that was given.

    Args:
        name: what an error calls it.
        value: what was given.
        least: the lowest that it may be.
        above: what it has to be more than.

    Raises:
        ValueError: it is no number, or too low.
    """
    found = _real(name, value)
    if least is not None and found < least:
        raise ValueError(f"{name} must be at least {least:g}, got {value}")
    if above is not None and found <= above:
        raise ValueError(f"{name} must be more than {above:g}, got {value}")
    return value if type(value) is int else found


def share(name: str, value: object) -> float:
    """A limit on a share, as a float, or as the int that was given.

    Raises:
        ValueError: it is no number from 0 to 1.
    """
    found = number(name, value)
    if not 0 <= found <= 1:
        raise ValueError(f"{name} is a share between 0 and 1, got {value}")
    return found


def keep(
    settings: object, check: Callable[..., object], *names: str, may_be_none: bool = False, **limits: float
) -> None:
    """Hold fields of a frozen dataclass, in its `__post_init__`, to a check such as `whole_number`: they keep what it
    gives, and None where they may be None."""
    for name in names:
        value = getattr(settings, name)
        if value is not None or not may_be_none:
            object.__setattr__(settings, name, check(name, value, **limits))


def check_kind(name: str, value: object, kind: type | UnionType, wanted: str) -> None:
    """Refuse an argument of another kind.

    Args:
        name: what an error calls it.
        value: what was given.
        kind: what it has to be an instance of.
        wanted: the same in words.

    Raises:
        ValueError: it is none.
    """
    if not isinstance(value, kind):
        raise ValueError(f"{name} has to be {wanted}, got {value!r:.80}")


def items_of(name: str, value: object, wanted: str) -> tuple[Any, ...]:
    """The items of a list that a caller gives. A text is none, whose letters would be the items.

    Args:
        name: what an error calls it.
        value: what was given.
        wanted: what it has to be, in words.

    Raises:
        ValueError: it has no items, or is a text.
    """
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise ValueError(f"{name} has to be {wanted}, got {value!r:.80}")
    return tuple(cast("Iterable[Any]", value))


def checked_clock(clock: Callable[[], datetime]) -> Callable[[], datetime]:
    """A clock that gives the time, or raises; it is read when the time is needed, and not before.

    Raises:
        ValueError: it is no function; later, it gives something else.
    """
    if not callable(clock):
        raise ValueError(f"clock has to be a function that gives the time, got {clock!r:.80}")

    def read() -> datetime:
        now = clock()
        check_kind("what clock gives", now, datetime, "a datetime")
        return now

    return read


def is_share(value: object) -> bool:
    """Whether a value is a number from 0 to 1, or True or False; a scalar of numpy's counts as Python's."""
    value = as_pythons_own(value)
    try:
        return isinstance(value, bool) or 0 <= _real("share", value) <= 1
    except ValueError:
        return False


def _real(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (Real, Decimal)):
        raise ValueError(f"{name} has to be a number, got {value!r:.80}")
    try:
        found = float(value)
    except (ValueError, OverflowError):
        # A signaling NaN, or an int that no float holds.
        found = nan
    if not isfinite(found):
        raise ValueError(f"{name} has to be a finite number, got {value}")
    return found


def as_pythons_own(value: object) -> object:
    """A scalar of numpy or torch, such as the truth value of a comparison, as Python's; all else is returned as it is.

    What counts as a real number already stays, too.
    """
    item = getattr(value, "item", None)
    if isinstance(value, Real) or not callable(item):
        return value
    try:
        return item()
    except (TypeError, ValueError, RuntimeError):
        # An array of several values.
        return value


def shown_number(value: float) -> str:
    """A number in words: its whole part, and of one below 1,000 at least three digits that count, if it has them.

    Rounded to a fixed place, a small limit would be shown as 0, and what met it as well.
    """
    if isinstance(value, int):
        # No float holds the largest.
        return f"{value:,}"
    if not isfinite(value):
        return str(value)
    places = max(0, 2 - floor(log10(abs(value)))) if value else 0
    shown = f"{value:,.{places}f}"
    return shown.rstrip("0").rstrip(".") if places else shown


def shown_share(value: float) -> str:
    """A share of 1 in words, as a percentage."""
    return f"{shown_number(100 * value)}%"
