"""Effects applied once: the key under which a tool remembers what it has already done.

A step that is run again after a crash repeats its tool call. The graph gives every call a key made from the run, the
step and the call itself; a tool with an effect keeps the key beside the effect, in one transaction, and where the key
is known answers what it answered before.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

_key: ContextVar[str | None] = ContextVar("thoughtgraph_idempotency_key", default=None)


def idempotency_key() -> str | None:
    """The key of the tool call under way, for a tool to keep beside its effect; None outside of a graph's step.

    Example:
        >>> with tool_call("run:7"):
        ...     idempotency_key()
        'run:7'
    """
    return _key.get()


@contextmanager
def tool_call(key: str) -> Generator[None]:
    """Set the key for the length of one tool call."""
    token = _key.set(key)
    try:
        yield
    finally:
        _key.reset(token)
