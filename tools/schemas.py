"""What a tool takes, in whatever form it says so: a pydantic model, one of pydantic 1, or a JSON schema."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, cast

from langchain_core.tools import BaseTool
from pydantic import ValidationError
from pydantic_core import to_jsonable_python

from .._internal.strict_json import entries, mapping, objects
from .notation import MOST_NESTED

_DEEPEST = 10
"""Levels of a value that are looked at; deeper ones are the tool's own to check."""
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


def input_schema(tool: BaseTool) -> dict[str, Any]:
    """The JSON schema of what the model gives a tool, with its definitions in `$defs`."""
    given: Any = tool.tool_call_schema
    if not isinstance(given, dict):
        given = given.schema() if is_old_model(given) else given.model_json_schema()
    schema = cast("dict[str, Any]", given)
    fields = {name: mapping(about) for name, about in mapping(schema.get("properties")).items()}
    # "definitions" is the name before JSON schemas of 2019.
    defined = {**mapping(schema.get("definitions")), **mapping(schema.get("$defs"))}
    required = [name for name in entries(schema.get("required")) if name in fields]
    return {**schema, "properties": fields, "required": required, **({"$defs": defined} if defined else {})}


def free_values(
    given: Mapping[str, Any], about: Mapping[str, Any], defined: Mapping[str, Any], *, needed: bool = True
) -> Iterator[tuple[str, Any, bool]]:
    """The values in arguments and in the objects among them that are neither a default nor of a fixed choice.

    Args:
        given: the arguments.
        about: their JSON schema.
        defined: the definitions of the tool's schema.
        needed: whether they have to be given themselves.

    Yields:
        the name of each, the value, and whether it has to be given.
    """
    for name, value in given.items():
        field = mapping(mapping(about.get("properties")).get(name))
        forms = [_resolved(field, defined)]
        forms += [_resolved(one, defined) for key in ("anyOf", "oneOf", "allOf") for one in entries(field.get(key))]
        forms += [_resolved(one["items"], defined) for one in forms if "items" in one]
        if any({"enum", "const"} & set(one) for one in forms) or field.get("default", ...) == value:
            continue
        inside = next((one for one in forms if "properties" in one), None)
        # What an object of any fields has is named by the call alone: "fields" with a phone number.
        parts = objects(entries(value) or [value]) if inside or any(map(_is_open, forms)) else []
        has_to_be = needed and name in entries(about.get("required"))
        for part in parts:
            yield from free_values(part, inside or {}, defined, needed=has_to_be)
        if not parts:
            yield name, value, has_to_be


def _is_open(form: Mapping[str, Any]) -> bool:
    return form.get("type") == "object" and "properties" not in form


def _resolved(schema: object, defined: Mapping[str, Any]) -> Mapping[str, Any]:
    return mapping(defined.get(str(mapping(schema).get("$ref", "")).rpartition("/")[2], schema))


def choices_in(schema: Any, defined: Any) -> list[str]:
    """The texts among which an argument chooses, by its schema and those that are defined beside it."""
    forms = [mapping(schema), *map(mapping, entries(mapping(schema).get("anyOf")))]
    forms += [mapping(defined.get(str(one.get("$ref")).rpartition("/")[2])) for one in forms if "$ref" in one]
    return [one for form in forms for one in entries(form.get("enum")) if isinstance(one, str)]


def defaults_of(tool: BaseTool) -> dict[str, Any]:
    """The defaults of a tool's arguments, in the form in which a model would give them."""
    about = input_schema(tool)["properties"]
    found = {name: field["default"] for name, field in about.items() if "default" in field}
    schema: Any = tool.tool_call_schema
    for name, field in getattr(schema, "model_fields", {}).items():
        # A JSON schema has no word for what a function makes.
        if field.default_factory and not field.default_factory_takes_validated_data:
            found.setdefault(field.alias or name, to_jsonable_python(field.default_factory(), fallback=_as_it_is))
    return found


def _as_it_is(value: Any) -> Any:
    return value


def is_old_model(schema: Any) -> bool:
    """Whether a class is a model of pydantic 1, which pydantic 2 brings along."""
    return isinstance(schema, type) and hasattr(schema, "parse_obj") and not hasattr(schema, "model_validate")


def problems_of(tool: BaseTool, fields: Mapping[str, Any], asked_for: Collection[str]) -> list[str]:
    """What is wrong with a tool's arguments.

    Args:
        tool: that is to be called.
        fields: its arguments.
        asked_for: those that may be missing, because the user is asked for them.
    """
    schema: Any = tool.tool_call_schema
    if isinstance(schema, dict):
        whole = input_schema(tool)
        try:
            asked = {**whole, "required": [name for name in whole.get("required", ()) if name not in asked_for]}
            return [f"`{path or 'input'}`: {said}" for path, said in _misfits(asked, fields, "", whole)]
        except (AttributeError, LookupError, TypeError, ValueError):
            # A schema from elsewhere may be none; the tool itself checks the rest.
            return []
    try:
        schema.parse_obj(fields) if is_old_model(schema) else schema.model_validate(fields)
    except ValueError as invalid:
        # Pydantic 1 has an error of its own, which is no other's.
        errors: list[Any] = (
            invalid.errors(include_url=False) if isinstance(invalid, ValidationError) else cast(Any, invalid).errors()
        )
        found = [one for one in errors if not _is_asked_for(one, asked_for)]
        return [f"`{'.'.join(map(str, one['loc'])) or 'input'}`: {one['msg']}" for one in found]
    except Exception:  # noqa: BLE001 - a validator that breaks: the tool's own call will tell of it
        return []
    return []


def _is_asked_for(problem: Mapping[str, Any], asked_for: Collection[str]) -> bool:
    missing = problem["type"].rpartition(".")[2] == "missing"
    return missing and len(problem["loc"]) == 1 and problem["loc"][0] in asked_for


def _misfits(
    about: Any, value: Any, path: str, whole: Mapping[str, Any], inside: frozenset[str] = frozenset(), deep: int = 0
) -> Iterator[tuple[str, str]]:
    """The places of a value that do not fit a JSON schema, as far as its words are about forms: nothing else holds a
    call of a local tool to it."""
    # Two branches that both refer back would be tried twice as often at every level.
    if not isinstance(about, Mapping) or len(inside) > MOST_NESTED or deep > _DEEPEST:
        return
    fits = cast("Mapping[str, Any]", about)
    if value is None and fits.get("nullable") is True:
        return
    named = str(fits.get("$ref", "")).rpartition("/")[2]
    if named and named not in inside:
        yield from _misfits(whole.get("$defs", {}).get(named), value, path, whole, inside | {named}, deep)
    for part in fits.get("allOf", ()):
        yield from _misfits(part, value, path, whole, inside, deep)
    for key in ("anyOf", "oneOf"):
        ways = [next(_misfits(part, value, path, whole, inside, deep), None) for part in fits.get(key, ())]
        if ways and None not in ways:
            yield cast("tuple[str, str]", ways[0])
    if "enum" in fits and value not in fits["enum"]:
        yield path, f"Input should be one of {', '.join(map(repr, fits['enum']))}"
    if "const" in fits and value != fits["const"]:
        yield path, f"Input should be {fits['const']!r}"
    kinds = fits.get("type", ())
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(_is_of(value, kind) for kind in kinds):
        yield path, f"Input should be of type {' or '.join(kinds)}"
    elif isinstance(value, Mapping):
        fields = cast("Mapping[str, Any]", value)
        before = f"{path}." if path else ""
        for name in fits.get("required", ()):
            if name not in fields:
                yield f"{before}{name}", "Field required"
        for name, part in fits.get("properties", {}).items():
            if name in fields:
                yield from _misfits(part, fields[name], f"{before}{name}", whole, deep=deep + 1)
    elif isinstance(value, list):
        for place, item in enumerate(cast("list[Any]", value)):
            yield from _misfits(fits.get("items"), item, f"{path}.{place}", whole, deep=deep + 1)


def _is_of(value: Any, kind: str) -> bool:
    if kind in ("integer", "number") and isinstance(value, bool):
        return False
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES.get(kind, (object,)))
