"""Finds the calls that state something nobody gave, and sends them back.

In goes the state with the calls that were decided on. An edge asks `ungrounded_calls` whether the node `ground` comes
next; the node puts into the state what the model is told, or the question to the user. A call is looked at for

1. what it states (`_claims`): ids, days, times, amounts and codes, each found by a file in `calls/`; or what the tool's
   metadata names. What the user may have said in a language that is not read is left out (`_without_unread`);
2. if all of that was given, whether it is meant (`doubt_of`): a change for a mere question, or another entry.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from langchain_core.tools import BaseTool

from ...._internal.texts import shortened
from ....tools.calls.action_check import arguments
from ....tools.calls.grounding import Sources, ungrounded
from ....tools.calls.hooks import grounded_texts
from ....tools.calls.names import is_key, spelled
from ....tools.dates.found import read_from
from ....tools.dates.told import told_times
from ....tools.metadata import metadata_of
from ....traces.shapes import Action
from ...trace import run_recording
from ..loop import PlanActLoop
from ..plans.progress import current_actions
from ..state import PlanActState, clarified, happened, now_of, users_words
from .calls.amounts import amounts, unheard_codes
from .calls.days import DAY, TIME, held_before, other_times
from .calls.doubts import Doubt, doubt_of
from .calls.ids import copied_values, readers_of, unheard_ids, unread_ids
from .calls.moments import shown_call
from .calls.stated import incomplete_notes, record_held_back, values_in
from .clauses import is_unread, may_hide_numbers
from .questions import answer_to, ask_decision, asked_before

_SHOWN = 200
_AGREED = "yes"
_TIMES = re.compile(r"\d:\d\d|\d-\d\d|\d[hm]\b")
_MOST_READERS = 3
_LENGTH = re.compile(r"(?:\d+h)?(?:\d+m)?")
_FIGURES = re.compile(r"[\d.,]+")


class Ungrounded(NamedTuple):
    """A call that states something nobody gave, with what that is, or one that may not be meant."""

    action: Action
    claims: list[str]
    doubt: Doubt | None = None


def ungrounded_calls(state: PlanActState, loop: PlanActLoop) -> list[Ungrounded]:
    """The calls decided on that state something nobody gave, or may not be meant: a pure function of the state."""
    found: list[Ungrounded] = []
    for action in current_actions(state):
        tool = loop.tools[action["tool"]]
        if claims := _claims(tool, action, state, loop):
            found.append(Ungrounded(action, claims))
        elif doubt := doubt_of(tool, action, state, loop):
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
    copied = [*copied_values(action, state, loop), *held_before(tool, action, state, loop)]
    return [*dict.fromkeys([*copied, *unheard_ids(ids, state), *unheard_codes(tool, action, state, loop), *others])]


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


def ground(state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """Send a call back that states something nobody gave; the second time in a step, ask the user about it."""
    found = ungrounded_calls(state, loop)
    action, claims, doubt = found[0]
    note = "\n".join(dict.fromkeys(_note(one, state, loop) for one in found))
    with run_recording(state) as recorder:
        kind = "repeated" if doubt and doubt.note == "note.made_already" else "ungrounded"
        record_held_back(recorder, action, note, kind, state, claims=[] if doubt else claims)
    writes: dict[str, Any] = {"ungrounded": state["ungrounded"] + 1, "events": recorder.events, "decision": None}
    # The model knows no better than the user's words, of a doubt without a note.
    if (state["ungrounded"] or (doubt and not doubt.note)) and not (doubt and not doubt.question):
        key = doubt.question if doubt else "ask.ungrounded"
        question = loop.text(key, claims=", ".join(claims), call=shown_call(action))
        if not doubt and (copied := _copied_fields(action, claims, state, loop)):
            # Of what stands in an example, the user knows nothing.
            question = loop.text("ask.what", fields=", ".join(copied), tool=action["tool"])
        if answer := answer_to(question, state):
            return {**writes, **asked_before(question, answer, state, loop)}
        may_wait = not doubt or doubt.question in ("ask.other_entry", "ask.which")
        alone = may_wait and len(current_actions(state)) == 1
        writes["decision"] = ask_decision(question, action if alone else None)
    return {**writes, "happening": happened("ungrounded", note)}


def _copied_fields(action: Action, claims: Sequence[str], state: PlanActState, loop: PlanActLoop) -> list[str]:
    """The names of the arguments that have a value of the examples, if no other was given by nobody."""
    copied = copied_values(action, state, loop)
    given = arguments(loop.tools[action["tool"]], action["input"])
    named = [" ".join(spelled(name)) for name, value in values_in(given) if str(value) in copied]
    return list(dict.fromkeys(named)) if {*claims} <= {*copied} else []


def _note(found: Ungrounded, state: PlanActState, loop: PlanActLoop) -> str:
    """What the model is told of a call that is sent back."""
    action, claims, doubt = found
    if doubt and not doubt.note:
        return loop.text("note.which", tool=action["tool"], entries=doubt.claim)
    if doubt:
        words = {"entry": doubt.claim, "meant": doubt.meant, "goal": shortened(state["goal"], _SHOWN)}
        return loop.text(doubt.note, tool=action["tool"], **words)
    named = ", ".join(claims)
    given = values_in(arguments(loop.tools[action["tool"]], action["input"]))
    if {*claims} <= {*copied_values(action, state, loop)} - {str(value) for name, value in given if is_key(name)}:
        return loop.text("note.of_example", tool=action["tool"], claims=named, goal=shortened(state["goal"], _SHOWN))
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
