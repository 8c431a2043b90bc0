"""Chat models of servers with OpenAI's API: of OpenAI itself, or of a server by its address."""

from __future__ import annotations

import os
from typing import Any, cast

import httpx
from langchain_core.language_models import BaseChatModel
from pydantic import SecretStr, ValidationError

from ..._internal.redact import redact_error
from ...errors import ModelSetupError, RedirectRefusedError
from .bounded import bounded_clients, bounded_transport

KEY_VARIABLE = "THOUGHTGRAPH_API_KEY"
"""Of a server that is given by its address; OpenAI's own key is never sent to another address."""

_TIMEOUT = 600.0
_LOOK_UP_SECONDS = 10.0
_LOOK_UP_BYTES = 4 * 1024 * 1024
_LONGEST_NAME = 1_000


def at_address(address: str, options: dict[str, Any]) -> BaseChatModel:
    """A model of the server at an address, `http://…/v1` with an optional `#model-name`."""
    base_url, _, name = address.partition("#")
    settings: dict[str, Any] = {"base_url": base_url, "timeout": _TIMEOUT, "stream_usage": True, **options}
    if not {"api_key", "openai_api_key"} & options.keys():
        settings["api_key"] = SecretStr(os.environ.get(KEY_VARIABLE) or "none")
    if not {"model", "model_name"} & options.keys():
        settings["model"] = name or _first_model(base_url, options)
    return chat_openai(base_url, settings)


def chat_openai(spec: str, options: dict[str, Any]) -> BaseChatModel:
    """A `ReasoningChatOpenAI` whose exchanges end, and which leaves the back-off to the calls.

    Raises:
        ModelSetupError: an option does not fit.
    """
    from ..reasoning_openai import ReasoningChatOpenAI

    # The calls do their own back-off; two layers of it would multiply.
    settings: dict[str, Any] = {"max_retries": 0, **options}
    try:
        if not {"http_client", "http_async_client"} & options.keys():
            # The class takes no proxy beside a client, so our clients take it.
            settings |= {**bounded_clients(proxies=_proxies(options)), "openai_proxy": None}
        return ReasoningChatOpenAI(**settings)
    except (ValueError, httpx.InvalidURL) as problem:
        raise refused(spec, problem) from problem


def refused(spec: str, problem: Exception) -> ModelSetupError:
    """What is wrong, in a line: a pydantic error says it between its own words, LangChain before its list of names."""
    redact_error(problem)
    said = str(problem)
    if isinstance(problem, ValidationError):
        first = problem.errors()[0]
        said = ": ".join([*(f"`{field}`" for field in first["loc"]), first["msg"].removeprefix("Value error, ")])
    said = said.strip().partition("\n")[0]
    if said.startswith("Unable to infer"):
        said = "no provider has that name: write provider:NAME, as in openai:NAME, or local:NAME for an embedded model"
    return ModelSetupError(f"cannot open the model {spec!r}: {said}")


def _proxies(options: dict[str, Any]) -> str | bool:
    """The proxy that `ChatOpenAI` would take for every request; True where those of the environment count."""
    return options.get("openai_proxy", os.environ.get("OPENAI_PROXY")) or True


def _first_model(base_url: str, options: dict[str, Any]) -> str:
    url = f"{base_url.rstrip('/')}/models"
    given: object = options.get("api_key", options.get("openai_api_key"))
    given = given.get_secret_value() if isinstance(given, SecretStr) else given
    key = given if isinstance(given, str) else os.environ.get(KEY_VARIABLE)
    transport = bounded_transport(max_seconds=_LOOK_UP_SECONDS, max_bytes=_LOOK_UP_BYTES, proxies=_proxies(options))
    try:
        with httpx.Client(transport=transport, follow_redirects=True, timeout=None) as client:
            response = client.get(url, headers={"Authorization": f"Bearer {key}"} if key else {})
            answer: Any = response.raise_for_status().json()
            # Some send the list alone.
            name: object = (cast("Any", answer)["data"] if isinstance(answer, dict) else answer)[0]["id"]
            if not isinstance(name, str) or not 0 < len(name) <= _LONGEST_NAME:
                raise ValueError(f"its first model is called {str(name)[:80]!r}")
            return name
    except RedirectRefusedError as elsewhere:
        raise ModelSetupError(str(elsewhere)) from elsewhere
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError, LookupError, TypeError, RecursionError) as problem:
        redact_error(problem, [key] if key else [])
        if isinstance(problem, httpx.HTTPStatusError) and problem.response.status_code in (401, 403):
            raise ModelSetupError(f"{url} wants a key: put the right one into {KEY_VARIABLE}") from problem
        said = "it lists none" if isinstance(problem, (LookupError, TypeError)) else str(problem).partition("\n")[0]
        raise ModelSetupError(
            f"{url} names no model ({said}): check the address, or add the name, as in {base_url}#model-name"
        ) from problem
