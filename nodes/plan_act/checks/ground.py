"""Finds the calls that state something nobody gave, and sends them back.

In goes the state with the calls that were decided on. An edge asks `ungrounded_calls` whether the node `ground` comes
next; the node puts into the state what the model is told, or the question to the user. A call is looked at for

1. what it states (`_claims`): ids, days, times, amounts and codes, each found by a file in `calls/`; or what the tool's
   metadata names. What the user may have said in a language that is not read is left out (`_without_unread`);
2. if all of that was given, whether it is meant (`_doubt`): a change for a mere question, or another entry.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from langchain_core.tools import BaseTool

from ...._internal.texts import shortened
from ....tools.calls.action_check import arguments
from ....tools.calls.effects import acts, changes, only_reads, says_effects
from ....tools.calls.grounding import Sources, is_denial, ungrounded
from ....tools.calls.hooks import grounded_texts
from ....tools.dates.found import read_from
from ....tools.dates.told import told_times
from ....tools.likeness import marks
from ....tools.metadata import metadata_of
from ....traces.shapes import Action
from ...trace import run_recording
from ..loop import PlanActLoop
from ..plans.progress import current_actions
from ..state import Clarification, PlanActState, clarified, happened, now_of, users_words
from .calls.amounts import OF_AN_ENTRY, amounts, unheard_codes
from .calls.choices import other_choice
from .calls.chosen import as_chosen
from .calls.days import DAY, TIME, other_times
from .calls.entries import another_meant, entry_answered, unnamed_entry
from .calls.ids import readers_of, unheard_ids, unread_ids
from .calls.moments import may_be_replaced, shown_call
from .calls.stated import each_of, incomplete_notes, observed, record_held_back, stated_values
from .calls.wanted import is_unwanted
from .clauses import is_unread, may_hide_numbers
from .confirm import is_only_yes
from .effect import came_to_nothing, keeps_entries, successful_calls
from .questions import answer_to, ask_decision, asked_before

_SHOWN = 200
_AGREED = "yes"
_SEVERAL_TIMES = re.compile(
    r"\b(?:twice|thrice|again|another|once more|one more|two|three|four|both|each|every|times|repeat\w*|zweimal"
    r"|nochmal\w*|noch ein\w*|dos|otra|deux|encore)\b|[再两三四又每]|多次|反复",
    re.IGNORECASE,
)
"""By which a user may want the same done more than once."""
_TIMES = re.compile(r"\d:\d\d|\d-\d\d|\d[hm]\b")
_NAMES_ENTRY = re.compile(rf"{OF_AN_ENTRY.pattern}|number|no|nr")
_MOST_READERS = 3
_LENGTH = re.compile(r"(?:\d+h)?(?:\d+m)?")
_FIGURES = re.compile(r"[\d.,]+")


class _Doubt(NamedTuple):
    """Why a call may not be meant, although all its values were given.

    Attributes:
        claim: the entry that it names, or else the tool.
        note: the key of what the model is told.
        question: that of what the user is asked; "" if it is the model's to decide.
        meant: the entry that the user named instead.
    """

    claim: str
    note: str
    question: str
    meant: str = ""


class Ungrounded(NamedTuple):
    """A call that states something nobody gave, with what that is, or one that may not be meant."""

    action: Action
    claims: list[str]
    doubt: _Doubt | None = None


def ungrounded_calls(state: PlanActState, loop: PlanActLoop) -> list[Ungrounded]:
    """The calls decided on that state something nobody gave, or may not be meant: a pure function of the state."""
    found: list[Ungrounded] = []
    for action in current_actions(state):
        tool = loop.tools[action["tool"]]
        if claims := _claims(tool, action, state, loop):
            found.append(Ungrounded(action, claims))
        elif doubt := _doubt(tool, action, state, loop):
            found.append(Ungrounded(action, [doubt.claim], doubt))
    return found


def _claims(tool: BaseTool, action: Action, state: PlanActState, loop: PlanActLoop) -> list[str]:
    """What a call states that nobody gave, each once."""
    ids = unread_ids(tool, action, state, loop)
    texts = grounded_texts(tool, action)
    sums = [] if texts else amounts(tool, action, state, loop)
    texts = texts or [*ids, *other_times(tool, action, state, loop)]
    # All that was said and shown is read only for what states something: of a long run that is much.
    found = ungrounded(texts, sources_of(state), now_of(state)) if texts else []
    found += ungrounded(sums, replace(sources_of(state), failed=()), now_of(state)) if sums else []
    others = _without_unread(found, state)
    return [*dict.fromkeys([*unheard_ids(ids, state), *unheard_codes(tool, action, state, loop), *others])]


def _without_unread(claims: Sequence[str], state: PlanActState) -> list[str]:
    """The claims but for the days, times and numbers that the user may have said in a language that is not read."""
    words = users_words(state)
    # An answer alone may be a name: "La Piazza".
    told = (state["goal"], "\n".join(words))
    free: list[re.Pattern[str]] = [_FIGURES] if any(map(may_hide_numbers, told)) else []
    if any(map(is_unread, told)):
        read = [read_from(said, now_of(state)) for said in words]
        kinds = ((DAY, "dates"), (TIME, "times"), (_LENGTH, "lengths"))
        free += [kind for kind, name in kinds if not any(getattr(one, name) for one in read)]
    return [claim for claim in claims if not any(kind.fullmatch(claim) for kind in free)]


def _doubt(tool: BaseTool, action: Action, state: PlanActState, loop: PlanActLoop) -> _Doubt | None:
    does_something = acts(tool) or changes(tool, action)
    if does_something and not keeps_entries(tool) and (doubt := _doubt_for_once(tool, action, state, loop)):
        return doubt
    if is_unwanted(tool, action, state, loop):
        return _Doubt(tool.name, "note.only_asked", "ask.only_asked")
    if beside := _entry_beside(tool, action, state, loop):
        return _Doubt(beside[0], "note.other_entry", "ask.other_entry", beside[1])
    if does_something and (unnamed := _unnamed_entry(tool, action, state, loop)):
        return _Doubt(unnamed, "note.unnamed_entry", "ask.other_entry")
    return None


def _doubt_for_once(tool: BaseTool, action: Action, state: PlanActState, loop: PlanActLoop) -> _Doubt | None:
    """What the model is told once of a call that does something: that it was made before as it is, or has another
    choice than the one that the user named. It may make the same call again."""
    words, found = users_words(state), None
    may_repeat = tool.name in loop.guards.exempt_tools or any(map(_SEVERAL_TIMES.search, words))
    made = [one for one in successful_calls(state, loop) if (one["tool"], one["input"]) == (tool.name, action["input"])]
    if not may_repeat and any(not came_to_nothing(one, state, loop) for one in made):
        found = _Doubt(tool.name, "note.made_already", "")
    elif (other := other_choice(tool, action, "\n".join(words))) is not None:
        found = _Doubt(f"{other.field}: {other.chosen}", "note.other_choice", "", other.named)
    if found is None:
        return None
    of_call = [one for one in observed(state) if (one["tool"], one["input"]) == (tool.name, action["input"])]
    was_told = of_call and of_call[-1].get("kind_of_failure") in ("repeated", "ungrounded")
    return None if was_told else found


def _unnamed_entry(tool: BaseTool, action: Action, state: PlanActState, loop: PlanActLoop) -> str:
    """The entry of a list that a call which does something names by its id, and of which the user said nothing, where
    the model had made up an id before: it knows no better now."""
    if is_unread(state["goal"]):
        return ""
    failed = [one for one in observed(state) if one["tool"] == tool.name and not one["ok"]]
    if not any(one.get("claims") or one.get("kind_of_failure") == "not_found" for one in failed):
        return ""
    values = {name: str(one) for name, value, _ in stated_values(tool, action, loop) for one in each_of(value)}
    ids = [value for name, value in values.items() if OF_AN_ENTRY.fullmatch(name)]
    answers = [as_chosen(one["question"], one["answer"], now_of(state)) for one in clarified(state)]
    said, read = "\n".join([state["goal"], *answers]), [one["result"] for one in successful_calls(state, loop)]
    known = "\n".join([state["before"], *(value for value in values.values() if value not in ids)])
    return next(filter(None, (unnamed_entry(one, said, known, read, now_of(state)) for one in ids)), "")


def other_entry(waiting: Action, given: Clarification, state: PlanActState, loop: PlanActLoop) -> Action | None:
    """The call about whose entry the user was asked, as the answer has it: as it is after a yes, or with the id of
    another entry that it names; None for another question, and if the answer does not settle it."""
    head, tail = loop.text("ask.other_entry", claims="\0", call=shown_call(waiting)).split("\0")
    if not (given["question"].startswith(head) and given["question"].endswith(tail)) or given["assumed"]:
        return None
    if is_only_yes(given["answer"]):
        return waiting
    values, read = waiting["input"], [one["result"] for one in successful_calls(state, loop)]
    if isinstance(values, str) or is_denial(given["answer"]):
        return None
    found = {name: entry_answered(str(one), given["answer"], read) for name, one in values.items()}
    put = {name: type(values[name])(one) for name, one in found.items() if one}
    return {**waiting, "input": {**values, **put}} if len(put) == 1 else None


def _entry_beside(tool: BaseTool, action: Action, state: PlanActState, loop: PlanActLoop) -> tuple[str, str] | None:
    """The entry of a list that a call which changes something names, and the one that the user named instead."""
    if says_effects(tool) and not changes(tool, action):
        return None
    values = [
        str(one)
        for name, value, _ in stated_values(tool, action, loop)
        for one in each_of(value)
        if isinstance(one, str) or _NAMES_ENTRY.fullmatch(name)
    ]
    acting = re.sub(r"_|(?<=[a-z])(?=[A-Z])", " ", tool.name) + " " + tool.description.partition(" ")[0]
    answers = [as_chosen(one["question"], one["answer"], now_of(state)) for one in clarified(state)]
    said, results = [state["goal"], *answers], [one["result"] for one in successful_calls(state, loop)]
    tools = loop.tools
    calls = [seen for seen in successful_calls(state, loop) if not only_reads(tools[seen["tool"]])]
    done = [str(value) for seen in calls for value in arguments(tools[seen["tool"]], seen["input"]).values()]
    for place, value in enumerate(values):
        beside = [acting, *values[:place], *values[place + 1 :]]
        found = another_meant(value, beside, said, results, done, now_of(state))
        # What was said before may have named the entry.
        if found and not marks(found[0]) & marks(state["before"]):
            return found
    return None


def ground(state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """Send a call back that states something nobody gave; the second time in a step, ask the user about it."""
    found = ungrounded_calls(state, loop)
    action, claims, doubt = found[0]
    note = "\n".join(dict.fromkeys(_note(one, state, loop) for one in found))
    with run_recording(state) as recorder:
        kind = "repeated" if doubt and doubt.note == "note.made_already" else "ungrounded"
        record_held_back(recorder, action, note, kind, state, claims=[] if doubt else claims)
    writes: dict[str, Any] = {"ungrounded": state["ungrounded"] + 1, "events": recorder.events, "decision": None}
    if state["ungrounded"] and not (doubt and not doubt.question):
        key = doubt.question if doubt else "ask.ungrounded"
        question = loop.text(key, claims=", ".join(claims), call=shown_call(action))
        if answer := answer_to(question, state):
            return {**writes, **asked_before(question, answer, state, loop)}
        may_wait = doubt.question == "ask.other_entry" if doubt else may_be_replaced(claims[0])
        alone = may_wait and len(claims) == len(current_actions(state)) == 1
        writes["decision"] = ask_decision(question, action if alone else None)
    return {**writes, "happening": happened("ungrounded", note)}


def _note(found: Ungrounded, state: PlanActState, loop: PlanActLoop) -> str:
    """What the model is told of a call that is sent back."""
    action, claims, doubt = found
    if doubt:
        words = {"entry": doubt.claim, "meant": doubt.meant, "goal": shortened(state["goal"], _SHOWN)}
        return loop.text(doubt.note, tool=action["tool"], **words)
    named = ", ".join(claims)
    times = ", ".join(one for words in users_words(state) for one in told_times(words, now_of(state)))
    readers = " / ".join(readers_of(action, loop)[:_MOST_READERS])
    key = "note.look_up" if readers else "note.not_told"
    # Of a tool that says nothing itself, a time is looked up where only a day was told, and a day where only a length.
    held_to_it = "grounded" in metadata_of(loop.tools[action["tool"]])
    failed = "\n".join(sources_of(state).failed)
    if not held_to_it and all(re.search(rf"(?<![\w.]){re.escape(one)}(?!\w|\.\d)", failed) for one in claims):
        return loop.text("note.of_error", tool=action["tool"], claims=named)
    if times and _TIMES.search(named) and (held_to_it or ":" in times or ("-" in named and "-" in times)):
        key = "note.told" if len(state["plan"]) == 1 else "note.told_some"
    mend = loop.text(key, times=times, readers=readers)
    return loop.text("note.ungrounded", tool=action["tool"], claims=named, mend=mend)


def sources_of(state: PlanActState) -> Sources:
    """Where what a call states may come from."""
    return Sources(
        said=[state["goal"], state["before"], state["context"]],
        shown=[one["result"] for one in state["observations"] if one["ok"]],
        failed=[*(one["result"] for one in state["observations"] if not one["ok"]), *incomplete_notes(state)],
        # With nobody to ask, what was asked is taken as agreed to.
        answered=[(one["question"], _AGREED if one["assumed"] else one["answer"]) for one in clarified(state)],
    )
