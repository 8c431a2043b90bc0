"""Takes the JSON of a loose reply that fits a pydantic type, or says what is wrong with the closest."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any, cast

from langgraph.errors import GraphBubbleUp
from pydantic import TypeAdapter, ValidationError
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticUserError

from ..._internal.strict_json import deeper_than
from ...errors import ParserContractError
from ..contract import ParseDict, error, success
from ..wrapping import unquoted, without_thoughts, without_tokens
from .merging import Path, mergers, without
from .plain import plain_validator, raised_words
from .readings import other_readings, trimmed, without_examples
from .values import TOO_DEEP, json_scalars, json_values, problem_of
from .words import Problem, problems_of, shown, written_path

_MOST_STRICT = 100
MAX_DEPTH = 100
"""Most levels of lists and objects: more than any answer has. Python cannot always write out anything deeper."""
_MAX_SHOWN, _MAX_DESCRIBED = 150, 1_700
"""Most characters of one path or message, and of all together: feedback is capped, and its end says what to do."""


def json_parser(raw_reply: str, schema: Any = None, *, kept: Mapping[str, Any] | None = None) -> ParseDict:
    """Extract the JSON value from a reply, in a fenced block or in prose, complete or with the usual mistakes.

    A number, a text, a boolean or null has to be all of the reply, or of its block.

    Trailing commas, single quotes, Python's `True` and `None`, comments and a cut-off end are mended. A value without
    quotes that is no number, such as `10 kg`, is a text as a whole; what can be read in more than one way is refused.
    Of several values, this takes the last one that fits the schema; a reply of objects alone is their list first. If
    none fits, one counts that is in a wrapper, such as `{"response": …}`, or has the names in another spelling.

    Args:
        raw_reply: the model's reply.
        schema: a pydantic model, or any type that pydantic can validate; None accepts any value.
        kept: the object of an earlier reply, whose fields count where this one lacks them, or where it spoils them.

    Returns:
        `{"status": "success", "content": value}`, the value validated by the schema, or
        `{"status": "error", "feedback": …}` that lists each wrong field by its path. If only some fields of an object
        are wrong, or a rule across them is broken, the object is `kept`.

    Raises:
        ValueError: pydantic knows no such type.
        ParserContractError: a validator of the type raised what pydantic takes for no refusal, such as a `KeyError`,
            for a value whose required fields and types are right; where they are wrong, that is the feedback.
    """
    earlier, reply = dict(kept or {}), without_examples(unquoted(without_tokens(without_thoughts(raw_reply))))
    values = _with(earlier, json_values(reply), schema) if earlier else json_values(reply)
    found = _nearest(chain(values, json_scalars(reply)), schema)
    if schema is not None and (found is None or isinstance(found, _Refused)):
        others = other_readings(reply, _json_schema(schema), MAX_DEPTH)
        found = _closest(found, _nearest(_with(earlier, others, schema) if earlier else others, schema))
    if found is None:
        return error(f"{problem_of(reply)}. Write one JSON value in a ```json block.{_example(schema)}")
    if isinstance(found, _Raised):
        raise ParserContractError("json_parser", found.words, raw_reply, _A_RULE) from found.error
    if not isinstance(found, _Refused):
        return found
    whole = _goes_on(found)
    if not whole:
        return error(_refusal(found))
    across = not found.names
    # The model sees its last reply alone, which need not have been the whole.
    now = f"With what was kept the JSON is {shown(whole, _MAX_DESCRIBED)}. " if earlier and across else ""
    lists = " and ".join(dict.fromkeys(f"`{name}` with all its items" for name in _lists(found)))
    advice = f"Write the corrected JSON{f', {lists},' if lists else ''} in a ```json block."
    return error(f"{now}The JSON does not fit: {_described(found)}. {advice}", whole)


@dataclass(frozen=True)
class _Refused:
    """A value that does not fit, and why; where in it, and which of these fields have to go or have a wrong name."""

    value: Any
    problem: ValidationError

    @cached_property
    def problems(self) -> list[Problem]:
        return problems_of(self.problem.errors(include_url=False), self.value)

    @property
    def places(self) -> list[Path]:
        return [place for one in self.problems for place in one.places]

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys(str(place[0]) for place in self.places if place))

    @property
    def misnamed(self) -> list[Path]:
        return [place for one in self.problems for place in one.misnamed]

    @property
    def gone(self) -> list[Path]:
        return [place for one in self.problems for place in one.gone]


_A_RULE = "Raise a ValueError there for a value that the type is to refuse."


@dataclass(frozen=True)
class _Raised:
    """That a validator of the type raised what is no refusal, and what it raised."""

    words: str
    error: Exception


def fitting(values: Iterable[Any], schema: Any) -> ParseDict:
    """The first value that the schema accepts, validated; otherwise feedback on the value that came closest."""
    found = _nearest(values, schema)
    if isinstance(found, _Raised):
        raise found.error
    if found is None:
        return error("There is no JSON in the reply. Write one JSON value in a ```json block." + _example(schema))
    return error(_refusal(found)) if isinstance(found, _Refused) else found


def _refusal(refused: _Refused) -> str:
    return f"The JSON does not fit: {_described(refused)}. Write the whole corrected JSON again in a ```json block."


def _nearest(values: Iterable[Any], schema: Any) -> _Found:
    adapter = None if schema is None else _adapter(schema)
    refused: list[_Refused] = []
    raised: _Raised | None = None
    too_deep = False
    for value in values:
        if value is TOO_DEEP or deeper_than(MAX_DEPTH, value):
            too_deep = True
            continue
        if adapter is None:
            return success(value)
        found, neat = _held(adapter, value, schema), trimmed(value)
        if neat != value and isinstance(found, (_Refused, _Raised)):
            found = _held(adapter, neat, schema)
        if isinstance(found, _Refused):
            refused.append(found)
        elif isinstance(found, _Raised):
            raised = raised or found
        else:
            return found
    if raised:
        # No other value comes as close.
        return raised
    if refused:
        return min(refused, key=lambda each: _distance(each.problem))
    if too_deep:
        return error(f"The JSON is nested deeper than {MAX_DEPTH} levels. Write it flatter in a ```json block.")
    return None


_Found = ParseDict | _Refused | _Raised | None


def _closest(found: _Found, other: _Found) -> _Found:
    """The other one if it fits, or is less far off."""
    if isinstance(other, _Refused):
        closer = found is None or (isinstance(found, _Refused) and _distance(other.problem) < _distance(found.problem))
        return other if closer else found
    return found if other is None or isinstance(other, _Raised) or other["status"] == "error" else other


def _held(adapter: TypeAdapter[Any], value: Any, schema: Any) -> ParseDict | _Refused | _Raised:
    try:
        return success(_as_schema_has_it(adapter, value))
    except ValidationError as invalid:
        return _Refused(value, invalid)
    except GraphBubbleUp:
        # A validator may pause the graph by `interrupt()`.
        raise
    except Exception as problem:  # noqa: BLE001 - a validator of the type's own may raise anything
        try:
            plain_validator(adapter).validate_python(value)
        except ValidationError as invalid:
            return _Refused(value, invalid)
        return _Raised(f"could not hold the reply to {raised_words(schema, problem, value)}", problem)


def _as_schema_has_it(adapter: TypeAdapter[Any], value: Any) -> Any:
    # A strict one takes a date or a set as JSON alone, which has none.
    try:
        return adapter.validate_python(value)
    except ValidationError as invalid:
        # A value with more problems is wrong in other ways, too, and a hostile one has any number.
        few = invalid.error_count() <= _MOST_STRICT
        if not few or not any(one["type"].endswith(("_type", "instance_of")) for one in _items(invalid)):
            raise
        try:
            return adapter.validate_json(json.dumps(value))
        except ValidationError as as_json:
            # What is right as JSON is no problem.
            raise (as_json if as_json.error_count() < invalid.error_count() else invalid) from None
        except (ValueError, RecursionError):
            raise invalid from None


def _with(kept: dict[str, Any], values: Iterable[Any], schema: Any) -> Iterator[Any]:
    """Each object with the kept fields: where it lacks them, and then also where its own are wrong."""
    before = _nearest([kept], schema)
    wrong, misnamed = (before.places, before.misnamed) if isinstance(before, _Refused) else ([], [])
    for value in values:
        if not isinstance(value, dict) or deeper_than(MAX_DEPTH, cast(Any, value)):
            yield value
            continue
        for whole in mergers(kept, trimmed(value), wrong, misnamed):
            yield whole
            refused = _nearest([whole], schema)
            if isinstance(refused, _Refused):
                yield {**whole, **{name: kept[name] for name in refused.names if name in kept}}


def _goes_on(refused: _Refused) -> dict[str, Any]:
    """The object with which a next reply can be put together; empty if all has to be written again."""
    if not isinstance(refused.value, dict):
        return {}
    value = cast("dict[str, Any]", refused.value)
    names, gone = set(refused.names), refused.gone
    # It may have been meant as any of several types.
    if not all(refused.places) and any(item["loc"] for item in _items(refused.problem)):
        return {}
    # Which of the names at the top was meant, only the whole can tell.
    at_the_top = any(len(path) == 1 for path in refused.misnamed)
    if at_the_top or (names and (names <= {path[0] for path in gone if len(path) == 1} or value.keys() <= names)):
        return {}
    # A wrong field stays until it is corrected: without it, a default could pass in its place.
    return without(value, gone)


def _lists(refused: _Refused) -> list[str]:
    """The lists of which an item is wrong, as a reply would name them."""
    places = refused.places
    ends = [next((end for end, part in enumerate(place) if isinstance(part, int)), None) for place in places]
    return [_path(place[:end]) for place, end in zip(places, ends, strict=True) if end]


def _items(problem: ValidationError) -> list[Any]:
    return list(problem.errors(include_url=False, include_context=False, include_input=False))


def _adapter(schema: Any) -> TypeAdapter[Any]:
    if isinstance(schema, (str, Mapping)):
        raise ValueError("schema has to be a type that pydantic knows: of a JSON schema, make one, such as a TypedDict")
    try:
        try:
            return _known_adapter(schema)
        except TypeError:
            # A type that cannot be hashed, such as one annotated with a mutable value.
            return TypeAdapter(schema)
    except PydanticUserError as problem:
        words = str(problem).partition("\n")[0].rstrip(".")
        raise ValueError(f"schema has to be a type that pydantic knows: {words}") from None


@lru_cache(maxsize=64)
def _known_adapter(schema: Any) -> TypeAdapter[Any]:
    return TypeAdapter(schema)


def _distance(invalid: ValidationError) -> tuple[bool, int]:
    """How far a value is from the schema; a value of the wrong type is further off than one with many wrong fields."""
    items = _items(invalid)
    return any(not item["loc"] for item in items), len(items)


def _described(refused: _Refused) -> str:
    problems = refused.problems
    # A path holds the keys as the model wrote them, and a message may quote a value.
    lines = [f"`{_path(each.path)[:_MAX_SHOWN]}`: {each.words[:_MAX_SHOWN]}" for each in problems[:8]]
    more = f" (and {len(problems) - 8} more)" if len(problems) > 8 else ""
    return "; ".join(lines)[:_MAX_DESCRIBED] + more


def _path(location: Path) -> str:
    return written_path(location).removeprefix(".") or "the whole value"


def _json_schema(schema: Any) -> dict[str, Any]:
    try:
        return _adapter(schema).json_schema()
    except PydanticInvalidForJsonSchema:
        return {}


def _example(schema: Any) -> str:
    properties: dict[str, Any] = {} if schema is None else _json_schema(schema).get("properties", {})
    return f" Its fields are: {', '.join(properties)}." if properties else ""
