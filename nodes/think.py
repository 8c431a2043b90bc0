"""One model call, reasoning and reply apart; whole or as a stream, sync or async."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
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
    """

    reasoning: str
    reply: str
    usage: Usage
    finish_reason: str | None


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
    return thought_of((yield call))


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
    state = _Stream()

    def opened() -> tuple[Iterator[AIMessageChunk], AIMessageChunk | None]:
        chunks: Iterator[Any] = kept.stream(sent, **options)
        return chunks, next(chunks, None)

    chunks, first = (backoff or Backoff()).retry(opened)
    try:
        if first is not None:
            yield from state.feed(first)
            for chunk in chunks:
                yield from state.feed(chunk)
    except Exception as error:
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
    state = _Stream()

    async def opened() -> tuple[AsyncIterator[AIMessageChunk], AIMessageChunk | None]:
        chunks: AsyncIterator[Any] = kept.astream(sent, **options)
        return chunks, await anext(chunks, None)

    chunks, first = await (backoff or Backoff()).aretry(opened)
    try:
        if first is not None:
            for piece in state.feed(first):
                yield piece
            async for chunk in chunks:
                for piece in state.feed(chunk):
                    yield piece
    except Exception as error:
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

    def feed(self, chunk: AIMessageChunk) -> Iterator[ThoughtPiece]:
        self._whole = chunk if self._whole is None else self._whole + chunk
        reasoning, text = content_parts(chunk)
        if reasoning:
            yield ThoughtPiece("reasoning", reasoning)
        if not text:
            return
        if self._plain:
            self._reply += text
            yield ThoughtPiece("reply", text)
            return
        self._text += text
        yield from self._sorted(final=False)

    def _sorted(self, *, final: bool) -> Iterator[ThoughtPiece]:
        start = self._text.lstrip()
        if not final and len(start) < len("<thinking>") and "<thinking>".startswith(start.lower()[:9]):
            return
        if not final and start.lower().startswith(("<think", "<thinking")) and ">" not in start:
            return
        reasoning, reply = split_think(self._text)
        if not reasoning and reply == self._text:
            self._plain = True
            self._reply = self._text
            yield ThoughtPiece("reply", self._text)
            return
        # The last characters may be the beginning of the closing tag.
        stable = reasoning if final or reply else reasoning[: max(0, len(reasoning) - len("</thinking>"))]
        if len(stable) > len(self._reasoning):
            yield ThoughtPiece("reasoning", stable[len(self._reasoning) :])
            self._reasoning = stable
        if reply:
            self._plain = True
            self._reply = reply
            yield ThoughtPiece("reply", reply)

    def finish(self) -> Iterator[ThoughtPiece]:
        if not self._plain and self._text:
            yield from self._sorted(final=True)
        yield ThoughtPiece("done", thought=thought_of(self._whole or AIMessageChunk(content="")))

    def broken(self, error: Exception) -> Exception:
        if not is_transport_error(error):
            return error
        return ModelUnavailableError(error, attempts=1, partial=self._reply or self._text)
