"""Finds the calls that state something nobody gave, and sends them back."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from langchain_core.tools import BaseTool

from ...._internal.texts import shortened
from ....tools.calls.action_check import arguments
from ....tools.calls.effects import may_have_changed, only_reads
from ....tools.calls.grounding import Sources, held, ungrounded
from ....tools.dates.found import claims_in, read_from
from ....tools.dates.told import told_times
from ....tools.metadata import metadata_of
from ....traces.events import Link
from ....traces.shapes import Action
from ...trace import cause_of, run_recording
from ..loop import PlanActLoop
from ..plans.progress import current_actions
from ..prompts.texts import text
from ..state import PlanActState, clarified, happened, now_of, users_words
from .effect import as_written, worked
from .questions import answer_to, asked_before, to_ask

_SHOWN = 200
_AGREED = "yes"
_TIMES = re.compile(r"\d:\d\d|\d-\d\d|\d[hm]\b")
_ID = re.compile(
    r"(?:\w+_)?ids?|(?!(?:page|line|row|phone|fax|house|floor|zip|area|country|error|status)_)\w+_(?:number|no|nr)"
)
_BY_NUMBER = re.compile(r"\b(?:by|with) (?:its|their|the) (?:\w+ )?(?:number|id)s?\b(?! of)", re.IGNORECASE)
_TOKEN = re.compile(r"(?=.*\d)[\w#./-]{1,40}")
_MAKES = re.compile(r"(?:add|create|insert|log|make|new|put|record|register|save|start|write)(?![a-z])")
"""Tools whose ids a model may have to make up."""
_MOST_READERS = 3
_DAY = re.compile(r"\d{4}-\d\d-\d\d(?!\d)")
_TWO_WEEKS = 14
_TIME = re.compile(r"(?:[01]?\d|2[0-3]):[0-5]\d(?::\d\d)?")
_OF_TIME = re.compile(r"(?:\w+_)?(?:time|hour|slot|start|begin|end|from|to|until|at|when)(?:_\w+)?")
_PART_OF_DAY = re.compile(
    r"morning|noon|evening|night|midday|breakfast|lunch|dinner|\btea\b|all day|any ?time|whenever|\bnow\b|dawn"
    r"|sun(?:rise|set)|[早晚夜午晨]|全天|随时|现在",
    re.IGNORECASE,
)


def ungrounded_calls(state: PlanActState, loop: PlanActLoop) -> list[tuple[Action, list[str]]]:
    """The calls decided on that state something nobody gave, with what that is: a pure function of the state."""
    found: list[tuple[Action, list[str]]] = []
    for action in current_actions(state):
        tool = loop.executor.tools[action["tool"]]
        texts = held(tool, action) or [
            *_unread_ids(tool, action, state, loop),
            *_other_times(tool, action, state, loop),
        ]
        if texts and (claims := ungrounded(texts, sources_of(state), now_of(state))):
            found.append((action, claims))
    return found


def _unread_ids(tool: BaseTool, action: Action, state: PlanActState, loop: PlanActLoop) -> list[str]:
    """The ids in a call that may change something, as long as no tool was read that may tell them: a small model takes
    the first number. None of a tool that says what is held to what was said; one that the program tells is given."""
    readers = _readers(action, loop)
    if "grounded" in metadata_of(tool) or not may_have_changed(tool) or _MAKES.match(tool.name) or not readers:
        return []
    if any(seen["tool"] in readers for seen in worked(state, loop)):
        return []
    about = [tool.description, *(loop.executor.tools[name].description for name in readers)]
    by_number = "|number|no|nr" if any(map(_BY_NUMBER.search, about)) else ""
    named = re.compile(f"(?:{_ID.pattern}{by_number})")
    ids = [str(value) for name, value in arguments(tool, action["input"]).items() if named.fullmatch(name)]
    told = {word.strip(".-/") for word in re.findall(r"[\w#./-]+", loop.coordinator.of_the_program())}
    return [one for one in ids if _TOKEN.fullmatch(one) and one not in told]


def _other_times(tool: BaseTool, action: Action, state: PlanActState, loop: PlanActLoop) -> list[str]:
    """The days in a call that may change something where the user named one day, and it is none of them; its times of
    day where nobody named any. Small models count weekdays wrongly, and fill in a time that is missing.

    None of a tool that says what is held to what was said; what the program tells is given.
    """
    if "grounded" in metadata_of(tool) or not may_have_changed(tool):
        return []
    now, words, told = now_of(state), users_words(state), loop.coordinator.of_the_program()
    values = arguments(tool, action["input"])
    given = {name: value for name, value in values.items() if isinstance(value, str) and value not in told}
    claims = [claim.meant for said in words for claim in claims_in(said, now)[0]]
    days = {one for one in claims if type(one) is date}
    found = [value for value in given.values() if _DAY.match(value)] if len(days) == 1 else []
    if any(_may_mean(value[:10], one) for value in found for one in days):
        found = []
    times = [value for name, value in given.items() if _TIME.fullmatch(value) and _OF_TIME.fullmatch(name)]
    if not times or not days:
        return found
    spoken = [*words, state["before"], state["context"], *(one["result"] for one in state["observations"])]
    named = any(_PART_OF_DAY.search(one) or read_from(one, now).times for one in spoken)
    return found if named else found + times


def _may_mean(given: str, named: date) -> bool:
    """Whether a date may be the day that was named, which is read as the next one: "I ran on Monday" means the last."""
    try:
        apart = abs((date.fromisoformat(given) - named).days)
    except ValueError:
        return False
    return int(given[8:]) == named.day or (apart % 7 == 0 and apart <= _TWO_WEEKS)


def _readers(action: Action, loop: PlanActLoop) -> list[str]:
    return [name for name, tool in sorted(loop.executor.tools.items()) if name != action["tool"] and only_reads(tool)]


def ground(state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """Send a call back that states something nobody gave; the second time in a step, ask the user about it."""
    found = ungrounded_calls(state, loop)
    action, claims = found[0]
    named = ", ".join(dict.fromkeys(claim for _, some in found for claim in some))
    times = ", ".join(one for words in users_words(state) for one in told_times(words, now_of(state)))
    readers = " / ".join(_readers(action, loop)[:_MOST_READERS])
    key = "note.look_up" if readers else "note.not_told"
    # Of a tool that says nothing itself, a time is looked up where only a day was told.
    held_to_it = "grounded" in metadata_of(loop.executor.tools[action["tool"]])
    if times and _TIMES.search(named) and (held_to_it or ":" in times or "-" in named):
        key = "note.told" if len(state["plan"]) == 1 else "note.told_some"
    mend = text(loop.language, key, times=times, readers=readers)
    note = text(loop.language, "note.ungrounded", tool=action["tool"], claims=named, mend=mend)
    with run_recording(state) as recorder:
        link = Link(source=cause_of(state)[0]["source"], relation="failed", error=note)
        recorder.add("observation", [link], **action, ok=False, result=note, kind_of_failure="ungrounded")
    writes: dict[str, Any] = {"ungrounded": state["ungrounded"] + 1, "events": recorder.events, "decision": None}
    if state["ungrounded"]:
        about = f"{action['tool']} {shortened(as_written(action['input']), _SHOWN)}"
        question = text(loop.language, "ask.ungrounded", claims=", ".join(claims), call=about)
        if answer := answer_to(question, state):
            return {**writes, **asked_before(question, answer, state, loop)}
        writes["decision"] = to_ask(question)
    return {**writes, "happening": happened("ungrounded", note)}


def sources_of(state: PlanActState) -> Sources:
    """Where what a call states may come from."""
    return Sources(
        said=[state["goal"], state["before"], state["context"]],
        shown=[one["result"] for one in state["observations"] if one["ok"]],
        failed=[*(one["result"] for one in state["observations"] if not one["ok"]), *asked_back(state)],
        # With nobody to ask, what was asked is taken as agreed to.
        answered=[(one["question"], _AGREED if one["assumed"] else one["answer"]) for one in clarified(state)],
    )


def asked_back(state: PlanActState) -> list[str]:
    """What calls lacked, in the tools' words, which may name entries by their numbers."""
    seen = [event["data"] for event in state["events"] if event["kind"] == "observation"]
    return [data["result"] for data in seen if data.get("kind_of_failure") == "incomplete"]
