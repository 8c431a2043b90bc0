"""JSON schemas in TypeScript's notation, which models know: `{"name": string, "count"?: integer = 1, "kind": "a"}`.

It is short, and nothing that a small model could take for the value that is wanted: of a JSON schema it writes a copy.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from .._internal.strict_json import entries, mapping, objects

MOST_NESTED = 12
"""Objects inside objects; a schema from elsewhere may be nested as deep as its sender likes."""
_KEYWORDS = """
type properties required title description default enum const anyOf oneOf allOf $ref $defs items prefixItems
additionalProperties format pattern minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength minItems
maxItems
"""
_TOLD = frozenset(_KEYWORDS.split())
_COMBINED = ("anyOf", "oneOf", "allOf")
_BESIDE = {"title", "description", "default", "$defs"}


def type_notation(schema: Mapping[str, Any]) -> str:
    """A JSON schema in TypeScript's notation, for a model that would copy the schema where a value is wanted.

    Example:
        >>> type_notation({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})
        '{"n": integer}'
    """
    return Notation(schema.get("$defs", {})).field_of(schema)


def tells_all(schema: Any, depth: int = 0) -> bool:
    """Whether the notation says everything that a schema asks for; it knows no `if`, `uniqueItems`, `multipleOf`, ….

    Example:
        >>> tells_all({"type": "integer", "minimum": 0}), tells_all({"type": "integer", "multipleOf": 5})
        (True, False)
    """
    if isinstance(schema, bool):
        return True
    if not isinstance(schema, dict) or depth > MOST_NESTED:
        return False
    fields = cast("dict[str, Any]", schema)
    # Of these the notation shows nothing else that stands beside them.
    alone = next((key for key in ("$ref", "const", "enum", *_COMBINED) if key in fields), "")
    beside = {*_BESIDE, "type"} if alone in ("const", "enum") else _BESIDE
    whole = set(fields) <= ({alone} | beside if alone else _TOLD)
    named = set(map(str, entries(fields.get("required")))) <= set(_objects(fields.get("properties")))
    listed = fields.get("type") == "array" or not fields.keys() & {"items", "prefixItems"}
    inner = [one for key in ("properties", "$defs") for one in _objects(fields.get(key)).values()]
    inner += [one for key in (*_COMBINED, "prefixItems") for one in entries(fields.get(key))]
    inner += [fields[key] for key in ("items", "additionalProperties") if key in fields]
    return whole and named and listed and all(tells_all(one, depth + 1) for one in inner)


@dataclass(frozen=True, slots=True)
class Notation:
    """Writes JSON schemas in TypeScript's notation."""

    definitions: Mapping[str, Any]
    described: bool = True
    nested: int = MOST_NESTED
    inside: tuple[str, ...] = field(default=())
    depth: int = 0

    def object_of(self, about: Mapping[str, Any]) -> str:
        """An object with its fields."""
        if self.depth >= self.nested:
            return "object"
        within = replace(self, depth=self.depth + 1)
        required = entries(about.get("required"))
        fields = [
            f"{_plain(name)}{'' if name in required else '?'}: {within.field_of(value)}"
            for name, value in _objects(about.get("properties")).items()
        ]
        others = about.get("additionalProperties")
        if isinstance(others, dict):
            fields.append(f"[name]: {within._limited(cast('dict[str, Any]', others))}")
        open_to_others = self.depth > 0 and others is not False
        return "object" if not fields and open_to_others else f"{{{', '.join(fields)}}}"

    def field_of(self, about: Mapping[str, Any]) -> str:
        """A type, with its default and what it means."""
        written = self.type_of(about)
        if "default" in about and about["default"] is not None:
            written += f" = {_plain(about['default'])}"
        said = [*_limits(about)]
        if self.described and about.get("description"):
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
                parts = [self._limited(one) for one in objects(about[key])]
                return (" & " if key == "allOf" else " | ").join(dict.fromkeys(parts)) or "any"
        kind = about.get("type")
        if isinstance(kind, list):
            return " | ".join(self.type_of({**about, "type": one}) for one in cast("list[Any]", kind)) or "any"
        if kind == "object" or (kind is None and "properties" in about):
            return self.object_of(about)
        if kind == "array":
            return self._array(about)
        return kind if isinstance(kind, str) else "any"

    def _limited(self, about: Mapping[str, Any]) -> str:
        """A type, with what else its values have to be."""
        said = _limits(about)
        return f"{self.type_of(about)} ({'; '.join(said)})" if said else self.type_of(about)

    def _array(self, about: Mapping[str, Any]) -> str:
        if isinstance(about.get("prefixItems"), list):
            return f"[{', '.join(map(self._limited, objects(about['prefixItems'])))}]"
        items = about.get("items")
        inner = self._limited(cast("dict[str, Any]", items)) if isinstance(items, dict) else "any"
        return f"({inner})[]" if inner.endswith(")") or " | " in inner or " & " in inner else f"{inner}[]"

    def _named(self, name: str) -> str:
        about = self.definitions.get(name)
        if name in self.inside or not isinstance(about, dict):
            # A type that holds itself, or one that its schema does not define.
            return name or "any"
        within = replace(self, inside=(*self.inside, name))
        return within.type_of(cast("dict[str, Any]", about))


def _objects(value: object) -> dict[str, dict[str, Any]]:
    return {name: about if isinstance(about, dict) else {} for name, about in mapping(value).items()}


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
