"""Tool calls that a model wrote as text, where its server should have reported them as calls.

A small model leaves out the marks by which a server knows a call, and a server may know none for the model at all. The
reply is then nothing but the call as JSON, in the form that chat templates show to models, or in a form that the model
was trained on, with a name before the arguments, and an agent would take it for the answer.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, cast

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolCall
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult

from ..._internal.strict_json import loads_or, mapping

# Hermes', Llama's, Granite's and Phi's, Mistral's, DeepSeek's, Kimi's, gpt-oss'.
_MARK = re.compile(
    r"</?tool_calls?>|<\|python_tag\|>|<\|/?tool_call\|>|\[TOOL_CALLS\]|<function(?==)|</function>"
    r"|<｜tool▁calls?▁(?:begin|end)｜>|<\|tool_calls?_(?:section_)?(?:begin|end)\|>|<\|channel\|>commentary(?= to=)"
)
"""What a model was trained to write where it calls a tool."""
_ONE_AROUND = re.compile(rf"{_MARK.pattern}|```(?:json|tool_call)?|<\|(?:call|eom_id|eot_id)\|>|[\s,;]+")
_NAMED = re.compile(
    # Llama's and Qwen's, Mistral's, DeepSeek's, Kimi's, gpt-oss', GLM's.
    r"(?:<function=|\[TOOL_CALLS\]|<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?|<\|tool_call_begin\|>"
    r"|<\|channel\|>commentary to=|<tool_call>)\s*(?:functions\.)?(?P<name>[\w-]+)(?::\d+)?"
    r"(?:>|\[ARGS\]|<｜tool▁sep｜>|<\|tool_call_argument_begin\|>|\s*(?:<\|constrain\|>)?(?:json)?<\|message\|>)?"
    r"\s*(?:```json\s*)?(?=[{<])"
)
_NAMED_VALUE = re.compile(
    r"\s*(?:<parameter=(?P<name>[^<>]+)>(?P<value>.*?)</parameter>"
    r"|<arg_key>(?P<key>[^<>]+)</arg_key>\s*<arg_value>(?P<given>.*?)</arg_value>)",
    re.DOTALL,
)
_BEGINNINGS = ("{", "[", "<tool_call", "<function=", "<|", "<｜tool", "```")
_ARGUMENTS = ("arguments", "parameters", "args")
_BESIDE = {"name", "id", "type", *_ARGUMENTS}
_LONGEST = 100_000
_DECODER = json.JSONDecoder()


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


def written_calls(reply: str, names: Collection[str] | None) -> list[ToolCall]:
    """The calls in a reply that holds nothing else; none if it holds anything else, or no tool has such a name.

    Where the names are None, a tool may have any name.

    Example:
        >>> written_calls('{"name": "add", "arguments": {"x": 1}}', ["add"])[0]["args"]
        {'x': 1}
        >>> written_calls('I call {"name": "add", "arguments": {"x": 1}}.', ["add"])
        []
    """
    if len(reply) > _LONGEST:
        return []
    place, found = _past(reply, 0), list[Any]()
    while place < len(reply):
        try:
            value, place = _read(reply, place)
        except (ValueError, RecursionError):
            return []
        found += cast("list[Any]", value) if isinstance(value, list) else [value]
        place = _past(reply, place)
    calls = [_call(one, names) for one in found]
    return [call for call in calls if call] if all(calls) else []


def calls_at_the_end(reply: str, names: Collection[str] | None = None) -> list[ToolCall]:
    """The calls in a reply that holds nothing else, or nothing else behind the first mark of a call."""
    mark = _MARK.search(reply)
    return written_calls(reply[mark.start() :] if mark else reply, names)


def with_calls(reply: str, message: BaseMessage | None) -> str:
    """A reply with the tool calls that its server reported, written after it as text."""
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    # A class of the user's own may give arguments that are not JSON's.
    shown = [json.dumps({"name": call["name"], "arguments": call["args"]}, default=str) for call in calls]
    return "".join([reply, *(f"<tool_call>{one}</tool_call>" for one in shown)])


def all_written(reply: str, message: BaseMessage | None) -> str:
    """A reply with all its tool calls as text, also invalid ones, such as one that the output cap cut off."""
    unread = message.invalid_tool_calls if isinstance(message, AIMessage) else []
    return "".join([with_calls(reply, message), *(f"{call['name']}{call['args']}" for call in unread)])


def _past(reply: str, place: int) -> int:
    """The position after the marks at a place; a mark with a tool's name is left for `_read`."""
    while not _NAMED.match(reply, place):
        mark = _ONE_AROUND.match(reply, place)
        if mark is None:
            break
        place = mark.end()
    return place


def _read(reply: str, place: int) -> tuple[Any, int]:
    """The value at a place, which may be a call, and the position after it.

    Raises:
        ValueError: there is none.
    """
    named = _NAMED.match(reply, place)
    place = named.end() if named else place
    if named is None or reply.startswith("{", place):
        value, place = _DECODER.raw_decode(reply, place)
    else:
        value = dict[str, Any]()
        while given := _NAMED_VALUE.match(reply, place):
            words = (given["value"] or given["given"] or "").strip()
            value[(given["name"] or given["key"]).strip()] = loads_or(words, words, json.loads)
            place = given.end()
    return ({"name": named["name"], "arguments": value} if named else value), place


def _call(value: Any, names: Collection[str] | None) -> ToolCall | None:
    fields = mapping(value)
    given: Any = next((fields[key] for key in _ARGUMENTS if key in fields), None)
    if isinstance(given, str):
        given = loads_or(given, None, json.loads)
    name = fields.get("name")
    if not isinstance(name, str) or not isinstance(given, dict) or not set(fields) <= _BESIDE:
        return None
    if names is not None and name not in names:
        return None
    return ToolCall(name=name, args=cast("dict[str, Any]", given), id=f"call_{uuid.uuid4().hex[:24]}", type="tool_call")


def _names(tools: Iterable[Any]) -> Iterator[str]:
    """As OpenAI's API has them; a server's own kind of tool is never called in text."""
    for tool in tools:
        if isinstance(tool, dict) and isinstance(function := cast("dict[str, Any]", tool).get("function"), dict):
            yield str(cast("dict[str, Any]", function).get("name"))
