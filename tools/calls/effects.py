"""Which calls of a tool change something: `tool.metadata["effects"]`."""

from __future__ import annotations

from langchain_core.tools import BaseTool

from ...traces.shapes import Action
from ..metadata import metadata_of
from .hooks import called_safely, full_arguments


def says_effects(tool: BaseTool) -> bool:
    """Whether a tool says which of its calls change something, if only that none does."""
    return "effects" in metadata_of(tool)


def may_change(tool: BaseTool) -> bool:
    """Whether some call of a tool changes something."""
    return bool(metadata_of(tool).get("effects"))


def changes(tool: BaseTool, action: Action) -> bool:
    """Whether a call changes something; it counts as one that does where the tool's function fails."""
    given = metadata_of(tool).get("effects")
    if not callable(given):
        return bool(given)
    means = "Its calls count as ones that change something"
    return called_safely(tool.name, "effects", lambda known: bool(given(known)), full_arguments(tool, action), means)
