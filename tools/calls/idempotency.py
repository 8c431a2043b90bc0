"""Idempotency keys: let a tool recognize a call whose effect it has already made.

After a crash, a repeated step repeats its tool call. The graph gives every call a key made from the run, the step and
the call itself. A tool with an effect stores the key with the effect in one transaction; if it knows the key already,
it returns its first answer. What a call asks the user by `interrupt()` is asked once, too, however often it is made.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace

from langchain_core.runnables.config import var_child_runnable_config

_SCRATCHPAD = "__pregel_scratchpad"
"""Where LangGraph counts the questions of a node, to find the answer to each."""
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
def tool_call(key: str, asked: list[int] | None = None) -> Generator[None]:
    """Set the key during one tool call.

    Args:
        key: see `idempotency_key`.
        asked: LangGraph's numbers of the questions that the call has asked; empty before its first attempt. A further
            one begins with them, and so has the same answers: to LangGraph its first question would be another one.
    """
    token = _key.set(key)
    config = var_child_runnable_config.get() or {}
    configurable, numbered = config.get("configurable") or {}, None
    if asked is not None and (counts := configurable.get(_SCRATCHPAD)):
        counts = replace(counts, interrupt_counter=_counter(asked, counts.interrupt_counter))
        numbered = var_child_runnable_config.set({**config, "configurable": {**configurable, _SCRATCHPAD: counts}})
    try:
        yield
    finally:
        if numbered:
            var_child_runnable_config.reset(numbered)
        _key.reset(token)


def _counter(asked: list[int], more: Callable[[], int]) -> Callable[[], int]:
    before = iter([*asked])

    def number() -> int:
        known = next(before, None)
        if known is None:
            asked.append(known := more())
        return known

    return number
