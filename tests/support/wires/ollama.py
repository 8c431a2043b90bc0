"""Ollama's chat API: lines of JSON; LangChain's class always asks for a stream."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .server import INPUT_TOKENS, OUTPUT_TOKENS, Said, halves


class Ollama:
    """Ollama's API."""

    content_type = "application/x-ndjson"

    def whole(self, said: Said) -> dict[str, Any]:
        """The whole message, and what it cost."""
        return _line({"content": said.text, "thinking": said.reasoning}) | _end(said)

    def streamed(self, said: Said) -> Iterator[bytes]:
        """A line a piece."""
        told = [_line({"content": "", "thinking": piece}) for piece in halves(said.reasoning)]
        told += [_line({"content": piece}) for piece in halves(said.text)]
        told.append(_line({"content": ""}) | _end(said))
        for line in told:
            yield json.dumps(line).encode() + b"\n"

    def is_stream(self, path: str, body: dict[str, Any]) -> bool:
        """The body says so."""
        return bool(body.get("stream"))

    def error(self, said: Said) -> tuple[dict[str, Any], dict[str, str]]:
        """A text."""
        return {"error": said.text}, {}


def _line(message: dict[str, Any]) -> dict[str, Any]:
    created = "2026-01-01T00:00:00Z"
    return {"model": "scripted", "created_at": created, "message": {"role": "assistant", **message}, "done": False}


def _end(said: Said) -> dict[str, Any]:
    counts = {"prompt_eval_count": INPUT_TOKENS, "eval_count": OUTPUT_TOKENS}
    return {"done": True, "done_reason": "length" if said.is_cut else "stop", **counts}
