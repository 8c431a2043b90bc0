"""The phases of a plan-act loop, and which payload of a reply counts in each."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Literal

from ...._internal.strict_json import dumps, entries, mapping
from ....models.streams.written_calls import calls_at_the_end
from ....parsers.first_payload import PAYLOAD_STATUSES, FirstPayload, first_payload
from ....parsers.json.mending import mended_whole
from ....parsers.json.values import json_values
from ....traces.shapes import ASK_USER

Phase = Literal["plan", "replan", "thought"]
STATUSES: dict[Phase, tuple[str, ...]] = {
    # A model that sees no steps to plan says that it is done.
    "plan": ("planned", "done"),
    "replan": ("replanned",),
    "thought": ("continue", "done", ASK_USER),
}
_QUOTING = re.compile(
    r'\{\s*"status"\s*:\s*"(?P<status>done|planned|replanned)"\s*,(?:\s*"plan"\s*:\s*\[\s*\]\s*,)?'
    r'\s*"response"\s*:\s*"(?P<words>[^"{[]*)(?P<json>[{[]\s*["{[].*)',
    re.DOTALL,
)
_MOST_VALUES = 8
_ONLY_CALLS = {"thought", "next_action", "next_actions"}
_CALLED = ("tool", "action", "function", "name")
_GIVEN = ("input", "arguments", "args", "parameters", "action_input", "tool_input")
_BESIDE = ("id", "type", "step", "thought", "reason")
"""The fields of a call that stands without its payload, as in the agents that models were trained on."""
_ENDS = ("}", "]", "}]", "}}", "]}", "}]}")


def first_of_phase(
    reply: str, phase: Phase, open_steps: Sequence[str] | None, tools: Collection[str] = ()
) -> FirstPayload | None:
    """The payload of a reply: the first of this phase; else the first of another phase, if it can only mean one thing
    in this one. Without any payload, the tool calls that the reply holds in the form that its model was trained to
    write."""
    first = first_payload(reply, STATUSES[phase])
    if first is not None and first.value is None and not (first.copied or first.taken_back):
        first = replace(first, value=_with_json_in_its_text(reply))
    found = first or first_payload(reply, PAYLOAD_STATUSES)
    if first is not None and set(mapping(first.value)) <= _ONLY_CALLS:
        # What it lacks is the status that says so.
        first = found = replace(first, value={**mapping(first.value), "status": "continue"}) if first.value else first
    if found is None and tools and (actions := _actions(reply, tools)):
        # A plan brings one call along; the others are made once its result is known.
        several = phase == "thought" and len(actions) > 1
        asked = {"next_actions": actions} if several else {"next_action": actions[0]}
        first = found = FirstPayload({"status": "continue", **asked}, copied=False, taken_back=False, followed=False)
    if open_steps is None or found is None or found.copied or found.taken_back:
        return first
    meant = _as_phase(found.value, phase, open_steps)
    return first if meant is None else replace(found, value=meant)


def _actions(reply: str, tools: Collection[str]) -> list[dict[str, Any]]:
    """The calls of a reply without a payload; where a tool does not exist, the model is told which ones do."""
    if calls := calls_at_the_end(reply, tools) or calls_at_the_end(reply):
        return [{"tool": call["name"], "input": call["args"]} for call in calls]
    # What stands in the middle of words is about a call.
    values = list(islice(json_values(reply), _MOST_VALUES)) if reply.rstrip("` \r\n").endswith("}") else []
    # One that is found in two ways, as in a fence and in the text, is one.
    fields = mapping(values[0] if values and all(value == values[0] for value in values) else None)
    named = [fields[name] for name in _CALLED if isinstance(fields.get(name), str)]
    given = [fields[name] for name in _GIVEN if name in fields]
    if len(named) == len(given) == 1 and set(fields) <= {*_CALLED, *_GIVEN, *_BESIDE}:
        return [{"tool": named[0], "input": given[0]}]
    return []


def _with_json_in_its_text(reply: str) -> dict[str, Any] | None:
    """The payload whose last field, the response, quotes a tool's JSON without escapes; None for any other.

    Of the brackets that end it small models write some too many or too few.
    """
    found = _QUOTING.search(reply)
    inner = found["json"].rstrip('"}] \n`') if found else ""
    inner += '"' * (inner.count('"') % 2)
    quoted = next(filter(None, (mended_whole(inner + end) for end in _ENDS)), None)
    if found is None or quoted is None:
        return None
    said = {"status": found["status"], "response": found["words"] + dumps(quoted, ensure_ascii=False)}
    return said if found["status"] == "done" else {**said, "plan": []}


def _as_phase(value: Any, phase: Phase, open_steps: Sequence[str]) -> dict[str, Any] | None:
    """What a payload of another phase means in this one, where only one thing can be meant; None for anything else."""
    fields = mapping(value)
    status, plan = fields.get("status"), fields.get("plan")
    call: Any = fields.get("next_action")
    if phase == "thought" and status in ("planned", "replanned") and isinstance(call, dict):
        return {"status": "continue", "next_action": call}
    if phase == "thought" and status in ("planned", "replanned") and fields.get("response") and not plan:
        return {"status": "done", "response": fields["response"]}
    if phase == "replan" and status == "planned":
        return {**fields, "status": "replanned"}
    if phase == "plan" and status == "replanned":
        return {**fields, "status": "planned"}
    if phase == "replan" and status == "done" and not open_steps and not plan:
        return {"status": "replanned", "plan": [], "response": fields.get("response")}
    if phase == "replan" and status == "continue" and isinstance(call, dict) and open_steps:
        return {"status": "replanned", "plan": list(open_steps), "next_action": call}
    return None


def one_plan(value: Any, beside: Sequence[Any]) -> Any:
    """The plan that several in a row make up: a small model writes a plan for each thing that the user wants."""
    plans = [entries(mapping(one).get("plan")) for one in (value, *beside)]
    if not beside or not all(plans):
        return value
    return {"status": "planned", "plan": [step for plan in plans for step in plan]}
