"""A verifier that holds a JSON answer to a schema."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from importlib import import_module
from itertools import chain, islice
from types import NoneType
from typing import Any, NamedTuple, cast

from pydantic import PydanticUserError, TypeAdapter, ValidationError

from ..._internal.strict_json import deeper_than, dumps, loads
from ...errors import MissingLibraryError
from ...parsers.contract import ParseDict, success
from ...parsers.json.merging import mergers, without
from ...parsers.json.reply import MAX_DEPTH, json_parser, trimmed
from ...parsers.json.values import TOO_DEEP, json_scalars, json_values
from ...parsers.json.words import problems_of, written_path
from ...parsers.wrapping import without_thoughts
from ..notation import tells_all, type_notation
from ..verdict import FormattedVerifier, Verdict
from .patterns import in_python

_MOST, _LONGEST = 50, 200
"""Violations that are listed, and characters of each: an answer may break a schema in a million places."""
_INSTRUCTIONS = "Answer with one ```json block and nothing else."
# The model does not see its answer: a small one would copy it (docs/benchmarks.md).
_PATCH = """\
The other fields are written already. Write one JSON object with {names} alone. These were wrong before:
{lines}"""


class Violation(NamedTuple):
    """Something in an answer that breaks the schema.

    Attributes:
        path: where, as a JSONPath.
        message: what is wrong.
        whole: the whole value is of a wrong type.
        ruled: a rule of the model's own, such as a sum of fields, is broken: that is about what an answer says.
        places: of what has to be written again, in the value; () where all of it may have to.
        gone: of the fields that have to go.
    """

    path: str
    message: str
    whole: bool
    ruled: bool = False
    places: tuple[Place, ...] = ((),)
    gone: tuple[Place, ...] = ()


Place = tuple[int | str, ...]
Violations = Callable[[object], Iterable[Violation]]


class JSONSchemaVerifier(FormattedVerifier):
    """Verifies that an answer is JSON that fits a schema.

    The answer is read by `json_parser`, which finds a JSON object or array in a reply and repairs the usual mistakes.
    The actor reads every violation with its path, the first fifty at most. The fewer violations, the higher the score.
    Every failure is one of form.

    Args:
        schema: a pydantic model, or another type that pydantic can validate; or a JSON schema as a dict. `format` is
            checked for those formats that need no further library. A `$ref` is resolved within the schema.

    Attributes:
        instructions: asks for one JSON block.
        criteria: the form in TypeScript's notation, which small models do not copy as they do a schema; the schema
            itself where it asks for more than the notation can say.

    Raises:
        ValueError: the dict is not a valid JSON schema, or it is no dict and no type that pydantic knows.
        MissingLibraryError: a dict is given, and the extra `jsonschema` is not installed.

    Example:
        >>> verify = JSONSchemaVerifier(dict[str, int])
        >>> verify("Count the pets.", '{"cats": 2, "dogs": "many"}').feedback.splitlines()[-1]
        '- $.dogs: write a whole number, not "many"'
    """

    def __init__(self, schema: Any) -> None:
        self.instructions = _INSTRUCTIONS
        if isinstance(schema, Mapping):
            self._violations, shown = _by_json_schema(dict(cast("Mapping[str, Any]", schema)))
        else:
            try:
                self._violations, shown = _by_pydantic(TypeAdapter(schema))
            except PydanticUserError as problem:
                words = str(problem).partition("\n")[0]
                raise ValueError(f"schema is a type that pydantic knows, or a JSON schema as a dict: {words}") from None
        if tells_all(shown):
            self.criteria = (
                f"It has to have this form, with values in the place of the types:\n\n{type_notation(shown)}"
            )
        else:
            self.criteria = f"It has to fit this JSON schema:\n\n```json\n{dumps(shown, ensure_ascii=False)}\n```"

    def parse(self, raw_reply: str, /) -> ParseDict:
        """Parse a reply: find the JSON value that fits; if none does, the one that comes closest."""
        reply = without_thoughts(raw_reply)
        read = chain(json_values(reply), json_scalars(reply))
        values = (value for value in read if not (value is TOO_DEEP or deeper_than(MAX_DEPTH, value)))
        closest: tuple[tuple[bool, int], Any] | None = None
        for value in values:
            found, as_read = self._read(value)
            distance = any(one.whole for one in found), len(found)
            if closest is None or distance < closest[0]:
                closest = distance, as_read
            if not found:
                break
        if closest is None:
            return json_parser(reply)
        value = closest[1]
        # A text and null go on as JSON, which is read again.
        return success(dumps(value, ensure_ascii=False) if isinstance(value, (str, NoneType)) else value)

    def patch_words(self, answer: str, /) -> str:
        """Ask for the fields of an answer that have to change, with what was wrong with them."""
        content = trimmed(self.parse(answer).get("content"))
        found = list(islice(self._violations(content), _MOST))
        places = [place for one in found for place in one.places]
        if not isinstance(content, dict) or () in places:
            return ""
        fields = dict.fromkeys(place[0] for place in places)
        if not content.keys() - fields.keys():
            return ""
        names = " and ".join(f'"{name}"' for name in fields)
        lines = "\n".join(self._line(one) for one in found if one.places)
        return _PATCH.format(names=names, lines=lines) if names else ""

    def patch(self, answer: str, raw_reply: str, /) -> ParseDict:
        """Put what a reply writes again into the object of an answer, without fields that the schema does not allow."""
        new = json_parser(raw_reply)
        old: Any = trimmed(self.parse(answer).get("content"))
        written: Any = trimmed(new.get("content"))
        if not (isinstance(old, dict) and isinstance(written, dict)):
            return new
        before = cast("dict[str, Any]", old)
        wrong = [place for one in islice(self._violations(before), _MOST) for place in one.places]
        likeliest: Any = None
        for value in mergers(before, written, wrong):
            found = list(islice(self._violations(value), _MOST))
            gone = [place for one in found for place in one.gone]
            allowed = without(value, gone) if gone else value
            if not found or (gone and not any(self._violations(allowed))):
                return success(allowed)
            likeliest = allowed if likeliest is None else likeliest
        return success(likeliest)

    def __call__(self, task: str, answer: str, /) -> Verdict:
        """Hold an answer to the schema."""
        parsed = self.parse(answer)
        if parsed.get("status") == "error":
            return Verdict("failed", str(parsed.get("feedback")), 0.0, "no_json", failed_on="form")
        content = parsed.get("content")
        found, _ = self._read(loads(content) if isinstance(content, str) else content)
        if not found:
            return Verdict("passed")
        lines = [self._line(one) for one in found[:_MOST]]
        more = ["- and more"] if len(found) > _MOST else []
        # A value of another type as a whole is further off than one with many wrong fields.
        score = 0.0 if any(one.whole for one in found) else 1 / (1 + len(found))
        details = {"violations": [{"path": one.path[:_LONGEST], "message": one.message[:_LONGEST]} for one in found]}
        feedback = "\n".join(["The JSON does not fit the schema:", *lines, *more])
        failed_on = "substance" if all(one.ruled for one in found) else "form"
        return Verdict("failed", feedback, score, "schema", details, failed_on)

    def _read(self, value: object) -> tuple[list[Violation], object]:
        """The violations of a value, one more than are listed, and the value as `json_parser` reads it for a schema."""
        found = list(islice(self._violations(value), _MOST + 1))
        neat = trimmed(value) if found else value
        return (found, value) if neat == value else (list(islice(self._violations(neat), _MOST + 1)), neat)

    def _line(self, violation: Violation) -> str:
        return f"- {violation.path[:_LONGEST]}: {violation.message[:_LONGEST]}"


def _by_pydantic(adapter: TypeAdapter[Any]) -> tuple[Violations, dict[str, Any]]:
    def violations(value: object) -> Iterable[Violation]:
        try:
            # As JSON, in which a strict model takes a date from a text.
            adapter.validate_json(dumps(value))
        except ValidationError as invalid:
            for found in problems_of(invalid, value):
                # What has to go at the top is not asked for again.
                asked = tuple(place for place in found.places if place not in found.gone or len(place) > 1)
                # Which of the names at the top was meant, only the whole can tell.
                asked = tuple(() if place in found.misnamed and len(place) == 1 else place for place in asked)
                path = f"${written_path(found.path)}"
                yield Violation(path, found.words, found.whole, found.ruled, asked, found.gone)

    return violations, adapter.json_schema()


def _by_json_schema(schema: dict[str, Any]) -> tuple[Violations, dict[str, Any]]:
    try:
        library: Any = import_module("jsonschema")
        specifications: Any = import_module("jsonschema_specifications")
    except ImportError as missing:
        raise MissingLibraryError(
            "a JSON schema is checked by the library jsonschema: pip install 'thoughtgraph[jsonschema]', or give a "
            "pydantic model"
        ) from missing
    kind: Any = library.validators.validator_for(schema, default=library.Draft202012Validator)
    try:
        kind.check_schema(schema)
    except library.SchemaError as wrong:
        raise ValueError(f"this is not a valid JSON schema: {wrong.json_path}: {wrong.message}") from None
    rules = {"multipleOf": _multiple_of, "pattern": _pattern}
    own = {name: partial(rule, library.ValidationError) for name, rule in rules.items()}
    kind = library.validators.extend(kind, own)
    # With a registry of its own it fetches nothing.
    validator: Any = kind(schema, format_checker=kind.FORMAT_CHECKER, registry=specifications.REGISTRY)
    for ref in _refs(schema):
        try:
            list(validator.descend({}, {"$ref": ref}))
        except Exception as unknown:
            raise ValueError(f"this is not a valid JSON schema: {ref!r} leads nowhere in it") from unknown

    def violations(value: object) -> Iterable[Violation]:
        for found in chain.from_iterable(map(_exact, validator.iter_errors(value))):
            whole = not found.absolute_path and found.validator == "type"
            at, places, gone = tuple(found.absolute_path), (tuple(found.absolute_path),), ()
            # In older drafts it is a bool.
            if found.validator == "required" and found.validator_value is not True:
                places = tuple((*at, name) for name in found.validator_value if name not in found.instance)
            elif found.validator == "additionalProperties" and found.validator_value is False:
                gone = tuple((*at, name) for name in _additional(found.schema, found.instance))
                places = gone if at else ()
            yield Violation(found.json_path, found.message, whole, places=places, gone=gone)

    return violations, schema


def _multiple_of(error: Callable[[str], Exception], validator: Any, step: Any, value: Any, schema: Any) -> Any:
    """As in decimal digits, in which 19.99 is a multiple of 0.01."""
    if validator.is_type(value, "number") and Fraction(str(value)) % Fraction(str(step)):
        yield error(f"{value} is not a multiple of {step}")


def _pattern(error: Callable[[str], Exception], validator: Any, pattern: str, value: Any, schema: Any) -> Any:
    """As ECMA-262 has it, of which JSON schemas have their patterns."""
    if validator.is_type(value, "string") and not re.search(in_python(pattern), value):
        yield error(f"{value!r} does not match {pattern!r}")


def _exact(found: Any) -> Iterable[Any]:
    """A violation; of a choice between forms of which one alone has the type of the value, what is wrong with that."""
    if found.validator not in ("anyOf", "oneOf") or not found.context:
        return [found]
    forms: dict[Any, list[Any]] = {}
    for one in found.context:
        forms.setdefault(one.schema_path[0], []).append(one)
    near = [
        wrong
        for wrong in forms.values()
        if not any(one.validator in ("type", "const", "enum") and not one.path for one in wrong)
    ]
    return chain.from_iterable(map(_exact, near[0])) if len(near) == 1 else [found]


_UNUSED = ("const", "enum", "default", "examples", "$defs", "definitions")
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
