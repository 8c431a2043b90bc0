"""Takes an exception of the candidate's apart, and makes it again where the tests are."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from types import GetSetDescriptorType, MemberDescriptorType

from .mirror import UnfitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    # At run time `typing` would take longer to import than a verdict takes.
    from typing import Any, NoReturn

    Kinds = Sequence[tuple[str, str]]


def taken_apart(error: BaseException) -> list[Any]:
    """An exception's arguments, what it was given by name, and what Python's own classes keep beside them."""
    # An OSError keeps its file names apart from its arguments.
    arguments = error.__reduce__()[1] if isinstance(error, OSError) else error.args
    return [arguments, dict(vars(error)), _kept(error)]


def _kept(error: BaseException) -> dict[str, Any]:
    """The object without an attribute, a module that is not found, the line of a syntax error: all that is set."""
    found: dict[str, Any] = {}
    for kind in type(error).__mro__:
        for name, place in vars(kind).items() if kind.__module__ == "builtins" else ():
            if not isinstance(place, (GetSetDescriptorType, MemberDescriptorType)) or name[0] == "_" or name == "args":
                continue
            try:
                value = place.__get__(error)
            except AttributeError:
                continue
            if value is not None:
                found[name] = value
    return found


def put_together(
    kinds: Kinds, text: str, parts: Sequence[Any], strict: bool, leave: Callable[[str], NoReturn]
) -> BaseException:
    """The exception as its type where the library has it, else as one with the same bases.

    Args:
        kinds: module and name of its class and of what that inherits from.
        text: what it says.
        parts: as `taken_apart` gives them.
        strict: whether the tests would see that it is another class.
        leave: called where the tests ask it for what did not come along.
    """
    arguments, own, kept = parts
    found = [kind for place in kinds if (kind := _library(*place)) is not None]
    if _library(*kinds[0]) is found[0]:
        error = found[0].__new__(found[0], *arguments)
        try:
            error.__init__(*arguments)
        except TypeError:
            error.args = arguments
        error.__dict__.update(own)
    elif strict:
        raise UnfitError("an exception whose type or representation is asked for")
    else:
        bases = [one for one in found if not any(one is not other and issubclass(other, one) for other in found)]
        made: Any = type(kinds[0][1].rpartition(".")[2], tuple(bases), _body(text, leave))
        error = made.__new__(made, *arguments)
        error.args = arguments
    _keep(error, kept)
    return error


def _body(text: str, leave: Callable[[str], NoReturn]) -> dict[str, Any]:
    def look_up(_: object, name: str) -> Any:
        if name.startswith("__") or name in ("_tg_said", "_tg_shown"):
            raise AttributeError(name)
        leave(f"an exception's {name}")

    def say(_: object) -> str:
        return text

    return {"__str__": say, "__getattr__": look_up}


def _keep(error: BaseException, kept: Mapping[str, Any]) -> None:
    for name, value in kept.items():
        if getattr(error, name, None) is not value:
            setattr(error, name, value)


def _library(module: str, name: str) -> Any:
    """An exception class of the library's that this process has loaded already."""
    if module.partition(".")[0] not in sys.stdlib_module_names:
        return None
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found if isinstance(found, type) and issubclass(found, BaseException) else None
