"""Another choice than the one that the user named: of the few that a tool's argument has, or of two tools that do the
opposite of each other."""

from __future__ import annotations

import re
from typing import NamedTuple

from langchain_core.tools import BaseTool

from ....._internal.strict_json import mapping
from .....tools.calls.action_check import arguments
from .....tools.calls.names import spelled
from .....tools.likeness import marks
from .....tools.schemas import choices_in, input_schema
from .....traces.shapes import Action
from ..clauses import beginnings

_SHORTEST = 3
_OPPOSITES = (
    ("delete|remove|cancel|drop|erase|discard", "add|create|book|register|insert|reserve|order|enter"),
    ("lock", "unlock"),
    ("block|ban", "unblock"),
    ("open", "close|shut"),
    ("enable|activate", "disable|deactivate"),
    ("start|resume", "stop|pause|end|finish"),
    ("raise|increase", "lower|reduce|decrease"),
    ("subscribe", "unsubscribe"),
    ("mute", "unmute"),
)
_INSTEAD = re.compile(
    r"\b(?:instead|replace\w*|swap\w*|exchange\w*|change\w*|move\w*|new|another|again|wrong\w*|mistake\w*|undo\w*"
    r"|by accident)\b",
    re.IGNORECASE,
)
"""By which words a user may want something done for which its opposite is a part."""
_DENIES = r"(?:\b(?:not|never|no|without|before|until)\b|n['’]t\b)"


class OtherChoice(NamedTuple):
    """An argument, the choice that a call has for it, and the one that the user named."""

    field: str
    chosen: str
    named: str


def other_choice(tool: BaseTool, action: Action, said: str) -> OtherChoice | None:
    """The first argument for which a call has a choice of which the user has no word, the default included, though they
    name just one other that the call has nowhere; None for none.

    For example, `source="savings"` of a tool that knows `checking` and `savings`, for "pay it from checking"; likewise
    `send=false`, for "send Eva a line".
    """
    about, given = input_schema(tool), arguments(tool, action["input"])
    defined, words = mapping(about.get("$defs")), marks(said)
    for field, schema in about["properties"].items():
        if schema.get("type") == "boolean" and not given.get(field, schema.get("default")):
            if _is_ordered(field, said):
                return OtherChoice(field, "false", "true")
            continue
        choices = choices_in(schema, defined)
        chosen = str(given.get(field, schema.get("default")))
        if len(choices) < 2 or chosen not in choices or _is_named(chosen, words):
            continue
        free = [one for one in choices if _is_named(one, words) and one not in map(str, given.values())]
        if len(free) == 1:
            return OtherChoice(field, chosen, free[0])
    return None


def opposite_order(tool: BaseTool, said: str) -> str:
    """The user's order of which a tool does the opposite, by the verb of its name, as `add_contact` does of "delete him
    from the contacts"; "" if they also say the tool's own verb, or speak of a change, and for any other tool."""
    verb = (spelled(tool.name) or [""])[0]
    if _INSTEAD.search(said):
        return ""
    for own, other in (pair for one, two in _OPPOSITES for pair in ((one, two), (two, one))):
        if re.fullmatch(own, verb) and not re.search(rf"\b(?:{own})", said, re.IGNORECASE):
            # "The order can go" orders nothing by that word.
            return next((first for first in beginnings(said) if re.fullmatch(other, first)), "")
    return ""


def _is_ordered(field: str, said: str) -> bool:
    """Whether words order what a flag is named by, and nowhere deny it: "but don't send it yet"."""
    return field in beginnings(said) and not re.search(rf"{_DENIES}\W+(?:\w+\W+){{0,2}}?{field}", said, re.IGNORECASE)


def _is_named(choice: str, words: frozenset[str]) -> bool:
    own = marks(choice.replace("_", " ").replace("-", " "))
    return len(choice) >= _SHORTEST and bool(own) and own <= words
