"""Makes an exception of the candidate's again where the tests are, and tells which files one came through."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence

from ..candidate import FILE
from ..mirror import UnfitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    Kinds = Sequence[tuple[str, str]]


def put_together(
    kinds: Kinds, text: str, parts: Sequence[Any], strict: bool, leave: Callable[[str], NoReturn]
) -> BaseException:
    """The exception as its type where the library has it, else as one with the same bases.

    Args:
        kinds: module and name of its class and of what that inherits from.
        text: what it says.
        parts: its arguments, its attributes, and what Python's own classes keep beside them.
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


def files_of(raised: BaseException | None) -> list[str]:
    """The files of an exception's frames that lie in the tests or in the code."""
    found: list[str] = []
    trace = raised.__traceback__ if raised is not None else None
    while trace is not None:
        found += [name for name in [trace.tb_frame.f_code.co_filename] if is_near(name)]
        trace = trace.tb_next
    return found


def is_near(name: str) -> bool:
    # An environment of Python may lie below this very folder.
    here = os.getcwd()  # noqa: PTH109
    libraries = tuple(f"{path}/" for path in sys.path if path not in ("", here))
    return name == FILE or (name.startswith(f"{here}/") and not name.startswith(libraries))
