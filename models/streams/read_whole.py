"""A reply that is read as a stream, and given as one message."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, ExitStack
from typing import Any, cast

from langchain_core.globals import get_llm_cache
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable, RunnableConfig, RunnableGenerator
from langchain_core.runnables.config import ensure_config

from ..options import rebuilt
from .pieces import Stream


def reading_streams(model: Runnable[Any, Any]) -> Runnable[Any, Any]:
    """The same model, wrapped or not, in which each that streams inside `invoke` is read here.

    LangChain would join such a stream by itself: it adds up tokens that each chunk tells again, and reads a reply that
    runs in circles to its end. The wrapping stays around the whole reply: one that breaks in its middle is retried, or
    has its fallback.
    """
    return rebuilt(model, lambda innermost, _: _ReadWhole(innermost) if _streams(innermost) else innermost)


class _ReadWhole(Runnable[Any, AIMessage]):
    """A model of which `invoke` reads the stream, up to where it runs in circles."""

    def __init__(self, model: Runnable[Any, Any]) -> None:
        self._model = model

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> AIMessage:
        state, chunks = Stream(), iter(self._model.stream(input, config, **kwargs))
        with state.may_break_at_its_end(), ExitStack() as opened:
            opened.callback(close, chunks)
            while not state.circles and (chunk := next(chunks, state)) is not state:
                state.feed(chunk)
        return _message(state)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> AIMessage:
        state, chunks = Stream(), aiter(self._model.astream(input, config, **kwargs))
        with state.may_break_at_its_end():
            async with AsyncExitStack() as opened:
                opened.push_async_callback(aclose, chunks)
                while not state.circles and (chunk := await anext(chunks, state)) is not state:
                    state.feed(chunk)
        return _message(state)


def _message(state: Stream) -> AIMessage:
    thought = state.thought()
    message = cast(AIMessage, thought.message)
    if state.circles:
        message.response_metadata["finish_reason"] = thought.finish_reason
        # What is cached stands in the details.
        counts = {name: count for name, count in thought.usage.items() if name != "cached_tokens"}
        message.usage_metadata = cast(Any, {**(message.usage_metadata or {}), **counts})
    return message


def close(chunks: Iterator[Any]) -> None:
    """Close a stream that may not be at its end: the server stops writing."""
    if close := getattr(chunks, "close", None):
        close()


async def aclose(chunks: AsyncIterator[Any]) -> None:
    """Async twin of `close`."""
    if close := getattr(chunks, "aclose", None):
        await close()


def _streams(model: Any) -> bool:
    """Whether the model streams inside `invoke`, too: by LangChain's field `streaming`, or since the run's messages are
    watched; a cache has no streams."""
    if isinstance(model, RunnableGenerator):
        # LangChain makes a prompt of whole messages that it adds up.
        return True
    # A mock of a class passes for one, and has none of its fields. One that does not stream with tools decides itself.
    if not issubclass(type(model), BaseChatModel) or model.disable_streaming is True:
        return False
    cached = model.cache or (model.cache is None and get_llm_cache() is not None)
    return (getattr(model, "streaming", None) is True or _is_watched()) and not cached


def _is_watched() -> bool:
    """Whether somebody follows the run's messages as chunks; events of the newer protocol come of `invoke` alone."""
    callbacks = ensure_config().get("callbacks")
    handlers: list[Any] = callbacks if isinstance(callbacks, list) else getattr(callbacks, "handlers", [])
    names = {base.__name__ for handler in handlers for base in type(handler).__mro__}
    return "_StreamingCallbackHandler" in names and "_V2StreamingCallbackHandler" not in names
