"""Failures of the tests that nobody may look at: in coroutines, tasks, callbacks of an event loop, and futures."""

from __future__ import annotations

import _ast
import sys

from ..telling import lines_of
from .swallowed import is_reached
from .trees import all_below, all_nodes, children_of, written_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

_FUNCTIONS = (_ast.FunctionDef, _ast.AsyncFunctionDef)


class TaskWatch:
    """Reports failures of the tests in tasks and callbacks, and keeps those in futures until somebody asks for them.

    Args:
        tests: their sources, by their paths.
        found: whether an exception is a failure of the tests themselves.
        tell: called with the failure of a task or a callback.
        place: gives the number of the check that runs, which is kept with a future's failure.
    """

    def __init__(
        self,
        tests: Mapping[str, str],
        found: Callable[[object], bool],
        tell: Callable[[Any], object],
        place: Callable[[], int] = int,
    ) -> None:
        self._tests, self._wrong, self._tell, self._place = tests, found, tell, place
        self._kept: dict[Any, tuple[int, BaseException]] = {}
        self._others: list[tuple[Any, str, Any]] = []

    def watch(self) -> None:
        """Begin to watch the modules that are imported by now; a failed task or future has imported its own."""
        watched = [kind for kind, *_ in self._others]
        loops = getattr(sys.modules.get("asyncio.base_events"), "BaseEventLoop", None)
        futures = getattr(sys.modules.get("concurrent.futures._base"), "Future", None)
        if loops is not None and loops not in watched:
            self._put(loops, "call_exception_handler", self._handling)
        if futures is not None and futures not in watched:
            self._put(futures, "set_exception", self._keeping)
            for name in ("result", "exception"):
                self._put(futures, name, self._asking)

    def stop(self) -> None:
        """End, and put back what was there."""
        for kind, name, other in reversed(self._others):
            setattr(kind, name, other)
        self._others.clear()

    def left(self) -> list[tuple[int, BaseException]]:
        """The failures in futures that nobody has asked for, each with the number of its check."""
        kept = [*self._kept.values()]
        self._kept.clear()
        return kept

    def _found(self, error: Any) -> bool:
        # Tests of code that runs tasks have tasks that fail on purpose.
        return self._wrong(error) and not _is_made_to_fail(error, self._tests)

    def _put(self, kind: Any, name: str, made: Callable[[Any], Any]) -> None:
        other = getattr(kind, name)
        instead = made(other)
        # Messages of pytest name it.
        instead.__name__ = name
        self._others.append((kind, name, other))
        setattr(kind, name, instead)

    def _handling(self, other: Any) -> Any:
        def call_exception_handler(loop: Any, context: Any) -> None:
            error = context.get("exception")
            if self._found(error):
                self._tell(error)
            else:
                other(loop, context)

        return call_exception_handler

    def _keeping(self, other: Any) -> Any:
        def set_exception(future: Any, exception: Any) -> None:
            if self._found(exception):
                # Before it is set: who waits for it asks at once.
                self._kept[future] = self._place(), exception
            other(future, exception)

        return set_exception

    def _asking(self, other: Any) -> Any:
        def asked(future: Any, *args: Any, **named: Any) -> Any:
            try:
                return other(future, *args, **named)
            finally:
                if future.done():
                    self._kept.pop(future, None)

        return asked


def _is_made_to_fail(error: BaseException, tests: Mapping[str, str]) -> bool:
    """Whether a failure comes from a function of the tests that always fails: `def bad(): assert False`."""
    for name, line, _ in [*lines_of(error, [*tests])][-1:]:
        for node in all_nodes(compile(tests[name], name, "exec", _ast.PyCF_ONLY_AST, dont_inherit=True)):
            if isinstance(node, _FUNCTIONS) and any(is_reached(one) and one.lineno == line for one in node.body):
                return True
    return False


def await_coroutines(tree: Any) -> None:
    """Run the coroutines that the tests create and never await: an `async def check()`, called as a plain function."""
    coroutines = {
        node.name
        for node in all_nodes(tree)
        if isinstance(node, _ast.AsyncFunctionDef) and not node.decorator_list and not _yields(node)
    }
    # Within a coroutine, no other one can be run as a whole.
    plain: list[Any] = [tree]
    for node in plain:
        plain += (one for one in children_of(node) if not isinstance(one, _ast.AsyncFunctionDef))
    for node in plain:
        call: Any = node.value if isinstance(node, _ast.Expr) else None
        if isinstance(call, _ast.Call) and getattr(call.func, "id", "") in coroutines:
            node.value = written_at("_tg_awaited(0)", call).value


def _yields(node: Any) -> bool:
    return any(isinstance(one, _ast.Yield) for part in node.body for one in all_below(part))
