"""The chunks of a stream as one message: LangChain adds them up, also where they tell of the reply so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.messages.ai import UsageMetadata, subtract_usage

from ..._internal.strict_json import mapping
from ..messages import is_reasoning


class Spent:
    """Takes from the usage of each chunk what the chunks before it told already.

    Args:
        so_far: every chunk is known to tell that of the reply so far. Otherwise one does that tells the same prompt
            again, and no smaller reply: a prompt is read once.
    """

    def __init__(self, *, so_far: bool = False) -> None:
        self._so_far = so_far
        self._before: UsageMetadata | None = None

    def newly(self, reported: UsageMetadata | None) -> UsageMetadata | None:
        """What a chunk adds to the usage."""
        before, self._before = self._before, reported or self._before
        if not reported or not before:
            return reported
        again = (
            0 < reported["input_tokens"] == before["input_tokens"]
            and reported["output_tokens"] >= before["output_tokens"]
        )
        return subtract_usage(reported, before) if again or self._so_far else reported


class Apart:
    """Keeps the text of a stream out of the blocks of its reasoning.

    LangChain makes one of the blocks with one number. Where a class or a server numbers both alike, nobody would find
    the reply in there.
    """

    def __init__(self) -> None:
        self._kinds = dict[Any, str]()

    def numbered(self, content: str | list[Any]) -> str | list[Any]:
        """The content of a chunk; blocks have numbers of their own where text and reasoning share one."""
        return content if isinstance(content, str) else list(map(self._numbered, content))

    def _numbered(self, block: Any) -> Any:
        number = mapping(block).get("index")
        kind = "reasoning" if is_reasoning(block) else "text" if mapping(block).get("text") else ""
        if number is None or not kind or self._kinds.setdefault(number, kind) == kind:
            return block
        # As LangChain numbers the blocks that it makes itself.
        return {**block, "index": f"lc_{kind}_{number}"}


def is_of_the_whole(value: object) -> bool:
    """Whether a chunk says this of the whole reply; lists, as of log-probabilities, go on from chunk to chunk."""
    if isinstance(value, Mapping):
        return all(map(is_of_the_whole, cast("Mapping[str, Any]", value).values()))
    return value is None or isinstance(value, (str, int, float))


def says_something(value: object) -> bool:
    """Whether there is anything in a value of a chunk's metadata: a later chunk may repeat a field without content."""
    if isinstance(value, Mapping):
        return any(map(says_something, cast("Mapping[str, Any]", value).values()))
    return value is not None and value != ""


def whole(chunks: Sequence[AIMessage]) -> AIMessage:
    """The chunks as one message, or as one chunk; a class of the user's own may write whole messages in their place."""
    if len(chunks) == 1:
        return chunks[0]
    first, *others = map(_as_chunk, chunks or [AIMessageChunk(content="")])
    return first + others if others else first


def _as_chunk(message: AIMessage) -> AIMessageChunk:
    if isinstance(message, AIMessageChunk):
        return message
    return AIMessageChunk(**{name: value for name, value in vars(message).items() if name != "type"})
