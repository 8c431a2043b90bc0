"""Looks up what a call names wrongly: a small model that is told to do so asks the user, who knows no ids.

`teller` finds the tool that may tell it: when a call was held back for an id that nobody gave, or has failed because
what it names is not there, and when the model would ask the user for an id. An edge asks it; the node `look_up` then
makes that tool's call the next one, as if the model had decided on it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ....._internal.texts import shortened
from .....tools.calls.action_check import arguments
from .....tools.calls.conventions import takes_state
from .....tools.calls.effects import only_reads, says_effects
from .....tools.dates.found import SOME_DAY, read_from
from .....tools.likeness import marks
from .....tools.schemas import input_schema
from .....traces.shapes import Action, Decision
from ...guards import find_tripped
from ...loop import PlanActLoop
from ...plans.payloads import as_json
from ...plans.progress import calls_of_run
from ...prompts.turns import note_turn, turn_of
from ...state import PlanActState, happened, users_words
from .amounts import OF_AN_ENTRY
from .ids import readers_of

_SHOWN, _MOST_NAMES = 200, 3
_LOOKS = re.compile(r"(?:get|find|search|list|look_?up|show|view|fetch|query|describe|browse|count|read)(?![a-z])")
_YOUR = re.compile(r"\byours?\b|[您你]的", re.IGNORECASE)
_ASKS_ID = re.compile(r"\b(?:ids?|identifiers?)\b|编号", re.IGNORECASE)
_NAME = re.compile(
    r"(?P<title>\b(?:Mr|Mrs|Ms|Miss)\.? )?\b(?P<name>(?!(?:I|Mr|Mrs|Ms|Miss|Dr)\b)[A-Z][\w-]*(?: [A-Z][\w-]+)*)"
)
_OF_ANY_ENTRY = marks("id ids number no nr name")
"""Words of an argument's name that do not say of what it is."""


def teller(state: PlanActState, loop: PlanActLoop) -> str:
    """The name of the tool that may tell what the last call names, or the last question asks for; "" if nothing is to
    be looked up, and if no tool may tell it that only reads and was not read before in the run."""
    if state["events"][-1]["kind"] == "thought":
        return _teller_instead(state, loop)
    failed = _failed_call(state, loop)
    if not failed or find_tripped(state, loop.guards):
        return ""
    action = Action(tool=failed["tool"], input=failed["input"])
    named = _named_by(action, failed, loop)
    return _likeliest(readers_of(action, loop), [" ".join(named), action["tool"]], state, loop) if named else ""


def _failed_call(state: PlanActState, loop: PlanActLoop) -> Mapping[str, Any]:
    """The observation of the last call, if it names what nobody gave or what is not there; look-ups after it that found
    nothing do not count. Empty for any other call."""
    for event in reversed(state["events"]):
        if event["kind"] == "action":
            continue
        if event["kind"] != "observation" or event["data"]["tool"] not in loop.tools:
            return {}
        if not _found_nothing(event["data"], loop):
            of_kind = event["data"].get("kind_of_failure") in ("ungrounded", "not_found")
            return event["data"] if of_kind else {}
    return {}


def _found_nothing(seen: Mapping[str, Any], loop: PlanActLoop) -> bool:
    """Whether a call that only reads has brought nothing of what it was called with."""
    tool = loop.tools[seen["tool"]]
    if not seen["ok"] or not only_reads(tool):
        return False
    sought = marks(" ".join(map(str, arguments(tool, seen["input"]).values())))
    return bool(sought) and not sought & marks(seen["result"])


def _teller_instead(state: PlanActState, loop: PlanActLoop) -> str:
    """The tool that may tell the id for which the model would ask the user."""
    decision = state["decision"]
    question = (decision["question"] or "") if decision and decision["status"] == "ask_user" else ""
    # "What is your customer id?" no list can tell.
    if not _ASKS_ID.search(question) or _YOUR.search(question):
        return ""
    readers = [name for name, tool in sorted(loop.tools.items()) if only_reads(tool)]
    return _likeliest(readers, [_ASKS_ID.sub(" ", question)], state, loop)


def _named_by(action: Action, failed: Mapping[str, Any], loop: PlanActLoop) -> list[str]:
    """The arguments of a call that name what is not there, or what nobody gave."""
    given = arguments(loop.tools[action["tool"]], action["input"])
    wrong = failed.get("claims")
    if wrong is not None:
        return [name for name, value in given.items() if OF_AN_ENTRY.fullmatch(name) and str(value) in wrong]
    texts = {name: str(value) for name, value in given.items() if isinstance(value, str | int) and value != ""}
    told = [name for name, value in texts.items() if value.casefold() in failed["result"].casefold()]
    return told or [name for name in texts if OF_AN_ENTRY.fullmatch(name)]


def _call_of(name: str, state: PlanActState, loop: PlanActLoop) -> Action | None:
    """The next call of a reader that needs nothing, or only a name: the first that the user has said and for which it
    was not called. None for any other reader, for one that has told something, and if a person has to approve it."""
    tool, about = loop.tools[name], input_schema(loop.tools[name])
    read = [seen for seen in calls_of_run(state) if seen["ok"] and seen["tool"] == name]
    if name in loop.interrupt_on or takes_state(tool) or not all(_found_nothing(seen, loop) for seen in read):
        return None
    if not about["required"]:
        actions = [loop.check_action({"tool": name, "input": {}})]
    elif len(about["required"]) == 1 and _may_be_name(about["required"][0], about):
        given = [{about["required"][0]: one} for one in _names("\n".join(users_words(state)))]
        actions = [loop.check_action({"tool": name, "input": one}) for one in given]
    else:
        return None
    made = [seen["input"] for seen in read]
    return next((one for one in actions if not isinstance(one, str) and one["input"] not in made), None)


def _may_be_name(field: str, about: Mapping[str, Any]) -> bool:
    """Whether an argument is a text of any form, and no id."""
    schema = about["properties"][field]
    return schema.get("type") == "string" and not {"enum", "format"} & {*schema} and not OF_AN_ENTRY.fullmatch(field)


def _names(said: str) -> list[str]:
    """The names of people and things in what a user says, without titles, in order."""
    found: list[str] = []
    for one in _NAME.finditer(said):
        begins = not said[: one.start()].strip() or bool(re.search(r"[.!?:]\s*$", said[: one.start()]))
        if (not begins or one["title"] or " " in one["name"]) and not read_from(one["name"], SOME_DAY).dates:
            found.append(one["name"])
    return list(dict.fromkeys(found))[:_MOST_NAMES]


def _likeliest(readers: Sequence[str], named: Sequence[str], state: PlanActState, loop: PlanActLoop) -> str:
    """Of the readers that can be called and have told nothing yet, the one whose name or description has most words of
    the first of these texts, or else of the next; if none has any, the only one that takes a name."""
    unread = [name for name in readers if _is_safe(name, loop) and _call_of(name, state, loop)]
    about = {name: marks(f"{name} {loop.tools[name].description}".replace("_", " ")) for name in unread}
    for words in (marks(one.replace("_", " ")) - _OF_ANY_ENTRY for one in named):
        shared = {name: len(words & own) for name, own in about.items()}
        if best := max(shared.values(), default=0):
            return next(name for name, number in shared.items() if number == best)
    by_name = [name for name in unread if input_schema(loop.tools[name])["required"]]
    return by_name[0] if len(by_name) == 1 else ""


def _is_safe(name: str, loop: PlanActLoop) -> bool:
    """Whether nobody minds that the loop calls a reader: it says itself that it changes nothing, or its name does."""
    return says_effects(loop.tools[name]) or bool(_LOOKS.match(name))


def still_to_call(failed: Mapping[str, Any], state: PlanActState, loop: PlanActLoop) -> str:
    """What asks for a call again, once what it named wrongly was looked up; `failed` is its observation."""
    action = Action(tool=failed["tool"], input=failed["input"])
    given, fields = arguments(loop.tools[action["tool"]], action["input"]), _named_by(action, failed, loop)
    call = {"tool": action["tool"], "input": {name: "…" if name in fields else value for name, value in given.items()}}
    goal = shortened(state["goal"], _SHOWN)
    return loop.text("turn.call_again", tool=action["tool"], fields=", ".join(fields), goal=goal, call=as_json(call))


def look_up(state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """Make the call that tells what the last one names wrongly the next one."""
    name, failed = teller(state, loop), _failed_call(state, loop)
    action = _call_of(name, state, loop)
    assert action is not None, "`teller` has checked the call"
    decision = Decision(status="continue", thought=None, next_action=action, question=None, response=None)
    asked = still_to_call(failed, state, loop) if failed else ""
    # The model has seen the result of a call that was made.
    note = state["happening"]["note"] if asked else loop.text("note.no_id_asked", tool=name)
    told = [note_turn(loop.language, note, "thought")] if state["happening"]["kind"] != "observed" else []
    return {
        "decision": decision,
        "happening": happened("decided", asked),
        "turns": [*told, turn_of("assistant", as_json(decision))],
    }
