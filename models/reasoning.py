"""Replaces a user's `ChatOpenAI`, which drops the reasoning of local thinking models, with one that keeps it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, cast

from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable, RunnableWithFallbacks
from langchain_core.runnables.base import RunnableBindingBase

from .messages import REASONING_FIELDS


def keeping_reasoning(model: Runnable[Any, Any], messages: Sequence[BaseMessage]) -> Runnable[Any, Any]:
    """The model to call instead of the user's model, which does not change.

    A plain `ChatOpenAI`, bare or wrapped by `bind`, `with_config`, `with_retry` or `with_fallbacks`, is replaced by a
    `ReasoningChatOpenAI` with the same settings and clients. Other models, and subclasses of `ChatOpenAI` (which may
    read reasoning themselves), are returned unchanged.

    Args:
        model: the user's model.
        messages: the call's messages. Any reasoning they carry is sent.
    """
    # A model of that class can exist only if its module has been imported.
    module = sys.modules.get("langchain_openai.chat_models.base")
    if module is None:
        return model
    echo = any(field in message.additional_kwargs for message in messages for field in REASONING_FIELDS)
    return _rebuilt(model, module.ChatOpenAI, echo)


def _rebuilt(model: Any, plain: type[Any], echo: bool) -> Any:
    kind = cast("type[Any]", type(model))
    if issubclass(kind, RunnableBindingBase):
        return model.model_copy(update={"bound": _rebuilt(model.bound, plain, echo)})
    if issubclass(kind, RunnableWithFallbacks):
        first, *others = [_rebuilt(each, plain, echo) for each in model.runnables]
        return model.model_copy(update={"runnable": first, "fallbacks": others})
    if not issubclass(kind, plain):
        return model
    from .reasoning_openai import ReasoningChatOpenAI

    if kind is plain:
        # No cache: this takes a tenth of a millisecond, and picks up the user's changes since the last call.
        fields = {name: getattr(model, name) for name in plain.model_fields}
        return ReasoningChatOpenAI.model_construct({*model.model_fields_set}, **fields, echo_reasoning=echo)
    if issubclass(kind, ReasoningChatOpenAI) and echo:
        return model.model_copy(update={"echo_reasoning": True})
    return model
