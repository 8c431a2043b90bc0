"""Idempotency keys: let a tool recognize a call whose effect it has already made.

After a crash, a repeated step repeats its tool call. The graph gives every call a key made from the run, the step and
the call itself. A tool with an effect stores the key with the effect in one transaction; if it knows the key already,
it returns its first answer.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

_key: ContextVar[str | None] = ContextVar("thoughtgraph_idempotency_key", default=None)


def idempotency_key() -> str | None:
    """The key of the current tool call, for a tool to store with its effect; None outside a graph's step.

    Example:
        >>> with tool_call("run:7"):
        ...     idempotency_key()
        'run:7'
    """
    return _key.get()


@contextmanager
def tool_call(key: str) -> Generator[None]:
    """Set the key during one tool call."""
    token = _key.set(key)
    try:
        yield
    finally:
        _key.reset(token)
