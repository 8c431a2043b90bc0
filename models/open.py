"""Chooses and opens a model: from an argument, the environment, the settings file, or the embedded default."""

from __future__ import annotations

import atexit
import os
import tomllib
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from types import TracebackType
from typing import Any, cast

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable, RunnableBinding
from platformdirs import user_config_path
from pydantic import Field, SecretStr

from .._internal.network import checked_address
from .._internal.numbers import check_kind
from .._internal.redact import line_of, redact_error
from ..errors import ModelSetupError
from .local.markers import without_markers
from .local.server import DEFAULT_CONTEXT, LocalServer, local_server
from .local.weights import Progress, pull
from .servers.bounded import bounded_clients
from .servers.openai_api import at_address, chat_openai, refused

DEFAULT_MODEL = "local:qwen2.5-coder-0.5b"
CHAT_MODEL = "local:qwen2.5-coder-1.5b"
"""The assistant's: what the smaller one gets right of everyday requests is not enough; see docs/benchmarks.md."""
MODEL_VARIABLE = "THOUGHTGRAPH_MODEL"
_EMBEDDED_CAP = 1024
"""Output tokens of the embedded model: without a cap, a small model that starts to ramble fills the context."""


def settings_file() -> Path:
    """The path of the user's settings: a TOML file with `model = "…"`."""
    return user_config_path("thoughtgraph") / "settings.toml"


def chosen_model(spec: str | None = None, default: str = DEFAULT_MODEL) -> str:
    """The model's name by order of precedence: argument, `THOUGHTGRAPH_MODEL`, settings file, `default`.

    Raises:
        ModelSetupError: the argument is empty, or the settings file is not valid TOML or sets anything but a model.
        ValueError: the argument is no text.
    """
    check_kind("the model", spec, str | None, "its name, as a text")
    if spec is not None and not spec.strip():
        raise ModelSetupError("the model's name is empty: give one, such as local:qwen2.5-coder-0.5b, or None")
    return spec or os.environ.get(MODEL_VARIABLE, "").strip() or _set_model() or default


def _set_model() -> str | None:
    """The model that the settings file names; None without one."""
    path = settings_file()
    if not path.is_file():
        return None
    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as problem:  # Also what is not UTF-8.
        raise ModelSetupError(f"the settings file {path} is not valid TOML: {problem}") from None
    # A setting that is passed over would have another model fetched and asked.
    if unknown := sorted(set(settings) - {"model"}):
        raise ModelSetupError(f"the settings file {path} sets {', '.join(unknown)}: it takes only `model`")
    name = settings.get("model")
    if "model" in settings and not (isinstance(name, str) and name.strip()):
        raise ModelSetupError(f'the settings file {path} sets the model {name!r:.80}: write it as model = "NAME"')
    return name


class OpenModel(RunnableBinding[LanguageModelInput, AIMessage]):
    """An open chat model: a model itself, and a context manager that gives the provider's own and closes it at the end.

    Without a `with` block it stays open until `close()`, or until the program ends.
    """

    opened: ExitStack = Field(default_factory=ExitStack, exclude=True, repr=False)
    """What was started for the model."""

    def __enter__(self) -> BaseChatModel:
        return cast(BaseChatModel, self.bound)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop what was started for the model; a second time does nothing."""
        atexit.unregister(self.opened.close)
        self.opened.close()


def open_model(
    spec: str | None = None,
    *,
    slots: int = 4,
    context: int = DEFAULT_CONTEXT,
    progress: Progress | None = None,
    **options: Any,
) -> OpenModel:
    """Open a chat model; an embedded one is fetched, and served on loopback until it is closed.

    Use it in a `with` block, or as a model. Embedded models, addresses and `openai:` give a `ReasoningChatOpenAI`.

    Args:
        spec: `local:NAME` or the path of a `.gguf` file (embedded); `http://…/v1` with an optional `#model-name` for
            any OpenAI-compatible server (put its key, if it needs one, in `THOUGHTGRAPH_API_KEY`);
            `import:package.module:function` for a function of yours that returns a chat model, given the options; or
            what LangChain's `init_chat_model` takes, such as `openai:gpt-…`. None: see `chosen_model`.
        slots: requests an embedded model works on at the same time.
        context: maximum tokens per request to an embedded model, prompt and reply together.
        progress: called while weights are fetched.
        **options: passed to the chat model (`temperature`, `max_tokens`, …).

    Raises:
        ModelSetupError: the model cannot be chosen, fetched or started.
        ValueError: `spec` is no text.

    Example:
        >>> with open_model("local:qwen2.5-coder-0.5b") as model:  # doctest: +SKIP
        ...     print(think(model, "Say hello.").reply)
        hello
    """
    opened = ExitStack()
    model = opened.enter_context(_opened(chosen_model(spec), slots, context, progress, options))
    atexit.register(opened.close)
    return OpenModel(bound=model, opened=opened)


@contextmanager
def _opened(
    spec: str, slots: int, context: int, progress: Progress | None, options: dict[str, Any]
) -> Generator[BaseChatModel]:
    if is_embedded(spec):
        with serving(spec, slots, context, progress) as server:
            yield served(server, **options)
    elif spec.startswith("import:"):
        yield _imported(spec, options)
    elif spec.startswith(("http://", "https://")):
        yield at_address(checked_address(spec), options)
    else:
        yield _by_provider(spec, options)


def is_embedded(spec: str) -> bool:
    """Whether a model with this name is served on this machine."""
    return spec.startswith("local:") or spec.endswith(".gguf")


@contextmanager
def serving(
    spec: str, slots: int, context: int = DEFAULT_CONTEXT, progress: Progress | None = None
) -> Generator[LocalServer]:
    """Fetch an embedded model and serve it while the block runs; see `open_model`."""
    weights = pull(spec.removeprefix("local:"), progress) if spec.startswith("local:") else Path(spec)
    with local_server(weights, slots=slots, context=context) as server:
        yield server


def served(server: LocalServer, **options: Any) -> BaseChatModel:
    """An embedded model, by the server on this machine that serves it."""
    # No proxy should see the requests.
    clients = bounded_clients(rewrite=without_markers(server.markers), proxies=False)
    # As a stream, a reply that runs in circles can be cut off.
    embedded = {"temperature": 0.0, "max_tokens": _EMBEDDED_CAP, "streaming": True, **clients, **options}
    # What a prompt may take, by which the plan-act graph keeps its own within the context.
    room = max(server.context - (embedded["max_tokens"] or _EMBEDDED_CAP), server.context // 2)
    embedded.setdefault("profile", {"max_input_tokens": room})
    return at_address(f"{server.base_url}#{server.model}", embedded)


def imported(path: str) -> Any:
    """What an import path stands for.

    Args:
        path: `package.module:name`, or a longer one such as `module:Class.method`.

    Raises:
        ImportError: there is no such module, or it holds no such name.
        ValueError: it is no import path.
    """
    module, colon, name = path.partition(":")
    if not (module and colon and name):
        raise ValueError(f"{path!r} is no import path: write package.module:name")
    try:
        return attrgetter(name)(import_module(module))
    except AttributeError as missing:
        raise ImportError(f"the module {module} holds no {name}") from missing


def _imported(spec: str, options: dict[str, Any]) -> BaseChatModel:
    try:
        if not callable(made := imported(spec.removeprefix("import:"))):
            raise ValueError(f"it is a {type(made).__name__}, no function: name one that returns a chat model")
        model: object = made(**options)
    except Exception as problem:
        redact_error(problem)
        raise ModelSetupError(f"cannot open the model {spec!r}: {line_of(problem)}") from problem
    if not isinstance(model, Runnable):
        raise ModelSetupError(f"{spec!r} returned {type(model).__name__}: it has to return a LangChain chat model")
    return cast(BaseChatModel, model)


def _by_provider(spec: str, options: dict[str, Any]) -> BaseChatModel:
    if spec.startswith("openai:"):
        if not (options.get("api_key") or os.environ.get("OPENAI_API_KEY")):
            raise ModelSetupError(f"{spec} needs the environment variable OPENAI_API_KEY")
        return chat_openai(spec, {"model": spec.removeprefix("openai:"), **options})
    try:
        init_chat_model: Any = import_module("langchain.chat_models").init_chat_model
    except ImportError as missing:
        raise ModelSetupError(
            f"{spec!r} needs LangChain's init_chat_model: pip install langchain and the provider's package. "
            f"Without it, use local:NAME, a .gguf file, openai:NAME or http://…/v1."
        ) from missing
    # Ollama is asked now whether it runs and has the model, and not by the first task.
    checks = {"validate_model_on_init": True} if spec.startswith("ollama:") else {}
    try:
        model: BaseChatModel = init_chat_model(spec, **{"max_retries": 0, **checks, **options})
    except Exception as problem:
        # Each provider's package has errors of its own.
        raise refused(spec, problem) from problem
    if missing_key := _missing_key(spec, model, options):
        raise ModelSetupError(f"{spec} needs {missing_key}")
    return model


def _missing_key(spec: str, model: BaseChatModel, options: dict[str, Any]) -> str:
    """The key without which the provider will refuse every request, though its class takes none; "" if it is there."""
    for name, value in model:
        empty = isinstance(value, SecretStr) and name.endswith("api_key") and not value.get_secret_value()
        if empty or (name == "mistral_api_key" and value is None):
            return f"the environment variable {name.upper()}"
    if not spec.startswith("bedrock") or options or os.environ.get("AWS_BEARER_TOKEN_BEDROCK"):
        return ""
    session: Any = import_module("boto3").Session()
    return "" if session.get_credentials() else "AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
