"""What a tool knows of the things that a request speaks of: `tool.metadata["context"]`.

A small model that is told "she has the keys now" cannot know that a todo is done, unless it sees the todo.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from langchain_core.tools import BaseTool

from .required import Told

CONTEXT = "context"
"""The key of a tool's metadata with the function that says what it knows of a request."""


def check_context(tool: BaseTool) -> None:
    """Refuse a tool whose context is no function.

    Raises:
        ValueError: names the tool.
    """
    given = (tool.metadata or {}).get(CONTEXT)
    if given is not None and not callable(given):
        raise ValueError(f"metadata['context'] of the tool {tool.name!r}: give a function of what is known")


def known_of(tool: BaseTool, told: Told) -> str:
    """What a tool knows of a request, for the model to see before it plans; "" for nothing.

    Args:
        tool: that may be called.
        told: the request, and what was said before it.
    """
    given: Any = (tool.metadata or {}).get(CONTEXT)
    return cast("Callable[[Told], str]", given)(told).strip() if given else ""
