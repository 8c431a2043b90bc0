"""Serves the embedded model through OpenAI's API on loopback: llama.cpp in this process, on a free port."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from ...errors import ModelSetupError
from .cores import usable_cores
from .markers import KNOWN_MARKERS, markers_of

DEFAULT_SLOTS = 4
DEFAULT_CONTEXT = 8_192


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A running server.

    Attributes:
        base_url: the OpenAI API's address, with `/v1`.
        model: the model's name on this server.
        markers: texts that the model would read as control markers; see `without_markers`.
        context: maximum tokens per request, prompt and reply together.
    """

    base_url: str
    model: str
    markers: frozenset[str] = KNOWN_MARKERS
    context: int = DEFAULT_CONTEXT


@contextmanager
def local_server(
    weights: str | Path, *, slots: int = DEFAULT_SLOTS, context: int = DEFAULT_CONTEXT, port: int = 0
) -> Generator[LocalServer]:
    """Serve a GGUF file on loopback while the block runs.

    Args:
        weights: a `.gguf` file.
        slots: requests processed at the same time (continuous batching); each slot has its own prompt cache.
        context: maximum tokens per request, prompt and reply together.
        port: 0 for a free one.

    Raises:
        ModelSetupError: the file is missing or is not a model, or the extra `local` is not installed.
    """
    path = Path(weights)
    if not path.is_file():
        raise ModelSetupError(f"there is no file {path}: give the path of a .gguf file, or pull a model first")
    llama = _llama()
    params = llama.CommonParams()
    params.model.path = str(path)
    params.model_alias = {path.stem}
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_parallel = slots
    params.n_ctx = slots * context
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = usable_cores()
    params.verbosity = 0
    params.cont_batching = True
    params.cache_prompt = True
    try:
        server = llama.Server(params)
    except Exception as problem:
        raise ModelSetupError(f"llama.cpp could not load {path.name}: {problem}") from problem
    try:
        yield LocalServer(f"{server.listening_address}/v1", path.stem, markers_of(path), context)
    finally:
        # The server stops when its object is collected.
        del server
        gc.collect()


def _llama() -> Any:
    try:
        return import_module("xllamacpp")
    except ImportError as missing:
        raise ModelSetupError(
            "the embedded model needs the extra `local`: pip install 'thoughtgraph[local]'"
        ) from missing
