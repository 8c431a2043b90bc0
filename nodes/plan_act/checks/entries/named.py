"""The names of people and things in what a user says."""

from __future__ import annotations

import re

from .....tools.calls.effects import ACTIONS, LOOKS
from .....tools.calls.names import full_chinese_names
from .....tools.dates.found import SOME_DAY, read_from

_MOST_NAMES = 3
_NAME = re.compile(
    r"(?P<title>\b(?:Mr|Mrs|Ms|Miss|Frau|Herrn?)\.? )?"
    r"\b(?P<name>(?!(?:I|Mr|Mrs|Ms|Miss|Dr|Frau|Herrn?|The|An?|My|Our)\b)[A-Z][\w-]*(?: [A-Z][\w-]+)*)"
)
_GERMAN = re.compile(r"\b(?:der|die|das|den|dem|eine?n?|für|und|bitte|am|im|um|von|mit)\b", re.IGNORECASE)
_ORDERS = re.compile(
    rf"{ACTIONS}|{LOOKS}|tell|let|invite|thank|remind|bring|please|hi|hello|dear"
    r"|can|could|would|will|shall|may|is|are|was|were|does|do|did|has|have|when|where|what|which|who|whose|how|why",
    re.IGNORECASE,
)


def names_said(said: str) -> list[str]:
    """The names of people and things in what a user says, without titles, in order."""
    found: list[str] = []
    for one in _NAME.finditer(said):
        begins = not said[: one.start()].strip() or bool(re.search(r"[.!?:()]\s*$", said[: one.start()]))
        # "Tell Anna" begins with an order.
        first, _, rest = one["name"].partition(" ")
        name = rest if begins and _ORDERS.fullmatch(first) else one["name"]
        # In German every noun is written like a name.
        alone = not (rest or one["title"]) and _GERMAN.search(said)
        if (not begins or one["title"] or rest) and not alone and not read_from(name, SOME_DAY).dates:
            found.append(name)
    found += [one for one in full_chinese_names(said) if not read_from(one, SOME_DAY).dates]
    return list(dict.fromkeys(found))[:_MOST_NAMES]
