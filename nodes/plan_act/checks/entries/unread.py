"""The look-up that is still to come: what the user names, and no result shows, or what belongs to an entry whose id was
read.

A small model ends after one look-up, with the number of a pet in place of its visit. Which tool tells the rest, its
name, its description and the ids that it takes say, so that the loop makes the call itself.
"""

from __future__ import annotations

import json
import re
from typing import Any

from ....._internal.strict_json import loads_or
from .....tools.calls.action_check import arguments
from .....tools.calls.conventions import takes_state
from .....tools.calls.effects import LOOKS, acting_tools, only_reads, says_effects, tellers, tells
from .....tools.calls.names import is_key, spelled
from .....tools.likeness import marks
from .....tools.schemas import input_schema
from .....traces.shapes import Action
from ...loop import PlanActLoop
from ...plans.progress import calls_of_run
from ...state import Observation, PlanActState
from ..calls.ids import ready_call
from ..calls.stated import values_in
from ..calls.wanted import is_about
from ..clauses import merely_asks
from ..effect import keeps_entries, successful_calls
from .named import names_said

_LOOKS = re.compile(r"(?:get|find|search|list|look_?up|show|view|fetch|query|describe|browse|count|read)(?![a-z])")
_EMPTY = '[]{}() \n"'
_BY_NAME = re.compile(r"(?:\w+_)?(?:name|query|search|words?|terms?)")


def may_look_up(name: str, loop: PlanActLoop) -> bool:
    """Whether nobody minds that the loop calls a reader: no person has to approve it, and it says itself that it
    changes nothing, or its name does, or it has a name without a verb and a description that only says what there is:
    `timetable`, "The classes of a day"."""
    tool = loop.tools[name]
    verb = re.fullmatch(LOOKS, (spelled(name) or [""])[0])
    is_safe = says_effects(tool) or bool(_LOOKS.match(name) or not verb)
    return is_safe and name not in loop.interrupt_on and not takes_state(tool)


def unread_call(state: PlanActState, loop: PlanActLoop, *, whatever: bool = False) -> Action | None:
    """The call of a tool that only reads which has to come before the run can end; None if nothing is left to be looked
    up as far as the tools tell, once a call was made that does something, and where tools keep entries of their own.
    With `whatever` any tool counts, as in `next_list`."""
    tools, calls = loop.tools, [seen for seen in calls_of_run(state) if seen["tool"] in loop.tools]
    was_tried = not all(tells(tools[seen["tool"]]) for seen in calls)
    if was_tried or any(map(keeps_entries, tools.values())) or not (merely_asks(state["goal"]) or _needs_ids(loop)):
        return None
    return next_list(state, loop, whatever=whatever)


def _needs_ids(loop: PlanActLoop) -> bool:
    """Whether something can be done only with an id that another tool tells: "Tell Anna" needs none."""
    needed = [(field, tool) for tool in acting_tools(loop.tools).values() for field in input_schema(tool)["required"]]
    return any(is_key(field) and tellers(field, tool, loop.tools) for field, tool in needed)


def next_list(state: PlanActState, loop: PlanActLoop, *, whatever: bool = True) -> Action | None:
    """The next look-up: of a name that no result shows, or of what tells of something that the goal speaks of and that
    nothing was read about. With `whatever` any tool that was not read counts, those first that tell ids which were
    read, or what the goal is about."""
    tools, goal, made = loop.tools, state["goal"], successful_calls(state, loop)
    if named := named_call(state, loop):
        return named
    # What tells of a thing that the goal speaks of, and that nothing was read about.
    about = {name: marks(is_about(tool)) & marks(goal) for name, tool in tools.items() if only_reads(tool)}
    known = frozenset[str]().union(*(about.get(seen["tool"], frozenset()) for seen in made))
    new = {name: len(words - known) for name, words in about.items() if may_look_up(name, loop)}
    likeliest = [name for name in sorted(new) if new[name] == max(new.values()) > 0]
    calls = [_of_all_or_ids(one, state, loop) for one in likeliest[:1] if made]
    if whatever:
        read = {seen["tool"] for seen in made if seen["result"].strip(_EMPTY)}
        shown = {name for seen in made for name, _ in values_in(loads_or(seen["result"], None, json.loads))}
        ids = {word for name in filter(is_key, shown) for word in spelled(name)[:-1]}
        tried = {name for name, _ in _called(state, loop)}
        left = sorted(new.keys() - read, key=lambda one: (one in tried, not ids & {*spelled(one)}, -new[one]))
        calls += [_of_all_or_ids(one, state, loop) for one in left]
    return next((one for one in calls if one and _as_made(one, loop) not in _called(state, loop)), None)


def named_call(state: PlanActState, loop: PlanActLoop) -> Action | None:
    """The look-up of a name that the goal has, and no result a word of; None if there is none, or no tool for it."""
    name = unshown_name(state, loop)
    readers = [one for one, tool in sorted(loop.tools.items()) if only_reads(tool) and may_look_up(one, loop)]
    asked = [one for one, given in _called(state, loop) if name.casefold() in str(given).casefold()]
    return next((call for one in readers if one not in asked and (call := _by_name(one, name, loop))), None)


def unshown_name(state: PlanActState, loop: PlanActLoop) -> str:
    """The first name in the goal of which no result has more than half of the words; "" for none."""
    read = [seen["result"] for seen in successful_calls(state, loop) if tells(loop.tools[seen["tool"]])]
    shown = frozenset[str]().union(*map(marks, read))
    names = [(name, marks(name)) for name in names_said(state["goal"])]
    return next((name for name, words in names if len(words & shown) <= len(words) / 2), "")


def _called(state: PlanActState, loop: PlanActLoop) -> list[tuple[str, Any]]:
    return [_as_made(seen, loop) for seen in calls_of_run(state) if seen["tool"] in loop.tools]


def _as_made(call: Action | Observation, loop: PlanActLoop) -> tuple[str, Any]:
    """A call by its arguments, in whatever form it was written."""
    return call["tool"], arguments(loop.tools[call["tool"]], call["input"])


def _by_name(tool: str, name: str, loop: PlanActLoop) -> Action | None:
    """The call of a tool that takes a name and needs nothing else."""
    schema = input_schema(loop.tools[tool])
    fields = [field for field in schema["properties"] if _BY_NAME.fullmatch(field)]
    if not name or not fields or {*schema["required"]} - {fields[0]}:
        return None
    return _checked(tool, {fields[0]: name}, loop)


def _of_all_or_ids(tool: str, state: PlanActState, loop: PlanActLoop) -> Action | None:
    """The call of a tool that needs nothing, or only ids that are known."""
    needed = input_schema(loop.tools[tool])["required"]
    return ready_call(loop.tools[tool], state, loop) if needed else _checked(tool, {}, loop)


def _checked(tool: str, given: dict[str, str], loop: PlanActLoop) -> Action | None:
    action = loop.check_action({"tool": tool, "input": given})
    return None if isinstance(action, str) else action
