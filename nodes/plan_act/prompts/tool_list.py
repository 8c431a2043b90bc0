"""How the model is told of the tools: a line each, with everything that their schemas say about a call's input.

The notation follows TypeScript's, which models know: `{"name": string, "count"?: integer = 1, "kind": "a" | "b"}`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from langchain_core.tools import BaseTool

from ...._internal.texts import Language
from .context import estimate_tokens
from .texts import text

_MOST_NESTED = 12
"""Objects inside objects; a schema from elsewhere may be nested as deep as its sender likes."""


@dataclass(frozen=True, slots=True)
class _Detail:
    """How much a list says, and the text that tells what it leaves out."""

    note: str
    described: bool
    nested: int
    inputs: bool = True


_DETAILS = (
    _Detail("", described=True, nested=_MOST_NESTED),
    _Detail("system.no_meanings", described=False, nested=_MOST_NESTED),
    _Detail("system.no_nested_fields", described=False, nested=1),
    _Detail("system.no_fields", described=False, nested=0, inputs=False),
)


def tool_list(tools: Mapping[str, BaseTool], budget: int, language: Language = "en") -> str:
    """The tools in a fixed order, one line each, in as much detail as the budget allows.

    Args:
        tools: by name.
        budget: tokens, as `estimate_tokens` counts them. Where a list in full detail has more, it leaves out what the
            fields mean, then nested fields, then all fields, and says so.
        language: of what it says itself.

    Returns:
        The lines; the least detailed list comes whole, whatever the budget.
    """
    listed = ""
    for detail in _DETAILS:
        lines = [f"- {name}: {_about(tool, detail, language)}" for name, tool in sorted(tools.items())]
        listed = "\n".join([*lines, *([text(language, detail.note)] if detail.note else [])])
        if estimate_tokens(listed) <= budget:
            break
    return listed


def _about(tool: BaseTool, detail: _Detail, language: Language) -> str:
    about = " ".join(tool.description.split())
    schema: Any = tool.tool_call_schema
    schema = cast("dict[str, Any]", schema if isinstance(schema, dict) else schema.model_json_schema())
    properties: dict[str, dict[str, Any]] = schema.get("properties", {})
    only = next(iter(properties.values())) if len(properties) == 1 else {}
    if not detail.inputs or (only.get("type") == "string" and set(only) <= {"type", "title"}):
        return about
    notation = _Notation(schema.get("$defs", {}), detail)
    # A call may give a single text as it is.
    shown = notation.field_of(only) if only.get("type") == "string" else notation.object_of(schema)
    # One line whatever a schema's texts hold, so that no text can pass for another tool.
    return " ".join(f"{about} {text(language, 'system.input', shown=shown)}".split())


def type_notation(schema: Mapping[str, Any]) -> str:
    """A JSON schema in TypeScript's notation, for a model that would copy the schema where a value is wanted.

    Example:
        >>> type_notation({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})
        '{"n": integer}'
    """
    return _Notation(schema.get("$defs", {}), _DETAILS[0]).field_of(schema)


@dataclass(frozen=True, slots=True)
class _Notation:
    """Writes JSON schemas in TypeScript's notation."""

    definitions: Mapping[str, Any]
    detail: _Detail
    inside: tuple[str, ...] = field(default=())
    depth: int = 0

    def object_of(self, about: Mapping[str, Any]) -> str:
        """An object with its fields."""
        if self.depth >= self.detail.nested:
            return "object"
        within = _Notation(self.definitions, self.detail, self.inside, self.depth + 1)
        required = _listed(about.get("required"))
        fields = [
            f"{_plain(name)}{'' if name in required else '?'}: {within.field_of(value)}"
            for name, value in _objects(about.get("properties")).items()
        ]
        others = about.get("additionalProperties")
        if isinstance(others, dict):
            fields.append(f"[name]: {within.type_of(cast('dict[str, Any]', others))}")
        open_to_others = self.depth > 0 and others is not False
        return "object" if not fields and open_to_others else f"{{{', '.join(fields)}}}"

    def field_of(self, about: Mapping[str, Any]) -> str:
        """A type, with its default and what it means."""
        written = self.type_of(about)
        if "default" in about and about["default"] is not None:
            written += f" = {_plain(about['default'])}"
        said = [*_limits(about)]
        if self.detail.described and about.get("description"):
            said.append(str(about["description"]))
        return f"{written} ({'; '.join(said)})" if said else written

    def type_of(self, about: Mapping[str, Any]) -> str:
        """A type without what is said about it."""
        if "$ref" in about:
            return self._named(str(about["$ref"]).rpartition("/")[2])
        if "const" in about:
            return _plain(about["const"])
        if isinstance(about.get("enum"), list):
            return " | ".join(_plain(value) for value in about["enum"])
        for key in ("anyOf", "oneOf", "allOf"):
            if isinstance(about.get(key), list):
                parts = [self.type_of(one) for one in _schemas(about[key])]
                return (" & " if key == "allOf" else " | ").join(dict.fromkeys(parts)) or "any"
        kind = about.get("type")
        if isinstance(kind, list):
            return " | ".join(self.type_of({**about, "type": one}) for one in cast("list[Any]", kind)) or "any"
        if kind == "object" or (kind is None and "properties" in about):
            return self.object_of(about)
        if kind == "array":
            return self._array(about)
        return kind if isinstance(kind, str) else "any"

    def _array(self, about: Mapping[str, Any]) -> str:
        if isinstance(about.get("prefixItems"), list):
            return f"[{', '.join(map(self.type_of, _schemas(about['prefixItems'])))}]"
        items = about.get("items")
        inner = self.type_of(cast("dict[str, Any]", items)) if isinstance(items, dict) else "any"
        return f"({inner})[]" if " | " in inner or " & " in inner else f"{inner}[]"

    def _named(self, name: str) -> str:
        about = self.definitions.get(name)
        if name in self.inside or not isinstance(about, dict):
            # A type that holds itself, or one that its schema does not define.
            return name or "any"
        within = _Notation(self.definitions, self.detail, (*self.inside, name), self.depth)
        return within.type_of(cast("dict[str, Any]", about))


def _listed(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _schemas(value: object) -> list[dict[str, Any]]:
    return [one for one in _listed(value) if isinstance(one, dict)]


def _objects(value: object) -> dict[str, dict[str, Any]]:
    found = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    return {name: about if isinstance(about, dict) else {} for name, about in found.items()}


def _limits(about: Mapping[str, Any]) -> list[str]:
    """What else a value has to be, in words."""
    said = [str(about["format"])] if "format" in about else []
    if "pattern" in about:
        said.append(f"pattern {about['pattern']}")
    for low, high, unit in (
        ("minimum", "maximum", ""),
        ("minLength", "maxLength", " characters"),
        ("minItems", "maxItems", " items"),
    ):
        if "prefixItems" in about:
            break
        ends = [f"at least {about[low]}"] if low in about else []
        ends += [f"at most {about[high]}"] if high in about else []
        said += [f"{' and '.join(ends)}{unit}"] if ends else []
    said += [f"more than {about['exclusiveMinimum']}"] if "exclusiveMinimum" in about else []
    said += [f"less than {about['exclusiveMaximum']}"] if "exclusiveMaximum" in about else []
    return said


def _plain(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
