"""Ids in a call that a small model makes up, though a tool that only reads could tell them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from langchain_core.tools import BaseTool

from .....tools.calls.action_check import arguments
from .....tools.calls.effects import only_reads
from .....tools.dates.numbers import numbers_in
from .....tools.metadata import metadata_of
from .....traces.shapes import Action
from ...loop import PlanActLoop
from ...state import PlanActState, clarified, users_words
from ..effect import successful_calls
from .amounts import OF_AN_ENTRY
from .stated import incomplete_notes, shown_texts

_WHOLE = 5_000
"""A longer result may have been cut."""
_BY_NUMBER = re.compile(r"\b(?:by|with) (?:its|their|the) (?:\w+ )?(?:number|id)s?\b(?! of)", re.IGNORECASE)
_TOKEN = re.compile(r"(?=.*\d)[\w#./-]{1,40}")
_MAKES = re.compile(r"(?:add|create|insert|log|make|new|put|record|register|save|start|write)(?![a-z])")
"""Tools whose ids a model may have to make up."""


def unread_ids(tool: BaseTool, action: Action, state: PlanActState, loop: PlanActLoop) -> list[str]:
    """The ids in a call for which no tool was read that could tell them: a small model takes the first number.

    There are none for a tool that only reads, and for one that names in its metadata what the user must have said. An
    id that the program itself gave the model is known."""
    readers = readers_of(action, loop)
    if "grounded" in metadata_of(tool) or only_reads(tool) or _MAKES.match(tool.name) or not readers:
        return []
    read = [seen["result"] for seen in successful_calls(state, loop) if seen["tool"] in readers]
    about = [tool.description, *(loop.tools[name].description for name in readers)]
    by_number = "|number|no|nr" if any(map(_BY_NUMBER.search, about)) else ""
    named = re.compile(f"(?:{OF_AN_ENTRY.pattern}{by_number})")
    ids = [str(value) for name, value in arguments(tool, action["input"]).items() if named.fullmatch(name)]
    given_by_program = {word.strip(".-/") for word in re.findall(r"[\w#./-]+", loop.coordinator.of_the_program())}
    free = [one for one in ids if _TOKEN.fullmatch(one) and one not in given_by_program]
    # Once something was read, the model may know, unless what was read has others of its form.
    return [one for one in free if not read or (one[0].isalpha() and _has_form(one, read))]


def _has_form(given: str, read: Sequence[str]) -> bool:
    """Whether results that were shown whole list ids of the same form, `p1` for `p7`, and give no range of them."""
    form = re.sub(r"\d+", r"\\d+", re.escape(given))
    is_span = re.compile(rf"(?<!\w){form}\s*(?:[-–—…]|\.\.|to\b|bis\b|到|至)")
    shown = all(len(one) < _WHOLE and not is_span.search(one) for one in read)
    return shown and any(re.search(rf"(?<!\w){form}(?!\w)", one) for one in read)


def unheard_ids(ids: Sequence[str], state: PlanActState) -> list[str]:
    """The ids such as `p2`, with a letter first, that were neither said nor shown, and whose number was not either."""
    asked = [one["question"] for one in clarified(state)]
    known = "\n".join([*users_words(state), *asked, *shown_texts(state), *incomplete_notes(state)])
    numbers = numbers_in(known)

    def is_known(one: str) -> bool:
        return one.casefold() in known.casefold() or {*map(float, re.findall(r"\d+", one))} <= numbers

    return [one for one in ids if one[0].isalpha() and not is_known(one)]


def readers_of(action: Action, loop: PlanActLoop) -> list[str]:
    """The other tools that only read, by name."""
    return [name for name, tool in sorted(loop.tools.items()) if name != action["tool"] and only_reads(tool)]
