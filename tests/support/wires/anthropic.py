"""Anthropic's Messages API: reasoning is a signed block of the content."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .server import INPUT_TOKENS, OUTPUT_TOKENS, Said, events, halves


class Anthropic:
    """Anthropic's API."""

    content_type = "text/event-stream"

    def whole(self, said: Said) -> dict[str, Any]:
        """A message with its blocks."""
        thought = [{"type": "thinking", "thinking": said.reasoning, "signature": "signed"}] if said.reasoning else []
        blocks = [*thought, {"type": "text", "text": said.text}]
        return {**_message(), "content": blocks, "stop_reason": _reason(said), "usage": _USAGE}

    def streamed(self, said: Said) -> Iterator[bytes]:
        """Every block is started, written and stopped."""
        told: list[dict[str, Any]] = [{"type": "message_start", "message": {**_message(), "content": []}}]
        thoughts = [{"type": "thinking_delta", "thinking": piece} for piece in halves(said.reasoning)]
        if thoughts:
            signed = {"type": "signature_delta", "signature": "signed"}
            told += _block(0, {"type": "thinking", "thinking": "", "signature": ""}, [*thoughts, signed])
        texts = [{"type": "text_delta", "text": piece} for piece in halves(said.text)]
        told += _block(1 if thoughts else 0, {"type": "text", "text": ""}, texts)
        ended = {"stop_reason": _reason(said), "stop_sequence": None}
        told.append({"type": "message_delta", "delta": ended, "usage": _USAGE})
        yield from events(*told, {"type": "message_stop"}, named=True)

    def is_stream(self, path: str, body: dict[str, Any]) -> bool:
        """The body says so."""
        return bool(body.get("stream"))

    def error(self, said: Said) -> tuple[dict[str, Any], dict[str, str]]:
        """An `error` object in an object of type `error`."""
        return {"type": "error", "error": {"type": "invalid_request_error", "message": said.text}}, {}


_USAGE = {"input_tokens": INPUT_TOKENS, "output_tokens": OUTPUT_TOKENS}


def _reason(said: Said) -> str:
    return "max_tokens" if said.is_cut else "end_turn"


def _message() -> dict[str, Any]:
    frame = {"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted"}
    return {**frame, "stop_reason": None, "stop_sequence": None, "usage": {**_USAGE, "output_tokens": 1}}


def _block(index: int, start: dict[str, Any], deltas: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]
