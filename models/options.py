"""Temperature, seed, output cap and log-probabilities for any LangChain chat model, inside whatever it is wrapped in.

Classes name these options differently, and not all accept them as keywords of `invoke`: Ollama's client raises over a
keyword that it does not know. Every class reads its own fields, though. So an option is set on a copy of the model, and
in any `bind` around it that would override the field.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType, NoneType
from typing import Any, cast

from langchain_core.globals import get_llm_cache
from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import (
    RouterRunnable,
    Runnable,
    RunnableAssign,
    RunnableBranch,
    RunnableConfig,
    RunnableParallel,
    RunnableSequence,
    RunnableWithFallbacks,
)
from langchain_core.runnables.base import RunnableBindingBase
from langchain_core.runnables.config import merge_configs
from langchain_core.runnables.configurable import DynamicRunnable
from pydantic import BaseModel

from .._internal.strict_json import mapping
from .copies import allowed, copied
from .transport import is_refusal, is_refused_form

NAMES: dict[str, tuple[str, ...]] = {
    "temperature": ("temperature",),
    "seed": ("seed", "random_seed"),
    "max_tokens": (
        "max_tokens", "max_output_tokens", "num_predict", "max_completion_tokens", "max_new_tokens", "maxTokens",
    ),
    "top_p": ("top_p",),
    "effort": ("reasoning_effort", "thinking_level", "thinking_budget"),
    "logprobs": ("logprobs",),
    "cache": ("cache",),
}  # fmt: skip
"""What an option is called, as a field and as a keyword of `bind`. A class without such a field does not take it."""

_GROUPED: dict[str, dict[str, str]] = {
    # Ollama
    "options": {"temperature": "temperature", "seed": "seed", "max_tokens": "num_predict"},
    # Gemini
    "generation_config": {"temperature": "temperature", "seed": "seed", "max_tokens": "max_output_tokens"},
    # Bedrock
    "inferenceConfig": {"temperature": "temperature", "max_tokens": "maxTokens"},
    "inference_config": {"temperature": "temperature", "max_tokens": "maxTokens"},
}
"""Keywords of `bind` that hold options in a dict, which the class reads instead of its fields."""

WARMTH = 0.8
"""The temperature for another answer than the one before, for a model that was set to a lower one."""

_FURTHER = ("model_kwargs", "extra_body")
"""Fields and keywords with further parameters of a request; they override fields of the same name."""

_OPTION_OF = {name: option for option, names in NAMES.items() for name in names if option != "cache"}
_NONE: Mapping[str, Any] = MappingProxyType({})

CONFIGURABLE = "_ConfigurableModel"
"""The class of what `init_chat_model` returns to be configured, by name: its package is optional."""

Change = Callable[[Any, Mapping[str, Any]], Any]
"""Takes a model and the keywords bound to it; returns the model to use instead."""


def rebuilt(
    model: Runnable[Any, Any],
    change: Change,
    options: Mapping[str, Any] = _NONE,
    bound: Mapping[str, Any] = _NONE,
    config: RunnableConfig | None = None,
) -> Any:
    """The same wrapping around other models; what was passed in stays as it is.

    It goes through `bind`, `bind_tools`, `with_config`, `with_retry`, `with_fallbacks`, sequences and their steps of
    several parts, branches and routers. A configurable model is replaced by the one that the current configuration
    selects.

    Args:
        model: a chat model, wrapped or not.
        change: applied to each innermost model.
        options: to set wherever a binding has them.
        bound: keywords bound further out.
        config: bound further out.
    """
    if isinstance(model, RunnableBindingBase):
        keywords = {**model.kwargs, **_overridden(model.kwargs, options)}
        inner = rebuilt(model.bound, change, options, {**model.kwargs, **bound}, merge_configs(model.config, config))
        return model.model_copy(update={"bound": inner, "kwargs": keywords})
    if (found := selected(model, config)) is not model:
        return rebuilt(found, change, options, bound, config)
    if isinstance(model, RunnableWithFallbacks):
        first, *others = [rebuilt(each, change, options, bound, config) for each in model.runnables]
        return model.model_copy(update={"runnable": first, "fallbacks": others})
    if isinstance(model, RunnableSequence):
        first, *middle, last = [rebuilt(step, change, options, _NONE, config) for step in model.steps]
        return model.model_copy(update={"first": first, "middle": middle, "last": last})
    if isinstance(model, RunnableBranch):
        ways = [(condition, rebuilt(way, change, options, bound, config)) for condition, way in model.branches]
        last = rebuilt(model.default, change, options, bound, config)
        return model.model_copy(update={"branches": ways, "default": last})
    if isinstance(model, RunnableAssign):
        inner = cast("Runnable[Any, Any]", model.mapper)
        return model.model_copy(update={"mapper": rebuilt(inner, change, options, _NONE, config)})
    if isinstance(model, (RunnableParallel, RouterRunnable)):
        field = "steps__" if isinstance(model, RunnableParallel) else "runnables"
        parts: Mapping[str, Runnable[Any, Any]] = getattr(model, field)
        # What is bound around them does not reach them.
        new = {name: rebuilt(part, change, options, _NONE, config) for name, part in parts.items()}
        return model.model_copy(update={field: new})
    return change(model, bound)


def selected(model: Any, config: RunnableConfig | None) -> Any:
    """The model that a configurable one is in a configuration, which is added to that of the run; any other itself."""
    if isinstance(model, DynamicRunnable):
        return cast(Any, model).prepare(config)[0]
    if type(model).__name__ == CONFIGURABLE:
        # It may be chosen for each run; until then nothing is known of it.
        with suppress(TypeError):
            return model._model(config)
    return model


def with_options(model: Runnable[Any, Any], options: Mapping[str, Any]) -> Any:
    """The model with these options; each class inside its wrapping gets those that it takes, and no others."""

    def change(innermost: Any, bound: Mapping[str, Any]) -> Any:
        fields = _fields(innermost, bound)
        given = {fields[one]: allowed(innermost, fields[one], value) for one, value in options.items() if one in fields}
        further = {name: getattr(innermost, name, None) for name in _FURTHER}
        given |= _overridden(further, options)
        return copied(innermost, given) if given else innermost

    return rebuilt(model, change, options) if options else model


def taken(model: Runnable[Any, Any]) -> dict[str, Any]:
    """The options that a model takes, with their values; a binding's win. Of several models, the first counts."""
    found: dict[str, Any] = {}
    for innermost, bound in _innermost(model):
        values = {option: getattr(innermost, field) for option, field in _fields(innermost, bound).items()}
        for given in (getattr(innermost, "model_kwargs", None), getattr(innermost, "extra_body", None), bound):
            values |= _values(given)
        found = {**values, **found}
    return found


_BETWEEN_SEEDS = 10_007
"""More than a run has attempts."""


def sampling_options(model: Runnable[Any, Any], temperature: float, seed: int) -> dict[str, Any]:
    """Options that make a model answer differently from the time before.

    A model that was set to a lower temperature is warmed up; at 0 it would give the same reply again. One whose
    temperature was left alone samples by its provider's default, and may refuse to be told another. Where the model
    takes a seed, every attempt has its own, far from those of another seed that the model may be set to: a run can be
    repeated, and runs with other seeds are other samples. Where it takes none, or does not tell LangChain's cache of
    replies, that is passed by: one kept reply would count as many samples.
    """
    known = taken(model)
    current = known.get("temperature")
    warmer = {"temperature": temperature} if isinstance(current, (int, float)) and current < temperature else {}
    # What a class of the user's own calls its seed may be no number.
    if not isinstance(known.get("seed", ""), (int, float, NoneType)):
        return {**warmer, **uncached(model)}
    seeded = {**warmer, "seed": (int(known["seed"] or 0) * _BETWEEN_SEEDS + seed) % 2**31}
    return {**seeded, **uncached(model, seeded)}


def uncached(model: Runnable[Any, Any], options: Mapping[str, Any] = _NONE) -> dict[str, Any]:
    """What has LangChain's cache passed by, if it would give the reply to a request without these options: classes such
    as Ollama's do not tell it of them."""
    known = taken(model)
    # Without a cache nothing is set: on a copy of a model that counts its calls in a field, the count would be lost.
    if "cache" not in known or not (known["cache"] or get_llm_cache() is not None):
        return {}
    keys = zip(_cache_keys(model), _cache_keys(with_options(model, options)), strict=True)
    return {} if options and all(before != after for before, after in keys) else {"cache": False}


def _cache_keys(model: Runnable[Any, Any]) -> list[str]:
    """By what the cache knows each model inside the wrapping."""
    found: list[Any] = [innermost for innermost, _ in _innermost(model)]
    return [cast(Any, one)._get_llm_string() for one in found if isinstance(one, BaseChatModel)]


def refused_of(options: Mapping[str, Any], refusal: Exception) -> list[str]:
    """The options, of those that a reply can do without, over which a server has refused a request; all of them where
    it does not say over which, or its client keeps that to itself."""
    dispensable = [name for name in ("seed", "temperature", "logprobs") if name in options]
    said = str(refusal).lower() if is_refusal(refusal) else ""
    named = [name for name in dispensable if name in said]
    return dispensable if not named and is_refused_form(refusal) else named


_MEDIA = {"image_inputs": "image", "audio_inputs": "audio", "video_inputs": "video", "pdf_inputs": "file"}


def media_taken(model: Runnable[Any, Any]) -> frozenset[str]:
    """The types of content blocks, text aside, that a model's profile says it takes; of several models, all must.

    A class that knows nothing of the model has no profile, which can be set: `model.profile = {"image_inputs": True}`.
    """
    profiles = _profiles(model)
    return frozenset(kind for key, kind in _MEDIA.items() if profiles and all(one.get(key) for one in profiles))


def input_limit(models: Iterable[Runnable[Any, Any]]) -> int | None:
    """The most tokens that a request to any of these models may have, by their profiles; None if no profile says it."""
    limits = [profile.get("max_input_tokens") for model in models for profile in _profiles(model)]
    return min((limit for limit in limits if isinstance(limit, int) and limit > 0), default=None)


def _profiles(model: Runnable[Any, Any]) -> list[Mapping[str, Any]]:
    # What stands beside a model in a chain has none.
    return [mapping(innermost.profile) for innermost, _ in _innermost(model) if hasattr(innermost, "profile")]


def _innermost(model: Runnable[Any, Any]) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    found: list[tuple[Any, Mapping[str, Any]]] = []

    def change(innermost: Any, bound: Mapping[str, Any]) -> Any:
        found.append((innermost, bound))
        return innermost

    rebuilt(model, change)
    return iter(found)


def _fields(model: Any, bound: Mapping[str, Any]) -> dict[str, str]:
    """The field in which a model has each option that it takes."""
    kind = cast("type[Any]", type(model))
    # Where a class forbids copies none is made; nor where it clears up, and would close what the model goes on with.
    usual = all(getattr(kind, name, None) is getattr(BaseModel, name) for name in ("__copy__", "model_copy"))
    declared = getattr(kind, "model_fields", _NONE) if usual and not hasattr(kind, "__del__") else _NONE
    found: dict[str, str] = {}
    for option, names in NAMES.items():
        known = [name for name in names if name in declared]
        # A class may know two names, of which only one may be given.
        chosen = next((name for name in known if getattr(model, name) is not None), known[0] if known else None)
        if chosen and not (option == "seed" and _asks_responses(model, bound)):
            found[option] = chosen
    return found


def _asks_responses(model: Any, bound: Mapping[str, Any]) -> bool:
    """Whether the model calls OpenAI's Responses API, which knows no seed; its client raises over one."""
    decide = getattr(model, "_use_responses_api", None)
    return decide is not None and bool(decide({**model._default_params, **bound}))


def _overridden(given: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the keywords that carry an option, with its new value."""
    changed: dict[str, Any] = {}
    for name, value in given.items():
        if name in _OPTION_OF and _OPTION_OF[name] in options:
            changed[name] = options[_OPTION_OF[name]]
        elif name in _GROUPED and isinstance(value, Mapping):
            group = _GROUPED[name]
            new = {group[option]: set_to for option, set_to in options.items() if option in group}
            changed[name] = {**cast("Mapping[str, Any]", value), **new}
        elif name in _FURTHER and isinstance(value, Mapping):
            inside = cast("Mapping[str, Any]", value)
            changed[name] = {**inside, **_overridden(inside, options)}
    return changed


def _values(given: Any) -> dict[str, Any]:
    """The options among keywords."""
    found: dict[str, Any] = {}
    for name, value in cast("Mapping[str, Any]", given or _NONE).items():
        if name in _OPTION_OF:
            found[_OPTION_OF[name]] = value
        elif name in _GROUPED or name in _FURTHER:
            found |= _values(value)
    return found
