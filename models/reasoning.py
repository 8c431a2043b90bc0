"""Replaces a user's `ChatOpenAI`, which drops the reasoning of local thinking models, with one that keeps it."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, cast, get_origin

from langchain_core.language_models import BaseLanguageModel
from langchain_core.messages import BaseMessage
from langchain_core.output_parsers import JsonOutputParser
from langchain_core.output_parsers.openai_tools import JsonOutputToolsParser
from langchain_core.prompts import BasePromptTemplate
from langchain_core.runnables import (
    Runnable,
    RunnableBranch,
    RunnableConfig,
    RunnableLambda,
    RunnableSequence,
    RunnableWithFallbacks,
)
from langchain_core.runnables.base import RunnableBindingBase
from langchain_core.runnables.config import merge_configs
from langchain_core.runnables.configurable import DynamicRunnable
from pydantic import BaseModel

from ..errors import ModelSetupError
from .copies import copied
from .messages import REASONING_FIELDS
from .options import CONFIGURABLE, rebuilt, selected, taken, with_options


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
        ModelSetupError: it is to be chosen by the configuration, which chooses none.
    """
    # What only behaves like a model is called as it is.
    if isinstance(cast(object, model), (Runnable, type)) or not hasattr(model, "invoke"):
        check_model(model, "model")
    known = taken(model) if options else {}
    settings = {option: value for option, value in options.items() if option in known}
    keywords = {option: value for option, value in options.items() if option not in known}
    called = _keeping_reasoning(_placing_messages(with_options(model, settings)), messages)
    if keywords and _is_chain(model) and (inside := _bound_inside(called, keywords)):
        return inside, {}
    return called, keywords


def _placing_messages(model: Runnable[Any, Any]) -> Runnable[Any, Any]:
    """The model with the messages in a prompt's optional place, too, as `("placeholder", "{messages}")` is: LangChain
    takes a list for the one variable that a prompt has to have, and for no other."""
    if not _is_chain(model):
        return model
    begins = _ends(model, at=0)

    def change(innermost: Any, bound: Mapping[str, Any]) -> Any:
        is_first = any(innermost is begin for begin in begins)
        if not is_first or not isinstance(cast(object, innermost), BasePromptTemplate) or innermost.input_variables:
            return innermost
        place = _place_for_messages(innermost)
        return innermost.model_copy(update={"input_variables": [place]}) if place else innermost

    return rebuilt(model, change)


def _is_chain(model: Runnable[Any, Any]) -> bool:
    """Whether keywords of a call would go to a first step, such as a prompt, and no further."""
    if isinstance(model, RunnableBindingBase):
        return _is_chain(model.bound)
    if isinstance(model, RunnableWithFallbacks):
        return any(map(_is_chain, model.runnables))
    return isinstance(model, RunnableSequence)


def _bound_inside(model: Runnable[Any, Any], keywords: Mapping[str, Any]) -> Runnable[Any, Any] | None:
    """The chain with the keywords bound to the models in it, but for those that the user has bound there; None if it
    has no model that LangChain knows."""
    found: list[object] = []

    def change(innermost: Any, bound: Mapping[str, Any]) -> Any:
        if not isinstance(cast(object, innermost), BaseLanguageModel):
            return innermost
        found.append(innermost)
        return innermost.bind(**keywords)

    inside = rebuilt(model, change)
    return inside if found else None


def check_model(model: object, role: str) -> None:
    """Refuse what is no chat model; `role` is what the error calls it.

    Raises:
        ValueError: it is none.
    """
    if isinstance(model, str):
        raise ValueError(f"{role} is a name here: open it first, with open_model({model!r:.100})")
    if not isinstance(model, Runnable):
        is_class = isinstance(model, type)
        wrapped = "; RunnableLambda makes one of a function" if callable(model) and not is_class else ""
        raise ValueError(
            f"{role} has to be a LangChain chat model, or the name of one such as 'openai:gpt-4.1', "
            f"got {f'the class {model.__name__}' if is_class else type(model).__name__}{wrapped}"
        )
    for begin in _ends(cast(Runnable[Any, Any], model), at=0):
        if isinstance(begin, BasePromptTemplate) and _place_for_messages(cast(Any, begin)) is None:
            names = ", ".join(begin.input_variables) or "none"
            raise ValueError(
                f"{role} begins with a prompt that has no place for the messages (its variables: {names}): give it "
                'one MessagesPlaceholder("messages") and no other variable, or fill the others in with partial()'
            )
    for end in _ends(cast(Runnable[Any, Any], model)):
        kind = type(end).__name__
        # A graph can exist only if its module has been imported.
        graphs = sys.modules.get("langgraph.pregel")
        if graphs is not None and isinstance(end, graphs.Pregel):
            raise ValueError(
                f"{role} is a graph ({kind}), which takes a state and returns one: give the chat model itself; an "
                "agent's answers are verified by VerifyMiddleware among its middleware"
            )
        if _is_structured(end):
            raise ValueError(
                f"{role} ends in {kind}, so its replies are no texts: give the chat model itself; JSONSchemaVerifier "
                "holds its answers to a schema, json_parser its replies, and response_format those of the plan-act loop"
            )


def _ends(model: Runnable[Any, Any], at: int = -1, config: RunnableConfig | None = None) -> list[Runnable[Any, Any]]:
    """What gives the replies of a model that may be wrapped: the last step, of it, its fallbacks and its branches; at 0
    the first one, which takes the messages."""
    if isinstance(model, RunnableBindingBase) and (at == 0 or model.custom_output_type is None):
        return _ends(model.bound, at, merge_configs(model.config, config))
    if isinstance(model, DynamicRunnable):
        return _ends(selected(model, config), at, config)
    if isinstance(model, RunnableWithFallbacks):
        return [end for each in model.runnables for end in _ends(each, at, config)]
    if isinstance(model, RunnableBranch):
        ways = [model.default, *(way for _, way in model.branches)]
        return [end for each in ways for end in _ends(each, at, config)]
    if isinstance(model, RunnableSequence):
        return _ends(model.steps[at], at, config)
    return [model]


def _place_for_messages(prompt: BasePromptTemplate[Any]) -> str | None:
    """The variable that a prompt at the beginning of a chain has for the messages; None where it has none, or others
    beside it: LangChain raises, or writes the list into a text as Python shows it."""
    left = [name for name in prompt.optional_variables if not prompt.partial_variables.get(name)]
    names = prompt.input_variables or left
    return names[0] if len(names) == 1 and names[0] in prompt.input_types else None


def _is_structured(end: Runnable[Any, Any]) -> bool:
    """Whether its results are known to be neither messages nor texts."""
    if isinstance(end, (JsonOutputParser, JsonOutputToolsParser)):
        return True
    if isinstance(end, RunnableLambda):
        # What is written beside a function need not be so.
        return False
    if type(end).__name__ == CONFIGURABLE:
        # Making the model to look at it could fail, as it may be chosen, or given its key, for each run.
        return any(call == "with_structured_output" for call, *_ in cast(Any, end)._queued_declarative_operations)
    try:
        kind: Any = end.OutputType
    except TypeError:
        return False
    kind = get_origin(kind) or kind
    return isinstance(kind, type) and issubclass(kind, (dict, list, BaseModel)) and not issubclass(kind, BaseMessage)


def _keeping_reasoning(model: Runnable[Any, Any], messages: Sequence[BaseMessage]) -> Runnable[Any, Any]:
    """The model to call instead of the user's model, which does not change.

    A plain `ChatOpenAI`, however it is wrapped, is replaced by a `ReasoningChatOpenAI` with the same settings and
    clients. Other models, and subclasses of `ChatOpenAI` (which may read reasoning themselves), are called as they are.

    Args:
        model: the user's model.
        messages: the call's messages. Any reasoning they carry is sent.
    """

    def change(innermost: Any, bound: Mapping[str, Any]) -> Any:
        if type(innermost).__name__ == CONFIGURABLE:
            try:
                innermost._model()
            except TypeError as error:
                chosen = {"configurable": {f"{innermost._config_prefix}model": "openai:gpt-4.1"}}
                raise ModelSetupError(
                    f"the configuration makes no model ({error}): give init_chat_model one, or run with {chosen}"
                ) from error
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
        return copied(model, {"echo_reasoning": True})
    return model
