"""One place where a model is chosen: argument, environment, settings file, or the embedded default."""

from __future__ import annotations

import http.client
import json
import os
import tomllib
import urllib.error
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from langchain_core.language_models import BaseChatModel
from platformdirs import user_config_path
from pydantic import SecretStr

from ..trace.errors import ModelSetupError
from ..trace.redact import redact_error
from .bounded import bounded_clients
from .server import DEFAULT_CONTEXT, local_server
from .weights import Progress, pull

DEFAULT_MODEL = "local:qwen2.5-coder-0.5b"
MODEL_VARIABLE = "THOUGHTGRAPH_MODEL"
KEY_VARIABLE = "THOUGHTGRAPH_API_KEY"

_TIMEOUT = 600.0
_EMBEDDED_CAP = 1024
"""Output tokens of the embedded model: a small model that has lost its thread would fill the context otherwise."""


def settings_file() -> Path:
    """Where the user's settings are: a TOML file with `model = "…"`."""
    return user_config_path("thoughtgraph") / "settings.toml"


def chosen_model(spec: str | None = None) -> str:
    """The model's name by order of precedence: argument, `THOUGHTGRAPH_MODEL`, settings file, embedded default.

    Raises:
        ModelSetupError: the settings file is not valid TOML.
    """
    if spec or os.environ.get(MODEL_VARIABLE):
        return spec or os.environ[MODEL_VARIABLE]
    path = settings_file()
    if path.is_file():
        try:
            settings = tomllib.loads(path.read_text(encoding="utf-8"))
        except tomllib.TOMLDecodeError as problem:
            raise ModelSetupError(f"the settings file {path} is not valid TOML: {problem}") from None
        if isinstance(settings.get("model"), str):
            return settings["model"]
    return DEFAULT_MODEL


@contextmanager
def open_model(
    spec: str | None = None,
    *,
    slots: int = 4,
    context: int = DEFAULT_CONTEXT,
    progress: Progress | None = None,
    **options: Any,
) -> Generator[BaseChatModel]:
    """A chat model for the length of the block; an embedded one is fetched, served on loopback, and stopped again.

    Args:
        spec: `local:NAME` or the path of a `.gguf` file (embedded); `http://…/v1` with an optional `#model-name` for
            any OpenAI-compatible server (its key, if it wants one, in `THOUGHTGRAPH_API_KEY`); or what LangChain's
            `init_chat_model` takes, such as `openai:gpt-…`. None: see `chosen_model`.
        slots: requests an embedded model works on at the same time.
        context: tokens that a request to an embedded model may have, prompt and reply together.
        progress: told of the fetching of weights.
        **options: passed to the chat model (`temperature`, `max_tokens`, …).

    Raises:
        ModelSetupError: the model cannot be chosen, fetched or started.
    """
    spec = chosen_model(spec)
    if spec.startswith("local:") or spec.endswith(".gguf"):
        weights = pull(spec.removeprefix("local:"), progress) if spec.startswith("local:") else Path(spec)
        with local_server(weights, slots=slots, context=context) as server:
            embedded = {"temperature": 0.0, "max_tokens": _EMBEDDED_CAP, **options}
            yield _compatible(server.base_url, server.model, **embedded)
    elif spec.startswith(("http://", "https://")):
        base_url, _, name = spec.partition("#")
        yield _compatible(base_url, name or _first_model(base_url), **options)
    else:
        yield _by_provider(spec, options)


def _compatible(base_url: str, model: str, **options: Any) -> BaseChatModel:
    from langchain_openai import ChatOpenAI

    # Back-off is done by the calls themselves; two layers of it would multiply.
    # A kept connection belongs to the event loop that opened it; the next `asyncio.run` would wait on it for ever.
    headers = {"Connection": "close"}
    settings: dict[str, Any] = {
        "max_retries": 0,
        "timeout": _TIMEOUT,
        "stream_usage": True,
        "default_headers": headers,
        **bounded_clients(),
        **options,
    }
    return ChatOpenAI(base_url=base_url, model=model, api_key=SecretStr(_server_key() or "none"), **settings)


def _server_key() -> str | None:
    """The key for a server given by its address. OpenAI's own key is never sent to another address."""
    return os.environ.get(KEY_VARIABLE)


def _first_model(base_url: str) -> str:
    url = f"{base_url.rstrip('/')}/models"
    key = _server_key()
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {key}"} if key else {})
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return str(json.load(response)["data"][0]["id"])
    except (urllib.error.URLError, http.client.HTTPException, OSError, ValueError, LookupError, TypeError) as problem:
        redact_error(problem, [key] if key else [])
        raise ModelSetupError(
            f"{url} names no model ({problem}): check the address, or add the name, as in {base_url}#model-name"
        ) from problem


def _by_provider(spec: str, options: dict[str, Any]) -> BaseChatModel:
    if spec.startswith("openai:"):
        from langchain_openai import ChatOpenAI

        if not os.environ.get("OPENAI_API_KEY"):
            raise ModelSetupError(f"{spec} needs the environment variable OPENAI_API_KEY")
        settings: dict[str, Any] = {"max_retries": 0, **options}
        return ChatOpenAI(model=spec.removeprefix("openai:"), **settings)
    try:
        init_chat_model: Any = import_module("langchain.chat_models").init_chat_model
    except ImportError as missing:
        raise ModelSetupError(
            f"{spec!r} needs LangChain's init_chat_model: pip install langchain and the provider's package. "
            f"Without it, use local:NAME, a .gguf file, openai:NAME or http://…/v1."
        ) from missing
    try:
        return init_chat_model(spec, **{"max_retries": 0, **options})
    except (ImportError, ValueError) as problem:
        redact_error(problem)
        raise ModelSetupError(f"cannot open the model {spec!r}: {problem}") from problem
