"""What a group of exceptions is about: a group itself says only how many they are."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_IN_GROUP: Any = BaseExceptionGroup.exceptions


def first_of(error: BaseException) -> BaseException:
    """The first exception of a group, if it was raised before it was put there; every other one as it is."""
    while issubclass(type(error), BaseExceptionGroup):
        first: BaseException = _IN_GROUP.__get__(error)[0]
        if first.__traceback__ is None:
            break
        error = first
    return error
