"""`ReasoningChatOpenAI`: LangChain's `ChatOpenAI` with the reasoning that it drops.

This module imports OpenAI's client; nothing imports it before a model of that kind is there.
"""

# The overridden methods of ChatOpenAI are typed with bare dicts.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import AsyncIterator, Generator, Iterator
from contextlib import contextmanager
from typing import Any

from langchain_core.exceptions import ModelAPIError, ModelError
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI
from openai import OpenAIError

from .messages import REASONING_FIELDS, hold_usage


class ReasoningChatOpenAI(ChatOpenAI):
    """`ChatOpenAI` for OpenAI-compatible servers of thinking models: the reasoning in their answers is kept.

    Such servers (llama.cpp, vLLM, OpenRouter, …) answer with `reasoning_content` or `reasoning` beside `content`, which
    `ChatOpenAI` drops. Here it is in the message's `additional_kwargs["reasoning_content"]`, whole or streamed. All
    else is `ChatOpenAI`'s, arguments included.

    An answer that is no chat completion raises LangChain's `ModelAPIError`, which says that another try may help, and
    not whatever `ChatOpenAI` stumbles into over it. A reply that was cut off or filtered under a `response_format` that
    is a JSON schema comes as it is, with its `finish_reason`.

    Attributes:
        echo_reasoning: send the reasoning of the model's earlier turns back, as far as the messages carry it. Some
            servers demand it, others refuse it.

    Example:
        >>> model = ReasoningChatOpenAI(base_url="http://localhost:8000/v1", model="qwen3", api_key="none")
        >>> model.invoke("Why?").additional_kwargs["reasoning_content"]              # doctest: +SKIP
    """

    echo_reasoning: bool = False

    @classmethod
    def get_lc_namespace(cls) -> list[str]:
        """Where LangChain's `load` finds the class."""
        return cls.__module__.split(".")

    def _create_chat_result(self, response: Any, generation_info: dict[str, Any] | None = None) -> ChatResult:
        try:
            result = super()._create_chat_result(response, generation_info)
        except Exception as problem:
            raise _no_completion(problem) from problem
        if not result.generations:
            raise ModelAPIError("the server's answer holds no choice")
        for generation, choice in zip(result.generations, _get(response, "choices"), strict=True):
            _keep(generation.message, _get(choice, "message"))
        return result

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type[Any], base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        try:
            generation = super()._convert_chunk_to_generation_chunk(chunk, default_chunk_class, base_generation_info)
        except Exception as problem:
            raise _no_completion(problem) from problem
        if generation is not None:
            choices = chunk.get("choices") or [{}]
            _keep(generation.message, choices[0].get("delta"))
        return generation

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        with _reading_whole():
            return super()._generate(*args, **kwargs)

    async def _agenerate(self, *args: Any, **kwargs: Any) -> ChatResult:
        with _reading_whole():
            return await super()._agenerate(*args, **kwargs)

    def _stream(self, *args: Any, **kwargs: Any) -> Iterator[ChatGenerationChunk]:
        with _reading_stream():
            yield from super()._stream(*args, **kwargs)

    async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        with _reading_stream():
            async for chunk in super()._astream(*args, **kwargs):
                yield chunk

    def _get_request_payload(self, input_: Any, *, stop: list[str] | None = None, **kwargs: Any) -> dict[str, Any]:
        payload = super()._get_request_payload(input_, stop=stop, **kwargs)
        if isinstance(payload.get("response_format"), dict):
            # Under a `response_format`, OpenAI's client raises over a reply that was cut off or filtered. In the extra
            # body it is sent just the same, and the client leaves the reply alone.
            extra = {"response_format": payload.pop("response_format")}
            payload["extra_body"] = {**(payload.get("extra_body") or {}), **extra}
        if self.echo_reasoning:
            messages = self._convert_input(input_).to_messages()
            # OpenAI's newer API has no such messages.
            for message, sent in zip(messages, payload.get("messages") or [], strict=False):
                if isinstance(message, AIMessage):
                    kept = message.additional_kwargs
                    sent.update({field: kept[field] for field in REASONING_FIELDS if field in kept})
        return payload


@contextmanager
def _reading_whole() -> Generator[None]:
    """Tell an answer that cannot be read from a mistake of the program: LangChain puts the response on the former."""
    try:
        yield
    except (ModelError, OpenAIError):
        raise
    except Exception as problem:
        if getattr(problem, "response", None) is None:
            raise
        raise _no_completion(problem) from problem


@contextmanager
def _reading_stream() -> Generator[None]:
    """The same for a stream, by type: over an argument that does not fit, Python raises a `TypeError`."""
    try:
        yield
    except (AttributeError, RecursionError, ValueError) as problem:
        raise _no_completion(problem) from problem


def _no_completion(problem: Exception) -> ModelAPIError:
    about = f"{type(problem).__name__}: {str(problem)[:200]}"
    return ModelAPIError(f"the server's answer is no chat completion ({about})")


def _keep(message: BaseMessage, raw: Any) -> None:
    """Put what a server sent beside `content` on the message, and hold its usage to numbers."""
    for field in REASONING_FIELDS:
        value = _get(raw, field)
        if isinstance(value, str) and value:
            message.additional_kwargs["reasoning_content"] = value
            break
    hold_usage(message)


def _get(raw: Any, name: str) -> Any:
    """A field of a part of an answer, which OpenAI's client gives as an object, or as a dict where it does not fit."""
    return raw.get(name) if isinstance(raw, dict) else getattr(raw, name, None)
