"""What a type asks for by its JSON schema alone: required fields and types, without the validators of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

from pydantic import TypeAdapter
from pydantic_core import CoreSchema, SchemaValidator, core_schema

from ..._internal.redact import message_of, redacted
from .words import shown

_MOST_SHOWN = 200


@lru_cache(maxsize=64)
def plain_validator(adapter: TypeAdapter[Any]) -> SchemaValidator:
    """What refuses a value by the JSON schema of a type: it runs none of the type's own code, and cannot raise."""
    try:
        schema = adapter.json_schema()
        named: Mapping[str, Any] = schema.get("$defs", {})
        parts = [{**_plain(part), "ref": f"#/$defs/{name}"} for name, part in named.items()]
        return SchemaValidator(core_schema.definitions_schema(_plain(schema), cast("list[CoreSchema]", parts)))
    except Exception:  # noqa: BLE001 - it has none, or one of the user's own that leads elsewhere
        return SchemaValidator(core_schema.any_schema())


def raised_words(schema: Any, raised: Exception, value: object) -> str:
    """What is said where a validator of a type raised something else than pydantic takes for a refusal."""
    name = schema.__name__ if isinstance(schema, type) else str(schema)
    said = redacted(f"{type(raised).__name__}: {message_of(raised)}".removesuffix(": "))
    return f"{name}: a validator raised {said} for {shown(value, _MOST_SHOWN)}"


def _plain(schema: Mapping[str, Any] | bool) -> CoreSchema:
    if isinstance(schema, bool):
        return core_schema.any_schema()
    if "$ref" in schema:
        return core_schema.definition_reference_schema(schema["$ref"])
    if choices := cast("Sequence[Mapping[str, Any]]", schema.get("anyOf") or schema.get("oneOf")):
        some = [(_plain(one), _label(one)) for one in choices if one.get("type") != "null"]
        one_of = some[0][0] if len(some) == 1 else core_schema.union_schema(cast("list[Any]", some))
        return one_of if len(some) == len(choices) else core_schema.nullable_schema(one_of)
    match schema.get("type"):
        case "object":
            return _plain_object(schema)
        case "array":
            return core_schema.list_schema(_plain(schema.get("items", True)))
        case "string":
            return core_schema.str_schema()
        case "integer":
            return core_schema.int_schema()
        case "number":
            return core_schema.float_schema()
        case "boolean":
            return core_schema.bool_schema()
        case "null":
            return core_schema.none_schema()
        case _:
            return core_schema.any_schema()


def _plain_object(schema: Mapping[str, Any]) -> CoreSchema:
    required = schema.get("required", ())
    fields = {
        name: core_schema.typed_dict_field(_plain(field), required=name in required)
        for name, field in schema.get("properties", {}).items()
    }
    others: bool | Mapping[str, Any] = schema.get("additionalProperties", True)
    if others is False:
        return core_schema.typed_dict_schema(fields, extra_behavior="forbid")
    return core_schema.typed_dict_schema(fields, extras_schema=_plain(others), extra_behavior="allow")


def _label(schema: Mapping[str, Any]) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2] or str(schema.get("title") or schema.get("type"))
