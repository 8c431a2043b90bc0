"""One model call, reasoning and reply apart; whole or as a stream, sync or async."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.runnables import Runnable

from ..trace.errors import ModelUnavailableError
from .messages import Messages, Usage, content_parts, finish_reason_of, split_think, to_messages, usage_of
from .reasoning import keeping_reasoning
from .steps import Steps, arun, run
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
    cut off. A plain `ChatOpenAI` is enough for a local thinking model: the `reasoning_content` that it drops is kept.

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
    kept = keeping_reasoning(model)
    call = (backoff or Backoff()).call(
        lambda: kept.invoke(messages, **options), lambda: kept.ainvoke(messages, **options)
    )
    started = time.monotonic()
    message: BaseMessage = yield call
    return replace(thought_of(message), seconds=round(time.monotonic() - started, 3))


def thought_of(message: BaseMessage) -> Thought:
    """Read a LangChain reply as a `Thought`."""
    given, text = content_parts(message)
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
    sent = to_messages(messages, echo_reasoning=echo_reasoning)
    kept = keeping_reasoning(model)

    def opened() -> tuple[Iterator[AIMessageChunk], _Stream, list[ThoughtPiece]]:
        state = _Stream()
        chunks: Iterator[Any] = iter(kept.stream(sent, **options))
        for chunk in chunks:
            if pieces := state.feed(chunk):
                return chunks, state, pieces
        return chunks, state, []

    chunks, state, pieces = (backoff or Backoff()).retry(opened)
    yield from pieces
    try:
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
    sent = to_messages(messages, echo_reasoning=echo_reasoning)
    kept = keeping_reasoning(model)

    async def opened() -> tuple[AsyncIterator[AIMessageChunk], _Stream, list[ThoughtPiece]]:
        state = _Stream()
        chunks: AsyncIterator[Any] = aiter(kept.astream(sent, **options))
        async for chunk in chunks:
            if pieces := state.feed(chunk):
                return chunks, state, pieces
        return chunks, state, []

    chunks, state, pieces = await (backoff or Backoff()).aretry(opened)
    for piece in pieces:
        yield piece
    try:
        async for chunk in chunks:
            for piece in state.feed(chunk):
                yield piece
    except Exception as error:
        if not is_transport_error(error):
            raise
        raise state.broken(error) from error
    for piece in state.finish():
        yield piece


class _Stream:
    """Sorts incoming text into reasoning and reply while a `<think>` tag may still be incomplete."""

    def __init__(self) -> None:
        self._whole: AIMessageChunk | None = None
        self._reasoning = ""
        self._reply = ""
        self._text = ""
        self._plain = False

    def feed(self, chunk: AIMessageChunk) -> list[ThoughtPiece]:
        """The pieces that a chunk completes."""
        self._whole = chunk if self._whole is None else self._whole + chunk
        reasoning, text = content_parts(chunk)
        pieces = [ThoughtPiece("reasoning", reasoning)] if reasoning else []
        if text and self._plain:
            self._reply += text
            pieces.append(ThoughtPiece("reply", text))
        elif text:
            self._text += text
            pieces += self._sorted(final=False)
        return pieces

    def _sorted(self, *, final: bool) -> list[ThoughtPiece]:
        start = self._text.lstrip().lower()
        if not final and ("<thinking>".startswith(start) or (start.startswith("<think") and ">" not in start)):
            return []
        reasoning, reply = split_think(self._text)
        if not reasoning and reply == self._text:
            self._plain, self._reply = True, reply
            return [ThoughtPiece("reply", reply)]
        # The last characters may be the beginning of the closing tag.
        stable = reasoning if final or reply else reasoning[: max(0, len(reasoning) - len("</thinking>"))]
        pieces: list[ThoughtPiece] = []
        if len(stable) > len(self._reasoning):
            pieces.append(ThoughtPiece("reasoning", stable[len(self._reasoning) :]))
            self._reasoning = stable
        if reply:
            self._plain, self._reply = True, reply
            pieces.append(ThoughtPiece("reply", reply))
        return pieces

    def finish(self) -> list[ThoughtPiece]:
        """What is left when the stream has ended, and the whole thought."""
        left = self._sorted(final=True) if self._text and not self._plain else []
        return [*left, ThoughtPiece("done", thought=thought_of(self._whole or AIMessageChunk(content="")))]

    def broken(self, error: Exception) -> ModelUnavailableError:
        """The error for a stream that broke after its first piece."""
        return ModelUnavailableError(error, attempts=1, partial=self._reply or self._text)
