"""What a call names wrongly: what nobody gave, or what its own error says is not there; and what stands in results for
it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from .....tools.calls.action_check import arguments
from .....tools.calls.effects import only_reads, takes_id, tellers
from .....tools.schemas import input_schema
from .....traces.shapes import Action
from ...loop import PlanActLoop
from ...plans.progress import calls_of_run
from ...state import Observation, PlanActState, now_of
from ..calls.ids import may_tell
from ..calls.stated import values_in
from ..effect import came_to_nothing
from .found import entries_alike, values_found

_SENTENCES = re.compile(r"(?<=[.!?。！？])\s|\n|[。！？]")
_DENIES = re.compile(
    r"\b(?:not|no|none|nobody|nothing|never|unknown|invalid|wrong|which|missing|unrecogni[sz]ed|undefined|ambiguous"
    r"|nicht|kein\w*|unbekannt\w*)\b|n['’]t\b|[不没无未]",
)
"""How an error says that something is not there."""
_LONGEST_NAME = 60
_POINTS_TO = r"\b(?:see|use|call|try|check|with|from|by)\W{1,4}"
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")


def named_wrongly(failed: Mapping[str, Any], loop: PlanActLoop) -> list[tuple[str, Any]]:
    """The arguments of a call that name what is not there, or what nobody gave: each with its value."""
    given = list(values_in(arguments(loop.tools[failed["tool"]], failed["input"])))
    wrong = failed.get("claims")
    if wrong is not None:
        claimed = [(name, value) for name, value in given if str(value) in wrong]
        return [(name, value) for name, value in claimed if takes_id(name, value, loop.tools) or "@" in str(value)]
    ids = [(name, value) for name, value in given if takes_id(name, value, loop.tools) and value != ""]
    return refused_values(failed, loop) or ids


def refused_values(failed: Mapping[str, Any], loop: PlanActLoop) -> list[tuple[str, Any]]:
    """The names and ids in a call of which its own error says that they are not there: "'house wine' is not on the
    menu". A number that is no id may be a limit, and a text of several lines is no name."""
    told = "\n".join(part for part in _SENTENCES.split(failed["result"].casefold()) if _DENIES.search(part))
    return [
        (name, value)
        for name, value in values_in(arguments(loop.tools[failed["tool"]], failed["input"]))
        if (takes_id(name, value, loop.tools) or (isinstance(value, str) and len(value) <= _LONGEST_NAME))
        and re.search(rf"(?<!\w){re.escape(str(value).casefold())}(?!\w)", told)
        and _LETTER_OR_DIGIT.search(str(value))
    ]


def readers_named(failed: Mapping[str, Any], loop: PlanActLoop) -> list[str]:
    """The tools that only read which a call's own error names: "no shift 6, see shifts"."""
    error = "" if "claims" in failed else failed["result"]
    named = {
        name: rf"(?:{_POINTS_TO})?`?{name}\b" if "_" in name else rf"{_POINTS_TO}`?{name}\b" for name in loop.tools
    }
    return [name for name, tool in loop.tools.items() if only_reads(tool) and re.search(named[name], error)]


def unclear_entries(action: Action, state: PlanActState, loop: PlanActLoop) -> list[str]:
    """The entries that a call may mean which names again what its error has said is not there, where a list that was
    shown since has several alike: "house wine", of white and red. [] for any other call."""
    calls, call = calls_of_run(state), (action["tool"], action["input"])
    made = [place for place, seen in enumerate(calls) if (seen["tool"], seen["input"]) == call]
    if not made or (calls[made[-1]]["ok"] and not came_to_nothing(calls[made[-1]], state, loop)):
        return []
    last, since = calls[made[-1]], [seen["result"] for seen in calls[made[-1] + 1 :] if seen["ok"]]
    values = [str(value) for _, value in refused_values(last, loop)]
    return next(filter(None, (entries_alike(value, since) for value in values)), list[str]())


def put_right(
    failed: Mapping[str, Any], state: PlanActState, loop: PlanActLoop, shown: Sequence[Observation]
) -> dict[tuple[str, Any], Any]:
    """What stands in results for the wrong values of a call, by argument and value."""
    tool, named = loop.tools[failed["tool"]], named_wrongly(failed, loop)
    error = "" if "claims" in failed else failed["result"]
    put: dict[tuple[str, Any], Any] = {}
    for field in dict.fromkeys(name for name, _ in named):
        about = str(input_schema(tool)["properties"].get(field, {}).get("description", ""))
        wrong = {str(value): value for name, value in named if name == field}
        id_of = field if any(takes_id(field, value, loop.tools) for value in wrong.values()) else ""
        wanted = " ".join([field, about, error, *wrong])
        of_any = not id_of or not tellers(field, tool, loop.tools)
        read = [seen["result"] for seen in shown if of_any or may_tell(seen, field, tool, loop)]
        found = values_found(list(wrong), wanted, id_of, state["goal"], read, now_of(state))
        put |= {
            (field, wrong[one]): type(wrong[one])(right) for one, right in found.items() if _fits(wrong[one], right)
        }
    return put


def _fits(wrong: Any, right: str) -> bool:
    """Whether a text can stand for a wrong value: for a number, if it is one."""
    return isinstance(wrong, str) or right.isdecimal()


def put_in(given: Any, values: Mapping[tuple[str, Any], Any], name: str = "") -> Any:
    """Arguments with these in the place of others, each of which is known by its name and value."""
    if isinstance(given, Mapping):
        return {field: put_in(one, values, field) for field, one in cast("Mapping[str, Any]", given).items()}
    if isinstance(given, list):
        return [put_in(one, values, name) for one in cast("list[Any]", given)]
    return values.get((name, given), given)
