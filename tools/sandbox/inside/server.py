"""Calls the code of the model for tests that run in another process."""

from __future__ import annotations

import marshal
import os
from time import thread_time
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType, ModuleType

from .candidate import RESERVE, describe
from .children import end_child
from .decoys import shown
from .mirror import ATOMS, Mirror, UnfitError
from .wire import flush, receive, send

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


class Server:
    """Answers calls of the candidate's functions, in a process where no test is."""

    def __init__(self, module: ModuleType, code: str, reader: int, writer: int) -> None:
        self._module, self._code = module, code
        self._reader, self._writer = reader, writer
        self._mirror = Mirror(1, _opaque, self._known)
        self._reserve: bytes | None = bytes(RESERVE)
        self._process = os.getpid()
        self._called = 0.0

    def serve(self) -> NoReturn:
        """Answer until nobody asks any longer; with each answer, say what it took beside the code's own work."""
        while True:
            began, self._called = thread_time(), 0.0
            asked = receive(self._reader)
            try:
                answer = self._answer(*asked)
            except UnfitError as problem:
                answer = ("unfit", str(problem))
            except BaseException as error:  # noqa: BLE001 - SystemExit, too, is the candidate's doing
                end_child(self._process, error)
                if isinstance(error, MemoryError):
                    self._reserve = None
                answer = self._raised(error)
            end_child(self._process)
            flush()
            send(self._writer, marshal.dumps((answer, thread_time() - began - self._called)))

    def _answer(self, what: str, name: str, words: tuple[str, ...], message: Any) -> Any:
        values = self._mirror.unpack(message)
        space = self._module.__dict__
        if what == "get":
            if name not in space:
                return ("missing",)
            if callable(space[name]):
                return ("callable", type(space[name]) is FunctionType and not vars(space[name]))
            return ("value", self._mirror.pack([space[name]]))
        unnamed = len(values) - len(words)
        named = dict(zip(words, values[unnamed:], strict=True))
        began = thread_time()
        try:
            result = equal(*values) if what == "equal" else space[name](*values[:unnamed], **named)
        finally:
            self._called = thread_time() - began
        return ("value", self._mirror.pack([result]))

    def _known(self, node: tuple[Any, ...], number: int) -> Any:
        if node[0] != "global":
            raise UnfitError(node[0])
        return self._module.__dict__[node[1]]

    def _raised(self, error: BaseException) -> tuple[Any, ...]:
        said = describe(error, self._code)
        kinds = [(kind.__module__, kind.__qualname__) for kind in type(error).__mro__]
        try:
            text, parts = str(error), _taken_apart(error)
        except Exception:  # noqa: BLE001 - an exception class of the candidate's may do anything
            return "raised", kinds, "", said, None
        finally:
            error.__traceback__ = None
        try:
            return "raised", kinds, text, said, self._mirror.pack(parts)
        except UnfitError as problem:
            return "unfit", str(problem)


def equal(thing: Any, other: Any) -> bool | None:
    """Whether an object calls itself equal to another; None where it raises, or says more than yes or no."""
    try:
        answer = thing == other
        return answer if type(answer) is bool else None
    except Exception:  # noqa: BLE001 - the candidate's own `__eq__`, perhaps asked about a decoy
        return None


def _opaque(value: Any) -> tuple[Any, ...]:
    """What stands for an object that stays here: how it shows itself, and whether it can be called."""
    said = shown(value)
    return ("object", said[:300] if type(said) in ATOMS else type(value).__name__, callable(value))


def _taken_apart(error: BaseException) -> list[Any]:
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
