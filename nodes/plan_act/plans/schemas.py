"""JSON schemas of payloads, for servers that hold a reply to one, and answers as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from pydantic import AliasChoices, AliasPath, BaseModel, RootModel, TypeAdapter

from ...._internal.strict_json import storable
from ....parsers.first_payload import WRAPPER
from .forms import MAX_PLAN_ITEMS
from .phases import STATUSES, Phase


def response_format(phase: Phase, tools: Mapping[str, bool], *, several_calls: bool = False) -> dict[str, Any]:
    """The phase's JSON schema as OpenAI's `response_format`, for servers that constrain a reply to it.

    Each payload is a form of its own, with its own fields: where all fields are required, a small model fills in all of
    them, and its reply contradicts itself. They stand below `reply`, because OpenAI takes no choice at the top.

    Args:
        phase: whose payload.
        tools: tool names, and whether the tool's input is a plain string.
        several_calls: whether a thought may make several calls.
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
            *([{"status": status("continue"), "next_actions": several}] if several_calls else []),
            {"status": status("done"), "response": words},
            {"status": status("ask_user"), "question": words},
        ]
        forms = [{"thought": words, **form} for form in forms]
    else:
        named = {"status": status(STATUSES[phase][0])}
        forms = [
            *([{**named, "plan": steps(1, MAX_PLAN_ITEMS), "next_action": _object(call)}] if tools else []),
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
    named, plain = (
        storable(adapter.dump_python(value, mode="json", by_alias=by_alias, round_trip=True))
        for by_alias in (True, False)
    )
    for dumped in (named, plain, _as_read(value, plain)):
        try:
            adapter.validate_python(dumped)
        except ValueError:
            continue
        return dumped
    return named


def _as_read(value: Any, dumped: Any) -> Any:
    """What was dumped of a value under its fields' own names, under those that its models read."""
    if isinstance(value, RootModel):
        return _as_read(cast("RootModel[Any]", value).root, dumped)
    if isinstance(value, BaseModel):
        fields, found = type(value).model_fields, dict[str, Any]()
        for name, one in cast("dict[str, Any]", dumped).items():
            alias = fields[name].validation_alias if name in fields else None
            first = alias.choices[0] if isinstance(alias, AliasChoices) else alias
            path = first.path if isinstance(first, AliasPath) else [first or name]
            within: Any = found
            for part in path[:-1]:
                within = within.setdefault(part, {})
            within[path[-1]] = _as_read(getattr(value, name), one)
        return found
    if isinstance(dumped, list) and isinstance(value, (list, tuple)):
        return [_as_read(*pair) for pair in zip(cast("list[Any]", value), cast("list[Any]", dumped), strict=True)]
    if isinstance(dumped, dict) and isinstance(value, dict):
        inner = cast("dict[Any, Any]", value).values()
        pairs = zip(inner, cast("dict[str, Any]", dumped).items(), strict=True)
        return {name: _as_read(one, shown) for one, (name, shown) in pairs}
    return cast(Any, dumped)
