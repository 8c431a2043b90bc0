"""One model call, reasoning and reply apart; whole or as a stream, sync or async."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.runnables import Runnable

from .._internal.redact import redacting
from .._internal.steps import Steps, arun, run
from ..errors import ModelUnavailableError
from ..traces.shapes import Usage
from .messages import (
    THINK_CLOSE,
    THINK_OPEN,
    Messages,
    content_parts,
    finish_reason_of,
    hold_usage,
    sendable,
    split_think,
    to_messages,
    usage_of,
    whole_characters,
)
from .reasoning import keeping_reasoning
from .transport import Backoff, is_transport_error

ChatModel = Runnable[LanguageModelInput, AIMessage]
"""Any LangChain chat model, bound or not."""


@dataclass(frozen=True, slots=True)
class Thought:
    """One reply of a model.

    Attributes:
        reasoning: what the model thought before it answered; "" where it shows none.
        reply: the answer without the reasoning.
        usage: tokens of the call.
        finish_reason: `"stop"`, `"length"` (the output cap was hit), `"tool_calls"`, …; None where unknown.
        seconds: that the call took, waits for the server included; 0.0 for a streamed one.
    """

    reasoning: str
    reply: str
    usage: Usage
    finish_reason: str | None
    seconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class ThoughtPiece:
    """A piece of a streamed thought; the last one has kind `"done"` and carries the whole `Thought`."""

    kind: Literal["reasoning", "reply", "done"]
    text: str = ""
    thought: Thought | None = None


def think(
    model: ChatModel,
    messages: Messages,
    *,
    echo_reasoning: bool = False,
    backoff: Backoff | None = None,
    **options: Any,
) -> Thought:
    """Call a model once and return its reasoning and its reply apart.

    Reasoning is taken from the provider's own field or content blocks and from a leading `<think>` block, closed or
    cut off. A plain `ChatOpenAI` is enough for a local thinking model: a `ReasoningChatOpenAI` of its settings and
    clients is called in its place.

    Args:
        model: any LangChain chat model.
        messages: a prompt, or a list of messages.
        echo_reasoning: send the reasoning of earlier turns back, for servers that demand it.
        backoff: how transport errors (429, 5xx, time-outs, resets) are waited out; 5 calls by default.
        **options: passed to the model's `invoke` (`temperature`, `max_tokens`, …).

    Raises:
        ModelUnavailableError: every call failed in transport.
        ValueError: `messages` is empty.
    """
    return run(think_steps(model, to_messages(messages, echo_reasoning=echo_reasoning), backoff, options))


async def athink(
    model: ChatModel,
    messages: Messages,
    *,
    echo_reasoning: bool = False,
    backoff: Backoff | None = None,
    **options: Any,
) -> Thought:
    """Async twin of `think`."""
    return await arun(think_steps(model, to_messages(messages, echo_reasoning=echo_reasoning), backoff, options))


def think_steps(
    model: ChatModel, messages: list[BaseMessage], backoff: Backoff | None, options: dict[str, Any]
) -> Steps[Thought]:
    """`think` as steps, for procedures that make several calls."""
    sent = sendable(messages)
    kept = keeping_reasoning(model, sent)

    def invoke() -> BaseMessage:
        with redacting(model):
            return kept.invoke(sent, **options)

    async def ainvoke() -> BaseMessage:
        with redacting(model):
            return await kept.ainvoke(sent, **options)

    started = time.monotonic()
    message: BaseMessage = yield (backoff or Backoff()).call(invoke, ainvoke)
    return replace(thought_of(message), seconds=round(time.monotonic() - started, 3))


def thought_of(message: BaseMessage) -> Thought:
    """Read a LangChain reply as a `Thought`."""
    given, text = map(whole_characters, content_parts(message))
    inline, reply = split_think(text)
    return Thought(
        reasoning="\n".join(part for part in (given.strip(), inline) if part),
        reply=reply,
        usage=usage_of(message),
        finish_reason=finish_reason_of(message),
    )


def stream_think(
    model: ChatModel,
    messages: Messages,
    *,
    echo_reasoning: bool = False,
    backoff: Backoff | None = None,
    **options: Any,
) -> Iterator[ThoughtPiece]:
    """Stream a thought: pieces of reasoning and of reply as they come, then one `"done"` piece with the whole.

    Takes the arguments of `think`. Transport errors are retried until the first piece has been yielded; a stream that
    breaks later cannot be taken back, so it ends in an error that carries the text so far.

    Raises:
        ModelUnavailableError: the stream could not be opened, or broke; `partial` holds what had come.
    """
    sent = sendable(to_messages(messages, echo_reasoning=echo_reasoning))
    kept = keeping_reasoning(model, sent)

    def opened() -> tuple[Iterator[AIMessageChunk], _Stream, list[ThoughtPiece]]:
        state = _Stream()
        with redacting(model):
            chunks: Iterator[Any] = iter(kept.stream(sent, **options))
            for chunk in chunks:
                if pieces := state.feed(chunk):
                    return chunks, state, pieces
            return chunks, state, []

    chunks, state, pieces = (backoff or Backoff()).retry(opened)
    yield from pieces
    try:
        with redacting(model):
            for chunk in chunks:
                yield from state.feed(chunk)
    except Exception as error:
        if not is_transport_error(error):
            raise
        raise state.broken(error) from error
    yield from state.finish()


async def astream_think(
    model: ChatModel,
    messages: Messages,
    *,
    echo_reasoning: bool = False,
    backoff: Backoff | None = None,
    **options: Any,
) -> AsyncIterator[ThoughtPiece]:
    """Async twin of `stream_think`."""
    sent = sendable(to_messages(messages, echo_reasoning=echo_reasoning))
    kept = keeping_reasoning(model, sent)

    async def opened() -> tuple[AsyncIterator[AIMessageChunk], _Stream, list[ThoughtPiece]]:
        state = _Stream()
        with redacting(model):
            chunks: AsyncIterator[Any] = aiter(kept.astream(sent, **options))
            async for chunk in chunks:
                if pieces := state.feed(chunk):
                    return chunks, state, pieces
            return chunks, state, []

    chunks, state, pieces = await (backoff or Backoff()).aretry(opened)
    for piece in pieces:
        yield piece
    try:
        with redacting(model):
            async for chunk in chunks:
                for piece in state.feed(chunk):
                    yield piece
    except Exception as error:
        if not is_transport_error(error):
            raise
        raise state.broken(error) from error
    for piece in state.finish():
        yield piece


_BATCH = 256
_HELD = 4_096
"""Characters of white space that a stream holds back at most, as they may belong to nothing."""


class _Stream:
    """Sorts incoming text into reasoning and reply while a `<think>` tag may still be incomplete.

    It looks at every character a fixed number of times: a long reasoning comes in very many pieces.
    """

    def __init__(self) -> None:
        self._chunks: list[AIMessageChunk] = []  # the last ones, one by one
        self._joined: list[AIMessageChunk] = []  # those before, in batches: so many small objects would be slow to keep
        self._text: list[str] = []
        self._waiting = ""  # not sorted yet
        self._part: Literal["undecided", "reasoning", "between", "reply"] = "undecided"

    def feed(self, chunk: AIMessageChunk) -> list[ThoughtPiece]:
        """The pieces that a chunk completes."""
        hold_usage(chunk)
        self._chunks.append(chunk)
        if len(self._chunks) == _BATCH:
            self._joined.append(_whole(self._chunks))
            self._chunks.clear()
        reasoning, text = content_parts(chunk)
        pieces = [ThoughtPiece("reasoning", reasoning)] if reasoning else []
        if text:
            self._text.append(text)
            self._waiting += text
            pieces += self._sorted(final=False)
        return pieces

    def _sorted(self, *, final: bool) -> list[ThoughtPiece]:
        pieces: list[ThoughtPiece] = []
        if self._part == "undecided":
            self._decide(final=final)
        if self._part == "reasoning":
            pieces += self._thought(final=final)
        if self._part == "between":
            # White space between the two belongs to neither.
            self._waiting = self._waiting.lstrip()
            self._part = "reply" if self._waiting else "between"
        if self._part == "reply" and self._waiting:
            pieces.append(ThoughtPiece("reply", self._waiting))
            self._waiting = ""
        return pieces

    def _decide(self, *, final: bool) -> None:
        start = self._waiting.lstrip().lower()
        undecided = len(self._waiting) <= _HELD and any(tag.startswith(start) for tag in ("<think>", "<thinking>"))
        if opening := THINK_OPEN.match(self._waiting):
            self._part, self._waiting = "reasoning", self._waiting[opening.end() :].lstrip()
        elif final or not undecided:
            self._part = "reply"

    def _thought(self, *, final: bool) -> list[ThoughtPiece]:
        closing = THINK_CLOSE.search(self._waiting)
        if closing:
            told, self._waiting = self._waiting[: closing.start()].rstrip(), self._waiting[closing.end() :]
            self._part = "between"
        elif final:
            told, self._waiting = self._waiting.rstrip(), ""
        else:
            # The last characters may be the beginning of the closing tag, and white space may be the last there is.
            held = max(len(self._waiting.rstrip()) - len("</thinking>"), len(self._waiting) - _HELD, 0)
            told, self._waiting = self._waiting[:held], self._waiting[held:]
        return [ThoughtPiece("reasoning", told)] if told else []

    def finish(self) -> list[ThoughtPiece]:
        """What is left when the stream has ended, and the whole thought."""
        left = self._sorted(final=True) if self._text else []
        return [*left, ThoughtPiece("done", thought=thought_of(_whole([*self._joined, *self._chunks])))]

    def broken(self, error: Exception) -> ModelUnavailableError:
        """The error for a stream that broke after its first piece."""
        text = "".join(self._text)
        return ModelUnavailableError(error, attempts=1, partial=split_think(text)[1] or text)


def _whole(chunks: Sequence[AIMessageChunk]) -> AIMessageChunk:
    first, *others = chunks or [AIMessageChunk(content="")]
    return first + others if others else first
