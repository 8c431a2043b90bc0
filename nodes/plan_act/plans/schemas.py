"""JSON schemas of payloads, for servers that hold a reply to one, and answers as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter

from ...._internal.strict_json import storable
from ....parsers.first_payload import WRAPPER
from .payloads import MAX_PLAN_ITEMS
from .phases import STATUSES, Phase


def response_format(phase: Phase, tools: Mapping[str, bool], *, at_once: bool = False) -> dict[str, Any]:
    """The phase's JSON schema as OpenAI's `response_format`, for servers that constrain a reply to it.

    Each payload is a form of its own, with its own fields: where all fields are required, a small model fills in all of
    them, and its reply contradicts itself. They stand below `reply`, because OpenAI takes no choice at the top.

    Args:
        phase: whose payload.
        tools: tool names, and whether the tool's input is a plain string.
        at_once: whether a thought may make several calls.
    """
    words: dict[str, Any] = {"type": "string", "minLength": 1}
    inputs = [{"type": "string"} if plain else {"type": "object"} for plain in dict.fromkeys(tools.values())]
    call: dict[str, Any] = {
        "tool": {"type": "string", "enum": sorted(tools)},
        "input": inputs[0] if len(inputs) == 1 else {"anyOf": inputs},
    }

    def steps(least: int, most: int) -> dict[str, Any]:
        return {"type": "array", "items": words, "minItems": least, "maxItems": most}

    def status(name: str) -> dict[str, Any]:
        return {"type": "string", "const": name}

    if phase == "thought":
        # The order is the order in which a constrained model writes: what it thinks comes before what it decides.
        several = {"type": "array", "items": _object({**call, "step": {"type": ["integer", "null"]}}), "minItems": 1}
        forms = [
            *([{"status": status("continue"), "next_action": _object(call)}] if tools else []),
            *([{"status": status("continue"), "next_actions": several}] if at_once else []),
            {"status": status("done"), "response": words},
            {"status": status("ask_user"), "question": words},
        ]
        forms = [{"thought": words, **form} for form in forms]
    else:
        named = {"status": status(STATUSES[phase][0])}
        forms = [
            *([{**named, "plan": steps(1, 1), "next_action": _object(call)}] if tools else []),
            {**named, "plan": steps(1, MAX_PLAN_ITEMS)},
            {**named, "plan": steps(0, 0), "response": words},
        ]
    schema = _object({WRAPPER: {"anyOf": [_object(form) for form in forms]}})
    # OpenAI's strict mode knows no objects with free fields, which a tool with several arguments needs here.
    return {"type": "json_schema", "json_schema": {"name": phase, "strict": all(tools.values()), "schema": schema}}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def as_json_of(value: Any, adapter: TypeAdapter[Any]) -> Any:
    """A value as JSON of which it can be made again: with the names under which its type reads its fields."""
    dumped: list[Any] = []
    for by_alias in (True, False):
        dumped.append(storable(adapter.dump_python(value, mode="json", by_alias=by_alias, round_trip=True)))
        try:
            adapter.validate_python(dumped[-1])
        except ValueError:
            continue
        return dumped[-1]
    return dumped[0]
