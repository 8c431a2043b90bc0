"""A model that is given by its name, opened once for all graphs that name it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, cast

from langchain_core.language_models import BaseLanguageModel
from langchain_core.runnables import RunnableConfig, RunnableSequence
from langchain_core.runnables.base import RunnableBindingBase
from langchain_core.runnables.config import merge_configs
from langchain_core.runnables.fallbacks import RunnableWithFallbacks

from .messages import LONGEST_NAME
from .options import selected
from .reasoning import check_model
from .thought import ChatModel


def as_model(model: ChatModel | str, role: str) -> ChatModel:
    """A chat model for a graph: one given by its name is opened once, and stays open until the program ends.

    Args:
        model: a LangChain chat model, or a name as `open_model` takes it.
        role: what an error calls it.

    Raises:
        ModelSetupError: a model with that name cannot be opened.
        ValueError: it is neither.
    """
    if isinstance(model, str):
        return _shared(model)
    check_model(model, role)
    return model


def as_models(given: ChatModel | str | Sequence[ChatModel | str], role: str) -> list[ChatModel]:
    """The models of a cascade, the cheapest first; a model alone is a cascade of one.

    Args:
        given: a model or its name, or several of them.
        role: what an error calls them.

    Raises:
        ModelSetupError: a model with that name cannot be opened.
        ValueError: one is no model, there is none, or one is there twice.
    """
    listed: list[ChatModel | str] = list(cast(Any, given)) if isinstance(given, (list, tuple)) else [cast(Any, given)]
    if not listed:
        raise ValueError(f"{role} is empty: give a chat model, or several, the cheapest first")
    # Fail on what is no model before one is opened.
    for model in listed:
        if not isinstance(model, str):
            as_model(model, role)
    models = [as_model(model, role) for model in listed]
    if len({id(model) for model in models}) < len(models):
        raise ValueError(f"{role} has a model twice, and each is asked once: give different models, the cheapest first")
    return models


def model_name(model: Any) -> str:
    """A model's name, for traces, settings and tables."""
    model = unwrapped(model)
    # A class of the user's own may hold its weights or its client under such a name.
    held = [getattr(model, name, None) for name in ("model_name", "model", "model_id")]
    # What is no model has the name of its function.
    held.append(getattr(model, "name", None))
    # Cut as the names in replies are, which also makes a plain text of an enum's.
    return next((name[:LONGEST_NAME] for name in held if isinstance(name, str) and name), type(model).__name__)


def _provider_name(model: Any) -> str:
    """The name of a model's provider in LangChain, such as `"openai"`; "" if it has none."""
    model = unwrapped(model)
    # What LangChain's own traces name it by.
    trace_params = getattr(model, "_get_ls_params", dict[str, Any])(stop=None)
    return str(trace_params.get("ls_provider") or "")


def unwrapped(model: Any, *, fallbacks: bool = True) -> Any:
    """The model itself: without what was bound to it, retries, and the prompt before it; of a configurable one, that
    which the run's configuration selects.

    Args:
        model: that may be wrapped.
        fallbacks: whether one that has fallbacks is the first of them; else it stays whole.
    """
    config: RunnableConfig | None = None
    while True:
        if isinstance(model, RunnableBindingBase):
            binding = cast(Any, model)
            model, config = binding.bound, merge_configs(binding.config, config)
        elif (found := selected(model, config)) is not model:
            model = found
        elif fallbacks and isinstance(model, RunnableWithFallbacks):
            model = cast(Any, model).runnable
        elif isinstance(model, RunnableSequence):
            steps: list[Any] = cast(Any, model).steps
            # What follows a model reads its reply.
            model = next((step for step in reversed(steps) if isinstance(unwrapped(step), BaseLanguageModel)), None)
            if model is None:
                return steps[-1]
        else:
            return model


def names_of(models: Sequence[Any]) -> tuple[tuple[str, str], ...]:
    """The names of models and of their providers."""
    return tuple((model_name(model), _provider_name(model)) for model in models)


@cache
def _shared(spec: str) -> ChatModel:
    # What opens a model loads providers' packages, which a program that brings its own model need not wait for.
    from .open import open_model

    return open_model(spec)
