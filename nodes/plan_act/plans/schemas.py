"""The payloads' JSON schemas, for servers that hold a reply to one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .payloads import MAX_PLAN_ITEMS
from .phases import STATUSES, Phase


def response_format(phase: Phase, tools: Mapping[str, bool], *, at_once: bool = False) -> dict[str, Any]:
    """The phase's JSON schema as OpenAI's `response_format`, for servers that constrain a reply to it.

    Args:
        phase: whose payload.
        tools: tool names, and whether the tool's input is a plain string.
        at_once: whether a thought may make several calls.
    """
    words: dict[str, Any] = {"type": "string", "minLength": 1}
    optional: dict[str, Any] = {"type": ["string", "null"]}
    properties: dict[str, Any]
    inputs = [{"type": "string"} if plain else {"type": "object"} for plain in dict.fromkeys(tools.values())]
    action: dict[str, Any] = {
        "tool": {"type": "string", "enum": sorted(tools)},
        "input": inputs[0] if len(inputs) == 1 else {"anyOf": inputs},
    }
    call: dict[str, Any] = {"anyOf": [_object(action), {"type": "null"}]} if tools else {"type": "null"}
    if phase == "thought":
        # The order is the order in which a constrained model writes: what it thinks comes before what it decides.
        properties = {
            "thought": words,
            "status": {"type": "string", "enum": ["continue", "done", "ask_user"] if tools else ["done", "ask_user"]},
            "next_action": call,
            "question": optional,
            "response": optional,
        }
        if at_once:
            numbered = {**action, "step": {"type": ["integer", "null"]}}
            properties["next_actions"] = {"anyOf": [{"type": "array", "items": _object(numbered)}, {"type": "null"}]}
    else:
        properties = {
            "status": {"type": "string", "const": STATUSES[phase][0]},
            "plan": {"type": "array", "items": words, "maxItems": MAX_PLAN_ITEMS},
            "next_action": call,
            "response": optional,
        }
    # OpenAI's strict mode knows no objects with free fields, which a tool with several arguments needs here.
    strict = all(tools.values())
    return {"type": "json_schema", "json_schema": {"name": phase, "strict": strict, "schema": _object(properties)}}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
