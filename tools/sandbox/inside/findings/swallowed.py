"""Keeps a failed assert of the tests from being swallowed.

A context manager of the candidate's may swallow it, or a thread, or the tests' own `except Exception:` below an
`assert False`, or a handler that only prints it. It counts as a failure all the same.
"""

from __future__ import annotations

import _ast
import _thread
import builtins
import sys
from collections.abc import Callable, Collection, Sequence
from types import FunctionType

from ..mirror import kind_of
from ..telling import is_test
from .raised import files_of, is_near
from .trees import all_below, all_nodes, written_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


_BROAD = frozenset({"Exception", "BaseException"})
_WAITS = frozenset({"raises", "warns"})
_BINDS = (_ast.Assign, _ast.AnnAssign, _ast.AugAssign, _ast.NamedExpr)


class SwallowGuard:
    """Keeps failures of the tests from being swallowed.

    Args:
        tests: the paths of the tests.
        failed: what `pytest.fail` raises, where there is pytest.
    """

    def __init__(self, tests: Sequence[str] = (), failed: type[BaseException] = AssertionError) -> None:
        self._tests, self._failed = tests, failed
        builtins.__dict__.update(self.names())

    def names(self) -> dict[str, Callable[..., Any]]:
        """What the changed tests call."""
        return {"_tg_found": self.is_failure, "_tg_held": self.around, "_tg_held_async": self.around_async}

    def is_failure(self, error: object) -> bool:
        """Whether an exception is a failure that the tests themselves raised; none that passed through the code."""
        return (
            isinstance(error, BaseException)
            # What `pytest.xfail` raises inherits from the other.
            and (isinstance(error, AssertionError) or kind_of(error) is self._failed)
            and "_tg_said" not in vars(error)
            and not any(map(self.is_code, files_of(error)))
        )

    def is_code(self, path: str) -> bool:
        """Whether a file is the code's."""
        return is_near(path) and not is_test(path, self._tests)

    def around(self, manager: Any) -> Any:
        """A context manager as it is; one of the code's in a wrapper that lets it swallow no failure of the tests."""
        may_swallow = self._may_swallow(manager, "__enter__", "__exit__")
        return _Around(manager, self.is_failure) if may_swallow else manager

    def around_async(self, manager: Any) -> Any:
        """The same for an `async with`."""
        may_swallow = self._may_swallow(manager, "__aenter__", "__aexit__")
        return _AroundAsync(manager, self.is_failure) if may_swallow else manager

    def _may_swallow(self, manager: Any, enter: str, leave: str) -> bool:
        kind = kind_of(manager)
        # Of what is no context manager, Python has to say so.
        if not (hasattr(kind, enter) and hasattr(kind, leave)):
            return False
        is_generator = kind.__module__ == "contextlib"
        method: Any = getattr(manager, "func", None) if is_generator else getattr(kind, leave)
        return isinstance(method, FunctionType) and self.is_code(method.__code__.co_filename)

    def before(self, rewrite: Callable[..., None], *first: Callable[[Any], None]) -> Callable[..., None]:
        """What replaces pytest's rewriting of asserts: before it, this makes changes and calls `guard_statement`."""

        def changed(tree: Any, *rest: Any) -> None:
            for change in first:
                change(tree)
            nodes = [*all_nodes(tree)]
            helpers = frozenset(node.name for node in nodes if _is_helper(node))
            for node in nodes:
                guard_statement(node, helpers)
            rewrite(tree, *rest)

        return changed

    def watch_threads(self, tell: Callable[[Any], object]) -> Callable[[], None]:
        """Report failures of the tests in threads, until the function that this returns is called."""
        threading: Any = sys.modules.get("threading", _thread)
        name = "_excepthook" if threading is _thread else "excepthook"
        others = getattr(threading, name)

        def hook(thread: Any, /) -> None:
            if self.is_failure(thread.exc_value):
                tell(thread.exc_value)
            else:
                others(thread)

        # What is not yet imported will take it from there.
        setattr(threading, name, hook)
        return lambda: setattr(threading, name, others)


class _Around:
    def __init__(self, manager: Any, is_failure: Callable[[object], bool]) -> None:
        self._manager, self._is_failure = manager, is_failure
        self._kind = kind_of(manager)

    def __enter__(self) -> Any:
        return self._kind.__enter__(self._manager)

    def __exit__(self, *raised: Any) -> bool:
        # Asked first: a generator adds a line of the code to the traceback.
        is_failure = self._is_failure(raised[1])
        return bool(self._kind.__exit__(self._manager, *raised)) and not is_failure


class _AroundAsync(_Around):
    async def __aenter__(self) -> Any:
        return await self._kind.__aenter__(self._manager)

    async def __aexit__(self, *raised: Any) -> bool:
        is_failure = self._is_failure(raised[1])
        return bool(await self._kind.__aexit__(self._manager, *raised)) and not is_failure


def guard_statement(node: Any, helpers: Collection[str] = ()) -> None:
    """Change a statement of the tests so that no failure inside it is swallowed.

    Args:
        node: the statement.
        helpers: functions of the tests that check what they are given.
    """
    if isinstance(node, (_ast.With, _ast.AsyncWith)):
        is_left = hasattr(node, "_tg_left") or any(map(is_reached, node.body))
        if not is_left and _judges(node, helpers) and not any(_names_errors(item.context_expr) for item in node.items):
            call = "_tg_held(0)" if isinstance(node, _ast.With) else "_tg_held_async(0)"
            for item in node.items:
                item.context_expr = written_at(call, item.context_expr).value
    elif isinstance(node, (_ast.For, _ast.AsyncFor)) and isinstance(node.target, _ast.Name):
        nodes: Any = node.body
        for one in nodes:
            # `for attempt in retrying: with attempt:` tries again what the tests find wrong.
            if any(_says(item.context_expr, {node.target.id}) for item in getattr(one, "items", ())):
                one._tg_left = True
    # What begins with an exception wants it.
    elif isinstance(node, _ast.Try) and not is_reached(node.body[0]):
        kinds = [one.type for one in node.handlers]
        broad = next(filter(catches, node.handlers), None)
        named = any(_says(one, {"AssertionError"}) for kind in kinds if kind for one in all_below(kind))
        if broad and (printed(broad) or (any(map(is_reached, node.body)) and not named)):
            broad.type = broad.type or written_at("BaseException", broad).value
            broad.name = broad.name or "_tg_error"
            broad.body.insert(0, written_at(f"if _tg_found({broad.name}): raise", broad))


def _judges(node: Any, helpers: Collection[str]) -> bool:
    """Whether the body of a `with` checks a result of the code; asserts on constants may be meant to fail there."""
    below = [one for part in node.body for one in all_below(part)]
    given = [item.optional_vars for item in node.items if item.optional_vars]
    made = [one for one in below if isinstance(one, _BINDS) and any(map(_calls, all_below(one.value or one)))]
    bound = {one.id for part in (*given, *made) for one in all_below(part) if isinstance(one, _ast.Name)}
    calls = [one for one in below if isinstance(one, _ast.Call)]
    if any(_name(one.func).startswith("assert") or _name(one.func) in _WAITS for one in calls):
        return True
    helped = [part for one in calls if _name(one.func) in helpers for given in one.args for part in all_below(given)]
    return any(_calls(one) or _says(one, bound) for one in [*_asked(below), *helped])


def _is_helper(node: Any) -> bool:
    """Whether a node is a function that checks what it is given."""
    if not isinstance(node, (_ast.FunctionDef, _ast.AsyncFunctionDef)):
        return False
    given = {one.arg for one in node.args.args}
    return any(
        _calls(one) or _says(one, given) for one in _asked([one for part in node.body for one in all_below(part)])
    )


def _asked(nodes: Sequence[Any]) -> list[Any]:
    """The nodes inside the conditions of asserts, and of `if`s that raise."""
    return [part for one in nodes if isinstance(one, _ast.Assert) or raises(one) for part in all_below(one.test)]


def raises(node: Any) -> bool:
    """Whether a node is an `if` whose body fails the test."""
    return isinstance(node, _ast.If) and any(map(is_reached, node.body))


def _calls(node: Any) -> bool:
    """Whether a node may hold a result of the code: a call, an attribute or an item that begins with a name, and is no
    call of a built-in function."""
    first: Any = node
    while isinstance(first, (_ast.Attribute, _ast.Subscript, _ast.Call)):
        first = first.func if isinstance(first, _ast.Call) else first.value
    is_built_in = first is getattr(node, "func", None) and hasattr(builtins, getattr(first, "id", ""))
    return first is not node and isinstance(first, _ast.Name) and not is_built_in


def printed(handler: Any) -> bool:
    """Whether a handler only prints a failure; `mark_printed` has marked it."""
    return hasattr(handler, "_tg_printed")


def catches(handler: Any) -> bool:
    """Whether a handler takes a failed assert."""
    return handler.type is None or _names_errors(handler.type)


def _names_errors(node: Any) -> bool:
    return any(_says(one, _BROAD | {"AssertionError"}) for one in all_below(node))


def _says(node: Any, names: Any) -> bool:
    return isinstance(node, _ast.Name) and node.id in names


def is_reached(node: Any) -> bool:
    """Whether a statement fails the test as soon as it is reached: `assert False`, `raise AssertionError`, `fail()`."""
    if isinstance(node, _ast.Assert):
        is_true = isinstance(node.test, _ast.Constant) and node.test.value
        return not is_true and not any(isinstance(one, _ast.Name) for one in all_below(node.test))
    if isinstance(node, _ast.Raise):
        return _says(getattr(node.exc, "func", node.exc), {"AssertionError"})
    called = getattr(getattr(node, "value", None), "func", None)
    is_method = isinstance(called, _ast.Attribute) and not _says(called.value, {"self", "pytest"})
    return _name(called) == "fail" and not is_method


def _name(called: Any) -> str:
    """The name of a function or a method."""
    return getattr(called, "attr", "") or getattr(called, "id", "")
