"""Whether a call is meant, though all of its values were given: a change for a mere question, another entry, or one of
several that the user's words name alike; another choice than the named one; and what was done already."""

from __future__ import annotations

import re
from typing import NamedTuple

from langchain_core.tools import BaseTool

from .....tools.calls.action_check import arguments
from .....tools.calls.effects import acting_tools, acts, changes, is_same_verb, only_reads, says_effects, verbs_of
from .....tools.calls.grounding import is_denial
from .....tools.calls.names import is_key, spelled
from .....tools.likeness import marks
from .....tools.schemas import input_schema
from .....traces.shapes import Action
from ...loop import PlanActLoop
from ...state import Clarification, PlanActState, clarified, now_of, users_words
from ..clauses import is_unread
from ..confirm import is_only_yes
from ..effect import came_to_nothing, keeps_entries, successful_calls
from ..entries.meant import another_meant, as_well_named, entry_answered, unnamed_among, unnamed_entry
from ..entries.refused import unclear_entries
from ..entries.together import read_together
from ..questions import says_nothing_new
from .choices import opposite_order, other_choice
from .chosen import as_chosen
from .days import no_moment
from .moments import shown_call
from .stated import each_of, observed, stated_values, values_in
from .wanted import is_unwanted

_SEVERAL_TIMES = re.compile(
    r"\b(?:twice|thrice|again|another|once more|one more|two|three|four|both|each|every|times|repeat\w*|zweimal"
    r"|nochmal\w*|noch ein\w*|dos|otra|deux|encore)\b|[再两三四又每]|多次|反复",
    re.IGNORECASE,
)
"""By which a user may want the same done more than once."""
_LONGEST_CHOICE = 12
"""Letters of an answer that may name one of what a question lists."""


class Doubt(NamedTuple):
    """Why a call may not be meant, although all its values were given.

    Attributes:
        claim: the entry that it names, or else the tool.
        note: the key of what the model is told.
        question: that of what the user is asked; "" if it is the model's to decide. Without a note it is put at once.
        meant: the entry that the user named instead.
    """

    claim: str
    note: str
    question: str
    meant: str = ""


def doubt_of(tool: BaseTool, action: Action, state: PlanActState, loop: PlanActLoop) -> Doubt | None:
    """Why a call may not be meant; None if nothing speaks against it."""
    does_something = acts(tool) or changes(tool, action)
    if not keeps_entries(tool) and (doubt := _doubt_for_once(tool, action, state, loop)):
        return doubt
    if is_unwanted(tool, action, state, loop):
        return Doubt(tool.name, "note.only_asked", "ask.only_asked")
    if does_something and (ordered := opposite_order(tool, "\n".join(users_words(state)))):
        return Doubt(tool.name, "note.opposite", "ask.opposite", ordered)
    if empty := no_moment(tool, action, state, loop):
        return Doubt(empty, "note.no_moment", "ask.no_moment")
    if beside := _entry_beside(tool, action, state, loop):
        return Doubt(beside[0], "note.other_entry", "ask.other_entry", beside[1])
    if does_something and (unnamed := _unnamed_entry(tool, action, state, loop)):
        return Doubt(unnamed, "note.unnamed_entry", "ask.other_entry")
    if does_something and not keeps_entries(tool) and (alike := _entries_alike(tool, action, state, loop)):
        return Doubt("\n".join(alike), "", "ask.which")
    return None


def _doubt_for_once(tool: BaseTool, action: Action, state: PlanActState, loop: PlanActLoop) -> Doubt | None:
    """What the model is told once of a call: that it was made before as it is, has another choice than the one that the
    user named, does another thing to what was seen to, or reads of one entry alone that nobody named. It may make the
    same call again."""
    words, found = users_words(state), None
    does_something = acts(tool) or changes(tool, action)
    may_repeat = not does_something or tool.name in loop.guards.exempt_tools or any(map(_SEVERAL_TIMES.search, words))
    made = [one for one in successful_calls(state, loop) if (one["tool"], one["input"]) == (tool.name, action["input"])]
    if only_reads(tool):
        entry = _unnamed_of_read(tool, action, state, loop)
        found = Doubt(entry, "note.unnamed_read", "") if entry else None
    elif not may_repeat and any(not came_to_nothing(one, state, loop) for one in made):
        found = Doubt(tool.name, "note.made_already", "")
    elif tool.name in acting_tools(loop.tools) and (before := _same_acted_on(tool, action, state, loop)):
        found = Doubt(tool.name, "note.unordered", "", before)
    elif (other := other_choice(tool, action, "\n".join(words))) is not None:
        found = Doubt(f"{other.field}: {other.chosen}", "note.other_choice", "", other.named)
    elif _has_empty_answer(tool, action, state, loop):
        found = Doubt(tool.name, "note.own_words", "")
    if found is None:
        return None
    of_call = [one for one in observed(state) if (one["tool"], one["input"]) == (tool.name, action["input"])]
    was_told = of_call and of_call[-1].get("kind_of_failure") in ("repeated", "ungrounded")
    return None if was_told else found


def _same_acted_on(tool: BaseTool, action: Action, state: PlanActState, loop: PlanActLoop) -> str:
    """The tool that did something to the very entries of a call, in the run, where nobody ordered what the call does:
    `leave_class` after `book_class`; "" for none."""
    given = {name: str(value) for name, value in values_in(arguments(tool, action["input"]))}
    said = re.findall(r"\w+", "\n".join(users_words(state)).casefold())
    if not given or not all(map(is_key, given)) or is_unread(state["goal"]):
        return ""
    if any(is_same_verb(word, own) for word in said for own in verbs_of(tool)):
        return ""
    for seen in successful_calls(state, loop):
        other = loop.tools[seen["tool"]]
        acted_on = {str(value) for _, value in values_in(arguments(other, seen["input"]))}
        if (
            acts(other)
            and other is not tool
            and {*given.values()} <= acted_on
            and not came_to_nothing(seen, state, loop)
        ):
            return other.name
    return ""


def _unnamed_of_read(tool: BaseTool, action: Action, state: PlanActState, loop: PlanActLoop) -> str:
    """The entry of a list to which a look-up is narrowed by an id that it does not need, and of which the user said
    nothing; "" for none."""
    if is_unread(state["goal"]):
        return ""
    needed, said = input_schema(tool)["required"], "\n".join(_told(state))
    given = values_in(arguments(tool, action["input"]))
    ids = [str(value) for name, value in given if is_key(name) and name not in needed]
    read = [one["result"] for one in read_together(state, loop)] if ids else []
    return next(filter(None, (unnamed_entry(one, said, state["before"], read, now_of(state)) for one in ids)), "")


def _has_empty_answer(tool: BaseTool, action: Action, state: PlanActState, loop: PlanActLoop) -> bool:
    """Whether a call says what was only an answer to the model: "I have told you all I know", as the text of a mail."""
    given = [one for one in clarified(state) if len(one["answer"]) > _LONGEST_CHOICE]
    empty = [one["answer"] for one in given if says_nothing_new(one["question"], state)]
    return any(value in empty for _, value in _texts_of(tool, action, loop))


def _unnamed_entry(tool: BaseTool, action: Action, state: PlanActState, loop: PlanActLoop) -> str:
    """The entry of a list that a call which does something names by its id, and of which the user said nothing, where
    the model had made up an id before: it knows no better now."""
    if is_unread(state["goal"]):
        return ""
    failed = [one for one in observed(state) if one["tool"] == tool.name and not one["ok"]]
    told = any(one.get("claims") or one.get("kind_of_failure") == "not_found" for one in failed)
    # A tool may return its error as well as raise it.
    made = [one for one in successful_calls(state, loop) if one["tool"] == tool.name]
    if not told and not any(came_to_nothing(one, state, loop) for one in made):
        return ""
    values = _texts_of(tool, action, loop)
    ids = [value for name, value in values if is_key(name)]
    said, read = "\n".join(_told(state)), [one["result"] for one in read_together(state, loop)]
    known = "\n".join([state["before"], *(value for _, value in values if value not in ids)])
    return next(filter(None, (unnamed_entry(one, said, known, read, now_of(state)) for one in ids)), "")


def _entries_alike(tool: BaseTool, action: Action, state: PlanActState, loop: PlanActLoop) -> list[str]:
    """The entries of a list of which a call names one, and that the user's words name all alike; [] once the user was
    asked anything."""
    goal, several = state["goal"], "|".join(re.findall(r"[a-z]{3,}", tool.name))
    if clarified(state) or is_unread(goal) or re.search(rf"\b(?:{several})e?s\b", goal, re.IGNORECASE):
        return []
    if unclear := unclear_entries(action, state, loop):
        return unclear
    texts = _texts_of(tool, action, loop)
    values = [value for _, value in texts]
    done, read = _done(state, loop), [one["result"] for one in read_together(state, loop)]
    for place, (name, value) in enumerate(texts):
        # A call for both of two entries is for no other.
        others = [*values[:place], *values[place + 1 :]]
        known = "\n".join([state["before"], *others])
        if alike := as_well_named(value, goal, known, [*done, *others], read, now_of(state)):
            return alike
        # "My playlist", of four, is any of them.
        if _is_bare(name, goal) and (alike := unnamed_among(value, goal, known, read, now_of(state))):
            return alike
    return []


def _is_bare(field: str, goal: str) -> bool:
    """Whether a goal speaks of the thing that an id stands for, and says nothing more of it: "my playlist"."""
    noun = "".join(spelled(field)[:-1][-1:])
    named = rf"\b(?:my|our|his|her|their|the) {noun}\b"
    return is_key(field) and bool(noun and re.search(named, goal, re.IGNORECASE))


def _texts_of(tool: BaseTool, action: Action, loop: PlanActLoop) -> list[tuple[str, str]]:
    """The values of a call, each with the name of its argument."""
    return [(name, str(one)) for name, value, _ in stated_values(tool, action, loop) for one in each_of(value)]


def _told(state: PlanActState) -> list[str]:
    """The goal, and what the user's answers have chosen."""
    return [state["goal"], *(as_chosen(one["question"], one["answer"], now_of(state)) for one in clarified(state))]


def _done(state: PlanActState, loop: PlanActLoop) -> list[str]:
    """The values of the calls that may have changed something."""
    tools = loop.tools
    calls = [seen for seen in successful_calls(state, loop) if not only_reads(tools[seen["tool"]])]
    return [str(value) for seen in calls for value in arguments(tools[seen["tool"]], seen["input"]).values()]


def _entry_beside(tool: BaseTool, action: Action, state: PlanActState, loop: PlanActLoop) -> tuple[str, str] | None:
    """The entry of a list that a call which changes something names, and the one that the user named instead."""
    if says_effects(tool) and not changes(tool, action):
        return None
    values = [
        str(one)
        for name, value, _ in stated_values(tool, action, loop)
        for one in each_of(value)
        if isinstance(one, str) or is_key(name)
    ]
    acting = re.sub(r"_|(?<=[a-z])(?=[A-Z])", " ", tool.name) + " " + tool.description.partition(" ")[0]
    said, results = _told(state), [one["result"] for one in read_together(state, loop)]
    done = _done(state, loop)
    for place, value in enumerate(values):
        beside = [acting, *values[:place], *values[place + 1 :]]
        found = another_meant(value, beside, said, results, done, now_of(state))
        # What was said before may have named the entry.
        if found and not marks(found[0]) & marks(state["before"]):
            return found
    return None


def other_entry(waiting: Action, given: Clarification, state: PlanActState, loop: PlanActLoop) -> Action | None:
    """The call about whose entry the user was asked, as the answer has it: as it is after a yes, or with the id of
    another entry that it names; None for another question, and if the answer does not settle it."""
    keys, call = ("ask.other_entry", "ask.which"), shown_call(waiting)
    asked = [loop.text(key, claims="\0", call=call).split("\0") for key in keys]
    put = given["question"]
    if given["assumed"] or not any(put.startswith(head) and put.endswith(tail) for head, tail in asked):
        return None
    if is_only_yes(given["answer"]):
        return waiting
    values, read = waiting["input"], [one["result"] for one in read_together(state, loop)]
    if isinstance(values, str) or is_denial(given["answer"]):
        return None
    found = {name: entry_answered(str(one), given["answer"], read) for name, one in values.items()}
    put = {name: type(values[name])(one) for name, one in found.items() if one}
    return {**waiting, "input": {**values, **put}} if len(put) == 1 else None
