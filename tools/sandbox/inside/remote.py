"""The candidate as the tests see it from a process of their own: functions that are called elsewhere, values as copies.

Where a test needs more than that (an object of the candidate's, say), nobody guesses: this process ends, and the tests
run again beside the candidate, in another sandbox.
"""

from __future__ import annotations

import marshal
import os
from collections.abc import Callable
from time import thread_time
from types import FunctionType, ModuleType

from .decoys import decoys, showing
from .findings.equals import trusted
from .findings.raised import put_together
from .mirror import Mirror, UnfitError
from .wire import Report, receive, send

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

GONE = 78
"""Exit code: the candidate's process has ended."""
_MOST_CALLS = 2_000
"""A call costs some 0.1 ms more than beside the tests, and a time limit must not notice."""
_MOST_COPYING = 0.3
"""Seconds of processor time, on both sides, that copies may take: less than a time limit is extended by."""


class Remote:
    """Calls and reads what lives in the candidate's process.

    Args:
        reader: where its answers come from.
        writer: where it reads.
        report: told why the tests have to run beside the candidate, or why they need not, before this process ends.
    """

    def __init__(self, reader: int, writer: int, report: Report) -> None:
        self._reader, self._writer, self._report = reader, writer, report
        self._mirror = Mirror(0, self._sent, self._received)
        self._functions: dict[tuple[str, bool], Any] = {}
        self._calls, self._copying = 0, 0.0
        self._refused = ""
        self.strict = False
        """Whether an object that stays with the candidate must not stand in for the real one."""

    def together(self, why: str) -> NoReturn:
        """End this process, for the tests to run again beside the candidate."""
        if self._refused:
            # Beside them, it would have its way.
            self._report(refused=self._refused)
            self._report(done=True)
            os._exit(0)
        self._report(together=why[:200])
        os._exit(0)

    def ask(self, *question: Any) -> Any:
        """Send a question as it is, and wait for the answer."""
        try:
            send(self._writer, marshal.dumps(question))
            return receive(self._reader)
        except Exception:  # noqa: BLE001 - ended, or its messages are no longer its own
            os._exit(GONE)

    def get(self, name: str) -> Any:
        """A global of the candidate's; `KeyError` where it has none of that name."""
        answer = self._asked("get", name, (), [])
        if answer[0] == "missing":
            raise KeyError(name)
        if answer[0] == "callable":
            return self._functions.setdefault((name, answer[1] is True), _function(self, name, answer[1] is True))
        return self._taken(answer)

    def call(self, name: str, values: tuple[Any, ...], named: dict[str, Any]) -> Any:
        """Call a function of the candidate's."""
        self._calls += 1
        if self._calls > _MOST_CALLS:
            self.together("more calls than are worth a process of their own")
        return self._taken(self._asked("call", name, tuple(named), [*values, *named.values()]))

    def equal(self, thing: Any, other: Any) -> bool:
        """Whether an object of the candidate's is equal to a value, as its own class says.

        Some other values are asked about as well, one by one and in random order: a class that calls one of them equal
        says nothing. Of one that the tests have made, they test just that.
        """
        others = [other] if trusted else [other, *decoys(other)]
        order = sorted(range(len(others)), key=lambda _: os.urandom(4))
        answers = {place: self._taken(self._asked("equal", "", (), [thing, others[place]])) for place in order}
        if answers[0] is None:
            self.together("a comparison that raises, or gives more than yes or no")
        is_equal = answers[0] is True
        if is_equal and list(answers.values()).count(True) > 1:
            self._refused = "returned an object that is equal to everything"
        return is_equal and not self._refused

    def _asked(self, what: str, name: str, words: tuple[str, ...], values: list[Any]) -> Any:
        if self._copying > _MOST_COPYING:
            self.together("copies that take longer than a process of their own is worth")
        began = thread_time()
        try:
            message = self._mirror.pack(values, forgets=True)
        except UnfitError as problem:
            self.together(str(problem))
        try:
            answer, elsewhere = self.ask(what, name, words, message)
            self._copying += thread_time() - began + float(elsewhere)
        except (TypeError, ValueError, OverflowError):
            os._exit(GONE)
        return answer

    def _taken(self, answer: Any) -> Any:
        __tracebackhide__ = True
        began = thread_time()
        try:
            if answer[0] == "value":
                return self._mirror.unpack(answer[1])[0]
            error = self._error(*answer[1:]) if answer[0] == "raised" else None
        except Exception as problem:  # noqa: BLE001 - no exact copy, or no message of ours
            self.together(f"{type(problem).__name__}: {problem}")
        finally:
            self._copying += thread_time() - began
        if error is None:
            self.together(str(answer[1]))
        raise error

    def _error(self, kinds: Any, text: str, said: dict[str, str], packed: Any) -> BaseException:
        parts: Any = self._mirror.unpack(packed) if packed else ((text,), {}, {})
        error = put_together(kinds, text, parts, self.strict, self.together)
        error.__dict__["_tg_said"] = {name: str(said[name]) for name in ("error", "message", "code_line")}
        return error

    def _sent(self, value: Any) -> tuple[Any, ...]:
        if type(value) is Function:
            return ("global", object.__getattribute__(value, "name"))
        raise UnfitError(f"a value of type {type(value).__name__}")

    def _received(self, node: tuple[Any, ...], number: int) -> Any:
        if self.strict:
            raise UnfitError("an object whose type is asked for")
        return (CalledObject if node[2] else Object)(self, str(node[1]))


_OF_FUNCTIONS = frozenset(dir(FunctionType))


class Function:
    """A function of the candidate's, or something else that can be called.

    Of one that is plain, without attributes of its own, tests that look around may know as much.
    """

    __slots__ = ("__weakref__", "name", "plain", "remote")

    def __getattribute__(self, name: str) -> Any:
        if object.__getattribute__(self, "plain"):
            if name == "__class__":
                return FunctionType
            if name not in _OF_FUNCTIONS and _is_still_plain(self):
                raise AttributeError(f"'function' object has no attribute '{name}'", name=name, obj=None)
        return _left(self, f"{name} of a function")

    def __call__(self, *values: Any, **named: Any) -> Any:
        __tracebackhide__ = True
        remote: Remote = object.__getattribute__(self, "remote")
        return remote.call(object.__getattribute__(self, "name"), values, named)

    def __eq__(self, other: object) -> bool:
        # Another name for it, or a type that is compared.
        return self is other or _left(self, "a comparison of a function")

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = object.__hash__


class Object:
    """An object that stays with the candidate: it can be compared and passed on, and shows itself in feedback."""

    __slots__ = ("__weakref__", "remote", "shown")

    def __init__(self, remote: Remote, shown: str) -> None:
        object.__setattr__(self, "remote", remote)
        object.__setattr__(self, "shown", shown)

    def __eq__(self, other: object) -> bool:
        remote: Remote = object.__getattribute__(self, "remote")
        return remote.equal(self, other)

    def __ne__(self, other: object) -> bool:
        return _left(self, "!= of an object")


class CalledObject(Object):
    """One that can be called, for tests that ask `callable`."""

    __slots__ = ()


def _function(remote: Remote, name: str, plain: bool) -> Function:
    made = object.__new__(Function)
    object.__setattr__(made, "plain", plain)
    object.__setattr__(made, "remote", remote)
    object.__setattr__(made, "name", name)
    return made


def _is_still_plain(function: Function) -> bool:
    """Whether a plain function has not been given attributes since, as by a call that counts itself."""
    remote: Remote = object.__getattribute__(function, "remote")
    try:
        return remote.get(object.__getattribute__(function, "name")) is function
    except KeyError:
        return False


def _left(value: object, why: str) -> NoReturn:
    remote: Remote = object.__getattribute__(value, "remote")
    remote.together(why)


def _leaving(what: str) -> Callable[..., Any]:
    def leave(self: object, *_: object) -> Any:
        if what == "__repr__" and showing:
            return object.__getattribute__(self, "name" if type(self) is Function else "shown")
        return _left(self, f"{what} of {'a function' if type(self) is Function else 'an object'}")

    return leave


_ASKED = """
__getattribute__ __setattr__ __delattr__ __repr__ __str__ __format__ __bool__ __len__ __iter__ __next__
__contains__ __getitem__ __setitem__ __delitem__ __reversed__ __enter__ __exit__ __await__ __aiter__ __anext__
__aenter__ __aexit__ __lt__ __le__ __gt__ __ge__ __neg__ __pos__ __abs__ __invert__ __int__ __float__
__complex__ __index__ __round__ __trunc__ __floor__ __ceil__ __bytes__ __instancecheck__ __subclasscheck__
__get__ __set__ __delete__ __set_name__ __fspath__ __add__ __radd__ __sub__ __rsub__ __mul__ __rmul__
__truediv__ __rtruediv__ __floordiv__ __rfloordiv__ __mod__ __rmod__ __divmod__ __rdivmod__ __pow__ __rpow__
__matmul__ __rmatmul__ __and__ __rand__ __or__ __ror__ __xor__ __rxor__ __lshift__ __rlshift__ __rshift__
__rrshift__ __reduce_ex__ __copy__ __deepcopy__ __length_hint__ __hash__
"""
for _name in _ASKED.split():
    setattr(Object, _name, _leaving(_name))
    if _name not in ("__bool__", "__getattribute__", "__hash__"):
        setattr(Function, _name, _leaving(_name))
CalledObject.__call__ = _leaving("__call__")


class RemoteModule(ModuleType):
    """The candidate's module, for tests that import from it. It is loaded when first asked.

    Args:
        name: of the module.
        remote: reaches the candidate.
        names: loads it when first asked, and gives the names that it defines.
        offered: which of them `import *` brings; None if nobody asks for that.
    """

    def __init__(
        self, name: str, remote: Remote, names: Callable[[], list[str]], offered: Callable[[], list[str]] | None
    ) -> None:
        super().__init__(name)
        # No name here may be one of the candidate's.
        self.__dict__.update(_tg_remote=remote, _tg_names=names, _tg_offered=offered, __file__="solution.py")

    @property
    def __annotations__(self) -> Any:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.__dict__["_tg_remote"].together("the annotations of a module")

    def __getattr__(self, name: str) -> Any:
        if name == "__all__" and (offered := self.__dict__["_tg_offered"]):
            return offered()
        if name in ("__path__", "__wrapped__", "pytest_plugins") or name not in self.__dict__["_tg_names"]():
            message = f"module '{self.__name__}' has no attribute '{name}'"
            raise AttributeError(message, name=name, obj=self)
        return self.__dict__["_tg_remote"].get(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("__"):
            self.__dict__["_tg_remote"].together("a module that is changed")
        super().__setattr__(name, value)
