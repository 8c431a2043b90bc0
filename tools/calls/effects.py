"""Which calls of a tool change something: `tool.metadata["effects"]`."""

from __future__ import annotations

from langchain_core.tools import BaseTool

from ...traces.shapes import Action
from ..metadata import metadata_of
from .action_check import arguments


def says_effects(tool: BaseTool) -> bool:
    """Whether a tool says which of its calls change something, if only that none does."""
    return "effects" in metadata_of(tool)


def may_change(tool: BaseTool) -> bool:
    """Whether some call of a tool changes something."""
    return bool(metadata_of(tool).get("effects"))


def changes(tool: BaseTool, action: Action) -> bool:
    """Whether a call changes something."""
    given = metadata_of(tool).get("effects")
    return bool(given(arguments(tool, action["input"])) if callable(given) else given)
