"""Finds JSON in a loose reply, repairs the usual mistakes of models, and checks it with a pydantic type."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any, cast

from pydantic import TypeAdapter, ValidationError
from pydantic.errors import PydanticInvalidForJsonSchema

from ..._internal.fences import find_fences
from ..._internal.strict_json import deeper_than
from ..contract import ParseDict, error, success
from .mending import as_json, mended
from .merging import Path, mergers, without
from .words import Problem, problems_of, shown, written_path

_TOKEN = re.compile(r'[{}\[\]]|"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_LANGUAGES = frozenset({"json", "jsonc", "json5", ""})
_MAX_SPANS = 32
_MAX_TOKENS = 150_000
"""Most brackets and strings to look at: more than any real reply has, and a limit for a hostile one."""
_STARTS_LIKE_JSON = re.compile(r'\{\s{0,50}"|\[\s{0,50}["{\[\d-]')
FULL_WIDTH = str.maketrans("：，｛｝［］“”", ':,{}[]""')
_MAX_DEPTH = 100
"""Most levels of lists and objects: more than any answer has. Python cannot always write out anything deeper."""
TOO_DEEP: Any = object()
_MAX_SHOWN, _MAX_DESCRIBED = 150, 1_700
"""Most characters of one path or message, and of all together: feedback is capped, and its end says what to do."""


def json_parser(raw_reply: str, schema: Any = None, *, kept: Mapping[str, Any] | None = None) -> ParseDict:
    """Extract the JSON value from a reply, in a fenced block or in prose, complete or with the usual mistakes.

    Trailing commas, single quotes, Python's `True` and `None`, comments and a cut-off end are repaired (json-repair).
    Of several values, this takes the last one that fits the schema.

    Args:
        raw_reply: the model's reply.
        schema: a pydantic model, or any type that pydantic can validate from an object or an array; None accepts any.
        kept: the object of an earlier reply, whose fields count where this one lacks them, or where it spoils them.

    Returns:
        `{"status": "success", "content": value}`, the value validated by the schema, or
        `{"status": "error", "feedback": …}` that lists each wrong field by its path. If only some fields of an object
        are wrong, or a rule across them is broken, the object is `kept`.
    """
    earlier = dict(kept or {})
    found = _nearest(_with(earlier, json_values(raw_reply), schema) if earlier else json_values(raw_reply), schema)
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
        return problems_of(self.problem, self.value)

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


def fitting(values: Iterable[Any], schema: Any) -> ParseDict:
    """The first value that the schema accepts, validated; otherwise feedback on the value that came closest."""
    found = _nearest(values, schema)
    return error(_refusal(found)) if isinstance(found, _Refused) else found


def _refusal(refused: _Refused) -> str:
    return f"The JSON does not fit: {_described(refused)}. Write the whole corrected JSON again in a ```json block."


def _nearest(values: Iterable[Any], schema: Any) -> ParseDict | _Refused:
    adapter = None if schema is None else _adapter(schema)
    refused: list[_Refused] = []
    too_deep = False
    for value in values:
        if value is TOO_DEEP or deeper_than(_MAX_DEPTH, value):
            too_deep = True
            continue
        if adapter is None:
            return success(value)
        try:
            return success(adapter.validate_python(value))
        except ValidationError as invalid:
            refused.append(_Refused(value, invalid))
        if (strictly := as_json(adapter, value, refused[-1].problem)) is not None:
            return success(strictly)
        neat = trimmed(value)
        if neat != value:
            try:
                return success(adapter.validate_python(neat))
            except ValidationError as invalid:
                refused[-1] = _Refused(neat, invalid)
    if refused:
        return min(refused, key=lambda each: _distance(each.problem))
    if too_deep:
        return error(f"The JSON is nested deeper than {_MAX_DEPTH} levels. Write it flatter in a ```json block.")
    return error("There is no JSON in the reply. Write one JSON value in a ```json block." + _example(adapter))


def _with(kept: dict[str, Any], values: Iterable[Any], schema: Any) -> Iterator[Any]:
    """Each object with the kept fields: where it lacks them, and then also where its own are wrong."""
    before = _nearest([kept], schema)
    wrong, misnamed = (before.places, before.misnamed) if isinstance(before, _Refused) else ([], [])
    for value in values:
        if not isinstance(value, dict) or deeper_than(_MAX_DEPTH, cast(Any, value)):
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


def trimmed(value: Any) -> Any:
    """A value with the names of its fields as they are meant: without the spaces that some models put around them."""
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        return {name.strip() if name.strip() not in fields else name: trimmed(item) for name, item in fields.items()}
    return [trimmed(item) for item in cast("list[Any]", value)] if isinstance(value, list) else value


def _adapter(schema: Any) -> TypeAdapter[Any]:
    try:
        return _known_adapter(schema)
    except TypeError:
        # A type that cannot be hashed, such as one annotated with a mutable value.
        return TypeAdapter(schema)


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


def _example(adapter: TypeAdapter[Any] | None) -> str:
    if adapter is None:
        return ""
    try:
        properties: dict[str, Any] = adapter.json_schema().get("properties", {})
    except PydanticInvalidForJsonSchema:
        return ""
    return f" Its fields are: {', '.join(properties)}." if properties else ""


def json_values(reply: str) -> Iterator[Any]:
    """JSON objects and arrays in the reply, the likeliest first: valid ones from last to first, then repaired ones."""
    if reply.lstrip()[:1] in ("{", "["):
        # A reply that is only JSON, as constrained ones are, needs no search.
        try:
            yield _loaded(reply)
            return
        except ValueError:
            pass
    texts = [reply[start:end] for start, end in _spans(reply)]
    # A block marked as JSON is the answer; a bracket in the prose after it is not.
    texts += [fence.body for fence in find_fences(reply, last=_MAX_SPANS) if fence.language in _LANGUAGES]
    cut = _cut_off_start(reply)
    if cut is not None and (value := mended(reply[cut:])):
        # A complete value inside a value that was cut off is only part of the answer.
        yield value
    broken: list[str] = []
    for text in reversed(texts):
        try:
            value = _loaded(text)
        except ValueError:
            broken.append(text)
            continue
        if value is TOO_DEEP or isinstance(value, (dict, list)):
            yield value
    opening = re.search(r"[{\[｛［]", reply)
    if opening:
        broken.append(reply[opening.start() :])
    for text in broken[:4]:
        for spelled in dict.fromkeys((text, text.translate(FULL_WIDTH))):
            if value := mended(spelled):
                yield value


def _loaded(text: str) -> Any:
    try:
        return json.loads(text, strict=False)
    except RecursionError:
        return TOO_DEEP


def _cut_off_start(text: str) -> int | None:
    """The start of a JSON value that the reply does not close; a lone bracket in prose does not count."""
    open_brackets: list[int] = []
    for token in islice(_TOKEN.finditer(text), _MAX_TOKENS):
        if token[0] in "{[":
            open_brackets.append(token.start())
        elif token[0] in "}]" and open_brackets:
            open_brackets.pop()
    return next((start for start in open_brackets[:_MAX_SPANS] if _STARTS_LIKE_JSON.match(text, start)), None)


def _spans(text: str) -> list[tuple[int, int]]:
    """Outermost balanced `{…}` and `[…]`; a limited number of brackets that are never closed are skipped."""
    spans: list[tuple[int, int]] = []
    position = tokens = 0
    for _ in range(_MAX_SPANS):
        depth, start = 0, -1
        for token in islice(_TOKEN.finditer(text, position), _MAX_TOKENS - tokens):
            tokens += 1
            mark = token[0]
            if mark in "{[":
                start = token.start() if depth == 0 else start
                depth += 1
            elif mark in "}]" and depth:
                depth -= 1
                if depth == 0:
                    spans.append((start, token.end()))
                    if len(spans) > 4 * _MAX_SPANS:
                        del spans[: 2 * _MAX_SPANS]
        if depth == 0 or tokens >= _MAX_TOKENS:
            break
        position = start + 1
    return spans[-_MAX_SPANS:]
