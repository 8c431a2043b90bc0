"""Which calls of a tool change something: by `tool.metadata["effects"]`, or else by the tool's name."""

from __future__ import annotations

import re

from langchain_core.tools import BaseTool

from ...traces.shapes import Action
from ..metadata import metadata_of
from .hooks import called_safely, full_arguments

_READS = re.compile(
    r"(?:get|find|search|list|read|fetch|look|lookup|check|query|show|view|describe|count|browse|retrieve|load|is|has"
    r"|verify|validate|compare|inspect|ask|calculate|compute|convert)"
)
_THINKS = re.compile(
    r"(?:think|plan|suggest|recommend|choose|select|pick|solve|design|compose|draft|prepare|review|classify|extract"
    r"|rewrite|format|sort|estimate|evaluate|score|outline|summarize|translate|explain|answer|parse|detect|analyze)"
)
"""A model may do this itself, and say so."""
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def says_effects(tool: BaseTool) -> bool:
    """Whether a tool says which of its calls change something, if only that none does."""
    return "effects" in metadata_of(tool)


def may_change(tool: BaseTool) -> bool:
    """Whether some call of a tool changes something."""
    return bool(metadata_of(tool).get("effects"))


def named_effect(tool: BaseTool, *, alone: bool = False) -> tuple[str, str]:
    """What a tool does by its name, and to what, in lower case: "book" and "room", of `book_room` and `bookRoom`.

    Twice "" for a name that says that nothing is changed, and for one of one word, unless the tool says that it has
    effects, or one word is to be enough (`alone`).
    """
    words = [word.lower() for word in _WORDS.findall(tool.name)]
    told = len(words) > 1 or (words and (alone or may_change(tool)))
    if not told or _READS.fullmatch(words[0]) or _THINKS.fullmatch(words[0]):
        return "", ""
    return words[0], words[-1]


def only_reads(tool: BaseTool) -> bool:
    """Whether a tool that says nothing of its effects has a name that says it changes nothing, such as `find_rooms`."""
    first = _WORDS.search(tool.name)
    return not says_effects(tool) and first is not None and bool(_READS.fullmatch(first[0].lower()))


def may_have_changed(tool: BaseTool) -> bool:
    """Whether a call that worked may have changed something; one of a tool that says nothing of it may, unless by its
    name it only reads."""
    return may_change(tool) if says_effects(tool) else not only_reads(tool)


def changes(tool: BaseTool, action: Action) -> bool:
    """Whether a call changes something; it counts as one that does where the tool's function fails."""
    given = metadata_of(tool).get("effects")
    if not callable(given):
        return bool(given)
    means = "Its calls count as ones that change something"
    return called_safely(tool.name, "effects", lambda known: bool(given(known)), full_arguments(tool, action), means)
