"""Holds a value to a JSON schema that is a dict, by the library jsonschema."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from importlib import import_module
from itertools import chain
from typing import Any, cast

from ...errors import MissingLibraryError
from ...parsers.json.words import TAGS, none_such, shown
from .formats import CHECKS, EXAMPLES
from .patterns import in_python, is_found
from .violations import Violation, Violations

_LONGEST, _LONGEST_CHOICE = 80, 400


def by_json_schema(schema: dict[str, Any]) -> tuple[Violations, dict[str, Any]]:
    """What tells the violations of a JSON schema, and the schema.

    Raises:
        ValueError: it is no valid JSON schema, or a pattern in it cannot be run.
        MissingLibraryError: the extra `jsonschema` is not installed.
    """
    try:
        library: Any = import_module("jsonschema")
        specifications: Any = import_module("jsonschema_specifications")
    except ImportError as missing:
        raise MissingLibraryError(
            "a JSON schema is checked by the library jsonschema: pip install 'thoughtgraph[jsonschema]', or give a "
            "pydantic model"
        ) from missing
    kind: Any = library.validators.validator_for(schema, default=library.Draft202012Validator)
    patterns = library.FormatChecker(formats=())
    patterns.checks("regex", raises=(re.error, OverflowError))(_is_pattern)
    try:
        kind.check_schema(schema, format_checker=patterns)
    except library.SchemaError as wrong:
        if wrong.validator == "format":
            raise ValueError(
                f"Python's `re` cannot run a pattern of this JSON schema: {wrong.json_path}: {wrong.instance}: "
                f"{wrong.cause}"
            ) from None
        raise ValueError(f"this is not a valid JSON schema: {wrong.json_path}: {wrong.message}") from None
    rules = {"multipleOf": _multiple_of, "pattern": _pattern}
    own = {name: partial(rule, library.ValidationError) for name, rule in rules.items()}
    kind = library.validators.extend(kind, own)
    formats = library.FormatChecker(formats=())
    formats.checkers = {**kind.FORMAT_CHECKER.checkers, **patterns.checkers}
    for name, check in CHECKS.items():
        formats.checks(name)(partial(_has_format, check))
    # With a registry of its own it fetches nothing.
    validator: Any = kind(_for_python(schema), format_checker=formats, registry=specifications.REGISTRY)
    for ref in _refs(schema):
        try:
            list(validator.descend({}, {"$ref": ref}))
        except Exception as unknown:
            raise ValueError(f"this is not a valid JSON schema: {ref!r} leads nowhere in it") from unknown

    def violations(value: object) -> Iterable[Violation]:
        for found in _sure(chain.from_iterable(map(_exact, validator.iter_errors(value)))):
            whole = not found.absolute_path and found.validator == "type"
            at, places, gone = tuple(found.absolute_path), (tuple(found.absolute_path),), ()
            # In older drafts it is a bool.
            if found.validator == "required" and found.validator_value is not True:
                places = tuple((*at, name) for name in found.validator_value if name not in found.instance)
            elif found.validator == "additionalProperties" and found.validator_value is False:
                gone = tuple((*at, name) for name in _additional(found.schema, found.instance))
                places = gone if at else ()
            elif _is_forbidden(found) and at:
                gone = (at,)
                places = gone if len(at) > 1 else ()
            yield Violation(found.json_path, _words(found), whole, places=places, gone=gone)

    return violations, schema


def _multiple_of(error: Callable[[str], Exception], validator: Any, step: Any, value: Any, schema: Any) -> Any:
    """As in decimal digits, in which 19.99 is a multiple of 0.01."""
    if validator.is_type(value, "number") and Fraction(str(value)) % Fraction(str(step)):
        yield error(f"{value} is not a multiple of {step}")


def _pattern(error: Callable[[str], Exception], validator: Any, pattern: str, value: Any, schema: Any) -> Any:
    """As ECMA-262 has it, of which JSON schemas have their patterns."""
    if validator.is_type(value, "string") and not is_found(pattern, value):
        yield error(f"{value!r} does not match {pattern!r}")


def _sure(violations: Iterable[Any]) -> Iterator[Any]:
    """Violations without those of `unevaluatedProperties` and its like that may only follow from others: the parts of a
    value that its schema refuses count as unevaluated."""
    reported, left = set[tuple[int | str, ...]](), list[Any]()
    for found in violations:
        if str(found.validator).startswith("unevaluated"):
            left.append(found)
            continue
        at = tuple(found.absolute_path)
        reported.update(at[:end] for end in range(len(at) + 1))
        yield found
    yield from (found for found in left if tuple(found.absolute_path) not in reported)


def _exact(found: Any) -> Iterable[Any]:
    """A violation as it is; for a choice between forms, the violations of the form that was meant, if one is clear."""
    if found.validator not in ("anyOf", "oneOf") or not found.context:
        return [found]
    forms: dict[Any, list[Any]] = {}
    for one in found.context:
        forms.setdefault(one.schema_path[0], []).append(one)
    for tags in ((), ("const",), ("const", "enum")):
        near = [wrong for wrong in forms.values() if not any(_is_of_another(one, tags) for one in wrong)]
        if len(near) == 1:
            return chain.from_iterable(map(_exact, near[0]))
    return [found]


def _is_of_another(wrong: Any, tags: Iterable[str]) -> bool:
    """Whether a violation shows that another form was meant: the type differs, or a field that names the form."""
    if not wrong.path:
        return wrong.validator in ("type", "const", "enum")
    if len(wrong.path) != 1 or wrong.validator not in tags:
        return False
    return wrong.validator == "const" or str(wrong.path[0]).strip("_@").casefold() in TAGS


def _is_forbidden(found: Any) -> bool:
    return found.validator == "not" and found.validator_value == {}


_COUNTED = {"Length": "character", "Items": "item", "Properties": "field"}


def _words(found: Any) -> str:
    """What is wrong, with values as they are written in JSON."""
    keyword, rule = str(found.validator), found.validator_value
    value, wanted = shown(found.instance, _LONGEST), shown(rule, _LONGEST_CHOICE if keyword == "enum" else _LONGEST)
    counted = _COUNTED.get(keyword[3:])
    if counted and keyword[:3] in ("min", "max"):
        what, most = ("too short", "at least") if keyword[:3] == "min" else ("too long", "at most")
        return f"{value} is {what}: write {most} {rule} {counted}{'s' if rule != 1 else ''}"
    if keyword == "format" and rule in EXAMPLES:
        return f"{value} is no {rule}: {none_such(rule, found.instance) or f'write it as in {EXAMPLES[rule]}'}"
    if _is_forbidden(found):
        return "this field is not allowed, leave it out"
    if keyword == "type":
        return f"{value} is not of type {' or '.join(_kinds(found))}"
    if keyword in ("anyOf", "oneOf") and found.context:
        # The first violation of each form.
        forms = {one.schema_path[0]: one for one in reversed(found.context)}
        each = [forms[number] for number in sorted(forms)]
        if all(one.validator == "type" and not one.path for one in each):
            return f"{value} is not of type {' or '.join(dict.fromkeys(kind for one in each for kind in _kinds(one)))}"
        lacks = (f"{''.join(f'{name}: ' for name in one.path)}{_words(one)}" for one in each)
        return f"{value} fits none of the forms: {'; or '.join(dict.fromkeys(lacks))}"
    if keyword == "additionalProperties" and rule is False:
        names = _additional(found.schema, found.instance)
        return f"there is no field {', '.join(shown(name, _LONGEST) for name in names)}, leave it out"
    said = {
        "enum": f"{value} is not one of {wanted}",
        "const": f"{wanted} was expected, not {value}",
        "pattern": f"{value} does not match the pattern {rule}",
        "format": f"{value} is no {rule}",
        "oneOf": f"{value} fits more than one of {wanted}, and has to fit one alone",
        "not": f"{value} should not be valid under {wanted}",
        "uniqueItems": f"{value} has non-unique elements",
        "contains": f"{value} does not contain an item that fits {wanted}",
    }
    return said.get(keyword) or str(found.message)


def _kinds(found: Any) -> list[str]:
    rule = found.validator_value
    return [*map(str, cast("list[Any]", rule if isinstance(rule, list) else [rule]))]


def _is_pattern(value: object) -> bool:
    return not isinstance(value, str) or bool(re.compile(in_python(value)))


def _has_format(check: Callable[[str], bool], value: object) -> bool:
    return not isinstance(value, str) or check(value)


_VALUES = ("const", "enum", "default", "examples")
_NAMED = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies")


def _for_python(schema: Any) -> Any:
    """A schema with the patterns of its names in Python's form; of a field that may not be there the path is told."""
    if isinstance(schema, list):
        return [_for_python(part) for part in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    written: dict[str, Any] = {}
    for key, part in cast("dict[str, Any]", schema).items():
        if key in _NAMED and isinstance(part, dict):
            named = cast("dict[str, Any]", part).items()
            written[key] = {
                in_python(name) if key == "patternProperties" else name: {"not": {}}
                if below is False and key in ("properties", "patternProperties")
                else _for_python(below)
                for name, below in named
            }
        else:
            written[key] = part if key in _VALUES else _for_python(part)
    return written


_UNUSED = (*_VALUES, "$defs", "definitions")
"""Keys below which a reference may never be followed."""


def _refs(schema: Any) -> Iterator[str]:
    """The references in a schema that belong to it as a whole; what has an id of its own is left out."""
    if isinstance(schema, list):
        for part in cast("list[Any]", schema):
            yield from _refs(part)
    if isinstance(schema, dict):
        for key, part in cast("dict[str, Any]", schema).items():
            if key == "$ref" and isinstance(part, str):
                yield part
            elif key not in _UNUSED and not key.startswith("x-") and not (isinstance(part, dict) and "$id" in part):
                yield from _refs(part)


def _additional(schema: Mapping[str, Any], instance: Mapping[str, Any]) -> list[str]:
    """The fields of an object for which its schema has no place."""
    patterns = [*schema.get("patternProperties", ())]
    names = [name for name in instance if name not in schema.get("properties", ())]
    return [name for name in names if not any(re.search(pattern, name) for pattern in patterns)]
