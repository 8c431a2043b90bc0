"""Tool calls that a model wrote as text, where its server should have reported them as calls.

A small model leaves out the marks by which a server knows a call, and a server may know none for the model at all. The
reply is then nothing but the call as JSON, in the form that chat templates show to models, and an agent would take it
for the answer.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, cast

from langchain_core.messages import AIMessage, AIMessageChunk, ToolCall
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult

from ..._internal.strict_json import loads_or, mapping

_MARKS = re.compile(r"</?tool_calls?>|```(?:json|tool_call)?")
_BEGINNINGS = ("{", "[", "<tool_call", "```")
_ARGUMENTS = ("arguments", "parameters", "args")
_BESIDE = {"name", "id", "type", *_ARGUMENTS}
_LONGEST = 100_000


class WrittenCalls:
    """Turns the calls that one reply holds as text into tool calls.

    Args:
        options: of the request. Without tools, or where none may be called, every reply stays as it is.
    """

    def __init__(self, options: Mapping[str, Any]) -> None:
        tools: Any = options.get("tools") if options.get("tool_choice") != "none" else ()
        self._names = frozenset(_names(tools or ()))
        self._text = ""
        self._held: list[ChatGenerationChunk] = []
        self._holds = bool(self._names)

    def in_result(self, result: ChatResult) -> ChatResult:
        """A whole reply."""
        for generation in result.generations if self._names else ():
            message = generation.message
            if not isinstance(message, AIMessage) or message.tool_calls:
                continue
            if calls := written_calls(message.text, self._names):
                generation.message = message.model_copy(update={"content": "", "tool_calls": calls})
        return result

    def seen(self, chunk: ChatGenerationChunk) -> Iterator[ChatGenerationChunk]:
        """What of a stream can be passed on; what may be the beginning of a call waits for the end."""
        if not self._holds:
            yield chunk
            return
        self._text += chunk.text
        self._held.append(chunk)
        begun = self._text.lstrip()
        may_be = any(begun.startswith(mark[: len(begun)]) for mark in _BEGINNINGS)
        if not may_be or cast(AIMessageChunk, chunk.message).tool_call_chunks or len(begun) > _LONGEST:
            self._holds = False
            yield from self._released()

    def at_the_end(self) -> Iterator[ChatGenerationChunk]:
        """What waited: as calls, or as it was written."""
        calls = written_calls(self._text, self._names) if self._holds else []
        for place, call in enumerate(calls):
            written = tool_call_chunk(name=call["name"], args=json.dumps(call["args"]), id=call["id"], index=place)
            yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=[written]))
        for chunk in self._released():
            if calls:
                # What stands beside the text stays: usage, why the reply ended.
                bare = chunk.message.model_copy(update={"content": ""})
                yield ChatGenerationChunk(message=bare, generation_info=chunk.generation_info)
            else:
                yield chunk

    def _released(self) -> Iterator[ChatGenerationChunk]:
        held, self._held = self._held, []
        yield from held


def written_calls(reply: str, names: Collection[str]) -> list[ToolCall]:
    """The calls in a reply that holds nothing else; none if it holds anything else, or no tool has such a name.

    Example:
        >>> written_calls('{"name": "add", "arguments": {"x": 1}}', ["add"])[0]["args"]
        {'x': 1}
        >>> written_calls('I call {"name": "add", "arguments": {"x": 1}}.', ["add"])
        []
    """
    if len(reply) > _LONGEST:
        return []
    rest = _MARKS.sub(" ", reply).strip()
    found: list[Any] = []
    while rest:
        try:
            value, end = json.JSONDecoder().raw_decode(rest)
        except (ValueError, RecursionError):
            return []
        found += cast("list[Any]", value) if isinstance(value, list) else [value]
        rest = rest[end:].lstrip(" \t\r\n,;")
    calls = [_call(one, names) for one in found]
    return [call for call in calls if call] if all(calls) else []


def _call(value: Any, names: Collection[str]) -> ToolCall | None:
    fields = mapping(value)
    given: Any = next((fields[key] for key in _ARGUMENTS if key in fields), None)
    if isinstance(given, str):
        given = loads_or(given, None, json.loads)
    if fields.get("name") not in names or not isinstance(given, dict) or not set(fields) <= _BESIDE:
        return None
    return ToolCall(
        name=fields["name"], args=cast("dict[str, Any]", given), id=f"call_{uuid.uuid4().hex[:24]}", type="tool_call"
    )


def _names(tools: Iterable[Any]) -> Iterator[str]:
    """As OpenAI's API has them; a server's own kind of tool is never called in text."""
    for tool in tools:
        if isinstance(tool, dict) and isinstance(function := cast("dict[str, Any]", tool).get("function"), dict):
            yield str(cast("dict[str, Any]", function).get("name"))
