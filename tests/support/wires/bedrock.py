"""Bedrock's Converse API; a stream is in Amazon's binary encoding of events."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator
from typing import Any

from .server import INPUT_TOKENS, OUTPUT_TOKENS, Said, halves

_CODES = {400: "ValidationException", 429: "ThrottlingException", 503: "ServiceUnavailableException"}


class Bedrock:
    """The Converse API."""

    content_type = "application/vnd.amazon.eventstream"

    def whole(self, said: Said) -> dict[str, Any]:
        """A message with its blocks."""
        signed = {"reasoningText": {"text": said.reasoning, "signature": "signed"}}
        thought = [{"reasoningContent": signed}] if said.reasoning else []
        message = {"role": "assistant", "content": [*thought, {"text": said.text}]}
        return {"output": {"message": message}, "stopReason": _reason(said), **_COST}

    def streamed(self, said: Said) -> Iterator[bytes]:
        """Every block in pieces, each message in its frame."""
        yield _event("messageStart", {"role": "assistant"})
        blocks = [[{"text": piece} for piece in halves(said.text)]]
        if said.reasoning:
            thoughts = [{"reasoningContent": {"text": piece}} for piece in halves(said.reasoning)]
            blocks.insert(0, [*thoughts, {"reasoningContent": {"signature": "signed"}}])
        for index, deltas in enumerate(blocks):
            for delta in deltas:
                yield _event("contentBlockDelta", {"delta": delta, "contentBlockIndex": index})
            yield _event("contentBlockStop", {"contentBlockIndex": index})
        yield _event("messageStop", {"stopReason": _reason(said)})
        yield _event("metadata", _COST)

    def is_stream(self, path: str, body: dict[str, Any]) -> bool:
        """The address says so."""
        return path.endswith("/converse-stream")

    def error(self, said: Said) -> tuple[dict[str, Any], dict[str, str]]:
        """A message; the kind is in a header."""
        return {"message": said.text}, {"x-amzn-ErrorType": _CODES.get(said.status, "InternalServerException")}


_COST: dict[str, Any] = {
    "usage": {
        "inputTokens": INPUT_TOKENS,
        "outputTokens": OUTPUT_TOKENS,
        "totalTokens": INPUT_TOKENS + OUTPUT_TOKENS,
    },
    "metrics": {"latencyMs": 1},
}


def _reason(said: Said) -> str:
    return "max_tokens" if said.is_cut else "end_turn"


def _event(kind: str, payload: dict[str, Any]) -> bytes:
    data = json.dumps(payload).encode()
    told = {":event-type": kind, ":content-type": "application/json", ":message-type": "event"}
    headers = b"".join(
        struct.pack("!B", len(name)) + name.encode() + struct.pack("!BH", 7, len(text)) + text.encode()
        for name, text in told.items()
    )
    prelude = struct.pack("!II", 16 + len(headers) + len(data), len(headers))
    message = prelude + struct.pack("!I", zlib.crc32(prelude)) + headers + data
    return message + struct.pack("!I", zlib.crc32(message))
