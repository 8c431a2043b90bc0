"""Messages in and out: what callers may pass, and what a reply is made of."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, convert_to_messages
from langchain_core.prompt_values import PromptValue
from langchain_core.runnables import Runnable

from .._internal.strict_json import entries, map_texts, mapping, objects
from .._internal.texts import said_once
from ..traces.events import Event
from ..traces.shapes import Usage

Messages = str | BaseMessage | PromptValue | Sequence[BaseMessage | Mapping[str, Any] | tuple[str, str]]
"""A prompt, a template's value, a message, or a list of messages, `{"role", "content"}` dicts or such pairs."""

NO_USAGE = Usage(input_tokens=0, output_tokens=0, total_tokens=0, cached_tokens=0)


def add_usage(*usages: Usage) -> Usage:
    """The sum of usages.

    LangChain's own has the keys in another order in every process; the same run is to be the same file.
    """
    counts = cast("tuple[Mapping[str, int], ...]", usages)
    return cast(Usage, {name: sum(usage[name] for usage in counts) for name in NO_USAGE})


def recorded_usage(usage: Usage, events: Sequence[Event]) -> Usage:
    """A usage and that of the recorded replies, so that none is forgotten where a later call fails."""
    return add_usage(usage, *(event["data"]["usage"] for event in events if event["kind"] == "thought"))


class Prepared(list[BaseMessage]):
    """Messages that need no cleaning: no reasoning, no half characters. Nobody adds to such a list.

    A loop sends its whole conversation with every call; cleaning it each time would take longer than the rest.
    """


def to_messages(messages: Messages, *, echo_reasoning: bool = False) -> list[BaseMessage]:
    """A new list of LangChain messages; the caller's list and its messages stay as they are.

    Args:
        messages: see `Messages`.
        echo_reasoning: keep the reasoning of the model's own earlier turns, as fields or blocks, with their signatures.
            Some servers demand it back, others refuse it; without the flag it is left out of what is sent.

    Raises:
        ValueError: there is no message at all, or it is none of these.
    """
    if isinstance(messages, Prepared):
        return messages
    if isinstance(messages, PromptValue):
        messages = messages.to_messages()
    if isinstance(messages, (str, BaseMessage)):
        messages = [HumanMessage(messages) if isinstance(messages, str) else messages]
    # A model is pydantic's, whose fields could be listed.
    if isinstance(cast(object, messages), (Mapping, Runnable)) or not isinstance(cast(object, messages), Iterable):
        raise ValueError(f"messages has to be a prompt, a message or a list of messages, got {messages!r:.100}")
    messages = list(messages)
    plain = all(isinstance(message, BaseMessage) for message in messages)
    try:
        converted = cast("list[BaseMessage]", messages) if plain else convert_to_messages(cast(Any, messages))
    except NotImplementedError as odd:
        said = str(odd).split("\n", 1)[0]
        raise ValueError(f"messages has to be a prompt, a message or a list of messages: {said}") from None
    if not converted:
        raise ValueError("messages is empty: pass a prompt, or at least one message")
    return converted if echo_reasoning else [_without_reasoning(message) for message in converted]


def _without_reasoning(message: BaseMessage) -> BaseMessage:
    if not isinstance(message, AIMessage):
        return message
    fields = {key: value for key, value in message.additional_kwargs.items() if key not in REASONING_FIELDS}
    changed: dict[str, Any] = {} if len(fields) == len(message.additional_kwargs) else {"additional_kwargs": fields}
    if isinstance(message.content, list):
        blocks = [block for block in message.content if not is_reasoning(block)]
        if len(blocks) < len(message.content):
            changed["content"] = blocks or ("" if message.tool_calls else EMPTY_REPLY)
    return message.model_copy(update=changed) if changed else message


def with_reasoning(message: BaseMessage | None, reasoning: str, reply: str, called: str) -> AIMessage:
    """A reply, and what it called, as a turn of the conversation, with its reasoning in blocks, or else in a field."""
    blocks = message.content if message is not None and isinstance(message.content, list) else []
    if message is None or not any(map(is_reasoning, blocks)):
        return AIMessage(reply + called or EMPTY_REPLY, additional_kwargs={"reasoning_content": reasoning})
    kept = [block for block in blocks if is_reasoning(block) or _text_in(block)]
    ending = called or ("" if reply else EMPTY_REPLY)
    kept += [{"type": "text", "text": ending}] if ending else []
    return AIMessage(kept, response_metadata=message.response_metadata)


def sendable(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """The messages as a request can carry them, which is UTF-8: a half of a surrogate pair becomes U+FFFD.

    Models write such halves, as `\\ud83d` in their JSON, and what they wrote is shown to them again.
    """
    return messages if isinstance(messages, Prepared) else list(map(_sendable, messages))


def _sendable(message: BaseMessage) -> BaseMessage:
    if isinstance(message.content, str) and not message.additional_kwargs:
        words = whole_characters(message.content)
        return message if words == message.content else message.model_copy(update={"content": words})
    given = {"content": message.content, "additional_kwargs": message.additional_kwargs}
    written = map_texts(given, whole_characters)
    return message if written == given else message.model_copy(update=written)


def own_copies(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Copies of the messages, since some models write into what they get, and the originals are used again."""
    copies = [message.model_copy() for message in messages]
    for fields in map(vars, copies):
        for name, value in fields.items():
            if isinstance(value, (dict, list)):
                fields[name] = map_texts(value, str) if value else value.copy()
    return copies


def whole_characters(text: str) -> str:
    """A text that can be written as UTF-8: two halves of a surrogate pair are joined, a lone one becomes U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


EMPTY_REPLY = "(empty reply)"
"""Several servers refuse an empty assistant turn."""

USAGE_FIELDS = ("token_usage", "usage", "token_count")
REASONING_FIELDS = ("reasoning_content", "reasoning")
_REASONING_BLOCKS = frozenset({"reasoning", "thinking", "redacted_thinking", "reasoning_content"})


def content_parts(message: BaseMessage) -> tuple[str, str]:
    """`(reasoning, text)` of a message as the provider gave them, without looking inside the text.

    `AIMessage.content_blocks` does not do here: it leaves out the `reasoning_content` of local servers, which name
    OpenAI as their provider, and Anthropic's thinking where no provider is named, and raises over broken blocks.
    """
    shown = "".join(map(_reasoning_in, filter(is_reasoning, entries(message.content))))
    fields = map(message.additional_kwargs.get, REASONING_FIELDS)
    reasoning_field = next((value for value in fields if isinstance(value, str) and value), "")
    # With `output_version="v1"` LangChain copies the field into a block.
    reasoning = shown if shown == reasoning_field else reasoning_field + shown
    # OpenAI gives a refusal in place of the text.
    refusal = message.additional_kwargs.get("refusal")
    return reasoning, _text_in(message.content) or (refusal if isinstance(refusal, str) else "")


MEDIA = ("image", "audio", "video", "file")
"""The types of LangChain's content blocks that a model may be shown beside text."""
_TEXTS = ("text", "text-plain")


def media_in(message: BaseMessage) -> list[dict[str, Any]]:
    """The content blocks of a message that are no text: images, files, and what LangChain does not know."""
    return [block for block in blocks_of(message) if block["type"] not in _TEXTS]


def documents_in(message: BaseMessage) -> list[str]:
    """The texts that were attached to a message, as files of plain text are."""
    return [_text_in(block.get("text")) for block in blocks_of(message) if block["type"] == "text-plain"]


def blocks_of(message: BaseMessage) -> list[dict[str, Any]]:
    """LangChain's content blocks of a message; one over which it raises, as a file without an address, is unknown."""
    try:
        return [cast("dict[str, Any]", {**block}) for block in message.content_blocks]
    except (LookupError, TypeError, ValueError, AttributeError):
        each = [message.model_copy(update={"content": [one]}) for one in message.content]
        unknown = {"type": "non_standard", "value": message.content[0]}
        return [unknown] if len(each) == 1 else [block for one in each for block in blocks_of(one)]


def is_reasoning(block: Any) -> bool:
    """Whether a block of a message is reasoning."""
    return isinstance(block, dict) and str(cast("dict[str, Any]", block).get("type")) in _REASONING_BLOCKS


TEXTUAL = ("text", "output_text", "input_text", "text_delta", "message", "refusal", "non_standard")
HOLDERS = ("text", "refusal", "value", "content")
"""The types of blocks that hold text, and where they hold it: as a text, as blocks again, or beside its annotations."""


def _text_in(block: object) -> str:
    """What a block says; one without a type, as Bedrock's, may be text, and a null says nothing."""
    if isinstance(block, list):
        return "".join(map(_text_in, cast("list[object]", block)))
    if not isinstance(block, Mapping):
        return "" if block is None else str(block)
    fields = mapping(cast(object, block))
    holders = HOLDERS if (fields.get("type") or "text") in TEXTUAL else ()
    return next(filter(None, (_text_in(fields.get(name)) for name in holders)), "")


def _reasoning_in(block: dict[str, Any]) -> str:
    """What a block of reasoning shows.

    LangChain's own blocks have `reasoning`, Anthropic's, Gemini's and Mistral's `thinking` (Mistral's as a list of
    texts), Bedrock's `reasoning_content` with a `text`. The Responses API has `content`, or a `summary` of it.
    """
    for name in ("reasoning", "thinking", "reasoning_content", "content"):
        value: object = block.get(name)
        shown: object = mapping(cast(object, value)).get("text") if isinstance(value, dict) else value
        if isinstance(shown, list):
            shown = "".join(_text_in(part.get("text")) for part in objects(cast("list[Any]", shown)))
        if shown:
            return str(shown)
    return "\n".join(_text_in(part.get("text")) for part in objects(block.get("summary")))


def estimate_tokens(text: str) -> int:
    """Tokens of a text, estimated without a tokenizer: four ASCII characters or one other character each."""
    plain = len(text.encode("ascii", "ignore"))
    return (plain + 3) // 4 + len(text) - plain


def usage_of(message: BaseMessage) -> Usage:
    """The tokens a reply reports; zeros where none are told, or no numbers, and for a reply from LangChain's cache."""
    if is_from_cache(message):
        return NO_USAGE
    reported = mapping(message.usage_metadata if isinstance(message, AIMessage) else None)
    raw_usage = mapping(next(filter(None, map(message.response_metadata.get, USAGE_FIELDS)), None))
    # LangChain makes zeros of a usage under names that it does not know.
    if raw_usage and not (reported.get("input_tokens") or reported.get("output_tokens")):
        read, written = ("input_tokens", "prompt_tokens"), ("output_tokens", "completion_tokens")
        reported = {**raw_usage, **{own: raw_usage.get(own) or raw_usage.get(other) for own, other in (read, written)}}
    details = mapping(reported.get("input_token_details"))
    # OpenAI's tiers stand before the name, as in "priority_cache_read".
    cached = sum(_token_count(count) for name, count in details.items() if str(name).endswith("cache_read"))
    return read_usage({**reported, "cached_tokens": cached})


def is_from_cache(message: BaseMessage | None) -> bool:
    """Whether a reply is LangChain's cache's, which marks it as one that costs nothing."""
    return mapping(getattr(message, "usage_metadata", None)).get("total_cost") == 0


def likelihood_of(message: BaseMessage | None) -> float | None:
    """How likely a reply was to its model, from 0 to 1: the geometric mean of the probabilities of its tokens, as
    OpenAI's chat completions report them; None where they are not."""
    reported = mapping(message.response_metadata if message else None).get("logprobs")
    tokens = [mapping(token).get("logprob") for token in entries(mapping(reported).get("content"))]
    # Of a token of probability 0 servers report -inf, or a very small number.
    known = [max(min(token, 0), _LEAST) for token in tokens if isinstance(token, (int, float)) and token == token]
    return math.exp(statistics.fmean(known)) if known else None


def read_usage(reported: object) -> Usage:
    """A valid usage from whatever is reported: no count is negative, no part larger than its whole, and the rest of the
    total counts as output, since some servers count reasoning only there."""
    counts = {name: _token_count(mapping(reported).get(name)) for name in NO_USAGE}
    read, written = counts["input_tokens"], counts["output_tokens"]
    counts["total_tokens"] = total = max(counts["total_tokens"], read + written)
    counts["cached_tokens"] = min(counts["cached_tokens"], read)
    return cast(Usage, {**counts, "output_tokens": total - read if read else written})


def hold_usage(message: BaseMessage) -> None:
    """Replace invalid counts in a message's usage, in place: LangChain, which adds up a stream's chunks, raises over a
    missing one, and a negative one would reduce the sum."""
    if not isinstance(message, AIMessage) or message.usage_metadata is None:
        return
    usage: dict[str, Any] = {"input_tokens": 0, "output_tokens": 0, "total_tokens": 0}
    for name, count in mapping(message.usage_metadata).items():
        if isinstance(count, Mapping):
            usage[name] = {kind: _token_count(number) for kind, number in mapping(cast(object, count)).items()}
        elif name in usage or isinstance(count, (int, float)):
            usage[name] = _token_count(count)
    message.usage_metadata = cast(Any, usage)


def _token_count(reported: object) -> int:
    """A number of tokens as a server reports it; 0 for whatever is none."""
    counts = isinstance(reported, (int, float)) and not isinstance(reported, bool) and reported > 0
    return int(min(cast(float, reported), _MOST_TOKENS)) if counts else 0


_LEAST, _MOST_TOKENS = -1e9, 10**12
"""A log-probability, and tokens of a call: checkpointers keep integers of 64 bits, and a run adds many calls up."""
LONGEST_NAME = 200


def named_by(message: BaseMessage | None) -> dict[str, str]:
    """`model` and `provider` of a reply, as its provider reports them; without those that it does not."""
    metadata = message.response_metadata if message else {}
    model = metadata.get("model_name") or metadata.get("model") or metadata.get("model_id")
    names = {"model": model, "provider": metadata.get("model_provider")}
    return {name: said_once(value)[:LONGEST_NAME] for name, value in names.items() if isinstance(value, str) and value}
