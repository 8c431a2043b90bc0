"""Another choice than the one that the user named, of the few that a tool's argument has."""

from __future__ import annotations

from typing import Any, NamedTuple

from langchain_core.tools import BaseTool

from ....._internal.strict_json import entries, mapping
from .....tools.calls.action_check import arguments
from .....tools.likeness import marks
from .....tools.schemas import input_schema
from .....traces.shapes import Action

_SHORTEST = 3


class OtherChoice(NamedTuple):
    """An argument, the choice that a call has for it, and the one that the user named."""

    field: str
    chosen: str
    named: str


def other_choice(tool: BaseTool, action: Action, said: str) -> OtherChoice | None:
    """The first argument for which a call has a choice of which the user has no word, the default included, though they
    name just one other that the call has nowhere; None for none.

    For example, `source="savings"` of a tool that knows `checking` and `savings`, for "pay it from checking".
    """
    about, given = input_schema(tool), arguments(tool, action["input"])
    defined, words = mapping(about.get("$defs")), marks(said)
    for field, schema in about["properties"].items():
        choices = _choices(schema, defined)
        chosen = str(given.get(field, schema.get("default")))
        if len(choices) < 2 or chosen not in choices or _is_named(chosen, words):
            continue
        free = [one for one in choices if _is_named(one, words) and one not in map(str, given.values())]
        if len(free) == 1:
            return OtherChoice(field, chosen, free[0])
    return None


def _choices(schema: Any, defined: Any) -> list[str]:
    """The texts among which an argument chooses."""
    forms = [mapping(schema), *map(mapping, entries(mapping(schema).get("anyOf")))]
    forms += [mapping(defined.get(str(one.get("$ref")).rpartition("/")[2])) for one in forms if "$ref" in one]
    return [one for form in forms for one in entries(form.get("enum")) if isinstance(one, str)]


def _is_named(choice: str, words: frozenset[str]) -> bool:
    own = marks(choice.replace("_", " ").replace("-", " "))
    return len(choice) >= _SHORTEST and bool(own) and own <= words
