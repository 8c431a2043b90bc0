"""Looks up what a call names wrongly: a small model that is told to do so asks the user, who knows no ids.

`look_up_call` finds the call that may tell it: when a call was held back for an id or an e-mail address that nobody
gave, when one has failed and its error speaks of a name or an id in it, when the model would ask the user for an id,
and when it would end, and something is still to be read. An edge asks for it; the node `look_up` then makes it the next
call, as if the model had decided on it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from ....._internal.texts import shortened
from .....tools.calls.action_check import arguments
from .....tools.calls.effects import acting_tools, only_reads, takes_id, tellers
from .....tools.calls.names import is_key
from .....tools.likeness import marks, traits
from .....tools.schemas import input_schema
from .....traces.shapes import Action, Decision
from ...guards import find_tripped
from ...loop import PlanActLoop
from ...plans.payloads import as_json
from ...plans.progress import calls_of_run
from ...prompts.turns import note_turn, turn_of
from ...state import Observation, PlanActState, happened, users_words
from ..effect import came_to_nothing
from ..entries.listed import ID
from ..entries.named import names_said
from ..entries.refused import named_wrongly, put_in, put_right, readers_named, refused_values
from ..entries.together import read_together
from ..entries.unread import may_look_up, next_list, unread_call, unshown_name
from .ids import readers_of, ready_call
from .wanted import is_about, to_call

_SHOWN = 200
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
_ENDS = ("unfounded", "unread")
"""What becomes of a reply that would end the run, or the step."""
_SHORTEST_NAME = 3
_OF_ANY_ENTRY = marks("id ids number no nr name")
"""Words of an argument's name that do not say of what it is."""


def look_up_call(state: PlanActState, loop: PlanActLoop) -> Action | None:
    """The call that may tell what the last one names, or what the last question or answer lacks; None if nothing is to
    be looked up, and if no tool may tell it that only reads and was not read before in the run."""
    if find_tripped(state, loop.guards):
        return None
    if state["events"][-1]["kind"] == "thought":
        if state["happening"]["kind"] in _ENDS:
            return unread_call(state, loop, whatever=state["happening"]["kind"] == "unread")
        name = _teller_instead(state, loop)
    else:
        failed = _failed_call(state, loop)
        name = _teller_of(failed, state, loop) if failed else ""
        if not name:
            of_same = _of_the_same(failed, state, loop) if failed else None
            # What has the name may be in any list.
            is_unnamed = unshown_name(state, loop) and _is_still_wrong(state, loop)
            return of_same or (next_list(state, loop) if is_unnamed else None)
    return _call_of(name, state, loop) if name else None


def _teller_of(failed: Mapping[str, Any], state: PlanActState, loop: PlanActLoop) -> str:
    """The name of the tool that may tell what a call names wrongly; "" for none."""
    tool, wrong = loop.tools[failed["tool"]], named_wrongly(failed, loop)
    named = [name for name, _ in wrong]
    error = [] if "claims" in failed else [failed["result"].partition("\n")[0]]
    texts = [" ".join(named), tool.name, *error]
    ids = [field for field, value in wrong if takes_id(field, value, loop.tools)]
    told = [tellers(field, tool, loop.tools) for field in ids]
    readers = readers_of(Action(tool=tool.name, input=failed["input"]), loop)
    telling = [name for names in (readers_named(failed, loop), *told) for name in names if name in readers]
    for name in [*telling, *(one for reader in telling for one in _tellers_for(reader, loop))]:
        if _call_of(name, state, loop):
            return name
    # What refuses an id that it does not need tells of all without it.
    tells_all = only_reads(tool) and not input_schema(tool)["required"] and failed["input"]
    if named and tells_all and _call_of(tool.name, state, loop):
        return tool.name
    # What tells of the thing tells its id, or nobody does.
    return _likeliest(readers, texts, state, loop) if named and not (told and all(told)) else ""


def _of_the_same(failed: Mapping[str, Any], state: PlanActState, loop: PlanActLoop) -> Action | None:
    """The call of a reader that needs nothing but an id of a call that was refused: the bookings of a member who is not
    on the list of that class."""
    if "claims" in failed or failed["ok"]:
        return None
    given = arguments(loop.tools[failed["tool"]], failed["input"])
    made = [(seen["tool"], seen["input"]) for seen in calls_of_run(state)]
    for name in readers_of(Action(tool=failed["tool"], input=failed["input"]), loop):
        needed = input_schema(loop.tools[name])["required"]
        if not needed or not {*needed} <= {*filter(is_key, given)} or not may_look_up(name, loop):
            continue
        action = loop.check_action({"tool": name, "input": {field: given[field] for field in needed}})
        if not isinstance(action, str) and (action["tool"], action["input"]) not in made:
            return action
    return None


def _tellers_for(reader: str, loop: PlanActLoop) -> list[str]:
    """The tools that tell the ids which a reader needs: a pet's, for its visits."""
    tool = loop.tools[reader]
    told = [tellers(field, tool, loop.tools) for field in input_schema(tool)["required"] if is_key(field)]
    return [name for names in told for name in names if only_reads(loop.tools[name])]


def _is_still_wrong(state: PlanActState, loop: PlanActLoop) -> bool:
    """Whether look-ups have found something, and not what a call named wrongly."""
    failed, last = _failed_call(state, loop, whatever_found=True), state["events"][-1]
    if not failed or last["kind"] != "observation" or not last["data"]["ok"]:
        return False
    named = named_wrongly(failed, loop)
    return len(put_right(failed, state, loop, read_together(state, loop))) < len({*named})


def _failed_call(state: PlanActState, loop: PlanActLoop, *, whatever_found: bool = False) -> Mapping[str, Any]:
    """The observation of the last call, if it names what nobody gave or what is not there; look-ups after it that found
    nothing do not count, and those that found the name of what the wanted entry belongs to, or none with
    `whatever_found`. Empty for any other call."""
    found: set[str] = set()
    for event in reversed(state["events"]):
        if event["kind"] == "action":
            continue
        if event["kind"] != "observation" or event["data"]["tool"] not in loop.tools:
            return {}
        seen = event["data"]
        if seen["ok"] and only_reads(loop.tools[seen["tool"]]):
            found |= set() if _found_nothing(seen, loop) else {seen["tool"]}
        elif found and not whatever_found and not _leads_on(found, seen, loop):
            return {}
        else:
            kind = seen.get("kind_of_failure")
            if kind in ("ungrounded", "not_found"):
                return seen
            did_nothing = kind in _OF_WORDS or (seen["ok"] and came_to_nothing(cast(Observation, seen), state, loop))
            return seen if did_nothing and (refused_values(seen, loop) or readers_named(seen, loop)) else {}
    return {}


def _leads_on(found: set[str], failed: Mapping[str, Any], loop: PlanActLoop) -> bool:
    """Whether other tools than those that were read tell an id that a call named wrongly."""
    tool = loop.tools[failed["tool"]]
    named = named_wrongly(failed, loop)
    told = [tellers(name, tool, loop.tools) for name, value in named if takes_id(name, value, loop.tools)]
    return any(names and not found & {*names} for names in told)


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


def _call_of(name: str, state: PlanActState, loop: PlanActLoop) -> Action | None:
    """The next call of a reader that needs nothing, or ids that are known, or only a name: what the failed call named
    wrongly, or a name that the user has said, and for which it was not called. None for any other reader, for one that
    has told something, but of another name, and if `may_look_up` says no."""
    tool, about = loop.tools[name], input_schema(loop.tools[name])
    read = [seen for seen in calls_of_run(state) if seen["ok"] and seen["tool"] == name]
    has_told = not all(_found_nothing(seen, loop) for seen in read)
    if not may_look_up(name, loop):
        return None
    if not about["required"]:
        actions = [] if has_told else [loop.check_action({"tool": name, "input": {}})]
    elif len(about["required"]) == 1 and _may_be_name(about["required"][0], about):
        sought = [*_refused_names(state, loop), *([] if has_told else names_said("\n".join(users_words(state))))]
        actions = [loop.check_action({"tool": name, "input": {about["required"][0]: one}}) for one in sought]
    else:
        return None if has_told else ready_call(tool, state, loop)
    made = [seen["input"] for seen in read]
    return next((one for one in actions if not isinstance(one, str) and one["input"] not in made), None)


def _refused_names(state: PlanActState, loop: PlanActLoop) -> list[str]:
    """The names that the error of the failed call speaks of, and each without its digits: "newsletter1"."""
    failed = _failed_call(state, loop)
    refused = [] if not failed or "claims" in failed else [str(one) for _, one in refused_values(failed, loop)]
    # Nothing has the name of an id that the model made up.
    said = "\n".join(users_words(state))
    values = [one for one in refused if not ID.fullmatch(one) or re.search(rf"(?<!\w){re.escape(one)}(?!\w)", said)]
    plain = [re.sub(r"[\d_]+", " ", one).strip() for one in refused]
    # "YO-11" has none.
    plain = [one for one in plain if len(one) >= _SHORTEST_NAME and not one.isupper()]
    return list(dict.fromkeys([*values, *plain]))


def _may_be_name(field: str, about: Mapping[str, Any]) -> bool:
    """Whether an argument is a text of any form, and no id."""
    schema = about["properties"][field]
    return schema.get("type") == "string" and not {"enum", "format"} & {*schema} and not is_key(field)


def _likeliest(readers: Sequence[str], named: Sequence[str], state: PlanActState, loop: PlanActLoop) -> str:
    """Of the readers that can be called and have told nothing yet, the one whose name or description has most words of
    the first of these texts, or else of the next; if none has any, the only one that takes a name."""
    unread = [name for name in readers if _call_of(name, state, loop)]
    about = {name: marks(f"{loop.tools[name].description} {is_about(loop.tools[name])}") for name in unread}
    for words in (marks(one.replace("_", " ")) - _OF_ANY_ENTRY for one in named):
        shared = {name: len(words & own) for name, own in about.items()}
        if best := max(shared.values(), default=0):
            return next(name for name, number in shared.items() if number == best)
    by_name = [name for name in unread if input_schema(loop.tools[name])["required"]]
    listing = [name for name in readers if not input_schema(loop.tools[name])["required"]]
    alone = by_name or [name for name in unread if listing == [name]]
    return alone[0] if len(alone) == 1 else ""


def still_to_call(
    failed: Mapping[str, Any], state: PlanActState, loop: PlanActLoop, shown: Sequence[Observation] = ()
) -> str:
    """What asks for a call again, once what it named wrongly was looked up.

    Args:
        failed: the observation of the call.
        state: of the run.
        loop: with the tools.
        shown: the calls that looked it up. What stands there for a wrong value takes its place in the call; any other
            is a gap.
    """
    tool, action = loop.tools[failed["tool"]], Action(tool=failed["tool"], input=failed["input"])
    named, put = named_wrongly(failed, loop), put_right(failed, state, loop, shown)
    given = put_in(arguments(tool, action["input"]), {one: put.get(one, "…") for one in named})
    fields = ", ".join(dict.fromkeys(name for name, _ in named))
    call, goal = as_json({"tool": tool.name, "input": given}), shortened(state["goal"], _SHOWN)
    return loop.text("turn.call_again", tool=tool.name, fields=fields, goal=goal, call=call)


def looked_up(before: PlanActState, after: PlanActState, loop: PlanActLoop) -> str:
    """What asks for the call again for which something was looked up, with what was found, or for the one that a wish
    needs; "" if nothing was.

    Args:
        before: the state as the look-up was decided on.
        after: that with its result.
        loop: with the tools.
    """
    if before["happening"]["kind"] != "decided" or not before["happening"]["note"]:
        return ""
    if failed := _failed_call(before, loop, whatever_found=True):
        return still_to_call(failed, before, loop, read_together(after, loop))
    words = to_call(acting_tools(loop.tools), after, loop, "note.not_acted")
    return loop.text(words.pop("key"), **words)


def other_to_call(after: PlanActState, loop: PlanActLoop) -> str:
    """What asks for a call that was just refused with another entry, where just one more was read that the goal may
    mean: the guest's new booking, for one that is over; "" for any other call."""
    failed = _failed_call(after, loop)
    put = put_right(failed, after, loop, read_together(after, loop)) if failed and "claims" not in failed else {}
    if not put or len(put) < len({*named_wrongly(failed, loop)}):
        return ""
    given = put_in(arguments(loop.tools[failed["tool"]], failed["input"]), put)
    call = as_json({"tool": failed["tool"], "input": given})
    return loop.text("turn.try_other", goal=shortened(after["goal"], _SHOWN), call=call)


def look_up(state: PlanActState, loop: PlanActLoop) -> dict[str, Any]:
    """Make the call that tells what the last one names wrongly the next one."""
    action, failed = look_up_call(state, loop), _failed_call(state, loop, whatever_found=True)
    assert action is not None, "the edge has asked for the call"
    decision = Decision(status="continue", thought=None, next_action=action, question=None, response=None)
    is_end = state["happening"]["kind"] in _ENDS
    is_wish = is_end and "asks" not in traits(state["goal"])
    asked = still_to_call(failed, state, loop) if failed else state["happening"]["note"] if is_wish else ""
    why = "note.read_first" if is_end else "note.no_id_asked"
    # The model has seen the result of a call that was made.
    note = state["happening"]["note"] if failed else loop.text(why, tool=action["tool"])
    told = [note_turn(loop.language, note, "thought")] if state["happening"]["kind"] != "observed" else []
    return {
        "decision": decision,
        "happening": happened("decided", asked),
        "turns": [*told, turn_of("assistant", as_json(decision))],
    }
