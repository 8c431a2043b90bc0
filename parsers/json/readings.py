"""Other readings of JSON that does not fit a type as it stands: in a wrapper, escaped once more, with names in another
spelling. Each has one meaning, and counts only if nothing fits as it is written."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, cast

from ..._internal.strict_json import deeper_than, loads_or, mapping
from ..blocks.labels import without_others
from .mending import MAX_READ, OPENING
from .values import json_scalars, json_values

_MOST, _DEEPEST = 64, 4
"""Readings of a value, and wrappers around each other: more than any real reply has."""
_GIVEN = ("arguments", "parameters", "args", "input")
_OF_A_CALL = frozenset({"name", "id", "type", "tool", "function", *_GIVEN})
_ESCAPED = re.compile(r'[{\[](?:\s|\\[nrt]){0,50}(?:\\"|\\n\s{0,50}")')
_ESCAPE = re.compile(r'\\(["\\/nrt])')
_MEANT = {"n": "\n", "r": "\r", "t": "\t"}
_DOUBLED = re.compile(r"\{\s{0,50}\{(?=\s{0,50}[\"'])")
_MARKS = re.compile(r"[\W_]+")


def without_examples(reply: str) -> str:
    """A reply without the blocks that it calls examples of what is wrong, if it has other JSON."""
    kept = without_others(reply)
    return kept if kept != reply and any(True for _ in json_values(kept)) else reply


def unescaped(reply: str) -> str:
    """A reply whose JSON was escaped once more, as a text, or whose outer braces are doubled, as in a template; ""
    for any other."""
    start = opening.start() if (opening := OPENING.search(reply)) else len(reply)
    if _ESCAPED.match(reply, start):
        return _ESCAPE.sub(lambda mark: _MEANT.get(mark[1], mark[1]), reply[: MAX_READ + 1])
    doubled = _DOUBLED.match(reply, start)
    end = reply.rfind("}") if doubled else -1
    return reply[doubled.end() - 1 : end].rstrip() if doubled and end > doubled.end() else ""


def other_readings(reply: str, schema: Mapping[str, Any], max_depth: int) -> Iterator[Any]:
    """The values of a reply and what is in their wrappers, with the names of a JSON schema."""
    own = own_names(schema)
    for value in chain(json_values(reply), json_scalars(reply), json_values(unescaped(reply))):
        if not deeper_than(max_depth, value):
            for one in (value, *unwrapped(value, own)):
                yield _respelled(one, schema)


def own_names(schema: Mapping[str, Any]) -> set[str]:
    """The names of an object's fields by its JSON schema, in whichever of several forms."""
    known = mapping(schema.get("$defs"))
    forms = schema.get("anyOf") or schema.get("oneOf") or [schema]
    return {name for form in forms for name in mapping(_of_one_form(mapping(form), known).get("properties"))}


def unwrapped(value: Any, own: Collection[str] = ()) -> list[Any]:
    """What a value holds that is a mere wrapper: a list of one, an object of one field, a call of a tool, a schema with
    the values in it, a text of JSON, or an object in several parts. One of the schema's own fields is none."""
    return list(islice(_inside(value, own, 0), _MOST))


def _inside(value: Any, own: Collection[str], deep: int) -> Iterator[Any]:
    if deep == _DEEPEST:
        return
    for inner in _held(value, own):
        if isinstance(inner, str):
            read: Any = loads_or(inner, None, json.loads) if inner.lstrip()[:1] in ("{", "[") else None
        else:
            read = inner
        if isinstance(read, (dict, list)):
            yield read
            yield from _inside(cast(Any, read), own, deep + 1)


def _held(value: Any, own: Collection[str]) -> list[Any]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        items = cast("list[Any]", value)
        return items if len(items) == 1 else _joined(items)
    fields = mapping(value)
    if len(fields) == 1:
        return [item for name, item in fields.items() if name not in own]
    given = [name for name in (*_GIVEN, "function") if name in fields]
    if len(given) == 1 and given[0] not in own and set(fields) <= _OF_A_CALL:
        return [fields[given[0]]]
    described = mapping(fields.get("properties"))
    if "properties" in own or "type" not in fields or any("type" in mapping(one) for one in described.values()):
        return []
    return [described]


def _joined(parts: Sequence[Any]) -> list[Any]:
    """The object that several make up of which no two have a field in common."""
    if not parts or not all(isinstance(part, dict) for part in parts):
        return []
    whole = {name: item for part in parts for name, item in cast("dict[str, Any]", part).items()}
    return [whole] if len(whole) == sum(map(len, parts)) else []


def _respelled(value: Any, schema: Mapping[str, Any]) -> Any:
    """A value with the names that a JSON schema has, where its own differ from them in case and marks alone."""
    return _spelled(value, schema, mapping(schema.get("$defs")))


def _spelled(value: Any, schema: Mapping[str, Any], known: Mapping[str, Any]) -> Any:
    schema = _of_one_form(schema, known)
    if isinstance(value, list):
        return [_spelled(item, mapping(schema.get("items")), known) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    fields = cast("dict[str, Any]", value)
    named, others = mapping(schema.get("properties")), mapping(schema.get("additionalProperties"))
    meant = {plain_name(name): name for name in named}
    spelled: dict[str, Any] = {}
    for name, item in fields.items():
        own = name if name in named else meant.get(plain_name(name), name)
        own = name if own in spelled or (own != name and own in fields) else own
        spelled[own] = _spelled(item, mapping(named.get(own, others)), known)
    return spelled


def _of_one_form(schema: Mapping[str, Any], known: Mapping[str, Any]) -> Mapping[str, Any]:
    """A schema without references, and of several types the only one that has fields or items."""
    for _ in range(_DEEPEST):
        forms = [mapping(one) for one in schema.get("anyOf") or schema.get("oneOf") or ()]
        forms = [one for one in forms if one.get("type") in (None, "object", "array")]
        if len(forms) == 1:
            schema = forms[0]
        if "$ref" not in schema:
            break
        schema = mapping(known.get(str(schema["$ref"]).rpartition("/")[2]))
    return schema


def trimmed(value: Any) -> Any:
    """A value with the names of its fields as they are meant: without the spaces that some models put around them."""
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        return {name.strip() if name.strip() not in fields else name: trimmed(item) for name, item in fields.items()}
    return [trimmed(item) for item in cast("list[Any]", value)] if isinstance(value, list) else value


def plain_name(name: str) -> str:
    """A field's name without what makes no difference between two of them: case, blanks and marks."""
    return _MARKS.sub("", name).casefold()
