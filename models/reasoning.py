"""Keeps the reasoning that `ChatOpenAI` drops, and tells a broken answer from a mistake of the program.

Servers of local thinking models answer with `reasoning_content` (or `reasoning`) beside `content`. `ChatOpenAI` reads
neither and sends neither back; `keeping_reasoning` gives the same model with both directions open. Servers also answer
with what is no chat completion at all, over which `ChatOpenAI` raises whatever it stumbles into, such as a `TypeError`;
from the same model it is a `ConnectionError`.
"""

# The overridden methods of ChatOpenAI are typed with bare dicts.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Generator, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from traceback import walk_tb
from types import FrameType
from typing import Any, cast

from langchain_core.exceptions import ModelError, ModelInvalidRequestError
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable, RunnableBinding

from .messages import hold_usage

_FIELDS = ("reasoning_content", "reasoning")
# Where OpenAI's client reads what came: modules, and functions of others.
_READERS = ("openai._streaming", "openai.lib.streaming")
_READING = frozenset({"_parse", "parse_chat_completion"})


def keeping_reasoning(model: Runnable[Any, Any]) -> Runnable[Any, Any]:
    """The same model, and where it is a plain `ChatOpenAI` one that keeps `reasoning_content`.

    Other models, and subclasses of `ChatOpenAI` (which may read such fields themselves), are returned as they are.
    """
    if isinstance(model, RunnableBinding):
        inner = keeping_reasoning(model.bound)
        return model if inner is model.bound else model.model_copy(update={"bound": inner})
    # A model of that class can only exist where its module has been imported already.
    module = sys.modules.get("langchain_openai.chat_models.base")
    if module is None or type(model) is not module.ChatOpenAI:
        return model
    twin = cast(Any, model).model_copy()
    twin.__class__ = _keeping_class()
    return twin


@cache
def _keeping_class() -> type[Any]:
    from langchain_openai import ChatOpenAI
    from openai import LengthFinishReasonError

    class ChatOpenAIKeepingReasoning(ChatOpenAI):
        """`ChatOpenAI` that reads `reasoning_content` and sends back what a message still carries."""

        def _create_chat_result(self, response: Any, generation_info: dict[str, Any] | None = None) -> ChatResult:
            try:
                result = super()._create_chat_result(response, generation_info)
            except Exception as problem:
                raise _no_completion(problem) from problem
            if not result.generations:
                raise ConnectionError("the server's answer holds no choice")
            raw: dict[str, Any] = response if isinstance(response, dict) else response.model_dump()
            for generation, choice in zip(result.generations, raw.get("choices") or [], strict=False):
                _keep(generation.message, choice.get("message") or {})
                hold_usage(generation.message)
            return result

        def _convert_chunk_to_generation_chunk(
            self, chunk: dict[str, Any], default_chunk_class: type[Any], base_generation_info: dict[str, Any] | None
        ) -> ChatGenerationChunk | None:
            try:
                generation = super()._convert_chunk_to_generation_chunk(
                    chunk, default_chunk_class, base_generation_info
                )
            except Exception as problem:
                raise _no_completion(problem) from problem
            choices = chunk.get("choices") or []
            if generation is not None and choices and isinstance(generation.message, AIMessageChunk):
                _keep(generation.message, choices[0].get("delta") or {})
            if generation is not None:
                hold_usage(generation.message)
            return generation

        def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
            try:
                with _reading():
                    return super()._generate(*args, **kwargs)
            except LengthFinishReasonError as cut:
                return self._create_chat_result(cut.completion)

        async def _agenerate(self, *args: Any, **kwargs: Any) -> ChatResult:
            try:
                with _reading():
                    return await super()._agenerate(*args, **kwargs)
            except LengthFinishReasonError as cut:
                return self._create_chat_result(cut.completion)

        def _stream(self, *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
            # The cut-off reply has been yielded by then, and says why it ended.
            with suppress(LengthFinishReasonError), _reading():
                yield from super()._stream(*args, **kwargs)

        async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
            with suppress(LengthFinishReasonError), _reading():
                async for chunk in super()._astream(*args, **kwargs):
                    yield chunk

        def _get_request_payload(self, input_: Any, *, stop: list[str] | None = None, **kwargs: Any) -> dict[str, Any]:
            payload = super()._get_request_payload(input_, stop=stop, **kwargs)
            messages = self._convert_input(input_).to_messages()
            for message, sent in zip(messages, payload.get("messages") or [], strict=False):
                if isinstance(message, AIMessage):
                    kept = {f: message.additional_kwargs[f] for f in _FIELDS if f in message.additional_kwargs}
                    sent.update(kept)
            return payload

    # Callbacks and traces name a model by its class.
    ChatOpenAIKeepingReasoning.__name__ = ChatOpenAIKeepingReasoning.__qualname__ = ChatOpenAI.__name__
    return ChatOpenAIKeepingReasoning


@contextmanager
def _reading() -> Generator[None]:
    """What OpenAI's client stumbles over while it reads an answer is a fault of transport.

    Replies that were cut off or filtered under a `response_format` are errors of their own to it.
    """
    from openai import ContentFilterFinishReasonError, OpenAIError

    try:
        yield
    except ContentFilterFinishReasonError as filtered:
        raise ModelInvalidRequestError(str(filtered)) from filtered
    except (ModelError, OpenAIError, ConnectionError):
        raise
    except Exception as problem:
        # LangChain dumps every chunk, also one that is no object.
        if "model_dump" in str(problem) or any(_reads(frame) for frame, _ in walk_tb(problem.__traceback__)):
            raise _no_completion(problem) from problem
        raise


def _reads(frame: FrameType) -> bool:
    module = str(frame.f_globals.get("__name__"))
    return module.startswith(_READERS) or (module.startswith("openai.") and frame.f_code.co_name in _READING)


def _no_completion(problem: Exception) -> ConnectionError:
    about = f"{type(problem).__name__}: {str(problem)[:200]}"
    return ConnectionError(f"the server's answer is no chat completion ({about})")


def _keep(message: Any, raw: dict[str, Any]) -> None:
    for field in _FIELDS:
        value = raw.get(field)
        if isinstance(value, str) and value:
            message.additional_kwargs["reasoning_content"] = value
            return
