"""Stands for llama.cpp in a worker's node: a server that answers, and notes beside the weights that it was started."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from support.openai_server import OpenAIServer, Reply


class CommonParams(SimpleNamespace):
    """Takes every setting."""

    def __init__(self) -> None:
        super().__init__(model=SimpleNamespace(), cpuparams=SimpleNamespace(), cpuparams_batch=SimpleNamespace())


class Server:
    """Serves "served" to whoever asks."""

    def __init__(self, params: Any) -> None:
        with Path(params.model.path).with_suffix(".started").open("a", encoding="utf-8") as lines:
            lines.write("started\n")
        self._server = OpenAIServer(lambda body, index: Reply("served")).start()

    @property
    def listening_address(self) -> str:
        """Where it listens, without `/v1`."""
        return self._server.base_url.removesuffix("/v1")
