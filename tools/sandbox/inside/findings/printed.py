"""Failures that the tests only print: `except AssertionError as error: print("FAIL", error)`."""

from __future__ import annotations

import _ast

from .swallowed import catches, is_reached
from .trees import all_below, all_nodes, children_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import Any

_LEAVES = (_ast.Break, _ast.Continue, _ast.Return, _ast.Raise)
_MESSAGES = (_ast.Constant, _ast.JoinedStr)
_TELLS = frozenset({"append", "add", "format_exc", "exc_info"})
"""What keeps something in a list or a set, or has the exception without a name for it."""
_RUNNERS = frozenset({"self", "cls", "pytest", "unittest"})
"""What has functions that decide: a skip, say."""


def mark_printed(tree: Any) -> None:
    """Mark the handlers that only report a failed assert, if nothing else in the tests depends on it.

    A handler may also keep the failure, as in a list or a count, if the tests only print that.
    """
    deciding = frozenset(_deciding(tree))
    for node in all_nodes(tree):
        if isinstance(node, _ast.Try) and _checks_alone(node, deciding):
            handlers: list[Any] = node.handlers
            for handler in handlers:
                if catches(handler) and _only_tells(handler.body, deciding, {handler.name}):
                    handler._tg_printed = True


def _checks_alone(node: Any, deciding: Collection[str]) -> bool:
    """Whether the body of a `try` can leave it only by a failure; otherwise it may retry, or be meant to fail."""
    below = [one for part in node.body for one in all_below(part)]
    if is_reached(node.body[0]) or any(isinstance(one, _LEAVES) and not is_reached(one) for one in below):
        return False
    names = [one for one in below if isinstance(one, _ast.Name)]
    read = {one.id for one in names if isinstance(one.ctx, _ast.Load)}
    # What says later that all went well.
    kept = {one.id for one in names if isinstance(one.ctx, _ast.Store)} - read
    return kept.isdisjoint(deciding) and _only_tells(node.orelse, deciding, (), least=0)


def _only_tells(body: Any, deciding: Collection[str], errors: Collection[str | None], least: int = 1) -> bool:
    """Whether statements only print, or set variables that decide nothing, and at least `least` of them report."""
    told = 0
    for one in body:
        if isinstance(one, _ast.If):
            if not _only_tells([*one.body, *one.orelse], deciding, errors, least):
                return False
            told += 1
        elif isinstance(one, (_ast.Assign, _ast.AugAssign, _ast.AnnAssign)):
            targets = one.targets if isinstance(one, _ast.Assign) else [one.target]
            if any(_root(target) is None or _root(target) in deciding for target in targets):
                return False
            told += 1
        elif isinstance(one, _ast.Expr) and isinstance(one.value, _ast.Call):
            if not _is_aside(one.value, deciding):
                return False
            told += _is_message(one.value, errors)
        elif not isinstance(one, (_ast.Pass, _ast.Continue)):
            return False
    return told >= least


def _is_aside(call: Any, deciding: Collection[str]) -> bool:
    """Whether a call decides nothing: it prints, or is a method of a variable that decides nothing."""
    root = _root(call.func)
    return _prints(call) or (isinstance(call.func, _ast.Attribute) and root not in {None, *deciding, *_RUNNERS})


def _is_message(call: Any, errors: Collection[str | None]) -> bool:
    """Whether a call tells something: it prints, keeps what it is given, or is given a text or the exception."""
    given = [part for one in call.args for part in all_below(one)]
    name = _name(call.func)
    if name.startswith("print") or (given and name in _TELLS):
        return True
    return any(
        isinstance(one, _MESSAGES)
        or (isinstance(one, _ast.Name) and one.id in errors)
        or (isinstance(one, _ast.Call) and _name(one.func) in _TELLS)
        for one in given
    )


def _name(called: Any) -> str:
    return getattr(called, "attr", getattr(called, "id", ""))


def _deciding(node: Any, in_handler: bool = False) -> Iterator[str]:
    """The names that are used for more than printing."""
    if _only_prints(node):
        return
    parts = [*children_of(node)]
    own = frozenset[str]()
    if isinstance(node, (_ast.Assign, _ast.AugAssign)):
        # `passed = passed + 1` decides nothing.
        targets = node.targets if isinstance(node, _ast.Assign) else [node.target]
        own = frozenset(one.id for one in targets if isinstance(one, _ast.Name))
        parts = [node.value] if all(map(_root, targets)) else parts
    elif in_handler and isinstance(node, _ast.Expr) and isinstance(node.value, _ast.Call) and _root(node.value.func):
        parts = [*node.value.args, *(one.value for one in node.value.keywords)]
    elif isinstance(node, _ast.Name):
        if isinstance(node.ctx, _ast.Load):
            yield node.id
        return
    for part in parts:
        yield from (
            name for name in _deciding(part, in_handler or isinstance(node, _ast.ExceptHandler)) if name not in own
        )


def _only_prints(node: Any) -> bool:
    """Whether a statement, with all that stands in it, prints and does nothing else."""
    if isinstance(node, (_ast.If, _ast.For, _ast.While)):
        return all(isinstance(one, _ast.Pass) or _only_prints(one) for one in (*node.body, *node.orelse))
    return isinstance(node, _ast.Expr) and isinstance(node.value, _ast.Call) and _prints(node.value)


def _prints(call: Any) -> bool:
    return isinstance(call.func, _ast.Name) and call.func.id == "print"


def _root(node: Any) -> str | None:
    """The name of the variable that a target or a method belongs to."""
    while isinstance(node, (_ast.Attribute, _ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, _ast.Name) else None
