"""Looks up what a call names wrongly: a small model that is told to do so asks the user, who knows no ids.

`teller` finds the tool that may tell it: when a call was held back for an id or an e-mail address that nobody gave,
when one has failed and its error speaks of a name or an id in it, and when the model would ask the user for an id. An
edge asks it; the node `look_up` then makes that tool's call the next one, as if the model had decided on it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from ....._internal.texts import shortened
from .....tools.calls.action_check import arguments
from .....tools.calls.conventions import takes_state
from .....tools.calls.effects import LOOKS, only_reads, says_effects, tellers
from .....tools.calls.names import is_key, spelled
from .....tools.likeness import marks
from .....tools.schemas import input_schema
from .....traces.shapes import Action, Decision
from ...guards import find_tripped
from ...loop import PlanActLoop
from ...plans.payloads import as_json
from ...plans.progress import calls_of_run
from ...prompts.turns import note_turn, turn_of
from ...state import Observation, PlanActState, happened, now_of, users_words
from ..effect import came_to_nothing
from ..entries.found import entries_alike, values_found
from ..entries.listed import ID
from ..entries.named import names_said
from .amounts import OF_AN_ENTRY
from .ids import readers_of
from .stated import values_in
from .wanted import is_about

_SHOWN = 200
_LOOKS = re.compile(r"(?:get|find|search|list|look_?up|show|view|fetch|query|describe|browse|count|read)(?![a-z])")
_YOUR = re.compile(r"\byours?\b|[您你]的", re.IGNORECASE)
_ASKS_WHAT_IS_KEPT = re.compile(
    r"\b(?:ids?|identifiers?)\b|编号"
    r"|\b(?:titles?|names?|plates?|codes?|prices?|balance|amount|due date|(?:e-?mail )?address(?:es)?)"
    r" (?:\w+ ){0,2}?(?:of|for)\b",
    re.IGNORECASE,
)
"""How a question asks for what a tool may list, and the user may not know."""
_OF_WORDS = ("other", "bad_arguments")
"""Failures of which the words alone say what is wrong."""
_SENTENCES = re.compile(r"(?<=[.!?。！？])\s|\n|[。！？]")
_DENIES = re.compile(
    r"\b(?:not|no|none|nobody|nothing|never|unknown|invalid|wrong|which|missing|unrecogni[sz]ed|undefined|ambiguous"
    r"|nicht|kein\w*|unbekannt\w*)\b|n['’]t\b|[不没无未]",
)
"""How an error says that something is not there."""
_SHORTEST_NAME, _LONGEST_NAME = 3, 60
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
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
    named = [name for name, _ in _named_by(action, failed, loop)]
    error = [] if "claims" in failed else [failed["result"].partition("\n")[0]]
    texts = [" ".join(named), action["tool"], *error]
    told = [tellers(field, loop.tools[action["tool"]], loop.tools) for field in named if is_key(field)]
    readers = readers_of(action, loop)
    for name in (name for names in told for name in names if name in readers):
        if _is_safe(name, loop) and _call_of(name, state, loop):
            return name
    tool = loop.tools[action["tool"]]
    # What refuses an id that it does not need tells of all without it.
    tells_all = (
        only_reads(tool) and not input_schema(tool)["required"] and action["input"] and _is_safe(tool.name, loop)
    )
    if named and tells_all and _call_of(tool.name, state, loop):
        return tool.name
    # What tells of the thing tells its id, or nobody does.
    return _likeliest(readers, texts, state, loop) if named and not (told and all(told)) else ""


def _failed_call(state: PlanActState, loop: PlanActLoop) -> Mapping[str, Any]:
    """The observation of the last call, if it names what nobody gave or what is not there; look-ups after it that found
    nothing do not count. Empty for any other call."""
    for event in reversed(state["events"]):
        if event["kind"] == "action":
            continue
        if event["kind"] != "observation" or event["data"]["tool"] not in loop.tools:
            return {}
        seen = event["data"]
        if not _found_nothing(seen, loop):
            kind = seen.get("kind_of_failure")
            if kind in ("ungrounded", "not_found"):
                return seen
            did_nothing = kind in _OF_WORDS or (seen["ok"] and came_to_nothing(cast(Observation, seen), state, loop))
            return seen if did_nothing and _refused_values(seen, loop) else {}
    return {}


def _found_nothing(seen: Mapping[str, Any], loop: PlanActLoop) -> bool:
    """Whether a call that only reads has brought nothing of what it was called with."""
    tool = loop.tools[seen["tool"]]
    if not seen["ok"] or not only_reads(tool):
        return False
    sought = marks(" ".join(map(str, arguments(tool, seen["input"]).values())))
    return bool(sought) and not sought & marks(seen["result"])


def _teller_instead(state: PlanActState, loop: PlanActLoop) -> str:
    """The tool that may tell the id, or the like, for which the model would ask the user."""
    decision = state["decision"]
    question = (decision["question"] or "") if decision and decision["status"] == "ask_user" else ""
    # "What is your customer id?" no list can tell.
    if not _ASKS_WHAT_IS_KEPT.search(question) or _YOUR.search(question):
        return ""
    readers = [name for name, tool in sorted(loop.tools.items()) if only_reads(tool)]
    return _likeliest(readers, [question], state, loop)


def _named_by(action: Action, failed: Mapping[str, Any], loop: PlanActLoop) -> list[tuple[str, Any]]:
    """The arguments of a call that name what is not there, or what nobody gave: each with its value."""
    given = list(values_in(arguments(loop.tools[action["tool"]], action["input"])))
    wrong = failed.get("claims")
    if wrong is not None:
        claimed = [(name, value) for name, value in given if str(value) in wrong]
        return [(name, value) for name, value in claimed if OF_AN_ENTRY.fullmatch(name) or "@" in str(value)]
    ids = [(name, value) for name, value in given if OF_AN_ENTRY.fullmatch(name) and value != ""]
    return _refused_values(failed, loop) or ids


def _refused_values(failed: Mapping[str, Any], loop: PlanActLoop) -> list[tuple[str, Any]]:
    """The names and ids in a call of which its own error says that they are not there: "'house wine' is not on the
    menu". A number that is no id may be a limit, and a text of several lines is no name."""
    told = "\n".join(part for part in _SENTENCES.split(failed["result"].casefold()) if _DENIES.search(part))
    return [
        (name, value)
        for name, value in values_in(arguments(loop.tools[failed["tool"]], failed["input"]))
        if (OF_AN_ENTRY.fullmatch(name) or (isinstance(value, str) and len(value) <= _LONGEST_NAME))
        and re.search(rf"(?<!\w){re.escape(str(value).casefold())}(?!\w)", told)
        and _LETTER_OR_DIGIT.search(str(value))
    ]


def unclear_entries(action: Action, state: PlanActState, loop: PlanActLoop) -> list[str]:
    """The entries that a call may mean which names again what its error has said is not there, where a list that was
    shown since has several alike: "house wine", of white and red. [] for any other call."""
    calls, call = calls_of_run(state), (action["tool"], action["input"])
    made = [place for place, seen in enumerate(calls) if (seen["tool"], seen["input"]) == call]
    if not made or (calls[made[-1]]["ok"] and not came_to_nothing(calls[made[-1]], state, loop)):
        return []
    last, since = calls[made[-1]], [seen["result"] for seen in calls[made[-1] + 1 :] if seen["ok"]]
    values = [str(value) for _, value in _refused_values(last, loop)]
    return next(filter(None, (entries_alike(value, since) for value in values)), list[str]())


def _put_in(given: Any, values: Mapping[tuple[str, Any], Any], name: str = "") -> Any:
    """Arguments with these in the place of others, each of which is known by its name and value."""
    if isinstance(given, Mapping):
        return {field: _put_in(one, values, field) for field, one in cast("Mapping[str, Any]", given).items()}
    if isinstance(given, list):
        return [_put_in(one, values, name) for one in cast("list[Any]", given)]
    return values.get((name, given), given)


def _call_of(name: str, state: PlanActState, loop: PlanActLoop) -> Action | None:
    """The next call of a reader that needs nothing, or only a name: what the failed call named wrongly, or a name that
    the user has said, and for which it was not called. None for any other reader, for one that has told something, but
    of another name, and if a person has to approve it."""
    tool, about = loop.tools[name], input_schema(loop.tools[name])
    read = [seen for seen in calls_of_run(state) if seen["ok"] and seen["tool"] == name]
    has_told = not all(_found_nothing(seen, loop) for seen in read)
    if name in loop.interrupt_on or takes_state(tool):
        return None
    if not about["required"]:
        actions = [] if has_told else [loop.check_action({"tool": name, "input": {}})]
    elif len(about["required"]) == 1 and _may_be_name(about["required"][0], about):
        sought = [*_refused_names(state, loop), *([] if has_told else names_said("\n".join(users_words(state))))]
        actions = [loop.check_action({"tool": name, "input": {about["required"][0]: one}}) for one in sought]
    else:
        return None
    made = [seen["input"] for seen in read]
    return next((one for one in actions if not isinstance(one, str) and one["input"] not in made), None)


def _refused_names(state: PlanActState, loop: PlanActLoop) -> list[str]:
    """The names that the error of the failed call speaks of, and each without its digits: "newsletter1"."""
    failed = _failed_call(state, loop)
    refused = [] if not failed or "claims" in failed else [str(one) for _, one in _refused_values(failed, loop)]
    # Nothing has the name of an id that the model made up.
    said = "\n".join(users_words(state))
    values = [one for one in refused if not ID.fullmatch(one) or re.search(rf"(?<!\w){re.escape(one)}(?!\w)", said)]
    plain = [re.sub(r"[\d_]+", " ", one).strip() for one in refused]
    return list(dict.fromkeys([*values, *(one for one in plain if len(one) >= _SHORTEST_NAME)]))


def _may_be_name(field: str, about: Mapping[str, Any]) -> bool:
    """Whether an argument is a text of any form, and no id."""
    schema = about["properties"][field]
    return schema.get("type") == "string" and not {"enum", "format"} & {*schema} and not OF_AN_ENTRY.fullmatch(field)


def _likeliest(readers: Sequence[str], named: Sequence[str], state: PlanActState, loop: PlanActLoop) -> str:
    """Of the readers that can be called and have told nothing yet, the one whose name or description has most words of
    the first of these texts, or else of the next; if none has any, the only one that takes a name."""
    unread = [name for name in readers if _is_safe(name, loop) and _call_of(name, state, loop)]
    about = {name: marks(f"{loop.tools[name].description} {is_about(loop.tools[name])}") for name in unread}
    for words in (marks(one.replace("_", " ")) - _OF_ANY_ENTRY for one in named):
        shared = {name: len(words & own) for name, own in about.items()}
        if best := max(shared.values(), default=0):
            return next(name for name, number in shared.items() if number == best)
    by_name = [name for name in unread if input_schema(loop.tools[name])["required"]]
    listing = [name for name in readers if not input_schema(loop.tools[name])["required"]]
    alone = by_name or [name for name in unread if listing == [name]]
    return alone[0] if len(alone) == 1 else ""


def _is_safe(name: str, loop: PlanActLoop) -> bool:
    """Whether nobody minds that the loop calls a reader: it says itself that it changes nothing, or its name does, or
    it has a name without a verb and a description that only says what there is: `timetable`, "The classes of a day"."""
    verb = re.fullmatch(LOOKS, (spelled(name) or [""])[0])
    return says_effects(loop.tools[name]) or bool(_LOOKS.match(name) or not verb)


def still_to_call(failed: Mapping[str, Any], state: PlanActState, loop: PlanActLoop, shown: Sequence[str] = ()) -> str:
    """What asks for a call again, once what it named wrongly was looked up.

    Args:
        failed: the observation of the call.
        state: of the run.
        loop: with the tools.
        shown: what was looked up. What stands there for a wrong value takes its place in the call; any other is a gap.
    """
    tool, action = loop.tools[failed["tool"]], Action(tool=failed["tool"], input=failed["input"])
    named, error = _named_by(action, failed, loop), "" if "claims" in failed else failed["result"]
    fields = list(dict.fromkeys(name for name, _ in named))
    put: dict[tuple[str, Any], Any] = {}
    for field in fields:
        about = str(input_schema(tool)["properties"].get(field, {}).get("description", ""))
        wrong = {str(value): value for name, value in named if name == field}
        is_id = bool(OF_AN_ENTRY.fullmatch(field))
        wanted = " ".join([field, about, error, *wrong])
        found = values_found(list(wrong), wanted, is_id, state["goal"], shown, now_of(state))
        put |= {
            (field, wrong[one]): type(wrong[one])(right) for one, right in found.items() if _fits(wrong[one], right)
        }
    given = _put_in(arguments(tool, action["input"]), {one: put.get(one, "…") for one in named})
    call, goal = as_json({"tool": tool.name, "input": given}), shortened(state["goal"], _SHOWN)
    return loop.text("turn.call_again", tool=tool.name, fields=", ".join(fields), goal=goal, call=call)


def _fits(wrong: Any, right: str) -> bool:
    """Whether a text can stand for a wrong value: for a number, if it is one."""
    return isinstance(wrong, str) or right.isdecimal()


def looked_up(state: PlanActState, loop: PlanActLoop, shown: Sequence[str]) -> str:
    """What asks for the call again for which something was looked up, with what was found; "" if nothing was."""
    if state["happening"]["kind"] != "decided" or not state["happening"]["note"]:
        return ""
    failed = _failed_call(state, loop)
    return still_to_call(failed, state, loop, shown) if failed else state["happening"]["note"]


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
