"""Replaces a user's `ChatOpenAI`, which drops the reasoning of local thinking models, with one that keeps it."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, cast

from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable

from .messages import REASONING_FIELDS
from .options import rebuilt, taken, with_options


def model_to_call(
    model: Runnable[Any, Any], messages: Sequence[BaseMessage], options: Mapping[str, Any]
) -> tuple[Runnable[Any, Any], dict[str, Any]]:
    """The model to call for a request, and the keywords of that call.

    Args:
        model: the user's model, which does not change.
        messages: the request's.
        options: those that the model takes are set on it; the others become keywords.

    Raises:
        ValueError: `model` is no chat model.
    """
    if not hasattr(model, "invoke"):
        check_model(model, "model")
    known = taken(model) if options else {}
    settings = {option: value for option, value in options.items() if option in known}
    keywords = {option: value for option, value in options.items() if option not in known}
    return keeping_reasoning(with_options(model, settings), messages), keywords


def check_model(model: object, role: str) -> None:
    """Refuse what is no chat model; `role` is what the error calls it.

    Raises:
        ValueError: it is none.
    """
    if isinstance(model, str):
        raise ValueError(f"{role} is a name here: open it first, with open_model({model!r:.100})")
    if not isinstance(model, Runnable):
        raise ValueError(
            f"{role} has to be a LangChain chat model, or the name of one such as 'openai:gpt-4.1', "
            f"got {type(model).__name__}"
        )


def keeping_reasoning(model: Runnable[Any, Any], messages: Sequence[BaseMessage]) -> Runnable[Any, Any]:
    """The model to call instead of the user's model, which does not change.

    A plain `ChatOpenAI`, however it is wrapped, is replaced by a `ReasoningChatOpenAI` with the same settings and
    clients. Other models, and subclasses of `ChatOpenAI` (which may read reasoning themselves), are called as they are.

    Args:
        model: the user's model.
        messages: the call's messages. Any reasoning they carry is sent.
    """

    def change(innermost: Any, bound: Mapping[str, Any]) -> Any:
        # A model of that class can exist only if its module has been imported.
        module = sys.modules.get("langchain_openai.chat_models.base")
        if module is None or not isinstance(innermost, module.ChatOpenAI):
            return innermost
        echo = any(field in message.additional_kwargs for message in messages for field in REASONING_FIELDS)
        return _keeping(innermost, module.ChatOpenAI, echo)

    return rebuilt(model, change)


def _keeping(model: Any, plain: type[Any], echo: bool) -> Any:
    kind = cast("type[Any]", type(model))
    from .reasoning_openai import ReasoningChatOpenAI

    if kind is plain:
        # No cache: this takes a tenth of a millisecond, and picks up the user's changes since the last call.
        fields = {name: getattr(model, name) for name in plain.model_fields}
        return ReasoningChatOpenAI.model_construct({*model.model_fields_set}, **fields, echo_reasoning=echo)
    if issubclass(kind, ReasoningChatOpenAI) and echo:
        return model.model_copy(update={"echo_reasoning": True})
    return model
