"""Which calls of a tool change something: `tool.metadata["effects"]`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from langchain_core.tools import BaseTool

from ...traces.shapes import Action
from .action_check import arguments

EFFECTS = "effects"
"""The key of a tool's metadata that says which of its calls change something: True for all, or a function."""
Changes = Callable[[Mapping[str, Any]], bool]
"""Whether a call with these arguments changes something."""


def check_effects(tool: BaseTool) -> None:
    """Refuse a tool that says in no known way which of its calls change something.

    Raises:
        ValueError: names the tool.
    """
    given = (tool.metadata or {}).get(EFFECTS)
    if given is not None and not isinstance(given, bool) and not callable(given):
        raise ValueError(f"metadata['effects'] of the tool {tool.name!r}: give True, or a function of the arguments")


def says_effects(tool: BaseTool) -> bool:
    """Whether a tool says which of its calls change something, if only that none does."""
    return EFFECTS in (tool.metadata or {})


def may_change(tool: BaseTool) -> bool:
    """Whether some call of a tool changes something."""
    return bool((tool.metadata or {}).get(EFFECTS))


def changes(tool: BaseTool, action: Action) -> bool:
    """Whether a call changes something."""
    given: Any = (tool.metadata or {}).get(EFFECTS)
    return bool(cast(Changes, given)(arguments(tool, action["input"])) if callable(given) else given)
