"""Checks an action against the tools: a known name and valid arguments, or exact feedback."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from langchain_core.tools import BaseTool

from ..._internal.strict_json import loads_or
from ...traces.shapes import ASK_USER, Action
from ..metadata import metadata_of
from ..schemas import input_schema, problems_of

_MAX_DEPTH = 50
_INPUT = r"(?:input|arguments?|parameters?|eingabe|entrada|entrée)"
_TAKES_NOTHING = re.compile(
    rf"\b{_INPUT}\b[^.;,]{{0,20}}\b(?:ignor\w*|unused|not (?:used|needed|required))"
    rf"|\b(?:no|without|ignor\w*(?: the| any)?|unused|ohne|keine|sin|sans) {_INPUT}\b"
    r"|(?:无需|不需要|忽略|没有)(?:任何)?(?:输入|参数)|(?:输入|参数)[^。]{0,6}忽略",
    re.IGNORECASE,
)
"""What the description of a tool says that may be called with an empty text: "List my loans; input is ignored"."""
_BLANK = re.compile(
    r"|\W+|(?:unknown|unspecified|not (?:given|specified|provided)|tbd|n/?a|none|null|未知|待定|不详)", re.IGNORECASE
)
_INPUTS = frozenset({"input", "args", "arguments"})
_OF_A_CALL = _INPUTS | {"tool", "step"}
_OF_ANY_CALL = frozenset({"id", "type", "name", "thought", "reason"})
_OF_CALL = re.compile(r"(?:Call \d+: )?(?:There is no tool |The `input` of )")
"""How the words begin that are said of a call which cannot be made."""
_HALF = re.compile(r"[\ud800-\udfff]")


def arguments(tool: BaseTool, given: str | Mapping[str, Any]) -> dict[str, Any]:
    """A tool's arguments by name; a plain string stands for its only argument, or its only required one."""
    if not isinstance(given, str):
        return dict(given)
    name = text_argument(tool)
    return {name: given} if name else {}


def text_argument(tool: BaseTool) -> str | None:
    """The argument that a plain string stands for: a string, and the only one that a call needs."""
    schema = input_schema(tool)
    properties: dict[str, Any] = schema.get("properties", {})
    candidates: list[str] = schema.get("required") or list(properties)
    if len(candidates) != 1:
        return None
    return candidates[0] if _takes_text(properties.get(candidates[0], {}), schema) else None


def _takes_text(about: Mapping[str, Any], schema: Mapping[str, Any], inside: frozenset[str] = frozenset()) -> bool:
    named = str(about.get("$ref", "")).rpartition("/")[2]
    if named in inside:
        # A type that holds itself.
        return False
    about = schema.get("$defs", {}).get(named, about)
    if not {"type", "anyOf", "$ref"} & set(about):
        # An argument without a type hint.
        return True
    inside |= {named} - {""}
    return about.get("type") == "string" or any(_takes_text(one, schema, inside) for one in about.get("anyOf", ()))


def action_check(tools: Mapping[str, BaseTool]) -> ActionCheck:
    """Build the check of a thought's `next_action` against the tools and their arguments, with exact feedback."""

    text_arguments = {name: text_argument(tool) for name, tool in tools.items()}

    def check(given: Mapping[str, Any]) -> Action | str:
        named = str(given.get("tool") or "").strip()
        name = _named(named, tools)
        if name is None:
            return f"There is no tool {named[:80]!r}. The tools are: {', '.join([*tools, ASK_USER])}."
        tool = tools[name]
        own = text_arguments[name]
        value = _given_input(given, tool, own)
        if isinstance(value, str) and own:
            if not value.strip():
                # LangChain's `Tool` can take nothing but a text.
                if own in required_arguments(tool) or _TAKES_NOTHING.search(tool.description):
                    return {"tool": name, "input": ""}
                return f"The `input` of {name} is empty."
            return _wrong_arguments(tool, {own: value.strip()}) or {"tool": name, "input": value.strip()}
        if not isinstance(value, Mapping):
            fields = ", ".join(input_schema(tool).get("properties", {})) or "no fields"
            wanted = "a string" if own else f"an object with {fields}"
            return f"The `input` of {name} must be {wanted}."
        given_fields = dict(cast("Mapping[str, Any]", value))
        asked_for = required_arguments(tool)
        given_fields = {key: one for key, one in given_fields.items() if key not in asked_for or not is_blank(one)}
        if not _can_be_kept(given_fields):
            return f"The `input` of {name} holds a number that is too large, or NaN, or is nested too deep."
        if _has_half_name(given_fields):
            return f"The `input` of {name} has a field with half a character, such as \\ud800, in its name."
        return _wrong_arguments(tool, given_fields) or {"tool": name, "input": given_fields}

    return check


def is_about_a_call(said: str) -> bool:
    """Whether feedback is an action check's, and so of a reply that could be read."""
    return bool(_OF_CALL.match(said))


def required_arguments(tool: BaseTool) -> Sequence[str]:
    """The arguments that the loop asks the user for, where a call leaves them out: a list in `metadata["required"]`."""
    given = metadata_of(tool).get("required", ())
    return [] if callable(given) else [name for name in given if isinstance(name, str)]


def is_blank(value: object) -> bool:
    """Whether a value says nothing, or says that it is not known."""
    return value is None or (isinstance(value, str) and bool(_BLANK.fullmatch(value.strip())))


def _given_input(given: Mapping[str, Any], tool: BaseTool, own: str | None) -> Any:
    """A call's input in its simplest form: text for a tool that takes one, an object for any other.

    Arguments that stand beside the input belong to it, where it lacks them:
    `{"tool": "use_up", "input": "eggs", "amount": 3}`."""
    value = given.get("input", given.get("args", given.get("arguments")))
    if (
        isinstance(value, str)
        and value.lstrip().startswith("{")
        and isinstance(read := loads_or(value, None, json.loads), dict)
    ):
        # As OpenAI's calls have their arguments: an object as text. One with fields that the tool lacks is a text.
        fields = cast("dict[str, Any]", read)
        if own is None or (own in fields and set(fields) <= set(input_schema(tool).get("properties", {}))):
            value = fields
    if beside := _beside(given, tool):
        if isinstance(value, Mapping):
            return {**beside, **cast("Mapping[str, Any]", value)}
        needed = [name for name in input_schema(tool).get("required", ()) if name not in beside] or [own]
        if is_blank(value):
            return beside
        if len(needed) == 1 and needed[0] not in (None, *beside):
            return {**beside, needed[0]: value}
    if value is None and not input_schema(tool).get("required"):
        return {}
    if isinstance(value, str) and own is None:
        return loads_or(value, value if value.strip() else {}, json.loads)
    if isinstance(value, Mapping) and own and set(cast("Mapping[str, Any]", value)) == {own}:
        text_given: Any = cast("Mapping[str, Any]", value)[own]
        return text_given if isinstance(text_given, str) else cast(Any, value)
    return cast(Any, value)


def _beside(given: Mapping[str, Any], tool: BaseTool) -> dict[str, Any]:
    """The arguments that stand beside a call's input; what else calls may have there, such as a type, is none."""
    schema = input_schema(tool)
    own = set(schema.get("properties", {})) - _OF_A_CALL
    if not _INPUTS.isdisjoint(given):
        own -= _OF_ANY_CALL - set(schema.get("required", ()))
    return {name: one for name, one in given.items() if name in own}


def _can_be_kept(value: Any, depth: int = 0) -> bool:
    """Whether a checkpoint can hold a value, as MessagePack has 64-bit integers and a nesting limit, and whether it is
    JSON, which Python's NaN and Infinity are not."""
    if depth > _MAX_DEPTH:
        return False
    if isinstance(value, dict):
        return all(_can_be_kept(item, depth + 1) for item in cast("dict[str, Any]", value).values())
    if isinstance(value, list):
        return all(_can_be_kept(item, depth + 1) for item in cast("list[Any]", value))
    if isinstance(value, float):
        return math.isfinite(value)
    return not isinstance(value, int) or -(2**63) <= value < 2**64


def _has_half_name(value: Any) -> bool:
    """Whether a field's name has a lone surrogate; a checkpoint accepts one in a text but not in a name."""
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        return any(map(_HALF.search, fields)) or any(map(_has_half_name, fields.values()))
    return isinstance(value, list) and any(map(_has_half_name, cast("list[Any]", value)))


def _named(given: str, tools: Mapping[str, BaseTool]) -> str | None:
    """The tool meant by a name, in any spelling, by a part of a name that fits only one tool, or by another name that a
    tool gives for itself."""
    plain = given.lower().lstrip("/")
    meant = [name for name in tools if name == given] or [name for name in tools if name.lower() == plain]
    if not meant and len(plain) > 2:
        meant = [name for name in tools if plain in name.lower().split("_")]
    if not meant:
        meant = [name for name, tool in tools.items() if plain in metadata_of(tool).get("names", ())]
    return meant[0] if len(meant) == 1 else None


def _wrong_arguments(tool: BaseTool, fields: dict[str, Any]) -> str:
    problems = problems_of(tool, fields, required_arguments(tool))
    return f"The `input` of {tool.name} does not fit: {'; '.join(problems)[:600]}." if problems else ""


ActionCheck = Callable[[Any], "Action | str"]
"""Turns the model's `next_action` into an action, or says what is wrong with it."""
