"""One model call that returns reasoning and reply separately; whole or streamed, sync or async."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
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
from .reasoning import model_to_call
from .transport import Backoff, is_transport_error

ChatModel = Runnable[LanguageModelInput, AIMessage]
"""Any LangChain chat model, bound or not."""


@dataclass(frozen=True, slots=True)
class Thought:
    """One reply of a model.

    Attributes:
        reasoning: the model's thinking before its answer; "" if it shows none.
        reply: the answer without the reasoning.
        usage: tokens of the call.
        finish_reason: `"stop"`, `"length"` (the output cap was hit), `"tool_calls"`, …; None if unknown.
        seconds: how long the call took, including waits for the server; 0.0 for a streamed one.
        message: the model's message as it came, of a stream the whole; None if the thought was made without one.
    """

    reasoning: str
    reply: str
    usage: Usage
    finish_reason: str | None
    seconds: float = field(default=0.0, compare=False)
    message: BaseMessage | None = field(default=None, compare=False, repr=False)


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
    """Call a model once and return its reasoning and its reply separately.

    Reasoning comes from the provider's own field or content blocks and from a leading `<think>` block, closed or cut
    off. Instead of a plain `ChatOpenAI`, which drops it, a `ReasoningChatOpenAI` with the same settings is called.

    Args:
        model: any LangChain chat model.
        messages: a prompt, or a list of messages.
        echo_reasoning: send back the reasoning of earlier turns, for servers that require it.
        backoff: how to retry transport errors (429, 5xx, time-outs, resets); 5 calls by default.
        **options: `temperature`, `seed` and `max_tokens` are set under the names that the model's class has for them;
            others, and those that it does not take, are passed to its `invoke`.

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
    model: ChatModel, messages: list[BaseMessage], backoff: Backoff | None, options: Mapping[str, Any]
) -> Steps[Thought]:
    """`think` as steps, for code that makes several calls."""
    sent = sendable(messages)
    called, keywords = model_to_call(model, sent, options)

    def invoke() -> BaseMessage:
        with redacting(model):
            return called.invoke(sent, **keywords)

    async def ainvoke() -> BaseMessage:
        with redacting(model):
            return await called.ainvoke(sent, **keywords)

    started = time.monotonic()
    thought = thought_of((yield (backoff or Backoff()).call(invoke, ainvoke)))
    return replace(thought, seconds=round(time.monotonic() - started, 3))


def thought_of(message: BaseMessage) -> Thought:
    """Read a LangChain reply as a `Thought`."""
    given, text = map(whole_characters, content_parts(message))
    inline, reply = split_think(text)
    return Thought(
        reasoning="\n".join(part for part in (given.strip(), inline) if part),
        reply=reply,
        usage=usage_of(message),
        finish_reason=finish_reason_of(message),
        message=message,
    )


def stream_think(
    model: ChatModel,
    messages: Messages,
    *,
    echo_reasoning: bool = False,
    backoff: Backoff | None = None,
    **options: Any,
) -> Iterator[ThoughtPiece]:
    """Stream a thought: pieces of reasoning and reply as they arrive, then one `"done"` piece with the whole thought.

    Takes the arguments of `think`. Transport errors are retried until the first piece arrives, and no later.

    Raises:
        ModelUnavailableError: the stream could not be opened, or broke; `partial` holds the text so far.
    """
    sent = sendable(to_messages(messages, echo_reasoning=echo_reasoning))
    called, keywords = model_to_call(model, sent, options)

    def opened() -> tuple[Iterator[AIMessageChunk], _Stream, list[ThoughtPiece]]:
        state = _Stream()
        with redacting(model):
            chunks: Iterator[Any] = iter(called.stream(sent, **keywords))
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
    called, keywords = model_to_call(model, sent, options)

    async def opened() -> tuple[AsyncIterator[AIMessageChunk], _Stream, list[ThoughtPiece]]:
        state = _Stream()
        with redacting(model):
            chunks: AsyncIterator[Any] = aiter(called.astream(sent, **keywords))
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
"""Most characters of white space that a stream holds back, since they may belong to neither part."""


class _Stream:
    """Sorts incoming text into reasoning and reply while a `<think>` tag may still be incomplete.

    It looks at each character a fixed number of times, because long reasoning arrives in very many pieces.
    """

    def __init__(self) -> None:
        self._chunks: list[AIMessageChunk] = []  # the last ones, one by one
        self._joined: list[AIMessageChunk] = []  # the earlier ones, in batches: many small objects are slow to keep
        self._text: list[str] = []
        self._waiting = ""  # not sorted yet
        self._part: Literal["undecided", "reasoning", "between", "reply"] = "undecided"

    def feed(self, chunk: AIMessageChunk) -> list[ThoughtPiece]:
        """Take in a chunk and return the pieces that it completes."""
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
            # White space between reasoning and reply belongs to neither.
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
            # The last characters may be the start of the closing tag, and white space may be the end of the reasoning.
            held = max(len(self._waiting.rstrip()) - len("</thinking>"), len(self._waiting) - _HELD, 0)
            told, self._waiting = self._waiting[:held], self._waiting[held:]
        return [ThoughtPiece("reasoning", told)] if told else []

    def finish(self) -> list[ThoughtPiece]:
        """The pieces that are left when the stream ends, and the whole thought."""
        left = self._sorted(final=True) if self._text else []
        return [*left, ThoughtPiece("done", thought=thought_of(_whole([*self._joined, *self._chunks])))]

    def broken(self, error: Exception) -> ModelUnavailableError:
        """The error for a stream that broke after its first piece."""
        text = "".join(self._text)
        return ModelUnavailableError(error, attempts=1, partial=split_think(text)[1] or text)


def _whole(chunks: Sequence[AIMessageChunk]) -> AIMessageChunk:
    first, *others = chunks or [AIMessageChunk(content="")]
    return first + others if others else first
