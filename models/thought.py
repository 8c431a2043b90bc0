"""One model call that returns reasoning and reply separately; whole or streamed, sync or async."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Generator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import replace
from typing import Any, cast

from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.runnables import Runnable

from .._internal.redact import redacting
from .._internal.steps import Steps, arun, run
from ..errors import RequestTooLongError, ScriptExhaustedError
from ..traces.events import Recorder, hand_over, record, recording
from .messages import NO_USAGE, Messages, own_copies, recorded_usage, sendable, to_messages
from .reasoning import model_to_call
from .streams.answers import is_too_long, provider_said
from .streams.no_reply import alone, lost_if_canceled, reply_held_back, tell_answer
from .streams.pieces import DonePiece, Stream, Thought, ThoughtPiece, said, thought_of, with_usage
from .streams.read_whole import aclose, close, reading_streams
from .streams.turns import TurnsRefused, is_over_turns
from .transport import Backoff, is_model_error, is_transport_error

ChatModel = Runnable[LanguageModelInput, AIMessage]
"""Any LangChain chat model, bound or not."""


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

    Inside of a loop, as in a verifier or a tool, or of `recording`, the reply is recorded and counts for the budget.

    A model with `streaming=True`, as embedded ones are opened, is read as a stream, whatever it is wrapped in, and so
    is any in a run of which the messages are watched. When its reply runs in circles, the stream is closed, and the
    finish reason is `"repetition"`.

    Args:
        model: any LangChain chat model.
        messages: a prompt, or a list of messages.
        echo_reasoning: send back the reasoning of earlier turns, for servers that require it.
        backoff: how to retry transport errors (429, 5xx, time-outs, resets); 5 calls by default.
        **options: `temperature`, `seed` and `max_tokens` are set under the names that the model's class has for them;
            others, and those that it does not take, are passed to its `invoke`.

    Raises:
        ModelUnavailableError: every call failed in transport.
        RequestTooLongError: the messages are longer than the model takes.
        ValueError: `messages` is empty or no messages, `model` is no chat model, or `backoff` is no `Backoff`.
    """
    return _recorded(run(think_steps(model, to_messages(messages, echo_reasoning=echo_reasoning), backoff, options)))


async def athink(
    model: ChatModel,
    messages: Messages,
    *,
    echo_reasoning: bool = False,
    backoff: Backoff | None = None,
    **options: Any,
) -> Thought:
    """Async twin of `think`."""
    steps = think_steps(model, to_messages(messages, echo_reasoning=echo_reasoning), backoff, options)
    return _recorded(await arun(steps))


def think_steps(
    model: ChatModel, messages: list[BaseMessage], backoff: Backoff | None, options: Mapping[str, Any]
) -> Steps[Thought]:
    """`think` as steps, for code that makes several calls."""
    sent = sendable(messages)
    called, keywords = model_to_call(model, sent, options)
    whole = reading_streams(called)

    def invoke() -> Thought:
        with _telling(model), _inside() as recorder:
            try:
                reply = whole.invoke(own_copies(sent), **keywords)
            except Exception as error:
                if (reply := reply_held_back(error)) is None:
                    raise
            return _with_cost(thought_of(reply), recorder)

    async def ainvoke() -> Thought:
        with _telling(model), _inside() as recorder:
            try:
                reply = await whole.ainvoke(own_copies(sent), **keywords)
            except Exception as error:
                if (reply := reply_held_back(error)) is None:
                    raise
            return _with_cost(thought_of(reply), recorder)

    started = time.monotonic()
    try:
        thought: Thought = yield _checked_backoff(backoff).call(invoke, ainvoke)
    except TurnsRefused as refused:
        return (yield from think_steps(model, refused.in_turns(sent), backoff, options))
    return replace(with_usage(thought, sent), seconds=round(time.monotonic() - started, 3))


def thought_steps(models: Sequence[ChatModel], messages: list[BaseMessage]) -> Steps[Thought]:
    """One reply, of the first model whose server gives any, with its event."""
    first, *others = models
    try:
        thought = yield from think_steps(first, messages, None, {})
    except Exception as failed:
        if not is_model_error(failed) or not others:
            raise
        return (yield from thought_steps(others, messages))
    return _recorded(thought)


def _recorded(thought: Thought) -> Thought:
    """A reply with its event: its tokens count for the run around it."""
    record("thought", **said(thought), feedback="")
    return thought


@contextmanager
def _inside() -> Generator[Recorder]:
    """Record apart what a model itself asks other models: its own reply stands for that. If the call fails, there is no
    such reply, and the events join the recording around it."""
    with ExitStack() as told, recording() as recorder:
        told.callback(lambda: hand_over(recorder.events))
        yield recorder
        told.pop_all()


def _with_cost(thought: Thought, inside: Recorder) -> Thought:
    """A thought with the usage of what its model asked other models, unless its own usage is larger."""
    spent = recorded_usage(NO_USAGE, inside.events)
    return thought if thought.usage["total_tokens"] >= spent["total_tokens"] else replace(thought, usage=spent)


@contextmanager
def _telling(model: ChatModel, *, begun: bool = False) -> Generator[None]:
    """Make the errors of a call clear: they say what the server answered and hold no secrets, and a request that is too
    long is always a `RequestTooLongError`. Once the reply has `begun`, the turns of the request cannot be the cause."""
    with redacting(model):
        try:
            with lost_if_canceled():
                yield
        except Exception as raised:
            error = alone(raised)
            tell_answer(error)
            if isinstance(error, StopIteration) or isinstance(error.__cause__, StopIteration):
                # A thread, a coroutine and a generator make a `RuntimeError` of it.
                raise ScriptExhaustedError(None, type(model).__name__) from error
            if is_over_turns(error) and not begun:
                raise TurnsRefused(error) from error
            if not is_too_long(error) or isinstance(error, RequestTooLongError):
                if error is raised:
                    raise
                raise error from None
            raise RequestTooLongError(provider_said(error)) from error


def _checked_backoff(backoff: Backoff | None) -> Backoff:
    if backoff is not None and not isinstance(cast(object, backoff), Backoff):
        raise ValueError(f"backoff has to be a Backoff, such as Backoff(max_attempts=3), got {backoff!r:.100}")
    return backoff or Backoff()


def stream_think(
    model: ChatModel,
    messages: Messages,
    *,
    echo_reasoning: bool = False,
    backoff: Backoff | None = None,
    **options: Any,
) -> Iterator[ThoughtPiece]:
    """Stream a thought: pieces of reasoning and reply as they arrive, then one `"done"` piece with the whole thought.

    Takes the arguments of `think`. Transport errors are retried until the first piece arrives, and no later. When the
    reply runs in circles, the stream is closed, and the finish reason of the thought is `"repetition"`.

    Raises:
        ModelUnavailableError: the stream could not be opened, or broke; `partial` holds the text so far.
        RequestTooLongError: the messages are longer than the model takes.
    """
    sent = sendable(to_messages(messages, echo_reasoning=echo_reasoning))
    called, keywords = model_to_call(model, sent, options)

    def opened() -> tuple[Iterator[AIMessageChunk], Stream, list[ThoughtPiece]]:
        state = Stream()
        with _telling(model), ExitStack() as opening:
            chunks: Iterator[Any] = iter(called.stream(own_copies(sent), **keywords))
            opening.callback(close, chunks)
            for chunk in chunks:
                if (pieces := state.feed(chunk)) or state.circles:
                    opening.pop_all()
                    return chunks, state, pieces
            state.thought()  # which raises where nothing has come: that may be retried
            return chunks, state, []

    try:
        chunks, state, pieces = _checked_backoff(backoff).retry(opened)
    except TurnsRefused as refused:
        yield from stream_think(model, refused.in_turns(sent), echo_reasoning=True, backoff=backoff, **options)
        return
    try:
        with _telling(model, begun=True), state.may_break_at_its_end(), ExitStack() as opening:
            opening.callback(close, chunks)
            yield from pieces
            while not state.circles and (chunk := next(chunks, state)) is not state:
                yield from state.feed(chunk)
    except Exception as error:
        if not (is_transport_error(error) or is_model_error(error)):
            raise
        raise state.broken(error) from error
    yield from _with_its_event(state, sent)


def _with_its_event(state: Stream, sent: Sequence[BaseMessage]) -> Iterator[ThoughtPiece]:
    for piece in state.finish():
        yield DonePiece(_recorded(with_usage(piece.thought, sent))) if piece.thought else piece


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

    async def opened() -> tuple[AsyncIterator[AIMessageChunk], Stream, list[ThoughtPiece]]:
        state = Stream()
        with _telling(model):
            async with AsyncExitStack() as opening:
                chunks: AsyncIterator[Any] = aiter(called.astream(own_copies(sent), **keywords))
                opening.push_async_callback(aclose, chunks)
                async for chunk in chunks:
                    if (pieces := state.feed(chunk)) or state.circles:
                        opening.pop_all()
                        return chunks, state, pieces
                state.thought()  # see above
                return chunks, state, []

    try:
        chunks, state, pieces = await _checked_backoff(backoff).aretry(opened)
    except TurnsRefused as refused:
        again = refused.in_turns(sent)
        async for piece in astream_think(model, again, echo_reasoning=True, backoff=backoff, **options):
            yield piece
        return
    try:
        with _telling(model, begun=True), state.may_break_at_its_end():
            async with AsyncExitStack() as opening:
                opening.push_async_callback(aclose, chunks)
                for piece in pieces:
                    yield piece
                while not state.circles and (chunk := await anext(chunks, state)) is not state:
                    for piece in state.feed(chunk):
                        yield piece
    except Exception as error:
        if not (is_transport_error(error) or is_model_error(error)):
            raise
        raise state.broken(error) from error
    for piece in _with_its_event(state, sent):
        yield piece
