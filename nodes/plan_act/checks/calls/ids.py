"""Ids in a call that a small model makes up, though a tool that only reads could tell them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.tools import BaseTool

from ....._internal.strict_json import loads_or
from .....tools.calls.action_check import arguments
from .....tools.calls.effects import about, only_reads, takes_id, tellers
from .....tools.calls.names import NUMBERS, is_key, spelled
from .....tools.dates.numbers import numbers_in
from .....tools.metadata import metadata_of
from .....tools.schemas import input_schema
from .....traces.shapes import Action
from ...loop import PlanActLoop
from ...plans.payloads import as_json
from ...prompts.made_values import EXAMPLE_VALUE, STANDS_FOR
from ...state import Observation, PlanActState, clarified, now_of, users_words
from ..effect import successful_calls
from ..entries.found import values_found
from ..entries.together import read_together
from .amounts import CHANGES
from .stated import incomplete_notes, shown_texts, values_in

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
    if "grounded" in metadata_of(tool) or only_reads(tool) or not readers:
        return []
    read = [seen["result"] for seen in successful_calls(state, loop) if seen["tool"] in readers]
    about = [tool.description, *(loop.tools[name].description for name in readers)]
    by_number = any(map(_BY_NUMBER.search, about))
    given = arguments(tool, action["input"]).items()
    named = [(name, value) for name, value in given if takes_id(name, value, loop.tools)]
    named = [(name, str(value)) for name, value in named if by_number or name not in NUMBERS]
    ids = [value for name, value in named if not _is_made(name, tool, loop)]
    # "For example T-01", in a description, is no tenant's.
    of_program = EXAMPLE_VALUE.sub(" ", loop.coordinator.of_the_program())
    given_by_program = {word.strip(".-/") for word in re.findall(r"[\w#./-]+", of_program)}
    free = [one for one in ids if _TOKEN.fullmatch(one) and one not in given_by_program]
    # Once something was read, the model may know, unless what was read has others of its form.
    return [one for one in free if not read or (one[0].isalpha() and _has_form(one, read))]


def _is_made(field: str, tool: BaseTool, loop: PlanActLoop) -> bool:
    """Whether an id may be one that a call gives to what it makes: not that of another thing, which a tool tells."""
    of_other = set(spelled(field)[:-1]) - set(about(tool))
    return bool(_MAKES.match(tool.name)) and not (of_other and tellers(field, tool, loop.tools))


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


def copied_values(action: Action, state: PlanActState, loop: PlanActLoop) -> list[str]:
    """The values in a call that the examples made of the tools' schemas have, and that nobody said and nothing showed:
    what only stands for a name or an id there."""
    inputs = [one.example.get("input") for one in loop.plan_examples if one.made]
    of_examples = {str(value) for one in inputs for _, value in values_in(one)}
    given = [str(value) for _, value in values_in(action["input"]) if str(value) in of_examples]
    given = list(filter(STANDS_FOR.fullmatch, given))
    known = "\n".join([*users_words(state), *shown_texts(state)]).casefold() if given else ""
    return [value for value in dict.fromkeys(given) if value.casefold() not in known]


def readers_of(action: Action, loop: PlanActLoop) -> list[str]:
    """The other tools that only read, by name."""
    return [name for name, tool in sorted(loop.tools.items()) if name != action["tool"] and only_reads(tool)]


def next_calls(tools: Mapping[str, BaseTool], state: PlanActState, loop: PlanActLoop) -> str:
    """What to do next for one of these tools, as lines to add to their list: which tools tell the ids that they need,
    of those of which none was read; and the calls that need nothing more."""
    read, lines = successful_calls(state, loop), list[str]()
    first: dict[str, str] = {}
    for tool in tools.values():
        for field in filter(is_key, input_schema(tool)["required"]):
            told = tellers(field, tool, loop.tools)
            if told and not {seen["tool"] for seen in read} & {*told}:
                first[field] = told[0]
    if first:
        named = ", ".join(f"{field} ({name})" for field, name in first.items())
        lines.append(loop.text("note.to_look_up", named=named))
    if ready := [as_json(call) for tool in tools.values() if (call := ready_call(tool, state, loop))]:
        lines.append(loop.text("note.ready", calls="\n".join(ready)))
    return "".join(f"\n{line}" for line in lines)


def may_tell(seen: Observation, field: str, tool: BaseTool, loop: PlanActLoop) -> bool:
    """Whether the result of a call may have what an argument of a tool takes, an id: its tool tells of that, or the
    result has a field of its name."""
    return seen["tool"] in tellers(field, tool, loop.tools) or f'"{field}"' in seen["result"]


def ready_call(tool: BaseTool, state: PlanActState, loop: PlanActLoop) -> Action | None:
    """The call of a tool that takes nothing but ids, each of which was read: the only one of its name, or that of the
    entry that the goal names. None if it was made, and if an id is not known."""
    given: dict[str, Any] = {}
    made, fields = successful_calls(state, loop), input_schema(tool)
    if CHANGES.match(tool.name) and len(fields["required"]) < len(fields["properties"]):
        # What is changed is not known.
        return None
    for field in fields["required"]:
        names = (field, field.rpartition("_")[2])
        shown = [seen["result"] for seen in read_together(state, loop) if may_tell(seen, field, tool, loop)]
        read = [one for result in shown for one in values_in(loads_or(result, None, json.loads))]
        listed = list(dict.fromkeys(value for name, value in read if name in names))
        if len(listed) != 1:
            of_goal = [*values_found(["?"], field, field, state["goal"], shown, now_of(state)).values()]
            listed = [one for one in listed if str(one) in of_goal] or of_goal
        if not is_key(field) or len(listed) != 1:
            return None
        given[field] = listed[0]
    action = loop.check_action({"tool": tool.name, "input": given}) if given else ""
    calls = [(seen["tool"], seen["input"]) for seen in made]
    return None if isinstance(action, str) or (action["tool"], action["input"]) in calls else action
