"""Keeps the reasoning that `ChatOpenAI` drops.

Servers of local thinking models answer with `reasoning_content` (or `reasoning`) beside `content`. `ChatOpenAI` reads
neither and sends neither back; `keeping_reasoning` gives the same model with both directions open.
"""

# The overridden methods of ChatOpenAI are typed with bare dicts.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import sys
from functools import cache
from typing import Any, cast

from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable, RunnableBinding

_FIELDS = ("reasoning_content", "reasoning")


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

    class ChatOpenAIKeepingReasoning(ChatOpenAI):
        """`ChatOpenAI` that reads `reasoning_content` and sends back what a message still carries."""

        def _create_chat_result(self, response: Any, generation_info: dict[str, Any] | None = None) -> ChatResult:
            result = super()._create_chat_result(response, generation_info)
            raw: dict[str, Any] = response if isinstance(response, dict) else response.model_dump()
            for generation, choice in zip(result.generations, raw.get("choices") or [], strict=False):
                _keep(generation.message, choice.get("message") or {})
            return result

        def _convert_chunk_to_generation_chunk(
            self, chunk: dict[str, Any], default_chunk_class: type[Any], base_generation_info: dict[str, Any] | None
        ) -> ChatGenerationChunk | None:
            generation = super()._convert_chunk_to_generation_chunk(chunk, default_chunk_class, base_generation_info)
            choices = chunk.get("choices") or []
            if generation is not None and choices and isinstance(generation.message, AIMessageChunk):
                _keep(generation.message, choices[0].get("delta") or {})
            return generation

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


def _keep(message: Any, raw: dict[str, Any]) -> None:
    for field in _FIELDS:
        value = raw.get(field)
        if isinstance(value, str) and value:
            message.additional_kwargs["reasoning_content"] = value
            return
