"""Why a reply ended."""

from __future__ import annotations

from typing import Any

from langchain_core.exceptions import ModelAPIError
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk

from ..._internal.strict_json import mapping
from ..._internal.texts import said_once
from ...traces.lookup import brief
from ..messages import HOLDERS, TEXTUAL, USAGE_FIELDS, content_parts


def finish_reason_of(message: BaseMessage) -> str | None:
    """Why the model stopped, in OpenAI's words: providers' names for the output cap all become `"length"`, those for a
    filter `"content_filter"`."""
    metadata = message.response_metadata
    reasons = [metadata.get(name) for name in ("finish_reason", "stop_reason", "stopReason", "done_reason")]
    for value in (*reasons, mapping(metadata.get("incomplete_details")).get("reason")):
        if isinstance(value, str) and value:
            reason = said_once(value)
            return _REASONS.get(reason.lower(), reason)
    # Of a prompt that Gemini blocks there is no reply that could have ended.
    return "content_filter" if mapping(metadata.get("prompt_feedback")).get("block_reason") else None


def has_ended(said: dict[str, Any]) -> bool:
    """Whether a stream's chunks said what comes behind the whole reply: a reason, or the Responses API's status."""
    reason = finish_reason_of(AIMessageChunk(content="", response_metadata=said))
    return reason in _ENDS or said.get("status") in ("completed", "incomplete")


def check_ended(message: BaseMessage) -> None:
    """Refuse a reply that its server broke off: it is not the whole reply of the model.

    Raises:
        ModelAPIError: the server gives a fault of its own as the reason, or in place of a reply.
    """
    fault = mapping(message.response_metadata.get("error"))
    if fault and not message.content:
        raise ModelAPIError(f"the server answered with an error: {brief(fault, _LONGEST)}")
    reason = finish_reason_of(message) or ""
    if reason.lower() in _BROKEN_OFF:
        raise ModelAPIError(f"the server broke the reply off; its finish reason is {reason!r}")


def check_said(message: AIMessage) -> None:
    """Refuse a stream that says nothing at all, not even that the reply is empty: many clients ignore an error inside
    of a stream, and LangChain raises over a stream without any chunk.

    Raises:
        ModelAPIError: there are no words, no calls, no reason and no usage.
    """
    usage = (*mapping(message.usage_metadata).values(), *map(message.response_metadata.get, USAGE_FIELDS))
    said = (message.content, message.tool_calls, message.invalid_tool_calls, *message.additional_kwargs.values())
    if not any((*said, *usage, finish_reason_of(message))):
        raise ModelAPIError("the server's stream holds no reply")


def check_readable(message: AIMessage) -> None:
    """Refuse a reply of blocks in which nothing is said, called or thought, but something else stands where a class of
    the user's own may have its text: the model would be told that its reply was empty, again and again.

    Raises:
        TypeError: it is one.
    """
    blocks = message.content if isinstance(message.content, list) else []
    odd = [block for block in blocks if _may_say_something(block)]
    if odd and not (any(content_parts(message)) or message.tool_calls or message.invalid_tool_calls):
        raise TypeError(
            "a chat model has to return its text as a str, or in blocks such as {'type': 'text', 'text': '…'}, and "
            f"this one returned {brief(odd[0], _LONGEST)}"
        )


def _may_say_something(block: object) -> bool:
    """Whether a block that nobody read may hold a text: it has no type and no known field, or another kind's text."""
    fields = mapping(block)
    kind = fields.get("type")
    if not kind:
        return bool(fields) and not any(name in fields for name in HOLDERS)
    return kind not in TEXTUAL and isinstance(fields.get("text"), str)


class Ending:
    """How a stream of `ChatOpenAI`'s ends.

    Args:
        told: the server says when the reply is whole, as the Responses API does in an event of its own.
    """

    def __init__(self, *, told: bool) -> None:
        self.begun = False
        self._told = told
        self._has_ended = False

    def seen(self, chunk: ChatGenerationChunk) -> None:
        """Take note of a chunk; the event at the end names the model."""
        self.begun = True
        self._has_ended = self._has_ended or "model_name" in chunk.message.response_metadata

    def check(self) -> None:
        """Refuse a stream that holds nothing, or ended before the reply did, as over a proxy that gave up.

        Raises:
            ModelAPIError: it did.
        """
        if not self.begun:
            raise ModelAPIError(_EMPTY)
        if self._told and not self._has_ended:
            raise ModelAPIError(CUT_SHORT)


CUT_SHORT = "the server's stream ended before the reply did"
_EMPTY = (
    "the server's stream holds no reply: it may answer as a whole although asked for a stream; "
    "if it does that always, set disable_streaming=True on the model"
)
_LONGEST = 300
# OpenAI's, Anthropic's, Bedrock's and Cohere's. Gemini's "STOP" is none: older models give it with every chunk.
_ENDS = frozenset(
    {"stop", "length", "content_filter", "tool_calls", "end_turn", "stop_sequence", "tool_use", "COMPLETE", "TOOL_CALL"}
)
# OpenRouter's and watsonx', vLLM's and SGLang's, DeepSeek's, Zhipu's, Cohere's, watsonx'.
_BROKEN_OFF = frozenset({"error", "abort", "insufficient_system_resource", "network_error", "timeout", "time_limit"})
_REASONS = {
    **dict.fromkeys(("length", "max_tokens", "max_output_tokens", "model_length", "token_limit"), "length"),
    **dict.fromkeys(("model_context_window_exceeded", "error_limit"), "length"),
    **dict.fromkeys(
        ("content_filter", "content_filtered", "guardrail_intervened", "refusal", "safety", "prohibited_content"),
        "content_filter",
    ),
    **dict.fromkeys(("blocklist", "spii", "recitation", "language", "sensitive", "error_toxic"), "content_filter"),
    **dict.fromkeys(("image_safety", "image_prohibited_content", "model_armor", "jailbreak"), "content_filter"),
}
